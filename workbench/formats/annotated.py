"""A text with the marks that people or models made in it, as a record: what all annotation tools share.

Such a file has no verdicts. A set of marks becomes a proposal named after its tool; it is gold only where
every mark has a verdict, or where the row still is what we exported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from workbench.errors import RowError
from workbench.formats import native, ours
from workbench.formats.columns import FIELD_OF, mended
from workbench.formats.native import Build
from workbench.formats.regions import Region, bare, placed
from workbench.formats.rows import Notes, Row, refused, shown, wrong
from workbench.formats.spans_out import label_out
from workbench.formats.stream import Given
from workbench.model import BY, GoldRecord, Match, Proposal, ProposedEntity, Record, Span, Unit, Verdict

Tool = Literal["prodigy", "label-studio", "argilla", "doccano"]

_FIELDS = ("user_input", "retrieved_contexts", "response")
_MOVED = "spans were changed after the export: they came as a proposal, without its gold"
_OWN = frozenset({"id", "group", "alternatives", "scores", "u"})


@dataclass(frozen=True, slots=True)
class Marked:
    """One set of marks of a text: who made it, and whether that was a person."""

    regions: list[Region] = field(default_factory=list)
    by: str = ""
    human: bool = True


def rows(given: Iterator[Given], path: Path, notes: Notes, build: Build) -> Iterator[Row]:
    """The rows of a stream of objects; `build` makes the record of each."""
    for one in given:
        notes.line, notes.item = one.line, one.item
        if one.value is None:
            yield Row(one.line, None, one.error, one.raw, one.item)
            continue
        try:
            row = Row(one.line, build(mended(one.value), one.raw, notes), None, one.raw, one.item)
        except (RowError, RecursionError) as error:
            row = Row(one.line, None, refused(error, path, one.line, one.item), one.raw, one.item)
        yield row


def record(
    tool: Tool,
    text: Any,
    sources: Sequence[Mapping[str, Any]],
    sets: Sequence[Marked],
    again: ours.Again,
    notes: Notes,
) -> Record:
    """The record of a text with its sets of marks. Raises RowError.

    `sources` hold what the tool keeps beside the text; names of samples' fields are found there, the rest
    goes to `meta`. `again` gives the `workbench` object with its fractions as text.
    """
    if type(text) is not str:
        raise wrong("text", text, "a string")
    fields: dict[str, Any] = {"user_input": "", "reference": text}
    other: dict[str, Any] = {}
    attached: Any = None
    given: set[str] = set()
    for source in sources:
        for name, value in source.items():
            if value is None:
                continue
            field_name = FIELD_OF.get(name)
            if name == ours.OBJECT:
                attached = value
            elif field_name == "retrieved_contexts":
                fields[field_name] = contexts(value, name)
                given.add(field_name)
            elif field_name is not None and field_name != "reference":
                fields[field_name] = value
                given.add(field_name)
            elif name in _OWN:
                fields[name] = value
            elif name not in other:
                other[name] = value
    in_units = attached is not None and tool == "label-studio"  # as we write them
    marked = [(one, *placed(text, one.regions, notes, in_units=in_units)) for one in sets]
    lost = [[region.start, region.end, region.label] for _, _, gone in marked for region in gone]
    if attached is not None:
        own = {name: fields[name] for name in _FIELDS if name in given}
        found = ours.record(attached, {**own, "reference": text}, again, notes)
        if not found.changed:
            people = [(one, said) for one, said, _ in marked if one.human]
            outside = any(gone for one, _, gone in marked if one.human)
            same = None if outside else _unchanged(found, text, people)
            if same is not None:
                return same
            notes.counted[_MOVED] += 1
        bare_record = replace(found.record, gold=(), proposal=None, others=())
        return _with(bare_record, tool, marked, verdicts=False)
    if lost:
        other["_spans"] = lost
    scores = native.scores_of(fields, lambda: fields, notes) if "scores" in fields else {}
    return _with(native.build(fields, notes, scores, other), tool, marked)


def contexts(value: Any, name: str) -> list[Any]:
    """Contexts as a list of texts: one text alone, or objects with `text` or `content`, are taken too."""
    if type(value) is str:
        return [value]
    if type(value) is not list:
        raise wrong(name, value, "a list of strings")
    keys = ("text", "content", "context")
    return [
        next((item[key] for key in keys if item.get(key) is not None), None) if type(item) is dict else item
        for item in value
    ]


def _unchanged(
    found: ours.Ours, text: str, sets: Sequence[tuple[Marked, list[ProposedEntity]]]
) -> Record | None:
    """The native row where people's marks are those that were exported, with the verdicts that they have now.

    None where a mark was added, moved, taken away or labelled anew: what it was decided on is gone.
    """
    gold = [one for one in found.record.gold if one.entities is not None]
    now = [(one, {(e.start, e.end, e.label) for e in said}) for one, said in sets]
    regions = [region for one, _ in sets for region in one.regions]
    if not regions or any(region.verdict is None for region in regions):
        same = {span for _, spans in now for span in spans} == bare(text, found.written)
        return found.record if same else None
    # With verdicts a set is one annotator's gold. Tools call people otherwise than we do, so that the name
    # counts only where verdicts differ.
    before = {one.annotator: _judged(text, _said(one)) for one in gold}
    after = [_judged(text, _marks(one, said)) for one, said in sets]
    if Counter(map(frozenset, before.values())) == Counter(map(frozenset, after)):
        return found.record
    named = {one.by: judged for (one, _), judged in zip(sets, after, strict=True)}
    places = {name: {span for span, _ in judged} for name, judged in named.items()}
    if len(named) != len(sets) or places != {name: {s for s, _ in all_} for name, all_ in before.items()}:
        return None
    records = (
        one if one.entities is None else _judged_anew(one, text, named[one.annotator])
        for one in found.record.gold
    )
    return replace(found.record, gold=tuple(records))


_Judged = set[tuple[tuple[Any, ...], Verdict | None]]


def _said(gold: GoldRecord) -> _Judged:
    return {
        ((span.start, span.end, label_out(unit.label)), unit.match.verdict or "unsure")
        for unit in gold.entities or ()
        if unit.counted
        for span in unit.spans
    }


def _marks(one: Marked, said: Sequence[ProposedEntity]) -> _Judged:
    pairs = zip(said, one.regions, strict=True)
    return {((e.start, e.end, label_out(e.label)), region.verdict) for e, region in pairs}


def _judged(text: str, judged: _Judged) -> _Judged:
    """The same without the blanks at the edges of a place."""
    return {(next(iter(bare(text, {span}))), verdict) for span, verdict in judged if bare(text, {span})}


def _judged_anew(gold: GoldRecord, text: str, now: _Judged) -> GoldRecord:
    """The gold with the verdicts of the tool; one that changed has no evidence yet."""
    units = []
    for unit in gold.entities or ():
        own = {unit.match.verdict or "unsure"}
        places = bare(text, {(span.start, span.end, label_out(unit.label)) for span in unit.spans})
        other = {verdict for span, verdict in now if span in places} - own
        if len(other) == 1:
            unit = replace(unit, match=Match(verdict=other.pop(), rule="human"))
        units.append(unit)
    return replace(gold, entities=tuple(units))


def _with(
    base: Record,
    tool: Tool,
    marked: Sequence[tuple[Marked, list[ProposedEntity], list[Region]]],
    *,
    verdicts: bool = True,
) -> Record:
    """The record with a proposal of every set of marks, models' first; with `verdicts` complete ones make
    gold."""
    proposals: list[Proposal] = []
    gold: list[GoldRecord] = []
    for one, said, lost in sorted(marked, key=lambda each: each[0].human):
        decided = [region.verdict for region in one.regions]
        if verdicts and one.human and decided and not lost and None not in decided:
            gold.append(GoldRecord(one.by or tool, tuple(_units(one, said))))
        else:
            by = f"{BY}{one.by}" if one.human and one.by else one.by
            proposals.append(Proposal(tool, by, tuple(said)))
    first = proposals[0] if proposals else None
    return replace(base, proposal=first, gold=tuple(gold), others=tuple(proposals[1:]))


def _units(one: Marked, said: Sequence[ProposedEntity]) -> Iterator[Unit]:
    for number, (entity, region) in enumerate(zip(said, one.regions, strict=True), start=1):
        spans: tuple[Span, ...] = ()
        if entity.start is not None and entity.end is not None:
            spans = (Span(entity.start, entity.end),)
        match = Match(verdict=region.verdict, rule="human")
        yield Unit(f"g{number}", "entity", entity.text, entity.label, spans, match, "imported")


def text_of(fields: Mapping[str, Any], where: str, names: Sequence[str] = ("text", "reference")) -> str:
    """The name of the text in a tool's object: one of `names`, else the only string. Raises RowError."""
    for name in names:
        if type(fields.get(name)) is str:
            return name
    strings = [name for name, value in fields.items() if type(value) is str and name not in FIELD_OF]
    if len(strings) == 1:
        return strings[0]
    raise RowError(where, shown(dict(fields)), "text, or --map reference=NAME for the name of the text")
