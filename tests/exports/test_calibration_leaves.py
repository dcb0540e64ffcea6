"""The calibration in use leaves with its dataset, for a pipeline that has the folder and no database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from workbench import calibration
from workbench.api import ContextEntityRecall
from workbench.errors import ExportError, NotFoundError
from workbench.formats import folder
from workbench.stages import calibrate
from workbench.stages.export import ExportOptions, export
from workbench.stages.import_package import import_package
from workbench.stages.verify import verify
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store


def leave(store: Store, target: Path, *formats: str, **options: Any) -> Path:
    given = ExportOptions(formats=formats, **options)
    export(store, find_dataset(store, None), target, given, annotator="ann")
    return target


@pytest.fixture
def calibrated(demo: Bench) -> Bench:
    """The demo with a calibration in use, and its file beside the database."""
    report = calibrate.calibrate(demo.store, demo.info(), save="may", annotator="ann")
    calibrate.write(demo.folder / "calibration.json", report.document)
    calibrate.use(demo.store, demo.info(), "may")
    return demo


@pytest.mark.parametrize(
    ("formats", "place"),
    [
        (("package",), ""),
        (("huggingface",), ""),
        (("all",), "package"),
        (("csv", "huggingface"), "huggingface"),
    ],
)
def test_an_export_holds_the_calibration_in_use_as_calibrate_writes_it(
    calibrated: Bench, formats: tuple[str, ...], place: str
) -> None:
    """Its folder is all that a pipeline needs; it verifies, and may be replaced."""
    pytest.importorskip("pyarrow")
    target = leave(calibrated.store, calibrated.folder / "out", *formats)
    file = calibrated.folder / "calibration.json"

    assert file.read_bytes() == (target / place / "calibration.json").read_bytes()
    assert calibration.load(file) == calibration.load(target) == calibration.load(target / place)
    assert calibration.load(file).threshold == ContextEntityRecall(calibration=target).calibration.threshold  # type: ignore[union-attr]
    assert verify(target).passed
    leave(calibrated.store, target, *formats, force=True)


def test_a_package_with_a_calibration_makes_the_same_package_again(calibrated: Bench, tmp_path: Path) -> None:
    first = leave(calibrated.store, tmp_path / "first", "package")
    store = open_store(str(tmp_path / "two.db"))
    import_package(store, first)
    second = leave(store, tmp_path / "second", "package")
    store.close()

    files = sorted(path.name for path in first.iterdir())
    assert "calibration.json" in files
    assert files == sorted(path.name for path in second.iterdir())
    assert [] == [name for name in files if (first / name).read_bytes() != (second / name).read_bytes()]


def test_without_a_calibration_in_use_it_is_said_how_to_make_one(calibrated: Bench) -> None:
    """A saved one that is not in use is none that a pipeline should find."""
    calibrate.use(calibrated.store, calibrated.info(), calibrate.NONE)
    target = leave(calibrated.store, calibrated.folder / "out", "native", "package")

    assert not list(target.rglob("calibration.json"))
    for one in (target, target / "package", target / "native"):
        with pytest.raises(
            NotFoundError, match=r"no calibration\.json: workbench calibrate --save NAME -o FILE"
        ):
            calibration.load(one)
    assert verify(target).passed


def test_a_calibration_that_is_not_the_one_of_the_dataset_is_found(calibrated: Bench) -> None:
    """With hashes that were made to fit."""
    target = leave(calibrated.store, calibrated.folder / "out", "package")
    path = target / "calibration.json"

    def found() -> str:
        manifest = folder.read_manifest(target)
        given = {key: manifest[key] for key in manifest if key not in folder._RESERVED}
        folder.write_manifest(target, manifest["counts"], given)
        return "\n".join(verify(target).found)

    document = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(document | {"threshold": 99}), "utf-8")
    assert "not the calibration 'may' of dataset.json" in found()
    path.unlink()
    assert "calibration.json: missing: the calibration 'may' is in use" in found()


def test_a_calibration_laid_into_an_export_by_hand_is_still_a_foreign_file(demo: Bench) -> None:
    report = calibrate.calibrate(demo.store, demo.info(), save="may", annotator="ann")
    target = leave(demo.store, demo.folder / "out", "package")
    calibrate.write(target / "calibration.json", report.document)

    assert ("not in the manifest: calibration.json",) == verify(target).found
    with pytest.raises(ExportError, match=r"calibration\.json is not of the export there"):
        leave(demo.store, target, "package", force=True)
