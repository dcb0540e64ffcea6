"""The queue: order, filters, search, progress and the next sample, as SQL says them."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

from workbench.model import Assessment, Kind, Unit
from workbench.reviewing.edits import Accept, Dispose, Edit, Flag, Put
from workbench.stages import editing, review
from workbench.stages.review import act
from workbench.store import queue


def rows(n: int, **more: Any) -> list[dict[str, Any]]:
    text = {"reference": "Rome.", "retrieved_contexts": []}
    return [{"id": f"s{number}", "user_input": f"question {number}", **text, **more} for number in range(n)]


def keys(bench: Any, ids: list[int]) -> list[str]:
    names = dict(bench.query("SELECT id, key FROM sample"))
    return [names[number] for number in ids]


def test_the_default_order_is_random_and_permanent(bench: Any) -> None:
    """By `u`, so that every prefix is a random sample; `file` is the order of the file."""
    bench.load(rows(50), seed=4)
    dataset = bench.info().id

    drawn = queue.queue_ids(bench.store, dataset, "ann", ["entity"])

    by_u = [number for (number,) in bench.query("SELECT id FROM sample ORDER BY u")]
    assert drawn == by_u
    assert queue.queue_ids(bench.store, dataset, "bo", ["entity"]) == by_u
    in_file = queue.queue_ids(bench.store, dataset, "ann", ["entity"], order="file")
    assert keys(bench, in_file) == [f"s{number}" for number in range(50)]
    assert drawn != in_file


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("париж", ["ru"]), ("ПАРИЖ", ["ru"]), ("ÉCOLE", ["fr"]), ("école", ["fr"]),
        ("100%", ["percent"]), ("%", ["percent"]), ("a_b", ["under"]), ("_", ["under"]), ("\\", ["back"]),
        ("where", ["ru", "fr"]), ("PERCENT", ["percent"]), ("nothing of this", []), ("'; DROP", []),
    ],
)  # fmt: skip
def test_search_finds_a_piece_of_the_text_in_any_case(bench: Any, search: str, expected: list[str]) -> None:
    """In id, question or reference, in every script; signs of patterns are signs."""
    texts = {
        "ru": ("where", "Эйфелева башня в Париже"), "fr": ("Where?", "L'École normale"),
        "percent": ("how much", "It is 100% sure"), "under": ("which", "a_b"), "back": ("what", "a\\b axb"),
    }  # fmt: skip
    bench.load([
        {"id": key, "user_input": question, "reference": reference, "retrieved_contexts": ["Париж %_"]}
        for key, (question, reference) in texts.items()
    ])  # fmt: skip

    found = queue.queue_ids(bench.store, bench.info().id, "ann", ["entity"], order="file", search=search)

    assert keys(bench, found) == expected


def states(kinds: tuple[Kind, ...]) -> list[tuple[str, ...]]:
    return list(itertools.product(("todo", "started", "skipped", "excluded", "verified"), repeat=len(kinds)))


def edits_for(kind: Kind, disposition: str) -> list[Edit]:
    if disposition == "verified":
        return [Accept(Assessment(kind, "x"))]
    if disposition == "started":
        return [Put("add", kind, (Unit("h1", kind, "X"),))]
    return [Dispose(disposition, (kind,))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "kinds", [("entity",), ("statement",), ("entity", "statement"), ("statement", "entity")]
)
def test_the_disposition_in_sql_is_that_of_the_fold(bench: Any, kinds: tuple[Kind, ...]) -> None:
    """For every combination of the kinds: filter, page and progress agree with the journal."""
    combinations = states(kinds)
    bench.load(rows(len(combinations) + 1), kinds=kinds)
    expected: dict[str, str] = {f"s{len(combinations)}": "todo"}
    for number, combination in enumerate(combinations):
        opened = bench.open(f"s{number}")
        edits = [
            edit for kind, state in zip(kinds, combination, strict=True) for edit in edits_for(kind, state)
        ]
        after = act(bench.store, opened, *edits)
        expected[f"s{number}"] = after.state.disposition(kinds)
    dataset = bench.info().id

    found = {
        key: state
        for state in ("todo", "started", "skipped", "excluded", "verified")
        for key in keys(bench, queue.queue_ids(bench.store, dataset, "ann", kinds, state=state))
    }
    pages = review.queue_rows(bench.store, dataset, "ann", review.queue_ids(bench.store, dataset, "ann"))
    progress = review.progress(bench.store, dataset, "ann")

    assert found == expected
    assert {row.key: row.disposition for row in pages.values()} == expected
    counts = {
        name: list(expected.values()).count(name) for name in ("verified", "excluded", "skipped", "started")
    }
    assert {name: getattr(progress, name) for name in counts} == counts
    assert progress.total == len(expected)


def test_the_next_sample_goes_round_once(bench: Any) -> None:
    """In queue order after the present one, then from the start; skipped and decided ones are passed over."""
    bench.load(rows(6))
    dataset = bench.info().id
    order = review.queue_ids(bench.store, dataset, "ann")
    visited = []
    current = review.next_sample(bench.store, dataset, "ann", order[2])
    while current is not None:
        visited.append(current)
        opened = review.open_sample(bench.store, current, "ann")
        act(
            bench.store,
            opened,
            editing.accept(opened, "entity") if len(visited) % 2 else editing.skip(opened),
        )
        current = review.next_sample(bench.store, dataset, "ann", current)

    assert visited == [*order[3:], *order[:3]]
    assert review.next_sample(bench.store, dataset, "ann") is None
    assert review.next_sample(bench.store, dataset, "bo") == next(
        number for number in order if visited.index(number) % 2
    )


def test_gold_of_somebody_else_counts_as_verified_until_one_decides(bench: Any) -> None:
    """The queue offers what nobody has verified; a flag decides nothing, an own edit speaks for itself."""
    gold = {"annotator": "gina", "entities": [{"text": "Rome", "verdict": "missing"}]}
    bench.load(rows(2, gold=gold), gold="given")
    dataset = bench.info().id

    before = review.progress(bench.store, dataset, "ann")
    opened = bench.open("s0")
    act(bench.store, opened, Flag("hm"))
    flagged = review.progress(bench.store, dataset, "ann")
    opened = bench.open("s0")
    act(bench.store, opened, editing.reject(opened, opened.state.entity.assessment.units[0]))
    after = review.progress(bench.store, dataset, "ann")

    assert (before.verified, before.flagged) == (2, 0)
    assert (flagged.verified, flagged.flagged) == (2, 1)
    assert (after.verified, after.started) == (1, 1)


def test_values_stay_hidden_until_a_sample_is_decided(bench: Any) -> None:
    """The automatic score appears with the decision, with the verified one and their difference."""
    proposal = {"proposer": "p", "reference_entities": ["Rome"], "context_entities": []}
    bench.load(rows(2, proposal=proposal))
    dataset, ids = bench.info().id, review.queue_ids(bench.store, bench.info().id, "ann")
    opened = bench.open("s0")
    assert opened.automatic == ()
    rome = opened.state.entity.assessment.units[0]

    edited = act(bench.store, opened, editing.toggle(opened, rome))
    done = act(bench.store, edited, editing.accept(edited, "entity"))

    rows_ = {row.key: row for row in review.queue_rows(bench.store, dataset, "ann", ids).values()}
    shown, hidden = rows_["s0"], rows_["s1"]
    assert (hidden.automatic, hidden.verified, hidden.delta) == (None, None, None)
    assert shown.automatic is not None
    assert shown.verified is not None
    assert (shown.automatic.found, shown.verified.found, shown.delta) == (0, 1, Fraction(-1))
    assert {one.scorer for one in done.automatic} >= {"linked", "presence", "ragas"}


def test_the_order_by_difference_takes_any_number_of_samples(bench: Any) -> None:
    """More than one statement of SQLite can name (32,766)."""
    from sqlalchemy import insert

    from workbench.store.tables import SampleRow

    bench.load(rows(1))
    (stored,) = bench.query("SELECT user_input, reference, reference_hash, content_hash FROM sample")
    dataset = bench.info().id
    many = [
        {
            "dataset_id": dataset, "key": f"k{n}", "user_input": stored[0], "reference": stored[1],
            "retrieved_contexts": [], "reference_hash": f"{n}", "content_hash": f"{n}",
            "u": n / 40_000, "blind_u": 0.5,
        }
        for n in range(33_000)
    ]  # fmt: skip
    with bench.store.writing() as session:
        session.execute(insert(SampleRow), many)

    assert len(review.queue_ids(bench.store, dataset, "ann", order="delta")) == 33_001
