"""Units of a reference out of a proposal: grounded, deduplicated, with the policy's labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

from workbench.matching.names import Name
from workbench.model import (
    SAID,
    Alias,
    Evidence,
    Match,
    Policy,
    ProposedEntity,
    ProposedStatement,
    Reason,
    Sample,
    Span,
    Unit,
    named_language,
)
from workbench.text.ground import ground
from workbench.text.language import detect
from workbench.text.normalise import key

Ground = Callable[[str, str], tuple[Span, ...]]


def language_of(sample: Sample, policy: Policy) -> str:
    """The language named by the sample's meta (`language` or `lang`), else by the policy, else detected.

    Where the reference is too short to tell, the contexts do.
    """
    known = named_language(sample.meta) or policy.language or detect(sample.reference)
    return known or detect(*sample.retrieved_contexts)


def names_of(units: Sequence[Unit], sample: Sample, lang: str, aliases: tuple[Alias, ...] = ()) -> list[Name]:
    """What matchers look for: each unit as proposed, with the aliases that hold for this sample."""
    known = _by_key(tuple(alias for alias in aliases if alias.holds_for(sample)), lang) if aliases else {}
    return [
        Name(
            unit.wording,
            unit.original_label or unit.label,
            known.get(key(unit.wording, lang), ()) if known else (),
        )
        for unit in units
    ]


@lru_cache(maxsize=64)
def _by_key(aliases: tuple[Alias, ...], lang: str) -> Mapping[str, tuple[str, ...]]:
    """The other names of each name, by normalised key: an alias holds both ways, and in no chain."""
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for alias in aliases:
        names[key(alias.text, lang)][alias.other] = None
        names[key(alias.other, lang)][alias.text] = None
    return {name: (*others,) for name, others in names.items()}


def entity_units(
    sample: Sample, entities: Sequence[ProposedEntity], policy: Policy, *, every: bool = True
) -> tuple[Unit, ...]:
    """Proposed entities as undecided units.

    A quote is grounded in the reference; every place where it stands becomes a span, the first one
    is the principal and, without `every`, the only one. A second entity with an equal normalised key is
    marked as a duplicate. Entities of a label that the policy does not count are left out, and so are later
    entities with the key of one.
    """
    units: list[Unit] = []
    lang = language_of(sample, policy)
    first_with: dict[str, str] = {}
    labels = {label: policy.label_of(label) for label in {entity.label for entity in entities}}
    for number, entity in enumerate(entities, start=1):
        name = f"p{number}"
        label, original = labels[entity.label]
        counts = not policy.counted_labels or label in policy.counted_labels
        same = first_with.setdefault(key(entity.text, lang) or entity.text, name if counts else "")
        if not counts or not same:
            continue
        spans = _spans(entity, sample.reference, every)
        surface = spans[0].of(sample.reference) if spans else entity.text
        units.append(
            Unit(
                id=name,
                kind="entity",
                text=surface,
                label=label,
                spans=spans,
                duplicate_of="" if same == name else same,
                original_label=original,
                proposed=entity.text if entity.text != surface else "",
            )
        )
    return tuple(units)


def statement_units(
    sample: Sample, statements: Sequence[ProposedStatement], proposer: str
) -> tuple[Unit, ...]:
    """Proposed statements as units with the verdicts that came with them; the rule names the proposer.

    A statement without a verdict stays undecided. A quoted passage is grounded in its context, or in all
    contexts when the statement names none.
    """
    units = []
    once = cache(ground)  # thousands of equal statements have the same places
    for number, statement in enumerate(statements, start=1):
        if statement.start is not None and statement.end is not None:
            spans: tuple[Span, ...] = (Span(statement.start, statement.end),)
        else:
            spans = once(statement.text, sample.reference)[:1]
        word = (statement.verdict or "").strip().lower()
        verdict = SAID.get(word)
        reason: Reason | None = "absent" if verdict == "missing" else None
        match = Match(
            verdict=verdict,
            reason=reason,
            evidence=_quoted(statement, sample.retrieved_contexts, once),
            similarity=100 if verdict == "found" else 0,
            rule=proposer if verdict else "",
            note=statement.reason or "",
        )
        units.append(Unit(id=f"s{number}", kind="statement", text=statement.text, spans=spans, match=match))
    return tuple(units)


def _spans(entity: ProposedEntity, reference: str, every: bool) -> tuple[Span, ...]:
    given: tuple[Span, ...] = ()
    start, end = entity.start, entity.end
    if start is not None and end is not None and reference[start:end] == entity.text:
        given = (Span(start, end),)
    if given and not every:
        return given
    spans = (*given, *(span for span in ground(entity.text, reference) if span not in given))
    return spans if every else spans[:1]


def _quoted(statement: ProposedStatement, contexts: Sequence[str], ground: Ground) -> tuple[Evidence, ...]:
    if not statement.quote:
        return ()
    places = range(len(contexts)) if statement.context is None else [statement.context]
    for index in places:
        if 0 <= index < len(contexts) and (spans := ground(statement.quote, contexts[index])):
            return (Evidence(index, spans[0].start, spans[0].end),)
    return ()
