"""A live run against the local service in a process of its own: the rate it learns, refusals, memory.

The service lets in RATE requests a second on average (token bucket of one second's worth) and does not
name its limits. After a warm-up of 30 s the bars are: at least 90 % of RATE, under 2 % refused, and flat
memory: the peak grows by less than 20 MB from a fifth of the run to its end.

    python -m tests.benchmarks.proposing [SAMPLES] [RATE] [LATENCY]
"""

from __future__ import annotations

import asyncio
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator

from tests.proposing.claude.conftest import Everything, client_at, propose_all
from workbench.model import Sample
from workbench.proposing.claude.answers import Result
from workbench.proposing.claude.asks import Ask, Setup, plan
from workbench.proposing.claude.run import RunProgress, Summary

WARM_UP = 30.0


def asks(count: int) -> Iterator[Ask]:
    """One ask per sample: a reference of its own, alone in its call."""
    samples = (
        Sample(str(one), "Who?", f"Person{one} of City{one} met Person{one + 1} in {1000 + one}. " * 3, ())
        for one in range(count)
    )
    return plan(samples, Setup(), ("entity",), alone=Everything())


def megabytes() -> float:
    """The peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def measure(url: str, count: int) -> tuple[Summary, list[RunProgress], dict[float, float]]:
    """Run, and read memory and progress as it goes."""
    seen: list[RunProgress] = []
    memory: dict[float, float] = {}

    def watch(progress: RunProgress) -> None:
        seen.append(progress)
        memory[progress.answered / count] = megabytes()

    async def drop(_ask: Ask, _result: Result) -> None:
        """A store would keep it; the run must not."""

    async with client_at(url) as client:
        summary = await propose_all(client, Setup(), [asks(count)], drop, on_progress=watch)
    return summary, seen, memory


def main(count: int = 2000, rate: float = 20.0, latency: float = 1.0) -> None:
    """Run once and print the figures beside their bars."""
    command = [sys.executable, "-m", "tests.proposing.claude.server", "--port", "0", "--no-headers"]
    command += ["--rate", str(rate), "--bucket", str(max(1.0, rate)), "--latency", str(latency)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        cpu, wall = time.process_time(), time.perf_counter()
        summary, seen, memory = asyncio.run(measure(found[0], count))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    finally:
        server.terminate()
        server.wait(10)
    warm = next((one for one in seen if one.seconds >= WARM_UP), seen[0])
    last = max(seen, key=lambda one: one.answered if one.in_flight else 0)
    share = (last.answered - warm.answered) / (last.seconds - warm.seconds) / rate
    refused = (last.refused - warm.refused) / max(1, last.requests - warm.requests)
    early = max(size for done, size in memory.items() if done <= 0.2)
    print(f"{summary.progress.answered} of {count} answered in {wall:.0f} s, {cpu:.0f} s of CPU")
    print(f"after {WARM_UP:.0f} s: {share:.1%} of {rate:g}/s (bar 90 %), {refused:.2%} refused (bar 2 %)")
    print(f"peak memory {early:.0f} MB after a fifth, {max(memory.values()):.0f} MB at the end (bar +20)")


if __name__ == "__main__":
    numbers = [float(one) for one in sys.argv[1:]]
    main(int(numbers[0]) if numbers else 2000, *numbers[1:])
