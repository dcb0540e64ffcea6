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
    RowPart,
    as_list,
    as_object,
    number,
    one_of,
    part,
    places,
    shown,
    strings,
    wrong,
)
from workbench.model import JsonObject, Kind, Span

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


def marks(value: RowPart) -> model.Marks:
    """The marks of an object of `gold`. Raises RowError.

    A kind whose units stand there is verified: it cannot be excluded or skipped too.
    """
    where = value.where
    dispositions = {
        kind: one_of(given, _DISPOSITIONS, f"{where}.disposition.{kind}")
        for kind, given in _by_kind(value, "disposition").items()
    }
    for kind, name in _UNITS:
        if kind in dispositions and value.value.get(name) is not None:
            got = f"{dispositions[kind]} beside {name}"
            raise RowError(f"{where}.disposition.{kind}", got, "one of the two")
    reasons = _by_kind(value, "reason")
    for kind, reason in reasons.items():
        if type(reason) is not str:
            raise wrong(f"{where}.reason.{kind}", reason, "a string")
    return model.Marks(
        dispositions=dispositions,
        reasons=reasons,
        flag=value.optional("flag") or "",
        comments=tuple(strings(value.list_of("comments") or [], f"{where}.comments")),
        shown="" if value.value.get("shown") is None else value.one_of("shown", _SHOWN),
        off_plan=value.flag("off_plan"),
        adjudicated=value.flag("adjudicated"),
    )


def _by_kind(value: RowPart, key: str) -> dict[Kind, Any]:
    given = {} if value.value.get(key) is None else value.value[key]
    for kind in as_object(given, f"{value.where}.{key}", "an object with entity or statement"):
        if kind not in model.KINDS:
            raise RowError(f"{value.where}.{key}", shown(kind), "entity or statement")
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


def _span(item: RowPart, length: int) -> Span:
    """A {start, end} that lies in a text of `length` characters."""
    start, end = item.ends()
    if not 0 <= start < end <= length:
        raise RowError(item.where, f"{number(start)}:{number(end)}", f"start < end within 0:{length}")
    return Span(start, end)


_PROPOSAL = frozenset({"proposer", "model", "reference_entities", "context_entities", "statements"})
_ENTITY = frozenset({"text", "label", "start", "end"})
_STATEMENT = frozenset({"text", "verdict", "context", "quote", "reason", "start", "end"})


class _RowTexts(NamedTuple):
    """The texts of a row that its gold and its proposals point into."""

    reference: str
    contexts: Sequence[str]
    notes: Notes

    def gold(self, given: Any, where: str) -> model.GoldRecord:
        value = part(given, where, "an object with annotator")
        annotator = value.required("annotator")
        value.ignore(_GOLD, self.notes)
        listed = {kind: value.list_of(name) for kind, name in _UNITS}
        own = model.NO_MARKS if _MARKS.isdisjoint(value.value) else marks(value)
        if not any((own.dispositions, own.flag, own.comments)) and not any(
            items is not None for items in listed.values()
        ):
            raise RowError(where, shown(value.value), "entities or statements")
        by = value.optional("by") or ""
        if (annotator == model.RESOLVED) != bool(by) or (by and not own.adjudicated):
            expected = f"{model.RESOLVED} with adjudicated: true and by, who settled it; else a person"
            raise RowError(f"{where}.annotator", shown(annotator), expected)
        units: list[tuple[model.Unit, ...] | None] = []
        first = 1
        for kind, name in _UNITS:
            items = listed[kind]
            units.append(None if items is None else self.units(items, kind, first, f"{where}.{name}"))
            first += len(items or ())
        effort = _effort(value.value.get("effort"), f"{where}.effort")
        return model.GoldRecord(annotator, units[0], units[1], effort, own, by)

    def units(self, items: list[Any], kind: Kind, first: int, where: str) -> tuple[model.Unit, ...]:
        """Units in the order of the file; a unit without `id` is called g1, g2, … by its place."""
        units: dict[str, model.Unit] = {}
        for index, given in enumerate(items):
            item = part(given, f"{where}[{index}]", "an object with text and verdict")
            unit = self.unit(item, kind, f"g{first + index}")
            if unit.id in units:
                raise RowError(f"{item.where}.id", f"{shown(unit.id)} again", "an id of its own")
            units[unit.id] = unit
        return tuple(units.values())

    def unit(self, item: RowPart, kind: Kind, default: str) -> model.Unit:
        item.ignore(_UNIT, self.notes)
        text = item.required("text")
        verdict: model.Verdict = item.one_of("verdict", model.VERDICTS)
        reason: model.Reason | None = None
        if (given := item.value.get("reason")) is not None:
            given = "other entity" if given == "other_entity" else given
            reason = one_of(given, model.REASONS, f"{item.where}.reason")
        match = model.Match(
            verdict=verdict,
            reason=reason,
            evidence=tuple(
                self.evidence(inner, f"{item.where}.evidence[{index}]")
                for index, inner in enumerate(item.list_of("evidence") or ())
            ),
            rule="human",
            nested=item.flag("nested"),
            note=item.optional("note") or "",
            alias=item.flag("alias"),
        )
        return model.Unit(
            id=item.optional("id") or default,
            kind=kind,
            text=text,
            label=item.optional("label") or "",
            spans=self.spans(item, kind, text),
            match=match,
            origin="imported",
            original_label=item.optional("original_label") or "",
        )

    def evidence(self, value: Any, where: str) -> model.Evidence:
        item = part(value, where, "an object with context, start and end")
        context = item.whole_number("context", _A_CONTEXT)
        if not 0 <= context < len(self.contexts):
            raise RowError(f"{where}.context", shown(context), f"0 to {len(self.contexts) - 1}")
        span = _span(item, len(self.contexts[context]))
        return model.Evidence(context, span.start, span.end)

    def spans(self, item: RowPart, kind: Kind, text: str) -> tuple[Span, ...]:
        """The principal span, then further mentions, which may be worded otherwise.

        Without `start` and `spans` every exact mention; an empty `spans` says that there is none.
        """
        reference = self.reference
        if "spans" not in item.value and (span := item.quoting(text, reference)) is not None:
            return (span,)  # as most do; what follows finds the same at three times the cost
        given = item.list_of("spans")
        further = [
            _span(part(inner, f"{item.where}.spans[{index}]", "an object with start and end"), len(reference))
            for index, inner in enumerate(given or ())
        ]
        start, end = item.offsets()
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
        raise RowError(item.where, got, "the quoted text" if kind == "entity" else "a place in the reference")

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

    def proposal(self, given: JsonObject) -> model.Proposal:
        value = RowPart(given, "proposal")
        value.ignore(_PROPOSAL, self.notes)
        entities, by_context, statements = map(
            value.list_of, ("reference_entities", "context_entities", "statements")
        )
        if by_context is not None and len(by_context) != len(self.contexts):
            expected = f"{len(self.contexts)}, one for each context"
            raise RowError("proposal.context_entities", f"{len(by_context)} lists", expected)
        return model.Proposal(
            proposer=value.required("proposer"),
            model=value.optional("model") or "",
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
            else self.entity(part(item, f"{where}[{index}]", "an object with text"), text)
            for index, item in enumerate(as_list(items, where))
        )

    def entity(self, item: RowPart, text: str) -> model.ProposedEntity:
        item.ignore(_ENTITY, self.notes)
        surface = item.required("text")
        start, end = item.offsets()
        if (start, end) != (None, None) and item.quoting(surface, text) is None:
            span = self.moved(surface, start, end, text)
            if span is None:
                self.notes.example("dropped", f"{shown(surface)} {number(start)}:{number(end)}")
            start, end = (span.start, span.end) if span else (None, None)
        return model.ProposedEntity(surface, item.optional("label") or "", start, end)

    def statement(self, given: Any, where: str) -> model.ProposedStatement:
        item = part(given, where, "an object with text")
        item.ignore(_STATEMENT, self.notes)
        context = item.value.get("context")
        if context is not None and not 0 <= item.whole_number("context", _A_CONTEXT) < len(self.contexts):
            self.notes.example("dropped", f"context {number(context)}, of {len(self.contexts):,} from 0")
            context = None
        start, end = item.offsets()
        is_place = start is not None and end is not None and 0 <= start < end <= len(self.reference)
        if (start, end) != (None, None) and not is_place:
            self.notes.example("dropped", f"a statement at {number(start)}:{number(end)}")
            start = end = None
        verdict = item.optional("verdict")
        if verdict is not None and verdict.strip().lower() not in model.SAID:
            raise RowError(f"{where}.verdict", shown(verdict), " or ".join(model.SAID))
        return model.ProposedStatement(
            text=item.required("text"),
            verdict=verdict,
            context=context,
            quote=item.optional("quote"),
            reason=item.optional("reason"),
            start=start,
            end=end,
        )
