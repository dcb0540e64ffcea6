"""The program against a hostile local service: what it pays, and how fast it is.

    python -m tests.benchmarks.hostile_claude [openai] [money] [pace]

money:  the forecast against the counted cost, for short and long texts and for answers far too long.
pace:   calls a second against the limit of the service, named and not, alone and with 5 % refusals that
        somebody else causes. Bars: 90 % of the limit and under 2 % refused when alone, half of it otherwise;
        the peak of the memory grows by less than 20 MB from a fifth of a run to its end.

What faults, kills and dead addresses do to a run is tested: tests/stages/claude_storm.py and test_claude.py.
With `openai` the service speaks OpenAI's form. Without another name all are run.
Ends with 1 when a bar is missed.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.proposing.claude.conftest import Everything, client_at, propose_all
from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Options, running
from tests.rows import sample, write_rows
from workbench.model import Sample
from workbench.proposing.claude.answers import Result
from workbench.proposing.claude.asks import Ask, Setup, plan
from workbench.proposing.claude.run import RunProgress

Row = dict[str, Any]
missed: list[str] = []
form = "claude"


def bar(held: bool, what: str) -> None:
    """Print whether a bar is held."""
    print(f"  {'ok    ' if held else 'MISSED'} {what}")
    if not held:
        missed.append(what)


def addressed(url: str) -> dict[str, str]:
    """The environment that names a service, with a key."""
    if form == "openai":
        return {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "sk-test"}
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-test"}


class Program:
    """The program with a database of its own, over a service."""

    def __init__(self, folder: Path, url: str, rows: list[Row]) -> None:
        self.environment = {**os.environ, **addressed(url)}
        self.command = [sys.executable, "-m", "workbench.cli", "--db", str(folder / "hostile.db")]
        self("import", str(write_rows(folder / "rows.jsonl", rows)))

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [*self.command, *arguments], env=self.environment, capture_output=True, text=True, check=False
        )

    def propose(self, *arguments: str) -> Row:
        """Propose by Claude; its report, or what it said instead."""
        ended = self("propose", "--proposer", form, "--model", "claude-haiku-5-5", "--json", *arguments)
        if ended.stdout:
            return {**json.loads(ended.stdout), "exit": ended.returncode}
        return {"exit": ended.returncode, "said": ended.stderr.strip()}


def towns(count: int) -> list[Row]:
    """Samples of a reference and a context, all different."""
    return [
        sample(
            str(n),
            f"Town{n} lies in Land{n}. Person{n} was born there in {1000 + n}. ",
            f"Town{n} is old. Person{n} liked it.",
        )
        for n in range(count)
    ]


def money(folder: Path) -> None:
    """Forecasts and limits."""
    print("forecast against counted cost:")
    sizes = [56_000] * 2 + [1_100] * 8
    mixed = [sample(str(n), f"Town{n}. " + "old and " * size) for n, size in enumerate(sizes)]
    for name, rows, thinking, times in (
        ("200 short samples, 500 tokens of thinking a call", towns(200), 500, 1),
        ("200 short samples, 1,500 tokens of thinking a call", towns(200), 1_500, 1),
        ("2 texts of about 150,000 tokens and 8 of about 3,000", mixed, 0, 1),
    ):
        place = folder / str(abs(hash(name)))
        place.mkdir()
        with running(Options(thinking=thinking, answer_times=times)) as (_, url):
            program = Program(place, url, rows)
            foretold = program.propose("--dry-run")
            report = program.propose("--yes")
        ratio = foretold["cost"] / report["cost"]
        print(
            f"  {name}: foretold ${foretold['cost']:.4f}, counted ${report['cost']:.4f} ({ratio:.2f} times)"
        )
        for note in foretold["notes"]:
            print(f"    note: {note}")
    print("--max-cost 0.02 with answers 400 times as long as they should be, 400 samples, --yes:")
    place = folder / "limit"
    place.mkdir()
    with running(Options(answer_times=400, latency=0.1)) as (_, url):
        program = Program(place, url, towns(400))
        foretold = program.propose("--dry-run")
        report = program.propose("--yes", "--max-cost", "0.02")
        print(f"  foretold ${foretold['cost']:.4f}, counted ${report['cost']:.4f}: {report['proposed']} done")
        print(f"  {report['left']} left ({report['stopped']})")
        again = program.propose("--yes", "--max-cost", "5")
    print(f"  with 5 dollars: {again['proposed']} more, {again['left']} left, ${again['cost']:.4f} more")
    bar(report["cost"] <= 0.02 and again["left"] == 0, "it stops below the limit and goes on later")


def alone(count: int) -> Iterator[Ask]:
    """One call per text."""
    rows = (Sample(str(n), "Who?", f"Person{n} of City{n} met Person{n + 1}. " * 3, ()) for n in range(count))
    return plan(rows, Setup(), ("entity",), alone=Everything())


async def run(url: str, count: int) -> list[tuple[RunProgress, float]]:
    """A live run, and how it went on, with the peak of the memory in megabytes."""
    seen: list[tuple[RunProgress, float]] = []

    def watch(progress: RunProgress) -> None:
        seen.append((progress, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))

    async def drop(_ask: Ask, _result: Result) -> None:
        """Nothing is kept."""

    async with client_at(url, form) as client:
        await propose_all(client, Setup(), [alone(count)], drop, on_progress=watch)
    return seen


def pace(_folder: Path) -> None:
    """Rates and refusals, from the first call on."""
    rate, count = 10.0, 900
    for named in (True, False):
        for shared in (0.0, 0.05):
            met = Faults(share=shared, kinds=["429"], seed=3)
            # As the real service does: at once what ten seconds let in, then by and by.
            options = Options(rate=rate, bucket=rate, headers=named, latency=1.0, faults=met)
            options.retry_after, options.keep_bodies = "1", False
            with running(options) as (state, url):
                began = time.monotonic()
                seen = asyncio.run(run(url, count))
                took = time.monotonic() - began
            last, peak = seen[-1]
            grown = peak - max(size for progress, size in seen if progress.answered <= count / 5)
            # The last answers come a second after the last call; a whole run also starts and ends.
            share = last.answered / took / rate
            calls = state.stats.times
            middle = [at for at in calls if calls[0] + 20 <= at]
            steady = len(middle) / max(1e-9, middle[-1] - middle[0]) / rate if len(middle) > 1 else 0.0
            refused = state.stats.statuses[429] / state.stats.requests
            print(
                f"limits {'named' if named else 'not named'}, {shared:.0%} refused for others: "
                f"{last.answered} answers in {took:.0f} s, {share:.1%} of {rate:g}/s "
                f"({steady:.1%} after 20 s), {refused:.2%} refused"
            )
            if not shared:
                bar(share >= 0.9, "at least 90 % of the limit, from the first call to the last answer")
                bar(refused < 0.02, "under 2 % refused")
            else:
                bar(share >= 0.5, "at least half of the limit")
            bar(grown < 20, f"memory grew by {grown:.0f} MB, of 20 at most")


PARTS: dict[str, Callable[[Path], None]] = {"money": money, "pace": pace}


def main(names: list[str]) -> int:
    """Run some parts, each in a folder of its own."""
    global form
    form = "openai" if "openai" in names else form
    for name in [name for name in names if name != "openai"] or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](Path(folder))
    print("all bars are held" if not missed else f"{len(missed)} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
