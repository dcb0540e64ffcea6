"""Months, weekdays, numerals and periods of some twenty languages, as the date rules read them."""

from __future__ import annotations

from workbench.text.lists import sections

_WORDS = sections(__file__)

# Full names and the usual short forms; case forms are listed, endings are not guessed.
MONTHS = _WORDS["months"]
# Month names that are no other word and no first name stand alone in their language.
ALONE = {
    "en": "january february april june july august september october november december",
    "de": "januar februar april juni juli oktober november dezember september",
    "ru": "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре",
}
WEEKDAYS = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "ru": "понедельник вторник среду четверг пятницу субботу воскресенье",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
}
# A four-digit number before one of these counts something; the parts of a regular expression.
COUNTED = (
    r"people|persons|men|women|children|inhabitants|residents|students|employees|soldiers|troops|deaths"
    r"|votes|points|copies|items|pages|words|seats|acres?|ha|hectares?|k?m²?|cm|mm|kg|g|t|miles?|mi|feet|ft"
    r"|met(?:er|re)s?|kilomet(?:er|re)s?|tons?|tonnes?|dollars|euros?|pounds|rubles|MW|kW|MHz|GHz|Hz"
    r"|percent|MB|GB|mph|h|км|м|кг|тонн\w*|руб\w*|доллар\w*|евро|человек\w*|жител\w*|штук|шт|мест|метров"
    r"|раз|Einwohner\w*|Menschen|Personen|Meter|Kilometer|Euro|habitants|habitantes|personnes|personas"
)
ORDINALS = _WORDS["ordinals"]
NUMERALS = _WORDS["numerals"]
PERIODS = _WORDS["periods"]


def any_of(listed: str) -> str:
    """The words as alternatives of a regular expression, longer ones first."""
    return "|".join(sorted(set(listed.split()), key=lambda word: (-len(word), word)))
