"""What is kept of a sample counts to what its assessments say, under every threshold."""

from __future__ import annotations

from importlib.resources import as_file, files

import pytest

from workbench.formats.json_lines import of_lines
from workbench.formats.readers import native
from workbench.formats.rows import Notes
from workbench.model import Policy, Proposal, ProposedEntity, Record, Sample, count
from workbench.scoring.names import SCORERS
from workbench.scoring.scorers import assess_all, counted


def demo() -> list[Record]:
    with as_file(files("workbench.demo_data").joinpath("demo.jsonl")) as path:
        return [
            row.record for row in native.rows(of_lines(path), path, Notes(), native.record_of) if row.record
        ]


POLICIES = {
    "default": Policy(),
    "nested names are found": Policy(nested="found"),
    "only people and places count": Policy(counted_labels=("person", "place")),
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("threshold", [60, 75, 85, 94, 100])
def test_what_is_kept_counts_to_the_assessments(policy: Policy, threshold: int) -> None:
    for record in demo():
        assert record.proposal is not None
        found = assess_all(record.sample, record.proposal, policy, threshold=threshold, evidence=False)
        expected = {name: count(assessment.units) for name, assessment in found.items()}

        assert expected == counted(record.sample, record.proposal, policy).tallies(threshold)


@pytest.mark.parametrize("only", SCORERS)
def test_one_scorer_alone_says_what_it_says_among_all(only: str) -> None:
    for record in demo():
        assert record.proposal is not None
        every = assess_all(record.sample, record.proposal, Policy(), threshold=85)
        alone = assess_all(record.sample, record.proposal, Policy(), threshold=85, only=only)

        assert {name: said for name, said in every.items() if name == only} == alone


def test_what_was_not_asked_is_not_counted() -> None:
    sample = Sample("a", "?", "Paris.", ("Paris",))

    assert {} == counted(sample, Proposal("x"), Policy()).tallies(85)
    only_reference = Proposal("x", "", (ProposedEntity("Paris"),))
    assert ["presence"] == list(counted(sample, only_reference, Policy()).tallies(85))


def test_a_near_name_is_a_suggestion_and_never_counted() -> None:
    sample = Sample("a", "?", "Anna Petersen came.", ("There was Anna Peterson.",))
    proposal = Proposal(
        "x", "", (ProposedEntity("Anna Petersen", "person"),), ((ProposedEntity("Anna Peterson", "person"),),)
    )
    unit = assess_all(sample, proposal, Policy(), threshold=95)["linked"].units[0]

    assert unit.match.verdict == "missing"
    assert unit.match.similarity >= 75
    assert unit.match.note == "perhaps Anna Peterson"


def test_a_name_that_stood_first_with_a_label_that_does_not_count_is_no_unit() -> None:
    """The first label decides, as it does for a duplicate."""
    sample = Sample("a", "?", "Paris is nice.", ("Paris.",))
    names = (ProposedEntity("Paris", "place"), ProposedEntity("Paris", "person"))
    proposal = Proposal("x", "", names, ((ProposedEntity("Paris", "person"),),))

    found = assess_all(sample, proposal, Policy(counted_labels=("person",)), threshold=85)

    assert ((), ()) == (found["linked"].units, found["presence"].units)
