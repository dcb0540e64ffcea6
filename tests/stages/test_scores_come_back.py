"""A dataset is exported for ragas, scored there and imported again: its samples get the scores."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.rows import write_rows
from workbench.errors import InputError
from workbench.scoring.names import runs_of
from workbench.stages.export import ExportOptions, export
from workbench.stages.figures import figures
from workbench.stages.import_ import ImportOptions, import_file, preview_import
from workbench.stages.queue import headline_scorer
from workbench.stages.recompute import score_dataset
from workbench.store.samples import each_sample
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


TODAY = f"{datetime.now().astimezone():%Y-%m-%d}"
FIRST, SECOND = "context_recall@2026-01-05", f"context_recall@{TODAY}"


@pytest.fixture(autouse=True)
def day_of_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long run of all tests may be collected on the day before."""
    today = f"{datetime.now().astimezone():%Y-%m-%d}"
    monkeypatch.setitem(globals(), "TODAY", today)
    monkeypatch.setitem(globals(), "SECOND", f"context_recall@{today}")


def scored(bench: Bench, **values: float) -> Rows:
    """The two samples of a dataset that was scored on 5 January, with numbers of `context_recall`."""
    rows = [{**ROW, "id": "a", "context_recall": 0.25}, {**OTHER, "id": "b", "context_recall": 0.5}]
    bench.load(rows, name="set.jsonl")
    bench.change("UPDATE score_column SET at = '2026-01-05 12:00:00.000000'")
    return [{**row, "context_recall": values[row["id"]]} for row in rows if row["id"] in values]


def test_a_second_run_of_a_metric_stands_next_to_the_first_with_its_day(bench: Bench) -> None:
    """A number that is the same in both runs is in both; the newest leads and has the plain name."""
    report = bench.load(scored(bench, a=0.75, b=0.5), dataset="set")

    assert (0, 1, 1, 0) == (report.new, report.extended, report.unchanged, report.rejected)
    assert f"a new run of context_recall, kept next to the earlier as @{TODAY}" in (report.notes)
    assert ({"a": 0.25, "b": 0.5}, {"a": 0.75, "b": 0.5}) == (stored(bench, FIRST), stored(bench, SECOND))
    assert {} == stored(bench, "context_recall")
    assert [FIRST, SECOND] == [*external_columns(bench.store, bench.info().id)]
    assert SECOND == headline_scorer(bench.store, bench.info())
    assert SECOND == headline_scorer(bench.store, bench.info(), "context_recall")
    assert FIRST == headline_scorer(bench.store, bench.info(), FIRST)


def test_what_was_said_of_a_dispute_stays_with_its_run(bench: Bench) -> None:
    """It is kept under the names of both sides, and the first run gets another name."""
    rows = scored(bench, a=0.75)
    said = "'statement', ?, 'explained', '', 'ann', '2026-01-06'"
    with bench.store.writing() as session:
        for column in ("context_recall", "context_recall_2"):
            session.connection().exec_driver_sql(
                f"INSERT INTO dispute SELECT min(id), {said} FROM sample", (f"{column}~verified",)
            )
    bench.load(rows, dataset="set")

    assert {f"{FIRST}~verified", "context_recall_2~verified"} == {
        between for (between,) in bench.query('SELECT "between" FROM dispute')
    }


def test_two_runs_of_one_day_are_counted(bench: Bench) -> None:
    scored(bench)
    for value in (0.75, 1.0):
        bench.load([{**ROW, "id": "a", "context_recall": value}], dataset="set")

    assert [{"a": 0.75}, {"a": 1.0}] == [stored(bench, name) for name in (SECOND, f"{SECOND}.2")]
    assert f"{SECOND}.2" == headline_scorer(bench.store, bench.info())


@pytest.mark.parametrize(
    ("values", "column"),
    [({"a": 0.25, "b": 0.5}, "context_recall"), ({"b": 0.5}, "context_recall")],
    ids=["the whole run again", "a part of it again"],
)
def test_the_same_numbers_are_no_second_run(bench: Bench, values: dict[str, float], column: str) -> None:
    report = bench.load(scored(bench, **values), dataset="set")

    assert (len(values), 0) == (report.unchanged, report.extended)
    assert (f"context_recall: equal to the run {column}",) == report.notes[-1:]
    assert [column] == [*external_columns(bench.store, bench.info().id)]
    assert {"a": 0.25, "b": 0.5} == stored(bench, column)


def test_a_run_that_comes_in_two_files_is_one(bench: Bench) -> None:
    rows = [{**ROW, "id": "a"}, {**OTHER, "id": "b"}]
    bench.load(rows, name="set.jsonl")
    for row, value in zip(rows, (0.25, 0.5), strict=True):
        report = bench.load([{**row, "context_recall": value}], dataset="set")
        assert 1 == report.extended

    assert "context_recall: 1 value added to the run context_recall" == report.notes[-1]
    assert {"a": 0.25, "b": 0.5} == stored(bench, "context_recall")


def test_both_runs_leave_and_come_back_as_they_were(bench: Bench) -> None:
    bench.load(scored(bench, a=0.75, b=0.5), dataset="set")
    out = bench.folder / "out"
    export(bench.store, bench.info(), out, ExportOptions(formats=("native", "csv")), annotator="ann")

    for source in (out, out / "csv" / "samples.csv"):
        assert 2 == bench.load(source, dataset="set").unchanged
    bench.load(out, dataset="again")

    assert [FIRST, SECOND] == [*external_columns(bench.store, bench.info("set").id)]
    assert [FIRST, SECOND] == [*external_columns(bench.store, bench.info("again").id)]


def days(bench: Bench, dataset: str) -> dict[str, str]:
    """The day on which each column came, as it is stored."""
    columns = external_columns(bench.store, bench.info(dataset).id)
    return {name: f"{at.replace(tzinfo=UTC).astimezone():%Y-%m-%d}" for name, at in columns.items()}


def test_a_run_keeps_the_day_of_its_scores_in_another_dataset(bench: Bench) -> None:
    """By the manifest of an export, else by its name; also the only run, when a second one comes."""
    rows = scored(bench, a=0.75, b=0.5)
    only, out = bench.folder / "only", bench.folder / "out"
    export(bench.store, bench.info(), only, annotator="ann")
    bench.load(rows, dataset="set")
    export(bench.store, bench.info(), out, ExportOptions(formats=("native", "csv")), annotator="ann")

    bench.load(only, dataset="alone")
    assert {"context_recall": "2026-01-05"} == days(bench, "alone")
    bench.load(rows, dataset="alone")
    bench.load(out, dataset="folder")
    table = bench.folder / "samples.csv"
    table.write_bytes((out / "csv" / "samples.csv").read_bytes())
    bench.load(table, dataset="table")

    for dataset in ("alone", "folder", "table"):
        assert {FIRST: "2026-01-05", SECOND: TODAY} == days(bench, dataset)


def test_an_earlier_run_that_comes_later_has_its_own_day(bench: Bench) -> None:
    """It does not become the newest; with --update it takes the place of the run of its name alone."""
    bench.load(scored(bench, a=0.75, b=0.5), dataset="set")
    earlier = "context_recall@2025-12-24"
    bench.load([{**ROW, "id": "a", "scores": {earlier: 0.125}}], dataset="set")

    assert {earlier: "2025-12-24", FIRST: "2026-01-05", SECOND: TODAY} == days(bench, "set")
    assert SECOND == headline_scorer(bench.store, bench.info())
    bench.load([{**ROW, "id": "a", "scores": {earlier: 1.0}}], dataset="set", update=True)
    assert ({"a": 1.0}, {"a": 0.75, "b": 0.5}) == (stored(bench, earlier), stored(bench, SECOND))


def test_numbers_that_an_export_knows_from_earlier_began_then(bench: Bench) -> None:
    rows = scored(bench, a=0.75, b=0.5)
    out = bench.folder / "out"
    export(bench.store, bench.info(), out, annotator="ann")
    bench.change("UPDATE score_column SET at = '2026-02-10 12:00:00.000000'")

    bench.load(out, dataset="set")

    assert {"context_recall": "2026-01-05"} == days(bench, "set")
    bench.load(rows, dataset="set")
    assert {FIRST: "2026-01-05", SECOND: TODAY} == days(bench, "set")


@pytest.mark.parametrize("columns", ["x", {"context_recall": "2026-02-30"}, {"context_recall": None}])
def test_a_manifest_with_days_that_are_none_is_refused(bench: Bench, columns: object) -> None:
    scored(bench)
    out = bench.folder / "out"
    export(bench.store, bench.info(), out, annotator="ann")
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    manifest["settings"]["columns"] = columns
    (out / "manifest.json").write_text(json.dumps(manifest), "utf-8")

    with pytest.raises(
        InputError, match=r"settings\.columns: got .*expected the times at which columns came"
    ):
        bench.load(out, dataset="again")


def test_an_update_replaces_the_numbers_of_the_newest_run(bench: Bench) -> None:
    rows = scored(bench, a=0.75)
    bench.load(rows, dataset="set")
    report = bench.load([{**rows[0], "context_recall": 1.0}], dataset="set", update=True)

    assert 1 == report.extended
    assert ({"a": 0.25, "b": 0.5}, {"a": 1.0}) == (stored(bench, FIRST), stored(bench, SECOND))


def test_a_run_whose_import_was_killed_is_completed_by_the_same_file(bench: Bench) -> None:
    """What it had stored is a run already, and nothing contradicts it."""
    rows = scored(bench, a=0.75, b=1.0)
    with bench.store.writing() as session:
        for statement in (
            f"INSERT INTO score_column VALUES (1, '{SECOND}', 'data.jsonl', '{TODAY}')",
            f"INSERT INTO external_score SELECT id, '{SECOND}', 0.75, '0.75' FROM sample WHERE key = 'a'",
        ):
            session.connection().exec_driver_sql(statement)
    report = bench.load(rows, dataset="set")

    assert (1, 1) == (report.unchanged, report.extended)
    assert ({"a": 0.25, "b": 0.5}, {"a": 0.75, "b": 1.0}) == (stored(bench, FIRST), stored(bench, SECOND))
    assert [FIRST, SECOND] == [*external_columns(bench.store, bench.info().id)]


def test_a_file_that_gives_one_sample_two_numbers_is_refused_there(bench: Bench) -> None:
    """A row for two samples is one rejected row."""
    scored(bench)
    report = bench.load([{**ROW, "context_recall": 1.0}, {**ROW, "context_recall": 0.0}], dataset="set")

    assert (1, 1) == (report.extended, report.rejected)
    assert "1.0 as stored by an earlier row of the file" in report.errors[0]
    assert 1 == len(Path(report.rejected_path).read_text("utf-8").splitlines())


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


@pytest.mark.parametrize("place", ["a column", "scores"])
def test_a_run_that_a_file_names_by_its_day_is_a_run_of_its_metric(bench: Bench, place: str) -> None:
    """Next to an id too, and a recall outside 0 to 1 is refused under this name."""
    given: list[dict[str, Any]] = [{FIRST: 0.25}, {FIRST: 7}]
    parts: list[dict[str, Any]] = [{"scores": one} if place == "scores" else one for one in given]
    rows = [{**ROW, "id": key, **part} for key, part in zip("ab", parts, strict=True)]
    report = bench.load(rows, dataset="set")

    assert {"a": 0.25} == stored(bench, FIRST)
    assert 1 == report.rejected
    assert f"{FIRST}: got 7, expected a number from 0 to 1" in report.errors[0]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_scores_alone_reach_the_samples_of_their_ids(bench: Bench, tmp_path: Path, suffix: str) -> None:
    """An id that the dataset does not have is refused, and nothing but the scores changes."""
    bench.load([{**ROW, "id": "a", "group": "g", "meta": {"k": 1}}, {**ROW, "id": "7"}], dataset="set")
    before = [stored.sample for stored in each_sample(bench.store, bench.info("set").id)]
    file = tmp_path / f"scores.{suffix}"
    rows = [("a", 0.25), ("7", 0.5), ("gone", 1.0)]
    if suffix == "csv":
        text = "id,context_recall\n" + "".join(f"{key},{value}\n" for key, value in rows)
    else:
        text = "".join(json.dumps({"id": key, "context_recall": value}) + "\n" for key, value in rows)
    file.write_text(text, "utf-8")

    report = import_file(bench.store, file, ImportOptions(dataset="set"), annotator="ann")

    assert (0, 2, 1) == (report.new, report.extended, report.rejected)
    assert 'id: got "gone", expected the id of a sample in the dataset' in report.errors[0]
    assert {"a": 0.25, "7": 0.5} == stored(bench, "context_recall")
    assert before == [stored.sample for stored in each_sample(bench.store, bench.info("set").id)]
