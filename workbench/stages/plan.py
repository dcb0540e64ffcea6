"""The plan as it stands: the longest complete prefix of its order, what it is worth, what is next."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.comparing.plans import inclusion
from workbench.model import Kind
from workbench.store import holdouts, plans, prefixes
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.holdouts import Opening
from workbench.store.plans import Plan
from workbench.store.prefixes import Done, Planned, Status

__all__ = ["Prefix", "PrefixRow", "Reach", "Status"]


@dataclass(frozen=True, slots=True)
class PrefixRow:
    """A sample of the prefix. `pi`: its inclusion probability; `position` counts from 1.

    `origin` is that of its gold (reviewed, imported, adjudicated), empty without.
    """

    sample_id: int
    key: str
    status: Status
    pi: float
    stratum: str
    group: str | None
    position: int
    origin: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """The longest complete beginning of the order that is a probability sample.

    `population`: the samples it stands for, without the holdout and what came after the plan (`late`).
    `beyond`: complete samples of the population that it does not reach. `strata`: how many samples each has;
    those of `unreached` have none in the prefix, so that it stands for the others only. `planned_n` is None
    without a plan. `lowest` is the smallest chance that any sample had so far, where chances differ.
    """

    kind: Kind
    design: str
    rows: tuple[PrefixRow, ...]
    population: int
    beyond: int
    planned_n: int | None
    late: int
    holdout: int
    strata: Mapping[str, int]
    unreached: tuple[str, ...]
    lowest: float | None = None

    @property
    def at_planned_n(self) -> bool:
        """Whether it ends where it was planned to: intervals for a fixed n hold there only."""
        return len(self.rows) == self.planned_n

    @property
    def whole(self) -> bool:
        """Whether it holds every sample."""
        return len(self.rows) == self.population

    @property
    def counts(self) -> dict[Status, int]:
        """How many of its samples stand where."""
        return dict(Counter(row.status for row in self.rows))


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the prefix goes and what follows for any sample: a prefix of 100,000 rows takes 50 MB.

    `n`: how many samples it holds. `chances`: what is known of a sample by its number, where each has its
    own (`disputed`); `by_stratum` by its stratum (`stratified`).
    """

    design: str
    n: int
    population: int
    beyond: int
    chances: Mapping[int, float] = field(default_factory=dict)
    by_stratum: Mapping[str, float] = field(default_factory=dict)

    def chance(self, sample_id: int, stratum: str) -> float | None:
        """The inclusion probability of a sample that could be drawn; None where nothing tells."""
        if not self.n:
            return None
        if self.design == "simple":
            return self.n / self.population
        return self.chances.get(sample_id) if self.chances else self.by_stratum.get(stratum)


def reach(store: Store, info: DatasetInfo, kind: Kind) -> Reach:
    """How far the prefix of a dataset's plan goes; without a plan, that of its random order."""
    with store.snapshot():
        done = prefixes.done(store, info.id, kind)
        plan = plans.plan_of(store, info.id)
        if plan is None or plan.design == "simple":
            parts = prefixes.parts(store, info.id)
            n = len(_ids(store, info, done, plan, parts.population))
            return Reach("simple", n, parts.population, prefixes.count_planned(store, [*done]) - n)
        found = _prefix(store, info, kind, done)
        return Reach(
            found.design, len(found.rows), found.population, found.beyond,
            {row.sample_id: row.pi for row in found.rows} if found.design == "disputed" else {},
            {row.stratum: row.pi for row in found.rows} if found.design == "stratified" else {},
        )  # fmt: skip


def prefix(store: Store, info: DatasetInfo, kind: Kind, *, upto: int | None = None) -> Prefix:
    """The prefix of a dataset's plan; without a plan, of its random order. `upto` cuts it there.

    It ends with a sample that a person reviewed in its turn, at the planned n or with the last sample of
    all: gold of a file and samples chosen by hand count where the prefix reaches them, but a run of them
    behind its end would let what they are decide where it ends.
    """
    with store.snapshot():
        return _prefix(store, info, kind, prefixes.done(store, info.id, kind), upto)


def _prefix(
    store: Store, info: DatasetInfo, kind: Kind, done: Mapping[int, Done], upto: int | None = None
) -> Prefix:
    plan = plans.plan_of(store, info.id)
    parts = prefixes.parts(store, info.id)
    ids = _ids(store, info, done, plan, parts.population)[:upto]
    known = prefixes.planned(store, ids)
    kept = [known[number] for number in ids]
    design = plan.design if plan else "simple"
    strata = _strata(plan)
    taken = Counter(one.stratum for one in kept)
    chances = _chances(store, info.id, design, kept, parts.population, plan)
    rows = tuple(
        PrefixRow(
            one.sample_id, one.key, done[one.sample_id].status, pi, one.stratum, one.group, position,
            done[one.sample_id].origin,
        )
        for position, (one, pi) in enumerate(zip(kept, chances, strict=True), start=1)
    )  # fmt: skip
    return Prefix(
        kind=kind,
        design=design,
        rows=rows,
        population=parts.population,
        beyond=prefixes.count_planned(store, [*done]) - len(rows),
        planned_n=plan.planned_n if plan else None,
        late=parts.late,
        holdout=parts.holdout,
        strata={name: total for name, (total, _) in strata.items()},
        unreached=tuple(name for name in strata if not taken[name]),
        lowest=_lowest(plan, len(rows), parts.population),
    )


def _lowest(plan: Plan | None, n: int, population: int) -> float | None:
    smallest = plan.parameters.get("smallest") if plan else None
    return None if smallest is None or not n else min(1.0, n * float(smallest) / population)


def _ids(
    store: Store, info: DatasetInfo, done: Mapping[int, Done], plan: Plan | None, population: int
) -> array[int]:
    """The samples of the prefix, in order."""
    order = prefixes.in_order(store, info.id, len(done))
    run = next((place for place, number in enumerate(order) if number not in done), len(order))
    ids = order[:run]
    return ids[: _end(ids, done, plan, population)]


def _end(ids: Sequence[int], done: Mapping[int, Done], plan: Plan | None, population: int) -> int:
    """How many of a complete run the prefix may hold."""
    if len(ids) == population:
        return population
    in_turn = next((place for place in range(len(ids), 0, -1) if done[ids[place - 1]].in_turn), 0)
    return max(in_turn, plan.planned_n) if plan and len(ids) >= plan.planned_n else in_turn


def _chances(
    store: Store, dataset_id: int, design: str, kept: list[Planned], population: int, plan: Plan | None
) -> list[float]:
    """The inclusion probabilities of the samples of a prefix; they sum to its length over the population."""
    n = len(kept)
    if design == "stratified":
        totals, taken = _strata(plan), Counter(one.stratum for one in kept)
        return [taken[one.stratum] / totals[one.stratum][0] for one in kept]
    if design == "simple" or n == population:
        return [n / population for _ in kept]
    largest = float(plan.parameters["largest"]) if plan else 1.0
    if n * largest <= population:
        return [n * one.size / population for one in kept]
    sizes = prefixes.sizes(store, dataset_id)  # some are certain by now, which changes those of the others
    chances = dict(zip(sizes, inclusion(list(sizes.values()), n), strict=True))
    return [chances[one.sample_id] for one in kept]


def _strata(plan: Plan | None) -> dict[str, tuple[int, int]]:
    """How many samples of each stratum there are, and how many are planned."""
    stored: Mapping[str, Any] = plan.parameters.get("strata", {}) if plan else {}
    return {name: (int(total), int(planned)) for name, (total, planned) in stored.items()}


def planned(store: Store, dataset_id: int) -> tuple[int, int] | None:
    """How many of the planned samples are complete, and how many are planned; None without a plan."""
    with store.snapshot():
        plan = plans.plan_of(store, dataset_id)
        if plan is None:
            return None
        ids = prefixes.in_order(store, dataset_id, plan.planned_n)
        done = prefixes.done(store, dataset_id, plan.kind, ids)
        return len(done), plan.planned_n


@dataclass(frozen=True, slots=True)
class Stratum:
    """A stratum of the plan: its samples, how many are planned, how many of these are complete."""

    name: str
    samples: int
    planned: int
    complete: int


@dataclass(frozen=True, slots=True)
class PlanReport:
    """A plan and how far it is. `done`: the complete ones of the planned samples; `next`: the first open one.

    `given` of the `done` ones are complete by gold of a file alone. `complete`: all planned ones are, so that
    the estimate has the interval for a fixed n. `plan` is None without one: then the random order stands,
    with no planned n.
    """

    dataset: str
    kind: Kind
    plan: Plan | None
    design: str
    population: int
    planned_n: int | None
    done: int
    given: int
    complete: bool
    prefix: int
    counts: Mapping[Status, int]
    beyond: int
    next: str | None
    late: int
    holdout: int
    holdout_done: int
    openings: tuple[Opening, ...]
    blind_share: float
    strata: tuple[Stratum, ...]
    imported: int
    decided: int


def report(store: Store, info: DatasetInfo) -> PlanReport:
    """The plan of a dataset for the kind it was made for; without a plan, its random order."""
    with store.snapshot():
        plan = plans.plan_of(store, info.id)
        kind = plan.kind if plan else info.kinds[0]
        done = prefixes.done(store, info.id, kind)
        found = _prefix(store, info, kind, done)
        planned_n = found.planned_n
        first = prefixes.in_order(store, info.id, max(planned_n or 0, len(done) + 1))
        following = next((number for number in first if number not in done), None)
        name = prefixes.planned(store, [following])[following].key if following is not None else None
        complete = [number for number in first[: planned_n or 0] if number in done]
        taken = Counter(one.stratum for one in prefixes.planned(store, complete).values())
        return PlanReport(
            dataset=info.name,
            kind=kind,
            plan=plan,
            design=found.design,
            population=found.population,
            planned_n=planned_n,
            done=len(complete),
            given=sum(done[number].origin == "imported" for number in complete),
            complete=planned_n is not None and len(complete) >= planned_n,
            prefix=len(found.rows),
            counts=found.counts,
            beyond=found.beyond,
            next=name,
            late=found.late,
            holdout=found.holdout,
            holdout_done=len(holdouts.holdout_ids(store, info.id) & done.keys()),
            openings=tuple(holdouts.openings(store, info.id)),
            blind_share=info.blind_share,
            strata=tuple(
                Stratum(name, total, planned, taken[name]) for name, (total, planned) in _strata(plan).items()
            ),
            imported=plans.imported(store, info.id, kind),
            decided=plans.decided(store, info.id),
        )
