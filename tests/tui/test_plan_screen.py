"""The plan in the app, by keys: made from the form, followed by the queue, asked for a precision, dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.conftest import verify
from tests.tui.conftest import SIZES, User, shown
from tests.tui.starts import eighty
from workbench.stages import plan as planning
from workbench.stages.plan import Wish
from workbench.stages.queue import planned
from workbench.stages.queue_values import queue_ids
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store


@pytest.fixture
def database(import_rows: Callable[..., Path]) -> Path:
    """Eighty samples of ten groups."""
    return import_rows([eighty(number) for number in range(80)])


def stand(app: Any) -> str:
    return shown(app, "#stand")


def accept(store: Store, numbers: Iterable[int]) -> None:
    for number in numbers:
        verify(store, number, "ann")


def accept_next(store: Store, count: int) -> None:
    """Verify the next samples of the queue."""
    accept(store, queue_ids(store, find_dataset(store, None), "ann")[:count])


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
        assert "For a narrower interval: workbench plan --more 60 (41 reviewed already, 19 left)." in stand(
            app
        )
        assert "\n→ Until these are reviewed, it is wider than now." in stand(app)
        assert "reviewing the 19 that are left" in stand(app)
    planning.extend(user.store, info, 60, "ann")
    assert (61, 80) == planned(user.store, info.id)


async def test_what_is_complete_by_imported_gold_is_called_so(
    user: User, import_rows: Callable[..., Path]
) -> None:
    async with user.opens(
        database=import_rows([eighty(number) for number in range(12)]), size=(80, 24)
    ) as app:
        await user.press("P")
        store = app.store
        info = find_dataset(store, None)
        planning.make(store, info, planning.draft(store, info, Wish(4), "ann"))
        accept_next(store, 2)
        with store.writing() as session:
            session.execute(text("UPDATE review SET origin = 'imported'"))
        await user.press("r")

        assert "2 of 4 planned samples complete (2 verified in the file)" in stand(app)


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
