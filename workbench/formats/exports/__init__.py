"""The files of each export format, their folder, and how an export is verified."""
