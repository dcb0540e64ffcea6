"""How fast the rules propose and `linked` matches on texts that nothing has seen, next to an earlier commit.

The commit is unpacked from git. One process of each program does the same rows in turn, a few at a time, and
counts its own CPU seconds: another program on the machine slows both. Every row is new: it is made of
sentences of the demo, or of the file that you name, with other names and numbers; two contexts have 60 words
each. The bar is 2.5.

    python -m tests.benchmarks.throughput [--commit 0cc87a4] [--rows 600] [--data FILE.jsonl]
"""

import io
import json
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.harness import options as options_of
from tests.benchmarks.many_samples import SYLLABLES
from tests.rows import Row, sample

ROOT = Path(__file__).parents[2]
CHUNK = 20
WORDS = 60
NAME = re.compile(r"(?<=[a-zа-яё,] )[A-ZА-ЯЁ][a-zа-яё]{3,}")
NUMBER = re.compile(r"(?<![\w.,])\d{2,4}(?![\w.,]\d)")
SENTENCE = re.compile(r"(?<=[.!?。])\s+")

WORKER = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from workbench.model import Policy, Sample, count
from workbench.proposing.rules import propose
from workbench.scoring.scorers import assess_all

try:
    from workbench.model import Matching

    MATCHING = {"matching": Matching(Policy(), 85)}
except ImportError:  # at that commit two arguments
    MATCHING = {"policy": Policy(), "threshold": 85}

TEXTS = ("id", "user_input", "reference")
LINKED = "linked" if assess_all.__kwdefaults__["only"] == "" else ("linked",)  # at that commit a name

def answered(rows):
    samples = [Sample(*map(row.get, TEXTS), tuple(row["retrieved_contexts"])) for row in rows]
    spent, proposals, found = [0.0, 0.0], [], []
    for sample in samples:
        begun = time.process_time()
        proposals.append(propose(sample))
        proposed = time.process_time()
        found.append(
            assess_all(sample, proposals[-1], **MATCHING, evidence=False, only=LINKED)["linked"]
        )
        spent[0] += proposed - begun
        spent[1] += time.process_time() - proposed
    units = [repr((p.reference_entities, p.context_entities, p.statements)) for p in proposals]
    tallies = [repr(count(one.units)) for one in found]
    return [*spent, units, tallies]

for line in sys.stdin:
    print(json.dumps(answered(json.loads(line))), flush=True)
"""


def unpacked(commit: str, folder: Path) -> Path:
    """The program as it was."""
    packed = subprocess.run(
        ["git", "-C", str(ROOT), "archive", commit, "workbench"], check=True, capture_output=True
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


@contextmanager
def working(side: Path, folder: str) -> Iterator[Callable[[object], Any]]:
    """A process of one program, which answers rows."""
    command, both = [sys.executable, "-c", WORKER, str(side)], subprocess.PIPE
    with subprocess.Popen(command, stdin=both, stdout=both, text=True, cwd=folder) as worker:
        reads, writes = worker.stdout, worker.stdin
        assert reads is not None
        assert writes is not None

        def answer(rows: object) -> Any:
            print(json.dumps(rows), file=writes, flush=True)
            return json.loads(reads.readline())

        yield answer
        writes.close()


def sentences(path: Path) -> list[list[list[str]]]:
    """The sentences of the references and contexts of each row, by language."""
    found: dict[str, list[list[str]]] = {}
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        texts = (row["reference"], *row["retrieved_contexts"])
        own = found.setdefault(row.get("meta", {}).get("language", ""), [])
        own.append([one for text in texts for one in SENTENCE.split(text)])
    return list(found.values())


def unseen(pools: list[list[list[str]]], rows: int) -> Iterator[Row]:
    """Rows whose names and numbers are new; the first names of a reference stand in its contexts."""
    chance = random.Random(5)
    for number in range(rows):
        new: dict[str, str] = {}

        def renamed(found: re.Match[str], new: dict[str, str] = new) -> str:
            if found.group() not in new:
                word = "".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))).capitalize()
                new[found.group()] = word if chance.random() < 0.6 else found.group()
            return new[found.group()]

        pool = chance.choices(pools, weights=[len(one) for one in pools])[0]
        mixed = [one for source in chance.sample(pool, min(4, len(pool))) for one in source]
        mixed = [NUMBER.sub(lambda _: str(chance.randint(2, 2050)), NAME.sub(renamed, one)) for one in mixed]
        start = chance.randrange(max(1, len(mixed) - 2))
        reference = " ".join(mixed[start : start + 2])
        contexts = [" ".join(" ".join(chance.sample(mixed, len(mixed))).split()[:WORDS]) for _ in range(2)]
        yield sample(f"{number}", reference, *contexts)


def main() -> int:
    options = options_of(__doc__, commit="0cc87a4", rows=600, data="")
    path = Path(options.data) if options.data else Path(str(files("workbench.demo_data") / "demo.jsonl"))
    rows = list(unseen(sentences(path), options.rows))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        sides = (ROOT, unpacked(options.commit, Path(folder)))
        workers = [stack.enter_context(working(side, folder)) for side in sides]
        spent: list[tuple[list[float], list[float]]] = []
        differ = [0, 0]
        for start in range(0, len(rows), CHUNK):
            turn = 1 if start % (2 * CHUNK) else -1
            answers = [worker(rows[start : start + CHUNK]) for worker in workers[::turn]]
            ours, theirs = answers[::turn]
            for at in (0, 1):
                differ[at] += sum(a != b for a, b in zip(ours[at + 2], theirs[at + 2], strict=True))
            if start:  # the first rows read word lists
                spent.append((ours[:2], theirs[:2]))
    done = CHUNK * len(spent)
    print(f"{done:,} new rows next to {options.commit}, samples a second of CPU")
    ratios = []
    for name, part in (("rules", slice(0, 1)), ("linked", slice(1, 2)), ("both", slice(0, 2))):
        pairs = [(sum(ours[part]), sum(theirs[part])) for ours, theirs in spent]
        ours, theirs = (done / sum(side) for side in zip(*pairs, strict=True))
        ratios.append(median(before / now for now, before in pairs))
        print(f"{name:<7} {ours:7.0f}  before {theirs:7.0f}  ratio {ratios[-1]:.2f}")
    print(f"rows with other units {differ[0]:,}, with another score {differ[1]:,}")
    return int(min(ratios) < 2.5)


if __name__ == "__main__":
    raise SystemExit(main())
