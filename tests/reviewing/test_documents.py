"""Nouns and edits survive the trip through JSON, whatever they hold."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

from workbench.model import (
    KINDS,
    REASONS,
    VERDICTS,
    Assessment,
    Evidence,
    Kind,
    Label,
    Match,
    Policy,
    Proposal,
    ProposedEntity,
    ProposedStatement,
    Span,
    Unit,
)
from workbench.reviewing.documents import (
    assessment_document,
    assessment_of,
    edit_document,
    edit_of,
    policy_document,
    policy_of,
    proposal_document,
    proposal_of,
    unit_document,
    unit_of,
)
from workbench.reviewing.edits import Accept, Comment, Dispose, Flag, Open, Put, Redo, Undo, What

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBER = st.integers(0, 50)
SPAN = st.builds(Span, NUMBER, NUMBER)
MATCH = st.builds(
    Match,
    verdict=st.sampled_from([*VERDICTS, None]),
    reason=st.sampled_from([*REASONS, None]),
    evidence=st.lists(st.builds(Evidence, NUMBER, NUMBER, NUMBER), max_size=3).map(tuple),
    similarity=st.integers(0, 100),
    rule=TEXT,
    nested=st.booleans(),
    note=TEXT,
)


def units(kind: Kind) -> st.SearchStrategy[Unit]:
    return st.builds(
        Unit,
        id=TEXT,
        kind=st.just(kind),
        text=TEXT,
        label=TEXT,
        spans=st.lists(SPAN, max_size=3).map(tuple),
        match=MATCH,
        origin=st.sampled_from(["proposed", "human", "imported", "carried"]),
        rejected=st.booleans(),
        duplicate_of=TEXT,
        original_label=TEXT,
        proposed=TEXT,
    )


UNIT = st.sampled_from(KINDS).flatmap(units)
ASSESSMENT = st.sampled_from(KINDS).flatmap(
    lambda kind: st.builds(Assessment, st.just(kind), TEXT, st.lists(units(kind), max_size=3).map(tuple))
)
PUT = st.sampled_from(KINDS).flatmap(
    lambda kind: st.builds(
        Put, st.sampled_from(get_args(What)), st.just(kind), st.lists(units(kind), max_size=3).map(tuple)
    )
)
EDIT = st.one_of(
    PUT,
    st.builds(Accept, ASSESSMENT, fast=st.booleans()),
    st.builds(
        Dispose,
        st.sampled_from(["todo", "skipped", "excluded"]),
        st.lists(st.sampled_from(KINDS), max_size=2).map(tuple),
        TEXT,
    ),
    st.builds(Flag, TEXT),
    st.builds(Comment, TEXT),
    st.builds(Undo, TEXT),
    st.builds(Redo, TEXT),
    st.builds(
        Open,
        proposal=st.none() | NUMBER,
        matcher=TEXT,
        threshold=NUMBER,
        policy=NUMBER,
        shown=st.sampled_from(["assisted", "blind", "import"]),
        auto_shown=st.booleans(),
        assessments=st.lists(ASSESSMENT, max_size=2).map(tuple),
        rematch=st.booleans(),
    ),
)
ENTITY = st.builds(ProposedEntity, TEXT, TEXT, st.none() | NUMBER, st.none() | NUMBER)
STATEMENT = st.builds(
    ProposedStatement, TEXT, *[st.none() | TEXT], st.none() | NUMBER, st.none() | TEXT, st.none() | TEXT
)
PROPOSAL = st.builds(
    Proposal,
    TEXT,
    TEXT,
    st.none() | st.lists(ENTITY, max_size=3).map(tuple),
    st.none() | st.lists(st.lists(ENTITY, max_size=2).map(tuple), max_size=3).map(tuple),
    st.none() | st.lists(STATEMENT, max_size=3).map(tuple),
)


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value, ensure_ascii=False))


@given(UNIT)
def test_a_unit_survives(unit: Unit) -> None:
    """Every field of a unit and its match comes back; defaults are not written."""
    assert unit_of(through_json(unit_document(unit)), unit.kind) == unit


@given(ASSESSMENT)
def test_an_assessment_survives(assessment: Assessment) -> None:
    """Kind, source and units in order."""
    assert assessment_of(through_json(assessment_document(assessment))) == assessment


@given(EDIT)
def test_an_edit_survives(edit: Any) -> None:
    """Every kind of edit is a name and a document, and the same edit again."""
    op, data = edit_document(edit)

    assert edit_of(op, through_json(data)) == edit


@given(PROPOSAL)
def test_a_proposal_survives(proposal: Proposal) -> None:
    """Not asked (None) and asked in vain (()) stay apart."""
    assert proposal_of(through_json(proposal_document(proposal))) == proposal


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

    assert policy_of(through_json(policy_document(policy)), 3) == policy


def test_an_unknown_operation_is_refused() -> None:
    """A journal of a later version is not silently shortened."""
    with pytest.raises(ValueError, match="unknown operation 'paint'"):
        edit_of("paint", {})


def test_a_plain_unit_is_a_short_document() -> None:
    """An edit costs some 200 bytes in the journal, not a page; a span at 0 is not mistaken for none."""
    unit = Unit("p1", "entity", "Rome", label="place", spans=(Span(0, 4),), match=Match("missing", "absent"))

    assert unit_document(unit) == {
        "id": "p1", "text": "Rome", "label": "place", "start": 0, "end": 4,
        "verdict": "missing", "reason": "absent", "origin": "proposed",
    }  # fmt: skip
