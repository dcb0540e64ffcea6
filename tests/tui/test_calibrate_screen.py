"""Calibrate in the app: what it says, what a move shows, saving and using, by keys; pictures."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.rows import gold, naming
from tests.tui.conftest import SIZES, User, said, shown
from workbench.comparing.calibration import Figure
from workbench.comparing.intervals import Interval
from workbench.reports.calibrate import advice
from workbench.stages import calibrate as stage
from workbench.stages.recompute import save_counted
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store
from workbench.tui.screens.calibrate import CalibrateScreen, finding, what_next
from workbench.tui.screens.dialogs import ConfirmScreen, ReadScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.themes import LIGHT
from workbench.tui.widgets.bars import Head
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.threshold_plot import ThresholdPlot

NEAR = {
    "Johann Strauss": "Johan Straus",
    "Saint Petersburg": "Petersberg",
    "Elizabeth Bennett": "Elisabeth Benett",
}
"""Names with what the contexts have in their place: 82, 69 and 84 alike."""

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


def row(place: int) -> dict[str, Any]:
    """At 85 a sample finds Rome only; people find what is 82 alike, and sometimes what is 69 alike."""
    said = {
        "Johann Strauss": "found",
        "Elizabeth Bennett": "found" if place % 3 else "missing",
        "Saint Petersburg": "missing" if place % 4 else "found",
        "Rome": "found",
        "Oslo": "missing",
    }
    inside = [NEAR.get(name, name) for name in said if name != "Oslo"]
    own = {"user_input": f"question {place}", "gold": gold(said)}
    return naming(f"s{place:02}", said, inside, also=f" {place}", **own)


def count(store: Store) -> None:
    """What the screen would count before it shows anything; one set of samples is left to it."""
    chunk = stage.next_uncounted(store, find_dataset(store, None).id)
    assert chunk is not None
    save_counted(store, chunk)


@pytest.fixture
def calibrated(import_rows: Callable[..., Path]) -> Callable[..., Path]:
    """A database with `gold` verified samples and some that are not. `unkept`: nobody keeps the last name."""

    def put(gold: int = 24, more: int = 6, *, unkept: bool = False) -> Path:
        rows = [row(place) for place in range(gold + more)]
        for one in rows[gold:]:
            del one["gold"]
        for one in rows if unkept else []:
            one["proposal"]["reference_entities"][-1]["label"] = "date"
            one.get("gold", {"entities": [0]})["entities"].pop()
        return import_rows(rows, name="names", gold="given", then=count if gold == 24 else None)

    return put


async def test_keys_move_the_threshold_and_all_samples_are_scored_anew(
    user: User, calibrated: Callable[..., Path]
) -> None:
    """By one, by five, to the best and back; `O` chooses by the other objective."""
    async with user.opens(database=calibrated(), size=(80, 24)) as app:
        await user.press("K")
        numbers = shown(app, "#numbers")
        assert "85  in use" in numbers
        assert "all 30 samples\nautomatic     .200" in numbers
        assert (
            "24 verified  24 groups\nautomatic     .200\nverified      .583\nbias          −.383" in numbers
        )
        await user.press("left", "left", "left")
        numbers = shown(app, "#numbers")
        assert "match threshold 82" in numbers
        assert "all 30 samples\nautomatic     .600" in numbers
        assert "against 85\nunits         60 flip\nsamples       30 up, 0 down" in numbers
        for name, threshold in (
            ("shift+left", 77), ("right", 78), ("shift+right", 83), ("B", 76), ("i", 85), ("shift+right", 90),
            ("shift+right", 95), ("shift+right", 100), ("right", 100),
        ):  # fmt: skip
            await user.press(name)
            assert (name, threshold) == (name, app.screen.threshold)
        assert "for zero bias of recall" in shown(app, "#finding")
        await user.press("O")
        assert "for the F1 of verdicts" in shown(app, "#finding")


async def test_a_threshold_is_used_with_enter_as_a_calibration_of_a_new_name_or_by_hand(
    user: User, calibrated: Callable[..., Path]
) -> None:
    """A name is taken once; a threshold by hand is asked for and has no calibration."""

    def used() -> tuple[str, int]:
        info = find_dataset(user.store, None)
        return info.calibration, info.threshold

    async with user.opens(database=calibrated(), size=(80, 24)) as app:
        await user.press("K", "B", "enter", "enter")
        assert "calibration-1 is in use" in said(app)
        await user.press("enter", "backspace", "1", "enter")
        assert "there is one of that name" in shown(app, "#hint")
        await user.press("backspace", "2", "enter")
        assert "calibration-2 is in use" in said(app)
        assert "calibration-2" in app.screen.query_one(Head).text
        assert ("calibration-2", 76) == used()
        await user.press("right", "enter")
        assert isinstance(app.screen, ConfirmScreen)
        await user.press("y")
        assert "match threshold 77 is in use, without a calibration" in said(app)
        await user.press("escape")
        assert isinstance(app.screen, QueueScreen)

    assert ("", 77) == used()
    names = [one.name for one in stage.list_calibrations(user.store, find_dataset(user.store, None).id)]
    assert ["calibration-1", "calibration-2"] == names


async def test_without_gold_it_says_what_to_do_and_still_moves(
    user: User, calibrated: Callable[..., Path]
) -> None:
    async with user.opens(database=calibrated(gold=3, more=9), size=(80, 24)) as app:
        await user.press("K", "left", "left", "left", "B")
        why = "3 verified samples with units on both sides; 10 are needed: review more"
        assert why in shown(app, "#finding")
        assert 82 == app.screen.threshold
        assert "all 12 samples\nautomatic     .600" in shown(app, "#numbers")


@pytest.mark.parametrize("gold", [24, 3])
async def test_a_policy_that_the_reviews_ask_for_is_taken_with_one_key(
    user: User, calibrated: Callable[..., Path], gold: int
) -> None:
    async with user.opens(database=calibrated(gold=gold, unkept=True), size=(80, 24)) as app:
        await user.press("K")
        assert "V: do not count date: error " in shown(app, "#finding")
        await user.press("V")
        assert isinstance(app.screen, ConfirmScreen)
        await user.press("y")
        assert "policy version 2 is current" in said(app)
        assert "do not count" not in shown(app, "#finding")
        await user.press("V")
        assert "your reviews ask for no change of the policy" in said(app)
    assert "date" not in find_dataset(user.store, None).policy.counted_labels


async def test_without_proposals_it_says_what_to_do(user: User, import_rows: Callable[..., Path]) -> None:
    bare = {"id": "a", "user_input": "q", "reference": "Rome.", "retrieved_contexts": []}
    async with user.opens(database=import_rows([bare]), size=(80, 24)) as app:
        await user.press("K", "left", "enter")
        assert "nothing has been proposed yet: workbench propose" in shown(app, "#empty")
        await user.press("escape")
        assert isinstance(app.screen, QueueScreen)


async def test_the_probability_is_one_key_deeper_and_a_theme_redraws_the_picture_behind(
    user: User, calibrated: Callable[..., Path]
) -> None:
    """The sentences of the fit are whole at 80 columns."""
    async with user.opens(database=calibrated(), size=(80, 24)) as app:
        await user.press("K", "L")
        assert isinstance(app.screen, ReadScreen)
        table = app.screen.query_one(Passage).text
        assert "probability of a match (cross-validated)" in table
        await user.press("escape")
        assert isinstance(app.screen, CalibrateScreen)

        look = app.screen.shown
        lines = finding(replace(look, gathered=replace(look.gathered, assisted=14)))
        texts = ["".join(text for text, _ in line) for line in lines]
        assert re.search(r"without each of \d+ folds: .*; 14 with suggestions in view", texts[-1])
        room = app.screen.query_one("#finding").content_size.width
        assert [] == [text for text in texts if len(text) > room]

        app.theme = LIGHT.name
        await user.settle()
        plot: Any = app.screen.query_one(ThresholdPlot).query_one("#plot")
        styles = {style for line in plot._styles for style in line}
        assert any(str(LIGHT.primary).lower() in style.lower() for style in styles)


@pytest.fixture
def picture(picture: Any, calibrated: Callable[..., Path]) -> Callable[..., bool]:
    """Compares the screen after some keys."""

    def compare(*keys: str, gold: int = 24, **own: Any) -> bool:
        return bool(picture("K", *keys, at=calibrated(gold), **own))

    return compare


@SIZES
def test_picture_of_a_threshold_that_is_not_in_use(picture: Any, size: tuple[int, int]) -> None:
    assert picture("left", "left", "left", size=size)


def test_picture_in_light(picture: Any) -> None:
    assert picture("B", size=(120, 36), theme=LIGHT.name)


BETTER, UNCLEAR = "95 may suit your reviews better: B.", "No threshold is clearly better than 85."
ADVICE: list[tuple[bool | None, float, int, str]] = [
    (True, 0.02, 85, BETTER),
    (True, 0.0004, 85, UNCLEAR),  # it prints as .000
    (False, 0.02, 85, UNCLEAR),
    (None, 0.02, 85, UNCLEAR),  # fewer than ten groups
    (True, 0.02, 90, BETTER),  # a calibration is in use
    (False, 0.02, 90, UNCLEAR),
    (True, 0.02, 95, "95 suits your reviews: keep it."),
]
"""Whether 95 is better than 85, by how much, what is in use, and what is said then."""


def test_a_threshold_is_called_better_for_a_gain_that_shows_and_is_no_chance(
    calibrated: Callable[..., Path],
) -> None:
    with closing(open_store(str(calibrated()))) as store:
        found = stage.look(store, find_dataset(store, None).id, "bias")
    assert found.found is not None
    for better, gain, in_use, expected in ADVICE:
        ends = Interval(gain / 2, gain * 2) if better else None
        fit = replace(found.found, threshold=95, threshold_now=85, better=better, gain=Figure(gain, ends))
        look = replace(found, found=fit, moves=replace(found.moves, now=in_use))

        case = better, gain, in_use
        assert (case, f"How alike must two names be to match? {expected}") == (case, what_next(look))
        assert len(what_next(look)) <= 78
        assert (case, expected != UNCLEAR) == (case, finding(look)[0][0][0] == "✓ ")
        assert (case, expected == BETTER) == (case, "use match threshold 95" in advice(look))


def test_picture_without_gold(picture: Any) -> None:
    assert picture(size=(80, 24), gold=3)


def test_picture_in_the_terminals_own_colours(picture: Any) -> None:
    assert picture("left", size=(80, 24), theme="ansi-dark")
