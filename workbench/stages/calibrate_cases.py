"""What calibration rests on: verified samples with the similarity of each automatic unit and its verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from workbench.comparing.calibration import Case
from workbench.comparing.curve import FOUND, MISSING, NONE, UNSURE
from workbench.comparing.holdout import families
from workbench.comparing.links import descends, links
from workbench.errors import UsageError
from workbench.matching import MATCHER
from workbench.matching.units import entity_units, language_of
from workbench.model import Assessment, Verdict
from workbench.scoring.names import CALIBRATED
from workbench.stages.examples import seen_by
from workbench.stages.plan import prefix
from workbench.stages.progress import Progress, silent
from workbench.store import calibrations, columns, holdouts, journal, plans
from workbench.store import gold as gold_store
from workbench.store.calibrations import Row
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.explained import reviewed
from workbench.store.gold import Gold
from workbench.store.runs import RunInfo
from workbench.store.samples import CHUNK, Stored, load_samples

_SAID: Mapping[Verdict, int] = {"found": FOUND, "missing": MISSING, "unsure": UNSURE}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Verified samples that do not count here, and why.

    `seen`: the run's prompt showed them or related ones. `uncounted`: nothing was proposed for them.
    `late`: they came after the plan.
    """

    unresolved: int
    excluded: int
    seen: int
    uncounted: int
    late: int


@dataclass(frozen=True, slots=True)
class Gathered:
    """All of a dataset that calibration looks at, under one run and scorer.

    `everything` holds the similarities of all counted samples of the population that figures stand for (no
    holdout, nothing that came after the plan), by sample; `cases` the verified ones among them, `held` those
    of the holdout (empty unless it was asked for). `invented` automatic units are linked to no verified one,
    `missed` verified units to no automatic one. `alone`: cases that stand for themselves only, where others
    weigh by their chance to be drawn. `assisted` cases were reviewed with proposals in sight.
    """

    run: RunInfo
    scorer: str
    everything: Mapping[int, bytes]
    cases: tuple[Case, ...]
    held: tuple[Case, ...]
    known: Mapping[str, Row]
    left_out: LeftOut
    invented: int
    missed: int
    holdout: int
    alone: int
    assisted: int = 0


def gather(
    store: Store,
    info: DatasetInfo,
    run: RunInfo,
    scorer: str | None,
    *,
    holdout: bool = False,
    progress: Progress = silent,
) -> Gathered:
    """Read what has been counted and what people said. Raises UsageError when there is nothing to look at.

    Without a scorer it is `linked`, or `presence` where nothing was proposed for contexts. Verified samples
    take about 5 ms each. `holdout` reads the samples kept back too: whoever asks has to write it down.
    """
    if "entity" not in info.kinds:
        raise UsageError("calibrate works on entities, and this dataset's policy reviews only statements")
    name, similarities = _similarities(store, run, scorer)
    gold = gold_store.load_gold(store, info.id, "entity")
    rows = calibrations.rows_of(store, sorted(gold))
    group = _groups(rows)
    kept_back = holdouts.holdout_ids(store, info.id)
    places = columns.population(store, info.id)
    excluded = gold_store.load_excluded(store, info.id, "entity")
    seen = seen_by(store, info, run).related
    wanted = {}
    out = {"unresolved": 0, "excluded": 0, "seen": 0, "uncounted": 0, "late": 0}
    for number, one in gold.items():
        if number in kept_back and not holdout:
            continue
        why = _why_not(one, rows[number].key, number, excluded, seen, similarities)
        if number not in places and number not in kept_back:
            why = "late"
        if why:
            out[why] += 1
        else:
            wanted[number] = one
    known = reviewed(store, info.id, "entity", info.policy.version)
    weight, alone = _weights(store, info, [one for one in wanted if one not in kept_back])
    cases: list[Case] = []
    held: list[Case] = []
    invented = missed = 0
    for done, (stored, human, recall, loose) in enumerate(_judged(store, info, run, wanted, similarities), 1):
        number = stored.sample_id
        case = Case(
            stored.sample.id, group[number], similarities[number], human, recall, weight.get(number, 1.0)
        )
        (held if number in kept_back else cases).append(case)
        if number not in kept_back:
            invented += human.count(NONE)
            missed += loose
        progress(done)
    return Gathered(
        run=run,
        scorer=name,
        everything={number: one for number, one in similarities.items() if number in places},
        cases=tuple(cases),
        held=tuple(held),
        known={row.key: row for row in rows.values()},
        left_out=LeftOut(**out),
        invented=invented,
        missed=missed,
        holdout=len(kept_back),
        alone=alone,
        assisted=sum(
            one.origin == "reviewed" and one.shown == "assisted"
            for number, one in known.items()
            if number in wanted and number not in kept_back
        ),
    )


def _similarities(store: Store, run: RunInfo, scorer: str | None) -> tuple[str, dict[int, bytes]]:
    """The scorer and the similarities of every counted sample."""
    if scorer is not None and scorer not in CALIBRATED:
        raise UsageError(f"scorer {scorer!r} has no match threshold; there is: {', '.join(CALIBRATED)}")
    found: dict[str, dict[int, bytes]] = {name: {} for name in CALIBRATED}
    for number, linked, presence in calibrations.similarities(store, run.id, MATCHER):
        if linked is not None:
            found["linked"][number] = linked
        if presence is not None:
            found["presence"][number] = presence
    name = scorer or ("linked" if found["linked"] else "presence")
    if not found[name]:
        instead = "; --scorer presence needs none" if name == "linked" and found["presence"] else ""
        raise UsageError(f"run {run.name} proposed nothing that {name} can count{instead}")
    return name, found[name]


def _groups(rows: Mapping[int, Row]) -> dict[int, str]:
    """The group of every sample: what shares a group or a reference is one, named by its first sample."""
    numbers = list(rows)
    kin = families([row.group for row in rows.values()], [row.reference_hash for row in rows.values()])
    return {
        numbers[place]: min(rows[numbers[one]].key for one in family) for family in kin for place in family
    }


def _weights(store: Store, info: DatasetInfo, wanted: Collection[int]) -> tuple[dict[int, float], int]:
    """What each sample stands for, 1 on average, and how many stand for themselves only among others.

    Of the complete prefix of a plan a sample weighs 1 / its chance to be in it. Nothing is known of the
    chance of others (gold of a file, chosen by hand, behind the prefix): 1 then, and 1 without a plan.
    """
    if plans.plan_of(store, info.id) is None:
        return dict.fromkeys(wanted, 1.0), 0
    chance = {row.sample_id: row.pi for row in prefix(store, info, "entity").rows}
    stands = {number: 1 / chance[number] if number in chance else 1.0 for number in wanted}
    if len(set(stands.values())) < 2:
        return dict.fromkeys(wanted, 1.0), 0
    # a fitted probability is smoothed by one unit: weights of a thousand each would drown that
    mean = sum(stands.values()) / len(stands)
    alone = sum(number not in chance for number in wanted)
    return {number: one / mean for number, one in stands.items()}, alone


def _why_not(
    gold: Gold,
    key: str,
    number: int,
    excluded: Collection[int],
    seen: Collection[str],
    similarities: Mapping[int, bytes],
) -> str:
    """Why the gold of a sample does not count; empty when it does."""
    if number in excluded:
        return "excluded"
    if gold.assessment is None:
        return "unresolved"
    if key in seen:
        return "seen"
    return "" if number in similarities else "uncounted"


def _judged(
    store: Store, info: DatasetInfo, run: RunInfo, wanted: Mapping[int, Gold], known: Mapping[int, bytes]
) -> Iterator[tuple[Stored, bytes, float | None, int]]:
    """Each wanted sample with a verdict for every automatic unit, its verified recall and loose units."""
    numbers = sorted(wanted)
    for start in range(0, len(numbers), CHUNK):
        for stored in load_samples(store, numbers[start : start + CHUNK], run.id):
            gold = wanted[stored.sample_id]
            if stored.proposal is None or gold.assessment is None:
                continue
            human, loose = _verdicts(store, info, stored, gold, gold.assessment)
            if len(human) != len(known[stored.sample_id]):
                continue  # counted under another policy a moment ago; the next look has it
            recall = gold.tally.recall if gold.tally else None
            yield stored, human, None if recall is None else float(recall), loose


def _verdicts(
    store: Store, info: DatasetInfo, stored: Stored, gold: Gold, verified: Assessment
) -> tuple[bytes, int]:
    """The verdict on each counted automatic unit, in order, and how many verified ones nobody proposed."""
    assert stored.proposal is not None
    lang = language_of(stored.sample, info.policy)
    units = entity_units(stored.sample, stored.proposal.reference_entities or (), info.policy, lang)
    based = gold.origin == "reviewed" and any(
        _descends(store, stored, annotator) for annotator in gold.annotators
    )
    found = links(Assessment("entity", "automatic", units), verified, based=based, lang=lang)
    said = {
        one.automatic.id: _SAID[one.verified.match.verdict] if one.verified.match.verdict else UNSURE
        for one in found
    }
    loose = sum(unit.counted for unit in verified.units) - len(found)
    return bytes(said.get(unit.id, NONE) for unit in units if unit.counted), loose


def _descends(store: Store, stored: Stored, annotator: str) -> bool:
    """Whether that annotator's verified units came out of this proposal."""
    review = journal.load_review(store, stored.sample_id, annotator)
    if review is None or review.state.opened is None:
        return False
    own = review.state.entity
    return own.disposition == "verified" and descends(review.state.opened, own, stored.proposal_id)
