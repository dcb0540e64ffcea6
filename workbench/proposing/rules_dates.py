"""Dates, years, centuries, durations and times of day, in some twenty languages."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.proposing.spans import Claims, Found

# Full names and the usual short forms; case forms are listed, endings are not guessed.
_MONTHS = """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    januar jänner februar märz mai juni juli oktober dezember
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
    janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
    januari februari maart mei augustus maj
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
    ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
    ianuarie februarie martie aprilie iunie iulie septembrie octombrie noiembrie decembrie
    ledna února března dubna května června července srpna září října listopadu prosince
    maret agustus desember
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
    январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре
    січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
    ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου
    δεκεμβρίου
    يناير فبراير مارس أبريل إبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
    جنوری فروری مارچ اپریل جون جولائی اگست ستمبر اکتوبر نومبر دسمبر
    ינואר פברואר מרץ מרס אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
    בינואר בפברואר במרץ במרס באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר
    जनवरी फ़रवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर सितम्बर अक्टूबर अक्तूबर नवंबर नवम्बर दिसंबर दिसम्बर
    มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
"""
# Month names that are no other word and no first name stand alone in their language.
_ALONE = {
    "en": "january february april june july august september october november december",
    "de": "januar februar april juni juli oktober november dezember september",
    "ru": "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре",
}
_WEEKDAYS = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "ru": "понедельник вторник среду четверг пятницу субботу воскресенье",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
}
# A four-digit number before one of these counts something.
_COUNTED = (
    r"people|persons|men|women|children|inhabitants|residents|students|employees|soldiers|troops|deaths|votes"
    r"|points|copies|items|pages|words|seats|acres?|ha|hectares?|k?m²?|cm|mm|kg|g|t|miles?|mi|feet|ft|metres?|meters?"
    r"|kilomet(?:er|re)s?|tons?|tonnes?|dollars|euros?|pounds|rubles|MW|kW|MHz|GHz|Hz|percent|%|MB|GB|mph|h"
    r"|км|м|кг|тонн\w*|руб\w*|доллар\w*|евро|человек\w*|жител\w*|штук|шт|мест|метров|раз"
    r"|Einwohner\w*|Menschen|Personen|Meter|Kilometer|Euro|habitants|habitantes|personnes|personas"
)
_DASH = "[-–—]"
_ERA = r"(?:\s?(?:BCE?|B\.C\.(?:E\.)?|CE|AD|A\.D\.|BP|v\. ?Chr\.|n\. ?Chr\.|до н\. ?э\.|н\. ?э\.))"


def _any(listed: str) -> str:
    return "|".join(sorted(set(listed.split()), key=lambda word: (-len(word), word)))


@lru_cache(maxsize=1)
def _calendar() -> re.Pattern[str]:
    """Dates that name a month, ISO and dotted dates."""
    month = rf"(?:{_any(_MONTHS)})(?![^\W_])\.?"
    day = r"(?:0?[1-9]|[12]\d|3[01])"
    suffix = r"(?:st|nd|rd|th|er|º|°|ª|-го|-е|\.)?"
    of = r"(?: ?(?:of|de|del|ngày) ?| )"
    year = r"[1-9]\d{2,3}(?!\d)"
    tail = r"(?:,? ?(?:(?:de|del|of|năm|พ\.ศ\.|ค\.ศ\.) ?)?" + year + r"(?:" + _ERA + r")?)?"
    return re.compile(
        rf"(?<![\w.,])(?:{day}{suffix} ?{_DASH} ?)?{day}{suffix}{of}{month}{tail}(?!\d)"  # 11–12 July 1995
        rf"|(?<!\w){month} {day}(?:st|nd|rd|th)?(?: ?{_DASH} ?{day})?(?:,? {year})?(?![\d.]\d|\d|:)"  # July 4, 1776
        rf"|(?<!\w){month},?(?: de| del| of)? {year}"  # July 1776
        rf"|(?<!\w)(?:ngày {day} )?tháng {day}(?!\d)(?: năm {year})?"
        r"|(?<![\d./-])\d{4}-\d{2}-\d{2}(?![\d-])"
        r"|(?<![\d./-])\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d{2})(?![\d./]\d|\d)",
        re.IGNORECASE,
    )


_ORDINAL = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh"
    r"|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth"
    r"|twenty-first)"
)
_NUMERAL = (
    r"(?:\d+(?:[.,]\d+)?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty"
    r"|sixty|seventy|eighty|ninety|hundred"
    r"|два|две|три|четыре|пять|шесть|семь|восемь|девять|десять|двух|трёх|трех|четырёх|пяти|шести|семи"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|six|sept|huit|neuf|dix"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)"
)
_PERIOD = (
    r"(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|decades?|centuries"
    r"|года?|лет|месяц(?:а|ев)?|недел[ьяи]|дн(?:я|ей)|час(?:а|ов)?|минуты?|секунды?|суток"
    r"|Jahren?|Monaten?|Wochen?|Tagen?|Stunden?|Minuten?"
    r"|ans|années|mois|semaines?|jours?|heures?|años|meses|días?|horas?|minutos?)"
)
_SPAN = re.compile(
    # centuries and decades
    rf"(?<!\w){_ORDINAL}[- ](?:century|millennium)(?![^\W_])(?: {_ERA.strip()})?"
    r"|(?<!\w)(?:\d{1,2}|[IVX]{1,6})(?:-?(?:й|го|м|е))?(?:[-–](?:\d{1,2}|[IVX]{1,6})(?:-?(?:й|го|м|е))?)? "
    r"(?:век(?:а|е|ов|ах|у)?|вв?\.|століття)(?!\w)(?: до н\. ?э\.| н\. ?э\.)?"
    r"|(?<!\w)\d{1,2}\. (?:Jahrhunderts?|Jh\.)"
    r"|(?<!\w)(?:siècle|siglo|século|secolo) [IVX]{1,6}(?!\w)|(?<!\w)[IVX]{1,6}e siècle"
    r"|(?<![\w.,])'?(?:\d{2,4})(?:['’]?s(?!\w)|-(?:х|е|ые|ых|м)(?!\w)(?: годов| годах| годы| гг\.)?|er(?!\w)(?: Jahren?(?!\w))?)"
    # durations, but not ages
    rf"|(?<![\w.,-]){_NUMERAL}(?:[ \u00a0]|-(?=(?:year|month|week|day|hour|minute|decade)(?!s)))"
    rf"{_PERIOD}(?!\w|-old|[- ]olds?(?!\w)|['’])(?! (?:ago|old|of age|назад|alt)(?!\w))",
)
_YEAR = re.compile(
    rf"(?<![\w.,$€£¥№#/:+-])(?:AD |A\.D\. |c\. ?)?(?:1\d{{3}}|20\d{{2}})(?![\w/:]|[.,]\d|-\w)"
    rf"(?! ?(?:{_COUNTED})(?!\w)| ?[%$€£°])"
    rf"(?:{_ERA}|(?: год(?:а|у|ом|е|ах|ов|ы)?| гг?\.| року| році)(?!\w))?"
    rf"|(?<![\w.,-])\d{{1,5}}(?:{_ERA})(?!\w)|(?<!\w)(?:AD|A\.D\.) \d{{1,4}}(?!\w)"
    # both ends of a range: 1939–1945, 1939-45
    rf"|(?<![\w.,$€£¥№#/:+-])(?:1\d{{3}}|20\d{{2}})(?={_DASH}(?:\d{{4}}|\d{{2}}|\d)(?!\w))"
    rf"|(?<=(?<!\d)\d{{4}}{_DASH})(?:1\d{{3}}|20\d{{2}})(?!\w|[.,]\d|-\d)"
)
_CLOCK = re.compile(
    r"(?<![\w:.,/])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:[ \u00a0]?(?:[ap]\.?m\.?(?!\w)|[AP]M(?!\w)|Uhr|мск|МСК|GMT|UTC))?(?![\d:])"
    r"|(?<![\w:.,])(?:1[0-2]|0?[1-9])(?:\.[0-5]\d)?[ \u00a0]?(?:[ap]\.m\.|[ap]m(?!\w)|AM(?!\w)|PM(?!\w))"
    r"|(?<![\w:.,])(?:[01]?\d|2[0-3])(?:[.:][0-5]\d)?[ \u00a0](?:Uhr|мск|МСК)(?!\w)"
    r"|(?<![\w:.,])(?:[01]?\d|2[0-3]) час(?:а|ов)? [0-5]?\d минуты?"
)
_EAST = re.compile(
    r"(?:(?:公元前?|西元|紀元前|昭和|平成|令和|大正|明治|기원전|서기) ?)?"
    r"(?:\d{1,4}|[〇零一二三四五六七八九十]{2,4}) ?[年년](?: ?\d{1,2} ?[月월](?: ?\d{1,2} ?[日号號일])?)?(?!间|間|级|級|代(?:码|表)|前|후|間|代)"
    r"|\d{1,2} ?[月월] ?\d{1,2} ?[日号號일]|\d{2,4}年代|\d{4}년대|\d{1,2} ?(?:世纪|世紀|세기)"
    r"|[一二三四五六七八九十]{1,3}世[纪紀]"
    r"|(?:พ\.ศ\.|ค\.ศ\.|ปี(?: พ\.ศ\.| ค\.ศ\.)?) ?\d{4}|คริสต์ศตวรรษที่ \d{1,2}"
    r"|(?:عام|سنة|سال) \d{3,4}|القرن (?:ال)?\w{2,12} عشر|(?:शताब्दी|सन्?) \d{3,4}|\d{1,2}वीं (?:शताब्दी|सदी)|שנת \d{4}|המאה ה-\d{1,2}"
)


@lru_cache(maxsize=32)
def _single(lang: str) -> re.Pattern[str] | None:
    """Weekdays and months that stand alone, none of them part of a longer name."""
    listed = f"{_WEEKDAYS.get(lang, '')} {_ALONE.get(lang, '')}".strip()
    if not listed:
        return None
    if lang in {"en", "de"}:
        titled = "|".join(word.capitalize() for word in _any(listed).split("|"))
        return re.compile(
            rf"(?<![^\W_] )(?<!\w)(?:{titled})(?!\w|-\w| [A-ZÄÖÜ])|(?<=[a-z,] )(?:{titled})(?!\w|-\w| [A-ZÄÖÜ])"
        )
    return re.compile(rf"(?<!\w)(?:{_any(listed)})(?!\w|-\w)")


def dates(text: str, lang: str) -> list[Found]:
    """Every date, year, century, decade, duration and time of day, the most telling reading first.

    A range of full dates or years gives both ends; ages ("35-year-old") are no dates.
    """
    claims = Claims()
    for pattern in (_EAST, _calendar(), _SPAN, _CLOCK, _YEAR, _single(lang)):
        if pattern is not None:
            claims.add(Found(found.start(), found.end(), "date") for found in pattern.finditer(text))
    return claims.items()
