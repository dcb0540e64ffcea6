"""The columns of the queue: how wide each is, what their heads say and which order a click asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from workbench.tui.cells import fit

if TYPE_CHECKING:
    from workbench.stages.queue import Order, QueueRow

MARKS = 5
VALUES = {False: (5, 9), True: (7, 7)}
"""Cells of both values, right-aligned under `auto` and `verified`, or under `yours` and `true`."""
BOTH, DELTA = 14, 6
CAUSE = 13
LEAST_TEXT = 12
"""Cells of the reference below which other columns give way."""


class Columns(NamedTuple):
    """How many cells each column of a row gets; 0: it is left out."""

    key: int
    text: int
    cause: int
    who: int


def plan(size: int, key_size: int) -> Columns:
    """The columns of a row of `size` cells for ids of `key_size`.

    When space is short the annotator gives way first, then the cause, then the id.
    """
    most = 14 if size < 100 else 20 if size < 160 else 28
    key = max(6, min(key_size or most, most))
    cause, who = CAUSE, 0 if size < 100 else 12
    fixed = 2 + 1 + MARKS + 2 + BOTH + DELTA + 1

    def text() -> int:
        return size - fixed - key - (2 + cause if cause else 0) - (2 + who if who else 0)

    if text() < LEAST_TEXT:
        who = 0
    if text() < LEAST_TEXT:
        cause = 0
    if text() < LEAST_TEXT:
        key = max(6, key - (LEAST_TEXT - text()))
    return Columns(key, max(4, text()), cause, who)


def marks(row: QueueRow) -> str:
    """⚑ flagged; ◇ blind or ↺ to be matched again; ↻ stale; ◌ picked by hand."""
    kind = "◇" if row.blind else "↺" if row.rematch else ""
    return ("⚑" if row.flag else "") + kind + ("↻" if row.stale else "") + ("◌" if row.off_plan else "")


class SampleHead(Widget):
    """The names of the columns, above the list; a click asks for an order."""

    DEFAULT_CSS = """
    SampleHead { height: 1; width: 1fr; }
    """

    class Clicked(Message):
        """An order was asked for."""

        def __init__(self, order: Order) -> None:
            super().__init__()
            self.order = order

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._order: Order = "u"
        self._key_size = 0
        self._yours = False
        self._places: list[tuple[int, int, Order]] = []

    def show(self, order: Order, key_size: int, *, yours: bool = False) -> None:
        """Mark the column that the list is ordered by, and leave ids that much room.

        `yours`: the automatic values came with the file.
        """
        self._order, self._key_size, self._yours = order, key_size, yours
        self.refresh()

    def render(self) -> Content:
        """The names, in the places of the columns; the list's scroll bar is left free.

        Nothing before the first rows say how much room ids need: the names would jump.
        """
        if not self._key_size:
            return Content("")
        columns = plan(self.content_size.width - 1, self._key_size)
        auto, verified = VALUES[self._yours]
        named: list[tuple[str, int, bool, Order | None]] = [
            ("", 3 + MARKS, False, None),
            ("sample", columns.key + 2, False, "file"),
            ("reference", columns.text, False, "u"),
            ("yours" if self._yours else "auto", auto, True, "doubt"),
            ("true" if self._yours else "verified", verified, True, None),
            ("Δ", DELTA, True, "delta"),
        ]
        if columns.cause:
            named += [("", 2, False, None), ("cause", columns.cause, False, None)]
        if columns.who:
            named += [("", 2, False, None), ("by", columns.who, False, None)]
        parts: list[tuple[str, str]] = []
        self._places = []
        at = 0
        for name, size, right, order in named:
            here = order == self._order and order != "u"
            text = f"▾{name}" if here and right else f"{name} ▾" if here else name
            parts.append((fit(text, size, right=right), "bold $accent" if here else ""))
            if order is not None:
                self._places.append((at, at + size, order))
            at += size
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        """The order of the column; a second click goes back to the random one."""
        for first, end, order in self._places:
            if first <= event.x - self.gutter.left < end:
                self.post_message(self.Clicked("u" if order == self._order else order))
                return
