"""Two scorers on the same samples, and two runs of one metric, found by the day on which they came."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Bench
from tests.rows import gold, naming, sample
from workbench.comparing.versions import Against
from workbench.errors import UsageError
from workbench.stages.compare import compare_against
from workbench.stages.propose import propose

NAMES = [f"s{number:02}" for number in range(12)]
OLD, NEW = "context_entity_recall@2026-01-05", "context_entity_recall@2026-02-05"


def row(key: str, **more: Any) -> dict[str, Any]:
    said = gold({"Rome": "found", "Oslo": "missing"}, "zoe")
    return sample(key, "Rome and Oslo.", "Rome.", **{"gold": said} | more)


def day(bench: Bench, text: str, column: str) -> None:
    bench.change(f"UPDATE score_column SET at = '{text} 12:00:00.000000' WHERE \"column\" = '{column}'")


@pytest.fixture
def twice(bench: Bench) -> Bench:
    """Twelve samples, the first two verified at .5, scored .25 each and again .75, one of them as before."""
    rows = [row(key, context_entity_recall=0.25) for key in NAMES[:2]]
    rows += [row(key, context_entity_recall=0.25, gold=None) for key in NAMES[2:]]
    bench.load(rows, gold="given", blind=0)
    day(bench, "2026-01-05", "context_entity_recall")
    again = [row(key, context_entity_recall=0.75, gold=None) for key in NAMES[:-1]]
    bench.load([*again, row(NAMES[-1], context_entity_recall=0.25, gold=None)])
    named = f"""SET "column" = '{NEW}' WHERE "column" NOT LIKE '%01-05'"""
    bench.change(f"UPDATE external_score {named}", f"UPDATE score_column {named}")
    day(bench, "2026-02-05", NEW)
    return bench


def held(bench: Bench, **options: Any) -> Against:
    given: dict[str, Any] = {"scorer": None, "against": None, "since": None, **options}
    return compare_against(bench.store, bench.info(), "ann", **given)


@pytest.mark.parametrize(
    "options",
    [
        {"against": OLD},
        {"since": "2026-02-01"},
        {"scorer": "context_entity_recall", "since": "2026-02-05"},
        {"since": "2026-02-05 11:20+00:00"},
        {"since": "2026-01-05T14:01:00+02:00"},
    ],
)
def test_the_newest_run_is_held_against_an_earlier_one(twice: Bench, options: dict[str, str]) -> None:
    found = held(twice, **options)

    assert ((NEW, OLD), ("2026-02-05", "2026-01-05")) == ((found.first, found.second), found.days)
    assert (12, 11, 0, 1) == (found.paired.n, found.higher, found.lower, found.paired.equal.hits)
    assert [(0.75 * 11 + 0.25) / 12, 0.25] == [one.value for one in found.means]
    assert [(0.25, 2), (0.25, 2)] == [(one.value, one.n) for one in found.errors]
    assert NAMES[:-1] == [one.id for one in found.moved]
    assert (0, (0, 0)) == (found.hidden, found.only)


def test_what_a_reader_is_to_review_without_suggestions_is_counted_and_not_listed(twice: Bench) -> None:
    twice.change("UPDATE dataset SET blind_share = 1")

    found = held(twice, against=OLD)

    assert ((), 11, 12) == (found.moved, found.hidden, found.paired.n)


def test_what_rounding_alone_sets_apart_is_equal(bench: Bench) -> None:
    """A column of three digits and exact thirds; of two such columns a digit is a difference."""
    columns = {"context_entity_recall": 0.333, "own (entity)": 0.334}
    bench.load([naming(key, ["Rome", "Oslo", "Bern"], ["Rome"], scores=columns) for key in NAMES], blind=0)

    counts = [
        (found.paired.equal.hits, found.higher, found.lower, len(found.moved))
        for second in ("ragas", "own (entity)")
        for found in [held(bench, scorer="context_entity_recall", against=second)]
    ]
    assert [(12, 0, 0, 0), (0, 0, 12, 12)] == counts


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"against": "nothing"}, r"unknown scorer 'nothing'; there is: ragas, .*context_entity_recall@"),
        ({"against": "context_entity_recall"}, "against itself: name another one; there is: ragas, "),
        ({"against": "contextual_recall"}, "counts another kind of unit than contextual_recall"),
        (
            {"since": "yesterday"},
            "--since 'yesterday': give a day or a time, as 2026-11-23 or '2026-11-23 04:20'",
        ),
        ({"since": "2026-02-30"}, "--since '2026-02-30': give a day or a time"),
        (
            {"since": "2026-01-05"},
            r"no run of context_entity_recall came before 2026-01-05; there is: .*01-05",
        ),
        ({"since": "2026-01-05T14:00:00+02:00"}, "no run of context_entity_recall came before 2026-01-05T14"),
        ({"since": "2026-02-06"}, "is from before 2026-02-06, and no run came since"),
        ({"scorer": "linked", "since": "2026-02-06"}, "linked is counted here: --against NAME"),
    ],
)
def test_what_cannot_be_compared_says_what_there_is(twice: Bench, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        held(twice, **options)


def test_another_run_begins_with_a_scorer_that_can_count_it(bench: Bench) -> None:
    """The current run names nothing in the contexts, the other one does."""
    bench.load([row(key, gold=None) for key in NAMES])
    propose(bench.store, bench.info(), "rules", annotator="ann")
    only = {"proposer": "tool", "reference_entities": [{"text": "Rome"}]}
    bench.load([row(key, gold=None, proposal=only) for key in NAMES])
    propose(bench.store, bench.info(), "recorded", annotator="ann")

    both = [held(bench, against="linked", run=run) for run in (None, "rules-run-1")]
    assert [("presence", 0), ("ragas", 12)] == [(found.first, found.paired.n) for found in both]
