"""Whether a name stands inside a longer name."""

from __future__ import annotations

import re

from workbench.matching.scan import folded
from workbench.text.lists import listed, sections
from workbench.text.numbers import MONTHS

# Capitalised beside a name without belonging to it: titles, and words that begin sentences.
_APART = listed(sections(__name__)["apart"])
_BEFORE = re.compile(r"([^\W_]+)(?:[ \u00a0]|-|['’]s )$")
_BEFORE_OF = re.compile(r"([^\W_]+)[ \u00a0](?:of|of the|de|du|des|von|of St\.)[ \u00a0]$")
_AFTER = re.compile(r"(?:[ \u00a0-]|['’]s )([^\W_]+)")
_MONTH_BEFORE = re.compile(r"([^\W\d_]+)\.?,?[ \u00a0](?:\d{1,2}(?:st|nd|rd|th)?,?[ \u00a0])?$")
_DAY_BEFORE = re.compile(r"(?<!\d)\d{1,2}[ \u00a0]$")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
# Endings of Russian adjectives: the only words that make one name with a capitalised neighbour of
# another kind. «Министр Грузии Александр Налбандов» is two names side by side.
_ADJECTIVE = re.compile(r"(?:[ыио]й|ая|яя|[ое]е|[ыи]е|[ое]го|[ое]му|[ое]й|ую|юю|[ыи]х|[ыи]ми?)$")
_WINDOW = 40


def inside_longer(text: str, start: int, end: int, own: frozenset[str], *, person: bool = False) -> bool:
    """Whether text[start:end] is a part of a longer name or date.

    It is when a capitalised word that is not its own stands right beside it (Royal |Swedish| Opera), or
    before its "of" (University of |Paris|), or when it is the year of a date. The last name of a
    `person` known by it alone is not nested in the full name (Чарльз |Дарвин|).
    """
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    surface = text[start:end]
    left, right = _BEFORE.search(before), _AFTER.match(after)
    if surface.isdigit():
        return _inside_date(before, right) or _extends(right, own)
    if folded(surface.split()[0]) in MONTHS:
        return bool(_DAY_BEFORE.search(before))
    goes_on, began = _extends(right, own), _extends(left, own)
    if _CYRILLIC.search(surface) and not (person and len(own) == 1):
        goes_on = goes_on and bool(_ADJECTIVE.search(surface))
        began = began and left is not None and bool(person or _ADJECTIVE.search(left.group(1)))
    return goes_on or (began and not (person and len(own) == 1)) or _extends(_BEFORE_OF.search(before), own)


def _extends(match: re.Match[str] | None, own: frozenset[str]) -> bool:
    """Whether a neighbour belongs to a longer name: capitalised, not an honorific, not of the name itself."""
    if match is None:
        return False
    word = match.group(1)
    low = folded(word)
    return word[0].isupper() and low not in _APART and low not in own and low not in MONTHS


def _inside_date(before: str, follower: re.Match[str] | None) -> bool:
    if (match := _MONTH_BEFORE.search(before)) and folded(match.group(1)) in MONTHS:
        return True
    return follower is not None and folded(follower.group(1)) in MONTHS
