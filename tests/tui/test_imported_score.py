"""A dataset whose file has a score: every screen sets that score against the verified value, by keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from tests.tui.conftest import User
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.widgets.bars import Bar, Head, Status
from workbench.tui.widgets.cause_list import CauseList, written
from workbench.tui.widgets.sample_list import SampleHead, SampleList
from workbench.tui.widgets.tallies import Tallies

HASH = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def audited(import_rows: Callable[..., Path], rows: list[dict[str, Any]]) -> Path:
    """The samples of the other tests with a score each; the tower has a hash for an id."""
    for one in rows:
        one["scores"] = {"context_entity_recall": 0.3333}
    rows[0]["id"] = HASH
    return import_rows(rows)


async def test_from_an_accept_to_the_reason_and_back_to_the_row(user: User, audited: Path) -> None:
    """A name that is a hash gives way to the question; the name of the column only to the verified value."""
    async with user.opens(HASH, database=audited, size=(80, 24)) as app:
        assert "yours" not in app.screen.query_one(Tallies).text
        assert "Where" not in app.screen.query_one(Head).text  # the question stands below, once
        await user.press("a")
        status = app.screen.query_one(Status).text
        assert "✓ Where" in status
        assert HASH[:8] not in status
        assert "accepted: yours .33 · verified 5/6 .83 · −.50" in status

        await user.press("u", "U")
        box = app.screen.query_one(Tallies)
        assert box.text.startswith("yours .33   verified 5/6 .83   −.50: ")
        await user.press("w", "k")
        listed, values = app.screen.query_one(CauseList), app.screen.query_one("#values", Bar)
        chosen = listed.cursor
        assert "untraced" in [one.cause for one in listed.rows]
        for width, named, by in (120, "yours (context_entity_recall)", " by ann"), (80, "yours", ""):
            await user.resize(width, 30)
            assert values.text.startswith(f"{named} .3333 · our count 5/6 .83   verified{by} 5/6 .83")
            last = "".join(text for text, _ in listed.parts(listed.count - 1, width - 2))
            assert "(your number − our count)" in last
        assert chosen == listed.cursor

        await user.press("escape", "b")
        assert isinstance(app.screen, QueueScreen)
        await user.resize(120, 36)
        assert str(app.screen.query_one(SampleHead).render()).split()[1:4] == ["yours", "verified", "Δ"]
        rows = app.screen.query_one(SampleList)
        number = next(line for line in range(rows.count) if (row := rows.row(line)) and row.key == HASH)
        words = "".join(text for text, _ in rows.parts(number, 118)).split()
    assert "✓ Where is" in " ".join(words)
    assert [".33", ".83", "−.50"] == [word for word in words if word.lstrip("−").startswith(".")]


async def test_compare_opens_with_the_sentences_of_the_answer(user: User, audited: Path) -> None:
    async with user.opens(database=audited, size=(120, 36)) as app:
        await user.press("C")
        assert isinstance(app.screen, CompareScreen)
        empty = str(app.screen.query_one("#empty", Static).render())
        assert empty.startswith("Your context_entity_recall is .33.")

        await user.press("escape")
        await user.review(HASH)
        await user.press("a", "b", "C")
        said = str(app.screen.query_one("#answer", Static).render())

    assert said.startswith("Your context_entity_recall is .33.")
    assert "1 sample is reviewed, 1 of them picked by hand." in said


@pytest.mark.parametrize("keys", ["b", "u U", "u U w"], ids=["queue", "review", "why"])
@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_pictures(picture: Any, audited: Path, size: tuple[int, int], keys: str) -> None:
    """The queue, the review and Why after the tower was accepted."""
    assert picture(f"a {keys}", size=size, sample=HASH, at=audited)


def test_a_number_of_the_file_is_written_as_there_or_to_four_digits() -> None:
    assert [".3333", "1", ".5", ".1429"] == [
        written(one) for one in ("0.3333", "1", "0.5", "0.14285714265306124")
    ]


async def test_the_line_after_an_accept_has_whole_reasons_or_none(user: User, demo: Path) -> None:
    async with user.opens("www", database=demo, dataset="demo", size=(80, 24)) as app:
        await user.press("a")
        short = app.screen.query_one(Status).text
        await user.press("b")
        await user.review("guernica-dense")
        await user.press("a", "a")  # it stops once: 1937 is missing but in a context
        long = app.screen.query_one(Status).text

    assert "✓ www accepted: yours .33 · verified 4/5 .80 · −.47: 2 names not recognised, …" == short
    assert re.fullmatch(r"✓ .* accepted: yours \S+ · verified \S+ \S+( · \S+)?(: [\w ]+(, …)?)?", long)
