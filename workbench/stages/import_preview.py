"""What importing a file would do: it is read whole and compared with the database, and nothing is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from workbench.errors import InputError, RowError
from workbench.formats.reading import becomes, read
from workbench.formats.rows import FileRow, Notes
from workbench.stages.import_ import (
    GIVE_UP,
    SHOWN_ERRORS,
    ImportOptions,
    default_name,
    existing,
    intake_of,
    outcomes,
)  # fmt: skip
from workbench.stages.import_rows import chunks, own_names, said_before, says_more, with_gold, with_names
from workbench.stages.progress import Progress, silent
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.importing import Outcome


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What a file holds, and what an import would count.

    `errors` are the first twenty bad rows' messages; `conflicts` counts the bad rows that contradict what is
    stored or an earlier row. `columns` says what each becomes. `samples` counts distinct ids; `takes_gold`:
    the options store gold.
    """

    path: str
    dataset: str
    format: str
    rows: int
    good: int
    bad: int
    conflicts: int
    new: int
    unchanged: int
    extended: int
    updated: int
    samples: int
    proposals: int
    gold: int
    scores: int
    repaired: int
    ungrounded: int
    without_contexts: int
    takes_gold: bool
    columns: dict[str, str]
    notes: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass
class _Seen:
    """What was found so far."""

    path: Path
    options: ImportOptions
    counts: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    said: dict[tuple[str, str], int] = field(default_factory=dict)
    samples: set[int] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    rows: int = 0
    bad: int = 0
    conflicts: int = 0
    proposals: int = 0
    gold: int = 0
    scores: int = 0

    def refuse(self, row: FileRow, error: RowError) -> None:
        """Count a bad row."""
        error.path, error.line = error.path or str(self.path), error.line or row.line
        error.item = row.item
        self.bad += 1
        if len(self.errors) < SHOWN_ERRORS:
            self.errors.append(str(error))

    def take(self, row: FileRow, stored: Outcome) -> None:
        """Count a row that fits what is stored, where it would be `stored` without the rows before it."""
        record = row.record
        assert record is not None
        more = says_more(record, self.said, self.options)
        error = said_before(row, self.said, self.options)
        if error is not None:
            self.conflicts += 1
            self.refuse(row, error)
            return
        if more is not None and stored != "unchanged":  # the earlier row brings what this one says too
            stored = "extended" if more else "unchanged"
        self.counts[stored] += 1
        self.samples.add(hash(record.sample.id))
        self.proposals += record.proposal is not None
        self.gold += bool(record.gold)
        self.scores += bool(record.scores)


OUTCOMES: tuple[Outcome, ...] = ("new", "unchanged", "extended", "updated")


def preview_import(
    path: Path,
    options: ImportOptions,
    *,
    store: Store | None = None,
    annotator: str = "",
    progress: Progress = silent,
) -> ImportPreview:
    """Read a whole file and say what its import would do; without a store, in a dataset that is empty.

    Raises InputError for a file that cannot be read.
    """
    notes = Notes()
    rows = read(path, format=options.format, notes=notes, progress=progress, columns=options.columns)
    seen = _Seen(path, options)
    name = options.dataset or default_name(path)
    info = None if store is None else existing(store, name)
    names = {} if store is None else own_names(store, info)
    for chunk in chunks(rows):
        good = []
        for row in (with_gold(with_names(row, names), options.gold) for row in chunk):
            seen.rows += 1
            if row.error is not None:
                seen.refuse(row, row.error)
            else:
                good.append(row)
        if seen.bad >= GIVE_UP and seen.bad == seen.rows:
            raise InputError(f"{path}: the first {seen.bad:,} rows are all refused: {seen.errors[0]}")
        if store is None or info is None:
            for row in good:
                seen.take(row, "new")
        else:
            _compare(store, info, options, annotator, good, seen)
    if not seen.rows:
        raise InputError(f"nothing of {path} could be imported: it holds no rows")
    return ImportPreview(
        path=str(path),
        dataset=name,
        format=notes.format,
        rows=seen.rows,
        good=seen.rows - seen.bad,
        bad=seen.bad,
        conflicts=seen.conflicts,
        new=seen.counts["new"],
        unchanged=seen.counts["unchanged"],
        extended=seen.counts["extended"],
        updated=seen.counts["updated"],
        samples=len(seen.samples),
        proposals=seen.proposals,
        gold=seen.gold,
        scores=seen.scores,
        repaired=notes.repaired,
        ungrounded=notes.ungrounded,
        without_contexts=notes.without_contexts,
        takes_gold=options.gold != "ignore",
        columns=becomes(notes.columns, notes, options.columns),
        notes=tuple(notes.messages()),
        errors=tuple(seen.errors),
    )


def _compare(
    store: Store, info: DatasetInfo, options: ImportOptions, annotator: str, good: list[FileRow], seen: _Seen
) -> None:
    """Count rows against a dataset, each as if the rows before it had not come."""
    taking = partial(intake_of, store, info, options, annotator)
    for row, outcome in outcomes(store, taking, good, dry=True):
        if isinstance(outcome, RowError):
            seen.conflicts += 1
            seen.refuse(row, outcome)
        else:
            seen.take(row, outcome)
