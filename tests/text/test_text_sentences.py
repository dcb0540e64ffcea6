"""Sentences in seven languages."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text.tokens import sentences


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Mr. J. K. Rowling lives in the U.S. today.", "She won in 1999.", "Really?!", "Yes."],
        ["It grew by 3.5 percent, e.g. in Paris.", 'He said "No."', "Then he left…"],
        ["Born in St. Louis on Jan. 5, Dr. King Jr. moved.", "He wrote vol. 2, pp. 3–4."],
        ["А. С. Пушкин родился в 1799 г. в Москве.", "Это знает каждый, т. е. все.", "Да!"],
        ["На ул. Ленина, д. 5, жил проф. Иванов и др. учёные.", "Он умер."],
        ["Am 3. Oktober 1990 kam er z. B. nach Berlin.", "Dort blieb er bzw. lebte er.", "Ende."],
        ["La Sra. García vive aquí.", "¿Quién es?", "Es el Dr. Pérez."],
        ["东京是日本的首都。", "北京是中国的首都！", "真的？"],
        ["彼は「はい。」", "と言った。", "本当か？"],
        ["هل هذا صحيح؟", "نعم، صحيح.", "شكرا."],
    ],
)
def test_sentences_end_where_they_end(expected: list[str]) -> None:
    """Abbreviations, initials, ordinals and decimals do not end one; East Asian stops need no space."""
    joiner = "" if expected[0][-1] in "。」" else " "

    assert cut(joiner.join(expected)) == expected


def test_paragraphs_and_list_items_are_apart() -> None:
    """A heading or an item ends without a full stop."""
    assert cut("A heading\n\nText goes on\nhere.\n- one\n- two") == [
        "A heading",
        "Text goes on\nhere.",
        "- one",
        "- two",
    ]


@given(st.text(st.characters(exclude_categories=[]), max_size=60) | st.text("aA.!?。 \n\"'1", max_size=60))
def test_sentences_cover_everything_but_white_space(text: str) -> None:
    """In order, trimmed, nothing lost."""
    last = 0
    for span in sentences(text):
        assert text[last : span.start].strip() == ""
        assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
        last = span.end
    assert text[last:].strip() == ""


def test_a_megabyte_of_full_stops_is_still_fast() -> None:
    """The worst cases for a backtracking pattern."""
    start = time.process_time()
    for text in ("." * 1_000_000, "a. " * 300_000, "\n" * 1_000_000, "." * 500_000 + '"' * 500_000):
        sentences(text)

    assert time.process_time() - start < 30
