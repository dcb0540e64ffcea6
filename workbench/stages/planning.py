"""Making a plan: a draft that says what it would mean, the plan itself, and taking one away again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from workbench.comparing.holdout import families, keep_back
from workbench.comparing.plans import (
    BLIND_FROM,
    BLIND_REVIEWS,
    DESIGNS,
    Design,
    allocate,
    blind_share_for,
    places,
    stratified_ranks,
)
from workbench.errors import UsageError
from workbench.store import plans
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.plans import HOLDOUT_RANK, Candidate, Drawn, Plan
from workbench.store.samples import draw
from workbench.text.query import META


@dataclass(frozen=True, slots=True)
class Wish:
    """What a plan shall be. `blind` and `seed` None: the dataset's own; `by`: `group` or `meta.KEY`."""

    n: int
    design: Design = "simple"
    by: str = ""
    holdout: float = 0.0
    blind: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan that is not made yet, and what it would mean.

    `chances`: the smallest and the largest inclusion probability at the planned n. `strata`: samples and
    planned reviews of each. `replaces`: there is a plan that it would take the place of.
    """

    plan: Plan
    drawn: tuple[Drawn, ...] = field(repr=False)
    chances: tuple[float, float]
    strata: Mapping[str, tuple[int, int]]
    holdout: int
    families: int
    blind_before: float
    blind_share: float
    imported: int
    replaces: bool
    notes: tuple[str, ...]


def check_wish(wish: Wish) -> None:
    """Raise UsageError for a wish that no dataset could fulfil."""
    if wish.design not in DESIGNS:
        raise UsageError(f"no design {wish.design!r}; there is: {', '.join(DESIGNS)}")
    if wish.n < 2:
        raise UsageError("plan at least 2 reviews: one has no variance")
    if not 0 <= wish.holdout < 1:
        raise UsageError("the holdout is a share of the samples, 0 to less than 1")
    if wish.blind is not None and not 0 <= wish.blind <= 1:
        raise UsageError("--blind is a share of the samples, 0 to 1")
    if (wish.design == "stratified") != bool(wish.by):
        raise UsageError(
            "strata come from a field, and only they: --design stratified --by group or meta.KEY"
        )
    if wish.by and wish.by != "group" and not wish.by.removeprefix(META):
        raise UsageError("name a key: --by meta.KEY")
    if wish.by and wish.by != "group" and not wish.by.startswith(META):
        raise UsageError(f"no field {wish.by!r} to make strata by; there is: group, meta.KEY")


def check_open(store: Store, info: DatasetInfo) -> None:
    """Raise UsageError when a person verified or excluded anything: no plan can be made or dropped then."""
    plans.refuse_decided(store, info.id)


def draft(store: Store, info: DatasetInfo, wish: Wish, annotator: str) -> Draft:
    """Draw a plan without writing anything.

    Raises UsageError when a person decided anything, and for a wish that the dataset cannot fulfil.
    """
    check_wish(wish)
    with store.snapshot():
        check_open(store, info)
        old = plans.plan_of(store, info.id)
        everyone = plans.candidates(store, info.id, wish.by)
        kept, kin = _keep_back(everyone, wish, info.seed)
        drawable = [one for one in everyone if one.sample_id not in kept]
        if wish.n > len(drawable):
            where = f"{len(drawable):,} samples" + (" outside the holdout" if kept else "")
            raise UsageError(f"{wish.n:,} reviews of {where} cannot be planned: give a smaller --n")
        laid = _lay(wish, drawable)
        given = plans.imported(store, info.id, info.kinds[0])
    before = float(old.parameters["blind_before"]) if old else info.blind_share
    share = blind_share_for(before, wish.n) if wish.blind is None else wish.blind
    plan = Plan(
        design=laid.design,
        kind=info.kinds[0],
        planned_n=wish.n,
        population=len(drawable),
        parameters={
            **laid.parameters,
            "seed": wish.seed,
            "holdout": len(kept),
            "holdout_share": wish.holdout,
            "blind_before": before,
        },
        annotator=annotator,
        created_at=datetime.now(UTC),
    )
    return Draft(
        plan=plan,
        drawn=_drawn(everyone, kept, laid, wish.seed),
        chances=laid.chances,
        strata=laid.strata,
        holdout=len(kept),
        families=kin,
        blind_before=before,
        blind_share=share,
        imported=given,
        replaces=old is not None,
        notes=_blind_notes(wish, share),
    )


def make(store: Store, info: DatasetInfo, drafted: Draft) -> None:
    """Make the drafted plan the dataset's one; the queue follows it from now on.

    Raises UsageError when a person decided something meanwhile, ConflictError when samples came.
    """
    plans.save_plan(store, info.id, drafted.plan, drafted.drawn, drafted.blind_share)


def drop(store: Store, info: DatasetInfo) -> None:
    """Take the plan away: the random order and the blind arm of before stand again. Raises UsageError."""
    old = plans.plan_of(store, info.id)
    if old is None:
        raise UsageError("there is no plan to drop")
    changed = [Drawn(one.sample_id, one.u, "", holdout=False) for one in plans.candidates(store, info.id)]
    plans.drop_plan(store, info.id, changed, float(old.parameters["blind_before"]))


@dataclass(frozen=True, slots=True)
class _Laid:
    """The order of the samples that are no holdout: rank and stratum by sample."""

    design: Design
    ranks: Mapping[int, tuple[float, str]]
    chances: tuple[float, float]
    strata: Mapping[str, tuple[int, int]]
    parameters: Mapping[str, Any]


def _lay(wish: Wish, drawable: Sequence[Candidate]) -> _Laid:
    u = [_u(one, wish.seed) for one in drawable]
    if wish.design == "simple":
        rate = wish.n / len(drawable)
        ranks = {one.sample_id: (rank, "") for one, rank in zip(drawable, u, strict=True)}
        return _Laid("simple", ranks, (rate, rate), {}, {})
    names = [one.value or "" for one in drawable]
    counts = dict(sorted(Counter(names).items()))
    if not any(names):
        raise UsageError(f"no sample has {wish.by}: there is nothing to stratify by")
    if len(counts) == 1:
        raise UsageError(f"every sample has the same {wish.by}: there is nothing to stratify by")
    allocation = allocate(counts, wish.n)
    order = places(stratified_ranks(u, names, allocation), u)
    chances = [allocation[name] / count for name, count in counts.items()]
    strata = {name: (count, allocation[name]) for name, count in counts.items()}
    return _Laid(
        design="stratified",
        ranks={one.sample_id: (rank, name) for one, rank, name in zip(drawable, order, names, strict=True)},
        chances=(min(chances), max(chances)),
        strata=strata,
        parameters={"by": wish.by, "strata": strata},
    )


def _u(one: Candidate, seed: int | None) -> float:
    return one.u if seed is None else draw(seed, one.key)[0]


def _keep_back(everyone: Sequence[Candidate], wish: Wish, seed: int) -> tuple[set[int], int]:
    """The samples of the holdout and how many families they are."""
    if not wish.holdout:
        return set(), 0
    kin = families([one.group for one in everyone], [one.reference_hash for one in everyone])
    keys = [one.key for one in everyone]
    kept = keep_back(kin, keys, wish.holdout, seed if wish.seed is None else wish.seed)
    if not kept:
        raise UsageError(
            f"no group is small enough to keep {wish.holdout:.0%} back: a holdout takes whole groups, "
            "so that none stands on both sides"
        )
    return {everyone[place].sample_id for place in kept}, sum(family[0] in kept for family in kin)


def _drawn(everyone: Sequence[Candidate], kept: set[int], laid: _Laid, seed: int | None) -> tuple[Drawn, ...]:
    """What changes: a row that stands as it is need not be written."""
    found = []
    for one in everyone:
        if one.sample_id in kept:
            new = Drawn(one.sample_id, HOLDOUT_RANK + _u(one, seed), "", holdout=True)
        else:
            new = Drawn(one.sample_id, *laid.ranks[one.sample_id], holdout=False)
        if one.late or new[1:] != (one.rank, one.stratum, one.holdout):
            found.append(new)
    return tuple(found)


def _blind_notes(wish: Wish, share: float) -> tuple[str, ...]:
    expected = share * wish.n
    if expected >= BLIND_REVIEWS or (wish.n < BLIND_FROM and not share):
        return ()
    why = f"fewer than {BLIND_FROM} reviews leave the share without suggestions as it is"
    if wish.blind is not None:
        why = "the share without suggestions is as you said"
    return (
        f"{why}: {expected:.0f} reviews without suggestions expected, too few to tell what these do "
        f"({BLIND_REVIEWS} are enough)",
    )
