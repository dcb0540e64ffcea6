"""A text with the marks that people or models made in it, as a record: what all annotation tools share.

Such a file has no verdicts. A set of marks becomes a proposal named after its tool; it is gold only where
every mark has a verdict, or where the row still is what we exported. Tools count in code points or in UTF-16
units, collapse white space, and take blanks into a mark. A place is moved only where the quoted words leave
one answer; any other stays without a place, and is listed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal, NamedTuple

from workbench.errors import RowError
from workbench.formats.columns import FIELD_OF, as_contexts, context_texts
from workbench.formats.exports.item import label_out
from workbench.formats.readers import native
from workbench.formats.rows import OBJECT, Notes, excerpt, is_whole, places, shown, wrong
from workbench.model import (
    BY,
    GoldRecord,
    JsonObject,
    Match,
    Proposal,
    ProposedEntity,
    Record,
    Span,
    Unit,
    Verdict,
)

Tool = Literal["prodigy", "label-studio", "argilla", "doccano"]

_MOVED = "spans were changed after the export: they came as a proposal, without its gold"
_OWN = frozenset({OBJECT, "id", "group", "alternatives", "scores", "u"})


class AnnotationSet(NamedTuple):
    """One set of marks of a text: who made it, and whether that was a person."""

    regions: list[Region]
    by: str = ""
    human: bool = True


def record(
    tool: Tool, text: Any, sources: Sequence[JsonObject], sets: Sequence[AnnotationSet], notes: Notes
) -> Record:
    """The record of a text with its sets of marks. Raises RowError.

    `sources` hold what the tool keeps next to the text; names of samples' fields are found there, the rest
    goes to `meta`.
    """
    if type(text) is not str:
        raise wrong("text", text, "a string")
    texts: JsonObject = {}
    own: JsonObject = {}
    other: JsonObject = {}
    for name, value in chain.from_iterable(source.items() for source in sources):
        field = FIELD_OF.get(name)
        if value is None:
            continue
        if field == "retrieved_contexts":
            texts[field] = as_contexts(value, name)
        elif field is not None and field != "reference":
            texts[field] = value
        elif name in _OWN:
            own[name] = value
        else:
            other.setdefault(name, value)
    attached = own.pop(OBJECT, None)
    if "retrieved_contexts" in texts:  # our own are the paragraphs of a project
        others = notes if attached is None else Notes()
        texts["retrieved_contexts"] = context_texts(texts["retrieved_contexts"], others)
    in_units = attached is not None and tool == "label-studio"  # as we write them
    marked = [(layer, *placed(text, layer.regions, notes, in_units=in_units)) for layer in sets]
    lost = [list(region[:3]) for _, _, gone in marked for region in gone]
    if attached is not None:
        ours = native.record(attached, {**texts, "reference": text}, notes)
        if not ours.changed:
            people = [(layer, entities) for layer, entities, _ in marked if layer.human]
            outside = any(gone for layer, _, gone in marked if layer.human)
            same = None if outside else _unchanged(ours, text, people)
            if same is not None:
                return same
            notes.counted[_MOVED] += 1
        return _with(ours.record, tool, marked, verdicts=False)
    if lost:
        other["_spans"] = lost
    fields = {"user_input": "", "reference": text, **texts, **own}
    return _with(native.build(fields, notes, native.scores_of(fields, notes), other), tool, marked)


def _unchanged(
    ours: native.Ours, text: str, sets: Sequence[tuple[AnnotationSet, list[ProposedEntity]]]
) -> Record | None:
    """The native row where people's marks are those that were exported, with the verdicts that they have now.

    None where a mark was added, moved, taken away or labelled anew: what it was decided on is gone.
    """
    regions = [region for layer, _ in sets for region in layer.regions]
    if not regions or any(region.verdict is None for region in regions):
        now = {(e.start, e.end, e.label) for _, entities in sets for e in entities}
        return ours.record if now == bare(text, ours.written) else None
    # With verdicts a set is one annotator's gold. Tools call people otherwise than we do, so that the name
    # counts only where verdicts differ.
    gold = ours.record.gold
    before = {review.annotator: _decided(text, review) for review in gold if review.entities is not None}
    after = {
        (number, layer.by): {
            (e.start, e.end, label_out(e.label), region.verdict)
            for e, region in zip(entities, layer.regions, strict=True)
        }
        for number, (layer, entities) in enumerate(sets)
    }
    if Counter(map(frozenset, before.values())) == Counter(map(frozenset, after.values())):
        return ours.record
    named = {by: marks for (_, by), marks in after.items()}
    places, places_now = (
        {name: {mark[:3] for mark in marks} for name, marks in each.items()} for each in (before, named)
    )
    if len(named) != len(sets) or places != places_now:
        return None
    records = (
        review if review.entities is None else _judged_anew(review, text, named[review.annotator])
        for review in gold
    )
    return replace(ours.record, gold=tuple(records))


def _bare_spans(text: str, unit: Unit) -> set[tuple[Any, ...]]:
    """The places of a unit as tools have them, with its label."""
    return bare(text, {(span.start, span.end, label_out(unit.label)) for span in unit.spans})


def _decided(text: str, gold: GoldRecord) -> set[tuple[Any, ...]]:
    """Each place of the entities that count, with the verdict."""
    return {
        (*span, unit.match.verdict or "unsure")
        for unit in gold.entities or ()
        if unit.counted
        for span in _bare_spans(text, unit)
    }


def _judged_anew(gold: GoldRecord, text: str, now: set[tuple[Any, ...]]) -> GoldRecord:
    """The gold with the verdicts of the tool; one that changed has no evidence yet."""
    units = []
    for unit in gold.entities or ():
        places = _bare_spans(text, unit)
        other = {mark[3] for mark in now if mark[:3] in places} - {unit.match.verdict or "unsure"}
        if len(other) == 1:
            unit = unit.matched(Match(other.pop(), rule="human"))
        units.append(unit)
    return replace(gold, entities=tuple(units))


def _with(
    base: Record,
    tool: Tool,
    marked: Sequence[tuple[AnnotationSet, list[ProposedEntity], list[Region]]],
    *,
    verdicts: bool = True,
) -> Record:
    """The record with a proposal of every set of marks, models' first; with `verdicts` complete ones make
    gold."""
    proposals: list[Proposal] = []
    gold: list[GoldRecord] = []
    for layer, entities, lost in sorted(marked, key=lambda each: each[0].human):
        decided = [region.verdict for region in layer.regions]
        if verdicts and layer.human and decided and not lost and None not in decided:
            gold.append(GoldRecord(layer.by or tool, tuple(_units(layer, entities))))
        else:
            by = f"{BY}{layer.by}" if layer.human and layer.by else layer.by
            proposals.append(Proposal(tool, by, tuple(entities)))
    return replace(base, proposals=tuple(proposals), gold=tuple(gold))


def _units(layer: AnnotationSet, entities: Sequence[ProposedEntity]) -> Iterator[Unit]:
    for number, (entity, region) in enumerate(zip(entities, layer.regions, strict=True), start=1):
        match = Match(region.verdict, rule="human")
        yield Unit(f"g{number}", "entity", entity.text, entity.label, entity.spans, match, "imported")


def text_of(fields: JsonObject, where: str, names: Sequence[str] = ("text", "reference")) -> str:
    """The name of the text in a tool's object: one of `names`, else the only string. Raises RowError."""
    for name in names:
        if type(fields.get(name)) is str:
            return name
    strings = [name for name, value in fields.items() if type(value) is str and name not in FIELD_OF]
    if len(strings) == 1:
        return strings[0]
    raise RowError(where, shown(dict(fields)), "text, or --map reference=NAME for the name of the text")


_BLANKS = re.compile(r"\s+")


class Region(NamedTuple):
    """One mark as a tool wrote it; `text` None where the tool writes no words beside its offsets."""

    start: int
    end: int
    label: str = ""
    text: str | None = None
    verdict: Verdict | None = None


def placed(
    text: str, regions: Sequence[Region], notes: Notes, *, in_units: bool = False
) -> tuple[list[ProposedEntity], list[Region]]:
    """The regions as proposed entities, and those that quote nothing at all: no words, outside the text.

    `in_units`: offsets are known to count UTF-16 units, which is nothing to note. An entity whose place is
    unknown has none; `notes` names what was moved and what has no place.
    """
    entities: list[ProposedEntity] = []
    lost: list[Region] = []
    units = _points_of_units(text)
    silent = [region for region in regions if not region.text]
    silent_in_units = (
        len(units) > len(text) + 1  # else both count the same
        and all(_fits(text, _in_units(units, region)) for region in silent)
        and not all(_fits(text, _inside(text, region.start, region.end)) for region in silent)
    )
    for region in regions:
        if region.text:
            span = _quoted(text, region, units, in_units=in_units)
        else:
            inside = _inside(text, region.start, region.end)
            span = _stripped(text, _in_units(units, region) if silent_in_units else inside)
        if span is not None:
            surface = span.of(text)
            moved = (span.start, span.end) != region[:2]
            if moved and not (in_units and span == _stripped(text, _in_units(units, region))):
                what = f'"{excerpt(surface, 30)}" {region.start}:{region.end} → {span.start}:{span.end}'
                notes.example("moved", what)
            entities.append(ProposedEntity(surface, region.label, span.start, span.end))
        elif region.text is not None and region.text.strip():
            notes.example("ungrounded", f'"{excerpt(region.text, 30)}" at {region.start}:{region.end}')
            entities.append(ProposedEntity(region.text, region.label))
        else:
            notes.seen["wordless"] += 1
            what = f"{region.start}:{region.end} in a text of {len(text):,} characters"
            notes.example("ungrounded", what)
            lost.append(region)
    return entities, lost


def _points_of_units(text: str) -> Sequence[int | None]:
    """The code point at which each UTF-16 unit of a text begins, None inside a pair; last where it ends."""
    if len(text.encode("utf-16-le")) == 2 * len(text):
        return range(len(text) + 1)
    points: list[int | None] = []
    for index, letter in enumerate(text):
        points += [index] if letter <= "\uffff" else [index, None]
    return [*points, len(text)]


def _in_units(units: Sequence[int | None], region: Region) -> Span | None:
    """The place of a region whose offsets count UTF-16 units; None for no place, or one inside a pair."""
    if not 0 <= region.start < region.end < len(units):
        return None
    start, end = units[region.start], units[region.end]
    return None if start is None or end is None else Span(start, end)


def _fits(text: str, span: Span | None) -> bool:
    """Whether a span begins and ends at the edge of a word."""
    return span is not None and span == _stripped(text, span) and is_whole(span, text)


def _inside(text: str, start: int, end: int) -> Span | None:
    return Span(start, end) if 0 <= start < end <= len(text) else None


def _stripped(text: str, span: Span | None) -> Span | None:
    """A span without blanks at its edges; None where nothing else is in it."""
    if span is None:
        return None
    surface = span.of(text)
    if surface.strip() == surface:
        return span
    lead = len(surface) - len(surface.lstrip())
    return Span(span.start + lead, span.start + len(surface.rstrip())) if lead < len(surface) else None


def _quoted(text: str, region: Region, units: Sequence[int | None], *, in_units: bool) -> Span | None:
    """Where the words of a region stand: as given, in UTF-16 units, with blanks collapsed, or else.

    Both of the first may quote them, as behind an emoji a letter that stands twice: what is known decides.
    """
    words = (region.text or "").strip()
    inside = _inside(text, region.start, min(region.end, len(text)))
    for by_units in (in_units, not in_units):
        span = _stripped(text, _in_units(units, region) if by_units else inside)
        if span is not None and span.of(text) == words:
            return span
    if not words:
        return None
    if (span := _collapsed(text, region, words)) is not None:
        return span
    spans = places(words, text)
    return spans[0] if len(spans) == 1 else None


def _collapsed(text: str, region: Region, words: str) -> Span | None:
    """The place when offsets were counted with every run of blanks as one, and the words read so there."""
    flat = _BLANKS.sub(" ", text)
    span = _stripped(flat, _inside(flat, region.start, region.end))
    if span is None or span.of(flat) != _BLANKS.sub(" ", words):
        return None
    origin = [i for i, letter in enumerate(text) if not (letter.isspace() and text[i - 1 : i].isspace())]
    return Span(origin[span.start], origin[span.end - 1] + 1)


def bare(text: str, spans: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Places of a text without the blanks at their edges, as `placed` has them; blank ones are left out."""
    marks = set()
    for start, end, label in spans:
        if type(start) is not int or type(end) is not int or _inside(text, start, end) is None:
            marks.add((start, end, label))
        elif (span := _stripped(text, Span(start, end))) is not None:
            marks.add((span.start, span.end, label))
    return marks
