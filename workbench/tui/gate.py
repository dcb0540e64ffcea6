"""Keys in order: what is typed while a decision is being written waits and acts on the fresh state."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable

Entry = Callable[[], Awaitable[None]]


class Gate:
    """Runs entries one after another while open, and holds them in order while closed.

    A screen closes the gate when it starts to write or to open a sample, and opens it when the result
    is painted. Nothing is dropped: `park` hands the waiting entries to whoever must decide about them.
    """

    def __init__(self) -> None:
        self._closed = False
        self._running = False
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
            while self._waiting and not self._closed:
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
