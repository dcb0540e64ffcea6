"""The figures of a dataset: how far an automatic value is from the verified one, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum

from workbench.comparing.agreement import Overlap, beyond_chance, by_label, overlaps, tabulate
from workbench.comparing.causes import precision_of
from workbench.comparing.estimators import EQUAL
from workbench.comparing.explained import CauseTotal, Explained, cause_totals
from workbench.comparing.figures import Arm, Arms, Beside, Counts, Figures, Row, hidden
from workbench.comparing.intervals import FEWEST
from workbench.comparing.paired import Pair, Paired, before_the_end, mean_of, paired, two_arms
from workbench.errors import UsageError
from workbench.matching import MATCHER
from workbench.model import Kind, Tally
from workbench.scoring.names import CALIBRATED, DEFAULT_SCORER, INSTEAD, SCORERS, column_kind, kind_of
from workbench.stages.calibrate import CrossFit, cross_fitted
from workbench.stages.examples import seen_by
from workbench.stages.figure_sides import (
    Side,
    by_cause,
    crossed,
    own_thresholds,
    recall_of,
    side_of,
    verified_value,
    whole,
)
from workbench.stages.plan import Prefix, prefix
from workbench.stages.progress import Progress, silent
from workbench.stages.recompute import recompute
from workbench.stages.sides import Reviewed
from workbench.store import calibrations, gold, queue, runs, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.explained import reviewed
from workbench.store.runs import RunInfo
from workbench.store.samples import blind_among

__all__ = ["Figures", "figures"]


def arms(rows: Sequence[Row], reviewed: Mapping[int, Reviewed], explained: Mapping[int, Explained]) -> Arms:
    """Blind and assisted reviews apart; imported gold is of neither arm."""
    found = {}
    for shown in ("blind", "assisted"):
        own = [row for row in rows if reviewed[row.sample_id].shown == shown]
        known = [row for row in own if row.delta is not None]
        judged = [explained[row.sample_id] for row in own if row.sample_id in explained]
        found[shown] = Arm(
            len(own),
            mean_of([row.delta for row in known if row.delta is not None], [row.group for row in known])
            if known
            else None,
            overlaps([overlap(one, strict=False) for one in judged]).micro if judged else None,
        )
    blind, assisted = found["blind"], found["assisted"]
    if blind.bias is None or assisted.bias is None:
        return Arms(blind, assisted, None, None)
    return Arms(blind, assisted, *two_arms(blind.bias, assisted.bias))


def without_intervals(found: Arms) -> Arms:
    """The same without the intervals that hold at the end of a plan only."""

    def bare(arm: Arm) -> Arm:
        return replace(arm, bias=arm.bias and replace(arm.bias, interval=None))

    return Arms(bare(found.blind), bare(found.assisted), found.difference, None)


def overlap(one: Explained, *, strict: bool) -> Overlap:
    """How the proposed units of a sample cover the verified ones."""
    both = [unit for unit in one.judged if unit.automatic is not None and unit.verified is not None]
    linked = sum(unit.same for unit in both) if strict else len(both)
    return Overlap(linked, one.automatic.units, one.verified.units)


def of_labels(known: Iterable[Explained]) -> dict[str, tuple[Overlap, Overlap]]:
    """By label: with equal labels, and whatever the labels; a proposed label that nobody kept stands too."""
    units = [(unit.automatic_label, unit.verified_label) for one in known for unit in one.judged]
    strict, lenient = by_label(units, strict=True), by_label(units, strict=False)
    none = Overlap(0, 0, 0)
    return {
        label: (strict.get(label, none), lenient.get(label, none))
        for label in sorted({*strict, *lenient})
        if label
    }


def causes_by_label(known: Iterable[Explained]) -> dict[str, tuple[CauseTotal, ...]]:
    known = list(known)
    labels = sorted({label for one in known for share in one.shares for label in share.labels if label})
    return {label: cause_totals(known, {label}) for label in labels}


def notes_of(
    store: Store, info: DatasetInfo, fitted: CrossFit, name: str, threshold: int, begun: Prefix,
    pairs: Sequence[Pair],
) -> tuple[str, ...]:  # fmt: skip
    """The notes on a scorer's figures: whose gold chose its threshold, the plan's end, unequal chances."""
    return (*_calibrated(store, info, fitted, name, threshold), *_behind(begun), *_unequal(begun, pairs))


def _behind(begun: Prefix) -> list[str]:
    if begun.planned_n is None or not begun.at_planned_n or not begun.beyond:
        return []
    number = f"{begun.beyond:,} more samples are" if begun.beyond > 1 else "1 more sample is"
    return [f"The plan is reached: {number} reviewed behind it and not in the estimate."]


def _calibrated(
    store: Store, info: DatasetInfo, fitted: CrossFit, name: str, threshold: int
) -> tuple[str, ...]:
    """Whose gold chose the threshold, and what was done about it."""
    if name not in CALIBRATED:
        return ()
    if fitted.thresholds and threshold == info.threshold:
        at = ", ".join(map(str, sorted(set(fitted.folds))))
        return (
            f"Calibration {info.calibration} saw the verified units of {len(fitted.seen.examples)} samples: "
            f"these and what belongs to them are scored at the threshold found without them ({at}), "
            "all others count in the estimate with their mean over the folds.",
        )
    for one in calibrations.list_calibrations(store, info.id):
        chose, before = one.document["threshold"], one.document["threshold_before"]
        if chose == threshold != before:
            return (
                f"Match threshold {threshold} is the one that calibration {one.name} chose from the verified "
                f"units of {one.document['counts']['samples']} samples, but it is set by hand: nothing here "
                f"is cross-fitted, so it looks too good. workbench calibrate --use {one.name} corrects that.",
            )
    return ()


def _unequal(begun: Prefix, pairs: Sequence[Pair]) -> list[str]:
    """Paired values weigh each sample alike, which unequal chances to be drawn make another question."""
    if len(pairs) < FEWEST or len({round(row.pi, 9) for row in begun.rows}) < 2:
        return []
    return [
        "Samples were drawn with unequal chances. The mean verified so far, paired bias, limits, MAE, "
        "causes, κ and the P, R and F1 of units weigh each verified sample alike: they describe these "
        "samples only. What is estimated for all weighs them."
    ]


def figures(
    store: Store,
    info: DatasetInfo,
    *,
    run: str | None = None,
    scorer: str | None = None,
    threshold: int | None = None,
    viewer: str | None = None,
    progress: Progress = silent,
) -> Figures:
    """All figures of a scorer or an imported column.

    `viewer`: who looks; samples that are blind or reviewed by others stay out of `rows` until this person
    has decided them too. Raises UsageError for an unknown scorer, NotFoundError for an unknown run.
    """
    chosen = runs.chosen_run(store, info, run)
    limit = info.threshold if threshold is None else threshold
    fitted = cross_fitted(store, info)
    if chosen is not None:
        for one in {limit, *(fitted.folds if limit == info.threshold else ())}:
            recompute(store, info, chosen.id, one, progress)
    name = _scorer(store, info, chosen, limit, scorer)
    kind = _kind(name)
    with store.snapshot():
        found = _figures(store, info, chosen, name, kind, limit, fitted, progress)
        return found if viewer is None else as_seen(store, info, found, viewer)


def as_seen(store: Store, info: DatasetInfo, found: Figures, viewer: str) -> Figures:
    """The same without the samples about which this person must not learn anything yet."""
    known = reviewed(store, info.id, found.kind, info.policy.version)
    own = scores.decided_by(store, info.id, found.kind, viewer)
    blind = blind_among(store, [row.sample_id for row in found.rows if row.sample_id not in own])
    rows = tuple(
        row
        for row in found.rows
        if row.sample_id in own or (row.sample_id not in blind and known[row.sample_id].origin != "reviewed")
    )
    return _listing(found, rows, "to be reviewed without suggestions, or others' work")


def without(found: Figures, withheld: Collection[str]) -> Figures:
    """The figures for a report, which lists nothing of blind samples that its reader is yet to decide."""
    return _listing(
        found, tuple(row for row in found.rows if row.id not in withheld), "reviewed without suggestions"
    )


def _listing(found: Figures, rows: tuple[Row, ...], why: str) -> Figures:
    """The same figures with the samples in `rows` listed, and no other one named."""
    ids = {row.id for row in rows}
    gone = [row for row in found.rows if row.id not in ids]
    if not gone:
        return found
    largest = found.paired.largest if found.paired.largest and found.paired.largest[0] in ids else None
    many = "1 verified sample is" if len(gone) == 1 else f"{len(gone):,} verified samples are"
    note = f"{many} not listed: you are yet to decide {'it' if len(gone) == 1 else 'them'} ({why})."
    paired = replace(found.paired, largest=largest)
    return replace(found, rows=rows, hidden=hidden(gone), paired=paired, notes=(*found.notes, note))


def _figures(
    store: Store, info: DatasetInfo, run: RunInfo | None, name: str, kind: Kind, threshold: int,
    fitted: CrossFit, progress: Progress,
) -> Figures:  # fmt: skip
    begun = planned_prefix(store, info, kind)
    places: Mapping[int, str] = scores.members(store, info.id, strata=begun.design == "stratified")
    seen = seen_by(store, info, run).related
    if seen:
        shown = {number for number, one in scores.population(store, info.id).items() if one.key in seen}
        places = {number: stratum for number, stratum in places.items() if number not in shown}
    side = side_of(store, info, run, name, threshold, fitted, progress)
    excluded = gold.load_excluded(store, info.id, kind)
    fast = _fast(store, info, kind, side.reviewed.values())
    rows = tuple(_rows(places, side, excluded, fast, info.policy.language))
    known = {row.sample_id: side.explained[row.sample_id] for row in rows if row.sample_id in side.explained}
    judged = [one for each in known.values() for one in each.judged]
    # a number that came alone has no units, which is not the same as units that nobody proposed
    counted = {number: one for number, one in known.items() if one.imported is None or one.automatic.units}
    verdicts = tabulate((j.verified, j.automatic) for j in judged if j.automatic and j.verified)
    pairs = _pairs(rows, side.within)
    quick = {row.id for row in rows if row.sample_id in fast}
    languages = {number: side.reviewed[number].language or info.policy.language for number in known}
    causes = cause_totals(known.values())
    estimated = whole(begun, places, side, excluded)
    # another interval next to the estimate's, and one that holds at the end only, would be believed early
    early = not (estimated.refusal or estimated.complete or begun.at_planned_n)
    whole_pairs = paired(pairs)
    arms_found = arms(rows, side.reviewed, counted)
    if early:
        whole_pairs, arms_found = before_the_end(whole_pairs), without_intervals(arms_found)
    return Figures(
        dataset=info.name,
        run=run.name if run else "",
        scorer=name,
        kind=kind,
        threshold=threshold,
        calibration=info.calibration if threshold == info.threshold else "",
        counts=_counts(store, info, run, kind, places, side, excluded, begun, rows, len(seen), len(quick)),
        design=begun.design,
        planned_n=begun.planned_n,
        prefix=len(begun.rows),
        estimate=estimated,
        paired=whole_pairs,
        without_fast=paired([one for one in pairs if one.id not in quick]) if quick else None,
        arms=arms_found,
        verdicts=verdicts,
        chance=beyond_chance(verdicts.table) if verdicts.n else None,
        units=overlaps([overlap(one, strict=False) for one in counted.values()]),
        strict=overlaps([overlap(one, strict=True) for one in counted.values()]),
        labels=of_labels(known.values()),
        causes=causes,
        estimated=by_cause(begun, estimated, causes, places, side, excluded),
        by_label=causes_by_label(known.values()),
        by_language={
            language: cause_totals(one for number, one in known.items() if languages[number] == language)
            for language in sorted(set(languages.values()))
        }
        if len(set(languages.values())) > 1
        else {},
        reproducible=_reproducible(rows, side),
        beside=_beside(store, info, run, threshold, places, fitted, name, side, excluded),
        rows=rows,
        notes=notes_of(store, info, fitted, name, threshold, begun, pairs),
    )


def planned_prefix(store: Store, info: DatasetInfo, kind: Kind) -> Prefix:
    """The prefix, cut at the planned n once it is reached: what comes behind would undo its interval."""
    begun = prefix(store, info, kind)
    if begun.planned_n is None or len(begun.rows) <= begun.planned_n:
        return begun
    return begun if begun.whole else prefix(store, info, kind, upto=begun.planned_n)


def _rows(
    places: Mapping[int, str], side: Side, excluded: set[int], fast: set[int], language: str
) -> Iterable[Row]:
    """The verified samples that count: with gold, not excluded, and with an automatic value."""
    for number, one in side.reviewed.items():
        if number in excluded or number not in places or one.origin == "unresolved":
            continue
        explained = side.explained.get(number)
        if number not in side.values:
            continue
        ours = side.values[number]
        theirs = verified_value(side, number)
        exact = explained.delta if explained else None
        delta = float(exact) if exact is not None else None
        if delta is None and ours is not None and theirs is not None:
            delta = ours - theirs
        if delta is not None and abs(delta) < side.within:
            delta = 0.0
        main, shares = (explained.main, explained.shares) if explained else ("", ())
        yield Row(
            number, one.key, one.group, ours, theirs, delta, main, shares, one.language or language,
            one.shown, number in fast, explained.ends if explained else (None, None), one.question,
        )  # fmt: skip


def _pairs(rows: Iterable[Row], within: float) -> list[Pair]:
    return [
        Pair(row.id, row.automatic, row.verified, row.group, within)
        for row in rows
        if row.automatic is not None and row.verified is not None
    ]


def _counts(
    store: Store, info: DatasetInfo, run: RunInfo | None, kind: Kind, places: Mapping[int, str],
    side: Side, excluded: set[int], begun: Prefix, rows: Sequence[Row], seen: int, fast: int,
) -> Counts:  # fmt: skip
    here = [one for number, one in side.reviewed.items() if number in places and number not in excluded]
    origins = [one.origin for one in here]
    return Counts(
        total=begun.population,
        holdout=begun.holdout,
        late=begun.late,
        imported=origins.count("imported"),
        reviewed=origins.count("reviewed"),
        adjudicated=origins.count("adjudicated"),
        unresolved=origins.count("unresolved"),
        excluded=len(excluded & places.keys()),
        skipped=len(scores.skipped(store, info.id, kind) & places.keys()),
        undefined=sum(one.tally is not None and not one.tally.units for one in here),
        failed=sum(one[0] in places for one in runs.failures_of(store, run.id)) if run else 0,
        unproposed=sum(number not in side.values for number in places),
        seen=seen,
        fast=fast,
    )


def _reproducible(rows: Sequence[Row], side: Side) -> Paired | None:
    """An imported column against the same metric counted from the traces that came with it."""
    pairs = [
        Pair(row.id, row.automatic, again, row.group, side.within)
        for row in rows
        if row.automatic is not None and (again := side.recomputed.get(row.sample_id)) is not None
    ]
    return paired(pairs) if pairs else None


def _beside(
    store: Store, info: DatasetInfo, run: RunInfo | None, threshold: int, places: Mapping[int, str],
    fitted: CrossFit, name: str, side: Side, excluded: set[int],
) -> tuple[Beside, ...]:  # fmt: skip
    """Every scorer and imported column that has values, in short; `side` is that of `name`, read before."""
    names = [
        one for one in SCORERS if run is not None and scores.can_count(store, run.id, MATCHER, threshold, one)
    ]
    names += [one for one in scores.external_columns(store, info.id) if column_kind(one)]
    human = {_kind(name): _standing(side.reviewed, excluded, places)}
    found = []
    for one in names:
        kind = _kind(one)
        if kind not in human:
            others = gold.load_excluded(store, info.id, kind)
            human[kind] = _standing(reviewed(store, info.id, kind, info.policy.version), others, places)
        values: Mapping[int, float | None]
        within = EQUAL
        if one == name:
            values, within = side.values, side.within
        elif one in SCORERS and run is not None:
            values = scores.values(store, run.id, MATCHER, threshold, one)
            own = own_thresholds(store, info, one, threshold, fitted)
            values = crossed(store, run.id, one, own, values) if own else values
        else:
            values = dict(scores.external_values(store, info.id, one))
            within = precision_of(scores.external_digits(store, info.id, one).values())
        found.append(_short(one, kind, values, human[kind], within))
    return tuple(found)


def _standing(
    human: Mapping[int, Reviewed], excluded: set[int], places: Mapping[int, str]
) -> dict[int, Tally]:
    """The gold tallies that count: resolved, not excluded, not seen, not kept back."""
    return {
        number: one.tally
        for number, one in human.items()
        if one.tally is not None and number in places and number not in excluded
    }


def _short(
    name: str, kind: Kind, values: Mapping[int, float | None], human: Mapping[int, Tally], within: float
) -> Beside:
    pairs = [(values[number], recall_of(tally)) for number, tally in human.items() if number in values]
    known = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
    n = len(known)
    return Beside(
        scorer=name,
        kind=kind,
        n=n,
        undefined=len(pairs) - n,
        automatic=fsum(ours for ours, _ in known) / n if n else None,
        verified=fsum(theirs for _, theirs in known) / n if n else None,
        delta=fsum(ours - theirs for ours, theirs in known) / n if n else None,
        mae=fsum(abs(ours - theirs) for ours, theirs in known) / n if n else None,
        equal=sum(abs(ours - theirs) < within for ours, theirs in known),
    )


def _fast(store: Store, info: DatasetInfo, kind: Kind, reviewed: Iterable[Reviewed]) -> set[int]:
    """The samples whose gold was accepted in under a second, by the person whose gold it is."""
    found: set[int] = set()
    of: dict[str, set[int]] = {}
    for one in reviewed:
        if one.origin == "reviewed":
            of.setdefault(one.annotator, set()).add(one.sample_id)
    for annotator, theirs in of.items():
        found |= theirs.intersection(queue.fast_ids(store, info, annotator, kind))
    return found


def _scorer(store: Store, info: DatasetInfo, run: RunInfo | None, threshold: int, name: str | None) -> str:
    """The scorer asked for; without one the first that could count this run."""
    if name is None:
        kind = info.kinds[0]
        usual = DEFAULT_SCORER[kind]
        able = run is None or scores.can_count(store, run.id, MATCHER, threshold, usual)
        return usual if able else INSTEAD.get(usual, usual)
    columns_there = scores.external_columns(store, info.id)
    if name not in SCORERS and name not in columns_there:
        there = ", ".join((*SCORERS, *columns_there))
        raise UsageError(f"unknown scorer {name!r}; there is: {there}")
    return name


def _kind(name: str) -> Kind:
    kind = kind_of(name)
    if kind is None:
        raise UsageError(f"nobody said what {name!r} counts: import it with --external {name}=entity")
    return kind
