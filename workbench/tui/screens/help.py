"""The keys of where one is, made from the bindings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.tui.cells import fit, width
from workbench.tui.keys import Act, key
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import Bar, Part

NOTE = "On a Russian keyboard the same keys work without switching the layout."


class HelpScreen(Dialog):
    """A list of keys over the screen that they belong to; any of Esc, ?, F1 and q closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("escape question_mark f1 q", "cancel", "Close", "help.close", "Help"),
        key("j down", "scroll(1)", "Down", "help.down", "Help"),
        key("k up", "scroll(-1)", "Up", "help.up", "Help"),
        key("pagedown space", "scroll(10)", "Page down", "help.page_down", "Help"),
        key("pageup", "scroll(-10)", "Page up", "help.page_up", "Help"),
    ]

    def __init__(self, listed: Sequence[Act], legend: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._acts = list(listed)
        self._legend = list(legend)

    def compose(self) -> ComposeResult:
        """One block a group, in columns where there is room."""
        with VerticalScroll(id="box", can_focus=False):
            yield Bar(id="title")
            yield Static(self._text(), id="keys-text")

    def opened(self) -> None:
        """The title."""
        self.query_one("#title", Bar).show((("Keys", "bold"),), (("esc closes", "$foreground 60%"),))

    def _text(self) -> Content:
        size = max((width(_keys(act)) for act in self._acts), default=0)
        parts: list[Part] = []
        by_group = sorted(self._acts, key=lambda act: _order(self._acts, act.group))
        for group, members in groupby(by_group, key=lambda act: act.group):
            parts.append((f"\n{group}\n", "bold $accent"))
            for act in members:
                parts += [(f"  {fit(_keys(act), size)}  ", "bold"), (f"{act.description}\n", "")]
        if self._legend:
            parts.append(("\nSigns\n", "bold $accent"))
            for sign, meaning in self._legend:
                parts += [(f"  {fit(sign, size)}  ", "bold"), (f"{meaning}\n", "")]
        parts.append((f"\n{NOTE}", "$foreground 60%"))
        return Content.assemble(*parts)

    def action_scroll(self, lines: int) -> None:
        """Up and down."""
        self.query_one("#box", VerticalScroll).scroll_relative(y=int(lines), animate=False)


def _keys(act: Act) -> str:
    return "  ".join(act.keys)


def _order(listed: Sequence[Act], group: str) -> int:
    return next(index for index, act in enumerate(listed) if act.group == group)
