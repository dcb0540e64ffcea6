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

import json
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks.harness import medians, options as options_of, quantile, served, size_of
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


class Case(NamedTuple):
    """Keys to press in turn, again and again, and what the awaited frame of each one holds."""

    name: str
    keys: Sequence[bytes]
    shows: Sequence[bytes | None]


class Round(NamedTuple):
    """One case measured once: seconds of each press, None without a frame, and the rows that ours painted."""

    ours: list[float | None]
    bare: list[float | None]
    rows: list[int]


def rows_of(output: bytes) -> int:
    """How many terminal rows the frames of an output touch."""
    return len({int(row) for frame in frames(output) for row in POSITION.findall(frame)})


def cases(order: list[str], rounds: int, presses: int) -> Iterator[list[Case]]:
    """The cases of each round; accepts go on where the round before ended, undos take them back once."""
    for at in range(0, rounds * presses, presses):
        ahead = [key.encode() for key in order[at + 1 : at + 1 + presses]]
        back = [key.encode() for key in reversed(order[at : at + presses])]
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
    found = Round([], [], [])
    for key, shows in islice(cycle(zip(case.keys, case.shows, strict=True)), presses):
        pressed = app.press(key, until=shows)
        found.ours.append(pressed.seconds)
        found.rows.append(rows_of(pressed.output))
        found.bare.append(bare.press(chr(0x30 + found.rows[-1]).encode()).seconds)
    return found


def report(name: str, rounds: list[Round]) -> None:
    """Medians over the rounds, of the seconds and of their ratios."""
    print(f"{name}, {median(median(one.rows) for one in rounds):.0f} rows")
    for word, share in (("median", 0.5), ("p95", 0.95)):
        pairs = [(quantile(share, filter(None, a)), quantile(share, filter(None, b))) for a, b, _ in rounds]
        ours, theirs, ratio = medians(pairs)
        print(f"    {word:<6} {1e3 * ours:5.1f} ms   bare {1e3 * theirs:5.1f} ms, ratio {ratio:.2f}")
    missed, theirs_missed = sum(a.count(None) for a, _, _ in rounds), sum(b.count(None) for _, b, _ in rounds)
    if missed or theirs_missed:
        print(f"    no frame: {missed}, bare {theirs_missed}")


def part(path: Path) -> None:
    """Give every sample texts of its own, or 500 of them would answer for all within the first seconds."""
    with closing(sqlite3.connect(path)) as raw, raw:
        rows = raw.execute("SELECT id, key, user_input, reference, retrieved_contexts FROM sample").fetchall()
        for number, key, question, reference, contexts in rows:
            texts = tuple(f"{text} ({number})" for text in json.loads(contexts))
            sample = Sample(key, question, f"{reference} ({number})", texts)
            hashes = sample.reference_hash, sample.content_hash
            raw.execute(
                "UPDATE sample SET reference = ?, retrieved_contexts = ?, reference_hash = ?, "
                "content_hash = ? WHERE id = ?",
                (sample.reference, json.dumps(texts), *hashes, number),
            )
            raw.execute("UPDATE proposal SET content_hash = ? WHERE sample_id = ?", (hashes[1], number))


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
        with ExitStack() as stack:
            own = dict(environment())
            if options.proposing:
                with closing(sqlite3.connect(copy)) as raw, raw:
                    raw.execute("UPDATE dataset SET external = 'allow'")
                part(copy)
                command = [sys.executable, "-m", "tests.proposing.claude.server", "--port", "0"]
                command += ["--rate", f"{options.proposing}", "--latency", "1"]
                command += ["--bucket", f"{max(1.0, options.proposing)}"]
                url, _ = stack.enter_context(served(*command))
                own |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "test"}
            command = [installed(), "--db", str(copy), "--as", "ann", "review"]
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
