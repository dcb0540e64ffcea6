"""What holds of the rules proposer on any text at all."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st

from workbench.model import DEFAULT_LABELS, ProposedEntity, Sample
from workbench.proposing.rules import entities, propose, statements
from workbench.proposing.rules.attribution import Passages, judge
from workbench.text.tokens import sentences

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
    """One statement per sentence, where it stands; a quote is verbatim in the context it names."""
    found = statements(reference, contexts, lang)

    assert [(span.start, span.end) for span in sentences(reference)] == [(s.start, s.end) for s in found]
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


LONG = (
    *(
        ("en", piece)
        for piece in ("A ", "a", "1", "1,", "1.1.", "1999-", "$ 1 ", '"A" ', "« ", "A.", "A-", "X ((")
    ),
    *(
        ("en", piece)
        for piece in ("The X and ", "a.", "a@", "北", "北·", "\u0301", "\n", "A: ", "\x00", "May 1")
    ),
    *(("ru", "Министерство дел "), ("ru", "Федеральное "), ("de", "Mann "), ("de", "Der ")),
)


@pytest.mark.parametrize(("lang", "piece"), LONG)
def test_a_long_line_of_one_thing_ends(lang: str, piece: str) -> None:
    """No rule takes quadratic time: 40,000 characters of one pattern end."""
    text = (piece * (40_000 // len(piece) + 1))[:40_000]

    found = entities(text, lang)

    assert [one.text for one in found] == [text[start:end] for start, end in spans(found)]


def test_shuffled_paragraphs_keep_their_dates() -> None:
    """What stands in one paragraph is found there wherever the paragraph stands."""
    paragraphs = ["It opened on 31 March 1889.", "It weighs 7,300 tonnes.", "Fee: $5.50 a head."]
    orders = [random.Random(seed).sample(paragraphs, 3) for seed in range(5)]

    found = [{one.text for one in entities("\n\n".join(order), "en")} for order in orders]

    assert [{"31 March 1889", "7,300 tonnes", "$5.50"}] * 5 == found
