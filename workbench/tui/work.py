"""Work in named groups next to the event loop, keys that wait until it is done, and a run in the background.

A run by rules or by a model goes on whatever screen is shown; stopping it waits for open calls.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast
from weakref import WeakKeyDictionary

from textual.app import App
from textual.dom import DOMNode, NoScreen
from textual.events import Paste

from workbench.errors import AwayError, InputError, WorkbenchError
from workbench.text.safe import flat

if TYPE_CHECKING:
    from workbench.stages.claude import RunProgress


Work = Callable[[], Awaitable[None]]
Entry = Callable[[], Awaitable[object]]
"""What a key does, when its turn comes."""


PAUSES = (2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds after which it is tried again while the server is away; from the last on always as many."""

_AWAY: WeakKeyDictionary[DOMNode, dict[str, asyncio.Event]] = WeakKeyDictionary()
"""What waits for a server, by group; set where something newer of its group takes its place."""


def pause(tries: int) -> float:
    """Seconds until the next try after so many."""
    return PAUSES[min(tries, len(PAUSES) - 1)]


def on_stage(node: DOMNode) -> bool:
    """Whether the node can still be drawn: its screen was not left and the app is not leaving."""
    if node.app.return_code is not None:
        return False
    try:
        return isinstance(node, App) or node.screen in node.app.screen_stack
    except NoScreen:
        return False


def start(
    node: DOMNode,
    work: Work,
    *,
    group: str,
    only_newest: bool = False,
    failed: Callable[[Exception], None] | None = None,
) -> None:
    """Run it as a worker of the node.

    `only_newest` cancels older work of the same group: for reads that may be thrown away, never for
    anything that writes (a cancelled worker drops its write without a word). `failed` is told of an
    error; without it an error ends the app with a crash message. What could not be read because the server
    is away is read again until it is there, or until newer work of the group takes its place.
    """
    if (older := _AWAY.get(node, {}).pop(group, None)) is not None:
        older.set()

    async def guarded() -> None:
        tries = 0
        while True:
            try:
                await work()
                if tries:
                    _say_away(node, "")
                return
            except Exception as error:  # a database can fail in many ways; the screen says which
                if not on_stage(node):
                    return  # its screen was left: nobody waits for it, and there is nowhere to say it
                if isinstance(error, AwayError) and not error.writing:
                    if not await _wait(node, group, error.what, pause(tries)):
                        return
                    tries += 1
                elif failed is None:
                    raise
                else:
                    failed(error)
                    return

    node.run_worker(cast("Any", guarded), group=group, exclusive=only_newest, exit_on_error=True)


async def _wait(node: DOMNode, group: str, what: str, seconds: float) -> bool:
    """Let keys run until the next try; False where newer work took the place of this one."""
    _say_away(node, f"{what}, trying again in {seconds:.0f} s")
    cast("Any", node.app).open_gate()
    newer = _AWAY.setdefault(node, {})[group] = asyncio.Event()
    try:
        await asyncio.wait_for(newer.wait(), seconds)
        return False
    except TimeoutError:
        return on_stage(node)


def _say_away(node: DOMNode, text: str) -> None:
    """Put it on the status line of the screen, of the one below where a dialog has none."""
    for screen in reversed(node.app.screen_stack):
        if (say := getattr(screen, "say", None)) is not None:
            say(text, sign="!" if text else "", tone="warn" if text else "")
            return


class Entered(Paste):
    """A paste, or text of a terminal that marks none, with Enter pressed right behind it."""


Entered.handler_name = Paste.handler_name  # the library hands it on as a paste


class Gate:
    """Runs entries one after another while open, and holds them in order while closed.

    A screen closes the gate when it starts to write or to open a sample, and opens it when the result
    is painted. Nothing is dropped: `park` hands the waiting entries to whoever must decide about them.
    When an entry raises InputError, the gate calls `refused` with its message.
    """

    def __init__(self, refused: Callable[[str], None]) -> None:
        self._refused = refused
        self._closed = False
        self._running = False
        self._ended = False
        self._waiting: deque[Entry] = deque()

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing is being done."""
        return not (self._closed or self._running or self._waiting)

    def close(self) -> None:
        """From now on entries wait."""
        self._closed = True

    def open(self) -> None:
        """Let entries run again; the caller then awaits `drain`."""
        self._closed = False

    def end(self) -> None:
        """The app leaves: from now on nothing runs, whatever waits."""
        self._ended = True

    async def enter(self, entry: Entry) -> None:
        """Run the entry now, or after those that wait."""
        self._waiting.append(entry)
        await self.drain()

    async def drain(self) -> None:
        """Run what waits, in order, until the gate closes again."""
        if self._running:
            return
        self._running = True
        try:
            while self._waiting and not (self._closed or self._ended):
                try:
                    await self._waiting.popleft()()
                except InputError as error:
                    self._refused(str(error))
        finally:
            self._running = False

    def park(self) -> list[Entry]:
        """Take out all that waits."""
        parked = list(self._waiting)
        self._waiting.clear()
        return parked

    def resume(self, parked: list[Entry]) -> None:
        """Put back what `park` took out, before anything newer."""
        self._waiting.extendleft(reversed(parked))


LEAVE = 20.0
"""Seconds that leaving the app waits for calls under way. Killed later, a run loses no stored answer."""

LEAVING = f"""\
A run is going on. Leaving stops it softly: calls under way are waited for, at most {LEAVE:.0f} seconds. \
What was answered is kept, and the next start asks only for the rest.
"""


class Ended(NamedTuple):
    """How a run ended: what to say, with its sign and tone, and the name of the run where there is one."""

    text: str
    sign: str
    tone: Literal["good", "warn", "bad"]
    run: str = ""


class Going(threading.Thread):
    """One run in a thread of its own. Screens read its fields; only its thread writes them.

    The thread is a daemon and shares nothing with the event loop, so that a slow answer holds up neither
    a key nor leaving. `work` does it there: it looks at `stop`, and says how far it is in `progress`, or by
    rules in `done`. `total` counts samples of a run by rules, else requests as they were estimated.
    """

    def __init__(self, work: Callable[[Going], Ended], total: int, *, by_rules: bool) -> None:
        super().__init__(name="run", daemon=True)
        self.by_rules = by_rules
        self.total = total
        self.progress: RunProgress | None = None
        self.done = 0
        self.ended: Ended | None = None
        self.stop = threading.Event()
        self._work = work
        self.start()

    def leave(self, seconds: float = LEAVE) -> bool:
        """Stop softly and wait for the end, so many seconds at most; whether it ended."""
        self.stop.set()
        self.join(seconds)
        return not self.is_alive()

    def run(self) -> None:
        """Do it; whatever ends the thread is kept, or the run would end without a word."""
        try:
            self.ended = self._work(self)
        except Exception as error:
            kind = "" if isinstance(error, WorkbenchError) else f"{type(error).__name__}: "
            self.ended = Ended(flat(f"{kind}{error}"), "!", "warn" if self.stop.is_set() else "bad")


def finish(going: Going) -> None:
    """The app was left: stop the run and wait for what is under way, saying so when it takes a while."""
    if not going.leave(0.5):
        with suppress(OSError):  # the terminal may be closed
            sys.stderr.write("stopping the run: waiting for the calls under way …\n")
        going.leave()
