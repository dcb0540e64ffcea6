"""The passages a person looks at before saying that something is missing."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.lists import from_cases
from workbench.matching import analysis
from workbench.matching.names import Name, similarity
from workbench.matching.nearest import PASSAGE, nearest, shared
from workbench.model import Evidence
from workbench.text import inflection


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


def test_two_capitals_are_a_word_of_their_own() -> None:
    """They say as much as a longer word, and are no beginning of another one."""
    contexts = ["Europe is old. The law is new. Aim high. The EU has a law on AI."]

    assert quoted("EU law", contexts, 2) == ["The EU has a law on AI.", "The law is new."]
    assert quoted("AI", contexts) == ["The EU has a law on AI."]


@from_cases
def test_the_initials_of_a_name_and_the_name_of_initials_come_first(text: str, passage: str) -> None:
    """Before a passage with a word of the name, marked; UNESCO is no UN, and two small words are no name."""
    contexts = ["Nations of England united. UNESCO is under no law. A product of a domestic bank.", passage]

    (first,) = nearest(text, contexts, 1)
    assert passage == contexts[first.context][first.start : first.end]
    assert shared(text, passage)
    assert all(evidence.context == 0 for evidence in nearest(text, contexts[:1]))


def test_nothing_alike_gives_nothing() -> None:
    """An empty list, not an arbitrary passage."""
    assert nearest("Eiffel", ["It rained.", ""]) == []
    assert nearest("", ["It rained."]) == []
    assert nearest("Vostok 1", ["It took 108 minutes on 12 April 1961."]) == []  # a number is a whole one
    assert nearest("1930年", ["他在2009年获奖。"]) == []
    assert nearest("They met after the war", ["After that it rained."]) == []
    between = ["Eiffel built. " + "It rained " * 28 + "there. Eiffel died."]
    assert quoted("Eiffel", between) == ["Eiffel died.", "Eiffel built."]


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


PAIRS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "match_pairs.json").read_text(encoding="utf-8")
)
THRESHOLD = 85


def group(pair: dict[str, Any]) -> str:
    return str(pair["lang"] if pair["lang"] in {"en", "ru"} else "other")


def score(pair: dict[str, Any]) -> tuple[int, str]:
    lang = None if pair["lang"] == "mul" else pair["lang"]
    return similarity(Name(pair["a"]), Name(pair["b"]), lang)


def f1(pairs: list[dict[str, Any]]) -> float:
    linked = [(score(pair)[0] >= THRESHOLD, bool(pair["match"])) for pair in pairs]
    true, wrong = linked.count((True, True)), sum(said != meant for said, meant in linked)
    return 2 * true / (2 * true + wrong)


@pytest.fixture
def without_dictionary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The program as installed without the extra `russian`."""

    def forget() -> None:
        for remembered in (inflection.forms, analysis.sketch, analysis.analyse, analysis._index):
            remembered.cache_clear()

    forget()
    monkeypatch.setattr(inflection, "analyser", lambda: None)
    yield
    forget()


@pytest.mark.parametrize(("language", "bar"), [("en", 0.97), ("ru", 0.99), ("other", 0.90)])
def test_pairs_are_linked_as_people_would(language: str, bar: float) -> None:
    """F1 at the default threshold; without labels, the hardest case."""
    assert f1([pair for pair in PAIRS if group(pair) == language]) >= bar


@pytest.mark.usefixtures("without_dictionary")
def test_russian_pairs_are_linked_without_the_dictionary() -> None:
    """The paradigms alone keep nearly all of it."""
    assert f1([pair for pair in PAIRS if group(pair) == "ru"]) >= 0.95


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['lang']}: {pair['a']} / {pair['b']}")
def test_no_pair_of_two_things_is_linked(pair: dict[str, Any]) -> None:
    """A pair that people keep apart never reaches the threshold; every pair scores the same both ways."""
    lang = None if pair["lang"] == "mul" else pair["lang"]
    found = score(pair)

    assert similarity(Name(pair["b"]), Name(pair["a"]), lang) == found
    assert pair["match"] or found[0] < THRESHOLD
