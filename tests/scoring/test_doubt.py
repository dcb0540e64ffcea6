"""Doubt: how many verdicts of a sample are likely to be wrong."""

from __future__ import annotations

import pytest

from workbench.scoring.counted import Counted, doubt


def counted(linked: list[int] | None, presence: list[int] | None) -> Counted:
    given = {"linked": linked, "presence": presence}
    return Counted({name: bytes(listed) for name, listed in given.items() if listed is not None}, {})


@pytest.mark.parametrize(
    ("more", "less"),
    [
        (([80], [0]), ([100], [100])),  # a near name below the threshold against an equal one
        (([90], [0]), ([90], [90])),  # found by a name that stands in no context
        (([0], [100]), ([0], [0])),  # stands in a context, and the reading of the context missed it
        (([80, 80], [0, 0]), ([80], [0])),  # two such units
    ],
)
def test_what_people_corrected_more_often_is_more_doubtful(
    more: tuple[list[int], list[int]], less: tuple[list[int], list[int]]
) -> None:
    """The order of the shares that were measured."""
    first, second = doubt(counted(*more)), doubt(counted(*less))

    assert first is not None
    assert second is not None
    assert first > second


def test_without_similarities_there_is_no_doubt_to_order_by() -> None:
    """Statements have none; presence alone is enough; no units leave none in doubt."""
    assert doubt(counted(None, None)) is None
    assert doubt(counted(None, [100])) == doubt(counted([100], [100]))
    assert doubt(counted([], [])) == 0
