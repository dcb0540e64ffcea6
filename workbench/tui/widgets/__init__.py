"""The parts of a screen; each draws only the lines that are visible."""
