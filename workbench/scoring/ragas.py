"""ragas context entity recall, digit for digit: `ragas` (collections) and `ragas_legacy`.

Both compare raw strings: `collections` divides by the set of reference entities, `legacy` by the list,
each with 1e-8 added, so a perfect score is n / (n + 1e-8) and never 1.0. Source: ragas 0.4.3,
`ragas/metrics/collections/context_entity_recall` and `ragas/metrics/_context_entities_recall.py`.
Unlike ragas, a reference without entities is undefined here and not 0.0.
"""

from __future__ import annotations

from workbench.model import Assessment, Match, Proposal, Tally, Unit

EPSILON = 1e-8
_FOUND = Match("found", similarity=100, rule="equal")
_MISSING = Match("missing", reason="absent")


def assess(proposal: Proposal) -> Assessment | None:
    """Distinct reference entities, each found when the contexts' entities hold the same string.

    None when the proposal lacks the entities of the reference or of the contexts.
    """
    return _assess(proposal, "ragas", repeats=False)


def assess_legacy(proposal: Proposal) -> Assessment | None:
    """All reference entities as listed; a repeat stands in the denominator and cannot be found again."""
    return _assess(proposal, "ragas_legacy", repeats=True)


def value(tally: Tally) -> float | None:
    """found / (units + 1e-8), in ragas's order of operations; None without units."""
    return tally.found / (tally.units + EPSILON) if tally.units else None


def _assess(proposal: Proposal, source: str, *, repeats: bool) -> Assessment | None:
    if proposal.reference_entities is None or proposal.context_entities is None:
        return None
    known = {entity.text for context in proposal.context_entities for entity in context}
    names = [entity.text for entity in proposal.reference_entities]
    seen: set[str] = set()
    units = []
    for number, name in enumerate(names, start=1):
        repeated = name in seen
        seen.add(name)
        if not repeated or repeats:
            match = _FOUND if name in known and not repeated else _MISSING
            units.append(Unit(id=f"p{number}", kind="entity", text=name, match=match))
    return Assessment("entity", source, tuple(units))
