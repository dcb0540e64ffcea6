"""The score that a report of a dataset is about: what a person asked for, else the column they came with."""

from __future__ import annotations

from workbench.errors import UsageError
from workbench.matching.version import MATCHER
from workbench.model import KINDS, Kind
from workbench.scoring.names import SCORERS, column_kind, headline, kind_of
from workbench.store import scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store


def imported_column(store: Store, info: DatasetInfo, kind: Kind) -> str:
    """The column of the file that stands for a kind on every screen; "" where the file has none."""
    there = [name for name in scores.external_columns(store, info.id) if column_kind(name) == kind]
    return headline(there, (), kind) if there else ""


def headline_scorer(store: Store, info: DatasetInfo, asked: str | None = None, usual: str = "") -> str:
    """The scorer or imported column of a dataset that a report begins with.

    `asked` names it, for this report; `usual` is a person's setting, which holds where the dataset has it.
    Scores of the current run have to be counted before. Raises UsageError when there is no such scorer.
    """
    there = scores.external_columns(store, info.id)
    if asked is not None and kind_of(asked) is None:  # a person gave the kind when importing the column
        asked = next((name for kind in KINDS if (name := f"{asked} ({kind})") in there), asked)
    if asked is not None and asked not in SCORERS and asked not in there:
        raise UsageError(f"unknown scorer {asked!r}; there is: {', '.join((*SCORERS, *there))}")
    run, threshold = info.run_id, info.threshold
    able = [
        name for name in SCORERS if run is not None and scores.can_count(store, run, MATCHER, threshold, name)
    ]
    if asked is None and usual and (usual in able or (usual in there and kind_of(usual))):
        return usual
    return asked or headline(there, able, info.kinds[0])
