"""The first look at a SQLite file shows what the library of the tables shows a moment later."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete
from sqlmodel import select

from tests.conftest import Bench
from workbench.stages import queue
from workbench.stages.queue_row import at_a_glance
from workbench.store import datasets
from workbench.store.tables import Dataset, ReviewRow, SampleRow

KEYS = ("a", "b", "c", "d", "e", "f")
STATES = ("todo", "started", "skipped", "excluded", "verified")
ROWS = [
    {"id": key, "user_input": "?", "reference": f"{key} Rome is old. " * 20, "retrieved_contexts": []}
    for key in KEYS
]
SHOWN = ("sample_id", "key", "reference", "disposition", "flag", "blind", "stale", "off_plan")

reviews = st.lists(
    st.tuples(
        st.sampled_from(KEYS),
        st.sampled_from(["ann", "Böb"]),
        st.sampled_from(STATES),
        st.sampled_from(STATES),
        st.sampled_from([1, 2]),
        st.sampled_from(["", "odd"]),
        st.booleans(),
    ),
    max_size=12,
    unique_by=lambda one: one[:2],
)


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    reviews,
    st.sampled_from([("entity",), ("statement",), ("entity", "statement")]),
    st.sets(st.sampled_from(KEYS)),
)
def test_the_first_look_is_the_queue_without_values(
    bench: Bench, given: list[Any], kinds: Sequence[Any], holdout: set[str]
) -> None:
    """Same next sample, same order, same state of every sample, whoever decided what."""
    if not datasets.list_datasets(bench.store):
        bench.load(ROWS)
    info = bench.info()
    _make(bench, given, kinds, holdout)

    with bench.store.reading():
        wanted = queue.first(bench.store, info.id, "ann", 2, 3)
    seen = at_a_glance(bench.db, None, "ann", 2, 3)

    undecided = wanted.at is not None and wanted.rows[wanted.at].disposition in ("todo", "started")
    assert (seen is not None) == undecided  # with nothing to decide the store says where to begin
    if seen is not None:
        name, first = seen
        assert (name, first.at, first.ids) == (info.name, wanted.at, wanted.ids)
        for number in first.ids:
            ours, theirs = first.rows[number], wanted.rows[number]
            assert [getattr(ours, one) for one in SHOWN] == [getattr(theirs, one) for one in SHOWN]
            assert (ours.automatic, ours.verified, ours.annotators) == (None, None, ())


def _make(bench: Bench, given: list[Any], kinds: Sequence[Any], holdout: set[str]) -> None:
    info = bench.info()
    with bench.store.writing() as session:
        session.execute(delete(ReviewRow))
        dataset = session.get_one(Dataset, info.id)
        dataset.blind_share = 0.3
        numbers: dict[str, int] = {}
        for sample in session.exec(select(SampleRow)):
            numbers[sample.key] = sample.id or 0
            sample.holdout = sample.key in holdout
        for key, who, entity, statement, version, flag, off_plan in given:
            session.add(
                ReviewRow(
                    dataset_id=info.id, sample_id=numbers[key], annotator=who, origin="reviewed", seq=0,
                    policy_version=version, shown="assisted", entity=entity, statement=statement, flag=flag,
                    off_plan=off_plan, updated_at=dataset.created_at,
                )
            )  # fmt: skip
    if tuple(info.policy.kinds) != tuple(kinds) or info.policy.version < 2:
        datasets.add_policy(bench.store, info.id, replace(info.policy, kinds=tuple(kinds)), "ann")


def test_what_only_the_store_can_say_is_left_to_it(bench: Bench, tmp_path: Path) -> None:
    """Several datasets, another name, another schema, no database, no file: no first look, no error."""
    bench.load(ROWS)
    path = bench.db

    assert at_a_glance(path, None, "ann", 2, 3) is not None
    assert at_a_glance(path, "nobody", "ann", 2, 3) is None
    assert at_a_glance(tmp_path / "none.db", None, "ann", 2, 3) is None
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "text.db").write_text("no database " * 1000)
    assert at_a_glance(tmp_path / "text.db", None, "ann", 2, 3) is None
    older = tmp_path / "older.db"
    shutil.copy(path, older)
    with closing(sqlite3.connect(older)) as raw, raw:
        raw.execute("UPDATE alembic_version SET version_num = '0003'")
    assert at_a_glance(older, None, "ann", 2, 3) is None
    bench.load(ROWS, dataset="second")
    assert at_a_glance(path, None, "ann", 2, 3) is None
    named = at_a_glance(path, "second", "ann", 2, 3)
    assert named is not None
    assert named[0] == "second"


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
def test_a_path_with_marks_of_an_address_is_a_path(bench: Bench, tmp_path: Path) -> None:
    """`?`, `#`, `%` and spaces in a folder's name."""
    bench.load(ROWS)
    odd = tmp_path / "a ?mode=rwc#b %41"
    odd.mkdir()
    with closing(sqlite3.connect(bench.db)) as raw, closing(sqlite3.connect(odd / "x.db")) as copy:
        raw.backup(copy)

    assert at_a_glance(odd / "x.db", None, "ann", 2, 3) is not None
