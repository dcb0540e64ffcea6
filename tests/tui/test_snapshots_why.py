"""Pictures of the Why screen and of the causes beside the tallies, at fixed sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import Press
from workbench.tui.themes import LIGHT
from workbench.tui.widgets.unit_list import UnitList

SMALL, LARGE = (80, 24), (120, 36)

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")

CLAIM = (
    "Die Kirche wurde 1889 nach Plänen eines Baumeisters aus Wien errichtet und steht heute am Marktplatz."
)
CLAIMS = {
    "id": "kirche", "user_input": "Wann wurde die Kirche gebaut?",
    "reference": f"{CLAIM} Sie hat zwei Türme.",
    "retrieved_contexts": ["Der Baumeister kam aus Wien. Die Kirche hat zwei Türme."],
    "proposal": {
        "proposer": "claude",
        "statements": [
            {"text": CLAIM, "verdict": "yes", "context": 0, "quote": "Der Baumeister kam aus Wien"},
            {"text": "Sie hat zwei Türme.", "verdict": "yes", "context": 0, "quote": "zwei Türme"},
        ],
    },
}  # fmt: skip


@pytest.fixture
def picture(picture: Any, press: Press) -> Callable[..., bool]:
    """Compares a sample that was accepted after some names were rejected and others turned; then keys."""

    def compare(
        sample: str, *keys: str, reject: tuple[str, ...] = (), turn: tuple[str, ...] = (), **own: Any
    ) -> bool:
        async def decide(pilot: Pilot[None]) -> None:
            for name in (*reject, *turn):
                listed = pilot.app.screen.query_one(UnitList)
                listed.move_to([unit.text for unit in listed.rows].index(name))
                await press(pilot, "x" if name in reject else "m")
            await press(pilot, "a", "u", "U")

        return bool(picture(*keys, sample=sample, before=decide, **own))

    return compare


TOWER = {"reject": ("Champ de Mars",), "turn": ("Gustave Eiffel", "University of Paris")}


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x36"])
def test_why(picture: Any, size: tuple[int, int]) -> None:
    """Both sides, the causes, what they sum to, and the evidence of the largest."""
    assert picture("tower", "w", size=size, **TOWER)


def test_why_light(picture: Any) -> None:
    """The light twin, on a row that both sides agree on."""
    assert picture("tower", "w", "k", size=LARGE, theme=LIGHT.name, **TOWER)


SCRIPTS = {"nevsky": "Огюст Монферран", "changcheng": "虎山", "nil": "مصر", "genji": "紫式部", "emoji": "Zoë"}


@pytest.mark.parametrize("sample", SCRIPTS)
def test_why_in_every_script(picture: Any, sample: str) -> None:
    """Columns stay in line whatever stands in them."""
    ungrounded = ("Atlantis",) if sample == "emoji" else ()
    assert picture(sample, "w", size=SMALL, reject=ungrounded, turn=(SCRIPTS[sample],))


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x36"])
def test_why_of_statements(picture: Any, import_rows: Any, size: tuple[int, int]) -> None:
    """A claim takes three lines on each side."""
    at = import_rows([CLAIMS], kinds=("statement",), name="claims")
    assert picture("kirche", "w", size=size, turn=(CLAIM,), at=at)


def test_why_without_units_on_one_side(picture: Any) -> None:
    """Nothing to share out, and it is said."""
    names = ("Friedrich Schiller", "9. Mai 1805", "Weimar")
    assert picture("schiller", "w", size=SMALL, reject=names)


def test_why_by_ragas(picture: Any) -> None:
    """ragas reports another number than the exact fraction."""
    assert picture("tower", "w", "s", "k", "k", "enter", size=LARGE, **TOWER)


def test_the_keys_of_the_why_screen(picture: Any) -> None:
    assert picture("tower", "w", "question_mark", size=SMALL, **TOWER)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x36"])
def test_the_causes_beside_the_tallies(picture: Any, size: tuple[int, int]) -> None:
    assert picture("tower", size=size, **TOWER)
