"""The queue: order, filters, search, progress and the next sample, as SQL says them."""

import itertools
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.lists import cases
from tests.rows import sample
from workbench.model import Assessment, Kind, Label, Unit
from workbench.reviewing.edits import Accept, Dispose, Edit, Put
from workbench.stages import editing, queue, review
from workbench.stages.queue import facets
from workbench.stages.queue_values import queue_ids
from workbench.stages.review import act
from workbench.store.datasets import add_policy
from workbench.store.samples import related_ids
from workbench.text.query import FIELDS, MARKS, STATES, VALUES, Query, parse, quoted

pytestmark = pytest.mark.databases


def rows(n: int, **more: Any) -> list[dict[str, Any]]:
    return [sample(f"s{number}", "Rome.", **more) for number in range(n)]


def query(text: str) -> Query:
    found = parse(text)
    assert isinstance(found, Query)
    return found


def keys(bench: Any, ids: Sequence[int]) -> list[str]:
    names = dict(bench.query("SELECT id, key FROM sample"))
    return [names[number] for number in ids]


def found(bench: Any, text: str) -> list[str]:
    """The ids of what a search finds, in the order of the file."""
    return keys(bench, queue_ids(bench.store, bench.info(), "ann", query(text), order="file"))


def test_the_default_order_is_random_and_permanent(bench: Any) -> None:
    """By `u`, so that every prefix is a random sample; `file` is the order of the file."""
    bench.load(rows(50), seed=4)

    drawn = queue_ids(bench.store, bench.info(), "ann").tolist()

    by_u = [number for (number,) in bench.query("SELECT id FROM sample ORDER BY rank")]
    assert drawn == by_u
    assert queue_ids(bench.store, bench.info(), "bo").tolist() == by_u
    in_file = queue_ids(bench.store, bench.info(), "ann", order="file")
    assert keys(bench, in_file) == [f"s{number}" for number in range(50)]
    assert drawn != in_file.tolist()


def states(kinds: tuple[Kind, ...]) -> list[tuple[str, ...]]:
    return list(itertools.product(STATES, repeat=len(kinds)))


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
        pairs = zip(kinds, combination, strict=True)
        edits = [edit for kind, state in pairs for edit in edits_for(kind, state)]
        after = act(bench.store, bench.open(f"s{number}"), *edits)
        expected[f"s{number}"] = after.state.disposition(kinds)

    info = bench.info()
    pages = queue.queue_rows(bench.store, info, "ann", queue_ids(bench.store, info, "ann"))
    progress = queue.progress(bench.store, info, "ann")

    assert expected == {key: state for state in STATES for key in found(bench, f"state:{state}")}
    assert expected == {row.key: row.disposition for row in pages.values()}
    names = ("verified", "excluded", "skipped", "started")
    ours = progress.standing, progress.excluded, progress.skipped, progress.started
    assert ours == tuple(list(expected.values()).count(name) for name in names)
    assert progress.total == len(expected)


def test_the_next_sample_is_never_the_one_that_is_open(bench: Any) -> None:
    """Undecided as it is: next on the last one says that nothing is left."""
    bench.load(rows(1))
    (only,) = queue_ids(bench.store, bench.info(), "ann")

    assert queue.next_sample(bench.store, bench.info(), "ann", only) is None
    assert only == queue.next_sample(bench.store, bench.info(), "ann")


def test_the_next_sample_goes_round_once(bench: Any) -> None:
    """In queue order after the present one, then from the start; skipped and decided ones are passed over."""
    bench.load(rows(6))
    order = queue_ids(bench.store, bench.info(), "ann")
    visited = []
    current = queue.next_sample(bench.store, bench.info(), "ann", order[2])
    while current is not None:
        visited.append(current)
        opened = review.open_sample(bench.store, current, "ann")
        edit = editing.accept(opened, "entity") if len(visited) % 2 else editing.skip(opened)
        act(bench.store, opened, edit)
        current = queue.next_sample(bench.store, bench.info(), "ann", current)

    assert visited == [*order[3:], *order[:3]]
    assert queue.next_sample(bench.store, bench.info(), "ann") is None
    skipped_or_not = (number for number in order if visited.index(number) % 2)
    assert queue.next_sample(bench.store, bench.info(), "bo") == next(skipped_or_not)


@pytest.mark.sqlite
def test_the_order_by_difference_takes_any_number_of_samples(bench: Any) -> None:
    """More than one statement of SQLite can name (32,766)."""
    from sqlalchemy import insert

    from workbench.store.tables import SampleRow

    bench.load(rows(1))
    same = {"dataset_id": bench.info().id, "user_input": "q", "reference": "Rome.", "retrieved_contexts": []}
    own = (
        {"key": f"k{n}", "reference_hash": f"{n}", "content_hash": f"{n}", "u": n / 40_000}
        for n in range(33_000)
    )
    with bench.store.writing() as session:
        session.execute(insert(SampleRow), [{**same, **one, "blind_u": 0.5} for one in own])

    assert len(queue_ids(bench.store, bench.info(), "ann", order="delta")) == 33_001


ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("terms.jsonl").read_text("utf-8").splitlines()
]


def test_terms_over_samples_that_nobody_reviewed(bench: Any) -> None:
    """Texts in any case and script, ids, groups, meta, and labels as the policy knows them."""
    bench.load(ROWS)
    known = cases(__file__, "terms over samples that nobody reviewed")[1:]
    said = [[text, " ".join(key.partition("-")[0] for key in found(bench, text))] for text, _ in known]

    assert known == said


def test_any_value_is_a_value(bench: Any) -> None:
    """Signs of SQL, patterns and JSON find themselves, which stand in no sample here."""
    bench.load(ROWS[:1])
    fields = ("", "id:", "group:", "lang:", "label:", "by:", "flag:", "meta.k:")
    values = ("'; DROP TABLE sample; --", '"', "\\", "%", "_", "[", "\u202e", "💥" * 50, "a" * 900)

    for text in (field + quoted(value) for field in fields for value in values):
        assert [] == [*queue_ids(bench.store, bench.info(), "ann", query(text))], text


@pytest.mark.parametrize("key", ["odd", "a.b", "$", "[0]", "*", "'", "🗝", "ключ"])
def test_any_key_is_a_key(bench: Any, key: str) -> None:
    """A key of meta is taken as it is, whatever it means in a path."""
    bench.load([{**ROWS[4], "meta": {key: "x"}}, {**ROWS[0], "meta": {"other": "x"}}])

    assert found(bench, f"meta.{key}:X") == ["epsilon-5"]


def test_a_policy_without_other_and_with_counted_labels(bench: Any) -> None:
    """A label that the policy does not count is no unit's."""
    bench.load(ROWS)
    dataset = bench.info()
    policy = replace(dataset.policy, counted_labels=("date",))
    add_policy(bench.store, dataset.id, policy, "ann")

    assert found(bench, "label:date") == ["alpha-1", "gamma-3"]
    assert found(bench, "label:person") == []


def test_labels_of_a_policy_in_capitals_are_found_in_any_case(bench: Any) -> None:
    bench.load(ROWS)
    dataset = bench.info()
    labels = (Label("1", "Date"), Label("2", "Other"))
    add_policy(bench.store, dataset.id, replace(dataset.policy, labels=labels), "ann")

    assert found(bench, "label:date") == found(bench, "label:Date") == ["alpha-1", "gamma-3"]
    assert found(bench, "label:other") == ["alpha-1", "beta-2", "gamma-3", "delta-4"]
    assert dict(facets(bench.store, bench.info(), "ann")["label"]) == {"Other": 4, "Date": 2}


def test_a_policys_language_holds_where_a_sample_names_none(bench: Any) -> None:
    bench.load(ROWS)
    dataset = bench.info()
    add_policy(bench.store, dataset.id, replace(dataset.policy, language="de"), "ann")

    assert found(bench, "lang:de") == ["gamma-3", "delta-4", "epsilon-5"]


def test_every_term_can_be_said_to_postgresql(bench: Any) -> None:
    """Nothing of SQLite's own leaves the engine."""
    from sqlalchemy.dialects import postgresql

    from workbench.store.queue_conditions import condition

    bench.load(ROWS)
    texts = [f"{field}:x" for field in FIELDS if field not in (*VALUES, "state", "is", "cause")]
    texts += [*(f"state:{state}" for state in STATES), *(f"is:{mark}" for mark in MARKS)]
    texts += ["word", "слово", "meta.key:true", "label:date", "label:other", "auto>.5"]
    info = replace(bench.info(), show_auto="always")
    for text in texts:
        (term,) = query(text).terms
        computed = ("fast", "disputed", "unresolved", *([term] if "auto" in text else []))
        picked: Any = dict.fromkeys(computed, [1])  # noqa: RUF024 - nobody changes it
        dialect: Any = postgresql
        said = str(condition(term, info, "ann", picked).compile(dialect=dialect.dialect()))
        assert "holds(" not in said
        assert "JSON_EXTRACT" not in said.upper()


def row(key: str, group: str) -> dict[str, Any]:
    return sample(key, f"Rome of {key}.", "Rome.", group=group)


@pytest.mark.sqlite
def test_more_groups_and_references_than_one_statement_may_name_are_asked_about(bench: Any) -> None:
    """SQLite takes 32,766 values in a statement as it comes; 2,000 here."""
    bench.load([row("a", "g0000"), row("b", "g3999"), row("c", "other"), row("d", "far")])
    ((reference,),) = bench.query("SELECT reference_hash FROM sample WHERE key = 'c'")
    groups = {f"g{number:04}" for number in range(4_000)}
    hashes = {f"h{number:04}" for number in range(4_000)} | {reference}

    with bench.store.reading() as session:
        connection = session.connection().connection.driver_connection
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 2_000)
        found = related_ids(bench.store, bench.info().id, groups, hashes)

    assert {"a", "b", "c"} == found
