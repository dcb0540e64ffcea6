"""Compare in the app: what it opens on, the ways down to a sample and back, other scorers; pictures."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import verify
from tests.rows import gold, naming
from tests.tui.conftest import SIZES, Row, User, said, shown
from tests.tui.test_hostile import on_screen
from workbench.reports.compare import figures_text
from workbench.stages.figures import figures
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.plans import in_order
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.dialogs import MenuScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.why import WhyScreen
from workbench.tui.themes import LIGHT, SIXTEEN
from workbench.tui.widgets.bars import Bar, Head, SectionBar
from workbench.tui.widgets.compare_sections import SampleRows, ScatterPlot
from workbench.tui.widgets.passage import Passage

Put = Callable[..., Path]

NAMES = {"Johann Strauss": "Johan Straus", "Saint Petersburg": "Petersberg", "Rome": "Rome", "Oslo": ""}
"""Names and what the contexts have in their place."""

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


def row(place: int) -> dict[str, Any]:
    """The machine finds Rome; people find Strauss too, and every third time Petersburg.

    Every fourth sample has no Oslo: its automatic value and its differences are larger.
    """
    said = {
        "Johann Strauss": "found",
        "Saint Petersburg": "missing" if place % 3 else "found",
        "Rome": "missing" if place % 5 == 4 else "found",
        **({} if place % 4 == 0 else {"Oslo": "missing"}),
    }
    own = {"user_input": f"question {place}", "gold": gold(said), "context_entity_recall": 0.5}
    return naming(f"s{place:02}", said, filter(None, NAMES.values()), also=f" {place}", **own)


def counted(store: Store) -> None:
    """What the screen would count before it shows anything."""
    figures(store, find_dataset(store, None))


@pytest.fixture
def compared(import_rows: Put) -> Put:
    """A database with `gold` verified samples and `more` that are not."""

    def put(gold: int = 24, more: int = 0, lead: str = "", *, column: bool = False) -> Path:
        rows = [row(place) for place in range(gold + more)]
        for place, one in enumerate(rows):
            one["id"] = lead + one["id"]
            if not column:
                del one["context_entity_recall"]
            if place >= gold:
                del one["gold"]
        return import_rows(rows, name="names", gold="given", then=counted)

    return put


def lines(app: Any, name: str) -> list[str]:
    """What a list shows, line by line."""
    listed = app.screen.query_one(name)
    drawn = ("".join(text for text, _ in listed.parts(line, 76)) for line in range(listed.count))
    return [" ".join(line.split()) for line in drawn]


async def test_it_opens_on_the_estimate_and_three_causes_and_digits_tab_and_clicks_show_the_other_parts(
    user: User, compared: Put
) -> None:
    """All figures are those of the command line."""
    async with user.opens(database=compared(), size=(80, 24)) as app:
        await user.press("C")
        assert "24 of 24 verified" in app.screen.query_one(Head).text
        facts, causes = shown(app, "#facts"), lines(app, "#top")
        assert ["automatic, all 24", "verified, all 24", "new samples", "bias, all 24"] == [
            line.split("  ")[0] for line in facts.split("\n")
        ]
        assert "verified, all 24   .587" in facts
        assert 2 == len(causes)
        assert causes[0].startswith("▸ missed match −.361 ")
        assert "· verified: 24 imported" in app.screen.query_one(Passage).text

        for name, part in (
            ("2", "scatter"), ("tab", "causes"), ("5", "all figures"), ("tab", "overview"),
            ("shift+tab", "all figures"), ("4", "samples"),
        ):  # fmt: skip
            await user.press(name)
            assert part == app.screen.section.NAME
        await user.pilot.click(SectionBar, offset=(14, 0))
        await user.settle()
        assert ["scatter"] == [one.NAME for one in app.screen.query("Section") if one.display]

        await user.press("5", "pagedown", "j", "enter")
        assert isinstance(app.screen, CompareScreen)
        listed = app.screen.query_one("#figures", Passage)
        assert figures_text(app.screen.figures).split() == listed.text.split()
        assert all(len(line) <= 80 for line in listed.text.split("\n"))
        assert "verdicts on matched units:" in listed.text
        assert listed.scroll_offset.y > 1


async def test_a_figure_of_the_overview_is_whole_at_80_columns(user: User, demo: Path) -> None:
    async with user.opens(database=demo, dataset="demo", size=(80, 24)) as app:
        await user.press("C")
        assert "95 % at the planned number" in shown(app, "#facts")
        assert "…" not in shown(app, "#facts")
        await user.press("pagedown")
        notes = app.screen.query_one(Passage)
        assert notes.size.height >= 2
        assert notes.scroll_offset.y > 0


async def test_a_cause_leads_to_its_samples_and_a_sample_to_the_reasons_and_back_step_by_step(
    user: User, compared: Put
) -> None:
    async with user.opens(database=compared(), size=(80, 24)) as app:
        await user.press("C", "j", "enter")
        assert isinstance(app.screen, CompareScreen)
        assert app.screen.query_one("#behind", Bar).text.startswith("false match  4 samples")
        listed = lines(app, "#sample-list")
        assert ["▸ s04 .333 .333 .000 +.333", "s09 .250 .500 −.250 +.250 missed match"] == listed[:2]
        await user.press("enter")
        assert isinstance(app.screen, WhyScreen)
        assert ("s04", "ragas") == (app.screen.why.opened.sample.id, app.screen.why.scorer)
        await user.press("escape")
        assert ("samples", listed) == (app.screen.section.NAME, lines(app, "#sample-list"))
        await user.press("escape")
        assert "overview" == app.screen.section.NAME
        await user.press("4")
        assert 24 == len(lines(app, "#sample-list"))
        assert not app.screen.query_one("#behind", Bar).display
        await user.press("escape")
        assert isinstance(app.screen, QueueScreen)


async def test_the_scatter_picture_chooses_by_keys_and_by_mouse(user: User, compared: Put) -> None:
    async with user.opens(database=compared(), size=(120, 36)) as app:
        await user.press("C", "2")
        point = app.screen.query_one("#point", Bar)
        assert "s00" in point.text
        assert "Δ −.667" in point.text
        await user.press("j")
        assert "s12" in point.text
        plot = app.screen.query_one(ScatterPlot)
        x, y = plot.get_pixel_from_coordinate(0.5, 0.25)
        await user.pilot.click(plot.query_one("#plot"), offset=(x, y))
        await user.settle()
        clicked = point.text
        assert "automatic .250  verified .500  Δ −.250" in clicked
        await user.press("enter")
        assert isinstance(app.screen, WhyScreen)
        assert app.screen.why is not None
        assert app.screen.why.opened.sample.id in clicked


async def test_another_scorer_and_an_imported_column(user: User, compared: Put) -> None:
    async with user.opens(database=compared(column=True), size=(80, 24)) as app:
        await user.press("C", "s")
        names = {one.name.strip() for one in app.screen.query_one("Choices").rows}
        assert isinstance(app.screen, MenuScreen)
        assert {"name matching", "ragas", "text search", "context_entity_recall"} <= names
        await user.press("escape")
        assert "context_entity_recall" in app.screen.query_one(Head).text
        assert ".500" in shown(app, "#facts")
        await user.press("4", "enter")
        assert isinstance(app.screen, WhyScreen)
        assert app.screen.why is not None


async def test_nothing_verified_says_what_to_do(user: User, compared: Put) -> None:
    async with user.opens(database=compared(gold=0, more=12, column=True), size=(80, 24)) as app:
        await user.press("C")
        empty = shown(app, "#empty")
        assert empty.startswith("Your context_entity_recall is .50. A rough check, by text search,")
        assert "Nothing is verified yet.\n\nGo back to the queue (esc)" in empty
        await user.press("2", "enter")
        assert "there is no verified sample to show you yet" == said(app)
        await user.press("escape")
        assert isinstance(app.screen, QueueScreen)


async def test_of_nine_samples_it_shows_counts_alone(user: User, compared: Put) -> None:
    async with user.opens(database=compared(gold=9, more=30), size=(80, 24)) as app:
        await user.press("C")
        assert "estimated for all 39  –" in shown(app, "#facts")
        assert "mean Δ" not in shown(app, "#facts")
        assert "▸ missed match 12 units in 9 samples" == lines(app, "#top")[0]
        await user.press("2")
        assert "counts only" in shown(app, "#paired")
        assert "Spearman" not in shown(app, "#paired")


async def test_a_long_name_gives_way_to_the_values(user: User, compared: Put) -> None:
    """The line below the scatter picture, which ended before Δ, or before the values."""
    lead = "Who wrote the security policy that everybody reads? "
    async with user.opens(database=compared(lead=lead), size=(80, 24)) as app:
        await user.press("C", "2")
        for size in (80, 24), (60, 18):
            await user.resize(*size)
            point = shown(app, "#point")
            assert "  Δ −.667" in point
            assert point.startswith("◆ Who w")
            assert len(point.rstrip()) <= size[0]


async def test_60_columns_end_with_whole_words(user: User, compared: Put) -> None:
    """Notes of the estimate, causes and the main cause of a sample, which ended within a word."""
    async with user.opens(database=compared(gold=14, more=20), size=(60, 18)) as app:
        seen = ""
        for part in ("C", "2", "3", "4"):
            await user.press(part)
            seen += on_screen(app)

    assert [] == re.findall(r"[^\W\d_]…", seen.partition("overview")[2])
    assert re.search(r"\.\d{3}  missed match *\n", seen)


async def test_ids_that_steer_a_terminal_are_drawn_harmless(user: User, compared: Put) -> None:
    async with user.opens(database=compared(lead="\x1b[31m[bold]\u202e"), size=(80, 24)) as app:
        await user.press("C", "4")
        assert lines(app, "#sample-list")[0].startswith("▸ ␛[31m[bold]\ufffds00 ")
        await user.press("2")
        assert "␛[31m[bold]\ufffds00" in app.screen.query_one("#point", Bar).text


async def test_a_hundred_thousand_samples_are_a_list_like_any_other(
    user: User, compared: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    parts = SampleRows.parts

    def counted(self: SampleRows, line: int, size: int) -> list[tuple[str, str]]:
        drawn.append(line)
        return parts(self, line, size)

    monkeypatch.setattr(SampleRows, "parts", counted)
    async with user.opens(database=compared(), size=(80, 24)) as app:
        await user.press("C", "4")
        listed = app.screen.query_one("#sample-list", SampleRows)
        listed.put(list(listed.rows) * 5000, 0)
        await user.press("j", "pagedown")
        at, height = listed.cursor, listed.size.height

    assert 120_000 == listed.count
    assert height == at
    assert len({*drawn}) < 100


PARTS = {"overview": "1", "scatter": "2", "causes": "3", "figures": "5"}


@pytest.mark.parametrize("part", PARTS)
def test_pictures_80x24(picture: Any, part: str, compared: Put) -> None:
    assert picture("C", PARTS[part], size=(80, 24), at=compared())


@pytest.mark.parametrize("part", ["overview", "scatter"])
def test_pictures_light_120x36(picture: Any, part: str, compared: Put) -> None:
    at = compared(gold=14, more=20)
    assert picture("C", PARTS[part], size=(120, 36), at=at, theme=LIGHT.name)


def test_picture_of_samples_in_sixteen_colours(picture: Any, compared: Put) -> None:
    assert picture("C enter", size=(80, 24), at=compared(), theme=SIXTEEN)


@SIZES
def test_picture_of_an_imported_column(picture: Any, size: tuple[int, int], compared: Put) -> None:
    """The sentences of the answer, then the figures that they rest on."""
    assert picture("C", size=size, at=compared(gold=14, more=20, column=True))


async def test_the_head_says_in_full_how_many_are_verified_and_unresolved(
    user: User, rows: list[Row], import_rows: Put
) -> None:
    path = import_rows(rows, name="retrieval-evaluation-of-the-second-quarter")
    with closing(open_store(str(path))) as store:
        (sample,) = in_order(store, find_dataset(store, None).id, 1)
        verify(store, sample, "ada")
        verify(store, sample, "bob", reject=[0])
    async with user.opens(database=path, size=(80, 24)) as app:
        await user.press("C")
        for size in (80, 24), (60, 18):
            await user.resize(*size)
            line = on_screen(app).splitlines()[0]
            assert "Compare  retrieval" in line
            assert line.rstrip().endswith("0 of 8 verified, 1 more unresolved")
