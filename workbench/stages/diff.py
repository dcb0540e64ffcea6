"""What changed between two versions of a dataset's gold: of exports, or of the database at some moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from workbench.comparing.versions import GoldDiff, GoldVersion, VersionSample, differences
from workbench.errors import InputError, UsageError
from workbench.formats.exports.folder import home_of, read_manifest
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import KINDS, Kind
from workbench.reviewing.gold import GoldOrigin, Verified
from workbench.stages import local, moment_of
from workbench.stages.export_items import is_pseudonym
from workbench.stages.import_ import manifest_settings, own_names, with_names
from workbench.store import journal, samples, scores
from workbench.store.datasets import find_dataset, list_datasets, policy_versions
from workbench.store.engine import Store
from workbench.store.importing import assessments_of

NOW = "now"


def is_folder(name: str) -> bool:
    """Whether a version is a folder; else it is a moment of the database. Raises UsageError for neither."""
    if not Path(name).exists():
        _moment(name)
    return Path(name).exists()


def diff(store: Store | None, dataset: str | None, first: str, second: str) -> GoldDiff:
    """Compare two versions: each the folder of an export, `now`, or a day (its beginning) or time.

    Where the database knows the dataset, annotators of exports have their names. Raises NotFoundError for a
    folder that is no export, InputError for versions of different datasets, UsageError for a moment that is
    none.
    """
    exported = next((_exported(one) for one in (first, second) if is_folder(one)), None)
    one, other = (
        _of_folder(store, Path(side)) if is_folder(side) else _of_moment(store, dataset or exported, side)
        for side in (first, second)
    )
    if one.dataset != other.dataset:
        raise InputError(
            f"{first} is of the dataset {one.dataset!r}, {second} of {other.dataset!r}: a diff needs two "
            "versions of one dataset"
        )
    if one.samples and other.samples and not one.samples.keys() & other.samples.keys():
        raise InputError(
            f"{first} and {second} have no sample in common: a diff needs two versions of one dataset"
        )
    return differences(one, other)


def _exported(folder: str) -> str:
    """The dataset that an export is of. Raises NotFoundError for a folder that is none."""
    given = read_manifest(home_of(Path(folder))).get("dataset")
    return str(given.get("id", "") if isinstance(given, dict) else given or "")


def _of_folder(store: Store | None, folder: Path) -> GoldVersion:
    home = home_of(folder)
    name = _exported(str(folder))
    native = home / "native"
    source = native if home == folder and native.is_dir() else folder
    known = next((one for one in list_datasets(store) if one.name == name), None) if store else None
    names = own_names(store, known) if store and known else {}
    found: dict[str, VersionSample] = {}
    for row in (with_names(row, names) for row in read(source, notes=Notes())):
        if row.error is not None or row.record is None:
            raise InputError(f"{source}:{row.line}: {row.error}; workbench verify {home} says what changed")
        record = row.record
        sample = record.sample
        verified: dict[Kind, list[Verified]] = {}
        excluded = {
            kind: [one.annotator for one in record.gold if one.marks.dispositions.get(kind) == "excluded"]
            for kind in KINDS
        }
        for one in record.gold:
            for assessment in assessments_of(one):
                origin: GoldOrigin = "adjudicated" if one.marks.adjudicated else "imported"
                verified.setdefault(assessment.kind, []).append(Verified(one.annotator, origin, assessment))
        numbers = {column: float(digits) for column, digits in record.scores.items()}
        found[sample.id or sample.content_hash] = VersionSample(
            sample.user_input, sample.content_hash, verified, numbers, excluded
        )
    policy = manifest_settings(home).get("policy") or {}
    version = GoldVersion(str(folder), name, found, tuple(policy.get("counted_labels", ())))
    return replace(version, pseudonyms=any(map(is_pseudonym, version.people)))


def _of_moment(store: Store | None, dataset: str | None, moment: str) -> GoldVersion:
    """The gold of the database at a moment, its policy, and the columns of numbers that had come by then."""
    at = _moment(moment)
    assert store is not None  # whoever names a moment opens one
    info = find_dataset(store, dataset)
    policies = [(one, made.replace(tzinfo=UTC)) for one, _, made in policy_versions(store, info.id)]
    if at is not None:
        _check(moment, at, info.name, policies[0][1])
    each, out = journal.verified_at(store, info.id, at)
    texts = journal.texts_at(store, info.id, at) if at else {}
    came = scores.external_columns(store, info.id)
    there = {name for name, day in came.items() if at is None or day.replace(tzinfo=UTC) < at}
    written = scores.load_external(store, info.id)
    found = {}
    for one in samples.each_sample(store, info.id):
        sample, number = one.sample, one.sample_id
        verified = {kind: of[number] for kind, of in each.items() if number in of}
        numbers = {column: value for column, (value, _) in written.get(number, {}).items() if column in there}
        excluded = {kind: of[number] for kind, of in out.items() if number in of}
        content = texts.get(number, sample.content_hash)
        found[sample.id] = VersionSample(sample.user_input, content, verified, numbers, excluded)
    policy = [one for one, made in policies if at is None or made < at] or [policies[0][0]]
    return GoldVersion(moment, info.name, found, policy[-1].counted_labels)


def _moment(text: str) -> datetime | None:
    """None for `now`; a day begins at midnight here."""
    if text == NOW:
        return None
    if (at := moment_of(text)) is None:
        raise UsageError(f"{text!r} is no folder and no moment: give a day, as 2026-11-23, or now")
    return at


def _check(moment: str, at: datetime, dataset: str, begun: datetime) -> None:
    """Raise UsageError for a moment at which there is nothing to compare: before the data, or to come."""
    now = datetime.now(UTC)
    if at > now:
        raise UsageError(f"{moment} is yet to come: the last moment is now, {local(now)}")
    if at < begun.replace(microsecond=0):
        raise UsageError(f"{moment} is before the data: the first moment of {dataset} is {local(begun)}")
