"""Places in the texts: search, contexts, evidence, merging and splitting, by what a person presses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rows import units
from tests.tui.conftest import User, said, to_unit
from workbench.tui.screens.evidence import EvidenceScreen
from workbench.tui.screens.finding import FindScreen
from workbench.tui.screens.pick import PickScreen
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.bars import Bar
from workbench.tui.widgets.passage import Contexts, Passage
from workbench.tui.widgets.unit_list import UnitList

LONG = " ".join(f"Sentence {number} says nothing of note." for number in range(400))


@pytest.fixture
def many(import_rows: Any, rows: Any) -> Path:
    """One sample with five contexts: one is long, two say where the tower stands, one says the year."""
    tower = rows[0]
    tower["retrieved_contexts"] += [
        LONG + " At the end the Café of the Eiffel Tower. " + LONG,
        "Nothing here.",
        "The cafe CAFÉ again; built from 1887 to 1889, near the Seine.",
    ]
    tower["proposal"]["context_entities"] += [[], [], []]
    path: Path = import_rows(rows[:1])
    return path


def count(app: Any) -> str:
    return str(app.screen.query_one("#count", Bar).text).strip()


def shown(app: Any) -> ReviewScreen:
    """The review, also under a dialog."""
    return next(screen for screen in app.screen_stack if isinstance(screen, ReviewScreen))


def visible(passage: Passage) -> str:
    start, end = passage.visible_span()
    return passage.text[start:end]


async def test_find_goes_through_reference_and_contexts(user: User, many: Path) -> None:
    """Case and accents do not matter; every place is counted, and the long context scrolls to its place."""
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        context = app.screen.query_one(Contexts)
        await user.press("slash", *"CAFE")
        assert isinstance(app.screen, FindScreen)
        assert count(app) == "1 of 3 · context 3"
        await user.press("enter")
        assert said(app).startswith("1 of 3 · context 3")
        assert "Café of the Eiffel Tower" in visible(context)
        await user.press("f3")
        assert said(app).startswith("2 of 3 · context 5")
        assert 4 == context.current
        await user.press("slash", "enter", "slash", "enter")
        assert said(app).startswith("1 of 3 · context 3")
        await user.press("shift+f3")
        assert said(app).startswith("3 of 3 · context 5")
        await user.press("shift+f3", "f15", "slash", "f3", "enter", "slash", "up", "enter", "f3", "f3")
        assert said(app).startswith("3 of 3 · context 5")
        await user.press("slash", *"tower", "f3", "enter")
        assert said(app).startswith("1 of 6 · reference")


async def test_find_starts_where_one_stood_and_escape_forgets_it(user: User, many: Path) -> None:
    """A second search goes on from the place of the first; Escape in the line goes back, later it clears.

    Until then all places in sight are marked, in reference and context alike; edits keep them.
    """
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        reference, context = app.screen.query_one("#reference", Passage), app.screen.query_one(Contexts)
        await user.press("slash", *"eiffel", "enter")
        marked = [[(one.role, one.start) for one in pane._places] for pane in (reference, context)]
        assert marked == [[("here", 4), ("place", 63)], [("place", 4), ("place", 106), ("place", 14128)]]
        await user.press("M")
        assert [len(pane._places) for pane in (reference, context)] == [2, 3]
        await user.press("escape", "slash", *"seine", "enter", "f3")
        assert said(app).startswith("2 of 2 · context 5")
        await user.press("slash", *"eiffel", "enter")
        assert said(app).startswith("6 of 6 · question")
        await user.press("f3", "f3", "f3")
        assert said(app).startswith("3 of 6 · context 1")
        assert context._places
        await user.press("slash", *"nothing here")
        assert 3 == context.current
        await user.press("escape")
        assert 0 == context.current
        assert not context._places
        await user.press("slash", *"zebra")
        assert count(app) == "nothing found"
        await user.press("enter", "escape")
        assert said(app) == ""
        await user.press("slash", *"tower?", "enter")
        assert said(app).startswith("1 of 1 · question")


async def test_what_is_typed_while_a_search_runs_is_not_lost(user: User, many: Path) -> None:
    """Letters, steps and Enter in one burst act on the whole of what was typed."""
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        await user.press("slash", *"seine", "enter", "j", "slash", *"1889", "enter", "f3")
        # From the beginning, or from the Seine of the reference if that was found before the second search.
        assert said(app).startswith(("2 of 3 · context 2", "3 of 3 · context 5"))


async def test_undo_goes_to_the_unit_and_says_what_it_undid(user: User) -> None:
    """In the words in which it was said when it was done; redo likewise, also from the queue."""
    async with user.opens("tower", size=(120, 36)) as app:
        to_unit(app, "Champ de Mars")
        await user.press("x")
        to_unit(app, "1889")
        await user.press("5", "full_stop", "m")
        to_unit(app, "Paris")
        for key, expected, unit in (
            ("u", "✓ undid on tower: 1889; is missing", "1889;"),
            ("u", "✓ undid on tower: moved an edge: 1889;", "1889"),
            ("u", "✓ undid on tower: 1889 is now number", "1889"),
            ("u", "✓ undid on tower: rejected Champ de Mars", "Champ de Mars"),
            ("U", "✓ redone on tower: rejected Champ de Mars", "Champ de Mars"),
        ):
            await user.press(key)
            assert (said(app), app.screen.query_one(UnitList).chosen.text) == (expected, unit)
        await user.press("x", "x", "b", "u")
        assert said(app) == "✓ undid on tower: rejected Champ de Mars; b: queue"
        assert app.screen.query_one(UnitList).chosen.text == "Champ de Mars"
        await user.press("a", "u")
        assert (app.screen.pane.now.sample.id, said(app)) == (
            "tower",
            "✓ undid on tower: accepted the entities",
        )
        await user.press("f", *"odd", "enter", "S", "u")
        assert said(app) == "✓ undid on tower: skipped"
        await user.press("u")
        assert said(app) == "✓ undid on tower: flagged: odd"


def evidence(user: User, text: str) -> tuple[Any, ...]:
    """The verdict on an entity of the tower, the rule, and what its evidence reads."""
    match, contexts = user.units("tower")[text].match, user.stored("tower").sample.retrieved_contexts
    return (match.verdict, match.rule, *(contexts[e.context][e.start : e.end] for e in match.evidence))


async def test_the_nearest_passage_is_evidence_by_two_presses(user: User, many: Path) -> None:
    """`e` lists passages over all contexts with their context number, a digit takes one; `e 0` drops it.

    The nearest stand below a missing unit, likeness in bold, in a pane that keeps its height.
    """
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        context, detail = app.screen.query_one(Contexts), app.screen.query_one("#detail", Passage)
        height = detail.size.height
        to_unit(app, "University of Paris")
        await user.press()
        assert detail.text.splitlines()[2] == "1 · 1: … lattice tower in Paris, France."
        (mark,) = (mark for mark in detail.marks if mark.role == "like")
        assert detail.text[mark.start : mark.end] == "Paris"
        await user.press("j")
        assert "1 · " not in detail.text
        assert detail.size.height == height
        await user.press("k", "e")
        assert isinstance(app.screen, EvidenceScreen)
        offered = "1 · context 1: The Eiffel Tower is a wrought-iron lattice tower in Paris, France."
        assert offered == app.screen.query_one("#offers", Passage).text
        await user.press("7")
        assert said(shown(app)) == "only 1 offered: e picks words of a context, / searches"
        await user.press("right_square_bracket")
        assert 1 == context.current
        await user.press("j")
        assert 0 == context.current
        assert [one.role for one in context._places] == ["passage"]
        await user.press("escape")
        assert context._places == ()
        await user.press("e", "1")
        sentence = "The Eiffel Tower is a wrought-iron lattice tower in Paris, France."
        assert evidence(user, "University of Paris") == ("found", "human", sentence)
        assert said(app) == "✓ University of Paris is found in context 1"
        await user.press("e", "0")
        assert evidence(user, "University of Paris") == ("found", "human")
        await user.press("e", "backspace")
        assert said(app) == "this unit has no evidence to take away"


async def test_evidence_by_letters_in_the_context(user: User, many: Path) -> None:
    """`e e`, then the letters of the first token and of the last; the context can be paged before."""
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        to_unit(app, "Paris")
        await user.press("e", "right_square_bracket", "e")
        assert isinstance(app.screen, PickScreen)
        assert {1} == {len(hint.code) for hint in app.screen._hints}  # what may be it
        await user.press("enter")
        codes = {hint.start: hint.code for hint in app.screen._hints}
        text = shown(app).pane.context.text
        await user.press(*codes[text.index("The Champ de Mars")].upper())  # from there, not the passage
        last = text.index("Mars is a public greenspace")
        await user.press(*next(hint.code for hint in app.screen._hints if hint.start == last))
        assert evidence(user, "Paris") == ("found", "human", "The Champ de Mars")
        assert said(app) == "✓ Paris is found in context 2"
        await user.press("e")
        own, nearest = app.screen.query_one("#offers", Passage).text.splitlines()[:2]
        assert (own[:32], nearest[:14]) == ("1 · context 2: The Champ de Mars", "2 · context 1:")


async def test_few_units_leave_room_for_the_choice(user: User, import_rows: Any, rows: Any) -> None:
    """On a small screen a list of one unit is a line high; what is chosen over it has at least four."""
    row = {**rows[0], "proposal": {"proposer": "p", "reference_entities": units(["Eiffel Tower"])}}
    async with user.opens("tower", database=import_rows([row]), size=(80, 24)) as app:
        await user.press("e")
        assert [6, 4] == [app.screen.query_one(part).size.height for part in ("#box", "#offers")]


async def test_the_passage_under_the_cursor_is_in_sight(user: User, import_rows: Any, rows: Any) -> None:
    """However many lines those before it take on a small screen; and the first again on the way back."""
    towers = [f"{name} wrote that the Eiffel Tower is the tower which {'many ' * 30}see." for name in "ABC"]
    given = {"proposer": "p", "reference_entities": units(["Eiffel Towers"])}
    row = {**rows[0], "retrieved_contexts": towers, "proposal": given}
    async with user.opens("tower", database=import_rows([row]), size=(80, 24)) as app:
        await user.press("e")
        offers = app.screen.query_one("#offers", Passage)
        assert "1 · context 1: Eiffel Tower" in visible(offers)
        await user.press("j", "j")
        assert "3 · context 2: B wrote" in visible(offers)
        await user.press("k", "k")
        assert "1 · context 1: Eiffel Tower" in visible(offers)


async def test_evidence_by_search(user: User, many: Path) -> None:
    """`e /`, what is typed is looked for in the contexts alone, Enter takes its words; all in one burst."""
    async with user.opens("tower", database=many, size=(80, 24)) as app:
        to_unit(app, "University of Paris")
        await user.press("e", "slash", *"caf", "f3", "enter", "j", "k")
        assert evidence(user, "University of Paris") == ("found", "human", "cafe")
        assert 4 == app.screen.query_one(Contexts).current
        await user.press("e", "slash", *"zebra", "enter")
        assert "no context has such text" in app.screen.query_one("#hint", Bar).text
        assert evidence(user, "University of Paris") == ("found", "human", "cafe")
        await user.press(*["backspace"] * 5, *"paris")
        assert count(app) == "1 of 1 · context 1"
        await user.press("escape")
        assert evidence(user, "University of Paris") == ("found", "human", "cafe")


async def test_blind_reviews_suggest_no_passage(user: User, import_rows: Any, rows: Any) -> None:
    """No passages beside the unit and none to choose: `e` says so and has letters and search."""
    async with user.opens("tower", database=import_rows(rows[:1], blind=1.0), size=(120, 36)) as app:
        detail = app.screen.query_one("#detail", Passage)
        await user.press("n", *"seine", "enter", "2")
        assert "Seine" == detail.border_title
        await user.press("u")
        assert "" == detail.border_title  # no unit, no name
        await user.press("n", *"seine", "enter", "2")
        assert "1 · " not in detail.text
        await user.press("e")
        assert "EvidenceScreen" == type(app.screen).__name__
        await user.press("escape", "m")
        assert app.screen.query_one(UnitList).chosen.match.verdict == "found"
        await user.press("e", "e")
        assert isinstance(app.screen, PickScreen)
        await user.press("tab", *"paris", "enter")
        unit = app.screen.query_one(UnitList).chosen
        assert unit is not None
        assert (unit.text, unit.match.verdict, len(unit.match.evidence)) == ("Seine", "found", 1)


async def test_merge_with_the_next_and_split_at_a_letter(user: User, many: Path) -> None:
    """`&` is one press, `|` and a letter two; each is one act for undo."""
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        to_unit(app, "Gustave Eiffel")
        await user.press("ampersand")
        assert said(app) == "✓ merged Gustave Eiffel with 1889, another name of it"
        merged = user.units("tower")["Gustave Eiffel"]
        assert user.units("tower")["1889"].duplicate_of == merged.id
        await user.press("u")
        assert said(app) == "✓ undid on tower: merged 1889 into Gustave Eiffel"
        assert user.units("tower")["1889"].counted
        to_unit(app, "Champ de Mars")
        await user.press("vertical_line")
        codes = {hint.start: hint.code for hint in app.screen._hints}
        at = app.screen._passage.text.index("Mars")
        await user.press(codes[at])
        machine = "Champ de: found → missing (perhaps Champ de Mars) · Mars: missing"
        assert f"✓ split Champ de Mars · {machine}" == said(app)
        texts = [unit.text for unit in app.screen.query_one(UnitList).rows]
        assert ["Champ de", "Mars"] == texts[1:3]
        await user.press("u")
        assert said(app) == "✓ undid on tower: split into Champ de and Mars"
        assert "Champ de Mars" in user.units("tower")
        to_unit(app, "1889")
        await user.press("vertical_line")
        assert said(app) == "one word cannot be split"
        to_unit(app, "University of Paris")
        await user.press("ampersand")
        assert said(app) == "no unit follows to merge with"


async def test_contexts_by_number_and_which_lines_are_seen(user: User, many: Path) -> None:
    """`#` goes to a number; a unit brings the context of its evidence.

    The title follows the scrolling; a context that fits says nothing of lines.
    """
    async with user.opens("tower", database=many, size=(120, 36)) as app:
        context = app.screen.query_one(Contexts)
        assert context.border_title == "Context 1 of 5 · 3 names"
        await user.press("number_sign", *"9", "enter")
        await user.press("backspace", *"4", "enter")
        assert 3 == context.current
        to_unit(app, "Eiffel Tower")
        await user.press()
        assert 0 == context.current
        await user.press("number_sign", *"3", "enter")
        height = context.size.height
        seen = f"Context 3 of 5 · lines 1–{height} of 453"
        assert context.border_title == f"{seen} · evidence also in 1"
        await user.press("space")
        assert context.border_title.startswith(f"Context 3 of 5 · lines {height}–{2 * height - 1} of 453")
        await user.press(*["space"] * 30)
        assert [2, 3, 4] == list(context.in_sight)


async def test_statements_have_the_same_keys(user: User, import_rows: Any, rows: Any) -> None:
    """`m`, `M`, `p`, `e`, `&` and `|` in claims: verdicts, reasons, evidence, joined and parted."""
    reference = rows[5]["reference"]
    claims = [
        {"text": "Schiller died in 1805.", "start": 0, "end": 39, "verdict": "missing"},
        {"text": "He died in Weimar.", "start": 40, "end": len(reference), "verdict": "missing"},
    ]
    rows[5]["proposal"]["statements"] = claims
    async with user.opens(
        "schiller", database=import_rows(rows[5:6], kinds=("statement",)), size=(120, 36)
    ) as app:
        listed = app.screen.query_one(UnitList)
        listed.move_to(0)

        def now(index: int = 0) -> tuple[Any, ...]:
            match = listed.rows[index].match
            return match.verdict, match.reason, len(match.evidence)

        assert now() == ("missing", "absent", 0)
        seen = []
        for _ in range(5):
            await user.press("p")
            seen.append(now()[1])
            assert said(app) == f"✓ Schiller died in 1805. is missing: {seen[-1]}"
        assert seen == ["partial", "contradicted", "other entity", "absent", "partial"]
        await user.press("m")
        assert now() == ("found", None, 0)
        assert said(app).endswith("is found without evidence; e chooses it")
        await user.press("e", "1")
        assert now() == ("found", None, 1)
        await user.press("M")
        assert now() == ("unsure", None, 1)
        await user.press("m", "ampersand")
        assert listed.rows[0].text == "Schiller died in 1805. He died in Weimar."
        assert (now(), listed.rows[1].duplicate_of) == (("missing", "partial", 1), listed.rows[0].id)
        await user.press("vertical_line")
        codes = {hint.start: hint.code for hint in app.screen._hints}
        await user.press(codes[reference.index("Weimar")])
        assert [unit.text for unit in listed.rows if unit.counted] == [
            "Friedrich Schiller starb am 9. Mai 1805 in", "Weimar."
        ]  # fmt: skip
