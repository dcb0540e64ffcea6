"""Whether the names of a reference occur in the text of its contexts, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workbench.matching.names import Name
from workbench.model import Evidence
from workbench.text.ground import ground


class Presence(NamedTuple):
    """Whether a name was found, every place where it stands, and which layer said so."""

    found: bool
    evidence: tuple[Evidence, ...]
    similarity: int
    rule: str
    nested: bool


def presence(
    names: Sequence[Name],
    contexts: Sequence[str],
    *,
    lang: str | None = None,
    nested_found: bool = False,
    threshold: int = 85,
) -> list[Presence]:
    """Look each name up in the contexts."""
    result = []
    for name in names:
        evidence = tuple(
            Evidence(index, span.start, span.end)
            for index, context in enumerate(contexts)
            for span in ground(name.text, context)
        )
        result.append(
            Presence(bool(evidence), evidence, 100 if evidence else 0, "equal" if evidence else "", False)
        )
    return result
