"""Plans: a draft, making it, how far it is reviewed, and how many samples it needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from workbench.comparing import plans as pure
from workbench.errors import UsageError
from workbench.model import Kind
from workbench.stages.people import check
from workbench.stages.queue import headline_scorer, scored_by
from workbench.store import plans, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.plans import HOLDOUT_RANK, Candidate, Done, Drawn, Opening, Plan, Status
from workbench.store.samples import load_sample
from workbench.store.scores import Member
from workbench.text.figures import many
from workbench.text.query import META

SCORE = "score"
"""The field that makes strata of the automatic values."""


@dataclass(frozen=True)
class Wish:
    """What a plan shall be. `blind` None: the dataset's own; `by`: `score`, `group` or `meta.KEY`; empty with
    strata: `score`.

    `design` empty: by score where samples have one.
    """

    n: int
    design: pure.Design | Literal[""] = "simple"
    by: str = ""
    holdout: float = 0.0
    blind: float | None = None


@dataclass(frozen=True)
class Draft:
    """A plan that is not made yet, and what it would mean.

    `chances`: the smallest and the largest inclusion probability at the planned n. `families`: how many the
    holdout takes. `replaces`: there is a plan that it would take the place of.
    """

    plan: Plan
    drawn: tuple[Drawn, ...] = field(repr=False)
    chances: tuple[float, float]
    families: int
    blind_share: float
    imported: int
    replaces: bool
    notes: tuple[str, ...]


def check_wish(wish: Wish) -> None:
    """Raise UsageError for a wish that no dataset could fulfil."""
    if wish.design and wish.design not in pure.DESIGNS:
        raise UsageError(f"no design {wish.design!r}; there is: {', '.join(pure.DESIGNS)}")
    if wish.n < 2:
        raise UsageError("plan at least 2 reviews: one has no variance")
    if not 0 <= wish.holdout < 1:
        raise UsageError("the holdout is a share of the samples, 0 to less than 1")
    if wish.blind is not None and not 0 <= wish.blind <= 1:
        raise UsageError("--blind is a share of the samples, 0 to 1")
    if wish.design != "stratified" and wish.by:
        raise UsageError(f"--by {wish.by} makes strata: leave --design out")
    if wish.by == META:
        raise UsageError("name a key: --by meta.KEY")
    if wish.by not in ("", SCORE, "group") and not wish.by.startswith(META):
        raise UsageError(f"no field {wish.by!r} to make strata by; there is: score, group, meta.KEY")


def draft(store: Store, info: DatasetInfo, wish: Wish, annotator: str) -> Draft:
    """Draw a plan without writing anything.

    Raises UsageError when a person decided anything, for a wish that the dataset cannot fulfil, and for who
    may not make a plan.
    """
    check(store, annotator, "make a plan")
    check_wish(wish)
    if wish.design == "stratified":
        wish = replace(wish, by=wish.by or SCORE)
    with store.snapshot():
        plans.refuse_decided(store, info.id)
        old = _own(plans.plan_of(store, info.id))
        everyone = plans.candidates(store, info.id, wish.by.removeprefix(SCORE))
        if wish.by == SCORE or not wish.design:
            everyone = _scored(store, info, everyone)
        holdout, kin = _keep_back(everyone, wish, info.seed)
        drawable = [candidate for candidate in everyone if candidate.sample_id not in holdout]
        notes = []
        if not wish.design:
            if wish.n < 2 * pure.FEWEST:
                notes.append(f"simple random, because parts by score need at least {2 * pure.FEWEST} reviews")
            elif len({candidate.value for candidate in drawable}) < 2:
                below = f"{pure.SMALLEST} samples that score below {pure.CUT:g}"
                above = f"{pure.SMALLEST} that score {pure.CUT:g} or more"
                notes.append(f"simple random, because parts by score need {below} and {above}")
            wish = replace(wish, design="simple") if notes else replace(wish, design="stratified", by=SCORE)
        if wish.n > len(drawable):
            where = many(len(drawable), "sample") + (" outside the holdout" if holdout else "")
            raise UsageError(f"{wish.n:,} reviews of {where} cannot be planned: give a smaller --n")
        ranks, strata = _lay(wish, drawable)
        given = plans.imported(store, info.id, info.kinds[0])
    before = float(old.parameters["blind_before"]) if old else info.blind_share
    share = pure.blind_share_for(before, wish.n) if wish.blind is None else wish.blind
    plan = Plan(
        design=wish.design,
        kind=info.kinds[0],
        planned_n=wish.n,
        population=len(drawable),
        parameters={
            **({"by": wish.by, "strata": strata} if strata else {}),
            "holdout": len(holdout),
            "holdout_share": wish.holdout,
            "blind_before": before,
        },
        annotator=annotator,
        created_at=datetime.now(UTC),
    )
    expected = share * wish.n
    if expected < pure.BLIND_REVIEWS and (wish.n >= pure.BLIND_FROM or share):
        some = many(round(expected), "review without suggestions is", "reviews without suggestions are")
        few = f"too few to tell what suggestions do ({pure.BLIND_REVIEWS} are enough)"
        notes.append(f"{some} expected, {few}")
    sizes = strata.values() or [(len(drawable), wish.n)]
    chances = [planned / count for count, planned in sizes]
    return Draft(
        plan=plan,
        drawn=_drawn(everyone, holdout, ranks),
        chances=(min(chances), max(chances)),
        families=kin,
        blind_share=share,
        imported=given,
        replaces=old is not None,
        notes=tuple(notes),
    )


def _scored(store: Store, info: DatasetInfo, everyone: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with the stratum by their score for a value: that of the column or scorer of reports."""
    values = scored_by(store, info, headline_scorer(store, info))
    strata = pure.by_score([values.get(candidate.sample_id) for candidate in everyone])
    return [candidate._replace(value=name) for candidate, name in zip(everyone, strata, strict=True)]


def extend(store: Store, info: DatasetInfo, more: int, annotator: str) -> None:
    """Plan so many more reviews; the order stays. Raises UsageError without a plan or without the samples,
    ConflictError where the plan is changed at the same time."""
    check(store, annotator, "make a plan")
    with store.snapshot():
        plan = _own(plans.plan_of(store, info.id))
        if plan is None:
            raise UsageError("there is no plan to extend, and random order needs none: review more")
        left = plans.parts(store, info.id).population - plan.planned_n
        if more > left:
            raise UsageError(f"{more:,} more samples cannot be planned: {many(left, 'sample')} left")
        n = plan.planned_n + more
        first = plans.in_order(store, info.id, n)
        taken = Counter(member.stratum for member in scores.population(store, info.id, first).values())
    strata = {name: (total, taken[name]) for name, (total, _) in _strata(plan).items()}
    ends = [*plan.parameters.get("ends", []), plan.planned_n]
    parameters = {**plan.parameters, "ends": ends, **({"strata": strata} if strata else {})}
    plans.extend_plan(store, info.id, plan, n, parameters)


def make(store: Store, info: DatasetInfo, drafted: Draft) -> None:
    """Make the drafted plan the dataset's one; the queue follows it from now on.

    Raises UsageError when a person decided something meanwhile, ConflictError when samples came.
    """
    plans.save_plan(store, info.id, drafted.plan, drafted.drawn, drafted.blind_share)


def _own(plan: Plan | None) -> Plan | None:
    """The plan, which may be replaced. Raises UsageError where the samples were drawn from a corpus."""
    if plan is not None and plan.corpus:
        raise UsageError(
            f"these samples were drawn from {many(plan.population, 'sample')}, and their plan stays. More: "
            f"workbench draw {plan.corpus['out']} --n N --seed {plan.corpus['seed']} --dataset NAME draws "
            "them and others; then export your reviews here and import samples.jsonl there with --gold"
        )
    return plan


def _lay(
    wish: Wish, drawable: Sequence[Candidate]
) -> tuple[Mapping[int, tuple[float, str]], Mapping[str, tuple[int, int]]]:
    """Rank and stratum of the samples that are no holdout, and the sizes of the strata, empty without any."""
    u = [candidate.u for candidate in drawable]
    if wish.design == "simple":
        return {candidate.sample_id: (rank, "") for candidate, rank in zip(drawable, u, strict=True)}, {}
    names = [candidate.value or "" for candidate in drawable]
    counts = dict(sorted(Counter(names).items()))
    if not any(names):
        raise UsageError(f"no sample has {wish.by}: there is nothing to stratify by")
    if len(counts) == 1:
        raise UsageError(f"every sample has the same {wish.by}: there is nothing to stratify by")
    allocation = pure.allocate(counts, wish.n)
    order = pure.places(pure.stratified_ranks(u, names, allocation), u)
    ranks = {
        candidate.sample_id: (rank, name)
        for candidate, rank, name in zip(drawable, order, names, strict=True)
    }
    return ranks, {name: (count, allocation[name]) for name, count in counts.items()}


def _keep_back(everyone: Sequence[Candidate], wish: Wish, seed: int) -> tuple[set[int], int]:
    """The samples of the holdout and how many families they are."""
    if not wish.holdout:
        return set(), 0
    kin = pure.families(
        [candidate.group for candidate in everyone], [candidate.reference_hash for candidate in everyone]
    )
    keys = [candidate.key for candidate in everyone]
    indices = pure.keep_back(kin, keys, wish.holdout, seed)
    if not indices:
        raise UsageError(
            f"no group is small enough to keep {wish.holdout:.0%} back: a holdout takes whole groups, "
            "so that none stands on both sides"
        )
    return {everyone[index].sample_id for index in indices}, sum(family[0] in indices for family in kin)


def _drawn(
    everyone: Sequence[Candidate], holdout: set[int], ranks: Mapping[int, tuple[float, str]]
) -> tuple[Drawn, ...]:
    """What changes: a row that stands as it is need not be written."""
    draws = []
    for candidate in everyone:
        if candidate.sample_id in holdout:
            new = Drawn(candidate.sample_id, HOLDOUT_RANK + candidate.u, "", holdout=True)
        else:
            new = Drawn(candidate.sample_id, *ranks[candidate.sample_id], holdout=False)
        if candidate.late or new[1:] != (candidate.rank, candidate.stratum, candidate.holdout):
            draws.append(new)
    return tuple(draws)


@dataclass(frozen=True)
class PrefixRow:
    """A sample of the prefix. `pi`: its inclusion probability."""

    sample_id: int
    pi: float
    member: Member
    done: Done


@dataclass(frozen=True)
class Prefix:
    """The longest complete beginning of the order that is a probability sample.

    `rows` are its `n` samples. `population`: the samples it stands for, without the holdout and what came
    after the plan (`late`).
    `beyond`: complete samples of the population that it does not reach, `by_hand` of them picked by somebody
    and verified. `planned_n` is None without a plan.
    `corpus`: what is known of the samples that are not in the database; empty where all are. `chosen`: the
    plan was made of samples that somebody had chosen, as if they had been drawn.
    """

    design: str
    rows: tuple[PrefixRow, ...] = field(repr=False)
    n: int
    population: int
    beyond: int
    by_hand: int
    planned_n: int | None
    late: int
    holdout: int
    corpus: Mapping[str, Any] = field(default_factory=dict, repr=False)
    chosen: bool = False

    @property
    def at_planned_n(self) -> bool:
        """Whether it ends where it was planned to: intervals for a fixed n hold there only."""
        return self.n == self.planned_n


def prefix(store: Store, info: DatasetInfo, kind: Kind, *, cut: bool = False) -> Prefix:
    """The prefix of a dataset's plan; without a plan, of its random order.

    It ends with a sample that a person reviewed in its turn, at the planned n or that of before the plan was
    extended, or with the last sample of all: gold of a file and samples chosen by hand count where the prefix
    reaches them, but a run of them behind its end would let what they are decide where it ends. With `cut` it
    ends at the planned n once that is reached, unless it holds every sample: what comes behind would undo the
    interval of the plan.
    """
    with store.snapshot():
        plan = plans.plan_of(store, info.id)
        done = plans.done(store, info.id, kind)
        return _prefix(store, info, plan, done, scores.population(store, info.id, done), cut=cut)


def _prefix(
    store: Store,
    info: DatasetInfo,
    plan: Plan | None,
    done: Mapping[int, Done],
    members: Mapping[int, Member],
    *,
    cut: bool = False,
) -> Prefix:
    """The prefix of a plan; what is complete (`members`: of the population) was read on the same snapshot."""
    parts = plans.parts(store, info.id)
    population = plan.population if plan and plan.corpus else parts.population
    order = plans.in_order(store, info.id, len(done))
    end = next((index for index, number in enumerate(order) if number not in done), len(order))
    if end < population:
        in_turn = (position for position in range(end, 0, -1) if done[order[position - 1]].in_turn)
        fixed = [n for n in (plan.planned_n, *plan.parameters.get("ends", [])) if n <= end] if plan else []
        end = max([next(in_turn, 0), *fixed])
        end = plan.planned_n if cut and plan and plan.planned_n in fixed else end
    ids = order[:end]
    strata = _strata(plan)
    taken = Counter(members[number].stratum for number in ids)
    chances = {name: taken[name] / total for name, (total, _) in strata.items() if taken[name]}
    if ids and not strata:
        chances[""] = len(ids) / population
    return Prefix(
        design=plan.design if plan else "simple",
        rows=tuple(
            PrefixRow(number, chances[own.stratum if strata else ""], own, done[number])
            for number in ids
            for own in [members[number]]
        ),
        n=len(ids),
        population=population,
        beyond=len(members) - len(ids),
        by_hand=sum(done[number].by_hand and bool(done[number].origin) for number in members.keys() - {*ids}),
        planned_n=plan.planned_n if plan else None,
        late=parts.late,
        holdout=parts.holdout,
        corpus=plan.corpus if plan else {},
        chosen=bool(plan and plan.parameters.get("chosen")),
    )  # fmt: skip


def _strata(plan: Plan | None) -> dict[str, tuple[int, int]]:
    """How many samples of each stratum there are, and how many are planned."""
    stored: Mapping[str, Any] = plan.parameters.get("strata", {}) if plan else {}
    return {name: (int(total), int(planned)) for name, (total, planned) in stored.items()}


@dataclass(frozen=True)
class Stratum:
    """A stratum of the plan: its samples, how many are planned, how many of these are complete."""

    name: str
    samples: int
    planned: int
    complete: int


@dataclass(frozen=True, kw_only=True)
class PlanReport(Prefix):
    """A plan, its prefix and how far it is. `done`: the complete ones of the planned samples.

    `next` is the first open one, with its `question`.

    `unresolved`: planned samples that count as `done` only when they are settled.
    `given` of the `done` ones are complete by gold of a file alone, `imported` ones of a file are not reached
    yet. `complete`: all planned ones are, so that the estimate has the interval for a fixed n. `plan` is None
    without one: then the random order stands, with no planned n. `holdout_picked`: samples of the holdout
    that somebody began to review before the queue gave them.
    """

    dataset: str
    kind: Kind
    plan: Plan | None
    done: int
    unresolved: int
    given: int
    complete: bool
    counts: Mapping[Status, int]
    next: str | None
    question: str
    holdout_done: int
    holdout_picked: int
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
        done, held = plans.done(store, info.id, kind), plans.holdout_ids(store, info.id)
        members = scores.population(store, info.id, done)
        begun = _prefix(store, info, plan, done, members)
        planned_n = begun.planned_n or 0
        first = plans.in_order(store, info.id, max(planned_n, len(done) + 1))
        following = next((number for number in first if number not in done), None)
        upcoming = load_sample(store, following, None) if following is not None else None
        complete = [number for number in first[:planned_n] if number in done]
        unresolved = sum(done[number].status == "unresolved" for number in complete)
        complete = [number for number in complete if done[number].status != "unresolved"]
        taken = Counter(members[number].stratum for number in complete)
        return PlanReport(
            **vars(begun),
            dataset=info.name,
            kind=kind,
            plan=plan,
            done=len(complete),
            unresolved=unresolved,
            given=sum(done[number].origin == "imported" for number in complete),
            complete=plan is not None and len(complete) >= planned_n,
            counts=dict(Counter(row.done.status for row in begun.rows)),
            next=upcoming.sample.id if upcoming else None,
            question=upcoming.question if upcoming else "",
            holdout_done=len(held & done.keys()),
            holdout_picked=len(held & plans.picked_ids(store, info.id)) if held else 0,
            openings=tuple(plans.openings(store, info.id)),
            blind_share=info.blind_share,
            strata=tuple(
                Stratum(name, total, planned, taken[name]) for name, (total, planned) in _strata(plan).items()
            ),
            imported=plans.imported(store, info.id, kind)
            - sum(row.done.origin == "imported" for row in begun.rows),
            decided=plans.decided(store, info.id),
        )
