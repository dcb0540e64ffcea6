"""`linked`: reference entities linked one-to-one to context entities by the layered matcher."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.matching.link import best
from workbench.matching.names import Name
from workbench.model import Assessment, Evidence, Match, ProposedEntity, Sample, Unit
from workbench.text.ground import ground

SUGGESTED = 75
"""The similarity from which a near name is shown to the reviewer, and never counted."""


def assess(
    sample: Sample,
    units: Sequence[Unit],
    context_entities: Sequence[Sequence[ProposedEntity]],
    *,
    threshold: int,
    lang: str,
    evidence: bool = True,
) -> Assessment:
    """Decide every unit by its best one-to-one link of at least `threshold`.

    A link from 75 up to the threshold is a suggestion: the unit is missing, the near name and its places
    are kept for the reviewer. A duplicate takes the match of the unit it repeats. With `evidence` False
    no text is searched.
    """
    candidates = candidate_names(context_entities)
    counted = [unit for unit in units if not unit.duplicate_of]
    names = [Name(unit.wording, unit.original_label or unit.label) for unit in counted]
    matches: dict[str, Match] = {}
    for unit, near in zip(counted, best(names, candidates, lang=lang), strict=True):
        if near is None or near.similarity < min(threshold, SUGGESTED):
            matches[unit.id] = Match("missing", reason="absent", similarity=near.similarity if near else 0)
            continue
        name = candidates[near.candidate].text
        places = places_of(name, context_entities, sample.retrieved_contexts) if evidence else ()
        found = near.similarity >= threshold
        matches[unit.id] = Match(
            verdict="found" if found else "missing",
            reason=None if found else "absent",
            evidence=places,
            similarity=near.similarity,
            rule=near.rule,
            note="" if found else f"perhaps {name}",
        )
    return Assessment("entity", "linked", tuple(u.matched(matches[u.duplicate_of or u.id]) for u in units))


def candidate_names(context_entities: Sequence[Sequence[ProposedEntity]]) -> list[Name]:
    """The distinct entities of all contexts: one named in several contexts is one candidate."""
    return list(dict.fromkeys(Name(e.text, e.label) for context in context_entities for e in context))


def places_of(
    name: str, context_entities: Sequence[Sequence[ProposedEntity]], contexts: Sequence[str]
) -> tuple[Evidence, ...]:
    """Where the linked name stands, in the contexts it was extracted from."""
    return tuple(
        Evidence(index, span.start, span.end)
        for index, (entities, context) in enumerate(zip(context_entities, contexts, strict=False))
        if any(entity.text == name for entity in entities)
        for span in ground(name, context)
    )
