"""Assessments -> tallies -> scores; one module per metric."""
