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


def differ(store: Store, key: str = "tower") -> None:
    """ada accepts a sample as it is; bob has another person, date and label."""
    decide(store, "ada", key)
    decide(store, "bob", key, reject=["Gustave Eiffel"], toggle=["1889"], label=["University of Paris"])
