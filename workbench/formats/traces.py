"""ragas traces: the tree of runs of an evaluation, as its tracer writes it, for proposals and scores.

Runs of different rows stand mixed, so that the whole tree is held while it is read.
"""

from __future__ import annotations

from collections import Counter
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
from workbench.model import Proposal, ProposedEntity, ProposedStatement, Record


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
    """What was extracted from the reference and from the contexts, told apart by the text asked of (the
    reference is asked of first), and the statements of the reference with what was said of each."""
    reference = record.sample.reference
    of_reference: tuple[ProposedEntity, ...] | None = None
    of_contexts: tuple[tuple[ProposedEntity, ...], ...] | None = None
    statements: tuple[ProposedStatement, ...] | None = None
    for run in _under(row):
        inputs, outputs = run.value.get("inputs"), run.value.get("outputs")
        asked = _first(inputs.get("data")) if type(inputs) is dict else None
        answers = outputs.get("output") if type(outputs) is dict else None
        answer = _first(answers)
        if type(asked) is not dict or type(answer) is not dict:
            continue
        if type(answer.get("classifications")) is list and asked.get("answer") == reference:
            statements = _statements(answers if type(answers) is list else [answers])
        elif type(entities := answer.get("entities")) is list:
            said = [text for text in entities if type(text) is str and text.strip()]
            if asked.get("text") == reference and of_reference is None:
                of_reference = tuple(ProposedEntity(text) for text in said)
            else:
                of_contexts = by_context(said, record.sample.retrieved_contexts)
    if of_reference is None and of_contexts is None and statements is None:
        return None
    return Proposal(PROPOSER, "", of_reference, of_contexts, statements)


def _statements(answers: list[Any]) -> tuple[ProposedStatement, ...] | None:
    """What context recall was answered; of several answers, as ragas does it, the first with the verdicts of
    most, or the first alone where they are not as long. None where an item is none of a classification.
    """
    lists = [one.get("classifications") for one in answers if type(one) is dict]
    items = [one for listed in lists if type(listed) is list for one in listed]
    if not all(type(one) is dict and type(one.get("attributed")) in (int, bool) for one in items):
        return None
    if any(type(one.get("statement")) is not str or not one["statement"].strip() for one in items):
        return None
    alike = [listed for listed in lists if type(listed) is list]
    if any(len(listed) != len(alike[0]) for listed in alike):
        alike = alike[:1]
    found = []
    for first, *others in zip(*alike, strict=True):
        votes = Counter(bool(one["attributed"]) for one in (first, *others))
        verdict = "found" if votes.most_common(1)[0][0] else "missing"
        reason = first.get("reason")
        found.append(
            ProposedStatement(first["statement"], verdict, reason=reason if type(reason) is str else None)
        )
    return tuple(found)


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
