"""`linked`: reference entities linked one-to-one to context entities by the layered matcher."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from workbench.matching.names import Name, best
from workbench.matching.presence import presence
from workbench.model import Assessment, Evidence, Match, ProposedEntity, Sample, Unit
from workbench.text.folding import bounded
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
    among: Sequence[Unit] = (),
) -> Assessment:
    """Decide every unit by its best one-to-one link of at least `threshold`.

    A link from 75 up to the threshold is a suggestion: the unit is missing, the near name and its places
    are kept for the reviewer. So is a link to a name that is in no context: nothing shows that it was there.
    A duplicate takes the match of the unit it repeats. With `evidence` False no place is worked out. The
    units of `among` are linked as well, and left as they are.
    """
    candidates, invented = candidate_names(context_entities, sample.retrieved_contexts, lang)
    counted = [unit for unit in units if not unit.duplicate_of]
    names = [Name(unit.wording, unit.original_label or unit.label) for unit in (*counted, *among)]
    matches: dict[str, Match] = {}
    links, doubts = best(names, candidates, lang=lang), best(names, invented, lang=lang)
    for unit, near, doubt in zip(counted, links, doubts, strict=False):
        if near is None or near.similarity < min(threshold, SUGGESTED):
            note = ""
            if doubt is not None and doubt.similarity >= SUGGESTED:
                note = f"perhaps {invented[doubt.candidate].text}, which is in no context"
            matches[unit.id] = Match(
                "missing", "absent", similarity=near.similarity if near else 0, note=note
            )
            continue
        linked = candidates[near.candidate]
        places: tuple[Evidence, ...] = ()
        if evidence:
            places = places_of(linked.text, context_entities, sample.retrieved_contexts)
        if evidence and not places:  # worded otherwise there
            places = presence([linked], sample.retrieved_contexts, lang=lang)[0].evidence
        found = near.similarity >= threshold
        matches[unit.id] = Match(
            verdict="found" if found else "missing",
            reason=None if found else "absent",
            evidence=places,
            similarity=near.similarity,
            rule=near.rule,
            note="" if found else f"perhaps {linked.text}",
        )
    return Assessment("entity", "linked", tuple(u.matched(matches[u.duplicate_of or u.id]) for u in units))


def candidate_names(
    context_entities: Sequence[Sequence[ProposedEntity]], contexts: Sequence[str], lang: str
) -> tuple[list[Name], list[Name]]:
    """The distinct entities of all contexts: those that stand in one, and those that stand in none.

    One named in several contexts is one candidate. A name stands in a context in any form in which
    `presence` would find it, or nearly.
    """
    return _sorted_out(tuple(tuple(context) for context in context_entities), tuple(contexts), lang)


@lru_cache(maxsize=16)
def _sorted_out(
    context_entities: tuple[tuple[ProposedEntity, ...], ...], contexts: tuple[str, ...], lang: str
) -> tuple[list[Name], list[Name]]:
    """The same; kept for the next edit of a sample."""
    names = dict.fromkeys(Name(e.text, e.label) for context in context_entities for e in context)
    rest = [name for name in names if not _as_given(name.text, contexts)]  # hardly any
    if rest:
        found = presence(rest, contexts, lang=lang)
        rest = [name for name, places in zip(rest, found, strict=True) if not places.evidence]
    for context in contexts:  # one by one: what is worked out for a text is kept for the next name
        rest = [
            name
            for name in rest
            if not any(bounded(context, span.start, span.end) for span in ground(name.text, context))
        ]
    invented = set(rest)
    return [name for name in names if name not in invented], rest


def _as_given(text: str, contexts: Sequence[str]) -> bool:
    """Whether a context has a text letter by letter, as whole words."""
    places = ((context, context.find(text)) for context in contexts)
    return any(at >= 0 and bounded(context, at, at + len(text)) for context, at in places)


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
