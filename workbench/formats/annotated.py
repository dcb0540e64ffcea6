"""A text with the marks that people or models made in it, as a record: what all annotation tools share.

Such a file has no verdicts. A set of marks becomes a proposal named after its tool; it is gold only where
every mark has a verdict, or where the row still is what we exported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from workbench.errors import RowError
from workbench.formats import native, ours
from workbench.formats.columns import FIELD_OF
from workbench.formats.native import Build
from workbench.formats.regions import Region, bare, placed
from workbench.formats.rows import Notes, Row, refused, shown, wrong
from workbench.formats.stream import Given
from workbench.model import GoldRecord, Match, Proposal, ProposedEntity, Record, Span, Unit

Tool = Literal["prodigy", "label-studio", "argilla", "doccano"]

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
        notes.line = one.line
        if one.value is None:
            yield Row(one.line, None, one.error, one.raw)
            continue
        try:
            row = Row(one.line, build(one.value, one.raw, notes), None, one.raw)
        except (RowError, RecursionError) as error:
            row = Row(one.line, None, refused(error, path, one.line), one.raw)
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
    fields: dict[str, Any] = {"user_input": "", "reference": text, "retrieved_contexts": []}
    other: dict[str, Any] = {}
    attached: Any = None
    for source in sources:
        for name, value in source.items():
            if value is None:
                continue
            field_name = FIELD_OF.get(name)
            if name == ours.OBJECT:
                attached = value
            elif field_name == "retrieved_contexts":
                fields[field_name] = contexts(value, name)
            elif field_name is not None and field_name != "reference":
                fields[field_name] = value
            elif name in _OWN:
                fields[name] = value
            elif name not in other:
                other[name] = value
    marked = [(one, *placed(text, one.regions, notes)) for one in sets]
    lost = [[region.start, region.end, region.label] for _, _, gone in marked for region in gone]
    if attached is not None:
        found, written = ours.record(attached, text, again, notes)
        now = {(e.start, e.end, e.label) for one, said, _ in marked if one.human for e in said}
        if now == bare(text, written):
            return found
        notes.counted["spans were changed after the export: they came as a proposal, without its gold"] += 1
        return _with(replace(found, gold=(), proposal=None), tool, marked)
    if lost:
        other["_spans"] = lost
    if not fields["retrieved_contexts"]:
        notes.counted["no contexts, so that every unit will read missing"] += 1
    scores = native.scores_of(fields, lambda: fields, notes) if "scores" in fields else {}
    return _with(native.build(fields, notes, scores, other), tool, marked)


def contexts(value: Any, name: str) -> list[Any]:
    """Contexts as a list of texts: one text alone, or objects with `text` or `content`, are taken too."""
    if type(value) is str:
        return [value]
    if type(value) is not list:
        raise wrong(name, value, "a list of strings")
    return [
        (item.get("text") or item.get("content") or item.get("context")) if type(item) is dict else item
        for item in value
    ]


def _with(
    base: Record, tool: Tool, marked: Sequence[tuple[Marked, list[ProposedEntity], list[Region]]]
) -> Record:
    """The record with a proposal of every set of marks, models' first; complete verdicts make gold."""
    proposals: list[Proposal] = []
    gold: list[GoldRecord] = []
    for one, said, lost in sorted(marked, key=lambda each: each[0].human):
        verdicts = [region.verdict for region in one.regions]
        if one.human and verdicts and not lost and None not in verdicts:
            gold.append(GoldRecord(one.by or tool, tuple(_units(one, said))))
        else:
            proposals.append(Proposal(tool, one.by, tuple(said)))
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
