"""Pictures of the screens at fixed sizes; a changed picture is looked at before it is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tui.conftest import LARGE, SMALL, each
from workbench.store import database as database_module
from workbench.tui.themes import LIGHT

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


@each("pictures of a review")
def test_review(picture: Any, keys: list[str], size: tuple[int, int]) -> None:
    assert picture(*keys, sample="tower", size=size)


@pytest.mark.parametrize("sample", ["changcheng", "nil", "genji", "nevsky", "emoji", "schiller", "bare"])
def test_every_script(picture: Any, sample: str) -> None:
    """Wide, right-to-left, combining and joined characters; no contexts at all."""
    assert picture(sample=sample, size=SMALL)


def test_light(picture: Any) -> None:
    """The light twin."""
    assert picture(sample="tower", size=LARGE, theme=LIGHT.name)


def test_blind(picture: Any, import_rows: Any, rows: Any) -> None:
    """Nothing is proposed; it is said what to do."""
    assert picture(sample="tower", size=SMALL, at=import_rows(rows, blind=1.0))


def test_not_saved(picture: Any, database: Path, monkeypatch: Any) -> None:
    """The warning stays and says what to do."""
    import sqlite3

    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert picture("x", sample="tower", size=SMALL)
    finally:
        other.close()
