"""Amounts, percentages, quantities with their units, and plain numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.proposing.rules.spans import Claims, Found

# 1,234,567.8 · 1 234 567 · 1.234,5 · 1'000 · 3½; a space parts groups of three only. At most seven groups:
# without a bound a table of numbers is one figure, and leaving it step by step is quadratic (17 s for 20 KB).
_FIGURE = r"(?:\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3}){1,6}(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*[½¼¾]?)"
_GAP = r"[ \u00a0\u202f]{0,3}"
# A letter or digit of a script that parts words by spaces: 人口1400万 is a number, X1400 is none.
_JOINED = "[^\\W\u0e01-\u0e4e\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_BEFORE = rf"(?<!{_JOINED})(?<![.,/])(?<!\d:)"
_END = rf"(?!{_JOINED})"
_MAGNITUDE = (
    r"(?:hundred|thousand|million|billion|trillion|mn|bn|mln|mio\.|Mrd\.|Mio\.|Millionen|Milliarden?|Tausend"
    r"|тыс\.|тысяч[аи]?|млн\.?|млрд\.?|трлн\.?|миллион(?:а|ов)?|миллиард(?:а|ов)?|триллион(?:а|ов)?"
    r"|millions?|milliards?|mille|mil|millones|milhões|milioni|miliardi|tỷ|triệu)"
)
_CURRENCY = (
    r"(?:(?:U\.?S\.? |Australian |Canadian )?dollars?|euros?|pounds?|cents?|yen|yuan|won|rupees?|francs?"
    r"|rubles?|roubles?|pesos?|crowns?|kronor|kroner|USD|EUR|GBP|RUB|CHF|JPY|CNY|Euro|Franken|Dollar|Mark"
    r"|Kronen|доллар(?:а|ов|ы)?(?: США)?|евро|рубл(?:ь|я|ей|и)|руб\.?|фунт(?:а|ов)?|иен(?:а|ы)?|юан(?:ь|я|ей)"
    r"|гриве?н(?:ь|я|и)|крон(?:а|ы)?|dólares|euros|libras|reais|[€$£₽₴₹¥])"
)
_UNIT = (
    r"(?:km/h|km²|km2|km|sq(?:uare)?\.? (?:km|mi|miles?|feet|ft|met(?:er|re)s?|kilomet(?:er|re)s?)|m²|m³|m/s"
    r"|mm|cm|nm|m|miles?|mi|mph|feet|foot|ft|inch(?:es)?|yards?|yd|acres?|hectares?|ha|kg|mg|g|lbs?|tons?"
    r"|tonnes?|oz|lit(?:er|re)s?|gallons?|L|ml|met(?:er|re)s?|kilomet(?:er|re)s?|centimet(?:er|re)s?"
    r"|millimet(?:er|re)s?|kilograms?|grams?|kWh|MWh|GWh|kW|MW|GW|kHz|MHz|GHz|Hz|FM|AM|MB|GB|TB|kB|bits?"
    r"|bytes?|volts?|V|watts?|W|degrees?(?: Celsius| Fahrenheit)?|°[CF]?|knots?"
    r"|км/ч|кв\. км|кв\. м|км|см|мм|кг|га|метр(?:а|ов)?|километр(?:а|ов)?|миль|тонн[аы]?|литр(?:а|ов)?"
    r"|градус(?:а|ов)?|баррел(?:я|ей)|м|г|Metern?|Kilometern?|Tonnen|Hektar|Grad|Liter|mètres?|kilomètres?"
    r"|metros|kilómetros|quilômetros|metri|chilometri"
    r"|公里|千米|米|公斤|吨|平方公里|キロ|メートル|미터|킬로미터)"
)
_PERCENT = (
    rf"(?:%|‰|percent{_END}|per cent{_END}|percentage points|процент\w{{0,3}}|Prozent{_END}|pour cent"
    r"|por ciento|por cento|per cento)"
)
_EAST_MAGNITUDE = "[万萬亿億兆만억조千百]"
_SMALL = "one|two|three|four|five|six|seven|eight|nine"
_WORDS = (
    "thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|eleven|twelve|twenty|thirty|forty|fifty"
    "|sixty|seventy|eighty|ninety|two|three|four|five|six|seven|eight|nine|ten"
)


@lru_cache(maxsize=1)
def _layers() -> tuple[re.Pattern[str], ...]:
    """Money, percentages, quantities, magnitudes and plain numbers: what says more comes first."""
    magnitude = rf"(?:{_GAP}{_MAGNITUDE}{_END})?"
    figure = rf"{_FIGURE}(?:{_GAP}[-–—]{_GAP}{_FIGURE})?"
    money = (
        rf"(?<!\w)(?:(?:US|AU?|CA?|HK|NZ|S|R){_GAP})?[$€£¥₽₹₩₴₺₫]{_GAP}{figure}{magnitude}"
        rf"|{_BEFORE}{figure}{magnitude}{_GAP}{_CURRENCY}{_END}"
        rf"|{_BEFORE}{_FIGURE}{_EAST_MAGNITUDE}{{0,3}}(?:元|円|圆|美元|欧元|ドル|ユーロ|원|달러)"
    )
    return (
        re.compile(money),
        re.compile(rf"{_BEFORE}[-+−]?{figure}{_GAP}{_PERCENT}|百分之[\d一二三四五六七八九十]+"),
        re.compile(rf"{_BEFORE}{figure}{magnitude}(?:{_GAP}|-){_UNIT}{_END}(?!\d)"),
        re.compile(rf"{_BEFORE}{figure}{_GAP}{_MAGNITUDE}{_END}|{_BEFORE}{_FIGURE}[万萬亿億兆만억조]+"),
        # neither a citation mark [3], nor a list marker 3. at a line start, nor part of a code
        re.compile(
            rf"{_BEFORE}(?<!\[){_FIGURE}(?!{_JOINED}|/|[.,:]\d|-[^\W\d_])(?!(?<=\n\d)[.)]|(?<=\n\d\d)[.)])"
        ),
    )


@lru_cache(maxsize=1)
def _spelled() -> re.Pattern[str]:
    """English number words above one with magnitude and unit: twenty-five, three million, five miles."""
    unit = r"(?: (?:miles|feet|acres|percent|per cent|dollars|kilomet(?:er|re)s|met(?:er|re)s)(?!\w))?"
    return re.compile(rf"(?<![\w-])(?:{_WORDS})(?:-(?:{_SMALL}))?(?: {_MAGNITUDE})?{unit}(?![\w-])")


def amounts(text: str) -> list[Found]:
    """Numbers with a currency, a per cent sign, a unit or a magnitude."""
    return _found(text, *_layers()[:-1])


def numbers(text: str, lang: str) -> list[Found]:
    """Plain numbers, in English also in words; citation marks ([3]) and list markers are none."""
    return _found(text, _layers()[-1], *((_spelled(),) if lang == "en" else ()))


def _found(text: str, *patterns: re.Pattern[str]) -> list[Found]:
    claims = Claims()
    for pattern in patterns:
        claims.add(Found(found.start(), found.end(), "number") for found in pattern.finditer(text))
    return claims.items()
