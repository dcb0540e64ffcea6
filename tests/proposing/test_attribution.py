"""How shared words judge statements, as statements.txt tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.model import Sample
from workbench.proposing.rules import propose, statements
from workbench.proposing.rules.attribution import Passages, judge

CONTEXTS = (
    "Paris is large. The tower was built by Gustave Eiffel in 1889 for the fair. It is made of iron.",
    "Berlin lies on the Spree.",
)


def told() -> Iterator[Any]:
    text = Path(__file__).with_name("statements.txt").read_text("utf-8")
    for cases in re.findall(r"(?ms)^# [^\n]*$(.*?)(?=^# |\Z)", text):
        contexts = re.findall(r"(?m)^\| (.*)$", cases)
        for lang, said, found in re.findall(r"(?m)^(\w+): (.*) → (.*)$", cases):
            yield pytest.param(contexts, lang, said, found, id=said)


@pytest.mark.parametrize(("contexts", "lang", "said", "found"), told())
def test_what_is_told_is_judged_so(contexts: list[str], lang: str, said: str, found: str) -> None:
    one = judge(said, Passages(contexts, lang), lang)
    where = "" if one.context is None else f" in {one.context + 1}: {one.quote}"

    assert (said, found) == (one.text, f"{one.verdict}{where} ({one.reason})")


def test_statements_are_the_sentences_of_the_reference() -> None:
    """Each sentence is judged by itself and keeps its place."""
    reference = "Gustave Eiffel built the tower. Octopuses dream."

    assert [("Gustave Eiffel built the tower.", 0, 31, "found"), ("Octopuses dream.", 32, 48, "missing")] == [
        (said.text, said.start, said.end, said.verdict) for said in statements(reference, CONTEXTS, "en")
    ]


def test_a_proposal_looks_at_everything() -> None:
    """Entities of the reference, a tuple of them per context, and statements: nothing is left unasked."""
    proposal = propose(Sample("eiffel", "Who built it?", "Gustave Eiffel built it in 1889.", CONTEXTS))

    assert ("rules", "rules-4") == (proposal.proposer, proposal.model)
    assert ["Gustave Eiffel", "1889"] == [one.text for one in proposal.reference_entities or ()]
    assert [["Paris", "Gustave Eiffel", "1889"], ["Berlin", "Spree"]] == [
        [one.text for one in listed] for listed in proposal.context_entities or ()
    ]
    assert ["found"] == [said.verdict for said in proposal.statements or ()]


def test_an_empty_sample_has_an_empty_proposal() -> None:
    """The proposer looked and found nothing: () and not None."""
    proposal = propose(Sample("empty", "", "", ("",)))

    assert ((), ((),), ()) == (proposal.reference_entities, proposal.context_entities, proposal.statements)
