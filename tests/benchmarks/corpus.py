"""Scoring files without a database: rows a second, memory of the workers, CPU next to the plain function.

The floor is `batch.score` over the same rows in one process, read in batches of 1,000. The bar of the ratio
is 1.2. `--recorded`: the rows bring recorded proposals with names that no other row has; without it the rules
propose. `--alone` leaves the floor out.

    python -m tests.benchmarks.corpus [--rows 20000] [--partitions 8] [--workers 2] [--cluster]
                                      [--recorded] [--alone]
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks.harness import Used, options as options_of, process
from tests.benchmarks.many_samples import SYLLABLES, base_rows
from tests.rows import Row, sample

PLAIN = """
import sys, pyarrow.parquet
from workbench import batch
for path in sys.argv[1:]:
    for part in pyarrow.parquet.ParquetFile(path).iter_batches(1_000):
        batch.score(part)
"""


def recorded(made: Row, number: int, entities: list[dict[str, str]]) -> None:
    """Give a row a proposal, and each of its names a word more, which stands in no other row."""
    own = "".join(SYLLABLES[int(digit) % len(SYLLABLES)] for digit in f"{number}").capitalize()
    texts = [made["reference"], *made["retrieved_contexts"]]
    for entity in entities:
        texts = [text.replace(entity["text"], f"{entity['text']} {own}") for text in texts]
    made["reference"], *made["retrieved_contexts"] = texts
    named = [{**entity, "text": f"{entity['text']} {own}"} for entity in entities]
    made["proposal"] = {
        "proposer": "recorded",
        "reference_entities": named,
        "context_entities": [[one for one in named if one["text"] in text] for text in texts[1:]],
    }


def corpus(folder: Path, rows: int, partitions: int, with_proposals: bool = False) -> list[Path]:
    """Partitions of rows whose texts are all different: nothing is scored from memory."""
    import pyarrow.parquet

    drawn, base = random.Random(1), base_rows()
    paths = []
    for part in range(partitions):
        made = []
        for number in range(rows // partitions):
            row, other = drawn.choice(base), drawn.choice(base)
            words = f"{part * rows + number}"
            contexts = [f"{text} ({words})" for text in row["retrieved_contexts"]]
            made.append(sample(words, f"{row['reference']} {other['reference']} ({words})", *contexts))
            if with_proposals:
                named = row["proposal"]["reference_entities"] + other["proposal"]["reference_entities"]
                recorded(made[-1], part * rows + number, named)
        paths.append(folder / f"part-{part:03}.parquet")
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(made), paths[-1])
    return paths


def main() -> None:
    options = options_of(
        __doc__, rows=20_000, partitions=8, workers=2, cluster=False, recorded=False, alone=False
    )
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        # Elsewhere: a command that is begun counts the memory of who begins it as its own.
        with ProcessPoolExecutor(1) as maker:
            given = Path(name), options.rows, options.partitions, options.recorded
            paths = maker.submit(corpus, *given).result()
        out = Path(name, "scores")
        command = [sys.executable, "-m", "workbench.cli", "score-files", *map(str, paths), "--out", str(out)]
        command += ["--workers", str(options.workers)]
        if options.cluster:
            begun = time.process_time()  # the scheduler runs in this process; making the rows is not its work
            from distributed import LocalCluster

            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            cluster = stack.enter_context(
                LocalCluster(  # type: ignore[no-untyped-call]
                    n_workers=options.workers, threads_per_worker=1, dashboard_address=":0"
                )
            )
            command += ["--cluster", cluster.scheduler_address]
        ours = process(command)
        if options.cluster:
            begun = time.process_time() - begun
            cluster.close()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            ours = Used(used + begun, ours.wall, after.ru_maxrss / 1024)
        plain = None if options.alone else process([sys.executable, "-c", PLAIN, *map(str, paths)])
    rows = options.rows
    print(f"{rows:,} rows in {options.partitions} files, {options.workers} workers")
    print(
        f"score-files    {rows / ours.wall:7.0f} rows/s  CPU {ours.cpu:7.1f} s  "
        f"largest process {ours.peak:.0f} MB"
    )
    if plain is None:
        return
    print(f"plain function {rows / plain.wall:7.0f} rows/s  CPU {plain.cpu:7.1f} s")
    print(f"ratio of CPU   {ours.cpu / plain.cpu:.2f}  (bar 1.2; a worker's memory bar 300 MB)")


if __name__ == "__main__":
    main()
