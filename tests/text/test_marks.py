"""Marks on text: nested, overlapping and touching ones stay legible."""

from typing import Any

import pytest

from workbench.text.marks import Mark, MarkedLines

TEXT = "University of London, Paris"
OUTER = Mark(0, 20, "found", "u1")
INNER = Mark(14, 20, "missing", "u2")


def owners(marks: list[Mark]) -> list[tuple[str, str, int]]:
    """(text, owner, how many lie below) of each piece of a one-line text."""
    pieces = MarkedLines([(0, len(TEXT))], marks).pieces(0, 0, len(TEXT))
    return [(TEXT[p.start : p.end], p.mark.owner if p.mark else "", p.depth) for p in pieces]


CROSSING = [Mark(0, 13, "found", "a"), Mark(11, 20, "found", "b")]


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([OUTER, INNER], [("University of ", "u1", 0), ("London", "u2", 1), (", Paris", "", 0)]),
        ([OUTER._replace(chosen=True), INNER], [("University of ", "u1", 0), ("London", "u1", 1)]),
        (CROSSING, [("University ", "a", 0), ("of", "b", 1), (" London", "b", 0)]),
    ],
    ids=["the inner one is on top", "the chosen one is on top of all", "crossing ones are cut"],
)
def test_marks_are_drawn_one_over_the_other(marks: list[Mark], expected: list[Any]) -> None:
    """Each piece in the role of the mark on top, which knows how many lie below."""
    assert expected == owners(marks)[: len(expected)]


def test_touching_marks_get_two_shades() -> None:
    """Without it two neighbours would read as one."""
    marks = [Mark(0, 10, "found", "a"), Mark(10, 13, "found", "b"), Mark(13, 20, "found", "c")]
    pieces = MarkedLines([(0, 27)], marks).pieces(0, 0, 27)
    assert [piece.odd for piece in pieces] == [False, True, False, False]


def test_a_mark_over_several_lines_is_in_each() -> None:
    """And a line looks at its own marks only."""
    lines = [(0, 10), (11, 13), (14, 20), (22, 27)]
    marked = MarkedLines(lines, [OUTER])
    there = [bool(marked.pieces(n, *line)[0].mark) for n, line in enumerate(lines)]
    assert [True, True, True, False] == there


def test_a_click_finds_the_innermost_unit() -> None:
    """None outside of all marks."""
    marked = MarkedLines([(0, 27)], [OUTER, INNER])
    assert [marked.mark_at(0, place) for place in (3, 15, 20)] == [OUTER, INNER, None]
