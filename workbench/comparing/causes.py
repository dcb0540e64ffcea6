"""Why an automatic and a verified value differ: every unit with its cause and its share in Δ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

from workbench.comparing.links import SIMILAR, Link, Place, length, links, name_of, overlap, place
from workbench.matching.names import link
from workbench.model import Assessment, Evidence, Tally, Unit, count
from workbench.text.normalise import key


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """The integers of one pair of assessments that Δ is made of.

    `both` links are found on both sides, `false` by the automatic side alone, `missed` by the verified one
    alone. `invented` units are automatic only, `invented_found` of them found; `lacking` units are verified
    only, `lacking_found` of them found.
    """

    links: int
    both: int
    false: int
    missed: int
    invented: int
    invented_found: int
    lacking: int
    lacking_found: int


@dataclass(frozen=True, slots=True)
class UnitShares:
    """The share in Δ of one unit of each sort; times the counts they sum to Δ.

    `invented_found` is the share of an automatic unit without a link that is found, `invented` of one that is
    not; `lacking_found` and `lacking` are the same for verified units.
    """

    false: Fraction
    missed: Fraction
    invented_found: Fraction
    invented: Fraction
    lacking_found: Fraction
    lacking: Fraction


@lru_cache(maxsize=4_096)
def shares(n: LinkCounts) -> UnitShares | None:
    """The shares of single units; None when one side has no units, for Δ is then undefined.

    Remembered, for samples with equal counts are many and the fractions take .2 ms.
    """
    ours, theirs = n.links + n.invented, n.links + n.lacking
    if not ours or not theirs:
        return None
    weight = (Fraction(1, ours) + Fraction(1, theirs)) / 2
    invented: list[tuple[Fraction, Fraction]] = []
    lacking: list[tuple[Fraction, Fraction]] = []
    for base in (n.both + n.false, n.both + n.missed):  # the verdicts on links: automatic, then verified
        with_lacking = base + n.lacking_found, theirs
        with_invented = base + n.invented_found, ours
        invented.append(_joining(*with_lacking, n.invented, n.invented_found))
        lacking.append(_joining(*with_invented, n.lacking, n.lacking_found))
        if n.links:  # without a link the way over no units at all is closed
            invented.append(_joining(base, n.links, n.invented, n.invented_found))
            lacking.append(_joining(base, n.links, n.lacking, n.lacking_found))
    return UnitShares(
        false=weight,
        missed=-weight,
        invented_found=_mean([share for share, _ in invented]),
        invented=_mean([share for _, share in invented]),
        lacking_found=-_mean([share for share, _ in lacking]),
        lacking=-_mean([share for _, share in lacking]),
    )


def _joining(found: int, units: int, joining: int, joining_found: int) -> tuple[Fraction, Fraction]:
    """By how much one unit moves found / units when `joining` units come in any order, all equally likely.

    For one that is found and for one that is not. A unit that comes behind k others moves the value by
    (n − f) / n(n + 1) or by −f / n(n + 1), where n = units + k. That is linear in f, so the mean of f stands
    for all orders: `found` and k times the share of found ones among the others.
    """
    if not joining:
        return Fraction(0), Fraction(0)
    ends = Fraction(1, units) - Fraction(1, units + joining)  # the sum of 1 / n(n + 1)
    steps = sum((Fraction(1, units + k) for k in range(1, joining + 1)), Fraction(0))
    behind = (steps - units * ends) / max(1, joining - 1)  # the sum of k / n(n + 1), for one of the others
    for_found = steps - found * ends - (joining_found - 1) * behind
    for_other = -found * ends - joining_found * behind
    return for_found / joining, for_other / joining


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


Cause = Literal[
    "missed unit", "invented unit", "duplicate", "granularity", "false match", "missed match", "unsure",
    "untraced", "rounding",
]  # fmt: skip
Part = Literal[
    "", "merge", "split", "nested", "boundary",
    "context extraction", "comparator", "unattributed",
]  # fmt: skip

CAUSES: tuple[Cause, ...] = get_args(Cause)
Extracted = Callable[[Evidence], bool]
"""Whether an extracted context entity overlaps a piece of evidence."""


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One unit of either side, or the two that are linked by `rule`; `cause` "" where they are no part of Δ.

    `part` says more about the cause; `beside` is the unit of the other side that a duplicate or a unit of
    another granularity belongs to. `share` is the part of Δ, None where Δ is undefined. The row of the
    cause "untraced" or "rounding" has no unit: it is what an imported number differs from its recount.
    """

    automatic: Unit | None
    verified: Unit | None
    rule: str
    cause: Cause | Literal[""]
    part: Part
    share: Fraction | None
    beside: Unit | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """How many units have a cause and what their shares come to; nets may cancel, counts do not."""

    cause: Cause
    units: int
    share: Fraction | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Two assessments unit by unit, in order of the reference. `delta` is automatic − verified recall.

    Where a number of a file is compared, `imported` is that number, `delta` is imported − verified, and
    `automatic` is what the recount of its metric counted.
    """

    automatic: Tally
    verified: Tally
    delta: Fraction | None
    rows: tuple[UnitRow, ...]
    imported: Fraction | None = None

    @property
    def untraced(self) -> bool:
        """Whether the recount has another value than the file, so that its units are no errors of that."""
        return any(row.cause == "untraced" for row in self.rows)

    @property
    def totals(self) -> tuple[Total, ...]:
        """The causes that occur, the largest share first, whichever its sign."""
        totals = []
        for cause in CAUSES:
            shares = [row.share or Fraction(0) for row in self.rows if row.cause == cause]
            if shares:
                share = None if self.delta is None else sum(shares, Fraction(0))
                totals.append(Total(cause, len(shares), share))
        return tuple(sorted(totals, key=lambda total: -abs(total.share or Fraction(0))))


def difference(
    automatic: Assessment,
    verified: Assessment,
    *,
    based: bool,
    lang: str | None = None,
    extracted: Extracted | None = None,
) -> Difference:
    """Set two assessments of one kind of one sample side by side; the shares sum to Δ exactly.

    `based`: the verified units came out of the automatic ones, with their ids. `extracted` is for scorers
    that compare extracted context entities: with it a false or missed match is put down to the extraction
    or to the comparator, by the evidence. An unsure unit is not found; where the machine found it, the
    cause is `unsure`.
    """
    linked, invented, lacking = links(automatic, verified, based=based, lang=lang)
    verdicts = [(_found(pair.automatic), _found(pair.verified)) for pair in linked]
    counts = LinkCounts(
        links=len(linked),
        both=verdicts.count((True, True)),
        false=verdicts.count((True, False)),
        missed=verdicts.count((False, True)),
        invented=len(invented),
        invented_found=sum(map(_found, invented)),
        lacking=len(lacking),
        lacking_found=sum(map(_found, lacking)),
    )
    each = shares(counts)
    rows = [_linked(pair, each, extracted) for pair in linked]
    rows += _invented(invented, lacking, linked, verified, each, lang, based)
    repeats = {unit.id: unit.duplicate_of for unit in automatic.units if unit.duplicate_of and based}
    pairs = [(pair.verified, pair.automatic) for pair in linked]
    for unit in lacking:
        part, beside = _granularity(unit, lacking, invented, pairs)
        part = _TURNED.get(part, part)
        if not part and unit.id in repeats:  # the machine took it for another mention of that unit
            part = "merge"
            beside = next((mention for mention in automatic.units if mention.id == repeats[unit.id]), None)
        share = None if each is None else each.lacking_found if _found(unit) else each.lacking
        rows.append(UnitRow(None, unit, "", "granularity" if part else "missed unit", part, share, beside))
    tally, other = count(automatic.units), count(verified.units)
    delta = None if tally.recall is None or other.recall is None else tally.recall - other.recall
    return Difference(tally, other, delta, tuple(sorted(rows, key=_place)))


def imported(recount: Difference, value: Fraction, *, within: float) -> Difference:
    """Put a file's number in the place of the recount of its metric; the shares sum to the new Δ exactly.

    Δ = (value − recount) + (recount − verified). The second part keeps its units and causes. The first is
    one row without a unit: "untraced", another extraction or another judge made the number, or "rounding",
    where both are less than `within` apart, so the same number at the precision of the file. Where the
    recount has no value, or has another one while the number is the verified value, all of Δ is one such
    row, and no unit has a cause: what the recount missed, the number did not.
    """
    counted, human = recount.automatic.recall, recount.verified.recall
    if human is None:
        return replace(recount, imported=value)
    rows = recount.rows
    if counted is None or abs(value - human) < within <= abs(value - counted):
        rows, counted = tuple(replace(row, cause="", part="", share=Fraction(0)) for row in rows), human
    if share := value - counted:
        cause: Cause = "rounding" if abs(share) < within else "untraced"
        rows = (UnitRow(None, None, "", cause, "", share), *rows)
    return replace(recount, rows=rows, delta=value - human, imported=value)


FINEST = 1e-8
"""What ragas adds to its denominators: numbers that are less apart are equal in any column."""


def precision_of(digits: Iterable[str]) -> float:
    """The difference below which the numbers of a column, given by their digits, equal a recall.

    One unit of the last digit that any of them has, so that .1428 equals 1/7 rounded or cut off; of at least
    two digits, for a column of few values may have no more. Not below FINEST.
    """
    exponents = (Decimal(digit).as_tuple().exponent for digit in digits)
    decimals = max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0)
    return max(10.0 ** -max(decimals, 2), FINEST)


def _found(unit: Unit) -> bool:
    return unit.match.verdict == "found"


def _linked(pair: Link, each: UnitShares | None, extracted: Extracted | None) -> UnitRow:
    ours, theirs = pair.automatic, pair.verified
    nothing = Fraction(0)
    if _found(ours) == _found(theirs) or each is None:
        return UnitRow(ours, theirs, pair.rule, "", "", nothing)
    part: Part = ""
    if _found(ours):
        if theirs.match.verdict == "unsure":
            return UnitRow(ours, theirs, pair.rule, "unsure", "", each.false)
        if extracted is not None:  # the name that was linked stands in no context: it was not read there
            part = "comparator" if ours.match.evidence else "context extraction"
        return UnitRow(ours, theirs, pair.rule, "false match", part, each.false)
    if ours.match.nested:
        part = "nested"
    elif extracted is not None:
        evidence = theirs.match.evidence
        read = any(map(extracted, evidence))
        part = "comparator" if read else "context extraction" if evidence else "unattributed"
    return UnitRow(ours, theirs, pair.rule, "missed match", part, each.missed)


def _invented(
    invented: Sequence[Unit],
    lacking: Sequence[Unit],
    linked: Sequence[Link],
    verified: Assessment,
    each: UnitShares | None,
    lang: str | None,
    based: bool,
) -> list[UnitRow]:
    """The automatic units without a link: duplicates, other granularity, inventions."""
    if not invented:
        return []
    known = sorted((unit for unit in verified.units if unit.counted), key=place, reverse=True)
    by_key = {key(unit.text, lang) or unit.text: unit for unit in known}
    by_id = {unit.id: unit for unit in known}
    merged = {unit.id: by_id.get(unit.duplicate_of) for unit in verified.units if based}
    pairs = [(pair.automatic, pair.verified) for pair in linked]
    rows = []
    for unit in invented:
        part: Part = ""
        cause: Cause = "duplicate"
        beside = by_key.get(key(unit.text, lang) or unit.text)
        if beside is None:
            part, beside = _granularity(unit, invented, lacking, pairs)
            if part != "split" and merged.get(unit.id):  # a person merged it, and not as a piece of the other
                part, beside = "", merged[unit.id]
            cause = "granularity" if part else "duplicate"
        if beside is None:
            cause = "invented unit"
            # it may name a verified one in another way (Armstrong for Neil Armstrong)
            if unit.kind == "entity":
                others = [other for _, other in pairs]
                names = [name_of(other) for other in others]
                near = link([name_of(unit)], names, threshold=SIMILAR, lang=lang)[0]
                if near is not None:
                    cause, beside = "duplicate", others[near.candidate]
        share = None if each is None else each.invented_found if _found(unit) else each.invented
        rows.append(UnitRow(unit, None, "", cause, part, share, beside))
    return rows


def _granularity(
    unit: Unit, own: Sequence[Unit], other: Sequence[Unit], linked: Sequence[tuple[Unit, Unit]]
) -> tuple[Part, Unit | None]:
    """How an automatic unit without a link was cut otherwise than the verified ones, and beside which.

    `own` and `other` are the units without a link on its side and on the other one, `linked` pairs of (own,
    other). `merge`: it holds several of the others; `split`: one of the others holds it and more;
    `nested`: one name inside another that both sides have; `boundary`: another beginning or end.
    """
    free = [candidate for candidate in other if overlap(unit, candidate)]
    if free:
        beside = max(free, key=lambda candidate: (overlap(unit, candidate), place(candidate)))
        if len(free) > 1:
            return "merge", beside
        return ("split" if sum(bool(overlap(unit, beside)) for unit in own) > 1 else "boundary"), beside
    over = [pair for pair in linked if overlap(unit, pair[1])]
    if not over:
        return "", None
    partner, beside = max(over, key=lambda pair: (overlap(unit, pair[1]), place(pair[1])))
    if not overlap(unit, partner):
        return "split", beside
    if unit.kind == "statement":  # several claims of one sentence are several units
        return "", None
    shared = overlap(unit, partner)
    inside = shared in (length(unit), length(partner))
    return ("nested" if inside else "boundary"), beside


_TURNED: dict[Part, Part] = {"merge": "split", "split": "merge"}
"""What `_granularity` says of a verified unit, said of the automatic ones beside it."""


def _place(row: UnitRow) -> tuple[Place, bool]:
    unit = row.verified or row.automatic
    assert unit is not None  # a row has one of the two
    return place(unit), row.verified is None
