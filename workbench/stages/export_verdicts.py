"""`verdicts.jsonl`: every unit of either side with its features, its cause and the person's verdict."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring as quoted
from typing import Any

from workbench.comparing.causes import Row, difference
from workbench.comparing.links import descends
from workbench.formats.exports.item import ExportItem
from workbench.matching.units import entity_units, language_of, statement_units
from workbench.model import Assessment, Kind, Policy, Sample, Unit
from workbench.reviewing.documents import unit_document
from workbench.reviewing.fold import KindState, ReviewState
from workbench.scoring import contextual_recall
from workbench.scoring.scorers import machine
from workbench.store.exports import Leaving, Said
from workbench.text.json_text import compact

_word = lru_cache(maxsize=1_000)(compact)
"""Values that many verdicts have in common, as JSON."""


@dataclass(frozen=True, slots=True)
class Look:
    """What verdicts are made with."""

    policy: Policy
    threshold: int
    naming: Callable[[str], str]
    withheld: Collection[int]


def verdicts(
    leaving: Leaving, item: ExportItem, states: Mapping[int, ReviewState], look: Look
) -> Iterator[str]:
    """One line for every verified unit and every automatic one without a partner, for each annotator."""
    if leaving.sample_id in look.withheld or not item.records:
        return
    automatic: dict[Kind, Assessment | None] = {}
    proposed = leaving.proposal is not None  # finding a language out costs as much as all the rest
    lang = language_of(leaving.sample, look.policy) if proposed else ""
    for said in leaving.reviews:
        name = look.naming(said.annotator)
        for kind, units in said.units.items():
            if kind not in automatic:
                automatic[kind] = _automatic(leaving, look, kind, lang)
            state = states.get(said.review_id)
            shown = _Shown(name, said, state, item.gold.get(kind) == units)
            machine = automatic[kind]
            verified = Assessment(kind, "verified", units)
            if machine is None:
                rows = tuple(Row(None, unit, "", "", "", None) for unit in units)
            else:
                based = _based(state, verified, leaving.proposal_id)
                rows = difference(machine, verified, based=based, lang=lang).rows
            head = _of_review(item, kind, shown)
            start = f"{compact(head)[:-1]}, "  # encoded once
            for row in rows:
                yield f"{start}{_verdict(item.sample, row)}\n"


@dataclass(frozen=True, slots=True)
class _Shown:
    """Whose verdicts, and what that person saw. `stands`: they are the gold."""

    name: str
    said: Said
    state: ReviewState | None
    stands: bool


def _based(state: ReviewState | None, verified: Assessment, proposal: int | None) -> bool:
    if state is None or state.opened is None:
        return False
    own = state.of(verified.kind)
    return descends(state.opened, KindState("verified", verified, imported=own.imported), proposal)


def _automatic(leaving: Leaving, look: Look, kind: Kind, lang: str) -> Assessment | None:
    """The assessment of the scorer that is shown as the automatic one; None where nothing was proposed."""
    proposal, sample = leaving.proposal, leaving.sample
    if proposal is None:
        return None
    if kind == "statement":
        if proposal.statements is None:
            return None
        return contextual_recall.assess(statement_units(sample, proposal.statements, proposal.proposer))
    if proposal.reference_entities is None:
        return None
    units = entity_units(sample, proposal.reference_entities, look.policy, lang)
    return machine(sample, units, proposal, look.policy, threshold=look.threshold)


def _of_review(item: ExportItem, kind: Kind, shown: _Shown) -> dict[str, Any]:
    """What all verdicts of one person on one kind of one sample share."""
    own = shown.state.of(kind) if shown.state else None
    opened = shown.state.opened if shown.state else None
    return {
        "id": item.sample.id,
        "group": item.sample.group,
        "annotator": shown.name,
        "standing": shown.stands,
        "kind": kind,
        "shown": shown.said.shown,
        "auto_shown": opened.auto_shown if opened else False,
        "policy": own.policy or (opened.policy if opened else None) if own else None,
        "fast": own.fast if own else False,
        "sample_seconds": shown.said.effort.seconds if shown.said.effort else None,
        "split": item.split or None,
        "pi": item.pi,
        "weight": 1 / item.pi if item.pi else None,
    }


_NO_HUMAN = '"human_verdict": null, "human_reason": null, "human_rule": null, "evidence": []'
_NO_MACHINE = '"auto_verdict": null, "candidate": null, "features": null'


def _verdict(sample: Sample, row: Row) -> str:
    """What is of one unit, as the rest of a JSON object that its review began.

    Piece by piece, as native rows are: a dictionary of 20 keys takes twice as long.
    """
    human, machine = row.verified, row.automatic
    unit = human or machine
    assert unit is not None  # a row has one of the two
    start, end = (unit.spans[0].start, unit.spans[0].end) if unit.spans else ("null", "null")
    share = "null" if row.share is None else f'"{row.share}"'
    return (
        f'"side": "{"both" if human and machine else "gold" if human else "auto"}", '
        f'"unit": {quoted(human.id) if human else "null"}, '
        f'"auto_unit": {quoted(machine.id) if machine else "null"}, '
        f'"label": {_word(unit.label)}, "start": {start}, "end": {end}, '
        f"{_by_human(human) if human else _NO_HUMAN}, "
        f"{_by_machine(sample, machine) if machine else _NO_MACHINE}, "
        f'"link": {_word(row.rule or None)}, "cause": {_word(row.cause or None)}, '
        f'"part": {_word(row.part or None)}, "share": {share}, "text": {quoted(unit.text)}, '
        f'"auto_text": {quoted(machine.wording) if machine else "null"}}}'
    )


def _by_human(unit: Unit) -> str:
    match = unit.match
    return (
        f'"human_verdict": "{match.verdict or "unsure"}", "human_reason": {_word(match.reason)}, '
        f'"human_rule": {_word(match.rule)}, "evidence": {compact(unit_document(unit).get("evidence", []))}'
    )


def _by_machine(sample: Sample, unit: Unit) -> str:
    match = unit.match
    return (
        f'"auto_verdict": {_word(match.verdict)}, "candidate": {_candidate(sample, unit)}, '
        f'"features": {{"rule": {_word(match.rule)}, "similarity": {match.similarity}, '
        f'"nested": {"true" if match.nested else "false"}}}'
    )


def _candidate(sample: Sample, unit: Unit) -> str:
    """What the machine matched the unit with: the first piece of its evidence."""
    if not unit.match.evidence:
        return "null"
    first = unit.match.evidence[0]
    place: dict[str, Any] = {"context": first.context, "start": first.start, "end": first.end}
    if first.context < len(sample.retrieved_contexts):
        place["text"] = sample.retrieved_contexts[first.context][first.start : first.end]
    return compact(place)
