"""What every importable format brings back: the same samples, units, spans and verdicts."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.exports.conftest import Leave
from workbench.model import KINDS
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.exports import each_leaving, stamp

WHOLE = ("native", "deepeval-goldens", "label-studio", "huggingface", "csv", "ragas")
PART = {
    "prodigy": {"emoji", "cyrillic", "=formula", "nested", "nothing to find"},
    "ragas-annotations": {"emoji", "cyrillic", "=formula", "nested"},
    "deepeval-cases": {"emoji", "=formula"},
}
"""What these hold: samples whose entities stand, and those with a response."""


def said(store: Any) -> dict[str, Any]:
    """Samples by id with all that is known of them, without what belongs to one database."""
    info = find_dataset(store, None)

    def units(record: Any) -> list[Any]:
        """All but their ids, and the rules of matches."""
        every = [unit for kind in KINDS for unit in record.units.get(kind) or ()]
        said = [(one.match.verdict, one.match.reason, one.match.evidence, one.match.note) for one in every]
        return [
            (one.kind, one.text, one.label, one.spans, match) for one, match in zip(every, said, strict=True)
        ]

    def known(one: Any) -> Any:
        reviews = sorted((said.record.annotator, units(said.record)) for said in one.reviews)
        return one.sample, one.proposal, reviews, one.external

    return {one.sample.id: known(one) for chunk in each_leaving(store, info.id, info.run_id) for one in chunk}


@pytest.mark.parametrize("name", [*WHOLE, *PART])
def test_a_format_brings_back_what_left(hard: Bench, leave: Leave, tmp_path: Path, name: str) -> None:
    """Its folder is named, where other files stand beside the one that holds the samples."""
    target = leave(name, names=True)
    store = open_store(str(tmp_path / "two.db"))
    report = import_file(store, target, ImportOptions(dataset="hard", gold="given"), annotator="ann")
    before, after = said(hard.store), said(store)
    store.close()

    assert (0, ()) == (report.rejected, report.errors)
    assert {key: before[key] for key in PART.get(name, before)} == after


def test_times_leave_in_utc() -> None:
    from datetime import UTC, datetime

    assert "2026-01-02T03:04:05.000600Z" == stamp(datetime(2026, 1, 2, 3, 4, 5, 600, tzinfo=UTC))
    assert "2026-01-02T03:04:05Z" == stamp(datetime(2026, 1, 2, 3, 4, 5))  # noqa: DTZ001 - as SQLite gives it


ROOT = Path(__file__).resolve().parents[2]
EXPORTS = ROOT / "exports"
PARQUET = Path("huggingface/data/train.parquet")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports")
    runpy.run_path(str(EXPORTS / "make.py"))["make"](folder)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Everything in the folders of exports; the Parquet file and the manifest that hashes it have their own
    test."""
    own = {PARQUET.as_posix(), "huggingface/manifest.json"}
    found = {path.relative_to(folder).as_posix(): path for path in folder.glob("*/**/*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name not in own}


def test_the_sample_exports_are_what_the_program_writes(written: Path) -> None:
    assert sorted(files(EXPORTS)) == sorted(files(written))
    assert files(EXPORTS) == files(written)


def test_the_sample_parquet_holds_the_same_values(written: Path) -> None:
    """Its bytes name the version of pyarrow that wrote it."""
    parquet = pytest.importorskip("pyarrow.parquet")

    assert parquet.read_table(EXPORTS / PARQUET).equals(parquet.read_table(written / PARQUET))


def test_the_sample_manifests_differ_in_the_parquet_file_only(written: Path) -> None:
    def manifest(folder: Path) -> Any:
        value = json.loads((folder / "huggingface" / "manifest.json").read_text("utf-8"))
        value["files"] = [one for one in value["files"] if one["path"] != "data/train.parquet"]
        return value

    assert manifest(EXPORTS) == manifest(written)


def test_the_readme_explains_every_file_but_the_common_ones() -> None:
    page = (EXPORTS / "README.md").read_text("utf-8")
    names = [name for name in files(EXPORTS) if Path(name).name not in ("manifest.json", "README.md")]
    names.append(PARQUET.as_posix())

    assert [] == [one for one in names if one not in page and f"`{Path(one).name}`" not in page]
