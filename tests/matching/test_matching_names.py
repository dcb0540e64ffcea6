"""Each layer of the matcher says its name and its score, as names.txt tells it."""

import pytest
from hypothesis import given, strategies as st

from tests.lists import from_cases, told
from workbench.matching import FLOOR
from workbench.matching.names import Name, best, similarity

GOLDEN = [
    (a, b, label, lang, (int(score), layer))
    for lang, label, a, b, score, layer in told(
        __file__, "names.txt", r"(\w+) ?(\w*): (.*) \| (.*) → (\d+) ?(\w*)"
    )
]


@pytest.mark.parametrize(("a", "b", "label", "lang", "expected"), GOLDEN)
def test_every_layer_has_its_score(a: str, b: str, label: str, lang: str, expected: tuple[int, str]) -> None:
    """Golden scores, the same in both directions."""
    assert similarity(Name(a, label), Name(b, label), lang) == expected
    assert similarity(Name(b, label), Name(a, label), lang) == expected


@pytest.mark.parametrize(
    ("a", "b", "label", "lang", "alike"), [(*row, score) for *row, (score, _) in GOLDEN if score >= FLOOR]
)
def test_a_look_at_the_words_leaves_no_pair_out(a: str, b: str, label: str, lang: str, alike: int) -> None:
    for left, right in ((a, b), (b, a)):
        (linked,) = best([Name(left, label)], [Name("Ulan 77", label), Name(right, label)], lang=lang)
        assert (1, alike) == (linked and linked.candidate, linked and linked.similarity)


def test_a_last_name_counts_only_between_persons() -> None:
    """Labels decide whether a part of a name is a short form of it."""
    assert similarity(Name("Washington", "place"), Name("George Washington", "person"), "en")[0] < 85
    assert similarity(Name("Washington", "person"), Name("George Washington", "person"), "en")[0] >= 85


def test_a_place_is_at_most_suggested_for_another_word_labelled_other() -> None:
    """Who labels by rules calls one name both; City of Edmonton may be a film."""
    city = similarity(Name("Edmonton", "place"), Name("City of Edmonton", "other"), "en")
    assert city == (80, "short_form")
    assert similarity(Name("Georgia", "LOC"), Name("Georgia", "MISC"), "en") == (100, "equal")
    assert similarity(Name("Липецк", "place"), Name("Липецке", "other"), "ru") == (98, "inflected")


@from_cases
def test_without_labels_a_part_of_a_name_is_not_the_name(a: str, b: str) -> None:
    """Only the last word of a name that reads like a person's is taken for it."""
    assert similarity(Name(a), Name(b), "en")[0] < 85
    assert similarity(Name("Rowling"), Name("Joanne Rowling"), "en") == (93, "short_form")


def test_labels_of_other_tools_mean_the_same() -> None:
    """PER, Person and person are one label."""
    assert similarity(Name("Eiffel", "PER"), Name("Gustave Eiffel", "Person"), "en") == (93, "short_form")


NUMBERS = st.integers(0, 10**7)
FRAMES = st.sampled_from(
    ["{}", "Boeing {}", "{} people", "Apollo {}", "Chapter {} of the book", "{} км", "${}"]
)


@given(NUMBERS, NUMBERS, FRAMES, st.sampled_from(["", "number", "date", "other"]))
def test_different_digits_are_never_linked(x: int, y: int, frame: str, label: str) -> None:
    """However alike the rest is, two numbers are two things."""
    found, _ = similarity(Name(frame.format(x), label), Name(frame.format(y), label), "en")

    assert (found >= 85) == (x == y)


TEXTS = st.text(st.characters(exclude_categories=[]), max_size=30)


@given(
    TEXTS,
    TEXTS,
    st.sampled_from(["", "person", "organisation", "place"]),
    st.sampled_from([None, "", "ru", "pl", "zz"]),
)
def test_any_two_texts_can_be_compared(a: str, b: str, label: str, lang: str | None) -> None:
    """No text crashes the matcher; both directions agree; a name is equal to itself if it has a letter."""
    forth = similarity(Name(a, label), Name(b, label), lang)

    assert forth == similarity(Name(b, label), Name(a, label), lang)
    assert 0 <= forth[0] <= 100
    assert similarity(Name(a, label), Name(a, label), lang)[0] in {0, 100}
