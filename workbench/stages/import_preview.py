"""What importing a file would do, without a database: nothing is written anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.errors import InputError
from workbench.formats.reading import Notes, read
from workbench.formats.roles import becomes
from workbench.stages.import_ import SHOWN_ERRORS, ImportOptions, default_name
from workbench.stages.import_rows import said_before, with_gold
from workbench.stages.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What a file holds. `errors` are the first twenty bad rows' messages; `columns` says what each becomes.

    `samples` counts distinct ids; `takes_gold`: the options store gold.
    """

    path: str
    dataset: str
    format: str
    rows: int
    good: int
    bad: int
    samples: int
    proposals: int
    gold: int
    scores: int
    repaired: int
    ungrounded: int
    takes_gold: bool
    columns: dict[str, str]
    notes: tuple[str, ...]
    errors: tuple[str, ...]


def preview_import(path: Path, options: ImportOptions, *, progress: Progress = silent) -> ImportPreview:
    """Read a whole file and say what its import would do, in a dataset that is empty.

    Raises InputError for a file that cannot be read.
    """
    notes = Notes()
    rows = read(path, format=options.format, notes=notes, progress=progress, columns=options.columns)
    errors: list[str] = []
    said: dict[tuple[str, str], int] = {}
    known: set[int] = set()
    number = bad = proposals = gold = scores = 0
    for row in (with_gold(row, options.gold) for row in rows):
        number += 1
        error = row.error or (None if options.update else said_before(row, said, options))
        if error is not None:
            error.path, error.line = error.path or str(path), error.line or row.line
            bad += 1
            if len(errors) < SHOWN_ERRORS:
                errors.append(str(error))
            continue
        assert row.record is not None
        record = row.record
        known.add(hash(record.sample.id))
        proposals += record.proposal is not None
        gold += bool(record.gold)
        scores += bool(record.scores)
    if not number:
        raise InputError(f"nothing of {path} could be imported: it holds no rows")
    return ImportPreview(
        path=str(path),
        dataset=options.dataset or default_name(path),
        format=notes.format,
        rows=number,
        good=number - bad,
        bad=bad,
        samples=len(known),
        proposals=proposals,
        gold=gold,
        scores=scores,
        repaired=notes.repaired,
        ungrounded=notes.ungrounded,
        takes_gold=options.gold != "ignore",
        columns=becomes(notes.columns, notes, options.columns),
        notes=tuple(notes.messages()),
        errors=tuple(errors),
    )
