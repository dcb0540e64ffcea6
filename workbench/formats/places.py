"""Where the words of a file stand in a text: what gold, proposals and marks of other tools are checked by."""

from __future__ import annotations

from typing import Any

from workbench.formats.rows import Notes, excerpt, shown
from workbench.model import Span


def places(surface: str, text: str) -> list[Span]:
    """Where a text has a surface exactly; only whole words when there are any."""
    found = []
    start = text.find(surface)
    while start >= 0:
        found.append(Span(start, start + len(surface)))
        start = text.find(surface, start + len(surface))
    return [span for span in found if _whole(span, text)] or found


def _whole(span: Span, text: str) -> bool:
    before, after = text[max(span.start - 1, 0) : span.start + 1], text[span.end - 1 : span.end + 1]
    return not (span.start and before.isalnum()) and not (len(after) == 2 and after.isalnum())


def exact(item: dict[str, Any], surface: str, text: str) -> Span | None:
    """The place that an item names, where it is one and the text reads there as the item says."""
    start, end = item.get("start"), item.get("end")
    if type(start) is not int or type(end) is not int or start < 0 or end != start + len(surface):
        return None
    return Span(start, end) if text.startswith(surface, start) else None


def moved(surface: str, place: tuple[int | None, int | None], found: Span, notes: Notes) -> None:
    """Note that a wrong place was moved to the one where its words stand."""
    notes.moved(f"{shown(surface)} {number(place[0])}:{number(place[1])} → {found.start}:{found.end}")


def number(value: int | None) -> str:
    """An offset for a message."""
    return "?" if value is None else excerpt(str(value), 20) if abs(value) < 10**19 else "…"
