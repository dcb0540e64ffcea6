"""A move of the threshold over a whole dataset: from the key to its painted frame, and the scoring alone.

The frame is that of the installed program in a pseudo-terminal over a real database; the bar is 100 ms at
100,000 samples. The scoring (`move_to`) is set against a bare numpy pass over the same bytes: one comparison
and one sum a sample, measured in turn with it.

    python -m tests.benchmarks.slider [--samples 100000] [--presses 60] [--rounds 5] [--size 120x36]
"""

from __future__ import annotations

import argparse
import shutil
import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from tests.benchmarks.many_samples import database, environment
from tests.benchmarks.pty_app import PtyApp, installed
from workbench.comparing.curve import move_to, moves
from workbench.matching import MATCHER

UNITS = 6
SIMILARITIES = (0, 62, 70, 77, 82, 86, 91, 100)
BAR = 0.1


def matched(path: Path, samples: int) -> list[bytes]:
    """Give every sample of a database six similarities, drawn with a seed: matching is not what is timed."""
    chance = np.random.default_rng(7)
    drawn = chance.choice(np.array(SIMILARITIES, dtype=np.uint8), size=(samples, UNITS))
    known = [bytes(row.tolist()) for row in drawn]
    with closing(sqlite3.connect(path)) as raw, raw:
        ids = [number for (number,) in raw.execute("SELECT id FROM sample ORDER BY id")]
        (run,) = raw.execute("SELECT run_id FROM dataset").fetchone()
        raw.execute("DELETE FROM counted")
        raw.executemany(
            "INSERT INTO counted (sample_id, run_id, matcher, linked, presence, tallies, doubt) "
            "VALUES (?, ?, ?, ?, ?, ?, 0)",
            ((number, run, MATCHER, one, one, "{}") for number, one in zip(ids, known, strict=True)),
        )
    return known


def scoring(known: list[bytes], rounds: int) -> None:
    """`move_to` and the bare pass in turn, a ratio a round."""
    prepared = moves(known, 85)
    values, starts = prepared.given.similarity, prepared.given.starts[:-1]
    ours: list[float] = []
    bare: list[float] = []
    for threshold in islice(cycle(range(61, 101)), rounds * 20):
        begun = time.perf_counter()
        np.add.reduceat((values >= threshold).astype(np.int64), starts)
        middle = time.perf_counter()
        move_to(prepared, threshold)
        bare.append(middle - begun)
        ours.append(time.perf_counter() - middle)
    ratio = statistics.median(one / other for one, other in zip(ours, bare, strict=True))
    print(
        f"scoring: {1e3 * statistics.median(ours):.1f} ms, "
        f"bare numpy {1e3 * statistics.median(bare):.1f} ms, ratio {ratio:.1f}"
    )


def painting(path: Path, size: tuple[int, int], rounds: int, presses: int) -> None:
    """From the key to the end of its frame, keys in silence."""
    command = [installed(), "--db", str(path), "--as", "ann", "review"]
    with PtyApp(command, size=size, environment=environment()) as app:
        app.wait_for("sample-")
        app.quiet(1.5)
        begun = time.perf_counter()
        app.write(b"K")
        app.wait_for("match threshold", start=len(app.output))
        print(f"opening the screen: {time.perf_counter() - begun:.1f} s")
        app.quiet(1.5)
        medians, tails = [], []
        for _ in range(rounds):
            keys = islice(cycle([b"\x1b[D"] * 10 + [b"\x1b[C"] * 10), presses)  # 75 to 85 and back
            seconds = sorted(pressed.seconds or BAR * 10 for pressed in (app.press(key) for key in keys))
            medians.append(statistics.median(seconds))
            tails.append(seconds[int(0.95 * len(seconds))])
    print(
        f"a move painted: median {1e3 * statistics.median(medians):.1f} ms, "
        f"p95 {1e3 * statistics.median(tails):.1f} ms; bar {1e3 * BAR:.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--presses", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", default="120x36")
    options = parser.parse_args()
    width, _, height = options.size.partition("x")
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name, "samples.db")
        shutil.copy(database(options.samples), copy)
        known = matched(copy, options.samples)
        print(f"{options.samples:,} samples of {UNITS} units, {options.size}, {options.rounds} rounds")
        scoring(known, options.rounds)
        painting(copy, (int(width), int(height)), options.rounds, options.presses)


if __name__ == "__main__":
    main()
