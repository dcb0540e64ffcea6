"""Marks on text: nested, overlapping and touching ones stay legible."""

from __future__ import annotations

from workbench.text.marks import Mark, MarkedLines

TEXT = "University of London, Paris"
OUTER = Mark(0, 20, "found", "u1")
INNER = Mark(14, 20, "missing", "u2")


def owners(marks: list[Mark]) -> list[tuple[str, str, int]]:
    """(text, owner, how many lie below) of each piece of a one-line text."""
    pieces = MarkedLines([(0, len(TEXT))], marks).pieces(0, 0, len(TEXT))
    return [(TEXT[p.start : p.end], p.mark.owner if p.mark else "", p.depth) for p in pieces]


def test_the_inner_mark_is_on_top_and_knows_its_depth() -> None:
    """A name inside a name is drawn in its own role, over the longer one."""
    assert owners([OUTER, INNER]) == [("University of ", "u1", 0), ("London", "u2", 1), (", Paris", "", 0)]


def test_the_chosen_mark_is_on_top_of_all() -> None:
    """Choosing the longer name shows it whole."""
    assert owners([OUTER._replace(chosen=True), INNER])[:2] == [
        ("University of ", "u1", 0),
        ("London", "u1", 1),
    ]


def test_overlapping_marks_are_cut_at_their_edges() -> None:
    """Two marks that cross give three pieces."""
    assert owners([Mark(0, 13, "found", "a"), Mark(11, 20, "found", "b")])[:3] == [
        ("University ", "a", 0),
        ("of", "b", 1),
        (" London", "b", 0),
    ]


def test_touching_marks_get_two_shades() -> None:
    """Without it two neighbours would read as one."""
    marks = [Mark(0, 10, "found", "a"), Mark(10, 13, "found", "b"), Mark(13, 20, "found", "c")]
    pieces = MarkedLines([(0, 27)], marks).pieces(0, 0, 27)
    assert [piece.odd for piece in pieces] == [False, True, False, False]


def test_a_mark_over_several_lines_is_in_each() -> None:
    """And a line looks at its own marks only."""
    lines = [(0, 10), (11, 13), (14, 20), (22, 27)]
    marked = MarkedLines(lines, [OUTER])
    assert [bool(marked.pieces(n, *line)[0].mark) for n, line in enumerate(lines)] == [
        True,
        True,
        True,
        False,
    ]


def test_a_click_finds_the_innermost_unit() -> None:
    """None outside of all marks."""
    marked = MarkedLines([(0, 27)], [OUTER, INNER])
    assert [marked.mark_at(0, place) for place in (3, 15, 20)] == [OUTER, INNER, None]
