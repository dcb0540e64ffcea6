"""From a key to its painted frame in a review, against a bare Textual app that repaints and commits.

Both are processes in a pseudo-terminal, each waits in silence before a key, and the keys alternate
between them. The bare app is a screen of rows, each a Static; it makes one FULL commit (WAL) in a thread and
then repaints as many rows as ours has painted for that key.
A key counts when the frame that shows its result has ended: for `a` that is the next sample's. The bar is
2.5 times the bare app and 40 ms, for the median.

With --proposing a run goes on in our app meanwhile, against the local service in a third process: started by
keys, RATE requests a second, far from done when the last key is pressed.

At the end the threshold is moved over the whole dataset; the bar of a move is 100 ms at 100,000 samples.

    python -m tests.benchmarks.keys [--samples 10000] [--presses 40] [--rounds 5] [--size 120x36]
        [--proposing RATE]
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from tests.benchmarks.harness import options as options_of, quantile, size_of
from tests.benchmarks.many_samples import database, environment, order_of
from tests.benchmarks.pty_app import PtyApp, frames, installed
from workbench.model import Sample

BARE = """
import asyncio, sqlite3, sys
from textual.app import App, ComposeResult
from textual.content import Content
from textual.events import Key
from textual.widgets import Static

raw = sqlite3.connect(sys.argv[1], check_same_thread=False)
raw.execute("PRAGMA journal_mode=WAL")
raw.execute("PRAGMA synchronous=FULL")
raw.execute("CREATE TABLE decision (id INTEGER PRIMARY KEY, said TEXT)")


def commit(number):
    raw.execute("INSERT INTO decision (said) VALUES (?)", (f"decision {number}",))
    raw.commit()


def words(y, number):
    return f"row {y} of step {number} " * 5


class Bare(App[None]):
    number = 0

    def compose(self) -> ComposeResult:
        yield from (Static(words(y, 0), id=f"row{y}") for y in range(self.size.height))

    async def on_key(self, event: Key) -> None:
        self.number += 1
        await asyncio.to_thread(commit, self.number)
        for y in range(ord(event.character) - 0x30):
            text = Content.assemble((f"{self.number:>6} ", "bold"), words(y, self.number))
            self.query_one(f"#row{y}", Static).update(text, layout=False)


Bare().run()
"""
POSITION = re.compile(rb"\x1b\[(\d+);\d+H")


@dataclass(frozen=True, slots=True)
class Case:
    """Keys to press in turn, again and again, and what the awaited frame of each one holds."""

    name: str
    keys: tuple[bytes, ...]
    shows: tuple[bytes | None, ...]


class Measured:
    """Seconds of each press, and presses that brought no frame."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.missed = 0

    def press(self, app: PtyApp, key: bytes, shows: bytes | None = None) -> bytes:
        """Press once and note it."""
        pressed = app.press(key, until=shows)
        if pressed.seconds is None:
            self.missed += 1
        else:
            self.seconds.append(pressed.seconds)
        return pressed.output


@dataclass(frozen=True, slots=True)
class Round:
    """One case measured once: ours, the bare app, and the median of the rows that ours painted."""

    ours: Measured
    bare: Measured
    rows: float


def rows_of(output: bytes) -> int:
    """How many terminal rows the frames of an output touch."""
    return len({int(row) for frame in frames(output) for row in POSITION.findall(frame)})


def cases(order: list[str], rounds: int, presses: int) -> Iterator[list[Case]]:
    """The cases of each round; accepts go on where the round before ended, undos take them back once."""
    for at in range(0, rounds * presses, presses):
        ahead = tuple(key.encode() for key in order[at + 1 : at + 1 + presses])
        back = tuple(key.encode() for key in reversed(order[at : at + presses]))
        yield [
            Case("j k  move", (b"j", b"k"), (None, None)),
            Case("x    reject, restore", (b"x", b"x"), (b"rejected", b"restored")),
            Case("m    found, missing", (b"m", b"m"), (b" is ", b" is ")),
            Case("a    accept, next", (b"a",) * presses, ahead),
            Case("u    undo, go there", (b"u",) * presses, back),
            Case("a    again", (b"a",) * presses, ahead),
        ]


def measure(case: Case, app: PtyApp, bare: PtyApp, presses: int) -> Round:
    """The times of both apps for one case, pressed in turn."""
    ours, theirs = Measured(), Measured()
    painted: list[int] = []
    for key, shows in islice(cycle(zip(case.keys, case.shows, strict=True)), presses):
        painted.append(rows_of(ours.press(app, key, shows)))
        theirs.press(bare, chr(0x30 + painted[-1]).encode())
    return Round(ours, theirs, statistics.median(painted))


def report(name: str, rounds: list[Round]) -> None:
    """Medians over the rounds, of the seconds and of their ratios."""
    print(f"{name}, {statistics.median(one.rows for one in rounds):.0f} rows")
    for word, share in (("median", 0.5), ("p95", 0.95)):
        pairs = [(quantile(share, one.ours.seconds), quantile(share, one.bare.seconds)) for one in rounds]
        ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(one / other for one, other in pairs)
        print(f"    {word:<6} {1e3 * ours:5.1f} ms   bare {1e3 * theirs:5.1f} ms, ratio {ratio:.2f}")
    missed, theirs_missed = sum(one.ours.missed for one in rounds), sum(one.bare.missed for one in rounds)
    if missed or theirs_missed:
        print(f"    no frame: {missed}, bare {theirs_missed}")


@contextmanager
def service(rate: float) -> Iterator[str]:
    """The local service in a process of its own; its address."""
    command = [sys.executable, "-m", "tests.proposing.claude.server", "--port", "0"]
    command += ["--rate", str(rate), "--bucket", str(max(1.0, rate)), "--latency", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            server.terminate()


def part(path: Path) -> None:
    """Give every sample texts of its own, or 500 of them would answer for all within the first seconds."""
    with closing(sqlite3.connect(path)) as raw, raw:
        rows = raw.execute("SELECT id, key, user_input, reference, retrieved_contexts FROM sample").fetchall()
        for number, key, question, reference, contexts in rows:
            texts = tuple(f"{text} ({number})" for text in json.loads(contexts))
            sample = Sample(key, question, f"{reference} ({number})", texts)
            raw.execute(
                "UPDATE sample SET reference = ?, retrieved_contexts = ?, reference_hash = ?, "
                "content_hash = ? WHERE id = ?",
                (
                    sample.reference, json.dumps(texts), sample.reference_hash, sample.content_hash, number,
                ),
            )  # fmt: skip
            raw.execute(
                "UPDATE proposal SET content_hash = ? WHERE sample_id = ?", (sample.content_hash, number)
            )


def start_run(app: PtyApp) -> None:
    """From the queue to the runs, start one, and back once it has answers."""
    app.press(b"R", until=b"claude", seconds=10)
    app.press(b"n", until=b"model", seconds=10)
    at = len(app.output)
    app.write(b"\r")
    app.wait_for("samples to propose", start=at)
    app.quiet(0.5)
    app.write(b"y")
    app.wait_for("in flight", start=at)
    app.write(b"\x1b")
    time.sleep(5)
    app.read(0.1)


def answers(path: Path) -> int:
    """How many calls are answered and stored."""
    with closing(sqlite3.connect(path)) as raw:
        return int(raw.execute("SELECT count(*) FROM call").fetchone()[0])


def main() -> None:
    options = options_of(__doc__, samples=10_000, presses=40, rounds=5, size="120x36", proposing=0.0)
    size = size_of(options.size)
    found: dict[str, list[Round]] = {}
    with tempfile.TemporaryDirectory() as name:
        copy, program = Path(name, "samples.db"), Path(name, "bare.py")
        shutil.copy(database(options.samples), copy)
        program.write_text(BARE, "utf-8")
        order = order_of(copy, 5000)
        command = [installed(), "--db", str(copy), "--as", "ann", "review"]
        with ExitStack() as stack:
            own = dict(environment())
            if options.proposing:
                with closing(sqlite3.connect(copy)) as raw, raw:
                    raw.execute("UPDATE dataset SET external = 'allow'")
                part(copy)
                own["ANTHROPIC_BASE_URL"] = stack.enter_context(service(options.proposing))
                own["ANTHROPIC_API_KEY"] = "test"
            app = stack.enter_context(PtyApp(command, size=size, environment=own))
            command = [sys.executable, str(program), str(Path(name, "bare.db"))]
            bare = stack.enter_context(PtyApp(command, size=size, environment=environment()))
            app.wait_for(order[0])
            app.quiet(1.5)
            if options.proposing:
                start_run(app)
                answered, since = answers(copy), time.perf_counter()
            app.press(b"\r", until=b"Entities")
            bare.wait_for("step 0")
            bare.press(b"1")
            for round_cases in cases(order, options.rounds, options.presses):
                for case in round_cases:
                    found.setdefault(case.name, []).append(measure(case, app, bare, options.presses))
            if options.proposing:
                answered, since = answers(copy) - answered, time.perf_counter() - since
                print(f"meanwhile {answered} answers were stored, {answered / since:.1f} a second")
            app.press(b"\x1b", until=b"Enter")
            app.press(b"K", until=b"match threshold", seconds=60)
            app.quiet(1.5)
            moved = Case("← →  threshold", (b"\x1b[D", b"\x1b[C"), (None, None))
            for _ in range(options.rounds):
                found.setdefault(moved.name, []).append(measure(moved, app, bare, options.presses))
    print(
        f"{options.samples:,} samples, {options.size}, {options.rounds} rounds of {options.presses} presses"
    )
    for name, rounds in found.items():
        report(name, rounds)
    print("bar: a ratio of 2.5 to the bare app, and 40 ms, for the median")


if __name__ == "__main__":
    main()
