"""Refused rows go into a file of their own, which can be mended and imported."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.formats.conftest import load_path
from tests.lists import from_cases
from workbench.errors import RowError
from workbench.formats.exports.folder import being_written, leftovers
from workbench.formats.reading import read
from workbench.formats.rejects import Rejects, rejected_line, rejected_path
from workbench.formats.rows import Notes

ERROR = RowError("reference", "number 3", "a string")
ERROR.path, ERROR.line = "data.jsonl", 7
WHY = "line 7: reference: got number 3, expected a string"


@from_cases
def test_a_row_stands_there_as_given_with_its_error(raw: str, line: str) -> None:
    """An object keeps its digits, escapes and order; anything else goes whole into `_raw`."""
    raw, line = (one.replace("<100,000 brackets>", "[" * 100_000) for one in (raw, line))

    assert rejected_line(raw, ERROR) == line % WHY


def test_without_a_refused_row_nothing_is_written(tmp_path: Path) -> None:
    """Nor is an earlier file of rejects touched: a person may be mending it."""
    old = rejected_path(tmp_path / "a.jsonl")
    old.write_text("old")
    with Rejects(tmp_path / "a.jsonl"), Rejects(tmp_path / "b.jsonl"):
        pass

    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_an_earlier_file_with_other_rows_stays(tmp_path: Path) -> None:
    """A person may have fixed them; the new one appears as a whole, and an equal one is no second file."""
    old, new = rejected_path(tmp_path / "a.jsonl"), rejected_path(tmp_path / "a.jsonl.2")
    old.write_text("old\n" * 100)
    for _ in range(2):
        with Rejects(tmp_path / "a.jsonl") as reject:
            reject("{}", ERROR)
            reject("x", ERROR)

        assert reject.path == new
        assert old.read_text() == "old\n" * 100
        first, second = (sorted(json.loads(line)) for line in new.read_text().splitlines())
        assert (["_error"], ["_error", "_raw"]) == (first, second)
        assert sorted(tmp_path.iterdir()) == [new, old]


def test_a_failed_import_leaves_the_earlier_file(tmp_path: Path) -> None:
    """And no half-written one."""
    old = rejected_path(tmp_path / "a.jsonl")
    old.write_text("old")

    def failing_import() -> None:
        with Rejects(tmp_path / "a.jsonl") as reject:
            reject("{}", ERROR)
            raise KeyError

    with pytest.raises(KeyError):
        failing_import()

    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_rows_go_elsewhere_if_a_folder_takes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into the current folder, else into that of temporary files, else nowhere; good rows go on."""
    here, spare = tmp_path / "here", tmp_path / "spare"
    here.mkdir()
    spare.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(tempfile, "tempdir", str(spare))

    def put_aside() -> Path | None:
        with Rejects(tmp_path / "none" / "a.jsonl") as reject:
            reject("{}", ERROR)
            reject("{}", ERROR)
        return reject.path

    assert put_aside() == here / "a.jsonl.rejected.jsonl"
    assert len((here / "a.jsonl.rejected.jsonl").read_text().splitlines()) == 2
    shutil.rmtree(here)
    assert put_aside() == spare / "a.jsonl.rejected.jsonl"
    shutil.rmtree(spare)
    assert put_aside() is None


@from_cases
def test_a_mended_reject_is_imported(tmp_path: Path, name: str, text: str, bad: str, good: str) -> None:
    """What was refused in either format is one edit away from a record."""
    path = tmp_path / name
    path.write_text(text)
    refused: Any = read(path, notes=Notes())
    with Rejects(path) as reject:
        for row in refused:
            reject(row.raw, row.error)
    rejected = rejected_path(path)
    assert bad in rejected.read_text()
    rejected.write_text(rejected.read_text().replace(bad, good))

    record = load_path(rejected).record
    assert record.sample.retrieved_contexts == ("c",)
    assert record.scores == ({"context_recall": "0.5"} if name == "a.csv" else {})


KILLED = """
import os, signal, sys
from pathlib import Path
from workbench.errors import RowError
from workbench.formats.rejects import Rejects

with Rejects(Path(sys.argv[1])) as reject:
    for _ in range(10_000):
        reject('{"id": "a", "reference": "Marie Curie."}', RowError("id", "a", "b"))
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals and locks of POSIX")
def test_what_a_killed_import_left_is_private_and_goes_with_the_next_import(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    old = os.umask(0)
    try:
        for _ in range(2):
            ended = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
            assert -signal.SIGKILL == ended.returncode
    finally:
        os.umask(old)

    (left,) = leftovers(tmp_path)
    assert not being_written(left)
    assert [0o600] == [file.stat().st_mode & 0o777 for file in left.iterdir()]
    with Rejects(path):
        assert [] == leftovers(tmp_path)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_refused_rows_are_never_written_through_a_link(tmp_path: Path) -> None:
    """Under no name that another user could guess; a link to other text stays. The path has no way back."""
    (tmp_path / "below").mkdir()
    path, victim = tmp_path / "below" / ".." / "a.jsonl", tmp_path / "victim"
    victim.write_text("as it was")
    (tmp_path / f".a.jsonl.rejected.jsonl.{os.getpid()}.partial").symlink_to(victim)
    (tmp_path / "a.jsonl.rejected.jsonl").symlink_to(victim)

    with Rejects(path) as reject:
        reject('{"id": "a"}', RowError("id", "a", "b"))

    assert "as it was" == victim.read_text()
    assert rejected_path(path).is_symlink()
    assert reject.path == tmp_path / "a.jsonl.2.rejected.jsonl"
    assert not reject.path.is_symlink()
    assert 1 == len(reject.path.read_text().splitlines())
