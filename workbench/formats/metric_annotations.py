"""ragas metric annotations: what a metric asked and answered, and how a person edited the answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from workbench.errors import RowError
from workbench.formats import native, ours
from workbench.formats.columns import number_texts
from workbench.formats.fields import as_list
from workbench.formats.objects import as_written
from workbench.formats.rows import Notes, Row, refused, wrong
from workbench.formats.stream import Given
from workbench.model import Proposal, ProposedEntity, Record

PROMPTS = ("extract_entities_prompt", "text_entity_extraction")
PROPOSER, EDITED = "ragas", "edited"


def rows(given: Iterator[Given], path: Path, metric: str, notes: Notes) -> Iterator[Row]:
    """A row for each sample; neighbours of the same texts are one, with the entities of both calls."""
    before: Row | None = None
    of_ours: Any = None
    for one in given:
        notes.line, notes.item = one.line, one.item
        if of_ours is not None and one.value is not None and one.value.get("metric_input") == of_ours:
            continue  # the second sample of a row that came whole with the first
        if one.value is None:
            row = Row(one.line, None, one.error, one.raw, one.item)
        else:
            try:
                row = Row(one.line, _record(one.value, one.raw, metric, notes), None, one.raw, one.item)
            except (RowError, RecursionError) as error:
                row = Row(one.line, None, refused(error, path, one.line, one.item), one.raw, one.item)
        if before is not None:
            joined = _joined(before, row)
            if joined is not None:
                before = joined
                continue
            yield before
        before = row
        is_ours = one.value is not None and ours.OBJECT in one.value
        of_ours = one.value.get("metric_input") if one.value is not None and is_ours else None
    if before is not None:
        yield before


def _joined(first: Row, second: Row) -> Row | None:
    one, other = first.record, second.record
    if one is None or other is None or one.sample.content_hash != other.sample.content_hash:
        return None
    said: dict[str, Proposal] = {}
    for proposal in (one.proposal, *one.others, other.proposal, *other.others):
        if proposal is None:
            continue
        known = said.get(proposal.model)
        said[proposal.model] = (
            proposal
            if known is None
            else replace(
                known,
                reference_entities=known.reference_entities or proposal.reference_entities,
                context_entities=known.context_entities or proposal.context_entities,
            )
        )
    proposals = tuple(said.values())
    record = replace(one, proposal=proposals[0] if proposals else None, others=proposals[1:])
    return replace(first, record=replace(record, scores={**other.scores, **one.scores}))


def _record(row: dict[str, Any], raw: str, metric: str, notes: Notes) -> Record:
    given = row.get("metric_input")
    if type(given) is not dict:
        raise wrong("metric_input", given, "an object with reference and retrieved_contexts")
    if (attached := row.get(ours.OBJECT, given.get(ours.OBJECT))) is not None:
        return _ours(attached, row, given, raw, notes)
    fields = {
        name: given[name] for name in (*native.REQUIRED, "response", "id") if given.get(name) is not None
    }
    fields.setdefault("user_input", "")
    other = {name: value for name, value in given.items() if name not in fields and value is not None}
    if row.get("is_accepted") is False:
        notes.counted["is_accepted false: its proposal came in all the same"] += 1
    if row.get("target") is not None:
        other["target"] = row["target"]
    sample = native.build(fields, notes, _score(row, raw, metric, notes), other)
    proposals = _proposals(row, sample)
    return replace(sample, proposal=proposals[0] if proposals else None, others=tuple(proposals[1:]))


def _ours(attached: Any, row: dict[str, Any], given: dict[str, Any], raw: str, notes: Notes) -> Record:
    """The native row that our export left here; entities that were edited since in place of its gold."""
    fields = {name: given[name] for name in native.REQUIRED if given.get(name) is not None}
    found = ours.record(attached, fields, partial(_again, raw), notes).record
    proposals = _proposals(row, found)
    said = [one.reference_entities for one in proposals if one.reference_entities is not None]
    if not said or not any(gold.entities is not None for gold in found.gold):
        return found
    now = sorted(one.text for one in said[-1])  # what was edited stands last
    if any(now == sorted(unit.text for unit in gold.entities or ()) for gold in found.gold):
        return found
    notes.counted["entities were edited after the export: they came as a proposal, without its gold"] += 1
    return replace(found, gold=(), proposal=proposals[0], others=tuple(proposals[1:]))


def _score(row: dict[str, Any], raw: str, metric: str, notes: Notes) -> dict[str, str]:
    number = row.get("metric_output")
    if number is None:
        notes.failed[metric] += 1
        return {}
    if not native.is_number(number):
        raise wrong("metric_output", number, "a number")
    notes.scores[metric] += 1
    return number_texts({metric: number}, lambda: {metric: as_written(raw)["metric_output"]})


def _proposals(row: dict[str, Any], record: Record) -> list[Proposal]:
    """What the metric's prompt answered for the reference or the contexts, and the edited answer."""
    prompts = row.get("prompts")
    if prompts is None:
        return []
    if type(prompts) is not dict:
        raise wrong("prompts", prompts, "an object")
    found = []
    for name in PROMPTS:
        prompt = prompts.get(name)
        if prompt is None:
            continue
        where = f"prompts.{name}"
        if type(prompt) is not dict:
            raise wrong(where, prompt, "an object")
        asked = prompt.get("prompt_input")
        text = asked.get("text") if type(asked) is dict else None
        of_reference = text is None or text == record.sample.reference
        for key, model in (("prompt_output", ""), ("edited_output", EDITED)):
            if (answer := prompt.get(key)) is not None:
                said = _entities(answer, f"{where}.{key}")
                found.append(_proposal(said, model, record, of_reference=of_reference))
    return found


def _entities(answer: Any, where: str) -> list[str]:
    if type(answer) is not dict:
        raise wrong(where, answer, "an object with entities")
    said = as_list(answer.get("entities"), f"{where}.entities")
    for index, text in enumerate(said):
        if type(text) is not str:
            raise wrong(f"{where}.entities[{index}]", text, "a string")
    return [text for text in said if text.strip()]


def _proposal(said: list[str], model: str, record: Record, *, of_reference: bool) -> Proposal:
    entities = tuple(ProposedEntity(text) for text in said)
    if of_reference:
        return Proposal(PROPOSER, model, reference_entities=entities)
    return Proposal(PROPOSER, model, context_entities=by_context(said, record.sample.retrieved_contexts))


def by_context(said: list[str], contexts: tuple[str, ...]) -> tuple[tuple[ProposedEntity, ...], ...]:
    """Entities of all contexts together, each with the first context that has it; others with the first."""
    places: list[list[ProposedEntity]] = [[] for _ in contexts]
    for text in said:
        index = next((i for i, context in enumerate(contexts) if text in context), 0)
        if places:
            places[index].append(ProposedEntity(text))
    return tuple(tuple(found) for found in places)


def _again(raw: str) -> dict[str, Any]:
    row = as_written(raw)
    found: dict[str, Any] = row.get(ours.OBJECT) or row["metric_input"][ours.OBJECT]
    return found
