"""The command `import` as a person gives it: formats, mapping, dry run, folders, exit codes."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.rows import write_rows
from workbench.errors import AmbiguousError
from workbench.formats.detect import files_of
from workbench.stages.import_ import bytes_to_import
from workbench.store import database

PLAIN = {"user_input": "q", "reference": "Ann met Bob.", "retrieved_contexts": ["Ann came."]}


def test_a_dry_run_does_not_migrate_a_database_of_an_older_workbench(run: Any, monkeypatch: Any) -> None:
    write_rows("a.jsonl", [{**PLAIN, "id": "a"}])
    run("import", "a.jsonl")
    monkeypatch.setattr(database, "SCHEMA", "9999")

    run("import", "a.jsonl", "--dry-run").refuses(
        f"workbench: {Path('workbench.db').absolute()} was made by an older Workbench: open it once first\n"
    )


def test_a_named_column_that_may_come_later_is_said_and_read(run: Any) -> None:
    """A row of JSON may lack what it may do without: no error, but no silence either."""
    write_rows("a.jsonl", [PLAIN] * 100 + [{**PLAIN, "user_input": "w", "name": "late"}])

    code, out, err = run("import", "a.jsonl", "--map", "id=name", "--map", "group=nope")

    assert (code, err) == (0, "")
    assert "  named by you, but nothing is there: 201 (line 1: name; line 1: nope; line 2: name;" in out
    with closing(sqlite3.connect("workbench.db")) as raw:
        assert ("late",) in raw.execute("SELECT key FROM sample").fetchall()


EXPORTED = ("native", "ragas", "deepeval-goldens", "huggingface", "label-studio", "csv")


@pytest.mark.parametrize("form", EXPORTED)
def test_an_export_comes_back_with_its_name_policy_gold_and_marks(run: Any, tmp_path: Any, form: str) -> None:
    """The folder is named, nothing else; what is exported from there is the same again."""
    named = Path(__file__).with_name("named.jsonl")  # two rows with whatever a row may have
    assert run("--db", "one.db", "import", named, "--gold-if-given")[0] == 0
    assert run("--db", "one.db", "export", "first", "--names")[0] == 0
    assert run("--db", "one.db", "export", "out", "--format", form, "--names")[0] == 0

    code, out, err = run("--db", "two.db", "import", "out", "--gold-if-given")
    assert run("--db", "two.db", "export", "second", "--names")[0] == 0

    assert (code, err) == (0, "")
    assert "→ named: " in out
    first, second = (
        next(Path(name).rglob("samples.jsonl")).read_text("utf-8") for name in ("first", "second")
    )
    assert first == second
    assert '"disposition": {"entity": "excluded"}' in first
    policies = [run("--db", db, "policy", "show")[1] for db in ("one.db", "two.db")]
    assert policies[0] == policies[1]


@pytest.mark.parametrize("folder", [".cache", ".cache/hf", "data/.cache/hf", "old/run", "a/b/c"])
def test_a_folder_is_read_no_deeper_than_datasets_stand(tmp_path: Path, folder: str) -> None:
    """A cache or a tree below was taken for the dataset, silently; nothing of it is taken or counted."""
    file = tmp_path / folder / "0.parquet"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"PAR1")
    rows = write_rows(tmp_path / "data.jsonl", [{"user_input": "q", "reference": "Rome."}])

    assert [rows] == files_of(tmp_path)
    assert rows.stat().st_size == bytes_to_import(tmp_path)


@pytest.mark.parametrize("folder", ["", "data"])
def test_rows_next_to_a_table_are_not_left_out_silently(tmp_path: Path, folder: str) -> None:
    """A folder with `mine.jsonl` and somewhere a Parquet file gave the rows of the latter."""
    file = tmp_path / folder / "other.parquet"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"PAR1")
    write_rows(tmp_path / "mine.jsonl", [{"user_input": "q", "reference": "Rome."}])

    with pytest.raises(AmbiguousError, match=f"name a file: mine.jsonl, {file.relative_to(tmp_path)}"):
        files_of(tmp_path)


@pytest.mark.parametrize("folder", ["", "data", "en", "default/train", "data/en", "data/en/train"])
def test_a_folder_is_read_as_deep_as_datasets_stand(tmp_path: Path, folder: str) -> None:
    """As the Hub converts them: `default/train/0000.parquet`."""
    file = tmp_path / folder / "0000.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"PAR1")

    assert [file] == files_of(tmp_path)


def test_an_import_that_breaks_off_names_the_database_of_the_first_rows(run: Any, tmp_path: Path) -> None:
    """A column whose later values cannot be held ends the file after its first two thousand rows."""
    import pyarrow
    from pyarrow import parquet

    rows = 2_500
    table = pyarrow.table(
        {
            "user_input": [f"q{number}" for number in range(rows)],
            "reference": ["Ann"] * rows,
            "retrieved_contexts": [["c"]] * rows,
            "at": pyarrow.array([0] * (rows - 1) + [1], pyarrow.timestamp("ns")),
        }
    )
    parquet.write_table(table, "late.parquet")

    code, _, err = run("import", "late.parquet")

    assert 2 == code
    assert "column at of type timestamp[ns]" in err
    assert f"2,000 samples were stored in {tmp_path / 'workbench.db'} before that" in err
    assert {"late.parquet", "workbench.db"} == {path.name for path in tmp_path.iterdir()}
