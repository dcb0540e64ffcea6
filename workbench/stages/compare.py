"""The page of a comparison, retrievers compared over the same references, and two versions of the gold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.comparing.answer import Answer
from workbench.comparing.estimators import EQUAL
from workbench.comparing.figures import Figures
from workbench.comparing.paired import Retrievers, RetrieverSample, compare_retrievers
from workbench.comparing.versions import (
    Against,
    GoldDiff,
    GoldVersion,
    MeanChange,
    ScoredTwice,
    VersionSample,
    against as hold_against,
    differences,
)
from workbench.errors import InputError, UsageError
from workbench.formats.exports.folder import home_of, read_manifest, write_whole
from workbench.formats.reading import read
from workbench.formats.report import report
from workbench.formats.rows import Notes, excerpt
from workbench.model import KINDS, Kind, Progress, Sample, recall_of, silent
from workbench.reviewing.fold import GoldOrigin, Verified
from workbench.scoring.names import SCORERS, day_of, kind_of, metric_of, runs_of
from workbench.stages import local, moment_of
from workbench.stages.figures import recounted, scope, values_of
from workbench.stages.import_ import existing, manifest_settings, own_names, with_names
from workbench.stages.people import few_hidden, may_see
from workbench.stages.queue import headline_scorer, scored_by
from workbench.stages.recompute import known, withheld_from
from workbench.store import gold as gold_store, journal, plans, samples, scores
from workbench.store.datasets import DatasetInfo, find_dataset, policy_versions
from workbench.store.engine import Store
from workbench.store.exports import is_pseudonym
from workbench.store.gold import reviewed
from workbench.store.importing import assessments_of, purged_names
from workbench.store.queue import annotators


def write_html(
    store: Store, info: DatasetInfo, path: Path, answer: Answer, figures: Figures, *, text: bool, force: bool
) -> None:
    """Write an answer and its figures as one page to send, without `text` of the samples if so wished.

    Raises ExportError for a file that is there, or a full disk.
    """
    reviewers = [name for name, _ in annotators(store, info)]
    decided = reviewed(store, info.id, figures.kind).values()
    own = {sample.annotator for sample in decided if sample.shown != "import"}
    brought = {sample.annotator for sample in decided if sample.shown == "import"} - own
    day = datetime.now().astimezone().date()
    page = report(answer, figures, reviewers=reviewers, brought=brought, day=day, text=text)
    write_whole(path, page, force=force)


def compare_by(
    store: Store, info: DatasetInfo, viewer: str, by: str, *, scorer: str | None, progress: Progress
) -> Retrievers:
    """Pair verified samples with the same reference by a key of `meta` (`meta.retriever`), or `group`.

    Your score is `scorer`, else the imported column of the kind that
    is reviewed first. Excluded samples, those of the holdout and those with a blank reference stay out, and
    what is verified of samples where `may_see` does not say so.

    Raises UsageError when the key is of another form or no sample that counts has it, and for an unknown
    scorer.
    """
    columns = scores.external_columns(store, info.id)
    name = known(scorer, columns) if scorer else scores.imported_column(store, info.id, info.kinds[0])
    if name in SCORERS:
        recounted(store, info, progress)
    kind = kind_of(name) or info.kinds[0]
    gold = gold_store.load_gold(store, info.id, kind)
    left_out = gold_store.load_excluded(store, info.id, kind) | plans.holdout_ids(store, info.id)
    values = scored_by(store, info, name)
    seen = may_see(store, info, viewer, kind)
    judged, out, hidden = [], 0, 0
    keys: dict[str, None] = {}
    for stored in samples.each_sample(store, info.id):
        sample, truth = stored.sample, gold.get(stored.sample_id)
        of = _value_of(sample, by)
        keys |= dict.fromkeys(f"meta.{key}" for key in sample.meta)
        if of is None or sample.blank or stored.sample_id in left_out:
            out += of is not None
            continue
        verified = truth.assessment if truth else None
        if verified and stored.sample_id not in seen:
            verified, hidden = None, hidden + 1
        judged.append(
            RetrieverSample(
                sample.id, sample.reference_hash, of, verified, sample.group, sample.user_input,
                values.get(stored.sample_id),
            )
        )  # fmt: skip
    if not judged and out:
        raise UsageError(f"every sample with {by!r} is not counted or in the holdout")
    if not judged:
        add = "; import the file again with --meta KEY=VALUE to give its samples one"
        there = f"; there is: {excerpt(', '.join(keys), 200)}" if keys else f" or any key of meta{add}"
        raise UsageError(f"no sample has {by!r}{there}")
    return replace(compare_retrievers(judged, name), withheld=hidden)


def _value_of(sample: Sample, by: str) -> str | None:
    if by == "group":
        return sample.group
    if not by.startswith("meta."):
        raise UsageError(f"--by {by!r}: name a key of meta (--by meta.retriever) or group")
    value: Any = sample.meta
    for part in by.removeprefix("meta.").split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return None if value is None else str(value)


def compare_against(
    store: Store, info: DatasetInfo, viewer: str, *, scorer: str | None, against: str | None,
    since: str | None, progress: Progress = silent,
) -> Against:  # fmt: skip
    """Hold a scorer or column against another one, or against the run of its metric from before `since`.

    Without `scorer` it is the one that reports begin with. Samples of the holdout, those that are not
    counted, and examples of the run stay out; values are those of figures: what a calibration saw is scored
    at a threshold chosen without it. What is verified counts and is listed where `may_see` says so.

    Raises UsageError for an unknown name, two kinds of units, a moment that is none, and where no run is from
    before it.
    """
    run, fitted = recounted(store, info, progress)
    columns = scores.external_columns(store, info.id)
    first = known(scorer, columns) if scorer else headline_scorer(store, info)
    days = {name: _day(name, at) for name, at in columns.items()}
    second = _before(first, columns, since or "") if against is None else known(against, columns)
    if first == second:
        newest = "" if against in (None, second) else f" ({against} is its newest run)"
        there = ", ".join((*SCORERS, *days))
        raise UsageError(f"{first} against itself{newest}: name another; there is: {there}")
    kinds = {kind for kind in (kind_of(first), kind_of(second)) if kind}
    if len(kinds) > 1:
        raise UsageError(f"{first} counts another kind of unit than {second}: name two of one kind")
    kind = next(iter(kinds), info.kinds[0])
    seen = may_see(store, info, viewer, kind)
    verified = {n: sample for n, sample in reviewed(store, info.id, kind).items() if kinds and n in seen}
    at = scope(store, info, run, first, kind, fitted)
    (ours, own), (theirs, other) = values_of(at, first), values_of(at, second)
    questions = samples.questions_of_hashes(store, info.id)
    twice = [
        ScoredTwice(
            member.key, questions.get(number, ""), member.group, ours.get(number), theirs.get(number),
            recall_of(verified[number].tally) if number in verified else None,
        )
        for number, member in scores.population(store, info.id).items()
        if number in at.places and number not in at.excluded and (number in ours or number in theirs)
    ]  # fmt: skip
    named = {name: days.get(name, "") for name in (first, second)}
    within = EQUAL if own == other else max(own, other)  # columns that are rounded alike differ by a digit
    return hold_against(info.name, named, twice, withheld_from(store, info, viewer), within)


def _before(name: str, columns: Mapping[str, datetime], since: str) -> str:
    """The newest run of a column's metric that came before a moment."""
    if (at := moment_of(since)) is None:
        raise UsageError(f"--since {since!r}: give a day or a time, as 2026-11-23 or '2026-11-23 04:20'")
    if name not in columns:
        raise UsageError(
            f"--since compares runs of an imported metric, and {name} is counted here: --against NAME"
        )
    each = runs_of(metric_of(name), columns)
    when = {run: local(columns[run]) for run in each}
    moment = local(at)
    if moment.endswith(" 00:00:00"):  # a day: the one in the name of a run counts, in every time zone
        when, moment = {run: _day(run, columns[run]) for run in each}, moment[:10]
    earlier = [run for run in each if when[run] < moment]
    listed = ", ".join(f"{run} ({when[run]})" for run in each)
    if not earlier:
        other = next((f"; compare two of them with --against {run}" for run in each if run != name), "")
        raise UsageError(f"no run of {metric_of(name)} came before {since}; there is: {listed}{other}")
    if name in earlier:
        raise UsageError(f"{name} is from before {since}, and no run came since; there is: {listed}")
    return earlier[-1]


def _day(name: str, at: datetime) -> str:
    """The day on which a column came: the one in its name, where it has one."""
    return day_of(name) or local(at)[:10]


NOW = "now"


def is_folder(name: str) -> bool:
    """Whether a version is a folder; else it is a moment of the database. Raises UsageError for neither."""
    if not Path(name).exists():
        _moment(name)
    return Path(name).exists()


def diff(
    store: Store | None, dataset: str | None, first: str, second: str, viewer: str | None = None
) -> GoldDiff:
    """Compare two versions: each the folder of an export, `now`, or a day (its beginning) or time.

    For the eyes of `viewer`: changes of the database are listed where `may_see` says so, and means that would
    show others have no value.
    Where the database knows the dataset, annotators of exports have their names. Raises NotFoundError for a
    folder that is no export, InputError for versions of different datasets, UsageError for a moment that is
    none.
    """
    exported = next((_exported(side) for side in (first, second) if is_folder(side)), None)
    version, other = (
        _of_folder(store, Path(side)) if is_folder(side) else _of_moment(store, dataset or exported, side)
        for side in (first, second)
    )
    if version.dataset != other.dataset:
        raise InputError(
            f"{first} is of the dataset {version.dataset!r}, {second} of {other.dataset!r}: a diff needs two "
            "versions of one dataset"
        )
    if version.samples and other.samples and not version.samples.keys() & other.samples.keys():
        raise InputError(
            f"{first} and {second} have no sample in common: a diff needs two versions of one dataset"
        )
    both = version, other
    found = differences(version, other)
    if store is not None and (known := existing(store, found.dataset)):
        names = purged_names(store, known.id)
        purged = tuple(one for one in found.gone if one.id in names)
        found = replace(found, gone=tuple(one for one in found.gone if one.id not in names), purged=purged)
    if store is None or viewer is None or (is_folder(first) and is_folder(second)):
        return found
    info = find_dataset(store, found.dataset)
    ids = samples.sample_ids(store, info.id)
    seen = {kind: may_see(store, info, viewer, kind) for kind in KINDS}
    listed = tuple(one for one in found.changes if one.id not in ids or ids[one.id] in seen[one.kind])
    hidden = {one.id for one in found.changes} - {one.id for one in listed}
    means = {moved.name: moved for moved in found.verified}
    for kind in KINDS:
        groups = [{id_ for id_, sample in side.samples.items() if sample.gold.get(kind)} for side in both]
        groups.append({one.id for one in found.changes if one.kind == kind})
        groups[-1] |= groups[0] & {one.id for one in found.gone}
        shown = {id_ for group in groups for id_ in group if id_ not in ids or ids[id_] in seen[kind]}
        if (moved := means.get(f"verified_{kind}")) and any(few_hidden(group, shown) for group in groups):
            before, after, old, new = (
                replace(one, value=None) for one in (moved.before, moved.after, *moved.both)
            )
            means[moved.name] = MeanChange(moved.name, before, after, (old, new))
    return replace(found, changes=listed, hidden=len(hidden), verified=tuple(means.values()))


def _exported(folder: str) -> str:
    """The dataset that an export is of. Raises NotFoundError for a folder that is none."""
    given = read_manifest(home_of(Path(folder))).get("dataset")
    return str(given.get("id", "") if isinstance(given, dict) else given or "")


def _of_folder(store: Store | None, folder: Path) -> GoldVersion:
    home = home_of(folder)
    name = _exported(str(folder))
    native = home / "native"
    source = native if home == folder and native.is_dir() else folder
    known = existing(store, name) if store else None
    names = own_names(store, known) if store and known else {}
    by_id: dict[str, VersionSample] = {}
    for row in (with_names(row, names) for row in read(source, notes=Notes())):
        if row.error is not None or row.record is None:
            raise InputError(f"{row.error}; workbench verify {home} says what changed")
        record = row.record
        sample = record.sample
        verified: dict[Kind, list[Verified]] = {kind: [] for kind in KINDS}
        excluded: dict[Kind, list[str]] = {kind: [] for kind in KINDS}
        for annotation in record.gold:
            origin: GoldOrigin = "adjudicated" if annotation.marks.adjudicated else "imported"
            for assessment in assessments_of(annotation):
                verified[assessment.kind].append(
                    Verified(annotation.annotator, origin, assessment, annotation.by)
                )
            for kind, disposition in annotation.marks.dispositions.items():
                if disposition == "excluded":
                    excluded[kind].append(annotation.annotator)
        scored = {} if sample.blank else record.scores  # recall is undefined there
        numbers = {column: float(digits) for column, digits in scored.items()}
        by_id[sample.id or sample.content_hash] = VersionSample(
            sample.user_input, sample.content_hash, verified, numbers, excluded
        )
    policy = manifest_settings(home).get("policy") or {}
    version = GoldVersion(str(folder), name, by_id, tuple(policy.get("counted_labels", ())))
    return replace(version, pseudonyms=any(is_pseudonym(name, "annotator") for name in version.people))


def _of_moment(store: Store | None, dataset: str | None, moment: str) -> GoldVersion:
    """The gold of the database at a moment, its policy, and the columns of numbers that had come by then."""
    at = _moment(moment)
    assert store is not None  # whoever names a moment opens one
    info = find_dataset(store, dataset)
    policies = [(policy, made.replace(tzinfo=UTC)) for policy, _, made in policy_versions(store, info.id)]
    if at is not None and at > (now := datetime.now(UTC)):
        raise UsageError(f"{moment} is yet to come: the last moment is now, {local(now)}")
    each, out = journal.verified_at(store, info.id, at)
    texts = journal.texts_at(store, info.id, at) if at else {}
    came = scores.external_columns(store, info.id)
    there = {name for name, day in came.items() if at is None or day.replace(tzinfo=UTC) < at}
    written = scores.load_external(store, info.id)
    by_id = {}
    for stored in samples.each_sample(store, info.id):
        sample, number = stored.sample, stored.sample_id
        verified = {kind: of[number] for kind, of in each.items() if number in of}
        scored = {} if sample.blank else written.get(number, {})
        numbers = {column: value for column, (value, _) in scored.items() if column in there}
        excluded = {kind: of[number] for kind, of in out.items() if number in of}
        content = texts.get(number, sample.content_hash)
        by_id[sample.id] = VersionSample(sample.user_input, content, verified, numbers, excluded)
    policy = [policy for policy, made in policies if at is None or made < at] or [policies[0][0]]
    return GoldVersion(moment, info.name, by_id, policy[-1].counted_labels)


def _moment(text: str) -> datetime | None:
    """None for `now`; a day begins at midnight here."""
    if text == NOW:
        return None
    if (at := moment_of(text)) is None:
        raise UsageError(
            f"{text!r} is neither the folder of an export nor a time: give a day, as 2026-11-23, or now"
        )
    return at
