"""Why automatic and verified differ, by keys: from a changed and accepted sample to the causes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.widgets import Static

from tests.rows import proposal, sample
from tests.tui.conftest import User, shown, to_unit
from tests.tui.teams import decide
from workbench.store.engine import open_store
from workbench.text.cells import width
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.screens.why import WhyScreen
from workbench.tui.widgets.bars import Bar, Head, KeyBar, Status
from workbench.tui.widgets.cause_list import CauseList
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.tallies import Tallies

OpensWhy = Callable[..., AbstractAsyncContextManager[Any]]


async def change(user: User, app: Any) -> None:
    """The tower: Champ de Mars rejected, Gustave Eiffel missing, accepted, and back to it."""
    await user.review("tower")
    to_unit(app, "Champ de Mars")
    await user.press("x")
    to_unit(app, "Gustave Eiffel")
    await user.press("m", "a", "u", "U")
    assert isinstance(app.screen, ReviewScreen)


@pytest.fixture
def opens_why(user: User) -> OpensWhy:
    """The app at the causes of the sample that was changed, after some keys more."""

    @asynccontextmanager
    async def go(*keys: str, **own: Any) -> AsyncIterator[Any]:
        async with user.opens(**own) as app:
            await change(user, app)
            await user.press("w", *keys)
            yield app

    return go


def rows(app: Any) -> list[tuple[str, str, str, str]]:
    listed = app.screen.query_one(CauseList)
    sides = [(one.automatic, one.verified) for one in listed.rows]
    return [
        (
            one.text if one else "—",
            other.text if other else "—",
            listed.rows[index].cause,
            listed.shares[index],
        )
        for index, (one, other) in enumerate(sides)
    ]


def cause(app: Any) -> str:
    content = app.screen.query_one("#cause", Static).render()
    assert isinstance(content, Content)
    return content.plain


async def test_from_an_accepted_sample_to_the_causes_that_sum_to_the_difference(
    user: User, opens_why: OpensWhy
) -> None:
    """linked finds 5 of 6; verified are 3 of 5: +7/30, which the shares of two units make up.

    The row under the cursor is explained. It starts on the largest share; j and k move, tab goes to the next
    difference, a click chooses a row, y copies it.
    """
    async with opens_why(size=(120, 36)) as app:
        assert isinstance(app.screen, WhyScreen)
        assert app.screen.query_one("#values", Bar).text == (
            "name matching · claude-run-1 5/6 .83   verified by ann 3/5 .60 Δ +.23"
        )
        assert rows(app) == [
            ("Eiffel Tower", "Eiffel Tower", "", ".00"),
            ("Champ de Mars", "—", "invented unit", "+.05"),
            ("Paris", "Paris", "", ".00"),
            ("Gustave Eiffel", "Gustave Eiffel", "false match", "+.18"),
            ("1889", "1889", "", ".00"),
            ("University of Paris", "University of Paris", "", ".00"),
        ]
        assert app.screen.query_one("#sum", Bar).text == "5/6 − 3/5 = +7/30the causes add up to +.23 "
        assert "false match 1 +.18 · invented unit 1 +.05" in shown(app, "#totals")

        assert cause(app).splitlines() == [
            "false match: another name +.18 (exactly +11/60)  matched to a name; a person says missing",
            "Fix: the names are equal: check the verdict (another entity?)",
            "the same unit, as it was proposed",
        ]
        ours, theirs = (app.screen.query_one(name, Passage).text for name in ("#automatic", "#verified"))
        assert "1: “Gustave Eiffel”" in ours
        assert "missing: absent, your decision" in theirs
        await user.press("y")
        assert app.clipboard == "Gustave Eiffel | Gustave Eiffel · false match: another name +.18"
        await user.press("tab")
        invented = "invented unit +.05 (exactly +1/20)  suggested, but not in the verified list"
        assert cause(app).splitlines()[0] == invented
        assert app.screen.query_one("#verified", Passage).text == ""
        await user.press("k")
        assert cause(app).splitlines() == ["both sides agree", "the same unit, as it was proposed"]
        await user.press("shift+tab", "j", "j")
        assert app.screen.query_one(CauseList).cursor == 5
        await user.pilot.click(CauseList, offset=(10, 1))
        await user.settle()
        assert cause(app).startswith(invented)
        await user.press("t")
        assert app.screen.query_one(Status).text == "this dataset reviews one kind only"


async def test_only_a_unit_whose_label_text_or_place_changed_was_edited(user: User) -> None:
    """A verdict is no edit of the unit."""
    async with user.opens(size=(120, 36)) as app:
        await change(user, app)
        to_unit(app, "Paris")
        await user.press("8", "w")
        causes = app.screen.query_one(CauseList)
        lines = {}
        for index, row in enumerate(causes.rows):
            causes.move_to(index)
            await user.press()
            if row.automatic and row.verified:
                lines[row.verified.text] = cause(app).splitlines()[-1]

    assert "the same unit, edited by a reviewer" == lines.pop("Paris")
    assert {"the same unit, as it was proposed"} == {*lines.values()}


@pytest.fixture
def demo(demo: Path) -> Path:
    """The demo, of which bob accepted one sample as it was proposed."""
    with closing(open_store(str(demo))) as store:
        decide(store, "bob", "www")
    return demo


FORM = ["missed match: another form", "a context names it in another form"]
KNOWN = "Fix: none here: name matching knows it, your number was counted without it"
MISSED = [
    ("www", "World Wide Web", [*FORM, KNOWN], "found: acronym"),
    ("www", "Tim Berners-Lee", [*FORM, KNOWN], "found: the same name with “Sir”"),
    (
        "volcano", "Eyjafjallajökull",
        ["missed match: Unicode form", "a context has the same letters in another Unicode form",
         "Fix: bring all texts to one Unicode form (NFC), or use name matching"],
        "found",
    ),
    (
        "tolstoy", "1869",
        ["missed match: not by itself", "a context has this name, but it was not extracted by itself",
         "Fix: tell the proposer to extract this from the contexts"],
        "found",
    ),
    (
        "machu-picchu", "siglo XV",
        [*FORM, "Fix: press = in the review: it teaches the matcher this other name"], "found",
    ),
]  # fmt: skip
"""Missed names by their sample: what is said of them, and of the verified unit."""


async def test_a_missed_name_says_what_it_differs_in_and_what_helps(user: User, demo: Path) -> None:
    """`=` is advised only where the matcher does not match the two already."""
    async with user.opens(database=demo, size=(80, 24), annotator="bob") as app:
        for sample, name, (what, reason, fix), pane in MISSED:
            await user.review(sample)
            await user.press("w")
            listed = app.screen.query_one(CauseList)
            listed.move_to([row.verified.text if row.verified else "" for row in listed.rows].index(name))
            await user.press()
            first, second, *_ = cause(app).splitlines()
            assert first.startswith(what), name
            assert first.endswith(reason), name
            assert fix == second
            assert 80 >= width(second)
            assert pane in app.screen.query_one("#verified", Passage).text
            await user.press("b", "b")


async def test_another_scorer_is_chosen_from_a_menu_as_in_compare(user: User, opens_why: OpensWhy) -> None:
    async with opens_why("s", "j", "enter", size=(120, 36)) as app:
        values = app.screen.query_one("#values", Bar)
        assert values.text.startswith("text search · claude-run-1 4/6 .67")
        await user.press("s", "k", "k", "k", "enter")
        assert values.text.startswith("ragas · claude-run-1 5/6 .83 (reports 0.8333333319)")
        await user.press("ы", "j", "j", "enter")
        assert values.text.startswith("name matching · claude-run-1 5/6 .83")


async def test_the_way_back_leads_to_the_review(user: User, opens_why: OpensWhy) -> None:
    """Three keys do; the bar names one, and what there is to do."""
    async with opens_why(size=(80, 24)) as app:
        bar = "s scorer  tab next difference  y copy  esc back  ctrl+p more  ? help"
        for key in ("escape", "b", "w"):
            assert bar == shown(app, KeyBar)
            await user.press(key)
            assert isinstance(app.screen, ReviewScreen)
            assert app.screen.pane.now.sample.id == "tower"
            await user.press("w")


async def test_keys_typed_at_once_act_in_order(opens_why: OpensWhy) -> None:
    """On a slow line w, s, its choice, back and u come together; the u undoes the accept, on the review."""
    async with opens_why("s", "j", "enter", "b", "u") as app:
        assert isinstance(app.screen, ReviewScreen)
        assert app.screen.pane.now.state.entity.disposition == "started"


async def test_an_excluded_sample_has_no_why(user: User) -> None:
    async with user.opens("tower") as app:
        await user.press("X", "1", "enter", "u", "U", "w")
        assert isinstance(app.screen, ReviewScreen)
        said = app.screen.query_one(Status).text
        assert said == "this sample is not counted: there is no verified value to compare with"


async def test_statements_side_by_side(user: User, import_rows: Any) -> None:
    """A claim takes several lines; t goes to the entities and back."""
    claim = "The tower was built by the company of Gustave Eiffel for the World's Fair of 1889 in Paris."
    given = proposal(["Paris"], [], statements=[{"text": claim, "verdict": "yes"}])
    row = sample("claims", claim, "Nothing of it.", proposal=given)
    async with user.opens(
        "claims", database=import_rows([row], kinds=("entity", "statement")), size=(80, 24)
    ) as app:
        await user.press("a", "m", "a")
        await user.press("u", "U")
        assert isinstance(app.screen, ReviewScreen)
        await user.press("w")
        assert app.screen.query_one(Head).text.startswith("Why automatic and verified differ  statements")
        assert rows(app) == [(claim, claim, "false match", "+1.00")]
        listed = app.screen.query_one(CauseList)
        assert listed.place(0) == (0, 3)
        await user.press("t")
        assert rows(app) == [("Paris", "Paris", "", ".00")]
        await user.press("t")
        assert rows(app)[0][0] == claim


async def test_the_review_names_the_causes_beside_the_difference(user: User) -> None:
    async with user.opens(size=(120, 36)) as app:
        await change(user, app)
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


async def test_a_unit_has_one_figure_in_its_row_its_cause_and_the_review(user: User) -> None:
    """Three units of one sixth each: no one of them is rounded otherwise so that a sum comes out."""
    async with user.opens("tower", size=(120, 36)) as app:
        for name in ("Gustave Eiffel", "1889", "Paris"):
            to_unit(app, name)
            await user.press("m")
        await user.press("a", "u", "U")
        review = app.screen.pane.tallies.text
        await user.press("w")
        shares = [share for _, _, why, share in rows(app) if why]
        first = cause(app).splitlines()[0]

    assert ["+.17", "+.17", "+.17"] == shares
    assert "false match Paris +.17, false match Gustave Eiffel +.17, false match 1889 +.17" in review
    assert first.startswith("false match: another name +.17 (exactly +1/6)")


async def test_only_the_verified_side_has_what_others_verified(user: User, opens_why: OpensWhy) -> None:
    decide(user.store, "bob")
    async with opens_why(size=(120, 36)) as app:
        ours, theirs = (app.screen.query_one(name, Passage).text for name in ("#automatic", "#verified"))

    assert "bob: ● found in 1 · person" in theirs
    assert "bob" not in ours
