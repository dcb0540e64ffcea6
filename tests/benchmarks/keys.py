"""From a key to its painted frame in a review, against a bare Textual app that repaints and commits.

Both are processes in a pseudo-terminal, each waits in silence before a key, and the keys alternate
between them. The bare app repaints as many rows as ours does for that key and makes one FULL commit (WAL)
in a thread before it repaints. A key counts when the frame that shows its result has ended: for `a` that
is the next sample's. The bar is 2 for the median and for the 95th percentile.

    python tests/benchmarks/keys.py [--samples 10000] [--presses 40] [--rounds 5] [--size 120x36]
"""

from __future__ import annotations

import argparse
import re
import shutil
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from tests.benchmarks.many_samples import database, environment
from tests.benchmarks.pty_app import FRAME_END, PtyApp, frames, installed

BARE = """
import asyncio, sqlite3, sys
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widget import Widget

raw = sqlite3.connect(sys.argv[1], check_same_thread=False)
raw.execute("PRAGMA journal_mode=WAL")
raw.execute("PRAGMA synchronous=FULL")
raw.execute("CREATE TABLE decision (id INTEGER PRIMARY KEY, said TEXT)")


def commit(number):
    raw.execute("INSERT INTO decision (said) VALUES (?)", (f"decision {number}",))
    raw.commit()


class Rows(Widget):
    number = 0
    DEFAULT_CSS = "Rows { height: 1fr; }"

    def __init__(self, rows):
        super().__init__()
        self.rows = rows
        self.styles.height = rows

    def render(self) -> Content:
        return Content.assemble(*(
            part
            for row in range(self.rows)
            for part in ((f"{self.number:>6} ", "bold"), ((f"row {row} of step {self.number} " * 8)[:104], ""), "\\n")
        ))


class Bare(App[None]):
    def compose(self) -> ComposeResult:
        yield Rows(int(sys.argv[2]))

    async def on_key(self) -> None:
        rows = self.query_one(Rows)
        await asyncio.to_thread(commit, rows.number)
        rows.number += 1
        rows.refresh()


Bare().run()
"""
POSITION = re.compile(rb"\x1b\[(\d+);\d+H")


@dataclass(frozen=True, slots=True)
class Case:
    """A key to measure: what it is called, the keys to press in turn, and what each one's frame shows."""

    name: str
    keys: tuple[bytes, ...]
    shows: tuple[bytes | None, ...]


def rows_of(output: bytes) -> int:
    """How many terminal rows the frames of an output touch."""
    return len({int(row) for frame in frames(output) for row in POSITION.findall(frame)})


class Measured:
    """Seconds of each press, and presses that brought no frame."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.missed = 0

    def press(self, app: PtyApp, key: bytes, shows: bytes | None) -> bytes:
        """Press once and note it."""
        pressed = app.press(key, until=shows)
        if pressed.seconds is None:
            self.missed += 1
        else:
            self.seconds.append(pressed.seconds)
        return pressed.output

    def at(self, share: float) -> float:
        """The quantile, in seconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def order_of(path: Path) -> list[str]:
    """The ids of undecided samples in queue order."""
    with closing(sqlite3.connect(path)) as raw:
        query = "SELECT key FROM sample WHERE id NOT IN (SELECT sample_id FROM review) ORDER BY u LIMIT 5000"
        return [key for (key,) in raw.execute(query)]


def cases(order: list[str], rounds: int, presses: int) -> Iterator[list[Case]]:
    """The cases of each round; `a` goes on where the round before ended, `u` takes back half of it."""
    at = 0
    for _ in range(rounds):
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
        at += presses


def measure(case: Case, app: PtyApp, folder: Path, presses: int) -> tuple[Measured, Measured, int]:
    """The two apps' times for one case, pressed in turn, and the rows that ours touched."""
    ours, bare = Measured(), Measured()
    touched: list[int] = []
    steps = list(zip(case.keys, case.shows, strict=True))
    if len(steps) < presses:  # a pair of keys that undo each other: the first press tells how many rows
        for key, shows in steps:
            touched.append(rows_of(app.press(key, until=shows).output))
    rows = max(1, round(statistics.median(touched))) if touched else 30
    peer = folder / f"bare-{case.name[:1]}.db"
    for file in (peer, Path(f"{peer}-wal"), Path(f"{peer}-shm")):
        file.unlink(missing_ok=True)
    program = folder / "bare.py"
    program.write_text(BARE, "utf-8")
    with PtyApp([sys.executable, str(program), str(peer), str(rows)], environment=environment()) as other:
        other.wait_for(FRAME_END)
        other.press(b"w")
        for (key, shows), _ in zip(cycle(steps), range(presses), strict=False):
            touched.append(rows_of(ours.press(app, key, shows)))
            bare.press(other, b"w", None)
    return ours, bare, round(statistics.median(touched))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--presses", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", default="120x36")
    options = parser.parse_args()
    width, _, height = options.size.partition("x")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / "samples.db"
        shutil.copy(database(options.samples), copy)
        order = order_of(copy)
        command = [installed(), "--db", str(copy), "--as", "ann", "review"]
        found: dict[str, list[tuple[Measured, Measured, int]]] = {}
        with PtyApp(command, size=(int(width), int(height)), environment=environment()) as app:
            app.wait_for(order[0])
            app.quiet(1.5)
            app.press(b"\r", until=b"Entities")
            for round_cases in cases(order, options.rounds, options.presses):
                for case in round_cases:
                    found.setdefault(case.name, []).append(measure(case, app, folder, options.presses))
    print(
        f"{options.samples:,} samples, {options.size}, {options.rounds} rounds of {options.presses} presses"
    )
    for name, rounds in found.items():
        medians = statistics.median(ours.at(0.5) / bare.at(0.5) for ours, bare, _ in rounds)
        tails = statistics.median(ours.at(0.95) / bare.at(0.95) for ours, bare, _ in rounds)
        print(
            f"{name:<22} {statistics.median(rows for *_, rows in rounds):>3.0f} rows; "
            f"median {1e3 * statistics.median(ours.at(0.5) for ours, *_ in rounds):5.1f} ms "
            f"(bare {1e3 * statistics.median(bare.at(0.5) for _, bare, _ in rounds):5.1f}), ratio {medians:.2f}; "
            f"p95 {1e3 * statistics.median(ours.at(0.95) for ours, *_ in rounds):5.1f} ms, ratio {tails:.2f}; "
            f"no frame {sum(ours.missed for ours, *_ in rounds)} (bare {sum(bare.missed for _, bare, _ in rounds)})"
        )
    print("bar: 2 for the median and for p95")


if __name__ == "__main__":
    main()
