"""The queue: any number of samples, found and opened by key or mouse."""

import re
from array import array
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.events import MouseDown, MouseUp

from tests.lists import from_cases
from tests.rows import gold, sample, write_rows
from tests.tui.conftest import User, until
from workbench.errors import StoreError
from workbench.stages import disputes
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.queue import Pace, Progress, QueueRow
from workbench.text.cells import short, told_of
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.dialogs import Choices, MenuChoice
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.bars import Head, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.queue_lines import progress_parts
from workbench.tui.widgets.sample_list import PAGE, SampleHead, SampleList, columns_of


def test_a_long_query_leaves_its_view_a_name() -> None:
    for name, begins in ("my view", "  my view  word word"), ("x" * 99, f"  {'x' * 34}…word"):
        view = MenuChoice(name, "word " * 40)
        line = "".join(text for text, _ in Choices([view]).drawn(view, 78))
        assert (begins, 76) == (line[: len(begins)], len(line))


async def test_a_wide_terminal_shows_the_sample_under_the_cursor_whole(user: User, import_rows: Any) -> None:
    """Where it stands, its texts (long ones cut, nothing that steers a terminal); 80 columns have no room."""
    long = "R\x1b[31m " + "long " * 2_000
    rows = [sample(one, long, f"first {one}", "second", user_input=f"Which {one}?") for one in ("ant", "bee")]
    async with user.opens(database=import_rows(rows), size=(120, 36)) as app:
        await user.press("home")
        first, pane = app.screen.samples.row(0).key, app.screen.query_one(Passage)
        other = "bee" if first == "ant" else "ant"
        await until(user.pilot, lambda: f"first {first}" in pane.text)
        text = pane.text
        await user.press("j")
        await until(user.pilot, lambda: f"first {other}" in pane.text)
        await user.press("slash", *"neither", "enter")
        await until(user.pilot, lambda: not pane.text)
        await user.press("escape")
        await user.resize(80, 24)
        narrow = pane.display and pane.region.width

    lines = text.split("\n")
    assert [f"Which {first}?", f"{first} · to do", "", "Reference"] == lines[:4]
    assert ("R␛[31m long", "…") == (lines[4][:11], lines[4][-1])
    assert 4_001 == len(lines[4])
    assert ["", "Context 1 of 2", f"first {first}", "", "Context 2 of 2", "second"] == lines[5:11]
    assert 0 == narrow


async def test_the_head_is_that_of_the_rows_until_another_view_is_read(user: User, monkeypatch: Any) -> None:
    """One that cannot be read leaves both as they were."""

    def fails(*_: object, **__: object) -> None:
        raise StoreError("it is away")

    async with user.opens(size=(120, 36)) as app:
        await user.press("end")
        before = app.screen.query_one(Head).text, app.screen.query_one(SampleHead).render()
        monkeypatch.setattr(disputes, "disputes", fails)
        await user.press("D")
        assert "could not read: it is away" in app.screen.query_one(Status).text
        app.screen.samples.reread()
        await user.press("home", "end")

        assert before == (app.screen.query_one(Head).text, app.screen.query_one(SampleHead).render())


async def test_a_double_click_on_a_row_opens_it_and_no_more(user: User, monkeypatch: Any) -> None:
    """Its second half is on the sign of a unit that the first half opened. A third click acts."""
    monkeypatch.setattr(WorkbenchApp, "CLICK_CHAIN_TIME_THRESHOLD", 100)
    async with user.opens(size=(80, 24)) as app:
        await user.press()
        for rejected in 0, 0, 1:
            for half in MouseDown, MouseUp:  # as a terminal sends them: those of a pilot pass the app by
                app.post_message(half(None, 3, 7, 0, 0, 1, shift=False, meta=False, ctrl=False))
            await user.press()
            assert isinstance(app.screen, ReviewScreen)
            assert rejected == sum(unit.rejected for unit in app.screen.pane.listed.rows)


async def test_a_drag_decides_nothing_where_it_ends(user: User) -> None:
    """From a name to the sign of another one, and from one key of the bar to another."""
    async with user.opens("tower", size=(80, 24)) as app:
        await user.press()
        before, first = app.screen.pane.listed.rows, app.screen.pane.listed.content_region.y
        for places in ((2, 23), (12, 23)), ((10, first), (3, first + 1)):
            for half, (x, y) in zip((MouseDown, MouseUp), places, strict=True):
                app.post_message(half(None, x, y, 0, 0, 1, shift=False, meta=False, ctrl=False))
            await user.press()
            assert before == app.screen.pane.listed.rows
        for half in MouseDown, MouseUp:  # a click there acts
            app.post_message(half(None, 3, first + 1, 0, 0, 1, shift=False, meta=False, ctrl=False))
        await user.press()
        assert before != app.screen.pane.listed.rows


async def test_the_head_and_the_rows_are_of_your_run(user: User, import_rows: Any, tmp_path: Path) -> None:
    """Also where it came in meanwhile: rows of two runs under one name would be added up."""
    known = {"gold": gold({"Ann": "found"}), "context_entity_recall": 0.5}
    rows = [sample(f"s{n}", "Ann.", "Ann.", **known) for n in range(PAGE + 30)]
    async with user.opens(database=import_rows(rows, gold="given"), size=(80, 24)) as app:
        listed = app.screen.query_one(SampleList)
        await user.press("home")
        assert "yours:" not in app.screen.query_one(Head).text
        newer = [row | {"context_entity_recall": 0.25} for row in rows]
        source = write_rows(tmp_path / "newer.jsonl", newer)
        import_file(user.store, source, ImportOptions(dataset="cities"), annotator="x")
        await user.press("end")
        await user.press("home")
        values = {listed.row(index).automatic.recall for index in range(listed.count)}
        assert {Fraction(1, 4)} == values
        assert re.search(r" yours: @[-0-9]+\.2", app.screen.query_one(Head).text)


OPEN: Any = "text", False, "todo", False, "", False, False, None, None, False, "linked"
"""The rest of a row that nobody has touched."""


class ListApp(App[None]):
    """A million samples, and a count of the rows that were asked for."""

    CSS = "SampleList { height: 1fr; }"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size_of_list = size
        self.asked: list[int] = []

    def compose(self) -> ComposeResult:
        yield SampleList(self._handle_exception)

    @property
    def desk(self) -> Any:
        """Where the list asks for its rows: here, in the place of a desk."""
        return self

    async def loaded(self, _room: str) -> Any:
        """Nor is a stage loaded."""
        return self

    async def rows(self, _desk: Any, ids: Sequence[int]) -> dict[int, QueueRow]:
        self.asked.append(len(ids))
        return {number: QueueRow(number, f"id-{number}", f"Who is {number}?", *OPEN) for number in ids}


async def test_a_million_samples_are_as_light_as_a_screenful() -> None:
    """Only the pages that are looked at are read, wherever one goes."""
    app = ListApp(1_000_000)
    async with app.run_test(size=(80, 24)) as pilot:
        listed = app.query_one(SampleList)
        listed.set(array("q", range(app.size_of_list)), app.desk)
        await pilot.pause()
        await app.workers.wait_for_complete()
        listed.move_to(999_999)
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        row = listed.row(999_999)
        assert row is not None
        assert row.key == "id-999999"
        assert sum(app.asked) <= 4 * PAGE


async def test_the_whole_list_takes_the_place_of_its_beginning_without_a_jump() -> None:
    """The sample under the cursor stays on its line, and what was drawn stays drawn."""
    app = ListApp(0)
    async with app.run_test(size=(80, 24)) as pilot:
        listed = app.query_one(SampleList)
        first = array("q", range(460, 600))
        listed.set(first, app.desk, 500, rows=await app.rows(app, first))
        await pilot.pause()
        before = [listed.render_line(y).text for y in range(24)]
        assert before[3].startswith("▸ ")
        assert "500" in before[3]
        listed.set(array("q", range(1_000)), app.desk, 500)
        assert [listed.render_line(y).text for y in range(24)] == before
        await pilot.pause()
        assert [listed.render_line(y).text for y in range(24)] == before


@pytest.mark.parametrize("size", [40, 60, 73, 77, 99, 117, 159, 197])
@pytest.mark.parametrize("key_size", [4, 12, 40])
def test_columns_fill_the_row(size: int, key_size: int) -> None:
    """The reference gets what is left, and never less than a few letters."""
    assert columns_of(size, key_size)["question"] >= 4
    if size >= 73:  # what the list has of 120 columns next to the sample
        assert columns_of(size, key_size)["question"] >= 28
        assert columns_of(size, key_size)["cause"]


def test_the_column_of_annotators_grows_with_the_window_alone() -> None:
    """Long names that arrive with a page move no column and leave the question its room."""
    wide = [columns_of(size, 20) for size in (125, 151, 199)]
    assert [(40, 17), (59, 24), (107, 24)] == [(columns["question"], columns["by"]) for columns in wide]


@from_cases
def test_a_long_id_keeps_the_end_in_which_ids_differ(key: str, size: int, expected: str) -> None:
    """A generated one is cut alike everywhere: it is found by eye in what is said and in the disputes."""
    assert short(key, size).rstrip() == expected


def test_an_id_gives_way_before_what_is_said_of_it() -> None:
    """The whole message is read at 80 columns, whatever the id."""
    said = "accepted: verified 1/4 .25, name matching 2/4 .50, Δ +.25"
    assert told_of("be0006980698fc9f48527d0e00aa11bb", said, 76) == f"be000698 {said}"
    told = told_of("corpus-of-everything-chapter-12-question-0419", said, 76)
    assert told.endswith(f"0419 {said}")
    assert len(told) <= 76


def line_of(progress: Progress, room: int, pace: Pace | None = None, plan: Any = None) -> str:
    return "".join(text for text, _ in progress_parts(progress, pace, room, plan))


def test_progress_bar_says_full_only_when_it_is() -> None:
    """One decided sample shows, one open sample shows too."""
    shown = [line_of(Progress(1000, verified, 0, 0, 0, 0), 80) for verified in (0, 1, 999, 1000)]
    assert [0, 1, 9, 10] == [line.count("▰") for line in shown]


def test_the_least_important_counts_give_way_first() -> None:
    """Nothing is cut in the middle, however many there are."""
    progress, pace = Progress(100_000, 1_234, 56, 78, 9, 12, 34, blank=4), Pace(14.2, 3, 99, 41)
    lines = {room: line_of(progress, room, pace) for room in range(40, 201)}

    both = line_of(Progress(12, 0, 0, 0, 4, 0, kinds={"entity": 4, "statement": 0}), 90)
    assert both.endswith("  0 of 12 verified in both kinds · entities 4, statements 0 · 4 started")
    assert lines[200].endswith(
        "1,234 of 100,000 verified · 9 started · 78 skipped · 56 not counted · 4 with a blank reference"
        " · 12 flagged · 34 under an older policy · 41 today · about 389 hours left · 14 s a sample"
    )
    assert line_of(progress, 220, Pace(29.5, 3, 1, 41, 40)).endswith(" · 30 s a sample without 40 fast ones")
    few = line_of(progress, 200, Pace(2.0, 1, 4, 41))
    assert few.endswith(" · 41 today · 2.0 s a sample"), "as the answer, which guesses from so few"
    assert lines[78].endswith("1,234 of 100,000 verified · 12 flagged · 34 under an older policy")
    assert lines[66].endswith("1,234 of 100,000 verified · 34 under an older policy")
    planned = line_of(Progress(118, 32, 0, 1, 0, 3, 25), 66, None, (33, 40))
    assert planned.endswith("33 of 40 planned · 32 of 118 verified"), "before what is under an older policy"
    assert [] == [room for room, line in lines.items() if len(line) > room]


def test_planned_verified_and_flagged_stay_before_what_the_end_of_a_plan_means() -> None:
    """At 80 columns; where there is room the line says that too."""
    narrow, wide = (
        line_of(Progress(105, 22, 4, 3, 9, 2, 0), room, Pace(14.2, 3, 99), (20, 20)) for room in (78, 130)
    )
    assert narrow.endswith("20 of 20 planned · 22 of 105 verified · 4 not counted · 2 flagged")
    assert "20 of 20 planned · complete: the estimate stands" in wide
