"""What is a paste and what are keys, by what comes out of one read of the terminal."""

import os
import pty
import threading
import tty
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from textual.events import Key, Paste

from workbench.tui.app import WorkbenchApp
from workbench.tui.driver import ASK, AT_ONCE, CLOSES, HELD, OPENS, PasteDriver, is_paste, patience
from workbench.tui.work import Entered

KEYS = ["a", "\x1b", "\x1b[A", "jxa", "12345", "\x1b[A\x1b[B\x1b[A\r\t", "a" * HELD, "\x1b[B" * HELD]
MANY = ["\x1b[<35;10;10M" * 200 + "a", "\x1b[?2026;2$y\x1b[?2048;0$y\x1b[I\x1b[O\x1b[48;36;120;0;0t" * 5]


@pytest.mark.parametrize("text", KEYS + MANY)
def test_keys_are_keys(text: str) -> None:
    """A few at once (a slow line), one key held down, the mouse, and what the terminal answers."""
    assert not is_paste(text)


PASTES = ["x" * (HELD + 1), "abcdef", "red text xx mm\n", "\x1b[31mred x\n", "\x1b[<0;10;10Mdelete", OPENS]


@pytest.mark.parametrize("text", [*PASTES, OPENS + "x" + CLOSES])
def test_what_no_person_types_is_a_paste(text: str) -> None:
    """More keys than come at once, or brackets."""
    assert is_paste(text)


def test_where_the_terminal_marks_pastes_only_marked_ones_are(typed: Callable[..., list[Any]]) -> None:
    """What it says of itself tells; then a slow line may bring as much as it likes."""
    for known in (b"\x1b[?2004;2$y", b"\x1bP>|tmux 3.3a\x1b\\"):
        keys = typed(known + b"odd context\r", 12)
        assert ["o", "enter"] == [keys[0].key, keys[-1].key]
    assert [Paste] == [type(one) for one in typed(b"\x1b[?2004;0$yodd context", 1)]
    assert is_paste("ab" * HELD, brackets=True)
    assert patience("\x1bP>|tmux 3") == patience(OPENS) > patience("\x1bP>|tmux 3.3a\x1b\\") == 0


@pytest.mark.parametrize(("program", "asks"), [("Apple_Terminal", False), ("ghostty", True)])
def test_a_terminal_that_prints_the_question_is_not_asked(monkeypatch: Any, program: str, asks: bool) -> None:
    """Terminal.app shows the p at its end."""
    monkeypatch.setenv("TERM_PROGRAM", program)
    driver, written = PasteDriver.__new__(PasteDriver), list[str]()
    monkeypatch.setattr(driver, "write", written.append)
    driver._enable_bracketed_paste()
    assert asks == (ASK in written)


def test_enter_behind_a_paste_is_kept(typed: Callable[..., list[Any]]) -> None:
    """A slow line brings both at once; a line break that was pasted is none."""
    for text in ("odd context\r", f"{OPENS}odd context{CLOSES}\r", f"{OPENS}odd context{CLOSES}\x1b[13u"):
        assert [Entered] == [type(one) for one in typed(text.encode(), 1)]
    assert [Paste] == [type(one) for one in typed(f"{OPENS}odd context\r{CLOSES}".encode(), 1)]


def test_a_paste_is_waited_for_to_its_end() -> None:
    """Longest where the closing bracket is due; not at all behind the mouse."""
    ordered = [patience("\x1b[<35;1;1M"), patience("a"), patience("abcdef"), patience(OPENS + "abcdef")]

    assert sorted(set(ordered)) == ordered
    assert patience(OPENS + "a" + CLOSES) == patience("abcdef")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes, int], list[Any]]:
    """What the driver makes of bytes in a real terminal, as soon as there are so many events."""

    def run(given: bytes, count: int) -> list[Any]:
        master, slave = pty.openpty()
        os.set_blocking(master, True)
        driver = PasteDriver.__new__(PasteDriver)
        driver._debug = False
        driver.fileno = slave
        driver.exit_event = threading.Event()
        events: list[Any] = []
        enough = threading.Event()

        def take(event: Any) -> None:
            events.append(event)
            if len(events) == count:
                enough.set()

        monkeypatch.setattr(driver, "process_message", take)
        tty.setraw(slave)
        os.write(master, given)
        thread = threading.Thread(target=driver.run_input_thread)
        thread.start()
        assert enough.wait(600)
        driver.exit_event.set()
        thread.join()
        os.close(master)
        os.close(slave)
        return events

    return run


def test_a_paste_is_one_event_and_keys_are_keys(typed: Callable[..., list[Any]]) -> None:
    """Raw, bracketed with escapes and an early end, or no UTF-8 at all."""
    (raw,) = typed(b"\x1b[31mred text xx mm\n", 1)
    (bracketed,) = typed(f"{OPENS}one \x1b[31m{CLOSES}two{CLOSES}".encode(), 1)
    (broken,) = typed(b"\xff\xfe a bc d \xff", 1)
    few = typed("jxж\x1b[A".encode(), AT_ONCE - 1)

    assert [Paste, Paste, Paste] == [type(one) for one in (raw, bracketed, broken)]
    assert ("\x1b[31mred text xx mm\n", "one \x1b[31mtwo") == (raw.text, bracketed.text)
    assert ["j", "x", "ж", "up"] == [one.key for one in few if isinstance(one, Key)]


def test_keys_that_come_at_once_were_pressed_one_after_another(typed: Callable[..., list[Any]]) -> None:
    """Those of a held key that a busy app reads late: the first one passed a doubt as a press of its own."""
    times = [key.time for key in typed(b"a" * 12, 12)]
    assert pytest.approx([1 / 30] * 11) == [after - before for before, after in pairwise(times)]


@pytest.mark.parametrize("gone", [False, True])
def test_a_terminal_that_goes_away_is_not_taken_anew(monkeypatch: pytest.MonkeyPatch, gone: bool) -> None:
    """It sends SIGCONT behind SIGHUP, and what is written to it then is waited for without an end."""
    master, slave = pty.openpty()
    driver, taken = PasteDriver.__new__(PasteDriver), list[str]()
    driver.fileno, driver._auto_restart, driver._must_signal_resume = slave, True, False
    for name in "suspend_application_mode", "resume_application_mode":
        monkeypatch.setattr(driver, name, partial(taken.append, name))
    if gone:
        os.close(master)
    driver._sigcont_application()
    assert gone == (taken == [])


def test_the_app_uses_it() -> None:
    """In a terminal of Unix; pilots and browsers have drivers of their own."""
    assert PasteDriver is WorkbenchApp(lambda: None, None, "ann").driver_class  # type: ignore[arg-type,return-value]
