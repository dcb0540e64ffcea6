"""Tallies, verdicts and what is in doubt, the same on every screen."""

from typing import Any

from tests.lists import from_cases
from workbench.model import Evidence, Match, Span, Tally, Unit
from workbench.reports.units import tally, verdict, written
from workbench.stages.editing import doubtful, least_certain


def test_tally_is_an_interval_while_units_are_unsure() -> None:
    """Unsure units could be either."""
    assert tally(Tally(3, 3)) == "3/6 .50"
    assert tally(Tally(3, 2, 1)) == "3/6 .50–.67"
    assert tally(Tally(0, 0)) == "no units –"


@from_cases
def test_a_verdict_in_words(match: dict[str, Any], places: list[Any], expected: str) -> None:
    """Where it was found and by which rule, or why not."""
    assert verdict(Match(**match, evidence=tuple(Evidence(*place) for place in places))) == expected


def unit(name: str, match: Match, *, grounded: bool = True, rejected: bool = False) -> Unit:
    return Unit(name, "entity", name, spans=(Span(0, 1),) if grounded else (), match=match, rejected=rejected)


def test_the_cursor_opens_on_the_least_certain_unit() -> None:
    """Doubtful, then nested, then a near miss, then the lowest similarity; else the first."""
    sure = unit("sure", Match("found", similarity=100))
    typo = unit("typo", Match("found", similarity=88))
    near = unit("near", Match("missing", similarity=80))
    nested = unit("nested", Match("missing", nested=True))
    unsure = unit("unsure", Match("unsure"))
    gone = unit("gone", Match("unsure"), rejected=True)
    assert least_certain((sure, sure)) == 0
    assert least_certain((sure, typo)) == 1
    assert least_certain((sure, typo, near)) == 2
    assert least_certain((sure, near, nested)) == 2
    assert least_certain((nested, sure, unsure)) == 2
    assert least_certain((gone, sure)) == 1
    assert least_certain(()) == 0


def test_doubtful_units_are_those_an_accept_stops_at() -> None:
    """Not in the reference, unsure, or open; a rejected unit never."""
    found, nowhere = (unit("a", Match("found"), grounded=grounded) for grounded in (True, False))
    unsure, open_, gone = unit("c", Match("unsure")), unit("d", Match()), unit("e", Match(), rejected=True)
    units = found, nowhere, unsure, open_, gone
    assert [False, True, True, True, False] == [doubtful(one) for one in units]


def test_a_number_of_the_file_is_written_to_two_to_four_digits() -> None:
    numbers = "0.3333", "1", "0.5", "0.14285714265306124"
    assert [".3333", "1.00", ".50", ".1429"] == list(map(written, numbers))
