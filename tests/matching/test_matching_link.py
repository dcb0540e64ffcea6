"""One-to-one links, best first, whatever the order of either side."""

import random
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.lists import from_cases
from workbench.matching import MATCHER
from workbench.matching.names import Name, NameLink, best, link, similarity
from workbench.text.inflection import LETTERS_STAY, first_letters, forms
from workbench.text.normalise import fold

WORDS = st.sampled_from(
    "Paris Париж Париже London Londn Gustave Eiffel G. 1889 1889-07-14 July 14 USA American Yuki".split()
)
TEXTS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join) | st.text(
    st.characters(exclude_categories=[]), max_size=12
)
LABELS = st.sampled_from(["", "person", "place", "organisation"])
NAMES = st.lists(
    st.builds(Name, TEXTS, LABELS, st.just(())), max_size=7
)  # what people taught is no similarity


def names(*texts: str, label: str = "") -> list[Name]:
    return [Name(text, label) for text in texts]


def test_the_closest_candidate_is_taken_and_each_only_once() -> None:
    """Two mentions cannot be found by one candidate."""
    references = names("Paris", "the Paris", "London", label="place")
    candidates = names("Paris", "london", "Berlin", label="place")

    assert link(references, candidates, lang="en") == [
        NameLink(0, 100, "equal"),
        None,
        NameLink(1, 99, "normalised"),
    ]


def test_a_better_pair_goes_first_whatever_its_place() -> None:
    """A short form does not take the candidate of an equal name."""
    references = names("Eiffel", "Gustave Eiffel", label="person")
    candidates = names("Gustave Eiffel", label="person")

    assert link(references, candidates, lang="en") == [None, NameLink(0, 100, "equal")]


@from_cases
def test_a_surname_without_a_label_is_of_the_only_person_of_that_name(candidates: Any, expected: Any) -> None:
    """Rules call a word that opens a sentence other."""
    (found,) = link(names("Olaf Scholz", label="person"), [Name(*each) for each in candidates], lang="en")
    assert expected == found


def test_the_threshold_cuts_the_links_of_best() -> None:
    """A suggestion is a link below the threshold."""
    references, candidates = names("American", "1889"), names("United States", "14 July 1889")

    assert best(references, candidates, lang="en") == [NameLink(0, 80, "country"), NameLink(1, 80, "digits")]
    assert link(references, candidates, lang="en") == [None, None]
    assert link(references, candidates, threshold=75, lang="en") == best(references, candidates, lang="en")


def test_nothing_to_link_gives_nothing() -> None:
    """Empty sides are no error."""
    assert best([], names("Paris")) == []
    assert link(names("Paris"), []) == [None]


def test_candidates_with_a_typo_or_another_order_are_found() -> None:
    """The index over candidates loses none of the layers."""
    references = names("Massachusetts", "World Health Organization", "Eiffel, Gustave", "Льва Толстого")
    candidates = names("Massachussetts", "WHO", "Gustave Eiffel", "Лев Толстой")

    assert [found and found.candidate for found in link(references, candidates)] == [0, 1, 2, 3]


def test_the_matcher_has_a_version() -> None:
    """Scores are stored with it."""
    assert "layered-13" == MATCHER


@given(NAMES, NAMES, st.integers(0, 2**32))
def test_order_changes_indices_alone(references: list[Name], candidates: list[Name], seed: int) -> None:
    """Ties are resolved by what the names are, never by where they stand."""

    def said(left: list[Name], right: list[Name]) -> list[tuple[object, object]]:
        found = best(left, right)
        return sorted(
            (a, () if f is None else (right[f.candidate], f.similarity, f.rule))
            for a, f in zip(left, found, strict=True)
        )

    rng = random.Random(seed)
    shuffled = rng.sample(references, len(references)), rng.sample(candidates, len(candidates))

    assert said(*shuffled) == said(references, candidates)


@given(NAMES, NAMES, st.integers(60, 100))
def test_links_are_one_to_one_and_say_how_alike(references: Any, candidates: Any, threshold: int) -> None:
    """Each candidate at most once; the stored score is the score; a threshold only takes links away."""
    whole = best(references, candidates)
    used = [found.candidate for found in whole if found]

    assert len(used) == len(set(used))
    for name, found in zip(references, whole, strict=True):
        assert found is None or similarity(name, candidates[found.candidate]) == found[1:]
    kept = [found if found and found.similarity >= threshold else None for found in whole]
    assert kept == link(references, candidates, threshold=threshold)


@given(NAMES, NAMES)
def test_no_pair_that_could_be_linked_is_left(references: list[Name], candidates: list[Name]) -> None:
    """The index finds every pair that reaches the default threshold."""
    found = link(references, candidates)
    taken = {one.candidate for one in found if one}
    free = [name for place, name in enumerate(candidates) if place not in taken]

    open_names = [name for name, one in zip(references, found, strict=True) if one is None]
    assert [] == [(a, b) for a in open_names for b in free if similarity(a, b)[0] >= 85]


@pytest.mark.parametrize("lang", sorted(LETTERS_STAY))
def test_stems_begin_as_their_words_do(lang: str) -> None:
    text = files("workbench.demo_data").joinpath("demo.jsonl").read_text("utf-8")
    words = {word for word in fold(text).split() if word.isascii() and word.isalpha()}
    words |= {"ueberall", "aerzte", "oeestlich", "ms", "yeux", "as", "a", "quelle"}
    for word in words:
        letters = first_letters(word, lang)
        assert 1 <= len(letters) <= len(word)
        assert {letters} == {first_letters(form, lang) for form in forms(word, lang)}, word
