"""What leaves with an export: the chosen samples, their splits, and what is known of each unit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from workbench.comparing.causes import UnitRow, difference
from workbench.comparing.links import descends
from workbench.formats.exports.item import SPLITS, ExportItem, Surroundings
from workbench.matching.units import language_of
from workbench.model import BY, KINDS, Assessment, JsonObject, Kind, Match, Progress, Sample, Unit
from workbench.reviewing.documents import unit_document
from workbench.reviewing.fold import ReviewState, Verified, resolve
from workbench.scoring.scorers import supported
from workbench.stages import review
from workbench.stages.plan import Prefix
from workbench.store import exports
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.exports import Leaving, Naming, StoredReview
from workbench.store.journal import folded
from workbench.text.lists import compact


@dataclass(frozen=True)
class ExportOptions:
    """What leaves, and how. `formats`: at least one of FORMATS, or `all`."""

    formats: tuple[str, ...] = ("native",)
    only: str | None = None
    query: str = ""
    text: bool = True
    names: bool = False
    force: bool = False
    run: str | None = None
    split: bool = False
    licence: str = ""
    holdout: bool = False


@dataclass(frozen=True)
class Departure:
    """Which samples of a dataset leave, and under which names.

    `held`: their ids by number; `wanted` None: all samples. `splits`: how many of them each split holds;
    nothing without splits. `withheld`: samples whose gold stays. `drawn` and `chances`: what
    the estimate rests on, and the probability with which each of these samples was drawn. `naming`,
    `grouping` and `strata`: how annotators, groups and strata are called.
    """

    store: Store
    info: DatasetInfo
    options: ExportOptions
    run_id: int | None
    about: Surroundings
    splits: Mapping[str, int]
    held: Mapping[int, str]
    naming: Naming
    grouping: Naming
    strata: Naming
    drawn: Prefix
    chances: Mapping[int, float]
    scored_at: int | None
    wanted: Collection[int] | None
    withheld: Collection[int]

    @property
    def unplanned(self) -> bool:
        """Whether reviews followed strata, which do not leave: elsewhere nobody knows how they were drawn."""
        return self.drawn.design == "stratified" and not self.drawn.corpus


def model_named(model: str, naming: Naming) -> str:
    """A model under the name that may leave: of a person's marks it is that person."""
    return f"{BY}{naming(model.removeprefix(BY))}" if model.startswith(BY) else model


def each_item(
    departure: Departure, split: str | None, progress: Progress, *, verdicts: bool
) -> Iterator[ExportItem]:
    """The chosen samples in file order; with `split` only those of it, with `verdicts` their verdicts too."""
    store, done = departure.store, 0
    for chunk in exports.each_leaving(
        store, departure.info.id, departure.run_id, departure.wanted, scored_at=departure.scored_at
    ):
        chosen = [sample for sample in chunk if split is None or SPLITS[sample.holdout] == split]
        acted = [own.review_id for sample in chosen for own in sample.reviews if own.shown != "import"]
        states = folded(store, acted) if verdicts else {}
        for leaving in chosen:
            item = _item(leaving, departure)
            if verdicts:
                item = replace(item, verdicts=tuple(_verdicts(leaving, item, states, departure)))
            yield item
        done += len(chunk)
        progress(done)


def _item(leaving: Leaving, departure: Departure) -> ExportItem:
    """One sample as it leaves."""
    reviews = () if leaving.sample_id in departure.withheld else leaving.reviews
    standing = {kind: stands(reviews, kind, departure.info.policy.counted_labels) for kind in KINDS}
    sample, proposal = leaving.sample, leaving.proposal
    if sample.group is not None:
        sample = replace(sample, group=departure.grouping(sample.group))
    if proposal is not None:
        proposal = replace(proposal, model=model_named(proposal.model, departure.naming))
    records = [stored.record for stored in reviews if stored.says_something]
    if departure.unplanned:
        marks = (replace(one.marks, off_plan=one.marks.off_plan or bool(one.marks.shown)) for one in records)
        records = [replace(one, marks=own) for one, own in zip(records, marks, strict=True)]
    return ExportItem(
        sample=sample,
        proposal=proposal,
        records=tuple(record.renamed(departure.naming) for record in records),
        gold={kind: units for kind, (_, units) in standing.items() if units is not None},
        states={kind: state for kind, (state, _) in standing.items()},
        automatic=leaving.automatic,
        external=leaving.external,
        u=leaving.u,
        size=leaving.size,
        stratum=departure.strata(leaving.stratum),
        pi=departure.chances.get(leaving.sample_id),
        blind=leaving.blind,
        holdout=leaving.holdout,
        off_plan=any(stored.record.marks.off_plan for stored in reviews),
        split=SPLITS[leaving.holdout] if departure.options.split else "",
    )


def stands(
    reviews: Collection[StoredReview], kind: Kind, counted_labels: Collection[str]
) -> tuple[str, tuple[Unit, ...] | None]:
    """Where a kind stands over all reviews, and the units that stand; an exclusion wins."""
    states = [stored.states[kind] for stored in reviews]
    if "excluded" in states:
        return "excluded", None
    verified = []
    for stored in reviews:
        if stored.states[kind] == "verified":
            assessment = Assessment(kind, "", stored.record.units.get(kind, ()))
            verified.append(Verified(stored.record.annotator, stored.origin, assessment))  # type: ignore[arg-type]
    if verified:
        gold = resolve(verified, counted_labels) if len(verified) > 1 else verified[0]
        return ("verified", gold.assessment.units) if gold else ("unresolved", None)
    return next((state for state in ("started", "skipped") if state in states), "todo"), None


def _verdicts(
    leaving: Leaving, item: ExportItem, states: Mapping[int, ReviewState], departure: Departure
) -> Iterator[str]:
    """One line for every verified unit and every automatic one without a partner, for each annotator."""
    if leaving.sample_id in departure.withheld or not item.records:
        return
    automatic: dict[Kind, Assessment | None] = {}
    info, proposal = departure.info, leaving.proposal
    # finding a language out costs as much as all the rest
    lang = language_of(leaving.sample, info.policy) if proposal is not None else ""
    for stored in leaving.reviews:
        state = states.get(stored.review_id)
        for kind in KINDS:
            units = stored.record.units.get(kind)
            if units is None:
                continue
            if kind not in automatic:
                automatic[kind] = _automatic(leaving, info, kind)
            machine, verified = automatic[kind], Assessment(kind, "verified", units)
            rows = tuple(UnitRow(None, unit, "", "", "", None) for unit in units)
            if machine is not None:
                based = state is not None and descends(state, kind, leaving.proposal_id)
                rows = difference(machine, verified, based=based, lang=lang).rows
            head = _of_review(item, kind, stored, state, stored.record.renamed(departure.naming).named)
            for row in rows:
                yield f"{compact(head | _verdict(item.sample, row))}\n"


def _automatic(leaving: Leaving, info: DatasetInfo, kind: Kind) -> Assessment | None:
    """The assessment of the scorer that is shown as the automatic one; None where nothing was proposed."""
    proposal = leaving.proposal
    statements = kind == "statement"
    if proposal is None or (proposal.statements if statements else proposal.reference_entities) is None:
        return None
    assessment = review.proposed(info, leaving.sample, proposal, kind)
    return supported(assessment.units) if statements else assessment


def _of_review(
    item: ExportItem, kind: Kind, stored: StoredReview, state: ReviewState | None, name: str
) -> JsonObject:
    """What all verdicts of one person on one kind of one sample share. `standing`: they are the gold."""
    own = state and state.of(kind)
    effort = stored.record.effort
    return {
        "id": item.sample.id,
        "group": item.sample.group,
        "annotator": name,
        "standing": item.gold.get(kind) == stored.record.units.get(kind),
        "kind": kind,
        "shown": stored.shown,
        "auto_shown": bool(state and state.opened.auto_shown),
        "policy": own.policy or state.opened.policy if own and state else None,
        "fast": bool(own and own.fast),
        "sample_seconds": effort.seconds if effort else None,
        "split": item.split or None,
        "pi": item.pi,
        "weight": 1 / item.pi if item.pi else None,
    }


def _verdict(sample: Sample, row: UnitRow) -> JsonObject:
    """What is known of one unit; `_of_review` gives what it shares with the others of its review."""
    human, machine = row.verified, row.automatic
    unit = human or machine
    assert unit is not None  # a row has one of the two
    start, end = unit.ends
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


def _candidate(sample: Sample, match: Match) -> JsonObject | None:
    """What the machine matched a unit with: the first piece of its evidence."""
    if not match.evidence:
        return None
    first = match.evidence[0]
    passage: JsonObject = {"context": first.context, "start": first.start, "end": first.end}
    if first.context < len(sample.retrieved_contexts):
        passage["text"] = first.of(sample.retrieved_contexts)
    return passage
