"""Settling in a real terminal: killed half way, opened again, settled, taken back after a restart."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.rows import gold, proposal, sample
from tests.terminal.conftest import imported
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.gold import load_gold

pytestmark = pytest.mark.terminal

CITIES = ("Paris", "Rome", "Oslo")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """One sample of which ada finds all cities, bob none but Paris."""
    bobs = gold({"Paris": "found", "Rome": "missing", "Oslo": "missing"}, "bob")
    both = [gold(dict.fromkeys(CITIES, "found"), "ada"), bobs]
    text = "From Paris to Rome and on to Oslo."
    row = sample("trip", text, "Paris only.", gold=both, proposal=proposal(CITIES, ["Paris"]))
    return imported(tmp_path, [row], gold="given")


def stands(database: Path) -> str:
    store = open_store(str(database))
    (found,) = load_gold(store, find_dataset(store, None).id, "entity").values()
    store.close()
    return found.origin


def test_half_of_it_survives_a_kill_and_undo_a_restart(terminal: Callable[..., Any], database: Path) -> None:
    command = ("--db", str(database), "--as", "cy", "review")
    window = terminal(*command)
    window.wait_for("1 sample")
    window.press("J")
    window.wait_for("2 to settle")
    window.press("1")
    window.wait_for("1 to settle")
    os.kill(window.pid(), signal.SIGKILL)
    assert "unresolved" == stands(database)

    window = terminal(*command)
    window.wait_for("1 sample")
    window.press("J")
    window.wait_for("1 to settle")
    window.press("2", "a")
    window.wait_for("left to settle")
    assert "adjudicated" == stands(database)
    window.press("q")
    assert 0 == window.exit_code()

    window = terminal(*command, size=(120, 36))
    window.wait_for("1 sample")
    window.press("u")
    window.wait_for(": settled what people differ in: entities")
    window.press("u")
    window.wait_for("1 to settle")
    assert "unresolved" == stands(database)
