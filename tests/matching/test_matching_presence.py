"""Names looked up in the text of the contexts, as presence.txt tells it."""

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from tests.lists import told
from workbench.matching.names import Name
from workbench.matching.presence import FILLERS, WordPlace, Words, folded, presence, traits
from workbench.matching.units import language_of
from workbench.model import Evidence, Match, Policy, Sample
from workbench.text.tokens import snap, word_pattern

CASES = [
    (text, label, context, lang, said)
    for lang, label, text, context, said in told(
        __file__, "presence.txt", r"(\w+) (\w+): (.*) \| (.*) → (\w+)"
    )
]


def said_to_be(what: str) -> list[tuple[str, ...]]:
    return [tuple(case) for *case, said in CASES if said == what]


def look(text: str, label: str, *contexts: str, lang: str = "en") -> Match:
    return presence([Name(text, label)], contexts, lang=lang)[0]


@pytest.mark.parametrize(
    ("text", "label", "marked", "lang", "rule"), [case for case in CASES if "[" in case[2]]
)
def test_a_name_is_found_in_the_texts_form(text: str, label: str, marked: str, lang: str, rule: str) -> None:
    """Inflection, short forms, dates in any order, acronyms and names of countries count."""
    found = look(text, label, marked.replace("[", "").replace("]", ""), lang=lang)

    place = Evidence(0, marked.index("["), marked.index("]") - 1)
    assert (found.verdict, found.rule, found.evidence) == ("found", rule, (place,))


@pytest.mark.parametrize(("text", "label", "context", "lang"), said_to_be("missing"))
def test_what_only_looks_alike_is_not_found(text: str, label: str, context: str, lang: str) -> None:
    """Words are whole, digits literal, acronyms in capitals, sentences apart."""
    assert look(text, label, context, lang=lang) == Match("missing", "absent")


@pytest.mark.parametrize(("text", "label", "context", "lang"), said_to_be("nested"))
def test_a_name_inside_a_longer_one_is_only_suggested(text: str, label: str, context: str, lang: str) -> None:
    """Not found, marked nested, with its places; the policy can count it."""
    found = look(text, label, context, lang=lang)
    lenient = presence([Name(text, label)], [context], lang=lang, nested_found=True)[0]

    assert (found.verdict, found.nested, len(found.evidence)) == ("missing", True, 1)
    assert lenient == replace(found, verdict="found", reason=None)


@pytest.mark.parametrize(("text", "label", "context", "lang"), said_to_be("free"))
def test_strange_neighbours_do_not_nest_a_name(text: str, label: str, context: str, lang: str) -> None:
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


def test_thousands_of_similar_sentences_are_searched() -> None:
    """Three thousand people with one first name, and as many figures, take seconds and no quarter minute."""
    people = [
        f"Ann Quill{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(3_000)
    ]
    text = " ".join(f"{name} left branch {number}." for number, name in enumerate(people))
    start = time.process_time()
    found = presence([Name(name, "") for name in (*people, *map(str, range(3_000)))], [text], lang="en")

    assert {1} == {len(match.evidence) for match in found}
    assert time.process_time() - start < 8


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


def test_the_contexts_tell_the_language_of_a_reference_that_is_too_short() -> None:
    sample = Sample(
        "a", "How many?", "Around 250 people.", ("Then two hundred and fifty of the people came.",)
    )
    assert language_of(sample, Policy()) == "en"
    assert (
        language_of(replace(sample, retrieved_contexts=("Es waren die Menschen der Stadt.",)), Policy())
        == "de"
    )
