"""The table of five ways to be wrong about the Taj Mahal, row by row, and what holds for any counts."""

from dataclasses import dataclass
from fractions import Fraction as F  # noqa: N817 - a table of fractions is read, not code

from hypothesis import given, settings, strategies as st

from tests.lists import from_cases
from workbench.comparing.causes import LinkCounts, difference, shares
from workbench.model import Assessment, Match, Unit


@dataclass(frozen=True, slots=True)
class Corners:
    """Recall under either side's units and either side's verdicts, carried where only one side has the unit.

    `interaction` is what the two steps owe to each other: Δ = (own − verdicts) + (own − units) − interaction.
    """

    own: F
    verdicts: F
    units: F
    both: F

    @property
    def interaction(self) -> F:
        """By how much the verdicts weigh more among the automatic units than among the verified ones."""
        return (self.own - self.verdicts) - (self.units - self.both)


def corners(n: LinkCounts) -> Corners | None:
    """Automatic; with verified verdicts; with verified units; with both. None when one side has no units."""
    ours, theirs = n.links + n.invented, n.links + n.lacking
    if not ours or not theirs:
        return None
    return Corners(
        own=F(n.both + n.false + n.invented_found, ours),
        verdicts=F(n.both + n.missed + n.invented_found, ours),
        units=F(n.both + n.false + n.lacking_found, theirs),
        both=F(n.both + n.missed + n.lacking_found, theirs),
    )


GOLD = "Taj Mahal, Yamuna, Agra, 1631, Shah Jahan, Mumtaz Mahal"
IN_CONTEXTS = "Taj Mahal, Agra, Shah Jahan, Mumtaz Mahal"  # 4/6 by the person


def side(names: str, found: str) -> Assessment:
    said = {name: Match("found" if name in found.split(", ") else "missing") for name in names.split(", ")}
    units = tuple(Unit(name, "entity", name, match=match) for name, match in said.items())
    return Assessment("entity", "test", units)


@from_cases
def test_a_row_of_the_table(row: str, names: str, found: str, recall: str, delta: str, parts: str) -> None:
    shares = [F(part) for part in parts.split()]

    said = difference(side(names, found), side(GOLD, IN_CONTEXTS), based=True)

    net: dict[str, F | None] = {one.cause: one.share for one in said.totals}
    causes = ("invented unit", "missed unit", "false match", "missed match")
    assert (F(recall), F(2, 3), F(delta)) == (said.automatic.recall, said.verified.recall, said.delta)
    assert shares == [net.get(cause, 0) for cause in causes]
    assert F(delta) == sum(shares, F(0))


@st.composite
def counts(draw: st.DrawFn) -> LinkCounts:
    both, false, missed, neither, invented, lacking = (draw(st.integers(0, 30)) for _ in range(6))
    alone = invented, draw(st.integers(0, invented)), lacking, draw(st.integers(0, lacking))
    return LinkCounts(both + false + missed + neither, both, false, missed, *alone)


@settings(max_examples=100, deadline=None)
@given(counts())
def test_parts_times_counts_are_the_difference_whatever_the_counts(n: LinkCounts) -> None:
    each, four = shares(n), corners(n)
    if each is None or four is None:
        assert (None, None) == (each, four)
        return
    total = n.false * each.false + n.missed * each.missed
    total += n.invented_found * each.invented_found + (n.invented - n.invented_found) * each.invented
    total += n.lacking_found * each.lacking_found + (n.lacking - n.lacking_found) * each.lacking
    assert four.own - four.both == total
    assert abs(float(four.own - four.both) - float(total)) < 1e-12
    turned = F(1, n.links + n.invented) - F(1, n.links + n.lacking)
    assert (n.false - n.missed) * turned == four.interaction
