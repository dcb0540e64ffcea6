"""The formats of an export, and how a sample and its journal are written."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.comparing.causes import Row, difference
from workbench.comparing.links import descends
from workbench.formats.exports import evaluators, few_shot, label_studio, spans
from workbench.formats.exports import tables as table_exports
from workbench.formats.exports.item import (
    ExportItem,
    Surroundings,
    Writer,
    Wrote,
    lines_into,
    record_of,
    to_line,
)
from workbench.matching.units import entity_units, language_of, statement_units
from workbench.model import BY, KINDS, Assessment, Kind, Match, Policy, Sample, Unit
from workbench.reviewing.documents import unit_document
from workbench.reviewing.fold import KindState, ReviewState
from workbench.reviewing.gold import Verified, resolve
from workbench.scoring import contextual_recall
from workbench.scoring.scorers import machine
from workbench.stages.plan import Reach
from workbench.stages.progress import Progress, silent
from workbench.store import exports
from workbench.store.engine import Store
from workbench.store.exports import Leaving, Said, Scale
from workbench.store.plans import LATE_RANK
from workbench.text.lists import compact

SAMPLES = "samples.jsonl"
VERDICTS = "verdicts.jsonl"


def _native(part: Path, items: Iterable[ExportItem], about: Surroundings) -> Wrote:
    wrote = Wrote()
    with lines_into(part / SAMPLES) as line, lines_into(part / VERDICTS) as verdict:
        for item in items:
            line(to_line(record_of(item)))
            for one in item.verdicts:
                verdict(one)
            wrote.rows += 1
    return wrote


WRITERS: dict[str, Writer] = {
    "native": _native,
    "ragas": evaluators.write_dataset,
    "ragas-annotations": evaluators.write_annotations,
    "deepeval-goldens": evaluators.write_goldens,
    "deepeval-cases": evaluators.write_cases,
    "huggingface": table_exports.write_huggingface,
    "label-studio": label_studio.write,
    "prodigy": spans.write_prodigy,
    "conll": spans.write_conll,
    "csv": table_exports.write_csv,
    "few-shot": few_shot.write,
}
FORMATS = tuple(WRITERS)

WITH_SPLIT = frozenset({"csv"})
"""Formats that say in every row which split it is of; the others get a folder for each."""

WITHOUT_TEXT = frozenset({"csv"})
"""Formats that are worth something as hashes and figures."""

WITH_ESTIMATES = frozenset({"huggingface"})
"""Formats whose manifest says what the dataset comes to: it takes every difference to be explained."""

WITH_SCORES = frozenset({"csv", "huggingface"})


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
            for row in rows:
                yield f"{compact(head | _verdict(item.sample, row))}\n"


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


def _verdict(sample: Sample, row: Row) -> dict[str, Any]:
    """What is known of one unit; `_of_review` gives what it shares with the others of its review."""
    human, machine = row.verified, row.automatic
    unit = human or machine
    assert unit is not None  # a row has one of the two
    start, end = (unit.spans[0].start, unit.spans[0].end) if unit.spans else (None, None)
    judged, matched = human and human.match, machine and machine.match
    return {
        "side": "both" if human and machine else "gold" if human else "auto",
        "unit": human.id if human else None,
        "auto_unit": machine.id if machine else None,
        "label": unit.label,
        "start": start,
        "end": end,
        "human_verdict": judged.verdict or "unsure" if judged else None,
        "human_reason": judged.reason if judged else None,
        "human_rule": judged.rule if judged else None,
        "evidence": unit_document(human).get("evidence", []) if human else [],
        "auto_verdict": matched.verdict if matched else None,
        "candidate": _candidate(sample, matched) if matched else None,
        "features": {"rule": matched.rule, "similarity": matched.similarity, "nested": matched.nested}
        if matched
        else None,
        "link": row.rule or None,
        "cause": row.cause or None,
        "part": row.part or None,
        "share": None if row.share is None else str(row.share),
        "text": unit.text,
        "auto_text": machine.wording if machine else None,
    }


def _candidate(sample: Sample, match: Match) -> dict[str, Any] | None:
    """What the machine matched a unit with: the first piece of its evidence."""
    if not match.evidence:
        return None
    first = match.evidence[0]
    place: dict[str, Any] = {"context": first.context, "start": first.start, "end": first.end}
    if first.context < len(sample.retrieved_contexts):
        place["text"] = sample.retrieved_contexts[first.context][first.start : first.end]
    return place


Naming = Callable[[str], str]
Chance = Callable[[Leaving], float | None]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which samples leave, and what of them.

    `wanted` None: all. `splits`: the split of each sample by number; `place` tells that in the queue, 0 for
    none. `chance` gives the probability with which a sample was drawn. `withheld`: samples whose gold stays.
    `counted_labels`: those of the policy; empty means all.
    `grouping` and `strata`: how groups and strata are called, None: as they are.
    """

    dataset_id: int
    run_id: int | None
    naming: Naming
    scale: Scale | None = None
    wanted: Collection[int] | None = None
    withheld: Collection[int] = frozenset()
    splits: Mapping[int, str] | None = None
    place: Callable[[int], int] | None = None
    chance: Chance | None = None
    grouping: Naming | None = None
    strata: Naming | None = None
    counted_labels: Collection[str] = ()


def pseudonyms(salt: bytes, what: str = "annotator") -> Naming:
    """Names as pseudonyms: the first 12 digits of an HMAC-SHA256 under a salt that never leaves.

    What is a pseudonym of such a kind already, in a dataset that came from an export, stays as it is.
    """
    already = re.compile(f"{what}-[0-9a-f]{{12}}")

    @lru_cache(maxsize=1_000)
    def name_of(name: str) -> str:
        if not name or already.fullmatch(name):
            return name
        return f"{what}-{hmac.new(salt, f'{what} {name}'.encode(), 'sha256').hexdigest()[:12]}"

    return name_of


def model_named(model: str, naming: Naming) -> str:
    """A model under the name that may leave: of a person's marks it is that person."""
    return f"{BY}{naming(model.removeprefix(BY))}" if model.startswith(BY) else model


def probabilities(drawn: Reach) -> Chance:
    """The inclusion probability of any sample under the plan as far as it was reviewed.

    A sample that the prefix holds has that of the prefix. Of the others it is known where all have the same,
    or all of a stratum; those kept back or imported after the plan were not to be drawn: None.
    """

    def chance(leaving: Leaving) -> float | None:
        if leaving.holdout or leaving.rank >= LATE_RANK:
            return None
        return drawn.chance(leaving.stratum)

    return chance


def each_item(
    store: Store,
    choice: Choice,
    split: str | None = None,
    progress: Progress = silent,
    look: Look | None = None,
) -> Iterator[ExportItem]:
    """The chosen samples in file order; with `split` only those of it, with `look` their verdicts too."""
    done = 0
    for chunk in exports.each_leaving(store, choice.dataset_id, choice.run_id, choice.wanted, choice.scale):
        chosen = [one for one in chunk if split is None or (choice.splits or {}).get(one.sample_id) == split]
        states = exports.folded(store, chosen) if look else {}
        for leaving in chosen:
            item = item_of(leaving, choice)
            yield replace(item, verdicts=tuple(verdicts(leaving, item, states, look))) if look else item
        done += len(chunk)
        progress(done)


def item_of(leaving: Leaving, choice: Choice) -> ExportItem:
    """One sample as it leaves."""
    reviews = () if leaving.sample_id in choice.withheld else leaving.reviews
    records = (exports.record_of(one, choice.naming(one.annotator)) for one in reviews)
    gold: dict[Kind, tuple[Unit, ...]] = {}
    states: dict[Kind, str] = {}
    for kind in KINDS:
        states[kind], units = _standing(reviews, kind, choice.counted_labels)
        if units is not None:
            gold[kind] = units
    number = leaving.sample_id
    sample = leaving.sample
    if choice.grouping is not None and sample.group is not None:
        sample = replace(sample, group=choice.grouping(sample.group))
    proposal = leaving.proposal
    if proposal is not None:
        proposal = replace(proposal, model=model_named(proposal.model, choice.naming))
    return ExportItem(
        sample=sample,
        reference_hash=leaving.reference_hash,
        content_hash=leaving.content_hash,
        proposal=proposal,
        records=tuple(one for one in records if one is not None),
        gold=gold,
        states=states,
        automatic=leaving.automatic,
        external=leaving.external,
        u=leaving.u,
        size=leaving.size,
        stratum=choice.strata(leaving.stratum) if choice.strata else leaving.stratum,
        position=choice.place(number) if choice.place else 0,
        pi=choice.chance(leaving) if choice.chance else None,
        blind=leaving.blind,
        holdout=leaving.holdout,
        off_plan=any(one.off_plan for one in reviews),
        split=(choice.splits or {}).get(number, ""),
    )


def _standing(
    reviews: Collection[Said], kind: Kind, counted_labels: Collection[str]
) -> tuple[str, tuple[Unit, ...] | None]:
    """Where a kind stands over all reviews, and the units that stand; an exclusion wins."""
    states = [one.states[kind] for one in reviews]
    if "excluded" in states:
        return "excluded", None
    verified = [one for one in reviews if one.states[kind] == "verified"]
    if len(verified) == 1:
        return "verified", verified[0].units[kind]
    if verified:
        said = [
            Verified(one.annotator, one.origin, Assessment(kind, "", one.units[kind]))  # type: ignore[arg-type]
            for one in verified
        ]
        gold = resolve(said, counted_labels)
        return ("verified", gold.assessment.units) if gold else ("unresolved", None)
    return next((state for state in ("started", "skipped") if state in states), "todo"), None
