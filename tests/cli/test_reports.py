"""What score, compare and export say to a program: documents with fixed keys, and the exit code."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import add_text
from tests.rows import gold, naming, proposal, sample as made, write_rows
from workbench import reports
from workbench.stages import editing
from workbench.stages.review import act, open_sample
from workbench.store.engine import open_store
from workbench.store.samples import sample_ids

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


@pytest.mark.parametrize(
    "words",
    [
        ("compare",), ("plan",), ("calibrate", "--list"), ("person", "list"), ("policy", "edit"), ("assign",),
        ("compare", "--json", "--scorer", "nope"), ("score", "--run", "nope"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_in_a_message_works_on_the_same_database_and_dataset(demo: Any, words: Any) -> None:
    """What is pasted must not end with "several datasets", nor ask another database."""
    demo("import", HARD)
    Path("workbench.db").rename("of ours.db")

    ended = demo(*words, "--db", "of ours.db", "--dataset", "demo")

    told = re.findall(r"workbench (?:policy |person )?[a-z]+ (.*)", " ".join((ended.out + ended.err).split()))
    assert all(one.startswith("--db 'of ours.db' --dataset demo") for one in told), told
    assert told or words[-1] == "nope"


def blind_row(key: str, found: int) -> dict[str, Any]:
    """Three cities of which so many stand in the context, with what a file says of them."""
    cities = ["Rome", "Oslo", "Bern"]
    said = gold(dict.fromkeys(cities, "found"), "corpus")
    return naming(key, cities, cities[:found], context_entity_recall=found / 3, gold=said)


@pytest.fixture
def blind(run: Any) -> Any:
    """Every sample is reviewed blind; ann has decided `done` and nothing else."""
    rows = [blind_row(key, place % 3) for place, key in enumerate(("done", *"abcdefghijkl"))]
    write_rows("d.jsonl", rows)
    assert run("import", "d.jsonl", "--dataset", "d", "--gold", "--blind", "1").code == 0
    store = open_store("workbench.db")
    opened = open_sample(store, sample_ids(store, 1)["done"], "ann")
    for one in ("Rome", "Oslo"):
        opened = act(store, opened, add_text(opened, "entity", one, "place"))
    act(store, opened, editing.accept(opened, "entity"))
    store.close()
    return run


def test_nothing_automatic_of_a_blind_sample_is_in_a_document_before_it_is_decided(blind: Any) -> None:
    document = blind("score", "--json").json
    by_id = {one["id"]: one for one in document["samples"]}

    assert {"id", "automatic", "verified", "external", "withheld"} <= set(by_id["a"])
    assert ({}, {}) == (by_id["a"]["automatic"], by_id["a"]["external"])
    rows = blind("compare", "--json").json["figures"]["rows"]
    assert set() == {one["id"] for one in rows} - {"done"}
    assert by_id["done"]["automatic"]["linked"]["value"] == 0.0
    assert "withheld" not in by_id["done"]
    assert 13 == document["means"]["linked"]["n"], "a mean gives no sample away"


def test_no_report_lists_a_blind_sample_before_it_is_decided(blind: Any) -> None:
    """Neither in its lines nor as the largest difference nor below a pass mark; how many is said."""
    scored = blind("score").out
    gated = blind("score", "--threshold", ".9")
    marked = blind("score", "--threshold", ".9", "--strict", "--json").json["gate"]
    compared = blind("compare", "--full", "--samples").out
    figures = blind("compare", "--json").json["figures"]
    line = next(line for line in scored.splitlines() if line.startswith("a "))

    assert 1 == gated.code
    assert ["a", *["hidden"] * 5] == line.split()
    assert "  below .9000: done" in gated.out
    assert "12 samples that you are yet to decide" in gated.out
    assert ["done"] == marked["below"]
    assert "12 samples that you are yet to review without suggestions" in scored
    assert "not listed: you are yet to decide them." in compared
    assert figures["paired"]["largest"] is None or "done" == figures["paired"]["largest"][0]
    assert "without suggestions" not in blind("score", "--threshold", ".9", "--json").err


def test_the_page_to_send_has_no_text_of_a_blind_sample_before_it_is_decided(blind: Any) -> None:
    assert 0 == blind("compare", "--html", "ann.html").code
    assert 0 == blind("compare", "--as", "corpus", "--html", "corpus.html").code

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


def test_score_its_gate_and_compare_name_the_question_and_the_column_first(run: Any, tmp_path: Path) -> None:
    assert 0 == run("import", write_rows(tmp_path / "a.jsonl", [ROW]), "--gold").code

    for text, first, last in (
        (run("score").out, "entities context_entity_recall exact names", "−.75"),
        (run("compare", "--samples").out, "sample context_entity_recall verified", "untraced"),
    ):
        assert HASH not in text
        assert "0.25" not in text  # no figure has a leading zero
        lines = text.splitlines()
        head, row = (
            next(line for line in lines if line.startswith(f"{word} ")) for word in (first.split()[0], "Who")
        )
        assert first.split() == head.split()[: len(first.split())]
        assert row.startswith(f"Who built it? {HASH[:8]}  ")
        assert "−.75" in row
        assert row.endswith(last)
    assert HASH == json.loads(run("score", "--json").out)["samples"][0]["id"]
    assert f"  below .9000: Who built it? {HASH[:8]}" in run("score", "--threshold", "0.9").out.splitlines()
    assert f"no sample '{HASH[:7]}'" in run("purge", HASH[:7], "--yes").err
    assert "1 sample of a purged" in run("purge", HASH[:8], "--yes").out


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
