"""Every file of the broken corpus ends in a clear message and an exit code, with nothing half-written."""

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.formats import broken_files
from workbench.cli import app
from workbench.cli.console import exit_code
from workbench.errors import WorkbenchError


@cache
def corpus() -> list[tuple[str, str, bytes]]:
    return broken_files.corpus()


PARTS = 4
ALL = os.environ.get("FUZZ") == "all"
STEP = PARTS if ALL else 2 * PARTS
"""Every second file, a quarter of them in each test; FUZZ=all takes every one, twice the minutes."""

COUNTED = ("dataset", "sample", "proposal", "review", "review_event", "gold_unit", "external_score", "run")


def counts(bench: Any) -> dict[str, int]:
    return {name: bench.query(f"SELECT count(*) FROM {name}")[0][0] for name in COUNTED}


def test_the_corpus_is_large() -> None:
    """Every format, every way."""
    assert len({data for _, _, data in corpus()}) >= 400


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    """Deep nesting ends at the recursion limit; a collection just there fails in whatever it finalizes."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("part", range(PARTS))
def test_a_broken_file_ends_in_a_message_with_nothing_half_written(bench: Any, part: int) -> None:
    """Refused: nothing changed. Partly taken: the good rows are there, the bad ones stand beside the file."""
    wrong: list[object] = []
    before = counts(bench)
    for number, (what, name, data) in enumerate(corpus()[part::STEP]):
        folder = bench.folder / str(number)
        folder.mkdir()
        path = folder / name
        path.write_bytes(data)
        report = error = None
        try:
            report = bench.load(path, dataset=str(number), gold="given")
        except WorkbenchError as refusal:
            error = str(refusal).replace("\n", " ")
        after = counts(bench)
        beside = {one.name for one in folder.iterdir()} - {name}
        if report is None:
            fine = after == before and bool(error) and len(error or "") < 6_000 and error.isprintable()  # type: ignore[union-attr]
        else:
            added = after["sample"] - before["sample"]
            fine = 0 < report.new == added and report.rejected > 0 and beside == {f"{name}.rejected.jsonl"}
            fine = fine and after["dataset"] == before["dataset"] + 1 and bool(report.errors)
        if not fine or beside - {f"{name}.rejected.jsonl"}:
            wrong.append((what, error, report, beside))
        before = after
        path.unlink()

    assert wrong == []


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["import", "dry run"])
def test_the_command_ends_with_2_or_3_and_no_traceback(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    """A dry run makes no file at all, and says on standard output what it would refuse; a refused import
    makes no database.
    """
    monkeypatch.chdir(tmp_path)
    wrong = []
    for what, name, data in corpus()[3 :: 1 if ALL else 37]:
        path = tmp_path / name
        path.write_bytes(data)
        code = exit_code(lambda given=name: app(["import", given, *options]))  # type: ignore[misc]
        out, err = capsys.readouterr()
        made = {one.name for one in tmp_path.iterdir()} - {name}
        fine = code in (2, 3) and "Traceback" not in out + err
        fine = fine and (code == 3 or err.startswith("workbench: ") or bool(options and " rejected" in out))
        if not fine or (made and (options or (code == 2 and "nothing of" not in err))):
            wrong.append((what, code, err[:300], made))
        for one in tmp_path.iterdir():
            one.unlink()

    assert wrong == []
