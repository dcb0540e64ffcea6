"""Verified units as rows of `gold_unit`, each checked against the text that it quotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session

from workbench.errors import SpanError
from workbench.model import Sample, Unit
from workbench.reviewing.documents import unit_document
from workbench.store.engine import insert_tuples
from workbench.store.tables import METADATA
from workbench.text.json_text import stored

GoldRow = tuple[Any, ...]

_COLUMNS = (
    "dataset_id", "sample_id", "review_id", "annotator", "kind", "position", "unit", "text", "label", "start",
    "end", "verdict", "reason", "rule", "document",
)  # fmt: skip


def insert_gold(session: Session, rows: Sequence[GoldRow]) -> None:
    """Write what `gold_rows` gives."""
    insert_tuples(session, METADATA.tables["gold_unit"], _COLUMNS, rows)


def gold_rows(
    units: Sequence[Unit],
    sample: Sample,
    dataset_id: int,
    sample_id: int,
    review_id: int,
    annotator: str,
) -> list[GoldRow]:
    """The rows of verified units, spans checked against the text.

    Raises SpanError for a span outside the reference, a principal span that does not read as the
    unit's text, or evidence outside its context.
    """
    rows = []
    for position, unit in enumerate(units):
        check_spans(unit, sample)
        match, start, end = unit.match, None, None
        if unit.spans:
            start, end = unit.spans[0].start, unit.spans[0].end
        rows.append(
            (
                dataset_id, sample_id, review_id, annotator, unit.kind, position, unit.id, unit.text,
                unit.label, start, end, match.verdict or "unsure", match.reason, match.rule,
                stored(unit_document(unit)),
            )
        )  # fmt: skip
    return rows


def check_spans(unit: Unit, sample: Sample) -> None:
    """Check that every span lies in its text and that an entity's principal span reads as its text.

    Raises SpanError otherwise.
    """
    reference = sample.reference
    for span in unit.spans:
        if not 0 <= span.start < span.end <= len(reference):
            raise SpanError(f"{_name(unit)} at {span.start}:{span.end} lies outside the reference")
    if unit.kind == "entity" and unit.spans:
        surface = reference[unit.spans[0].start : unit.spans[0].end]
        if surface != unit.text:
            raise SpanError(f"{_name(unit)} stands at a place that reads {surface[:60]!r}")
    for place in unit.match.evidence:
        contexts = sample.retrieved_contexts
        inside = 0 <= place.context < len(contexts)
        if not inside or not 0 <= place.start < place.end <= len(contexts[place.context]):
            where = f"{place.start}:{place.end} of context {place.context}"
            raise SpanError(f"the evidence of {_name(unit)} lies outside its text: {where}")


def _name(unit: Unit) -> str:
    return repr(unit.text[:60])
