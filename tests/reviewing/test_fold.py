"""The fold: what a journal says, row by row."""

from dataclasses import replace
from typing import Any

from hypothesis import given, strategies as st

from tests.lists import from_cases
from workbench.comparing.links import descends
from workbench.model import Assessment, Disposition, Kind, Match, Span, Unit
from workbench.reviewing import fold as folding
from workbench.reviewing.edits import Accept, Comment, Dispose, Edit, Named, Open, Put, Redo, Undo
from workbench.reviewing.fold import ReviewState, fold, opened_with, put, settle, undone_actions


def unit(name: str, verdict: str | None = "found", **fields: object) -> Unit:
    match = Match(verdict)  # type: ignore[arg-type]
    return Unit(name, "entity", name.upper(), match=match, **fields)  # type: ignore[arg-type]


SHOWN = Assessment("entity", "linked · run", (unit("p1"), unit("p2", "missing")))
OPEN = Open(7, "layered-1", 85, 1, "assisted", False, (SHOWN,))


def journal(*edits: Edit | tuple[str, Edit]) -> list[Named]:
    """Rows; an edit alone is an act of its own, (action, edit) belongs to a named act."""
    return [edit if isinstance(edit, tuple) else (f"act{n}", edit) for n, edit in enumerate(edits)]


def state(*edits: Edit | tuple[str, Edit]) -> ReviewState:
    return fold(journal(*edits))


def test_nothing_is_todo_without_rows() -> None:
    """A review without rows has no number either."""
    empty = fold([])

    assert (empty.seq, empty.opened.assessments, empty.entity.disposition) == (-1, (), "todo")


def test_the_opening_row_fills_in_what_was_shown() -> None:
    """Opening decides nothing: the kind stays todo."""
    opened = state(OPEN)

    assert opened.entity.assessment == SHOWN
    assert (opened.entity.disposition, opened.opened, opened.seq) == ("todo", OPEN, 0)
    assert opened_with(OPEN).entity == opened.entity
    assert opened_with(OPEN).seq == -1


def test_what_is_shown_later_of_another_run_is_not_where_the_units_shown_before_come_from() -> None:
    """The statements of run 8 are shown once the entities of run 7 are verified: these keep their ids."""
    statements = Assessment("statement", "contextual_recall · run 8", (Unit("p1", "statement", "It is."),))
    later = replace(OPEN, proposal=8, assessments=(statements,))
    reviewed = state(OPEN, Accept(SHOWN), later)

    assert [descends(reviewed, "entity", proposal) for proposal in (7, 8)] == [True, False]
    assert [descends(reviewed, "statement", proposal) for proposal in (7, 8)] == [False, True]


def test_a_put_replaces_the_unit_with_its_id_and_adds_a_new_one() -> None:
    """Order on screen is kept; what has no place in the text stands at the end."""
    changed, new = unit("p1", "missing"), unit("h1")

    after = state(OPEN, Put("match", "entity", (changed,)), Put("add", "entity", (new,)))

    assert after.entity.assessment.units == (changed, SHOWN.units[1], new)
    assert after.entity.disposition == "started"
    assert after.statement.disposition == "todo"
    assert put((), (new, changed)) == (new, changed)


def test_a_new_unit_stands_in_reading_order() -> None:
    """A part that is split off follows its first part; what stands nowhere moves nothing."""
    first, lost, last = unit("p1", spans=(Span(0, 9),)), unit("p2"), unit("p3", spans=(Span(30, 34),))
    part, between, end = (
        unit(name, spans=(Span(at, at + 2),)) for name, at in (("h1", 5), ("h2", 20), ("h3", 40))
    )

    assert (first, lost, part, last) == put((first, lost, last), (first, part))
    assert (first, lost, between, last, end) == put((first, lost, last), (end, between))


def test_an_edit_after_a_skip_starts_again() -> None:
    """A skip is for now."""
    after = state(OPEN, Dispose("skipped", ("entity",)), Put("match", "entity", (unit("p2"),)))

    assert (after.entity.disposition, after.entity.reason) == ("started", "")


def test_undoing_the_first_act_leaves_what_was_shown() -> None:
    """The opening row shares the first act's action and stays."""
    after = state(("a", OPEN), ("a", Comment("x")), Undo("a"))

    assert (after.opened, after.comments) == (OPEN, ())
    assert after.entity.assessment == SHOWN


def test_undo_takes_back_a_whole_act_and_redo_restores_it() -> None:
    """All rows of an action count or none does."""
    act = (("a", Put("match", "entity", (unit("p1", "missing"),))), ("a", Comment("why")))

    before, undone = state(OPEN), state(OPEN, *act, Undo("a"))
    again, twice = state(OPEN, *act, Undo("a"), Redo("a")), state(OPEN, *act, Undo("a"), Redo("a"), Undo("a"))

    assert (undone.entity, undone.comments) == (before.entity, ())
    assert (again.entity, again.comments) == (state(OPEN, *act).entity, ("why",))
    assert twice.entity == before.entity
    assert undone_actions(journal(OPEN, *act, Undo("a"))) == {"a"}


def test_accept_settles_undecided_units_as_unsure() -> None:
    """A machine never says unsure; accepting an open question does. What does not count is left alone."""
    open_unit, rejected = unit("p1", None), unit("p2", None, rejected=True)
    duplicate, decided = unit("p3", None, duplicate_of="p1"), unit("p4", "missing", spans=(Span(0, 2),))

    settled = settle(Assessment("entity", "x", (open_unit, rejected, duplicate, decided)))

    assert [one.match.verdict for one in settled.units] == ["unsure", None, None, "missing"]
    assert settled.units[0].match.rule == "human"
    assert settled.units[1:] == (rejected, duplicate, decided)


@from_cases
def test_the_least_finished_kind_speaks_for_the_sample(entity: Any, statement: Any, both: Any) -> None:
    """A sample is verified when every kind of the policy is."""
    edits: list[Edit] = [OPEN]
    kinds: dict[Kind, Disposition] = {"entity": entity, "statement": statement}
    for kind, disposition in kinds.items():
        if disposition == "verified":
            edits.append(Accept(Assessment(kind, "x")))
        elif disposition == "started":
            edits.append(Put("add", kind, (Unit("h1", kind, "X"),)))
        else:
            edits.append(Dispose(disposition, (kind,)))

    found = state(*edits)

    assert found.disposition(("entity", "statement")) == both
    assert found.disposition(("statement", "entity")) == both
    assert found.disposition(("entity",)) == entity
    assert found.disposition(()) == "todo"


def test_a_review_rests_on_the_oldest_policy_of_its_verified_kinds() -> None:
    """Until something is verified it is that of the opening."""
    for entity, statement in ((3, 2), (2, 3)):
        accepts = (Accept(SHOWN, policy=entity), Accept(Assessment("statement", "x"), policy=statement))
        assert 2 == state(OPEN, *accepts).policy
    assert (1, 3) == (state(OPEN).policy, state(OPEN, Accept(SHOWN, policy=3)).policy)


Journal = list[tuple[str, Edit]]


def newest_first(journal: Journal) -> Journal:
    return list(reversed(journal))


@given(st.lists(st.tuples(st.sampled_from(["act", "act", "undo", "redo"]), st.integers(1, 3)), max_size=30))
def test_undo_and_redo_walk_a_stack(presses: list[tuple[str, int]]) -> None:
    """Whatever is pressed, also when an act, its undo and its redo write several rows (bulk acts)."""
    journal: Journal = []
    done: list[str] = []
    undone: list[str] = []
    widths: dict[str, int] = {}
    for number, (press, width) in enumerate(presses):
        own = f"{press}{number}"
        if press == "act":
            journal += [(own, Comment("x"))] * width
            widths[own] = width
            done.append(own)
            undone.clear()
        elif press == "undo" and done:
            undone.append(done.pop())
            journal += [(own, Undo(undone[-1]))] * widths[undone[-1]]
        elif press == "redo" and undone:
            done.append(undone.pop())
            journal += [(own, Redo(done[-1]))] * widths[done[-1]]

        assert folding.newest_effective(newest_first(journal)) == (done[-1] if done else None)
        assert folding.newest_undone(newest_first(journal)) == (undone[-1] if undone else None)
