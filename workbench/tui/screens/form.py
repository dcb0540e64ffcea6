"""A form of lines with one value each: what a plan and a new run are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from workbench.tui.cells import fit
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar, KeyBar, Part, as_text

Hints = Mapping[str, str | Mapping[str, str]]
"""What stands next to a line, the same for all its values or by value."""


def form_keys(id: str, group: str, go: str, other: BindingType) -> list[BindingType]:  # noqa: A002
    """The keys of a form: `go` says what Enter does, `other` types a value that is not listed."""
    return [
        key("enter", "submit", go, f"{id}.go", group, "go on"),
        key("right space", "turn(1)", "Next value", f"{id}.next", group, "next value"),
        key("left", "turn(-1)", "Previous value", f"{id}.previous", group),
        other,
        key("j down tab", "move(1)", "Next line", f"{id}.down", group),
        key("k up shift+tab", "move(-1)", "Previous line", f"{id}.up", group),
        key("escape q", "cancel", "Close without doing anything", f"{id}.cancel", group, "cancel"),
    ]


class ValuesForm(Dialog):
    """↑↓ choose the line, ←→ its value. A subclass has the title, and hands over what was chosen."""

    HINTS: ClassVar[Hints] = {}
    ROOM = 0
    """Cells that every value takes, with its signs; 0: as many as it needs."""

    def __init__(self, values: dict[str, list[str]]) -> None:
        super().__init__()
        self.values = values
        self.chosen = dict.fromkeys(values, 0)
        self.line = 0

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Static(id="lines")
            yield KeyBar(id="answers")

    def value(self, name: str) -> str:
        """What a line says."""
        return self.values[name][self.chosen[name]]

    @property
    def names(self) -> list[str]:
        """The lines that mean something for what is chosen so far."""
        return list(self.values)

    def draw(self) -> None:
        """The lines as they are now."""
        names = self.names
        here = names[min(self.line, len(names) - 1)]
        # a line that means nothing is left blank: the box keeps its height
        lines = [self._line(name, here=name == here) if name in names else [] for name in self.values]
        self.query_one("#lines", Static).update(as_text(lines))
        self.refresh_bindings()

    def _line(self, name: str, *, here: bool) -> list[Part]:
        value, hint = self.value(name), self.HINTS.get(name, "")
        said = f"‹ {flat(value)} ›" if here else f"  {flat(value)}"
        return [
            ("▸ " if here else "  ", "$accent"),
            (fit(name, 10), "bold" if here else DIM),
            (fit(said, self.ROOM) if self.ROOM else said, "bold" if here else ""),
            (f"  {hint if isinstance(hint, str) else hint.get(value, '')}", DIM),
        ]

    def choose(self, name: str, value: str) -> None:
        """Take a value, listed or not."""
        values = self.values[name]
        if value not in values:
            values.append(value)
        self.chosen[name] = values.index(value)
        self.draw()

    def action_move(self, step: int) -> None:
        """To another line."""
        self.line = max(0, min(self.line + int(step), len(self.names) - 1))
        self.draw()

    def action_turn(self, step: int) -> None:
        """Another value of this line, round the end."""
        name = self.names[self.line]
        self.chosen[name] = (self.chosen[name] + int(step)) % len(self.values[name])
        self.draw()
