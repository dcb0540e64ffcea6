"""Many people at one database: every decision once, no sample too often, and what a decision costs.

    python -m tests.benchmarks.team --people 16 --seconds 60 --samples 2000

Each person is a process that holds the next sample, opens it and accepts it, as the screens do, until the
time is over or nothing is left. It is done on SQLite and on PostgreSQL, for one and for two people a sample.
Afterwards the rows are checked against what the processes were told, and against the leases, for which it
waits. Then one person saves samples of a database with 100 and with 100,000 saved ones: milliseconds of
processor time, of the program and of the server. Times on the wall are those of this machine with all that it
does besides.
"""

from __future__ import annotations

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

from sqlalchemy import text

from tests.benchmarks.harness import options
from tests.postgres import running
from tests.rows import proposal, sample, write_rows
from workbench.errors import StoreError
from workbench.stages import editing, queue, team
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.review import act, open_sample
from workbench.store.database import number_on
from workbench.store.datasets import dataset_info, find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.tables import METADATA

WARM = 20
"""Decisions before those that are measured."""

NAMES = ("Paris", "Rome", "Oslo", "Bern", "Riga", "Lima")


@dataclass(frozen=True)
class Load:
    """What came of many people at one database. `saves`: seconds of every save, by person.

    `refused`: how often somebody was told that the database was locked, and tried again.
    """

    decided: dict[str, list[int]]
    saves: dict[str, list[float]]
    seconds: float
    refused: int

    @property
    def number(self) -> int:
        """Decisions that were acknowledged."""
        return sum(map(len, self.decided.values()))

    def __str__(self) -> str:
        counts = [len(each) for each in self.decided.values()]
        slow = quantiles([one for each in self.saves.values() for one in each], n=20)[-1]
        return (
            f"{self.number:,} decisions in {self.seconds:.1f} s: {self.number / self.seconds:.0f}/s, "
            f"p95 of a save {slow * 1000:.0f} ms, fewest {min(counts)} and most {max(counts)} by one person, "
            f"{self.refused} tried again"
        )


def make(store: Store, folder: Path, samples: int, overlap: int, lease: int = 1) -> None:
    """A dataset with so many samples of six names, and so many places at each."""
    found = {**proposal((), list(NAMES[:4])), "reference_entities": list(NAMES)}
    reference = f"She went to {', '.join(NAMES)}."
    seen = ", ".join(NAMES[:4])
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
    fork = multiprocessing.get_context("fork")
    end = time.monotonic() + seconds
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
    decided: dict[str, list[int]] = {f"p{number:02}": [] for number in range(people)}
    saves: dict[str, list[float]] = {name: [] for name in decided}
    for name, number, spent in told:
        if number:
            decided[name].append(number)
            saves[name].append(spent)
    refused = sum(number is None for _, number, _ in told)
    return Load(decided, saves, time.monotonic() - begun, refused)


def check(store: Store, found: Load, overlap: int) -> None:
    """Raise AssertionError where the rows are not what the people were told."""

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in store.rows(text(sql))]

    told = Counter((name, number) for name, numbers in found.decided.items() for number in numbers)
    assert {1} == set(told.values()), "somebody was given a sample twice"
    stored = Counter(rows("SELECT annotator, sample_id FROM review WHERE entity = 'verified'"))
    assert told == stored, "other decisions are stored than were acknowledged"
    accepts = rows("SELECT review_id, count(*) FROM review_event WHERE op = 'accept' GROUP BY review_id")
    assert [1] * found.number == [number for _, number in accepts], "a decision is stored twice"
    done = Counter(rows("SELECT annotator, sample_id FROM assignment WHERE done"))
    assert stored == done, "places and decisions differ"
    often = Counter(number for _, number in told)
    assert max(often.values()) <= overlap, "a sample was decided too often"
    assert [] == rows("SELECT id FROM assignment WHERE extra"), "a lease ran out"


def claimed(store: Store) -> int:
    """How many places are held now."""
    found = team.team(store, find_dataset(store, None))
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


@dataclass
class Cost:
    """Seconds of processor time of decisions, of the program and of the server: open and save."""

    open: float = 0.0
    open_server: float = 0.0
    save: float = 0.0
    save_server: float = 0.0

    @property
    def whole(self) -> float:
        """All of it."""
        return self.open + self.open_server + self.save + self.save_server


def decide(store: Store, name: str, total: Cost) -> None:
    """One decision, and what it took of the processor added up."""
    pid = of_server(store)
    server, own = processor(pid), time.process_time()
    number = following(store, name)
    with store.snapshot():
        opened = open_sample(store, number or 0, name)
    then, there = processor(pid), time.process_time()
    act(store, opened, editing.accept(opened, "entity"))
    total.save += time.process_time() - there
    total.save_server += processor(pid) - then
    total.open += there - own
    total.open_server += then - server


def multiply(store: Store, times: int) -> None:
    """So many more of every decided sample, with its review, journal, units and place."""
    with store.writing() as session:
        connection = session.connection()
        step = 1 + max(
            connection.execute(text(f"SELECT coalesce(max(id), 0) FROM {name}")).scalar_one()
            for name in ("sample", "review", "review_event", "gold_unit", "assignment")
        )
        numbers = " UNION ALL ".join(f"SELECT {number} AS n" for number in range(1, 51))
        done = {"sample": "o.id IN (SELECT sample_id FROM assignment WHERE done)", "assignment": "o.done"}
        for block in range(0, times, 50):
            for name in ("sample", "review", "review_event", "gold_unit", "assignment"):
                columns = [column.name for column in METADATA.tables[name].c]
                moved = [
                    f'o."{column}" + (n + {block}) * {step}' if column in ("id", "sample_id", "review_id")
                    else f"o.\"{column}\" || '-' || CAST(n + {block} AS VARCHAR)"
                    if column in ("key", "reference_hash", "content_hash", "action")
                    else f'o."{column}"'
                    for column in columns
                ]  # fmt: skip
                named = ", ".join(f'"{column}"' for column in columns)
                more = f'SELECT {", ".join(moved)} FROM "{name}" o, ({numbers}) m'
                where = f"o.id < {step} AND {done.get(name, '1 = 1')}"
                connection.execute(text(f'INSERT INTO "{name}" ({named}) {more} WHERE {where}'))
        number_on(connection, METADATA.sorted_tables)


def analyzed(store: Store) -> None:
    """What a server does by itself within a minute."""
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))


@contextmanager
def databases(folder: Path) -> Iterator[dict[str, Callable[[], Any]]]:
    """What makes the URL of a new database of either kind."""
    numbers = iter(range(100))

    @contextmanager
    def in_a_file() -> Iterator[str]:
        yield str(folder / f"team-{next(numbers)}.db")

    with running() as server:
        yield {"SQLite": in_a_file, "PostgreSQL": server.database}


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
    for store in (few, many):
        make(store, folder, 1000, 1, lease=60)
        for _ in range(100):
            decide(store, "ada", Cost())
    multiply(many, given.saved // 100)
    costs = []
    for store in (few, many):
        analyzed(store)
        costs.append((store, saved_now(store), Cost()))
        for _ in range(WARM):  # caches are warm then
            decide(store, "ada", Cost())
    for _ in range(given.decisions):
        for store, _, total in costs:
            decide(store, "ada", total)
    for _, saved, one in costs:
        own, server, save, save_server = (
            1000 * spent / given.decisions for spent in (one.open, one.open_server, one.save, one.save_server)
        )
        print(
            f"{kind}, {saved:,} saved before: save with claim {save:.1f} ms here and {save_server:.1f} ms of "
            f"the server, open {own:.1f} and {server:.1f}; together {own + server + save + save_server:.1f}"
        )
    print(f"{kind}: {costs[1][2].whole / costs[0][2].whole:.2f} times as much with so many saved")


def saved_now(store: Store) -> int:
    return store.numbers(text("SELECT count(*) FROM assignment WHERE done"))[0]


def main() -> None:
    given = options(
        __doc__, people=16, seconds=60.0, samples=2000, decisions=300, saved=100_000, work="",
    )  # fmt: skip
    if given.work:
        work(given.work, given.people, given.seconds)
        return
    with tempfile.TemporaryDirectory() as place, databases(Path(place)) as kinds:
        for kind, new in kinds.items():
            for overlap in (1, 2):
                with new() as url, closing(open_store(url)) as store:
                    many_people(kind, store, given, overlap, Path(place))
        for kind, new in kinds.items():
            with (
                new() as url,
                new() as other,
                closing(open_store(url)) as few,
                closing(open_store(other)) as many,
            ):
                one_person(kind, few, many, given, Path(place))


if __name__ == "__main__":
    main()
