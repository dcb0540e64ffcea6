"""Undo of the state of a disagreement that changed meanwhile."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from tests.sessions import reviewed
from tests.tui.conftest import User
from workbench.store.datasets import find_dataset
from workbench.store.disputes import Kept, Key, save_state
from workbench.store.engine import open_store
from workbench.store.samples import sample_ids


async def test_undo_gives_a_disagreement_the_state_it_had_with_its_author(user: User, demo: Path) -> None:
    """Its values changed since somebody explained it, so it shows as open, was explained."""
    with closing(open_store(str(demo))) as store:
        number = sample_ids(store, find_dataset(store, None).id)["www"]
        reviewed("bob www: flag odd", store)
        before = Kept("explained", "[another reason] a title", "ann", datetime(2026, 1, 2, tzinfo=UTC))
        save_state(store, Key(number, "entity", "flag"), before, expected=None)
    async with user.opens(database=demo, size=(80, 24), annotator="bob") as app:
        listed = app.home.samples
        await user.press("D")
        listed.move_to(listed.rows.index(number))
        shown = listed.disputes[number]
        await user.press("d", "j", "j", "enter", "u")
        again = listed.disputes[number]

    assert ("open", "explained") == (shown.state, shown.was)
    assert shown == again
