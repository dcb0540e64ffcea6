"""Why automatic and verified differ, by keys: from a changed and accepted sample to the causes."""

from __future__ import annotations

from typing import Any

from tests.rows import proposal, sample
from tests.tui.conftest import User, to_unit
from workbench.text.cells import width
from workbench.tui.screens.why import WhyScreen
from workbench.tui.widgets.tallies import Tallies


async def test_the_review_names_the_causes_beside_the_difference(user: User) -> None:
    async with user.opens("tower", size=(120, 36)) as app:
        to_unit(app, "Champ de Mars")
        await user.press("x")
        to_unit(app, "Gustave Eiffel")
        await user.press("m", "a", "u", "U")
        tallies = app.screen.query_one(Tallies)
        causes = "Δ +.23: false match Gustave Eiffel +.18, invented Champ de Mars +.05 (w)"
        assert tallies.text == f"name matching 5/6 .83   verified 3/5 .60   {causes}"
        assert tallies.content_size.height == 3
        lines = str(tallies.render()).split("\n")
        assert lines[:2] == ["name matching 5/6 .83   verified 3/5 .60", causes]
        await user.resize(80, 24)
        (line,) = str(tallies.render()).split("\n")
        assert line == "auto 5/6 .83   verified 3/5 .60   Δ +.23: false match Gustave Eiffel +.18, …"
        assert width(line) <= tallies.content_size.width


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
