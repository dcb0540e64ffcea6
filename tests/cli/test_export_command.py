"""`export`, `verify` and `purge` as commands: options, documents, exit codes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from workbench.stages import upkeep


def test_several_formats_stand_below_one_folder(demo: Bench, run: Any) -> None:
    done = run("export", "out", "--format", "native", "--format", "csv", "--licence", "CC0-1.0", "--json")

    assert (0, "") == (done.code, done.err)
    assert {"native", "csv", "manifest.json"} == {path.name for path in Path("out").iterdir()}
    assert {"native": 50, "csv": 50} == done.json["rows"]
    assert (50, 13) == (done.json["samples"], done.json["gold"])
    assert "CC0-1.0" == json.loads(Path("out/manifest.json").read_text("utf-8"))["licence"]["annotations"]


def test_the_report_says_what_was_left_out_and_why(demo: Bench, run: Any) -> None:
    done = run("export", "out", "--format", "conll")

    assert "out: 50 samples, 50 with a proposal, 13 verified" in done.out
    assert "left out: 37 entities todo; 1 span nested" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "xml"], "no format 'xml': there are native"),
        (["--only", "best"], "--only 'best': there are verified, gold, disputed"),
        (["--query", "delta:much"], "--query: "),
        (["--split"], "--split: no chosen sample is kept back"),
        (["--run", "none"], "no run 'none'; there is: claude-run-1"),
        (["--format", "conll", "--no-text"], "conll is made of text"),
        (["-"], "an export is a folder of files"),
        (["out.csv"], "an export is a folder of files"),
        (["out.JSONL"], "an export is a folder of files"),
    ],
)
def test_a_call_that_cannot_be_changes_nothing(demo: Bench, run: Any, arguments: Any, said: str) -> None:
    before = sorted(Path().iterdir())
    target = () if "an export is" in said else ("out",)
    run("export", *target, *arguments).refuses(said)
    assert before == sorted(Path().iterdir())


def test_verify_passes_and_then_says_what_changed(demo: Bench, run: Any) -> None:
    assert 0 == run("export", "out").code
    fine = run("verify", "out")
    with Path("out/verdicts.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n")
    changed = run("verify", "out")

    said = "3 files have their hashes; 50 rows were read, and every span quotes its text"
    assert (0, f"out: as it was exported; {said}\n") == (fine.code, fine.out)
    assert 1 == changed.code
    assert "changed: verdicts.jsonl: sha256" in changed.out
    assert run("verify", "out", "--json").json["found"]
    assert 2 == run("verify", "nowhere").code


def test_verify_lists_a_few_findings_and_counts_the_others(demo: Bench, run: Any, monkeypatch: Any) -> None:
    """A broken export of a million rows must not fill the memory."""
    assert 0 == run("export", "out").code
    rows = Path("out/samples.jsonl")
    rows.write_text(rows.read_text("utf-8").replace('"start":', '"begin":'), "utf-8")
    monkeypatch.setattr(upkeep, "LISTED", 3)
    report = upkeep.verify(Path("out"))
    monkeypatch.setattr(upkeep, "LISTED", 10_000)

    assert len(report.found) == 3
    assert report.more == len(upkeep.verify(Path("out")).found) - 3 > 10


def test_doctor_ends_with_one_and_names_the_row_that_is_damaged(demo: Bench, run: Any) -> None:
    fine = run("doctor")
    with closing(sqlite3.connect(demo.db)) as raw:
        raw.execute("UPDATE sample SET reference = 'x' WHERE id = 7")
        raw.commit()
    damaged = run("doctor")

    assert 0 == fine.code
    assert fine.out.endswith(" rows were checked\n")
    assert 1 == damaged.code
    assert "sample 7: the text of " in damaged.out
    assert damaged.out.splitlines()[1:] == run("doctor", "--json").json["found"]
    assert 2 == run("doctor", "--db", "nowhere.db").code


def test_purge_asks_for_yes_where_nobody_can_be_asked(demo: Bench, run: Any) -> None:
    run("purge", "taj-high").refuses("say --yes")
    assert [(50,)] == demo.query("SELECT count(*) FROM sample")


def test_verify_says_which_check_a_format_has_and_what_a_wrong_name_is(demo: Bench, run: Any) -> None:
    """A format of which only the hashes are checked does not read as if nothing was."""
    assert 0 == run("export", "out", "--format", "ragas").code
    file = next(one for one in Path("out").iterdir() if one.name != "manifest.json")

    fine, absent, inside = run("verify", "out"), run("verify", "nope"), run("verify", file)

    assert "files have their hashes; the rows of these formats are not read again" in fine.out
    assert (2, "workbench: nope: no such folder\n") == (absent.code, absent.err)
    assert f"workbench: {file}: a file: name the folder of the export\n" == inside.err


def test_a_forced_export_names_the_files_in_its_way(demo: Bench, run: Any) -> None:
    assert [0, 2, 0] == [run("export", "out", *more).code for more in ((), (), ("--force",))]
    Path("out/mynotes.txt").write_text("years")

    run("export", "out", "--force").refuses("out: mynotes.txt is not of the export there")
    assert "years" == Path("out/mynotes.txt").read_text()


def test_purge_names_the_dataset_of_another_sample_with_the_reference(demo: Bench, run: Any) -> None:
    """The same id in another dataset reads as if it were not purged."""
    assert 0 == run("export", "out").code
    assert 0 == run("import", "out", "--dataset", "copy").code

    done = run("purge", "taj-high", "--yes", "--dataset", "demo")

    assert (
        "3 other samples: taj-low, taj-high (in the dataset copy), taj-low (in the dataset copy)" in done.out
    )


def test_purge_removes_and_names_what_is_left(demo: Bench, run: Any) -> None:
    assert 0 == run("export", "out").code
    done = run("purge", "taj-high", "--yes")

    assert 0 == done.code
    assert "1 sample of demo purged" in done.out
    assert f"stays in the export {Path('out').absolute()}: delete it yourself" in done.out
    assert "the same reference stays in 1 other sample: taj-low" in done.out
    assert [(49,)] == demo.query("SELECT count(*) FROM sample")


@pytest.mark.parametrize("arguments", [[], ["taj-high", "--all"]])
def test_purge_wants_ids_or_all(demo: Bench, run: Any, arguments: list[str]) -> None:
    run("purge", *arguments, "--yes").refuses("name samples by id, or say --all")


def test_a_copy_that_cannot_be_rewritten_is_exit_three(demo: Bench, run: Any) -> None:
    Path("workbench.old.db").write_text("no database")
    done = run("purge", "taj-high", "--yes")

    assert 3 == done.code
    assert "delete by hand: " in done.out
    assert "workbench.old.db" in done.out


def test_a_purge_of_all_after_a_lock_finishes_what_was_left(impatient: None, demo: Bench, run: Any) -> None:
    """The second one has no samples to remove, and the backup all the same."""
    assert 0 == run("export", "out").code
    assert 0 == run("backup").code
    Path("out").rename("moved")
    Path(".out.0123abcd.partial").mkdir()
    with closing(sqlite3.connect(demo.db, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sample").fetchone()
        locked = run("purge", "--all", "--yes")
        reader.execute("COMMIT")
    done = run("purge", "--all", "--yes")

    assert 2 == locked.code
    assert "run the same purge again" in locked.err
    assert 0 == done.code
    assert "0 samples of demo purged" in done.out
    assert "removed from the backup " in done.out
    assert f"look yourself: {Path('out').absolute()}: the export there held it and is gone" in done.out
    assert not Path(".out.0123abcd.partial").exists()
    for path in Path().glob("workbench*.db*"):
        assert b"Taj Mahal" not in path.read_bytes()


def test_copy_shows_what_it_copied_and_the_copy_opens(demo: Bench, run: Any) -> None:
    """As text and as JSON; a second copy to the same place is refused."""
    demo.store.close()
    done = run("copy", "--to", "two.db")
    assert 0 == done.code
    assert "rows copied to" in done.out
    sample = next(line for line in done.out.splitlines() if line.startswith("sample "))
    _, rows, digest = sample.split()
    document = json.loads(run("copy", "--to", "three.db", "--json").out)
    (one,) = (table for table in document["tables"] if table["table"] == "sample")
    assert ("50", 50, digest) == (rows, one["number"], one["sha256"][:12])
    assert run("status").out == run("status", "--db", "two.db").out.replace("two.db", "workbench.db")
    run("copy", "--to", "two.db").refuses("two.db is not empty: name a database that holds nothing")
