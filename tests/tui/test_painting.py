"""Only lines that look different are painted again: the screen is always what a full repaint shows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

Press = Callable[..., Awaitable[None]]

KEYS = (
    *("j", "x", "x", "m", "M", "p", "7", "comma", "full_stop", "tab", "right_square_bracket", "k"),
    *("left_square_bracket", "a", "a", "j", "x", "a", "u", "u", "U", "s", "a", "u", "u", "t", "ctrl+d", "j"),
)


async def repainted(app: Any, pilot: Pilot[None], settle: Any) -> str:
    """The screen after every widget was told to paint itself anew."""
    for widget in app.screen.walk_children():
        widget.refresh()
    await settle(pilot)
    return str(app.export_screenshot())


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_what_is_painted_is_what_a_full_repaint_shows(
    size: tuple[int, int], database: Path, make_app: Any, press: Press, settle: Press, open_review: Press
) -> None:
    """After every key of a review, in every script of the samples."""
    app = make_app(database)
    async with app.run_test(size=size) as pilot:
        await open_review(pilot, "tower")
        for number, key in enumerate(KEYS):
            await press(pilot, key)
            painted = app.export_screenshot()
            assert painted == await repainted(app, pilot, settle), (number, key)


async def test_scrolled_texts_and_other_widths_are_painted_whole(
    import_rows: Any, rows: list[Any], make_app: Any, press: Press, settle: Press, open_review: Press
) -> None:
    """A long text scrolled, then a short one, and the other way round; and after a resize."""
    long = " ".join(f"word{number}" for number in range(900))
    for row in rows[:4]:
        row["retrieved_contexts"] = [f"{row['id']} {long}", "short"]
        row["reference"] += f" {long}"
    app = make_app(import_rows(rows))
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        for key in ("pagedown", "pagedown", "right_square_bracket", "a", "ctrl+d", "j", "x", "s", "u", "u"):
            await press(pilot, key)
            painted = app.export_screenshot()
            assert painted == await repainted(app, pilot, settle), key
        for width in (80, 120):
            await pilot.resize_terminal(width, 30)
            await settle(pilot)
            await press(pilot, "j")
            painted = app.export_screenshot()
            assert painted == await repainted(app, pilot, settle), width
