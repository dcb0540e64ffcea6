"""A sample of 20 MB: everything in a review still works; what each act costs is printed (`pytest -s`)."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from workbench.stages import review
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.store.samples import sample_ids
from workbench.tui.widgets.bars import Bar, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList

Press = Callable[..., Awaitable[None]]

CONTEXTS, SIZE = 100, 200_000


def prose(chance: random.Random) -> str:
    """200 KB of sentences of made-up words, in Latin letters with some accents."""
    words = ["".join(chance.choices("abcdeéfghiklmnoprstuvwz", k=chance.randint(2, 9))) for _ in range(4_000)]
    sentences = [" ".join(chance.choices(words, k=12)).capitalize() + "." for _ in range(300)]
    return " ".join(chance.choices(sentences, k=SIZE // 60))[:SIZE]


@pytest.fixture(scope="module")
def contexts() -> list[str]:
    chance = random.Random(11)
    found = [prose(chance) for _ in range(CONTEXTS)]
    place = SIZE // 2
    found[57] = found[57][:place] + " The Eiffel Tower in Paris, by Gustave Eiffel. " + found[57][place:]
    found[90] = "The Universities of Lyon and of Paris. " + found[90]
    return found


@pytest.fixture
def large(import_rows: Any, rows: Any, contexts: list[str]) -> Path:
    """The tower with a hundred contexts of 200 KB."""
    tower = rows[0]
    tower["retrieved_contexts"] = contexts
    tower["proposal"]["context_entities"] = [[] for _ in contexts]
    tower["proposal"]["context_entities"][57] = [{"text": "Paris", "label": "place"}]
    path: Path = import_rows(rows[:2])
    return path


async def test_a_sample_of_20_mb_is_reviewed_like_any_other(
    large: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """Open, move, turn contexts, match, find, choose evidence and accept."""
    costs: dict[str, float] = {}
    app = make_app(large)
    async with app.run_test(size=(120, 36)) as pilot:

        async def timed(name: str, work: Awaitable[None]) -> None:
            start = process_time()
            await work
            costs[name] = process_time() - start

        await press(pilot)
        await timed("open", open_review(pilot, "tower"))
        listed = app.screen.query_one(UnitList)
        context = app.screen.query_one("#context", Passage)
        titles = [unit.text for unit in listed.rows]
        listed.move_to(titles.index("University of Paris"))
        await timed("rest on a missing unit", press(pilot))
        assert "91: " in app.screen.query_one("#detail", Passage).text
        await timed("j", press(pilot, "j"))
        assert (listed.chosen.text, context.border_title[:17]) == ("Paris", "Context 58 of 100")
        assert " · lines " in context.border_title
        await timed("k", press(pilot, "k"))
        await timed("] [", press(pilot, "right_square_bracket", "left_square_bracket"))
        await timed("page of the context", press(pilot, "space"))
        listed.move_to(titles.index("Paris"))
        await timed("m, to missing", press(pilot, "m"))
        await timed("m, to found", press(pilot, "m"))
        assert {place.context for place in listed.chosen.match.evidence} == {57, 90}
        await timed("x", press(pilot, "x"))
        await timed("u", press(pilot, "u"))
        await timed("relabel", press(pilot, "7"))
        await timed("find", press(pilot, "slash", *"gustave eiffel"))
        assert str(app.screen.query_one("#count", Bar).text).strip() == "1 of 2 · reference"
        await timed("next place", press(pilot, "enter", "f3"))
        assert str(app.screen.query_one(Status).text).strip().startswith("2 of 2 · context 58")
        listed.move_to(titles.index("University of Paris"))
        await timed("e", press(pilot, "e"))
        assert type(app.screen).__name__ == "EvidenceScreen"
        await timed("1", press(pilot, "1"))
        assert listed.chosen.match.evidence[0].context == 90
        await timed("e e", press(pilot, "e", "e"))
        await press(pilot, "escape")
        await timed("a", press(pilot, "a"))
        assert app.screen.pane.now.sample.id != "tower"
        await timed("u, back to it", press(pilot, "u"))
        assert app.screen.pane.now.sample.id == "tower"
        await press(pilot, "U")
    info = find_dataset(store, None)
    opened = review.open_sample(store, sample_ids(store, info.id)["tower"], "ann")
    assert opened.state.entity.disposition == "verified"
    print()
    for name, seconds in costs.items():
        print(f"{name:>24} {seconds * 1000:8.0f} ms of processor time")
