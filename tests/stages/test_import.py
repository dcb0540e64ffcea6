"""Importing on a real database: identity, updates, refusals, what stays, and what a review opens with."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import do
from tests.lists import from_cases
from tests.rows import naming, proposal, sample
from workbench.errors import WorkbenchError
from workbench.formats.rows import FileRow
from workbench.model import Match, Unit
from workbench.stages import editing
from workbench.stages.import_ import chunks
from workbench.stages.review import act_on
from workbench.store import journal

HARD = Path(__file__).parents[2] / "fixtures" / "hard.jsonl"
ROME = sample("rome", "Ann met Bob in Rome.", "Ann was in Rome.", "Nothing.")
PROPOSAL = proposal(["Ann", "Bob", "Rome"], ["Ann", "Rome"], [], proposer="claude", model="m1")
GOLD = {
    "annotator": "gina",
    "entities": [
        {"text": "Ann", "verdict": "found", "evidence": [{"context": 0, "start": 0, "end": 3}]},
        {"text": "Bob", "label": "person", "verdict": "missing"},
        {"text": "Rome", "verdict": "found", "evidence": [{"context": 0, "start": 11, "end": 15}]},
    ],
}


def counts(report: Any) -> dict[str, int]:
    names = ("new", "unchanged", "extended", "updated", "rejected")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


@pytest.mark.databases
@pytest.mark.parametrize("gold_rule", ["ignore", "given"])
def test_the_same_file_twice_adds_nothing(bench: Any, gold_rule: str) -> None:
    """Every row of every table is the same byte for byte, on every hard text."""
    assert counts(bench.load(HARD, gold=gold_rule)) == {"new": 13}
    before = bench.tables()

    again = bench.load(HARD, gold=gold_rule)

    assert counts(again) == {"unchanged": 13}
    assert bench.tables() == before


@pytest.mark.databases
def test_gold_that_is_stored_is_read_again_by_the_chunk(bench: Any) -> None:
    """The number of statements does not grow with the rows of a chunk."""
    rows = [{**one, "gold": GOLD} for one in many(40)]
    bench.load(rows, gold="given")

    def statements(n: int) -> int:
        with bench.asked() as asked:
            assert counts(bench.load(rows[:n], gold="given")) == {"unchanged": n}
        return len(asked)

    assert statements(40) == statements(5)


def test_imported_gold_is_the_counted_units_of_the_file(bench: Any) -> None:
    """gold_unit, journal and file say the same; the policy of a new dataset reviews what the gold has."""
    bench.load(HARD, gold="given")

    for line in HARD.read_text("utf-8").splitlines():
        row = json.loads(line)
        if not row["reference"].strip():  # there is nothing to verify
            assert bench.review(row["id"], "hand") is None
            continue
        state = bench.review(row["id"], "hand").state
        for kind, name in (("entity", "entities"), ("statement", "statements")):
            expected = [(one["text"], one["verdict"]) for one in row["gold"].get(name) or ()]
            units = "SELECT text, verdict FROM gold_unit WHERE sample_id = ? AND kind = ?"
            assert sorted(expected) == sorted(bench.query(units, bench.id(row["id"]), kind))
            assert [(one.text, one.match.verdict) for one in state.of(kind).assessment.units] == expected
            assert state.of(kind).disposition == ("verified" if name in row["gold"] else "todo")
    assert bench.info().kinds == ("entity", "statement")


def many(n: int) -> list[dict[str, Any]]:
    return [{**ROME, "id": f"s{number}", "user_input": f"question {number}"} for number in range(n)]


@from_cases
def test_an_unreadable_file_changes_nothing(bench: Any, name: str, content: bytes) -> None:
    """No dataset, no row, no file beside it."""
    before = bench.tables()
    (bench.folder / name).write_bytes(content)

    with pytest.raises(WorkbenchError, match=name):
        bench.load(bench.folder / name)

    assert before == bench.tables()
    assert [name] == [one.name for one in bench.folder.iterdir() if not one.name.startswith("workbench.db")]


def test_a_chunk_holds_a_bounded_number_of_rows_units_and_characters() -> None:
    """Rows of a hundred kilobytes go in by tens, so that memory does not grow with their length."""
    short, long = (FileRow(Path("f"), 1, None, None, text) for text in ("x", "x" * 100_000))

    assert [len(chunk) for chunk in chunks(iter([short] * 4_001))] == [2_000, 2_000, 1]
    assert [len(chunk) for chunk in chunks(iter([long] * 30))] == [21, 9]


KILLED = """
import os
import signal
import sys
import workbench.stages.import_ as stage
from pathlib import Path
from workbench.stages import import_
from workbench.store.engine import open_store

def killed(done):
    if done >= 1_000:
        os.kill(os.getpid(), signal.SIGKILL)


import_.CHUNK = 150
store = open_store(sys.argv[1])
stage.import_file(store, Path(sys.argv[2]), stage.ImportOptions(seed=3), annotator="ann", progress=killed)
"""


@pytest.mark.databases
@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_a_killed_import_is_finished_by_running_it_again(bench: Any) -> None:
    """Whole chunks are there, the rest is added, and nothing differs from an import that was not killed."""
    rows = (row | {"proposal": PROPOSAL, "response": "x" * 500} for row in many(1_500))
    path = bench.write(rows, "big.jsonl")
    bench.load(path, dataset="whole", seed=3)
    bench.store.close()
    process = subprocess.run([sys.executable, "-c", KILLED, bench.store.url, path], check=False)
    assert -signal.SIGKILL == process.returncode
    there = "SELECT count(*) FROM sample JOIN dataset ON dataset.id = dataset_id WHERE name = 'big'"
    bench.reopen()
    found = bench.query(there)[0][0]
    assert 0 < found < 1_500
    assert found % 150 == 0

    assert counts(bench.load(path)) == {"unchanged": found, "new": 1_500 - found}

    info, whole = bench.info("big"), bench.info("whole")
    assert (info.blind_share, info.run) == (whole.blind_share, whole.run)
    columns = "key, user_input, reference, retrieved_contexts, response, content_hash, u, blind_u"
    samples = f"SELECT {columns} FROM sample WHERE dataset_id = ? ORDER BY id"
    assert bench.query(samples, info.id) == bench.query(samples, whole.id)
    assert [(1, 1_500), (2, 1_500)] == bench.query(
        "SELECT run_id, count(*) FROM proposal GROUP BY 1 ORDER BY 1"
    )


@pytest.mark.databases
def test_draws_do_not_depend_on_the_order_or_the_parts_of_an_import(bench: Any) -> None:
    """Shuffled, in two files, or under another name: the same seed gives the same queue and blind arm."""
    rows = many(120)
    bench.load(rows, "one.jsonl", seed=5)
    bench.load(list(reversed(rows))[:40], "two.jsonl", seed=5)
    bench.load(rows[:90], "two.jsonl")
    bench.load(rows, "three.jsonl", seed=6)

    drawn = (
        "SELECT key, u || ' ' || blind_u FROM sample JOIN dataset ON dataset.id = dataset_id WHERE name = ?"
    )
    draws = {name: dict(bench.query(drawn, name)) for name in ("one", "two", "three")}

    assert draws["one"] == draws["two"]
    assert all(draws["one"][key] != draws["three"][key] for key in draws["one"])


def test_draws_are_even_and_independent(bench: Any) -> None:
    """4,000 samples: each tenth holds about 400, and a low `u` says nothing of the blind draw."""
    from workbench.store.samples import draw

    pairs = [draw(1, f"s{number}") for number in range(4_000)]

    for place in (0, 1):
        tenths = [0] * 10
        for pair in pairs:
            assert 0 <= pair[place] < 1
            tenths[int(pair[place] * 10)] += 1
        chi = sum((n - 400) ** 2 / 400 for n in tenths)
        assert chi < 27.9  # 9 degrees of freedom, p = .001
    mean = [sum(pair[place] for pair in pairs) / 4_000 for place in (0, 1)]
    covariance = sum((u - mean[0]) * (v - mean[1]) for u, v in pairs) / 4_000
    assert abs(covariance * 12) < 0.052  # a correlation of 3.3 standard errors


def test_the_blind_arm_of_a_hundred_samples_is_those_of_a_low_draw(bench: Any) -> None:
    bench.load(many(100))

    drawn = bench.query("SELECT key, blind_u < 0.1 FROM sample")
    assert [bool(blind) for _, blind in drawn] == [bench.open(key).blind for key, _ in drawn]
    assert 0 < sum(blind for _, blind in drawn) < 30


# What two people see of each other, what undo does not pass, and what a review opens with.


@pytest.mark.databases
def test_undo_of_one_act_in_two_samples_leaves_the_one_whose_text_was_replaced_since(bench: Any) -> None:
    bench.load([naming(key, ["Paris", "Rome"], ["Paris"]) for key in ("a", "b")])
    opened = [bench.open(key) for key in ("a", "b")]
    acts = [act_on(one, do("Rome", editing.reject)(one)) for one in opened]
    journal.record(bench.store, acts, "ann")
    bench.load([naming("a", ["Paris", "Rome"], [])], update=True)
    before = bench.review("a").state

    moved = bench.undo()

    assert (bench.id("b"), 1) == (moved.sample_id, moved.samples)
    assert before == bench.review("a").state
    assert [False, False] == [unit.rejected for unit in bench.open("b").state.entity.assessment.units]


def test_the_reason_after_one_of_a_unit_that_is_found_is_the_first() -> None:
    found = Unit("p1", "entity", "Paris", match=Match("found", "partial"))
    assert "absent" == editing.reason_after(found)
