"""Pictures of choosing evidence, searching and splitting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import HUGE, LARGE, SIZES, SMALL
from workbench.tui.themes import LIGHT
from workbench.tui.widgets.unit_list import UnitList

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")

CONTEXTS = [
    "The University of Vienna is older. In 1889 the Universities of Paris and Lyon met for the first time in "
    "a hall near the Champ de Mars, where a hundred guests from all over Europe had been waiting since dawn.",
    "Paris has many universities: the one across the river is the oldest. " + "Nothing is said here. " * 60,
    "根据国家文物局的数据，明长城全长8851.8公里。Париж — столица Франции.",
]  # fmt: skip


@pytest.fixture
def database(import_rows: Any, rows: Any) -> Path:
    """The tower with more to choose from."""
    tower = rows[0]
    tower["retrieved_contexts"] += CONTEXTS
    tower["proposal"]["context_entities"] += [[] for _ in CONTEXTS]
    path: Path = import_rows(rows[:2])
    return path


@pytest.fixture
def picture(picture: Any) -> Callable[..., bool]:
    """Compares the screen after some keys, the cursor on a unit of the tower."""

    def compare(*keys: str, unit: str = "University of Paris", **own: Any) -> bool:
        async def choose(pilot: Pilot[None]) -> None:
            listed = pilot.app.screen.query_one(UnitList)
            listed.move_to([one.text for one in listed.rows].index(unit))

        return bool(picture(*keys, sample="tower", before=choose, **own))

    return compare


@pytest.mark.parametrize("size", [LARGE, HUGE], ids=["120x36", "200x50"])
def test_nearest_passages_beside_a_missing_unit(picture: Any, size: tuple[int, int]) -> None:
    """One a line, with number and context, in the pane that was there before."""
    assert picture("", size=size)


@SIZES
def test_evidence(picture: Any, size: tuple[int, int]) -> None:
    """Over the list of units; reference and context stay in sight."""
    assert picture("e", size=size)


@pytest.mark.parametrize(("size", "theme"), [(SMALL, ""), (LARGE, LIGHT.name)], ids=["80x24", "120x36-light"])
def test_evidence_looked_at(picture: Any, size: tuple[int, int], theme: str) -> None:
    """The passage under the cursor is shown in its context."""
    assert picture("e j", size=size, theme=theme)


@SIZES
def test_evidence_by_letters(picture: Any, size: tuple[int, int]) -> None:
    """Letters on the tokens of the context."""
    assert picture("e e", size=size, unit="Paris")


@SIZES
def test_find(picture: Any, size: tuple[int, int]) -> None:
    """All places marked, the one where one stands inverted, the count on the right."""
    assert picture("slash p a r i s f3", size=size)


def test_found(picture: Any) -> None:
    """After Enter the marks stay, and the status line says which place it is."""
    assert picture("slash t h e enter f3 f3", size=LARGE)


def test_split(picture: Any) -> None:
    """Letters on the words before which the unit can be parted."""
    assert picture("vertical_line", size=SMALL)


def test_long_context(picture: Any) -> None:
    """The title says which lines are seen."""
    assert picture("number_sign 4 enter", "space", size=SMALL)
