"""Decisions of several people on the samples of the screens' tests."""

from __future__ import annotations

from typing import Any

from tests.conftest import verify
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.store.samples import sample_ids


def decide(store: Store, who: str, key: str = "tower", **edits: Any) -> None:
    """Accept a sample, after an edit of the units that are named."""
    verify(store, sample_ids(store, find_dataset(store, None).id)[key], who, **edits)
