"""A person who is trained: samples with known answers first, what differs after each, then the others."""

from __future__ import annotations

import pytest

from tests.tui.conftest import User
from tests.tui.teams import decide
from workbench.stages import training
from workbench.stages.people import Person, add_person
from workbench.store.datasets import find_dataset
from workbench.tui.widgets.bars import Bar, Head, Status
from workbench.tui.widgets.passage import Passage


def train(user: User, mark: float) -> None:
    """Schiller is known: the owner took his day of death out. bo is an annotator."""
    info = find_dataset(user.store, None)
    decide(user.store, "ann", "schiller", reject=["9. Mai 1805"])
    for name, role in (("ann", "owner"), ("bo", "annotator")):
        add_person(user.store, "ann", Person(name, role, adjudicator=False, disabled=False))
    training.begin(user.store, info, "ann", "id:schiller", mark)


@pytest.mark.parametrize(
    ("mark", "head", "said"),
    [
        (0.5, "cities", "You passed the training: units .80, verdicts 1.00."),
        (0.9, "cities · training of bo", "Not passed: units .80, verdicts 1.00; the pass mark is .90."),
    ],
)
async def test_what_differs_is_shown_after_a_sample_and_who_passed_gets_the_others(
    user: User, mark: float, head: str, said: str
) -> None:
    train(user, mark)
    async with user.opens(annotator="bo") as app:
        await user.settle()
        assert "Training: 0 of 1 sample decided. The pass mark is" in app.screen.query_one(Status).text
        assert 1 == app.screen.samples.count
        assert ("training", "samples whose answers are known") == app.screen.views.names["u"]
        await user.press("space")
        await user.press("a")
        assert "The known answer of schiller" in app.screen.query_one("#title", Bar).text
        assert "+ 9. Mai 1805: only you have it" in app.screen.query_one(Passage).text
        await user.press("escape")
        assert said in app.screen.query_one(Status).text
        assert head == app.screen.query_one(Head).text.partition("  ")[0]
