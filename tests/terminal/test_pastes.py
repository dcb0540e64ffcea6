"""A paste on a screen without a text field: whatever it holds, with brackets or without, it is no key."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import string
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.benchmarks.pty_app import PtyApp, installed, terminal_environment
from workbench.tui.driver import CLOSES, OPENS

pytestmark = pytest.mark.terminal

SAID = "Ignored:"
SCREENS = {
    "queue": ([], "verified"),
    "help": (["?"], "Keys"),
    "review": (["c"], "Reference"),
    "guidelines": (["c", "g"], "Guidelines"),
    "evidence": (["c", "e"], "evidence"),
    "new unit": (["c", "n"], "first"),
    "compare": (["C"], "Compare"),
    "calibrate": (["K"], "Calibrate"),
    "plan": (["P"], "lan"),
    "runs": (["R"], "Runs"),
}
TABLES = ("review", "review_event", "gold_unit", "sample", "dataset", "policy", "run", "proposal")


def nasty() -> str:
    """4 kB of every letter, escapes that mean something, new lines and control characters."""
    dice = random.Random(4)
    pieces = [*string.ascii_letters, *string.digits, *"|&#,.<>!?/ \t\r\n\x1b\x00\x03\x7f", "é", "世"]
    pieces += [
        "\x1b[31m",
        "\x1b[A",
        "\x1bOP",
        "\x1b[3~",
        "\x1b[<0;10;10M",
        "\x1b[200~",
        "\x1b[201~",
        "\x1b[97u",
    ]
    text = "\x1b[31mred text xx mm\n"
    while len(text.encode()) < 4096:
        text += dice.choice(pieces)
    return text.replace("\x11", "")


def rows(database: Path) -> list[object]:
    """Everything that a person or a run could have changed."""
    with closing(sqlite3.connect(database)) as raw:
        return [raw.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall() for name in TABLES]


@pytest.fixture
def app(demo_database: Path, tmp_path: Path) -> Iterator[tuple[PtyApp, Path]]:
    """The program over the demo, with the queue on the screen."""
    if not Path(installed()).exists():
        pytest.skip("needs the installed program")
    database = Path(shutil.copy(demo_database, tmp_path / "wb.db"))
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"theme": "", "theme_over": "", "tour_seen": True}), "utf-8")
    environment = terminal_environment(WORKBENCH_STATE=str(state), XDG_CONFIG_HOME=str(tmp_path))
    with PtyApp(
        [installed(), "--db", str(database), "--as", "ann", "review"], environment=environment
    ) as one:
        one.wait_for("verified")
        one.quiet(0.6)
        yield one, database


@pytest.mark.parametrize("bracketed", [True, False], ids=["bracketed", "raw"])
@pytest.mark.parametrize("screen", SCREENS)
def test_a_paste_changes_nothing(app: tuple[PtyApp, Path], screen: str, bracketed: bool) -> None:
    """The screen says that it is ignored, no row of the database changes, and the next key works."""
    program, database = app
    keys, title = SCREENS[screen]
    start = 0
    for key in keys:
        start = len(program.output)
        program.press(key.encode(), silence=0.5)
    program.wait_for(title, start=start)
    before, start = rows(database), len(program.output)
    text = nasty()

    program.write((OPENS + text + CLOSES if bracketed else text).encode())
    program.wait_for(SAID.encode(), start=start)
    program.quiet(0.8)

    assert before == rows(database)
    program.press(b"\x1b", silence=0.5)
    program.write(b"\x11")  # ctrl+q
    assert 0 == program.process.wait(timeout=60)
