"""Decisions of several people on the samples of the screens' tests."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.stages import editing
from workbench.stages.review import act, open_sample
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.store.samples import sample_ids


def decide(
    store: Store, who: str, key: str = "tower", *, reject: Iterable[str] = (), toggle: Iterable[str] = (),
    label: Iterable[str] = (),
) -> None:  # fmt: skip
    """Accept a sample, after an edit of the units that are named."""
    opened = open_sample(store, sample_ids(store, find_dataset(store, None).id)[key], who)
    for unit in opened.state.entity.assessment.units:
        if unit.text in reject:
            opened = act(store, opened, editing.reject(opened, unit))
        if unit.text in toggle:
            opened = act(store, opened, editing.toggle(opened, unit))
        if unit.text in label:
            opened = act(store, opened, editing.relabel(opened, unit, "other"))
    act(store, opened, editing.accept(opened, "entity"))


def differ(store: Store, key: str = "tower") -> None:
    """ada accepts a sample as it is; bob has another person, date and label."""
    decide(store, "ada", key)
    decide(store, "bob", key, reject=["Gustave Eiffel"], toggle=["1889"], label=["University of Paris"])
