"""Text from a dataset made safe to show without moving an offset, and what is shown for an id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

REPLACEMENT = "\ufffd"

# Every hidden or steering character that is not needed to write a language: C1 controls, the Arabic
# letter mark, the Mongolian vowel separator, zero-width and bidirectional marks, line and paragraph
# separators, overrides, isolates, invisible operators, byte-order mark, interlinear and musical
# controls, lone surrogates, tag characters and supplementary variation selectors.
# U+200D (joins emoji and Indic letters) and U+FE00–FE0F (emoji style) stay.
_HIDDEN = (
    r"\x80-\x9f\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
_UNSAFE = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f{_HIDDEN}]")


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else REPLACEMENT


def clean(text: str) -> str:
    """The text with everything that could steer a terminal or hide in it made visible.

    One code point becomes exactly one code point, so offsets keep their meaning. C0 controls (not tab
    and newline) become their pictures U+2400–241F, DEL becomes U+2421; C1 controls, bidirectional
    controls, zero-width characters (not U+200D), tag characters and lone surrogates become U+FFFD.
    """
    return _UNSAFE.sub(_visible, text)


def templates(package: str, folder: str = "templates", *, markup: bool = True, **more: Any) -> Environment:
    """The Jinja2 templates of a folder, `more` as its Environment takes it.

    With `markup` whatever they print is made safe to show and escaped; a Markup is both already.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    def visible(value: Any) -> Any:
        return clean(value) if markup and isinstance(value, str) and not hasattr(value, "__html__") else value

    return Environment(
        loader=PackageLoader(package, folder), autoescape=markup, undefined=StrictUndefined,  # noqa: S701 by the caller
        finalize=visible, trim_blocks=True, lstrip_blocks=True, **more,
    )  # fmt: skip


def whole(text: str) -> str:
    """The text as every database can hold it.

    Halves of a surrogate pair become one character; a lone one and NUL become U+FFFD.
    """
    return text.replace("\0", REPLACEMENT).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_BREAKS = {ord("\n"): " ", ord("\t"): " "}


def flat(text: str) -> str:
    """The text made safe, on one line: a line break or tab becomes a space, so offsets stay."""
    text = clean(text)
    return text.translate(_BREAKS) if "\n" in text or "\t" in text else text


def cut(text: str, size: int) -> str:
    """The text, with an ellipsis when it is longer than `size` characters."""
    return text if len(text) <= size else f"{text[: size - 1]}…"


HASHED = 24
"""Letters that an id has at least where it is a hash, and from which on a beginning names it."""
_HASH = re.compile(f"[0-9a-f]{{{HASHED},}}")
HASH = 8
"""Letters that a hash is shown by: enough to tell a million apart nearly always."""
BEGINNING = 200
"""Letters of a question that are read to name its sample."""


def is_hash(key: str) -> bool:
    """Whether an id says nothing to a person: files without ids get one that is made of the text."""
    return _HASH.fullmatch(key) is not None


def name_of(key: str, question: str) -> str:
    """The id of a sample, or its question on one line where the id is a hash."""
    return " ".join(question.split()) or key if is_hash(key) else key
