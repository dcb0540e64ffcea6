"""What is typed finds what is meant: case, accents, widths, dashes, quotes and blanks do not matter."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from workbench.text.language import detect
from workbench.text.normalise import find_folded, fold
from workbench.text.safe import clean


def found(typed: str, text: str, most: int = 100) -> list[str]:
    return [text[span.start : span.end] for span in find_folded(typed, text, most)]


@pytest.mark.parametrize(
    ("typed", "text", "expected"),
    [
        ("geneve", "in Genève, GENÈVE and Gene\u0300ve", ["Genève", "GENÈVE", "Gene\u0300ve"]),
        ("Genève", "geneve", ["geneve"]),
        ("strasse", "Straße und Strasse", ["Straße", "Strasse"]),
        ("STRAßE", "Strasse", ["Strasse"]),
        ("елка", "Ёлка, ёлки", ["Ёлка"]),
        ("и", "й", []),
        ("київ", "Київ Киів", ["Київ"]),
        ("fin", "ﬁnal", ["ﬁn"]),
        ("ａｂ１", "ab1", ["ab1"]),
        ("ann-lee", "Ann—Lee Ann\u2011Lee", ["Ann—Lee", "Ann\u2011Lee"]),
        ('"big"', "«big» “big”", ["«big»", "“big”"]),
        ("don't", "don’t", ["don’t"]),
        ("new  york", "New\n York", ["New\n York"]),
        ("مصر", "مِصْر", ["مِصْر"]),
        ("東京", "東京都", ["東京"]),
        ("a.b", "a.b axb", ["a.b"]),
        ("c++ (x)", "C++ (x)", ["C++ (x)"]),
        ("[a-z]", "b [a-z]", ["[a-z]"]),
    ],
)
def test_what_is_typed_is_found(typed: str, text: str, expected: list[str]) -> None:
    """As it stands in the text, with its marks."""
    assert found(typed, text) == expected


def test_nothing_but_blanks_looks_for_nothing() -> None:
    """A field that was just emptied."""
    assert [] == found("", "a text")
    assert [] == found(" \t\u00a0", "a text")


def test_at_most_so_many_places_are_read() -> None:
    """A single letter stands in every word."""
    assert found("e", "e" * 50, most=7) == ["e"] * 7


TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


@given(TEXT, TEXT, TEXT)
@example("", "¯", "")
def test_every_stretch_of_a_text_finds_itself(before: str, middle: str, after: str) -> None:
    """Whatever it holds; also as it is shown, since hidden characters are replaced one by one."""
    if fold(middle).split() and middle == middle.strip() and clean(middle) == middle:
        assert found(middle, f"{before} {middle} {after}")


TEXTS = {
    "en": "The tower was built by the company of Gustave Eiffel and is in Paris.",
    "ru": "Башня была построена компанией Гюстава Эйфеля и находится в Париже.",
    "uk": "Вежу було збудовано компанією Гюстава Ейфеля, і вона стоїть у Парижі.",
    "bg": "Кулата е построена от компанията на Гюстав Айфел и се намира в Париж.",
    "de": "Der Turm wurde von der Firma des Ingenieurs gebaut und steht in Paris.",
    "fr": "La tour a été construite par les ouvriers et se trouve dans la ville.",
    "es": "La torre fue construida por los obreros de la empresa y está en la ciudad.",
    "it": "La torre è stata costruita dagli operai della società e si trova in una città.",
    "pt": "A torre foi construída pelos operários e não está em uma cidade do norte.",
    "nl": "De toren werd door het bedrijf van de ingenieur gebouwd en staat niet in een dorp.",
    "pl": "Wieża została zbudowana przez firmę inżyniera i znajduje się w Paryżu.",
    "tr": "Kule, mühendisin şirketi tarafından yapıldı ve Paris'te çok ünlü bir yapı oldu.",
    "ro": "Turnul a fost construit de compania inginerului și se află în oraș.",
    "fi": "Torni on rakennettu vuonna 1889 ja se on myös nähtävyys, joka sijaitsee täällä.",
    "vi": "Tháp được xây dựng và là một công trình của thành phố.",
    "zh": "埃菲尔铁塔位于法国巴黎。",
    "ja": "エッフェル塔はパリにある塔です。",
    "ko": "에펠탑은 파리에 있다.",
    "ar": "برج إيفل في باريس",
    "fa": "برج ایفل در پاریس چهار پایه دارد و گردشگران زیادی",
    "he": "מגדל אייפל נמצא בפריז",
    "el": "Ο Πύργος του Άιφελ",
    "hi": "एफिल टॉवर पेरिस में है",
    "th": "หอไอเฟลอยู่ในปารีส",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_is_recognised(language: str) -> None:
    """One plain sentence is enough in each language."""
    assert detect(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "12345 !?", "Gustave Eiffel", "\ud800"])
def test_nothing_is_said_without_evidence(text: str) -> None:
    """A name in Latin letters could be of any language."""
    assert detect(text) == ""


@given(st.text(st.characters(exclude_categories=[]), max_size=80))
def test_any_text_gets_the_same_answer_twice(text: str) -> None:
    """Deterministic, two letters or none."""
    assert detect(text) == detect(text)
    assert len(detect(text)) in {0, 2}


WORDS = st.sampled_from("the of and der die und les et на і ы är ß ñ 東京 の دی Rome 1889 . \n".split(" "))


@given(st.lists(st.lists(WORDS, max_size=9).map(" ".join), min_size=1, max_size=4), st.integers(1, 1_500))
def test_the_language_of_texts_is_that_of_one_with_all_their_words(texts: list[str], times: int) -> None:
    """Also of long ones, of which the first part is read."""
    texts[0] += f" {texts[-1]}" * times
    assert detect(*texts) == detect("\n".join(texts))
