"""The first answer about a dataset: load what it needs and build it. No figure is computed a second time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.comparing.answer import (
    FEWEST,
    SECONDS,
    SHOWN,
    TOLERANCE,
    WORST,
    Answer,
    Suspect,
    Triage,
    Worst,
    effects,
    estimated,
    left_out,
    steps,
)
from workbench.comparing.figures import Figures, Row
from workbench.comparing.means import mean
from workbench.comparing.triage import GAP, Clue, clues
from workbench.comparing.words import verified_samples
from workbench.matching.version import MATCHER
from workbench.model import Kind
from workbench.scoring.names import RECOUNT, SCORERS, kind_of
from workbench.stages import queue
from workbench.stages.figures import as_seen, figures, planned_prefix, without
from workbench.stages.headline import headline_scorer
from workbench.stages.progress import Progress, silent
from workbench.stages.recompute import recompute, withheld_from
from workbench.stages.sides import automatic_sides, suspicion
from workbench.store import columns, gold, runs, samples
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store

Values = Mapping[int, float | None]


def answer(
    store: Store, info: DatasetInfo, viewer: str, *, run: str | None = None, scorer: str | None = None,
    threshold: int | None = None, usual: str = "", on_screen: bool = False, progress: Progress = silent,
) -> tuple[Answer, Figures]:  # fmt: skip
    """The answer for the eyes of `viewer`, and the figures that it rests on.

    `run` and `threshold` are those of the dataset unless given; another threshold is not kept. `scorer` asks
    for another score than the headline, `usual` is a person's setting. Blind samples that the viewer is yet
    to decide are in the means and in no list. `on_screen` the figures do not list what others decided and
    the viewer did not, and nothing suspicious is looked for once there is an estimate. Raises UsageError for
    an unknown scorer, NotFoundError for an unknown run.
    """
    chosen = runs.chosen_run(store, info, run)
    limit = info.threshold if threshold is None else threshold
    if chosen is not None:
        recompute(store, info, chosen.id, limit, progress)
    here = replace(info, run_id=chosen.id if chosen else None, threshold=limit)
    name = headline_scorer(store, here, scorer, usual)
    withheld = withheld_from(store, info, viewer)
    every = figures(store, info, run=run, scorer=name, threshold=threshold, progress=progress)
    found = as_seen(store, info, every, viewer) if on_screen else without(every, withheld)
    kind = found.kind
    imported = name not in SCORERS
    presence: Values = {}
    scores: Values = {}
    if chosen is not None:
        presence = columns.values(store, chosen.id, MATCHER, limit, "presence")
        scores = columns.values(store, chosen.id, MATCHER, limit, name)
    if imported:
        scores = dict(columns.external_values(store, info.id, name))
    places = columns.members(store, info.id, strata=False)
    scored = {number: value for number in places if (value := scores.get(number)) is not None}
    estimate, counts = estimated(found.estimate, found.prefix), found.counts
    begun = {row.sample_id: row for row in planned_prefix(store, info, kind).rows}
    in_turn = sum(row.origin in ("reviewed", "adjudicated") for row in begun.values())
    rows = every.rows
    if estimate is not None:  # samples that were picked because they look wrong would make every cause larger
        rows = tuple(row for row in rows if row.sample_id in begun)
    triage = Triage(0, 0, 0, 0, 0, ())
    if estimate is None or not on_screen:
        triage = _triage(store, here, kind, scored, presence, every.rows, withheld, viewer)
    pace = queue.pace(store, info.id, viewer)
    both = [(row.automatic, row.verified) for row in rows if row.delta is not None]
    settled = verified_samples(counts)
    made = Answer(
        dataset=info.name,
        total=counts.total,
        kind=kind,
        reviews=info.kinds,
        scorer=name,
        imported=imported,
        has_column=any(one.scorer not in SCORERS for one in found.beside),
        proposer=chosen.proposer if chosen else "",
        score=found.estimate.automatic,
        recount=mean(presence.get(number) for number in scored).value
        if kind == "entity" and name != "presence"
        else None,
        triage=triage,
        reviewed=settled,
        unresolved=counts.unresolved,
        excluded=counts.excluded,
        in_order=found.estimate.n if found.estimate.design not in ("hand", "imported") else 0,
        picked=max(0, counts.reviewed + counts.adjudicated - in_turn),
        refusal=found.estimate.refusal if counts.imported else "",
        compared=len(both),
        left_out=left_out(settled, counts.excluded, counts.holdout, every.rows, len(both)),
        score_reviewed=mean(ours for ours, _ in both).value,
        verified=mean(theirs for _, theirs in both).value,
        estimate=estimate,
        effects=effects(rows),
        worst=_worst(store, here, name, found.rows, kind),
        steps=steps(
            counts.total, counts.total - settled - counts.excluded - counts.unresolved, len(triage.shown),
            counts.unresolved, estimate, found.estimate.n, pace.seconds if pace else SECONDS[kind],
            mean_error(scores, rows),
            {} if found.assisted or chosen is None else _rivals(store, chosen.id, limit, name, rows),
        ),
        measured=pace is not None,
        withheld=len(withheld),
        assisted=found.assisted,
        fast=counts.fast,
    )  # fmt: skip
    return made, found


def mean_error(values: Values, rows: Sequence[Row]) -> float | None:
    """The mean absolute difference to the verified values; None with fewer than ten samples."""
    known = [row for row in rows if row.delta is not None]
    errors = [
        abs(value - row.verified)
        for row in known
        if (value := values.get(row.sample_id)) is not None and row.verified is not None
    ]
    return mean(errors).value if len(errors) == len(known) >= FEWEST else None


def _rivals(store: Store, run: int, threshold: int, name: str, rows: Sequence[Row]) -> dict[str, float]:
    """The mean errors of the scorers that a person can choose instead, over the same samples."""
    if kind_of(name) != "entity":
        return {}
    each = {
        one: mean_error(columns.values(store, run, MATCHER, threshold, one), rows)
        for one in ("linked", "presence")
        if one != name
    }
    return {one: error for one, error in each.items() if error is not None}


def _triage(
    store: Store, info: DatasetInfo, kind: Kind, scored: Mapping[int, float], presence: Values,
    rows: Sequence[Row], withheld: frozenset[str], viewer: str,
) -> Triage:  # fmt: skip
    suspects = []
    looked = 0
    for stored in samples.each_sample(store, info.id, info.run_id):
        number, sample = stored.sample_id, stored.sample
        if number not in scored or sample.id in withheld:
            continue
        looked += 1
        there = presence.get(number)
        hopeless = kind == "entity" and (there is None or there - scored[number] <= GAP)
        found = suspicion(info, stored, scored[number], kind, wanted=not hopeless)
        if found is not None:
            suspects.append(Suspect(number, sample.id, sample.user_input, sample.reference, found))
    suspects.sort(key=lambda one: (one.suspicion.place, one.sample_id))
    decided = columns.decided_by(store, info.id, kind, viewer) | gold.load_excluded(store, info.id, kind)
    deltas = {row.sample_id: row.delta for row in rows if row.delta is not None}
    checked = [deltas[one.sample_id] for one in suspects if one.sample_id in deltas]
    return Triage(
        looked,
        len(suspects),
        sum(any(not clue.same for clue in one.suspicion.clues) for one in suspects),
        len(checked),
        sum(abs(delta) > TOLERANCE for delta in checked),
        tuple([one for one in suspects if one.sample_id not in decided][:SHOWN]),
    )


def _worst(store: Store, info: DatasetInfo, name: str, rows: Sequence[Row], kind: Kind) -> tuple[Worst, ...]:
    """The reviewed samples with the largest differences, and the verified units that these come from."""
    sizes = [(abs(row.delta), row) for row in rows if row.delta is not None and abs(row.delta) > 1e-9]
    first = [row for _, row in sorted(sizes, key=lambda one: (-one[0], one[1].sample_id))[:WORST]]
    known = gold.load_some(store, [row.sample_id for row in first], kind)
    loaded = samples.load_samples(store, [*known], info.run_id)
    texts = {one.sample_id: one.sample for one in loaded}
    scorer = name if name in SCORERS else RECOUNT[kind]
    sides = {
        one.sample_id: side.units
        for one in loaded
        if one.proposal is not None and (kind == "entity" or one.proposal.proposer != "rules")
        if (side := automatic_sides(info, one, info.threshold, scorer).get(scorer)) is not None
    }
    found = []
    for row in first:
        one, sample = known.get(row.sample_id), texts.get(row.sample_id)
        if one is None or one.assessment is None or sample is None:
            continue
        wrong = "missing" if (row.delta or 0) > 0 else "found"
        counted = [unit for unit in one.assessment.units if unit.counted]
        alike = {unit.text: unit.match.verdict for unit in sides.get(row.sample_id, ())}
        units = [u for u in counted if u.match.verdict == wrong and alike.get(u.text) != wrong]
        marks = tuple((span, unit.match.verdict or "unsure") for unit in counted for span in unit.spans)
        shown = (
            clues(units, sample)
            if wrong == "found"
            else tuple(Clue(unit.text, None, same=True) for unit in units)
        )
        found.append(
            Worst(
                row.sample_id, row.id, sample.user_input, sample.reference, marks,
                row.automatic or 0.0, row.verified or 0.0, shown,
            )
        )  # fmt: skip
    return tuple(found)
