"""The passages a person looks at before saying that something is missing."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from workbench.matching.nearest import PASSAGE, nearest, shared
from workbench.model import Evidence


def quoted(text: str, contexts: list[str], n: int = 3) -> list[str]:
    return [contexts[e.context][e.start : e.end] for e in nearest(text, contexts, n)]


def test_the_sentence_with_most_of_the_rare_words_comes_first() -> None:
    """Over all contexts, best first, no more than asked."""
    contexts = [
        "Paris is big. The tower is made of iron. It rained.",
        "Gustave Eiffel had a company. The tower of Gustave Eiffel is tall. The end.",
    ]

    assert quoted("the tower of Gustave Eiffel", contexts, 3) == [
        "The tower of Gustave Eiffel is tall.",
        "Gustave Eiffel had a company.",
        "The tower is made of iron.",
    ]


def test_other_endings_and_other_case_are_seen() -> None:
    """Words count from their beginnings."""
    assert quoted("Эйфелева башня", ["Дождь шёл. Он видел Эйфелеву башню. Всё."], 1) == [
        "Он видел Эйфелеву башню."
    ]
    assert quoted("eiffel tower", ["Rain. THE EIFFEL TOWER! End."], 1) == ["THE EIFFEL TOWER!"]
    assert quoted("東京タワー", ["京都は古い。東京タワーは高い。大阪。"], 1) == ["東京タワーは高い。"]


def test_nothing_alike_gives_nothing() -> None:
    """An empty list, not an arbitrary passage."""
    assert nearest("Eiffel", ["It rained.", ""]) == []
    assert nearest("", ["It rained."]) == []


def test_a_long_sentence_is_cut_around_its_hit() -> None:
    """A passage fits on a screen."""
    context = "word " * 500 + "Eiffel " + "word " * 500

    (found,) = nearest("Eiffel", [context])

    assert "Eiffel" in context[found.start : found.end]
    assert found.end - found.start <= PASSAGE + 20


@given(
    st.text(st.characters(exclude_categories=[]), max_size=20),
    st.lists(st.text(st.characters(exclude_categories=[]), max_size=40), max_size=4),
    st.integers(1, 4),
)
def test_passages_lie_in_their_contexts_and_apart(text: str, contexts: list[str], n: int) -> None:
    """Any text: at most n passages, none empty, none overlapping."""
    found = nearest(text, contexts, n)

    assert len(found) <= n
    for index, one in enumerate(found):
        assert 0 <= one.start < one.end <= len(contexts[one.context])
        assert not any(
            o.context == one.context and o.start < one.end and one.start < o.end for o in found[:index]
        )


def test_twenty_megabytes_are_searched_at_once() -> None:
    """A hundred contexts of 200 kB: seconds at most."""
    contexts = ["The tower was seen by many people of Paris. " * 4_500] * 100
    contexts[57] += "Gustave Eiffel built it."
    start = time.process_time()
    found = nearest("Gustave Eiffel", contexts, 1)

    assert found == [Evidence(57, len(contexts[0]), len(contexts[57]))]
    assert time.process_time() - start < 30


def test_the_words_that_make_a_passage_alike() -> None:
    """Whole words, in any case and with any ending; pairs of characters where there are no blanks."""
    passage = "Universities of PARIS; in Parisian time 東京都"

    assert [passage[s.start : s.end] for s in shared("University of Paris", passage)] == [
        "Universities", "PARIS", "Parisian"
    ]  # fmt: skip
    assert [passage[s.start : s.end] for s in shared("東京", passage)] == ["東京"]
    assert shared("Lyon", passage) == []
