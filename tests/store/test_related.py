"""Samples that share a group or a reference, however many are asked about."""

from __future__ import annotations

import sqlite3
from typing import Any

from tests.rows import sample
from workbench.store.samples import related_ids


def row(key: str, group: str) -> dict[str, Any]:
    return sample(key, f"Rome of {key}.", "Rome.", group=group)


def test_more_groups_and_references_than_one_statement_may_name_are_asked_about(bench: Any) -> None:
    """SQLite takes 32,766 values in a statement as it comes; 2,000 here."""
    bench.load([row("a", "g0000"), row("b", "g3999"), row("c", "other"), row("d", "far")])
    ((reference,),) = bench.query("SELECT reference_hash FROM sample WHERE key = 'c'")
    groups = {f"g{number:04}" for number in range(4_000)}
    hashes = {f"h{number:04}" for number in range(4_000)} | {reference}

    with bench.store.reading() as session:
        connection = session.connection().connection.driver_connection
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 2_000)
        found = related_ids(bench.store, bench.info().id, groups, hashes)

    assert {"a", "b", "c"} == found
