"""Importing a file into a dataset, with the settings that its folder brings; and the demo."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from workbench.errors import InputError, PurgedError, RowError
from workbench.formats.columns import NO_COLUMNS, NamedColumns, columns_of
from workbench.formats.detect import settings_of
from workbench.formats.reading import read
from workbench.formats.rejects import SUFFIX, Rejects, rejecting
from workbench.formats.rows import FileRow, Notes, shown
from workbench.model import KINDS, VERDICTS, Kind, Policy
from workbench.reviewing.documents import policy_of
from workbench.scoring.names import column_kind, headline
from workbench.stages import plan
from workbench.stages.import_rows import (
    chunks,
    for_samples_of_text,
    own_names,
    said_before,
    with_gold,
    with_names,
    without_purged,
)
from workbench.stages.progress import Progress, silent
from workbench.store import datasets, importing, intake, plans, runs
from workbench.store.datasets import DatasetInfo, count_samples, find_dataset, list_datasets
from workbench.store.engine import Store
from workbench.store.importing import Outcome
from workbench.store.intake import GoldRule, Intake
from workbench.store.plans import done
from workbench.store.purge import purged_names
from workbench.text.figures import many


@dataclass(frozen=True, slots=True)
class Kept:
    """What a folder says of the dataset it was exported from; None where it says nothing.

    `columns`: further settings by the name of their column in the database.
    """

    policy: Policy | None = None
    seed: int | None = None
    blind: float | None = None
    columns: dict[str, Any] = field(default_factory=dict)


def kept_settings(path: Path) -> Kept:
    """The settings in the manifest of a folder, or of the folder of an exported file.

    Raises InputError for settings that no dataset could have.
    """
    folder = path if path.is_dir() else path.absolute().parent
    settings = settings_of(folder, None if path.is_dir() else path.name)[1]
    if not settings:
        return Kept()

    def refuse(name: str, expected: str) -> InputError:
        return InputError(
            f"{folder / 'manifest.json'}: settings.{name}: got {shown(settings[name])}, expected {expected}"
        )

    seed, blind = settings.get("seed"), settings.get("blind_share")
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**53):
        raise refuse("seed", "a whole number")
    if blind is not None and (type(blind) not in (int, float) or not 0 <= blind <= 1):
        raise refuse("blind_share", "a number from 0 to 1")
    columns: dict[str, Any] = {}
    if (threshold := settings.get("threshold")) is not None:
        if type(threshold) is not int or not 0 <= threshold <= 100:
            raise refuse("threshold", "a whole number from 0 to 100")
        columns["threshold"] = threshold
    for name, known in (("show_auto", ("after", "always")), ("external", ("ask", "allow", "never"))):
        if (said := settings.get(name)) is not None:
            if said not in known:
                raise refuse(name, " or ".join(known))
            columns[name] = said
    policy = None
    if (document := settings.get("policy")) is not None:
        policy = _policy(document)
        if policy is None:
            raise refuse("policy", "the policy of a dataset")
    return Kept(policy, seed, None if blind is None else float(blind), columns)


def _policy(document: Any) -> Policy | None:
    """The policy of a document; None for a document that is none."""
    try:
        policy = policy_of(document, 1)
        fits = (
            set(policy.kinds) <= set(KINDS)
            and policy.kinds
            and policy.nested in VERDICTS
            and policy.partial in ("split", "missing")
            and all(type(one.name) is str and type(one.key) is str for one in policy.labels)
            and all(type(one) is str for one in policy.counted_labels)
            and type(policy.guidelines) is str
            and type(policy.language) is str
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        return None
    return policy if fits else None


SHOWN_ERRORS = 20
GIVE_UP = 100_000
"""Refused rows, with none taken, after which the rest of a file is not read."""

BLIND_SHARE = 0.1
BLIND_FROM = 100  # samples: below, a blind arm is too small to say anything and costs help


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How a file is taken in.

    `blind` and `seed` None mean the defaults; `kinds` is what the policy of a new dataset reviews, None:
    what the folder's manifest says, else the kinds that the imported gold has, else the kind that an imported
    column of recall counts, else entities.
    """

    dataset: str | None = None
    gold: GoldRule = "ignore"
    update: bool = False
    strict: bool = False
    format: str | None = None
    blind: float | None = None
    seed: int | None = None
    kinds: tuple[Kind, ...] | None = None
    columns: NamedColumns = NO_COLUMNS


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of every row of a file. `errors` holds the first twenty rejected rows' messages.

    `rejected_path`: where they are, empty without any and where no folder could be written. `purged`: how
    many of the rejected are of samples that were purged: of these the file of rejected rows has the ids only.
    `gold_reviews`: how many reviews got verified gold, `gold_units`: of how many units.
    `without_contexts`: good rows that have none; the first of the `notes` says so. `columns`: of scores.
    """

    path: str
    dataset: str
    format: str
    new: int
    unchanged: int
    extended: int
    updated: int
    rejected: int
    errors: tuple[str, ...]
    rejected_path: str
    gold_ignored: int
    gold_reviews: int
    gold_units: int
    repaired: int
    ungrounded: int
    without_contexts: int
    notes: tuple[str, ...]
    n_samples: int
    blind: int
    purged: int = 0
    columns: tuple[str, ...] = ()


def import_file(
    store: Store,
    path: Path,
    options: ImportOptions,
    *,
    annotator: str,
    progress: Progress = silent,
) -> ImportReport:
    """Import a file into the dataset named in the options, else after the file.

    Good rows go in by chunks of at most two thousand, each whole; bad ones go to FILE.rejected.jsonl with
    their reason. With `strict` one bad row keeps everything out. Raises InputError for a file that cannot
    be read, which changes nothing.
    """
    name = options.dataset or default_name(path)
    if options.strict:
        check_all(store, path, options, annotator, progress)
    notes = Notes()
    rows = read(path, format=options.format, notes=notes, progress=progress, columns=options.columns)
    info = existing(store, name)
    gone = purged_names(store, info.id) if info else {}
    names = own_names(store, info)
    with rejecting(path) as reject:
        taken = _Taken(path, reject)
        taking: Intake | None = None
        for chunk in chunks(rows):
            checked = (with_gold(without_purged(with_names(row, names), gone), options.gold) for row in chunk)
            good = [row for row in checked if taken.keep(row, options)]
            if good and taking is None:
                info = info or _create(store, path, name, options, annotator, good)
                taking = intake_of(store, info, options, annotator)
            if taking is not None:
                _store_rows(store, taking, good, taken)
            if taken.rejected >= GIVE_UP and not any(taken.counts.values()):
                raise InputError(
                    f"{path}: the first {taken.rejected:,} rows are all refused: {taken.errors[0]}"
                )
    if info is None:
        raise InputError(f"nothing of {path} could be imported: {taken.why()}")
    settled = _after(store, info, options)
    n_samples = datasets.count_samples(store, settled.id)
    report = taken.report(settled, taking, notes, n_samples, datasets.count_blind(store, settled.id))
    return report if taking is None else replace(report, notes=(*report.notes, *_of_intake(taking)))


def _of_intake(taking: Intake) -> Iterator[str]:
    """What is to be said of how a file met what was there."""
    if taking.by_text:
        number = many(taking.by_text, "row has", "rows have")
        yield f"{number} no id: the sample with the same question, reference and contexts was taken"
    if taking.shared:
        number = many(taking.shared, "of these rows fits", "of these rows fit")
        yield f"{number} several samples: what the file says was added to all of them ({taking.sharing:,})"
    if taking.late:
        number = many(taking.late, "sample")
        yield f"{number} came after the plan: last in the queue, and in no figure of the plan"


def named_columns(fields: Iterable[str], external: Iterable[str]) -> NamedColumns:
    """The columns of FIELD=COLUMN and COLUMN=KIND. Raises UsageError."""
    return columns_of(fields, external)


def check_file(path: Path, format: str | None, columns: NamedColumns = NO_COLUMNS) -> None:  # noqa: A002
    """Look whether rows can be read from a file at all, before a database is made for them.

    Raises NotFoundError, UsageError or InputError as reading it does.
    """
    read(path, format=format, notes=Notes(), columns=columns)


def intake_of(store: Store, info: DatasetInfo, options: ImportOptions, annotator: str) -> Intake:
    """How a file goes into a dataset that is there."""
    return Intake(
        dataset_id=info.id,
        seed=info.seed,
        policy_version=info.policy.version,
        annotator=annotator,
        gold=options.gold,
        update=options.update,
        empty=datasets.count_samples(store, info.id) == 0,
        runs=intake.recorded_runs(store, info.id),
        before=intake.last_sample(store),
    )


class _Taken:
    """Counts of one import, and its rejected rows."""

    def __init__(self, path: Path, reject: Rejects) -> None:
        self.path = path
        self.reject = reject
        self.counts: dict[Outcome, int] = {"new": 0, "unchanged": 0, "extended": 0, "updated": 0}
        self._refused = (0, 0)
        self.rejected = self.purged = 0
        self.errors: list[str] = []
        self.gold_ignored = 0

    def keep(self, row: FileRow, options: ImportOptions) -> bool:
        """Whether a row can go in; a bad one is put aside."""
        if row.error is not None:
            self.refuse(row, row.error)
            return False
        assert row.record is not None
        self.gold_ignored += bool(row.record.gold) and options.gold == "ignore"
        return True

    def refuse(self, row: FileRow, error: RowError) -> None:
        """Put a row aside with its reason."""
        error.path, error.line = error.path or str(self.path), error.line or row.line
        error.item = row.item
        if (row.line, row.item) == self._refused:  # by one more of the samples that it was for
            return
        self._refused = (row.line, row.item)
        self.rejected += 1
        self.purged += isinstance(error, PurgedError)
        if len(self.errors) < SHOWN_ERRORS:
            self.errors.append(str(error))
        self.reject(row.raw, error)

    def why(self) -> str:
        """Why nothing went in, and where the rejected rows are."""
        if not self.errors:
            return "it holds no rows"
        others = f" ({self.rejected:,} bad rows)" if self.rejected > 1 else ""
        where = f"; the rejected rows are in {self.reject.path}" if self.reject.path else ""
        return f"{self.errors[0]}{others}{where}"

    def report(
        self, info: DatasetInfo, taking: Intake | None, notes: Notes, n_samples: int, blind: int
    ) -> ImportReport:
        """The report of the whole file."""
        return ImportReport(
            path=str(self.path),
            dataset=info.name,
            format=notes.format,
            new=self.counts["new"],
            unchanged=self.counts["unchanged"],
            extended=self.counts["extended"],
            updated=self.counts["updated"],
            rejected=self.rejected,
            purged=self.purged,
            errors=tuple(self.errors),
            rejected_path=str(self.reject.path or ""),
            gold_ignored=self.gold_ignored,
            gold_reviews=taking.reviews if taking else 0,
            gold_units=taking.units if taking else 0,
            repaired=notes.repaired,
            ungrounded=notes.ungrounded,
            without_contexts=notes.without_contexts,
            notes=tuple(notes.messages()),
            n_samples=n_samples,
            blind=blind,
            columns=tuple(notes.scores),
        )


def default_name(path: Path) -> str:
    """A dataset is called after its file, or as in the manifest of an export, of the file's folder too when
    it names the file; mended rows of FILE.rejected.jsonl go where FILE went."""
    if path.is_dir() and (given := settings_of(path)[0]):
        return given
    name = path.name or path.absolute().name
    while name.endswith(SUFFIX):
        name = name.removesuffix(SUFFIX)
    given = "" if path.is_dir() else settings_of(path.absolute().parent, name)[0]
    return given or Path(name).stem or path.stem


def outcomes(
    store: Store, intake: Callable[[], Intake], good: list[FileRow], *, dry: bool = False
) -> Iterator[tuple[FileRow, Outcome | RowError]]:
    """What becomes of each row; with `dry` what would, and nothing is kept."""
    good = list(for_samples_of_text(store, intake(), good))
    start = 0
    for piece in importing.distinct(row.record for row in good if row.record):
        rows = good[start : start + len(piece)]
        start += len(piece)
        yield from zip(rows, importing.add_chunk(store, intake(), piece, dry=dry), strict=True)


def _store_rows(store: Store, taking: Intake, good: list[FileRow], taken: _Taken) -> None:
    for row, outcome in outcomes(store, lambda: taking, good):
        if isinstance(outcome, RowError):
            taken.refuse(row, outcome)
        else:
            taken.counts[outcome] += 1


def check_all(
    store: Store | None, path: Path, options: ImportOptions, annotator: str, progress: Progress
) -> None:
    """Read the file once without storing. Raises InputError that names the first bad rows.

    A row that the stored dataset, or an earlier row of the file, contradicts is a bad one too. Without a
    store there is nothing stored yet.
    """
    info = None if store is None else existing(store, options.dataset or default_name(path))
    names = {} if store is None else own_names(store, info)
    errors: list[str] = []
    n_bad = 0
    said: dict[tuple[str, str], int] = {}

    def bad(row: FileRow, error: RowError) -> None:
        nonlocal n_bad
        n_bad += 1
        error.path, error.line, error.item = str(path), row.line, row.item
        if len(errors) < SHOWN_ERRORS:
            errors.append(str(error))

    given = read(path, format=options.format, notes=Notes(), progress=progress, columns=options.columns)
    for chunk in chunks(given):
        good = []
        for row in (with_gold(with_names(row, names), options.gold) for row in chunk):
            error = row.error or said_before(row, said, options)
            if error is None:
                good.append(row)
            else:
                bad(row, error)
        if store is not None and info is not None:
            taking = partial(intake_of, store, info, options, annotator)
            for row, outcome in outcomes(store, taking, good, dry=True):
                if isinstance(outcome, RowError):
                    bad(row, outcome)
        if n_bad >= GIVE_UP:
            break
    if errors:
        shown = "\n".join(errors)
        raise InputError(f"{shown}\n{n_bad:,} bad rows; with --strict nothing was imported")


def existing(store: Store, name: str) -> DatasetInfo | None:
    """The dataset of that name, if there is one."""
    return next((info for info in datasets.list_datasets(store) if info.name == name), None)


def _create(
    store: Store, path: Path, name: str, options: ImportOptions, annotator: str, rows: list[FileRow]
) -> DatasetInfo:
    settings = kept_settings(path)
    seed = settings.seed if options.seed is None else options.seed
    seed = secrets.randbits(31) if seed is None else seed
    policy = settings.policy or Policy(kinds=_kinds(options, rows))
    if options.kinds is not None:
        policy = replace(policy, kinds=options.kinds)
    datasets.create_dataset(store, name, seed=seed, policy=policy, annotator=annotator)
    created = existing(store, name)
    assert created is not None
    if settings.columns:
        datasets.set_dataset(store, created.id, **settings.columns)
    # Settled before the first sample is stored: a killed import that is run again keeps its blind arm.
    if settings.blind is None or options.blind is not None:
        names = {
            row.record.sample.id or row.record.sample.content_hash for row in rows if row.record is not None
        }
        _settle_blind(store, created.id, options, len(names))
    else:
        datasets.set_dataset(store, created.id, blind_share=settings.blind, blind_settled=True)
    return created


def _kinds(options: ImportOptions, rows: list[FileRow]) -> tuple[Kind, ...]:
    """The kinds that the rows' gold has, else the kind that their column of recall counts, else entities."""
    columns = {column for row in rows if row.record is not None for column in row.record.scores}
    counted = column_kind(headline(columns, (), "entity")) or "entity"
    kinds: tuple[Kind, ...] = (counted,)
    if options.gold != "ignore":
        reviewed = {
            kind
            for row in rows
            if row.record is not None
            for gold in row.record.gold
            for kind, units in (("entity", gold.entities), ("statement", gold.statements))
            if units is not None
        }
        kinds = tuple(kind for kind in KINDS if kind in reviewed) or kinds
    return kinds


def _after(store: Store, info: DatasetInfo, options: ImportOptions) -> DatasetInfo:
    """Settle what depends on the whole file: the blind arm and the current run."""
    fresh = datasets.dataset_info(store, info.id)
    if options.blind is not None or not fresh.blind_settled:
        _settle_blind(store, info.id, options, datasets.count_samples(store, info.id))
    if fresh.run_id is None:
        recorded = sorted(runs.list_runs(store, info.id), key=lambda run: -run.n_proposals)
        if recorded:
            datasets.set_dataset(store, info.id, run_id=recorded[0].id)
    return datasets.dataset_info(store, info.id)


def _settle_blind(store: Store, dataset_id: int, options: ImportOptions, n_samples: int) -> None:
    """Decide the blind share once: what the person said, 0 too, else a tenth of enough samples."""
    share = options.blind
    if share is None and n_samples >= BLIND_FROM:
        share = BLIND_SHARE
    if share is not None:
        datasets.set_dataset(store, dataset_id, blind_share=share, blind_settled=True)


DATASET = "demo"
SEED = 357816
"""Chosen so that the first samples to review are in English, and easy to judge."""


def load_demo(store: Store, annotator: str) -> DatasetInfo:
    """Bring the demo's samples, proposals and gold into a database; a demo that is there already stays."""
    there = next((info for info in list_datasets(store) if info.name == DATASET), None)
    if there is not None and count_samples(store, there.id) and there.run_id is not None:
        return there  # as the person left it, and as an earlier version of this package brought it
    options = ImportOptions(dataset=DATASET, gold="given", seed=SEED, blind=0.0, kinds=("entity",))
    with as_file(files("workbench.demo_data").joinpath("demo.jsonl")) as path:
        import_file(store, path, options, annotator=annotator)
    info = find_dataset(store, DATASET)
    _plan(store, info, annotator)
    return info


def _plan(store: Store, info: DatasetInfo, annotator: str) -> None:
    """Plan the samples that have gold, as if they had been drawn: the demo shows a plan that was carried out.

    They come first, the others behind them in the random order.
    """
    given = done(store, info.id, "entity")
    draft = plan.draft(store, info, plan.Wish(n=len(given)), annotator)
    order = sorted(plans.candidates(store, info.id), key=lambda one: (one.sample_id not in given, one.u))
    ranks = {one.sample_id: place / len(order) for place, one in enumerate(order)}
    drawn = tuple(plans.Drawn(number, rank, "", holdout=False) for number, rank in ranks.items())
    plan.make(store, info, replace(draft, drawn=drawn))
