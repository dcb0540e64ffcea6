"""Months, weekdays, numerals and periods of some twenty languages, as the date rules read them."""

from __future__ import annotations

# Full names and the usual short forms; case forms are listed, endings are not guessed.
MONTHS = """
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
ORDINALS = """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first
"""
NUMERALS = """
    two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy
    eighty ninety hundred
    два две три четыре пять шесть семь восемь девять десять двух трёх трех четырёх пяти шести семи
    zwei drei vier fünf sechs sieben acht neun zehn deux trois quatre cinq six sept huit neuf dix
    dos tres cuatro cinco seis siete ocho nueve diez
"""
PERIODS = """
    year years month months week weeks day days hour hours minute minutes second seconds decade decades
    centuries
    года год лет месяца месяцев месяц недели неделя недель дня дней часа часов час минуты минут секунды секунд
    суток
    Jahr Jahre Jahren Monat Monate Monaten Woche Wochen Tag Tage Tagen Stunde Stunden Minute Minuten
    ans année années mois semaine semaines jour jours heure heures años meses día días hora horas minutos
"""


def any_of(listed: str) -> str:
    """The words as alternatives of a regular expression, longer ones first."""
    return "|".join(sorted(set(listed.split()), key=lambda word: (-len(word), word)))
