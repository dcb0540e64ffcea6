"""The sample exports in the repository are what the program writes today."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

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
    unexplained = [
        name
        for name in (*names, PARQUET.as_posix())
        if name not in page and f"`{Path(name).name}`" not in page
    ]

    assert [] == unexplained
