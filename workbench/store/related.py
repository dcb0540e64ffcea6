"""Samples that share a group or a reference: what is known of one must not grade the others."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import col, select

from workbench.store.engine import Store
from workbench.store.samples import CHUNK
from workbench.store.tables import SampleRow


def related_ids(store: Store, dataset_id: int, groups: Collection[str], hashes: Collection[str]) -> set[str]:
    """The ids of the samples of a dataset that are in one of the groups or have one of the hashes."""
    found: set[str] = set()
    with store.reading() as session:
        for column, values in ((SampleRow.group_key, groups), (SampleRow.reference_hash, hashes)):
            known = sorted(values)
            for start in range(0, len(known), CHUNK):
                some = known[start : start + CHUNK]
                query = select(SampleRow.key).where(SampleRow.dataset_id == dataset_id, col(column).in_(some))
                found.update(session.exec(query))
    return found
