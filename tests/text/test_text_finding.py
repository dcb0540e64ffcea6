"""What is typed finds what is meant: case, accents, widths, dashes, quotes and blanks do not matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.folding import find_folded
from workbench.text.normalise import fold
from workbench.text.safe import clean


def found(typed: str, text: str, most: int = 100) -> list[str]:
    return [text[span.start : span.end] for span in find_folded(typed, text, most)]


@pytest.mark.parametrize(
    ("typed", "text", "expected"),
    [
        ("geneve", "in Genève, GENÈVE and Gene\u0300ve", ["Genève", "GENÈVE", "Gene\u0300ve"]),
        ("Genève", "geneve", ["geneve"]),
        ("strasse", "Straße und Strasse", ["Straße", "Strasse"]),
        ("STRAßE", "Strasse", ["Strasse"]),
        ("елка", "Ёлка, ёлки", ["Ёлка"]),
        ("и", "й", []),
        ("київ", "Київ Киів", ["Київ"]),
        ("fin", "ﬁnal", ["ﬁn"]),
        ("ａｂ１", "ab1", ["ab1"]),
        ("ann-lee", "Ann—Lee Ann\u2011Lee", ["Ann—Lee", "Ann\u2011Lee"]),
        ('"big"', "«big» “big”", ["«big»", "“big”"]),
        ("don't", "don’t", ["don’t"]),
        ("new  york", "New\n York", ["New\n York"]),
        ("مصر", "مِصْر", ["مِصْر"]),
        ("東京", "東京都", ["東京"]),
        ("a.b", "a.b axb", ["a.b"]),
        ("c++ (x)", "C++ (x)", ["C++ (x)"]),
        ("[a-z]", "b [a-z]", ["[a-z]"]),
    ],
)
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
def test_every_stretch_of_a_text_finds_itself(before: str, middle: str, after: str) -> None:
    """Whatever it holds; also as it is shown, since hidden characters are replaced one by one."""
    if fold(middle).split() and middle == middle.strip() and clean(middle) == middle:
        assert found(middle, f"{before} {middle} {after}")
