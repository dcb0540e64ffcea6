"""Nothing of a hostile text steers the terminal, and no offset moves."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from workbench.text.safe import clean


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b]52;c;x\x07", "␛]52;c;x␇"),
        ("a\x00b\x7fc", "a␀b␡c"),
        ("\x9b2J", "\ufffd2J"),
        ("abc\u202edef\u2066", "abc\ufffddef\ufffd"),
        ("a\u200bb\ufeff\u2060", "a\ufffdb\ufffd\ufffd"),
        ("\U000e0041\U000e007f", "\ufffd\ufffd"),
        ("\ud800x", "\ufffdx"),
        ("\r", "␍"),
    ],
)
def test_what_steers_or_hides_becomes_visible(text: str, expected: str) -> None:
    """Controls get their pictures, everything else that hides the replacement character."""
    assert clean(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "tab\tand\nnewline",
        "👩\u200d👩\u200d👧 ❤️",
        "क\u094d\u200dष",
        "שלום עולם",
        "مرحبا",
        "[b]$x[/b]",
        "東京",
    ],
)
def test_legitimate_text_is_left_alone(text: str) -> None:
    """Languages need no overrides; markup is for the widget to show literally."""
    assert clean(text) == text


@given(st.text(st.characters(exclude_categories=[])))
def test_cleaning_keeps_every_offset(text: str) -> None:
    """One code point stays one, twice changes nothing, and the result can be encoded."""
    safe = clean(text)

    assert len(safe) == len(text)
    assert clean(safe) == safe
    assert safe.encode("utf-8").decode("utf-8") == safe


def test_no_control_or_format_character_but_the_joiner_passes() -> None:
    """Every code point of Unicode is tried; visible format characters of scripts may stay."""
    kept = {
        code
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and clean(chr(code)) == chr(code)
    }
    visible_or_joining = {code for code in kept if 0x600 <= code <= 0x8E2 or code in {0xAD, 0x200D}}
    historic = {code for code in kept if 0x110BD <= code <= 0x1BCA3}

    assert kept == {0x09, 0x0A} | visible_or_joining | historic
