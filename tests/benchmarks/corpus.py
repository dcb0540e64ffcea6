"""Scoring files without a database: rows a second, memory of the workers, CPU next to the plain function.

The floor is `batch.score` over the same rows in one process, read in batches of 1,000. The bar of the ratio
is 1.2. `--recorded`: the rows bring recorded proposals with names that no other row has; without it the rules
propose. `--alone` leaves the floor out.

    python -m tests.benchmarks.corpus [--rows 20000] [--partitions 8] [--workers 2] [--cluster]
                                      [--recorded] [--alone]
"""

import random
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks.harness import PROGRAM, Used, options as options_of, process
from tests.benchmarks.many_samples import SYLLABLES, base_rows
from tests.rows import Row, proposal, sample

PLAIN = """
import sys, pyarrow.parquet
from workbench import batch
for path in sys.argv[1:]:
    for part in pyarrow.parquet.ParquetFile(path).iter_batches(1_000):
        batch.score(part)
"""


def own(text: str, names: list[str], number: int) -> str:
    """A text whose names have a word more each, which stands in no other row."""
    word = "".join(SYLLABLES[int(digit) % len(SYLLABLES)] for digit in f"{number}").capitalize()
    for name in names:
        text = text.replace(name, f"{name} {word}")
    return text


def recorded(row: Row, number: int, entities: list[Row]) -> Row:
    """A row with a proposal and names of its own."""
    names = [one["text"] for one in entities]
    reference, *contexts = (
        own(text, names, number) for text in (row["reference"], *row["retrieved_contexts"])
    )
    named = [{**one, "text": own(one["text"], [one["text"]], number)} for one in entities]
    inside = ([one for one in named if one["text"] in text] for text in contexts)
    given = proposal((), *inside, proposer="recorded", reference_entities=named)
    return {**row, "reference": reference, "retrieved_contexts": contexts, "proposal": given}


def corpus(folder: Path, rows: int, partitions: int, with_proposals: bool) -> list[Path]:
    """Partitions of rows whose texts are all different: nothing is scored from memory."""
    from pyarrow import Table, parquet

    drawn, base = random.Random(1), base_rows()
    paths = []
    for part in range(partitions):
        made = []
        for number in range(part * rows, part * rows + rows // partitions):
            row, other = drawn.choice(base), drawn.choice(base)
            contexts = [f"{text} ({number})" for text in row["retrieved_contexts"]]
            made.append(sample(f"{number}", f"{row['reference']} {other['reference']} ({number})", *contexts))
            if with_proposals:
                named = row["proposal"]["reference_entities"] + other["proposal"]["reference_entities"]
                made[-1] = recorded(made[-1], number, named)
        paths.append(folder / f"part-{part:03}.parquet")
        parquet.write_table(Table.from_pylist(made), paths[-1])
    return paths


def main() -> None:
    options = options_of(
        __doc__, rows=20_000, partitions=8, workers=2, cluster=False, recorded=False, alone=False
    )
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        # Elsewhere: a command that is begun counts the memory of who begins it as its own.
        with ProcessPoolExecutor(1) as maker:
            given = Path(name), options.rows, options.partitions, options.recorded
            paths = [str(path) for path in maker.submit(corpus, *given).result()]
        words = f"--out {name}/scores --workers {options.workers}"
        command = [*PROGRAM, "score-files", *paths, *words.split()]
        if options.cluster:
            begun = time.process_time()  # the scheduler runs in this process; making the rows is not its work
            from distributed import LocalCluster

            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            cluster = LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=options.workers, threads_per_worker=1, dashboard_address=":0"
            )
            command += ["--cluster", stack.enter_context(cluster).scheduler_address]
        ours = process(command)
        if options.cluster:
            begun = time.process_time() - begun
            cluster.close()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            ours = Used(used + begun, ours.wall, after.ru_maxrss / 1024)
        plain = None if options.alone else process([sys.executable, "-c", PLAIN, *paths])
    rows, peak = options.rows, f"largest process {ours.peak:.0f} MB"
    print(f"{rows:,} rows in {options.partitions} files, {options.workers} workers")
    print(f"score-files    {rows / ours.wall:7.0f} rows/s  CPU {ours.cpu:7.1f} s  {peak}")
    if plain is not None:
        print(f"plain function {rows / plain.wall:7.0f} rows/s  CPU {plain.cpu:7.1f} s")
        print(f"ratio of CPU   {ours.cpu / plain.cpu:.2f}  (bar 1.2; a worker's memory bar 300 MB)")


if __name__ == "__main__":
    main()
