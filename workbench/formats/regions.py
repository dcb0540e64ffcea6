"""Marked stretches of a text from another tool, checked against the text and mended where that is certain.

Tools count in code points or in UTF-16 units, collapse white space, and take blanks into a mark. A place
is moved only where the quoted words leave one answer; any other stays without a place, and is listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.formats.places import places
from workbench.formats.rows import Notes, excerpt, wrong
from workbench.model import ProposedEntity, Span, Verdict

_BLANKS = re.compile(r"\s+")
_WIDE = re.compile("[\U00010000-\U0010ffff]")  # one code point, two units of UTF-16


@dataclass(frozen=True, slots=True)
class Region:
    """One mark as a tool wrote it; `text` None where the tool writes no words beside its offsets."""

    start: int
    end: int
    label: str = ""
    text: str | None = None
    verdict: Verdict | None = None


def offset(value: Any, where: str) -> int:
    """A whole number; a float without a fraction is one (data frames write them). Raises RowError."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise wrong(where, value, "an offset in characters")


def ends(item: dict[str, Any], where: str) -> tuple[int, int]:
    """`start` and `end` of an object. Raises RowError."""
    start, end = item.get("start"), item.get("end")
    if type(start) is int and type(end) is int:
        return start, end
    return offset(start, f"{where}.start"), offset(end, f"{where}.end")


def placed(
    text: str, regions: Sequence[Region], notes: Notes, *, in_units: bool = False
) -> tuple[list[ProposedEntity], list[Region]]:
    """The regions as proposed entities, and those that quote nothing at all: no words, outside the text.

    `in_units`: offsets are known to count UTF-16 units, which is nothing to note. An entity whose place is
    unknown has none; `notes` names what was moved and what has no place.
    """
    found: list[ProposedEntity] = []
    lost: list[Region] = []
    units = _Units(text) if regions and not text.isascii() and _WIDE.search(text) else None
    utf16 = units is not None and _counts_units(text, regions, units)
    for region in regions:
        words = region.text or None
        if words is not None or not utf16:  # as nearly all stand: below the same takes three times as long
            start, end = region.start, region.end
            surface = text[start:end] if 0 <= start < end <= len(text) else ""
            if surface and (words is None or surface == words) and surface == surface.strip():
                found.append(ProposedEntity(surface, region.label, start, end))
                continue
        if words is None:
            span = _unquoted(text, region, units if utf16 else None)
        else:
            span = _quoted(text, region, units)
        if span is not None:
            surface = text[span.start : span.end]
            meant = in_units and units is not None and units.span(region) == span
            if (span.start, span.end) != (region.start, region.end) and not meant:
                notes.moved(f'"{excerpt(surface, 30)}" {region.start}:{region.end} → {span.start}:{span.end}')
            found.append(ProposedEntity(surface, region.label, span.start, span.end))
        elif region.text is not None and region.text.strip():
            notes.unplaced(f'"{excerpt(region.text, 30)}" at {region.start}:{region.end}')
            found.append(ProposedEntity(region.text, region.label))
        else:
            notes.wordless += 1
            notes.unplaced(f"{region.start}:{region.end} in a text of {len(text):,} characters")
            lost.append(region)
    return found, lost


class _Units:
    """The code point at each UTF-16 offset of a text."""

    def __init__(self, text: str) -> None:
        self._points: list[int] = []
        for index, one in enumerate(text):
            self._points.append(index)
            if one > "\uffff":
                self._points.append(-1)  # inside a pair
        self._points.append(len(text))

    def span(self, region: Region) -> Span | None:
        """The region's place when its offsets are UTF-16 units; None when that is no place."""
        points = self._points
        if not 0 <= region.start < region.end < len(points):
            return None
        start, end = points[region.start], points[region.end]
        return None if start < 0 or end < 0 else Span(start, end)


def _counts_units(text: str, regions: Sequence[Region], units: _Units) -> bool:
    """Whether all regions without words fit the text as UTF-16 units, and not as code points."""
    silent = [region for region in regions if not region.text]
    as_points = [_inside(text, region.start, region.end) for region in silent]
    as_units = [units.span(region) for region in silent]
    return all(_fits(text, span) for span in as_units) and not all(_fits(text, span) for span in as_points)


def _fits(text: str, span: Span | None) -> bool:
    """Whether a span begins and ends at the edge of a word."""
    if span is None:
        return False
    surface = text[span.start : span.end]
    cuts_start = span.start > 0 and text[span.start - 1].isalnum() and surface[0].isalnum()
    cuts_end = span.end < len(text) and surface[-1].isalnum() and text[span.end].isalnum()
    return not cuts_start and not cuts_end and surface == surface.strip()


def _inside(text: str, start: int, end: int) -> Span | None:
    return Span(start, end) if 0 <= start < end <= len(text) else None


def _unquoted(text: str, region: Region, units: _Units | None) -> Span | None:
    span = units.span(region) if units else _inside(text, region.start, region.end)
    return None if span is None else _stripped(text, span)


def _stripped(text: str, span: Span) -> Span | None:
    """The span without blanks at its edges; None when nothing else is in it."""
    surface = text[span.start : span.end]
    bare = surface.strip()
    if len(bare) == len(surface):
        return span
    start = span.start + len(surface) - len(surface.lstrip())
    return Span(start, start + len(bare)) if bare else None


def _quoted(text: str, region: Region, units: _Units | None) -> Span | None:
    """Where the words of a region stand: as given, in UTF-16 units, with blanks collapsed, or else."""
    words = region.text or ""
    start, end = region.start, region.end
    if 0 <= start < end <= len(text) and text[start:end] == words:
        return _stripped(text, Span(start, end))
    bare = words.strip()
    if not bare:
        return None
    if units and (span := units.span(region)) and text[span.start : span.end].strip() == bare:
        return _stripped(text, span)
    if 0 <= start < end and text[start:end].strip() == bare:
        return _stripped(text, Span(start, min(end, len(text))))
    if (collapsed := _collapsed(text, start, end, bare)) is not None:
        return collapsed
    found = places(bare, text)
    return found[0] if len(found) == 1 else None


def _collapsed(text: str, start: int, end: int, bare: str) -> Span | None:
    """The place when offsets were counted with every run of blanks as one, and the words read so there."""
    origin: list[int] = []
    pieces: list[str] = []
    last = 0
    for blank in _BLANKS.finditer(text):
        origin += range(last, blank.start() + 1)
        pieces += (text[last : blank.start()], " ")
        last = blank.end()
    origin += range(last, len(text))
    flat = "".join([*pieces, text[last:]])
    words = _BLANKS.sub(" ", bare)
    if not 0 <= start < end <= len(flat) or flat[start:end].strip() != words:
        return None
    lead = len(flat[start:end]) - len(flat[start:end].lstrip())
    first, final = start + lead, start + lead + len(words) - 1
    return Span(origin[first], origin[final] + 1)


def bare(text: str, spans: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Places of a text without the blanks at their edges, as `placed` has them."""
    found = set()
    for start, end, label in spans:
        if type(start) is int and type(end) is int and 0 <= start < end <= len(text):
            if not (text[start].isspace() or text[end - 1].isspace()):
                found.add((start, end, label))
            elif (span := _stripped(text, Span(start, end))) is not None:
                found.add((span.start, span.end, label))
        else:
            found.add((start, end, label))
    return found
