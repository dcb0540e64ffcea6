"""Where a quote stands: the best tier that has it, all its places, never an invention."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from workbench.text.ground import ground

TEXTS = st.text(st.characters(exclude_categories=[]), min_size=1, max_size=60)
UNMARKED = st.text(st.characters(exclude_categories=["M", "Cs"]), min_size=1, max_size=60)


def quoted(quote: str, text: str) -> list[str]:
    return [text[span.start : span.end] for span in ground(quote, text)]


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("art", "Bartholomew loves art and Art.", ["art"]),
        ("Paris", "Paris and Paris, not Parisian", ["Paris", "Paris"]),
        ("art", "only Bartholomew", ["art"]),
        ("5", "3.5 or 5,000 or 5", ["5"]),
        ("gustave eiffel", "Gustave  Eiffel", ["Gustave  Eiffel"]),
        ("cafe naive", "le café naïve", ["café naïve"]),
        ("cafe", "le cafe\u0301 noir", ["cafe\u0301"]),
        ('well-known "quote"', "a well‐known “quote” here", ["well‐known “quote”"]),
        ("fine", "a ﬁne day", ["ﬁne"]),
        ("He left.", "then he left, at last", ["he left"]),
        ("The tower … is tall", "The tower by Eiffel is tall.", ["The tower", "is tall"]),
        ("Гюстав Эйфель", "башню Гюстава Эйфеля видно", ["Гюстава Эйфеля"]),
        ("Париж", "жил в Париже", ["Париже"]),
        ("Иван", "только Ивановский", ["Иван"]),
        ("Massachussetts", "in Massachusetts, U.S.", ["Massachusetts"]),
        (
            "the tower was bilt by Gustave Eiffel",
            "Here the tower was built by Gustav Eiffel.",
            ["the tower was built by Gustav Eiffel"],
        ),
        ("京都", "東京と京都", ["京都"]),
        ("한국", "한국은 크다", ["한국"]),
    ],
)
def test_a_quote_is_found_where_it_stands(quote: str, text: str, expected: list[str]) -> None:
    """Exact and bounded first, then exact, then in another spelling, then nearly."""
    assert quoted(quote, text) == expected


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("John Smith", "Joan Smith and John Brown"),
        ("Иван Петров", "Иван Павлов"),
        ("14 July 1889", "on 17 July 1889"),
        ("1,235 people", "1,234 people"),
        ("Iran", "Iraq"),
        ("Paris", "a Pariah"),
        ("the tower is 330 metres tall", "the tower is 300 metres tall"),
        ("nothing of this kind", "a text about towers"),
        ("", "text"),
        ("   ", "text"),
        ("quote", ""),
        ("???", "no punctuation"),
    ],
)
def test_what_is_not_there_is_not_invented(quote: str, text: str) -> None:
    """Another name, another number or nothing at all gives no span."""
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


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        (
            "a long quote that nobody ever said of the university",
            "He studied law at the university of Oxford. " * 25_000,
        ),
        ("京都", "東" * 1_000_000),
        ("a a a a b", "a " * 500_000),
        ("x y", "x" + " " * 1_000_000),
        ("1" * 1000, "1 " * 500_000),
    ],
    ids=["prose", "unspaced", "repeats", "spaces", "numbers"],
)
def test_a_megabyte_is_searched_without_a_hang(quote: str, text: str) -> None:
    """Seconds at most, also for texts made to be slow."""
    start = time.process_time()
    found = ground(quote, text)

    assert found == ()
    assert time.process_time() - start < 30
