"""Native rows as text.

Exports write every unit in up to three files, so the text is put together piece by piece: a unit takes 1.6 µs
that way, as a dictionary for `json.dumps` 4.8.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import Any

from workbench.formats.columns import JSON_NUMBER
from workbench.formats.objects import finite
from workbench.model import (
    NO_MARKS,
    Evidence,
    GoldRecord,
    Marks,
    Proposal,
    ProposedEntity,
    Record,
    Unit,
)
from workbench.reviewing.documents import statement_document
from workbench.reviewing.gold import Place, disputed_labels, place_of


def to_line(record: Record) -> str:
    """One line of native JSON, with its newline; reading it back gives an equal record.

    Keys stand in a fixed order, those of `meta` sorted; what is absent is left out. Gold keeps the units
    that count: rejected ones and duplicates are not part of a gold set, and an undecided verdict is
    written as `unsure`, which counts the same.
    """
    return to_text(record) + "\n"


def to_text(record: Record, *, reference: bool = True) -> str:
    """The same as one JSON object, also without the reference."""
    sample = record.sample
    text = f'{{"id": {quoted(sample.id)}, "user_input": {quoted(sample.user_input)}'
    if reference:
        text += f', "reference": {quoted(sample.reference)}'
    if sample.response is not None:
        text += f', "response": {quoted(sample.response)}'
    text += f', "retrieved_contexts": {_texts(sample.retrieved_contexts)}'
    if sample.meta:
        text += f', "meta": {_json(dict(sample.meta), sort_keys=True)}'
    if sample.group is not None:
        text += f', "group": {quoted(sample.group)}'
    if sample.alternatives:
        text += f', "alternatives": {_texts(sample.alternatives)}'
    if record.proposal is not None:
        text += f', "proposal": {_one_or_all(map(_proposal, (record.proposal, *record.others)))}'
    if record.gold:
        disputed = _disputed(record.gold) if len(record.gold) > 1 else set()
        text += f', "gold": {_one_or_all(_gold(one, disputed) for one in record.gold)}'
    if record.scores:
        numbers = (f"{quoted(name)}: {_digits(record.scores[name])}" for name in sorted(record.scores))
        text += f', "scores": {{{", ".join(numbers)}}}'
    if record.u is not None:
        text += f', "u": {record.u!r}'
    return text + "}"


def write(path: Path, records: Iterable[Record]) -> int:
    """Write records as UTF-8 lines ending in LF; the number of rows written."""
    number = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, record in enumerate(records, start=1):  # noqa: B007
            file.write(to_line(record))
    return number


def evidence_text(evidence: Sequence[Evidence]) -> str:
    """Places in contexts as a JSON list."""
    if not evidence:
        return "[]"
    places = [f'{{"context": {e.context}, "start": {e.start}, "end": {e.end}}}' for e in evidence]
    return f"[{', '.join(places)}]"


def _json(value: Any, sort_keys: bool = False) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys)


def _digits(text: str) -> str:
    return text if JSON_NUMBER.fullmatch(text) else repr(finite(text))


def _texts(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"


def _one_or_all(texts: Iterable[str]) -> str:
    said = list(texts)
    return said[0] if len(said) == 1 else f"[{', '.join(said)}]"


def _proposal(proposal: Proposal) -> str:
    text = f'{{"proposer": {quoted(proposal.proposer)}'
    if proposal.model:
        text += f', "model": {quoted(proposal.model)}'
    if proposal.reference_entities is not None:
        text += f', "reference_entities": {_entities(proposal.reference_entities)}'
    if proposal.context_entities is not None:
        text += f', "context_entities": [{", ".join(map(_entities, proposal.context_entities))}]'
    if proposal.statements is not None:
        text += f', "statements": {_json([statement_document(one) for one in proposal.statements])}'
    return text + "}"


def _entities(entities: Iterable[ProposedEntity]) -> str:
    return f"[{', '.join(map(_entity, entities))}]"


def _entity(entity: ProposedEntity) -> str:
    text = f'{{"text": {quoted(entity.text)}'
    if entity.label:
        text += f', "label": {quoted(entity.label)}'
    if entity.start is not None:
        text += f', "start": {entity.start}'
    if entity.end is not None:
        text += f', "end": {entity.end}'
    return text + "}"


def _disputed(gold: Sequence[GoldRecord]) -> set[Place]:
    """The entities that annotators gave different labels; none where one of them settles it."""
    if any(one.marks.adjudicated for one in gold):
        return set()
    return disputed_labels(one.entities or () for one in gold)


def _gold(gold: GoldRecord, disputed: Collection[Place]) -> str:
    text = f'{{"annotator": {quoted(gold.annotator)}'
    place = 0
    for name, kind in (("entities", gold.entities), ("statements", gold.statements)):
        if kind is None:
            continue
        units = []
        for unit in kind:
            if unit.counted:
                place += 1
                units.append(_unit(unit, place, disputed=bool(disputed) and place_of(unit) in disputed))
        text += f', "{name}": [{", ".join(units)}]'
    if gold.effort is not None:
        effort = {"seconds": gold.effort.seconds, "presses": gold.effort.presses}
        text += f', "effort": {_json(effort)}'
    if gold.marks is not NO_MARKS and gold.marks != NO_MARKS:
        for key, value in _marks(gold.marks).items():
            text += f', "{key}": {_json(value)}'
    return text + "}"


def _marks(marks: Marks) -> Mapping[str, Any]:
    """What a review says besides its units; what it does not say is left out."""
    return {
        key: value
        for key, value in (
            ("disposition", dict(marks.dispositions)),
            ("reason", dict(marks.reasons)),
            ("flag", marks.flag),
            ("comments", list(marks.comments)),
            ("shown", marks.shown),
            ("off_plan", marks.off_plan),
            ("adjudicated", marks.adjudicated),
        )
        if value
    }


def _unit(unit: Unit, place: int, *, disputed: bool) -> str:
    match, spans = unit.match, unit.spans
    text = f'"text": {quoted(unit.text)}'
    if unit.id != f"g{place}":
        text = f'"id": {quoted(unit.id)}, {text}'
    if unit.label:
        text += f', "label": {quoted(unit.label)}'
    if disputed:
        text += ', "label_disputed": true'
    if unit.original_label:
        text += f', "original_label": {quoted(unit.original_label)}'
    if spans:
        text += f', "start": {spans[0].start}, "end": {spans[0].end}'
    if len(spans) != 1:
        further = [f'{{"start": {span.start}, "end": {span.end}}}' for span in spans[1:]]
        text += f', "spans": [{", ".join(further)}]'
    text += f', "verdict": "{match.verdict or "unsure"}"'
    if match.reason is not None:
        text += f', "reason": {quoted(match.reason)}'
    text += f', "evidence": {evidence_text(match.evidence)}'
    if match.nested:
        text += ', "nested": true'
    if match.note:
        text += f', "note": {quoted(match.note)}'
    return f"{{{text}}}"
