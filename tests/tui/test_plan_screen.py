"""The plan in the app, by keys: made from the form, followed by the queue, asked for a precision, dropped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import verify
from tests.tui.conftest import User, shown
from tests.tui.starts import eighty
from workbench.stages import plan as planning
from workbench.stages.plan import Wish
from workbench.stages.queue_values import queue_ids
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store


@pytest.fixture
def database(import_rows: Callable[..., Path]) -> Path:
    """Eighty samples of ten groups."""
    return import_rows([eighty(number) for number in range(80)])


def stand(app: Any) -> str:
    return shown(app, "#stand")


def accept_next(store: Store, count: int) -> None:
    """Verify the next samples of the queue."""
    for number in queue_ids(store, find_dataset(store, None), "ann")[:count]:
        verify(store, number, "ann")


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
