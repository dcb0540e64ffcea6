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
