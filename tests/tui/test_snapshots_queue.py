"""Pictures of the queue at fixed sizes: rows, search, what is offered, menus, questions, nothing found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.tui.conftest import HUGE, LARGE, SIZES, SMALL, each
from tests.tui.teams import decide
from workbench.formats.policy import to_toml
from workbench.reviewing.edits import Flag
from workbench.stages import editing
from workbench.stages.policy import change_policy
from workbench.stages.review import act, open_sample
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.store.samples import sample_ids
from workbench.tui.themes import LIGHT

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


def work(store: Store) -> None:
    """Two samples verified, one each skipped, excluded, flagged and begun; then the policy was changed."""
    decide(store, "ann", "schiller", toggle=["Friedrich Schiller"])
    decide(store, "ann", "tower", reject=["Eiffel Tower"])
    info = find_dataset(store, None)
    ids = sample_ids(store, info.id)
    nil, genji, emoji = (open_sample(store, ids[name], "ann") for name in ("nil", "genji", "emoji"))
    act(store, nil, editing.skip(nil))
    act(store, genji, editing.exclude("broken"))
    emoji = act(store, emoji, Flag("odd"))
    act(store, emoji, editing.reject(emoji, emoji.state.entity.assessment.units[0]))
    change_policy(store, info, to_toml(info.policy).replace("Missing: it is not", "Missing: not"), "lead")
    with store.writing() as session:  # what it took differs from run to run
        session.execute(text("UPDATE review_event SET seconds = 7.1, presses = 2 WHERE op != 'open'"))


@pytest.fixture
def worked(import_rows: Any, rows: list[Any]) -> Path:
    """The samples, some of them reviewed."""
    at: Path = import_rows(rows, then=work)
    return at


@pytest.mark.parametrize("size", [SMALL, LARGE, HUGE], ids=["80x24", "120x36", "200x50"])
def test_rows(picture: Any, size: tuple[int, int], worked: Path) -> None:
    """Verified, stale, skipped, excluded, flagged and started samples, in every script; all the counts."""
    assert picture(size=size, at=worked)


@each("pictures of the queue")
def test_queue(picture: Any, keys: list[str], size: tuple[int, int]) -> None:
    assert picture(*keys, size=size)


def test_another_order_in_light(picture: Any, worked: Path) -> None:
    """The head says so, the column is marked; rows of every state."""
    assert picture("o j j j enter y", size=LARGE, theme=LIGHT.name, at=worked)


@SIZES
def test_disagreements(picture: Any, demo: Path, size: tuple[int, int]) -> None:
    """Who disagrees, by how much, and what became of it."""
    assert picture("D", size=size, at=demo)
