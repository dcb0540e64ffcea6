"""The figures of a dataset: how far an automatic value is from the verified one, and why.

And how many reviews an interval of some width needs: of the interval that reports will show.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace

from workbench.comparing.agreement import Rate, beyond_chance, overlaps, tabulate_by_group
from workbench.comparing.causes import precision_of
from workbench.comparing.estimates import DRAWN, REFUSED, Design, Estimate, enough, estimate
from workbench.comparing.estimators import EQUAL, Population, Reached, difference, with_score
from workbench.comparing.explained import CauseTotal, Explained, cause_totals, of_labels, sums
from workbench.comparing.figures import Arm, Arms, Beside, Counts, Figures, Row, arms
from workbench.comparing.intervals import FEWEST, UNIT, Interval, mean
from workbench.comparing.paired import Pair, Paired, paired
from workbench.comparing.plans import DESIGNS
from workbench.comparing.words import CHOSEN, interval, older_policy, unlisted, yours_first
from workbench.errors import UsageError
from workbench.model import Kind, Progress, count, recall_of, silent
from workbench.scoring.names import CALIBRATED, DEFAULT_SCORER, RECOUNT, SCORERS, first_scorer, kind_of
from workbench.stages.calibrate import CrossFit, cross_fitted
from workbench.stages.examples import seen_by
from workbench.stages.people import HIDDEN, few_hidden
from workbench.stages.plan import Prefix, prefix
from workbench.stages.queue import able_scorers, headline_scorer, scored_by
from workbench.stages.recompute import counts, recompute
from workbench.stages.sides import explain_all
from workbench.store import calibrations, gold, plans, queue, runs, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.gold import Reviewed, reviewed
from workbench.store.journal import first_accepts
from workbench.store.runs import RunInfo
from workbench.text import lists
from workbench.text.figures import many

COUNTED = "total", "n", "undefined", "excluded", "open", "unsure", "design", "automatic"
"""What an estimate says without a verified value."""
TOLD = (
    *("dataset", "run", "scorer", "kind", "threshold", "calibration", "counts", "design", "planned_n"),
    *("prefix", "rows", "notes", "unlisted"),
)
"""What figures say without one."""
VERIFIED = "verified"
OPEN = ("skipped", "unresolved")
"""Samples of the prefix that have no gold yet."""

EITHER_WAY = Interval(-1.0, 1.0)
"""The ends of what a cause can add to the difference of one sample."""
ONE_WAY = {"false match": UNIT, "unsure": UNIT, "missed match": Interval(-1.0, 0.0)}
"""Those of causes that only raise or only lower the automatic value."""

NOTES = lists.pairs(lists.sections(__name__)["notes"])
EVEN = 1.1
"""Chances to be drawn that differ by this factor at most come from rounding shares to whole samples."""

Recalls = Mapping[int, float | None]


@dataclass(frozen=True)
class Scope:
    """What some figures are about: one scorer or column of a dataset under one run, that of its `info`.

    `places` has the stratum of every sample that counts: without the holdout and what the run has `seen`.
    """

    store: Store
    info: DatasetInfo
    run: RunInfo | None
    name: str
    kind: Kind
    fitted: CrossFit
    begun: Prefix
    places: Mapping[int, str]
    excluded: Collection[int]
    seen: int


@dataclass(frozen=True)
class Side:
    """Both sides: automatic values of all samples, the `reviewed` ones that count, and what explains them.

    `of_all` are the values that the estimate for all samples rests on: those of `values`, but for a
    calibrated dataset. Values less than `within` apart are equal.
    """

    values: Mapping[int, float | None]
    of_all: Mapping[int, float | None]
    explained: Mapping[int, Explained]
    reviewed: Mapping[int, Reviewed]
    recomputed: Mapping[int, float | None]
    within: float = EQUAL


def figures(
    store: Store, info: DatasetInfo, *, scorer: str | None = None, progress: Progress = silent
) -> Figures:
    """All figures of a scorer or an imported column. Raises UsageError for an unknown scorer."""
    run, fitted = recounted(store, info, progress)
    if not scorer:  # the first that could count this run
        kind = info.kinds[0]
        scorer = first_scorer(able_scorers(store, info), kind) or DEFAULT_SCORER[kind]
    name, kind = counts(scorer, scores.external_columns(store, info.id))
    with store.snapshot():
        return figures_of(scope(store, info, run, name, kind, fitted), progress)


def recounted(store: Store, info: DatasetInfo, progress: Progress) -> tuple[RunInfo | None, CrossFit]:
    """The run of a dataset, counted at every threshold that its figures have."""
    fitted = cross_fitted(store, info)
    for threshold in {info.threshold, *fitted.folds}:
        recompute(store, replace(info, threshold=threshold), progress)
    return runs.current_run(store, info), fitted


def scope(
    store: Store, info: DatasetInfo, run: RunInfo | None, name: str, kind: Kind, fitted: CrossFit,
) -> Scope:  # fmt: skip
    begun = prefix(store, info, kind, cut=True)
    places = scores.members(store, info.id, strata=begun.design == "stratified")
    seen, shown = seen_by(store, info, run).related, set[int]()
    if seen:
        population = scores.population(store, info.id).items()
        shown = {number for number, member in population if number in places and member.key in seen}
        places = {number: stratum for number, stratum in places.items() if number not in shown}
    excluded = gold.load_excluded(store, info.id, kind)
    return Scope(store, info, run, name, kind, fitted, begun, places, excluded, len(shown))


def listing(stats: Figures, seen: Callable[[Kind], Set[int]], begun: Collection[int] = ()) -> Figures:
    """The same figures with the samples listed that their reader has `seen` by kind, and no other one named.

    Where these would tell the values of those (`few_hidden`) the figures go too; the estimate rests on the
    samples that have `begun` the order. So do the figures of a scorer that would tell them next to another's.
    """
    ids = seen(stats.kind)
    telling = _telling(stats.counted, seen)
    if telling and stats.scorer not in telling:
        beside = tuple(each for each in stats.beside if each.scorer not in telling)
        note = NOTES["telling"].format(scorers=many(len(telling), "scorer"))
        stats = replace(stats, beside=beside, notes=(*stats.notes, note))
    rows = tuple(row for row in stats.rows if row.sample_id in ids)
    gone = len(stats.rows) - len(rows)
    if not gone:
        return stats
    named = {row.id for row in rows}
    known = [row for row in stats.rows if row.delta is not None]

    def unnamed(whole: Paired) -> Paired:
        return whole if whole.largest and whole.largest[0] in named else replace(whole, largest=None)

    slow = stats.without_fast
    groups = known, [row for row in known if row.sample_id in begun]
    few = next((group for group in groups if stats.scorer in telling or _tells(group, ids)), None)
    stats = replace(
        stats,
        rows=rows,
        paired=unnamed(stats.paired),
        without_fast=unnamed(slow) if slow and not _tells(known, ids, lambda row: row.fast) else None,
        arms=_sizes(stats.arms) if _tells(known, ids, lambda row: row.shown) else stats.arms,
        notes=(*stats.notes, unlisted(gone)),
        unlisted=gone,
        by_label=_of_enough(stats.by_label),
        by_language=_of_enough(stats.by_language),
    )
    if few is None:
        return stats
    return _withheld(stats, yours_first(sum(row.sample_id not in ids for row in few), len(few)))


def _telling(counted: Mapping[Kind, Mapping[str, Set[int]]], seen: Callable[[Kind], Set[int]]) -> set[str]:
    """The scorers whose figures would tell others' values: alone, or taken from those of more samples."""
    telling = set()
    for kind, by_scorer in counted.items():
        if not by_scorer[VERIFIED]:
            continue
        wider: list[Set[int]] = []
        ids = seen(kind)
        for name, samples in sorted(by_scorer.items(), key=lambda each: (-len(each[1]), each[0])):
            apart = (len((samples ^ more) - ids) for more in wider)
            if few_hidden(samples, ids) or any(0 < hidden < HIDDEN for hidden in apart):
                telling.add(name)
            wider.append(samples)
    return telling


def _tells(rows: Sequence[Row], ids: Collection[int], part: Callable[[Row], object] = bool) -> bool:
    """Whether a figure of some samples, or of each part of them, would tell others' values (`few_hidden`)."""
    parts: dict[object, set[int]] = defaultdict(set)
    for row in rows:
        parts[part(row)].add(row.sample_id)
    return any(few_hidden(each, ids) for each in parts.values())


def _sizes(both: Arms) -> Arms:
    return Arms(Arm(both.blind.n, None, None), Arm(both.assisted.n, None, None), None, None)


def _of_enough(cut: Mapping[str, Sequence[CauseTotal]]) -> dict[str, tuple[CauseTotal, ...]]:
    """The causes of each label or language that ten samples or more have."""
    large = {name: tuple(one for one in totals if one.samples >= FEWEST) for name, totals in cut.items()}
    return {name: totals for name, totals in large.items() if totals}


def _withheld(stats: Figures, why: str) -> Figures:
    """Only what rests on no verified values, and how many there are; every other field says nothing."""
    whole = stats.estimate
    return Figures(
        **{field: getattr(stats, field) for field in TOLD},
        estimate=Estimate(
            **{field: getattr(whole, field) for field in COUNTED},
            verified=replace(whole.verified, value=None),
            refusal=why,
        ),
        paired=Paired(stats.paired.n, Rate(0, 0), None, early=stats.paired.early),
        arms=_sizes(stats.arms),
    )


def figures_of(at: Scope, progress: Progress) -> Figures:
    """All figures of a scope, in a snapshot."""
    info, begun = at.info, at.begun
    side = side_of(at, progress)
    rows = tuple(_rows(at, side))
    known = {row.sample_id: side.explained[row.sample_id] for row in rows if row.sample_id in side.explained}
    judged = [
        ((unit.verified, unit.automatic), row.sample_id if row.group is None else row.group)
        for row in rows
        if row.sample_id in known
        for unit in known[row.sample_id].judged
        if unit.automatic and unit.verified
    ]
    # a number that came alone has no units, which is not the same as units that nobody proposed
    counted = {number: sample for number, sample in known.items() if sample.imported is None or sample.judged}
    verdicts = tabulate_by_group([pair for pair, _ in judged], [group for _, group in judged])
    pairs = _pairs(rows, {row.sample_id: row.verified for row in rows})
    quick = {row.id for row in rows if row.fast}
    slow = [pair for pair in pairs if pair.id not in quick]
    by_language: dict[str, list[Explained]] = defaultdict(list)
    for number, sample in known.items():
        by_language[side.reviewed[number].language or info.policy.language].append(sample)
    causes = cause_totals(known.values())
    labels = {label for sample in known.values() for share in sample.shares for label in share.labels}
    estimated = whole(at, side)
    beside, of_scorers = _beside(at, side)
    # another interval next to the estimate's, and one that holds at the end only, would be believed early
    early = not (estimated.refusal or estimated.complete or begun.at_planned_n)
    first, changed = _as_decided_first(at, side, rows)
    alike = {number: sample for number, sample in counted.items() if number not in changed}
    both_arms = arms(first, alike, early=early)
    again = _pairs(rows, side.recomputed)
    return Figures(
        dataset=info.name,
        run=info.run,
        scorer=at.name,
        kind=at.kind,
        threshold=info.threshold,
        calibration=info.calibration,
        counts=_counts(at, side, len(quick)),
        design=begun.design,
        planned_n=begun.planned_n,
        prefix=begun.n,
        estimate=estimated,
        paired=paired(pairs, side.within, early=early),
        without_fast=paired(slow, side.within, early=early) if quick else None,
        arms=both_arms,
        verdicts=verdicts,
        chance=beyond_chance(verdicts.table) if verdicts.n else None,
        units=overlaps([sample.overlap(strict=False) for sample in counted.values()]),
        strict=overlaps([sample.overlap(strict=True) for sample in counted.values()]),
        labels=of_labels(known.values()),
        causes=causes,
        estimated=by_cause(at, estimated, causes, side),
        by_label={label: cause_totals(known.values(), {label}) for label in sorted(labels) if label},
        by_language={name: cause_totals(of) for name, of in sorted(by_language.items())}
        if len(by_language) > 1
        else {},
        reproducible=paired(again, side.within) if again else None,
        beside=beside,
        counted=of_scorers,
        sums=sums(known.values()),
        rows=rows,
        notes=tuple(_notes(at, side, both_arms, pairs)),
    )


def _rows(at: Scope, side: Side) -> Iterable[Row]:
    """The verified samples that count, with gold and with an automatic value."""
    fast = _fast(at, side.reviewed.values())
    for number, sample in side.reviewed.items():
        if number not in side.values or sample.origin == "unresolved":
            continue
        explained = side.explained.get(number)
        ours, theirs = side.values[number], recall_of(sample.tally)
        delta = None if ours is None or theirs is None else ours - theirs
        if explained and explained.delta is not None:
            delta = float(explained.delta)
        delta = _leveled(delta, side.within)
        shares, ends = (explained.shares, explained.ends) if explained else ((), (None, None))
        main = explained.main if explained and delta else ""
        yield Row(
            number, sample.key, sample.group, ours, theirs, delta, main, shares,
            sample.language or at.info.policy.language, sample.shown, number in fast, ends, sample.question,
        )  # fmt: skip


def _leveled(delta: float | None, within: float) -> float | None:
    """A difference; 0 for what is less than `within`."""
    return 0.0 if delta is not None and abs(delta) < within else delta


def _pairs(rows: Iterable[Row], others: Recalls) -> list[Pair]:
    """The rows whose samples have a value among others too: verified, or counted again from traces."""
    return [
        Pair(row.id, row.automatic, other, row.group)
        for row in rows
        if row.automatic is not None and (other := others.get(row.sample_id)) is not None
    ]


def _counts(at: Scope, side: Side, fast: int) -> Counts:
    verified = side.reviewed.values()
    origins = Counter(sample.origin for sample in verified)
    failed = runs.failures_of(at.store, at.run.id) if at.run else []
    return Counts(
        total=at.begun.population,
        holdout=at.begun.holdout,
        late=at.begun.late,
        imported=origins["imported"],
        reviewed=origins["reviewed"],
        adjudicated=origins["adjudicated"],
        unresolved=origins["unresolved"],
        excluded=sum(number in at.places for number in at.excluded),
        skipped=len(scores.skipped(at.store, at.info.id, at.kind) & at.places.keys()),
        undefined=sum(sample.tally is not None and not sample.tally.units for sample in verified),
        failed=sum(failure[0] in at.places for failure in failed),
        unproposed=sum(number not in side.values for number in at.places),
        seen=at.seen,
        fast=fast,
        blank=len(plans.blank_ids(at.store, at.info.id)),
    )


def _beside(at: Scope, side: Side) -> tuple[tuple[Beside, ...], dict[Kind, dict[str, frozenset[int]]]]:
    """Every scorer and imported column that has values, in short, and the samples that each counts by kind.

    `side` is that of the scope's own; VERIFIED has every sample with a verified value.
    """
    human = {at.kind: side.reviewed}
    columns = [name for name in scores.external_columns(at.store, at.info.id) if kind_of(name)]
    scorers = []
    counted: dict[Kind, dict[str, frozenset[int]]] = {}
    for name in (*able_scorers(at.store, at.info), *columns):
        kind = kind_of(name)
        assert kind is not None  # of both lists
        if kind not in human:
            excluded = gold.load_excluded(at.store, at.info.id, kind)
            human[kind] = _that_count(replace(at, kind=kind, excluded=excluded))
        values, within = (side.values, side.within) if name == at.name else values_of(at, name)
        scorers.append(_short(name, kind, values, human[kind], within))
        known = {n for n, review in human[kind].items() if recall_of(review.tally) is not None}
        of_kind = counted.setdefault(kind, {VERIFIED: frozenset(known)})
        of_kind[name] = frozenset(n for n in known if values.get(n) is not None)
    return tuple(scorers), counted


def _that_count(at: Scope) -> dict[int, Reviewed]:
    """The verified samples that count: not excluded, not seen, not kept back."""
    every = reviewed(at.store, at.info.id, at.kind).items()
    return {number: review for number, review in every if number in at.places and number not in at.excluded}


def _short(name: str, kind: Kind, values: Recalls, human: Mapping[int, Reviewed], within: float) -> Beside:
    both = [review for review in human.values() if review.tally is not None and review.sample_id in values]
    pairs = [(values[review.sample_id], recall_of(review.tally)) for review in both]
    known = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
    return Beside(
        scorer=name,
        kind=kind,
        n=len(known),
        undefined=len(pairs) - len(known),
        automatic=mean(ours for ours, _ in known).value,
        verified=mean(theirs for _, theirs in known).value,
        delta=mean(ours - theirs for ours, theirs in known).value,
        mae=mean(abs(ours - theirs) for ours, theirs in known).value,
        equal=sum(abs(ours - theirs) < within for ours, theirs in known),
    )


def _fast(at: Scope, reviewed: Iterable[Reviewed]) -> set[int]:
    """The samples whose gold was accepted in under a second, by the person whose gold it is."""
    of: dict[str, set[int]] = defaultdict(set)
    for sample in reviewed:
        if sample.origin == "reviewed":
            of[sample.annotator].add(sample.sample_id)
    ids: set[int] = set()
    for annotator, theirs in of.items():
        ids |= theirs.intersection(queue.fast_ids(at.store, at.info, annotator, at.kind))
    return ids


def _as_decided_first(at: Scope, side: Side, rows: Sequence[Row]) -> tuple[list[Row], set[int]]:
    """The rows with the first decision of each blind review, and the samples where it was another.

    What a person changes after it they change with the machine's values in sight.
    """
    blind = {
        sample.review_id: sample
        for sample in side.reviewed.values()
        if sample.shown == "blind" and sample.review_id
    }
    changed = {
        blind[number].sample_id: recall_of(tally)
        for number, each in first_accepts(at.store, blind.keys(), at.kind).items()
        if (tally := count(each.units)) != blind[number].tally
    }
    first_rows = []
    for row in rows:
        if row.sample_id in changed:
            theirs = changed[row.sample_id]
            apart = None if row.automatic is None or theirs is None else row.automatic - theirs
            row = replace(row, delta=_leveled(apart, side.within))
        first_rows.append(row)
    return first_rows, {*changed}


def _notes(at: Scope, side: Side, pair: Arms, pairs: Sequence[Pair]) -> Iterator[str]:
    """What has to be said of the figures."""
    info, fitted, begun = at.info, at.fitted, at.begun
    standing = [sample for sample in side.reviewed.values() if sample.tally is not None]
    if older := sum(sample.policy not in info.same_policies for sample in standing):
        yield older_policy(older, len(standing), info.policy.version)
    if pair.detectable is not None:
        yield NOTES["blind"].format(n=pair.blind.n, least=pair.detectable)
    # whose gold chose the threshold, and what was done about it
    if at.name in CALIBRATED and fitted.thresholds:
        limits = ", ".join(map(str, sorted(set(fitted.folds))))
        yield NOTES["saw"].format(name=info.calibration, samples=fitted.samples, limits=limits)
    elif at.name in CALIBRATED:
        for calibration in calibrations.list_calibrations(at.store, info.id):
            fit = calibration.document
            if fit["threshold"] == info.threshold != fit["threshold_before"]:
                yield NOTES["chose"].format_map({**fit, "name": calibration.name})
                break
    if begun.at_planned_n and begun.beyond:
        more = many(begun.beyond, "more sample is", "more samples are")
        yield NOTES["reached"].format(more=more)
    # paired values weigh each sample alike, which other chances in other strata make another question
    chances = [row.pi for row in begun.rows]
    if len(pairs) >= FEWEST and chances and max(chances) > EVEN * min(chances):
        yield NOTES["chances"].format(ends=interval(Interval(min(chances), max(chances))))


def stands_for(at: Scope, values: Recalls) -> Population:
    """The samples that the figures stand for, those of a drawn corpus as it was scored."""
    population = Population([values.get(number) for number in at.places], [*at.places.values()])
    if at.begun.corpus:
        listed = at.begun.corpus["values"][at.name].items()
        every = ((value, stratum, times) for stratum, pairs in listed for value, times in pairs)
        population = Population(*zip(*every, strict=True))
    return population if at.begun.design == "stratified" else replace(population, strata=())


def fits_corpus(at: Scope) -> bool:
    """Whether the samples here are scored as those outside the database: by no other run or threshold."""
    known, info = at.begun.corpus, at.info
    return not known or (
        at.name in SCORERS
        and not at.fitted.thresholds
        and at.run is not None
        and (at.run.name, info.threshold, info.policy.version)
        == (known["run"], known["threshold"], known["policy"])
    )


def reached(at: Scope, human: Mapping[int, Reviewed], values: Recalls) -> dict[int, Reached]:
    """The samples of the prefix in its order, with both values."""
    drawn = {}
    for row in at.begun.rows:
        if row.sample_id not in at.places:
            continue
        theirs = human.get(row.sample_id)
        value = low = high = None
        if row.done.status in OPEN:
            low, high = (theirs and theirs.ends) or (0.0, 1.0)
        elif row.done.status == "verified" and theirs is not None and theirs.tally is not None:
            value = recall_of(theirs.tally)
            ends = theirs.tally.interval
            if ends is not None and ends[0] != ends[1]:
                low, high = float(ends[0]), float(ends[1])
        drawn[row.sample_id] = Reached(
            values.get(row.sample_id), value, row.pi, row.member.stratum, row.member.group, low, high,
            row.done.status == "excluded",
        )  # fmt: skip
    return drawn


def whole(at: Scope, side: Side) -> Estimate:
    """The mean of all samples of the population from the prefix of its order."""
    begun, drawn = at.begun, [*reached(at, side.reviewed, side.of_all).values()]
    design: Design = begun.design if begun.design in DESIGNS else "hand"
    standing = [sample for sample in side.reviewed.values() if sample.tally is not None]
    if not drawn and standing:
        design = "imported" if all(sample.origin == "imported" for sample in standing) else "hand"
        drawn = [
            Reached(side.of_all.get(sample.sample_id), recall_of(sample.tally), None) for sample in standing
        ]
    if not fits_corpus(at):
        return estimate(Population([None], times=[begun.population]), drawn, design="elsewhere")
    of_all = estimate(
        stands_for(at, side.of_all),
        drawn,
        design=design,
        planned=begun.planned_n,
        at_planned=begun.at_planned_n,
    )
    if not begun.chosen:
        return of_all
    assumptions = tuple(
        CHOSEN if assumption in DRAWN.values() else assumption for assumption in of_all.assumptions
    )
    return replace(of_all, assumptions=assumptions)


def weights(at: Scope, human: Mapping[int, Reviewed]) -> dict[int, float]:
    """What the verified value of each sample weighs in the estimate, and what its automatic value weighs
    where the prefix has not reached it: 0 for a sample without a score where others have one."""
    values = scored_by(at.store, at.info, at.name)
    population = (
        stands_for(at, values) if fits_corpus(at) else Population([None], times=[at.begun.population])
    )
    known, drawn = with_score(population, [*reached(at, human, values).values()])
    by_stratum: Mapping[str, float] = {}
    each = 1 / max(known.size, 1)
    with suppress(ValueError):  # nothing is estimated yet
        middle = difference(known, drawn)
        by_stratum, each = middle.weights, each / middle.share
    found = dict.fromkeys(at.places, each)
    found |= {
        row.sample_id: by_stratum.get(row.member.stratum if known.strata else "", each)
        for row in at.begun.rows
    }
    if any(value is not None for value in population.automatic):
        found |= {number: 0.0 for number in at.places if values.get(number) is None}
    return found


def by_cause(at: Scope, of_all: Estimate, causes: Sequence[CauseTotal], side: Side) -> dict[str, Estimate]:
    """The net share of each cause for all samples: the estimator of the whole, with parts of Δ for values."""
    if of_all.refusal or of_all.point is None or (of_all.complete and of_all.open):
        return {}
    population = stands_for(at, side.values)
    level = [None if value is None else 0.0 for value in population.automatic]
    settled = [
        (
            replace(sample, automatic=None if sample.automatic is None else 0.0, low=None, high=None),
            side.explained.get(number),
        )
        for number, sample in reached(at, side.reviewed, side.values).items()
        if not sample.open
    ]
    return {
        cause.cause: estimate(
            replace(population, automatic=level),
            [replace(each, verified=known.net(cause.cause) if known else None) for each, known in settled],
            design=of_all.design,
            planned=at.begun.planned_n,
            at_planned=at.begun.at_planned_n,
            limits=ONE_WAY.get(cause.cause, EITHER_WAY),
        )
        for cause in causes
        if cause.cause != "rounding"  # one digit at most, which says nothing of other samples
    }


def side_of(at: Scope, progress: Progress) -> Side:
    """What a scorer or an imported column counts, and what explains it next to the gold."""
    store, info, run = at.store, at.info, at.run
    human = _that_count(at)
    known = explain_all(store, info, at.name, human, progress)
    values, within = values_of(at, at.name)
    of_all = dict(values)
    again: Recalls = {}
    if at.name not in SCORERS and run is not None and run.proposer != "rules":
        again = scores.values(store, run.id, info.threshold, RECOUNT[at.kind])
    elif own := own_thresholds(at, at.name):
        for limit, numbers in own.items():
            if limit != info.threshold:
                mine = {number: human[number] for number in known.keys() & numbers}
                known |= explain_all(store, replace(info, threshold=limit), at.name, mine)
        # What nobody's fit saw counts with its mean over the folds. Else seen samples would be scored by one
        # function and the others by another, and the estimate would be off by what lies between them (Zrnic,
        # Candès 2024, "Cross-prediction-powered inference").
        assert run is not None  # its samples have thresholds of their own
        folds, seen = at.fitted.folds, set().union(*own.values())
        often = Counter(folds)
        columns = {limit: scores.values(store, run.id, limit, at.name) for limit in often}
        for number in values:
            if number not in seen:
                each = [(columns[limit].get(number), times) for limit, times in often.items()]
                defined = [(value, times) for value, times in each if value is not None]
                mean = sum(value * times for value, times in defined) / len(folds)
                of_all[number] = mean if len(defined) == len(each) else None
    return Side(values, of_all, known, human, again, within)


def values_of(at: Scope, name: str) -> tuple[Recalls, float]:
    """The values of a scorer or a column, and how much less apart they are equal."""
    if name not in SCORERS:
        within = precision_of(scores.external_digits(at.store, at.info.id, name).values())
        return scored_by(at.store, at.info, name), within
    recalls = scored_by(at.store, at.info, name)
    for limit, numbers in own_thresholds(at, name).items():
        others = scored_by(at.store, replace(at.info, threshold=limit), name)
        recalls |= {number: others[number] for number in numbers if number in others}
    return recalls, EQUAL


def own_thresholds(at: Scope, name: str) -> dict[int, set[int]]:
    """The samples that the calibration saw by their threshold; none for a scorer that it does not set."""
    by_threshold: dict[int, set[int]] = defaultdict(set)
    if at.run is not None and at.fitted.thresholds and name in CALIBRATED:
        numbers = {member.key: number for number, member in scores.population(at.store, at.info.id).items()}
        for key in at.fitted.thresholds.keys() & numbers.keys():
            by_threshold[at.fitted.thresholds[key]].add(numbers[key])
    return by_threshold


@dataclass(frozen=True)
class Precision:
    """`needed` samples, reviewed in order, give a half-width of about `half_width`; the values of `reviewed`
    ones, which the estimate has so far, tell so.

    With `planned` that is at the end of a plan: there is one, or it can still be made. Else it holds at any
    look, which takes more. `basis` says what the answer rests on.
    """

    half_width: float
    needed: int
    reviewed: int
    population: int
    planned: bool
    basis: str


def precision(store: Store, info: DatasetInfo, half_width: float) -> Precision:
    """The answer for the first score of reports. Raises UsageError for a width that no interval has, and
    where nothing is verified of a stratum."""
    if not 0 < half_width < 1:
        raise UsageError(f"a half-width is a number between 0 and 1, as 0.03; {half_width:g} is none")
    with store.snapshot():
        name = headline_scorer(store, info)
        kind = kind_of(name) or info.kinds[0]
        at = scope(store, info, runs.current_run(store, info), name, kind, cross_fitted(store, info))
        if not at.places:
            raise UsageError("there is no sample to review")
        side = side_of(at, silent)
        drawn = [one for one in reached(at, side.reviewed, side.of_all).values() if not one.open]
        if not fits_corpus(at):
            raise UsageError(REFUSED["elsewhere"])
        population = stands_for(at, side.of_all)
        planned = at.begun.planned_n is not None
        with suppress(UsageError):
            plans.refuse_decided(store, info.id)
            planned = True
    total = population.size
    n = sum(sample.verified is not None for sample in with_score(population, drawn)[1])
    if len(drawn) == total:
        known = "Every sample is reviewed: the mean is known."
        return Precision(half_width, total, n, total, planned=True, basis=known)
    if n < FEWEST:
        settled = []
        basis = (
            f"The estimate has {many(n, 'value')}, fewer than {FEWEST}: this takes every recall for 0 or 1."
        )
    else:
        settled = [replace(sample, low=None, high=None) for sample in drawn]
        basis = f"If the other samples are as far off as the {many(n, 'reviewed one')}."
    try:
        needed = max(len(drawn), enough(population, settled, half_width, at_planned=planned))
    except ValueError as reason:  # a stratum of which nothing is known
        raise UsageError(f"nothing to go by: {reason}") from None
    return Precision(half_width, needed, n, total, planned, basis)
