"""What stands in a dataset for its disputes: columns of values of one kind, and who may see which sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.comparing.disputes import AUTOMATIC, Sort
from workbench.errors import UsageError
from workbench.matching import MATCHER
from workbench.model import Kind
from workbench.scoring.names import RECOUNT, SCORERS, column_kind, first_scorer, kind_of
from workbench.stages.examples import seen_by
from workbench.stages.headline import imported_column
from workbench.stages.plan import prefix
from workbench.store import columns, plans, runs
from workbench.store import disputes as stored
from workbench.store.columns import Place
from workbench.store.datasets import DatasetInfo
from workbench.store.disputes import Head
from workbench.store.engine import Store
from workbench.store.explained import Reviewed, reviewed
from workbench.store.runs import RunInfo

Recalls = Mapping[int, float]
SHOWN_BESIDE: Mapping[Kind, tuple[str, ...]] = {"entity": ("ragas",), "statement": ()}
"""The scorer that is always held against the first one: the metric that people report."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns of recalls that are held against each other. `figure`: they stand in the estimate."""

    sort: Sort
    between: str
    first: Recalls
    second: Recalls
    figure: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of a dataset. `places` are its samples without the holdout, late and excluded ones.

    `gold` are verified recalls, `unresolved` samples whose annotators differ. `closed`: blind samples that
    this annotator did not decide, of which nothing is said. `everyone`: it is for a report, which shows what
    anybody decided; a screen shows what this annotator did. `after`: automatic values show after a decision
    only. `mine`: this annotator's disposition by sample. `weights` in the estimate, `otherwise` of
    every other sample; both None without a plan. `lead` is the column of the file that reports are about.
    """

    kind: Kind
    places: Mapping[int, Place]
    reviewed: Mapping[int, Reviewed]
    gold: Recalls
    unresolved: tuple[int, ...]
    closed: frozenset[int]
    everyone: bool
    after: bool
    mine: Mapping[int, str]
    heads: tuple[Head, ...]
    automatic: Recalls
    weights: Mapping[int, float] | None
    otherwise: float | None
    pairs: tuple[Pair, ...]
    lead: str = ""

    def hides(self, sample_id: int, sort: Sort) -> bool:
        """Whether the values of a dispute are hidden: this annotator is yet to decide its sample."""
        if self.sees(sample_id):
            return False
        if sort in AUTOMATIC:
            return self.after and not (self.everyone and sample_id in self.reviewed)
        return not self.everyone

    def sees(self, sample_id: int) -> bool:
        """Whether there is a verified side that this annotator may see beside the automatic one."""
        mine = self.mine.get(sample_id, "todo")
        known = self.reviewed.get(sample_id)
        given = known is not None and known.origin in ("imported", "adjudicated")
        return mine == "verified" or (mine == "todo" and given)


def check_scorers(store: Store, info: DatasetInfo, names: Iterable[str]) -> None:
    """Raises UsageError for a scorer or column that is not there, or of which nobody said what it counts."""
    there = columns.external_columns(store, info.id)
    for name in names:
        if name not in SCORERS and name not in there:
            raise UsageError(f"unknown scorer {name!r}; there is: {', '.join((*SCORERS, *there))}")
        if kind_of(name) is None:
            raise UsageError(f"nobody said what {name!r} counts: import it with --external {name}=entity")


def gather(
    store: Store, info: DatasetInfo, annotator: str, kind: Kind, run: RunInfo | None,
    scorers: Sequence[str], *, everyone: bool,
) -> Case:  # fmt: skip
    """Everything about one kind, as this annotator may see it."""
    heads = stored.heads(store, info.id, kind)
    excluded = {one.sample_id for one in heads if one.disposition == "excluded"}
    places = {n: place for n, place in columns.population(store, info.id).items() if n not in excluded}
    known = {n: one for n, one in reviewed(store, info.id, kind, info.policy.version).items() if n in places}
    mine = {one.sample_id: one.disposition for one in heads if one.annotator == annotator}
    blind = stored.blind_ids(store, info) if info.blind_share else set()
    gold = {
        n: float(one.tally.recall) for n, one in known.items() if one.tally and one.tally.recall is not None
    }
    first = _first(store, info, run, kind)
    automatic = _column(store, info, run, first, places) if first else {}
    lead = imported_column(store, info, kind)
    weights, otherwise = _weights(store, info, run, kind, places)
    return Case(
        kind=kind,
        places=places,
        reviewed=known,
        gold=gold,
        unresolved=tuple(n for n, one in known.items() if one.origin == "unresolved"),
        closed=frozenset(n for n in blind if mine.get(n) != "verified"),
        everyone=everyone,
        after=info.show_auto != "always",
        mine=mine,
        heads=tuple(one for one in heads if one.sample_id in places),
        automatic=automatic,
        weights=weights,
        otherwise=otherwise,
        pairs=tuple(_pairs(store, info, kind, run, first, automatic, gold, scorers, places, lead)),
        lead=lead,
    )


def _first(store: Store, info: DatasetInfo, run: RunInfo | None, kind: Kind) -> str | None:
    """The scorer that is called automatic: the first that could count this run."""
    if run is None:
        return None
    able = [name for name in SCORERS if columns.can_count(store, run.id, MATCHER, info.threshold, name)]
    return first_scorer(able, kind)


def _column(
    store: Store, info: DatasetInfo, run: RunInfo | None, name: str, places: Mapping[int, Place]
) -> dict[int, float]:
    if name not in SCORERS:
        found: Recalls = columns.external_values(store, info.id, name)
    elif run is None:
        return {}
    else:
        found = stored.recalls(store, run.id, MATCHER, info.threshold, name)
    return {number: value for number, value in found.items() if number in places}


def _pairs(
    store: Store, info: DatasetInfo, kind: Kind, run: RunInfo | None, first: str | None,
    automatic: Recalls, gold: Recalls, scorers: Sequence[str], places: Mapping[int, Place],
    lead: str,
) -> Iterable[Pair]:  # fmt: skip
    """All pairs of columns, those with the verified values first."""
    asked = dict.fromkeys((lead, *scorers) if lead else scorers)
    mine = [name for name in asked if kind_of(name) == kind]
    beside = {name: _column(store, info, run, name, places) for name in (*SHOWN_BESIDE[kind], *mine)}
    if first is not None:
        yield Pair("verified", f"{first}~verified", automatic, gold, figure=True)
    for name in mine:
        if name != first:
            yield Pair("verified", f"{name}~verified", beside[name], gold, figure=True)
    for name, column in beside.items():
        if first is not None and name != first and (name != lead or name in scorers):
            yield Pair("scorers", f"{name}~{first}", column, automatic)
    yield from _traced(store, info, kind, run, places)
    if run is None or first is None:
        return
    for other in runs.list_runs(store, info.id):
        if other.id != run.id:
            yield from _between_runs(store, info, (run, other), first, places)


def _traced(
    store: Store, info: DatasetInfo, kind: Kind, run: RunInfo | None, places: Mapping[int, Place]
) -> Iterable[Pair]:
    """Columns of the file beside what is counted from the traces that came with it."""
    names = [name for name in columns.external_columns(store, info.id) if column_kind(name) == kind]
    if not names:
        return
    recorded = [one for one in runs.list_runs(store, info.id) if one.source == "recorded"]
    if run is not None and run.source == "recorded":
        recorded = [run]
    for traces in recorded[-1:]:
        again = _column(store, info, traces, RECOUNT[kind], places)
        for name in names:
            column = _column(store, info, None, name, places)
            yield Pair("column", f"{name}~{RECOUNT[kind]}", column, again)


def _between_runs(
    store: Store, info: DatasetInfo, both: tuple[RunInfo, RunInfo], first: str, places: Mapping[int, Place]
) -> Iterable[Pair]:
    """Two runs under a scorer that could count both; named in one order whichever is the current one."""
    kind = SCORERS[first]
    one, other = sorted(both, key=lambda run: run.name)
    able = [
        name
        for name in SCORERS
        if all(columns.can_count(store, run.id, MATCHER, info.threshold, name) for run in both)
    ]
    name = first_scorer(able, kind)
    if name is not None:
        first_run, second_run = (_column(store, info, run, name, places) for run in (one, other))
        yield Pair("runs", f"run:{one.name}~run:{other.name}", first_run, second_run)


def _weights(
    store: Store, info: DatasetInfo, run: RunInfo | None, kind: Kind, places: Mapping[int, Place]
) -> tuple[Mapping[int, float] | None, float | None]:
    """What a sample weighs in the estimate: 1 / (N π) in the prefix of a plan, 1 / N beyond it.

    What the run was shown as an example stands in no figure of it, so it weighs nothing.
    """
    seen = seen_by(store, info, run).related
    weights = {number: 0.0 for number, place in places.items() if place.key in seen} if seen else {}
    if plans.plan_of(store, info.id) is None:
        return weights or None, None
    begun = prefix(store, info, kind)
    chances = {row.sample_id: 1 / (begun.population * row.pi) for row in begun.rows}
    return chances | weights, 1 / begun.population if begun.population else 0.0
