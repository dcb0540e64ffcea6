"""A label: by its number, or typed until it stands first in the list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.errors import InputError
from workbench.model import Label
from workbench.text.cells import fit
from workbench.text.safe import flat
from workbench.tui.keys import TWINS, bindings
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import Bar, Part, choice_parts
from workbench.tui.widgets.lines import RowList, Toned

_BACK = {twin: latin for latin, twin in TWINS.items()}


class LabelRows(RowList[Label]):
    """Labels with their numbers."""

    AT_CURSOR: ClassVar = frozenset({"key"})

    def drawn(self, label: Label, size: int, *, here: bool) -> list[Toned]:
        """One label."""
        name = fit(flat(label.name), size - 4)
        return [("▸ " if here else "  ", ""), (fit(flat(label.key), 2), "key"), (name, "")]


class LabelScreen(Dialog):
    """All labels at the bottom; a number takes one at once, letters leave those that have them, Enter takes.

    `done` gets the label's name. `none` is the first row, for no label (""); `current` is where the cursor
    starts. `at_end` is called however it ends. `stretch` moves the right edge of a new name out or in and
    gives the title then; it raises InputError.
    """

    BINDINGS = bindings("label")

    def __init__(
        self,
        title: str,
        labels: Sequence[Label],
        done: Callable[[str], None],
        *,
        none: str = "",
        current: str = "",
        at_end: Callable[[], None] | None = None,
        stretch: Callable[[bool], str] | None = None,
    ) -> None:
        super().__init__()
        self._title = flat(title)
        self._labels = tuple(labels)
        self._done = done
        self._none = none
        self._current = current
        self._at_end = at_end
        self._stretch = stretch
        self._filter = ""

    def compose(self) -> ComposeResult:
        """The list lies over the bottom lines."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield LabelRows(id="labels")

    def on_mount(self) -> None:
        """All labels."""
        self._show()

    @property
    def fitting(self) -> list[Label]:
        """The labels that have what was typed, those that begin with it first."""
        wanted = self._filter.casefold()
        if not wanted:
            return [*([Label("", self._none)] if self._none else []), *self._labels]
        same_keys = "".join(_BACK.get(character, character) for character in wanted)
        by_place = [
            (min(position for position in (name.find(wanted), name.find(same_keys)) if position >= 0), label)
            for label in self._labels
            if wanted in (name := label.name.casefold()) or same_keys in name
        ]
        return [label for _, label in sorted(by_place, key=lambda pair: pair[0] > 0)]

    def _show(self) -> None:
        rows = self.fitting
        names = [label.name for label in rows]
        at = names.index(self._current) if not self._filter and self._current in names else 0
        self.query_one(LabelRows).put(rows, at)
        self._head()

    def _head(self, complaint: str = "") -> None:
        typed: tuple[Part, ...] = (("  ", ""), (f"{flat(self._filter)}▏", "bold $accent"))
        warning: tuple[Part, ...] = (("  ", ""), (flat(complaint), "$warning")) if complaint else ()
        by_name = (("1–9", "label"), ("a–z", "type it")) if self._labels else ()
        edge = ((". ,", "edge"),) if self._stretch else ()
        keys = () if complaint else (*by_name, *edge, ("enter", "take"))
        right = choice_parts((*keys, ("esc", "cancel")))
        left = ((self._title, "bold"), *(typed if self._filter else ()), *warning)
        self.query_one("#title", Bar).show(left, right)

    async def takes(self, character: str) -> bool:
        """A number takes a label; anything else narrows the list."""
        if not self._filter:
            for label in self._labels:
                if label.key == character:
                    self._take(label.name)
                    return True
        if not self._labels or (character == " " and not self._filter):
            return False
        before, self._filter = self._filter, self._filter + character
        if self.fitting:
            self._show()
        else:
            complaint = f"no label has {self._filter}"
            self._filter = before
            self._head(complaint)
        return True

    def action_back(self) -> None:
        """Backspace."""
        self._filter = self._filter[:-1]
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a new name has edges to move; else the keys are letters of a label."""
        return self._stretch is not None if action == "stretch" else True

    def action_stretch(self, outward: bool) -> None:
        """The new name a token longer, or shorter."""
        assert self._stretch is not None  # the keys are closed without it
        try:
            self._title = flat(self._stretch(outward))
        except InputError as error:
            self._head(str(error))
        else:
            self._head()

    async def action_open(self) -> None:
        """Enter."""
        rows = self.query_one(LabelRows)
        label = rows.rows[rows.cursor]
        self._take(label.name if label in self._labels else "")

    def _take(self, name: str) -> None:
        self.action_cancel()
        self._done(name)

    def action_cancel(self) -> None:
        """Escape."""
        self.app.pop_screen()
        if self._at_end is not None:
            self._at_end()
