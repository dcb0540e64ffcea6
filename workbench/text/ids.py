"""What a person reads in the place of an id: the question, where the id is a hash."""

from __future__ import annotations

import re

HASHED = 24
"""Letters that an id has at least where it is a hash."""
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
