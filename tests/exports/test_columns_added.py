"""Columns that somebody adds to our exports arrive, or the report names those that were left out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.exports.conftest import ROWS, Leave, edited
from workbench.stages.import_ import ImportOptions, preview_import
from workbench.store.scores import external_columns

Change = Callable[[dict[str, Any], int], object]


PLACES = {
    "ragas": ("ragas", "dataset.jsonl"),
    "csv": ("csv", "samples.csv"),
    "parquet": ("huggingface", "data/train.parquet"),
    "hub csv": ("huggingface", "data/train.parquet"),  # as a data frame writes it: lists by `repr`
}
every_export = pytest.mark.parametrize("place", PLACES)


def changed(leave: Leave, place: str, change: Change) -> Path:
    """An export whose rows were changed by a function."""
    name, file = PLACES[place]

    def each(rows: list[dict[str, Any]]) -> None:
        for number, row in enumerate(rows):
            change(row, number)

    path = leave(name) / file
    return edited(path, each, to=path.with_suffix(".csv") if place == "hub csv" else None)


def scores(bench: Bench, column: str) -> dict[str, str]:
    """The stored digits of a column by sample, read past the program."""
    found = bench.query(
        'SELECT key, digits FROM external_score JOIN sample s ON s.id = sample_id WHERE "column" = ?', column
    )
    return dict(found)


def judged(row: dict[str, Any], number: int) -> None:
    row["faithfulness"] = number / 8
    row["my_score"] = 0.25
    row["judge"] = f"gpt-{number}"


@every_export
@pytest.mark.parametrize("update", [False, True])
def test_added_columns_are_stored_with_samples(hard: Bench, leave: Leave, place: str, update: bool) -> None:
    """What the report claims is what is stored."""
    report = hard.load(changed(leave, place, judged), dataset="hard", update=update)
    names = [row["id"] for row in ROWS]

    assert (0, 0, 7, 0) == (report.new, report.unchanged, report.extended, report.rejected)
    assert {name: number / 8 for number, name in enumerate(names)} == {
        key: float(digits) for key, digits in scores(hard, "faithfulness").items()
    }
    assert dict.fromkeys(names, "0.25") == scores(hard, "my_score")
    assert {name: f"gpt-{number}" for number, name in enumerate(names)} == {
        key: json.loads(meta)["judge"] for key, meta in hard.query("SELECT key, meta FROM sample")
    }
    said = [one for one in report.notes if one.startswith(("your scores", "kept"))]
    assert "kept in meta: judge (7 rows)" in said
    assert [one for one in said if "faithfulness (7 rows), my_score (7 rows)" in one]


@every_export
def test_an_export_as_it_left_says_of_no_column_it_was_added(hard: Bench, leave: Leave, place: str) -> None:
    before = hard.tables("sample", "external_score")
    report = hard.load(changed(leave, place, lambda row, number: None), dataset="hard", update=True)

    assert (7, ()) == (report.unchanged, report.errors)
    assert before == hard.tables("sample", "external_score")
    said = [one for one in report.notes if one.startswith("your scores")]
    assert said == ["your scores: context_entity_recall (1 row), own (1 row)"]


@every_export
def test_a_row_without_a_number_has_no_score_and_it_is_said(hard: Bench, leave: Leave, place: str) -> None:
    failing = changed(leave, place, lambda row, number: row.update(faithfulness=0.5 if number else None))
    report = hard.load(failing, dataset="hard")

    assert 6 == len(scores(hard, "faithfulness")) == report.extended
    assert "no score there: faithfulness (1 row)" in report.notes


@every_export
def test_a_score_whose_kind_is_named_is_stored_under_that_kind(hard: Bench, leave: Leave, place: str) -> None:
    """Naming columns does not cut a row off from the native row that it has."""
    report = hard.load(changed(leave, place, judged), dataset="hard", external=["my_score=entity"])

    assert (0, 7) == (report.new, report.extended)
    assert 7 == len(scores(hard, "my_score (entity)"))


def test_another_number_for_an_exported_score_is_a_second_run(hard: Bench, leave: Leave) -> None:
    """As in a native row."""

    path = edited(leave("csv") / "samples.csv", lambda rows: rows[0].update({"external.own": "2"}))
    added = hard.load(path, dataset="hard")
    columns = [*external_columns(hard.store, hard.info("hard").id)]
    first, second = (name for name in columns if name.startswith("own@"))
    kept = scores(hard, first), scores(hard, second)

    assert (0, ({"emoji": "1"}, {"emoji": "2"})) == (added.rejected, kept)


def test_a_column_that_the_native_row_beside_says_is_named_as_left_out(hard: Bench, leave: Leave) -> None:
    another = changed(leave, "ragas", lambda row, number: row.update(group="another"))
    report = hard.load(another, dataset="hard")

    assert 7 == report.unchanged
    assert "left out, no place for them: group (7 rows)" in report.notes


def test_lines_of_another_order_are_left_aside_and_keep_their_scores(hard: Bench, leave: Leave) -> None:
    """The file beside has its lines in the order of the export; a data frame that was sorted has not."""
    path = changed(leave, "ragas", judged)
    path.write_text("".join(sorted(path.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    hard.load(path, dataset="other")
    found = dict(hard.query("SELECT reference, digits FROM external_score JOIN sample s ON s.id = sample_id "
                            "JOIN dataset d ON d.id = dataset_id WHERE \"column\" = 'faithfulness' "
                            "AND d.name = 'other'"))  # fmt: skip

    assert {row["reference"]: number / 8 for number, row in enumerate(ROWS)} == {
        reference: float(digits) for reference, digits in found.items()
    }


@pytest.mark.parametrize("place", ["csv", "parquet"])
def test_a_look_at_the_file_takes_added_columns_alone(hard: Bench, leave: Leave, place: str) -> None:
    """What our own export wrote (`entity_recall`, `linked_found`) is no score, nor kept in `meta`."""
    found = preview_import(changed(leave, place, judged), ImportOptions(dataset="hard"), store=hard.store)

    assert {"my_score", "faithfulness", "own", "context_entity_recall"} == set(found.columns)
    assert 7 == found.extended
