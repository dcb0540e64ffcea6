"""Nouns and edits survive the trip through JSON, whatever they hold."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from workbench.model import Assessment, Label, Match, Policy, Proposal, Span, Unit
from workbench.reviewing import documents
from workbench.reviewing.edits import Accept, Comment, Dispose, Flag, Open, Put, Redo, Undo


def of_one_kind(holder: Any) -> Any:
    """An assessment or a put whose units are of its own kind."""
    return replace(holder, units=tuple(replace(unit, kind=holder.kind) for unit in holder.units))


ASSESSMENT = st.from_type(Assessment).map(of_one_kind)
EDIT = st.one_of(
    st.from_type(Put).map(of_one_kind),
    st.builds(Accept, ASSESSMENT, fast=..., policy=..., adjudicated=...),
    st.builds(replace, st.from_type(Open), assessments=st.lists(ASSESSMENT, max_size=2).map(tuple)),
    st.builds(Dispose, st.sampled_from(["todo", "skipped", "excluded"]), reason=..., replaced=...),
    *map(st.from_type, (Flag, Comment, Undo, Redo)),
)


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value, ensure_ascii=False))


@given(st.from_type(Unit))
def test_a_unit_survives(unit: Unit) -> None:
    """Every field of a unit and its match comes back; defaults are not written."""
    assert documents.unit_of(through_json(documents.unit_document(unit)), unit.kind) == unit


@given(ASSESSMENT)
def test_an_assessment_survives(assessment: Assessment) -> None:
    """Kind, source and units in order."""
    assert documents.assessment_of(through_json(documents.assessment_document(assessment))) == assessment


@given(EDIT)
def test_an_edit_survives(edit: Any) -> None:
    """Every kind of edit is a name and a document, and the same edit again."""
    op, data = documents.edit_document(edit)

    assert documents.edit_of(op, through_json(data)) == edit


@given(st.from_type(Proposal))
def test_a_proposal_survives(proposal: Proposal) -> None:
    """Not asked (None) and asked in vain (()) stay apart."""
    assert documents.proposal_of(through_json(documents.proposal_document(proposal))) == proposal


def test_a_policy_survives_without_its_version() -> None:
    """The store gives the version."""
    policy = Policy(
        version=3,
        labels=(Label("2", "место"), Label("1", "лицо")),
        guidelines="Line\nline",
        kinds=("statement", "entity"),
        counted_labels=("лицо",),
        nested="found",
        partial="missing",
    )

    assert documents.policy_of(through_json(documents.policy_document(policy)), 3) == policy


def test_an_unknown_operation_is_refused() -> None:
    """A journal of a later version is not silently shortened."""
    with pytest.raises(ValueError, match="unknown operation 'paint'"):
        documents.edit_of("paint", {})


def test_a_plain_unit_is_a_short_document() -> None:
    """An edit costs some 200 bytes in the journal, not a page; a span at 0 is not mistaken for none."""
    unit = Unit("p1", "entity", "Rome", label="place", spans=(Span(0, 4),), match=Match("missing", "absent"))

    assert documents.unit_document(unit) == {
        "id": "p1", "text": "Rome", "label": "place", "start": 0, "end": 4,
        "verdict": "missing", "reason": "absent", "origin": "proposed",
    }  # fmt: skip
