"""Calibrate in the app: what it says, what a move shows, saving and using, by keys; pictures."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from tests.rows import gold, naming
from tests.tui.conftest import User, said
from workbench.comparing.calibration import Figure
from workbench.comparing.intervals import Interval
from workbench.reports.calibrate import advice
from workbench.stages import calibrate as stage
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.tui.screens.calibrate import CalibrateScreen, finding, what_next
from workbench.tui.screens.dialogs import ConfirmScreen, ReadScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.themes import LIGHT
from workbench.tui.widgets.bars import Head
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.threshold_plot import ThresholdPlot

Press = Callable[..., Awaitable[None]]
MakeApp = Callable[..., Any]

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
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


@pytest.fixture
def calibrated(tmp_path: Path, empty_database: Path) -> Callable[..., Path]:
    """A database with `gold` verified samples and some that are not. `unkept`: nobody keeps the last name."""

    def put(gold: int = 24, more: int = 6, *, unkept: bool = False) -> Path:
        database, source = tmp_path / "wb.db", tmp_path / "rows.jsonl"
        shutil.copy(empty_database, database)
        rows = [row(place) for place in range(gold + more)]
        for one in rows[gold:]:
            del one["gold"]
        for one in rows if unkept else []:
            one["proposal"]["reference_entities"][-1]["label"] = "date"
            one.get("gold", {"entities": [0]})["entities"].pop()
        source.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
        store = open_store(str(database))
        import_file(
            store, source, ImportOptions(dataset="names", seed=7, blind=0.0, gold="given"), annotator="i"
        )
        store.close()
        return database

    return put


def numbers(app: Any) -> str:
    return str(app.screen.query_one("#numbers", Static).content)


async def test_moving_the_threshold_scores_all_samples_anew(
    user: User, calibrated: Callable[..., Path]
) -> None:
    async with user.opens(database=calibrated(), size=(80, 24)) as app:
        await user.press("K")
        before = numbers(app)
        await user.press("left", "left", "left")
        after = numbers(app)
        last = app.screen

    assert isinstance(last, CalibrateScreen)
    assert "85  in use" in before
    assert "all 30 samples\nautomatic   .200" in before
    assert "24 verified  24 groups\nautomatic   .200\nverified    .583\nbias        −.383" in before
    assert "match threshold 82" in after
    assert "all 30 samples\nautomatic   .600" in after
    assert "against 85\nunits       60 flip\nsamples     30 up, 0 down" in after


async def test_keys_move_by_one_by_five_to_the_best_and_back(
    user: User, calibrated: Callable[..., Path]
) -> None:
    """And `o` chooses by the other objective."""
    async with user.opens(database=calibrated(), size=(80, 24)) as app:
        await user.press("K")
        seen = []
        for name in (
            "left",
            "shift+left",
            "right",
            "shift+right",
            "B",
            "i",
            "shift+right",
            "shift+right",
            "shift+right",
            "right",
        ):
            await user.press(name)
            seen.append(app.screen.threshold)
        first = str(app.screen.query_one("#finding", Static).content)
        await user.press("O")
        second = str(app.screen.query_one("#finding", Static).content)

    assert [84, 79, 80, 85, 76, 85, 90, 95, 100, 100] == seen
    assert "for zero bias of recall" in first
    assert "for the F1 of verdicts" in second


async def test_the_chosen_threshold_is_saved_under_a_new_name_and_used_with_enter(
    user: User, calibrated: Callable[..., Path]
) -> None:
    """A name is taken once."""
    database = calibrated()
    async with user.opens(database=database, size=(80, 24)) as app:
        await user.press("K", "B", "enter", "enter")
        first = said(app)
        await user.press("enter", "backspace", "1", "enter")
        refused = str(app.screen.query_one("#hint", Static).content)
        await user.press("backspace", "2", "enter")
        used, title = said(app), app.screen.query_one(Head).text
        await user.press("escape")
        queue = app.screen

    store = open_store(str(database))
    info = find_dataset(store, None)
    names = [one.name for one in stage.list_calibrations(store, info.id)]
    store.close()
    assert "calibration-1 is in use" in first
    assert "there is one of that name" in refused
    assert "calibration-2 is in use" in used
    assert "calibration-2" in title
    assert isinstance(queue, QueueScreen)
    assert (["calibration-1", "calibration-2"], "calibration-2", 76) == (
        names,
        info.calibration,
        info.threshold,
    )


async def test_a_threshold_by_hand_is_asked_for_and_has_no_calibration(
    user: User, calibrated: Callable[..., Path]
) -> None:
    database = calibrated()
    async with user.opens(database=database, size=(80, 24)) as app:
        await user.press("K", "right", "enter")
        asked = app.screen
        await user.press("y")
        done = said(app)

    assert isinstance(asked, ConfirmScreen)
    assert "match threshold 86 is in use, without a calibration" in done
    store = open_store(str(database))
    info = find_dataset(store, None)
    store.close()
    assert ("", 86) == (info.calibration, info.threshold)


async def test_without_gold_it_says_what_to_do_and_still_moves(
    user: User, calibrated: Callable[..., Path]
) -> None:
    async with user.opens(database=calibrated(gold=3, more=9), size=(80, 24)) as app:
        await user.press("K", "left", "left", "left", "B")
        why = str(app.screen.query_one("#finding", Static).content)
        shown = numbers(app)
        last = app.screen

    assert "3 verified samples with units on both sides; 10 are needed: review more" in why
    assert 82 == last.threshold
    assert "all 12 samples\nautomatic   .600" in shown


@pytest.mark.parametrize("gold", [24, 3])
async def test_a_policy_that_the_reviews_ask_for_is_taken_with_one_key(
    user: User, calibrated: Callable[..., Path], gold: int
) -> None:
    database = calibrated(gold=gold, unkept=True)
    async with user.opens(database=database, size=(80, 24)) as app:
        await user.press("K")
        before = str(app.screen.query_one("#finding", Static).content)
        await user.press("V")
        asked = app.screen
        await user.press("y")
        done, after = said(app), str(app.screen.query_one("#finding", Static).content)
        await user.press("V")
        again = said(app)

    assert "V: do not count date: error " in before
    assert isinstance(asked, ConfirmScreen)
    assert "policy version 2 is current" in done
    assert "do not count" not in after
    assert "your reviews ask for no change of the policy" in again
    store = open_store(str(database))
    assert "date" not in find_dataset(store, None).policy.counted_labels
    store.close()


async def test_without_proposals_it_says_what_to_do(user: User, import_rows: Callable[..., Path]) -> None:
    bare = {"id": "a", "user_input": "q", "reference": "Rome.", "retrieved_contexts": []}
    async with user.opens(database=import_rows([bare]), size=(80, 24)) as app:
        await user.press("K", "left", "enter")
        empty = str(app.screen.query_one("#empty", Static).content)
        await user.press("escape")
        last = app.screen

    assert "nothing has been proposed yet: workbench propose" in empty
    assert isinstance(last, QueueScreen)


async def test_the_probability_is_one_key_deeper(user: User, calibrated: Callable[..., Path]) -> None:
    async with user.opens(database=calibrated(), size=(80, 24)) as app:
        await user.press("K", "L")
        deeper = app.screen
        table = deeper.query_one(Passage).text
        await user.press("escape")
        last = app.screen

    assert isinstance(deeper, ReadScreen)
    assert "probability of a match (Platt, cross-validated)" in table
    assert isinstance(last, CalibrateScreen)


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


@pytest.mark.parametrize(
    ("better", "gain", "in_use", "expected"),
    [
        (True, 0.02, 85, "95 may suit your reviews better: B."),
        (True, 0.0004, 85, "No threshold is clearly better than 85."),  # it prints as .000
        (False, 0.02, 85, "No threshold is clearly better than 85."),
        (None, 0.02, 85, "No threshold is clearly better than 85."),  # fewer than ten groups
        (True, 0.02, 90, "95 may suit your reviews better: B."),  # a calibration is in use
        (False, 0.02, 90, "No threshold is clearly better than 85."),
        (True, 0.02, 95, "95 suits your reviews: keep it."),
    ],
)
async def test_a_threshold_is_called_better_for_a_gain_that_shows_and_is_no_chance(
    user: User, calibrated: Callable[..., Path], better: bool | None, gain: float, in_use: int, expected: str
) -> None:
    async with user.opens(database=calibrated(), size=(80, 24)) as app:
        await user.press("K")
        look = app.screen.look
    assert look.found is not None
    ends = Interval(gain / 2, gain * 2) if better else None
    fit = replace(look.found, threshold=95, threshold_now=85, better=better, gain=Figure(gain, ends))
    look = replace(look, found=fit, moves=replace(look.moves, now=in_use))

    assert f"How alike must two names be to match? {expected}" == what_next(look)
    assert len(what_next(look)) <= 78
    assert (finding(look)[0][0][0] == "✓ ") == ("clearly" not in expected)
    assert ("use match threshold 95" in advice(look)) == ("may suit" in expected)


def test_picture_without_gold(picture: Any) -> None:
    assert picture(size=(80, 24), gold=3)


def test_picture_in_the_terminals_own_colours(picture: Any) -> None:
    assert picture("left", size=(80, 24), theme="ansi-dark")


async def test_a_new_theme_redraws_the_picture(user: User, calibrated: Callable[..., Path]) -> None:
    async with user.opens(database=calibrated(), size=(80, 24)) as app:
        await user.press("K")
        app.theme = LIGHT.name
        await user.settle()
        plot = app.screen.query_one(ThresholdPlot).query_one("#plot")
        styles = {style for line in plot._styles for style in line}

    assert any(str(LIGHT.primary).lower() in style.lower() for style in styles)


async def test_the_sentences_of_a_fit_are_whole_at_80_columns(
    user: User, calibrated: Callable[..., Path]
) -> None:
    async with user.opens(database=calibrated(), size=(80, 24)) as app:
        await user.press("K")
        assert isinstance(app.screen, CalibrateScreen)
        gathered = replace(app.screen.shown.gathered, assisted=14)
        lines = finding(replace(app.screen.shown, gathered=gathered))
        room = app.screen.query_one("#finding").content_size.width
        texts = ["".join(text for text, _ in line) for line in lines]

    assert re.search(r"without each of \d+ folds: .*; 14 with suggestions in view", texts[-1])
    assert [] == [text for text in texts if len(text) > room]
