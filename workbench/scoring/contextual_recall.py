"""`contextual_recall`: statements of the reference that the contexts support, over all statements.

The formula is deepeval's ContextualRecallMetric (attributable / all). Unlike deepeval every statement has
exactly one verdict of a closed set: a verdict of another word is refused where it comes in, never dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import Assessment, Unit


def assess(units: Sequence[Unit]) -> Assessment | None:
    """The statements with the verdicts recorded for them; None unless every one of them has a verdict."""
    if any(unit.match.verdict is None for unit in units):
        return None
    return Assessment("statement", "contextual_recall", tuple(units))
