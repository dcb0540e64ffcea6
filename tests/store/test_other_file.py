"""The database is deleted or replaced while it is open: nothing is reported as saved that nobody can find."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.rows import sample
from workbench.errors import OtherFileError
from workbench.reviewing.edits import Comment
from workbench.stages import review

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows keeps an open file at its place")

ROWS = [sample(f"s{n}", f"Rome {n}.", "Rome.") for n in range(300)]


def remove(path: Path) -> None:
    for one in path.parent.glob(f"{path.name}*"):
        one.unlink()


def restore(path: Path) -> None:
    (path.parent / "old.db").rename(path)


@pytest.mark.parametrize(("change", "there"), [(remove, False), (restore, True)])
def test_a_decision_is_refused_when_the_path_leads_elsewhere(bench: Any, change: Any, there: bool) -> None:
    bench.load(ROWS)
    path = Path(bench.db)
    shutil.copy(path, path.parent / "old.db")
    opened = bench.open("s0")
    change(path)

    with pytest.raises(OtherFileError) as refused:
        review.act(bench.store, opened, Comment("nobody would find this"))

    assert there == refused.value.there
    assert str(path) in str(refused.value)
    assert there == path.exists()


def test_a_file_that_is_put_back_takes_the_decision(bench: Any) -> None:
    bench.load(ROWS)
    path = Path(bench.db)
    opened = bench.open("s0")
    path.rename(aside := path.with_name("aside.db"))
    with pytest.raises(OtherFileError):
        review.act(bench.store, opened, Comment("later"))

    aside.rename(path)
    review.act(bench.store, opened, Comment("later"))

    stored = bench.review("s0")
    assert ("later",) == stored.state.comments


def test_a_restored_backup_is_not_damaged_by_the_log_of_the_file_before_it(bench: Any) -> None:
    """The old log stays under the new file's name: its pages do not come into that."""
    bench.load(ROWS)
    path = Path(bench.db)
    bench.store.close()
    shutil.copy(path, path.parent / "old.db")
    bench.reopen()
    for n in range(60):
        review.act(bench.store, bench.open(f"s{n}"), Comment("x" * 5_000))
    opened = bench.open("s0")
    restore(path)
    with pytest.raises(OtherFileError):
        review.act(bench.store, opened, Comment("y"))
    bench.store.close()

    with closing(sqlite3.connect(path)) as raw:
        assert [("ok",)] == raw.execute("PRAGMA integrity_check").fetchall()
        assert [(0,)] == raw.execute("SELECT count(*) FROM review_event").fetchall()


SLOW_IMPORT = """
import os, sys
from pathlib import Path
from workbench.cli.console import exit_code
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.engine import open_store

store = open_store(sys.argv[1])

def gone(done):
    for one in Path(sys.argv[1]).parent.glob("w.db*"):
        one.unlink()

file, options = Path(sys.argv[2]), ImportOptions()
sys.exit(exit_code(lambda: import_file(store, file, options, annotator="a", progress=gone)))
"""


def test_an_import_whose_database_is_deleted_does_not_end_well(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": "a", "user_input": "q", "reference": "Rome.", "retrieved_contexts": []}\n')

    ended = subprocess.run(
        [sys.executable, "-c", SLOW_IMPORT, str(tmp_path / "w.db"), str(file)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert 2 == ended.returncode
    assert "was deleted or moved while it was open" in ended.stderr
