"""The same decision in the whole dataset: a look at every place first, then one act."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from functools import partial

from textual.app import ComposeResult

from workbench.errors import ConflictError
from workbench.reviewing.edits import OF_TWO, SPREAD
from workbench.stages import editing
from workbench.stages.desk import Desk, new_action
from workbench.stages.editing import Decision, Place
from workbench.stages.review import Opened
from workbench.text.cells import DISPOSITION_SYMBOL, cut_front, cut_middle, cut_words, fit, in_table, width
from workbench.text.figures import many
from workbench.text.safe import flat
from workbench.tui.keys import bindings
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar, choice_parts
from workbench.tui.widgets.lines import Lines, Toned
from workbench.tui.work import on_stage, start

NOTHING = "No other sample has it that you may change."
OTHERS = "{} the text: blind, skipped, excluded or no such unit."
TELL = 0.1
"""Seconds between two looks at how far the search is."""


class Places(Lines[Place]):
    """A sample a row: its state, its id, the surface with the text around it."""

    left_out: Set[str] = frozenset()

    def drawn(self, row: Place, size: int) -> Toned:
        """One sample; what is left out is struck through."""
        out = row.key in self.left_out
        sign = "✗" if out else DISPOSITION_SYMBOL[row.disposition]
        name = max(8, min(20, size // 4))
        surface = cut_words(flat(row.surface), max(4, size // 3))
        room = size - 4 - name - 2 - width(surface)
        before = flat(row.before)
        if (end := cut_front(before, room // 3)) != before:
            before = end.partition(" ")[2] or end  # no part of a word; some scripts have no spaces
        return [
            (f"{sign} ", "dim"),
            (fit(in_table(row.key, row.question, name), name) + "  ", ""),
            (before, "dim"),
            (surface, "struck" if out else "strong"),
            (cut_words(flat(row.after), room - width(before)), "dim"),
        ]


class SameScreen(Dialog):
    """Enter does it in every sample that is not left out; `done` is told what was done."""

    BINDINGS = bindings("same")

    _looked = 0, 0
    _gone = _saving = False

    def __init__(self, desk: Desk, opened: Opened, decision: Decision, done: Callable[[str], None]) -> None:
        super().__init__()
        self._desk, self._opened, self._decision, self._done = desk, opened, decision, done
        self._action = SPREAD + new_action()
        self._places = Places(id="places")

    def body(self) -> ComposeResult:
        """A box in the middle."""
        yield Bar(
            [("in the whole dataset: ", ""), (flat(self._decision.words), "bold")],
            [("esc closes", DIM)],
            id="title",
        )
        yield self._places
        yield Bar(id="others")
        yield Bar(id="sum")

    def on_mount(self) -> None:
        """Look through the dataset outside the event loop."""
        self._say("looking …")
        timer = self.set_interval(TELL, self._tell)

        async def look() -> None:
            try:
                places = await self._desk.store.read(editing.places, self._opened, self._decision, self._note)
            finally:
                timer.stop()
            if on_stage(self):
                self._places.put(places, 0)
                self._sum()

        start(self, look, group="look", failed=lambda error: self._say(flat(str(error)), "$error"))

    def _note(self, done: int, of: int) -> bool:
        self._looked = done, of
        return not self._gone

    def _tell(self) -> None:
        done, of = self._looked
        if of:
            self._say(f"looking … {done:,} of {of:,} samples")

    def _say(self, text: str, style: str = DIM) -> None:
        self.query_one("#sum", Bar).show([(text, style)])

    def _sum(self) -> None:
        chosen = self._chosen()
        if not self._places.count:
            self._say(NOTHING)
            return
        if more := self._looked[1] - self._places.count:
            others = OTHERS.format(many(more, "more has", "more have"))
            self.query_one("#others", Bar).show([(others, DIM)])
        verified = sum(row.verified for row in chosen)
        text = many(len(chosen), "sample")
        if verified:
            text += f", {verified} of them verified: their values change"
        keys = choice_parts([("enter", "applies"), ("x", "leaves out")])
        self.query_one("#sum", Bar).show([(text, "")], keys)

    def _chosen(self) -> list[Place]:
        return [row for row in self._places.rows if row.key not in self._places.left_out]

    def action_leave_out(self) -> None:
        """Not in this sample."""
        if (place := self._places.chosen) is not None:
            self._places.left_out ^= {place.key}
            self._places.redraw()
            self._sum()

    def action_apply(self) -> None:
        """Write it; the dialog closes when it is on disk."""
        chosen = self._chosen()
        if not chosen or self._saving:
            return
        self._saving = True
        self._say("saving …")
        self.hold_keys(partial(self._apply, chosen), self._failed)

    async def _apply(self, chosen: list[Place]) -> None:
        await self._desk.store.write(editing.apply, self._desk.annotator, chosen, self._action)
        self.bench.home.settling.forget()
        self.app.pop_screen()
        samples = many(len(chosen), "other sample")
        told = replace(self._decision, text=cut_middle(flat(self._decision.text), OF_TWO))
        self._done(f"{told.words} in {samples}; u takes all back")
        self.bench.open_gate()

    def _failed(self, error: Exception) -> None:
        self._saving = False
        if isinstance(error, ConflictError):
            self.app.notify(f"not saved: {flat(str(error))}; looked again", markup=False, severity="warning")
            self.on_mount()
        else:
            self._say(f"not saved: {flat(str(error))}; enter tries again", "$error")
        self.bench.open_gate()

    def on_unmount(self) -> None:
        """However it was left: a search that goes on is ended."""
        self._gone = True
