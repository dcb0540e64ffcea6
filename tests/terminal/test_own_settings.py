"""The installed program in a real terminal: first steps once, keys of one's own, the shell and back."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.settings import read_state

pytestmark = pytest.mark.terminal
Run = Callable[..., Any]


@pytest.fixture
def database(tmp_path: Path, demo_database: Path) -> Path:
    """The demo."""
    return Path(shutil.copy(demo_database, tmp_path / "wb.db"))


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state of somebody who never started the program."""
    path = tmp_path / "own" / "state.json"
    monkeypatch.setenv("WORKBENCH_STATE", str(path))
    return path


def test_first_steps_once(terminal: Run, database: Path, state: Path) -> None:
    """At the first start; not at the second."""
    window = terminal("--db", str(database), "--as", "ann")
    shown = window.wait_for("Five keys to begin with")
    assert "Is each name right?" in shown
    window.press("Escape")
    window.wait_until_gone("Five keys to begin with")
    window.press("q")
    assert window.exit_code() == 0
    assert read_state(state).tour_seen
    again = terminal("--db", str(database), "--as", "ann")
    assert "Five keys" not in again.wait_for("50 samples")


def test_keys_and_name_of_ones_own(terminal: Run, database: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """The config file is read before the first frame; what is off in it keeps the screens shut."""
    config = tmp_path / "config.toml"
    monkeypatch.setenv("WORKBENCH_CONFIG", str(config))
    config.write_text('as = "zoe"\n[keys]\nqueue.open = "l"\n')
    window = terminal("--db", str(database))
    shown = window.wait_for("l review")
    assert "as zoe" in shown
    window.press("l")
    window.wait_for("Reference")
    window.press("C-q")
    assert window.exit_code() == 0
    config.write_text('[keys]\nqueue.opne = "l"\n')
    refused = terminal("--db", str(database))
    assert refused.exit_code() == 2
    assert b"there is no action 'queue.opne'; did you mean 'queue.open'?" in refused.raw()
    assert b"\x1b[?1049h" not in refused.raw()


def test_to_the_shell_and_back(terminal: Run, database: Path) -> None:
    """ctrl+z stops the program with the terminal as it was; what stood there comes back."""
    window = terminal("--db", str(database), "--as", "ann")
    window.wait_for("50 samples")
    pid = window.pid()
    window.press("C-z")
    window.wait_until_gone("50 samples")
    stat = Path(f"/proc/{pid}/stat")
    end = time.monotonic() + 600
    while stat.read_text().rpartition(")")[2].split()[0] != "T" and time.monotonic() < end:
        time.sleep(0.05)
    assert stat.read_text().rpartition(")")[2].split()[0] == "T"
    os.kill(pid, signal.SIGCONT)
    window.wait_for("50 samples")
    window.press("q")
    assert window.exit_code() == 0
