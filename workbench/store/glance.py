"""The queue's first rows from a SQLite file, before the library of the tables is loaded.

Loading that takes 0.2 s of CPU, more than Textual takes to its first frame; a person who opens the queue
sees it meanwhile. The conditions are those of `Reviews`; a test holds the two together.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import cast

from workbench.model import Disposition, Kind
from workbench.store.schema import SCHEMA

AT_MOST = 0.1
"""Seconds after which the library would be as early: to find the next sample among many decided ones."""

DATASETS = """
SELECT dataset.id, dataset.name, policy.document FROM dataset
JOIN policy ON policy.dataset_id = dataset.id AND policy.version = dataset.policy_version
"""

LEAST_FINISHED = """
CASE WHEN own.entity = own.statement THEN own.entity
  WHEN own.entity IN ('todo', 'started') OR own.statement IN ('todo', 'started') THEN 'started'
  WHEN own.entity = 'skipped' OR own.statement = 'skipped' THEN 'skipped' ELSE 'excluded' END
"""
NEXT = "state IN ('todo', 'started') ORDER BY rank LIMIT 1"
BEFORE = "rank < :at ORDER BY rank DESC LIMIT :before"
AFTER = "rank >= :at ORDER BY rank LIMIT :after"


@dataclass(frozen=True, slots=True)
class GlanceRow:
    """What sets a sample apart from others at the first look; no values."""

    sample_id: int
    key: str
    question: str
    reference: str
    disposition: Disposition
    flag: str
    blind: bool
    stale: bool
    off_plan: bool


@dataclass(frozen=True, slots=True)
class Glance:
    """The dataset's name, the next sample to decide, and the samples around it in queue order."""

    name: str
    at: int
    rows: list[GlanceRow]


def glance(path: Path, dataset: str | None, annotator: str, before: int, after: int) -> Glance | None:
    """The samples around the next one to decide, `before` of them before it.

    None where the library has to say what to do: another schema, several datasets and none named, nothing
    to decide, a file that cannot be read. Writes nothing.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as raw:
            return _look(raw, dataset, annotator, before, after)
    except (sqlite3.Error, OSError, ValueError):
        return None


def _look(
    raw: sqlite3.Connection, dataset: str | None, annotator: str, before: int, after: int
) -> Glance | None:
    end = monotonic() + AT_MOST
    raw.set_progress_handler(lambda: monotonic() > end, 10_000)  # an interrupted query raises sqlite3.Error
    raw.execute("BEGIN")
    if raw.execute("SELECT version_num FROM alembic_version").fetchone() != (SCHEMA,):
        return None
    found = [row for row in raw.execute(DATASETS) if dataset in (None, row[1])]
    if len(found) != 1:
        return None
    number, name, document = found[0]
    rows = _rows(json.loads(document)["kinds"])
    known = {"dataset": number, "me": annotator}
    place = raw.execute(f"{rows} SELECT rank FROM seen WHERE {NEXT}", known).fetchone()  # noqa: S608
    if place is None:
        return None
    known |= {"at": place[0], "before": before, "after": after}
    back = raw.execute(f"{rows} SELECT * FROM seen WHERE {BEFORE}", known).fetchall()  # noqa: S608
    on = raw.execute(f"{rows} SELECT * FROM seen WHERE {AFTER}", known).fetchall()  # noqa: S608
    found = [_row(row) for row in (*reversed(back), *on)]
    return Glance(name, found[len(back)].sample_id, found)


def _rows(kinds: Sequence[Kind]) -> str:
    """The rows of all samples as a table `seen`."""
    begun = " OR ".join(f"own.{kind} != 'todo'" for kind in kinds)
    own_verified = " OR ".join(f"own.{kind} = 'verified'" for kind in kinds)
    whole = " AND ".join(f"review.{kind} = 'verified'" for kind in kinds)
    state = f"own.{kinds[0]}" if len(kinds) == 1 else LEAST_FINISHED
    return f"""WITH seen AS (
        SELECT sample.rank, sample.id, sample.key, substr(sample.user_input, 1, 200),
          substr(sample.reference, 1, 200),
          CASE WHEN {begun} THEN {state}
            WHEN EXISTS (SELECT 1 FROM review WHERE review.sample_id = sample.id AND {whole}) THEN 'verified'
            ELSE 'todo' END AS state,
          own.flag, sample.holdout OR sample.blind_u < dataset.blind_share,
          ({own_verified}) AND own.policy_version < dataset.policy_version, own.off_plan
        FROM sample JOIN dataset ON dataset.id = sample.dataset_id
        LEFT JOIN review AS own ON own.sample_id = sample.id AND own.annotator = :me
        WHERE sample.dataset_id = :dataset)"""  # noqa: S608 - kinds are our own words


def _row(row: tuple[object, ...]) -> GlanceRow:
    _, number, key, question, reference, state, flag, blind, stale, off_plan = row
    return GlanceRow(
        sample_id=cast("int", number),
        key=str(key),
        question=str(question),
        reference=str(reference),
        disposition=cast("Disposition", state),
        flag=str(flag or ""),
        blind=bool(blind),
        stale=bool(stale),
        off_plan=bool(off_plan),
    )
