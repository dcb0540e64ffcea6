"""Keys: equal for one name in two spellings, different for two names, as keys.txt tells it."""

import pytest
from hypothesis import example, given, strategies as st

from tests.lists import from_cases, told
from workbench.text.inflection import forms
from workbench.text.normalise import fold, key, words

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=40)
PIECES = st.sampled_from(
    [
        *"Paris Гюстав of the The a в С. U.S. J. K. Rowling 1,000 000 million 14 July 1889 II".split(),
        *"XIX век в. Jr. half per cent hundred and fifty dozen 2:30 pm Q1 to '90s EUR of May".split(),
        *"東京 서울에서 İstanbul'da l'Arc O'Brien 's 14th 1930-х ß e\u0301 ﬁ $ % ( ) - ’ ' . , and и".split(),
        " ",
        "\n",
    ]
)
NAMES = st.lists(PIECES, max_size=7).map(" ".join) | st.lists(PIECES, max_size=7).map("".join) | ANY_TEXT
LANGUAGES = st.sampled_from([None, "", "en", "ru", "uk", "de", "fr", "tr", "pl", "zh", "ar"])


def spelled(sign: str) -> list[tuple[str, str, str | None]]:
    cases = told(__file__, "keys.txt", "([a-z-]+): (.*) ([=≠]) (.*)")
    return [(a, b, None if lang == "-" else lang) for lang, a, how, b in cases if how == sign]


@pytest.mark.parametrize(("a", "b", "lang"), spelled("="))
def test_spellings_of_one_name_have_one_key(a: str, b: str, lang: str | None) -> None:
    """Case, accents, articles, punctuation, numbers and dates do not part a name from itself."""
    assert key(a, lang) == key(b, lang) != ""


@pytest.mark.parametrize(("a", "b", "lang"), spelled("≠"))
def test_two_names_have_two_keys(a: str, b: str, lang: str | None) -> None:
    """What tells names apart stays: digits, initials, generations, letters with marks."""
    assert key(a, lang) != key(b, lang)


def test_a_name_of_articles_alone_keeps_them() -> None:
    """Nothing is dropped when nothing would be left."""
    assert key("The The", "en") == "the the"


def test_a_number_word_is_read_in_the_language_of_a_text_without_figures() -> None:
    assert words("Tiene cuatro perros", "es") == words("Tiene 4 perros", "es") == ["tiene", "4", "perros"]


def test_a_text_without_letters_has_no_key() -> None:
    """Empty keys never make two mentions one."""
    assert key("…—!") == ""


@example("A'Ѐ", None)
@example("0A‘Ѐ", None)
@example("2,3760", "de")
@example("5, −10", "en")
@example("0YÐ", "en")
@given(NAMES, LANGUAGES)
def test_normalising_a_key_changes_nothing(text: str, lang: str | None) -> None:
    """A key is its own key, whatever the text, lone surrogates included."""
    once = key(text, lang)

    assert key(once, lang) == once


@given(NAMES)
def test_folding_twice_changes_nothing(text: str) -> None:
    """Folding settles."""
    assert fold(fold(text)) == fold(text)


@from_cases
def test_a_form_names_a_stem_of_two_letters_and_a_paradigm(word: str, lang: str, expected: set[str]) -> None:
    assert {word, *expected} == forms(word, lang)


def test_a_number_of_any_length_is_read() -> None:
    """A figure with more digits than a number has stays as it is written."""
    assert ["9" * 1_000_100, "万"] == words("9" * 1_000_100 + "万", "zh")
