"""The keys of where one is, made from the bindings; the task and the five keys to begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.tui.cells import fit, width, wrap
from workbench.tui.keys import GROUPS, KeyAct, key, shown
from workbench.tui.screens.base import Dialog, title
from workbench.tui.terms import TERMS
from workbench.tui.widgets.bars import DIM, Part

TWO_COLUMNS = 100  # cells
GAP = 3  # cells between the columns
MOST_LEFT = 18  # cells of keys, signs and words
USUAL = ("Moving", "Everywhere")
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

    def __init__(
        self,
        listed: Sequence[KeyAct],
        legend: Sequence[tuple[str, str]] = (),
        words: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._acts, self._legend, self._words = listed, legend, words

    def compose(self) -> ComposeResult:
        """A title over two columns, of which the second is empty where there is no room for it."""
        with VerticalScroll(id="box", can_focus=False):
            yield title("Keys and words", "esc closes")
            with Horizontal(id="columns"):
                yield Static(id="first")
                yield Static(id="second")

    def resized(self) -> None:
        """Lay the blocks out anew for the width there is."""
        two = self.app.size.width >= TWO_COLUMNS
        room = self.query_one("#columns").size.width
        size = (room - GAP) // 2 if two else room
        blocks = self._blocks(size)
        columns = _balanced(blocks) if two else (blocks, [])
        for name, column in zip(("#first", "#second"), columns, strict=True):
            text = Content.assemble(*(part for block in column for part in block))
            static = self.query_one(name, Static)
            static.update(text.rstrip("\n"))
            static.styles.width = size
            static.display = bool(column)

    def _blocks(self, size: int) -> list[list[Part]]:
        """One block a group, its lines wrapped to `size` cells."""
        order = (*(group for group in GROUPS if group not in USUAL), "", *USUAL)
        by_group = sorted(self._acts, key=lambda act: order.index(act.group if act.group in order else ""))
        blocks = []
        for group, members in groupby(by_group, key=lambda act: act.group):
            rows = [("  ".join(act.keys), act.description) for act in members]
            blocks.append((_flowing if group in USUAL else _block)(group, rows, size))
        blocks += [_block("Signs", self._legend, size)] if self._legend else []
        blocks += (
            [_block("Words", [(word, TERMS[word]) for word in self._words], size)] if self._words else []
        )
        return [*blocks, [(f"\n{NOTE}\n", DIM)]]

    def action_scroll(self, lines: int) -> None:
        """Up and down."""
        self.query_one("#box", VerticalScroll).scroll_relative(y=lines, animate=False)


def _block(title: str, rows: Sequence[tuple[str, str]], size: int) -> list[Part]:
    """A title and its rows; what does not fit next to the keys goes on below itself."""
    parts: list[Part] = [(f"\n{title}\n", "bold $accent")]
    left = min(MOST_LEFT, max(width(keys) for keys, _ in rows))
    for keys, what in rows:
        for number, (start, end) in enumerate(wrap(what, size - left - 4)):
            parts += [(f"  {fit('' if number else keys, left)}  ", "bold"), (f"{what[start:end]}\n", "")]
    return parts


def _flowing(title: str, rows: Sequence[tuple[str, str]], size: int) -> list[Part]:
    """A title and its rows one behind the other: keys that do what they do in every program."""
    parts: list[Part] = [(f"\n{title}\n", "bold $accent")]
    used = 0
    for keys, what in rows:
        needed = width(keys) + width(what) + 3
        fits = 0 < used <= size - needed
        parts.append(("  " if fits or not used else "\n  ", ""))
        parts += [(keys, "bold"), (f" {what}", "")]
        used = used + needed if fits else needed
    return [*parts, ("\n", "")]


def _balanced(blocks: list[list[Part]]) -> tuple[list[list[Part]], list[list[Part]]]:
    """The blocks in two columns, each in order, so that the longer column is as short as can be."""
    lines = [sum(text.count("\n") for text, _ in block) for block in blocks]
    places = range(len(blocks))

    def longer(left: tuple[int, ...]) -> int:
        inside = sum(lines[place] for place in left)
        return max(inside, sum(lines) - inside)

    choices = (left for size in places for left in combinations(places, size + 1) if left[0] == 0)
    first = min(choices, key=longer, default=())
    return [blocks[place] for place in first], [blocks[place] for place in places if place not in first]


TASK = (
    "You see a question, its reference answer and the retrieved text.\n"
    "Is each name right? Does the retrieved text contain it?"
)
START = ("enter", "queue.open")
STEPS = (
    ("a", "review.accept", "accept: all of it is right; opens the next sample"),
    ("x", "review.reject", "drop a name that is wrong, or take it back"),
    ("m", "review.match", "change found ● to missing ○, or back"),
    ("n", "review.new", "add a name that is not in the list"),
    ("question_mark", "app.help", "show every key of the screen"),
)
"""The key, the action whose key it is, and what it does."""


class TourScreen(Dialog):
    """Esc closes it; any other key closes it and does what it does below: Enter opens the first sample."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("escape", "cancel", "Close", "tour.close", "Tour"),
    ]

    def __init__(self, keymap: Mapping[str, str]) -> None:
        super().__init__()

        def chosen(key: str, name: str) -> str:
            return shown(keymap.get(name, key).split(",")[0])

        self._start = chosen(*START)
        self._keys = [chosen(key, name) for key, name, _ in STEPS]

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        size = max(map(width, self._keys))
        parts: list[Part] = []
        for its_key, (*_, what) in zip(self._keys, STEPS, strict=True):
            parts += [(fit(its_key, size), "bold $accent"), (f"  {what}\n", "")]
        with Vertical(id="box"):
            yield title("Five keys to begin with", f"{self._start} starts")
            yield Static(Content(TASK), id="task")
            yield Static(Content.assemble(*parts).rstrip("\n"), id="steps")
            yield Static(Content("Every decision is saved at once; undo takes it back."), id="note")
