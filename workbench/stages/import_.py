"""Importing a file into a dataset, with the settings that its folder brings; and the demo."""

from __future__ import annotations

import json
import re
import secrets
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.resources import as_file, files
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.errors import InputError, PurgedError, RowError, StoreError, UsageError, WorkbenchError
from workbench.formats.columns import NamedColumns, columns_of, value_at
from workbench.formats.detect import files_of, look, settings_of
from workbench.formats.exports.folder import check_manifest, home_of, read_manifest
from workbench.formats.policy import from_toml, to_toml
from workbench.formats.readers.gold import other_shape
from workbench.formats.reading import read
from workbench.formats.rejects import Rejects, source_name
from workbench.formats.rows import SENTENCES, FileRow, Notes, excerpt, shown
from workbench.formats.tables import frame_file, is_frame
from workbench.model import BY, KINDS, JsonObject, Kind, Policy, Progress, Record, silent, text_hash
from workbench.reviewing.documents import policy_of
from workbench.scoring.names import column_kind, headline, metric_of
from workbench.stages import moment_of, plan
from workbench.stages.people import check
from workbench.store import assignments, datasets, exports, importing, plans, runs, scores
from workbench.store.datasets import DatasetInfo, count_samples, find_dataset, list_datasets
from workbench.store.engine import Store, open_store
from workbench.store.importing import BY_EARLIER, GoldRule, Intake, purged_names, samples_of_text
from workbench.store.plans import done
from workbench.store.samples import asked_before, load_sample, sample_ids
from workbench.store.scores import ScoreColumns, Settled
from workbench.text.figures import many
from workbench.text.safe import is_hash

_SETTINGS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "seed": ("a whole number", lambda value: type(value) is int and 0 <= value < 2**53),
    "blind_share": ("a number from 0 to 1", lambda value: type(value) in (int, float) and 0 <= value <= 1),
    "threshold": (
        "0 or a whole number from 2 to 100",
        lambda at: type(at) is int and at in (0, *range(2, 101)),
    ),
    "show_auto": ("after or always", lambda value: value in ("after", "always")),
    "external": ("ask or allow or never", lambda value: value in ("ask", "allow", "never")),
    "policy": ("the policy of a dataset", lambda value: _policy(value) is not None),
    "columns": (
        "the times at which columns came",
        lambda value: type(value) is dict and None not in map(moment_of, map(str, value.values())),
    ),
}
"""What a manifest may say of a dataset: what is expected there, and whether a value is it."""


def manifest_settings(path: Path) -> JsonObject:
    """The settings in the manifest of a folder, or of the folder of an exported file; none is None.

    Raises InputError for settings that no dataset could have.
    """
    folder = path if path.is_dir() else path.absolute().parent
    given = settings_of(folder, None if path.is_dir() else path.name)[1]
    settings = {name: given[name] for name in _SETTINGS if given.get(name) is not None}
    for name, value in settings.items():
        expected, fits = _SETTINGS[name]
        if not fits(value):
            setting = f"{folder / 'manifest.json'}: settings.{name}"
            raise InputError(f"{setting}: got {shown(value)}, expected {expected}")
    return settings


def _policy(document: Any) -> Policy | None:
    """The policy of a document; None for a document that is none."""
    try:
        return replace(from_toml(to_toml(policy_of(document, 1))), version=1)
    except (KeyError, TypeError, AttributeError, ValueError, InputError):
        return None


def _of_export(path: Path, *, reviews: int) -> Iterator[str]:
    """Notes on a folder that is an export: it was changed since; with `reviews` of it, its plan and its
    calibration are not here."""
    with suppress(WorkbenchError, OSError):
        if path.is_dir():
            home = home_of(path)
            if any(line.startswith("changed") for line in check_manifest(home)):
                yield f"not as it was exported; what changed: workbench verify {path}"
            manifest = read_manifest(home)
            if reviews and (used := manifest.get("calibration")):
                yield SENTENCES["calibration"].format(name=excerpt(str(used)))
            match manifest:
                case {"sampling": {"design": "stratified", "parameters": dict(drawn)}} if (
                    reviews and "corpus" not in drawn
                ):
                    yield SENTENCES["strata"]


SHOWN_ERRORS = 20

BLIND_SHARE = 0.1
BLIND_FROM = 100  # samples: below, a blind arm is too small to say anything and costs help


@dataclass(frozen=True)
class ImportOptions:
    """How a file is taken in.

    `blind` and `seed` None mean the defaults; `kinds` is what the policy of a new dataset reviews, None:
    what the folder's manifest says, else the kinds that the imported gold has, else the kind that an imported
    column of recall counts, else statements where the file proposes these alone, else entities. `fields` are
    FIELD=COLUMN, `external` COLUMN=KIND, `meta` KEY=VALUE of every row, `rows` is the list of a JSON document
    that holds the rows, `command` how a message begins a command to run next, as `workbench import`; empty
    for a call of Python.
    """

    dataset: str | None = None
    gold: GoldRule = "ignore"
    update: bool = False
    strict: bool = False
    format: str | None = None
    blind: float | None = None
    seed: int | None = None
    kinds: tuple[Kind, ...] | None = None
    fields: Sequence[str] = ()
    external: Sequence[str] = ()
    meta: Sequence[str] = ()
    rows: str = ""
    command: Sequence[str] = ()


@dataclass(slots=True)
class ImportReport:
    """What became of every row of a file, or with `dry` what would.

    `files`: those that were read, where `path` is a folder those in it.
    `errors`: the messages of the first rejected rows, twenty at most.
    `conflicts`: how many rejected rows contradict what is stored or an earlier row. `rejected_path`: where
    rejected rows are, empty without any and where no folder could be written.
    `gold_ignored`: how many rows have gold that was left.
    `proposals`: how many came in, of a file that another tool wrote.
    `next`: the commands to go on with where the file brought no verified units: to propose where the dataset
    has no proposals, or none for a row with another text, and to review.
    `purged`: how many of the rejected are of samples that were purged:
    of these the file of rejected rows has the ids only. `gold_reviews`: how many reviews got verified gold,
    `gold_units`: of how many units. `without_contexts`: good rows that have none; the first of the `notes`
    says so. `columns`: of scores, and `runs` which run of its metric each one is now; `numbers`: of numbers
    that are kept in `meta`.
    """

    path: str
    dataset: str
    dry: bool = False
    format: str = ""
    files: tuple[str, ...] = ()
    new: int = 0
    unchanged: int = 0
    extended: int = 0
    updated: int = 0
    rejected: int = 0
    conflicts: int = 0
    purged: int = 0
    errors: tuple[str, ...] = ()
    rejected_path: str = ""
    gold_ignored: int = 0
    next: tuple[str, ...] = ()
    proposals: int = 0
    gold_reviews: int = 0
    gold_units: int = 0
    without_contexts: int = 0
    notes: tuple[str, ...] = ()
    n_samples: int = 0
    blind: int = 0
    columns: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    runs: Mapping[str, str] = field(default_factory=dict)

    @property
    def good(self) -> int:
        """How many rows went in, or would."""
        return self.new + self.unchanged + self.extended + self.updated


Good = tuple[FileRow, Record]
"""A row that can go in, and its record."""

_OUTCOMES = ("unchanged", "extended", "updated", "new", "rejected")


class _Import:
    """The import of a file into a dataset, which may not be there yet: its rows and what becomes of them."""

    def __init__(
        self, store: Store, path: Path, options: ImportOptions, annotator: str, progress: Progress, *,
        dry: bool = False,
    ) -> None:  # fmt: skip
        self.store, self.path, self.options, self.annotator = store, path, options, annotator
        self.notes = Notes()
        self.columns = columns_of(options.fields, options.external, options.rows, options.command)
        named = default_name(path) if options.dataset is None else options.dataset.strip()
        if not named:
            raise UsageError(f"--dataset {options.dataset!r}: give a name")
        self.report = ImportReport(str(path), named, dry)
        self.info = existing(store, self.report.dataset)
        self.meta = _meta_of(options.meta)
        self.rejects: Rejects | None = None
        self.taking: Intake | None = None
        """None until a row goes in."""
        self.stored = 0
        """The rows whose transaction has ended."""
        self._rows = read(
            path, format=options.format, notes=self.notes, progress=progress, columns=self.columns
        )
        if self.info is not None:
            self.notes.texts_of = _texts(store, self.info)
        self._names = own_names(store, self.info) if self.info else {}
        self._gone = purged_names(store, self.info.id) if self.info else {}
        self._last: tuple[tuple[Path, int, int], str] = (path, 0, 0), ""
        """The row that was counted last, and as what."""
        self._waiting: dict[tuple[str, ...], list[Good]] = {}
        """Rows without an id that fit several samples, by the ids of these."""
        self._first: dict[bytes, JsonObject] = {}
        """The names in meta of the first row of a text that has no id and is not in the dataset, by its hash:
        one entry a row, so equal names are one object of `_equal`."""
        self._equal: dict[str, JsonObject] = {}

    def take_in(self) -> None:
        """Store every good row; bad ones are put aside."""
        for chunk in chunks(self._rows):
            good = list(self._good(chunk))
            if not good:
                continue
            with self.store.writing():  # the first rows come in with their dataset, or neither does
                if self.taking is None:
                    self.taking = self._begin([record for _, record in good])
                self.taking.columns.repaired |= any(BY_EARLIER in row.raw for row, _ in good)
                self._add(self.taking, self._of_text(self.taking, good))
            self.stored = self.report.good
        if self.taking is not None:
            rows = in_turn(self._waiting)
            while some := list(islice(rows, CHUNK)):
                self._add(self.taking, some)

    def _add(self, taking: Intake, rows: Iterable[Good]) -> None:
        """Store good rows, each for the one sample that it names now."""
        for piece in distinct(rows):
            outcomes = importing.add_chunk(self.store, taking, [record for _, record in piece])
            for (row, _), outcome in zip(piece, outcomes, strict=True):
                if isinstance(outcome, RowError):
                    self._refuse(row, outcome, conflict=True)
                else:
                    self._count(row, outcome)

    def _of_text(self, taking: Intake, rows: Sequence[Good]) -> Iterator[Good]:
        """The rows, those without an id for the sample with the same question, reference and contexts.

        One that fits several samples has to wait; of these it fits those that have its response and its meta,
        if there are any. Without such a sample a row stays as it is: a new sample. Where these, or the first
        such row of the file, have another name in meta, it is a new sample too, with an id made of both: two
        retrievers may bring the same contexts.
        """
        there = samples_of_text(self.store, taking, [record.sample for _, record in rows])
        for row, record in rows:
            sample = record.sample
            # what tells two samples of one text apart: short texts, as the name of a retriever, no numbers
            own = {key: said for key, said in sample.meta.items() if type(said) is str and len(said) <= 40}
            alike = there.get(sample.id or sample.content_hash, [])
            if record.named and sample.id in (key for key, _, _ in alike):  # an id names one sample
                alike = []
            elif own and not alike and not record.named:
                own = self._equal.setdefault(str(own), own)
                first = self._first.setdefault(bytes.fromhex(sample.content_hash), own)
                alike = [(sample.content_hash, first, None)]
            fitting = [one for one in alike if not _other_meta(one[1], own)]
            said = [
                one
                for one in fitting
                if not _other_meta(one[1], sample.meta) and sample.response in (None, one[2])
            ]
            names = tuple(key for key, _, _ in said or fitting)
            taking.by_text += len(names) > 1 or not all(map(is_hash, names))
            if alike and not fitting:
                pairs = (f"{key}={own[key]}" for key in sorted(own))
                names = (text_hash(sample.content_hash, *pairs),)
            if len(names) > 1:
                self._waiting.setdefault(names, []).append((row, record))
            else:
                yield row, replace(record, sample=replace(sample, id=names[0])) if names else record

    def _good(self, chunk: Sequence[FileRow]) -> Iterator[Good]:
        """The rows of a chunk that can go in."""
        for row in (with_names(row, self._names) for row in chunk):
            error = purged(row, self._gone, self.columns) or row.error
            if error is None and row.record is not None:
                missing = gold_missing(row.record) if self.options.gold == "require" else None
                error = missing or _other_meta(row.record.sample.meta, self.meta)
            if error is not None or row.record is None:
                self._refuse(row, error or RowError("row", "nothing", "a sample"))
                continue
            self.report.gold_ignored += bool(row.record.gold) and self.options.gold == "ignore"
            sample = row.record.sample
            meta = {**sample.meta, **self.meta}
            yield row, replace(row.record, sample=replace(sample, meta=meta)) if self.meta else row.record

    def _count(self, row: FileRow, outcome: str) -> bool:
        """Count what became of a row: once, as the most that became of it with one of its samples; whether
        it was counted so for the first time."""
        place = row.path, row.line, row.item
        before = self._last[1] if self._last[0] == place else ""
        if before and _OUTCOMES.index(outcome) <= _OUTCOMES.index(before):
            return False
        for name, number in ((before, -1), (outcome, 1)):
            if name:
                setattr(self.report, name, getattr(self.report, name) + number)
        self._last = place, outcome
        return True

    def _refuse(self, row: FileRow, error: RowError, *, conflict: bool = False) -> None:
        """Put a row aside with its reason, once."""
        if not self._count(row, "rejected"):
            return
        if row.record is not None:
            self.notes.scores.subtract(row.record.scores.keys())
        error.path, error.line = error.path or str(row.path), error.line or row.line
        error.item = row.item
        self.report.conflicts += conflict
        self.report.purged += isinstance(error, PurgedError)
        if len(self.report.errors) < SHOWN_ERRORS:
            self.report.errors += (str(error),)
        if self.rejects is not None:
            self.rejects(row.raw, error)

    def _begin(self, records: Sequence[Record]) -> Intake:
        """The dataset and its columns, for a file that begins with these records."""
        settings = manifest_settings(self.path)
        days = settings.pop("columns", {})
        if self.info is None:
            self.info = self._create(settings, records)
        columns = ScoreColumns(
            self.info.id,
            self.options.update,
            scores.external_columns(self.store, self.info.id),
            {name: at for name, text in days.items() if (at := moment_of(text)) is not None},
        )
        return importing.intake(self.store, self.info, columns, self.options.gold)

    def _create(self, settings: JsonObject, records: Sequence[Record]) -> DatasetInfo:
        """A new dataset with the settings of a manifest."""
        store, options, name = self.store, self.options, self.report.dataset
        seeds = (options.seed, settings.pop("seed", None), secrets.randbits(31))
        seed = next(seed for seed in seeds if seed is not None)
        if not _SETTINGS["seed"][1](seed):  # an export of the dataset would not come back
            raise UsageError(f"--seed {seed}: give a whole number from 0 to {2**53 - 1}")
        policy = _policy(settings.pop("policy", None))
        if policy is None:
            # the kinds of the rows' gold, else the kind that their column of recall counts, else entities,
            # unless nothing but statements was proposed
            columns = {column for record in records for column in record.scores}
            gold = (gold for record in records for gold in record.gold if options.gold != "ignore")
            reviewed = {kind for annotation in gold for kind in annotation.units}
            asked = [proposal for record in records for proposal in record.proposals]
            without = all(proposal.reference_entities is None for proposal in asked)
            usual: Kind = "statement" if without and any(one.statements for one in asked) else "entity"
            counted = column_kind(headline(columns, (), "entity")) or usual
            policy = Policy(kinds=tuple(kind for kind in KINDS if kind in reviewed) or (counted,))
        if options.kinds is not None:
            policy = replace(policy, kinds=options.kinds)
        datasets.create_dataset(store, name, seed=seed, policy=policy, annotator=self.annotator)
        created = find_dataset(store, name)
        # Settled before the first sample is stored: a killed import that is run again keeps its blind arm.
        if options.blind is None and "blind_share" in settings:
            settings["blind_settled"] = True
        else:
            names = {record.sample.id or record.sample.content_hash for record in records}
            settings |= _blind(options, len(names))
        if settings:
            datasets.set_dataset(store, created.id, **settings)
        return created

    def finished(self) -> ImportReport:
        """The report of a file that was read. Raises InputError where nothing of it goes in."""
        report, notes, info = self.report, self.notes, self.info
        report.rejected_path = str((self.rejects and self.rejects.path) or "")
        self._refuse_nothing()
        report.format, report.files = notes.format, notes.files
        reviews = self.taking.reviews if self.taking is not None else 0
        report.notes = (*notes.messages(), *_of_export(self.path, reviews=reviews))
        report.without_contexts, report.columns = notes.without_contexts, tuple(notes.scores)
        report.numbers = tuple(notes.numbers)
        if info is not None:
            _settle(self.store, info, self.options)
            if info.overlap:
                assignments.fill(self.store, info.id)
            report.n_samples = count_samples(self.store, info.id)
            report.blind = datasets.count_blind(self.store, info.id)
        if self.taking is not None:
            report.gold_reviews, report.gold_units = self.taking.reviews, self.taking.units
            report.proposals = self.taking.proposals if notes.format != "native" else 0
            settled = self.taking.columns.settle(self.store)
            report.runs = {column.column: column.run for column in settled}
            taken = [each for each in settled if notes.scores[each.column] > 0]
            report.notes += tuple(_of_intake(self.taking, taken, self._waiting, report))
            before = self.taking.before if report.new else 0
            if before and (new := asked_before(self.store, self.taking.dataset_id, before)):
                report.notes += (
                    SENTENCES["asked before"].format(samples=many(new, "new sample has", "new samples have")),
                )
            if report.new == report.n_samples and report.rejected > report.good:
                rows = {"good": report.good, "all": report.good + report.rejected, "path": self.path}
                report.notes += (SENTENCES["more rows"].format(**rows),)
            known = runs.list_runs(self.store, self.taking.dataset_id)
            # suggestions are of a text, and go with it
            lost = info and self.taking.replaced and runs.count_unproposed(self.store, info.id, info.run_id)
            wanting = not known or lost
            if self.options.command and not report.gold_reviews and (wanting or report.proposals):
                program, _, *given = self.options.command
                if "--dataset" not in given and len(list_datasets(self.store)) > 1:
                    given += ["--dataset", report.dataset]
                commands = ("propose", "review")[not wanting :]
                report.next = tuple(shlex.join([program, name, *given]) for name in commands)
        return report

    def _refuse_nothing(self) -> None:
        """Raise InputError for a strict import with a bad row, and for a file of which no row can go in."""
        report, notes = self.report, self.notes
        if self.options.strict and report.rejected and not report.dry:
            errors = "\n".join(report.errors)
            raise InputError(f"{errors}\n{report.rejected:,} bad rows; with --strict nothing was imported")
        if self.info is not None or (report.dry and report.rejected):
            return
        why = report.errors[0] if report.errors else "it holds no rows"
        others = f" ({report.rejected:,} bad rows)" if report.rejected > 1 else ""
        where = f";\nthe rejected rows are in {report.rejected_path}" if report.rejected_path else ""
        there = f";\nits columns are {excerpt(', '.join(notes.columns), 200)}" if notes.columns else ""
        then = f"; fix them there and import that file into {report.dataset}" if where else ""
        what_then = notes.advice or then
        raise InputError(f"nothing of {self.path} could be imported: {why}{others}{there}{where}{what_then}")


def import_file(
    store: Store, path: Path, options: ImportOptions, *, annotator: str, progress: Progress = silent
) -> ImportReport:
    """Import a file into the dataset named in the options, else after the file.

    Good rows go in by chunks of at most two thousand, each whole; bad ones go to FILE.rejected.jsonl with
    their reason. With `strict` one bad row keeps everything out. Raises InputError for a file that cannot
    be read, which changes nothing.
    """
    check(store, annotator, "import files")
    reading = _Import(store, path, options, annotator, progress)
    if options.strict:
        with store.writing():  # all of it in one transaction
            reading.take_in()
            return reading.finished()
    try:
        with Rejects(path) as reading.rejects:
            reading.take_in()
    except StoreError as error:
        if reading.stored:
            went = many(reading.stored, "row")
            error.args = (f"{error}; {went} went in before: import the file again, and the others come in",)
        raise
    return reading.finished()


def import_frame(database: str, frame: Any, options: ImportOptions, *, annotator: str) -> ImportReport:
    """Import the rows of a DataFrame, or of a list of dictionaries, into a database by its file or URL.

    Messages name the row, counted from 1, and parameters of this function. No file of rejected rows is
    written: your frame has them.
    """
    path = Path()
    try:
        named = columns_of(options.fields, options.external)
        with frame_file(frame, named) as path, closing(open_store(database)) as store:
            check(store, annotator, "import files")
            if is_frame(frame) and look(path, None, named).format == "native":  # no table is read as native
                options = replace(options, format="ragas")
            reading = _Import(store, path, options, annotator, silent)
            reading.take_in()
            report = reading.finished()
    except WorkbenchError as error:
        error.args = tuple(_in_python(str(arg), path) for arg in error.args)
        raise
    report.path, report.files = "the frame", ("the frame",)
    report.errors = tuple(_in_python(error, path) for error in report.errors)
    report.notes = tuple(_in_python(note, path) for note in report.notes)
    return report


def _meta_of(options: Sequence[str]) -> dict[str, str]:
    """The keys and values of `retriever=bm25`. Raises UsageError."""
    values = {}
    for option in options:
        key, _, given = option.partition("=")
        if not key or not given:
            raise UsageError(f"--meta {excerpt(option)}: say KEY=VALUE, as retriever=bm25")
        if key in values:
            raise UsageError(f"--meta {excerpt(option)}: {excerpt(key)} has two values")
        values[key] = given
    return values


def _other_meta(meta: Mapping[str, Any], given: Mapping[str, Any]) -> RowError | None:
    """The error of a sample whose meta has another value under a key that is given, as by `--meta`."""
    for key, value in given.items():
        if meta.get(key, value) != value:
            return RowError(f"meta.{key}", excerpt(str(meta[key])), f"{value} as in --meta")
    return None


def _in_python(text: str, path: Path) -> str:
    """A message about a frame and the parameters of `import_frame`, not about a file and options."""
    if path.name:
        text = re.sub(rf"{re.escape(str(path))}:(\d+)", r"frame row \1", text).replace(str(path), "the frame")
    text = text.replace("--update", "update=True").replace("--map ", "--fields ")

    def given(option: re.Match[str]) -> str:
        name, equals, value = option[2].rpartition("=")
        return f'{option[1]}={{"{name}": "{value}"}}' if equals else f'{option[1]}=["{value}"]'

    return re.sub(r"--(fields|external) '?([^\s:;,)']+)'?", given, text)


def preview_import(
    path: Path,
    options: ImportOptions,
    *,
    store: Store | None = None,
    annotator: str = "",
    progress: Progress = silent,
) -> ImportReport:
    """What an import of a file would do: it is done and taken back; without a store, in an empty database.

    Raises InputError for a file that cannot be read.
    """
    if store is None:
        with TemporaryDirectory() as folder, closing(open_store(str(Path(folder, "empty.db")))) as empty:
            return preview_import(path, options, store=empty, annotator=annotator, progress=progress)
    reading = _Import(store, path, options, annotator, progress, dry=True)
    with store.writing() as session:
        reading.take_in()
        report = reading.finished()
        session.rollback()
    return report


def _of_intake(
    taking: Intake,
    settled: Sequence[Settled],
    waiting: Mapping[tuple[str, ...], Sequence[Good]],
    report: ImportReport,
) -> Iterator[str]:
    """What is to be said of how a file met what was there, and where its scores went."""
    for column, run, how, added in settled:
        metric = metric_of(run)
        if how == "joined" and added:
            yield f"{column}: {many(added, 'value')} added to the run {run}"
        elif how == "joined" and column != run:
            yield f"{column}: equal to the run {run}"
        elif how == "apart":
            yield f"a new run of {metric}, kept next to the earlier as {run.removeprefix(metric)}"
    if taking.by_text:
        number = many(taking.by_text, "row has", "rows have")
        yield f"{number} no id: the sample with the same question, reference and contexts was taken"
    if waiting:
        number = many(sum(map(len, waiting.values())), "of these rows fits", "of these rows fit")
        each = "the rows of a text go to its samples in order, the last row to all that are left"
        yield f"{number} several samples: {each} ({sum(map(len, waiting)):,})"
    if taking.late:
        number = many(taking.late, "sample")
        yield f"{number} came after the plan: last in the queue, and its figures leave them out"
    there = report.n_samples - report.new
    left = there - sum(number <= taking.before for number in taking.met)
    if taking.columns.update and not report.rejected and 0 < 2 * left < there:  # a file of most of them
        yield SENTENCES["not in it"].format(left=left, there=there)


def _texts(store: Store, info: DatasetInfo) -> Callable[[str], Mapping[str, Any] | None]:
    """Finds the texts of a sample of a dataset by its id, for rows that have scores alone."""
    numbers = cache(partial(sample_ids, store, info.id))

    def texts(key: str) -> Mapping[str, Any] | None:
        if key not in numbers():
            return None
        sample = load_sample(store, numbers()[key], None).sample
        return {name: getattr(sample, name) for name in ("user_input", "reference")} | {
            "retrieved_contexts": list(sample.retrieved_contexts)
        }

    return texts


def bytes_to_import(path: Path) -> int:
    """The bytes of a file, or of those that are read of a folder; none of what is not there."""
    return sum(file.stat().st_size for file in files_of(path) if file.is_file())


def default_name(path: Path) -> str:
    """A dataset is called after its file, or as in the manifest of an export, of the file's folder too when
    it names the file; fixed rows of FILE.rejected.jsonl go where FILE went."""
    if path.is_dir() and (given := settings_of(path)[0]):
        return given
    name = source_name(path.name or path.absolute().name)
    given = "" if path.is_dir() else settings_of(path.absolute().parent, name)[0]
    return given or Path(name).stem or path.stem


def existing(store: Store, name: str) -> DatasetInfo | None:
    """The dataset of that name, if there is one."""
    return next((info for info in list_datasets(store) if info.name == name), None)


def score_columns(store: Store, name: str) -> tuple[Collection[str], Kind]:
    """The columns of scores of a dataset, and the kind that it reviews first."""
    info = find_dataset(store, name)
    return scores.external_columns(store, info.id), info.kinds[0]


def _settle(store: Store, info: DatasetInfo, options: ImportOptions) -> None:
    """Settle what depends on the whole file: the blind arm and the current run."""
    fresh = datasets.dataset_info(store, info.id)
    settled: dict[str, Any] = {}
    if options.blind is not None or not fresh.blind_settled:
        settled = _blind(options, count_samples(store, info.id))
    if fresh.run_id is None and (recorded := runs.list_runs(store, info.id)):
        settled["run_id"] = max(recorded, key=lambda run: run.n_proposals).id
    if settled:
        datasets.set_dataset(store, info.id, **settled)


def _blind(options: ImportOptions, n_samples: int) -> dict[str, Any]:
    """The blind share, decided once: what the person said, 0 too, else a tenth of enough samples."""
    share = options.blind
    if share is None and n_samples >= BLIND_FROM:
        share = BLIND_SHARE
    return {} if share is None else {"blind_share": share, "blind_settled": True}


CHUNK = 2_000  # rows in one transaction: 5,000 hold 18 MB more, and save a fiftieth of the time
CHUNK_TEXT = 2 << 20  # characters of rows in one transaction, their units among them


def purged(row: FileRow, gone: Mapping[str, str], columns: NamedColumns) -> PurgedError | None:
    """The error of a row of a purged sample, also where something else is off with it.

    `gone`: ids and hashes with the day, see `purged_names`. A row that could not be read is known by its id,
    or by what `columns` name as one.
    """
    if not gone:
        return None
    if row.record is None:
        try:
            given = json.loads(row.raw)
        except (ValueError, RecursionError):
            return None
        paths = [path for path, field in columns.fields.items() if field == "id"] or ["id"]
        names = [name for path in paths if isinstance(name := value_at(given, path), str)]
    else:
        sample = row.record.sample
        names = [sample.id or sample.content_hash, sample.content_hash]
    day = next((gone[name] for name in names if name in gone), None)
    return None if day is None else PurgedError(names[0], day)


def gold_missing(record: Record) -> RowError | None:
    """Why a record without gold cannot go in where gold is required."""
    if record.gold:
        return None
    if "gold" in record.sample.meta:  # where a gold of another shape was put
        return other_shape(record.sample.meta["gold"])
    return RowError("gold", "nothing", "the gold that --gold stores; --gold-if-given lets rows without in")


def own_names(store: Store, info: DatasetInfo) -> dict[str, str]:
    """The annotators of a dataset by the pseudonyms under which its exports name them."""
    salt = exports.salt_of(store, info.id, make=False)
    if not salt:
        return {}
    naming = exports.pseudonyms(salt)
    return {naming(name): name for name in exports.people_of(store, info.id)}


def with_names(row: FileRow, names: Mapping[str, str]) -> FileRow:
    """A row that comes back from an export, its annotators under their own names: what they said is there
    already, and nobody agrees with a pseudonym of theirs."""
    record = row.record
    if not names or record is None or not (record.gold or record.proposal):
        return row
    gold = tuple(each.renamed(lambda name: names.get(name, name)) for each in record.gold)
    if len({record.annotator for record in gold}) < len(gold):
        twice = RowError("gold", "one annotator's name and pseudonym", "one record for each annotator")
        twice.line = row.line
        return replace(row, record=None, error=twice)
    models = {f"{BY}{pseudonym}": f"{BY}{name}" for pseudonym, name in names.items()}
    proposals = tuple(
        replace(proposal, model=models.get(proposal.model, proposal.model)) for proposal in record.proposals
    )
    return replace(row, record=replace(record, gold=gold, proposals=proposals))


def in_turn(waiting: Mapping[tuple[str, ...], Sequence[Good]]) -> Iterator[Good]:
    """Rows that fit several samples, each for its own: the first row of a text for the first of its samples,
    and so on; the last row for all samples that are left, the last sample for all rows that are left."""
    for names, rows in waiting.items():
        for at in range(max(len(names), len(rows))):
            row, record = rows[min(at, len(rows) - 1)]
            yield row, replace(record, sample=replace(record.sample, id=names[min(at, len(names) - 1)]))


def distinct(rows: Iterable[Good]) -> list[list[Good]]:
    """Cut rows so that no piece holds one key twice."""
    pieces: list[list[Good]] = [[]]
    seen: set[str] = set()
    for row, record in rows:
        key = record.sample.id or record.sample.content_hash
        if key in seen:
            pieces.append([])
            seen.clear()
        seen.add(key)
        pieces[-1].append((row, record))
    return pieces


def chunks(rows: Iterator[FileRow]) -> Iterator[list[FileRow]]:
    """The rows in lists that go in whole, each with at most so many rows and so much text."""
    chunk: list[FileRow] = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += len(row.raw)
        if len(chunk) == CHUNK or size >= CHUNK_TEXT:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


DATASET = "demo"
SEED = 357816
"""Chosen so that the first samples to review are in English, and easy to judge."""


def load_demo(store: Store, annotator: str) -> DatasetInfo:
    """Bring the demo's samples, proposals and gold into a database; a demo that is there already stays."""
    there = existing(store, DATASET)
    if there is not None and count_samples(store, there.id) and there.run_id is not None:
        return there  # as the person left it, and as an earlier version of this package brought it
    options = ImportOptions(dataset=DATASET, gold="given", seed=SEED, blind=0.0, kinds=("entity",))
    with as_file(files("workbench").joinpath("demo_data", "demo.jsonl")) as path:
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
    order = sorted(
        plans.candidates(store, info.id),
        key=lambda candidate: (candidate.sample_id not in given, candidate.u),
    )
    ranks = {candidate.sample_id: index / len(order) for index, candidate in enumerate(order)}
    drawn = tuple(plans.Drawn(number, rank, "", holdout=False) for number, rank in ranks.items())
    shown = replace(draft.plan, parameters={**draft.plan.parameters, "chosen": True})
    plan.make(store, info, replace(draft, plan=shown, drawn=drawn))
