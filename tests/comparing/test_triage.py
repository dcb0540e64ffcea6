"""Triage: which scores their own sample contradicts, before anybody has reviewed it."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.lists import from_cases, told
from workbench.comparing.triage import AROUND, Quote, Suspicion, suspect
from workbench.model import Kind, Match, Matching, Policy, Sample, Span, Unit
from workbench.proposing import rules
from workbench.scoring.scorers import assess_all

TAJ = "The Taj Mahal stands in Agra. It was commissioned in 1631 by Shah Jahan."
NAMED = "Walter Gropius began in 1919. In Dessau they built. Everybody knows Bauhaus chairs."
BAUHAUS = "The Bauhaus was a school in Dessau that Walter Gropius founded in 1919."


def sample(reference: str, *contexts: str) -> Sample:
    return Sample("one", "What?", reference, contexts)


def looked_up(one: Sample) -> Sequence[Unit]:
    return assess_all(one, rules.propose(one), Matching(Policy(), 85), only=("presence",))["presence"].units


def signal(one: Sample, score: float, kind: Kind) -> str:
    found = suspect(one, score, kind, lambda: looked_up(one))
    return found.signal if found else ""


@pytest.mark.parametrize("kind", ["entity", "statement"])
def test_a_score_above_zero_without_any_context_is_suspicious(kind: Kind) -> None:
    assert "no contexts" == signal(sample(TAJ), 1.0, kind)
    assert "no contexts" == signal(sample(TAJ, " \n"), 0.2, kind)
    assert "" == signal(sample(TAJ), 0.0, kind)


def denials(sign: str) -> list[str]:
    return [said for how, said in told(__file__, "denials.txt", "([+-]) (.*)") if how == sign]


@pytest.mark.parametrize("reference", denials("+"))
def test_a_reference_that_says_that_nothing_was_found_is_suspicious(reference: str) -> None:
    one = sample(reference, "Some text about rivers.")
    assert ("", "nothing found") == (signal(one, 0.49, "statement"), signal(one, 0.5, "statement"))


@pytest.mark.parametrize("reference", denials("-"))
def test_other_denials_are_no_sign_of_a_failed_reference(reference: str) -> None:
    assert "" == signal(sample(reference, "Some text about rivers."), 1.0, "statement")


def test_a_score_of_names_far_below_the_names_in_the_text_is_suspicious() -> None:
    one = sample(TAJ, "In Agra, emperor Jahan had the Taj Mahal built.")
    found: Any = suspect(one, 0.0, "entity", lambda: looked_up(one))

    assert ("names", 0.75) == (found.signal, found.recount)
    assert ("Shah Jahan", False) == (found.clues[0].text, found.clues[0].same)
    assert Quote(1, "In Agra, emperor ", "Jahan", " had the Taj Mahal built.") == found.clues[0].quote
    assert "" == signal(one, 0.6, "entity")  # .15 apart: no more often wrong than others


@from_cases
def test_a_score_is_suspicious_by_its_text(reference: str, context: str, score: float, expected: str) -> None:
    """By a sentence word for word, or all names; neither where it is short, nor where the score is high.

    Numbers may be written in another way, negations stand elsewhere, small letters have other places.
    A context too long to be searched for sentences has names still.
    """
    blank, long = " " * 60, " x" * 50_000
    reference = reference.replace("<60 blanks>", blank)
    context = context.replace("<60 blanks>", blank).replace("<100,000 more>", long)
    assert expected == signal(sample(reference, "Nothing here.", context), score, "statement")


@from_cases
def test_a_sentence_with_another_number_or_negation_stands_nowhere(reference: str, context: str) -> None:
    one = sample(reference, f"Some history. {context} And more.")

    assert "" == signal(one, 0.0, "statement")
    assert "word for word" == signal(sample(reference, context, reference), 0.0, "statement")


def test_a_quote_of_a_sentence_has_whole_words_and_the_whole_passage() -> None:
    passage = "the Bauhaus was a famous new school in Dessau that Walter Gropius founded in 1919."
    found: Any = suspect(sample(BAUHAUS, f"It says {passage} More."), 0.0, "statement", tuple)

    assert f"It says {passage}".endswith(found.clues[0].quote.hit)
    assert found.clues[0].quote.hit.endswith(passage)


def test_a_clue_knows_where_its_unit_stands_in_the_reference() -> None:
    one = sample("Annapolis was visited by Ann Lee.", "Lee came to Annapolis.")
    units = [unit for unit in looked_up(one) if unit.text == "Ann Lee"]
    found: Any = suspect(one, 0.0, "entity", lambda: units)

    assert [Span(25, 32)] == [clue.at for clue in found.clues]


def test_words_that_are_another_unit_are_the_last_clue() -> None:
    """`Iceland` is in the reference by itself: it says little about the bureau, and the year says more."""
    one = sample("Iceland had 139,875 people, says Statistics Iceland.", "Iceland had 139 875 people.")
    found: Any = suspect(one, 0.0, "entity", lambda: looked_up(one))

    told = ["139,875", "Iceland", "Statistics Iceland"]
    assert told == [clue.text for clue in found.clues if clue.text in told]


@pytest.mark.parametrize(("number", "expected"), [("12", ""), ("9", "all names")])
def test_of_numbers_that_are_away_a_single_digit_alone_says_nothing(number: str, expected: str) -> None:
    one = sample(BAUHAUS, NAMED)
    away = Unit("n", "entity", number, match=Match("missing"))
    found: Any = suspect(one, 0.0, "statement", lambda: [*looked_up(one), away])
    assert expected == (found.signal if found else "")


def test_a_quote_is_short_however_long_the_context() -> None:
    one = sample(TAJ, "x " * 50_000 + "Agra, Shah Jahan and the Taj Mahal in 1631" + " y" * 50_000)
    found: Any = suspect(one, 0.0, "entity", lambda: looked_up(one))

    quotes = [clue.quote for clue in found.clues if clue.quote]
    assert AROUND >= max(len(quote.before) for quote in quotes)
    assert AROUND >= max(len(quote.after) for quote in quotes)


def test_the_surest_signal_comes_first_then_what_is_most_off() -> None:
    small, large = (Suspicion("names", 0.0, size, (), size) for size in (0.3, 0.6))
    sure = Suspicion("no contexts", 0.1, 0.0, (), 0.1)
    assert [sure, large, small] == sorted((small, large, sure), key=lambda one: one.place)


def test_names_are_looked_up_only_when_they_are_needed() -> None:
    def never() -> Sequence[Unit]:
        raise AssertionError("looked up")

    assert None is suspect(sample(BAUHAUS, "A text."), 0.9, "statement", never)
