"""What changed between two versions of a dataset's gold: of exports, or of the database at some moment."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from workbench.comparing.versions import GoldDiff, GoldVersion, VersionSample, differences
from workbench.errors import InputError, UsageError
from workbench.formats.exports.folder import home_of, read_manifest
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import KINDS, Kind
from workbench.reviewing.gold import GoldOrigin, Verified
from workbench.stages.import_ import manifest_settings, own_names, with_names
from workbench.store import gold, journal, samples, scores
from workbench.store.datasets import find_dataset, list_datasets
from workbench.store.engine import Store
from workbench.store.importing import assessments_of
from workbench.store.samples import sample_ids

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
            kind for one in record.gold for kind in KINDS if one.marks.dispositions.get(kind) == "excluded"
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
    return GoldVersion(str(folder), name, found, tuple(policy.get("counted_labels", ())))


def _of_moment(store: Store | None, dataset: str | None, moment: str) -> GoldVersion:
    """The gold of the database at a moment, and the columns of numbers that had come by then."""
    at = _moment(moment)
    assert store is not None  # whoever names a moment opens one
    info = find_dataset(store, dataset)
    if at is None:
        ids = sample_ids(store, info.id).values()
        each = {kind: gold.verified_by(store, ids, kind) for kind in KINDS}
        out = {kind: gold.load_excluded(store, info.id, kind) for kind in KINDS}
    else:
        each, out = journal.verified_at(store, info.id, at)
    came = scores.external_columns(store, info.id)
    there = {name for name, day in came.items() if at is None or day.replace(tzinfo=UTC) < at}
    written = scores.load_external(store, info.id)
    found = {}
    for one in samples.each_sample(store, info.id):
        sample, number = one.sample, one.sample_id
        verified = {kind: of[number] for kind, of in each.items() if number in of}
        numbers = {column: value for column, (value, _) in written.get(number, {}).items() if column in there}
        excluded = {kind for kind in KINDS if number in out[kind]}
        found[sample.id] = VersionSample(sample.user_input, sample.content_hash, verified, numbers, excluded)
    return GoldVersion(moment, info.name, found, info.policy.counted_labels)


def _moment(text: str) -> datetime | None:
    """None for `now`; a day begins at midnight here."""
    if text == NOW:
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        raise UsageError(f"{text!r} is no folder and no moment: give a day, as 2026-11-23, or now") from None
