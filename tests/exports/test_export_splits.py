"""Splits: drawn by document, the same every time, and refused when a text stands on both sides."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.exports.conftest import Leave, report_of
from workbench.errors import ExportError, UsageError
from workbench.reports.export import export_text
from workbench.stages.export_items import shares_of
from workbench.stages.plan import Wish, draft, make


def sample(
    number: int, group: str | None, reference: str = "", contexts: list[str] | None = None
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": f"s{number}", "user_input": "q", "reference": reference or f"Reference number {number}.",
        "retrieved_contexts": contexts or [f"c{number}"],
    }  # fmt: skip
    return row if group is None else {**row, "group": group}


def split_of(folder: Path) -> dict[str, str]:
    with (folder / "samples.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: row["split"] for row in csv.DictReader(file)}


def exported(bench: Bench, **options: Any) -> dict[str, str]:
    return split_of(Path(report_of(bench, "csv", **options).path))


def test_a_group_is_never_cut(bench: Bench) -> None:
    """Nor are samples without a group that share a reference; shares come out roughly."""
    rows = [sample(number, f"g{number // 5}") for number in range(400)]
    rows += [sample(number, None, f"Same {number // 2}") for number in range(400, 500)]
    bench.load(rows)
    found = exported(bench, split="calibration=.8,holdout=.2")

    for start in range(0, 400, 5):
        assert 1 == len({found[f"s{number}"] for number in range(start, start + 5)})
    assert all(found[f"s{number}"] == found[f"s{number + 1}"] for number in range(400, 500, 2))
    assert 50 < list(found.values()).count("holdout") < 150
    assert found == exported(bench, split="calibration=.8,holdout=.2")


def test_a_reference_in_two_splits_fails_the_export(bench: Bench) -> None:
    """Also when it differs in case, accents and white space only; the message names both samples."""
    rows = [sample(number, f"g{number}") for number in range(30)]
    rows[0]["reference"], rows[1]["reference"] = "Zoë  was in Rome.", "zoe was in rome."
    for number in range(2, 12):
        rows[number]["reference"] = "Zoe was in ROME."
    bench.load(rows)

    with pytest.raises(ExportError, match="the same reference stands in two splits: 's"):
        exported(bench, split="calibration=.5,holdout=.5")


def test_a_split_that_would_be_empty_fails_the_export(bench: Bench) -> None:
    """Three documents do not part into .9 and .1."""
    bench.load([sample(number, f"g{number % 3}") for number in range(30)])

    with pytest.raises(UsageError, match=r"no sample falls to holdout \(30 chosen\): groups"):
        exported(bench, split="calibration=.99,holdout=.01")


def test_sizes_are_said(bench: Bench) -> None:
    """Whole groups fall to one split, so that shares come out roughly."""
    bench.load([sample(number, f"g{number // 5}") for number in range(50)])
    report = report_of(bench, "native", split="calibration=.5,holdout=.5")

    assert 50 == sum(report.splits.values())
    assert f"splits: calibration {report.splits['calibration']}, holdout " in export_text(report)


def test_shared_contexts_are_counted_and_said(bench: Bench) -> None:
    """Retrievers bring one passage for many questions: a warning, no failure."""
    bench.load([sample(number, f"g{number}", contexts=["shared"]) for number in range(20)])
    report = report_of(bench, "native", split="calibration=.5,holdout=.5")

    assert 0 < report.shared_contexts < 20


def test_formats_without_a_column_for_it_get_a_folder_each(leave: Leave) -> None:
    folder = leave("native", "huggingface", "few-shot", split="calibration=.5,holdout=.5")

    assert {"calibration", "holdout", "README.md"} == {path.name for path in (folder / "native").iterdir()}
    parquet = {path.name for path in (folder / "huggingface" / "data").iterdir()}
    assert {"calibration.parquet", "holdout.parquet"} == parquet
    assert {"calibration", "README.md"} == {path.name for path in (folder / "few-shot").iterdir()}
    card = (folder / "huggingface" / "README.md").read_text("utf-8")
    assert "  - split: holdout\n    path: data/holdout.parquet" in card


def test_the_plans_holdout_is_taken_over(demo: Bench) -> None:
    info = demo.info()
    make(demo.store, info, draft(demo.store, info, Wish(n=20, holdout=0.3), "ann"))
    kept = {key for (key,) in demo.query("SELECT key FROM sample WHERE holdout")}
    found = exported(demo, split="plan")

    assert kept == {name for name, split in found.items() if split == "holdout"}
    with pytest.raises(UsageError, match="--split plan takes that holdout over"):
        exported(demo, split="calibration=.5,holdout=.5")


def test_a_plan_without_holdout_says_so(leave: Leave) -> None:
    with pytest.raises(UsageError, match="no sample is kept back"):
        leave("native", split="plan")


@pytest.mark.parametrize(
    "text",
    ["calibration", "calibration=1", "a=.5,b=.6", "a=.5,a=.5", "A=.5,b=.5", "a=.5,../b=.5", "a=x,b=.5", ""],
)
def test_splits_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--split"):
        shares_of(text)


def test_the_manifest_seals_the_splits(leave: Leave) -> None:
    """Sizes and the hash of the ids, so that a change shows."""
    said = json.loads((leave("csv", split="calibration=.5,holdout=.5") / "manifest.json").read_text("utf-8"))

    assert 7 == sum(one["n"] for one in said["splits"]["each"])
    assert ["calibration", "holdout"] == [one["name"] for one in said["splits"]["each"]]
    assert all(64 == len(one["ids_sha256"]) for one in said["splits"]["each"])
