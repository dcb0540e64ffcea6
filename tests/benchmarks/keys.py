"""From a key to its painted frame in a review, against a bare Textual app that repaints and commits.

Both are processes in a pseudo-terminal, each waits in silence before a key, and the keys alternate
between them. The bare app, a screen of rows drawn by the line API, makes one FULL commit (WAL) in a thread
and then repaints as many rows as ours has painted for that key. A key counts when the frame that shows its
result has ended: for `a` that is the next sample's. The bar is 2 for the median and the 95th percentile.

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
from itertools import cycle, islice
from pathlib import Path

from tests.benchmarks.many_samples import database, environment
from tests.benchmarks.pty_app import PtyApp, frames, installed

BARE = """
import asyncio, sqlite3, sys
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.events import Key
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

BOLD, PLAIN = Style(bold=True), Style()
raw = sqlite3.connect(sys.argv[1], check_same_thread=False)
raw.execute("PRAGMA journal_mode=WAL")
raw.execute("PRAGMA synchronous=FULL")
raw.execute("CREATE TABLE decision (id INTEGER PRIMARY KEY, said TEXT)")


def commit(number):
    raw.execute("INSERT INTO decision (said) VALUES (?)", (f"decision {number}",))
    raw.commit()


class Rows(Widget):
    DEFAULT_CSS = "Rows { height: 1fr; }"
    number = 0

    def render_line(self, y: int) -> Strip:
        row = [Segment(f"{self.number:>6} ", BOLD), Segment(f"row {y} of step {self.number} " * 8, PLAIN)]
        return Strip(row).adjust_cell_length(self.size.width)


class Bare(App[None]):
    def compose(self) -> ComposeResult:
        yield Rows()

    async def on_key(self, event: Key) -> None:
        rows = self.query_one(Rows)
        await asyncio.to_thread(commit, rows.number)
        rows.number += 1
        rows.refresh(Region(0, 0, rows.size.width, ord(event.character) - 0x30))


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

    def at(self, share: float) -> float:
        """The quantile, in seconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


Round = tuple[Measured, Measured, float]


def rows_of(output: bytes) -> int:
    """How many terminal rows the frames of an output touch."""
    return len({int(row) for frame in frames(output) for row in POSITION.findall(frame)})


def order_of(path: Path) -> list[str]:
    """The ids of undecided samples in queue order."""
    with closing(sqlite3.connect(path)) as raw:
        query = "SELECT key FROM sample WHERE id NOT IN (SELECT sample_id FROM review) ORDER BY u LIMIT 5000"
        return [key for (key,) in raw.execute(query)]


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
    """The two apps' times for one case, pressed in turn, and the rows that ours painted."""
    ours, theirs = Measured(), Measured()
    painted: list[int] = []
    for key, shows in islice(cycle(zip(case.keys, case.shows, strict=True)), presses):
        painted.append(rows_of(ours.press(app, key, shows)))
        theirs.press(bare, chr(0x30 + painted[-1]).encode())
    return ours, theirs, statistics.median(painted)


def report(name: str, rounds: list[Round]) -> None:
    """Medians over the rounds, of the seconds and of their ratios."""
    rows = statistics.median(one[2] for one in rounds)
    line = f"{name:<20} {rows:>3.0f} rows"
    for word, share in (("median", 0.5), ("p95", 0.95)):
        ours = 1e3 * statistics.median(one.at(share) for one, *_ in rounds)
        theirs = 1e3 * statistics.median(one.at(share) for _, one, _ in rounds)
        ratio = statistics.median(one.at(share) / bare.at(share) for one, bare, _ in rounds)
        line += f"  {word} {ours:5.1f} ms, bare {theirs:5.1f}, ratio {ratio:.2f}"
    missed = sum(one.missed for one, *_ in rounds), sum(bare.missed for _, bare, _ in rounds)
    print(f"{line}  no frame: {missed[0]}, bare {missed[1]}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--presses", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", default="120x36")
    options = parser.parse_args()
    width, _, height = options.size.partition("x")
    size = int(width), int(height)

    found: dict[str, list[Round]] = {}
    with tempfile.TemporaryDirectory() as name:
        copy, program = Path(name, "samples.db"), Path(name, "bare.py")
        shutil.copy(database(options.samples), copy)
        program.write_text(BARE, "utf-8")
        order = order_of(copy)
        command = [installed(), "--db", str(copy), "--as", "ann", "review"]
        peer = [sys.executable, str(program), str(Path(name, "bare.db"))]
        with (
            PtyApp(command, size=size, environment=environment()) as app,
            PtyApp(peer, size=size, environment=environment()) as bare,
        ):
            app.wait_for(order[0])
            app.quiet(1.5)
            app.press(b"\r", until=b"Entities")
            bare.wait_for("step 0")
            bare.press(b"0")
            for round_cases in cases(order, options.rounds, options.presses):
                for case in round_cases:
                    found.setdefault(case.name, []).append(measure(case, app, bare, options.presses))
    print(
        f"{options.samples:,} samples, {options.size}, {options.rounds} rounds of {options.presses} presses"
    )
    for name, rounds in found.items():
        report(name, rounds)
    print("bar: a ratio of 2, for the median and for p95")


if __name__ == "__main__":
    main()
