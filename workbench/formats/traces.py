"""ragas traces: the tree of runs of an evaluation, as its tracer writes it, for proposals and scores.

Runs of different rows stand mixed, so that the whole tree is held while it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from workbench.errors import RowError
from workbench.formats import native
from workbench.formats.columns import number_texts
from workbench.formats.metric_annotations import PROPOSER, by_context
from workbench.formats.objects import as_written
from workbench.formats.rows import Notes, Row, refused, shown
from workbench.formats.stream import Given
from workbench.model import Proposal, ProposedEntity, Record


@dataclass(slots=True)
class _Run:
    """What is kept of a run."""

    line: int
    raw: str
    value: dict[str, Any]
    below: list[_Run] = field(default_factory=list)


def rows(given: Iterator[Given], path: Path, notes: Notes) -> Iterator[Row]:
    """A row for each row of the evaluation, in its order; an item that is no run is a bad row."""
    runs: dict[str, _Run] = {}
    for one in given:
        notes.line = one.line
        name = one.value.get("run_id") if one.value is not None else None
        if one.value is None or type(name) is not str:
            error = one.error or RowError("run_id", shown(name), "a string")
            yield Row(one.line, None, refused(error, path, one.line), one.raw)
            continue
        runs[name] = _Run(one.line, one.raw, one.value)
    for run in runs.values():
        parent = run.value.get("parent_run_id")
        if type(parent) is str and parent in runs:
            runs[parent].below.append(run)
    for run in sorted(filter(_is_row, runs.values()), key=_index):
        notes.line = run.line
        try:
            yield Row(run.line, _record(run, notes), None, run.raw)
        except (RowError, RecursionError) as error:
            yield Row(run.line, None, refused(error, path, run.line), run.raw)


def _metadata(run: _Run) -> dict[str, Any]:
    given = run.value.get("metadata")
    return given if type(given) is dict else {}


def _is_row(run: _Run) -> bool:
    return _metadata(run).get("type") == "row"


def _index(run: _Run) -> int:
    given = _metadata(run).get("row_index")
    return given if type(given) is int else run.line


def _record(run: _Run, notes: Notes) -> Record:
    inputs = run.value.get("inputs")
    if type(inputs) is not dict:
        raise RowError("inputs", shown(inputs), "the sample of the row")
    fields = {name: inputs[name] for name in (*native.REQUIRED, "response") if inputs.get(name) is not None}
    other = {name: value for name, value in inputs.items() if name not in fields and value is not None}
    scores: dict[str, str] = {}
    for metric in run.below:
        scores |= _score(metric, notes)
    record = native.build(fields, notes, scores, other)
    proposal = _proposal(run, record)
    return record if proposal is None else replace(record, proposal=proposal)


def _score(run: _Run, notes: Notes) -> dict[str, str]:
    name, outputs = run.value.get("name"), run.value.get("outputs")
    if type(name) is not str or _metadata(run).get("type") not in (None, "metric"):
        return {}
    number = outputs.get("output") if type(outputs) is dict else None
    if type(number) is not int and type(number) is not float:
        notes.failed[name] += 1
        return {}
    notes.scores[name] += 1
    return number_texts({name: number}, partial(_written, run.raw, name))


def _written(raw: str, name: str) -> dict[str, Any]:
    return {name: as_written(raw)["outputs"]["output"]}


def _proposal(row: _Run, record: Record) -> Proposal | None:
    """What was extracted from the reference and from the contexts, told apart by the text asked of."""
    of_reference: tuple[ProposedEntity, ...] | None = None
    of_contexts: tuple[tuple[ProposedEntity, ...], ...] | None = None
    for run in _under(row):
        inputs, outputs = run.value.get("inputs"), run.value.get("outputs")
        asked = _first(inputs.get("data")) if type(inputs) is dict else None
        answer = _first(outputs.get("output")) if type(outputs) is dict else None
        entities = answer.get("entities") if type(answer) is dict else None
        if type(asked) is not dict or type(entities) is not list:
            continue
        said = [text for text in entities if type(text) is str and text.strip()]
        if asked.get("text") == record.sample.reference:
            of_reference = tuple(ProposedEntity(text) for text in said)
        else:
            of_contexts = by_context(said, record.sample.retrieved_contexts)
    if of_reference is None and of_contexts is None:
        return None
    return Proposal(PROPOSER, "", of_reference, of_contexts)


def _first(value: Any) -> Any:
    return value[0] if type(value) is list and value else value


def _under(run: _Run) -> Iterator[_Run]:
    """All runs below one, however deep; a run that a file puts below itself ends it."""
    seen = {id(run)}
    waiting = list(run.below)
    while waiting:
        one = waiting.pop(0)
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += one.below
