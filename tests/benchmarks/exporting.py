"""Export of 10,000 samples with 8 verified spans each, every format as a process of its own.

Floor: `json.dumps` of the same rows, read from the native file, in this process. The bars are 3 s and 150 MB
a format, and ten times that for ten times the samples.

    python tests/benchmarks/exporting.py [SAMPLES] [ROUNDS] [--proposals]
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from workbench.formats.exports.verify import FORMATS

NAMES = (
    "Bologna Kyoto Samara Quito Lovelace Gagarin Curie Humboldt Agra Yamuna Lisbon Noether Turing Oslo "
    "Nairobi Hopper Tesla Bohr Darwin Geneva Cairo Delhi Euler Gauss"
).split()
WORDS = (
    "river city emperor marble tower harbour treaty engine orbit museum garden of the in by was near".split()
)
SPANS = 8


def make(path: Path, samples: int, *, proposals: bool) -> None:
    """Write samples of about one kilobyte, eight names of the reference verified, half of them found."""
    chance = random.Random(7)
    with path.open("w", encoding="utf-8") as file:
        for number in range(samples):
            file.write(json.dumps(row(number, chance, proposals)) + "\n")


def row(number: int, chance: random.Random, proposals: bool) -> dict[str, Any]:
    names = chance.sample(NAMES, SPANS)
    pieces: list[str] = []
    units: list[dict[str, Any]] = []
    place = 0
    context = " ".join(f"{' '.join(chance.choices(WORDS, k=6))} {name}" for name in names[: SPANS // 2])
    for position, name in enumerate(names):
        filler = " ".join(chance.choices(WORDS, k=4)) + " "
        start = place + len(filler)
        pieces += [filler, name, " "]
        place = start + len(name) + 1
        unit: dict[str, Any] = {"text": name, "label": "place", "start": start, "end": start + len(name)}
        if position < SPANS // 2:
            at = context.index(name)
            unit |= {"verdict": "found", "evidence": [{"context": 0, "start": at, "end": at + len(name)}]}
        else:
            unit |= {"verdict": "missing", "reason": "absent"}
        units.append(unit)
    value: dict[str, Any] = {
        "id": f"sample-{number}",
        "user_input": f"Question {number}?",
        "reference": "".join(pieces).rstrip(),
        "response": "r",
        "retrieved_contexts": [context, " ".join(chance.choices(WORDS, k=40))],
        "group": f"group-{number // 3}",
        "gold": {"annotator": "ann", "entities": units},
    }
    if proposals:
        value["proposal"] = {
            "proposer": "p",
            "reference_entities": [{"text": name, "label": "place"} for name in names],
            "context_entities": [[{"text": name} for name in names[: SPANS // 2]], []],
        }
    return value


def floor(path: Path) -> float:
    """Seconds of CPU to dump every row again."""
    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    begun = time.process_time()
    for one in rows:
        json.dumps(one, ensure_ascii=False)
    return time.process_time() - begun


def run(*arguments: str) -> tuple[float, float, float]:
    """CPU and wall seconds and peak megabytes of a command as a process."""
    script = (
        "import resource, sys, subprocess\n"
        "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
        "u = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(u.ru_utime + u.ru_stime, u.ru_maxrss / 1024)\n"
        "sys.exit(code)"
    )
    command = [sys.executable, "-c", script, sys.executable, "-m", "workbench.cli", *arguments]
    begun = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    wall = time.perf_counter() - begun
    cpu, peak = map(float, done.stdout.split())
    return cpu, wall, peak


def main() -> None:
    numbers = [int(one) for one in sys.argv[1:] if one.isdigit()]
    samples, rounds = [*numbers, *[10_000, 3][len(numbers) :]]
    proposals = "--proposals" in sys.argv
    print(f"{samples:,} samples, {SPANS} spans each{', with proposals' if proposals else ''}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        db = str(folder / "bench.db")
        make(folder / "rows.jsonl", samples, proposals=proposals)
        cpu, wall, peak = run("--db", db, "import", str(folder / "rows.jsonl"), "--gold")
        print(f"import             {cpu:6.2f} s CPU {wall:6.2f} s wall {peak:5.0f} MB")
        if proposals:
            run("--db", db, "score")
        base = statistics.median(floor(folder / "rows.jsonl") for _ in range(rounds))
        print(f"floor              {base:6.2f} s CPU (json.dumps of the rows)")
        for format_name in FORMATS:
            found = []
            for _ in range(rounds):
                target = folder / format_name
                found.append(run("--db", db, "export", str(target), "--format", format_name))
                size = sum(one.stat().st_size for one in target.rglob("*") if one.is_file())
                shutil.rmtree(target)
            cpu, wall, peak = (statistics.median(values) for values in zip(*found, strict=True))
            print(
                f"{format_name:18} {cpu:6.2f} s CPU {wall:6.2f} s wall {peak:5.0f} MB "
                f"{size / 1e6:6.1f} MB written, {cpu / base:5.1f} x the floor"
            )
    print(f"this process peaked at {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
