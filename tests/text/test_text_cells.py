"""Text in terminal cells: wrapping, cutting and padding in every script."""

import pytest
from hypothesis import example, given, strategies as st
from rich.cells import cell_len

from tests.lists import from_cases
from workbench.text import cells as in_cells
from workbench.text.cells import clusters, cut, cut_middle, cut_words, fit, steady, width, wrap

TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from("ab c\n，。（）中文日本한국어é\u0301\u200d👨👩👧🏽❤\ufe0fтак تاج क्\u200dष"),
        st.characters(exclude_categories=["Cs", "Cc"]),
    ),
    max_size=60,
)


@from_cases
def test_wrap_breaks_where_a_reader_would(text: str, size: int, expected: list[str]) -> None:
    """At line breaks and spaces; in scripts without spaces between characters, never before a full stop."""
    assert [text[a:b] for a, b in wrap(text, size)] == expected


@given(TEXTS, st.integers(2, 20))
def test_wrapped_lines_fit_and_lose_only_blanks(text: str, size: int) -> None:
    """Every line fits its width, lines do not overlap, and between them stand blanks alone."""
    lines = wrap(text, size)
    end = 0
    for start, stop in lines:
        assert text[end:start].strip(" \n") == ""
        assert width(text[start:stop].rstrip(" ")) <= size
        end = stop
    assert text[end:].strip(" \n") == ""


@given(TEXTS, st.integers(0, 20))
def test_fit_is_exact(text: str, size: int) -> None:
    """A cell of a table is always exactly as wide as its column."""
    assert cell_len(fit(text.replace("\n", " "), size)) == size


@given(TEXTS)
@example("\u200d👨")
def test_clusters_cover_the_text(text: str) -> None:
    """Every code point belongs to exactly one cluster, and their cells add up to what is drawn."""
    found = list(clusters(text))
    assert "".join(text[start:end] for start, end, _ in found) == text
    assert sum(cells for _, _, cells in found) == width(text)


@from_cases
def test_steady_draws_what_every_terminal_measures_alike(text: str, drawn: str) -> None:
    """Joined and toned emoji are drawn as their first picture; no letter is lost."""
    assert steady(text) == drawn


def test_cut_says_that_something_is_missing() -> None:
    """An ellipsis only when it does not fit, and never half a wide character."""
    assert cut("Taj Mahal", 9) == "Taj Mahal"
    assert cut("Taj Mahal", 6) == "Taj M…"
    assert cut("北京北京", 4) == "北…"
    assert fit("5", 4, right=True) == "   5"


@pytest.mark.parametrize(
    ("size", "expected"), [(13, "7 have no …"), (15, "7 have no score"), (4, "7 h…"), (10, "7 have …")]
)
def test_a_sentence_is_cut_behind_a_word(size: int, expected: str) -> None:
    """Not where only its first word would be left."""
    assert expected == cut_words("7 have no score", size)


def test_index_at_finds_the_character_under_the_mouse() -> None:
    """Columns are cells, answers are code points."""
    text = "a北e\u0301z"
    assert [in_cells.index_at(text, column) for column in range(7)] == [0, 1, 1, 2, 4, 5, 5]


@from_cases
def test_names_are_cut_in_the_middle(text: str, size: int, expected: str) -> None:
    """Both ends stay, in at most as many cells as there are."""
    assert (expected, True) == (cut_middle(text, size), width(cut_middle(text, size)) <= size)


@from_cases
def test_a_text_from_right_to_left_is_turned_by_characters(text: str, turned: str) -> None:
    """Marks stay on their letters, numbers and Latin words as they are; other texts need no second line."""
    assert turned == in_cells.other_direction(text)
