"""Workbench: find out whether recall scores are true."""

__version__ = "0.1.0"
