"""Pace: how fast calls may start, learned from what the service does. No clock, no network: time is told."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

START = 2.0  # calls per second before anything is known
_LOWEST, _HIGHEST = 1 / 60, 1000.0
_DOUBLING = 2 ** (1 / 10)  # the rate doubles every ten answers until the service says no
_HEADROOM = 0.98  # of the limits that the service names
_SLACK = 0.25  # seconds of lateness that are made up for: a busy event loop wakes up late
_DIP = 10  # calls that a single overload slows down
_BAD = 4  # overloads of the last 20 calls: so many are no accident
# Answers until the refused rate is tried again: few after a first refusal, which may have been an accident,
# twice as many with every one that confirms it.
_UNSURE, _SURE = 20.0, 75.0
# Calls that are refused one by one are the doing of somebody else who uses the same limits: so many slow us
# down, because it may be our rate, the others do not.
_LONE = 3
_MANY = 4  # refusals of the last 10 calls: so many are not lone
_CLEAN = 70  # calls without a refusal after which the next one is the first again


class CallPace:
    """The learned rate and the next moment at which a call may start, in seconds of any one clock.

    The rate doubles every ten answers until a call is refused. A 429 takes a tenth off it, or more while
    little is known. Overloads and timeouts take half: for ten calls when one stands alone, because a
    service also fails now and then at any rate, for good when there are several. Then the rate comes back
    along a cubic: fast at first, flat near the rate that was too much, faster again when that holds no
    more. The flat part lasts 75 calls, or 20 seconds where a refusal stops everything for a second:
    from one call a second on, probing costs below 2 % refused calls and about 5 % of the time.

    Limits that the service names are used at once, without growing to them, and nothing slows below half of
    them. There a lone refusal makes only its own call wait.

    Where they are not named, lone refusals that go on although the rate fell three times are not its doing:
    what was learned from them is forgotten, and only many at once slow us down, by their share. Below the
    rate of the start no refusal is the first lone one: there a service lets in little, and one says much.
    """

    def __init__(self, rate: float = START) -> None:
        self.cap: float | None = None
        self.paused_until = 0.0
        self._base = rate
        self._dipped = 0
        self._sure, self._soon = _UNSURE, 0
        self._ceiling: float | None = None
        self._drop, self._span, self._answers = 0.0, 1.0, 0
        self._changed = float("-inf")
        self._next = 0.0
        self._held = False
        self._bad: deque[bool] = deque(maxlen=20)
        self._refusals: deque[bool] = deque(maxlen=10)
        self._lone, self._clean = 0, 0
        self._recent: deque[float] = deque(maxlen=16)
        self._use: dict[str, float] = {}

    @property
    def rate(self) -> float:
        """Calls per second that may start now."""
        return self._base / 2 if self._dipped > 0 else self._base

    def wait(self, now: float) -> float:
        """Seconds until the next call may start."""
        return max(0.0, self._next - now, self.paused_until - now)

    def started(self, now: float) -> None:
        """A call starts."""
        # A start long after it was allowed means that something else holds the calls back: then answers
        # say nothing about the rate, and it must not grow.
        self._held = now - max(self._next, self.paused_until) < 0.5 * (_SLACK + 1 / self.rate)
        self._next = max(self._next, self.paused_until, now - _SLACK) + 1 / self.rate
        self._dipped -= 1

    def answered(self, now: float, use: Mapping[str, int], headers: Mapping[str, str]) -> None:
        """A call was answered; `use` is what it used of each limit: input-tokens, output-tokens, tokens."""
        self._recent.append(now)
        self._bad.append(False)
        self._refusals.append(False)
        self._clean += 1
        if self._clean >= _CLEAN:
            self._lone = 0
        for name, tokens in use.items():
            self._use[name] = 0.9 * self._use.get(name, tokens) + 0.1 * tokens
        self._learn(headers)
        if not self._held:
            return
        if self._ceiling is None:
            self._set(self._base * _DOUBLING)
            return
        # A very low rate is tried again after as many seconds as answers, so that it cannot stay low.
        self._answers = max(self._answers + 1, int(now - self._changed))
        bend = (self._answers - self._span) / self._span
        self._set(min(self._base * _DOUBLING, self._ceiling * (1 + self._drop * bend**3)))

    def refused(self, now: float, started: float, seconds: float | None, headers: Mapping[str, str]) -> None:
        """A call that started at `started` got a 429 and has to wait `seconds`; mostly all calls wait."""
        self._learn(headers)
        asked = 1 / self.rate if seconds is None else seconds
        self._refusals.append(True)
        self._clean = 0
        if started > self._changed:
            ceiling, many = self._base, self._refusals.count(True)
            crowded = many >= _MANY
            if crowded:
                ceiling *= max(0.5, 0.95 - many / len(self._refusals))
            elif self.cap or self._lone or self._base >= START:
                self._lone += 1
                if self._lone > _LONE:
                    self._ceiling = self._ceiling if self._lone > _LONE + 1 else None
                    return
                asked = 0.0 if self.cap else asked
            self._soon = self._soon + 1 if self._answers < 10 else 0
            if self._ceiling is None or self._soon > 2:
                # Far from anything known, what came through says more than what was tried; the last
                # doubling was let in, so that half the rate is the least to fall to.
                came = self._base if self.cap else self._delivered(now)
                ceiling = max(self._base / 2, min(self._base, came))
            held = self._ceiling is not None and self._answers <= 1.5 * self._span
            self._sure = min(_SURE, 2 * self._sure) if held else _UNSURE
            if crowded and self._lone > _LONE:
                self._sure = _SURE
                self._lone = 0
            self._fall(now, ceiling, 0.1, max(self._sure, 20 * ceiling * min(asked, 1.0)))
        self.pause(now, asked)

    def overloaded(self, now: float, started: float) -> None:
        """A call that started at `started` met an overloaded service or timed out."""
        if started > self._changed:
            self._bad.append(True)
            if self._bad.count(True) >= _BAD:
                self._fall(now, self._base, 0.5, max(20.0, 2 * self._base))
            else:
                self._dipped = _DIP

    def pause(self, now: float, seconds: float) -> None:
        """No call starts for a while."""
        self.paused_until = max(self.paused_until, now + seconds)

    def _fall(self, now: float, ceiling: float, drop: float, span: float) -> None:
        """Go below a rate that was too much, and come back to it along the cubic."""
        self._ceiling, self._drop, self._span, self._answers = ceiling, drop, span, 0
        self._changed = now
        self._bad.clear()
        self._refusals.clear()
        self._dipped = 0
        self._set(ceiling * (1 - drop))

    def _set(self, rate: float) -> None:
        least = _LOWEST if self.cap is None else self.cap / 2
        self._base = min(max(_LOWEST, least, rate), _HIGHEST, self.cap or _HIGHEST)

    def _delivered(self, now: float) -> float:
        """Answers per second of late."""
        return len(self._recent) / max(now - self._recent[0], 1e-3) if self._recent else 0.0

    def _learn(self, headers: Mapping[str, str]) -> None:
        """Take the limits a minute that the headers name, as calls a second."""
        caps = []
        for name in ("requests", "input-tokens", "output-tokens", "tokens"):
            limit = _number(headers.get(f"anthropic-ratelimit-{name}-limit"))
            use = 1.0 if name == "requests" else self._use.get(name, 0.0)
            if limit and use > 0:
                caps.append(_HEADROOM * limit / 60 / use)
        if caps:
            known, self.cap = self.cap, min(caps)
            self._set(self._base if known else self.cap)


def _number(header: str | None) -> float:
    try:
        return float(header or 0)
    except ValueError:
        return 0.0
