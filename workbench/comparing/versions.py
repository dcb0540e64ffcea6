"""Two versions of the gold: what changed, by whom, how the means moved. Two scorers on the same samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.comparing.estimators import EQUAL
from workbench.comparing.intervals import Mean, mean
from workbench.comparing.paired import Pair, Paired, paired
from workbench.model import KINDS, Kind, Unit, count
from workbench.reviewing.gold import Verified, gold_units, place_of, resolve, same_gold
from workbench.scoring.names import metric_of, runs_of


@dataclass(frozen=True, slots=True)
class VersionSample:
    """One sample in a version: the hash of its text, who verified what, and the numbers of files."""

    question: str
    content: str
    gold: Mapping[Kind, Sequence[Verified]]
    scores: Mapping[str, float]
    excluded: Collection[Kind] = ()


@dataclass(frozen=True, slots=True)
class GoldVersion:
    """A dataset as it stood: `name` is its folder or moment, `counted` the labels that its policy counts."""

    name: str
    dataset: str
    samples: Mapping[str, VersionSample]
    counted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnitChange:
    """A unit that is new or gone (`before` or `after` is ""), or has another verdict or label."""

    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SampleChange:
    """A sample whose gold of one kind changed, or counts no more; `by`: whose own verdicts changed.

    `before` and `after` are verified recalls, None where there is no gold or it has no units.
    """

    id: str
    question: str
    kind: Kind
    what: str
    by: tuple[str, ...]
    before: float | None
    after: float | None
    units: tuple[UnitChange, ...]


@dataclass(frozen=True, slots=True)
class MeanChange:
    """A mean in both versions: over all samples that have a value, and over those that have one in both."""

    name: str
    before: Mean
    after: Mean
    both: tuple[Mean, Mean]


@dataclass(frozen=True, slots=True)
class GoldDiff:
    """What lies between two versions. `gone` and `new` are samples of one of them, `texts` have another text.

    `verified` are the means of the kinds that somebody verified, `columns` those of the newest run of every
    metric of a file. `by` counts the changed samples of each annotator.
    """

    first: str
    second: str
    dataset: str
    both: int
    gone: tuple[str, ...]
    new: tuple[str, ...]
    texts: tuple[str, ...]
    verified: tuple[MeanChange, ...]
    columns: tuple[MeanChange, ...]
    by: Mapping[str, int]
    changes: tuple[SampleChange, ...] = field(default=())


def differences(first: GoldVersion, second: GoldVersion) -> GoldDiff:
    """Compare two versions sample by sample, the largest change of a recall first."""
    before, after = first.samples, second.samples
    ids = [*before, *(id_ for id_ in after if id_ not in before)]
    recalls = {kind: (_recalls(first, kind), _recalls(second, kind)) for kind in KINDS}
    changes = [
        change
        for kind in KINDS
        for id_ in ids
        if (change := _change(id_, kind, before.get(id_), after.get(id_), *recalls[kind])) is not None
    ]
    by = Counter(name for name, _ in {(name, change.id) for change in changes for name in change.by})
    old, new = _numbers(first), _numbers(second)
    shared = before.keys() & after.keys()
    return GoldDiff(
        first=first.name,
        second=second.name,
        dataset=second.dataset,
        both=len(shared),
        gone=tuple(id_ for id_ in before if id_ not in shared),
        new=tuple(id_ for id_ in after if id_ not in shared),
        texts=tuple(id_ for id_ in before if id_ in shared and before[id_].content != after[id_].content),
        verified=tuple(_moved(f"verified_{kind}", *each) for kind, each in recalls.items() if any(each)),
        columns=tuple(_moved(name, old.get(name, {}), new.get(name, {})) for name in sorted({*old, *new})),
        by=dict(sorted(by.items())),
        changes=tuple(sorted(changes, key=lambda one: -abs((one.after or 0.0) - (one.before or 0.0)))),
    )


def _recalls(version: GoldVersion, kind: Kind) -> dict[str, float | None]:
    """The verified recall of every sample with settled gold of a kind."""
    found = {}
    for id_, one in version.samples.items():
        each = () if kind in one.excluded else one.gold.get(kind, ())
        standing = resolve(each, version.counted) if each else None
        if standing is not None:
            recall = count(standing.assessment.units).recall
            found[id_] = None if recall is None else float(recall)
    return found


def _numbers(version: GoldVersion) -> dict[str, dict[str, float | None]]:
    """The numbers of files by metric and sample; of several runs of a metric the newest."""
    columns = {column for one in version.samples.values() for column in one.scores}
    return {
        metric: {id_: one.scores.get(newest) for id_, one in version.samples.items()}
        for metric in {metric_of(column) for column in columns}
        for newest in runs_of(metric, columns)[-1:]
    }


def _moved(name: str, before: Mapping[str, float | None], after: Mapping[str, float | None]) -> MeanChange:
    both = [id_ for id_ in before if before[id_] is not None and after.get(id_) is not None]
    known = [{id_: one for id_, one in each.items() if one is not None} for each in (before, after)]
    return MeanChange(
        name, mean(known[0].values()), mean(known[1].values()),
        (mean(before[id_] for id_ in both), mean(after[id_] for id_ in both)),
    )  # fmt: skip


def _change(
    id_: str, kind: Kind, before: VersionSample | None, after: VersionSample | None,
    first: Mapping[str, float | None], second: Mapping[str, float | None],
) -> SampleChange | None:  # fmt: skip
    ours, theirs = (
        {one.annotator: one for one in side.gold.get(kind, ())} if side else {} for side in (before, after)
    )
    by = [
        name
        for name in dict.fromkeys((*ours, *theirs))
        if name not in ours
        or name not in theirs
        or not same_gold(ours[name].assessment, theirs[name].assessment)
        or "adjudicated" in {ours[name].origin, theirs[name].origin} != {"adjudicated"}
    ]
    if not by and (id_ in first) == (id_ in second):
        return None
    what = (
        "not counted" if after and kind in after.excluded
        else "counted again" if before and kind in before.excluded
        else "verified" if not ours else "no longer verified" if not theirs
        else "unresolved" if id_ not in second else "settled" if id_ not in first else "changed"
    )  # fmt: skip
    units: dict[UnitChange, None] = {}
    for name in by if ours and theirs else ():
        sides = (side[name].assessment.units if name in side else () for side in (ours, theirs))
        units.update(dict.fromkeys(_units(*sides)))
    side = after or before
    assert side is not None  # one of the two has the sample
    return SampleChange(
        id_, side.question, kind, what, tuple(by), first.get(id_), second.get(id_), tuple(units)
    )


def _units(before: Iterable[Unit], after: Iterable[Unit]) -> list[UnitChange]:
    """The units of one annotator that differ, by their text and place."""
    ours, theirs = ({place_of(unit): unit for unit in gold_units([*each])} for each in (before, after))
    found = []
    for place in dict.fromkeys((*ours, *theirs)):
        one, other = ours.get(place), theirs.get(place)
        said, now = ((unit.match.verdict or "unsure") if unit else "" for unit in (one, other))
        if one and other and said == now and one.label != other.label:
            said, now = one.label or "no label", other.label or "no label"
        if said != now:
            found.append(UnitChange(place[0], said, now))
    return found


@dataclass(frozen=True, slots=True)
class ScoredTwice:
    """One sample under both: its two values and the verified one, None where nothing is verified."""

    id: str
    question: str
    group: str | None
    first: float | None
    second: float | None
    verified: float | None = None


@dataclass(frozen=True, slots=True)
class Against:
    """A scorer against another one. `days`: when each came with a file, empty for what is counted here.

    `means` are over the `paired.n` samples that have both values, and differences are first − second. `only`
    samples have one value alone. `errors` are the mean distances of both to the verified value, over the same
    samples. `higher` and `lower` samples moved by more than rounding; `moved` lists these, the largest
    difference first, without `hidden` ones that the reader is yet to review without suggestions.
    """

    dataset: str
    first: str
    second: str
    days: tuple[str, str]
    means: tuple[Mean, Mean]
    paired: Paired
    only: tuple[int, int]
    errors: tuple[Mean, Mean]
    higher: int
    lower: int
    moved: tuple[ScoredTwice, ...]
    hidden: int


def against(
    dataset: str, days: Mapping[str, str], samples: Sequence[ScoredTwice], hidden: Collection[str]
) -> Against:
    """Hold two columns of values against each other; `days` has the names of both."""
    both = [
        (one, one.first, one.second) for one in samples if one.first is not None and one.second is not None
    ]
    off = [(one, first - second) for one, first, second in both if abs(first - second) >= EQUAL]
    known = [(first, second, one.verified) for one, first, second in both if one.verified is not None]
    listed = [
        one for one in sorted(off, key=lambda one: (-abs(one[1]), one[0].id)) if one[0].id not in hidden
    ]
    first, second = days
    return Against(
        dataset=dataset,
        first=first,
        second=second,
        days=(days[first], days[second]),
        means=(mean(one for _, one, _ in both), mean(other for _, _, other in both)),
        paired=paired([Pair(one.id, ours, theirs, one.group) for one, ours, theirs in both]),
        only=(
            sum(one.second is None for one in samples if one.first is not None),
            sum(one.first is None for one in samples if one.second is not None),
        ),
        errors=(
            mean(abs(one - true) for one, _, true in known),
            mean(abs(one - true) for _, one, true in known),
        ),
        higher=sum(delta > 0 for _, delta in off),
        lower=sum(delta < 0 for _, delta in off),
        moved=tuple(one for one, _ in listed),
        hidden=len(off) - len(listed),
    )
