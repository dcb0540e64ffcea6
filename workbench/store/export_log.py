"""The log of what left: where every export was written, and whose texts it holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import col, select

from workbench.store.engine import Store
from workbench.store.tables_plans import ExportRow


class Held(NamedTuple):
    """An export that held a sample. `certain`: else it may have, for a format leaves out what does not fit
    it."""

    path: str
    manifest_sha256: str
    certain: bool


def log_export(
    store: Store,
    dataset_id: int,
    path: str,
    manifest_sha256: str,
    annotator: str,
    held: Sequence[str],
    *,
    whole: bool,
    at: datetime,
    replaced: str = "",
) -> None:
    """Note a finished export and the ids of the samples whose texts it holds.

    `whole`: some format of it holds every one of them. `replaced`: the manifest's hash of the export that
    stood at its place and is gone, and holds nothing from now on.
    """
    with store.writing() as session:
        if replaced:
            earlier = select(ExportRow).where(ExportRow.path == path, ExportRow.manifest_sha256 == replaced)
            for one in session.exec(earlier):
                one.held = []
        session.add(
            ExportRow(
                dataset_id=dataset_id,
                path=path,
                manifest_sha256=manifest_sha256,
                annotator=annotator,
                created_at=at,
                held=list(held),
                whole=whole,
            )
        )


def list_exports(store: Store, dataset_id: int) -> list[ExportRow]:
    """Where exports of a dataset were written, oldest first."""
    query = select(ExportRow).where(ExportRow.dataset_id == dataset_id).order_by(col(ExportRow.id))
    with store.reading() as session:
        return list(session.exec(query))


def held_by(store: Store, dataset_id: int, keys: Collection[str]) -> list[Held]:
    """The exports that hold one of some samples, also of those purged before; oldest first."""
    wanted = set(keys)
    return [
        Held(row.path, row.manifest_sha256, row.whole)
        for row in list_exports(store, dataset_id)
        if not wanted.isdisjoint(row.held)
    ]
