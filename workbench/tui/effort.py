"""What a sample costs a person: active seconds and presses, measured while it is on the screen."""

from __future__ import annotations

from workbench.model import Effort

IDLE = 60.0
"""Seconds that a longer pause counts as: reading takes a minute, an absence is no work."""


class Meter:
    """Sums up effort by sample; what was not written with an act waits for the next act on that sample.

    Times are seconds of one monotonic clock.
    """

    def __init__(self) -> None:
        self._spent: dict[int, Effort] = {}
        self._sample: int | None = None
        self._last = 0.0

    def look_at(self, sample_id: int | None, now: float) -> None:
        """Another sample is on the screen from now on; None: none is."""
        self.alive(now)
        self._sample = sample_id

    def alive(self, now: float) -> None:
        """The person did something."""
        pause, self._last = now - self._last, now
        if self._sample is not None and pause > 0:
            self._add(min(pause, IDLE), 0)

    def press(self, now: float) -> None:
        """A key or a click."""
        self.alive(now)
        if self._sample is not None:
            self._add(0.0, 1)

    def take(self, sample_id: int) -> Effort:
        """What was spent on a sample since it was taken last."""
        return self._spent.pop(sample_id, Effort(0.0, 0))

    def give_back(self, sample_id: int, effort: Effort) -> None:
        """An act that was not written: its effort waits for the next one."""
        now = self.take(sample_id)
        self._spent[sample_id] = Effort(now.seconds + effort.seconds, now.presses + effort.presses)

    def _add(self, seconds: float, presses: int) -> None:
        assert self._sample is not None
        self.give_back(self._sample, Effort(seconds, presses))
