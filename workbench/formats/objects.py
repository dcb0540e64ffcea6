"""The JSON of one line: what the standard library reads, without what no other program could hold."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from workbench.errors import RowError
from workbench.formats.rows import TEXT_LIMIT, check_texts, excerpt, shown, wrong

_ESCAPED = re.compile(r"\\u")


class _NotFiniteError(ValueError):
    """A number that no other program could read back."""


def finite(digits: str) -> float:
    """The number; raises ValueError for one too large to hold, which reads as infinite."""
    value = float(digits)
    if not math.isfinite(value):
        raise _NotFiniteError(digits)
    return value


def _constant(name: str) -> None:
    """NaN is how data frames write *nothing*; the infinities are errors."""
    if name != "NaN":
        raise _NotFiniteError(name)


_decoder = json.JSONDecoder(parse_float=finite, parse_constant=_constant)
_lenient = json.JSONDecoder(parse_int=str, parse_float=str)
_TAIL = 12  # the longest word of JSON, -Infinity, and an escape may be cut
_as_written = json.JSONDecoder(parse_float=str, parse_constant=_constant)


def parse(raw: str) -> dict[str, Any]:
    """The JSON object of a line. Raises RowError for anything else, naming the column from 1, and
    RecursionError for thousands of brackets.

    NaN reads as null; infinite numbers, lone surrogates, NUL and texts over the limit are errors.
    """
    value = loads(raw)
    if type(value) is not dict:
        raise wrong("row", value, "a JSON object")
    checked(value, raw)
    return value


def checked(value: Any, raw: str) -> None:
    """Refuse texts of a parsed value that no database could hold. Raises RowError."""
    # Only an escape brings a surrogate or NUL into a text: UTF-8 has no surrogates and JSON no raw NUL.
    # One character is found at memory speed; for two a regex is three times as fast as `in` (0.6 against
    # 1.7 µs in 2 KB).
    if ("\\" in raw and _ESCAPED.search(raw)) or len(raw) > TEXT_LIMIT:
        check_texts(value)


def scanned(text: str, at: int, *, whole: bool) -> tuple[Any, int] | None:
    """The JSON value that begins at a place of a text, and where it ends; a value with a number that is
    none as its RowError. None: the text, of which more is to come (not `whole`), ends inside the value.

    Raises RowError for what is no JSON, and RecursionError for thousands of brackets.
    """
    try:
        value, end = _decoder.raw_decode(text, at)
    except json.JSONDecodeError as error:
        inside = error.pos >= len(text) - _TAIL or error.msg.startswith("Unterminated")
        if inside and not whole:
            return None
        near = shown(text[max(error.pos - 40, at) : error.pos + 20])
        what = error.msg.removesuffix(" starting at")
        got = f"{near} ({what[:1].lower()}{what[1:]})"
        raise RowError("row", got, "JSON") from None
    except ValueError as error:  # not a finite number, or an integer of more than 4,300 digits
        closing = _end(text, at)
        if closing is None and not whole:
            return None
        if isinstance(error, _NotFiniteError):
            return _not_finite(text[at:closing], str(error)), closing or len(text)
        return RowError("row", "a number of too many digits", "a JSON object"), closing or len(text)
    if end == len(text) and not whole and text[end - 1] not in '"]}':
        return None  # a number or a word may go on
    return value, end


def _end(text: str, at: int) -> int | None:
    """Where the value ends whose numbers nobody could hold; None when it does not end."""
    try:
        return _lenient.raw_decode(text, at)[1]
    except ValueError:
        return None


def loads(raw: str) -> Any:
    """Any JSON value; NaN reads as null. Raises RowError, and RecursionError for thousands of brackets."""
    try:
        value, end = _decoder.raw_decode(raw)  # 2.6 µs for 2 KB; `decode`, which looks for white space, 3.4
        if end == len(raw):
            return value
    except (ValueError, RecursionError):
        pass  # white space before the value, or an error: `decode` finds out
    try:
        return _decoder.decode(raw)
    except json.JSONDecodeError as error:
        near = shown(raw[max(error.pos - 40, 0) : error.pos + 20])
        what = error.msg.removesuffix(" at")
        got = f"{near} ({what[:1].lower()}{what[1:]} at column {error.pos + 1:,})"
        raise RowError("row", got, "a JSON object") from None
    except _NotFiniteError as error:
        raise _not_finite(raw, str(error)) from None
    except ValueError:  # an integer of more than 4,300 digits
        raise RowError("row", "a number of too many digits", "a JSON object") from None


def _not_finite(raw: str, number: str) -> RowError:
    """Name the last key before the number: the decoder does not know it."""
    keys = re.findall(r'"((?:[^"\\]|\\.)*)"\s*:', raw[: raw.find(number)]) if number in raw else []
    return RowError(excerpt(keys[-1]) if keys else "row", excerpt(number), "a finite number or null")


def as_written(raw: str) -> dict[str, Any]:
    """The object of a line that `parse` has taken, with every fraction as its text."""
    value: dict[str, Any] = _as_written.decode(raw)
    return value
