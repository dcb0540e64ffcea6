"""Pictures of the queue at fixed sizes: rows, search, what is offered, menus, questions, nothing found."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from workbench.formats.policy import to_toml
from workbench.stages.policy import change_policy
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.tui.themes import LIGHT

Press = Callable[..., Awaitable[None]]
SMALL, LARGE, HUGE = (80, 24), (120, 36), (200, 50)
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x36"])

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


@pytest.fixture
def picture(
    picture: Any, database: Path, press: Press, open_review: Press, store: Store
) -> Callable[..., bool]:
    """Compares the queue after some keys; `worked` reviews a few samples before."""

    def compare(*keys: str, worked: bool = False, **own: Any) -> bool:
        async def work(pilot: Pilot[None]) -> None:
            for name, pressed in (
                ("schiller", "m a b"), ("tower", "x a b"), ("nil", "s b"), ("genji", "X 3 enter b"),
                ("emoji", "f o d d enter x b"),
            ):  # fmt: skip
                await open_review(pilot, name)
                pilot.app.screen.query_one("#units").move_to(0)  # type: ignore[attr-defined]
                await press(pilot, *pressed.split())
            info = find_dataset(store, None)
            change_policy(
                store, info, to_toml(info.policy).replace("Missing: it is not", "Missing: not"), "lead"
            )
            with closing(sqlite3.connect(database)) as raw, raw:  # what it took differs from run to run
                raw.execute("UPDATE review_event SET seconds = 7.1, presses = 2 WHERE seconds IS NOT NULL")
            await press(pilot, "r")

        return bool(picture(*keys, before=work if worked else None, **own))

    return compare


@pytest.mark.parametrize("size", [SMALL, LARGE, HUGE], ids=["80x24", "120x36", "200x50"])
def test_rows(picture: Any, size: tuple[int, int]) -> None:
    """Verified, stale, skipped, excluded, flagged and started samples, in every script; all the counts."""
    assert picture(worked=True, size=size)


def test_rows_light(picture: Any) -> None:
    """The light twin."""
    assert picture(worked=True, size=LARGE, theme=LIGHT.name)


@SIZES
def test_facets(picture: Any, size: tuple[int, int]) -> None:
    """What there is to choose from, with counts."""
    assert picture("v j j", size=size)


@SIZES
def test_completion(picture: Any, size: tuple[int, int]) -> None:
    """Values with counts below the field, the second one chosen."""
    assert picture("slash", "l a b e l : down down", size=size)


def test_fields(picture: Any) -> None:
    """What an empty field offers."""
    assert picture("slash", size=SMALL)


def test_a_mistake(picture: Any) -> None:
    """What is wrong stands under the field; the rows stay."""
    assert picture("slash s t a t e : t o o d enter", size=SMALL)


def test_nothing_found(picture: Any) -> None:
    """What to do about it."""
    assert picture("slash d e l t a > . 5 enter", size=SMALL)


def test_orders(picture: Any) -> None:
    """The orders and what they are for."""
    assert picture("o j", size=SMALL)


@SIZES
def test_the_question_before_another_order(picture: Any, size: tuple[int, int]) -> None:
    """It says what it costs."""
    assert picture("o j j j enter", size=size)


def test_another_order(picture: Any) -> None:
    """The head says so, the column is marked."""
    assert picture("o j j j enter y", size=LARGE, theme=LIGHT.name)


@SIZES
def test_disagreements(picture: Any, demo: Path, size: tuple[int, int]) -> None:
    """Who disagrees, by how much, and what became of it."""
    assert picture("D y g", size=size, at=demo)
