"""Calibrate in the app: what it says, what a move shows, saving and using, by keys; pictures."""

import re
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from tests.lists import cases
from tests.tui.conftest import User
from tests.tui.starts import calibrated
from workbench.comparing.calibration import Figure
from workbench.comparing.intervals import Interval
from workbench.comparing.learning import PolicyChange
from workbench.reports.calibrate import ADVICE, what_next
from workbench.stages import calibrate as stage
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.tui.screens.calibrate import PURPOSE, CalibrateScreen, finding
from workbench.tui.screens.dialogs import ReadScreen
from workbench.tui.themes import LIGHT
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.threshold_plot import ThresholdPlot

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


async def test_probability_is_one_key_deeper_and_a_theme_redraws_the_picture(user: User, begin: Any) -> None:
    """The sentences of the fit are whole at 80 columns."""
    async with user.opens(database=begin(calibrated()), size=(80, 24)) as app:
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


BETTER, UNCLEAR = "95 may suit your reviews better: B.", "No threshold is clearly better than 85."
BACK, EARLY = "None is clearly better: go back to 85.", "The reviews cannot tell yet."


def test_a_threshold_is_called_better_for_a_gain_that_shows_and_is_no_chance(begin: Any) -> None:
    """None: fewer than ten groups cannot tell whether 95 is better than 85; .0004 prints as .000."""
    told = cases(__file__, "a threshold is called better for a gain that shows and is no chance")[1:]
    with closing(open_store(str(begin(calibrated())))) as store:
        found = stage.look(store, find_dataset(store, None).id, "bias")
    assert found.found is not None
    for better, gain, in_use, expected in told:
        ends = Interval(gain / 2, gain * 2) if better else None
        fit = replace(found.found, threshold=95, threshold_now=85, better=better, gain=Figure(gain, ends))
        look = replace(found, found=fit, moves=replace(found.moves, now=in_use))

        case = better, gain, in_use
        assert (case, expected) == (case, what_next(look))
        assert len(f"{PURPOSE} {expected}") <= 78
        assert (case, expected not in (UNCLEAR, BACK, EARLY)) == (case, finding(look)[0][0][0] == "✓ ")
        assert (case, expected == BETTER) == (case, "use match threshold 95" in what_next(look, ADVICE))
        assert (case, expected == BACK) == (case, "go back to match threshold 85" in what_next(look, ADVICE))
    # of few groups nobody can tell; a policy comes first: it decides which units a threshold is chosen on
    few = replace(found.found, threshold=85, threshold_now=85, better=None)
    early = replace(found, found=few, moves=replace(found.moves, now=85))
    dates = PolicyChange(
        "nested", found.info.policy, {"nested": (9, 9)}, 20, 0.3, 0.1, 0.4, Figure(0.2), True
    )
    first = replace(look, changes=(dates,))
    assert [EARLY, "Change the policy first: V."] == [what_next(early), what_next(first)]
