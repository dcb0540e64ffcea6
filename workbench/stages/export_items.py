"""What leaves: samples with all that is known of them, under the names that may leave."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from workbench.formats.exports.item import ExportItem
from workbench.model import BY, KINDS, Assessment, Kind, Unit
from workbench.reviewing.gold import Verified, resolve
from workbench.stages.export_verdicts import Look, verdicts
from workbench.stages.plan import Reach
from workbench.stages.progress import Progress, silent
from workbench.store import exports
from workbench.store.engine import Store
from workbench.store.exports import Leaving, Said, Scale
from workbench.store.plans import LATE_RANK

Naming = Callable[[str], str]
Chance = Callable[[Leaving], float | None]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which samples leave, and what of them.

    `wanted` None: all. `splits`: the split of each sample by number; `place` tells that in the queue, 0 for
    none. `chance` gives the probability with which a sample was drawn. `withheld`: samples whose gold stays.
    `counted_labels`: those of the policy; empty means all.
    `grouping` and `strata`: how groups and strata are called, None: as they are.
    """

    dataset_id: int
    run_id: int | None
    naming: Naming
    scale: Scale | None = None
    wanted: Collection[int] | None = None
    withheld: Collection[int] = frozenset()
    splits: Mapping[int, str] | None = None
    place: Callable[[int], int] | None = None
    chance: Chance | None = None
    grouping: Naming | None = None
    strata: Naming | None = None
    counted_labels: Collection[str] = ()


def pseudonyms(salt: bytes, what: str = "annotator") -> Naming:
    """Names as pseudonyms: the first 12 digits of an HMAC-SHA256 under a salt that never leaves.

    What is a pseudonym of such a kind already, in a dataset that came from an export, stays as it is.
    """
    already = re.compile(f"{what}-[0-9a-f]{{12}}")

    @lru_cache(maxsize=1_000)
    def name_of(name: str) -> str:
        if not name or already.fullmatch(name):
            return name
        return f"{what}-{hmac.new(salt, f'{what} {name}'.encode(), 'sha256').hexdigest()[:12]}"

    return name_of


def model_named(model: str, naming: Naming) -> str:
    """A model under the name that may leave: of a person's marks it is that person."""
    return f"{BY}{naming(model.removeprefix(BY))}" if model.startswith(BY) else model


def probabilities(drawn: Reach) -> Chance:
    """The inclusion probability of any sample under the plan as far as it was reviewed.

    A sample that the prefix holds has that of the prefix. Of the others it is known where all have the same,
    or all of a stratum; those kept back or imported after the plan were not to be drawn: None.
    """

    def chance(leaving: Leaving) -> float | None:
        if leaving.holdout or leaving.rank >= LATE_RANK:
            return None
        return drawn.chance(leaving.stratum)

    return chance


def each_item(
    store: Store,
    choice: Choice,
    split: str | None = None,
    progress: Progress = silent,
    look: Look | None = None,
) -> Iterator[ExportItem]:
    """The chosen samples in file order; with `split` only those of it, with `look` their verdicts too."""
    done = 0
    for chunk in exports.each_leaving(store, choice.dataset_id, choice.run_id, choice.wanted, choice.scale):
        chosen = [one for one in chunk if split is None or (choice.splits or {}).get(one.sample_id) == split]
        states = exports.folded(store, chosen) if look else {}
        for leaving in chosen:
            item = item_of(leaving, choice)
            yield replace(item, verdicts=tuple(verdicts(leaving, item, states, look))) if look else item
        done += len(chunk)
        progress(done)


def item_of(leaving: Leaving, choice: Choice) -> ExportItem:
    """One sample as it leaves."""
    reviews = () if leaving.sample_id in choice.withheld else leaving.reviews
    records = (exports.record_of(one, choice.naming(one.annotator)) for one in reviews)
    gold: dict[Kind, tuple[Unit, ...]] = {}
    states: dict[Kind, str] = {}
    for kind in KINDS:
        states[kind], units = _standing(reviews, kind, choice.counted_labels)
        if units is not None:
            gold[kind] = units
    number = leaving.sample_id
    sample = leaving.sample
    if choice.grouping is not None and sample.group is not None:
        sample = replace(sample, group=choice.grouping(sample.group))
    proposal = leaving.proposal
    if proposal is not None:
        proposal = replace(proposal, model=model_named(proposal.model, choice.naming))
    return ExportItem(
        sample=sample,
        reference_hash=leaving.reference_hash,
        content_hash=leaving.content_hash,
        proposal=proposal,
        records=tuple(one for one in records if one is not None),
        gold=gold,
        states=states,
        automatic=leaving.automatic,
        external=leaving.external,
        u=leaving.u,
        size=leaving.size,
        stratum=choice.strata(leaving.stratum) if choice.strata else leaving.stratum,
        position=choice.place(number) if choice.place else 0,
        pi=choice.chance(leaving) if choice.chance else None,
        blind=leaving.blind,
        holdout=leaving.holdout,
        off_plan=any(one.off_plan for one in reviews),
        split=(choice.splits or {}).get(number, ""),
    )


def _standing(
    reviews: Collection[Said], kind: Kind, counted_labels: Collection[str]
) -> tuple[str, tuple[Unit, ...] | None]:
    """Where a kind stands over all reviews, and the units that stand; an exclusion wins."""
    states = [one.states[kind] for one in reviews]
    if "excluded" in states:
        return "excluded", None
    verified = [one for one in reviews if one.states[kind] == "verified"]
    if len(verified) == 1:
        return "verified", verified[0].units[kind]
    if verified:
        said = [
            Verified(one.annotator, one.origin, Assessment(kind, "", one.units[kind]))  # type: ignore[arg-type]
            for one in verified
        ]
        gold = resolve(said, counted_labels)
        return ("verified", gold.assessment.units) if gold else ("unresolved", None)
    return next((state for state in ("started", "skipped") if state in states), "todo"), None
