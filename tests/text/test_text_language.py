"""Languages by script and by common words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.language import detect

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
