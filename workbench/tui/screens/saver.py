"""Reads and writes run one at a time; a failed write stays in sight until you try it again or drop it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from workbench.errors import AwayError, ConflictError, InputError, OtherFileError
from workbench.text.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.widgets.bars import KeyBar
from workbench.tui.work import Entry, Work, pause

SAY_SAVING = 0.15
"""Seconds after which a write that is still under way is mentioned."""


@dataclass(frozen=True)
class Unsaved:
    """What did not happen, the keys that were typed behind it, and whether another file is there to open."""

    what: str
    work: Work
    parked: list[Entry]
    other_file: bool
    writes: bool


class Saver(Static):
    """Runs work one at a time; keys wait meanwhile and act on what it left.

    A failed write stays in sight, in this widget, until it is tried again or let go; keys that were typed
    behind it wait for that, because they meant the state after it. `reload` shows the sample as it stands
    now, when another window was first.
    """

    failure: Unsaved | None = None
    _slow: asyncio.TimerHandle | None = None
    _next: Timer | None = None
    _tries = 0

    def __init__(self, owner: BaseScreen, reload: Work) -> None:
        super().__init__(id="banner")
        self._owner = owner
        self._reload = reload

    def start(self, what: str, work: Work, *, writes: bool = False) -> None:
        """Start work; keys wait until what it left is painted."""
        self._owner.hold_keys(partial(self.run_now, what, work, writes=writes))

    async def run_now(self, what: str, work: Work, *, writes: bool = False) -> None:
        """Do it now; whatever goes wrong is shown, with what was not done."""
        if writes:
            # by the loop: a timer of the library starts a task of its own
            self._slow = asyncio.get_running_loop().call_later(SAY_SAVING, self._owner.say, "saving …")
        try:
            await work()
            self._tries = 0
        except AwayError as error:
            seconds = pause(self._tries)
            self._tries += 1
            why = error.what.capitalize()
            lead = f"{why}, 1 decision waiting: {what}." if writes else f"{why}: could not {what}."
            self._fail(what, work, f"{lead}\nThe next try is in {seconds:.0f} s.", writes=writes)
            self._next = self.set_timer(seconds, self._again)
        except ConflictError as error:
            why = str(error)
            try:
                await self._reload()
            except Exception as second:  # a database can fail in many ways; whatever it was is shown
                why = str(second)
            self._fail(what, work, f"Not saved: {what}.\n{why}")
        except InputError as error:
            self._owner.warn(str(error))
            self._owner.bench.open_gate()
        except Exception as error:  # as above
            kind = "" if type(error).__module__.startswith("workbench") else f"{type(error).__name__}: "
            lead = f"Not saved: {what}." if writes else f"Could not {what}."
            other_file = isinstance(error, OtherFileError) and error.there
            self._fail(what, work, f"{lead}\n{kind}{error}", other_file=other_file, writes=writes)
        finally:
            self.written()

    def written(self) -> None:
        """Stop the timer of "saving …": the write is over, and its result must be the last message."""
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None

    def saved(self, what: str) -> None:
        """The quiet mark: it is on disk."""
        self.written()
        self._owner.succeeded(what)

    def _fail(
        self, what: str, work: Work, why: str, *, other_file: bool = False, writes: bool = True
    ) -> None:
        parked = self._owner.bench.gate.park()
        behind = f" {len(parked)} keys typed behind it wait." if len(parked) > 1 else ""
        behind = " One key typed behind it waits." if len(parked) == 1 else behind
        self.update(
            Content.assemble(
                ("! ", "bold"),
                "\n".join(flat(line) for line in why.splitlines()[:3]),
                behind,
                "\n",
                ("r", "bold"),
                " try again   ",
                ("esc", "bold"),
                " let it go",
                *(("   ", ("o", "bold"), " open the new file without it") if other_file else ()),
            )
        )
        self._owner.say("")
        self._put(Unsaved(what, work, parked, other_file, writes))
        self._owner.bench.open_gate()

    def _put(self, failure: Unsaved | None) -> None:
        self.failure = failure
        self.display = failure is not None
        self._owner.refresh_bindings()
        self._owner.query_one(KeyBar).refresh()

    def allows(self, action: str) -> bool | None:
        """Whether an action is possible now: while something is not saved, only that can be decided on."""
        if action in ("retry", "let_go"):
            return self.failure is not None
        if action == "other_file":
            return self.failure is not None and self.failure.other_file
        return None if self.failure is not None and action != "help" else True

    def retry(self) -> None:
        """Do again what was not done, then what was typed behind it."""
        failure = self.settle()
        self._owner.bench.gate.resume(failure.parked)
        self.start(failure.what, failure.work, writes=failure.writes)

    def _again(self) -> None:
        """Try again, unless another screen covers this one: keys would wait for a picture of it."""
        if self._owner.is_current:
            self.retry()
        else:
            self._next = self.set_timer(pause(0), self._again)

    def settle(self) -> Unsaved:
        """Give it up, and what was typed behind it."""
        failure = self.failure
        assert failure is not None
        if self._next is not None:
            self._next.stop()
        self._put(None)
        return failure
