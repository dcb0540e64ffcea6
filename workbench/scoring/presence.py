"""`presence`: reference entities that occur in the text of the contexts."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.matching.names import Name
from workbench.matching.presence import presence
from workbench.model import Assessment, Match, Policy, Sample, Tally, Unit


def assess(sample: Sample, units: Sequence[Unit], *, policy: Policy, threshold: int, lang: str) -> Assessment:
    """Decide every unit by whether its name stands in a context; a duplicate follows its unit.

    A name that stands only inside a longer name is what the policy says (`nested`), marked as nested.
    """
    counted = [unit for unit in units if not unit.duplicate_of]
    found = presence(
        [Name(unit.wording, unit.original_label or unit.label) for unit in counted],
        sample.retrieved_contexts,
        lang=lang,
        nested_found=policy.nested == "found",
        threshold=threshold,
    )
    matches = {
        unit.id: Match(
            verdict="found" if one.found else "missing",
            reason=None if one.found else "absent",
            evidence=one.evidence,
            similarity=one.similarity,
            rule=one.rule,
            nested=one.nested,
        )
        for unit, one in zip(counted, found, strict=True)
    }
    return Assessment("entity", "presence", tuple(u.matched(matches[u.duplicate_of or u.id]) for u in units))


def band(tally: Tally) -> str | None:
    """The band of a presence score; a score on a border belongs to the upper band, None without units.

    Compared in integers, so 9 of 10 is exactly 90.
    """
    if not tally.units:
        return None
    for lower, name in ((90, "90-100"), (70, "70-90"), (50, "50-70")):
        if 100 * tally.found >= lower * tally.units:
            return name
    return "0-50"
