"""Text from a dataset, made safe for a terminal without moving a single offset."""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"

# Every hidden or steering character that is not needed to write a language: C1 controls, the Arabic
# letter mark, the Mongolian vowel separator, zero-width and bidirectional marks, line and paragraph
# separators, overrides, isolates, invisible operators, byte-order mark, interlinear and musical
# controls, lone surrogates, tag characters and supplementary variation selectors.
# U+200D (joins emoji and Indic letters) and U+FE00–FE0F (emoji style) stay.
_HIDDEN_RANGES = (
    (0x80, 0x9F),
    (0x61C, 0x61C),
    (0x180E, 0x180E),
    (0x200B, 0x200C),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE007F),
    (0xE0100, 0xE01EF),
)

_TABLE: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: "\u2421",
    **{code: REPLACEMENT for first, last in _HIDDEN_RANGES for code in range(first, last + 1)},
}

# One search decides whether translating is needed at all: 0.6 ms against 4.5 ms for 50 KB.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f" + "".join(f"{chr(a)}-{chr(b)}" for a, b in _HIDDEN_RANGES) + "]"
)


def clean(text: str) -> str:
    """The text with everything that could steer a terminal or hide in it made visible.

    One code point becomes exactly one code point, so offsets keep their meaning. C0 controls (not tab
    and newline) become their pictures U+2400–241F, DEL becomes U+2421; C1 controls, bidirectional
    controls, zero-width characters (not U+200D), tag characters and lone surrogates become U+FFFD.
    """
    return text.translate(_TABLE) if _UNSAFE.search(text) else text
