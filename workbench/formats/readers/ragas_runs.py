"""What a ragas metric did: metric annotations with edited answers, and the traces of an evaluation.

Runs of different rows stand mixed in traces, so that the whole tree is held while it is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.errors import RowError
from workbench.formats.columns import REQUIRED, is_number, number_cell, number_texts
from workbench.formats.json_lines import RawRow
from workbench.formats.readers import native
from workbench.formats.rows import OBJECT, FileRow, Notes, as_object, optional_object, shown, strings, wrong
from workbench.model import JsonObject, Proposal, ProposedEntity, ProposedStatement, Record

PROMPTS = ("extract_entities_prompt", "text_entity_extraction")
PROPOSER, EDITED = "ragas", "edited"
METRIC = "context_entity_recall"  # of annotations that name none


def is_annotation(row: JsonObject) -> bool:
    """Whether an object is a call of a metric that a person may have edited."""
    return type(row.get("metric_input")) is dict


def is_trace(row: JsonObject) -> bool:
    """Whether an object is a run of the tracer."""
    return "run_id" in row and "parent_run_id" in row


def annotation_rows(given: Iterator[RawRow], path: Path, notes: Notes) -> Iterator[FileRow]:
    """A row for each sample; neighbours of the same texts are one, with the entities of both calls."""
    before: FileRow | None = None
    for row in native.rows(_without_second(given), path, notes, _annotation_record):
        joined = None if before is None else _joined(before, row)
        if before is not None and joined is None:
            yield before
        before = joined or row
    if before is not None:
        yield before


def _without_second(given: Iterator[RawRow]) -> Iterator[RawRow]:
    """Without the second sample of a row of our export, which came whole with the first."""
    exported: Any = None
    for raw in given:
        row = raw.value or {}
        if exported is None or row.get("metric_input") != exported:
            exported = row.get("metric_input") if OBJECT in row else None
            row["_metric"] = METRIC if raw.within in ("", "samples") else raw.within
            yield raw


def _joined(first: FileRow, second: FileRow) -> FileRow | None:
    record, other = first.record, second.record
    if record is None or other is None or record.sample.content_hash != other.sample.content_hash:
        return None
    by_model: dict[str, Proposal] = {}
    for proposal in (*record.proposals, *other.proposals):
        known = by_model.setdefault(proposal.model, proposal)
        by_model[proposal.model] = replace(
            known,
            reference_entities=known.reference_entities or proposal.reference_entities,
            context_entities=known.context_entities or proposal.context_entities,
        )
    scores = {**other.scores, **record.scores}
    return replace(first, record=replace(record, proposals=tuple(by_model.values()), scores=scores))


def _annotation_record(row: JsonObject, notes: Notes) -> Record:
    expected = "an object with reference and retrieved_contexts"
    given = as_object(row.get("metric_input"), "metric_input", expected)
    if (attached := row.get(OBJECT, given.get(OBJECT))) is not None:
        return _ours(attached, row, given, notes)
    named = {name: row[name] for name in REQUIRED if name in row}  # by --map
    fields = {
        name: value
        for name, value in {**given, **named}.items()
        if name in (*REQUIRED, "response", "id") and value is not None
    }
    fields.setdefault("user_input", "")
    other = {name: value for name, value in given.items() if name not in fields and value is not None}
    if row.get("is_accepted") is False:
        notes.counted["is_accepted false: imported anyway"] += 1
    if row.get("target") is not None:
        other["target"] = row["target"]
    record = native.build(fields, notes, _annotation_score(row, notes), other)
    return replace(record, proposals=_annotation_proposals(row, record))


def _ours(attached: Any, row: JsonObject, given: JsonObject, notes: Notes) -> Record:
    """The native row that our export left here; entities that were edited since in place of its gold."""
    fields = {name: given[name] for name in REQUIRED if given.get(name) is not None}
    record = native.record(attached, fields, notes).record
    proposals = _annotation_proposals(row, record)
    answers = [
        proposal.reference_entities for proposal in proposals if proposal.reference_entities is not None
    ]
    if not answers or not any(gold.entities is not None for gold in record.gold):
        return record
    now = sorted(entity.text for entity in answers[-1])  # what was edited stands last
    if any(now == sorted(unit.text for unit in gold.entities or ()) for gold in record.gold):
        return record
    notes.counted["entities were edited after the export: they came as a proposal, without its gold"] += 1
    return replace(record, gold=(), proposals=proposals)


def _annotation_score(row: JsonObject, notes: Notes) -> dict[str, str]:
    metric = row["_metric"]
    if (number := number_cell(row.get("metric_output"), metric)) is None:
        notes.failed[metric] += 1
        return {}
    if not is_number(number):
        raise wrong("metric_output", number, "a number")
    return number_texts({metric: number})


def _annotation_proposals(row: JsonObject, record: Record) -> tuple[Proposal, ...]:
    """What the metric's prompt answered for the reference or the contexts, and the edited answer."""
    proposals = []
    prompts = optional_object(row, "prompts")
    for name in PROMPTS:
        where = f"prompts.{name}"
        prompt = optional_object(prompts, name, where)
        asked = prompt.get("prompt_input")
        text = asked.get("text") if type(asked) is dict else None
        for key, model in (("prompt_output", ""), ("edited_output", EDITED)):
            if (answer := prompt.get(key)) is None:
                continue
            path = f"{where}.{key}"
            entities = as_object(answer, path, "an object with entities").get("entities")
            surfaces = strings(entities, f"{path}.entities")
            surfaces = [surface for surface in surfaces if surface.strip()]
            if text is None or text == record.sample.reference:
                proposal = Proposal(PROPOSER, model, tuple(map(ProposedEntity, surfaces)))
            else:
                contexts = by_context(surfaces, record.sample.retrieved_contexts)
                proposal = Proposal(PROPOSER, model, context_entities=contexts)
            proposals.append(proposal)
    return tuple(proposals)


def by_context(surfaces: list[str], contexts: tuple[str, ...]) -> tuple[tuple[ProposedEntity, ...], ...]:
    """Entities of all contexts together, each with the first context that has it; others with the first."""
    places: list[list[ProposedEntity]] = [[] for _ in contexts]
    for text in surfaces:
        index = next((i for i, context in enumerate(contexts) if text in context), 0)
        if places:
            places[index].append(ProposedEntity(text))
    return tuple(tuple(entities) for entities in places)


@dataclass(slots=True)
class _Run:
    """A run with those that it started."""

    given: RawRow
    value: JsonObject
    below: list[_Run] = field(default_factory=list)

    def part(self, key: str) -> JsonObject:
        """An object of the run; an empty one when there is none."""
        value = self.value.get(key)
        return value if type(value) is dict else {}


def trace_rows(given: Iterator[RawRow], path: Path, notes: Notes) -> Iterator[FileRow]:
    """A row for each row of the evaluation, in its order; an item that is no run is a bad row."""
    runs: dict[str, _Run] = {}
    others: list[RawRow] = []
    for raw in given:
        name = raw.value.get("run_id") if raw.value is not None else None
        if raw.value is not None and type(name) is str:
            runs[name] = _Run(raw, raw.value)
        else:
            error = raw.error or RowError("run_id", shown(name), "a string")
            others.append(raw._replace(value=None, error=error))
    for run in runs.values():
        parent = run.value.get("parent_run_id")
        if type(parent) is str and parent in runs:
            runs[parent].below.append(run)
    rows = sorted((run for run in runs.values() if run.part("metadata").get("type") == "row"), key=_index)

    def build(row: JsonObject, notes: Notes) -> Record:
        return _trace_record(runs[row["run_id"]], notes)

    return native.rows(iter([*others, *(run.given for run in rows)]), path, notes, build)


def _index(run: _Run) -> int:
    index = run.part("metadata").get("row_index")
    return index if type(index) is int else run.given.line


def _trace_record(run: _Run, notes: Notes) -> Record:
    inputs = run.value.get("inputs")
    if type(inputs) is not dict:
        raise RowError("inputs", shown(inputs), "the sample of the row")
    fields = {name: inputs[name] for name in (*REQUIRED, "response") if inputs.get(name) is not None}
    other = {name: value for name, value in inputs.items() if name not in fields and value is not None}
    scores: dict[str, str] = {}
    for metric in run.below:
        name: Any = metric.value.get("name")
        number: Any = metric.part("outputs").get("output")
        if type(name) is not str or metric.part("metadata").get("type") not in (None, "metric"):
            continue
        if is_number(number := number_cell(number, name)):
            scores |= number_texts({name: number})
        else:
            notes.failed[name] += 1
    record = native.build(fields, notes, scores, other)
    notes.ignored["of runs below a row: all but name, score and answers"] += bool(run.below)
    return replace(record, proposals=tuple(_trace_proposals(run, record)))


def _trace_proposals(row: _Run, record: Record) -> Iterator[Proposal]:
    """What was extracted from the reference and from the contexts, told apart by the text asked of (the
    reference is asked of first), and the statements of the reference with what was said of each."""
    reference = record.sample.reference
    of_reference: tuple[ProposedEntity, ...] | None = None
    of_contexts: tuple[tuple[ProposedEntity, ...], ...] | None = None
    statements: tuple[ProposedStatement, ...] | None = None
    for run in _under(row):
        answers = run.part("outputs").get("output")
        asked, answer = _first(run.part("inputs").get("data")), _first(answers)
        if type(asked) is not dict or type(answer) is not dict:
            continue
        if type(answer.get("classifications")) is list and asked.get("answer") == reference:
            statements = _statements(answers if type(answers) is list else [answers])
        elif type(entities := answer.get("entities")) is list:
            surfaces = [text for text in entities if type(text) is str and text.strip()]
            if asked.get("text") == reference and of_reference is None:
                of_reference = tuple(map(ProposedEntity, surfaces))
            else:
                of_contexts = by_context(surfaces, record.sample.retrieved_contexts)
    if (of_reference, of_contexts, statements) != (None, None, None):
        yield Proposal(PROPOSER, "", of_reference, of_contexts, statements)


def _statements(answers: list[Any]) -> tuple[ProposedStatement, ...] | None:
    """What context recall was answered; of several answers, as ragas does it, the first with the verdicts of
    most, or the first alone where they are not as long. None where an item is none of a classification.
    """
    lists = [answer.get("classifications") for answer in answers if type(answer) is dict]
    items = [statement for listed in lists if type(listed) is list for statement in listed]
    if not all(type(item) is dict and type(item.get("attributed")) in (int, bool) for item in items):
        return None
    if any(type(item.get("statement")) is not str or not item["statement"].strip() for item in items):
        return None
    alike = [listed for listed in lists if type(listed) is list]
    if any(len(listed) != len(alike[0]) for listed in alike):
        alike = alike[:1]
    statements = []
    for first, *others in zip(*alike, strict=True):
        votes = Counter(bool(statement["attributed"]) for statement in (first, *others))
        verdict = "found" if votes.most_common(1)[0][0] else "missing"
        reason = first.get("reason")
        statements.append(
            ProposedStatement(first["statement"], verdict, reason=reason if type(reason) is str else None)
        )
    return tuple(statements)


def _first(value: Any) -> Any:
    return value[0] if type(value) is list and value else value


def _under(run: _Run) -> Iterator[_Run]:
    """All runs below one, however deep; a run that a file puts below itself ends it."""
    seen = {id(run)}
    waiting = list(run.below)
    while waiting:
        child = waiting.pop(0)
        if id(child) not in seen:
            seen.add(id(child))
            yield child
            waiting += child.below
