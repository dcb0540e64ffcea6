"""Tokens and sentences cover a text and cut it where a reader would."""

import re
import time
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.lists import from_cases, told
from workbench.model import Span
from workbench.text.tokens import UNSPACED, Token, marks, plain, sentences, snap, tokens

TEXTS = st.text(st.characters(exclude_categories=[]), max_size=60) | st.text(
    "aБ東é\u0301-'’. 1,\u200d👩", max_size=40
)


@pytest.mark.parametrize(("text", "expected"), told(__file__, "tokens.txt", "(.*) → (.*)"))
def test_tokens_are_what_a_person_would_step_over(text: str, expected: str) -> None:
    """Words with inner marks are one step; possessives, ranges and punctuation are their own."""
    assert [token.text for token in tokens(text)] == expected.split(" | ")


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
    expected = Span(touched[0].start, touched[-1].end) if touched and length else None

    snapped = snap(text, start, end)

    if expected is not None:
        assert snapped == expected
    assert snap(text, snapped.start, snapped.end) == snapped


def test_snapping_trims_white_space_and_takes_whole_words() -> None:
    """A stretch from inside one word to inside another covers both."""
    assert snap("in New York today", 4, 10) == Span(3, 11)


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@from_cases
def test_sentences_end_where_they_end(expected: list[str]) -> None:
    """Abbreviations, initials, ordinals and decimals do not end one; East Asian stops need no space."""
    joiner = "" if expected[0][-1] in "。」" else " "

    assert cut(joiner.join(expected)) == expected


def test_paragraphs_and_list_items_are_apart() -> None:
    """A heading, an item or a row of a table ends without a full stop."""
    table = ["| Mg | Day |", "|--|--|", "| 5 | 1 |"]
    expected = ["A heading", "Text goes on\nhere.", *table, "So", "- one", "- two"]
    assert expected == cut("\n".join((f"{expected[0]}\n", *expected[1:])))


@given(st.text(st.characters(exclude_categories=[]), max_size=60) | st.text("aA.!?。 \n\"'1", max_size=60))
def test_sentences_cover_everything_but_white_space(text: str) -> None:
    """In order, trimmed, nothing lost."""
    last = 0
    for span in sentences(text):
        assert text[last : span.start].strip() == ""
        assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
        last = span.end
    assert text[last:].strip() == ""


WORDY = "a." * 250_000 + "a", "1." * 250_000 + "a", "1" * 500_000 + "a", "a'" * 250_000
ENDING = "." * 1_000_000, "a. " * 300_000, "\n" * 1_000_000, "." * 500_000 + '"' * 500_000


@pytest.mark.parametrize(("function", "texts"), [(tokens, WORDY), (sentences, ENDING)])
def test_a_text_made_to_backtrack_is_still_fast(function: Any, texts: tuple[str, ...]) -> None:
    """Up to a megabyte of the worst cases takes seconds at most, not hours."""
    start = time.process_time()
    for text in texts:
        function(text)

    assert time.process_time() - start < 30


def test_no_plain_text_holds_what_its_simpler_pattern_leaves_out() -> None:
    left_out = re.compile(f"[{UNSPACED}\uac00-\ud7af{marks()}]")
    every = (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)

    assert [] == [letter for letter in every if plain(letter) and left_out.match(letter)]
