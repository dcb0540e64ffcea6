"""Assessments -> tallies -> scores."""
