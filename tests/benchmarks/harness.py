"""What every benchmark needs: options, medians of interleaved rounds, and what a process used."""

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

Work = Callable[[], object]

PROGRAM = (sys.executable, "-m", "workbench.cli")


class Used(NamedTuple):
    """Seconds of CPU and on the wall, and the peak in megabytes."""

    cpu: float
    wall: float
    peak: float


def options(doc: str | None, **defaults: Any) -> argparse.Namespace:
    """The options of a benchmark: one for each default, of its type; a list takes several values.

    A type in the place of a default has to be given, without a name.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    for name, default in defaults.items():
        if default is False:
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true")
            continue
        if isinstance(default, type):
            parser.add_argument(name, type=default)
            continue
        kind, several = (type(default[0]), "+") if isinstance(default, list) else (type(default), None)
        parser.add_argument(f"--{name.replace('_', '-')}", default=default, type=kind, nargs=several)
    return parser.parse_args()


def size_of(text: str) -> tuple[int, int]:
    """`120x36` as columns and rows."""
    width, _, height = text.partition("x")
    return int(width), int(height)


def process(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Used:
    """Run a command to its end, without its output. Ends the benchmark when it fails."""
    wall = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - wall
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command} ended with {child.returncode}")
    return Used(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


@contextmanager
def served(*command: str) -> Iterator[tuple[str, int]]:
    """The address of a server in a process of its own, as its first line says it, and its number."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+:\d+", server.stdout.readline())
            assert found is not None
            yield found[0], server.pid
        finally:
            server.terminate()


def quantile(share: float, values: Iterable[float]) -> float:
    """Of some values: at .5 the median, at .95 what one in twenty exceeds."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median_of(runs: Sequence[Used]) -> Used:
    return Used(*map(statistics.median, zip(*runs, strict=True)))


def medians(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Of work and floor, measured in turn: the medians of each and of their ratio."""
    ours, floor = (statistics.median(column) for column in zip(*pairs, strict=True))
    return ours, floor, statistics.median(one / max(other, 1e-6) for one, other in pairs)


def cpu_seconds(work: Work) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def compared(calls: Iterable[tuple[str, Work, Work]], rounds: int) -> None:
    """Print the median CPU seconds of each work, of its floor, and of their ratio, measured in turn."""
    for name, work, floor in calls:
        ours, theirs, ratio = medians([(cpu_seconds(work), cpu_seconds(floor)) for _ in range(rounds)])
        print(f"{name:<30} {ours:9.4f} s  floor {theirs:9.4f} s  ratio {ratio:9.1f}", flush=True)
