"""The learned rate against simulated services, on a simulated clock."""

import heapq
import itertools
import math
import random
from dataclasses import dataclass, field

import pytest

from tests.proposing.claude.faults import Bucket
from workbench.proposing.claude.call import START, CallPace


@dataclass
class Service:
    """A token bucket: `rate` calls a second on average, at most `bucket` at once, `latency` an answer."""

    rate: float
    bucket: float
    latency: float
    names_limits: bool = False
    failing: float = 0.0
    seen: list[tuple[float, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.calls = Bucket(self.rate, self.bucket)

    def take(self, now: float) -> float | None:
        """None when the call is let in, else the whole seconds to wait, as the real service says them."""
        wait = self.calls.take(now, 1)
        self.seen.append((now, not wait))
        return math.ceil(wait) if wait else None

    def headers(self) -> dict[str, str]:
        return {"anthropic-ratelimit-requests-limit": str(round(self.rate * 60))} if self.names_limits else {}


def simulate(service: Service, seconds: float, in_flight: int = 256) -> CallPace:
    """Call the service for some seconds as the live mode does; refused calls are tried again first."""
    pace, chance, order = CallPace(), random.Random(7), itertools.count()
    events: list[tuple[float, int, float, float | str | None]] = []
    now, asked = 0.0, None  # type: float, float | str | None
    while now < seconds:
        if len(events) >= in_flight or (events and events[0][0] <= now + pace.wait(now)):
            now, _, started, asked = heapq.heappop(events)
            if asked is None:
                pace.answered(now, {}, service.headers())
            elif isinstance(asked, str):
                pace.overloaded(now, started)
            else:
                pace.refused(now, started, asked, service.headers())
            continue
        now += pace.wait(now)
        pace.started(now)
        asked = service.take(now)
        if chance.random() < service.failing:
            asked = "overloaded" if chance.random() < 0.5 else 0.0
        took = 0.02 if asked is not None else service.latency * chance.uniform(0.7, 1.5)
        heapq.heappush(events, (now + took, next(order), now, asked))
    return pace


def share_and_refused(service: Service, since: float, seconds: float) -> tuple[float, float]:
    """The throughput as a share of what the service allows, and the share of refused calls."""
    late = [let_in for at, let_in in service.seen if at >= since]
    return sum(late) / (seconds - since) / service.rate, late.count(False) / len(late)


@pytest.mark.parametrize("latency", [0.2, 3.0, 12.0])
@pytest.mark.parametrize("rate", [1.0, 8.0, 30.0])
@pytest.mark.parametrize("bucket_seconds", [0.5, 5.0, 60.0])
def test_nine_tenths_of_the_allowed_rate_are_used_and_hardly_a_call_is_refused(
    rate: float, latency: float, bucket_seconds: float
) -> None:
    service = Service(rate, max(1.0, rate * bucket_seconds), latency)
    simulate(service, 900, in_flight=1024)

    share, refused = share_and_refused(service, 300, 900)

    assert share >= 0.9, (share, refused)
    assert refused < 0.02, (share, refused)


@pytest.mark.parametrize("rate", [0.1, 0.8, 8.0, 60.0])
def test_limits_that_the_service_names_are_kept_from_the_first_answer_on(rate: float) -> None:
    service = Service(rate, 5, 2.0, names_limits=True)
    pace = simulate(service, 900)

    share, refused = share_and_refused(service, 60, 900)

    assert 0.9 <= share <= 1.0
    assert refused < 0.02
    assert pace.rate == pytest.approx(0.98 * round(rate * 60) / 60, rel=0.1)


def test_limits_that_the_service_names_are_used_at_once() -> None:
    """No growing from two calls a second."""
    pace = CallPace()
    pace.started(0.0)

    pace.answered(0.5, {}, {"anthropic-ratelimit-requests-limit": "600"})

    assert pace.rate == pytest.approx(9.8)


@dataclass
class Shared(Service):
    """Somebody else uses the same limits: one in twenty calls is refused, whatever our rate is."""

    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def take(self, now: float) -> float | None:
        asked = super().take(now)
        if asked is not None or self.chance.random() >= 0.05:
            return asked
        self.seen[-1] = (now, False)
        return 1.0


@pytest.mark.parametrize("rate", [1.0, 10.0, 60.0])
@pytest.mark.parametrize("latency", [0.5, 3.0])
def test_refusals_that_are_not_our_doing_leave_most_of_the_limit(rate: float, latency: float) -> None:
    service = Shared(rate, rate, latency, names_limits=True)
    pace = simulate(service, 300)

    share, refused = share_and_refused(service, 0, 300)

    assert share > 0.75
    assert refused < 0.1
    assert pace.rate >= 0.49 * rate


@pytest.mark.parametrize("seed", range(6))
def test_refusals_that_are_not_our_doing_leave_half_of_a_limit_that_is_not_named(seed: int) -> None:
    service = Shared(10.0, 10, 1.0, chance=random.Random(seed))
    simulate(service, 200)

    share, refused = share_and_refused(service, 0, 200)

    assert share >= 0.5
    assert refused < 0.15


def test_a_token_limit_is_turned_into_calls_by_what_calls_use() -> None:
    pace = CallPace()
    headers = {
        "anthropic-ratelimit-requests-limit": "6000",
        "anthropic-ratelimit-input-tokens-limit": "60000",
        "anthropic-ratelimit-output-tokens-limit": "nonsense",
    }

    pace.answered(0.0, {"input-tokens": 2000, "output-tokens": 100}, headers)

    assert pace.cap == pytest.approx(0.98 * 60000 / 60 / 2000)
    assert pace.rate == pace.cap


def test_a_refusal_takes_a_tenth_and_counts_once_for_all_calls_under_way() -> None:
    pace, now = CallPace(rate=10.0), 0.0
    pace.refused(now, now, 0.0, {})  # the first one may take more: nothing is known yet
    for _ in range(50):
        now += pace.wait(now)
        pace.started(now)
        pace.answered(now, {}, {})
    before = pace.rate

    pace.refused(now, now - 0.1, 2.0, {})
    once = pace.rate
    pace.refused(now + 0.1, now - 0.2, 2.0, {})

    assert once == pytest.approx(0.9 * before)
    assert pace.rate == once


def test_few_overloads_halve_the_rate_for_ten_calls_and_four_for_good() -> None:
    pace = CallPace(rate=10.0)
    for ends, after in ((1.0, 1.1, 1.2), 10.0), ((3.0,), 5.0):
        for end in ends:
            pace.overloaded(end, end - 0.5)
        assert pace.rate == 5.0
        for _ in range(10):
            pace.started(2.0)
        assert pace.rate == after


def test_a_quarter_of_a_second_of_lateness_is_made_up_for() -> None:
    """A busy event loop wakes up late; more would be a burst."""
    pace, at_once = CallPace(rate=10.0), 0
    pace.started(0.0)
    while not pace.wait(1.0):
        pace.started(1.0)
        at_once += 1

    assert at_once == 3


def test_every_call_waits_as_long_as_the_service_asks() -> None:
    """Where it does not say how long, as long as until the next call."""
    pace = CallPace(rate=10.0)
    pace.refused(1.0, 0.9, None, {})
    assert pace.wait(1.0) == pytest.approx(0.1)

    pace.refused(5.0, 4.9, 7.0, {})

    assert pace.wait(5.0) == 7.0
    assert pace.wait(11.5) == 0.5


def test_a_rate_that_is_not_used_does_not_grow() -> None:
    """Twenty slow calls a minute say nothing about whether two a second would be let in."""
    pace = CallPace(rate=START)
    for number in range(100):
        pace.started(3.0 * number)
        pace.answered(3.0 * number + 2, {}, {})

    assert pace.rate < START * 1.1


@dataclass
class Changing(Service):
    """A service that lets in a quarter from second 200 to 500."""

    def take(self, now: float) -> float | None:
        self.calls.rate = 5.0 if 200 <= now < 500 else 20.0
        return super().take(now)


def test_the_rate_follows_a_service_that_slows_down_and_recovers() -> None:
    service = Changing(20.0, 20, 1.0)
    simulate(service, 1000)

    slow = [let_in for at, let_in in service.seen if 230 <= at < 500]
    fast = [let_in for at, let_in in service.seen if 700 <= at < 1000]
    assert sum(slow) >= 0.9 * 270 * 5
    assert sum(fast) >= 0.9 * 300 * 20
    assert slow.count(False) < 0.05 * len(slow)


def test_refusals_and_overloads_that_have_nothing_to_do_with_the_rate_do_not_stop_it() -> None:
    """A service that fails 2 % of the calls at any rate is still used."""
    service = Service(60.0, 60, 1.0, failing=0.02)
    simulate(service, 300)

    assert share_and_refused(service, 60, 300)[0] > 0.4


def test_the_rate_has_bounds() -> None:
    """Nothing is refused: it grows to where no clock could follow. All is refused: one call a minute."""
    pace, now = CallPace(), 0.0
    for _ in range(500):
        now += pace.wait(now)
        pace.started(now)
        pace.answered(now, {}, {})

    assert pace.rate == 1000.0
    for _ in range(1000):
        now += 1000
        pace.refused(now, now, 1.0, {})
    assert pace.rate == 1 / 60
