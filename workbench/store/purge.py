"""Removing the text of samples for good: rows, bytes of the file, and copies beside it."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, create_engine, delete, insert, literal, select, update

from workbench.errors import NotFoundError, StoreError
from workbench.model import JsonObject
from workbench.store import database
from workbench.store.database import FAILURES, explained, sqlite_path
from workbench.store.engine import Store
from workbench.store.samples import sample_ids
from workbench.store.tables import (
    ANSWER,
    CALIBRATION,
    CALL,
    DATASET,
    EVENT,
    HOLDOUT_RANK,
    METADATA,
    PLAN,
    PROPOSAL,
    PURGED,
    REVIEW,
    RUN,
    SAMPLE,
    TWIN,
    AnswerRow,
    CallRow,
    PlanRow,
    PurgedRow,
    ReviewEventRow,
    SampleRow,
    among,
)
from workbench.text.lists import stored
from workbench.text.safe import HASH, is_hash

GONE = "purged-"
"""What a stratum without samples is called, with a number behind."""


def find_keys(store: Store, dataset_id: int, keys: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """The samples of some ids (all without any) with their numbers, and the ids that were purged before.

    Those that were purged are named again, for their purge may have been kept from finishing. The eight
    letters by which tables show a hash name it too, where they name one only. Raises NotFoundError for ids
    that are neither.
    """
    there = sample_ids(store, dataset_id)
    purged = store.column(select(PURGED.key).where(PURGED.dataset_id == dataset_id).distinct())
    gone = [key for key in purged if key not in there]
    if not keys:
        return there, gone
    before = set(gone)
    keys = [key if key in there or key in before else _whole(key, (*there, *gone)) for key in keys]
    wanted = set(keys)
    unknown = [key for key in keys if key not in there and key not in before]
    if unknown:
        more = f" and {len(unknown) - 1:,} more that are not" if unknown[1:] else ""
        raise NotFoundError(f"no sample {unknown[0]!r} in this dataset{more}")
    return {key: there[key] for key in dict.fromkeys(keys) if key in there}, [k for k in gone if k in wanted]


def _whole(key: str, known: Collection[str]) -> str:
    """The only id of a sample without one of its own that begins so, else what was given."""
    if len(key) < HASH:
        return key
    fitting = [name for name in known if name.startswith(key) and is_hash(name)]
    return fitting[0] if len(fitting) == 1 else key


def same_references(store: Store, dataset_id: int, ids: Collection[int]) -> list[str]:
    """The ids of other samples with a reference that is purged: their text stays.

    Where some are in another dataset than the purged ones, each has its dataset behind it.
    """
    own = set(ids)
    hashes = select(TWIN.reference_hash).where(among(TWIN.id, ids))
    query = select(SAMPLE.id, SAMPLE.key, SAMPLE.dataset_id, DATASET.name).where(
        SAMPLE.reference_hash.in_(hashes), DATASET.id == SAMPLE.dataset_id, DATASET.training_of.is_(None)
    )
    there = [(key, of, name) for number, key, of, name in store.rows(query) if number not in own]
    if all(of == dataset_id for _, of, _ in there):
        return [key for key, _, _ in there]
    return [
        f"{key} (in {'this dataset' if of == dataset_id else f'the dataset {name}'})"
        for key, of, name in there
    ]


def remove(store: Store, dataset_id: int, ids: Collection[int], annotator: str) -> None:
    """Remove all rows of some samples and leave their hashes, in one transaction."""
    with store.writing() as session:
        connection = session.connection()
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA secure_delete=ON")
        left = (SAMPLE.dataset_id, SAMPLE.key, SAMPLE.reference_hash, SAMPLE.content_hash)
        now = literal(datetime.now(UTC), PURGED["at"].type)
        connection.execute(
            insert(PurgedRow).from_select(
                [*(column.name for column in left), "annotator", "at"],
                select(*left, literal(annotator), now).where(among(SAMPLE.id, ids)),
            )
        )
        _delete(connection, ids, dataset_id)


def _delete(connection: Connection, ids: Collection[int], dataset_id: int) -> None:
    """Delete the rows of some samples, those that point to others first, and what named them."""
    # the same samples among those with which people are trained
    copies = select(TWIN.id).where(
        among(SAMPLE.id, ids), DATASET.training_of == SAMPLE.dataset_id, TWIN.dataset_id == DATASET.id,
        TWIN.key == SAMPLE.key,
    )  # fmt: skip
    ids = [*ids, *connection.scalars(copies)]
    calls = select(PROPOSAL.calls).where(PROPOSAL.calls.is_not(None))
    own = {
        number for few in connection.scalars(calls.where(among(PROPOSAL.sample_id, ids))) for number in few
    }
    reviews = select(REVIEW.id).where(among(REVIEW.sample_id, ids))
    connection.execute(delete(ReviewEventRow).where(EVENT.review_id.in_(reviews)))
    for table in reversed(METADATA.sorted_tables):
        if "sample_id" in table.c:
            connection.execute(table.delete().where(among(table.c.sample_id, ids)))
    connection.execute(delete(SampleRow).where(among(SAMPLE.id, ids)))
    # what was paid for and no proposal is made of may be of the text that went; and the answers of a call,
    # which are to several texts, do not say to which
    used = {number for few in connection.scalars(calls) for number in few} - own
    of_dataset = CALL.run_id.in_(select(RUN.id).where(RUN.dataset_id == dataset_id))
    unused = {*connection.scalars(select(CALL.id).where(of_dataset))} - used
    connection.execute(delete(AnswerRow).where(among(ANSWER.call_id, unused)))
    # so may be what failed calls said
    connection.execute(update(CallRow).where(CALL.detail != "", of_dataset).values(detail=""))
    _forget_names(connection, dataset_id)


def scrub(store: Store) -> None:
    """Rewrite a SQLite file, so that no page of it or of its log holds what was deleted.

    Raises StoreError while another program has it open; the rows are gone then, their bytes are not.
    """
    path = sqlite_path(store.url)
    if path is None:
        return
    store.engine.dispose()
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=database.BUSY_SECONDS)) as raw:
            raw.execute("PRAGMA secure_delete=ON")
            raw.execute("VACUUM")
            busy, *_ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                raise sqlite3.OperationalError("its log is in use")
    except FAILURES as error:
        raise StoreError(
            f"the rows are gone, but {path} still holds their bytes ({explained(error)}): close every other "
            "window that has it open and run the same purge again"
        ) from error


def backups_of(store: Store) -> list[Path]:
    """The copies that `backup` and migrations made: NAME.TAG.db beside a SQLite file, of a database on a
    server NAME.TAG.dump in this folder."""
    usual = database.usual_backup(store.url, "*")
    return sorted(backup.absolute() for backup in usual.parent.glob(usual.name) if backup.is_file())


def holds(path: Path, dataset: str, keys: Collection[str]) -> bool:
    """Whether a copy has one of the samples; one that cannot be read may."""
    try:
        with _copy(path) as connection:
            return bool(_found(connection, dataset, keys)[1])
    except FAILURES:
        return True


def remove_from_copy(path: Path, dataset: str, keys: Collection[str]) -> None:
    """Remove samples from a copy and rewrite it. Raises StoreError when that cannot be done.

    All or nothing: a copy whose rows are gone and whose bytes are not would pass for done the next time.
    So nobody else may have it open; without a log there is one file to rewrite.
    """
    if path.suffix == ".dump":
        raise StoreError("the dump of a server cannot be rewritten")
    try:
        with _copy(path) as connection:
            for statement in (
                "PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=DELETE",
                "PRAGMA secure_delete=ON", "BEGIN EXCLUSIVE",
            ):  # fmt: skip
                connection.exec_driver_sql(statement)
            dataset_id, ids = _found(connection, dataset, keys)
            if ids:
                _delete(connection, ids, dataset_id)
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("VACUUM")
    except FAILURES as error:
        why = explained(error)
        name = getattr(getattr(error, "orig", error), "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            why = "another program has it open: close that and run the same purge again, or delete the copy"
        raise StoreError(why) from error


@contextmanager
def _copy(path: Path) -> Iterator[Connection]:
    """A copy without the settings of our own database: nothing of it changes by being opened."""
    patience = {"timeout": database.BUSY_SECONDS}
    copy = create_engine(
        f"sqlite:///{path}", json_serializer=stored, isolation_level="AUTOCOMMIT", connect_args=patience
    )
    try:
        with copy.connect() as connection:
            yield connection
    finally:
        copy.dispose()


def _found(connection: Connection, dataset: str, keys: Collection[str]) -> tuple[int, list[int]]:
    """The number of a dataset, 0 without it, and those of its samples that have some keys."""
    wanted = set(keys)
    query = select(SAMPLE.dataset_id, SAMPLE.id, SAMPLE.key).where(
        DATASET.id == SAMPLE.dataset_id, DATASET.name == dataset
    )
    rows = [(of, number) for of, number, key in connection.execute(query) if key in wanted]
    return rows[0][0] if rows else 0, [number for _, number in rows]


def _forget_names(connection: Connection, dataset_id: int) -> None:
    """Take the names of groups and strata that no sample has any more out of a dataset's documents.

    A calibration and a run name the groups whose gold they saw, a stratified plan the values of a field, and
    how many samples have each: the chances to be drawn follow from those that are left. A plan asks for no
    more samples than there are.
    """

    def left(column: Column[Any]) -> set[str | None]:
        query = select(column).where(SAMPLE.dataset_id == dataset_id).distinct()
        return set(connection.scalars(query))

    groups, strata = left(SAMPLE.group_key), left(SAMPLE.stratum)
    in_plan = SAMPLE.dataset_id == dataset_id, SAMPLE.rank < HOLDOUT_RANK
    order = [*connection.scalars(select(SAMPLE.stratum).where(*in_plan).order_by(SAMPLE.rank, SAMPLE.id))]
    planned_n = connection.scalar(select(PLAN.planned_n).where(PLAN.dataset_id == dataset_id))
    sizes = Counter(order), Counter(order[:planned_n])
    beyond = PLAN.dataset_id == dataset_id, PLAN.planned_n > len(order)
    connection.execute(update(PlanRow).where(*beyond).values(planned_n=len(order)))
    forgetting: tuple[tuple[Column[Any], Callable[[JsonObject], None]], ...] = (
        (CALIBRATION.document, lambda saw: _forget_groups(saw.get("gold", {}).get("samples", []), groups)),
        (RUN.parameters, lambda parameters: _forget_groups(parameters.get("examples", []), groups)),
        (PLAN.parameters, lambda drawn: _forget_strata(drawn, strata, sizes)),
    )
    for column, forget in forgetting:
        rows = column.table.c
        documents = select(rows.id, column).where(rows.dataset_id == dataset_id)
        for number, document in connection.execute(documents).all():
            forget(document)
            change = update(column.table).where(rows.id == number)
            connection.execute(change.values({column.name: document}))


def _forget_groups(seen: list[JsonObject], groups: Collection[str | None]) -> None:
    for sample in seen:
        if sample.get("group") is not None and sample["group"] not in groups:
            sample["group"] = None


def _forget_strata(
    parameters: JsonObject, strata: Collection[str | None], sizes: tuple[Counter[str], Counter[str]]
) -> None:
    counts: JsonObject = parameters.get("strata", {})
    numbered = {name: re.fullmatch(f"{GONE}([0-9]+)", name) for name in counts}
    highest = max((int(match[1]) for match in numbered.values() if match), default=0)
    names = (f"{GONE}{number}" for number in count(highest + 1))
    if counts:
        parameters["strata"] = {
            name if not name or name in strata or numbered[name] else next(names): (
                [total if "corpus" in parameters else sizes[0][name], sizes[1][name]]
            )
            for name, (total, _) in counts.items()
        }
