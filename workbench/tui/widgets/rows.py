"""Lists of one-line rows, whatever the rows are of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from rich.segment import Segment

from workbench.tui.widgets.lines import Lines

Row = TypeVar("Row")


class Rows(Lines, Generic[Row]):
    """One line a row, the cursor on one of them. A subclass draws one (`drawn`)."""

    def __init__(self, rows: Sequence[Row] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows = rows

    @property
    def count(self) -> int:
        """How many rows."""
        return len(self.rows)

    @property
    def chosen(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def on_mount(self) -> None:
        """Rows may be there from the start."""
        self.resized(self.count)

    def put(self, rows: Sequence[Row], cursor: int) -> None:
        """Show these, the cursor on the one of that number, or on the nearest there is."""
        self.rows = rows
        self.cursor = max(0, min(cursor, self.count - 1))
        self.resized(self.count)
        self.redraw()
        self.reveal(self.cursor)

    def drawn(self, row: Row, size: int, *, here: bool) -> list[Segment]:
        """The parts of a row, `here` with the cursor on it."""
        raise TypeError(f"{type(self).__name__} does not draw")

    def segments(self, line: int, size: int) -> list[Segment]:
        """The row of a line; below the last one nothing."""
        return self.drawn(self.rows[line], size, here=line == self.cursor) if line < self.count else []
