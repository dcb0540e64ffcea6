"""Which reference names are mentioned in the contexts: a layered matcher that names its reasons."""

MATCHER = "layered-9"
"""Stored with every score: another version may score the same names differently."""

FLOOR = 60
"""Links below are not worth a look; one byte a reference name serves every threshold above."""
