"""Which dates, amounts and quantities the rules propose, by example."""

from __future__ import annotations

import pytest

from workbench.proposing.rules import entities


def of_label(text: str, label: str, lang: str = "en") -> list[str]:
    return [one.text for one in entities(text, lang) if one.label == label]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 14 July 1789 and July 4, 1776", ["14 July 1789", "July 4, 1776"]),
        ("in March 1999, in May, and on 2003-04-05", ["March 1999", "May", "2003-04-05"]),
        ("from 11–12 July 1995 on", ["11–12 July 1995"]),
        ("(4 March 1919–22 November 2009)", ["4 March 1919", "22 November 2009"]),
        ("in 1939–1945 and 1992 to 2002", ["1939", "1945", "1992", "2002"]),
        ("in the 1980s, the '90s and the 17th century", ["1980s", "'90s", "17th century"]),
        ("in 44 BC or AD 79", ["44 BC", "AD 79"]),
        ("for three weeks, a two-day trip", ["three weeks", "two-day"]),
        ("a 35-year-old man, 40 years old", []),
        ("at 10:30 pm on Monday", ["10:30 pm", "Monday"]),
        ("1200 people and $1999 and 1500 km", []),
        ("He may march in the sun", []),
        ("Friday Night Lights is a show", []),
    ],
)
def test_english_dates(text: str, expected: list[str]) -> None:
    """Dates, ranges by their ends, decades, centuries, eras, durations and times; no ages, no counts."""
    assert expected == of_label(text, "date")


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("ru", "12 июня 2005 года в 19:30 мск", ["12 июня 2005", "19:30 мск"]),
        ("ru", "в XIX веке и в 1990-х годах, в понедельник", ["XIX веке", "1990-х", "понедельник"]),
        ("ru", "Виктор Понедельник забил гол", []),
        ("de", "am 3. Oktober 1990 im 18. Jahrhundert", ["3. Oktober 1990", "18. Jahrhundert"]),
        ("de", "in den 1980er Jahren um 10.30 Uhr", ["1980er Jahren", "10.30 Uhr"]),
        ("fr", "le 1er août 1914 au XIXe siècle", ["1er août 1914", "XIXe siècle"]),
        ("es", "el 12 de octubre de 1492, siglo XV", ["12 de octubre de 1492", "siglo XV"]),
        ("pl", "w dniu 3 maja 1791 roku", ["3 maja 1791"]),
        ("zh", "1949年10月1日，20世纪50年代", ["1949年10月1日", "20世纪", "50年代"]),
        ("ar", "في عام 1956", ["عام 1956"]),
        ("th", "ในปี 1773", ["ปี 1773"]),
    ],
)
def test_dates_of_other_languages(lang: str, text: str, expected: list[str]) -> None:
    """Months, centuries and decades as each language writes them."""
    assert expected == of_label(text, "date", lang)


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "It cost $5.50, US$ 300 or 3 million dollars.", ["$5.50", "US$ 300", "3 million dollars"]),
        ("en", "up 11.7% from 20 percent", ["11.7%", "20 percent"]),
        (
            "en",
            "4,661 meters, 6 \u00a0 km, a 56,000-acre park",
            ["4,661 meters", "6 \u00a0 km", "56,000-acre"],
        ),
        ("en", "29,795 inhabitants scored 39 goals", ["29,795", "39"]),
        ("en", "two of twenty-five, and one more", ["two", "twenty-five"]),
        ("en", "as shown [3], see [12].", []),
        ("en", "Steps:\n1. Go\n2. Stop", []),
        ("ru", "кредит на 2 миллиарда долларов и 500 млн евро", ["2 миллиарда долларов", "500 млн евро"]),
        ("ru", "на 11,7 процента, 3600 км, 1 234 567 человек", ["11,7 процента", "3600 км", "1 234 567"]),
        ("de", "1.234,5 Tonnen und 3 Millionen Euro", ["1.234,5 Tonnen", "3 Millionen Euro"]),
        ("zh", "人口1400万，售价500元", ["1400万", "500元"]),
    ],
)
def test_amounts(lang: str, text: str, expected: list[str]) -> None:
    """Money, shares and measures go with their unit, counts stand alone; marks and list numbers are none."""
    assert expected == of_label(text, "number", lang)
