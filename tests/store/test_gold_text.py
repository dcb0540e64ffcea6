"""The JSON that imports write is the JSON that everything else writes."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.model import KINDS, VERDICTS, Assessment, Evidence, Kind, Match, Span, Unit
from workbench.reviewing.documents import edit_document, unit_document
from workbench.reviewing.edits import Accept
from workbench.store.gold_rows import accept_text, unit_text

TEXT = st.text(max_size=6) | st.sampled_from(['"', "\\", "\n\t\x7f\x1f", "«Ёж»", "\u2028", "🏛", '"units":[]'])
NUMBER = st.integers(0, 5)
MATCH = st.builds(
    Match,
    verdict=st.sampled_from([*VERDICTS, None]),
    reason=st.sampled_from(["partial", None]),
    evidence=st.lists(st.builds(Evidence, NUMBER, NUMBER, NUMBER), max_size=2).map(tuple),
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
        spans=st.lists(st.builds(Span, NUMBER, NUMBER), max_size=3).map(tuple),
        match=MATCH,
        origin=st.sampled_from(["human", "imported"]),
        rejected=st.booleans(),
        duplicate_of=TEXT,
        original_label=TEXT,
        proposed=TEXT,
    )


def encoded(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


@settings(deadline=None)  # the first of a loaded machine took .27 s
@given(st.sampled_from(KINDS).flatmap(units))
def test_the_text_of_a_unit_is_its_document_encoded(unit: Unit) -> None:
    assert unit_text(unit) == encoded(unit_document(unit))


@settings(deadline=None)  # the first of a loaded machine took .27 s
@given(st.sampled_from(KINDS), TEXT, st.data())
def test_the_text_of_an_accept_is_its_document_encoded(kind: Kind, source: str, data: st.DataObject) -> None:
    accepted = Assessment(kind, source, tuple(data.draw(st.lists(units(kind), max_size=2))))

    text = accept_text(accepted, map(unit_text, accepted.units))

    assert ("accept", text) == (
        edit_document(Accept(accepted))[0],
        encoded(edit_document(Accept(accepted))[1]),
    )
