"""Compare in the app: what it opens on, the ways down to a sample and back, other scorers."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.tui.conftest import User, shown
from tests.tui.starts import compared
from tests.tui.test_hostile import on_screen
from workbench.reports.compare import figures_text
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.why import WhyScreen
from workbench.tui.widgets.bars import Bar, SectionBar
from workbench.tui.widgets.compare_sections import SampleRows
from workbench.tui.widgets.passage import Passage

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


async def test_a_click_shows_a_part_and_all_figures_are_those_of_the_command(user: User, begin: Any) -> None:
    async with user.opens(database=begin(compared()), size=(80, 24)) as app:
        await user.press("C")
        await user.pilot.click(SectionBar, offset=(14, 0))
        await user.settle()
        assert ["scatter"] == [one.NAME for one in app.screen.query("Section") if one.display]
        await user.press("5", "pagedown", "j", "enter")
        listed = app.screen.query_one("#figures", Passage)
        assert figures_text(app.screen.figures).split() == listed.text.split()
        assert all(len(line) <= 80 for line in listed.text.split("\n"))
        assert listed.scroll_offset.y > 1


async def test_a_figure_of_the_overview_is_whole_at_80_columns(user: User, demo: Path) -> None:
    async with user.opens(database=demo, dataset="demo", size=(80, 24)) as app:
        await user.press("C")
        assert "95 % at the planned number" in shown(app, "#facts")
        assert "…" not in shown(app, "#facts")
        await user.press("pagedown")
        assert app.screen.section.scroll_offset.y > 0


async def test_figures_that_come_before_their_place_on_the_screen_are_laid_out_for_it(
    user: User, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine the overview stood there a word a line."""
    monkeypatch.setattr(CompareScreen, "call_after_refresh", CompareScreen.call_later)
    async with user.opens(database=demo, dataset="demo", size=(80, 24)) as app:
        await user.press("C")
        assert "95 % at the planned number" in shown(app, "#facts")


async def test_the_scatter_picture_shows_the_sample_chosen_in_its_list(user: User, begin: Any) -> None:
    async with user.opens(database=begin(compared()), size=(120, 36)) as app:
        await user.press("C", "2")
        point = app.screen.query_one("#point", Bar)
        assert "s00" in point.text
        assert "Δ −.667" in point.text
        await user.press("j")
        assert "s12" in point.text
        await user.press("enter")
        assert isinstance(app.screen, WhyScreen)
        assert app.screen.why.opened.sample.id in point.text


async def test_60_columns_end_with_whole_words(user: User, begin: Any) -> None:
    """Notes of the estimate, causes and the main cause of a sample, which ended within a word."""
    async with user.opens(database=begin(compared(gold=14, more=20)), size=(60, 18)) as app:
        seen = ""
        for part in ("C", "2", "3", "4"):
            await user.press(part)
            seen += on_screen(app)

    assert [] == re.findall(r"[^\W\d_]…", seen.partition("overview")[2])
    assert re.search(r"\.\d{3}  missed match *\n", seen)


async def test_100_000_samples_are_a_list_like_any_other(user: User, begin: Any, monkeypatch: Any) -> None:
    drawn: list[int] = []
    parts = SampleRows.parts

    def counted(self: SampleRows, line: int, size: int) -> list[tuple[str, str]]:
        drawn.append(line)
        return parts(self, line, size)

    monkeypatch.setattr(SampleRows, "parts", counted)
    async with user.opens(database=begin(compared()), size=(80, 24)) as app:
        await user.press("C", "4")
        listed = app.screen.query_one("#sample-list", SampleRows)
        listed.put(list(listed.rows) * 5000, 0)
        await user.press("j", "pagedown")
        at, height = listed.cursor, listed.size.height

    assert 120_000 == listed.count
    assert height == at
    assert len({*drawn}) < 100
