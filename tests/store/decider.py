"""A process that makes decisions until it is killed; started by tests, never imported by them.

It reads lines `DATABASE ANNOTATOR SEED ACTS` from standard input. For each line it forks a process that
opens the database and decides ACTS times, and prints `ack N` after each act that returned. When a line
holds several annotators (`ann,bo`), that many processes work at once.
"""

import os
import random
import sys

from workbench.errors import WorkbenchError
from workbench.reviewing.edits import Comment, Dispose
from workbench.stages import editing, review
from workbench.stages.queue_values import queue_ids
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store


def say(text: str) -> None:
    os.write(1, (text + "\n").encode())  # one write: lines of several processes do not mix


def decide(database: str, annotator: str, seed: int, acts: int) -> None:
    """Edit, accept, skip and undo, each act with a comment that names it."""
    chance = random.Random(seed)
    store = open_store(database)
    info = find_dataset(store, None)
    ids = queue_ids(store, info, annotator)
    say(f"pid {os.getpid()}")
    for number in range(acts):
        opened = review.open_sample(store, chance.choice(ids), annotator)
        units = opened.state.entity.assessment.units
        note = Comment(f"{annotator} {seed} {number}")
        what = chance.choice(["toggle", "accept", "accept", "skip"])
        if what == "toggle" and units:
            review.act(store, opened, editing.toggle(opened, chance.choice(units)), note)
        elif what == "accept":
            review.act(store, opened, editing.accept(opened, "entity"), note)
        else:
            review.act(store, opened, Dispose("skipped", ("entity",)), note)
        say(f"ack {annotator} {seed} {number}")
    store.close()


def main() -> None:
    for line in sys.stdin:
        database, annotators, seed, acts = line.split()
        children = []
        for annotator in annotators.split(","):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    decide(database, annotator, int(seed), int(acts))
                    code = 0
                except WorkbenchError as error:
                    say(f"error {error}")
                finally:
                    os._exit(code)
            children.append(child)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        say(f"done {','.join(map(str, codes))}")


if __name__ == "__main__":
    main()
