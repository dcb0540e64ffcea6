"""Which unit of one assessment is which unit of the other, one to one, and by which rule.

Of several people: what they verified of one sample, unit by unit, and who has what where they differ.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from workbench.matching.names import Name, link
from workbench.model import Assessment, Kind, Match, Span, Unit, letter, text_hash
from workbench.reviewing.documents import unit_document
from workbench.reviewing.fold import ReviewState, meaning, place_of
from workbench.text.normalise import key

SIMILAR = 85
"""The similarity from which two names are taken for one unit: the usual match threshold."""

Place = tuple[int, int, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Link:
    """An automatic and a verified unit that are one, and the rule that says so.

    `lineage` (the verified one came out of the automatic one), `span`, `overlap`, `key` or `similar`.
    """

    automatic: Unit
    verified: Unit
    rule: str


def links(
    automatic: Assessment, verified: Assessment, *, based: bool, lang: str | None
) -> tuple[tuple[Link, ...], list[Unit], list[Unit]]:
    """The links between the counted units of two assessments, each rule on what the one before left.

    Also the units of either side that are in none, in order of their place.

    `based`: the verified units came out of the automatic ones, so equal ids are one unit; what a person
    rejected there is then no unit, and neither overlap nor likeness links it to another. Ties are broken
    by what the units say, never by their order.
    """
    ours = sorted((unit for unit in automatic.units if unit.counted), key=place)
    theirs = sorted((unit for unit in verified.units if unit.counted), key=place)
    linked: list[Link] = []

    def take(rule: str, pairs: Iterable[tuple[Unit, Unit]]) -> None:
        nonlocal ours, theirs
        free, others = {unit.id for unit in ours}, {unit.id for unit in theirs}
        for one, other in pairs:
            if one.id in free and other.id in others:
                linked.append(Link(one, other, rule))
                free.remove(one.id)
                others.remove(other.id)
        ours = [unit for unit in ours if unit.id in free]
        theirs = [unit for unit in theirs if unit.id in others]

    if based:
        by_id = {unit.id: unit for unit in theirs}
        take("lineage", [(unit, by_id[unit.id]) for unit in ours if unit.id in by_id])
    if not (based and automatic.kind == "statement"):  # the claims of one sentence have one span
        same = _sharing(ours, theirs, lambda unit: unit.spans[0] if unit.spans else None)
        take("span", sorted(same, key=lambda pair: (-fuzz.ratio(pair[0].text, pair[1].text), _places(pair))))
    if not based:
        take("overlap", _overlapping(ours, theirs))
    take("key", _sharing(ours, theirs, lambda unit: key(unit.text, lang) or unit.text))
    if not based and ours and theirs:
        names = [name_of(unit) for unit in ours]
        near = link([name_of(unit) for unit in theirs], names, threshold=SIMILAR, lang=lang)
        take(
            "similar",
            [(ours[match.candidate], theirs[index]) for index, match in enumerate(near) if match is not None],
        )
    return tuple(sorted(linked, key=lambda pair: (place(pair.verified), place(pair.automatic)))), ours, theirs


def descends(review: ReviewState, kind: Kind, proposal: int | None) -> bool:
    """Whether the units of a reviewed kind came out of that proposal and keep its ids.

    Not so for a blind review, gold of a file, units carried over from a sibling and another run's proposal.
    """
    own, opening = review.of(kind), review.opened
    shown = [assessment for assessment in opening.assessments if assessment.kind == kind]
    return (
        proposal is not None
        and own.proposal == proposal
        and opening.shown == "assisted"
        and not own.imported
        and not any(unit.origin == "carried" for assessment in shown for unit in assessment.units)
    )


def place(unit: Unit) -> Place:
    """Sorts units by their place in the reference, then by what they say; ungrounded ones last."""
    where = unit.spans[0] if unit.spans else Span(2**31, 2**31)
    return where.start, where.end, unit.text, unit.label, unit.match.verdict or "", unit.id


def overlap(unit: Unit, other: Unit) -> int:
    """How many code points of the reference two units share."""
    pairs = ((a, b) for a in covered(unit) for b in covered(other))
    return sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a, b in pairs)


def covered(unit: Unit) -> tuple[Span, ...]:
    """What a unit is cut out of: the principal mention of a name, all passages of a claim."""
    return unit.spans[:1] if unit.kind == "entity" else unit.spans


def length(unit: Unit) -> int:
    """How many code points of the reference a unit covers."""
    return sum(span.end - span.start for span in covered(unit))


def _overlapping(ours: Sequence[Unit], theirs: Sequence[Unit]) -> list[tuple[Unit, Unit]]:
    """Pairs that share text, the most first; among equals the pair with the least text beside it."""
    pairs = [(unit, other) for unit in ours for other in theirs if overlap(unit, other)]

    def strength(pair: tuple[Unit, Unit]) -> tuple[int, int, tuple[Place, Place]]:
        return -overlap(*pair), length(pair[0]) + length(pair[1]), _places(pair)

    return sorted(pairs, key=strength)


def _sharing(
    ours: Sequence[Unit], theirs: Sequence[Unit], key_of: Callable[[Unit], Hashable]
) -> list[tuple[Unit, Unit]]:
    """Pairs with the same key; a unit whose key is None is in none of them."""
    by_key: dict[Hashable, list[Unit]] = {}
    for unit in theirs:
        by_key.setdefault(key_of(unit), []).append(unit)
    keyed = ((unit, key_of(unit)) for unit in ours)
    return [(unit, other) for unit, own in keyed if own is not None for other in by_key.get(own, ())]


def name_of(unit: Unit) -> Name:
    """The name of a unit for the matcher, as it stands in the text."""
    return Name(unit.text, unit.original_label or unit.label)


def _places(pair: tuple[Unit, Unit]) -> tuple[Place, Place]:
    return place(pair[0]), place(pair[1])


MADE = "r:"
"""How the ids of units begin that people have; what is added while they are settled has others."""


@dataclass(frozen=True, slots=True)
class Sided:
    """One unit as each person has it, None for who has no such unit.

    The id says what they have: once one of them changes it, it is another one. `settled`: labels alone
    differ, if anything does, and each counts or none.
    """

    id: str
    sides: tuple[Unit | None, ...]
    settled: bool

    @property
    def agreed(self) -> bool:
        """Whether all have it, in one place, with one label and one verdict."""
        has = {unit and (place_of(unit), unit.label, unit.match.verdict) for unit in self.sides}
        return len(has) == 1

    @property
    def shown(self) -> Unit:
        """The unit that stands there at first: as the first who has it; undecided where it is not settled."""
        first = next(unit for unit in self.sides if unit is not None)
        return replace(first, id=self.id, match=first.match if self.settled else Match())

    def taken(self, side: int) -> Unit:
        """The unit as one person has it; who has none says that it is none."""
        unit = self.sides[side]
        if unit is None:
            return replace(self.shown, match=Match(), rejected=True)
        return replace(unit, id=self.id, rejected=False, duplicate_of="")

    def letters(self, unit: Unit) -> tuple[str, ...]:
        """The letters of those who have it as it stands now; none where it is open or a third way."""
        same = tuple(letter(side) for side in range(len(self.sides)) if self.taken(side) == unit)
        if same or not unit.rejected:
            return same
        return tuple(letter(side) for side, unit in enumerate(self.sides) if unit is None)


@dataclass(frozen=True, slots=True)
class Sides:
    """What is settled: the units of several people, by kind, and who settles them.

    `people` are in the order of their letters; `reviews` say how theirs were read. `named`: whoever settles
    them has seen the names. `seen`: it is stored that this person saw what the others have, or they decided
    the sample themselves before.
    """

    person: str
    people: Mapping[Kind, tuple[str, ...]]
    units: Mapping[Kind, tuple[Sided, ...]]
    reviews: tuple[tuple[int, int, bool], ...] = ()
    named: bool = False
    seen: bool = False

    def of(self, unit: Unit) -> Sided | None:
        """What the people have of a unit; None for one that was added while it is settled."""
        return next((row for row in self.units.get(unit.kind, ()) if row.id == unit.id), None)

    def open(self, units: Iterable[Unit]) -> list[Unit]:
        """Those of some units on which nobody has decided yet."""
        return [unit for unit in units if unit.counted and unit.match.verdict is None]


def aligned(each: Sequence[Assessment], lang: str, counted_labels: Collection[str] = ()) -> tuple[Sided, ...]:
    """The units of several people, those that are one and the same for the matcher next to each other."""
    rows: list[list[Unit | None]] = []
    for number, assessment in enumerate(each):
        firsts = (next(unit for unit in row if unit is not None) for row in rows)
        known = tuple(replace(unit, id=str(at)) for at, unit in enumerate(firsts))
        both, _, new = links(Assessment(assessment.kind, "", known), assessment, based=False, lang=lang)
        for row in rows:
            row.append(None)
        for pair in both:
            rows[int(pair.automatic.id)][number] = pair.verified
        rows += [[None] * number + [unit] for unit in new]
    units: list[Sided] = []
    seen: Counter[str] = Counter()
    for row in rows:
        documents = [None if unit is None else unit_document(replace(unit, id="")) for unit in row]
        name = f"{MADE}{text_hash(json.dumps(documents, sort_keys=True))[:12]}"
        seen[name] += 1
        means = {unit and meaning(unit, counted_labels) for unit in row}
        name = f"{name}.{seen[name]}" if seen[name] > 1 else name
        units.append(Sided(name, tuple(row), settled=len(means) == 1))
    return tuple(sorted(units, key=lambda row: place(row.shown)))


def settling(before: Assessment, sides: Sequence[Sided]) -> Assessment:
    """The units to settle: those of the people as they stand, and what was decided on them before.

    What was decided on a unit that somebody changed since is left out; what was added stays.
    """
    untouched = [replace(row.shown, match=Match()) for row in sides]  # open before its label stopped counting
    decided = {unit.id: unit for unit in before.units if unit not in untouched}
    added = [unit for unit in before.units if not unit.id.startswith(MADE)]
    units = [decided.get(row.id, row.shown) for row in sides]
    return replace(before, units=tuple(sorted([*units, *added], key=place)))
