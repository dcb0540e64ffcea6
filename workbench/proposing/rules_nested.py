"""Names that stand inside longer names: London in University of London, США in Конгресс США."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from workbench.proposing.gazetteer import is_organisation, is_people, is_place
from workbench.proposing.spans import Found

_WORD = re.compile(r"[^\W_][\w'’.-]*")
_LONGEST = 3


def nested(text: str, found: Iterable[Found]) -> Iterator[Found]:
    """Known places (and acronyms of bodies) that end a longer name."""
    for item in found:
        if item.label not in {"organisation", "place", "event"}:
            continue
        starts = [word.start() for word in _WORD.finditer(text, item.start, item.end)]
        for start in starts[1:][-_LONGEST:]:
            name = text[start : item.end]
            if is_place(name) and not is_people(name):
                yield Found(start, item.end, "place")
                break
            if is_organisation(name):
                yield Found(start, item.end, "organisation")
                break
