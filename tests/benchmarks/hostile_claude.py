"""The program against a hostile local service: what it pays, and how fast it is.

    python -m tests.benchmarks.hostile_claude [--form openai] [--part money]

money:  the forecast against the counted cost, for short and long texts.
pace:   calls a second against the limit of the service, named and not, alone and with 5 % refusals that
        somebody else causes. Bars: 90 % of the limit and under 2 % refused when alone, half of it otherwise;
        the peak of the memory grows by less than 20 MB from a fifth of a run to its end.

What limits, faults, kills and dead addresses do to a run is tested: tests/stages/claude_storm.py and
test_claude.py. With `--form openai` the service speaks OpenAI's form. Without a part both are run.
Ends with 1 when a bar is missed.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product

from tests.benchmarks.harness import PROGRAM, options as options_of
from tests.proposing.claude.conftest import Everything, client_at, propose_all
from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Options, running
from tests.rows import Row, sample, town, write_rows
from workbench.model import Sample
from workbench.proposing.claude.answers import Result
from workbench.proposing.claude.asks import Ask, Setup, plan
from workbench.proposing.claude.run import RunProgress


def bar(held: bool, what: str) -> bool:
    """Print whether a bar is held."""
    print(f"  {'ok    ' if held else 'MISSED'} {what}")
    return held


def cost(form: str, rows: list[Row], thinking: int) -> Iterator[float]:
    """What proposing would cost, and what it cost then."""
    with tempfile.TemporaryDirectory() as folder, running(Options(thinking=thinking)) as (_, url):
        names = {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1"}
        own = os.environ | names | {"ANTHROPIC_API_KEY": "sk-test", "OPENAI_API_KEY": "sk-test"}
        command = [*PROGRAM, "--db", f"{folder}/hostile.db"]
        source = write_rows(f"{folder}/rows.jsonl", rows)
        subprocess.run([*command, "import", source], env=own, check=True, capture_output=True)
        command += ["propose", "--proposer", form, "--model", "claude-haiku-5-5", "--json"]
        for how in ("--dry-run", "--yes"):
            ended = subprocess.run([*command, how], env=own, check=True, capture_output=True)
            told = json.loads(ended.stdout)
            yield told.get("progress", told)["cost"]


def money(form: str) -> bool:
    """Forecasts."""
    short = [town(number) for number in range(200)]
    sizes = [56_000] * 2 + [1_100] * 8
    mixed = [sample(f"{n}", f"Town{n}. " + "old and " * size) for n, size in enumerate(sizes)]
    print("forecast against counted cost:")
    for name, rows, thinking in (
        ("200 short samples, 500 tokens of thinking a call", short, 500),
        ("200 short samples, 1,500 tokens of thinking a call", short, 1_500),
        ("2 texts of about 150,000 tokens and 8 of about 3,000", mixed, 0),
    ):
        foretold, counted = cost(form, rows, thinking)
        print(f"  {name}: foretold ${foretold:.4f}, counted ${counted:.4f} ({foretold / counted:.2f} times)")
    return True


def alone(count: int) -> Iterator[Ask]:
    """One call per text."""
    rows = (Sample(str(n), "Who?", f"Person{n} of City{n} met Person{n + 1}. " * 3, ()) for n in range(count))
    return plan(rows, Setup(), ("entity",), alone=Everything())


async def run(form: str, url: str, count: int) -> list[tuple[RunProgress, float]]:
    """A live run, and how it went on, with the peak of the memory in megabytes."""
    seen: list[tuple[RunProgress, float]] = []

    def watch(progress: RunProgress) -> None:
        seen.append((progress, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))

    async def drop(_ask: Ask, _result: Result) -> None:
        """Nothing is kept."""

    async with client_at(url, form) as client:
        await propose_all(client, Setup(), [alone(count)], drop, on_progress=watch)
    return seen


def pace(form: str) -> bool:
    """Rates and refusals, from the first call on."""
    rate, count, held = 10.0, 900, []
    for named, shared in product((True, False), (0.0, 0.05)):
        met = Faults(share=shared, kinds=["429"], seed=3)
        # As the real service does: at once what ten seconds let in, then by and by.
        options = Options(rate=rate, bucket=rate, headers=named, latency=1.0, faults=met)
        options.retry_after, options.keep_bodies = "1", False
        with running(options) as (state, url):
            began = time.monotonic()
            seen = asyncio.run(run(form, url, count))
            took = time.monotonic() - began
        last, peak = seen[-1]
        grown = peak - max(size for progress, size in seen if progress.answered <= count / 5)
        # The last answers come a second after the last call; a whole run also starts and ends.
        share = last.answered / took / rate
        middle = [at for at in state.stats.times if state.stats.times[0] + 20 <= at]
        steady = len(middle) / max(1e-9, middle[-1] - middle[0]) / rate if len(middle) > 1 else 0.0
        refused = state.stats.statuses[429] / state.stats.requests
        print(
            f"limits {'named' if named else 'not named'}, {shared:.0%} refused for others: "
            f"{last.answered} answers in {took:.0f} s, {share:.1%} of {rate:g}/s "
            f"({steady:.1%} after 20 s), {refused:.2%} refused"
        )
        if shared:
            held.append(bar(share >= 0.5, "at least half of the limit"))
        else:
            held.append(
                bar(share >= 0.9, "at least 90 % of the limit, from the first call to the last answer")
            )
            held.append(bar(refused < 0.02, "under 2 % refused"))
        held.append(bar(grown < 20, f"memory grew by {grown:.0f} MB, of 20 at most"))
    return all(held)


def main() -> int:
    given = options_of(__doc__, form="claude", part="")
    parts = {"money": money, "pace": pace}
    held = [parts[name](given.form) for name in ([given.part] if given.part else parts)]
    print("all bars are held" if all(held) else "a bar is missed")
    return int(not all(held))


if __name__ == "__main__":
    sys.exit(main())
