"""Only lines that look different are painted again: the screen is always what a full repaint shows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import User

Press = Callable[..., Awaitable[None]]

KEYS = (
    *("j", "x", "x", "m", "M", "p", "7", "comma", "full_stop", "tab", "right_square_bracket", "k"),
    *("left_square_bracket", "a", "a", "j", "x", "a", "u", "u", "U", "S", "a", "u", "u", "t", "ctrl+d", "j"),
)


async def repainted(app: Any, pilot: Pilot[None], settle: Any) -> str:
    """The screen after every widget was told to paint itself anew."""
    for widget in app.screen.walk_children():
        widget.refresh()
    await settle(pilot)
    return str(app.export_screenshot())


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_what_is_painted_is_what_a_full_repaint_shows(
    user: User, size: tuple[int, int], settle: Press
) -> None:
    """After every key of a review, in every script of the samples."""
    async with user.opens("tower", size=size) as app:
        for number, key in enumerate(KEYS):
            await user.press(key)
            painted = app.export_screenshot()
            assert painted == await repainted(app, user.pilot, settle), (number, key)


async def test_scrolled_texts_and_other_widths_are_painted_whole(
    user: User, import_rows: Any, rows: list[Any], settle: Press
) -> None:
    """A long text scrolled, then a short one, and the other way round; and after a resize."""
    long = " ".join(f"word{number}" for number in range(900))
    for row in rows[:4]:
        row["retrieved_contexts"] = [f"{row['id']} {long}", "short"]
        row["reference"] += f" {long}"
    async with user.opens("tower", database=import_rows(rows)) as app:
        for key in ("pagedown", "pagedown", "right_square_bracket", "a", "ctrl+d", "j", "x", "S", "u", "u"):
            await user.press(key)
            painted = app.export_screenshot()
            assert painted == await repainted(app, user.pilot, settle), key
        for width in (80, 120):
            await user.pilot.resize_terminal(width, 30)
            await user.settle()
            await user.press("j")
            painted = app.export_screenshot()
            assert painted == await repainted(app, user.pilot, settle), width
