"""Places in the texts: search, contexts, evidence, merging and splitting, by what a person presses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.model import Unit
from workbench.stages import queue, review
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.store.samples import sample_ids
from workbench.tui.screens.evidence import EvidenceScreen
from workbench.tui.screens.finding import FindScreen
from workbench.tui.screens.pick import PickScreen
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.bars import Bar, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList

Press = Callable[..., Awaitable[None]]

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


def said(app: Any) -> str:
    return str(app.screen.query_one(Status).text).strip()


def count(app: Any) -> str:
    return str(app.screen.query_one("#count", Bar).text).strip()


def shown(app: Any) -> ReviewScreen:
    """The review, also under a dialog."""
    return next(screen for screen in app.screen_stack if isinstance(screen, ReviewScreen))


def visible(passage: Passage) -> str:
    start, end = passage.visible_span()
    return passage.text[start:end]


def choose(app: Any, text: str) -> None:
    listed = app.screen.query_one(UnitList)
    listed.move_to(next(n for n, unit in enumerate(listed.rows) if unit.text == text))


def stored(store: Store, key: str) -> dict[str, Unit]:
    """The entities of a sample by their text, as the database has them."""
    info = find_dataset(store, None)
    for number in queue.queue_ids(store, info, "ann"):
        opened = review.open_sample(store, number, "ann")
        if opened.sample.id == key:
            return {unit.text: unit for unit in opened.state.entity.assessment.units}
    raise AssertionError(f"no sample {key}")


async def test_find_goes_through_reference_and_contexts(
    many: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """Case and accents do not matter; every place is counted, and the long context scrolls to its place."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        context = app.screen.query_one("#context", Passage)
        await press(pilot, "slash", *"CAFE")
        assert isinstance(app.screen, FindScreen)
        assert count(app) == "1 of 3 · context 3"
        await press(pilot, "enter")
        assert said(app).startswith("1 of 3 · context 3")
        assert "Café of the Eiffel Tower" in visible(context)
        await press(pilot, "f3")
        assert said(app).startswith("2 of 3 · context 5")
        assert context.border_title.startswith("Context 5 of 5")
        await press(pilot, "slash", "enter", "slash", "enter")
        assert said(app).startswith("1 of 3 · context 3")
        await press(pilot, "N")
        assert said(app).startswith("3 of 3 · context 5")
        await press(pilot, "shift+f3", "f15", "slash", "f3", "enter", "slash", "up", "enter", "f3", "f3")
        assert said(app).startswith("3 of 3 · context 5")
        await press(pilot, "slash", *"tower", "f3", "enter")
        assert said(app).startswith("1 of 6 · reference")


async def test_find_starts_where_one_stood_and_escape_forgets_it(
    many: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """A second search goes on from the place of the first; Escape in the line goes back, later it clears."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        context = app.screen.query_one("#context", Passage)
        await press(pilot, "slash", *"seine", "enter", "f3")
        assert said(app).startswith("2 of 2 · context 5")
        await press(pilot, "slash", *"eiffel", "enter")
        assert said(app).startswith("6 of 6 · question")
        await press(pilot, "f3", "f3", "f3")
        assert said(app).startswith("3 of 6 · context 1")
        assert context._places
        await press(pilot, "slash", *"nothing here")
        assert context.border_title.startswith("Context 4 of 5")
        await press(pilot, "escape")
        assert context.border_title.startswith("Context 1 of 5")
        assert not context._places
        await press(pilot, "slash", *"zebra")
        assert count(app) == "nothing found"
        await press(pilot, "enter", "escape")
        assert said(app) == ""
        await press(pilot, "slash", *"tower?", "enter")
        assert said(app).startswith("1 of 1 · question")


async def test_all_places_in_sight_are_marked_and_edits_keep_them(
    many: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """Reference and context alike, over the units' own marks; another sample has none."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        reference, context = (app.screen.query_one(f"#{name}", Passage) for name in ("reference", "context"))
        await press(pilot, "slash", *"eiffel", "enter")
        marked = [[(one.role, one.start) for one in pane._places] for pane in (reference, context)]
        assert marked == [[("here", 4), ("place", 63)], [("place", 4), ("place", 106)]]
        await press(pilot, "M")
        assert [len(pane._places) for pane in (reference, context)] == [2, 2]


async def test_what_is_typed_while_a_search_runs_is_not_lost(
    many: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """Letters, steps and Enter in one burst act on the whole of what was typed."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        await press(pilot, "slash", *"seine", "enter", "j", "slash", *"1889", "enter", "f3")
        # From the beginning, or from the Seine of the reference if that was found before the second search.
        assert said(app).startswith(("2 of 3 · context 2", "3 of 3 · context 5"))


async def test_undo_goes_to_the_unit_and_says_what_it_undid(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """In the words in which it was said when it was done; redo likewise, also from the queue."""
    app = make_app(database)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        choose(app, "Champ de Mars")
        await press(pilot, "x")
        choose(app, "1889")
        await press(pilot, "5", "full_stop", "m")
        choose(app, "Paris")
        for key, expected, unit in (
            ("u", "✓ undid: 1889; is missing", "1889;"),
            ("u", "✓ undid: now 1889;", "1889"),
            ("u", "✓ undid: 1889 is now number", "1889"),
            ("u", "✓ undid: rejected Champ de Mars", "Champ de Mars"),
            ("U", "✓ redone: rejected Champ de Mars", "Champ de Mars"),
        ):
            await press(pilot, key)
            assert (said(app), app.screen.query_one(UnitList).chosen.text) == (expected, unit)
        await press(pilot, "x", "x", "b", "u")
        assert said(app) == "✓ undid: rejected Champ de Mars"
        assert app.screen.query_one(UnitList).chosen.text == "Champ de Mars"
        await press(pilot, "a", "u")
        assert (app.screen.pane.now.sample.id, said(app)) == ("tower", "✓ undid: accepted the entities")
        await press(pilot, "f", *"odd", "enter", "s", "u")
        assert said(app) == "✓ undid: skipped"
        await press(pilot, "u")
        assert said(app) == "✓ undid: flagged: odd"


def evidence(store: Store, text: str) -> tuple[Any, ...]:
    """The verdict on an entity of the tower, the rule, and what its evidence reads."""
    info = find_dataset(store, None)
    match = stored(store, "tower")[text].match
    number = sample_ids(store, info.id)["tower"]
    contexts = review.open_sample(store, number, "ann").sample.retrieved_contexts
    return (match.verdict, match.rule, *(contexts[e.context][e.start : e.end] for e in match.evidence))


async def test_the_nearest_passage_is_evidence_by_two_presses(
    many: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """`e` lists passages over all contexts with their context number, a digit takes one; `e 0` drops it."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        context = app.screen.query_one("#context", Passage)
        choose(app, "University of Paris")
        await press(pilot, "e")
        assert isinstance(app.screen, EvidenceScreen)
        offered = "1 · context 1: The Eiffel Tower is a wrought-iron lattice tower in Paris, France."
        assert offered == app.screen.query_one("#offers", Passage).text
        await press(pilot, "right_square_bracket")
        assert context.border_title.startswith("Context 2 of 5")
        await press(pilot, "j")
        assert context.border_title.startswith("Context 1 of 5")
        assert [one.role for one in context._places] == ["passage"]
        await press(pilot, "escape")
        assert context._places == ()
        await press(pilot, "e", "1")
        sentence = "The Eiffel Tower is a wrought-iron lattice tower in Paris, France."
        assert evidence(store, "University of Paris") == ("found", "human", sentence)
        assert said(app) == "✓ University of Paris is found in context 1"
        await press(pilot, "e", "0")
        assert evidence(store, "University of Paris") == ("found", "human")
        await press(pilot, "e", "backspace")
        assert said(app) == "this unit has no evidence to take away"


async def test_evidence_by_letters_in_the_context(
    many: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """`e e`, then the letters of the first token and of the last; the context can be paged before."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        choose(app, "Paris")
        await press(pilot, "e", "right_square_bracket", "e")
        assert isinstance(app.screen, PickScreen)
        codes = {hint.start: hint.code for hint in app.screen._hints}
        await press(pilot, *codes[0])
        last = "The Champ de Mars is a public greenspace".index("Mars")
        await press(pilot, *next(hint.code for hint in app.screen._hints if hint.start == last))
        assert evidence(store, "Paris") == ("found", "human", "The Champ de Mars")
        assert said(app) == "✓ Paris is found in context 2"


async def test_evidence_by_search(
    many: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """`e /`, what is typed is looked for in the contexts alone, Enter takes the place; all in one burst."""
    app = make_app(many)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_review(pilot, "tower")
        choose(app, "University of Paris")
        await press(pilot, "e", "slash", *"cafe", "f3", "enter", "j", "k")
        assert evidence(store, "University of Paris") == ("found", "human", "cafe")
        assert app.screen.query_one("#context", Passage).border_title.startswith("Context 5 of 5")
        await press(pilot, "e", "slash", *"zebra", "enter")
        assert "no context has such text" in app.screen.query_one("#hint", Bar).text
        assert evidence(store, "University of Paris") == ("found", "human", "cafe")
        await press(pilot, *["backspace"] * 5, *"paris")
        assert count(app) == "1 of 1 · context 1"
        await press(pilot, "escape")
        assert evidence(store, "University of Paris") == ("found", "human", "cafe")


async def test_a_missing_unit_shows_its_nearest_passages(
    many: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """Below the unit on a wide screen, likeness in bold, in a pane that keeps its height."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        detail = app.screen.query_one("#detail", Passage)
        height = detail.size.height
        choose(app, "University of Paris")
        await press(pilot)
        assert detail.text.splitlines()[3:] == ["1 · 1: … tower in Paris, France."]
        (mark,) = detail._marks
        assert (detail.text[mark.start : mark.end], mark.role) == ("Paris", "like")
        await press(pilot, "j")
        assert "1 · " not in detail.text
        assert detail.size.height == height
        choose(app, "University of Paris")
        await press(pilot, "m")
        assert said(app) == "✓ University of Paris is found without evidence; e chooses it"


async def test_blind_reviews_suggest_no_passage(
    import_rows: Any, rows: Any, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """No passages beside the unit and none to choose: `e` says so and stays; `e e` has letters and search."""
    app = make_app(import_rows(rows[:1], name="blind", blind=1.0), dataset="blind")
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        await press(pilot, "n", "tab", *"seine", "enter", "2")
        detail = app.screen.query_one("#detail", Passage)
        assert "1 · " not in detail.text
        await press(pilot, "e")
        assert "nothing is suggested here; e again chooses the evidence by letters" == said(app)
        await press(pilot, "m")
        assert app.screen.query_one(UnitList).chosen.match.verdict == "found"
        await press(pilot, "e", "e")
        assert isinstance(app.screen, PickScreen)
        await press(pilot, "tab", *"paris", "enter")
        unit = app.screen.query_one(UnitList).chosen
        assert unit is not None
        assert (unit.text, unit.match.verdict, len(unit.match.evidence)) == ("Seine", "found", 1)


async def test_merge_with_the_next_and_split_at_a_letter(
    many: Path, store: Store, make_app: Any, press: Press, open_review: Press
) -> None:
    """`&` is one press, `|` and a letter two; each is one act for undo."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        choose(app, "Gustave Eiffel")
        await press(pilot, "ampersand")
        assert said(app) == "✓ merged Gustave Eiffel with 1889"
        merged = stored(store, "tower")["Gustave Eiffel"]
        assert stored(store, "tower")["1889"].duplicate_of == merged.id
        await press(pilot, "u")
        assert said(app) == "✓ undid: merged into Gustave Eiffel"
        assert stored(store, "tower")["1889"].counted
        choose(app, "Champ de Mars")
        await press(pilot, "vertical_line")
        codes = {hint.start: hint.code for hint in app.screen._hints}
        at = app.screen._passage.text.index("Mars")
        await press(pilot, codes[at])
        machine = "Champ de: found → missing (perhaps Champ de Mars) · Mars: missing"
        assert f"✓ split Champ de Mars · {machine}" == said(app)
        texts = [unit.text for unit in app.screen.query_one(UnitList).rows]
        assert ["Champ de", "Mars"] == texts[1:3]
        await press(pilot, "u")
        assert said(app) == "✓ undid: split into Champ de and Mars"
        assert "Champ de Mars" in stored(store, "tower")
        choose(app, "1889")
        await press(pilot, "vertical_line")
        assert said(app) == "one word cannot be split"
        choose(app, "University of Paris")
        await press(pilot, "ampersand")
        assert said(app) == "no unit follows to merge with"


async def test_contexts_by_number(many: Path, make_app: Any, press: Press, open_review: Press) -> None:
    """`#` goes to a number; a unit brings the context of its evidence."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        context = app.screen.query_one("#context", Passage)
        await press(pilot, "number_sign", *"9", "enter")
        await press(pilot, "backspace", *"4", "enter")
        assert context.border_title.startswith("Context 4 of 5")
        choose(app, "Eiffel Tower")
        await press(pilot)
        assert context.border_title.startswith("Context 1 of 5")


async def test_a_long_context_says_which_lines_are_seen(
    many: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """The title follows the scrolling; a context that fits says nothing of lines."""
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "tower")
        context = app.screen.query_one("#context", Passage)
        assert context.border_title == "Context 1 of 5"
        await press(pilot, "number_sign", *"3", "enter")
        assert (context.lines, context.size.height) == (401, 18)
        assert context.border_title == "Context 3 of 5 · lines 1–18 of 401 · evidence also in 1"
        await press(pilot, "space")
        assert context.border_title.startswith("Context 3 of 5 · lines 18–35 of 401")
        await press(pilot, *["space"] * 30)
        assert context.border_title.startswith("Context 3 of 5 · lines 384–401 of 401")


async def test_statements_have_the_same_keys(
    import_rows: Any, rows: Any, make_app: Any, press: Press, open_review: Press
) -> None:
    """`m`, `M`, `p`, `e`, `&` and `|` in claims: verdicts, reasons, evidence, joined and parted."""
    reference = rows[5]["reference"]
    claims = [
        {"text": "Schiller died in 1805.", "start": 0, "end": 39, "verdict": "missing"},
        {"text": "He died in Weimar.", "start": 40, "end": len(reference), "verdict": "missing"},
    ]
    rows[5]["proposal"]["statements"] = claims
    app = make_app(import_rows(rows[5:6], kinds=("statement",)))
    async with app.run_test(size=(120, 36)) as pilot:
        await open_review(pilot, "schiller")
        listed = app.screen.query_one(UnitList)
        listed.move_to(0)

        def now(index: int = 0) -> tuple[Any, ...]:
            match = listed.rows[index].match
            return match.verdict, match.reason, len(match.evidence)

        assert now() == ("missing", "absent", 0)
        seen = []
        for _ in range(5):
            await press(pilot, "p")
            seen.append(now()[1])
            assert said(app) == f"✓ Schiller died in 1805. is missing: {seen[-1]}"
        assert seen == ["partial", "contradicted", "other entity", "absent", "partial"]
        await press(pilot, "m")
        assert now() == ("found", None, 0)
        assert said(app).endswith("is found without evidence; e chooses it")
        await press(pilot, "e", "1")
        assert now() == ("found", None, 1)
        await press(pilot, "M")
        assert now() == ("unsure", None, 1)
        await press(pilot, "m", "ampersand")
        assert listed.rows[0].text == "Schiller died in 1805. He died in Weimar."
        assert (now(), listed.rows[1].duplicate_of) == (("missing", "partial", 1), listed.rows[0].id)
        await press(pilot, "vertical_line")
        codes = {hint.start: hint.code for hint in app.screen._hints}
        await press(pilot, codes[reference.index("Weimar")])
        assert [unit.text for unit in listed.rows if unit.counted] == [
            "Friedrich Schiller starb am 9. Mai 1805 in", "Weimar."
        ]  # fmt: skip
