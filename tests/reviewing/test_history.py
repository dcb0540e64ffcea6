"""Which act undo and redo mean, against a plain stack."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.reviewing.edits import Comment, Edit, Redo, Undo
from workbench.reviewing.fold import newest_effective, newest_undone

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

        assert newest_effective(newest_first(journal)) == (done[-1] if done else None)
        assert newest_undone(newest_first(journal)) == (undone[-1] if undone else None)


def test_redo_after_a_redone_bulk_act_goes_on_to_the_older_one() -> None:
    """An undo over two samples is one undo: the second row of it is not a second one."""
    journal: Journal = [
        ("bulk", Comment("x")), ("bulk", Comment("x")), ("b", Comment("y")),
        ("u1", Undo("b")),
        ("u2", Undo("bulk")), ("u2", Undo("bulk")),
        ("r1", Redo("bulk")), ("r1", Redo("bulk")),
    ]  # fmt: skip

    assert newest_undone(newest_first(journal)) == "b"
