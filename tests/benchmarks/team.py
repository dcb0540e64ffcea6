"""Many people at one database: every decision once, no sample too often, and what a decision costs.

    python -m tests.benchmarks.team --people 16 --seconds 60 --samples 2000

Each person is a process that holds the next sample, opens it and accepts it, as the screens do, until the
time is over or nothing is left. It is done on SQLite and on PostgreSQL, for one and for two people a sample.
Afterwards the rows are checked against what the processes were told, and against the leases, for which it
waits. Then one person saves samples of a database with 100 and with 100,000 saved ones: milliseconds of
processor time, of the program and of the server. Times on the wall are those of this machine with all that it
does besides.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text

from tests.benchmarks.harness import options
from tests.benchmarks.many_samples import multiply
from tests.postgres import running
from tests.rows import proposal, sample, write_rows
from workbench.errors import StoreError
from workbench.stages import editing, queue, team
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.review import act, open_sample
from workbench.store.datasets import dataset_info, find_dataset
from workbench.store.engine import Store, open_store

WARM = 20
"""Decisions before those that are measured."""

NAMES = ("Paris", "Rome", "Oslo", "Bern", "Riga", "Lima")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Load:
    """What came of many people at one database: who decided which sample, and the seconds of each save.

    `refused`: how often somebody was told that the database was locked, and tried again.
    """

    people: int
    decided: list[tuple[str, int]]
    saves: list[float]
    seconds: float
    refused: int

    def __str__(self) -> str:
        number, counts = len(self.decided), Counter(name for name, _ in self.decided)
        fewest = min(counts.values()) if len(counts) == self.people else 0
        return (
            f"{number:,} decisions in {self.seconds:.1f} s: {number / self.seconds:.0f}/s, p95 of a save "
            f"{quantiles(self.saves, n=20)[-1] * 1000:.0f} ms, fewest {fewest} and most "
            f"{max(counts.values())} by one person, {self.refused} tried again"
        )


def make(store: Store, folder: Path, samples: int, overlap: int, lease: int = 1) -> None:
    """A dataset with so many samples of six names, and so many places at each."""
    found = proposal((), list(NAMES[:4]), reference_entities=list(NAMES))
    reference, seen = f"She went to {', '.join(NAMES)}.", ", ".join(NAMES[:4])
    rows = (sample(f"s{number}", f"{reference} {number}", seen, proposal=found) for number in range(samples))
    source = write_rows(folder / "team.jsonl", rows)
    import_file(store, source, ImportOptions(blind=0, seed=0), annotator="ann")
    team.assign(store, find_dataset(store, None), "ann", overlap, None, lease)


def following(store: Store, name: str) -> int | None:
    """The next sample of a person, as the screens find it."""
    info = find_dataset(store, None)
    return queue.next_sample(store, info, name) or queue.take_next(store, info.id, name)


def work(url: str, people: int, seconds: float) -> None:
    """Fork a process for each person when all is loaded; exit with 1 where one of them failed."""
    with closing(open_store(url)) as store:
        open_sample(store, store.numbers(text("SELECT min(id) FROM sample"))[0], "p00")  # loads the matcher
    print("ready", flush=True)
    fork, end = multiprocessing.get_context("fork"), time.monotonic() + seconds
    workers = [fork.Process(target=person, args=(url, f"p{number:02}", end)) for number in range(people)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    sys.exit(any(worker.exitcode for worker in workers))


def person(url: str, name: str, end: float) -> None:
    """Decide until the time is over, and print what was acknowledged."""
    with closing(open_store(url)) as store:
        info = find_dataset(store, None)
        while time.monotonic() < end:
            begun, number = time.perf_counter(), None
            try:
                number = following(store, name)
                if number is None:
                    return
                with store.snapshot():
                    opened = open_sample(store, number, name, info=dataset_info(store, info.id))
                begun = time.perf_counter()
                act(store, opened, editing.accept(opened, "entity"))
            except StoreError as error:
                if "locked" not in str(error):
                    raise
                number = None  # a person is told, and presses r
            line = json.dumps((name, number, time.perf_counter() - begun))
            os.write(1, f"{line}\n".encode())  # one write: lines of several people do not mix


def load(url: str, people: int, seconds: float) -> Load:
    """Many people at once, each a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.team", "--work", url]
    command += ["--people", str(people), "--seconds", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "ready\n" == process.stdout.readline()
        begun = time.monotonic()
        told = [json.loads(line) for line in process.stdout]
    assert 0 == process.returncode
    decided = [(name, number) for name, number, _ in told if number]
    saves = [spent for _, number, spent in told if number]
    return Load(people, decided, saves, time.monotonic() - begun, len(told) - len(decided))


def check(store: Store, found: Load, overlap: int) -> None:
    """Raise AssertionError where the rows are not what the people were told."""

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in store.rows(text(sql))]

    told = Counter(found.decided)
    assert {1} == set(told.values()), "somebody was given a sample twice"
    stored = Counter(rows("SELECT annotator, sample_id FROM review WHERE entity = 'verified'"))
    assert told == stored, "other decisions are stored than were acknowledged"
    accepts = rows("SELECT review_id, count(*) FROM review_event WHERE op = 'accept' GROUP BY review_id")
    assert [1] * len(found.decided) == [number for _, number in accepts], "a decision is stored twice"
    done = Counter(rows("SELECT annotator, sample_id FROM assignment WHERE done"))
    assert stored == done, "places and decisions differ"
    often = Counter(number for _, number in told)
    assert max(often.values()) <= overlap, "a sample was decided too often"
    assert [] == rows("SELECT id FROM assignment WHERE extra"), "a lease ran out"


def claimed(store: Store) -> int:
    """How many places are held now."""
    found = team.team(store, find_dataset(store, None), "ada")
    assert found is not None
    return sum(one.held + one.given for one in found.people)


def of_server(store: Store) -> int:
    """The process of a PostgreSQL server on this machine that serves us; 0 for SQLite."""
    if store.engine.dialect.name != "postgresql":
        return 0
    return store.numbers(text("SELECT pg_backend_pid()"))[0]


def processor(pid: int) -> float:
    """Seconds of processor time that a process took."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9 if pid else 0.0


def decide(store: Store, name: str) -> Floats:
    """One decision: seconds of processor time to open and to save it, each of the program and the server."""
    pid = of_server(store)

    def spent() -> Floats:
        return np.array([time.process_time(), processor(pid)])

    begun, number = spent(), following(store, name)
    with store.snapshot():
        opened = open_sample(store, number or 0, name)
    between = spent()
    act(store, opened, editing.accept(opened, "entity"))
    return np.concatenate([between - begun, spent() - between])


def multiplied(store: Store, times: int) -> None:
    """So many more of every decided sample, with its review, journal, units and place."""
    with store.writing() as session:
        decided = "o.id IN (SELECT sample_id FROM assignment WHERE done)"
        every = dict.fromkeys(("review", "review_event", "gold_unit"), "1 = 1")
        multiply(session.connection(), times, sample=decided, **every, assignment="o.done")


def analyzed(store: Store, how: str = "ANALYZE") -> None:
    """What a server does by itself within a minute."""
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(how))


@contextmanager
def databases(folder: Path) -> Iterator[dict[str, Callable[[], Any]]]:
    """What opens a new database of either kind."""
    numbers = iter(range(100))

    def in_a_file() -> Any:
        return closing(open_store(str(folder / f"team-{next(numbers)}.db")))

    with running() as server:

        @contextmanager
        def on_server() -> Iterator[Store]:
            with server.database() as url, closing(open_store(url)) as store:
                yield store

        yield {"SQLite": in_a_file, "PostgreSQL": on_server}


def many_people(kind: str, store: Store, given: argparse.Namespace, overlap: int, folder: Path) -> None:
    """Print what came of many people at a new database, when it is as they were told."""
    make(store, folder, given.samples, overlap)
    found = load(store.engine.url.render_as_string(hide_password=False), given.people, given.seconds)
    check(store, found, overlap)
    held, until = claimed(store), time.monotonic() + 75
    while claimed(store) and time.monotonic() < until:
        time.sleep(1)
    assert 0 == claimed(store), "something is held after its lease"
    print(f"{kind}, {overlap} a sample, {given.people} people: {found}; {held} held at the end, 0 later")


def one_person(kind: str, few: Store, many: Store, given: argparse.Namespace, folder: Path) -> None:
    """Print what a decision costs with few and with many saved: in turn, for a busy machine is not the same
    from one minute to the next.
    """
    both = (few, many)
    for store in both:
        make(store, folder, 1000, 1, lease=60)
        for _ in range(100):
            decide(store, "ada")
    multiplied(many, given.saved // 100)
    saved = []
    for store in both:
        analyzed(store)
        saved.append(store.numbers(text("SELECT count(*) FROM assignment WHERE done"))[0])
        for _ in range(WARM):  # caches are warm then
            decide(store, "ada")
    costs = np.mean([[decide(store, "ada") for store in both] for _ in range(given.decisions)], axis=0)
    for number, (own, server, save, save_server) in zip(saved, 1000 * costs, strict=True):
        whole = own + server + save + save_server
        print(
            f"{kind}, {number:,} saved before: save with claim {save:.1f} ms here and {save_server:.1f} ms "
            f"of the server, open {own:.1f} and {server:.1f}; together {whole:.1f}"
        )
    print(f"{kind}: {costs[1].sum() / costs[0].sum():.2f} times as much with so many saved")


def main() -> None:
    given = options(__doc__, people=16, seconds=60.0, samples=2000, decisions=300, saved=100_000, work="")
    if given.work:
        work(given.work, given.people, given.seconds)
        return
    with tempfile.TemporaryDirectory() as place, databases(Path(place)) as kinds:
        for kind, new in kinds.items():
            for overlap in (1, 2):
                with new() as store:
                    many_people(kind, store, given, overlap, Path(place))
        for kind, new in kinds.items():
            with new() as few, new() as many:
                one_person(kind, few, many, given, Path(place))


if __name__ == "__main__":
    main()
