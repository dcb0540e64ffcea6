"""People who decide while they and their server are killed: nothing acknowledged is lost, nothing is twice.

    python -m tests.benchmarks.storm [--people 8] [--seconds 60] [--kills 10] [--samples 2000]

Each person is a process that, like the app, names every act before it first tries it, and tries it again
while the server is away. `--kills` times one of them is ended by SIGKILL and another one starts under that
name, and as often the server is stopped by `pg_ctl -m immediate` and started again. It writes to disk for
good (fsync), which the servers of the tests do not.
"""

import os
import random
import select
import signal
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.benchmarks.harness import options, quantile
from tests.postgres import Server, ask, running
from tests.rows import proposal, sample, write_rows
from workbench.errors import AwayError
from workbench.reviewing.edits import Comment
from workbench.stages import editing, review
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.queue_values import queue_ids
from workbench.stages.upkeep import doctor
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store

PAUSE = 0.2
"""Seconds after which a person's process tries again."""


def patient(work: Callable[[], Any]) -> Any:
    """Do it as soon as the server is there."""
    while True:
        try:
            return work()
        except AwayError:
            time.sleep(PAUSE)


def person(url: str, name: str, life: int) -> None:
    """Decide until killed: `TEXT | SECONDS` after each act that is stored."""
    chance = random.Random(f"{name} {life}")
    store: Store = patient(lambda: open_store(url))
    info = patient(lambda: find_dataset(store, None))
    ids = patient(lambda: queue_ids(store, info, name))
    number = 0
    while True:
        began, action, text = time.monotonic(), uuid.uuid4().hex, f"{name} {life} {number}"
        sample_id = chance.choice(ids)
        opened = patient(lambda: review.open_sample(store, sample_id, name))  # noqa: B023
        edits = (editing.accept(opened, "entity"), Comment(text))
        patient(lambda: review.act(store, opened, *edits, action=action))  # noqa: B023
        os.write(1, f"{text} | {time.monotonic() - began:.4f}\n".encode())
        number += 1


def start(url: str, name: str, life: int, pipes: dict[int, bytes]) -> int:
    """The process of a person, whose words come through a new pipe."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(writes, 1)
            person(url, name, life)
        except BaseException as error:
            os.write(2, f"{name}: {type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(1)
    os.close(writes)
    pipes[reads] = b""
    return child


def end(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def storm(server: Server, url: str, people: int, seconds: float, kills: int) -> list[tuple[str, float]]:
    """What was acknowledged, and after how many seconds."""
    chance, pipes, life = random.Random(7), dict[int, bytes](), 0
    now = {name: start(url, name, life, pipes) for name in (f"p{number}" for number in range(people))}
    step = seconds / (2 * kills + 1)
    due = [(step * (number + 1), "person" if number % 2 else "server") for number in range(2 * kills)]
    began = time.monotonic()
    while (spent := time.monotonic() - began) < seconds:
        if due and spent > due[0][0]:
            if due.pop(0)[1] == "server":
                server.kill()
                server.start()
            else:
                name, life = chance.choice(sorted(now)), life + 1
                end(now[name])
                now[name] = start(url, name, life, pipes)
        for reads in select.select(list(pipes), [], [], 0.02)[0]:
            pipes[reads] += os.read(reads, 65_536)
    for child in now.values():
        end(child)
    for reads in pipes:
        while data := os.read(reads, 65_536):
            pipes[reads] += data
        os.close(reads)
    # the last line of a process may be cut: it is no acknowledgement
    told = [line.split(" | ") for said in pipes.values() for line in said.decode().split("\n")[:-1]]
    return [(text, float(took)) for text, took in told]


def main() -> int:
    given = options(__doc__, people=8, seconds=60, kills=10, samples=2_000)
    named = proposal(["Ann", "Bob", "Rome"], ["Ann", "Rome"])
    met = ("Ann met Bob in Rome.", "Ann was in Rome.")
    rows = (sample(f"s{number}", *met, proposal=named) for number in range(given.samples))
    with tempfile.TemporaryDirectory() as folder, running("", fsync=True) as server, server.database() as url:
        with closing(open_store(url)) as store:
            source = write_rows(Path(folder) / "rows.jsonl", rows)
            import_file(store, source, ImportOptions(), annotator="imp")
        said = storm(server, url, given.people, given.seconds, given.kills)
        comments = ask(url, "SELECT data->>'text' FROM review_event WHERE op = 'comment'")
        acts = ask(
            url, "SELECT action FROM review_event WHERE op = 'accept' GROUP BY action HAVING count(*) > 1"
        )
        with closing(open_store(url)) as store:
            wrong = doctor(store, lambda _done: None).found
    acknowledged, took = {text for text, _ in said}, [seconds for _, seconds in said]
    stored = Counter(text for (text,) in comments)
    lost, twice = acknowledged - set(stored), [text for text, times in stored.items() if times > 1]
    unheard, most = len(set(stored) - acknowledged), given.people + given.kills
    slow = f"p95 {quantile(0.95, took):.3f}, longest {max(took):.1f}"
    print(f"{given.people} people, {given.seconds} s; killed: {given.kills} people, {given.kills} servers")
    print(f"acknowledged {len(said):,} ({len(said) / given.seconds:.0f}/s), stored {len(stored):,}")
    print(f"lost {len(lost)}, stored twice {len(twice) + len(acts)}, unheard {unheard} (at most {most})")
    print(f"seconds: median {quantile(0.5, took):.3f}, {slow}")
    print(f"doctor: {len(wrong)} rows wrong", *wrong[:5], sep="\n")
    return int(bool(lost or twice or acts or wrong or unheard > most))


if __name__ == "__main__":
    sys.exit(main())
