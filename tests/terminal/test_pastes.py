"""A paste on a screen without a text field: whatever it holds, with brackets or without, it is no key."""

import random
import shutil
import sqlite3
import string
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.pty_app import PtyApp
from workbench.tui.driver import CLOSES, MORE, OPENS

pytestmark = pytest.mark.terminal

SAID = "Ignored:"
SCREENS = {
    "queue": ("", "verified", ""),
    "help": ("?", "Keys", "label:date"),
    "compare": ("C", "Compare", "label:date"),
    "calibrate": ("K", "Calibrate", "label:date"),
    "plan": ("P", "simple random", "label:date"),
    "runs": ("R", "Runs", "label:date"),
    "review": (" ", "Entities", ""),
    "guidelines": ("g", "Guidelines", "Entities"),
    "evidence": ("e", "evidence", "Entities"),
    "new unit": ("n", "new entity", "Entities"),
}
"""The key that opens each, what it shows, and what only the screen behind it shows: not all are left."""

TABLES = ("review", "review_event", "gold_unit", "sample", "dataset", "policy", "run", "proposal")


def nasty() -> str:
    """Every letter, escapes that mean something, new lines and control characters.

    Less than 4 kB: what a terminal has no room for may come a while later, as a paste of its own.
    """
    dice = random.Random(4)
    pieces = [*string.ascii_letters, *string.digits, *"|&#,.<>!?/ \t\r\n\x1b\x00\x03\x7f", "é", "世"]
    pieces += ["\x1b[31m", "\x1b[A", "\x1bOP", "\x1b[3~", "\x1b[<0;10;10M", OPENS, CLOSES, "\x1b[97u"]
    text = "\x1b[31mred text xx mm\n"
    while len(text.encode()) < 4_000:
        text += dice.choice(pieces)
    return text.replace("\x11", "")


def rows(database: Path) -> list[object]:
    """Everything that a person or a run could have changed."""
    with closing(sqlite3.connect(database)) as raw:
        return [raw.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall() for name in TABLES]


@pytest.fixture
def app(demo_database: Path, tmp_path: Path, program: str, environment: Any) -> Iterator[tuple[PtyApp, Path]]:
    """The program over the demo, with the queue on the screen."""
    database = Path(shutil.copy(demo_database, tmp_path / "wb.db"))
    with PtyApp([program, "--db", str(database), "--as", "ann", "review"], environment=environment) as one:
        one.wait_for("verified")
        one.quiet(0.3)
        yield one, database


def test_a_paste_changes_nothing(app: tuple[PtyApp, Path]) -> None:
    """Every screen says that it is ignored, no row of the database changes, and the next key works.

    Without brackets and with them by turns: what reaches a screen is the same then.
    """
    program, database = app
    text, before = nasty(), rows(database)
    for number, (screen, (key, title, behind)) in enumerate(SCREENS.items()):
        start = len(program.output) if key else 0
        program.write(key.encode())
        program.wait_for(title, start=start)
        program.quiet(0.05)
        start = len(program.output)
        while b"ctrl+c copies" not in program.output[start:]:  # else what it says again changes no cell
            program.write(b"\x03")
            program.quiet(0.1)
        start = len(program.output)

        program.write((OPENS + text + CLOSES if number % 2 else text).encode())
        program.wait_for(SAID.encode(), start=start)
        program.quiet(2 * MORE)  # what comes within that time belongs to the paste

        assert before == rows(database), screen
        if behind:
            start = len(program.output)
            program.write(b"\x1b")
            program.wait_for(behind, start=start)
            program.quiet(0.05)  # a key right behind an escape would be one key with it, and do nothing
    start = len(program.output)
    program.write(b"b")
    program.wait_for("continue", start=start)
    program.write(b"\x11")  # ctrl+q
    assert 0 == program.ended()
    assert before == rows(database)
