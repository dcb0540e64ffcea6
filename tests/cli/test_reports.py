"""What score, compare and export say to a program: documents with fixed keys, and the exit code."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.lists import from_cases
from tests.rows import gold, naming, proposal, sample as made, write_rows
from workbench import reports

HARD = Path(__file__).parents[2] / "fixtures" / "hard.jsonl"


@pytest.fixture
def demo(run: Any, demo_database: Path) -> Any:
    """The demo in workbench.db; gives `run` on."""
    shutil.copy(demo_database, "workbench.db")
    return run


def test_the_document_of_compare_has_the_difference_of_every_verified_sample(demo: Any) -> None:
    """Automatic − verified by exact recall, null without both; the values are those of `score`."""
    score, figures = demo("score", "--json").json, demo("compare", "--json").json["figures"]
    samples = {one["id"]: one for one in score["samples"]}

    assert {one["id"] for one in score["samples"] if one["verified"]["entity"]} == {
        row["id"] for row in figures["rows"]
    }
    for row in figures["rows"]:
        verified = samples[row["id"]]["verified"]["entity"]["value"]
        assert verified == row["verified"]
        if None not in (row["automatic"], verified):
            assert row["delta"] == pytest.approx(row["automatic"] - verified, abs=1e-8)
    (wall,) = (row["delta"] for row in figures["rows"] if row["id"] == "great-wall")
    assert wall == pytest.approx(0.33333332777777784 - 3 / 7)
    assert [13] == [one["n"] for one in figures["scorers"] if one["scorer"] == "linked"]


@from_cases
def test_a_command_in_a_message_works_on_the_same_database_and_dataset(demo: Any, words: str) -> None:
    """What is pasted must not end with "several datasets", nor ask another database."""
    demo("import", HARD)
    Path("workbench.db").rename("of ours.db")

    ended = demo(*words.split(), "--db", "of ours.db", "--dataset", "demo")

    told = re.findall(r"workbench (?:policy |person )?[a-z]+ (.*)", " ".join((ended.out + ended.err).split()))
    assert all(one.startswith("--db 'of ours.db' --dataset demo") for one in told), told
    assert told or words.endswith("nope")


def test_a_table_in_a_narrow_terminal_tells_two_runs_of_a_metric_apart() -> None:
    names = [f"context_entity_recall@2026-12-01{run}" for run in ("", ".2", ".3")]

    wide, narrow = (reports.table(["scorer", "n"], [[name, "60"] for name in names], room=n) for n in (0, 9))

    assert ["context_entity_recall@2026-12-01  60", "context_entity_r…ll@2026-12-01.2  60"] == wide[1:3]
    assert ["context_en…026-12-01  60", "context_en…6-12-01.2  60", "context_en…6-12-01.3  60"] == narrow[1:]


def test_the_page_to_send_has_no_text_of_a_blind_sample_before_it_is_decided(run: Any) -> None:
    said = gold(dict.fromkeys(("Rome", "Oslo"), "found"), "corpus")
    rows = [naming(key, ["Rome", "Oslo"], ["Rome"], gold=said) for key in "abcdefghijkl"]
    for words in (
        ("import", write_rows("d.jsonl", rows), "--gold", "--blind", "1"),
        ("compare", "--html", "ann.html"),
        ("compare", "--as", "corpus", "--html", "corpus.html"),
    ):
        assert 0 == run(*words).code

    pages = (Path(f"{name}.html").read_text("utf-8") for name in ("ann", "corpus"))
    for_ann, for_corpus = (
        set(re.findall(r"<(?:td|h3)><bdi>(?:question )?([a-l])</bdi>", page)) for page in pages
    )

    assert set() == for_ann
    assert set("abcdefghijkl") == for_corpus


def test_what_only_rounding_keeps_from_nothing_is_nothing() -> None:
    assert {"a": [0.0, 1e-9], "b": {"c": 0.0}} == reports.document(
        {"a": (-5.55e-17, 1e-9), "b": {"c": 2e-16}}
    )


HASH = "0123456789abcdef0123456789abcdef"
ROW = made(
    HASH, "Rome and Oslo.", "Rome", user_input="Who built\nit?", scores={"context_entity_recall": 0.25},
    gold=gold({"Rome": "found"}), proposal=proposal(["Rome", "Oslo"], ["Rome"]),
)  # fmt: skip


@pytest.mark.parametrize("columns", [0, 30, 40, 100])
def test_only_a_terminal_cuts_names(run: Any, tmp_path: Path, monkeypatch: Any, columns: int) -> None:
    long = [
        ROW | {"id": "a/path/of/a/file/that/is/long/0001"},
        ROW | {"user_input": "Who built it, and when? " * 3},
    ]
    assert 0 == run("import", write_rows(tmp_path / "a.jsonl", long), "--gold").code
    for module in ("texts", "compare"):
        monkeypatch.setattr(f"workbench.reports.{module}.columns_of", lambda _stream: columns)

    assert "\nWho" in run("disputes").out
    for text in (run("score").out, run("compare", "--samples").out):
        for name in ("a/path/of/a/file/that/is/long/0001", "Who built it, and when? " * 3 + HASH[:8]):
            assert (columns == 0) == (name in text)
