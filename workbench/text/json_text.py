"""Values as JSON text: one encoder for what the database stores, one for lines of files."""

from __future__ import annotations

import json
from collections.abc import Iterable

stored = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""A value as the database stores it."""

compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""A value on one line of a file, characters as they are."""


def object_text(pairs: Iterable[tuple[str, str]]) -> str:
    """A JSON object of keys and values that are JSON texts already."""
    return "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"
