"""A dataset is exported for ragas, scored there and imported again: its samples get the scores."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.rows import sample, write_rows
from workbench.errors import InputError
from workbench.scoring.names import runs_of
from workbench.stages.export import ExportOptions, export
from workbench.stages.figures import figures
from workbench.stages.import_ import ImportOptions, preview_import
from workbench.stages.recompute import score_dataset
from workbench.store.scores import external_columns

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
    from pyarrow import Table, parquet as packed

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
    beside = (target / "dataset.workbench.jsonl").read_text("utf-8")
    names = [json.loads(line)["id"] for line in beside.splitlines()]
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


@pytest.mark.parametrize("columns", ["x", {"context_recall": "2026-02-30"}, {"context_recall": None}])
def test_a_manifest_with_days_that_are_none_is_refused(bench: Bench, columns: object) -> None:
    bench.load([sample("a", "Ann Lee.", "Ann Lee was here.", context_recall=0.25)])
    out = bench.folder / "out"
    export(bench.store, bench.info(), out, annotator="ann")
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    manifest["settings"]["columns"] = columns
    (out / "manifest.json").write_text(json.dumps(manifest), "utf-8")

    with pytest.raises(
        InputError, match=r"settings\.columns: got .*expected the times at which columns came"
    ):
        bench.load(out, dataset="again")


def test_a_run_whose_import_was_killed_is_completed_by_the_same_file(bench: Bench, today: str) -> None:
    """What it had stored is a run already, and nothing contradicts it."""
    bench.load([sample(key, "Ann Lee.", "Ann.", context_recall=0.25) for key in "ab"])
    first, second = "context_recall@2026-01-05", f"context_recall@{today}"
    bench.change(
        "UPDATE score_column SET at = '2026-01-05 12:00:00.000000'",
        f"INSERT INTO score_column VALUES (1, '{second}', '{today}')",
        f"INSERT INTO external_score SELECT id, '{second}', 0.75, '0.75' FROM sample WHERE key = 'a'",
    )
    report = bench.load([sample(key, "Ann Lee.", "Ann.", context_recall=0.75) for key in "ab"])

    assert (1, 1) == (report.unchanged, report.extended)
    assert ({"a": 0.25, "b": 0.25}, {"a": 0.75, "b": 0.75}) == (stored(bench, first), stored(bench, second))
    assert [first, second] == [*external_columns(bench.store, bench.info().id)]


def test_the_newest_of_many_runs_of_a_day_is_the_last_one(bench: Any) -> None:
    """Ten sorts behind nine; another spelling of the same number is no other run."""
    bare = {"id": "a", "user_input": "q", "reference": "Rome.", "retrieved_contexts": ["Rome."]}
    for number in range(1, 12):
        bench.load([{**bare, "scores": {"context_entity_recall": number / 100}}], dataset="d")
    bench.load([{**bare, "scores": {"context_entity_recall": 0.110}}], dataset="d")

    columns = external_columns(bench.store, bench.info().id)
    runs = runs_of("context_entity_recall", columns)
    assert 11 == len(runs)
    assert runs[-1].endswith(".11")
    assert runs[1].endswith(".2")
