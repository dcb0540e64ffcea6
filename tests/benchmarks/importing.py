"""Import of 100,000 samples against a floor measured in the same run.

Floor: json.loads of every line, one SHA-256 over its texts, and one sqlite3 executemany of the same
columns into a table with WAL and synchronous=FULL. The bar is a median ratio of at most 3.

    python tests/benchmarks/importing.py [ROWS] [ROUNDS]
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = (
    "river city emperor marble tower harbour treaty engine orbit museum garden bridge valley station "
    "Bologna Kyoto Samara Quito 1889 1631 Lovelace Gagarin Curie Humboldt of the in by was and near"
).split()


def make(path: Path, rows: int) -> None:
    """Write samples of about one kilobyte: a question, two sentences and three contexts."""
    chance = random.Random(7)

    def text(words: int) -> str:
        return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."

    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            row = {
                "id": f"sample-{number}",
                "user_input": text(8),
                "reference": text(25),
                "retrieved_contexts": [text(40) for _ in range(3)],
                "meta": {"language": "en", "retriever": "bm25"},
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def floor(source: Path, target: Path) -> tuple[float, float]:
    """CPU and wall seconds of the floor."""
    wall, cpu = time.perf_counter(), time.process_time()
    rows = []
    with source.open("rb") as file:
        for line in file:
            row = json.loads(line)
            contexts = row["retrieved_contexts"]
            digest = hashlib.sha256("".join((row["user_input"], row["reference"], *contexts)).encode())
            rows.append(
                (row["id"], row["user_input"], row["reference"], json.dumps(contexts), digest.hexdigest())
            )
    database = sqlite3.connect(target)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE s (id INTEGER PRIMARY KEY, key UNIQUE, q, r, c, h)")
    database.executemany("INSERT INTO s (key, q, r, c, h) VALUES (?, ?, ?, ?, ?)", rows)
    database.commit()
    database.close()
    return time.process_time() - cpu, time.perf_counter() - wall


def imported(source: Path, target: Path, *options: str) -> tuple[float, float, float]:
    """CPU and wall seconds and peak megabytes of `workbench import` as a process."""
    wall = time.perf_counter()
    command = [sys.executable, "-m", "workbench.cli", "--db", str(target), "import", str(source), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - wall
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    ratios_cpu, ratios_wall = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "samples.jsonl"
        make(source, rows)
        print(f"{rows:,} samples, {source.stat().st_size / 1e6:.0f} MB, {rounds} rounds")
        for number in range(rounds):
            floor_cpu, floor_wall = floor(source, folder / f"floor{number}.db")
            cpu, wall, peak = imported(source, folder / f"ours{number}.db")
            ratios_cpu.append(cpu / floor_cpu)
            ratios_wall.append(wall / floor_wall)
            print(
                f"floor {floor_cpu:.2f} s CPU {floor_wall:.2f} s wall; "
                f"import {cpu:.2f} s CPU {wall:.2f} s wall, peak {peak:.0f} MB"
            )
    cpu, wall = statistics.median(ratios_cpu), statistics.median(ratios_wall)
    print(f"median ratio: {cpu:.2f} CPU, {wall:.2f} wall (bar 3)")


if __name__ == "__main__":
    main()
