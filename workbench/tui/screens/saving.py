"""A screen that writes: one thing at a time, said to be done only when it is, offered again when not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from workbench.errors import ConflictError, InputError, OtherFileError
from workbench.tui.intents import Intent
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.widgets.bars import KeyBar, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList
from workbench.tui.work import Entry, Work, on_stage, start

SAY_SAVING = 0.15
"""Seconds after which a write that is still under way is mentioned."""

LOOK_FOR_ROOM = 0.5
"""Seconds between looks whether there is any room to paint; keys run again when there is none."""

PAINTED = ("#reference", "#units")
"""What has to be on the screen before a sample counts as shown."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What did not happen, the keys that were typed behind it, and whether another file is there to open."""

    what: str
    work: Work
    parked: list[Entry]
    other_file: bool


class SavingScreen(BaseScreen):
    """Runs work one at a time; keys wait meanwhile and act on what it left.

    A failed write stays in sight until it is tried again (`r`) or let go (Escape); keys that were typed
    behind it wait for that, because they meant the state after it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        key("r", "retry", "Try again what was not saved", "saving.retry", "Decide", "try again"),
        key("escape", "let_go", "Let go of what was not saved", "saving.let_go", "Decide", "let go"),
        key("o", "other_file", "Open the database that is there now", "saving.other_file", "Decide", "open"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.failure: Failure | None = None
        self.generation = 0
        self._painted: set[str] = set()
        self._shown_at = float("inf")
        self._waits_for_sample = False
        self._slow: Timer | None = None

    # What a subclass gives.

    async def perform(self, intent: Intent) -> None:
        """Write it and show the result."""
        raise TypeError(f"{type(self).__name__} does not perform")

    async def reload(self) -> None:
        """Show the sample as it stands now."""
        raise TypeError(f"{type(self).__name__} does not reload")

    # Work.

    def want(self, intent: Intent) -> None:
        """Start to write what a person wants."""
        self.do(intent.what, partial(self.perform, intent))

    def do(self, what: str, work: Work) -> None:
        """Start work that writes."""
        self._start(what, work, writes=True)

    def load(self, what: str, work: Work) -> None:
        """Start work that only reads."""
        self._start(what, work, writes=False)

    def _start(self, what: str, work: Work, *, writes: bool) -> None:
        self.bench.gate.close()
        start(self, partial(self.run, what, work, writes=writes), group="work")

    async def run(self, what: str, work: Work, *, writes: bool = False) -> None:
        """Do it now; whatever goes wrong is said, with what was not done."""
        if writes:
            self._slow = self.set_timer(SAY_SAVING, self._say_saving)
        try:
            await work()
        except ConflictError as error:
            await self._conflict(what, work, error)
        except InputError as error:
            self.say(str(error), tone="warn")
            self.bench.open_gate()
        except Exception as error:  # a database can fail in many ways; whatever it was is shown
            kind = "" if type(error).__module__.startswith("workbench") else f"{type(error).__name__}: "
            lead = f"Not saved: {what}." if writes else f"Could not {what}."
            other_file = isinstance(error, OtherFileError) and error.there
            self._fail(what, work, f"{lead}\n{kind}{error}", other_file=other_file)
        finally:
            self._written()

    def _say_saving(self) -> None:
        if self._slow is not None:  # a timer that was stopped may be on its way already
            self.say("saving …")

    def _written(self) -> None:
        """The write is over, well or not: "saving …" must not come after what is said of it."""
        if self._slow is not None:
            self._slow.stop()
            self._slow = None

    async def _conflict(self, what: str, work: Work, error: ConflictError) -> None:
        try:
            await self.reload()
        except Exception as second:  # as above
            self._fail(what, work, f"Not saved: {what}.\n{second}")
        else:
            self._fail(what, work, f"Not saved: {what}.\n{error}")

    def _fail(self, what: str, work: Work, why: str, *, other_file: bool = False) -> None:
        parked = self.bench.gate.park()
        self.failure = Failure(what, work, parked, other_file)
        behind = f" {len(parked)} keys typed behind it wait." if len(parked) > 1 else ""
        behind = " One key typed behind it waits." if len(parked) == 1 else behind
        text = [flat(line) for line in why.splitlines()[:3]]
        self._banner(
            Content.assemble(
                ("! ", "bold"),
                ("\n".join(text), ""),
                behind,
                "\n",
                ("r", "bold"),
                " try again   ",
                ("esc", "bold"),
                " let it go",
                *((("   ", ""), ("o", "bold"), " open the new file without it") if other_file else ()),
            )
        )
        self.query_one(Status).clear()
        self.refresh_bindings()
        self.query_one(KeyBar).refresh()
        self.bench.open_gate()

    def _banner(self, content: Content | None) -> None:
        banner = self.query_one("#banner", Static)
        banner.update(content or "")
        banner.display = content is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While something is not saved, only that can be decided on."""
        if action in ("retry", "let_go"):
            return self.failure is not None
        if action == "other_file":
            return self.failure is not None and self.failure.other_file
        return None if self.failure is not None and action != "help" else True

    def refused(self, action: str) -> None:
        """Point at what has to be decided first."""
        self.say("first: r tries again, esc lets it go", tone="warn")

    def action_retry(self) -> None:
        """Do again what was not done, then what was typed behind it."""
        failure = self._settle()
        self.bench.gate.resume(failure.parked)
        self.do(failure.what, failure.work)

    def action_let_go(self) -> None:
        """Give it up, and what was typed behind it."""
        failure = self._settle()
        self.say(f"let go: {failure.what}")

    async def action_other_file(self) -> None:
        """Let it go with the file that it was for, and open the one that has its place."""
        self._settle()
        await self.bench.open_other_file()

    def _settle(self) -> Failure:
        failure, self.failure = self.failure, None
        assert failure is not None
        self._banner(None)
        self.refresh_bindings()
        self.query_one(KeyBar).refresh()
        return failure

    # What is said.

    def saved(self, what: str) -> None:
        """The quiet mark: it is on disk."""
        self._written()
        self.say(what, sign="✓", tone="good")

    # Painting.

    def will_paint(self, *, is_new: bool) -> int:
        """A new picture is about to be drawn; returns its number."""
        self.generation += 1
        self._painted.clear()
        if is_new:
            self._shown_at = float("inf")
            self._waits_for_sample = True
        self.set_timer(LOOK_FOR_ROOM, partial(self._look_for_room, self.generation))
        return self.generation

    @property
    def painted(self) -> bool:
        """Whether the reference and the units of the sample have been on the screen."""
        return self._shown_at != float("inf")

    @property
    def seconds_shown(self) -> float:
        """How long the sample has been on the screen."""
        return self.bench.clock() - self._shown_at

    def on_passage_painted(self, event: Passage.Painted) -> None:
        """The reference has been drawn."""
        event.stop()
        self._note_painted("#reference", event.generation)

    def on_unit_list_painted(self, event: UnitList.Painted) -> None:
        """The units have been drawn."""
        event.stop()
        self._note_painted("#units", event.generation)

    def _note_painted(self, part: str, generation: int) -> None:
        if generation != self.generation:
            return
        self._painted.add(part)
        if len(self._painted) < len(PAINTED):
            return
        if self._waits_for_sample:
            self._waits_for_sample = False
            self._shown_at = self.bench.clock()
        self.bench.open_gate()
        self.sample_painted()

    def sample_painted(self) -> None:
        """What was drawn last is on the screen."""

    def _look_for_room(self, generation: int) -> None:
        """On a terminal too small to paint the sample keys run all the same; only accepting does not."""
        if generation != self.generation or len(self._painted) == len(PAINTED) or not on_stage(self):
            return
        if any(not self.query_one(name).region.intersection(self.region) for name in PAINTED):
            self.bench.open_gate()
        else:
            self.set_timer(LOOK_FOR_ROOM, partial(self._look_for_room, generation))
