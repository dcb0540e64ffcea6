"""The plan in the app, by keys: made from the form, followed by the queue, asked for a precision, dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.conftest import verify
from tests.rows import naming
from tests.tui.conftest import SIZES, User, said, shown
from workbench.stages import plan as planning
from workbench.stages.plan import Wish
from workbench.stages.queue import queue_ids
from workbench.stages.review import open_sample
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.store.plans import plan_of
from workbench.tui.screens.dialogs import Choices, ConfirmScreen, FormScreen, PromptScreen
from workbench.tui.screens.plan import ASK, PlanScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.bars import Bar, Head
from workbench.tui.widgets.queue_lines import ProgressLine

NAMES = ["Rome", "Oslo", "Bern", "Riga", "Kyiv", "Lima", "Cairo", "Quito"]


def row(number: int) -> dict[str, Any]:
    """Two cities; every fourth sample has one under a near name."""
    names = ["Kathmandu" if number % 4 == 0 else NAMES[number % 8], NAMES[(number + 3) % 8]]
    found = ["Katmandu" if number % 4 == 0 else names[0], names[1]]
    meta = {
        "lang": "en" if number % 3 else "ru",
        "[bold]x": "[red]" if number % 2 else "[/bold]",
        "raw": "\x1b[31m\u202e" if number % 2 else "a\nb",
    }
    named = naming(f"s{number:02}", names, found, group=f"g{number % 10}", meta=meta)
    return named | {"user_input": f"question {number}", "reference": f"{named['reference']} {number}"}


@pytest.fixture
def database(import_rows: Callable[..., Path]) -> Path:
    """Eighty samples of ten groups."""
    return import_rows([row(number) for number in range(80)])


def stand(app: Any) -> str:
    return shown(app, "#stand")


def accept(store: Store, numbers: Iterable[int]) -> None:
    for number in numbers:
        verify(store, number, "ann")


def accept_next(store: Store, count: int) -> None:
    """Verify the next samples of the queue."""
    accept(store, queue_ids(store, find_dataset(store, None), "ann")[:count])


async def test_a_plan_is_made_from_the_form_and_the_queue_follows_it(user: User, store: Store) -> None:
    """Sixty reviews, by group, a fifth kept back; the consequences stand before it is made."""
    info = find_dataset(store, None)
    before = list(queue_ids(store, info, "ann"))
    async with user.opens(size=(80, 24)) as app:
        await user.press("P")
        assert isinstance(app.screen, PlanScreen)
        assert "no plan, 80 samples in random order" in stand(app)
        await user.press("n", "down", "down", "right", "right")
        assert isinstance(app.screen, FormScreen)
        await user.press("enter")
        assert isinstance(app.screen, ConfirmScreen)
        text = shown(app, "#text")
        assert "simple random: 60 reviews for 64 samples" in text
        assert "holdout: 16 samples in 2 groups, reviewed without suggestions, after the plan" in text
        assert "reviewed without suggestions: raised from 0% to 50%, about 30 of 60 reviews" in text
        await user.press("escape", "n", "left", "left", "down", "right", "right", "enter", "y")
        assert isinstance(app.screen, PlanScreen)
        assert "0 of 20 planned samples complete, for 80 samples" in stand(app)
        assert "strata by group" in stand(app)
        assert said(app) == "✓ the queue follows this plan now"
        plan = plan_of(store, info.id)
        assert plan is not None
        assert (plan.design, plan.planned_n, plan.population) == ("stratified", 20, 80)
        await user.press("escape")
        assert isinstance(app.screen, QueueScreen)
        after = list(queue_ids(store, info, "ann"))
        assert after != before
        assert list(app.screen.samples.rows) == after
        assert app.screen.samples.chosen == after[0]
        assert app.screen.query_one(ProgressLine).text.startswith("▱▱▱▱▱▱▱▱▱▱  0 of 20 planned · 0 of 80")


async def test_from_the_plan_one_goes_on_with_its_next_sample(user: User) -> None:
    """Also out of a search; what was decided is counted on the way back."""
    info = find_dataset(user.store, None)
    planning.make(user.store, info, planning.draft(user.store, info, Wish(20), "ann"))
    first = queue_ids(user.store, info, "ann")[0]
    async with user.opens(size=(80, 24)) as app:
        await user.press(*"/state:verified", "enter")
        await user.press("P", "space")
        assert isinstance(app.screen, ReviewScreen)
        assert app.screen.pane.opened is not None
        assert app.screen.pane.opened.sample_id == first
        await user.press("a", "b")
        assert isinstance(app.screen, QueueScreen)
        assert app.screen.query_one(ProgressLine).text.startswith("▰▱▱▱▱▱▱▱▱▱  1 of 20 planned")
        await user.press("P")
        assert "reviewed in order: 1 (1 verified)" in stand(app)
        assert stand(app).startswith(
            "The plan says what to review and when to stop: space goes on, 19 reviews left."
        )


async def test_reviews_left_are_those_that_nobody_has_made(user: User) -> None:
    """Also behind a gap in the order; what another plan adds says which of them are there already."""
    info = find_dataset(user.store, None)
    planning.make(user.store, info, planning.draft(user.store, info, Wish(20), "ann"))
    order = queue_ids(user.store, info, "ann")
    some = {*order[:10], order[15], order[70]}
    async with user.opens(size=(80, 24)) as app:
        accept(user.store, some)
        await user.press("P")
        assert "11 of 20 planned samples complete" in stand(app)
        assert "space goes on, 9 reviews left." in stand(app)
        accept(user.store, {*order[:60]} - some)
        await user.press("r")
        assert "For a narrower interval: workbench plan --more 60 (41 of them are reviewed)." in stand(app)
        assert "\n→ Until these are reviewed, it is wider than now." in stand(app)
        assert "reviewing the 19 that are left" in stand(app)
    planning.extend(user.store, info, 60, "ann")
    assert (61, 80) == planning.planned(user.store, info.id)


@pytest.mark.parametrize(
    ("planned", "means"),
    [(10, "complete: the estimate stands"), (4, "complete: too few for an interval (10 are needed)")],
)
async def test_at_its_end_the_plan_says_so_here_and_in_the_queue(
    user: User, planned: int, means: str
) -> None:
    """And the queue's order is called the plan's."""
    info = find_dataset(user.store, None)
    planning.make(user.store, info, planning.draft(user.store, info, Wish(planned), "ann"))
    accept_next(user.store, planned - 1)
    async with user.opens(size=(80, 24)) as app:
        await user.press("r")
        assert "complete" not in app.screen.query_one(ProgressLine).text
        accept_next(user.store, planned)
        await user.press("r")
        assert f"{planned} of {planned} planned · {means}" in app.screen.query_one(ProgressLine).text
        await user.press("P")
        assert 1 == stand(app).count(means)
        assert stand(app).startswith("Your plan is complete")
        assert "At worst" not in stand(app)
        await user.press("escape", "o")
        assert app.screen.query_one(Choices).rows[0].name.startswith("plan's order ")
        await user.press("j", "enter")
        assert isinstance(app.screen, ConfirmScreen)
        assert "Leave the plan's order for: doubtful first?" in app.screen.query_one("#title", Bar).text
        assert "in another order than the plan's one" in shown(app, "#text")


async def test_what_is_complete_by_imported_gold_is_called_so(
    user: User, import_rows: Callable[..., Path]
) -> None:
    async with user.opens(database=import_rows([row(number) for number in range(12)]), size=(80, 24)) as app:
        await user.press("P")
        store = app.store
        info = find_dataset(store, None)
        planning.make(store, info, planning.draft(store, info, Wish(4), "ann"))
        accept_next(store, 2)
        with store.writing() as session:
            session.execute(text("UPDATE review SET origin = 'imported'"))
        await user.press("r")

        assert "2 of 4 planned samples complete (2 verified in the file)" in stand(app)


async def test_after_the_first_verdict_no_plan_can_be_made(user: User) -> None:
    """The key says why. Before it the plan says how to ask for a precision: later it would be another one."""
    async with user.opens(size=(80, 24)) as app:
        await user.press("P")
        assert ASK in stand(app)
        await user.press("escape")
        accept_next(user.store, 2)
        await user.press("P")
        assert ASK not in stand(app)
        await user.press("n")
        why = "people have reviewed 2 samples, and a plan is made before the first review"
        assert said(app) == why
        assert isinstance(app.screen, PlanScreen)
        assert "2 samples decided. Too late for a plan: reviewing has begun." in stand(app)
        assert "import the file again, under another name (--dataset)." in stand(app)


async def test_a_verdict_that_came_meanwhile_is_said_and_nothing_is_made(user: User) -> None:
    """Between the question and the answer another window decided."""
    async with user.opens(size=(80, 24)) as app:
        await user.press("P", "n", "enter")
        accept_next(user.store, 1)
        await user.press("y")
        assert isinstance(app.screen, PlanScreen)
        assert said(app).startswith("! 1 sample is verified or not counted already")
        assert plan_of(user.store, find_dataset(user.store, None).id) is None


async def test_a_number_is_typed_and_one_that_cannot_be_is_refused(user: User) -> None:
    async with user.opens(size=(80, 24)) as app:
        await user.press("P", "n", "f2", *"81", "enter")
        assert isinstance(app.screen, PromptScreen)
        assert "a number from 2 to 80" in shown(app, "#hint")
        await user.press("backspace", "backspace", *"25", "enter")
        assert isinstance(app.screen, FormScreen)
        assert "‹ 25 ›" in shown(app, "#lines")
        await user.press("enter")
        assert "simple random: 25 reviews for 80 samples" in shown(app, "#text")


async def test_keys_typed_ahead_run_in_order(user: User) -> None:
    """From the queue through the form to the first sample of the plan, without a look at the screen."""
    async with user.opens(size=(80, 24)):
        await user.press("P", "n", "left", "left", "enter", "y", "space", "a")
    info = find_dataset(user.store, None)
    plan = plan_of(user.store, info.id)
    assert plan is not None
    assert plan.planned_n == 20
    first = queue_ids(user.store, info, "ann")[0]
    assert open_sample(user.store, first, "ann").state.entity.disposition == "verified"


async def test_strata_of_hostile_names_are_shown_as_text(user: User, store: Store) -> None:
    """Neither markup nor what steers a terminal reaches the screen."""
    info = find_dataset(store, None)
    async with user.opens(size=(80, 24)) as app:
        await user.press("P", "n", "down", "left", "down", *["right"] * 2, "enter")
        text = shown(app, "#text")
        assert "strata by meta.[bold]x" in text
        assert "[red]" in text
        await user.press("y")
        assert "[/bold]" in stand(app)
        planning.make(store, info, planning.draft(store, info, Wish(20, "stratified", "meta.raw"), "ann"))
        await user.press("r")
        assert "strata by meta.raw" in stand(app)
        assert not {"\x1b", "\u202e"} & set(stand(app))
        assert "a b " in stand(app)


@SIZES
@pytest.mark.parametrize("what", ["stand", "form", "confirm"])
def test_pictures(picture: Any, store: Store, what: str, size: tuple[int, int]) -> None:
    """A plan by strata with some reviews, the form, and what one by strata would mean."""
    info = find_dataset(store, None)
    if what == "stand":
        drafted = planning.draft(store, info, Wish(20, "stratified", "meta.lang", holdout=0.2), "ann")
        from dataclasses import replace

        made = replace(drafted.plan, created_at=datetime(2026, 11, 21, 12, tzinfo=UTC))
        planning.make(store, info, replace(drafted, plan=made))
        accept_next(store, 5)
    chosen = "P n left left down right right down right right enter"
    keys = {"stand": "P", "form": "P n", "confirm": chosen}[what]
    assert picture(keys, size=size)


async def test_the_review_says_when_the_plan_is_complete(user: User) -> None:
    """Once, with the decision that completes it, and where the estimate is; not before and not again."""
    info = find_dataset(user.store, None)
    planning.make(user.store, info, planning.draft(user.store, info, Wish(20), "ann"))
    accept_next(user.store, 18)
    async with user.opens(size=(120, 36)) as app:
        await user.press("enter")
        assert "18 of 20 planned" in shown(app, Head)
        await user.press("a")
        assert "complete" not in said(app)
        assert "19 of 20 planned" in shown(app, Head)
        await user.press("a")
        assert said(app) == "✓ all 20 planned samples are complete: C shows the estimate"
        await user.press("a")
        assert "complete" not in said(app)
        assert "plan complete · 21 of" in shown(app, Head)
        here = app.screen.pane.now.sample.id
        await user.press("C")
        assert type(app.screen).__name__ == "CompareScreen"
        await user.press("escape")
        assert type(app.screen).__name__ == "ReviewScreen"
        assert here == app.screen.pane.now.sample.id
        await user.press("b")
        assert isinstance(app.screen, QueueScreen)
        assert "21 of" in app.screen.query_one(ProgressLine).text
