"""Word lists of the rules proposer, written from general knowledge, and how finders share one text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Set
from functools import lru_cache, partial
from typing import NamedTuple

from workbench.text.lists import sections


class Found(NamedTuple):
    """A stretch of a text that a finder proposes, in code points, with a label of the default policy."""

    start: int
    end: int
    label: str


class Claims:
    """Disjoint stretches in text order: the first finder to claim a stretch keeps it."""

    def __init__(self) -> None:
        self.items: list[Found] = []

    def add(self, found: Iterable[Found]) -> None:
        """Keep each stretch that overlaps nothing kept before it.

        A whole layer is merged in one sort: inserting one by one is quadratic on a 1 MB text.
        """
        fresh: list[Found] = []
        last_end = 0
        for item in sorted(found):
            if item.start < last_end or item.end <= item.start or self.overlaps(item.start, item.end):
                continue
            fresh.append(item)
            last_end = item.end
        if fresh:  # few layers
            self.items = sorted([*self.items, *fresh])

    def overlaps(self, start: int, end: int) -> bool:
        """Whether any kept stretch shares a character with `start`–`end`."""
        at = bisect_left(self.items, (end, -1, ""))
        return at > 0 and self.items[at - 1].end > start


WORDS = sections(__name__)


_ENDING = re.compile(f"(?:{'|'.join(WORDS['russian-endings'].split())}|[аяуюеёиыоійьї])$")


def words(*blocks: str) -> frozenset[str]:
    """The whitespace-separated words of all blocks."""
    return frozenset(word for block in blocks for word in block.casefold().split())


def either(section: str) -> re.Pattern[str]:
    """What fits any line of a section, each a pattern."""
    return re.compile(WORDS[section].strip().replace("\n", "|"))


@lru_cache(maxsize=4_096)
def stem(word: str) -> str:
    """A Cyrillic word, casefolded, without its case ending; at least two letters stay."""
    word = word.casefold()
    cut = _ENDING.search(word)
    return word[: cut.start()] if cut and cut.start() >= 2 else word


# Small words that may stand inside a name: they join the capitals around them.
PARTICLES = words(WORDS["particles"])
# Words that join only the name of an organisation, a work or an event.
WEAK_PARTICLES = words("and for & with und für et pour en y para e per и по для при à aux")

# Titles before a person; cut off the name, and a sign of one.
HONORIFICS = words(WORDS["honorifics"])
# Offices and trades: no name by themselves, followed by one, by "of" and one, or by a genitive.
ROLES = words(WORDS["roles"])
_ROLE_STEMS = frozenset(stem(word) for word in ROLES if word > "а")
_TITLES = HONORIFICS | ROLES
# Offices that part a country from a person inside a run: US President Barack Obama.
OFFICES = words(WORDS["offices"])


@lru_cache(maxsize=4_096)
def is_title(word: str) -> bool:
    """Whether a word, or each part of a compound, is an honorific, an office or a trade."""
    folded = word.casefold().rstrip(".")
    russian = folded > "а" and (stem(folded) in _ROLE_STEMS or folded.startswith(("экс-", "вице-")))
    return russian or folded in _TITLES or ("-" in folded and _TITLES.issuperset(folded.split("-")))


EPITHETS = words("great terrible elder younger conqueror bold magnificent fat pious wise good bald lionheart")
# A dot after these ends no name.
ABBREVIATIONS = words(WORDS["abbreviations"])
SHORTHAND = words(WORDS["shorthand"])  # in capitals, and no name: LOL, FYI, TV
HYPHEN_TAILS = words("based born led era like type made run held old wide area only free")
COMPANY_ENDINGS = words("inc ltd llc plc jr sr corp co limited gmbh s.a. s.p.a. s.r.l. n.v. b.v.")
LEGAL_FORMS = frozenset(WORDS["legal-forms"].split())  # no names by themselves
POSSESSED = words("college church school hospital cathedral court day park prize university club")
# What ministries and committees are about: "and" after one of these stands inside a name.
TOPICS = words(WORDS["topics"])

ORGANISATION = words(WORDS["organisation"])
PLACE = words(WORDS["place"])
EVENT = words(WORDS["event"])
HEADS = ORGANISATION | PLACE | EVENT

# Russian heads and their kind; compared by stem.
_RUSSIAN_STEMS = {
    stem(word): label
    for label in ("organisation", "place", "event")
    for word in words(WORDS[f"russian-{label}"])
}


@lru_cache(maxsize=4_096)
def russian_head(word: str) -> str:
    """The label a Russian head noun, in any case form, gives its name, or ""."""
    if word.casefold().startswith("мэри"):  # its stem is that of мэр, the mayor
        return "organisation"
    return _RUSSIAN_STEMS.get(stem(word), "")


# What a definition calls a person, besides the offices above.
TRADES = words(WORDS["trades"])
# What a definition calls anything else.
NOUNS: dict[str, str] = {
    word: label
    for label in ("place", "organisation", "work", "event", "other")
    for word in words(WORDS[f"nouns-{label}"])
}

_FUNCTION = {lang: words(WORDS[lang]) for lang in "en de fr es it pt ru uk nl tr pl ro vi id".split()}


# Acronyms that read as function words when folded.
ACRONYMS = frozenset({"US", "WHO", "IT"})


@lru_cache(maxsize=64)
def function_words(lang: str) -> frozenset[str]:
    """The function words of a language; those of English too where the script is another one."""
    if lang in {"ru", "uk", "be"}:
        own = _FUNCTION["uk"] if lang == "uk" else frozenset()
        return _FUNCTION["ru"] | _FUNCTION["en"] | own
    return _FUNCTION.get(lang, _FUNCTION["en"])


def entries(*blocks: str) -> frozenset[str]:
    """The casefolded entries of all blocks."""
    parts = (part.strip().casefold() for block in blocks for part in re.split(r"[|\n]", block))
    return frozenset(part for part in parts if part)


def _stems(name: str) -> str:
    """A Cyrillic name without case endings; those of the adjectives in a longer one are cut twice (ая, а)."""
    return " ".join(stem(stem(word)) for word in name.split()) if " " in name else stem(name)


LATIN_PLACES = entries(
    *(WORDS[name] for name in "countries-en regions-en places-de places-fr places-es places-other".split())
)
ORGANISATIONS = entries(WORDS["organisations"])
ORGANISATION_STEMS = frozenset(_stems(entry) for entry in ORGANISATIONS if entry > "а")
DEMONYMS = entries(WORDS["demonyms-en"])
FAITHS = entries(WORDS["faiths-en"])
CYRILLIC_PLACES = frozenset(_stems(entry) for entry in entries(WORDS["places-ru"], WORDS["places-uk"]))
# Words that are also common nouns in German or names of people: no evidence there.
COMMON_IN_GERMAN = entries("Essen|Kiel|Linz|Bern|Hessen|Mainz|Amazon")


def _is_listed(name: str, entries: Set[str], stems: Set[str] = frozenset()) -> bool:
    """Whether a name as it stands in a text is an entry; in Cyrillic letters in any case."""
    folded = name.casefold()
    known = folded in entries or (stems and "\u0400" <= folded[:1] < "\u0530" and _stems(folded) in stems)
    return bool(known) and not name.islower()


is_place = lru_cache(4_096)(partial(_is_listed, entries=LATIN_PLACES, stems=CYRILLIC_PLACES))
"""Whether a name as it stands in a text is a known country, region or city."""

is_organisation = lru_cache(4_096)(partial(_is_listed, entries=ORGANISATIONS, stems=ORGANISATION_STEMS))
"""Whether a name is a widely known organisation."""

is_faith = lru_cache(4_096)(partial(_is_listed, entries=FAITHS))
"""Whether a name is a known faith, party adjective or the like."""


@lru_cache(maxsize=4_096)
def is_people(name: str) -> bool:
    """Whether a name, or each part of a hyphenated one, is a known demonym or language."""
    folded = name.casefold()
    known = folded in DEMONYMS or ("-" in folded and DEMONYMS.issuperset(folded.split("-")))
    return known and not name.islower()


FIRST_LATIN = words(WORDS["first-names-latin"])
FIRST_CYRILLIC = frozenset(stem(name) for name in words(WORDS["first-names-cyrillic"]))


@lru_cache(maxsize=4_096)
def is_first_name(word: str) -> bool:
    """Whether a word as it stands in a text, or the first half of a hyphenated one, is a known first name."""
    return _is_listed(word, FIRST_LATIN, FIRST_CYRILLIC) or _is_listed(word.partition("-")[0], FIRST_LATIN)
