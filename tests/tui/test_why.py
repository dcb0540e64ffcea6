"""Why automatic and verified differ, by keys: from a changed and accepted sample to the causes."""

from __future__ import annotations

from typing import Any

from tests.rows import proposal, sample
from tests.tui.conftest import User
from workbench.tui.screens.why import WhyScreen


async def test_text_of_a_dataset_is_never_read_as_markup(user: User, import_rows: Any) -> None:
    """Markup stands there as it is written; what steers a terminal does not."""
    name = "[bold]Paris[/bold]\x1b[2J"
    given = proposal([name], [name], proposer="[b]claude")
    row = sample("[red]id", f"{name} is a city.", f"In {name}.", proposal=given)
    async with user.opens("[red]id", database=import_rows([row]), size=(120, 36)) as app:
        await user.press("m", "a", "u", "U", "w")
        assert isinstance(app.screen, WhyScreen)
        drawn = "\n".join(
            "".join(part.text for part in strip) for strip in app.screen._compositor.render_strips()
        )
        assert drawn.count("[bold]Paris[/bold]") >= 4
        assert "[red]id" in drawn
        assert "\x1b" not in drawn
