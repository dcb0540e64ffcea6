"""Calibrating: fit on verified samples, keep what was fitted, use it, and say whose gold it saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from workbench.comparing import calibration as pure
from workbench.comparing.calibration import Calibrated, FitCase, Measured, TooFewError, document_of, gold_hash
from workbench.comparing.correction import Learned, calibration_of
from workbench.comparing.curve import FOUND, MISSING, OBJECTIVES, UNLINKED, UNSURE, Moves, move_to, moves
from workbench.comparing.learning import PolicyChange, policy_changes
from workbench.comparing.links import links
from workbench.comparing.plans import families
from workbench.comparing.words import yours_first
from workbench.errors import UsageError
from workbench.formats import calibration as calibration_file
from workbench.formats.policy import to_toml
from workbench.matching import FLOOR, MATCHER
from workbench.matching.names import COUNTRY, LOOSE, SUGGESTED
from workbench.matching.units import entity_units, language_of
from workbench.model import Assessment, FoundIf, JsonObject, Matching, Progress, Verdict, recall_of, silent
from workbench.scoring.names import CALIBRATED
from workbench.scoring.scorers import assess_all
from workbench.stages.examples import seen_by
from workbench.stages.people import check, few_hidden, may_see
from workbench.stages.plan import prefix
from workbench.stages.recompute import match_samples, recompute
from workbench.stages.sides import each_verified
from workbench.store import calibrations, gold as gold_store, plans, runs, samples, scores
from workbench.store.calibrations import KeyRow, list_calibrations
from workbench.store.datasets import DatasetInfo, dataset_info
from workbench.store.engine import Store
from workbench.store.gold import Gold, reviewed
from workbench.store.runs import RunInfo
from workbench.store.samples import Stored, sample_ids
from workbench.store.scores import CountedChunk

__all__ = ["list_calibrations"]

_SAID: Mapping[Verdict, int] = {"found": FOUND, "missing": MISSING, "unsure": UNSURE}


@dataclass(frozen=True)
class Gathered:
    """All of a dataset that calibration looks at, under one run and scorer.

    `everything` holds the similarities of all counted samples of the population that figures stand for (no
    holdout, nothing that came after the plan), by sample; `cases` the verified ones among them, `held` those
    of the holdout (empty unless it was asked for). `invented` automatic units are linked to no verified one,
    `missed` verified units to no automatic one. `alone`: cases that stand for themselves only, where others
    weigh by their chance to be drawn. `assisted` cases were reviewed with proposals in sight, `older`
    ones under an older policy. `left_out` counts verified samples that do not count here by why: `seen`: the
    run's prompt showed them or related ones, `uncounted`: nothing was proposed for them, `late`: they came
    after the plan.
    """

    run: RunInfo
    scorer: str
    everything: Mapping[int, bytes]
    cases: tuple[FitCase, ...]
    held: tuple[FitCase, ...]
    known: Mapping[str, KeyRow]
    left_out: Mapping[str, int]
    invented: int
    missed: int
    holdout: int
    alone: int
    assisted: int = 0
    older: int = 0

    @property
    def weighted(self) -> bool:
        """Whether samples stand for different numbers of samples."""
        return len({case.weight for case in self.cases}) > 1


def gather(
    store: Store,
    info: DatasetInfo,
    run: RunInfo,
    scorer: str | None,
    *,
    holdout: bool = False,
    most: int | None = None,
    progress: Progress = silent,
) -> Gathered:
    """Read what has been counted and what people said. Raises UsageError when there is nothing to look at.

    Without a scorer it is `linked`, or `presence` where nothing was proposed for contexts. Verified samples
    take about 5 ms each; `most` ends after so many. `holdout` reads the samples kept back too: whoever asks
    has to write it down.
    """
    if "entity" not in info.kinds:
        raise UsageError("calibrate works on entities, and this dataset's policy reviews only statements")
    name, similarities = _similarities(store, run, scorer)
    gold = gold_store.load_gold(store, info.id, "entity")
    rows = calibrations.rows_of(store, sorted(gold))
    group = _groups(rows)
    kept_back = plans.holdout_ids(store, info.id)
    places = scores.population(store, info.id)
    excluded = gold_store.load_excluded(store, info.id, "entity")
    seen = seen_by(store, info, run).related

    def reason(number: int) -> str:
        """Why a verified sample is left out; empty for one that is not."""
        reasons = {
            "late": number not in places and number not in kept_back,
            "excluded": number in excluded,
            "unresolved": gold[number].assessment is None,
            "seen": rows[number].key in seen,
            "uncounted": number not in similarities,
        }
        return next((why for why, holds in reasons.items() if holds), "")

    why = {number: reason(number) for number in gold if holdout or number not in kept_back}
    wanted = {number: gold[number] for number, cause in why.items() if not cause}
    left_out = Counter(cause for cause in why.values() if cause)
    known = reviewed(store, info.id, "entity", holdout=holdout)
    weight, alone = _weights(store, info, [number for number in wanted if number not in kept_back])
    cases: list[FitCase] = []
    held: list[FitCase] = []
    invented = missed = 0
    due = [known[number] for number in sorted(wanted)][:most]
    for done, (stored, side) in enumerate(each_verified(store, run.id, "entity", due), start=1):
        number = stored.sample_id
        human, labels, loose = _verdicts(info, stored, wanted[number], side.based)
        if len(human) != len(similarities[number]):
            continue  # counted under another policy a moment ago; the next look has it
        case = FitCase(
            stored.sample.id, group[number], similarities[number], human, recall_of(wanted[number].tally),
            weight.get(number, 1.0), labels, _loose(info, stored, name, similarities[number]),
        )  # fmt: skip
        (held if number in kept_back else cases).append(case)
        if number not in kept_back:
            invented += human.count(UNLINKED)
            missed += loose
        progress(done)
    counted = [known[number] for number in wanted if number not in kept_back]
    return Gathered(
        run=run,
        scorer=name,
        everything={number: similarity for number, similarity in similarities.items() if number in places},
        cases=tuple(cases),
        held=tuple(held),
        known={row.key: row for row in rows.values()},
        left_out={
            cause: left_out[cause] for cause in ("unresolved", "excluded", "seen", "uncounted", "late")
        },
        invented=invented,
        missed=missed,
        holdout=len(kept_back),
        alone=alone,
        assisted=sum(sample.shown == "assisted" for sample in counted),
        older=sum(sample.policy not in info.same_policies for sample in counted),
    )


def _similarities(store: Store, run: RunInfo, scorer: str | None) -> tuple[str, dict[int, bytes]]:
    """The scorer and the similarities of every counted sample."""
    if scorer is not None and scorer not in CALIBRATED:
        raise UsageError(f"scorer {scorer!r} has no match threshold; there is: {', '.join(CALIBRATED)}")
    names = (scorer,) if scorer else CALIBRATED
    for name in names:
        if similarities := calibrations.similarities(store, run.id, name):
            return name, similarities
    able = scorer == "linked" and calibrations.similarities(store, run.id, "presence")
    instead = "; --scorer presence needs none" if able else ""
    raise UsageError(f"run {run.name} proposed nothing that {names[-1]} can count{instead}")


def _groups(rows: Mapping[int, KeyRow]) -> dict[int, str]:
    """The group of every sample: what shares a group or a reference is one, named by its first sample."""
    numbers = list(rows)
    kin = families([row.group for row in rows.values()], [row.reference_hash for row in rows.values()])
    return {
        numbers[index]: min(rows[numbers[member]].key for member in family)
        for family in kin
        for index in family
    }


def _weights(store: Store, info: DatasetInfo, wanted: Collection[int]) -> tuple[dict[int, float], int]:
    """What each sample stands for, 1 on average, and how many stand for themselves only among others.

    Of the complete prefix of a plan a sample weighs 1 / its chance to be in it. Nothing is known of the
    chance of others (gold of a file, chosen by hand, behind the prefix): 1 then, and 1 without a plan.
    """
    if plans.plan_of(store, info.id) is None:
        return dict.fromkeys(wanted, 1.0), 0
    chance = {row.sample_id: row.pi for row in prefix(store, info, "entity").rows}
    stands = {number: 1 / chance[number] if number in chance else 1.0 for number in wanted}
    if len(set(stands.values())) < 2:
        return dict.fromkeys(wanted, 1.0), 0
    # a fitted probability is smoothed by one unit: weights of a thousand each would drown that
    mean = sum(stands.values()) / len(stands)
    alone = sum(number not in chance for number in wanted)
    return {number: stand / mean for number, stand in stands.items()}, alone


def _verdicts(
    info: DatasetInfo, stored: Stored, gold: Gold, based: bool
) -> tuple[bytes, tuple[str, ...], int]:
    """The verdict on each counted automatic unit, its label, and how many verified ones nobody proposed."""
    assert stored.proposal is not None  # its names were counted
    assert gold.assessment is not None
    lang = language_of(stored.sample, info.policy)
    units = entity_units(stored.sample, stored.proposal.reference_entities or (), info.policy)
    pairs, _, loose = links(Assessment("entity", "automatic", units), gold.assessment, based=based, lang=lang)
    verdicts = {
        link.automatic.id: _SAID[link.verified.match.verdict] if link.verified.match.verdict else UNSURE
        for link in pairs
    }
    counts = [unit for unit in units if unit.counted]
    said = bytes(verdicts.get(unit.id, UNLINKED) for unit in counts)
    return said, tuple(unit.label for unit in counts), len(loose)


def _loose(
    info: DatasetInfo, stored: Stored, scorer: str, similarities: bytes
) -> Mapping[int, tuple[FoundIf, int]]:
    """The units that a rule of the policy decides, by place; what may be one is matched anew."""
    if scorer == "linked" and not {SUGGESTED, COUNTRY} & {*similarities}:
        return {}
    assert stored.proposal is not None  # its names were counted
    strict = replace(info.policy, nested="missing", derived="missing", coarser="missing")
    matching = Matching(strict, FLOOR, info.aliases)
    assessments = assess_all(stored.sample, stored.proposal, matching, evidence=False, only=(scorer,))
    matches = [unit.match for unit in assessments[scorer].units if unit.counted]
    return {
        at: ("nested", match.similarity) if match.nested else (LOOSE[match.rule], COUNTRY)
        for at, match in enumerate(matches)
        if match.nested or (match.rule in LOOSE and match.similarity == SUGGESTED)
    }


NONE = "none"


@dataclass(frozen=True)
class HoldoutReport:
    """The samples kept back, at the threshold that others chose and without a calibration: `samples` with a
    recall on both sides. `opened` counts looks, this one too.
    """

    samples: int
    opened: int
    chosen: Measured
    present: Measured


@dataclass(frozen=True)
class Look:
    """One look at a dataset. `found` is None while too little is verified, and `why` then says so.

    `now` is the threshold without a calibration, `moves.now` the one in use.
    `changes`: policies that the reviews ask for. `openings`: how often the holdout was opened before;
    `saved`: the names of the calibrations there are. Of a report: what the `holdout` said, the `name` under
    which it was kept, and the `document` of its file.
    """

    info: DatasetInfo
    gathered: Gathered
    moves: Moves
    now: int
    found: Calibrated | None
    why: str
    changes: tuple[PolicyChange, ...]
    openings: int
    saved: tuple[str, ...]
    holdout: HoldoutReport | None = None
    name: str = ""
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def change(self) -> PolicyChange | None:
        """The first change of the policy that makes the error smaller and is not known to be no better."""
        hopeful = (change for change in self.changes if change.better is not False and change.gain.value > 0)
        return next(hopeful, None)

    @property
    def means(self) -> dict[int, float | None]:
        """The automatic mean of the whole population at `now` and at the chosen threshold."""
        chosen = (self.found.threshold_now, self.found.threshold) if self.found else (self.now,)
        return {at: move_to(self.moves, at).mean for at in chosen}

    @property
    def defined(self) -> int:
        """How many samples these means are of."""
        return move_to(self.moves, self.now).defined

    @property
    def more(self) -> str:
        """What brings in more verdicts: reviews, as long as there is something to review."""
        gone = sum(self.gathered.left_out[why] for why in ("unresolved", "excluded", "seen"))
        left = len(self.gathered.everything) > len(self.gathered.cases) + gone
        return "review more" if left else "import more samples and review them"

    @property
    def free_name(self) -> str:
        """A name that no calibration has: `calibration-1`, and so on."""
        return next(name for name in map("calibration-{}".format, count(1)) if name not in self.saved)

    def fitted(self, objective: str) -> Look:
        """The same look under an objective."""
        assert objective in OBJECTIVES
        try:
            calibration = pure.calibrate(self.gathered.cases, now=self.now, objective=objective)
        except TooFewError as error:
            return replace(self, found=None, why=f"{error}: {self.more}, then calibrate")
        return replace(self, found=calibration, why="")


@dataclass(frozen=True)
class CrossFit:
    """A calibrated dataset's thresholds by sample.

    In `thresholds` stand the `samples` whose gold the calibration saw, and all that share a group or a
    reference with one, each with the threshold that was chosen without its group. Others are scored at the
    dataset's own. `folds` are the thresholds of all folds.
    """

    samples: int
    thresholds: Mapping[str, int]
    folds: tuple[int, ...]


UNCALIBRATED = CrossFit(0, {}, ())


def calibrate(
    store: Store,
    info: DatasetInfo,
    *,
    scorer: str | None = None,
    objective: str = "bias",
    save: str | None = None,
    holdout: bool = False,
    annotator: str,
    out: Path | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> Look:
    """Fit a threshold, a probability and a correction on the verified samples; with `save` keep them.

    With `out` they are written as `calibration.json`. `holdout` measures the choice on the samples kept back,
    once more, and writes that look down. Raises UsageError when the name is taken, or too little is verified:
    a first look that keeps nothing may still have changes of the policy to propose.
    """
    if objective not in OBJECTIVES:
        raise UsageError(f"unknown objective {objective!r}; there is: {', '.join(OBJECTIVES)}")
    if save is not None:
        _check_name(store, info, save)
    run = needed_run(store, info)
    recompute(store, info, progress)
    seen = look(
        store, info.id, objective,
        run=run, scorer=scorer, holdout=holdout, viewer=annotator, progress=progress,
    )  # fmt: skip
    calibration = seen.found
    if calibration is None:
        if not seen.changes or save or out or holdout:
            raise UsageError(seen.why)
        return seen
    held = _holdout(store, seen, calibration, save, annotator) if holdout else None
    document = document_for(seen, save or "", held)
    if save:
        keep(store, seen, save, annotator, document)
    if out is not None:
        calibration_file.write(out, document, force=force)
    return replace(seen, holdout=held, name=save or "", document=document)


def look(
    store: Store, dataset_id: int, objective: str, *, run: RunInfo | None = None,
    scorer: str | None = None, holdout: bool = False, viewer: str = "", progress: Progress = silent,
) -> Look:  # fmt: skip
    """Read the dataset and fit it. Raises UsageError when nothing is proposed or counted.

    Also where the figures would tell a `viewer` what others decided of samples that are theirs to decide.
    """
    info = dataset_info(store, dataset_id)
    run = run or needed_run(store, info)
    gathered = gather(store, info, run, scorer, holdout=holdout, progress=progress)
    if viewer:
        numbers, visible = sample_ids(store, info.id), may_see(store, info, viewer, "entity")
        cases = [numbers[case.id] for case in (*gathered.cases, *gathered.held)]
        if few_hidden(cases, visible):
            why = yours_first(len({*cases} - visible), len(cases))
            raise UsageError(f"{why}: the figures would show what others decided")
    seen = Look(
        info=info,
        gathered=gathered,
        moves=moves(list(gathered.everything.values()), info.threshold),
        now=_uncalibrated(store, info),
        found=None,
        why="",
        changes=policy_changes(gathered.cases, info.policy, info.threshold),
        openings=len(plans.openings(store, info.id)),
        saved=tuple(calibration.name for calibration in list_calibrations(store, info.id)),
    )
    return seen.fitted(objective)


def _uncalibrated(store: Store, info: DatasetInfo) -> int:
    """The match threshold without the calibration in use."""
    used = calibrations.calibration_in_use(store, info.id)
    return info.threshold if used is None else calibration_of(used.document).threshold_before


def needed_run(store: Store, info: DatasetInfo) -> RunInfo:
    """The run of a dataset. Raises UsageError when there is none yet."""
    run = runs.current_run(store, info)
    if run is None:
        raise UsageError("nothing has been proposed yet: workbench propose")
    return run


def keep(
    store: Store, seen: Look, name: str, annotator: str, document: Mapping[str, Any] | None = None
) -> None:
    """Keep the fit of a look under a name. Raises UsageError for a name that is taken or no name."""
    check(store, annotator, "keep a calibration")
    _check_name(store, seen.info, name)
    whole = dict(document or document_for(seen, name))
    calibrations.save_calibration(store, seen.info.id, name, whole, annotator)


def use(
    store: Store, info: DatasetInfo, name: str, annotator: str, progress: Progress = silent, *,
    out: Path | None = None, force: bool = False,
) -> DatasetInfo:  # fmt: skip
    """Make a calibration the dataset's, with its threshold; `none` goes back to the one before it.

    With `out` its file is written first.

    What was verified does not change. Scores at the new threshold are counted now. Raises NotFoundError, and
    UsageError for one of another matcher.
    """
    check(store, annotator, "change the match threshold")
    if out is not None:
        saved = calibrations.find_calibration(store, info.id, name)
        calibration_file.write(out, saved.document, force=force)
    if name == NONE:
        calibrations.use_calibration(store, info.id, None, _uncalibrated(store, info))
    else:
        saved = calibrations.find_calibration(store, info.id, name)
        known = calibration_of(saved.document)
        known.check(MATCHER)
        calibrations.use_calibration(store, info.id, saved.id, known.threshold)
    changed = dataset_info(store, info.id)
    recompute(store, changed, progress)
    return changed


def cross_fitted(store: Store, info: DatasetInfo) -> CrossFit:
    """The threshold of every sample that the dataset's calibration saw: the one chosen without its group."""
    used = calibrations.calibration_in_use(store, info.id)
    if used is None:
        return UNCALIBRATED
    known = calibration_of(used.document)
    learned, limits = known.gold.samples, known.gold.fold_thresholds
    by_group: dict[str | None, int] = {
        sample.group: limits[sample.fold] for sample in learned if sample.group is not None
    }
    by_hash = {sample.reference_hash: limits[sample.fold] for sample in learned}
    thresholds = {sample.id: limits[sample.fold] for sample in learned}
    for row in plans.candidates(store, info.id):
        related = by_group.get(row.group, by_hash.get(row.reference_hash))
        if related is not None:
            thresholds.setdefault(row.key, related)
    return CrossFit(len(learned), thresholds, limits)


def _holdout(
    store: Store, seen: Look, calibration: Calibrated, save: str | None, annotator: str
) -> HoldoutReport:
    """Measure on the samples kept back; nothing is written down when there is too little to see."""
    check(store, annotator, "open the holdout")
    gathered = seen.gathered
    if not gathered.holdout:
        raise UsageError("this dataset has no holdout: workbench plan --holdout draws one before review")
    try:
        chosen = pure.measure(gathered.held, calibration.threshold)
        present = pure.measure(gathered.held, calibration.threshold_now)
    except TooFewError as error:
        raise UsageError(
            f"holdout of {gathered.holdout:,} samples: {error}: review more of it first; "
            "it has not been opened"
        ) from None
    purpose = f"calibrate {save}" if save else "calibrate"
    opened = plans.note_opening(store, seen.info.id, purpose, annotator, datetime.now(UTC))
    return HoldoutReport(len(pure.table_of(gathered.held).verified), opened, chosen, present)


def document_for(seen: Look, name: str, held: HoldoutReport | None = None) -> JsonObject:
    """The document of `calibration.json`: the fit, its figures, and whose gold it saw."""
    gathered, calibration = seen.gathered, seen.found
    assert calibration is not None  # only a fit is kept
    rows = [(gathered.known[key], fold) for key, fold in sorted(calibration.fold_of.items())]
    return document_of(
        calibration,
        [Learned(row.key, row.group, row.reference_hash, fold) for row, fold in rows],
        name=name,
        dataset=seen.info.name,
        run=gathered.run.name,
        scorer=gathered.scorer,
        matcher=MATCHER,
        policy_version=seen.info.policy.version,
        policy=to_toml(replace(seen.info.policy, guidelines="")),  # what counts; words for people stay here
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        data_sha256=gold_hash(gathered.cases),
        holdout=held and asdict(held),
    )


def _check_name(store: Store, info: DatasetInfo, name: str) -> None:
    if not name.strip() or name == NONE or len(name) > 100 or not name.isprintable():
        raise UsageError(f"--save {name!r}: give another name, printable and of 1 to 100 characters")
    calibrations.refuse_taken(store, info.id, name)


def next_uncounted(store: Store, dataset_id: int) -> CountedChunk | None:
    """Match the next thousand samples that the current run has proposals for; None when all are counted."""
    info = dataset_info(store, dataset_id)
    if info.run_id is None:
        return None
    chunk = next(samples.each_uncounted(store, info.id, info.run_id, info.taught), None)
    return None if chunk is None else match_samples(info, chunk)
