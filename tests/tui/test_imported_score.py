"""A dataset whose file has a score: every screen sets that score against the verified value, by keys."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.starts import STARTS
from workbench.reports.units import written

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
