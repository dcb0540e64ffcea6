"""Compare in the app: what it opens on, the ways down to a sample and back, other scorers; pictures."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from tests.tui.conftest import Row, User, said
from tests.tui.test_hostile import on_screen
from workbench.reports.compare import figures_text
from workbench.stages.editing import accept, reject
from workbench.stages.figures import figures
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.review import act, open_sample
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.plans import in_order
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.dialogs import MenuScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.why import WhyScreen
from workbench.tui.themes import LIGHT, SIXTEEN
from workbench.tui.widgets.bars import Bar, Head, SectionBar
from workbench.tui.widgets.compare_sections import SampleRows, ScatterPlot
from workbench.tui.widgets.passage import Passage

Press = Callable[..., Awaitable[None]]
MakeApp = Callable[..., Any]
Put = Callable[..., Path]

NAMES = {
    "Johann Strauss": ("person", "Johan Straus"),
    "Saint Petersburg": ("place", "Petersberg"),
    "Rome": ("place", "Rome"),
    "Oslo": ("place", ""),
}
"""Names with their label and what the contexts have in their place."""

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
    inside = [as_there for _, as_there in NAMES.values() if as_there]
    return {
        "id": f"s{place:02}",
        "user_input": f"question {place}",
        "reference": ", ".join(said) + ".",
        "retrieved_contexts": [", ".join(inside) + f". {place}"],
        "proposal": {
            "proposer": "p",
            "reference_entities": [{"text": name, "label": NAMES[name][0]} for name in said],
            "context_entities": [inside],
        },
        "gold": {
            "annotator": "gina",
            "entities": [
                {"text": name, "label": NAMES[name][0], "verdict": verdict} for name, verdict in said.items()
            ],
        },
        "context_entity_recall": 0.5,
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Put:
    """A database by how many samples are verified and how many are not; each is made and counted once."""
    known: dict[tuple[int, int, str, bool], Path] = {}

    def put(gold: int, more: int, lead: str, column: bool) -> Path:
        path = known.get((gold, more, lead, column))
        if path is None:
            folder = tmp_path_factory.mktemp("compared")
            path, source = folder / "wb.db", folder / "rows.jsonl"
            shutil.copy(empty_database, path)
            rows = [row(place) for place in range(gold + more)]
            for place, one in enumerate(rows):
                one["id"] = lead + one["id"]
                if not column:
                    del one["context_entity_recall"]
                if place >= gold:
                    del one["gold"]
            source.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
            store = open_store(str(path))
            options = ImportOptions(dataset="names", seed=7, blind=0.0, gold="given")
            import_file(store, source, options, annotator="i")
            figures(store, find_dataset(store, None))
            store.close()
            known[gold, more, lead, column] = path
        return path

    return put


@pytest.fixture
def compared(tmp_path: Path, made: Put) -> Put:
    """A database of the test's own with `gold` verified samples and `more` that are not."""

    def put(gold: int = 24, more: int = 0, lead: str = "", *, column: bool = False) -> Path:
        return Path(shutil.copy(made(gold, more, lead, column), tmp_path / "wb.db"))

    return put


def text(app: Any, name: str) -> str:
    return str(app.screen.query_one(name, Static).content)


def lines(app: Any, name: str) -> list[str]:
    """What a list shows, line by line."""
    listed = app.screen.query_one(name)
    shown = ("".join(text for text, _ in listed.parts(line, 76)) for line in range(listed.count))
    return [" ".join(line.split()) for line in shown]


async def test_it_opens_on_how_many_the_estimate_and_three_causes(user: User, compared: Put) -> None:
    async with user.opens(database=compared(), size=(80, 24)) as app:
        await user.press("C")
        head, facts = app.screen.query_one(Head).text, text(app, "#facts")
        causes, notes = lines(app, "#top"), app.screen.query_one(Passage).text

    assert "24 of 24 verified" in head
    assert ["automatic, all 24", "verified, all 24", "new samples", "bias, all 24"] == [
        line.split("  ")[0] for line in facts.split("\n")
    ]
    assert "verified, all 24   .587" in facts
    assert 2 == len(causes)
    assert causes[0].startswith("▸ missed match −.361 ")
    assert "· verified: 24 imported" in notes


async def test_a_figure_of_the_overview_is_whole_at_80_columns(user: User, demo: Path) -> None:
    async with user.opens(database=demo, dataset="demo", size=(80, 24)) as app:
        await user.press("C")
        facts, notes = text(app, "#facts"), app.screen.query_one(Passage)
        await user.press("pagedown")
        height, top = notes.size.height, notes.scroll_offset.y

    assert "95 % at the planned number" in facts
    assert "…" not in facts
    assert height >= 2
    assert top > 0


async def test_a_cause_leads_to_its_samples_and_a_sample_to_the_reasons_and_back_step_by_step(
    user: User, compared: Put
) -> None:
    async with user.opens(database=compared(), size=(80, 24)) as app:
        await user.press("C", "j", "enter")
        figures = app.screen
        title, listed = figures.query_one("#behind", Bar).text, lines(app, "#sample-list")
        await user.press("enter")
        reasons = app.screen
        shown = reasons.why.opened.sample.id, reasons.why.scorer
        await user.press("escape")
        back = app.screen.section.NAME, lines(app, "#sample-list")
        await user.press("escape")
        first = app.screen.section.NAME
        await user.press("4")
        every = len(lines(app, "#sample-list")), app.screen.query_one("#behind", Bar).display
        await user.press("escape")
        queue = app.screen

    assert isinstance(figures, CompareScreen)
    assert title.startswith("false match  4 samples")
    assert ["▸ s04 .333 .333 .000 +.333", "s09 .250 .500 −.250 +.250 missed match"] == listed[:2]
    assert isinstance(reasons, WhyScreen)
    assert ("s04", "ragas") == shown
    assert ("samples", listed) == back
    assert "overview" == first
    assert (24, False) == every
    assert isinstance(queue, QueueScreen)


async def test_digits_tab_and_clicks_show_the_other_parts(user: User, compared: Put) -> None:
    async with user.opens(database=compared(), size=(80, 24)) as app:
        await user.press("C")
        seen = []
        for name in ("2", "tab", "5", "tab", "shift+tab", "4"):
            await user.press(name)
            seen.append(app.screen.section.NAME)
        await user.pilot.click(SectionBar, offset=(14, 0))
        await user.settle()
        seen.append(app.screen.section.NAME)
        shown = [one.NAME for one in app.screen.query("Section") if one.display]

    assert ["scatter", "causes", "all figures", "overview", "all figures", "samples", "scatter"] == seen
    assert ["scatter"] == shown


async def test_all_figures_are_those_of_the_command_line(user: User, compared: Put) -> None:
    async with user.opens(database=compared(), size=(80, 24)) as app:
        await user.press("C", "5", "pagedown", "j", "enter")
        screen = app.screen
        shown, top = screen.query_one("#figures", Passage).text, screen.query_one("#figures").scroll_offset.y

    assert isinstance(screen, CompareScreen)
    assert figures_text(screen.figures).split() == shown.split()
    assert all(len(line) <= 80 for line in shown.split("\n"))
    assert "verdicts on matched units:" in shown
    assert top > 1


async def test_the_scatter_picture_chooses_by_keys_and_by_mouse(user: User, compared: Put) -> None:
    async with user.opens(database=compared(), size=(120, 36)) as app:
        await user.press("C", "2")
        first = app.screen.query_one("#point", Bar).text
        await user.press("j")
        second = app.screen.query_one("#point", Bar).text
        plot = app.screen.query_one(ScatterPlot)
        x, y = plot.get_pixel_from_coordinate(0.5, 0.25)
        await user.pilot.click(plot.query_one("#plot"), offset=(x, y))
        await user.settle()
        clicked = app.screen.query_one("#point", Bar).text
        await user.press("enter")
        reasons = app.screen

    assert "s00" in first
    assert "Δ −.667" in first
    assert "s12" in second
    assert "automatic .250  verified .500  Δ −.250" in clicked
    assert isinstance(reasons, WhyScreen)
    assert reasons.why is not None
    assert reasons.why.opened.sample.id in clicked


async def test_another_scorer_and_an_imported_column(user: User, compared: Put) -> None:
    async with user.opens(database=compared(column=True), size=(80, 24)) as app:
        await user.press("C", "s")
        menu = app.screen
        names = [one.name.strip() for one in menu.query_one("Choices").rows]
        await user.press("escape")
        imported, causes = app.screen.query_one(Head).text, text(app, "#facts")
        await user.press("4", "enter")
        reasons = app.screen

    assert isinstance(menu, MenuScreen)
    assert {"name matching", "ragas", "text search", "context_entity_recall"} <= set(names)
    assert "context_entity_recall" in imported
    assert ".500" in causes
    assert isinstance(reasons, WhyScreen)
    assert reasons.why is not None


async def test_nothing_verified_says_what_to_do(user: User, compared: Put) -> None:
    async with user.opens(database=compared(gold=0, more=12, column=True), size=(80, 24)) as app:
        await user.press("C")
        empty = text(app, "#empty")
        await user.press("2", "enter")
        refused = said(app)
        await user.press("escape")
        queue = app.screen

    assert empty.startswith("Your context_entity_recall is .50. A rough check gives")
    assert "Nothing is verified yet.\n\nGo back to the queue (esc)" in empty
    assert "there is no verified sample to show yet" == refused
    assert isinstance(queue, QueueScreen)


async def test_of_nine_samples_it_shows_counts_alone(user: User, compared: Put) -> None:
    async with user.opens(database=compared(gold=9, more=30), size=(80, 24)) as app:
        await user.press("C")
        facts, causes = text(app, "#facts"), lines(app, "#top")
        await user.press("2")
        beside = text(app, "#paired")

    assert "estimated for all 39  –" in facts
    assert "mean Δ" not in facts
    assert "▸ missed match 12 units in 9 samples" == causes[0]
    assert "counts only" in beside
    assert "Spearman" not in beside


@pytest.mark.parametrize("size", [(60, 18), (80, 24)], ids=str)
async def test_a_long_name_gives_way_to_the_values(user: User, size: tuple[int, int], compared: Put) -> None:
    """The line below the scatter picture, which ended before Δ, or before the values."""
    lead = "Who wrote the security policy that everybody reads? "
    async with user.opens(database=compared(lead=lead), size=size) as app:
        await user.press("C", "2")
        point = str(app.screen.query_one("#point", Bar).render())

    assert "  Δ −.667" in point
    assert point.startswith("◆ Who w")


async def test_60_columns_end_with_whole_words(user: User, compared: Put) -> None:
    """Notes of the estimate, causes and the main cause of a sample, which ended within a word."""
    async with user.opens(database=compared(gold=14, more=20), size=(60, 18)) as app:
        shown = ""
        for part in ("C", "2", "3", "4"):
            await user.press(part)
            shown += on_screen(app)

    assert [] == re.findall(r"[^\W\d_]…", shown.partition("overview")[2])
    assert re.search(r"\.\d{3}  missed match *\n", shown)


async def test_ids_that_steer_a_terminal_are_drawn_harmless(user: User, compared: Put) -> None:
    async with user.opens(database=compared(lead="\x1b[31m[bold]\u202e"), size=(80, 24)) as app:
        await user.press("C", "4")
        drawn = lines(app, "#sample-list")
        await user.press("2")
        point = app.screen.query_one("#point", Bar).text

    assert drawn[0].startswith("▸ ␛[31m[bold]\ufffds00 ")
    assert "␛[31m[bold]\ufffds00" in point


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


PARTS = {
    "overview": "1",
    "scatter": "2",
    "causes": "3",
    "figures": "5",
}


@pytest.mark.parametrize("part", PARTS)
def test_pictures_80x24(picture: Any, part: str, compared: Put) -> None:
    assert picture("C", PARTS[part], size=(80, 24), at=compared())


@pytest.mark.parametrize("part", ["overview", "scatter"])
def test_pictures_light_120x36(picture: Any, part: str, compared: Put) -> None:
    at = compared(gold=14, more=20)
    assert picture("C", PARTS[part], size=(120, 36), at=at, theme=LIGHT.name)


def test_picture_of_samples_in_sixteen_colours(picture: Any, compared: Put) -> None:
    assert picture("C enter", size=(80, 24), at=compared(), theme=SIXTEEN)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_picture_of_an_imported_column(picture: Any, size: tuple[int, int], compared: Put) -> None:
    """The sentences of the answer, then the figures that they rest on."""
    assert picture("C", size=size, at=compared(gold=14, more=20, column=True))


@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
async def test_the_head_says_in_full_how_many_are_verified_and_unresolved(
    user: User, rows: list[Row], import_rows: Any, size: tuple[int, int]
) -> None:
    path = import_rows(rows, name="retrieval-evaluation-of-the-second-quarter")
    store = open_store(str(path))
    sample = in_order(store, find_dataset(store, None).id, 1)[0]
    for annotator in ("ada", "bob"):
        opened = open_sample(store, sample, annotator)
        if annotator == "bob":
            opened = act(store, opened, reject(opened, opened.state.entity.assessment.units[0]))
        act(store, opened, accept(opened, "entity"))
    store.close()
    async with user.opens(database=path, size=size) as app:
        await user.press("C")
        line = on_screen(app).splitlines()[0]

    assert "Compare  retrieval" in line
    assert line.rstrip().endswith("0 of 8 verified, 1 more unresolved")
