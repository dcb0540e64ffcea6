"""Looking words up in texts: what reading every word one by one gives, in a fraction of the time."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from workbench.matching.presence import FILLERS, WordPlace, Words, folded, traits
from workbench.text.tokens import word_pattern

FORMS = ("paris", "of", "smith", "j", "us", "1000", "14", "1889", "month 5", "o'brien", "luc", "киев", "е")
ATOMS = (
    "Paris", "paris,", "(Paris)", "'s", "’s", "1,000", "14th", "14", "U.S.", "J.", "Smith", "O'Brien",
    "l'Arc", "Jean-Luc", "(", ")", "«", "»", "東京", "Киев", "Ростов-на-Дону", "of", "the", "May", "мая", "É",
    "e\u0301", "-", "–", "5km", "1889.", "שלום", "مصر", "ไทย", "\u200d", "word", "xyz", " ", "  ",
    "\n", "\u2003", "\x1c",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(ATOMS), max_size=60).map("".join) | st.lists(
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


@given(st.lists(TEXTS, max_size=4), st.sampled_from(["en", "ru", "tr", "he", None]))
def test_words_stand_where_they_stand(texts: list[str], lang: str | None) -> None:
    """The same places in the same order, whatever was read before."""
    words = Words(FORMS, lang)
    for text in texts:
        found, expected = words.find(text), one_by_one(text, lang)
        assert {form: [place[:2] for place in some] for form, some in found.items()} == {
            form: [place[:2] for place in some] for form, some in expected.items()
        }
        assert apart(found) == apart(expected)
