"""How fast the program starts and the queue opens, against bare programs in the same run, and the memory.

`--help` is set against a Typer program of one command that shows its help, in CPU seconds; the bar is 1.6.

The queue and a bare Textual app are processes in a pseudo-terminal. A frame counts when its text has been
read: the head for the first frame, a question for the rows, and the id for the sample next to them, whose
text is read when the cursor has rested. Bars: first frame at most 2 times, rows at most 3.5 times the bare
app's first frame; rows no later with ten times the samples; 150 MB with the most samples.

    python tests/benchmarks/opening.py [--samples 100000 1000000] [--rounds 9]
"""

import statistics
import sys
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.harness import medians, options, process
from tests.benchmarks.many_samples import FOLDER, database, environment, order_of
from tests.benchmarks.pty_app import PtyApp, installed

HELP = """
import typer

app = typer.Typer(add_completion=False)


@app.command()
def main(name: str = "you") -> None:
    'Say hello.'
    print(name)


app()
"""
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


def ours(path: Path, key: str) -> list[Point]:
    """The first frame, the rows, and the sample next to them."""
    with PtyApp([installed(), "--db", str(path), "--as", "ann", "review"], environment=environment()) as app:
        return [Point(app.wait_for(text), app.cpu_seconds()) for text in ("Workbench", "Which", key)]


def memory(path: Path) -> tuple[float, float]:
    """Resident megabytes when the rows are there, and after paging through the list."""
    with PtyApp([installed(), "--db", str(path), "--as", "ann", "review"], environment=environment()) as app:
        app.wait_for("as ann")
        app.quiet(0.5)
        opened = app.megabytes()
        for keys in (b"\x1b[6~" * PAGES, b"\x1b[F", b"\x1b[5~" * PAGES, b"\x1b[H", b"v"):
            app.write(keys)
            app.quiet(0.5)
        return opened, app.megabytes()


def main() -> None:
    given = options(__doc__, samples=[100_000, 1_000_000], rounds=9)
    FOLDER.mkdir(exist_ok=True)
    typer = FOLDER / "typer_help.py"
    typer.write_text(HELP, "utf-8")
    ours_help, bare_help = [installed(), "--help"], [sys.executable, str(typer), "--help"]
    process(ours_help)  # byte code is compiled once
    helps = [(process(ours_help).cpu, process(bare_help).cpu) for _ in range(given.rounds)]
    mine, theirs, ratio = medians(helps)
    print(f"--help {mine:.3f} s CPU, floor {theirs:.3f} s, ratio {ratio:.2f} (bar 1.6)")

    paths = {number: database(number) for number in given.samples}
    keys = {number: order_of(path)[0] for number, path in paths.items()}
    program = FOLDER / "bare.py"
    program.write_text(BARE, "utf-8")
    bare(program)
    for number, path in paths.items():
        ours(path, keys[number])  # byte code is compiled, the files are read once

    floors: list[Point] = []
    times: dict[int, list[list[Point]]] = {number: [] for number in paths}
    for _ in range(given.rounds):
        floors.append(bare(program))
        for number, path in paths.items():
            times[number].append(ours(path, keys[number]))
    print(f"{given.rounds} rounds; bare Textual app {statistics.median(one.wall for one in floors):.3f} s")
    for number, points in times.items():
        for column, name in enumerate(("first frame, bar 2", "rows, bar 3.5", "sample")):
            pairs = [(point[column], floor) for point, floor in zip(points, floors, strict=True)]
            seconds, _, wall = medians([(one.wall, floor.wall) for one, floor in pairs])
            _, _, cpu = medians([(one.cpu, floor.cpu) for one, floor in pairs])
            ratios = f"median ratio {wall:.2f} (of CPU {cpu:.2f})"
            print(f"{number:>9,} samples, {name:<18} {seconds:.3f} s, {ratios}")
    for number, path in paths.items():
        opened, paged = memory(path)
        print(f"{number:>9,} samples: {opened:.0f} MB with the rows, {paged:.0f} MB after paging (bar 150)")


if __name__ == "__main__":
    main()
