"""Names looked up in the text of the contexts."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from workbench.matching.names import Name
from workbench.matching.presence import FILLERS, WordPlace, Words, folded, presence, traits
from workbench.model import Evidence, Match
from workbench.text.tokens import snap, word_pattern


def look(text: str, label: str, *contexts: str, lang: str = "en") -> Match:
    return presence([Name(text, label)], contexts, lang=lang)[0]


@pytest.mark.parametrize(
    ("text", "label", "marked", "lang", "rule"),
    [
        ("Paris", "place", "He lived in [Paris], near Parisian cafés.", "en", "equal"),
        ("the Eiffel Tower", "place", "the [Eiffel tower]", "en", "normalised"),
        ("Париж", "place", "Он жил в [Париже].", "ru", "inflected"),
        ("Лев Толстой", "person", "романы [Льва Николаевича Толстого]", "ru", "inflected"),
        ("Gustave Eiffel", "person", "built by [Eiffel] in 1889", "en", "short_form"),
        ("Толстой Лев Николаевич", "person", "читал [Толстого]", "ru", "short_form"),
        ("Ivan the Terrible", "person", "when [Ivan] died", "en", "short_form"),
        ("University of Oxford", "organisation", "the [University of Oxford] won", "en", "equal"),
        ("14 July 1889", "date", "opened on [July 14, 1889].", "en", "normalised"),
        ("14 July 1889", "date", "on [1889-07-14]", "en", "normalised"),
        ("February 23", "date", "on [23 February] 2001", "en", "normalised"),
        ("14 июля 1889", "date", "opened on [14 July 1889]", "ru", "normalised"),
        ("1,000", "number", "some [1000] people", "en", "normalised"),
        ("World Health Organization", "organisation", "the [WHO] said", "en", "acronym"),
        ("United States", "place", "born in the [U.S.] in", "en", "country"),
        ("Atari, Inc.", "organisation", "made by [Atari]", "en", "short_form"),
        ("концерн «Майкрософт»", "organisation", "акции [Майкрософта]", "ru", "short_form"),
        ("東京", "place", "彼は[東京]に住む", "ja", "inflected"),
        ("서울", "place", "그는 [서울에서] 산다", "ko", "inflected"),
        ("يوسف", "person", "لاعب ـــ لعب [يوسف] هنا", "ar", "equal"),
        # figures in another spelling
        ("10 percent", "number", "fell by [10%] in May", "en", "normalised"),
        ("ten percent", "number", "fell by [10 %], they say", "en", "normalised"),
        ("15 million dollars", "number", "paid [$15 million] for it", "en", "normalised"),
        ("$1.2 million", "number", "it cost [$1.2M].", "en", "normalised"),
        ("2,000,000", "number", "some [two million] people", "en", "normalised"),
        ("5 km", "number", "a run of [five kilometres]", "en", "normalised"),
        ("20 kg", "number", "a bag of [20kg] rice", "en", "normalised"),
        ("-5 °C", "number", "at [−5 degrees Celsius]", "en", "normalised"),
        ("20 percent", "number", "it rose by [20 per cent].", "en", "normalised"),
        ("255", "number", "[two hundred and fifty-five] men", "en", "normalised"),
        ("500,000", "number", "[half a million] people", "en", "normalised"),
        ("100", "number", "between [one hundred] and five hundred", "en", "normalised"),
        ("14:30", "date", "it began at [2:30 p.m]. on", "en", "normalised"),
        ("2:30", "date", "at [2:30] pm", "en", "equal"),
        ("first quarter of 2020", "date", "in [Q1 2020] it", "en", "normalised"),
        ("70 CE", "date", "in [AD 70] he", "en", "normalised"),
        ("World War II", "event", "after [World War 2] he", "en", "normalised"),
        ("Second World War", "event", "after [WWII] he", "en", "normalised"),
        ("19th century", "date", "in the [nineteenth century]", "en", "normalised"),
        ("Super Bowl 48", "event", "won [Super Bowl XLVIII] in", "en", "normalised"),
        # British and American spelling, and irregular plurals
        ("colour", "other", "the [colors] of it", "en", "inflected"),
        ("anemia", "other", "with [anaemia] and", "en", "inflected"),
        ("World Health Organization", "organisation", "the [World Health Organisation]", "en", "inflected"),
        ("bacteria", "other", "each [bacterium] has", "en", "inflected"),
        # initials, other orders and other names
        ("Franklin D. Roosevelt", "person", "[Franklin Delano Roosevelt] was", "en", "initials"),
        ("Franklin Delano Roosevelt", "person", "[F. D. Roosevelt] was", "en", "initials"),
        ("Barack Obama", "person", "[Barack Hussein Obama] II was", "en", "inflected"),
        ("Department of Defense", "organisation", "the [Defence Department]", "en", "normalised"),
        ("U.S. Congress", "organisation", "the [United States Congress]", "en", "normalised"),
        ("Cologne", "place", "in [Köln] he", "en", "country"),
        ("United Nations", "organisation", "the [UN] said", "en", "country"),
        # words written short
        ("St. Petersburg", "place", "from [Saint Petersburg] on", "en", "normalised"),
        ("Mount Everest", "place", "up [Mt. Everest]", "en", "normalised"),
        ("C++", "other", "written in [C++].", "en", "equal"),
        ("5k", "number", "some [5 thousand] people", "en", "normalised"),
        ("GPT4", "other", "asked [GPT-4] for it", "en", "normalised"),
        ("e-mail", "other", "sent an [email]", "en", "normalised"),
        ("NASA", "organisation", "the [National Aeronautics and Space Administration] said", "en", "acronym"),
        # figures of other scripts
        ("10٪", "number", "نما [١٠٪] في عام", "ar", "normalised"),
        ("1250", "number", "كانوا [١٬٢٥٠] شخصا", "ar", "normalised"),
        ("10%", "number", "增长[10％]左右", "zh", "equal"),
        ("10 %", "number", "it grew [10%] left", "en", "normalised"),
        ("$5", "number", "for [$5] each", "en", "equal"),
        ("1.5万", "number", "人口[15,000]人", "zh", "normalised"),
        ("25000人", "number", "[2万5000人]が参加", "ja", "normalised"),
        ("1949-10-01", "date", "于[1949年10月1日]成立", "zh", "normalised"),
        ("1945년 8월 15일", "date", "[1945년 8월 15일]에 해방", "ko", "normalised"),
        ("123", "number", "모두 [123]명이다", "ko", "equal"),
        ("35,000", "number", "모두 [3만 5 천] 명", "ko", "normalised"),
        ("2019", "date", "in [2019]/20 he", "en", "equal"),
        ("Psalm 5", "work", "in [Psalm 5]:3", "en", "equal"),
        ("5 ล้าน", "number", "ประชากร [5,000,000] คน", "th", "normalised"),
        ("5 milioni", "number", "circa [5.000.000] di persone", "it", "normalised"),
        ("5 Mio.", "number", "er zahlte [5 Mio].", "de", "normalised"),
        ("5 Mio Euro", "number", "für [5 Mio. Euro]", "de", "normalised"),
        ("5 mio.", "number", "for [5 mio.]", "da", "normalised"),
        ("5 million", "number", "etwa [5 mio.] kroner", "da", "normalised"),
        ("12,34,567", "number", "some [1,234,567] people", "en", "normalised"),
        ("1975", "date", "Nel [1975] mio padre partì", "it", "equal"),
        ("1973", "date", "सन [1973] अरब देश", "hi", "equal"),
        ("1500", "number", "[1\u202f500] personnes", "fr", "normalised"),
        ("Paris", "place", "in [Pa\u00adris] he", "en", "normalised"),
    ],
)
def test_a_name_is_found_in_the_form_the_text_has(
    text: str, label: str, marked: str, lang: str, rule: str
) -> None:
    """Inflection, short forms, dates in any order, acronyms and names of countries count."""
    found = look(text, label, marked.replace("[", "").replace("]", ""), lang=lang)

    place = Evidence(0, marked.index("["), marked.index("]") - 1)
    assert (found.verdict, found.rule, found.evidence) == ("found", rule, (place,))


@pytest.mark.parametrize(
    ("text", "label", "context", "lang"),
    [
        ("art", "other", "Bartholomew started", "en"),
        ("US", "place", "they told us that", "en"),
        ("1889", "date", "in 1888 and 18890", "en"),
        ("5", "number", "3.5 percent of 5,000", "en"),
        ("14 July 1889", "date", "17 July 1889", "en"),
        ("Нигер", "place", "в Нигерии", "ru"),
        ("New York", "place", "a new flat. York is old", "en"),
        ("Philip V of Spain", "person", "in Spain", "en"),
        ("World Health Organization", "organisation", "who said", "en"),
        ("Nobel Institute", "organisation", "Nobel left his Institute", "en"),
        ("10", "number", "fell by 10% in May", "en"),
        ("10%", "number", "the 10 people", "en"),
        ("10", "number", "some 10 million people", "en"),
        ("$5 million", "number", "5 million people", "en"),
        ("20", "number", "it rose by 20 per cent", "en"),
        ("50", "number", "two hundred and fifty men", "en"),
        ("200", "number", "two hundred and fifty men", "en"),
        ("100", "number", "one hundred and five men", "en"),
        ("a million", "number", "one and a half million people", "en"),
        ("3 am", "date", "at 3 pm", "en"),
        ("flour", "other", "the flor", "en"),
        ("Battle of Britain", "event", "Britain won the battle", "en"),
        ("University of York", "organisation", "at York University", "en"),
        ("Department of Health", "organisation", "health departments of cities", "en"),
        ("1", "number", "He and I went home", "en"),
        ("Figure 5", "other", "on October 5", "en"),
        ("302", "number", "They killed three hundred. Two escaped.", "en"),
        ("United Nations", "organisation", "Un homme est venu.", "fr"),
        ("Julia Child", "person", "The children play", "en"),
        ("Miss America", "work", "they chose Miss USA", "en"),
        ("half a million", "number", "two and a half million men", "en"),
        ("3 Uhr", "date", "Platz 3 am Ufer", "de"),
        ("€5", "number", "it costs $5", "en"),
        ("5 °C", "number", "at −5 °C", "en"),
        ("5", "number", "it is -5 today", "en"),
        ("five", "number", "the fifth child", "en"),
        ("C", "other", "written in C++ and C#.", "en"),
        ("C++", "other", "written in C.", "en"),
        ("CO", "other", "the company and its co founder", "en"),
        ("e-mail", "other", "the mail came", "en"),
        ("5 km", "number", "at 5 km/h", "en"),
        ("1/2", "number", "all 12 of them", "en"),
        ("100 m", "number", "it cost $100m", "en"),
        ("US", "place", "it cost US$ 5", "en"),
        ("NASA", "organisation", "National aid to schools", "en"),
        ("Charles II", "person", "when Charles I died", "en"),
        ("250", "number", "كانوا ١٬٢٥٠ شخصا", "ar"),
        ("5", "number", "النسبة ١٫٥", "ar"),
        ("5", "number", "लागत 5 करोड़ रुपये", "hi"),
        ("5", "number", "circa 5 milioni di persone", "it"),
        ("5", "number", "etwa 5 Mio. Euro", "de"),
        ("5", "number", "5 triệu người", "vi"),
        ("5", "number", "ประชากร 5 ล้านคน", "th"),
        ("5", "number", "인구는 5 만 명", "ko"),
        ("5", "number", "人口5万", "zh"),
        ("5万", "number", "人口15万", "zh"),
        ("5万", "number", "人口1.5万", "zh"),
        ("5000人", "number", "2万5000人が参加", "ja"),
        ("100元", "number", "价格1100元", "zh"),
        ("1月1日", "date", "今年11月1日开始", "zh"),
        ("三百", "number", "共有三百五十人", "zh"),
        ("แม", "other", "แม่ของเขา", "th"),
        ("500", "number", "1 500 personnes", "fr"),
        ("500", "number", "1\u00a0500 people", "en"),
        ("1", "number", "1'000 Personen", "de"),
        ("106", "number", "some 10⁶ cells", "en"),
        ("5", "number", "it began at 5:30", "en"),
        ("30", "number", "it began at 5:30", "en"),
        ("5", "number", "about 1/5 of it", "en"),
        ("3", "number", "a ratio of 3:1", "en"),
        ("twenty", "number", "at twenty-five", "en"),
    ],
)
def test_what_only_looks_alike_is_not_found(text: str, label: str, context: str, lang: str) -> None:
    """Words are whole, digits literal, acronyms in capitals, sentences apart."""
    assert look(text, label, context, lang=lang) == Match("missing", "absent")


@pytest.mark.parametrize(
    ("text", "label", "context", "lang"),
    [
        ("Swedish", "place", "at the Royal Swedish Opera", "en"),
        ("Paris", "place", "the University of Paris is old", "en"),
        ("York", "place", "to New York", "en"),
        ("Willi Schneider", "person", "his wife Anna Schneider", "en"),
        ("George W. Bush", "person", "when George Herbert Walker Bush was", "en"),
        ("1992", "date", "died on January 16, 1992.", "en"),
        ("2002", "date", "at the 2002 Winter Olympics", "en"),
        ("May 2014", "date", "On 5 May 2014, he", "en"),
        ("Корея", "place", "в Северной Корее", "ru"),
        ("Berlin", "place", "Universität Berlin", "de"),
        ("Staaten", "place", "in den Vereinigten Staaten", "de"),
        ("America", "place", "Die Bank of America wuchs", "de"),
        ("Moines", "place", "They moved to Des Moines", "en"),
        ("Press", "organisation", "published by MIT Press", "en"),
        ("インド", "place", "インドネシアに行った", "ja"),
        ("19", "number", "ill with Covid-19", "en"),
    ],
)
def test_a_name_inside_a_longer_one_is_only_suggested(text: str, label: str, context: str, lang: str) -> None:
    """Not found, marked nested, with its places; the policy can count it."""
    found = look(text, label, context, lang=lang)
    lenient = presence([Name(text, label)], [context], lang=lang, nested_found=True)[0]

    assert (found.verdict, found.nested, len(found.evidence)) == ("missing", True, 1)
    assert lenient == replace(found, verdict="found", reason=None)


@pytest.mark.parametrize(
    ("text", "label", "context", "lang"),
    [
        ("Обама", "person", "президент США Барак Обама заявил", "ru"),
        ("США", "place", "президент США Барак Обама заявил", "ru"),
        ("Грузия", "place", "министр Грузии Александр Налбандов", "ru"),
        ("Eiffel", "person", "In 1889 President Eiffel spoke", "en"),
        ("Paris", "place", "In Paris he lived", "en"),
        ("Google", "organisation", "Google LLC is", "en"),
        ("25", "number", "Es waren 25 Menschen dort", "de"),
        ("14. Juli 1889", "date", "Am 14. Juli 1889 Eröffnung", "de"),
        ("Paris", "place", "in der alten Hauptstadt Paris", "de"),
        ("Darwin", "other", "die Theorie von Darwin", "de"),
        ("インド", "place", "インドに行った", "ja"),
        ("2.8%", "number", "and 2.8% Protestants", "en"),
        ("Google", "organisation", "Ballmer was the CEO of Google until 2014.", "en"),
        ("Google", "organisation", "Google's CEO", "en"),
        ("20", "number", "It cost EUR 20.", "en"),
        ("40", "number", "Nearly 40.", "en"),
        ("3", "number", "Ottawa 4, Toronto 3", "en"),
        ("8", "number", "Всего 8", "ru"),
    ],
)
def test_neighbours_that_do_not_belong_to_a_name_do_not_nest_it(
    text: str, label: str, context: str, lang: str
) -> None:
    """Titles, beginnings of sentences, and Russian names that stand side by side."""
    found = look(text, label, context, lang=lang)

    assert (found.verdict, found.nested) == ("found", False)


def test_every_context_gives_its_places_in_order() -> None:
    """All evidence, over all contexts; the closest form decides the similarity."""
    contexts = ("Eiffel met Gustave Eiffel.", "nothing", "by Gustave Eiffel")
    found = look("Gustave Eiffel", "person", *contexts)

    places = (Evidence(0, 0, 6), Evidence(0, 11, 25), Evidence(2, 3, 17))
    assert found == Match("found", None, places, 100, "equal")


def test_a_free_place_is_better_than_a_nested_one() -> None:
    """When a name stands alone anywhere, only the places where it does are evidence."""
    context = "The Royal Swedish Opera is a Swedish house."
    found = look("Swedish", "place", context)

    assert (found.verdict, found.nested, found.evidence) == ("found", False, (Evidence(0, 29, 36),))


def test_a_threshold_above_a_layer_leaves_it_out() -> None:
    """A last name is 93."""
    name = Name("Gustave Eiffel", "person")

    assert presence([name], ["by Eiffel"], lang="en", threshold=94)[0].verdict == "missing"


TEXTS = st.text(st.characters(exclude_categories=[]), max_size=30)
PROSE = st.lists(
    st.sampled_from("Paris Париж в the Gustave Eiffel 14 July 1889 . , of New U.S. 東京 's - (".split()),
    max_size=12,
)


@given(
    TEXTS | PROSE.map(" ".join),
    st.lists(TEXTS | PROSE.map(" ".join), max_size=3),
    st.sampled_from(["", "person", "place"]),
)
def test_evidence_is_whole_words_of_its_context(text: str, contexts: list[str], label: str) -> None:
    """Nothing crashes; a span begins and ends with a token or a part of a hyphenated one."""
    for evidence in look(text, label, *contexts).evidence:
        context = contexts[evidence.context]
        words = snap(context, evidence.start, evidence.end)
        assert 0 <= words.start <= evidence.start < evidence.end <= words.end <= len(context)
        assert context[evidence.start : evidence.end].strip() == context[evidence.start : evidence.end]


def test_long_contexts_are_looked_up_once() -> None:
    """Fifteen names in 2 MB of text: seconds at most."""
    names = [Name(f"Gustave Eiffel {letter}", "person") for letter in "abcdefghijklmno"]
    start = time.process_time()
    presence(names, ["The tower was seen by many people of Paris in 1889. " * 4_000] * 10, lang="en")

    assert time.process_time() - start < 30


FORMS = ("paris", "of", "smith", "j", "us", "1000", "14", "1889", "month 5", "o'brien", "luc", "киев", "е")
ATOMS = (
    "Paris", "paris,", "(Paris)", "'s", "’s", "1,000", "14th", "14", "U.S.", "J.", "Smith", "O'Brien",
    "l'Arc", "Jean-Luc", "(", ")", "«", "»", "東京", "Киев", "Ростов-на-Дону", "of", "the", "May", "мая", "É",
    "e\u0301", "-", "–", "5km", "1889.", "שלום", "مصر", "ไทย", "\u200d", "word", "xyz", " ", "  ",
    "\n", "\u2003", "\x1c",
)  # fmt: skip
WORDS_AND_BLANKS = st.lists(st.sampled_from(ATOMS), max_size=60).map("".join) | st.lists(
    st.sampled_from(ATOMS), max_size=60
).map(" ".join)


def one_by_one(text: str, lang: str | None) -> dict[str, list[WordPlace]]:
    """Every word of the text with its number among the words that are no fillers."""
    found: dict[str, list[WordPlace]] = {}
    order = 0
    for match in word_pattern().finditer(text):
        word = match.group()
        if word[0] in "'’":
            continue
        for form in sorted(traits(folded(word), lang) & set(FORMS)):
            found.setdefault(form, []).append(WordPlace(match.start(), match.end(), order))
        order += word.lower() not in FILLERS
    return found


def apart(found: dict[str, list[WordPlace]]) -> list[tuple[int, int, int]]:
    """Neighbouring places and how many words lie between them, more than two being all the same."""
    places = sorted({place for some in found.values() for place in some})
    return [(a.start, b.start, min(3, b.order - a.order)) for a, b in pairwise(places)]


@given(st.lists(WORDS_AND_BLANKS, max_size=4), st.sampled_from(["en", "ru", "tr", "he", None]))
def test_words_stand_where_they_stand(texts: list[str], lang: str | None) -> None:
    """The same places in the same order, whatever was read before."""
    words = Words(FORMS, lang)
    for text in texts:
        found, expected = words.find(text), one_by_one(text, lang)
        assert {form: [place[:2] for place in some] for form, some in found.items()} == {
            form: [place[:2] for place in some] for form, some in expected.items()
        }
        assert apart(found) == apart(expected)
