"""Whether a name is mentioned in the contexts and where, and whether it stands only inside a longer name."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, lru_cache, partial
from operator import attrgetter, ne
from typing import NamedTuple

from workbench.matching.analysis import (
    ORGANISATION,
    PERSON,
    PLACE,
    Analysed,
    analyse,
    country,
    legal_forms,
    other_names,
)
from workbench.matching.names import (
    ACRONYM,
    ADDRESS,
    ALIAS,
    COUNTRY,
    INFLECTED,
    INITIALS,
    NORMALISED,
    SHORT_FORM,
    Name,
)
from workbench.model import Evidence, Match
from workbench.text import numbers
from workbench.text.inflection import forms, spelled
from workbench.text.lists import has_digit, listed, sections
from workbench.text.normalise import GENERA, bounded, differ, find_folded, fold, key, wholes, words
from workbench.text.tokens import GRADE, UNSPACED, word_pattern

# Words between the words of a name that do not count as a gap.
FILLERS = listed("of the a an and de la le les du des der die das von van y e и")


_UNSPACED = re.compile(f"[{UNSPACED}]")


FIGURE = "a figure"
"""Among the forms that are wanted: every word that may be a number."""


class WordPlace(NamedTuple):
    """A word of a text: its offsets, and its number among the words that are no fillers."""

    start: int
    end: int
    order: int


def pieces(text: str) -> list[str]:
    """The words of a name, folded, without possessives."""
    words = (match.group() for match in word_pattern().finditer(text))
    return [folded(word) for word in words if word[0] not in "'’"]


@lru_cache(maxsize=4_096)
def folded(word: str) -> str:
    """A word of a text in the spelling of keys: 1,000 as 1000, 14th as 14, U.S. as us."""
    if word[0].isdigit():
        bare = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", fold(word))
        return numbers.number(bare, None) if bare[-1].isdigit() else bare
    return fold(word.replace(".", "")).replace("'", "")


@lru_cache(maxsize=4_096)
def traits(word: str, lang: str | None) -> frozenset[str]:
    """The forms of a folded word; of a short word also the whole one."""
    known = forms(word, lang)
    return known.union(f"whole {whole}" for form in (word, *known) for whole in wholes(form))


def opening(word: str) -> str:
    """The letters that all forms of a word begin with: Льва and Лев have one, Париже and Париж three."""
    return word[: 1 if len(word) <= 3 else 2 if len(word) <= 5 else 3]


class Words:
    """Looks some forms up in one text after another.

    The forms of a word cost up to 250 µs, so only words that begin like a wanted one are looked up, each once
    in however many texts it stands.
    """

    def __init__(self, wanted: Iterable[str], lang: str | None) -> None:
        self._wanted = frozenset(wanted)
        self._lang = lang
        self._openings = tuple({opening(form.rsplit("+", 1)[0]) for form in self._wanted})
        self._wholes = any(form.startswith("whole ") for form in self._wanted)
        self._known: dict[str, tuple[list[str], bool]] = {}  # the wanted forms of a word, whether it counts

    def find(self, text: str) -> dict[str, list[WordPlace]]:
        """All places of every wanted form in a text."""
        by_form: dict[str, list[WordPlace]] = defaultdict(list)
        order = 0
        for match in word_pattern().finditer(text):
            word = match.group()
            if word not in self._known:
                self._known[word] = self._forms_of(word)
            forms, counts = self._known[word]
            for form in forms:
                by_form[form].append(WordPlace(match.start(), match.end(), order))
            order += counts
        return by_form

    def _forms_of(self, word: str) -> tuple[list[str], bool]:
        if word[0] in "'’":
            return [], False
        low, counts = folded(word), word.lower() not in FILLERS
        initial = f"letter {low}" if len(low) == 1 else f"initial {low[:1]}"
        forms = [initial] if initial in self._wanted and word[0].isupper() else []
        if self._lang in (None, "en"):
            low = spelled(low)
        with_prefix = "\u0590" <= low[:1] <= "\u06ff"  # Arabic and Hebrew write prepositions with the word
        if low.startswith(self._openings) or with_prefix or (self._wholes and wholes(low)):
            forms += sorted(traits(low, self._lang) & self._wanted)
        figure = FIGURE in self._wanted and (
            has_digit(low)
            or low in numbers.MONTHS
            or low in numbers.counting(self._lang)
            or (word.isupper() and numbers.ROMAN_END.search(word))
        )
        return [*forms, FIGURE] if figure else forms, counts


Column = Callable[[frozenset[str]], list[WordPlace]]
"""Tells where a text has a word in one of these forms."""


def in_order(sequence: Sequence[frozenset[str]], column: Column, text: str) -> list[tuple[int, int]]:
    """The stretches where the words of a name stand in order, at most one other word between two.

    Looks around the rarest word: where many names begin alike, the first one stands everywhere.
    """
    columns = [*map(column, sequence)]
    firsts, rarest = columns[0], min(columns, key=len)
    if rarest is not firsts:
        order, reach = attrgetter("order"), 2 * len(columns)
        edges = ((place.order - reach, place.order + 1) for place in rarest)
        near = (slice(*(bisect_left(firsts, edge, key=order) for edge in pair)) for pair in edges)
        firsts = sorted({first for part in near for first in firsts[part]})
    stretches = []
    for first in firsts[: _STEPS // len(sequence)]:
        last: WordPlace | None = first
        for places in columns[1:]:
            last = last and _next(last, places, text)
        if last is not None:
            stretches.append((first.start, last.end))
    return stretches


_STEPS = 200_000  # words of a name times places of its first one that are looked at
_ADDRESS_BEFORE, _ADDRESS_BEHIND = re.compile(r"[\w.+/@-]"), re.compile(r"[-\w@?=&#%+~]|[./:](?=\w)")
_BREAK = re.compile(r"[.!?](?=\s)|[()。！？]|\n\s*\n")


def _next(word: WordPlace, column: list[WordPlace], text: str) -> WordPlace | None:
    """The first place in a column that continues a name."""
    index = bisect_left(column, (word.end, 0, 0))
    if index == len(column):
        return None
    candidate = column[index]
    between = text[word.end : candidate.start] if candidate.start - word.end < 60 else "\n"
    short = word.end - word.start <= 2
    if candidate.order - word.order > 2 or (_BREAK.search(between) and not (short and between[:1] == ".")):
        return None
    return candidate


# Capitalised beside a name without belonging to it: titles, and words that begin sentences.
_APART = listed(sections(__name__)["apart"])
_APART_GERMAN = _APART | listed(sections(__name__)["apart de"])
_BEFORE = re.compile(r"(?<![^\W_])(?!Me )([^\W_]+)(?:[ \u00a0]|-|['’]s )$")
_BEFORE_OF = re.compile(r"([^\W_]+)[ \u00a0](?:of|of the|de|du|des|von|of St\.)[ \u00a0]$")
_BEFORE_OF_GERMAN = re.compile(r"([^\W_]+)[ \u00a0](?:of|of the|de|du|of St\.)[ \u00a0]$")
# A plural that opens a sentence has its capital from there: Members of NATO, not Duchess of Kent.
_PLURAL_OPENS = re.compile(
    r"(?:^|[.!?…:]\s+|\n)(?!Charles|James|Thomas|Nicholas|Agnes|Johannes)"
    r"[^\W_]{2,}[^\W_isu]s[ \u00a0]of[ \u00a0](?:the[ \u00a0])?$"
)
_AFTER = re.compile(
    r"(?: d(?:u|el|o) (?=Nord|Sud|Norte|Su[lr]\b)|[ \u00a0-]|['’]s )((?:[^\W\d_]\.){2,}|[^\W_]+)"
)
_MONTH_BEFORE = re.compile(r"([^\W\d_]+)\.?,?[ \u00a0](?:\d{1,2}(?:st|nd|rd|th)?,?[ \u00a0])?$")
# What makes a figure before a capital a part of the name: the 2002 Winter Olympics, not in 2002 Microsoft.
_HOLDS_FIGURE = re.compile(r"(?<!\w)(?i:the|an?|this|that|at)[ \u00a0]$")
_OPENS = re.compile(r"(?:^|[.!?…:]\s+|\n)[^\W_]+[ \u00a0]$")  # one word of a sentence: Around 1450 Johannes
_TWO_CAPITALS = re.compile(r"(?:[ \u00a0-][A-ZÀ-ÞΑ-ΩА-Я][^\W_]*){2}")
_DAY_BEFORE = re.compile(r"(?<!\d)\d{1,2}[ \u00a0]$")
_CODE = re.compile(r"(?=\S*\d)[^\W\d_]")
"""A code, of letters and figures: the word before it says what it is (Account ES91, Código E-2077)."""
_CYRILLIC = re.compile("[\u0400-\u04ff]")
# Endings of Russian adjectives: the only words that make one name with a capitalised neighbour of
# another kind. «Министр Грузии Александр Налбандов» is two names side by side.
_ADJECTIVE = re.compile(r"(?:[ыио]й|ая|яя|[ое]е|[ыи]е|[ое]го|[ое]му|[ое]й|ую|юю|[ыи]х|[ыи]ми?)$")
_WINDOW = 40


def inside_longer(
    text: str, start: int, end: int, own: frozenset[str], lang: str | None, *, person: bool = False
) -> bool:
    """Whether text[start:end] is a part of a longer name or date.

    It is when a capitalised word that is not its own stands right next to it (Royal |Swedish| Opera), or
    before its "of" (University of |Paris|), or when it is the year of a date. A figure is when a name
    goes on behind it and begins before it: the |2002| Winter Olympics, not In |1998| Apple; |Twelve|
    opening a sentence is a figure. The last name of a `person` known by it alone is not nested in the full
    name (Чарльз |Дарвин|).
    """
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    surface = text[start:end].lstrip("-−–+(")
    if surface[0] in numbers.SYMBOLS or surface[-1] in numbers.SYMBOLS:  # 2.8% Protestants
        return False
    left, right = _BEFORE.search(before), _AFTER.match(after)
    german = lang == "de"  # where every noun has a capital: 25 Menschen, die Stadt Paris, Theorie von Darwin
    apart = _APART_GERMAN if german else _APART
    if folded(surface.split()[0]) in numbers.MONTHS:
        return bool(_DAY_BEFORE.search(before))
    beside = (_MONTH_BEFORE.search(before), right)
    if surface.isdigit() and any(word is not None and folded(word[1]) in numbers.MONTHS for word in beside):
        return True
    if surface[0].isdigit() and before.endswith("-"):  # 19 of Covid-19, 1273 of mRNA-1273
        return left is not None and left[1] != left[1].lower() and folded(left[1]) not in numbers.MONTHS
    if (german or surface.islower()) and has_digit(key(surface, lang)):  # four English frigates
        return False
    goes_on, began = _extends(right, own, apart), _extends(left, own, apart) and not _CODE.match(surface)
    if surface[0].isdigit() or (not left and key(surface, lang).isdecimal()):
        begins = _HOLDS_FIGURE.search(before) or (began and not _OPENS.search(before))
        plain = not left and (surface.isdigit() or surface.isalpha())
        return goes_on and bool(begins or (plain and _TWO_CAPITALS.match(after)))
    of = (_BEFORE_OF_GERMAN if german else _BEFORE_OF).search(before)
    of = None if _PLURAL_OPENS.search(before) else of
    if person and right and " " in surface and _GENERATION.fullmatch(f" {right[1]}"):
        goes_on = False
    if _CYRILLIC.search(surface) and not (person and len(own) == 1):
        goes_on = goes_on and bool(_ADJECTIVE.search(surface))
        began = began and left is not None and bool(person or _ADJECTIVE.search(left.group(1)))
    return goes_on or (began and not (person and len(own) == 1)) or _extends(of, own, apart)


def _extends(match: re.Match[str] | None, own: frozenset[str], apart: Set[str]) -> bool:
    """Whether a neighbour belongs to a longer name: capitalised, not an honorific, not of the name itself."""
    if match is None or not match[1][0].isupper():
        return False
    low = folded(match[1])
    return low not in apart and low not in own and low not in numbers.MONTHS


class _Pattern(NamedTuple):
    """A sequence of words to look for, each as the forms it may have, and the layer it stands for.

    Of a `tight` one no word stands between two, and capitals are as in the name.
    """

    words: tuple[frozenset[str], ...]
    similarity: int
    rule: str
    tight: bool = False


class _NameHit(NamedTuple):
    """A place of a name."""

    evidence: Evidence
    similarity: int
    rule: str
    nested: bool


_BYNAME = re.compile(r"\s+(?:of|the)\s.*$")
_GENERATION = re.compile(r",?\s+(?:Jr|Sr|[IVX]+)\.?$")
_QUOTED = re.compile('[«“"„]([^»”"“]{3,})')
# A name in Latin letters or capitals at the end of a Cyrillic description: социальной сети Facebook.
_PROPER = re.compile(r"[а-яё]\s+((?:[A-Z][\w-]*+\s?)++|[А-ЯЁ]{3,})$")


def presence(
    names: Sequence[Name],
    contexts: Sequence[str],
    *,
    lang: str | None,
    nested_found: bool = False,
    threshold: int = 85,
) -> list[Match]:
    """Look each name up in the contexts: bounded by words, in any case of its inflection.

    Of a person the last name suffices (93, short_form); dates are found in any order of day, month and
    year; acronyms and other names of a country count. A name that stands only inside longer names is
    not found, with `nested` set and the places kept, unless `nested_found`. Spans are whole words.
    """
    patterns = [
        [*_patterns(analyse(name.text, name.label, lang), lang), *_aliases(name, lang)] for name in names
    ]
    wanted = {form for some in patterns for pattern in some for word in pattern.words for form in word}
    if any(has_digit(key(name.text, lang)) for name in names):
        wanted.add(FIGURE)
    hits: list[list[_NameHit]] = [[] for _ in names]
    lookup = Words(wanted, lang)
    for index, context in enumerate(map(_levelled, contexts)):
        by_form = lookup.find(context)
        column = cache(partial(_column, by_form))
        figures: dict[str, set[int]] = defaultdict(set)
        for start in {_whole_figure(context, place.start, lang) for place in by_form.get(FIGURE, ())}:
            for word in _figures_from(context[start : start + _WINDOW], lang):
                figures[word].add(start)
        for name, some, own in zip(names, patterns, hits, strict=True):
            own.extend(_hits(name, some, index, context, column, figures, lang))
    return [_summary(own, nested_found, threshold) for own in hits]


def _column(by_form: dict[str, list[WordPlace]], wanted: frozenset[str]) -> list[WordPlace]:
    return sorted({place for form in wanted for place in by_form.get(form, ())})


_LEVEL = str.maketrans("٬٫٪％", ",.%%")


def _levelled(text: str) -> str:
    """A text with the signs of Arabic and full-width figures as in others, as long as before."""
    return text if text.isascii() else text.translate(_LEVEL)


def _figures_from(text: str, lang: str | None) -> frozenset[str]:
    """The words of a text; of a date with a year also the day without it."""
    there = words(text, lang)
    days = (word[4:] for word in there if _WITH_YEAR.fullmatch(word))
    return frozenset((*there, *numbers.in_smallest(there), *days))


_WITH_YEAR = re.compile(r"\d{4}m\d\d(?:d\d\d)?")


def _summary(hits: list[_NameHit], nested_found: bool, threshold: int) -> Match:
    """The best of the places; places inside longer names count only where there are no others."""
    hits = [hit for hit in hits if hit.similarity >= threshold]
    free = [hit for hit in hits if not hit.nested]
    counted = free or hits
    if not counted:
        return Match("missing", "absent")
    best = max(counted, key=lambda hit: (hit.similarity, hit.rule))
    evidence = tuple(sorted({hit.evidence for hit in counted}, key=lambda e: (e.context, e.start, e.end)))
    found = Match("found", None, evidence, best.similarity, best.rule, nested=not free)
    return found if free or nested_found else replace(found, verdict="missing", reason="absent")


_LETTERED = re.compile(r" [AEIOYА-Я]$")  # hepatitis A; small ones are words
_LETTER = re.compile(r"(?<=[\w°] )[A-Z](?![\w'’])|(?<=\()\w(?=\))|(?<= )\w(?=\)|$)|(?<=lit\. )\w\b")


def _telling(text: str) -> list[str]:
    """The words of a name without those that say nothing.

    Initials, parts of a word (e-mail) and letters that tell one from another (hepatitis A) stay.
    """
    inside = (word for word in text.lower().split() if "-" in word or word[1:] == ".")
    parts = {part for word in inside for part in re.split("[-.]", word)}.union(
        map(fold, _LETTER.findall(text))
    )
    everything = pieces(text)
    return [word for word in everything if word not in FILLERS or word in parts] or everything


def _like(words: Sequence[str], lang: str | None, found: tuple[int, str], *, tight: bool = False) -> _Pattern:
    return _Pattern(tuple(traits(word, lang) for word in words), *found, tight)


def _patterns(name: Analysed, lang: str | None) -> Iterator[_Pattern]:
    """What to look for, the closest first."""
    words = [] if _UNSPACED.search(name.text) else _telling(name.text)
    if not words:
        return
    sequence = tuple(traits(word, lang) for word in words)
    if len(words) == 1:  # CO is no company
        sequence = (forms(words[0], lang) if wholes(words[0]) else sequence[0],)
    firm = bool(legal_forms(name.text))  # Siemens AG is not Siemens Energy AG
    yield _Pattern(sequence, INFLECTED, "inflected", tight=firm)
    for other in _rephrased(name, words):
        yield _like(other, lang, (NORMALISED, "normalised"), tight=True)
    if len(words) > 1 and (name.label == PERSON or _SPECIES.fullmatch(name.text)):  # J. Smith, S. aureus
        genus = GENERA.get(f"{words[0][0]} {words[-1]}")
        letters = [f"initial {word}" if len(word) == 1 else f"letter {word[0]}" for word in words]
        if genus and genus != words[0]:  # S. aureus is no Streptococcus
            letters[0] = genus if len(words[0]) == 1 else words[0]
        first = [traits(word, lang) | {letter} for word, letter in zip(words[:-1], letters, strict=False)]
        yield _Pattern((*first, sequence[-1]), INITIALS, "initials", tight=True)
    for short in _short_forms(name):
        if max(map(len, short), default=0) > 2 and short != words:
            yield _like(short, lang, (SHORT_FORM, "short_form"))
    apart = _LETTERS_AND_FIGURES.sub(r"\1 \2", " ".join(words)).split()
    if re.fullmatch(GRADE, name.text):  # BB plus
        apart = [words[0][:-1], "plus" if words[0][-1] == "+" else "minus"]
    if apart != words:  # GPT4, GPT-4; L221-18, L. 221-18
        yield _like(apart, lang, (NORMALISED, "normalised"))
    elif 1 < len(words) < 4 and not (words[0][0].isdigit() or _LETTERED.search(name.text)):  # e-mail, email
        yield _Pattern((forms("".join(words), lang),), NORMALISED, "normalised")
    for acronym in sorted(name.initials):
        if len(acronym) > 2:
            yield _Pattern((frozenset({acronym}),), ACRONYM, "acronym")
    if name.country.name and not name.country.people:
        for known in other_names(name.country.name, name.text):
            yield _like(known, None, (COUNTRY, "country"))


_SPECIES = re.compile(r"[A-Z](?:[a-z]+|\.) [a-z]{3,}")
_INITIALS_BEFORE = re.compile(r"(?<!\w)(?:([^\W\d_]{2,})[ \u00a0])?((?:[^\W\d_]\.[ \u00a0-]?)+)$")
_NO_INITIALS = listed("U.S. U.K. U.N. E.U. D.C. B.C. A.D. P.M. A.M.")
_BYNAME_BEHIND = re.compile(r",? (?:the |am |an der |\()([A-Z]\w+)")
_FORM_BEHIND = re.compile(r",?[ \u00a0](?:& )?([\w./]+)")


def _of_another(name: Analysed, own: frozenset[str], text: str, start: int, end: int) -> bool:
    """Whether what stands around a short form is of another person or company.

    H.-A. Einstein, Robert F. Kennedy, Pliny the Younger, Merck KGaA for Merck & Co.; orange for Orange S.A.
    """
    if forms := legal_forms(name.text):
        behind = _FORM_BEHIND.match(text, end)
        other = legal_forms(behind[1]) if behind else forms
        if other - forms or (text[start:end].islower() and not name.text.islower()):
            return True
    remark = name.label in (PLACE, "") and " (" in name.text  # Frankfurt (Oder)
    byname = (remark or _BYNAME.search(name.text)) and _BYNAME_BEHIND.match(text, end)
    if byname and folded(byname[1]) not in own:
        return True
    before = _INITIALS_BEFORE.search(text, max(0, start - _WINDOW), start)
    if before is None or before[2].islower() or before[2].rstrip() in _NO_INITIALS:  # the U.S. Obama
        return False
    if name.lang == "fr" and before[2].rstrip() == "M.":  # Monsieur
        return False
    there, family = re.findall(r"\w", fold(before[2])), _last_name(name.text)
    given = [word[0] for word in pieces(name.text) if word not in family]
    others = not set(there).issubset(given) and any(map(ne, there, given or [""]))
    return others or (name.label == PERSON and _extends(before, own, _APART))


def _is_longer_address(text: str, start: int, end: int) -> bool:
    """Whether an address goes on before or behind a place: lost.stolen@…, …/faq-old."""
    before = start > 0 and _ADDRESS_BEFORE.match(text, start - 1)
    return bool(before or _ADDRESS_BEHIND.match(text, end))


_WAY = re.compile(r"((?:north|south|east|west|север|юж|восто|запад)[\w-]*) (?:of )?(?:the )?(?!of|the)")


def _is_opposite(name: Analysed, before: str, surface: str) -> bool:
    """Whether another description than that of a name stands before a place: south of, fewer than."""
    own, there = _WAY.match(name.text), _WAY.search(before)
    turned = own and there and there.end() == len(before) and own[1][:4] != there[1][:4]
    if turned or not name.digits:
        return bool(turned)
    return bool(numbers.opposed(words(name.text, name.lang), words(before + surface, name.lang)))


_TURNED = re.compile(r"(Department|Ministry) of (?:the )?(.+)")


def _rephrased(name: Analysed, words: list[str]) -> Iterator[list[str]]:
    """The words of a name with its "of" turned round (Defense Department), or another name of its country."""
    turned = _TURNED.fullmatch(name.text)
    several = [words, _telling(f"{turned[2]} {turned[1]}")] if turned else [words]
    yield from several[1:]
    for some in several if name.label != PLACE else ():
        for start in range(len(some)):
            for size in range(1, min(4, len(some) - start + 1)):
                named = country(some[start : start + size])
                # Miss America, 10 GB
                if named.counts and size < len(some) and some[start] not in ("america", "gb"):
                    for other in other_names(named.name, name.text):
                        yield [*some[:start], *other, *some[start + size :]]


def _aliases(name: Name, lang: str | None) -> Iterator[_Pattern]:
    """What people said that it is called too, word by word."""
    for other in name.aliases:
        if not _UNSPACED.search(other) and (words := _telling(other)):
            yield _like(words, lang, (ALIAS, "alias"))


def _short_forms(name: Analysed) -> Iterator[list[str]]:
    """What a text may say instead of a name: a last name, a company without Inc., a name in quotes."""
    if name.label == PERSON and (last := _last_name(name.text)):
        yield last
    if name.label == ORGANISATION and (quoted := _QUOTED.search(name.text) or _PROPER.search(name.text)):
        yield pieces(quoted.group(1))
    if name.bare:
        yield pieces(name.bare)


def _last_name(text: str) -> list[str]:
    """The words of a family name: the last, or the first before a patronymic (Толстой Лев Николаевич).

    Of "Ivan the Terrible" and "John of Islay" it is what stands before.
    """
    words = _GENERATION.sub("", _BYNAME.sub("", text)).split()
    patronymic = len(words) > 2 and words[-1].lower().endswith(("вич", "вна", "ична"))
    return pieces(words[0 if patronymic else -1]) if words else []


def _hits(
    name: Name,
    patterns: list[_Pattern],
    index: int,
    context: str,
    column: Column,
    figures: Mapping[str, set[int]],
    lang: str | None,
) -> Iterator[_NameHit]:
    """The places of one name in one context."""
    taken: list[tuple[int, int]] = []
    own = frozenset(word for text in (name.text, *name.aliases) for word in pieces(text))
    analysed = analyse(name.text, name.label, lang)
    address = ADDRESS.search(name.text)
    for pattern in patterns:
        for start, end in in_order(pattern.words, column, context):
            if any(start < b and a < end for a, b in taken):
                continue
            surface = context[start:end]
            if address and _is_longer_address(context, start, end):
                continue
            if _is_other_word(name.text, surface, pattern.rule):
                continue
            if pattern.tight and (surface.islower() or len(_telling(surface)) != len(pattern.words)):
                continue
            common = analysed.label == PERSON or (analysed.label == PLACE and surface.isalpha())
            if common and surface.islower() and not name.text.islower():  # the cash of Cash, roast turkey
                continue
            short = pattern.rule in ("short_form", "initials")
            if short and not analysed.titled and _of_another(analysed, own, context, start, end):
                continue
            before = context[max(0, start - 25) : start]
            if analysed.bare and _is_opposite(analysed, before, surface):
                continue
            more = len(_telling(surface)) > len(pattern.words) and analysed.label not in (PERSON, "")
            if more and _capitalised(surface) > _capitalised(name.text):  # Bank of New England
                continue
            if not analysed.digits and context[end : end + 1] in _CURRENCY:  # US of US$
                continue
            if (pattern.rule in ("inflected", "alias") or analysed.generation) and _is_other_figure(
                analysed, context, start, end
            ):
                continue
            if analysed.digits:
                start -= start > 0 and {context[start - 1], name.text[0]}.issubset(f"-−–{numbers.SYMBOLS}")
                if _PERCENT.search(name.text) and (sign := _PERCENT.match(context, end)):
                    end = sign.end()
                surface = context[start:end]
            taken.append((start, end))
            similarity, rule = _how(name, surface, pattern, lang)
            nested = inside_longer(context, start, end, own, lang, person=analysed.label == PERSON)
            yield _NameHit(Evidence(index, start, end), similarity, rule, nested)
    spelled_out = _initialled(analysed.acronym).finditer(context) if len(analysed.acronym) > 2 else ()
    for start, end in map(re.Match.span, spelled_out):
        nested = inside_longer(context, start, end, own, lang)
        yield _NameHit(Evidence(index, start, end), ACRONYM, "acronym", nested)
    for start, end in _figures(analysed, context, figures):
        if not any(start < b and a < end for a, b in taken):
            taken.append((start, end))
            nested = inside_longer(context, start, end, own, lang)
            yield _NameHit(Evidence(index, start, end), NORMALISED, "normalised", nested)
    for text, similarity, rule in (
        (name.text, INFLECTED, "inflected"), *((other, ALIAS, "alias") for other in name.aliases)
    ):  # fmt: skip
        for form in sorted(forms(fold(text), lang)) if _UNSPACED.search(text) else ():
            for span in find_folded(form, context):
                if _is_part(analysed, context, span.start, span.end):
                    continue
                nested = _in_katakana(context, span.start) or _in_katakana(context, span.end)
                yield _NameHit(Evidence(index, span.start, span.end), similarity, rule, nested)


_NUMERALS = "〇一二三四五六七八九十百千万亿億兆"
_KATAKANA = re.compile("[ァ-ヺーｦ-ﾟ]{2}")


def _is_part(name: Analysed, text: str, start: int, end: int) -> bool:
    """Whether a letter or a number of a text without spaces goes on: 5万 of 15万, 三百 of 三百五十."""
    if not bounded(text, start, end) or unicodedata.category(text[end : end + 1] or " ")[0] == "M":
        return True
    if not set(_NUMERALS).issuperset(text[start:end]):
        return bool(name.digits) and _is_other_figure(name, text, start, end)
    return not set(_NUMERALS).isdisjoint((text[start - 1 : start], text[end : end + 1]))


def _in_katakana(text: str, edge: int) -> bool:
    """Whether an edge parts a foreign word: インド of インドネシア."""
    return edge > 0 and _KATAKANA.match(text, edge - 1) is not None


_PERCENT = re.compile(r"\s?[%٪％]")
_CURRENCY = ("$", "€", "£")
_LETTERS_AND_FIGURES = re.compile(r"(?<!\S)([^\W\d_]+)(\d+)(?!\S)")


@lru_cache(maxsize=512)
def _initialled(acronym: str) -> re.Pattern[str]:
    """Capitalised words with these initials, small words between them: National Aeronautics and Space …"""
    gap = r"(?:[ \u00a0]|-)(?:(?:of|the|and|for|in|on|de|du|der|und|et|и|по)[ \u00a0]){0,3}"
    initialled = gap.join(rf"{letter}[^\W\d_]+" for letter in acronym.upper())
    return re.compile(rf"(?<!\w){initialled}(?!\w)")


_PLACES, _LONGEST = 200, 8
_EAST = f"{UNSPACED}\uac00-\ud7af"
_PIECE = re.compile(
    rf"\d+(?:[.,]\d+)*(?=[{_EAST}])|[{_EAST}]|[<>≤≥]=?|[^\W_{_EAST}]+(?:[.,/-]\d+|(?<=mio)\.)*|[{numbers.SYMBOLS}]"
)
_BEFORE_FIGURE = re.compile(rf"(?:{numbers.SIGN})?[{numbers.SYMBOLS}]?$")
# A figure of a time, a ratio or a fraction; not of the season 2019/20.
_PART_BEFORE, _PART_BEHIND = re.compile(r"(?<![\d.,:/])\d\d?[:/]$"), re.compile(r"(?<!\d\d\d)[:/]\d")
_NUMBER_BEFORE = re.compile(
    r"(?<!\w)(?!m(?:oins|enos) )[^\W\d_]+[ \u00a0-](?:and[ \u00a0-](?:a (?:half )?)?)?$"
)
_RANGE_BEFORE = re.compile(r"\d\s?[-–]$")
_BEFORE_ROMAN = re.compile(r"(?<![^\W_])[A-ZÀ-ÞА-Я][^\W_]*[ \u00a0-]$")
_YEAR = re.compile(r"1\d{3}|20\d\d")
_THREE = re.compile(r"\d{3}(?!\d)")
_EACH = re.compile(numbers.EACH)
_APOSTROPHES = ("de", "fr", "it")
_BLANKS = listed("fr de es pt ru uk be bg pl cs sk sv no nb fi et lv lt hu")  # that part thousands by one
_BEHIND_NAME = re.compile(
    rf"/[^\W\d_]"
    rf"|[\s-]?(?:[{numbers.SYMBOLS}]|(?![AaPp][Mm]\b)(?:(?:per|pour|por) )?(?:[^\W\d_]|[\u0300-\u1dff])+\.?)"
)


@lru_cache(maxsize=64)
def _rest_of_figure(lang: str | None) -> tuple[str, re.Pattern[str], re.Pattern[str]]:
    """How a number of several figures goes on: the signs between them, and what stands before and behind one.

    1'000 has a sign before three figures, 2万5000 a unit before any.
    """
    gaps = "\u00a0\u2009\u202f" + "'’" * (lang in _APOSTROPHES) + " " * (lang in _BLANKS)
    before = re.compile(rf"(?<![\d.,])(?:\d{{1,3}}(?:[{gaps}]\d{{3}})*[{gaps}]|\d[\d.,]*[{numbers.EAST}]+)$")
    return gaps, before, re.compile(rf"(?:[{gaps}]\d{{3}})+(?!\d)")


def _whole_figure(text: str, start: int, lang: str | None) -> int:
    """Where a figure begins, with the sign before it; a Roman one with the word before it."""
    gaps, rest, _ = _rest_of_figure(lang)
    if start and text[start - 1] in "+(" and numbers.CODE.match(text, start - 1):
        return start - 1
    if text[start - 1] in numbers.EAST or (text[start - 1] in gaps and _THREE.match(text, start)):
        more = rest.search(text, max(0, start - _WINDOW), start)
        start = more.start() if more else start
    if text[start] in "IVXL" and (before := _BEFORE_ROMAN.search(text, max(0, start - _WINDOW), start)):
        return before.start()
    before = _BEFORE_FIGURE.search(text, max(0, start - 7), start)
    return before.start() if before else start


def _is_other_figure(name: Analysed, text: str, start: int, end: int) -> bool:
    """Whether a place has the words of a name and another figure or sign: 10 of 10 %, 5 of -5 or 5 million.

    A currency that the name does not give is no difference.
    """
    if text[end - 1].isdigit() and (more := _rest_of_figure(name.lang)[2].match(text, end)):
        end = more.end()
    behind = _BEHIND_NAME.match(text, end)
    money = not numbers.MONEY.isdisjoint(name.bag)  # $5 of $5/month
    if behind is not None and behind.group()[0] == "/" and name.digits and not money:
        return name.text.count("/") <= text[start:end].count("/")  # 5 km of 5 km/h
    if not (name.digits or name.generation):
        return False
    part = _PART_BEFORE.search(text, max(0, start - 3), start) or _PART_BEHIND.match(text, end)
    if part and (name.text.isdecimal() or text[start:end].isdecimal()):  # also "of 3" of 3:1
        return True
    begin = _whole_figure(text, start, name.lang)
    edge = behind.end() if behind and name.lang in ("fr", "es") else end + 1  # jours ouvrés
    edge += 2 * (name.text[-1] in "°′″")  # °C
    back = 7 if numbers.BOUNDS.intersection(name.bag) else 2  # no more than is no more than
    if differ(name.text, text[max(0, begin - back) : edge], name.lang):
        return True
    smallest = filter(has_digit, _as_words(name.text, name.lang))
    wanted = [_numbers(name.digits), numbers.without_zeros(smallest)]
    if not numbers.MEASURES.isdisjoint(name.bag) and numbers.AMOUNTS.isdisjoint(name.bag):
        rate = _EACH.match(text, end) and not _EACH.search(name.text)
        near = numbers.in_smallest(words(text[max(0, begin - 20) : end + 20], name.lang))
        if not any(map(numbers.without_zeros(near).issuperset, wanted)):
            return True  # 30 minutes of 1 hour 30 minutes
        if rate or text[begin] in "$€£" or _RANGE_BEFORE.search(text, max(0, start - 3), start):
            return True  # 10 m of $10 m, 10 km of 10 km per hour, 40 mg of 10-40 mg
    there = words(text[begin : behind.end() if behind else end], name.lang)
    figures = _numbers(there)
    if name.generation:
        return bool(figures) and name.generation not in figures
    if _YEAR.fullmatch(name.text) and numbers.MEASURES.intersection(there) - {"ad"}:  # 1812 of 1812 kg
        return True
    amount, own = numbers.AMOUNTS.intersection(there), numbers.AMOUNTS.intersection(name.bag)
    # fifty of two hundred and fifty
    if number := _NUMBER_BEFORE.search(text, max(0, start - _WINDOW), start):
        figures &= _numbers(words(text[number.start() : end], name.lang))
    dated = any("m" in figure for figure in figures.union(name.digits))
    same = dated or any(map(figures.issuperset, wanted))
    return not same or (amount != own and bool(own or amount & {"percent", "permille"}))


def _numbers(words: Sequence[str]) -> set[str]:
    """The figures among some words, those of amounts also in the smallest unit."""
    return numbers.without_zeros(filter(has_digit, (*words, *numbers.in_smallest(words))))


def _figures(name: Analysed, text: str, figures: Mapping[str, set[int]]) -> Iterator[tuple[int, int]]:
    """Where a text has a name with figures in another spelling: 10 %, ten percent; World War 2, WWII.

    `figures`: the words from each figure of the text on, and where these begin. Each place costs up to a
    millisecond, and a table of numbers has thousands: only the first `_PLACES` are looked at.
    """
    if not name.digits or len(name.bag) > _LONGEST:
        return
    wanted = _as_words(name.text, name.lang)
    either = name.digits, [*filter(has_digit, wanted)]
    held = [set.intersection(*(figures.get(word, set()) for word in digits)) for digits in either if digits]
    size = len(name.bag) + 2 * len(numbers.BOUNDS.intersection(name.bag))  # at least, no less than
    reached = 0
    for start in sorted(set[int]().union(*held))[:_PLACES]:
        before = max(reached, start - _WINDOW)
        pieces_before = [before + piece.start() for piece in _PIECE.finditer(text[before:start])]
        ends = [start + piece.end() for piece in _PIECE.finditer(text[start : start + _WINDOW])]
        for first in (start, *reversed(pieces_before[-size:])):
            near = ends[: len(name.bag) + 7]  # 255 may be five words, with a currency and a unit
            end = next((end for end in near if _as_words(text[first:end], name.lang) == wanted), 0)
            surface, plain = text[first:end], len(name.bag) == 1 and "m" not in name.digits[0]
            ordinals = {numbers.is_ordinal(fold(each)) for each in (surface, name.text)}
            if plain and (len(ordinals) > 1 or numbers.romans(surface) != surface):
                continue  # five is not the fifth, nor the I of The I
            if end and not _is_other_figure(name, text, first, end):
                yield first, end
                reached = end
                break


def _as_words(text: str, lang: str | None) -> list[str]:
    return sorted(numbers.in_smallest(key(text, lang).replace(",", "").split()))


def _capitalised(text: str) -> int:
    return sum(word[0].isupper() and len(word) > 2 for word in text.split())


def _is_other_word(text: str, surface: str, rule: str) -> bool:
    """Whether a word in small letters stands where an acronym is looked for: us, who."""
    if rule == "alias":
        return False
    if rule == "inflected" and surface[-1].islower() and _LETTERED.search(text):  # hepatitis, a disease
        return True
    if rule == "country" and len(surface) <= 3 and not surface.isupper():  # Un homme
        return True
    acronym = rule == "acronym" or (text.isupper() and text.rstrip("+-−–").replace(".", "").isalpha())
    return surface.islower() and (acronym or len(surface) <= 3) and not text.islower()


def _how(name: Name, surface: str, pattern: _Pattern, lang: str | None) -> tuple[int, str]:
    """Whether a place has the name as it is written or only in another case."""
    literal = pattern.rule == "inflected"
    if literal and surface == _levelled(name.text):
        return 100, "equal"
    if literal and key(surface, lang) == key(name.text, lang):
        return NORMALISED, "normalised"
    return pattern.similarity, pattern.rule
