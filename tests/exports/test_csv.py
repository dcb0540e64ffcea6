"""Tables: every text comes back, no cell runs, one row a sample and one a unit."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.conftest import Bench
from tests.exports.conftest import ROWS, Leave, csv_rows
from tests.lists import from_cases
from workbench import calibration
from workbench.api import ContextEntityRecall
from workbench.errors import ExportError, NotFoundError
from workbench.formats import calibration as calibration_file
from workbench.formats.detect import files_of
from workbench.formats.exports.tables import neutral, original
from workbench.stages import calibrate
from workbench.stages.export import ExportOptions, export
from workbench.stages.upkeep import verify
from workbench.store.copying import copy_into
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store

RUNS = set("=+-@\t\r\n＝＋－＠")


def test_no_cell_begins_like_a_formula(leave: Leave) -> None:
    """Numbers may: a spreadsheet takes −.5 for a number."""
    folder = leave("csv")
    for name in ("samples.csv", "units.csv"):
        for row in csv_rows(folder / name):
            for cell in row.values():
                assert cell[:1] not in RUNS or float(cell) < 0


@given(st.text())
def test_neutral_is_undone_by_original(text: str) -> None:
    assert text == original(neutral(text))
    assert neutral(text)[:1] not in RUNS


def test_a_copied_database_gives_the_same_tables(hard: Bench, leave: Leave, tmp_path: Path) -> None:
    """Keys of `meta` are sorted, however the file had them, in every depth."""
    row = {**ROWS[0], "id": "unsorted", "meta": {"z": {"b": 1, "a": [{"d": 1, "c": 2}]}, "a": 2}}
    hard.load([row], name="more.jsonl", gold="given", dataset="hard")
    first = leave("csv")
    copy_into(hard.store, str(tmp_path / "two.db"), None, lambda _done: None)
    store = open_store(str(tmp_path / "two.db"))
    again = tmp_path / "again"
    export(store, find_dataset(store, None), again, ExportOptions(formats=("csv",)), annotator="ann")
    store.close()

    for name in ("samples.csv", "units.csv", "manifest.json"):
        assert (first / name).read_bytes() == (again / name).read_bytes(), name
    cells = next(one for one in csv_rows(first / "samples.csv") if one["id"] == "unsorted")
    assert '{"a": 2, "z": {"a": [{"c": 2, "d": 1}], "b": 1}}' == cells["meta"]


def leave(store: Store, target: Path, *formats: str, **options: Any) -> Path:
    given = ExportOptions(formats=formats, **options)
    export(store, find_dataset(store, None), target, given, annotator="ann")
    return target


@pytest.fixture
def calibrated(demo: Bench) -> Bench:
    """The demo with a calibration in use, and its file beside the database."""
    report = calibrate.calibrate(demo.store, demo.info(), save="may", annotator="ann")
    calibration_file.write(demo.folder / "calibration.json", report.document)
    calibrate.use(demo.store, demo.info(), "may", "ann")
    return demo


@from_cases
def test_an_export_has_the_calibration_in_use_as_written(calibrated: Bench, formats: Any, place: str) -> None:
    """Its folder is all that a pipeline needs; it verifies, and may be replaced."""
    pytest.importorskip("pyarrow")
    target = leave(calibrated.store, calibrated.folder / "out", *formats)
    file = calibrated.folder / "calibration.json"

    assert file.read_bytes() == (target / place / "calibration.json").read_bytes()
    assert calibration.load(file) == calibration.load(target) == calibration.load(target / place)
    assert calibration.load(file).threshold == ContextEntityRecall(calibration=target).calibration.threshold  # type: ignore[union-attr]
    assert verify(target).passed
    assert [target / place / "data" / "train.parquet"] == files_of(target / place)
    leave(calibrated.store, target, *formats, force=True)


def test_without_a_calibration_in_use_it_is_said_how_to_make_one(calibrated: Bench) -> None:
    """A saved one that is not in use is none that a pipeline should find."""
    calibrate.use(calibrated.store, calibrated.info(), calibrate.NONE, "ann")
    target = leave(calibrated.store, calibrated.folder / "out", "native", "huggingface")

    assert not list(target.rglob("calibration.json"))
    for one in (target, target / "huggingface", target / "native"):
        with pytest.raises(
            NotFoundError, match=r"no calibration\.json: workbench calibrate --save NAME -o FILE"
        ):
            calibration.load(one)
    assert verify(target).passed


def test_a_calibration_laid_into_an_export_by_hand_is_still_a_foreign_file(demo: Bench) -> None:
    report = calibrate.calibrate(demo.store, demo.info(), save="may", annotator="ann")
    target = leave(demo.store, demo.folder / "out", "native")
    with pytest.raises(ExportError, match="the folder holds an export"):
        calibration_file.write(target / "calibration.json", report.document)
    calibration_file.write(demo.folder / "mine.json", report.document)
    (demo.folder / "mine.json").rename(target / "calibration.json")

    assert ("not in the manifest: calibration.json",) == verify(target).found
    with pytest.raises(ExportError, match=r"calibration\.json is not of the export there"):
        leave(demo.store, target, "native", force=True)
