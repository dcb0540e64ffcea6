"""The installed program in a real terminal: what a person sees, and every byte that it sends."""

import base64
import json
import os
import re
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.pty_app import PtyApp, installed, terminal_environment
from tests.conftest import Bench
from tests.rows import proposal, sample
from tests.terminal.conftest import imported

TAJ = sample(
    "taj", "The Taj Mahal stands on the Yamuna in Agra.", "The Taj Mahal is in Agra, India.",
    user_input="What is the Taj Mahal?",
    proposal=proposal(["Taj Mahal", "Yamuna"], ["Taj Mahal", "Agra"], proposer="claude"),
)  # fmt: skip

pytestmark = pytest.mark.terminal
Run = Callable[..., Any]

ENTER_ALTERNATE_SCREEN, LEAVE_ALTERNATE_SCREEN = b"\x1b[?1049h", b"\x1b[?1049l"
MOUSE_OFF = b"\x1b[?1000l"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """One sample."""
    return imported(tmp_path, [TAJ])


def test_a_text_whose_scroll_bar_comes_late_is_painted_in_the_room_left(terminal: Run, demo: Bench) -> None:
    """A line of Compare's notes lost its last letter below the bar; a pilot paints everything anew."""
    demo.verify("www")
    window = terminal("--db", str(demo.db), "--as", "ann", "review", size=(80, 24))
    window.wait_for("50 samples")
    window.press("C")
    window.wait_for("\n acts as if they had been.")


def test_a_review_from_start_to_end_of_keys_that_come_in_one_packet(terminal: Run, database: Path) -> None:
    """A slow line holds back as many as one types in half a second: they act in order, over dialogs too.

    Open, add a unit, accept, leave: on the screen, in the exit code and in the database.
    """
    window = terminal("--db", str(database), "--as", "ann", "review", size=(80, 24))
    window.wait_for("1 sample")
    window.press("Enter", "n", "a", "g")
    window.wait_for("new entity ag")
    window.type("ra")
    window.wait_for("new entity agra")
    window.press("Enter", "2", "x", "x", "a")
    window.wait_for("is decided")
    window.press("q")

    assert window.exit_code() == 0
    left = window.raw().partition(LEAVE_ALTERNATE_SCREEN)[2]
    assert f"To go on:\r\n  workbench review --db {database} --as ann\r\n".encode() in left
    with closing(sqlite3.connect(database)) as raw:
        places = raw.execute("SELECT text, label FROM gold_unit ORDER BY position").fetchall()
        acts = raw.execute("SELECT op FROM review_event WHERE seq > 0 ORDER BY seq").fetchall()
    assert [(name, "place") for name in ("Taj Mahal", "Yamuna", "Agra")] == places
    assert ["add", "reject", "restore", "accept"] == [op for (op,) in acts]


def test_hostile_text_sends_nothing_to_the_terminal(terminal: Run, tmp_path: Path) -> None:
    """Every byte is looked at: no clipboard write, no title, no override or hidden character of the data."""
    secret = base64.b64encode(b"stolen").decode()
    steering = f"\x1b]52;c;{secret}\x07\x1b]0;owned\x07\x1b[8;5;5t\x9b2J\u202eabc\u2066\u200b\U000e0041"
    row = json.loads(json.dumps(TAJ))
    row["id"] = f"taj{steering}"
    row["user_input"] += steering
    row["reference"] += steering + "[/] [@click=app.quit]x[/]"
    row["retrieved_contexts"] = [row["retrieved_contexts"][0] + steering, steering]
    row["proposal"]["context_entities"].append([])
    row["proposal"]["reference_entities"].append({"text": steering, "label": steering})
    database = imported(tmp_path, [row])

    window = terminal("--db", str(database), "--as", "ann", "review", size=(120, 36))
    window.wait_for("1 sample")
    window.press("Enter")
    window.wait_for("Entities")
    window.press("j", "j", "]", "t", "g")
    window.wait_for("Guidelines, version")
    window.press("Escape")
    window.wait_until_gone("Guidelines, version")
    window.press("x", "a")
    window.wait_for("is decided")
    window.press("q")
    assert window.exit_code() == 0

    sent = re.sub(rb"\x1b]22;[a-z-]*\x07", b"", window.raw())  # the library's own: the mouse pointer's shape
    assert b"\x1b]52" not in sent
    assert b"\x1b]0;" not in sent
    assert b"\x1b[8;5;5t" not in sent
    for character in "\x9b\u202e\u2066\u200b\U000e0041\x07":
        assert character.encode() not in sent
    assert window.buffers() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_told_to_go_it_leaves_the_terminal_as_it_was(terminal: Run, database: Path, number: int) -> None:
    """Alternate screen and mouse are off, the exit code says which signal it was."""
    window = terminal("--db", str(database), "--as", "ann", "review")
    window.wait_for("1 sample")
    os.kill(window.pid(), number)
    assert window.exit_code() == 128 + number
    assert LEAVE_ALTERNATE_SCREEN in window.raw()
    assert MOUSE_OFF in window.raw()


def test_a_locale_without_utf8_is_named_and_letters_stay_letters(tmp_path: Path) -> None:
    """What the program writes is UTF-8; where a terminal does not believe it, the notice says what to do."""
    row = {**TAJ, "reference": "Тадж-Махал stands on the Yamuna in Agra."}
    database = imported(tmp_path, [row])
    environment = terminal_environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    with PtyApp([installed(), "--db", str(database), "review"], environment=environment) as app:
        app.wait_for("Тадж-Махал")
        app.wait_for("Your locale C is")
        assert app.process.poll() is None


def test_a_program_that_was_stopped_from_outside_draws_again_and_ends(database: Path) -> None:
    """SIGSTOP cannot be caught: the terminal is taken anew, once, when SIGCONT comes."""
    with PtyApp([installed(), "--db", str(database), "--as", "ann", "review"]) as app:
        app.wait_for("1 sample")
        app.quiet(0.5)
        start = len(app.output)
        for signal_number in signal.SIGSTOP, signal.SIGCONT:
            app.process.send_signal(signal_number)
        app.wait_for(ENTER_ALTERNATE_SCREEN, start=start)
        app.wait_for("1 sample", start=app.output.rfind(ENTER_ALTERNATE_SCREEN))
        app.quiet(0.5)
        app.write(b"\x11")  # ctrl+q
        assert 0 == app.ended()


def test_a_terminal_that_goes_away_ends_the_program(database: Path) -> None:
    """Its window is closed, here without a signal: the program must not stay and keep a core busy."""
    app = PtyApp([installed(), "--db", str(database), "--as", "ann", "review"])
    app.wait_for("1 sample")
    app.hang_up()
    try:
        assert app.process.wait(timeout=600) > 0  # no -9: it left by itself
    finally:
        app.process.kill()
