"""Dates, durations and times of day in some twenty languages; amounts, quantities and plain numbers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache

from workbench.proposing.rules.lexicon import Claims, Found
from workbench.text.language import word_counts
from workbench.text.lists import by_key, sections
from workbench.text.normalise import occurrences
from workbench.text.numbers import EACH, HALVES, OFTEN, SIGN, halves
from workbench.text.tokens import plain

_WORDS = sections(__name__)


_EITHER = {section: words.strip().replace("\n", "|") for section, words in _WORDS.items()}
"""The lines of each section as alternatives of a regular expression."""

# Month names that are no other word and no first name stand alone in their language.
ALONE = by_key(_WORDS["months alone"])
WEEKDAYS = by_key(_WORDS["weekdays"])


def any_of(listed: str) -> str:
    """The words as alternatives of a regular expression, longer ones first."""
    return "|".join(sorted(set(listed.split()), key=lambda word: (-len(word), word)))


# Most of a text holds no quantity, and the patterns below are slow where they find none. So each is tried at
# the figures of a text only, or where a word stands that it needs. What is found is the same.
_STARTS = re.compile(r"\d++")
# Letters that IGNORECASE takes for another one.
_SAME = str.maketrans("İıſKµς", "iiskμσ")


@lru_cache(maxsize=4)
def _starts(text: str) -> tuple[int, ...]:
    """Where the figures of a text begin: dates, amounts and numbers ask one after another."""
    return tuple(match.start() for match in _STARTS.finditer(text))


def _at(pattern: re.Pattern[str], text: str, starts: Sequence[int]) -> Iterator[re.Match[str]]:
    """What `finditer` gives of a pattern whose matches can begin at these places only."""
    end = 0
    for start in starts:
        if start >= end and (match := pattern.match(text, start)) is not None:
            yield match
            end = match.end()


def _places(words: Iterable[str], level: str) -> list[int]:
    """Where words begin in a text in small letters, also inside other words."""
    return sorted(start for word in words for start, _ in occurrences(word, level))


def _levelled(text: str) -> str:
    """In small letters, as IGNORECASE compares them; every letter stays in its place."""
    odd = not text.isascii() and any(letter in text for letter in "İıſKµςΣ")
    return text.translate(_SAME).lower().translate(_SAME) if odd else text.lower()


_DASH = "[-–—]"
_ERA = r"(?:\s?(?:BCE?|B\.C\.(?:E\.)?|CE|AD|A\.D\.|BP|v\. ?Chr\.|n\. ?Chr\.|до н\. ?э\.|н\. ?э\.))"
_LEFT = r"(?<![\w.,])"


def _one_of(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


# Dates without a month's name.
_NUMERIC = (
    r"(?<![\d./-])\d{4}-\d{2}-\d{2}(?![\d-])",
    r"(?<![\d./-])(?:0[1-9]|1[0-2])/(?:19|20)\d\d(?![\d/])",
    r"(?<![\d./-])\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d{2})(?![./]?\d)",
)
_PLAIN = _one_of(*_NUMERIC)
_MONTHS = frozenset({*_levelled(_WORDS["months"]).split(), "ngày", "tháng"})
# A figure written together with a month (12thJuly), and scripts whose letters have marks between them.
_GLUED = re.compile(r"\d(?:st|nd|rd|th|er|of|del?|[ºª]|-го|-е)+[^\W\d_]")
_MARKED = re.compile("[\u0900-\u097f\u0e00-\u0e7f]")
_DAY = re.compile(rf"(?<![\w-])(?:{_EITHER['days']})(?= )")
# Code points from the first figure of a date to its month, at most: 11-го – 12-го del July.
_BEFORE_MONTH = 18


@lru_cache(maxsize=1)
def _calendar() -> re.Pattern[str]:
    """Dates that name a month, ISO and dotted dates; for a text in small letters."""
    month = rf"(?:{any_of(_levelled(_WORDS['months']))})(?![^\W_])(?:\.(?=,? ?\d))?"
    day = r"(?:0?[1-9]|[12]\d|3[01])"
    numbered = rf"{day}(?:st|nd|rd|th|er|º|°|ª|-го|-е|\.)?"
    year = r"[1-9]\d{2,3}(?!\d)"
    of_year = rf"(?:,? ?(?:(?:de|del|of|năm|พ\.ศ\.|ค\.ศ\.) ?)?{year}{_ERA.lower()}?)?"
    return _one_of(
        # the third of March 2021, dix-sept septembre 1981; 11–12 July 1995; July 4, 1776; July 1776
        rf"(?<![\w-])(?:{_EITHER['days']}) (?:(?:of|de) {month}{of_year}|{month} {year})",
        rf"{_LEFT}(?:{numbered} ?{_DASH} ?)?{numbered} ?(?:of|de|del)? ?{month}{of_year}(?!\d)",
        rf"(?<!\w){month} {day}(?:st|nd|rd|th)?(?: ?{_DASH} ?{day})?(?:,? {year})?(?!\.?\d|:)",
        rf"(?<!\w){month},?(?: de| del| of)? {year}",
        rf"(?<!\w)(?:ngày {day} )?tháng {day}(?!\d)(?: năm {year})?",
        *_NUMERIC,
    )


def _by_calendar(level: str, words: Set[str], starts: Sequence[int]) -> Iterator[re.Match[str]]:
    """The dates of the calendar in a text in small letters with these `words`."""
    if (starts and _GLUED.search(level)) or not (level.isascii() or _MARKED.search(level) is None):
        yield from _calendar().finditer(level)
        return
    dated = set(months := _places(_MONTHS.intersection(words), level))
    dated.update(match.start() for match in _DAY.finditer(level if months else ""))
    for month in months:
        dated.update(starts[bisect_left(starts, month - _BEFORE_MONTH) : bisect_left(starts, month)])
    end = 0
    for start in sorted(dated.union(starts)):
        pattern = _calendar() if start in dated else _PLAIN
        if start >= end and (found := pattern.match(level, start)) is not None:
            yield found
            end = found.end()


_ORDINAL = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{any_of(_WORDS['ordinals'])})"
_AGE = r"(?:\d{1,2}|[IVX]{1,6})(?:-?(?:й|го|м|е))?"  # the number of a Russian century: 19, XIX, 19-го
_CENTURY = _one_of(
    rf"(?<!\w){_ORDINAL}[- ](?:century|millennium)(?![^\W_])(?: {_ERA})?",
    rf"(?<!\w){_AGE}(?:[-–]{_AGE})? (?:век(?:а|е|ов|ах|у)?|вв?\.|століття)(?!\w)(?: (?:до )?н\. ?э\.)?",
    r"(?<!\w)\d{1,2}\. (?:Jahrhunderts?|Jh\.)",
    r"(?<!\w)(?:siècle|siglo|século|secolo) [IVX]{1,6}(?!\w)|(?<!\w)[IVX]{1,6}e siècle",
    # decades: the 1980s, '80s, 1980-х, 1980er Jahre
    rf"(?:{_LEFT}the )?{_LEFT}'?\d{{1,3}}0['’]?s(?!\w)",
    rf"{_LEFT}\d{{2,4}}(?:-(?:х|е|ые|ых|м)(?!\w)|er(?!\w)(?: Jahren?(?!\w))?)",
)
_AGES = "century|millennium| век| в.| вв.| століття|Jahrhundert|Jh.|siècle|siglo|século|secolo".split("|")
_OF_DECADES = re.compile(r"\d(?:['’]?s|-[хеым]|er)")


def _centuries(text: str) -> Iterator[re.Match[str]]:
    some = any(word in text for word in _AGES) or _OF_DECADES.search(text)
    return _CENTURY.finditer(text if some else "")


# "three weeks", "two-day", but no ages: "35-year-old", "35 years old".
_DURATION = _one_of(
    rf"(?<![\w.,–-])(?:(?:\d{{1,3}}[-–])?\d+(?:[.,]\d+)?|{any_of(_WORDS['numerals'])})"
    r"(?:[ \u00a0]|-(?=(?:year|month|week|day|hour|minute|decade)(?!s)))"
    rf"(?:(?:working|business|calendar|school|рабочих|календарных) )?(?:{any_of(_WORDS['periods'])})"
    r"(?: (?:hábiles|laborables|naturales|ouvrés|ouvrables|úteis)(?!\w))?"
    r"(?!\w|-old|[- ]olds?(?!\w)|['’])(?! (?:ago|old|of age|назад|alt)(?!\w))"
)
_PERIODS, _NUMERALS = (frozenset(map(_levelled, _WORDS[name].split())) for name in ("periods", "numerals"))
_HALVES = re.compile(
    rf"(?<![\w-])(?:{halves(('an(?= et demi)', 'ora', *_PERIODS))})(?![\w-])".replace(" ", "[ \u00a0-]")
)


def _durations(text: str, level: str, words: Set[str], starts: Sequence[int]) -> Iterator[re.Match[str]]:
    if words.isdisjoint(_PERIODS):
        return iter(())
    return _at(_DURATION, text, sorted({*starts, *_places(_NUMERALS.intersection(words), level)}))


_FOUR = r"(?:1\d{3}|20\d{2})"
_FREE = r"(?<![\w.,$€£¥№#/:+-])"  # no part of an amount, a number or a path
_YEAR = _one_of(
    rf"{_FREE}(?:AD |A\.D\. |c\. ?)?{_FOUR}(?![\w/:]|[.,]\d|-\w)"
    rf"(?! ?(?:{_EITHER['counted']}|{_EITHER['si units']})(?!\w)| ?[%$€£°]){_ERA}?",
    rf"(?<![\w.,-])\d{{1,5}}{_ERA}(?!\w)",
    r"(?<!\w)(?:AD|A\.D\.) \d{1,4}(?!\w)",
    rf"(?<!\w)(?:Q[1-4]|(?:first|second|third|fourth) quarter of) {_FOUR}(?!\w)",
    # both ends of a range: 1939–1945, 1939-45
    rf"(?<!\w)FY ?{_FOUR}(?!\w)",
    rf"{_FREE}{_FOUR}(?={_DASH}(?:\d{{4}}|\d{{1,2}})(?!\w))",
    rf"(?<=\d{{4}}{_DASH}){_FOUR}(?!\w|[.,]\d|-\d)",
)
_BEFORE_YEARS = re.compile(r"AD |A\.D\. |c\.|FY|Q[1-4] |quarter of ")


def _years(text: str, starts: Sequence[int]) -> Iterator[re.Match[str]]:
    return _YEAR.finditer(text) if _BEFORE_YEARS.search(text) else _at(_YEAR, text, starts)


_HOUR = r"(?<![\w:.,/])(?:[01]?\d|2[0-3])"
_ZONE = r"[ \u00a0]{0,3}(?:[ap]\.m\.|[apAP][mM](?!\w)|Uhr(?!\w)|мск|МСК|GMT|UTC)"
_CLOCK = _one_of(
    rf"{_HOUR}:[0-5]\d(?::[0-5]\d)?(?:{_ZONE})?(?![\d:])",
    rf"{_HOUR}(?:\.[0-5]\d)?{_ZONE}",
    rf"{_HOUR}[ \u00a0]?h[ \u00a0]?[0-5]\d(?: min(?!\w))?(?!\w)",
    rf"{_HOUR} час(?:а|ов)? [0-5]?\d минуты?",
)
# A look at the first letter spares most places of a text all of them.
_EAST = re.compile(
    f"(?=[\\d〇零一二三四五六七八九十公西紀昭平令大明기서พคปعساसשה])(?:{_EITHER['eastern dates']})"
)


@lru_cache(maxsize=32)
def _single_words(lang: str) -> frozenset[str]:
    """One of these stands in a text in which `_single` finds something."""
    more = ("march", "may") if lang in {"en", "de"} else ()
    return frozenset(map(_levelled, (*WEEKDAYS.get(lang, ()), *ALONE.get(lang, ()), *more)))


@lru_cache(maxsize=32)
def _single(lang: str) -> re.Pattern[str]:
    """Weekdays and months that stand alone, none of them part of a longer name."""
    listed = any_of(" ".join((*WEEKDAYS.get(lang, ()), *ALONE.get(lang, ()))))
    if lang not in {"en", "de"}:
        return re.compile(rf"(?<!\w)(?:{listed})(?!\w|-\w)")
    titled = "|".join(word.capitalize() for word in listed.split("|"))
    alone = r"(?!\w|-\w| [A-ZÄÖÜ])"
    return _one_of(
        rf"(?:(?<=[a-zß,;] )|(?<![^\W_] ))(?<!\w)(?:{titled}){alone}", rf"(?<=[Ii]n )(?:March|May){alone}"
    )


def _alone(text: str, lang: str, level: str, words: Set[str]) -> Iterator[re.Match[str]]:
    named = _single_words(lang).intersection(words)
    return _at(_single(lang), text, _places(named, level)) if named else iter(())


def dates(text: str, lang: str) -> list[Found]:
    """Every date, year, century, decade, duration and time of day, the most telling reading first.

    A range of full dates or years gives both ends; ages ("35-year-old") are no dates.
    """
    starts = _starts(text)
    level = _levelled(text)
    words = word_counts(level).keys()
    return _found(
        "date",
        _EAST.finditer("" if plain(text) else text),
        _by_calendar(level, words, starts),
        _centuries(text),
        _at(_CLOCK, text, starts),
        _HALVES.finditer("" if words.isdisjoint(HALVES) else level),
        _durations(text, level, words, starts),
        _years(text, starts),
        _alone(text, lang, level, words),
    )


# 1,234,567.8 · 1 234 567 · 1.234,5 · 1'000 · 3½; a space parts groups of three only. At most seven groups:
# without a bound a table of numbers is one figure, and leaving it step by step is quadratic (17 s for 20 KB).
_POWER = r"10(?:\^[-−]?\d{1,3}|[⁻⁺]?[⁰¹²³⁴-⁹]{1,3})"
_FIGURE = (
    r"(?:\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3}){1,6}(?:[.,]\d+)?(?!\d)"
    rf"|{_POWER}|\d+(?:[.,]\d+)*[½¼¾]?(?: ?[×·] ?{_POWER})?)"
)
_GAP = r"[ \u00a0\u202f]{0,3}+"
# A letter or digit of a script that parts words by spaces: 人口1400万 is a number, X1400 is none.
_JOINED = "[^\\W\u0e01-\u0e4e\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_BEFORE = rf"(?<!{_JOINED})(?<![.,/])(?<!\d:)"
_END = rf"(?!{_JOINED})"
_MAGNITUDE = f"(?:{_EITHER['magnitudes']})"
_OFTEN = rf"{_EITHER['rates']}| (?:{'|'.join(OFTEN)})(?!\w)"
_RATE = f"(?:{EACH}|(?:,? (?:{_EITHER['times']}))?(?:{EACH}|{_OFTEN})(?! \\d))"
_CURRENCY = f"(?:d['’]|de )?(?:{_EITHER['currencies']}|{_EITHER['currency codes']}|INR){_RATE}?"
# m/s², mol·l⁻¹, W/(m·K), mg/Tag, 5 mg twice daily
_EXPONENT = r"(?:[²³]|⁻[¹²³]|\^[-−]?\d)"
_SYMBOL = "(?:[a-zµμΩ]{0,2}[A-Z][a-z]?|[a-zµμ]{1,12}|[а-яё]{1,12})"
_PART = rf"(?:(?:[/·⋅*]|[ \u00a0](?=[a-zA-Z]{{1,3}}⁻))\(?{_SYMBOL}{_EXPONENT}?{_END}\)?)"
_UNIT = f"(?:{_EITHER['units']}|{_EITHER['si units']}){_EXPONENT}?(?:{_RATE}|{_PART}){{0,3}}"
# ≥ 5, p < 5, at least 5, every 5 hours; no tag, no quoted line
_LEADING = dict.fromkeys(("number", "date"), _EITHER["before an amount"])
_LEADING["date"] += f"|{_EITHER['before a duration']}"
_LAST = frozenset(phrase.split()[-1] for phrase in _LEADING["date"].split("|"))
_BEFORE_AMOUNT = {
    label: re.compile(
        rf"(?:{SIGN}|[≥≤]\s?|<=?\s?|(?:(?<=[ (])|(?<=[ (]\w)\s?)>=?\s?|(?<!\w)(?i:{phrases})[ \u00a0])$"
    )
    for label, phrases in _LEADING.items()
}
_PERCENT = f"(?:[%‰]|(?:{_EITHER['percent']}){_END})"
_EAST_MAGNITUDE = "[万萬亿億兆만억조千百]"
_SMALL = "one|two|three|four|five|six|seven|eight|nine"


# ISO 4217, but codes that are words (ALL, TOP) or have another meaning before a figure (SDG 3, PHP 8).
_SIGN = rf"[$€£¥₽₹₩₴₺₫]|(?<!\w)(?:{_EITHER['currency codes']}|[Kk]r\.?|Kč|zł|Fr\.)(?= ?\d)"
_SIGNED = re.compile(r"[$€£¥₽₹₩₴₺₫]|(?:[A-Z]{3}|[KkFz][rčł]\.?) ?\d")
_OF_HUNDRED = ("%", "‰", "cent", "cient", "процент", "zent", "百分之")


@lru_cache(maxsize=1)
def _layers() -> tuple[re.Pattern[str], ...]:
    """Money, percentages, quantities, magnitudes and plain numbers: what says more comes first."""
    magnitude = rf"(?:{_GAP}{_MAGNITUDE}{_END})?"
    # 20–30, −25 to −15, but not 2019 to 30; nothing that follows begins with a digit.
    to = rf"(?:{_GAP}[-–—]{_GAP}|(?<!\d{{4}}) (?:to|bis|[aà]|до) [-−–]?)"
    figure = rf"(?>{_FIGURE}(?:{to}{_FIGURE})?)"
    east = rf"(?:(?>{_FIGURE})[万萬亿億兆만억조]+)"  # 45兆953億円 and 2万5000 are one amount
    money = (
        rf"(?<!\w)(?:(?:US|AU?|CA?|HK|NZ|S|R){_GAP})?(?:{_SIGN}){_GAP}{figure}(?:[kKmMbB]{_END}|{magnitude}){_RATE}?"
        rf"|{_BEFORE}{figure}{magnitude}{_GAP}{_CURRENCY}{_END}"
        rf"|{_BEFORE}(?=\d){east}{{0,4}}+(?:(?>{_FIGURE}){_EAST_MAGNITUDE}{{0,3}})?(?:元|円|圆|美元|欧元|ドル|ユーロ|원|달러)"
    )
    return (
        re.compile(money),
        re.compile(rf"{_BEFORE}[-+−]?{figure}{_GAP}{_PERCENT}{_RATE}?|百分之[\d一二三四五六七八九十]+"),
        re.compile(
            rf"{_BEFORE}(?:\d{{2,3}}/(?=\d{{2,3}}{_GAP}mm))?{figure}{magnitude}(?:{_GAP}|-){_UNIT}{_END}"
        ),
        re.compile(
            rf"{_BEFORE}{figure}(?:{_GAP}{_MAGNITUDE}|k|(?<=\.\d)[MB]){_END}|{_BEFORE}{east}{{1,4}}+(?:\d{{1,4}}(?![\d.,年月]))?"
        ),
        # neither a citation mark [3], nor a list marker 3. at a line start, nor part of a code
        re.compile(
            rf"{_BEFORE}(?<!\[){_FIGURE}(?!{_JOINED}|/|[.,:]\d|-[^\W\d_])(?!(?<=\n\d)[.)]|(?<=\n\d\d)[.)])"
        ),
    )


@lru_cache(maxsize=1)
def _spelled() -> re.Pattern[str]:
    """English number words above one with magnitude and unit: twenty-five, half a million, five miles."""
    unit = r"(?: (?:miles|feet|acres|percent|per cent|dollars|kilomet(?:er|re)s|met(?:er|re)s)(?!\w))?"
    size = f"(?: (?:{_MAGNITUDE}|dozen))"
    plain = f"(?:{_EITHER['number words']})(?:-(?:{_SMALL}))?"
    # two hundred and fifty; one hundred and two hundred are two numbers
    more = f"(?:(?:{plain}|one|[Aa]){size}+ (?:and (?!(?:{plain}|one) (?:hundred|dozen)))?)+"
    number = f"(?:{more}(?:{plain}|one)|{plain}|(?:half a|one)(?={size}| and a half{size}))"
    return re.compile(rf"(?<![\w-])(?=[efhnostAa]){number}(?: and a half(?={size}))?{size}*{unit}(?![\w-])")


def amounts(text: str) -> list[Found]:
    """Numbers with a currency, a per cent sign, a unit or a magnitude."""
    starts = _starts(text)
    money, percent, units, magnitudes, _ = _layers()
    hundreds = any(word in text for word in _OF_HUNDRED)
    return _found(
        "number",
        money.finditer(text) if _SIGNED.search(text) else _at(money, text, starts),
        percent.finditer(text if hundreds else ""),
        _at(units, text, starts),
        _at(magnitudes, text, starts),
    )


# 1–0, 3-2: a range, from the smaller number to the larger one, gives both of its ends.
_RESULT = re.compile(rf"{_BEFORE}(?<![\[–-])(\d{{1,2}})[-–](\d{{1,2}})(?![\w–-]|[.,:/]\d)")


def numbers(text: str, lang: str) -> list[Found]:
    """Plain numbers and results, in English also in words; citation marks ([3]) and list markers are none."""
    starts = _starts(text)
    results = (one for one in _at(_RESULT, text, starts) if not 0 < int(one[1]) < int(one[2]))
    spelled = _spelled().finditer(text if lang == "en" else "")
    return _found("number", results, _at(_layers()[-1], text, starts), spelled)


def _found(label: str, *layers: Iterator[re.Match[str]]) -> list[Found]:
    """What the layers match, the first of them before the others."""
    claims = Claims()
    for layer in layers:
        claims.add([Found(_start(match, label), match.end(), label) for match in layer])
    return claims.items


def _start(match: re.Match[str], label: str) -> int:
    """Where a match begins, an amount with what is before it: −5 °C, at least 5 mg."""
    start = match.start()
    if label == "date" and match.re is not _DURATION:
        return start
    kind = label if match[0][0].isdigit() else "number"  # Olympics are held every four years
    before = match.string[max(0, start - 17) : start]
    last = before.rstrip().rpartition(" ")[2].lower()
    plain = last not in _LAST and last[-1:].isalpha()
    more = None if plain else _BEFORE_AMOUNT[kind].search(before)
    return start - len(before) + more.start() if more else start
