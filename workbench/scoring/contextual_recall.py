"""`contextual_recall`: statements of the reference that the contexts support, over all statements.

The formula is deepeval's ContextualRecallMetric (attributable / all); unlike deepeval, a verdict
that is no known word is never dropped: its statement stays undecided, in the denominator.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import Assessment, Unit


def assess(units: Sequence[Unit]) -> Assessment | None:
    """The statements with the verdicts recorded for them; None when none of them has a verdict."""
    if units and all(unit.match.verdict is None for unit in units):
        return None
    return Assessment("statement", "contextual_recall", tuple(units))
