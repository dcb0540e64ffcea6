"""Tokens a person walks over, and spans snapped to them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.tokens import Token, snap, tokens

TEXTS = st.text(st.characters(exclude_categories=[]), max_size=60) | st.text(
    "aБ東é\u0301-'’. 1,\u200d👩", max_size=40
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("O'Brien met Jean-Luc.", ["O'Brien", "met", "Jean-Luc", "."]),
        ("France's flag", ["France", "'s", "flag"]),
        ("l'Arc de L'Oréal", ["l'", "Arc", "de", "L'Oréal"]),
        ("Ростов-на-Дону", ["Ростов-на-Дону"]),
        ("a Paris-based firm", ["a", "Paris", "-", "based", "firm"]),
        ("1997-98", ["1997", "-", "98"]),
        ("the U.S. and AT&T", ["the", "U.S.", "and", "AT&T"]),
        ("1,000.5% of $3", ["1,000.5", "%", "of", "$", "3"]),
        ("Türkiye'nin", ["Türkiye", "'nin"]),
        ("東京は", ["東", "京", "は"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("서울에서", ["서울에서"]),
        ("👩\u200d👩\u200d👧!", ["👩\u200d👩\u200d👧", "!"]),
        ("cafe\u0301", ["cafe\u0301"]),
    ],
)
def test_tokens_are_what_a_person_would_step_over(text: str, expected: list[str]) -> None:
    """Words with inner marks are one step; possessives, ranges and punctuation are their own."""
    assert [token.text for token in tokens(text)] == expected


@given(TEXTS)
def test_everything_but_white_space_belongs_to_one_token(text: str) -> None:
    """Tokens quote the text, stand in order and leave only white space out."""
    last = 0
    for token in tokens(text):
        assert token == Token(text[token.start : token.end], token.start, token.end)
        assert text[last : token.start].strip() == ""
        last = token.end
    assert text[last:].strip() == ""


@given(TEXTS, st.integers(0, 60), st.integers(0, 20))
def test_snapping_gives_whole_tokens_and_is_stable(text: str, start: int, length: int) -> None:
    """The edges are edges of tokens that the span touched, and snapping again changes nothing."""
    end = start + length
    touched = [token for token in tokens(text) if token.start < end and token.end > start]
    expected = (touched[0].start, touched[-1].end) if touched and length else None

    snapped = snap(text, start, end)

    if expected is not None:
        assert snapped == expected
    assert snap(text, *snapped) == snapped


def test_snapping_trims_white_space_and_takes_whole_words() -> None:
    """A stretch from inside one word to inside another covers both."""
    assert snap("in New York today", 4, 10) == (3, 11)


def test_a_text_made_to_backtrack_is_still_fast() -> None:
    """Half a megabyte of the worst cases takes seconds at most, not hours."""
    start = time.process_time()
    for text in ("a." * 250_000 + "a", "1." * 250_000 + "a", "1" * 500_000 + "a", "a'" * 250_000):
        tokens(text)

    assert time.process_time() - start < 30
