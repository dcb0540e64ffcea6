"""What the Disputes screen says: one dispute in full, the filter, and what to do where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from workbench.text.figures import delta, value
from workbench.tui.safe import flat
from workbench.tui.widgets.bars import DIM, Part

if TYPE_CHECKING:
    from workbench.stages.disputes import Dispute, Report


class Sign(NamedTuple):
    """A state on the screen: its style in the list, its style in a text, its words."""

    part: str
    style: str
    words: str


SIGNS = {
    "○": Sign("disputes--row", "bold", "open"),
    "↺": Sign("disputes--warn", "bold $warning", "open again: a value changed since"),
    "≈": Sign("disputes--dim", DIM, "explained"),
    "!": Sign("disputes--warn", "bold $warning", "fixed, still differs"),
}

SORT_WORDS = {
    "verified": "automatic and verified",
    "scorers": "two scorers",
    "column": "a column of the file and its recount",
    "runs": "two runs",
    "annotators": "annotators",
    "flag": "flagged",
}

NOTHING_PROPOSED = """\
Nothing is in dispute yet.

Nothing was proposed either: R in the queue starts a run. A sample that you flag (f in its review) \
stands here too.
"""

NOTHING = """\
Nothing is in dispute.

Here stand samples of which two values differ by more than .10, and those that somebody flagged. \
Go on verifying (c in the queue): each verified sample is held against its automatic value. \
C in the queue shows the figures.
"""

ELSEWHERE = """\
No dispute in this view. v chooses another state or other parties.
"""


def sign(one: Dispute) -> str:
    """The sign of where a dispute stands."""
    if one.state == "open":
        return "○" if one.was == "open" else "↺"
    return "≈" if one.state == "explained" else "!"


def moved(number: float | None) -> str:
    """How much a figure would move, to four digits."""
    return "–" if number is None else f"{number:.4f}".removeprefix("0")


def nothing_text(report: Report) -> str:
    """What stands where the list is empty."""
    if report.disputes:
        return ELSEWHERE
    return NOTHING if report.run else NOTHING_PROPOSED


def hidden_text(hidden: int) -> str:
    """Why so many rows have no numbers, in one line; empty when none is hidden."""
    if not hidden:
        return ""
    return f"{hidden:,} hidden (·) until you review them."


def filter_parts(report: Report, state: str, between: str, shown: int) -> tuple[tuple[Part, ...], ...]:
    """How many stand where, the view in bold; at the right how many it shows."""
    left: list[Part] = []
    for name, number in (*report.states.items(), ("all", len(report.disputes))):
        left += [(f"{number:,} {name}", "bold $accent" if name == state else DIM), ("  ", "")]
    words = SORT_WORDS.get(between, between)
    left.append((f"· {flat(words)}" if between else "", "bold $accent"))
    return tuple(left), ((f"{shown:,} shown", DIM),)


def detail(one: Dispute) -> list[list[Part]]:
    """One dispute in full, line by line."""
    lines = [_apart(one)]
    if one.says:
        lines.append([(flat(one.says), "")])
    if one.fitted:
        lines.append(
            [("not cross-fitted: the calibration in use saw the verified values of this sample", DIM)]
        )
    shown = SIGNS[sign(one)]
    lines.append([(f"{sign(one)} {shown.words}", shown.style), *_said(one)])
    lines.append([("enter  ", "$accent"), (_opens(one), DIM)])
    return lines


def _apart(one: Dispute) -> list[Part]:
    if one.sort == "flag":
        said: list[Part] = [("flagged", "bold")]
        if one.delta is not None:
            said += [
                (f"  automatic {value(one.first)}, verified {value(one.second)}, Δ ", ""),
                (delta(one.delta), "bold"),
            ]
        return said
    if one.hidden:
        return [
            (flat(one.between), "bold"),
            ("  differ; by how much shows once this sample is decided", ""),
        ]
    if one.sort == "annotators":
        names = ("lowest", "highest")
    else:
        first, _, second = one.between.partition("~")
        names = (flat(first), flat(second))
    parts: list[Part] = [
        (f"{names[0]} ", DIM), (value(one.first), "bold"),
        (f"  {names[1]} ", DIM), (value(one.second), "bold"),
        ("  Δ ", "$accent"), (delta(one.delta), "bold $accent"),
    ]  # fmt: skip
    if one.moves is not None:
        parts.append((f"   resolving this changes the mean by {moved(one.moves)}", DIM))
    return parts


def _said(one: Dispute) -> list[Part]:
    if one.at is None:
        return []
    by = f"  {flat(one.annotator)}, {one.at:%Y-%m-%d}"
    note = f": {flat(one.note)}" if one.note else ""
    word = f" (was {one.was})" if one.state != one.was else ""
    return [(f"{by}{word}", DIM), (note, "")]


def _opens(one: Dispute) -> str:
    if one.explained_by:
        return "shows both sides, unit by unit"
    if one.sort in ("flag", "annotators"):
        return "opens the sample"
    return "audits the sample: its automatic values show, and its review says so"
