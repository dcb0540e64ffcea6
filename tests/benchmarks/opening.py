"""How fast the queue opens, against a bare Textual app in the same run, and what memory it takes.

Both are processes in a pseudo-terminal. A frame counts when its text has been read: "opening" or the
head for the first frame, the id of the sample under the cursor for the rows, whose keys the app takes once
the annotator's name stands in the head ("open"). Bars: first frame at most
2 times, rows at most 3.5 times the bare app's first frame; rows no later with ten times the samples;
150 MB with the most samples.

    python tests/benchmarks/opening.py [--samples 100000 1000000] [--rounds 9]
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.many_samples import FOLDER, database, environment, first_key
from tests.benchmarks.pty_app import PtyApp, installed

BARE = """
from textual.app import App, ComposeResult
from textual.widgets import Footer, Header, Static


class Bare(App[None]):
    BINDINGS = [("q", "quit", "Quit")]

    def compose(self) -> ComposeResult:
        yield Header()
        yield Static("the first frame is here")
        yield Footer()


Bare().run()
"""
PAGES = 40


class Point(NamedTuple):
    """When something was on the screen: seconds since the start, and seconds of CPU until then."""

    wall: float
    cpu: float


def bare(program: Path) -> Point:
    """The bare app's first frame."""
    with PtyApp([sys.executable, str(program)], environment=environment()) as app:
        return Point(app.wait_for("the first frame is here"), app.cpu_seconds())


def ours(path: Path, key: str) -> tuple[Point, Point, Point]:
    """The first frame, the rows, and the dataset open for keys."""
    with PtyApp([installed(), "--db", str(path), "--as", "ann", "review"], environment=environment()) as app:
        first = Point(app.wait_for("Workbench"), app.cpu_seconds())
        rows = Point(app.wait_for(key), app.cpu_seconds())
        return first, rows, Point(app.wait_for("as ann"), app.cpu_seconds())


def memory(path: Path, key: str) -> tuple[float, float]:
    """Resident megabytes when the rows are there, and after paging through the list."""
    with PtyApp([installed(), "--db", str(path), "--as", "ann", "review"], environment=environment()) as app:
        app.wait_for("as ann")
        app.quiet(0.5)
        opened = app.megabytes()
        for keys in (b"\x1b[6~" * PAGES, b"G", b"\x1b[5~" * PAGES, b"g", b"v"):
            app.write(keys)
            app.quiet(0.5)
        return opened, app.megabytes()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()

    paths = {number: database(number) for number in options.samples}
    keys = {number: first_key(path) for number, path in paths.items()}
    program = FOLDER / "bare.py"
    program.write_text(BARE, "utf-8")
    bare(program)
    for number, path in paths.items():
        ours(path, keys[number])  # byte code is compiled, the files are read once

    floors: list[Point] = []
    times: dict[int, list[tuple[Point, Point, Point]]] = {number: [] for number in paths}
    for _ in range(options.rounds):
        floors.append(bare(program))
        for number, path in paths.items():
            times[number].append(ours(path, keys[number]))
    print(f"{options.rounds} rounds; bare Textual app {statistics.median(one.wall for one in floors):.3f} s")
    for number, pairs in times.items():
        for name, column, bar in (("first frame", 0, ", bar 2"), ("rows", 1, ", bar 3.5"), ("open", 2, "")):
            ours_now = [pair[column] for pair in pairs]
            wall = statistics.median(
                one.wall / floor.wall for one, floor in zip(ours_now, floors, strict=True)
            )
            cpu = statistics.median(one.cpu / floor.cpu for one, floor in zip(ours_now, floors, strict=True))
            seconds = statistics.median(one.wall for one in ours_now)
            print(
                f"{number:>9,} samples, {name:<11} {seconds:.3f} s, "
                f"median ratio {wall:.2f} (of CPU {cpu:.2f}{bar})"
            )
    for number, path in paths.items():
        opened, paged = memory(path, keys[number])
        print(f"{number:>9,} samples: {opened:.0f} MB with the rows, {paged:.0f} MB after paging (bar 150)")


if __name__ == "__main__":
    main()
