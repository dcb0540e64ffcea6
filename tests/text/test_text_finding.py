"""What is typed finds what is meant: case, accents, widths, dashes, quotes and blanks do not matter."""

import pytest
from hypothesis import example, given, strategies as st

from tests.lists import told, told_in
from workbench.text.language import detect
from workbench.text.normalise import find_folded, fold
from workbench.text.safe import clean


def found(typed: str, text: str, most: int = 100) -> list[str]:
    return [text[span.start : span.end] for span in find_folded(typed, text, most)]


@pytest.mark.parametrize(("typed", "text", "expected"), told_in(__file__, "typed.txt"))
def test_what_is_typed_is_found(typed: str, text: str, expected: list[str]) -> None:
    """As it stands in the text, with its marks."""
    assert found(typed, text) == expected


def test_nothing_but_blanks_looks_for_nothing() -> None:
    """A field that was just emptied."""
    assert [] == found("", "a text")
    assert [] == found(" \t\u00a0", "a text")


def test_at_most_so_many_places_are_read() -> None:
    """A single letter stands in every word."""
    assert found("e", "e" * 50, most=7) == ["e"] * 7


TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


@given(TEXT, TEXT, TEXT)
@example("", "¯", "")
def test_every_stretch_of_a_text_finds_itself(before: str, middle: str, after: str) -> None:
    """Whatever it holds; also as it is shown, since hidden characters are replaced one by one."""
    if fold(middle).split() and middle == middle.strip() and clean(middle) == middle:
        assert found(middle, f"{before} {middle} {after}")


TEXTS = {one[0]: one[1] for one in told(__file__, "languages.txt", "(..): (.*)")}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_is_recognised(language: str) -> None:
    """One plain sentence is enough in each language."""
    assert detect(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "12345 !?", "Gustave Eiffel", "\ud800"])
def test_nothing_is_said_without_evidence(text: str) -> None:
    """A name in Latin letters could be of any language."""
    assert detect(text) == ""


@given(st.text(st.characters(exclude_categories=[]), max_size=80))
def test_any_text_gets_the_same_answer_twice(text: str) -> None:
    """Deterministic, two letters or none."""
    assert detect(text) == detect(text)
    assert len(detect(text)) in {0, 2}


WORDS = st.sampled_from("the of and der die und les et на і ы är ß ñ 東京 の دی Rome 1889 . \n".split(" "))


@given(st.lists(st.lists(WORDS, max_size=9).map(" ".join), min_size=1, max_size=4), st.integers(1, 1_500))
def test_the_language_of_texts_is_that_of_one_with_all_their_words(texts: list[str], times: int) -> None:
    """Also of long ones, of which the first part is read."""
    texts[0] += f" {texts[-1]}" * times
    assert detect(*texts) == detect("\n".join(texts))
