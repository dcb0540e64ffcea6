"""People and assignments as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.text.figures import many, table
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.stages.people import Person
    from workbench.stages.team import Team

NO_ASSIGNMENTS = (
    "no assignments: everybody reviews what nobody has verified (workbench assign --overlap 2 --share .2)"
)


def team_line(team: Team) -> str:
    """`340 of 1,000 done (2 each on 20 %)`."""
    each = (
        f"{team.overlap} each"
        if team.share >= 1 or team.overlap == 1
        else f"{team.overlap} each on {team.share:.0%}"
    )
    return f"{team.complete:,} of {team.samples:,} done ({each.replace('%', ' %')})"


def team_text(team: Team | None) -> str:
    """How far the assignments are, and what each person did and holds."""
    if team is None:
        return NO_ASSIGNMENTS
    lines = [
        f"{team_line(team)}; {many(team.several, 'sample has', 'samples have')} more than one place; "
        f"a sample is held for {many(team.lease, 'minute')}"
    ]
    if team.people:
        head = ("person", "done", "held", "given", "run out", "late")
        rows = [
            (one.name, *(f"{number:,}" for number in (one.done, one.held, one.given, one.expired, one.late)))
            for one in team.people
        ]
        lines += table(head, rows)
    if late := sum(one.late for one in team.people):
        said = many(late, "sample was decided", "samples were decided")
        lines.append(
            f"late: {said} after the lease had run out and somebody else had taken the place; both count"
        )
    return clean("\n".join(lines))


def people_text(people: Sequence[Person]) -> str:
    """Who works here and what they may do."""
    if not people:
        return "nobody is named, so everybody is an owner (workbench person add NAME --role owner)"
    rows = [
        (one.name, one.role, "adjudicates" if one.adjudicates else "", "disabled" if one.disabled else "")
        for one in people
    ]
    return clean("\n".join(table(("person", "role", "", ""), rows)))
