"""`gold` of a row, what people verified, and `proposal`, what a proposer found.

Offsets are checked against the text that they point into. A wrong place is moved when the quoted text stands
in exactly one place. Otherwise it is an error in gold, and left out in a proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Literal

from workbench.errors import RowError
from workbench.formats.columns import is_number
from workbench.formats.rows import (
    Notes,
    as_list,
    exact,
    flag,
    ignore,
    list_of,
    moved,
    number,
    offsets,
    one_of,
    optional,
    places,
    required,
    shown,
    strings,
    wrong,
)
from workbench.model import (
    KINDS,
    NO_MARKS,
    REASONS,
    SAID,
    VERDICTS,
    Disposition,
    Effort,
    Evidence,
    GoldRecord,
    Kind,
    Marks,
    Match,
    Proposal,
    ProposedEntity,
    ProposedStatement,
    Reason,
    Span,
    Unit,
    Verdict,
)

MARKS = frozenset({"disposition", "reason", "flag", "comments", "shown", "off_plan", "adjudicated"})
_GOLD = frozenset({"annotator", "entities", "statements", "effort", *MARKS})
_UNIT = frozenset(
    {"id", "text", "label", "start", "end", "spans", "verdict", "reason", "evidence", "nested", "note"}
    | {"original_label", "label_disputed"}
)


def gold_of(
    value: Any, reference: str, contexts: Sequence[str], notes: Notes
) -> tuple[GoldRecord, ...] | None:
    """The `gold` of a row, one record for each annotator; None when it is of another shape.

    Ours is an object with `annotator`, or a list that holds such an object. Raises RowError.
    """
    if type(value) is dict and "annotator" in value:
        return (_gold(value, "gold", reference, contexts, notes),)
    if type(value) is not list:
        return None
    if value and not any(type(item) is dict and "annotator" in item for item in value):
        return None
    records = tuple(
        _gold(item, f"gold[{index}]", reference, contexts, notes) for index, item in enumerate(value)
    )
    seen: set[str] = set()
    for index, record in enumerate(records):
        if record.annotator in seen:
            expected = "one record for each annotator"
            raise RowError(f"gold[{index}].annotator", f"{shown(record.annotator)} again", expected)
        seen.add(record.annotator)
    return records


def gold_problem(value: Any, reference: str, contexts: Sequence[str]) -> RowError:
    """Why a `gold` is of another shape: its first fault, with what makes it ours."""
    where, inner = "gold", value
    if type(value) is list and value:
        where, inner = "gold[0]", value[0]
    if type(inner) is not dict or _GOLD.isdisjoint(inner):
        return RowError(where, shown(inner), "an object with annotator and entities or statements")
    try:
        _gold({**inner, "annotator": "?"}, where, reference, contexts, Notes())
    except RowError as error:
        return RowError(error.field, error.got, f"{error.expected}; and {where}.annotator, who verified it")
    return RowError(f"{where}.annotator", "nothing", "a string: who verified it (missing)")


def _gold(value: Any, where: str, reference: str, contexts: Sequence[str], notes: Notes) -> GoldRecord:
    if type(value) is not dict:
        raise wrong(where, value, "an object with annotator")
    annotator = required(value, "annotator", where)
    ignore(value, _GOLD, where, notes)
    entities, statements = list_of(value, "entities", where), list_of(value, "statements", where)
    said = NO_MARKS if MARKS.isdisjoint(value) else marks(value, where)
    if entities is None and statements is None and not (said.dispositions or said.flag or said.comments):
        raise RowError(where, shown(value), "entities or statements")
    first = len(entities or ()) + 1
    return GoldRecord(
        annotator,
        None if entities is None else _units(entities, "entity", 1, where, reference, contexts, notes),
        None
        if statements is None
        else _units(statements, "statement", first, where, reference, contexts, notes),
        _effort(value.get("effort"), f"{where}.effort"),
        said,
    )


def _effort(value: Any, where: str) -> Effort | None:
    """`{"seconds": 14.2, "presses": 3}`, what the verification cost; None when it was not measured."""
    if value is None:
        return None
    expected = "an object with seconds and presses, both at least 0"
    if type(value) is not dict or set(value) != {"seconds", "presses"}:
        raise wrong(where, value, expected)
    seconds, presses = value["seconds"], value["presses"]
    if not is_number(seconds) or type(presses) is not int or not 0 <= seconds < inf or presses < 0:
        raise wrong(where, value, expected)
    return Effort(float(seconds), presses)


def _units(
    items: list[Any],
    kind: Kind,
    first: int,
    where: str,
    reference: str,
    contexts: Sequence[str],
    notes: Notes,
) -> tuple[Unit, ...]:
    """Units in the order of the file; a unit without `id` is called g1, g2, … by its place."""
    name = "entities" if kind == "entity" else "statements"
    units: dict[str, Unit] = {}
    for index, item in enumerate(items):
        default = f"g{first + index}"
        unit = _unit(item, kind, default, f"{where}.{name}[{index}]", reference, contexts, notes)
        if unit.id in units:
            raise RowError(f"{where}.{name}[{index}].id", f"{shown(unit.id)} again", "an id of its own")
        units[unit.id] = unit
    return tuple(units.values())


def _unit(
    item: Any, kind: Kind, default: str, where: str, reference: str, contexts: Sequence[str], notes: Notes
) -> Unit:
    if type(item) is not dict:
        raise wrong(where, item, "an object with text and verdict")
    if not _UNIT.issuperset(item):
        ignore(item, _UNIT, where, notes)
    text = required(item, "text", where)
    verdict: Verdict = one_of(item.get("verdict"), VERDICTS, f"{where}.verdict")
    return Unit(
        id=optional(item, "id", where) or default,
        kind=kind,
        text=text,
        label=optional(item, "label", where) or "",
        spans=_spans(item, kind, text, where, reference, notes),
        match=_match(item, verdict, where, contexts),
        origin="imported",
        original_label=optional(item, "original_label", where) or "",
    )


def _match(item: dict[str, Any], verdict: Verdict, where: str, contexts: Sequence[str]) -> Match:
    reason: Reason | None = None
    if (given := item.get("reason")) is not None:
        reason = one_of("other entity" if given == "other_entity" else given, REASONS, f"{where}.reason")
    return Match(
        verdict=verdict,
        reason=reason,
        evidence=_evidence(item, where, contexts),
        rule="human",
        nested=flag(item, "nested", where),
        note=optional(item, "note", where) or "",
    )


def _spans(
    item: dict[str, Any], kind: Kind, text: str, where: str, reference: str, notes: Notes
) -> tuple[Span, ...]:
    """The principal span, then further mentions, which may be worded otherwise.

    Without `start` and `spans` every exact mention; an empty `spans` says that there is none.
    """
    if "spans" not in item and (span := exact(item, text, reference)) is not None:
        return (span,)  # as most do; what follows finds the same at three times the cost
    given = list_of(item, "spans", where)
    further = [
        _inside(inner, f"{where}.spans[{index}]", len(reference)) for index, inner in enumerate(given or ())
    ]
    place = offsets(item, where)
    if place is None and given is None:
        return tuple(places(text, reference))
    if place is None and not further:
        return ()
    if place is None:
        place = further[0].start, further[0].end
        further = further[1:]
    start, end = place
    if start is not None and end is not None and 0 <= start < end <= len(reference):
        reads = reference[start:end]
        if kind == "statement" or reads == text:
            return Span(start, end), *further
        what = f"which reads {shown(reads)}"
    else:
        what = f"in a reference of {len(reference):,} characters"
    found = places(text, reference)
    if len(found) == 1:
        moved(text, (start, end), found[0], notes)
        return found[0], *further
    got = f"{shown(text)} at {number(start)}:{number(end)} {what}"
    raise RowError(where, got, "the quoted text" if kind == "entity" else "a place in the reference")


def _evidence(item: dict[str, Any], where: str, contexts: Sequence[str]) -> tuple[Evidence, ...]:
    found = []
    for index, inner in enumerate(list_of(item, "evidence", where) or ()):
        place = f"{where}.evidence[{index}]"
        if type(inner) is not dict:
            raise wrong(place, inner, "an object with context, start and end")
        context = inner.get("context")
        if type(context) is not int:
            raise wrong(f"{place}.context", context, "the number of a context, from 0")
        if not 0 <= context < len(contexts):
            raise RowError(f"{place}.context", shown(context), f"0 to {len(contexts) - 1}")
        span = _inside(inner, place, len(contexts[context]))
        found.append(Evidence(context, span.start, span.end))
    return tuple(found)


def _inside(value: Any, where: str, length: int) -> Span:
    """A {start, end} that lies in a text of `length` characters."""
    if type(value) is not dict:
        raise wrong(where, value, "an object with start and end")
    start, end = value.get("start"), value.get("end")
    if type(start) is not int:
        raise wrong(f"{where}.start", start, "an offset in characters")
    if type(end) is not int:
        raise wrong(f"{where}.end", end, "an offset in characters")
    if not 0 <= start < end <= length:
        raise RowError(where, f"{number(start)}:{number(end)}", f"start < end within 0:{length}")
    return Span(start, end)


_DISPOSITIONS: tuple[Disposition, ...] = ("excluded", "skipped")
_SHOWN: tuple[Literal["assisted", "blind"], ...] = ("assisted", "blind")


def marks(value: dict[str, Any], where: str) -> Marks:
    """The marks of an object of `gold`. Raises RowError.

    A kind whose units stand there is verified: it cannot be excluded or skipped too.
    """
    dispositions = {
        kind: one_of(said, _DISPOSITIONS, f"{where}.disposition.{kind}")
        for kind, said in _by_kind(value, "disposition", where).items()
    }
    for kind, name in (("entity", "entities"), ("statement", "statements")):
        if kind in dispositions and value.get(name) is not None:
            got = f"{dispositions[kind]} beside {name}"
            raise RowError(f"{where}.disposition.{kind}", got, "one of the two")
    reasons = {}
    for kind, said in _by_kind(value, "reason", where).items():
        if type(said) is not str:
            raise wrong(f"{where}.reason.{kind}", said, "a string")
        reasons[kind] = said
    comments = list_of(value, "comments", where) or []
    strings(comments, f"{where}.comments")
    given = value.get("shown")
    return Marks(
        dispositions=dispositions,
        reasons=reasons,
        flag=optional(value, "flag", where) or "",
        comments=tuple(comments),
        shown="" if given is None else one_of(given, _SHOWN, f"{where}.shown"),
        off_plan=flag(value, "off_plan", where),
        adjudicated=flag(value, "adjudicated", where),
    )


def _by_kind(value: dict[str, Any], key: str, where: str) -> dict[Kind, Any]:
    given = value.get(key)
    if given is None:
        return {}
    if type(given) is not dict:
        raise wrong(f"{where}.{key}", given, "an object with entity or statement")
    for kind in given:
        if kind not in KINDS:
            raise RowError(f"{where}.{key}", shown(kind), "entity or statement")
    return {kind: given[kind] for kind in KINDS if kind in given}


_PROPOSAL = frozenset({"proposer", "model", "reference_entities", "context_entities", "statements"})
_ENTITY = frozenset({"text", "label", "start", "end"})
_STATEMENT = frozenset({"text", "verdict", "context", "quote", "reason", "start", "end"})


def proposals_of(
    value: Any, reference: str, contexts: Sequence[str], notes: Notes
) -> tuple[Proposal, ...] | None:
    """The `proposal` of a row, one or a list of them; None when it is of another shape. Raises RowError."""
    if type(value) is list and value and all(type(one) is dict and "proposer" in one for one in value):
        found = (_proposal(one, reference, contexts, notes) for one in value)
        return tuple(one for one in found if one is not None)
    only = _proposal(value, reference, contexts, notes)
    return None if only is None else (only,)


def _proposal(value: Any, reference: str, contexts: Sequence[str], notes: Notes) -> Proposal | None:
    """The `proposal` of a row; None when it is of another shape (no key of ours). Raises RowError."""
    if type(value) is not dict or _PROPOSAL.isdisjoint(value):
        return None
    ignore(value, _PROPOSAL, "proposal", notes)
    entities = context_entities = statements = None
    if (given := list_of(value, "reference_entities", "proposal")) is not None:
        entities = _proposed_entities(given, "proposal.reference_entities", reference, notes)
    if (given := list_of(value, "context_entities", "proposal")) is not None:
        if len(given) != len(contexts):
            expected = f"{len(contexts)}, one for each context"
            raise RowError("proposal.context_entities", f"{len(given)} lists", expected)
        context_entities = tuple(
            _proposed_entities(as_list(inner, place), place, contexts[index], notes)
            for index, inner in enumerate(given)
            for place in [f"proposal.context_entities[{index}]"]
        )
    if (given := list_of(value, "statements", "proposal")) is not None:
        statements = tuple(
            _proposed_statement(item, f"proposal.statements[{index}]", reference, len(contexts), notes)
            for index, item in enumerate(given)
        )
    return Proposal(
        proposer=required(value, "proposer", "proposal"),
        model=optional(value, "model", "proposal") or "",
        reference_entities=entities,
        context_entities=context_entities,
        statements=statements,
    )


def _proposed_entities(items: list[Any], where: str, text: str, notes: Notes) -> tuple[ProposedEntity, ...]:
    return tuple(
        [_proposed_entity(item, f"{where}[{index}]", text, notes) for index, item in enumerate(items)]
    )


def _proposed_entity(item: Any, where: str, text: str, notes: Notes) -> ProposedEntity:
    """A proposed entity; a bare string is one without label and offsets."""
    if type(item) is str and item.strip():
        return ProposedEntity(item)
    if type(item) is not dict:
        raise wrong(where, item, "an object with text")
    if not _ENTITY.issuperset(item):
        ignore(item, _ENTITY, where, notes)
    surface = required(item, "text", where)
    if (span := exact(item, surface, text)) is not None:
        return ProposedEntity(surface, optional(item, "label", where) or "", span.start, span.end)
    start, end = offsets(item, where) or (None, None)
    if (start, end) != (None, None):
        found = places(surface, text)
        if len(found) == 1:
            moved(surface, (start, end), found[0], notes)
            start, end = found[0].start, found[0].end
        else:
            notes.pointless(f"{shown(surface)} {number(start)}:{number(end)}")
            start = end = None
    return ProposedEntity(surface, optional(item, "label", where) or "", start, end)


def _proposed_statement(
    item: Any, where: str, reference: str, contexts: int, notes: Notes
) -> ProposedStatement:
    if type(item) is not dict:
        raise wrong(where, item, "an object with text")
    if not _STATEMENT.issuperset(item):
        ignore(item, _STATEMENT, where, notes)
    context = item.get("context")
    if context is not None:
        if type(context) is not int:
            raise wrong(f"{where}.context", context, "the number of a context, from 0")
        if not 0 <= context < contexts:
            notes.pointless(f"context {number(context)}, of {contexts:,} from 0")
            context = None
    start, end = offsets(item, where) or (None, None)
    if (start, end) != (None, None) and not (
        start is not None and end is not None and 0 <= start < end <= len(reference)
    ):
        notes.pointless(f"a statement at {number(start)}:{number(end)}")
        start = end = None
    verdict = optional(item, "verdict", where)
    if verdict is not None and verdict.strip().lower() not in SAID:
        raise RowError(f"{where}.verdict", shown(verdict), " or ".join(SAID))
    return ProposedStatement(
        text=required(item, "text", where),
        verdict=verdict,
        context=context,
        quote=optional(item, "quote", where),
        reason=optional(item, "reason", where),
        start=start,
        end=end,
    )
