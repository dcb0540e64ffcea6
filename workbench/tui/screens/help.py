"""The keys of where one is, made from the bindings; the words of the screens; the first steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, groupby

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.text.cells import fit, width, wrap
from workbench.text.lists import pairs, sections
from workbench.tui.keys import GROUPS, KeyAct, bindings, shown
from workbench.tui.screens.base import Dialog, Ordered
from workbench.tui.widgets.bars import DIM, Line

_SECTIONS = sections(__name__)
TERMS = pairs(_SECTIONS["terms"])
"""Each term with what it means, in the order in which one meets them."""


WORDS = {
    name.removesuffix(" words"): listed.strip().splitlines()
    for name, listed in _SECTIONS.items()
    if name.endswith(" words")
}
"""The terms that the help of a screen explains, by its class."""

TWO_COLUMNS = 100  # cells
GAP = 3  # cells between the columns
MOST_LEFT = 19  # cells of keys, signs and words
LAST = ("Moving", "Everywhere")
NOTE = "On a Russian keyboard the same keys work as they are."


class HelpScreen(Dialog):
    """A list of keys over the screen that they belong to; any of Esc, ?, F1 and q closes it."""

    BINDINGS = bindings("help")

    def __init__(self, listed: Sequence[KeyAct], screen: Ordered) -> None:
        super().__init__("Keys and words", "esc closes")
        self._acts, self._words = listed, WORDS.get(type(screen).__name__, [])
        self._signs = pairs(_SECTIONS.get(type(screen).__name__, ""))

    def compose(self) -> ComposeResult:
        """A title over two columns, of which the second is empty where there is no room for it."""
        with VerticalScroll(id="box", can_focus=False):
            yield from self._titled
            with Horizontal(id="columns"):
                yield Static(id="first")
                yield Static(id="second")

    def resized(self) -> None:
        """Lay the blocks out anew for the width there is, two columns as evenly as their order allows."""
        two = self.app.size.width >= TWO_COLUMNS
        room = self.query_one("#columns").size.width
        size = (room - GAP) // 2 if two else room
        blocks = self._blocks(size)
        lines = [sum(text.count("\n") for text, _ in block) for block in blocks]
        cuts = range(1, len(blocks)) if two else [len(blocks)]
        first = min(cuts, key=lambda cut: max(sum(lines[:cut]), sum(lines[cut:])))
        for name, column in (("#first", blocks[:first]), ("#second", blocks[first:])):
            static = self.query_one(name, Static)
            static.update(Content.assemble(*chain.from_iterable(column)).rstrip("\n"))
            static.styles.width = size
            static.display = bool(column)

    def _blocks(self, size: int) -> list[Line]:
        """One block a group, its lines wrapped to `size` cells."""
        order = (*(group for group in GROUPS if group not in LAST), "", *LAST)
        by_group = sorted(self._acts, key=lambda act: order.index(act.group if act.group in order else ""))
        blocks = [
            _block(group, [("  ".join(act.keys), act.description) for act in members], size)
            for group, members in groupby(by_group, key=lambda act: act.group)
        ]
        words = [(word, TERMS[word]) for word in self._words]
        blocks += [
            _block(name, rows, size)
            for name, rows in (("Signs", [*self._signs.items()]), ("Words", words))
            if rows
        ]
        return [*blocks, [(f"\n{NOTE}\n", DIM)]]

    def action_scroll(self, lines: int) -> None:
        """Up and down."""
        self.query_one("#box").scroll_relative(y=lines, animate=False)


def _block(title: str, rows: Sequence[tuple[str, str]], size: int) -> Line:
    """A title and its rows; what does not fit next to the keys goes on below itself."""
    parts: Line = [(f"\n{title}\n", "bold $accent")]
    left = min(MOST_LEFT, max(width(keys) for keys, _ in rows))
    for keys, what in rows:
        for number, (start, end) in enumerate(wrap(what, size - left - 4)):
            parts += [(f"  {fit('' if number else keys, left)}  ", "bold"), (f"{what[start:end]}\n", "")]
    return parts


START = ("enter", "queue.open")
STEPS = [(*key.split(), what) for key, what in pairs(_SECTIONS["steps"]).items()]
"""The key, the action whose key it is, and what it does."""


class TourScreen(Dialog):
    """Esc closes it; any other key closes it and does what it does below: Enter opens the first sample."""

    BINDINGS = bindings("tour")

    def __init__(self, keymap: Mapping[str, str]) -> None:
        def chosen(key: str, name: str) -> str:
            return shown(keymap.get(name, key).split(",")[0])

        super().__init__("Five keys to begin with", f"{chosen(*START)} starts")
        self._keys = [chosen(key, name) for key, name, _ in STEPS]

    def body(self) -> ComposeResult:
        """A box in the middle."""
        size = max(map(width, self._keys))
        parts: Line = []
        for its_key, (*_, what) in zip(self._keys, STEPS, strict=True):
            parts += [(fit(its_key, size), "bold $accent"), (f"  {what}\n", "")]
        yield Static(Content(_SECTIONS["task"].strip()), id="task")
        yield Static(Content.assemble(*parts).rstrip("\n"), id="steps")
        yield Static(Content("Every decision is saved at once; undo takes it back."), id="note")
