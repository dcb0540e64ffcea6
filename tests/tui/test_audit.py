"""Opened from `audit`: some samples picked by hand, or the next one in random order."""

from typing import Any

import pytest

from tests.rows import naming, sample, units
from tests.tui.conftest import User, said
from workbench.stages.review import open_sample
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.store.journal import load_reviews
from workbench.store.samples import sample_ids
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.bars import Bar
from workbench.tui.widgets.tallies import Tallies


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    """Samples without a doubt: one press accepts each."""
    return [naming(f"s{number}", ["Rome"], ["Rome"], also=f" {number}") for number in range(4)]


def picked(store: Store, n: int) -> tuple[int, ...]:
    return tuple(sample_ids(store, find_dataset(store, None).id).values())[:n]


async def test_picked_samples_open_one_after_the_other_and_their_reviews_say_so(user: User) -> None:
    first, second = picks = picked(user.store, 2)
    async with user.opens(size=(120, 36), begin_with=picks) as app:
        await user.settle()
        assert isinstance(app.screen, ReviewScreen)
        assert first == app.screen.pane.now.sample_id
        assert app.screen.pane.now.automatic
        assert app.screen.query_one(Tallies).display
        await user.press("a")
        assert isinstance(app.screen, ReviewScreen)
        assert second == app.screen.pane.now.sample_id
        assert app.screen.pane.now.automatic
        await user.press("a")
        assert isinstance(app.screen, QueueScreen)
        assert said(app).endswith(" · this was the last of the list: q shows the new answer")
    for number in picks:
        opening = open_sample(user.store, number, "ann").opening
        assert (True, True) == (opening.off_plan, opening.auto_shown)


async def test_a_sample_that_was_read_ahead_and_not_shown_is_not_marked(user: User) -> None:
    picks = picked(user.store, 2)
    async with user.opens(size=(120, 36), begin_with=picks):
        await user.settle()
    assert {} == load_reviews(user.store, {picks[1]: "ann"})


async def test_next_opens_the_random_order_with_automatic_values_hidden(user: User) -> None:
    async with user.opens(size=(120, 36), begin_with="next") as app:
        await user.settle()
        assert isinstance(app.screen, ReviewScreen)
        opened = app.screen.pane.now
        assert ((), False, False) == (opened.automatic, opened.opening.off_plan, opened.opening.auto_shown)


async def test_a_picked_sample_shows_its_value_before_it_is_decided(user: User, import_rows: Any) -> None:
    named = units(["Anna Walther", "Karl Meyer"], "person")
    row = sample(
        "one", "Anna Walther met Karl Meyer.", "It rained.", "Later Walther came. Then Meyer came.",
        proposal={"proposer": "p", "reference_entities": named, "context_entities": [[], named[:1]]},
        scores={"context_entity_recall": 0.0},
    )  # fmt: skip
    database = import_rows([row])
    one = sample_ids(user.store, find_dataset(user.store, None).id)["one"]
    async with user.opens(database=database, size=(120, 36), begin_with=(one,)) as app:
        await user.settle()
        assert "yours .00" == str(app.screen.query_one(Tallies).render())
        await user.press("w")
        assert "  if accepted 1/2 .50" in app.screen.query_one("#values", Bar).text
