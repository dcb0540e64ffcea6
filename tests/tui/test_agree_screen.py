"""Agree: the answer first, the tables of the command, and the guidelines of a label."""

from pathlib import Path
from typing import Any, cast

import pytest

from tests.tui.conftest import User, shown
from tests.tui.starts import STARTS
from workbench.reports.team import agree_text, parts_table
from workbench.stages.agree import agree
from workbench.store.datasets import find_dataset
from workbench.tui.screens.agree import AgreeScreen, PartRows
from workbench.tui.widgets.passage import Passage


@pytest.fixture
def decided(begin: Any) -> Path:
    """The samples, decided by both."""
    return cast("Path", begin(STARTS["cities that two decided"]))


async def test_it_says_what_the_command_says(user: User, decided: Path) -> None:
    """From the queue and from Compare, to which one comes back."""
    async with user.opens(database=decided, annotator="cy", size=(120, 36)) as app:
        for way, keys in ("QueueScreen", ("G",)), ("CompareScreen", ("C", "G")):
            await user.press(*keys)
            assert isinstance(app.screen, AgreeScreen)
            for digit, by in (("1", "label"), ("2", "pair"), ("3", "week")):
                await user.press(digit)
                report = agree(user.store, find_dataset(user.store, None), "cy", by, on_screen=True)
                facts, head = app.screen.query_one(Passage).text, shown(app, "#columns").removeprefix("  ")
                parts = app.screen.query_one(PartRows)
                lines = [shown(app, "#answer"), "", *facts.split("\n"), "", head, *parts.rows]
                assert agree_text(report).split("\n")[: len(lines)] == lines
                assert len(parts_table(report)) == 1 + parts.count
            await user.press("escape")
            assert way == type(app.screen).__name__
        await user.press("G", "2")
        await user.resize(60, 16)
        ada_and_bo, under = app.screen.query_one(PartRows).rows[:2]
        assert (True, True) == (" and " in ada_and_bo, under.startswith("  strict ") and ", α " in under)
        assert app.screen.size.height == app.screen.query_one("#keys").region.bottom
