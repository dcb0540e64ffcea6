"""Pictures of choosing evidence, searching and splitting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import LARGE, SIZES, SMALL, each
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


@each("pictures of places")
def test_places(picture: Any, keys: list[str], size: tuple[int, int]) -> None:
    assert picture(*keys, size=size)


@pytest.mark.parametrize(("size", "theme"), [(SMALL, ""), (LARGE, LIGHT.name)], ids=["80x24", "120x36-light"])
def test_evidence_looked_at(picture: Any, size: tuple[int, int], theme: str) -> None:
    """The passage under the cursor is shown in its context."""
    assert picture("e j", size=size, theme=theme)


@SIZES
def test_evidence_by_letters(picture: Any, size: tuple[int, int]) -> None:
    """Letters on the tokens of the context."""
    assert picture("e e", size=size, unit="Paris")
