"""The command `disputes`: the list by state and parties, and everything that cannot be."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.rows import naming, write_rows
from workbench.stages import editing
from workbench.stages.disputes import disputes, set_state
from workbench.stages.review import act, open_sample
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.samples import sample_ids

HOSTILE = "[bold]=1+1\x1b[31m‮'\""


def row(name: str, *, near: bool = False) -> dict[str, Any]:
    """Two cities; `near`: one of them is found under another spelling only."""
    return naming(name, ["Kathmandu", "Oslo"], ["Katmandu" if near else "Kathmandu", "Oslo"])


@pytest.fixture
def load(tmp_path: Path, written: str, run: Any) -> Any:
    """Imports rows and verifies some with their first unit turned round."""

    def put(*rows: dict[str, Any], verify: tuple[str, ...] = ()) -> None:
        write_rows(tmp_path / "data.jsonl", rows)
        assert run("import", "data.jsonl", "--dataset", "data").code == 0
        store = open_store(written)
        ids = sample_ids(store, 1)
        for key in verify:
            opened = open_sample(store, ids[key], "ann")
            opened = act(store, opened, editing.toggle(opened, opened.state.entity.assessment.units[0]))
            act(store, opened, editing.accept(opened, "entity"))
        store.close()

    return put


@pytest.fixture
def settle(written: str) -> Any:
    """Sets the state of the disputes of a sample between some."""

    def put(key: str, between: str, state: Any, note: str = "") -> None:
        store = open_store(written)
        report = disputes(store, find_dataset(store, "data"), "ann", between=between)
        for dispute in report.chosen("all", between):
            if dispute.id == key:
                set_state(store, dispute, state, note, "ann")
        store.close()

    return put


@pytest.mark.databases
def test_the_list_says_who_disagrees_by_how_much_and_what_it_moves(load: Any, run: Any) -> None:
    """Values of undecided samples are hidden, in the text and in the document."""
    load(row("rome"), row("near", near=True), row("b"), verify=("rome",))

    ended = run("disputes")
    document = run("disputes", "--json").json

    assert (0, "") == (ended.code, ended.err)
    lines = [" ".join(line.split()) for line in ended.out.splitlines()]
    assert [
        "data · p-run-1: 2 disagreements, 2 open",
        "linked: name matching",
        "effect: how far it moves the mean; against verified: − too low, + too high",
        "sample between first second Δ effect state",
        "rome linked~verified 1.00 .50 +.50 +.5000 open",
        "between automatic values, and hidden until you review the sample: 1 of 2",
    ] == lines
    first, second = document["disputes"]
    assert (1, "rome", 1.0, 0.5, 0.5, 0.5) == tuple(
        first[name] for name in ("rank", "id", "first", "second", "delta", "moves")
    )
    assert (True, None, None, None) == tuple(second[name] for name in ("hidden", "first", "second", "moves"))
    assert {"open": 2, "explained": 0, "fixed": 0} == document["states"]
    assert {"linked~verified": 1, "ragas~linked": 1} == document["between"]


def test_a_sample_whose_id_is_a_hash_is_listed_by_its_question(load: Any, run: Any) -> None:
    """In 80 columns, however long it is."""
    short, long = "0123456789abcdef0123456789abcdef", "f123456789abcdef0123456789abcdef"
    rows = [{**row(key), "id": key} for key in (short, long)]
    rows[0]["user_input"], rows[1]["user_input"] = "Who built\n it?", "Who built it? " * 9
    load(*rows, verify=(short, long))

    listed = run("disputes").out.splitlines()

    (first,) = (line for line in listed if line.startswith("Who built it?  "))
    assert "linked~verified" == first.split()[3]
    assert 80 >= max(map(cell_len, listed))


def test_the_list_of_the_demo_fits_80_columns(run: Any) -> None:
    run("demo", "--json")

    ended = run("disputes", "--db", "workbench-demo.db", "--dataset", "demo")

    rows = [line for line in ended.out.splitlines() if "~" in line]
    assert "context_entity_recall~verified" in rows[0]
    assert 80 >= max(map(cell_len, rows))


@pytest.mark.parametrize("state", ["open", "explained", "fixed"])
def test_long_ids_and_columns_leave_the_list_80_columns(load: Any, settle: Any, run: Any, state: str) -> None:
    """In every state."""
    rome, oslo = "7c9e6679-7425-40de-944b-e07fc1f90ae7", "550e8400-e29b-41d4-a716-446655440000"
    score = {"scores": {"context_entity_recall": 0.25}}
    load(*({**row(key), "id": key, **score} for key in (rome, oslo)), verify=(rome, oslo))
    between = "context_entity_recall~verified"
    if state != "open":
        settle(rome, between, state, "x")

    listed = run("disputes", "--state", state, "--between", between).out.splitlines()
    rows = [line for line in listed if between in line]

    assert any(line.startswith(rome[:10]) for line in rows)
    assert 80 >= max(map(cell_len, rows))


@pytest.mark.databases
def test_the_list_can_be_asked_for_a_state(load: Any, settle: Any, run: Any) -> None:
    load(row("rome"), row("near", near=True), verify=("rome", "near"))

    settle("rome", "linked~verified", "explained", HOSTILE)
    left, explained = run("disputes", "--json").json, run("disputes", "--state", "explained", "--json").json
    text = run("disputes", "--state", "explained")
    settle("rome", "linked~verified", "fixed")

    assert {("near", "linked~verified"), ("near", "ragas~linked")} == {
        (one["id"], one["between"]) for one in left["disputes"]
    }
    assert [("rome", "explained", HOSTILE, "ann")] == [
        (one["id"], one["state"], one["note"], one["annotator"]) for one in explained["disputes"]
    ]
    assert "ann: [bold]=1+1" in text.out
    assert not [one for one in text.out if unicodedata.category(one) in ("Cc", "Cf") and one != "\n"]
    assert "  fixed\n    still differs\n" in run("disputes", "--state", "fixed").out


def test_the_list_can_be_cut_to_some_parties_and_to_a_number(load: Any, run: Any) -> None:
    load(*(row(f"s{number}", near=True) for number in range(4)), verify=("s0", "s1"))

    limited = run("disputes", "--limit", 1)
    sort = run("disputes", "--between", "verified", "--json").json
    pair = run("disputes", "--between", "ragas~verified", "--json").json
    none = run("disputes", "--between", "annotators")

    assert "… and 3 more: --limit" in limited.out
    assert "D in the queue" not in limited.out  # which of them it lists depends on what one decided
    assert ["s0", "s1"] == [one["id"] for one in sort["disputes"]]
    assert pair["between"]["ragas~verified"] == len(pair["disputes"])
    assert "none of them fits --state and --between" in none.out
