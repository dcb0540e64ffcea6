"""A killed process, and several processes at once: what was shown as saved is saved."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rows import proposal, sample
from workbench.model import KINDS
from workbench.reviewing.documents import unit_of
from workbench.reviewing.edits import Comment
from workbench.reviewing.fold import fold, gold_units
from workbench.store import journal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills by signal")

ROUNDS = 12
NAMED = proposal(["Ann", "Bob", "Rome"], ["Ann", "Rome"])
ROWS = [sample(f"s{n}", "Ann met Bob in Rome.", "Ann was in Rome.", proposal=NAMED) for n in range(6)]


@pytest.fixture
def decider() -> Iterator[subprocess.Popen[str]]:
    """The process that forks deciders; forking spares each round the imports."""
    process: Any = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("decider.py"))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    yield process
    process.stdin.close()
    process.wait(600)
    process.stdout.close()


def ask(decider: Any, *words: object) -> None:
    decider.stdin.write(" ".join(map(str, words)) + "\n")
    decider.stdin.flush()


def lines(decider: Any) -> Iterator[str]:
    """What it says until this round is done."""
    for line in decider.stdout:
        yield line.strip()
        if line.startswith("done"):
            return


def check_whole(bench: Any) -> dict[tuple[str, str], set[str]]:
    """Every review folds, its projection agrees, no act is half there; the comments by sample and person."""
    assert bench.query("PRAGMA integrity_check") == [("ok",)]
    assert bench.query("PRAGMA foreign_key_check") == []
    acts = bench.query("SELECT action, count(*) FROM review_event WHERE op != 'open' GROUP BY action")
    assert {n for _, n in acts} <= {2}  # every act of the decider is an edit and a comment
    comments: dict[tuple[str, str], set[str]] = {}
    heads = "r.id, key, annotator, seq, entity, statement FROM review r JOIN sample s ON s.id = sample_id"
    for number, key, annotator, seq, entity, statement in bench.query(f"SELECT {heads}"):
        edits = journal.journals(bench.store, [number])[number]
        state = fold(edits)
        numbers = bench.query("SELECT seq FROM review_event WHERE review_id = ? ORDER BY id", number)
        assert numbers == [(place,) for place in range(seq + 1)]
        assert (state.entity.disposition, state.statement.disposition) == (entity, statement)
        assert state.opened
        for kind in KINDS:
            half = state.of(kind)
            units = "SELECT document FROM gold_unit WHERE review_id = ? AND kind = ? ORDER BY position"
            stored = [unit_of(json.loads(one), kind) for (one,) in bench.query(units, number, kind)]
            assert stored == [*gold_units(half.assessment.units if half.disposition == "verified" else ())]
        comments[key, annotator] = {edit.text for _, edit in edits if isinstance(edit, Comment)}
    return comments


def test_every_acknowledged_decision_survives_a_kill(bench: Any, decider: Any) -> None:
    """SIGKILL at random moments: all that returned is there, nothing is half there, at most one is on top."""
    bench.load(ROWS)
    chance = random.Random(20)
    acknowledged: set[str] = set()
    ends: list[str] = []
    for seed in range(ROUNDS):
        bench.store.close()
        ask(decider, bench.db, "ann", seed, 1_000)
        pid, left = 0, chance.randrange(4)
        for line in lines(decider):
            word, _, rest = line.partition(" ")
            if word == "pid":
                pid = int(rest)
            elif word == "ack":
                acknowledged.add(rest)
                left -= 1
            elif word == "done":
                ends.append(rest)
            else:
                pytest.fail(line)
            if left <= 0 and pid:
                time.sleep(chance.random() * 0.03)  # an act takes some 10 ms: anywhere inside the next ones
                os.kill(pid, signal.SIGKILL)
                pid = 0
        bench.reopen()
        stored = set().union(*check_whole(bench).values())
        assert acknowledged <= stored
        on_their_way = [text.split()[1] for text in stored - acknowledged]
        assert len(on_their_way) == len(set(on_their_way))  # of each round at most the act it died in
    assert ends == [str(-signal.SIGKILL)] * ROUNDS
    assert len(acknowledged) > ROUNDS


def test_four_processes_decide_at_once_and_nobody_is_locked_out(bench: Any, decider: Any) -> None:
    """Four people × 12 acts on one file: all there, in each person's journals alone."""
    bench.load(ROWS)
    people = ["ann", "bo", "cy", "di"]

    ask(decider, bench.db, ",".join(people), 7, 12)
    said = list(lines(decider))

    assert said[-1] == "done 0,0,0,0", said
    comments = check_whole(bench)
    for person in people:
        mine = set().union(*(texts for (_, who), texts in comments.items() if who == person))
        assert mine == {f"{person} 7 {number}" for number in range(12)}
        assert {f"ack {text}" for text in mine} <= set(said)
