"""A damaged database is named as damaged: no crash, and no text of the dataset in a message."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import past
from tests.lists import from_cases
from tests.rows import naming, sample
from workbench.cli import _run
from workbench.errors import StoreError
from workbench.reviewing.edits import Comment
from workbench.stages import editing, queue, review
from workbench.stages.queue_values import queue_ids
from workbench.stages.recompute import score_dataset
from workbench.stages.upkeep import backup
from workbench.store import journal, purge, training
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store

SECRET = "Marie Curie"
ROWS = [sample("s", f"{SECRET}.", SECRET)]
BROKEN = f"CAST(X'{SECRET.encode().hex()}FF' AS TEXT)"


def everything(path: Path) -> None:
    """What commands and screens read."""
    with closing(open_store(str(path))) as store:
        info = find_dataset(store, None)
        score_dataset(store, info)
        ids = queue_ids(store, info, "ann")
        queue.queue_rows(store, info, "ann", ids)
        for one in ids:
            review.open_sample(store, one, "ann")


@from_cases
def test_messages_quote_nothing_of_a_damaged_database(bench: Any, statement: str) -> None:
    """SQLite quotes texts and names that it cannot read."""
    bench.load(ROWS)
    bench.store.close()
    past(bench.db, statement.format(broken=BROKEN, secret=SECRET))

    with pytest.raises(StoreError) as refused:
        everything(bench.db)

    assert "the database is damaged: go on with its newest backup" in str(refused.value)
    assert SECRET not in str(refused.value)


@from_cases
def test_a_stored_value_that_is_not_what_was_stored_is_a_damaged_database(
    demo: Any, table: str, column: str, stored: str, damaged: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQLite has no checksums: another letter in a name is read as if it had been written."""
    demo.store.close()
    assert 0 == _run(["--db", str(demo.db), "compare", "--samples"])
    past(
        demo.db,
        "PRAGMA ignore_check_constraints = ON",
        f"UPDATE {table} SET {column} = replace({column}, '{stored}', '{damaged}')",
    )
    capsys.readouterr()

    ended = {_run(["--db", str(demo.db), *one]) for one in (["compare", "--samples"], ["calibrate"])}

    said = capsys.readouterr().err
    assert 2 in ended <= {0, 2}, said
    assert "workbench: the database is damaged: go on with its newest backup" in said


@pytest.mark.parametrize(
    "read",
    [
        lambda store, info: journal.said_of_several(store, info.id),
        lambda store, info: journal.first_accepts(store, [1, 2], "entity"),
        lambda store, info: training.answers(store, info.id),
    ],
    ids=["what several decided", "first accepts", "the known answers"],
)
def test_evidence_that_is_not_what_was_stored_is_a_damaged_database(bench: Any, read: Any) -> None:
    bench.load([naming("s", ["Rome"], ["Rome"])])
    for who in ("ann", "bo"):
        opened = review.act(bench.store, bench.open("s", who), Comment("before"))
        opened = review.act(bench.store, opened, editing.accept(opened, "entity"))
        review.act(bench.store, opened, Comment("behind"))
    assert read(bench.store, bench.info())
    bench.store.close()
    past(bench.db, """UPDATE review_event SET data = replace(data, '"context"', '"cXntext"')""")

    bench.reopen()
    with pytest.raises(StoreError, match="the database is damaged"):
        read(bench.store, find_dataset(bench.store, None))


def test_no_text_is_quoted_of_a_copy_that_a_purge_cannot_read(bench: Any) -> None:
    bench.load(ROWS)
    copy = backup(bench.store, None, datetime.now().astimezone())
    past(copy, f"UPDATE sample SET key = {BROKEN}")

    assert purge.holds(copy, bench.info().name, ["s"]), "it may"
    with pytest.raises(StoreError) as refused:
        purge.remove_from_copy(copy, bench.info().name, ["s"])
    assert SECRET not in str(refused.value)
    assert "is damaged" in str(refused.value)


def test_an_error_of_the_program_is_no_damaged_database(bench: Any) -> None:
    """Whatever it is raised in: nothing but values that cannot be read speak of damage."""
    for part in (bench.store.writing, bench.store.snapshot):
        for error in (KeyError, TypeError, ValueError, AssertionError):
            with pytest.raises(error, match="of ours"), part():
                raise error("of ours")
