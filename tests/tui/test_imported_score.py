"""A dataset whose file has a score: every screen sets that score against the verified value, by keys."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.tui.conftest import User
from tests.tui.starts import STARTS
from workbench.reports.units import written
from workbench.text.cells import width
from workbench.tui.widgets.bars import Status

HASH = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("keys", ["b", "u U", "u U w"], ids=["queue", "review", "why"])
@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_pictures(picture: Any, begin: Any, size: tuple[int, int], keys: str) -> None:
    """The queue, the review and Why after the tower was accepted."""
    assert picture(f"a {keys}", size=size, sample=HASH, at=begin(STARTS["a score of the file"]))


def test_a_number_of_the_file_is_written_to_two_to_four_digits() -> None:
    assert [".3333", "1.00", ".50", ".1429"] == [
        written(one) for one in ("0.3333", "1", "0.5", "0.14285714265306124")
    ]


async def test_the_line_after_an_accept_has_whole_reasons_or_none(user: User, demo: Path) -> None:
    """Two presses accept the first sample of the demo: no unit stops it, and what is said is a difference."""
    async with user.opens(database=demo, dataset="demo", size=(80, 24)) as app:
        await user.press("enter", "a")
        assert app.screen.pane.now.sample.id == "mona-lisa"
        short = app.screen.query_one(Status).text
        await user.press("b")
        await user.review("guernica-dense")
        await user.press("a", "a")  # it stops once: 1937 is missing but in a context
        long = app.screen.query_one(Status).text

    assert "✓ www accepted: yours .33 · verified 4/5 .80 · −.47: 2 names not recognised, …" == short
    assert re.fullmatch(r"✓ .* accepted: yours \S+ · verified \S+ \S+( · \S+)?(: [\w ]+(, …)?)?", long)


async def test_the_line_has_room_for_a_sample_that_has_neither_question_nor_id(
    user: User, import_rows: Any, rows: Any
) -> None:
    rows[0] |= {"id": HASH, "user_input": "", "context_entity_recall": 0.3333}
    async with user.opens(HASH, database=import_rows(rows), size=(80, 24)) as app:
        await user.press("a")
        status = app.screen.query_one(Status)
        assert str(status.text).startswith("✓ 01234567 accepted: yours .33 · verified 5/6 .83 · −.50")
        assert width(str(status.text)) <= status.room + 2
