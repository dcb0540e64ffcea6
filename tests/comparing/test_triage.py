"""Triage: which scores their own sample contradicts, before anybody has reviewed it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from workbench.comparing.triage import AROUND, Quote, suspect
from workbench.model import Kind, Policy, Sample, Unit
from workbench.proposing import rules
from workbench.scoring.scorers import assess_all

TAJ = "The Taj Mahal stands in Agra. It was commissioned in 1631 by Shah Jahan."
BAUHAUS = "The Bauhaus was a school in Dessau that Walter Gropius founded in 1919."


def sample(reference: str, *contexts: str) -> Sample:
    return Sample("one", "What?", reference, contexts)


def looked_up(one: Sample) -> Sequence[Unit]:
    return assess_all(one, rules.propose(one), Policy(), threshold=85, only="presence")["presence"].units


def signal(one: Sample, score: float, kind: Kind) -> str:
    found = suspect(one, score, kind, lambda: looked_up(one))
    return found.signal if found else ""


@pytest.mark.parametrize("kind", ["entity", "statement"])
def test_a_score_above_zero_without_any_context_is_suspicious(kind: Kind) -> None:
    assert "no contexts" == signal(sample(TAJ), 1.0, kind)
    assert "no contexts" == signal(sample(TAJ, " \n"), 0.2, kind)
    assert "" == signal(sample(TAJ), 0.0, kind)


@pytest.mark.parametrize(
    "reference",
    [
        "The provided context does not mention who built it.",
        "The answer is not found in the given documents.",
        "I don't know.",
        "Insufficient information to answer.",
        "上下文中没有提到该问题的答案。",
        "El contexto no menciona la fecha.",
    ],
)
def test_a_reference_that_says_that_nothing_was_found_is_suspicious(reference: str) -> None:
    assert "nothing found" == signal(sample(reference, "Some text about rivers."), 0.0, "statement")


@pytest.mark.parametrize(
    "reference",
    [
        "The Bauhaus does not provide housing.",
        "Information does not travel faster than light.",
        "He was not found in the river.",
        "The text was written in 1919. The context does not mention it.",
    ],
)
def test_other_denials_are_no_sign_of_a_failed_reference(reference: str) -> None:
    assert "" == signal(sample(reference, "Some text about rivers."), 0.5, "statement")


def test_a_score_of_names_far_below_the_names_in_the_text_is_suspicious() -> None:
    one = sample(TAJ, "In Agra, emperor Jahan had the Taj Mahal built.")
    found = suspect(one, 0.0, "entity", lambda: looked_up(one))

    assert found is not None
    assert ("names", 0.75) == (found.signal, found.recount)
    assert ("Shah Jahan", False) == (found.clues[0].text, found.clues[0].same)
    assert Quote(1, "In Agra, emperor ", "Jahan", " had the Taj Mahal built.") == found.clues[0].quote
    assert "" == signal(one, 0.6, "entity")  # .15 apart: no more often wrong than others


def test_a_low_score_of_a_reference_that_stands_word_for_word_in_a_context_is_suspicious() -> None:
    one = sample(BAUHAUS, "Nothing here.", f"Some history. {BAUHAUS.replace('that', 'which')} And more.")

    assert "word for word" == signal(one, 0.0, "statement")
    assert "" == signal(one, 0.5, "statement")


def test_a_low_score_although_every_name_is_in_the_text_is_suspicious() -> None:
    text = "Walter Gropius began in 1919. In Dessau they built. Everybody knows Bauhaus chairs."

    assert "all names" == signal(sample(BAUHAUS, text), 0.0, "statement")
    assert "" == signal(sample(BAUHAUS, text.replace("1919", "1920")), 0.0, "statement")


def test_a_high_score_of_statements_is_not_suspected_for_absent_names() -> None:
    """Measured on judged statements: it is wrong no more often than any other score."""
    assert "" == signal(sample(BAUHAUS, "A text about something else."), 1.0, "statement")


def test_a_quote_is_short_however_long_the_context() -> None:
    one = sample(TAJ, "x " * 50_000 + "Agra, Shah Jahan and the Taj Mahal in 1631" + " y" * 50_000)
    found = suspect(one, 0.0, "entity", lambda: looked_up(one))

    assert found is not None
    quotes = [clue.quote for clue in found.clues if clue.quote]
    assert AROUND >= max(len(quote.before) for quote in quotes)
    assert AROUND >= max(len(quote.after) for quote in quotes)


def test_names_are_looked_up_only_when_they_are_needed() -> None:
    def never() -> Sequence[Unit]:
        raise AssertionError("looked up")

    assert None is suspect(sample(BAUHAUS, "A text."), 0.9, "statement", never)
