"""Starting work beside the event loop's turn, in named groups; keys that wait until it is done."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, cast

from textual.app import App
from textual.dom import DOMNode, NoScreen

Work = Callable[[], Awaitable[None]]
Entry = Work
"""What a key does, when its turn comes."""


def on_stage(node: DOMNode) -> bool:
    """Whether the node can still be drawn: its screen was not left and the app is not leaving."""
    if node.app.return_code is not None:
        return False
    try:
        return isinstance(node, App) or node.screen in node.app.screen_stack
    except NoScreen:
        return False


def new_action() -> str:
    """A name for one act, made before the first try: under it the next one finds what is stored."""
    return uuid.uuid4().hex


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
    error; without it an error ends the app with a crash message.
    """

    async def guarded() -> None:
        try:
            await work()
        except Exception as error:  # a database can fail in many ways; the screen says which
            if not on_stage(node):
                return  # its screen was left meanwhile: nobody waits for it, and there is nowhere to say it
            if failed is None:
                raise
            failed(error)

    node.run_worker(cast("Any", guarded), group=group, exclusive=only_newest, exit_on_error=True)


class Gate:
    """Runs entries one after another while open, and holds them in order while closed.

    A screen closes the gate when it starts to write or to open a sample, and opens it when the result
    is painted. Nothing is dropped: `park` hands the waiting entries to whoever must decide about them.
    """

    def __init__(self) -> None:
        self._closed = False
        self._running = False
        self._ended = False
        self._waiting: deque[Entry] = deque()

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing is being done."""
        return not (self._closed or self._running or self._waiting)

    @property
    def closed(self) -> bool:
        """Whether entries wait."""
        return self._closed

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
                await self._waiting.popleft()()
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
