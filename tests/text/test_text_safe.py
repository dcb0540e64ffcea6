"""Nothing of a hostile text steers the terminal, and no offset moves."""

import unicodedata

from hypothesis import given, strategies as st

from tests.lists import from_cases
from workbench.text.safe import clean


@from_cases
def test_what_steers_or_hides_becomes_visible(text: str, expected: str) -> None:
    """Controls get their pictures, everything else that hides the replacement character."""
    assert clean(text) == expected


@from_cases
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
