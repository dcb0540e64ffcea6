"""`gold` of a row, what people verified, and `proposal`, what a proposer found.

Offsets are checked against the text that they point into. A wrong place is moved when the quoted text stands
in exactly one place. Otherwise it is an error in gold, and left out in a proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Literal, NamedTuple

from workbench import model
from workbench.errors import RowError
from workbench.formats.columns import is_number
from workbench.formats.rows import (
    Notes,
    as_list,
    as_object,
    ends,
    exact,
    flag,
    ignore,
    list_of,
    number,
    offsets,
    one_of,
    optional,
    places,
    required,
    shown,
    strings,
    whole_number,
    wrong,
)
from workbench.model import Kind, Span

_MARKS = frozenset({"disposition", "reason", "flag", "comments", "shown", "off_plan", "adjudicated"})
_GOLD = frozenset({"annotator", "by", "entities", "statements", "effort", *_MARKS})
_UNIT = frozenset(
    {"id", "text", "label", "start", "end", "spans", "verdict", "reason", "evidence", "nested", "note"}
    | {"original_label", "label_disputed", "alias"}
)
_UNITS: tuple[tuple[Kind, str], ...] = (("entity", "entities"), ("statement", "statements"))
_A_CONTEXT = "the number of a context, from 0"


def gold_of(
    value: Any, reference: str, contexts: Sequence[str], notes: Notes
) -> tuple[model.GoldRecord, ...] | None:
    """The `gold` of a row, one record for each annotator; None when it is of another shape.

    Ours is an object with `annotator`, or a list that holds such an object. Raises RowError.
    """
    row = _RowTexts(reference, contexts, notes)
    if type(value) is dict and "annotator" in value:
        return (row.gold(value, "gold"),)
    if type(value) is not list:
        return None
    if value and not any(type(item) is dict and "annotator" in item for item in value):
        return None
    records: dict[str, model.GoldRecord] = {}
    for index, item in enumerate(value):
        record = row.gold(item, f"gold[{index}]")
        if record.annotator in records:
            expected = "one record for each annotator"
            raise RowError(f"gold[{index}].annotator", f"{shown(record.annotator)} again", expected)
        records[record.annotator] = record
    return tuple(records.values())


def other_shape(gold: Any) -> RowError:
    """Why a `gold` is none of ours."""
    expected = "an object with annotator and entities or statements, or a list of them"
    return RowError("gold", shown(gold), expected)


def proposals_of(
    value: Any, reference: str, contexts: Sequence[str], notes: Notes
) -> tuple[model.Proposal, ...] | None:
    """The `proposal` of a row, one or a list of them; None when it is of another shape. Raises RowError."""
    row = _RowTexts(reference, contexts, notes)
    several = (
        type(value) is list
        and value
        and all(type(proposal) is dict and "proposer" in proposal for proposal in value)
    )
    given = value if several else [value]
    if not all(type(proposal) is dict and not _PROPOSAL.isdisjoint(proposal) for proposal in given):
        return None
    return tuple(row.proposal(proposal) for proposal in given)


_DISPOSITIONS: tuple[model.Disposition, ...] = ("excluded", "skipped")
_SHOWN: tuple[Literal["assisted", "blind"], ...] = ("assisted", "blind")


def marks(value: dict[str, Any], where: str) -> model.Marks:
    """The marks of an object of `gold`. Raises RowError.

    A kind whose units stand there is verified: it cannot be excluded or skipped too.
    """
    dispositions = {
        kind: one_of(given, _DISPOSITIONS, f"{where}.disposition.{kind}")
        for kind, given in _by_kind(value, "disposition", where).items()
    }
    for kind, name in _UNITS:
        if kind in dispositions and value.get(name) is not None:
            got = f"{dispositions[kind]} beside {name}"
            raise RowError(f"{where}.disposition.{kind}", got, "one of the two")
    reasons = _by_kind(value, "reason", where)
    for kind, reason in reasons.items():
        if type(reason) is not str:
            raise wrong(f"{where}.reason.{kind}", reason, "a string")
    given = value.get("shown")
    return model.Marks(
        dispositions=dispositions,
        reasons=reasons,
        flag=optional(value, "flag", where) or "",
        comments=tuple(strings(list_of(value, "comments", where) or [], f"{where}.comments")),
        shown="" if given is None else one_of(given, _SHOWN, f"{where}.shown"),
        off_plan=flag(value, "off_plan", where),
        adjudicated=flag(value, "adjudicated", where),
    )


def _by_kind(value: dict[str, Any], key: str, where: str) -> dict[Kind, Any]:
    given = {} if value.get(key) is None else value[key]
    for kind in as_object(given, f"{where}.{key}", "an object with entity or statement"):
        if kind not in model.KINDS:
            raise RowError(f"{where}.{key}", shown(kind), "entity or statement")
    return {kind: given[kind] for kind in model.KINDS if kind in given}


def _effort(value: Any, where: str) -> model.Effort | None:
    """`{"seconds": 14.2, "presses": 3}`, what the verification cost; None when it was not measured."""
    if value is None:
        return None
    expected = "an object with seconds and presses, both at least 0"
    if type(value) is not dict or set(value) != {"seconds", "presses"}:
        raise wrong(where, value, expected)
    seconds, presses = value["seconds"], value["presses"]
    counted = type(presses) is int and 0 <= presses < 2**31  # a whole number that a database holds
    if not counted or not is_number(seconds) or not 0 <= seconds < inf:
        raise wrong(where, value, expected)
    return model.Effort(float(seconds), presses)


def _span(value: Any, where: str, length: int, expected: str = "an object with start and end") -> Span:
    """A {start, end} that lies in a text of `length` characters."""
    as_object(value, where, expected)
    start, end = ends(value, where)
    if not 0 <= start < end <= length:
        raise RowError(where, f"{number(start)}:{number(end)}", f"start < end within 0:{length}")
    return Span(start, end)


_PROPOSAL = frozenset({"proposer", "model", "reference_entities", "context_entities", "statements"})
_ENTITY = frozenset({"text", "label", "start", "end"})
_STATEMENT = frozenset({"text", "verdict", "context", "quote", "reason", "start", "end"})


class _RowTexts(NamedTuple):
    """The texts of a row that its gold and its proposals point into."""

    reference: str
    contexts: Sequence[str]
    notes: Notes

    def gold(self, value: Any, where: str) -> model.GoldRecord:
        as_object(value, where, "an object with annotator")
        annotator = required(value, "annotator", where)
        ignore(value, _GOLD, where, self.notes)
        given = {kind: list_of(value, name, where) for kind, name in _UNITS}
        own = model.NO_MARKS if _MARKS.isdisjoint(value) else marks(value, where)
        if not any((own.dispositions, own.flag, own.comments)) and all(
            entries is None for entries in given.values()
        ):
            raise RowError(where, shown(value), "entities or statements")
        by = optional(value, "by", where) or ""
        if (annotator == model.RESOLVED) != bool(by) or (by and not own.adjudicated):
            expected = f"{model.RESOLVED} with adjudicated: true and by, who settled it; else a person"
            raise RowError(f"{where}.annotator", shown(annotator), expected)
        units: list[tuple[model.Unit, ...] | None] = []
        first = 1
        for kind, name in _UNITS:
            items = given[kind]
            units.append(None if items is None else self.units(items, kind, first, f"{where}.{name}"))
            first += len(items or ())
        return model.GoldRecord(
            annotator, units[0], units[1], _effort(value.get("effort"), f"{where}.effort"), own, by
        )

    def units(self, items: list[Any], kind: Kind, first: int, where: str) -> tuple[model.Unit, ...]:
        """Units in the order of the file; a unit without `id` is called g1, g2, … by its place."""
        units: dict[str, model.Unit] = {}
        for index, item in enumerate(items):
            path = f"{where}[{index}]"
            unit = self.unit(item, kind, f"g{first + index}", path)
            if unit.id in units:
                raise RowError(f"{path}.id", f"{shown(unit.id)} again", "an id of its own")
            units[unit.id] = unit
        return tuple(units.values())

    def unit(self, item: Any, kind: Kind, default: str, where: str) -> model.Unit:
        as_object(item, where, "an object with text and verdict")
        ignore(item, _UNIT, where, self.notes)
        text = required(item, "text", where)
        verdict: model.Verdict = one_of(item.get("verdict"), model.VERDICTS, f"{where}.verdict")
        reason: model.Reason | None = None
        if (given := item.get("reason")) is not None:
            given = "other entity" if given == "other_entity" else given
            reason = one_of(given, model.REASONS, f"{where}.reason")
        match = model.Match(
            verdict=verdict,
            reason=reason,
            evidence=tuple(
                self.evidence(inner, f"{where}.evidence[{index}]")
                for index, inner in enumerate(list_of(item, "evidence", where) or ())
            ),
            rule="human",
            nested=flag(item, "nested", where),
            note=optional(item, "note", where) or "",
            alias=flag(item, "alias", where),
        )
        return model.Unit(
            id=optional(item, "id", where) or default,
            kind=kind,
            text=text,
            label=optional(item, "label", where) or "",
            spans=self.spans(item, kind, text, where),
            match=match,
            origin="imported",
            original_label=optional(item, "original_label", where) or "",
        )

    def evidence(self, value: Any, where: str) -> model.Evidence:
        as_object(value, where, "an object with context, start and end")
        context = whole_number(value.get("context"), f"{where}.context", _A_CONTEXT)
        if not 0 <= context < len(self.contexts):
            raise RowError(f"{where}.context", shown(context), f"0 to {len(self.contexts) - 1}")
        span = _span(value, where, len(self.contexts[context]))
        return model.Evidence(context, span.start, span.end)

    def spans(self, item: dict[str, Any], kind: Kind, text: str, where: str) -> tuple[Span, ...]:
        """The principal span, then further mentions, which may be worded otherwise.

        Without `start` and `spans` every exact mention; an empty `spans` says that there is none.
        """
        reference = self.reference
        if "spans" not in item and (span := exact(item, text, reference)) is not None:
            return (span,)  # as most do; what follows finds the same at three times the cost
        given = list_of(item, "spans", where)
        further = [
            _span(inner, f"{where}.spans[{index}]", len(reference)) for index, inner in enumerate(given or ())
        ]
        start, end = offsets(item, where)
        if start is None and end is None:
            if given is None:
                return tuple(places(text, reference))
            if not further:
                return ()
            principal = further.pop(0)
            start, end = principal.start, principal.end
        what = f"in a reference of {len(reference):,} characters"
        if start is not None and end is not None and 0 <= start < end <= len(reference):
            if kind == "statement" or reference[start:end] == text:
                return Span(start, end), *further
            what = f"which reads {shown(reference[start:end])}"
        if (span := self.moved(text, start, end, reference)) is not None:
            return span, *further
        got = f"{shown(text)} at {number(start)}:{number(end)} {what}"
        raise RowError(where, got, "the quoted text" if kind == "entity" else "a place in the reference")

    def moved(self, surface: str, start: int | None, end: int | None, text: str) -> Span | None:
        """The only place of some words whose offsets are wrong, which is noted."""
        spans = places(surface, text)
        if len(spans) != 1:
            return None
        (span,) = spans
        self.notes.example(
            "moved", f"{shown(surface)} {number(start)}:{number(end)} → {span.start}:{span.end}"
        )
        return span

    def proposal(self, value: dict[str, Any]) -> model.Proposal:
        ignore(value, _PROPOSAL, "proposal", self.notes)
        entities = list_of(value, "reference_entities", "proposal")
        by_context = list_of(value, "context_entities", "proposal")
        statements = list_of(value, "statements", "proposal")
        if by_context is not None and len(by_context) != len(self.contexts):
            expected = f"{len(self.contexts)}, one for each context"
            raise RowError("proposal.context_entities", f"{len(by_context)} lists", expected)
        return model.Proposal(
            proposer=required(value, "proposer", "proposal"),
            model=optional(value, "model", "proposal") or "",
            reference_entities=None
            if entities is None
            else self.entities(entities, "proposal.reference_entities", self.reference),
            context_entities=None
            if by_context is None
            else tuple(
                self.entities(inner, f"proposal.context_entities[{index}]", self.contexts[index])
                for index, inner in enumerate(by_context)
            ),
            statements=None
            if statements is None
            else tuple(
                self.statement(item, f"proposal.statements[{index}]") for index, item in enumerate(statements)
            ),
        )

    def entities(self, items: Any, where: str, text: str) -> tuple[model.ProposedEntity, ...]:
        """Proposed entities; a bare string is one without label and offsets."""
        return tuple(
            model.ProposedEntity(item)
            if type(item) is str and item.strip()
            else self.entity(item, f"{where}[{index}]", text)
            for index, item in enumerate(as_list(items, where))
        )

    def entity(self, item: Any, where: str, text: str) -> model.ProposedEntity:
        as_object(item, where, "an object with text")
        ignore(item, _ENTITY, where, self.notes)
        surface = required(item, "text", where)
        start, end = offsets(item, where)
        if (start, end) != (None, None) and exact(item, surface, text) is None:
            span = self.moved(surface, start, end, text)
            if span is None:
                self.notes.example("dropped", f"{shown(surface)} {number(start)}:{number(end)}")
            start, end = (span.start, span.end) if span else (None, None)
        return model.ProposedEntity(surface, optional(item, "label", where) or "", start, end)

    def statement(self, item: Any, where: str) -> model.ProposedStatement:
        as_object(item, where, "an object with text")
        ignore(item, _STATEMENT, where, self.notes)
        context = item.get("context")
        if context is not None and not (
            0 <= whole_number(context, f"{where}.context", _A_CONTEXT) < len(self.contexts)
        ):
            self.notes.example("dropped", f"context {number(context)}, of {len(self.contexts):,} from 0")
            context = None
        start, end = offsets(item, where)
        is_place = start is not None and end is not None and 0 <= start < end <= len(self.reference)
        if (start, end) != (None, None) and not is_place:
            self.notes.example("dropped", f"a statement at {number(start)}:{number(end)}")
            start = end = None
        verdict = optional(item, "verdict", where)
        if verdict is not None and verdict.strip().lower() not in model.SAID:
            raise RowError(f"{where}.verdict", shown(verdict), " or ".join(model.SAID))
        return model.ProposedStatement(
            text=required(item, "text", where),
            verdict=verdict,
            context=context,
            quote=optional(item, "quote", where),
            reason=optional(item, "reason", where),
            start=start,
            end=end,
        )
