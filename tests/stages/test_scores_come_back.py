"""A dataset is exported for ragas, scored there and imported again: its samples get the scores."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.rows import write_rows
from workbench.stages.export import ExportOptions, export
from workbench.stages.figures import figures
from workbench.stages.import_ import ImportOptions, preview_import
from workbench.stages.recompute import score_dataset

Rows = list[dict[str, Any]]


def by_csv(rows: Rows, path: Path) -> None:
    """As `DataFrame.to_csv` writes: an index without a name, lists by `repr`, nothing for None."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["", *dict.fromkeys(name for row in rows for name in row)])
        writer.writeheader()
        writer.writerows({"": number, **row} for number, row in enumerate(rows))


def by_json_lines(rows: Rows, path: Path) -> None:
    """As `to_json(orient="records", lines=True)` writes: every column in every row."""
    names = dict.fromkeys(name for row in rows for name in row)
    write_rows(path, ({n: row.get(n) for n in names} for row in rows))


def by_parquet(rows: Rows, path: Path) -> None:
    from pyarrow import Table
    from pyarrow import parquet as packed

    packed.write_table(Table.from_pylist(rows), path)


def by_pandas(rows: Rows, path: Path) -> None:
    frame = pytest.importorskip("pandas").DataFrame(rows)
    if path.suffix == ".csv":
        frame.to_csv(path)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)


WAYS: dict[str, tuple[str, Callable[[Rows, Path], None]]] = {
    "csv": ("scored.csv", by_csv),
    "json lines": ("scored.jsonl", by_json_lines),
    "parquet": ("scored.parquet", by_parquet),
    "pandas csv": ("scored.csv", by_pandas),
    "pandas json lines": ("scored.jsonl", by_pandas),
    "pandas parquet": ("scored.parquet", by_pandas),
}


def stored(bench: Bench, column: str) -> dict[str, float]:
    """The scores of a column by sample, read past the program."""
    query = 'SELECT key, value FROM external_score JOIN sample s ON s.id = sample_id WHERE "column" = ?'
    return dict(bench.query(query, column))


@pytest.mark.parametrize("way", WAYS)
def test_scores_of_ragas_reach_the_verified_samples(demo: Bench, way: str) -> None:
    """Out, scored by another program, in again: no new sample, scores next to the verified values."""
    name, write = WAYS[way]
    target = demo.folder / "out"
    export(demo.store, demo.info(), target, ExportOptions(formats=("ragas",)), annotator="ann")
    lines = (target / "dataset.jsonl").read_text("utf-8").splitlines()
    scored = [
        {**json.loads(line), "my_recall": number / 64, "judge": "gpt"} for number, line in enumerate(lines)
    ]
    names = [
        json.loads(line)["id"]
        for line in (target / "dataset.workbench.jsonl").read_text("utf-8").splitlines()
    ]
    path = demo.folder / name
    write(scored, path)
    options: dict[str, Any] = {"dataset": "demo", "external": ["my_recall=entity"]}
    looked = preview_import(path, ImportOptions(**options), store=demo.store)
    report = demo.load(path, **options)
    found = score_dataset(demo.store, demo.info())
    column = "my_recall (entity)"

    assert (0, 50) == (looked.new, looked.extended)
    assert (0, 50, 0, 50) == (report.new, report.extended, report.rejected, report.n_samples)
    assert {name: number / 64 for number, name in enumerate(names)} == stored(demo, column)
    assert "50 rows have no id: the sample with the same question, reference and contexts was taken" in (
        report.notes
    )
    verified = [row for row in found.samples if "entity" in row.verified]
    assert 13 == len(verified)
    assert [names.index(row.id) / 64 for row in verified] == [row.external[column][0] for row in verified]
    assert [13] == [one.n for one in figures(demo.store, demo.info()).beside if one.scorer == column]
    assert 50 == demo.load(path, **options).unchanged


ROW = {"user_input": "Who?", "reference": "Ann Lee.", "retrieved_contexts": ["Ann Lee was here.", "c"]}
OTHER = {**ROW, "retrieved_contexts": ["Ann Lee was here."]}


def test_a_row_that_several_samples_are_equal_to_goes_to_each_of_them(bench: Bench) -> None:
    bench.load([{**ROW, "id": "a"}, {**ROW, "id": "b"}, {**OTHER, "id": "c"}], name="set.jsonl")
    report = bench.load([{**ROW, "faithfulness": 0.5}, {**OTHER, "faithfulness": 0.25}], dataset="set")

    assert (0, 3, 0, 3) == (report.new, report.extended, report.rejected, report.n_samples)
    assert {"a": 0.5, "b": 0.5, "c": 0.25} == stored(bench, "faithfulness")
    assert report.notes[-2:] == (
        "2 rows have no id: the sample with the same question, reference and contexts was taken",
        "1 of these rows fits several samples: what the file says was added to all of them (2)",
    )


def test_copies_that_an_earlier_import_made_do_not_keep_scores_from_the_verified_sample(bench: Bench) -> None:
    """A sample without an id of its own is called after its text, and is one of the equal samples."""
    bench.load([ROW], name="set.jsonl")
    bench.load([{**ROW, "id": "a"}], dataset="set")
    report = bench.load([{**ROW, "faithfulness": 0.5}], dataset="set")

    assert (0, 2) == (report.new, report.extended)
    assert 2 == len(stored(bench, "faithfulness"))


def test_rows_of_one_file_do_not_meet_by_their_text(bench: Bench) -> None:
    """However long the file: one that was cut into chunks elsewhere would give other samples."""
    rows = [{**ROW, "id": "a"}, ROW, {**OTHER, "id": "b"}]
    report = bench.load(rows, name="set.jsonl")

    assert (3, 3) == (report.new, report.n_samples)
    assert not [one for one in report.notes if "no id" in one]


def test_one_differing_character_is_another_sample(bench: Bench) -> None:
    bench.load([{**ROW, "id": "a"}], name="set.jsonl")
    report = bench.load([{**ROW, "user_input": "Who ?", "faithfulness": 0.5}], dataset="set")

    assert (1, 2) == (report.new, report.n_samples)


def test_another_score_than_the_stored_one_is_refused_once_or_replaces_it(bench: Bench) -> None:
    """A row for two samples is one rejected row."""
    rows = [{**ROW, "id": "a", "faithfulness": 1}, {**ROW, "id": "b", "faithfulness": 1}]
    bench.load(rows, name="set.jsonl")
    other = [{**ROW, "faithfulness": 0.5}]
    refused = bench.load(other, dataset="set")
    taken = bench.load(other, dataset="set", update=True)

    assert (1, 1) == (refused.rejected, len(refused.errors))
    assert "1 as stored before (--update replaces it)" in refused.errors[0]
    assert 1 == len(Path(refused.rejected_path).read_text("utf-8").splitlines())
    assert (0, {"a": 0.5, "b": 0.5}) == (taken.rejected, stored(bench, "faithfulness"))
