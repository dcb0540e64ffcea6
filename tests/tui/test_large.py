"""A sample of 4 MB: everything in a review still works."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.tui.conftest import User
from workbench.stages import review
from workbench.store.datasets import find_dataset
from workbench.store.samples import sample_ids
from workbench.tui.widgets.bars import Bar, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList

CONTEXTS, SIZE = 100, 40_000


def prose(chance: random.Random, words: list[str]) -> str:
    """40 KB of sentences of these words."""
    sentences = [" ".join(chance.choices(words, k=12)).capitalize() + "." for _ in range(300)]
    return " ".join(chance.choices(sentences, k=SIZE // 60))[:SIZE]


@pytest.fixture(scope="module")
def contexts() -> list[str]:
    """A hundred, of made-up words in Latin letters with some accents."""
    chance = random.Random(11)
    words = ["".join(chance.choices("abcdeéfghiklmnoprstuvwz", k=chance.randint(2, 9))) for _ in range(4_000)]
    found = [prose(chance, words) for _ in range(CONTEXTS)]
    place = SIZE // 2
    found[57] = found[57][:place] + " The Eiffel Tower in Paris, by Gustave Eiffel. " + found[57][place:]
    found[90] = "The Universities of Lyon and of Paris. " + found[90]
    return found


@pytest.fixture
def large(import_rows: Any, rows: Any, contexts: list[str]) -> Path:
    """The tower with a hundred contexts of 40 KB."""
    tower = rows[0]
    tower["retrieved_contexts"] = contexts
    tower["proposal"]["context_entities"] = [[] for _ in contexts]
    tower["proposal"]["context_entities"][57] = [{"text": "Paris", "label": "place"}]
    path: Path = import_rows(rows[:2])
    return path


async def test_a_sample_of_4_mb_is_reviewed_like_any_other(user: User, large: Path) -> None:
    """Open, move, turn contexts, match, find, choose evidence and accept."""
    async with user.opens(database=large, size=(120, 36)) as app:
        await user.press()
        await user.review("tower")
        listed = app.screen.query_one(UnitList)
        context = app.screen.query_one("#context", Passage)
        titles = [unit.text for unit in listed.rows]
        listed.move_to(titles.index("University of Paris"))
        await user.press()
        assert "91: " in app.screen.query_one("#detail", Passage).text
        await user.press("j")
        assert (listed.chosen.text, context.border_title[:17]) == ("Paris", "Context 58 of 100")
        assert " · lines " in context.border_title
        await user.press("k")
        await user.press("right_square_bracket", "left_square_bracket")
        await user.press("space")
        listed.move_to(titles.index("Paris"))
        await user.press("m")
        await user.press("m")
        assert {place.context for place in listed.chosen.match.evidence} == {57, 90}
        await user.press("x")
        await user.press("u")
        await user.press("7")
        await user.press("slash", *"gustave eiffel")
        assert str(app.screen.query_one("#count", Bar).text).strip() == "1 of 2 · reference"
        await user.press("enter", "f3")
        assert str(app.screen.query_one(Status).text).strip().startswith("2 of 2 · context 58")
        listed.move_to(titles.index("University of Paris"))
        await user.press("e")
        assert type(app.screen).__name__ == "EvidenceScreen"
        await user.press("1")
        assert listed.chosen.match.evidence[0].context == 90
        await user.press("e", "e")
        await user.press("escape")
        await user.press("a")
        assert "2 names are missing but in a context" in str(app.screen.query_one(Status).text)
        await user.press("a")
        assert app.screen.pane.now.sample.id != "tower"
        await user.press("u")
        assert app.screen.pane.now.sample.id == "tower"
        await user.press("U")
    info = find_dataset(user.store, None)
    opened = review.open_sample(user.store, sample_ids(user.store, info.id)["tower"], "ann")
    assert opened.state.entity.disposition == "verified"
