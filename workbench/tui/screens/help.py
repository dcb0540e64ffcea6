"""The keys of where one is, made from the bindings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.tui.cells import fit, width
from workbench.tui.keys import GROUPS, Act, key
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import Bar, Part

TWO_COLUMNS = 100  # cells
NOTE = "On a Russian keyboard the same keys work as they are."


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
        """One block a group, in two columns where there is room."""
        blocks = self._blocks()
        wide = self.app.size.width >= TWO_COLUMNS
        columns = _balanced(blocks) if wide else [blocks]
        columns[0].append([(f"\n{NOTE}", "$foreground 68%")])
        with VerticalScroll(id="box", can_focus=False):
            yield Bar(id="title")
            with Horizontal(id="columns"):
                for column in columns:
                    text = Content.assemble(*(part for block in column for part in block))
                    yield Static(text.rstrip("\n"))

    def opened(self) -> None:
        """The title."""
        self.query_one("#title", Bar).show((("Keys", "bold"),), (("esc closes", "$foreground 68%"),))

    def _blocks(self) -> list[list[Part]]:
        size = max((width(_keys(act)) for act in self._acts), default=0)
        by_group = sorted(self._acts, key=lambda act: GROUPS.index(act.group) if act.group in GROUPS else 99)
        blocks = []
        for group, members in groupby(by_group, key=lambda act: act.group):
            blocks.append(_block(group, [(_keys(act), act.description) for act in members], size))
        if self._legend:
            blocks.append(_block("Signs", self._legend, size))
        return blocks

    def action_scroll(self, lines: int) -> None:
        """Up and down."""
        self.query_one("#box", VerticalScroll).scroll_relative(y=int(lines), animate=False)


def _keys(act: Act) -> str:
    return "  ".join(act.keys)


def _block(title: str, rows: Sequence[tuple[str, str]], size: int) -> list[Part]:
    parts: list[Part] = [(f"\n{title}\n", "bold $accent")]
    for left, right in rows:
        parts += [(f"  {fit(left, size)}  ", "bold"), (f"{right}\n", "")]
    return parts


def _balanced(blocks: list[list[Part]]) -> list[list[list[Part]]]:
    """The blocks in two columns, in order, cut where the longer column is shortest."""

    def longer(cut: int) -> int:
        return max(sum(map(len, blocks[:cut])), sum(map(len, blocks[cut:])))

    cut = min(range(1, len(blocks) + 1), key=longer)
    return [blocks[:cut], blocks[cut:]]
