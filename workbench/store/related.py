"""Samples that share a group or a reference: what is known of one must not grade the others."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import col, select

from workbench.store.engine import Store
from workbench.store.tables import SampleRow


def related_ids(store: Store, dataset_id: int, groups: Collection[str], hashes: Collection[str]) -> set[str]:
    """The ids of the samples of a dataset that are in one of the groups or have one of the hashes."""
    query = select(SampleRow.key).where(
        SampleRow.dataset_id == dataset_id,
        col(SampleRow.group_key).in_(groups) | col(SampleRow.reference_hash).in_(hashes),
    )
    with store.reading() as session:
        return set(session.exec(query))
