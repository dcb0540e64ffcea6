"""Resolve: what a person presses to settle what others differ in, and what the screen says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from textual.app import App, ComposeResult

from tests.conftest import verify
from tests.tui.conftest import User, shown
from tests.tui.teams import decide, differ
from workbench.model import RESOLVED, Match, Unit
from workbench.reports.units import tally
from workbench.stages import team
from workbench.stages.editing import accept
from workbench.stages.people import add_person
from workbench.stages.resolve import open_resolution, take_rest
from workbench.stages.review import act
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.gold import load_gold
from workbench.store.people import Person
from workbench.store.plans import in_order
from workbench.store.samples import sample_ids
from workbench.store.tables import EVENT, PLACE, REVIEW
from workbench.tui.screens.agree import AgreeScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.resolve import ResolveScreen, SidesList
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.screens.why import WhyScreen
from workbench.tui.widgets.bars import Bar, Head, KeyBar, Status
from workbench.tui.widgets.queue_lines import ProgressLine
from workbench.tui.widgets.sample_list import marks
from workbench.tui.widgets.tallies import Tallies
from workbench.tui.widgets.unit_list import UnitList


def head(app: Any) -> str:
    return shown(app, Head)


def under_cursor(app: Any) -> str:
    return str(app.screen.pane.unit.text)


def settled(app: Any) -> dict[str, Any]:
    """Each unit that counts with its verdict, None while it is open."""
    return {unit.text: unit.match.verdict for unit in app.screen.pane.units if unit.counted}


def letter(app: Any, name: str) -> str:
    """The digit that takes what a person has."""
    return str(app.screen.over.people["entity"].index(name) + 1)


def detail(app: Any) -> list[str]:
    """What is said of the unit below the list."""
    return [line.rstrip() for line in str(app.screen.query_one(Tallies).render()).split("\n")]


def gold(user: User) -> Any:
    info = find_dataset(user.store, None)
    return load_gold(user.store, info.id, "entity")[sample_ids(user.store, info.id)["tower"]]


def settle_as_bob(user: User) -> None:
    """cy takes all that they differ in as bob has it."""
    differ(user.store)
    opened = open_resolution(
        user.store, user.stored("tower").sample_id, "cy", user.stored("tower").dataset.id
    )
    assert opened.over is not None
    bob = opened.over.people["entity"].index("bob")
    opened = act(user.store, opened, take_rest(opened, "entity", bob))
    act(user.store, opened, accept(opened, "entity"))


@asynccontextmanager
async def settling(user: User, **own: Any) -> AsyncIterator[Any]:
    """The app in which cy begins to settle what ada and bob differ in."""
    differ(user.store)
    async with user.opens(annotator="cy", **own) as app:
        await user.press("J")
        yield app


def lines(app: Any) -> list[str]:
    listed = app.screen.query_one(SidesList)
    size = listed.scrollable_content_region.width
    return ["".join(text for text, _ in listed.parts(line, size))[:size] for line in range(listed.lines)]


async def test_digits_take_a_side_and_a_settles(user: User) -> None:
    async with settling(user) as app:
        assert isinstance(app.screen, ResolveScreen)
        assert "Gustave Eiffel" == under_cursor(app)
        assert "Entities 6 · 3 to settle" == app.screen.pane.listed.border_title
        ada, bob = letter(app, "ada"), letter(app, "bob")
        await user.press(bob)
        assert "1889" == under_cursor(app)
        await user.press("a")  # nothing is settled before every unit is
        assert "2 units are open: 1 takes A's, 2 B's, 0 neither" in shown(app, Status)
        await user.press("3")
        assert "3 is nobody's: 1 takes A's, 2 B's, 0 neither" in shown(app, Status)
        await user.press("0", ada)
        assert "tower settled" not in shown(app, Status)
        await user.press("a")
        assert isinstance(app.screen, QueueScreen)
        assert "nothing is left to settle" in shown(app, Status)
        there = gold(user)
        assert "adjudicated" == there.origin
        assert {"Eiffel Tower", "Champ de Mars", "University of Paris", "Paris"} == {
            unit.text for unit in there.assessment.units
        }
        await user.press("u")
        assert isinstance(app.screen, ResolveScreen)
        assert "undid on tower: settled what people differ in: entities" in shown(app, Status)
        assert "unresolved" == gold(user).origin
        await user.press("u")
        assert "University of Paris" == under_cursor(app)
        assert None is settled(app)["University of Paris"]


async def test_each_row_shows_what_people_have_under_letters_until_their_names_are_asked_for(
    user: User,
) -> None:
    """`W` shows them and is stored: nothing hides them again. A click takes what a person has."""
    async with settling(user, size=(120, 36)) as app:
        rows = [row.split() for row in lines(app)]
        bob = "AB"[int(letter(app, "bob")) - 1]
        assert ["✓", "Eiffel", "Tower", "●", "1"] == rows[0]
        (eiffel,) = (row for row in rows if "Gustave" in row)
        assert "▸ ≠ Gustave Eiffel" == " ".join(eiffel[:4])
        assert "—" == eiffel[eiffel.index(bob) + 1]
        said = app.screen.pane.detail.text
        assert f"{bob}  no such unit" in said
        assert not [name for name in ("ada", "bob") if name in said + head(app)]
        await user.press("1")
        assert " as A has it" in shown(app, Status)

        row = next(at for at, line in enumerate(lines(app)) if "1889" in line)
        await user.pilot.click(SidesList, offset=(lines(app)[row].index("B ") + 1, row + 1))
        await user.settle()
        now = next(unit for unit in app.screen.pane.units if unit.text == "1889")
        assert ("B",) == app.screen.over.of(now).letters(now)
        assert "1889" != under_cursor(app)

        await user.press("u", "u", "W")
        first, second = app.screen.over.people["entity"]
        assert f"A {first} · B {second}" in head(app)
        await user.press("1")
        assert f" as {first} has it" in shown(app, Status)
        await user.press("a")
        assert f"1 takes {first}'s" in shown(app, Status)
        await user.press("b", "J")
        assert f"A {first}" in head(app)


async def test_on_a_narrow_screen_each_person_has_a_line_for_what_they_have(user: User) -> None:
    """At 60 columns the key bar still names the keys that take."""
    async with settling(user, size=(80, 24)) as app:
        first, ada, bob = detail(app), letter(app, "ada"), letter(app, "bob")
        await user.press("k")
        agreed = detail(app)
        await user.resize(60, 18)
        assert "1–2 take A B" in shown(app, KeyBar)
        assert "a settle" in shown(app, KeyBar)
        assert "? help" in shown(app, KeyBar)

    said = {ada: "Gustave Eiffel · person · ● found in 1 · 1: “Gustave Eiffel”", bob: "no such unit"}
    assert [f"{'AB'[int(side) - 1]}  {said[side]}" for side in ("1", "2")] == first
    assert 1 == len(agreed)
    assert agreed[0].startswith("Paris · ")


async def test_the_rest_is_taken_from_the_same_side_in_one_act(user: User) -> None:
    """How far people agree is a key away, and back."""
    async with settling(user) as app:
        await user.press("G")
        assert isinstance(app.screen, AgreeScreen)
        await user.press("escape")
        assert isinstance(app.screen, ResolveScreen)
        await user.press(letter(app, "bob"), "k")
        assert "Gustave Eiffel" == under_cursor(app)
        await user.press("E")
        assert None not in settled(app).values()
        assert "other" == next(
            unit.label for unit in app.screen.pane.units if unit.text == "University of Paris"
        )
        await user.press("u")
        assert [None, None] == [settled(app)[text] for text in ("1889", "University of Paris")]


async def test_review_keys_decide_a_third_way(user: User) -> None:
    """Unsure, another label, an added unit; what is about one's own work is not there."""
    async with settling(user) as app:
        await user.press("M")
        assert "unsure" == settled(app)["Gustave Eiffel"]
        assert {"review.same", "review.flag", "review.alias"}.isdisjoint(
            {entry.binding.id for entry in app.screen.active_bindings.values()}
        )
        await user.press("c", *"both are right", "enter")
        assert ("both are right",) == app.screen.pane.now.state.comments
        who = select(EVENT.annotator).where(REVIEW.annotator == RESOLVED, EVENT.review_id == REVIEW.id)
        assert {"cy"} == set(user.store.column(who))


async def test_a_second_adjudicator_is_told_and_the_key_is_not_lost(user: User) -> None:
    differ(user.store)
    number = sample_ids(user.store, find_dataset(user.store, None).id)["tower"]
    async with user.opens(annotator="cy", size=(120, 36)) as app:
        await user.press("J")
        other = open_resolution(user.store, number, "dee", user.stored("tower").dataset.id)
        act(user.store, other, take_rest(other, "entity", 0))
        await user.press("0")
        said = str(app.screen.saver.render())
        assert "Not saved: Gustave Eiffel is no unit." in said
        assert "tower was changed by dee meanwhile" in said
        assert None not in settled(app).values()  # what dee decided is there
        await user.press("r")
        assert "Gustave Eiffel" not in settled(app)
        await user.press("a")
    assert 1 == len(list(user.store.column(select(REVIEW.id).where(REVIEW.annotator == RESOLVED))))
    assert "Gustave Eiffel" not in {unit.text for unit in gold(user).assessment.units}


async def test_a_review_that_changes_while_it_is_settled_is_shown_as_it_is_now(user: User) -> None:
    differ(user.store)
    async with user.opens(annotator="cy", size=(120, 36)) as app:
        await user.press("J", "1")
        decide(user.store, "bob")
        await user.press("0")
        assert "a review of tower was changed meanwhile" in str(app.screen.saver.render())
        await user.press("r", "0", "a")
    assert "adjudicated" == gold(user).origin


async def test_enter_in_the_view_of_what_people_differ_in_settles_or_reviews(user: User) -> None:
    """Who may not settle opens the own review."""
    differ(user.store)
    for name, role in (("cy", "owner"), ("ada", "annotator")):
        add_person(user.store, "cy", Person(name, role, False, False))
    for name, screen in (("cy", ResolveScreen), ("ada", ReviewScreen)):
        async with user.opens(annotator=name) as app:
            await user.press("slash", *"is:unresolved", "enter", "enter")
            assert screen is type(app.screen)
            if name == "ada":
                await user.press("b", "J")
                assert "ada is an annotator and may not settle" in shown(app, Status)


async def test_undo_leads_from_a_review_to_what_was_settled_before(user: User) -> None:
    async with settling(user, size=(120, 36)) as app:
        await user.press("0")
        await user.press("b")
        await user.review("schiller")
        await user.press("x", "u")
        assert ReviewScreen is type(app.screen)
        await user.press("u")
        assert ResolveScreen is type(app.screen)
        assert "undid on tower: settled Gustave Eiffel" in shown(app, Status)
        assert None is settled(app)["Gustave Eiffel"]
        await user.press("U", "U")
        assert ReviewScreen is type(app.screen)


async def test_the_queue_marks_what_others_hold_and_a_review_says_until_when(
    user: User, database: Path
) -> None:
    store = user.store
    info = find_dataset(store, None)
    team.assign(store, info, "ann", 2, 1.0, None)
    info = find_dataset(store, None)
    team.give(store, info, "ann", "bo", "id:tower")
    team.give(store, info, "ann", "eve", "id:nil")
    decide(store, "eve", "nil")
    async with user.opens(size=(120, 36)) as app:
        await user.settle()
        listed = app.screen.samples
        at = {listed.row(place).key: place for place in range(listed.count)}
        drawn = {key: "".join(text for text, _ in listed.parts(place, 70)) for key, place in at.items()}
        assert "bo" == listed.row(at["tower"]).held[0].annotator
        assert "◷" in drawn["tower"]
        assert "½" in drawn["nil"]
        free = next(key for key, line in drawn.items() if not {"◷", "½"} & {*line})
        assert 2 == sum("◷" in line for line in drawn.values())  # eve's accept holds the next one
        await user.review("tower")
        assert "◷ held by bo " in head(app)
        await user.press("b")
        await user.review(free)
        assert "held by" not in head(app)


async def test_the_queue_of_who_was_given_samples_shows_the_own_part(user: User) -> None:
    """What one decided is done, whoever else has still to decide it; what others decided is open for one."""
    store = user.store
    team.assign(store, find_dataset(store, None), "ann", 2, 1.0, None)
    info = find_dataset(store, None)
    for name in ("ann", "bo"):
        team.give(store, info, "ann", name, "state:todo")
    for name, some in (("ann", sample_ids(store, info.id)), ("bo", ["tower"])):
        for key in some:
            decide(store, name, key)
    for name, nil, done in (("ann", ("verified", ""), 8), ("bo", ("todo", "½"), 1)):
        async with user.opens(annotator=name, size=(80, 24)) as app:
            await user.settle()
            listed = app.screen.samples
            found = [listed.row(at) for at in range(listed.count)]
            rows = {row.key: (row.disposition, marks(row).strip("◇")) for row in found}
            assert (("verified", ""), nil) == (rows["tower"], rows["nil"])
            bar = ("▰" * (10 if done == 8 else 1)).ljust(10, "▱")
            line = f"{bar}  {done} of 8 yours done · all: 1 of 8 done (2 each) · {done} today"
            assert shown(app, ProgressLine).startswith(line)


async def test_the_head_of_a_review_names_who_else_verified_the_sample_until_one_has_decided(
    user: User,
) -> None:
    decide(user.store, "ada")
    decide(user.store, "bob", reject=["1889"])
    async with user.opens("tower", annotator="cy", size=(80, 24)) as app:
        await user.settle()
        assert "✓ verified by ada, bob  tower" in head(app)
        await user.press("b")
        await user.review("nil")
        assert "verified by" not in head(app)
        await user.press("b")
        await user.review("tower")
        await user.press("a", "u", "U")
        assert "✓ verified  tower" in head(app)


async def test_who_decides_after_the_lease_hears_who_did_too(user: User) -> None:
    store = user.store
    team.assign(store, find_dataset(store, None), "ann", 1, 1.0, None)
    async with user.opens(size=(120, 36)) as app:
        await user.press("space")
        number = app.screen.pane.now.sample_id
        with store.writing() as session:
            table = PLACE.until.table
            session.execute(table.update().where(PLACE.annotator == "ann").values(until=1))
        verify(store, number, "bo")
        await user.press("a")
        if app.screen.pane.now.sample_id == number:  # it stopped at a doubt
            await user.press("a")
        assert "bo decided this too" in shown(app, Status)


async def test_the_queue_says_where_people_differ_and_opens_that_sample(user: User) -> None:
    """By a sign, a line and the head; J opens the sample under the cursor, not the first one of the order."""
    for key, name in (("tower", "Gustave Eiffel"), ("nevsky", "Огюст Монферран")):
        decide(user.store, "ada", key)
        decide(user.store, "bob", key, reject=[name])
    async with user.opens(annotator="cy", size=(120, 36)) as app:
        await user.press()
        assert "≠ people differ: J" in head(app)
        for key in ("tower", "nevsky"):
            app.screen.samples.go_to(user.stored(key).sample_id)
            app.screen.moved()
            await user.settle()
            assert "≠" in marks(app.screen.samples.row(app.screen.samples.cursor))
            assert "People differ in this sample. J: resolve" in str(app.screen.completions.render())
            assert "people differ: J resolves" in app.screen.query_one("#sample").text
            await user.press("J")
            assert "A and B verified it; W: who" in head(app)
            assert key == app.screen.pane.now.sample.id
            await user.press("b")


async def test_a_settled_sample_has_one_value_on_every_screen(user: User) -> None:
    """ada's own 5 of 6 give way to bob's 3 of 5: review, Why and queue have bob's, and say what hers was."""
    async with settling(user, size=(80, 24)) as app:
        await user.press(*[letter(app, "bob")] * 3, "a")
        after = "nothing is left to settle · tower settled: verified 3/5 .60, "
        assert shown(app, Status).startswith(after)
        await user.press("J")
        assert "tower settled by cy: .60; w shows it" == shown(app, Status).rstrip()
    async with user.opens("tower", annotator="ada", size=(120, 36)) as app:
        assert "✓ settled as bob has it: .60 · you had .83 · w: what was settled  tower" in head(app)
        await user.resize(80, 24)
        assert "✓ .60 · you had .83 · w: what was settled  tower" in head(app)
        tallies, number = app.screen.pane.tallies.text, app.screen.pane.now.sample_id
        assert tallies.startswith("name matching 5/6 .83   settled 3/5 .60   Δ +.23: ")
        await user.press("w")
        values = app.screen.query_one("#values", Bar).text
        assert "name matching · claude-run-1 5/6 .83   settled 3/5 .60 · you had .83 Δ +.23" == values
        assert "Gustave Eiffel" not in {row.verified.text for row in app.screen.why.rows if row.verified}
        assert "3/5 .60" == tally((await app.screen.desk.rows([number]))[number].verified)
        assert {number: "false match"} == await app.screen.desk.causes([number])
    async with user.opens("tower", annotator="bob", size=(80, 24)) as app:
        assert "✓ settled as you have it: .60  tower" in head(app)
    async with user.opens("tower", annotator="dee", size=(100, 24)) as app:
        await user.press("x", "a")
        assert "tower accepted; stays .60, as settled · you had .75" in shown(app, Status)


async def test_enter_on_a_settled_sample_that_one_did_not_review_shows_what_was_settled(user: User) -> None:
    """Who settled it sees that, and of bob, who has the same, no name; ada's review is her own."""
    async with settling(user, size=(100, 30)) as app:
        await user.press(*[letter(app, "bob")] * 3, "a")
        await user.press("slash", *"id:tower", "enter")
        assert "enter evidence" in shown(app, KeyBar)
        await user.press("enter")
        assert isinstance(app.screen, WhyScreen)
        units = [row.verified for row in app.screen.why.rows if row.verified]
        sides = "\n".join(app.screen._side("verified", unit) for unit in units)
        assert "your decision" in sides
        assert "bob" not in sides
    async with user.opens(annotator="ada", size=(100, 30)) as app:
        await user.press("slash", *"id:tower", "enter", "enter")
        assert ReviewScreen is type(app.screen)
    assert {unit.text for unit in gold(user).assessment.units} == {unit.text for unit in units}


async def test_compare_and_plan_name_the_unresolved_ones_of_those_the_queue_counts(user: User) -> None:
    """Of two samples that people verified they differ in one: Compare and the plan count it apart."""
    info = find_dataset(user.store, None)
    keys = {number: key for key, number in sample_ids(user.store, info.id).items()}
    one, other, following = in_order(user.store, info.id, 3)
    for number, who, reject in (one, "ada", []), (other, "ada", []), (other, "bob", [0]):
        verify(user.store, number, who, reject=reject)
    async with user.opens(annotator="ada", size=(100, 30)) as app:
        await user.settle()
        assert "▰▰▱▱▱▱▱▱▱▱  2 of 8 verified" in app.screen.query_one(ProgressLine).text
        await user.press("P")
        assert "(1 verified, 1 unresolved)" in shown(app, "#stand")
        await user.press("escape", "C")
        assert "1 of 8 samples verified, 1 more unresolved" in head(app)
        await user.press("escape")
        await user.review(keys[following])
        assert "2 of 8 verified" in head(app)


async def test_the_first_change_of_a_sample_that_others_verified_says_what_becomes_of_it(user: User) -> None:
    decide(user.store, "ada")
    async with user.opens(annotator="cy", size=(80, 24)) as app:
        await user.settle()
        assert "  1 of 8 verified" in shown(app, ProgressLine)
        await user.review("tower")
        await user.press("x")
        assert "rejected Eiffel Tower · a verifies it again" in shown(app, Status)
        await user.press("x")
        assert "verifies" not in shown(app, Status)
        await user.press("b")
        assert "  0 of 8 verified" in shown(app, ProgressLine)
        await user.review("tower")
        await user.press("a", "b")
        assert "  1 of 8 verified" in shown(app, ProgressLine)


async def test_what_was_not_verified_for_you_is_not_verified_again(user: User) -> None:
    """A place of your own is open as long as you have not decided, whoever else has."""
    team.assign(user.store, find_dataset(user.store, None), "ann", 2, 1.0, None)
    team.give(user.store, find_dataset(user.store, None), "ann", "bo", "id:tower")
    decide(user.store, "eve")
    async with user.opens("tower", annotator="bo") as app:
        await user.press("x")
        assert "rejected Eiffel Tower" == shown(app, Status).strip("✓ ")


async def test_a_sample_of_which_others_verified_one_kind_is_not_verified_again(
    user: User, rows: list[Any], import_rows: Any
) -> None:
    database = import_rows(rows[4:6], kinds=("entity", "statement"))
    with closing(open_store(str(database))) as store:
        decide(store, "eve", "schiller")
    async with user.opens("schiller", database=database, annotator="bo") as app:
        await user.press("x")
        assert "rejected" in shown(app, Status)
        assert "verifies" not in shown(app, Status)


async def test_a_long_name_leaves_room_for_what_to_do(user: User) -> None:
    decide(user.store, "ada")
    async with user.opens("tower", annotator="cy", size=(80, 24)) as app:
        await user.press("j", "j", "j", "j", "m")  # University of Paris
        assert "e chooses it · a verifies it again" in shown(app, Status)
        assert shown(app, Status).startswith("✓ University")


async def test_a_settled_sample_at_60_columns(user: User) -> None:
    """The review has the names of the dataset and of the sample, Why the settled tally."""
    settle_as_bob(user)
    async with user.opens("tower", annotator="ada", size=(60, 18)) as app:
        assert head(app).startswith("cities  ")
        assert head(app).endswith("✓ .60 · you had .83 · w: what was settled  tower")
        await user.press("w")
        assert shown(app, "#values").startswith("name matching 5/6 .83  settled 3/5 .60, you had .83 Δ +.23")
        units = [row.verified for row in app.screen.why.rows if row.verified]
        verified = {unit.text: app.screen._side("verified", unit) for unit in units}
    assert "decided by bob" in verified["1889"]
    assert [] == [lines for lines in verified.values() if "settled:" in lines or "bob:" in lines]


async def test_j_shows_a_settled_value_to_nobody_whom_the_queue_does_not_show_it(user: User) -> None:
    settle_as_bob(user)
    for name, keys, said in (
        ("ada", "", "tower settled by cy: .60; w shows it"),
        ("eve", "S", "tower settled"),
    ):
        async with user.opens("tower", annotator=name) as app:
            await user.press(*keys, "b", "slash", *"id:tower", "enter", "J")
            assert said == shown(app, Status).strip()


async def test_what_the_machine_had_proposed_is_among_the_lines_of_the_list() -> None:
    """Or it could not be scrolled to, where a blind sample is settled in a small window."""

    class Bare(App[None]):
        def compose(self) -> ComposeResult:
            yield SidesList(id="units")

    unit = Unit("u1", "entity", "Oslo", "place")
    async with Bare().run_test(size=(60, 3)) as pilot:
        listed = pilot.app.query_one(SidesList)
        listed.show([unit], revealed=[unit, unit], generation=1)

        assert 1 + 1 + 2 == listed.lines


@pytest.mark.parametrize("made", [SidesList, UnitList])
@pytest.mark.parametrize("label", ["person", ""])
async def test_names_labels_and_verdicts_of_what_was_proposed_fit(made: type[UnitList], label: str) -> None:
    """Their columns are those of a review, also where the rows above show what people have."""

    class Bare(App[None]):
        def compose(self) -> ComposeResult:
            yield made()

    name = "Mughal emperor Shah Jahan"
    match = Match(verdict="missing", reason="contradicted")
    async with Bare().run_test(size=(60, 3)) as pilot:
        listed = pilot.app.query_one(made)
        revealed = [Unit("u1", "entity", name, label, match=match)]
        listed.show([Unit("u2", "entity", "Agra")], revealed=revealed, statements=not label, generation=1)
        line = "".join(text for text, _ in listed.parts(2, 60))

        assert ["·", *name.split(), *label.split(), "○", "contradicted"] == line.split()
        assert len(line) <= 60
