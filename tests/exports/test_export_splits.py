"""The plan's holdout leaves apart from the other samples."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Bench
from tests.exports.conftest import csv_rows, report_of
from workbench.reports.files import export_text


def test_the_plans_holdout_is_a_split_of_its_own(planned: Bench) -> None:
    kept = {key for (key,) in planned.query("SELECT key FROM sample WHERE holdout")}
    report = report_of(planned, "csv", split=True)
    found = {row["id"]: row["split"] for row in csv_rows(Path(report.path) / "samples.csv")}

    assert kept == {name for name, split in found.items() if split == "holdout"}
    sizes = {"calibration": 50 - len(kept), "holdout": len(kept)}
    assert sizes == report.splits
    assert f"splits: calibration {sizes['calibration']}, holdout {sizes['holdout']}" in export_text(report)
    assert sizes == json.loads((Path(report.path) / "manifest.json").read_text("utf-8"))["splits"]


def test_formats_without_a_column_for_it_get_a_folder_each(planned: Bench) -> None:
    folder = Path(report_of(planned, "native", "huggingface", "few-shot", split=True).path)

    assert {"calibration", "holdout", "README.md"} == {path.name for path in (folder / "native").iterdir()}
    parquet = {path.name for path in (folder / "huggingface" / "data").iterdir()}
    assert {"calibration.parquet", "holdout.parquet"} == parquet
    assert {"calibration", "README.md"} == {path.name for path in (folder / "few-shot").iterdir()}
    card = (folder / "huggingface" / "README.md").read_text("utf-8")
    assert "  - split: holdout\n    path: data/holdout.parquet" in card
