"""Two versions of the gold: what changed, by whom, how the means moved. Two scorers on the same samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, NamedTuple

from workbench.comparing.estimators import EQUAL
from workbench.comparing.intervals import Mean, mean
from workbench.comparing.paired import Pair, Paired, paired
from workbench.model import KINDS, Kind, Unit, count, recall_of
from workbench.reviewing.fold import Place, Verified, gold_units, place_of, resolve
from workbench.scoring.names import metric_of, runs_of


@dataclass(frozen=True, slots=True)
class VersionSample:
    """One sample in a version: the hash of its text, who verified or excluded what, and numbers of files."""

    question: str
    content: str
    gold: Mapping[Kind, Sequence[Verified]]
    scores: Mapping[str, float]
    excluded: Mapping[Kind, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GoldVersion:
    """A dataset as it stood: `name` is its folder or moment, `counted` the labels that its policy counts.

    `pseudonyms`: it names people so that only its own database tells who is who.
    """

    name: str
    dataset: str
    samples: Mapping[str, VersionSample]
    counted: tuple[str, ...] = ()
    pseudonyms: bool = False

    @property
    def people(self) -> set[str]:
        """Everybody who verified or excluded anything."""
        each = self.samples.values()
        verified = {
            review.annotator for sample in each for of_kind in sample.gold.values() for review in of_kind
        }
        return verified.union(*(names for sample in each for names in sample.excluded.values()))


@dataclass(frozen=True, slots=True)
class UnitChange:
    """A unit that is new or gone (`before` or `after` is ""), or has another verdict or label.

    `label`: where its place has several units.
    """

    text: str
    before: str
    after: str
    label: str = ""


Standing = Literal["", "verified", "unresolved", "excluded"]


@dataclass(frozen=True, slots=True)
class SampleChange:
    """A sample whose gold of one kind changed, or counts no more, or again.

    `stood`: as what it stands before and after. `before` and `after` are verified recalls, None where nobody
    verified it, nothing is settled, or there are no units. `by`: whose verdicts made the difference, nobody
    where the text changed.
    """

    id: str
    question: str
    kind: Kind
    what: str
    stood: tuple[Standing, Standing]
    by: tuple[str, ...]
    before: float | None
    after: float | None
    units: tuple[UnitChange, ...]

    @property
    def effect(self) -> float | None:
        """By how much its recall moved; None where one of the two is undefined."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class MeanChange:
    """A mean in both versions: over all samples that have a value, and over those that have one in both."""

    name: str
    before: Mean
    after: Mean
    both: tuple[Mean, Mean]


@dataclass(frozen=True, slots=True)
class SampleName:
    """What a sample is called: its question, where its id is a hash."""

    id: str
    question: str


@dataclass(frozen=True, slots=True)
class GoldDiff:
    """What lies between two versions. `gone` and `new` are samples of one of them, `texts` have another text.
    `purged` samples are not in the second and, as the database knows, were purged: they are not `gone`.

    `verified` are the means of the kinds that somebody verified, `columns` those of the newest run of every
    metric of a file. `by` counts the changed samples of each annotator. `named`: whether the names of both
    versions mean the same people, as pseudonyms of two databases do not. Where they do not, `by` is empty.
    `changes` lacks those of `hidden` samples, which the reader is yet to decide.
    """

    first: str
    second: str
    dataset: str
    both: int
    gone: tuple[SampleName, ...]
    new: tuple[SampleName, ...]
    texts: tuple[SampleName, ...]
    verified: tuple[MeanChange, ...]
    columns: tuple[MeanChange, ...]
    by: Mapping[str, int]
    named: bool
    changes: tuple[SampleChange, ...] = field(default=())
    hidden: int = 0
    purged: tuple[SampleName, ...] = ()


class _Stands(NamedTuple):
    """What stands of one kind of a sample."""

    what: Standing = ""
    units: tuple[Unit, ...] = ()

    @property
    def recall(self) -> float | None:
        return recall_of(count(self.units))

    def same(self, other: _Stands) -> bool:
        return self.what == other.what and not _units(self.units, other.units)


def differences(first: GoldVersion, second: GoldVersion) -> GoldDiff:
    """Compare two versions sample by sample, the largest change of a recall first, undefined ones last."""
    before, after = first.samples, second.samples
    ours, theirs = first.people, second.people
    named = not ((first.pseudonyms or second.pseudonyms) and ours - theirs and theirs - ours)
    compared = (_compared(first, second, id_, kind, named=named) for id_, kind in product(after, KINDS))
    changes = [change for change in compared if change is not None]
    by = Counter(name for name, _ in {(name, change.id) for change in changes for name in change.by})
    old, new = _numbers(first), _numbers(second)
    recalls = {kind: (_recalls(first, kind), _recalls(second, kind)) for kind in KINDS}
    shared = [id_ for id_ in after if id_ in before]
    return GoldDiff(
        first=first.name,
        second=second.name,
        dataset=second.dataset,
        both=len(shared),
        gone=tuple(SampleName(id_, sample.question) for id_, sample in before.items() if id_ not in after),
        new=tuple(SampleName(id_, sample.question) for id_, sample in after.items() if id_ not in before),
        texts=tuple(
            SampleName(id_, after[id_].question)
            for id_ in shared
            if before[id_].content != after[id_].content
        ),
        verified=tuple(_moved(f"verified_{kind}", *each) for kind, each in recalls.items() if any(each)),
        columns=tuple(_moved(name, old.get(name, {}), new.get(name, {})) for name in sorted({*old, *new})),
        by=dict(sorted(by.items())),
        named=named,
        changes=tuple(
            sorted(changes, key=lambda change: (change.effect is None, -abs(change.effect or 0.0)))
        ),
    )


def _stands(version: GoldVersion, id_: str, kind: Kind, without: str | None = None) -> _Stands:
    """What stands in a version, or would stand `without` what one annotator verified."""
    sample = version.samples.get(id_)
    if sample is None:
        return _Stands()
    if sample.excluded.get(kind):
        return _Stands("excluded")
    each = [review for review in sample.gold.get(kind, ()) if review.annotator != without]
    gold = resolve(each, version.counted) if each else None
    if gold is None:
        return _Stands("unresolved" if each else "")
    return _Stands("verified", gold_units(gold.assessment.units))


def _recalls(version: GoldVersion, kind: Kind) -> dict[str, float | None]:
    """The verified recall of every sample with settled gold of a kind."""
    each = ((id_, _stands(version, id_, kind)) for id_ in version.samples)
    return {id_: state.recall for id_, state in each if state.what == "verified"}


def _numbers(version: GoldVersion) -> dict[str, dict[str, float]]:
    """The numbers of files by metric and sample; of several runs of a metric the newest."""
    columns = {column for sample in version.samples.values() for column in sample.scores}
    return {
        metric: {
            id_: found.scores[newest] for id_, found in version.samples.items() if newest in found.scores
        }
        for metric in {metric_of(column) for column in columns}
        for newest in runs_of(metric, columns)[-1:]
    }


def _moved(name: str, before: Mapping[str, float | None], after: Mapping[str, float | None]) -> MeanChange:
    both = [id_ for id_ in before if before[id_] is not None and after.get(id_) is not None]
    return MeanChange(
        name, mean(before.values()), mean(after.values()),
        (mean(before[id_] for id_ in both), mean(after[id_] for id_ in both)),
    )  # fmt: skip


def _compared(
    first: GoldVersion, second: GoldVersion, id_: str, kind: Kind, *, named: bool
) -> SampleChange | None:
    """What changed of one kind of a sample of the second version; None where the same stands."""
    versions = first, second
    before, after = (_stands(version, id_, kind) for version in versions)
    if before.same(after):
        return None
    old, new = first.samples.get(id_), second.samples[id_]
    ours, theirs = (
        {review.annotator: review for review in sample.gold.get(kind, ())} if sample else {}
        for sample in (old, new)
    )
    differing = [
        name
        for name in dict.fromkeys((*ours, *theirs))
        if name not in ours or name not in theirs or not _same(ours[name], theirs[name])
    ]
    what, by = _what(before.what, after.what), list[str]()
    if before.what and old is not None and old.content != new.content:
        what = "another text"
    elif "excluded" in (before.what, after.what):
        by = [name for sample in (old, new) if sample for name in sample.excluded.get(kind, ())]
    else:
        by = [name for name in differing if _matters(versions, (ours, theirs), id_, kind, name)] or differing
    pairs = [(before.units, after.units)] if before.what == after.what else []
    if {before.what, after.what} == {"verified", "unresolved"}:
        # what stands, which may be no units at all, against what whoever differs from it has
        pairs = [
            (before.units, (theirs.get(name) or ours[name]).assessment.units)
            if before.what == "verified"
            else ((ours.get(name) or theirs[name]).assessment.units, after.units)
            for name in by
        ]
    units = [change for pair in pairs for change in _units(*pair)]
    if len(pairs) > 1:
        units = [*dict.fromkeys(units)]
    settlers = {name: review.by for name, review in (ours | theirs).items() if review.by}
    people = dict.fromkeys(settlers.get(name, name) for name in by) if named else ()
    return SampleChange(
        id_, new.question, kind, what, (before.what, after.what), tuple(people),
        before.recall, after.recall, tuple(units),
    )  # fmt: skip


def _what(before: Standing, after: Standing) -> str:
    if after == "excluded":
        return "not counted"
    if before == "excluded":
        return "counted again"
    if after == "unresolved":
        return "unresolved"
    if not after:
        return "no longer verified"
    return {"unresolved": "settled", "verified": "changed"}.get(before, "verified")


def _same(review: Verified, other: Verified) -> bool:
    settles = {review.origin == "adjudicated", other.origin == "adjudicated"}
    return len(settles) == 1 and not _units(review.assessment.units, other.assessment.units)


def _matters(
    versions: Iterable[GoldVersion], sides: Iterable[Collection[str]], id_: str, kind: Kind, name: str
) -> bool:  # fmt: skip
    """Whether something else would stand without what an annotator verified in one of the versions alone."""
    there = [version for version, side in zip(versions, sides, strict=True) if name in side]
    return len(there) == 2 or not _stands(there[0], id_, kind).same(_stands(there[0], id_, kind, name))


def _units(before: Iterable[Unit], after: Iterable[Unit]) -> list[UnitChange]:
    """The units that differ. At one place the same label is the same unit, else a unit with another label."""
    ours, theirs = map(_by_place, (before, after))
    changes = []
    for place in dict.fromkeys((*ours, *theirs)):
        old, new = sorted(ours.get(place, ())), sorted(theirs.get(place, ()))
        several = len(old) > 1 or len(new) > 1
        # as it is; the same label; the same verdict; the same place alone
        for mine, other in sorted(product(old, new), key=_apart):
            if mine in old and other in new:
                old.remove(mine)
                new.remove(other)
                if mine != other:
                    differing = slice(int(mine[0] == other[0]), 1 if mine[1] == other[1] else 2)
                    was, now = (", ".join(each[differing]) for each in (mine, other))
                    label = mine[0] if several and mine[0] == other[0] else ""
                    changes.append(UnitChange(place[0], was, now, label))
        changes += [UnitChange(place[0], verdict, "", label if several else "") for label, verdict in old]
        changes += [UnitChange(place[0], "", verdict, label if several else "") for label, verdict in new]
    return changes


def _apart(pair: tuple[tuple[str, str], tuple[str, str]]) -> tuple[bool, bool, bool]:
    """Sorts two units at one place, each a label and a verdict, by how much of both is the same."""
    (label, verdict), (other, another) = pair
    return pair[0] != pair[1], label != other, verdict != another


def _by_place(units: Iterable[Unit]) -> dict[Place, list[tuple[str, str]]]:
    """The labels and verdicts at each place."""
    by_place: dict[Place, list[tuple[str, str]]] = {}
    for unit in gold_units([*units]):
        verdict = unit.match.verdict or "unsure"
        by_place.setdefault(place_of(unit), []).append((unit.label or "no label", verdict))
    return by_place


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
    dataset: str, days: Mapping[str, str], samples: Sequence[ScoredTwice], hidden: Collection[str],
    within: float = EQUAL,
) -> Against:  # fmt: skip
    """Hold two columns of values against each other; `days` has the names of both.

    Values less than `within` apart are equal.
    """
    both = [
        (sample, sample.first, sample.second)
        for sample in samples
        if sample.first is not None and sample.second is not None
    ]
    off = [(first - second, sample) for sample, first, second in both if abs(first - second) >= within]
    known = [(one, other, sample.verified) for sample, one, other in both if sample.verified is not None]
    moved = [sample for _, sample in sorted(off, key=lambda pair: (-abs(pair[0]), pair[1].id))]
    listed = tuple(sample for sample in moved if sample.id not in hidden)
    first, second = days
    alone = [(sample.first is None, sample.second is None) for sample in samples]
    return Against(
        dataset=dataset,
        first=first,
        second=second,
        days=(days[first], days[second]),
        means=(mean(one for _, one, _ in both), mean(other for _, _, other in both)),
        paired=paired([Pair(sample.id, ours, theirs, sample.group) for sample, ours, theirs in both], within),
        only=(alone.count((False, True)), alone.count((True, False))),
        errors=(
            mean(abs(value - true) for value, _, true in known),
            mean(abs(value - true) for _, value, true in known),
        ),
        higher=sum(delta > 0 for delta, _ in off),
        lower=sum(delta < 0 for delta, _ in off),
        moved=listed,
        hidden=len(moved) - len(listed),
    )
