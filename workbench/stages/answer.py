"""The first answer about a dataset: load what it needs and build it. No figure is computed a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from workbench.comparing import answer as pure
from workbench.comparing.answer_words import DIGITS
from workbench.comparing.disputes import disputed
from workbench.comparing.figures import Figures, Row
from workbench.comparing.intervals import FEWEST, mean
from workbench.comparing.learning import policy_changes
from workbench.comparing.triage import GAP, Clue, clues
from workbench.comparing.words import verified_samples
from workbench.errors import UsageError
from workbench.model import Kind, Progress, silent
from workbench.scoring.names import RECOUNT, SCORERS, kind_of, metric_of
from workbench.stages import calibrate, queue
from workbench.stages.figures import figures_of, listing, recounted, scope, values_of
from workbench.stages.people import few_hidden, may_see
from workbench.stages.queue import headline_scorer, planned, scored_by
from workbench.stages.recompute import counts as known_score, withheld_from
from workbench.stages.sides import judged_side, suspicion
from workbench.store import assignments, gold, plans, samples, scores as columns
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.queue import fast_ids
from workbench.store.runs import RunInfo
from workbench.store.samples import Stored
from workbench.text.figures import rounded

Values = Mapping[int, float | None]

LEARNED_FROM = 100
"""Reviews that a change of the policy is learned from here; `calibrate` takes all, at 2 ms each."""


def answer(
    store: Store, info: DatasetInfo, viewer: str, *, scorer: str | None = None,
    on_screen: bool = False, progress: Progress = silent,
) -> tuple[pure.Answer, Figures]:  # fmt: skip
    """The answer for the eyes of `viewer`, and the figures that it rests on.

    `scorer` asks for another score than the headline. Samples whose verified
    values the viewer may not see (`may_see`) are in the means and in no list, and in no means that
    would show them (`few_hidden`).
    `on_screen` nothing suspicious is looked for once there is an estimate. Raises UsageError for an unknown
    scorer.
    """
    run, fitted = recounted(store, info, progress)
    if scorer is None:
        name = headline_scorer(store, info)
    else:
        name, _ = known_score(scorer, columns.external_columns(store, info.id))
    kind = kind_of(name) or info.kinds[0]
    withheld = withheld_from(store, info, viewer)
    with store.snapshot():
        at = scope(store, info, run, name, kind, fitted)
        every = figures_of(at, progress)
    counts = every.counts

    scores, presence = (scored_by(store, info, one) for one in (name, "presence"))
    scored = {number: value for number in at.places if (value := scores.get(number)) is not None}
    prefix = at.begun
    begun = {row.sample_id: row.done.origin for row in prefix.rows}
    seen_of = cache(partial(may_see, store, info, viewer, on_screen=on_screen))
    seen = seen_of(kind)
    shown = listing(every, seen_of, begun)
    whole = shown.estimate
    estimate = pure.estimated(whole)

    def resting(rows: Sequence[Row]) -> list[Row]:
        """What an estimate rests on: samples picked because they look wrong would make every cause larger."""
        return [row for row in rows if estimate is None or row.sample_id in begun]

    known = [row for row in resting(every.rows) if row.delta is not None]
    told = [] if few_hidden([row.sample_id for row in known], seen) else known
    able = ("linked", "presence") if kind == "entity" and not every.assisted else ()
    rivals = {
        one: error
        for one in able
        if one != name and (error := mean_error(values_of(at, one)[0], told)) is not None
    }
    triage = pure.Triage(0, 0, 0, {}, 0, 0, ())
    if estimate is None or not on_screen:
        triage = _triage(store, info, viewer, every, seen, withheld, scored, presence)
    pace = queue.pace(store, info, viewer)
    measured = pace is not None and pace.foretells
    settled = verified_samples(counts)
    size = total = counts.total - counts.seen
    left = total - settled - counts.excluded - counts.unresolved
    if prefix.corpus:  # all other samples are in no database, and the plan stays
        size, left = max(size, pure.REVIEW_ALL), (prefix.planned_n or 0) - prefix.n
    ahead = whole.ahead  # some of the planned samples may be reviewed behind the prefix
    goal = planned(store, info.id, kind)
    if of_plan := goal[1] - goal[0] if goal else 0:
        ahead = min(ahead, of_plan)

    def reviews(more: int) -> int:
        """The reviews that so many samples more in the order need, also of those that others have begun."""
        if not info.overlap:
            return more
        ids = plans.in_order(store, info.id, total - left + more)
        return max(more, assignments.open_places(store, ids))

    in_order = whole.n if whole.design not in ("hand", "imported") else 0
    in_turn = sum(origin in ("reviewed", "adjudicated") for origin in begun.values())
    by_text = kind == "entity" and name != "presence"
    without = {row.sample_id for row in every.rows if row.verified is None}
    own = fast_ids(store, info, viewer)
    own = own if any(row.fast and row.sample_id in own for row in every.rows) else []
    return pure.Answer(
        dataset=info.name,
        total=total,
        kind=kind,
        reviews=info.kinds,
        scorer=name,
        imported=name not in SCORERS,
        others=tuple(sorted({metric_of(one.scorer) for one in every.beside} - {*SCORERS, metric_of(name)})),
        proposer=run.proposer if run else "",
        score=whole.automatic,
        possible=len(scored.keys() - without - gold.load_excluded(store, info.id, kind)),
        recount=mean(presence.get(number) for number in scored).value if by_text else None,
        triage=triage,
        reviewed=settled,
        unresolved=counts.unresolved,
        excluded=counts.excluded,
        in_order=in_order,
        picked=prefix.by_hand,
        further=max(0, counts.reviewed + counts.adjudicated - in_turn - prefix.by_hand),
        refusal=(whole if told else every.estimate).refusal
        if counts.imported or whole.design == "elsewhere" or in_order >= FEWEST
        else "",
        compared=len(known),
        left_out=pure.left_out(settled, counts, every.rows, len(known)),
        traced=every.reproducible is not None,
        score_reviewed=mean(row.automatic for row in told).value,
        verified=mean(row.verified for row in told).value,
        estimate=estimate,
        effects=pure.effects(told),
        worst=_worst(store, info, name, resting(shown.rows), kind),
        steps=pure.steps(
            replace(counts, fast=len(own)) if kind in info.kinds else replace(counts, fast=0, unresolved=0),
            whole, estimate,
            total=size, left=left if kind in info.kinds else 0, shown=len(triage.shown), rivals=rivals,
            planned=prefix.at_planned_n, of_plan=of_plan, ahead=ahead, reviews=reviews,
            seconds=pace.seconds if pace and measured else pure.SECONDS[kind],
            error=mean_error({row.sample_id: row.automatic for row in told}, told),
            # another policy would end the estimate of a drawn corpus
            change=_policy_step(store, info, run)
            if kind == "entity" and run is not None and told and not prefix.corpus
            else None,
        ),
        measured=measured,
        withheld=max(0, len(scored) - triage.looked) if withheld else 0,
        assisted=every.assisted,
        fast=counts.fast,
        here=counts.reviewed,
        chosen=prefix.chosen,
        blank=counts.blank,
        yours=0 if told else sum(row.sample_id not in seen for row in known),
    ), shown  # fmt: skip


def _policy_step(store: Store, info: DatasetInfo, run: RunInfo) -> pure.Step | None:
    """The step to the first policy that reviews ask for, if it makes the error smaller."""
    try:
        seen = calibrate.gather(store, info, run, None, most=LEARNED_FROM)
    except UsageError:  # nothing was proposed that a threshold counts
        return None
    for number, change in enumerate(policy_changes(seen.cases, info.policy, info.threshold), start=1):
        if change.better is not False and change.gain.value > 0:
            return pure.Step(
                "policy", change.samples, scorer=seen.scorer, before=change.before, after=change.after,
                number=number, order=change.words, sure=bool(change.better),
            )  # fmt: skip
    return None


def mean_error(values: Values, known: Sequence[Row]) -> float | None:
    """The mean absolute difference to the verified values; None with fewer than ten samples."""
    errors = [
        abs(value - row.verified)
        for row in known
        if (value := values.get(row.sample_id)) is not None and row.verified is not None
    ]
    return mean(errors).value if len(errors) == len(known) >= FEWEST else None


def _triage(
    store: Store, info: DatasetInfo, viewer: str, every: Figures, seen: Collection[int],
    withheld: Collection[str], scored: Mapping[int, float], presence: Values,
) -> pure.Triage:  # fmt: skip
    """The samples whose score looks wrong, and how many of them that are reviewed were.

    Not how many were where it would show what these few are (`few_hidden`).
    """
    kind = every.kind
    suspects = []
    looked = bare = 0
    for stored in samples.each_sample(store, info.id, info.run_id):
        number, sample = stored.sample_id, stored.sample
        if number not in scored or sample.id in withheld:
            continue
        looked += 1
        bare += kind == "entity" and not (stored.proposal and stored.proposal.reference_entities)
        there = presence.get(number)
        hopeless = kind == "entity" and (there is None or there - scored[number] <= GAP)
        doubt = suspicion(info, stored, every.scorer, scored[number], kind, wanted=not hopeless)
        if doubt is not None:
            suspects.append(pure.Suspect(*_told(stored), doubt))
    suspects.sort(key=lambda suspect: (suspect.suspicion.place, suspect.sample_id))
    decided = columns.decided_by(store, info.id, kind, viewer) | gold.load_excluded(store, info.id, kind)
    deltas = {row.sample_id: row.delta for row in every.rows if row.delta is not None}
    reviewed = [suspect.sample_id for suspect in suspects if suspect.sample_id in deltas]
    if few_hidden(reviewed, seen):
        reviewed = []
    checked = [deltas[number] for number in reviewed]
    listed = [suspect for suspect in suspects if suspect.sample_id not in decided][: pure.SHOWN]
    return pure.Triage(
        looked,
        bare,
        len(suspects),
        dict(Counter(suspect.suspicion.look for suspect in suspects)),
        len(checked),
        sum(map(disputed, checked)),
        tuple(listed),
    )


def _worst(
    store: Store, info: DatasetInfo, name: str, rows: Sequence[Row], kind: Kind
) -> tuple[pure.Worst, ...]:
    """The reviewed samples with the largest differences, and the verified units that these come from."""
    apart = [row for row in rows if row.delta is not None and rounded(row.delta, DIGITS)]
    first = sorted(apart, key=lambda row: (-abs(row.delta or 0.0), row.sample_id))[: pure.WORST]
    known = gold.load_some(store, [row.sample_id for row in first], kind)
    loaded = {each.sample_id: each for each in samples.load_samples(store, [*known], info.run_id)}
    scorer = name if name in SCORERS else RECOUNT[kind]
    worst = []
    for row in first:
        truth, stored = known.get(row.sample_id), loaded.get(row.sample_id)
        if truth is None or truth.assessment is None or stored is None:
            continue
        sample, side = stored.sample, judged_side(info, stored, scorer)
        alike = {unit.text: unit.match.verdict for unit in side.units} if side else {}
        wrong = "missing" if (row.delta or 0) > 0 else "found"
        counted = [unit for unit in truth.assessment.units if unit.counted]
        units = [u for u in counted if u.match.verdict == wrong and alike.get(u.text) != wrong]
        marks = tuple((span, unit.match.verdict or "unsure") for unit in counted for span in unit.spans)
        shown = (
            clues(units, sample)
            if wrong == "found"
            else tuple(Clue(unit.text, None, same=True) for unit in units)
        )
        values = row.automatic or 0.0, row.verified or 0.0
        worst.append(pure.Worst(*_told(stored), marks, *values, shown))
    return tuple(worst)


def _told(stored: Stored) -> tuple[int, str, str, str, str]:
    """What the answer shows of every sample."""
    sample = stored.sample
    name = stored.told_by + (sample.user_input or sample.id)
    return stored.sample_id, sample.id, name, sample.user_input, sample.reference
