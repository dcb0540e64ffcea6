"""What the rules propose, as names.txt and statements.txt tell it, and what holds of them on any text."""

import random
import re
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.lists import from_cases
from workbench.matching.units import statement_units
from workbench.model import DEFAULT_LABELS, ProposedEntity, Sample
from workbench.proposing.rules import entities, propose, quantities, statements
from workbench.proposing.rules.attribution import Passages, judge
from workbench.text.tokens import sentences


def told() -> Iterator[Any]:
    text = Path(__file__).with_name("names.txt").read_text("utf-8")
    for only, label, cases in re.findall(r"(?ms)^# [^[\n]*(?:\[(only|but) (\w+)\])?$(.*?)(?=^# |\Z)", text):
        for lang, said, expected in re.findall(r"(?m)^([\w-]+): (.*) →(.*)$", cases):
            yield pytest.param(lang, said, expected.strip(), only, label, id=said)


@pytest.mark.parametrize(("lang", "said", "expected", "only", "label"), told())
def test_what_is_told_is_found(lang: str, said: str, expected: str, only: str, label: str) -> None:
    text = said.replace("~", "\u00a0").replace("⏎", "\n")
    found = [
        f"{one.text}/{one.label}" if "/" in expected else one.text
        for one in entities(text, None if lang == "-" else lang)
        if not label or (one.label == label) == (only == "only")
    ]
    wanted = [one.replace("~", "\u00a0") for one in expected.removesuffix(" …").split(" | ") if one]

    assert wanted == (found[: len(wanted)] if expected.endswith("…") else found)


@from_cases
def test_dates_are_those_of_the_patterns_tried_everywhere(text: str) -> None:
    """They are tried only where a figure or a word stands that they need."""
    starts = [found.start() for found in quantities._STARTS.finditer(text)]
    level = quantities._levelled(text)
    words = frozenset(re.findall(r"[^\W\d_]+", level))
    calendar = quantities._calendar().finditer(level)
    assert [one.span() for one in calendar] == [
        one.span() for one in quantities._by_calendar(level, words, starts)
    ]
    for quick, pattern in (
        (quantities._centuries(text), quantities._CENTURY),
        (quantities._durations(text, level, words, starts), quantities._DURATION),
        (quantities._years(text, starts), quantities._YEAR),
        (quantities._at(quantities._CLOCK, text, starts), quantities._CLOCK),
    ):
        assert [one.span() for one in pattern.finditer(text)] == [one.span() for one in quick]


CONTEXTS = (
    "Paris is large. The tower was built by Gustave Eiffel in 1889 for the fair. It is made of iron.",
    "Berlin lies on the Spree.",
)


def judged() -> Iterator[Any]:
    text = Path(__file__).with_name("statements.txt").read_text("utf-8")
    for cases in re.findall(r"(?ms)^# [^\n]*$(.*?)(?=^# |\Z)", text):
        contexts = re.findall(r"(?m)^\| (.*)$", cases)
        for lang, said, found in re.findall(r"(?m)^(\w+): (.*) → (.*)$", cases):
            yield pytest.param(contexts, lang, said, found, id=said)


@pytest.mark.parametrize(("contexts", "lang", "said", "found"), judged())
def test_what_is_told_is_judged_so(contexts: list[str], lang: str, said: str, found: str) -> None:
    one = judge(said, Passages(contexts, lang), lang)
    where = "" if one.context is None else f" in {one.context + 1}: {one.quote}"

    assert (said, found) == (one.text, f"{one.verdict}{where} ({one.reason})")


def test_statements_are_the_sentences_of_the_reference() -> None:
    """Each sentence is judged by itself and keeps its place; an emoji and headings say nothing."""
    reference = "Gustave Eiffel built the tower. Octopuses dream. 🌱\n\nWhat else:\n\n# More\n"
    reference += "| A | B |\n|--|--|\n| 1889 | fair |"

    assert [
        ("Gustave Eiffel built the tower.", 0, 31, "found"),
        ("Octopuses dream.", 32, 48, "missing"),
        ("| 1889 | fair |", 89, 104, "found"),
    ] == [(said.text, said.start, said.end, said.verdict) for said in statements(reference, CONTEXTS, "en")]


def test_a_proposal_looks_at_everything() -> None:
    """Entities of the reference, a tuple of them per context, and statements: nothing is left unasked."""
    proposal = propose(Sample("eiffel", "Who built it?", "Gustave Eiffel built it in 1889.", CONTEXTS))

    assert ("rules", "rules-6") == (proposal.proposer, proposal.model)
    assert ["Gustave Eiffel", "1889"] == [one.text for one in proposal.reference_entities or ()]
    assert [["Paris", "Gustave Eiffel", "1889"], ["Berlin", "Spree"]] == [
        [one.text for one in listed] for listed in proposal.context_entities or ()
    ]
    assert ["found"] == [said.verdict for said in proposal.statements or ()]


def test_an_empty_sample_has_an_empty_proposal() -> None:
    """The proposer looked and found nothing: () and not None."""
    proposal = propose(Sample("empty", "", "", ("",)))

    assert ((), ((),), ()) == (proposal.reference_entities, proposal.context_entities, proposal.statements)


LANGUAGES = (
    *("", "en", "ru", "uk", "de", "fr", "es", "it", "pt"),
    *("ro", "tr", "vi", "zh", "ja", "ko", "ar", "he", "th"),
)
# Pieces that the rules look for, so that random texts reach their branches.
WORDS = (
    "Bank of England|Министерство|внутренних дел|Пакистана|the|of|и|по|по иностранным|J.|K.|St.|Inc.|"
    "&|'s|’s|-|–|«|»|“|”|(|)|,|.|:|?|12|1999|1,000|3.5|May|4 July|мая|года|$|km|%|million|two|weeks|"
    "17th|century|president|Президент|Dr.|is a|was|Washington|США|Мэрия|Greek-French|«Волга»|"
    "Kim Jong-un|Paris-based|d'Ivoire|AT&T|iPhone|北京大学|约翰·肯尼迪|東京|ジョン・レノン|"
    "《红楼梦》|القاهرة|ירושלים|भारत|"
    "กรุงเทพ|서울대학교|https://a.b/c|a@b.com|x.org|\u0301|der|Berliner|Mauer|in|Ludwig van der Rohe|😀|İ|ß|"
    "[3]|US|Will"
)
PIECES = (*WORDS.split("|"), '"', "\n", "\n1. ", "\xa0", "\u200d", "\x00")
PIECED = st.lists(st.sampled_from(PIECES), max_size=25).flatmap(
    lambda pieces: st.sampled_from((" ", "", " ")).map(lambda gap: gap.join(pieces))
)
TEXTS = st.one_of(st.text(max_size=200), PIECED)
LANGS = st.sampled_from((None, *LANGUAGES))


def spans(found: tuple[ProposedEntity, ...]) -> list[tuple[int, int]]:
    return [(one.start or 0, one.end or 0) for one in found]


@settings(max_examples=400, deadline=None)
@given(TEXTS, LANGS)
def test_entities_quote_the_text_in_order_once_each(text: str, lang: str | None) -> None:
    """Spans quote their text, come in text order and bear labels of the default policy; no surface twice."""
    found = entities(text, lang)

    assert [one.text for one in found] == [text[start:end] for start, end in spans(found)]
    assert sorted(spans(found)) == spans(found)
    assert len({one.text for one in found}) == len(found)
    assert {one.label for one in found} <= {label.name for label in DEFAULT_LABELS}
    assert all(one.text.strip() == one.text != "" for one in found)


@settings(max_examples=400, deadline=None)
@given(TEXTS, LANGS)
def test_entities_are_apart_or_nested(text: str, lang: str | None) -> None:
    """No two spans of one text overlap in part."""
    crossing = [(a, b) for a, b in combinations(spans(entities(text, lang)), 2) if a[0] < b[0] < a[1] < b[1]]

    assert [] == crossing


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=3), LANGS)
def test_statements_are_the_sentences_and_quote_the_contexts(
    reference: str, contexts: list[str], lang: str | None
) -> None:
    """One statement per sentence that says something, where it stands; a quote is verbatim in its context."""
    found = statements(reference, contexts, lang)
    kept = {(said.start, said.end) for said in found}
    left = [span.of(reference) for span in sentences(reference) if (span.start, span.end) not in kept]

    assert len(kept) == len(found) == len(sentences(reference)) - len(left)
    assert all(one.endswith(":") or one[0] in "#|" or not any(map(str.isalnum, one)) for one in left)
    assert [reference[s.start : s.end] for s in found] == [s.text for s in found]
    assert {s.verdict for s in found} <= {"found", "missing"}
    for one in found:
        assert (one.context is None) == (one.quote is None)
        assert one.verdict == "missing" or one.context is not None
        assert one.context is None or (one.quote and one.quote in contexts[one.context])


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_a_sample_gives_the_same_proposal_every_time(reference: str, contexts: list[str]) -> None:
    """The proposal of a sample does not depend on what was proposed before it."""
    sample = Sample("one", "", reference, tuple(contexts))
    first = propose(sample)
    propose(Sample("other", "", "Angela Merkel met Barack Obama in Berlin on 3 May 2011.", ("Nothing.",)))

    assert first == propose(sample)
    assert first.context_entities is not None
    assert len(contexts) == len(first.context_entities)


@given(st.text(max_size=60))
def test_a_statement_of_its_own_context_is_found(text: str) -> None:
    """A statement that is itself a context is found there, unless it holds no word."""
    said = judge(text, Passages([text], "en"), "en")
    worded = any(letter.isalnum() for letter in text)

    assert said.verdict == "found" or not worded or said.quote is None


@from_cases
def test_a_long_line_of_one_thing_ends(lang: str, piece: str) -> None:
    """No rule takes quadratic time: four times the text takes about four times as long, not sixteen."""

    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        before = time.process_time()
        found = entities(text, lang)
        spent = time.process_time() - before
        assert [one.text for one in found] == [text[start:end] for start, end in spans(found)]
        return spent

    assert seconds(40_000) < 8 * seconds(10_000) + 0.3


def test_thousands_of_equal_sentences_end() -> None:
    """A form repeats one sentence: it is judged once and looked for once, in no half a minute."""
    form = "Art is long.\n" * 4_000
    sample = Sample("form", "", form, (form,))
    before = time.process_time()
    units = statement_units(sample, statements(form, (form,), "en"), "rules")

    assert time.process_time() - before < 8
    assert [(number * 13, "found") for number in range(4_000)] == [
        (unit.spans[0].start, unit.match.verdict) for unit in units
    ]


def test_thousands_of_similar_sentences_end() -> None:
    """Sentences that share all words but a number are judged in seconds, not minutes."""
    forms = [
        f"The red customer of branch {number} opened the account of the bank." for number in range(4_000)
    ]
    before = time.process_time()
    found = statements(" ".join(forms), (" ".join(forms[:3_999]),), "en")

    assert time.process_time() - before < 8
    assert [(form, form) for form in forms[:3_999]] == [(said.text, said.quote) for said in found[:3_999]]
    assert "missing" == found[-1].verdict


def test_shuffled_paragraphs_keep_their_dates() -> None:
    """What stands in one paragraph is found there wherever the paragraph stands."""
    paragraphs = ["It opened on 31 March 1889.", "It weighs 7,300 tonnes.", "Fee: $5.50 a head."]
    orders = [random.Random(seed).sample(paragraphs, 3) for seed in range(5)]

    found = [{one.text for one in entities("\n\n".join(order), "en")} for order in orders]

    assert [{"31 March 1889", "7,300 tonnes", "$5.50"}] * 5 == found
