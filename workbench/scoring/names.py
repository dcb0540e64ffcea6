"""What scorers are called and what they count: all that a list of samples needs to know of them.

Apart from the scorers themselves, because these load the matcher, which takes a tenth of the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.model import KINDS, Kind

SCORERS: dict[str, Kind] = {
    "ragas": "entity",
    "ragas_legacy": "entity",
    "linked": "entity",
    "presence": "entity",
    "contextual_recall": "statement",
}
"""Every scorer and the kind of unit it counts, in the order in which reports show them."""

DEFAULT_SCORER: dict[Kind, str] = {"entity": "linked", "statement": "contextual_recall"}
"""The scorer that is called "automatic" where one value is shown."""

CALIBRATED = ("linked", "presence")
"""Scorers with a match threshold, which a calibration can set."""

INSTEAD = {"linked": "presence"}
"""What stands for a scorer where nothing was proposed for the contexts, so that it cannot count."""


EXTERNAL_KINDS: dict[str, Kind] = {
    "context_entity_recall": "entity",
    "context_recall": "statement",
    "Contextual Recall": "statement",
}
"""Which verified value an imported score column of this name is compared with."""


_DAY = re.compile(r"@(\d{4}-\d\d-\d\d)(?:\.\d+)?$")


def metric_of(column: str) -> str:
    """The metric of a column: one of several runs of it has its day at the end (`x@2026-11-23`)."""
    return _DAY.sub("", column) if "@" in column else column


def day_of(column: str) -> str:
    """The day in the name of a run; "" without one."""
    match = _DAY.search(column)
    return match[1] if match else ""


def runs_of(metric: str, columns: Iterable[str]) -> list[str]:
    """The columns that are runs of a metric, the newest last."""
    runs = (column for column in columns if metric_of(column) == metric)
    return sorted(runs, key=lambda run: [(len(part), part) for part in run.removeprefix(metric).split(".")])


def column_kind(column: str) -> Kind | None:
    """What an imported column counts: by its name, else by the end that gives its kind (`x (entity)`)."""
    metric = metric_of(column)
    named = next((kind for kind in KINDS if metric.endswith(f" ({kind})")), None)
    return EXTERNAL_KINDS.get(metric, named)


RECOUNT: dict[Kind, str] = {"entity": "ragas", "statement": "contextual_recall"}
"""The scorer that counts the metric of an imported column again, from the units of a run."""


_NAMES = {
    "ragas": "exact names",
    "ragas_legacy": "exact names, repeats",
    "linked": "name matching",
    "presence": "text search",
    "contextual_recall": "supported statements",
}


def scorer_name(name: str) -> str:
    """What a person reads in the place of a scorer's name; options, files and JSON keep the name itself."""
    return _NAMES.get(name, name)


def scorer_in_full(name: str) -> str:
    """`name matching (linked)`: what a person reads, with the name for options where that is another."""
    return f"{_NAMES[name]} ({name})" if name in _NAMES else name


def kind_of(name: str) -> Kind | None:
    """What a scorer or an imported column counts; None for a column of which nobody gave the kind."""
    return SCORERS.get(name) or column_kind(name)


def first_scorer(names: Iterable[str], kind: Kind) -> str | None:
    """Which of the scorers that could count is called automatic: the default one, what stands for it, any."""
    of_kind = [name for name in names if SCORERS[name] == kind]
    usual = DEFAULT_SCORER[kind]
    return next((name for name in (usual, INSTEAD.get(usual), *of_kind) if name in of_kind), None)


def column_of(columns: Iterable[str], kind: Kind) -> str:
    """The imported column that stands for a kind: one whose kind a person gave before others; "" for none.

    Of several runs it is the newest.
    """
    of_kind = [column for column in columns if column_kind(column) == kind]
    metrics = {metric_of(column) for column in of_kind}
    metric = min(metrics, key=lambda name: (not name.endswith(f" ({kind})"), name), default="")
    return runs_of(metric, of_kind)[-1] if metric else ""


def headline(columns: Iterable[str], able: Iterable[str], kind: Kind) -> str:
    """The score that a report is about, unless a person names another one.

    An imported column of recall comes first: of the `kind` that the dataset reviews, then names before
    statements, and of these one whose kind a person gave; of several runs the newest. Else the scorer that
    counts exact names, as ragas does, then name matching. `able` are the scorers that the proposals allow. A
    metric that is no recall is never taken.
    """
    there = list(columns)
    for wanted in (kind, *KINDS):
        if column := column_of(there, wanted):
            return column
    possible = list(able)
    usual = DEFAULT_SCORER[kind]
    first = ("ragas", usual, INSTEAD[usual]) if kind == "entity" else (usual,)
    return next((name for name in first if name in possible), usual)
