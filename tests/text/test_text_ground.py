"""Where a quote stands: the best tier that has it, all its places, never an invention."""

import time

import pytest
from hypothesis import given, strategies as st

from tests.lists import told_in
from workbench.text.ground import ground

TEXTS = st.text(st.characters(exclude_categories=[]), min_size=1, max_size=60)
UNMARKED = st.text(st.characters(exclude_categories=["M", "Cs"]), min_size=1, max_size=60)


def quoted(quote: str, text: str) -> list[str]:
    return [text[span.start : span.end] for span in ground(quote, text)]


@pytest.mark.parametrize(("quote", "text", "expected"), told_in(__file__, "quotes.txt"))
def test_a_quote_is_found_where_it_stands(quote: str, text: str, expected: list[str]) -> None:
    assert quoted(quote, text) == expected


@pytest.mark.parametrize(("quote", "text"), [("", "text"), ("   ", "text"), ("quote", "")])
def test_nothing_is_nowhere(quote: str, text: str) -> None:
    assert ground(quote, text) == ()


@given(UNMARKED, st.integers(0, 60), st.integers(1, 30))
def test_every_piece_of_a_text_is_found_as_it_stands(text: str, start: int, length: int) -> None:
    """An exact quote is grounded exactly."""
    piece = text[start : start + length]
    if piece.strip():
        assert set(quoted(piece, text)) == {piece.strip()}


@given(TEXTS, TEXTS)
def test_spans_lie_in_the_text_in_order(quote: str, text: str) -> None:
    """Whatever is asked, spans are inside, not empty and apart."""
    last = 0
    for span in ground(quote, text):
        assert last <= span.start < span.end <= len(text)
        last = span.end


@pytest.mark.parametrize("word", ["x" * 200, "х" * 200, "х" * 20 + "-"], ids=["latin", "cyrillic", "hyphens"])
def test_a_word_of_a_megabyte_is_searched_without_a_hang(word: str) -> None:
    """A quote that stands all over one word, as broken texts have it."""
    start = time.process_time()
    found = ground(word.strip("-"), word * (1_000_000 // len(word)))

    assert found
    assert time.process_time() - start < 30


OXFORD = "He studied law at the university of Oxford. "
SLOW = {
    "prose": ("a long quote that nobody ever said of the university", OXFORD * 25_000),
    "unspaced": ("京都", "東" * 350_000),  # of three bytes each
    "repeats": ("a a a a b", "a " * 500_000),
    "spaces": ("x y", "x" + " " * 1_000_000),
    "numbers": ("1" * 1000, "1 " * 500_000),
}


@pytest.mark.parametrize(("quote", "text"), SLOW.values(), ids=SLOW)
def test_a_megabyte_is_searched_without_a_hang(quote: str, text: str) -> None:
    """Seconds at most, also for texts made to be slow."""
    start = time.process_time()
    found = ground(quote, text)

    assert found == ()
    assert time.process_time() - start < 30
