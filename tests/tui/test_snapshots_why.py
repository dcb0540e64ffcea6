"""Pictures of the Why screen and of the causes beside the tallies, at fixed sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.rows import sample
from tests.tui.conftest import LARGE, SIZES, SMALL, each
from tests.tui.teams import decide
from workbench.store.engine import Store
from workbench.tui.themes import LIGHT

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")

CLAIM = (
    "Die Kirche wurde 1889 nach Plänen eines Baumeisters aus Wien errichtet und steht heute am Marktplatz."
)
STATEMENTS = [
    {"text": CLAIM, "verdict": "yes", "context": 0, "quote": "Der Baumeister kam aus Wien"},
    {"text": "Sie hat zwei Türme.", "verdict": "yes", "context": 0, "quote": "zwei Türme"},
]
CLAIMS = sample(
    "kirche", f"{CLAIM} Sie hat zwei Türme.", "Der Baumeister kam aus Wien. Die Kirche hat zwei Türme.",
    user_input="Wann wurde die Kirche gebaut?", proposal={"proposer": "claude", "statements": STATEMENTS},
)  # fmt: skip


def turn(store: Store) -> None:
    """The first claim is missing, says ann."""
    decide(store, "ann", "kirche", kind="statement", toggle=[0])


@pytest.fixture
def accepted(picture: Any, store: Store) -> Callable[..., bool]:
    """Compares a sample that was accepted after edits of the names that are given; then keys."""

    def compare(key: str, *keys: str, size: tuple[int, int], theme: str = "", **edits: Any) -> bool:
        decide(store, "ann", key, **edits)
        return bool(picture(*keys, sample=key, size=size, theme=theme))

    return compare


TOWER = {"reject": ("Champ de Mars",), "toggle": ("Gustave Eiffel", "University of Paris")}


@each("pictures of differences")
def test_differences(accepted: Any, keys: list[str], size: tuple[int, int]) -> None:
    assert accepted("tower", *keys, size=size, **TOWER)


def test_why_light(accepted: Any) -> None:
    """The light twin, on a row that both sides agree on."""
    assert accepted("tower", "w", "k", size=LARGE, theme=LIGHT.name, **TOWER)


SCRIPTS = {"nevsky": "Огюст Монферран", "changcheng": "虎山", "nil": "مصر", "genji": "紫式部", "emoji": "Zoë"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_why_in_every_script(accepted: Any, script: str) -> None:
    """Columns stay in line whatever stands in them."""
    ungrounded = ("Atlantis",) if script == "emoji" else ()
    assert accepted(script, "w", size=SMALL, reject=ungrounded, toggle=(SCRIPTS[script],))


@SIZES
def test_why_of_statements(picture: Any, import_rows: Any, size: tuple[int, int]) -> None:
    """A claim takes three lines on each side."""
    assert picture("w", sample="kirche", size=size, at=import_rows([CLAIMS], kinds=("statement",), then=turn))


def test_why_without_units_on_one_side(accepted: Any) -> None:
    """Nothing to share out, and it is said."""
    names = ("Friedrich Schiller", "9. Mai 1805", "Weimar")
    assert accepted("schiller", "w", size=SMALL, reject=names)
