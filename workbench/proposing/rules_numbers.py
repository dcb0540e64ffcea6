"""Amounts, percentages, quantities with their units, and plain numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.proposing.spans import Claims, Found

# 1,234,567.8 · 1 234 567 · 1.234,5 · 1'000 · 3½; a space parts groups of three only.
_FIGURE = r"\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*[½¼¾]?"
_GAP = r"[ \u00a0\u202f]{0,3}"
_MAGNITUDE = (
    r"(?:hundred|thousand|million|billion|trillion|mn|bn|mln|mio\.|Mrd\.|Mio\.|Millionen|Million|Milliarden?|Tausend"
    r"|тыс\.|тысяч[аи]?|млн\.?|млрд\.?|трлн\.?|миллион(?:а|ов)?|миллиард(?:а|ов)?|триллион(?:а|ов)?"
    r"|millions?|milliards?|mille|mil|millones|milhões|milioni|miliardi|tỷ|triệu)"
)
_CURRENCY = (
    r"(?:(?:U\.?S\.? |Australian |Canadian )?dollars?|euros?|pounds?|cents?|yen|yuan|won|rupees?|francs?|rubles?|roubles?|pesos?|crowns?"
    r"|kronor|kroner|USD|EUR|GBP|RUB|CHF|JPY|CNY|Euro|Franken|Dollar|Mark|Kronen"
    r"|доллар(?:а|ов|ы)?(?: США)?|евро|рубл(?:ь|я|ей|и)|руб\.?|фунт(?:а|ов)?|иен(?:а|ы)?|юан(?:ь|я|ей)|гриве?н(?:ь|я|и)|крон(?:а|ы)?"
    r"|dólares|euros|libras|reais|[€$£₽₴₹¥])"
)
_UNIT = (
    r"(?:km/h|km²|km2|km|sq(?:uare)?\.? (?:km|mi|miles?|feet|ft|met(?:er|re)s?|kilomet(?:er|re)s?)|m²|m³|m/s|mm|cm|nm|m|miles?|mi|mph"
    r"|feet|foot|ft|inch(?:es)?|yards?|yd|acres?|hectares?|ha|kg|mg|g|lbs?|tons?|tonnes?|oz|lit(?:er|re)s?|gallons?|L|ml"
    r"|met(?:er|re)s?|kilomet(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?|kilograms?|grams?|square"
    r"|kWh|MWh|GWh|kW|MW|GW|kHz|MHz|GHz|Hz|FM|AM|MB|GB|TB|kB|bits?|bytes?|volts?|V|watts?|W|degrees?(?: Celsius| Fahrenheit)?|°[CF]?|knots?"
    r"|км/ч|кв\. км|кв\. м|км|см|мм|кг|га|метр(?:а|ов)?|километр(?:а|ов)?|миль|тонн[аы]?|литр(?:а|ов)?|градус(?:а|ов)?|баррел(?:я|ей)|м|г"
    r"|Metern?|Kilometern?|Tonnen|Hektar|Grad|Liter|mètres?|kilomètres?|hectares|metros|kilómetros|quilômetros|metri|chilometri"
    r"|公里|千米|米|公斤|吨|平方公里|キロ|メートル|미터|킬로미터)"
)
_END = r"(?![^\W\d_])"
_BEFORE = r"(?<![\w.,/])(?<!\d:)"


@lru_cache(maxsize=1)
def _layers() -> tuple[re.Pattern[str], ...]:
    figure = rf"(?:{_FIGURE})"
    magnitude = rf"(?:{_GAP}{_MAGNITUDE}{_END})?"
    span = rf"(?:{_GAP}[-–—]{_GAP}{figure})?"
    return (
        re.compile(
            rf"(?<!\w)(?:US|AU?|CA?|HK|NZ|S|R)?{_GAP}[$€£¥₽₹₩₴₺₫]{_GAP}{figure}{span}{magnitude}"
            rf"|{_BEFORE}{figure}{span}{magnitude}{_GAP}{_CURRENCY}{_END}"
            rf"|{_BEFORE}{figure}[万萬亿億兆만억조千百]{{0,3}}(?:元|円|圆|美元|欧元|ドル|ユーロ|원|달러)"
        ),
        re.compile(
            rf"{_BEFORE}[-+−]?{figure}{span}{_GAP}(?:%|‰|percent{_END}|per cent{_END}|percentage points|процент\w{{0,3}}|Prozent{_END}"
            rf"|pour cent|por ciento|por cento|per cento)|百分之[\d一二三四五六七八九十]+"
        ),
        re.compile(rf"{_BEFORE}{figure}{span}{magnitude}(?:{_GAP}|-){_UNIT}{_END}(?!\d)"),
        re.compile(rf"{_BEFORE}{figure}{span}{_GAP}{_MAGNITUDE}{_END}|{_BEFORE}{figure}[万萬亿億兆만억조]+"),
        re.compile(rf"{_BEFORE}(?<!\[){figure}(?![\w/]|[.,:]\d|-[^\W\d_])(?!(?<=\n\d)[.)]|(?<=\n\d\d)[.)])"),
    )


_WORDS = {
    "en": (
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
    ),
}


@lru_cache(maxsize=16)
def _spelled(lang: str) -> re.Pattern[str] | None:
    if lang not in _WORDS:
        return None
    listed = "|".join(sorted(_WORDS[lang].split(), key=len, reverse=True))
    unit = rf"(?: (?:{_MAGNITUDE}))?(?: (?:miles|feet|acres|percent|per cent|dollars|kilometers|kilometres|metres|meters)(?!\w))?"
    return re.compile(
        rf"(?<![\w-])(?:{listed})(?:-(?:one|two|three|four|five|six|seven|eight|nine))?{unit}(?![\w-])",
    )


def numbers(text: str, lang: str) -> list[Found]:
    """Every number with what belongs to it; citation marks ([3]) and list markers are none."""
    claims = Claims()
    for pattern in (*_layers(), _spelled(lang)):
        if pattern is not None:
            claims.add(Found(found.start(), found.end(), "number") for found in pattern.finditer(text))
    return claims.items()
