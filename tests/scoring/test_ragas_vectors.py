"""ragas context entity recall, digit for digit, replayed from known answers of ragas itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.model import Matching, Policy, Proposal, ProposedEntity, Sample
from workbench.scoring.scorers import assess_all, score

FILE = Path(__file__).parents[2] / "fixtures" / "metric_vectors.json"
VECTORS: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))["context_entity_recall"]


def proposal(vector: dict[str, Any]) -> Proposal:
    """The vector's lists as a proposal; the contexts' entities spread over two contexts."""
    contexts = [ProposedEntity(text) for text in vector["context_entities"]]
    return Proposal(
        "recorded",
        reference_entities=tuple(ProposedEntity(text) for text in vector["reference_entities"]),
        context_entities=(tuple(contexts[:1]), tuple(contexts[1:])),
    )


def sample(vector: dict[str, Any]) -> Sample:
    reference = "; ".join(vector["reference_entities"])
    return Sample("s", "q", reference, (" ".join(vector["context_entities"]), ""))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_values_are_ragas_to_the_last_digit(vector: dict[str, Any]) -> None:
    """Both divisors and the exact set recall; what ragas calls 0.0 without entities is undefined here."""
    undefined = not vector["reference_entities"]
    assessments = assess_all(sample(vector), proposal(vector), Matching(Policy(), 85))

    collections, legacy = (score(name, assessments[name]) for name in ("ragas", "ragas_legacy"))

    assert collections.value == (None if undefined else vector["ragas_collections"])
    assert legacy.value == (None if undefined else vector["ragas_legacy"])
    exact = collections.tally.recall
    assert (None if exact is None else float(exact)) == vector["exact_set_recall"]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_the_order_of_entities_and_contexts_does_not_matter(vector: dict[str, Any]) -> None:
    """Sets have no order; the list of legacy only its length."""
    given = proposal(vector)
    turned = Proposal(
        "recorded",
        reference_entities=tuple(reversed(given.reference_entities or ())),
        context_entities=tuple(reversed(given.context_entities or ())),
    )

    one, other = (assess_all(sample(vector), asked, Matching(Policy(), 85)) for asked in (given, turned))
    for name in ("ragas", "ragas_legacy"):
        assert score(name, one[name]) == score(name, other[name])


def test_ragas_was_not_asked_without_entities_of_both_sides() -> None:
    """No guess where the proposer said nothing."""
    one = Proposal("p", reference_entities=(ProposedEntity("a"),))
    other = Proposal("p", context_entities=((ProposedEntity("a"),),))

    given = Sample("s", "q", "a", ("a",))
    assert ["presence"] == [*assess_all(given, one, Matching(Policy(), 85))]
    assert {} == assess_all(given, other, Matching(Policy(), 85))
