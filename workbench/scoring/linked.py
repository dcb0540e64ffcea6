"""`linked`: reference entities linked one-to-one to context entities by the layered matcher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.matching.link import link
from workbench.matching.names import Name
from workbench.model import Assessment, Evidence, Match, ProposedEntity, Sample, Unit
from workbench.text.ground import ground


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

    A duplicate takes the match of the unit it repeats. With `evidence` False no text is searched,
    which a bulk recount does not need.
    """
    candidates = list(dict.fromkeys(Name(e.text, e.label) for context in context_entities for e in context))
    counted = [unit for unit in units if not unit.duplicate_of]
    links = link(
        [Name(unit.wording, unit.original_label or unit.label) for unit in counted],
        candidates,
        threshold=threshold,
        lang=lang,
    )
    matches: dict[str, Match] = {}
    for unit, found in zip(counted, links, strict=True):
        if found is None:
            matches[unit.id] = Match("missing", reason="absent")
            continue
        name = candidates[found.candidate].text
        places = _places(name, context_entities, sample.retrieved_contexts) if evidence else ()
        matches[unit.id] = Match("found", evidence=places, similarity=found.similarity, rule=found.rule)
    return Assessment(
        "entity", "linked", tuple(replace(u, match=matches[u.duplicate_of or u.id]) for u in units)
    )


def _places(
    name: str, context_entities: Sequence[Sequence[ProposedEntity]], contexts: Sequence[str]
) -> tuple[Evidence, ...]:
    """Where the linked name stands, in the contexts it was extracted from."""
    return tuple(
        Evidence(index, span.start, span.end)
        for index, (entities, context) in enumerate(zip(context_entities, contexts, strict=False))
        if any(entity.text == name for entity in entities)
        for span in ground(name, context)
    )
