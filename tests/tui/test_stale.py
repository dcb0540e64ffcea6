"""A changed policy: what was verified under the old one comes again, says so, and is verified anew."""

from __future__ import annotations

from tests.tui.conftest import User
from workbench.formats.policy import to_toml
from workbench.stages.policy import change_policy
from workbench.store.datasets import find_dataset
from workbench.tui.widgets.bars import Head
from workbench.tui.widgets.passage import Passage


async def test_a_stale_review_is_said_and_accepting_it_verifies_it_anew(user: User) -> None:
    """The units stay as they were verified; only the version moves on."""
    async with user.opens("schiller", size=(120, 36)) as app:
        await user.press("x", "a")
        info = find_dataset(user.store, None)
        text = to_toml(info.policy).replace("Missing: it is not", "Missing: it is nowhere")
        assert change_policy(user.store, info, text, "lead").stale == ("schiller",)

        await user.press("b")
        await user.review("schiller")
        assert "↻ verified under policy 1" in app.screen.query_one(Head).text
        await user.press("g")
        said = app.screen.query_one(Passage).text
        assert "Missing: it is nowhere" in said
        assert "verified under version 1" in said
        assert "2  " in said
        assert "lead: guidelines reworded" in said
        await user.press("escape", "a")

    opened = user.stored("schiller")
    assert opened.state.entity.policy == 2
    assert not opened.stale("entity")
    assert [unit.rejected for unit in opened.state.entity.assessment.units].count(True) == 1
