"""Numbers, dates, times and amounts in one spelling: 1.5 million = 1,500,000, July 14 = 14 июля."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence, Set
from decimal import Decimal
from functools import lru_cache, partial
from itertools import pairwise
from math import inf

from workbench.text.lists import by_word, has_digit, listed, sections, valued
from workbench.text.tokens import UNSPACED

# A year may be followed by its own word, which says nothing.
_WORDS = sections(__name__)
_EITHER = {section: lines.strip().replace("\n", "|") for section, lines in _WORDS.items()}
_ACCENTS = re.compile("[\u0300-\u036f]")
_YEAR_WORDS = listed("год года году годом годе г г. р рік року році year 年 년 년에")
_CENTURY = r"(?=\s+(?i:век|столет|ст\.|в\.|вв|centur|jahrh|siècle|siglo|secolo|século|wiek))"
# Roman numerals up to 89, as kings and centuries need them: capitals, after another word. L and XL are sizes.
_ROMAN = re.compile(r"(?<=\w\s)(?=[IVXL])(?:(?:XL|L)(?=[IVX]))?X{0,3}(?:IX|IV|V?I{0,3})(?![\w'’&]|\.\s*\w)")
# The number of a king before his name (II. Mehmed); a single letter would be an initial.
_ROMAN_FIRST = re.compile(r"^(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})\.?(?=\s+[^\W\d_])")
_ROMAN_CENTURY = re.compile(r"(?<![\w.])(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})" + _CENTURY)
ROMAN_END = re.compile(r"[IVX]\b")  # every one of them ends so
_WORLD_WAR = re.compile(r"\bWW\s?(?=(?:I{1,2}|[12])\b)")
_ROMAN_DIGIT = {"I": 1, "V": 5, "X": 10, "L": 50}


def romans(text: str) -> str:
    """The text with Roman numerals as digits, where a name is likely to mean a number."""
    if "WW" in text:
        text = _WORLD_WAR.sub("World War ", text)
    if not ROMAN_END.search(text):
        return text
    return _ROMAN.sub(_arabic, _ROMAN_FIRST.sub(_arabic, _ROMAN_CENTURY.sub(_arabic, text)))


def is_ordinal(word: str) -> bool:
    """Whether a folded word is the number of a place in an order: fifth, 5th."""
    return _IN_ORDER.search(word) is not None or (word in _UNITS and word[:-2] in _STEMS)


def _arabic(roman: re.Match[str]) -> str:
    values = [_ROMAN_DIGIT[letter] for letter in roman.group().rstrip(".")]
    return str(sum(-value if value < after else value for value, after in pairwise((*values, 0))))


_STEMS = valued(_WORDS["ordinal stems"])
_UNITS = valued(_WORDS["units"]) | {
    stem + ending: value for stem, value in _STEMS.items() for ending in _WORDS["ordinal endings"].split()
}

_IN_ORDER = re.compile(r"(?:first|second|third|[a-z]th|\d(?:st|nd|rd|th))$")


@lru_cache(maxsize=32)
def _units(lang: str | None) -> dict[str, int]:
    """The words for numbers below a hundred in English, Russian and the language of a text."""
    listed = _WORDS["number words"].strip().splitlines()
    own = next((line.split(" | ")[1:] for line in listed if line.split()[0] == lang), [])
    return _UNITS | valued("\n".join(own))


SYMBOLS = "$€£¥₽%‰"
_BEFORE = frozenset("$€£¥₽")  # those that may stand before a number
_CURRENCIES = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
_LARGEST = 10**30  # no number goes on behind it: a thousand words million have no end
_TENS = frozenset(range(20, 100, 10))
_ADDED = valued(_WORDS["magnitudes"])
_MAGNITUDES = _ADDED | valued(_WORDS["magnitudes of other languages"])
_MINUS = "minus"
_PER_HUNDRED = frozenset(_WORDS["per hundred"].strip().splitlines())
_SIZES = ("square", "cubic")
_SCALES = by_word(_WORDS["scales of degrees"])
MONTHS = valued(_WORDS["months"])
_AMOUNTS = by_word(_WORDS["amounts"])
AMOUNTS = frozenset(_AMOUNTS.values())
MONEY = AMOUNTS - {"percent", "permille"}
OTHER_UNITS = listed(_WORDS["other units"])
"""What makes another unit of one: business days, fluid ounces, Canadian dollars."""
_MEASURES = by_word(_WORDS["measures"])
MEASURES = frozenset(_MEASURES.values())
_DEGREE = frozenset(word for word, measure in _MEASURES.items() if measure == "degrees")
UNITS = AMOUNTS.union(MEASURES, _SCALES.values(), _SIZES, ["points"])
_SMALLEST = {unit: (int(size), base) for base, size, unit in map(str.split, _WORDS["scales"].splitlines())}
_FIGURE, _UNIT = r"\d+(?:\.\d+)?", "|".join(_SMALLEST)
_AMOUNT = re.compile(rf"(?<!\S)((?:{_FIGURE} (?:and )?)+)({_UNIT})(?!\S)")
_SUM = re.compile(rf"(?<!\S)({_FIGURE}) ({_UNIT}) (?:(?:and|und|et|y|e|и) )?({_FIGURE}) ({_UNIT})(?!\S)")
_LISTED = rf"(?:-?{_FIGURE} (?:(?:and|or|und|oder|et|ou|y|o|и|или) )?)"
_MEASURE = rf"(?:(?:{'|'.join(_SIZES)}) )?(?:{'|'.join(UNITS)})(?: per \S+)*"
_FIGURES = re.compile(rf"(?<!\S)({_LISTED}{{0,9}})(-?{_FIGURE}) ({_MEASURE})(?!\S)")
_LONG = listed("hour minute days weeks months years mile")
_HALF = by_word(_WORDS["halves"])
HALVES = _HALF.keys() | listed(_WORDS["words of halves"])
"""Words of which one stands in every amount with a half in words."""
_CENTURIES = listed("sixteen seventeen eighteen nineteen twenty")
_FIRST_DAY = listed(_WORDS["first day"])
_OF = listed("of de del do di ano anno")
_WEEKDAYS = listed(_WORDS["weekdays"])
_DAY_FIRST = listed(_WORDS["day first"])
_ADDING = frozenset({None, "en", "ru", "uk"})  # languages all of whose number words are known
_YEAR, _MONTH = r"(?P<year>\d{3,4})", "(?P<month>0?[1-9]|1[0-2])"
_DAY = "(?P<day>0?[1-9]|[12][0-9]|3[01])"
# 2 tháng 9 năm 1945; 1949年10月1日, 8월 15일에
_VIETNAMESE = re.compile(rf"(?:{_DAY} )?thang {_MONTH}(?: nam {_YEAR})?(?= |$)")
_EAST_DATE = re.compile(
    rf"(?<!\d)(?:{_YEAR}\s?[年년]\s?)?{_MONTH}\s?[月월](?:\s?{_DAY}\s?(?:[日号號]|일(?:에서|에|부터|까지|의)?))?"
)
# 1.5亿, 2万5000, 3億2000万, 5천만; not 5千克 (kg), 제5조 (article 5), 1억 2023년
_EAST_UNITS = {"千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8, "兆": 12, "조": 12}
EAST = "".join(_EAST_UNITS)
"""What multiplies a number in East Asia."""
_EAST_NUMBER = re.compile(
    r"(?<![a-zA-Z\d.,])"
    r"(?:\d[\d,]{0,20}+(?:\.\d{1,9})?+(?![\d,.])"
    r"(?: ?(?:千(?![克米瓦])[万萬億亿]?|[万萬億亿兆]|조(?= ?[원달엔]))"
    r"|(?: (?=[천만억]{1,2}\b))?(?:천[만억]?|[만억])) ?)+"
    r"(?:\d{1,4}(?![\d.,]|\s?[年년月월]))?"
)
LOW, HIGH = _EITHER["at least"], _EITHER["at most"]
BOUND = re.compile(rf"(?<!\w)(?:{LOW}|{HIGH})\s?(?=[$€£]?\d)", re.IGNORECASE)
"""What makes a lowest or a highest one of the figure behind it: at least, ≤."""
_LEAST, _MOST = "minimum", "maximum"
BOUNDS = frozenset((_LEAST, _MOST))
_BOUNDS = {
    _ACCENTS.sub("", unicodedata.normalize("NFD", phrase)): bound
    for bound, phrases in ((_LEAST, LOW), (_MOST, HIGH))
    for phrase in phrases.split("|")
}
_BOUND_ENDS = frozenset(phrase.split()[-1] for phrase in _BOUNDS)
_BOUND_SIGN = re.compile(r"(?<![-=<>])([<>≤≥])=?(?=\s?[$€£]?\d)")
_COLD = re.compile(
    r"(?<![\d.,])(\d{1,4}(?:[.,]\d{1,3})?\s?(?:°|[^\W\d]{1,12})(?:\s?(?:C|F|Celsius|Fahrenheit|Цельсия)(?!\w))?)"
    rf"\s(?:{_EITHER['below zero']})(?!\w)"
)
_IS_EAST = re.compile(f"[年년月월{EAST}]")
_MILLION = re.compile(r"(?<=\d)\s?(?:" + "|".join(_WORDS["millions"].split()) + ")")
_FRACTION = re.compile(r"(?<![\d/.,])(?:(\d{1,3}) )?(?:([13])/(4|(?<=1/)2))(?![\d/])")
_EAST_PART = re.compile(rf"(\d[\d,]*(?:\.\d+)?) ?([{EAST}]*)")
_HUNDREDTH = {phrase.split()[1] for phrase in _PER_HUNDRED}
_OFTEN = valued(_WORDS["times"])
_REPEATED = _OFTEN.keys() | {*_WORDS["again"].strip().split("|"), "i."}
_COUNTING = frozenset(
    {*SYMBOLS, *_UNITS, *_MAGNITUDES, *_AMOUNTS, *_MEASURES, _MINUS, *_DEGREE, *_HUNDREDTH, *_OFTEN, "half"}
).union(_FIRST_DAY)
# Letters behind a figure that are a word of their own: 20kg, €3bn, $1.2M. M and B are millions and billions,
# k thousands; small m and b only of money.
_LETTER = f"[^\\W_{UNSPACED}]"
_GLUED = re.compile(
    rf"(?<!{_LETTER})([{SYMBOLS}]?)(\d++(?:[.,]\d++){{0,10}}+)([^\W\d_{UNSPACED}]++)(?!{_LETTER})"
)
_MONEY = re.compile(r"([$€£]\d[\d.,]*)\s([mMbB])(?!\w)")  # $5 m
_SHORT = {"k": "thousand", "K": "thousand", "M": "million", "B": "billion"}
_SHORT_OF_MONEY = {**_SHORT, "m": "million", "b": "billion", "T": "trillion"}
CODE = re.compile(rf"(?<![\w-])(?:{_EITHER['codes in groups']})")
"""Account, telephone and book numbers, which one writes in groups of several kinds."""
_NO_DIGIT = re.compile(r"^00|\(0\)|[^\w]")
_LONG_CODE = re.compile(r"\d(?:\D{0,6}+\d){8}")
_SPELLED = by_word(_WORDS["spellings"])
_SPELLING = re.compile(rf"(?<=\d)\s?({'|'.join(_SPELLED)})(?!\w)", re.IGNORECASE)
_INVERSE = re.compile(r"[\s·⋅*](?<=[a-zA-Zµ\d].)([a-zA-Z]{1,3})(?:\^-|[−⁻])([123])(?![\w-])")  # kJ mol^-1
_EACH_HOURS = re.compile(r"\bq\.?\s?(\d\d?)\s?h\b\.?")  # q8h
_PER = by_word(_WORDS["per"])
OFTEN = by_word(_WORDS["how often"])
"""What a word for a rate says: day of daily."""
_OF_TIME_OR_SIZE = rf"(?:{'|'.join(map(re.escape, sorted(_PER, key=len, reverse=True)))})(?!\w| ago| later)"
EACH = rf"(?i:(?:{_EITHER['by']}){_OF_TIME_OR_SIZE}(?:\s(?:{_EITHER['body weight']})(?!\w))?)"
"""What makes a rate of the amount that it stands behind: /kg, per day, pro kg Körpergewicht."""
_IN_TIME = f"\\s(?:{_EITHER['in']})\\s{_OF_TIME_OR_SIZE}|\\s(?:{'|'.join(OFTEN)})(?!\\w)"
# 5 mg/kg/day, 500 €/t, 72/min, 5 mg daily, 5 mg once a day; not 10 km/Hamburg
_RATES = re.compile(
    rf"(?<=\d)(\s?(?:[^\W\d]+|[€$£%])\.?)?((?:(?i:\s(?:{_EITHER['once']}))?(?:{EACH}|(?i:{_IN_TIME})(?!\s\d)))+)"
)
_PERIODS = _PER | OFTEN
_PERIOD = re.compile(rf"(?<!\w)(?:{_OF_TIME_OR_SIZE}|{'|'.join(OFTEN)})(?![\w'’])")
_DAILY = "|".join(OFTEN)
# In words that are one already: 2 times per day, twice a day, b.i.d.
_TIMES_PER = re.compile(
    rf"(?<!\S)(?:(?:(\d+) (?:{_EITHER['again']})|({'|'.join(_OFTEN)}))"
    rf" (?:({_DAILY})|(?:{_EITHER['per a']}) ({'|'.join(map(re.escape, _PER))}))"
    r"|(?:([btq])\. i\. d\.?|(?<=gram |iter |blet |lets )([btq])id))(?!\S)"
)
_SHORT_UNIT = re.compile(r"(?<=\d)(\s*(?:degrees\s*)?[gmlthCFСмлтч])\.(?!\w|\s?\d)")  # 5 g. at an end
_GRAM = re.compile(r"(?<=\d)(?<!\b1\d{3})(?<!\b20\d\d)\s?г(?:(?![\w.])|\.(?<!\d{3}\s.\.))")  # no year
_AREA = re.compile(
    r"(?<=\d)\s?(?:(km|m|cm|mm|mi|ft|км|м)[2²](?!\w)"
    r"|(?i:([^\W\d]+)\s(?:(?:cuadrado|carré|quadrado)s?|quadrat[oi])(?!\w)|(?:квадратн\w+|кв\.)(?=\s?[км])|quadrat(?=\w*meter)))"
)
_US_DOLLARS = re.compile(r"U(?<!\wU)S\s?(?=\$)")
SIGN = (
    r"(?:[-−–](?<![^\s(].)(?<!\d\s.)"
    r"|(?<!\w)(?:[Mm]inus|[Мм]инус|(?<!\b[AaOoDd][ul] )(?<!\b[Ll]o )(?<!\bo )[Mm](?:oins|enos)) )"
)
"""What makes a figure negative that it stands before: −5, –5, minus 5; no bullet, range or au moins 5."""
_BELOW_ZERO = re.compile(rf"{SIGN}(?=(?:US)?[{SYMBOLS}]?\d)")
_ABSATZ = re.compile(r"(?<=\d)([a-z]?) Abs(?:\.|atz) ?(?=\d)")  # § 355 Abs. 2, § 355 II
_CURRENCY = re.compile(rf"\b({'|'.join(_CURRENCIES)})\s?(?=\d)")
_QUARTER = re.compile(r"Q(?<!\wQ)([1-4])(?=\s\d{4}\b)")
_TIME = re.compile(r"(?<![\d:.,])0?(1?\d|2[0-3]):([0-5]\d)(?![\d:])")
_DOTTED = re.compile(r"\.(?<=\d\.)(?=[0-5]\d\s?[ap]\.?m\b)", re.IGNORECASE)
_O_CLOCK = re.compile(r"(?<![\d.,:])(\d\d?)(?:[.:](\d\d))?\s?Uhr(?!\w)")
_HALF_OF_DAY = re.compile(r"(?<=\d)\s?([ap])\.?m\b\.?", re.IGNORECASE)
# What the patterns above change has one of these in it: one search spares nine. 5 May and 1939-45 have none.
_TO_PART = re.compile(
    r"\d(?:[^\W\d]|:\d|\s(?i:[ap]\.?m|k|cm|m(?!il|[aeouy])|ft|uhr|[bglthлтг]\b|[년월年月千万萬億亿兆천만억조ล]))"
    r"|/\w|[-−–](?<![^\s(].)(?:US)?[$€£¥₽]?\d|inus |инус |oins |enos "
    r"| (?:p(?:er |ro |ar |or |\.)|je |an? (?:da|we|mo|ye|ho|mi|se)|a[lo] |a la |all['’]"
    r"|в (?:су|де|не|ми|се|го|ча|ме)|[нз]а [кч]"
    rf"|every|each|jede|chaque|cada|ogni|tou(?:te)?s les|tod[ao]s |кажд|{'|'.join(OFTEN)}"
    r"|à l['’]|Abs|z[eé]ro|[Nn]ull|cero|нуля|мороза)|Q\d|[DRPY]\s?\d|S\s?\$|°|uadra|carré|квадр|м[2²]|кв\."
    r"|[<>≤≥]"
)
# In words that are one already: 14 to 17, 14 cm to 17 cm, 2c30 pm.
_RANGE = re.compile(
    r" (?<=\d )(?:((?![ap]m )[^\W\d]+) )?(?:(?:to|through|bis|до|à) )?(?=\d\S*(?(1) \1)(?!\S))"
)
_CLOCK = re.compile(r"(?<!\S)(1[0-2]|[1-9])(?:c([0-5]\d))? ([ap])m(?!\S)")


def halves(units: Iterable[str]) -> str:
    """What finds amounts of some units with a half in words: half an hour, une heure et demie."""
    unit = "|".join(sorted(units, key=len, reverse=True))
    return (
        rf"(?:(?P<half>{_EITHER['half of']}|{'|'.join(_HALF)}) |полу?(?=[чг]))(?P<unit>{unit})"
        rf"|(?:an?|one|une?|una?|uma?|(?P<count>{_EITHER['counts of halves']}))"
        rf" (?:(?P<of>{unit}) (?:{_EITHER['and a half']})|and a half (?:{unit}))"
    )


_TIMES = {"year"} | {word for word, measure in _MEASURES.items() if measure in _LONG}
_HALVES = re.compile(rf"(?<!\S)(?:{halves(_TIMES)})(?!\S)")


def _halved(found: re.Match[str]) -> str:
    number = _HALF.get(found["half"], "0.5") if found["unit"] else f"{found['count'] or 1} and a half"
    unit = found["unit"] or found["of"]
    return f"{number} {unit}{'s' * (unit == 'year')}" if unit else found.group()


PAUSE = "ǀǀ"
"""A word that ends a number: "three hundred. Two escaped" is no 302."""
_MAGNITUDE_WORDS = "|".join(rf"{word[0]}(?<!\w.){word[1:]}" for word in _ADDED)  # a search jumps to these
# Eighteen, twenty; 5 €, 10; twenty thirty-year-olds.
_TEENS = re.compile(rf"(t(?:een|wenty)|[€$£¥₽])(?:[,;)]| (?=\w+ty-(?!(?:{_EITHER['digits']})\b)))")
# Not at the comma of two thousand, three hundred.
_ENDS = re.compile(rf"({_MAGNITUDE_WORDS})(?=\s*(?:[.;:!?()/]|,(?!\s*[\w-]+\s(?:{_MAGNITUDE_WORDS})\b)))")


def parted(text: str) -> str:
    """The text with a minus sign and words that are written together with figures as words of their own.

    Q1 2020 is 1 quarter 2020, 2.30p.m. is 2c30 pm, 09:00 and 9 Uhr are 9c00: a time is a word as a date is.
    A code is one word in whatever groups it is written.
    """
    if _LONG_CODE.search(text):
        text = CODE.sub(lambda code: _NO_DIGIT.sub("", code[0]), text)
    if not _TO_PART.search(text):
        return text
    text = _BOUND_SIGN.sub(lambda sign: f" {_MOST if sign[1] in '<≤' else _LEAST} ", text)
    text = _COLD.sub(rf"{_MINUS} \1", text)
    text = _ABSATZ.sub(r"\1 ", _MONEY.sub(r"\1\2", text))
    text = _MILLION.sub(" million ", text)
    text = _FRACTION.sub(lambda part: f"{int(part[1] or 0) + int(part[2]) / int(part[3])}", text)
    if _IS_EAST.search(text):
        text = _EAST_NUMBER.sub(_east_number, _EAST_DATE.sub(_east_date, text))
    text = _CURRENCY.sub(lambda code: _CURRENCIES[code[1]], text)
    text = _DOTTED.sub(":", _QUARTER.sub(lambda quarter: f"{quarter[1]} quarter", text))
    text = _HALF_OF_DAY.sub(lambda half: f" {half[1]}m", text)
    text = _O_CLOCK.sub(lambda time: f"{time[1]}:{time[2] or '00'}", text) if "Uhr" in text else text
    text = _TIME.sub(lambda time: f"{time[1]}c{time[2]}", text) if ":" in text else text
    text = _US_DOLLARS.sub("", _BELOW_ZERO.sub(f"{_MINUS} ", text)).replace("°", " degrees ")
    text = _INVERSE.sub(lambda unit: f"/{unit[1]}{unit[2].strip('1')}", text)
    text = _EACH_HOURS.sub(r"every \1 hours", text) if "q" in text else text
    text = _RATES.sub(_rate, _SPELLING.sub(lambda unit: f" {_SPELLED[unit[1].lower()]}", text))
    text = _GRAM.sub(" gram ", _SHORT_UNIT.sub(lambda unit: f"{unit[1]} ", text))
    return _GLUED.sub(_part, _AREA.sub(lambda area: f" square {area[1] or area[2] or ''} ", text))


def paused(text: str) -> str:
    """A folded text with a `PAUSE` behind what a mark ends, a magnitude or a currency, and in twenty
    thirty-year-olds.
    """
    return _ENDS.sub(lambda end: f"{end[0]} {PAUSE}", _TEENS.sub(lambda teens: f"{teens[1]} {PAUSE} ", text))


def _east_date(match: re.Match[str]) -> str:
    year, month, day = (int(match[part] or 0) for part in ("year", "month", "day"))
    return f" {date(year or None, month, day or None)} " if year or day else match.group()


def _east_number(match: re.Match[str]) -> str:
    total = Decimal(0)
    for figure, units in _EAST_PART.findall(match.group()):
        total += Decimal(figure.replace(",", "")).scaleb(sum(map(_EAST_UNITS.__getitem__, units)))
    return f"{total.normalize():f} "


def _rate(match: re.Match[str]) -> str:
    periods = _PERIOD.findall(match[2].lower())
    return (match[1] or "") + "".join(f" per {_PERIODS[period]}" for period in periods)


def _times_per(match: re.Match[str]) -> str:
    figure, word, often, period, *short = match.groups()
    number = int(figure or _OFTEN[word or f"{short[0] or short[1]}id"])
    per = OFTEN[often] if often else _PER[period] if period else "day"
    return f"per {per}" if word and number == 1 else f"{number} times per {per}"


def _part(match: re.Match[str]) -> str:
    sign, figure, letters = match.groups()
    short = (_SHORT_OF_MONEY if sign else _SHORT).get(letters, letters)
    low = letters if len(letters) == 1 else letters.lower()  # 5G is no gram
    known = short != letters or low in _MEASURES or low in _MAGNITUDES
    return f"{sign}{figure} {short}" if known else match.group()


@lru_cache(maxsize=32)
def counting(lang: str | None) -> frozenset[str]:
    """What may be a number, besides words with digits, or count."""
    return _COUNTING.union(_units(lang))


_DATING = frozenset({*MONTHS, *_YEAR_WORDS, "thang"})
_THOUSANDS = re.compile(r"[1-9]\d?(?:,\d\d)+,\d{3}|[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*")
_LITERAL = re.compile(r"\d+(?:\.\d+)?")
_DOTTED_THOUSANDS = re.compile(r"[1-9]\d?\d?\.\d\d0")  # of money, in any language: 1.200 €
_LAST_ZEROS = re.compile(r"(?<=\.[1-9])0+$|(?<=\.\d[1-9])0+$")
_DOT_THOUSANDS = listed("de es it pt nl tr id da")


def number(literal: str, lang: str | None) -> str:
    """One spelling for a number as written: separators of thousands go, the decimal sign is a dot.

    With both signs the last one is decimal. 1.000 is a thousand where `lang` writes it so or is
    not known. What is no number (3.10.2, 1,2,3) stays as written, and so do decimals: 3.10 is not 3.1.
    """
    plain = literal.replace(" ", "").replace("'", "")
    dots, commas = plain.count("."), plain.count(",")
    dotted = lang in _DOT_THOUSANDS or (not lang and plain[-1] == "0")  # few write 1.000 for 1
    if dots and commas:
        decimal = "." if plain.rindex(".") > plain.rindex(",") else ","
        plain = plain.replace("," if decimal == "." else ".", "").replace(decimal, ".")
    elif _THOUSANDS.fullmatch(plain) and (commas or dots > 1 or dotted):
        plain = plain.replace(",", "").replace(".", "")
    else:
        plain = plain.replace(",", ".", 1)
    if not _LITERAL.fullmatch(plain):
        return literal
    whole, _, decimals = plain.partition(".")
    return plain if decimals.strip("0") else whole


def in_smallest(words: Sequence[str]) -> list[str]:
    """Words with each amount, and each of a range, in the smallest unit: 0.5 g as 500000 microgram.

    1 hour 30 minutes is one amount.
    """
    if _SMALLEST.keys().isdisjoint(words):
        return list(words)
    return _AMOUNT.sub(_smaller, _SUM.sub(_summed, " ".join(words))).split()


def _summed(amount: re.Match[str]) -> str:
    (large, base), (small, other) = _SMALLEST[amount[2]], _SMALLEST[amount[4]]
    if base != other or (rest := Decimal(amount[3]) * small) >= large:  # 2 hours (120 minutes)
        return amount.group()
    return f"{Decimal(amount[1]) * large + rest:f} {base}"


def _smaller(amount: re.Match[str]) -> str:
    size, unit = _SMALLEST[amount[2]]
    figures = amount[1].replace("and", "").split()
    return " ".join([*(f"{(Decimal(figure) * size).normalize():f}" for figure in figures), unit])


def measured(words: Sequence[str], *, lists: bool = False) -> list[str]:
    """Words with a figure before a measure as one word with it, in the smallest unit: 5_celsius celsius.

    In `lists` and ranges each figure: 5, 10 and 20 mg.
    """
    if UNITS.isdisjoint(words):  # most sentences
        return list(words)
    return _FIGURES.sub(partial(_with_measure, lists), " ".join(words)).split()


def _with_measure(lists: bool, run: re.Match[str]) -> str:
    figures = filter(has_digit, f"{run[1]}{run[2]}".split()) if lists else [run[2]]
    smallest = [in_smallest([figure, *run[3].split()]) for figure in figures]
    return " ".join(["" if lists else run[1], *map("_".join, smallest), *smallest[0][1:]])


def opposed(a: Sequence[str], b: Sequence[str]) -> str:
    """A figure that is the lowest among some words and the highest among others: at least 5, < 5; or ""."""
    own, there = ({*pairwise(words)} for words in (a, b))
    turned = {_LEAST: _MOST, _MOST: _LEAST}
    return min((figure for word, figure in own - there if (turned.get(word), figure) in there), default="")


def without_zeros(numbers: Iterable[str]) -> set[str]:
    """Numbers without the zeros that end them behind up to two decimals: 2.50 as 2.5."""
    return {_LAST_ZEROS.sub("", number) for number in numbers}


def date(year: int | None, month: int, day: int | None) -> str:
    """A date as one word: 1889m07d14, 1889m07, m07d14."""
    return ("" if year is None else f"{year:04}") + f"m{month:02}" + ("" if day is None else f"d{day:02}")


def full_date(literal: str, lang: str | None) -> str:
    """1889-07-14, 14.07.1889, 14-07-1889, 14/07/1889 or 07/1889 as a date; what is none stays as written.

    03/04/1999 stays too where months may stand first.
    """
    first, *middle, last = map(int, re.split("[-./]", literal))
    if not middle:
        return date(last, first, None)
    second = middle[0]
    if literal[:4].isdecimal():
        return date(first, second, last) if 1 <= second <= 12 and 1 <= last <= 31 else literal
    day_first = "." in literal or lang in _DAY_FIRST
    if 1 <= second <= 12 and 1 <= first <= 31 and (day_first or first > 12 or first == second):
        return date(last, second, first)
    return date(last, first, second) if 1 <= first <= 12 < second <= 31 else literal.replace("-", "/")


def readings(word: str) -> tuple[str, ...]:
    """The dates that 03/04/1999 can mean; nothing for any other word."""
    parts = re.fullmatch(r"(0?[1-9]|1[0-2])/(0?[1-9]|1[0-2])/(\d+)", word)
    if parts is None:
        return ()
    first, second, year = map(int, parts.groups())
    return date(year, first, second), date(year, second, first)


def canonical(words: Sequence[str], lang: str | None) -> list[str]:
    """Words with their numbers composed, dates joined and amounts named, order kept."""
    number_words = counting(lang)
    if not HALVES.isdisjoint(words):
        words = _HALVES.sub(_halved, " ".join(words)).split()
    if number_words.isdisjoint(words) and "".join(words).isalpha():
        return list(words)  # most names
    composed = _compose(words, number_words, _units(lang), adding=lang in _ADDING)
    # A language that is not known counts as English. German has the word: Platz 5 am See.
    clock = lang in (None, "en") and ("am" in composed or "pm" in composed)
    text = " ".join(composed)
    if not _REPEATED.isdisjoint(composed):
        text = _TIMES_PER.sub(_times_per, text)
        composed = text.split()
    if clock or _RANGE.search(text):
        text = _RANGE.sub(" ", text)
        composed = (_CLOCK.sub(_of_24_hours, text) if clock else text).split()
    return composed if _DATING.isdisjoint(composed) else _dates(composed)


def _of_24_hours(time: re.Match[str]) -> str:
    hour, minute, half = time.groups("00")
    return f"{int(hour) % 12 + 12 * (half == 'p')}c{minute}"


def _compose(
    words: Sequence[str], number_words: Set[str], units: dict[str, int], *, adding: bool
) -> list[str]:
    """Number words and magnitudes as digits; a currency sign moves behind its number."""
    composed: list[str] = []
    behind, sign, below = 0, "", ""
    for index, word in enumerate(words):
        if index < behind:
            continue
        month = word == "sept" and composed and composed[-1].isdecimal()  # not the French seven
        if month or not (sign or word in number_words or word[0].isdecimal()):  # most words
            if word != PAUSE:
                composed.append(word)
            continue
        counted = bool(composed) and (composed[-1][-1].isdigit() or composed[-1] in _SIZES)
        following = words[index + 1] if index + 1 < len(words) else ""
        amount = index + 1 + (following in _BEFORE)
        if word == _MINUS and amount < len(words) and _value(words, amount, units, adding=False)[1]:
            below = "-"
            continue
        if word in _BEFORE and following and not (counted and following[0].isalpha()):
            sign = _AMOUNTS[word]
            continue
        if word in _HUNDREDTH and composed and f"{composed[-1]} {word}" in _PER_HUNDRED:
            composed[-1] = "percent"
            continue
        value, used = _value(words, index, units, adding=adding)
        counted = counted and not is_ordinal(words[index - 1])  # the second day
        scale = _SCALES.get(following) if counted else None
        if scale and word in _DEGREE:
            value, used = scale, 2
        elif word in _DEGREE and counted and composed[-1][0] == "-" and not word.startswith("degree"):
            value, used = "celsius", 1
        elif not used:
            value, used = _AMOUNTS.get(word) or (_MEASURES.get(word, word) if counted else word), 1
        if value[0].isdecimal() and composed and composed[-1] in _BOUND_ENDS:
            for size in (3, 2, 1):
                if bound := _BOUNDS.get(" ".join(composed[-size:])):
                    composed[-size:] = [bound]
                    break
        composed += [below + value, sign] if sign else [below + value]
        behind = index + used
        sign = below = ""
    for index, (word, unit) in enumerate(pairwise((*composed, ""))):
        if unit in MONEY and _DOTTED_THOUSANDS.fullmatch(word):
            composed[index] = word.replace(".", "")
        elif unit in UNITS:
            composed[index] = _LAST_ZEROS.sub("", word)
    return composed


def _value(words: Sequence[str], index: int, units: dict[str, int], *, adding: bool) -> tuple[str, int]:
    """The number that starts at a word and how many words it takes; 0 words when none does.

    With `adding` words add up, up to a `PAUSE`: two hundred and fifty, one thousand two hundred thirty-four.
    """
    word, at = words[index], index + 1
    if _LITERAL.fullmatch(word):  # $5 million and two houses
        if _magnitude(words, at) == 1 and words[at : at + 1] != ["and"]:  # most figures
            return word, 1
        number, adding = Decimal(word), False
    elif word == "half" and _magnitude(words, at + (words[at : at + 1] == ["a"])) > 1:
        number, at = Decimal("0.5"), at + (words[at] == "a")
    elif word in _MAGNITUDES and word.isalpha() and len(word) > 4:
        number, at = Decimal(1), index
    else:
        number, at = _below_thousand(words, index, units)
        if at == index:
            return "", 0
        tens, end = _below_thousand(words, at, units)
        if word in _CENTURIES and 10 <= tens < 100:  # the year nineteen thirty-two
            number, at = 100 * number + tens, end
    # Words that follow are added while they are smaller than the magnitude before them.
    total = Decimal(0)
    room, largest = 100 if number >= 100 and word in units else 0, inf
    while at < len(words):
        if (size := _magnitude(words, at)) > 1:
            if size < 1000:
                number *= size
            elif number:
                total, number, largest = total + number * size, Decimal(0), size
            else:  # a thousand million
                total *= size
            room, at = size, at + 1
            if total > _LARGEST:
                break
        elif words[at : at + 3] == ["and", "a", "half"]:
            number, at = number + Decimal("0.5"), at + 3
        else:
            first = at + (words[at] == "and")
            more, end = _below_thousand(words, first, units)
            size = _magnitude(words, end)
            if not (adding and 0 < more < room) or size >= largest or (1 < size < 1000 and number):
                break
            number, room, at = number + more, 100 if more >= 100 else 0, end
    if at == index + 1 and _LITERAL.fullmatch(word):
        return word, 1
    return f"{(total + number).normalize():f}", at - index


def _magnitude(words: Sequence[str], at: int) -> int:
    """What the word at an index multiplies a number by: a thousand, a dozen; 1 for any other."""
    return _MAGNITUDES.get(words[at], 1) if at < len(words) else 1


def _below_thousand(words: Sequence[str], at: int, units: dict[str, int]) -> tuple[Decimal, int]:
    """A number of one or two words (seven, twenty-one, двести) and the index behind it; 0 for none."""
    value = units.get(words[at], 0) if at < len(words) else 0
    if value in _TENS or (value and words[at] == "dix"):  # dix-sept, vinte e três
        last = at + 2 + (words[at + 1 : at + 2] in (["e"], ["y"]))
        more = units.get(words[last - 1], 0) if last <= len(words) else 0
        if more < 10 and more > (0 if value in _TENS else 6):
            return Decimal(value + more), last
    return Decimal(value), at + (at < len(words) and words[at] in units)


def _dates(words: list[str]) -> list[str]:
    """Day, month and year beside each other as one date; the word for year goes."""
    dated: list[str] = []
    behind = 0
    for index, word in enumerate(words):
        if index < behind:
            continue
        if not (word[0].isdecimal() or word in MONTHS or word in _FIRST_DAY or word == "thang"):  # most words
            dated.append(word)
            continue
        word, used = _date_at(words, index)
        if word[0].isdecimal() and "d" in word and dated and dated[-1] in _WEEKDAYS:  # the year says which
            del dated[-1]
        dated.append(word)
        behind = index + used
        year = _is_year(word) or re.fullmatch(r"\d{4}m\d\d(?:d\d\d)?", word)
        behind += bool(year) and not _YEAR_WORDS.isdisjoint(words[behind : behind + 1])
    return dated


def _date_at(words: list[str], index: int) -> tuple[str, int]:
    """The word at an index, or the date that starts there, and how many words it takes."""
    at = [place for place in range(index, min(index + 6, len(words))) if words[place] not in _OF]
    first, second, third = [*map(words.__getitem__, at[:3]), "", ""][:3]
    if "thang" in (first, second):
        marked = _VIETNAMESE.match(" ".join(words[index : index + 5]))
        if marked and (marked["day"] or marked["year"]):
            year, day = (int(marked[part]) if marked[part] else None for part in ("year", "day"))
            return date(year, int(marked["month"]), day), marked.group().count(" ") + 1
    if first in MONTHS and _is_year(second):
        return date(int(second), MONTHS[first], None), at[1] + 1 - index
    name, number = (second, first) if second in MONTHS else (first, second)
    # The English premier may resign.
    number = "1" if first in _FIRST_DAY and name not in ("may", "march") else number
    if name not in MONTHS or not (number.isdecimal() and len(number) < 3 and 0 < int(number) < 32):
        return first, 1
    year = int(third) if _is_year(third) else None
    return date(year, MONTHS[name], int(number)), at[1 + (year is not None)] + 1 - index


def _is_year(word: str) -> bool:
    return word.isdecimal() and 3 <= len(word) <= 4
