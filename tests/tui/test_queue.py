"""The queue: any number of samples, found and opened by key or mouse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.review import Progress, QueueRow
from workbench.store.engine import open_store
from workbench.tui.screens.choose import Names
from workbench.tui.screens.queue import progress_parts
from workbench.tui.widgets.bars import Bar, Head, KeyBar, Status
from workbench.tui.widgets.field import Field
from workbench.tui.widgets.sample_list import PAGE, SampleList, plan

Press = Callable[..., Awaitable[None]]


def shown(app: Any) -> list[str]:
    """The ids of the samples in the view, in order."""
    listed = app.screen.query_one(SampleList)
    return [listed.row(index).key for index in range(listed.count)]


async def test_search_while_typing_then_open(database: Path, make_app: Any, press: Press) -> None:
    """`/`, some letters of id, question or reference, Enter to the list, Enter into the sample."""
    app = make_app(database)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "slash", *"Монферран", "enter")
        assert shown(app) == ["nevsky"]
        await press(pilot, "slash", *"nil", "enter")  # what stood there is replaced
        assert shown(app) == ["nil"]
        await press(pilot, "enter")
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.now.sample.id == "nil"


async def test_escape_clears_the_search(database: Path, make_app: Any, press: Press) -> None:
    """A search without hits says so and how to get out of it."""
    app = make_app(database)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "slash", *"zzz", "enter")
        assert "No sample has “zzz”" in str(app.screen.query_one("#empty", Static).render())
        await press(pilot, "slash", "escape")
        assert len(shown(app)) == 8


async def test_letters_in_the_search_field_are_letters(database: Path, make_app: Any, press: Press) -> None:
    """No key of the queue acts while one types: q does not quit, c does not continue."""
    app = make_app(database)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "slash", *"qcuvoG?")
        assert app.screen.query_one(Field).value == "qcuvoG?"
        assert type(app.screen).__name__ == "QueueScreen"


async def test_progress_and_rows_follow_a_decision(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """Back from the review the row and the counts are the new ones, with the cursor on the sample."""
    app = make_app(database)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "f", *"see me", "enter", "a", "b")
        listed = app.screen.query_one(SampleList)
        by_key = {row.key: row for row in (listed.row(i) for i in range(listed.count)) if row}
        assert by_key["schiller"].disposition == "verified"
        assert by_key["schiller"].annotators == ("ann",)
        assert by_key["schiller"].flag == "see me"
        assert "1 of 8 verified · 1 flagged" in app.screen.query_one("#progress", Bar).text


async def test_views_and_orders(database: Path, make_app: Any, press: Press, open_review: Press) -> None:
    """v goes through the states, o through the orders; the head says which one it is."""
    app = make_app(database)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "schiller")
        await press(pilot, "s", "b")
        in_file = ["tower", "nevsky", "changcheng", "nil", "genji", "schiller", "emoji", "bare"]
        assert shown(app) != in_file
        await press(pilot, "o")
        assert shown(app) == in_file
        assert "file order" in app.screen.query_one(Head).text
        await press(pilot, "v", "v", "v", "v", "v")
        assert shown(app) == ["schiller"]
        assert "skipped" in app.screen.query_one(Head).text
        await press(pilot, "v", "v", "v")
        assert "No sample is started." in str(app.screen.query_one("#empty", Static).render())


async def test_a_click_on_a_row_opens_it_and_a_click_on_a_key_presses_it(
    database: Path, make_app: Any, press: Press
) -> None:
    """Everything by mouse."""
    app = make_app(database)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot)
        third = shown(app)[2]
        await pilot.click(SampleList, offset=(20, 2))
        await press(pilot)
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.now.sample.id == third
        label = app.screen.query_one(KeyBar)
        place = next(start for start, _, act in label._places if act.id == "review.back")
        await pilot.click(KeyBar, offset=(place + 4, 0))
        await press(pilot)
        assert type(app.screen).__name__ == "QueueScreen"


async def test_all_decided_comes_back_and_says_so(
    import_rows: Any, rows: Any, make_app: Any, press: Press
) -> None:
    """After the last sample there is nothing to go on to."""
    app = make_app(import_rows(rows[5:6]))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "c", "a")
        assert type(app.screen).__name__ == "QueueScreen"
        assert "every sample is decided" in app.screen.query_one(Status).text
        await press(pilot, "c")
        assert "every sample is decided" in app.screen.query_one(Status).text


async def test_several_datasets_are_offered(
    import_rows: Any, rows: Any, make_app: Any, press: Press, tmp_path: Path
) -> None:
    """Without --dataset one chooses from a list; with it that one opens."""
    database = import_rows(rows[:1])
    source = tmp_path / "more.jsonl"
    source.write_text(
        '{"id": "m1", "user_input": "q", "reference": "r", "retrieved_contexts": []}\n', "utf-8"
    )
    second = open_store(str(database))
    import_file(second, source, ImportOptions(dataset="more", blind=0.0), annotator="x")
    second.close()
    app = make_app(database)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot)
        assert type(app.screen).__name__ == "ChooseScreen"
        assert app.screen.query_one(Names).names == ["cities", "more"]
        await press(pilot, "j", "enter")
        assert shown(app) == ["m1"]
    named = make_app(database, dataset="cities")
    async with named.run_test(size=(80, 24)) as pilot:
        await press(pilot)
        assert shown(named) == ["tower"]


async def test_an_empty_database_says_what_to_do(tmp_path: Path, make_app: Any, press: Press) -> None:
    """No dataset: the command that brings one in."""
    app = make_app(tmp_path / "new.db")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot)
        assert "workbench import FILE" in str(app.screen.query_one("#empty", Static).render())
        await press(pilot, "q")
    assert app.return_code == 0


class ListApp(App[None]):
    """A million samples, and a count of the rows that were asked for."""

    CSS = "SampleList { height: 1fr; }"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size_of_list = size
        self.asked: list[int] = []

    def compose(self) -> ComposeResult:
        yield SampleList(id="samples")

    async def load(self, ids: Sequence[int]) -> dict[int, QueueRow]:
        self.asked.append(len(ids))
        return {
            number: QueueRow(
                number, f"id-{number}", "todo", "", False, False, "text", "linked", None, None, None, ()
            )
            for number in ids
        }


async def test_a_million_samples_are_as_light_as_a_screenful() -> None:
    """Only the pages that are looked at are read, wherever one goes."""
    app = ListApp(1_000_000)
    async with app.run_test(size=(80, 24)) as pilot:
        listed = app.query_one(SampleList)
        listed.set(list(range(app.size_of_list)), app.load)
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


@pytest.mark.parametrize("size", [40, 60, 77, 99, 117, 159, 197])
def test_columns_fill_the_row(size: int) -> None:
    """The reference gets what is left, and never less than a few letters."""
    assert plan(size).text >= 4
    if size >= 77:
        assert plan(size).text >= 20


def test_progress_bar_says_full_only_when_it_is() -> None:
    """One decided sample shows, one open sample shows too."""

    def filled(verified: int, total: int) -> int:
        return len(progress_parts(Progress(total, verified, 0, 0, 0, 0))[0][0])

    assert [filled(0, 1000), filled(1, 1000), filled(999, 1000), filled(1000, 1000)] == [0, 1, 9, 10]
