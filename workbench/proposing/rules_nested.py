"""Names that stand inside longer names: London in University of London, США in Конгресс США."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from workbench.proposing.gazetteer import is_organisation, is_place
from workbench.proposing.spans import Found

_WORD = re.compile(r"[^\W_][\w'’.-]*")
_LONGEST = 3  # words of a nested name


def nested(text: str, found: Iterable[Found]) -> Iterator[Found]:
    """Known places and bodies that end a longer name, after a small word; in Russian also after a noun.

    North America, Восточная Сибирь and Air France hold no second name.
    """
    for item in found:
        whole = text[item.start : item.end]
        if item.label not in {"organisation", "place", "event"} or is_place(whole) or is_organisation(whole):
            continue
        listed = [word.span() for word in _WORD.finditer(text, item.start, item.end)]
        for before, (start, _) in list(pairwise(listed))[-_LONGEST:]:
            governed = item.label == "organisation" and "\u0400" <= text[start] < "\u0530"
            if not (text[before[0]].islower() or governed):
                continue
            name = text[start : item.end]
            if is_place(name) or is_organisation(name):
                yield Found(start, item.end, "place" if is_place(name) else "organisation")
                break
