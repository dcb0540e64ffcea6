"""Text from a dataset is hostile: it is shown as it is, and it steers nothing."""

import io
import unicodedata
from typing import Any

import pytest
from rich.console import Console
from rich.segment import Segment
from textual.color import Color
from textual.events import Key, Paste

from tests.tui.conftest import User
from workbench.text.safe import flat
from workbench.tui.app import GUARD, TerminalGuard, WorkbenchApp
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList

STEERING = "\x1b]52;c;aGVsbG8=\x07\x1b[2J\x9b31m\u202e\u200b\u2066\U000e0041\x7f\x08"
MARKUP = "[/] [b]bold[/b] [@click=app.quit]quit[/] [link=http://x]l[/link] [$x] [x=1] [/"
NASTY = f"Evil {STEERING}{MARKUP}"


def on_screen(app: WorkbenchApp) -> str:
    """All that is drawn, as characters."""
    width, height = app.size
    console = Console(
        width=width, height=height, file=io.StringIO(), force_terminal=False, legacy_windows=False
    )
    update = app.screen._compositor.render_update(
        full=True, screen_stack=app._background_screens, simplify=True
    )
    console.print(update, end="")
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def steering(text: str) -> list[str]:
    """The characters that a terminal would obey or hide."""
    steers = ("Cc", "Cf", "Co", "Cs")
    return [f"U+{ord(c):04X}" for c in text if c not in "\n\u200d" and unicodedata.category(c) in steers]


@pytest.fixture
def nasty_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One sample that is hostile in every field."""
    row = rows[0]
    row |= {
        "id": NASTY,
        "user_input": NASTY,
        "reference": f"{NASTY} stands in Paris.\n\tA tab and a break.",
        "retrieved_contexts": [f"Context {NASTY} Paris", NASTY],
    }
    named = {NASTY: NASTY, "Paris": "place", STEERING: "x"}
    units = [{"text": text, "label": label} for text, label in named.items()]
    row["proposal"] = {
        "proposer": NASTY,
        "reference_entities": units,
        "context_entities": [units, []],
        "statements": [{"text": NASTY, "verdict": "found", "context": 0, "quote": NASTY, "reason": NASTY}],
    }
    return [row]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_nothing_of_a_dataset_steers_the_terminal(
    user: User, import_rows: Any, nasty_rows: Any, monkeypatch: Any, size: Any
) -> None:
    """On every screen, with the last wall taken away: the widgets alone have to hold."""
    monkeypatch.setattr(TerminalGuard, "apply", lambda _self, segments, _background: segments)
    database = import_rows(nasty_rows, name=NASTY.replace("/", "|"))
    seen: list[str] = []
    async with user.opens(database=database, annotator=NASTY, size=size) as app:

        async def look(*keys: str) -> None:
            await user.press(*keys)
            seen.append(on_screen(app))

        await look()
        assert type(app.screen).__name__ == "QueueScreen"
        await user.press("enter")
        assert type(app.screen).__name__ == "ReviewScreen"
        for key in "j k y right_square_bracket x m M g escape question_mark escape f".split():
            await look(key)
        app.screen.query_one("#field").value = NASTY
        await look("enter")
        await look("f")
        await look("escape", "a", "a", "u", "U", "w")
        assert type(app.screen).__name__ == "WhyScreen"
        assert "[@click=app.quit]" in seen[-1]
        await look("escape", "X", "1", "enter")
        assert steering(app.clipboard) == []
    for picture in seen:
        assert steering(picture) == []
    assert any("[@click=app.quit]" in picture for picture in seen)
    assert any("[/]" in picture for picture in seen)


async def test_a_click_on_markup_in_text_does_nothing(user: User, import_rows: Any, nasty_rows: Any) -> None:
    """Every cell of the reference is clicked; the app neither quits nor acts."""
    nasty_rows[0]["id"] = "evil"
    async with user.opens("evil", database=import_rows(nasty_rows), size=(120, 36)) as app:
        assert GUARD in app.get_line_filters()  # the last wall
        before = app.screen.query_one(UnitList).rows
        width = app.screen.query_one("#reference", Passage).size.width
        for x in range(1, width, 3):
            await user.pilot.click("#reference", offset=(x, 1))
        await user.press()
        assert app.is_running
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.query_one(UnitList).rows == before


async def test_the_palette_shows_no_data(user: User, import_rows: Any, nasty_rows: Any) -> None:
    """Its entries read markup: they are our own words alone, whatever labels and ids there are."""
    nasty_rows[0]["id"] = "evil"
    async with user.opens("evil", database=import_rows(nasty_rows)) as app:
        await user.pilot.press("ctrl+p")
        assert type(app.screen).__name__ == "Palette"
        for command in app.get_system_commands(app.screen_stack[-2]):
            assert "[" not in command.title
            assert "Evil" not in command.title + command.help


def test_the_guard_cleans_what_a_widget_forgets() -> None:
    """Control segments (the library's own) pass, text is cleaned, a break inside a line becomes a space."""
    dirty = [Segment(f"a{STEERING}b\n\tc"), Segment("plain"), Segment("\x1b[0m", None, [(1,)])]  # type: ignore[list-item]
    cleaned = TerminalGuard().apply(dirty, Color(0, 0, 0))
    assert steering(cleaned[0].text) == []
    assert cleaned[0].text.startswith("a")
    assert cleaned[0].text.endswith("b  c")
    assert cleaned[1:] == dirty[1:]


def test_flat_keeps_offsets() -> None:
    """One code point stays one code point."""
    assert len(flat(NASTY + "\n\t\r")) == len(NASTY) + 3
    assert flat("a\nb\tc") == "a b c"


async def test_the_tail_of_a_paste_is_no_key_press(user: User) -> None:
    """A paste that ends itself early delivers the rest as keys: they are dropped; later keys count.

    Each key makes the tail longer.
    """
    async with user.opens("tower") as app:
        listed = app.screen.query_one(UnitList)
        for letters, apart in ("xxx", 0.01), ("jjx", 0.04):
            listed.move_to(0)
            paste = Paste("harmless")
            app.post_message(paste)
            for number, letter in enumerate(letters, start=1):
                tail = Key(letter, letter)
                tail.time = paste.time + number * apart  # when it came, however busy the machine is
                app.post_message(tail)
            await user.press()
            assert (letters, [False] * 3) == (letters, [unit.rejected for unit in listed.rows[:3]])
            await user.pilot.pause(0.3)
            await user.press("x")
            assert listed.rows[0].rejected
            await user.press("x")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_evidence_search_and_split_steer_nothing(
    user: User, import_rows: Any, nasty_rows: Any, monkeypatch: Any, size: Any
) -> None:
    """Passages, titles, letters and what was said; without the last wall."""
    monkeypatch.setattr(TerminalGuard, "apply", lambda _self, segments, _background: segments)
    nasty_rows[0]["proposal"]["context_entities"] = [[], []]
    seen: list[str] = []
    async with user.opens(database=import_rows(nasty_rows, name="nasty"), size=size) as app:
        await user.press("enter")
        app.screen.query_one(UnitList).move_to(0)
        for keys in (
            "e", "j", "right_square_bracket", "question_mark", "escape", "e", "escape", "e 1", "u", "U",
            "}", "#", "1 enter", "slash E v i l", "f3", "enter", "escape", "vertical_line", "escape", "&",
            "u", "m", "m", "e slash P a r i s enter", "p",
        ):  # fmt: skip
            await user.press(*keys.split())
            seen.append(on_screen(app))
    for picture in seen:
        assert steering(picture) == []
    assert any("evidence for Evil" in picture for picture in seen)
    assert any("split before" in picture for picture in seen)
