"""What is printed about disputes: the list with what each would move, and where one stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size

from workbench.comparing.disputes import AUTOMATIC
from workbench.text.figures import delta, many, number, value
from workbench.text.safe import clean, flat, is_hash, name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.stages.disputes import Dispute, DisputeReport

MOST_ID, MOST_BETWEEN = 36, 44
HIDDEN = "hidden"


def report_text(report: DisputeReport, chosen: Sequence[Dispute], limit: int, between: str = "") -> str:
    """How many there are and in what state, then the first of the chosen ones, the largest effect first.

    Two automatic values that are both hidden yet are counted and not listed, unless `between` asks for them.
    """
    listed = [one for one in chosen if between or not (one.hidden and one.sort in AUTOMATIC)]
    lines = [*_head(report), *_table(listed[:limit])]
    if report.disputes and not chosen:
        lines.append("no dispute has this state between these")
    lines += _foot(report, listed, limit)
    if unlisted := len(chosen) - len(listed):
        lines.append(f"{unlisted:,} more between automatic values: hidden until you review their samples")
    return "\n".join(lines)


def _head(report: DisputeReport) -> list[str]:
    total = len(report.disputes)
    if not total:
        return [clean(f"{report.dataset}: nothing is in dispute")]
    states = ", ".join(f"{number:,} {state}" for state, number in report.states.items() if number)
    run = f" · {report.run}" if report.run else ""
    return [clean(f"{report.dataset}{run}: {many(total, 'dispute')}, {states}")]


def _table(chosen: Sequence[Dispute]) -> list[str]:
    if not chosen:
        return []
    names = [  # of a hash its beginning, which `disputes set` takes, and the question
        flat(f"{one.id[:8]} {name_of(one.id, one.question)}" if is_hash(one.id) and one.question else one.id)
        for one in chosen
    ]
    size = min(MOST_ID, max(6, *map(cell_len, names)))
    wide = min(MOST_BETWEEN, max(7, *(cell_len(flat(one.between)) for one in chosen)))
    values = f"{'first':>7}{'second':>7}{'Δ':>7}{'effect':>8}"
    lines = [f"{'rank':>6}  {'sample':<{size}}  {'between':<{wide}} {values}  state"]
    for one, name in zip(chosen, names, strict=True):
        values = f"{value(one.first):>7}{value(one.second):>7}{delta(one.delta):>7}{number(one.moves, 4):>8}"
        values = f"{HIDDEN:>7}{'':>22}" if one.hidden else values
        between = set_cell_size(flat(one.between), wide)
        lines.append(
            f"{one.rank:>6,}  {set_cell_size(name, size)}  {between} {values}  {flat(one.stands)}".rstrip()
        )
        lines += [f"        {text}" for text in remarks(one)]
    return lines


def remarks(one: Dispute) -> list[str]:
    """What was said of a dispute: the flag or the counts, then the note of its state."""
    lines = [flat(one.says)] if one.says else []
    if one.state != one.was:
        lines.append(f"was {one.was}, its values changed since: {flat(one.note)}".removesuffix(": "))
    elif one.note:
        lines.append(f"{flat(one.annotator)}: {flat(one.note)}")
    return lines


def _foot(report: DisputeReport, chosen: Sequence[Dispute], limit: int) -> list[str]:
    lines = []
    if len(chosen) > limit:
        lines.append(f"… and {len(chosen) - limit:,} more: --limit")
    if any(one.hidden for one in chosen[:limit]):
        lines.append("hidden until you review them: workbench review")
    if any(one.fitted for one in chosen[:limit]):
        number = len({one.sample_id for one in report.disputes if one.fitted})
        lines.append(
            clean(
                f"not cross-fitted: calibration {report.calibration} saw the gold of "
                f"{many(number, 'sample')} here; workbench compare scores each at the threshold found "
                "without it"
            )
        )
    if report.closed:
        given = f" ({report.given:,} with gold of a file, which reviews nothing)" if report.given else ""
        lines.append(
            f"{many(report.closed, 'blind sample')} that you did not review{given}: they are left out"
        )
    return lines


def document(report: DisputeReport, chosen: Sequence[Dispute], limit: int) -> dict[str, Any]:
    """The JSON document of `disputes`."""
    return {
        "dataset": report.dataset,
        "run": report.run,
        "match_threshold": report.threshold,
        "total": len(report.disputes),
        "states": dict(report.states),
        "between": dict(report.betweens),
        "chosen": len(chosen),
        "blind_not_decided": report.closed,
        "calibration": report.calibration,
        "disputes": [one_document(one) for one in chosen[:limit]],
    }


def one_document(one: Dispute) -> dict[str, Any]:
    """One dispute as JSON."""
    return {
        name: value for name, value in one._asdict().items() if name not in ("sample_id", "stamp", "kept")
    }


def state_text(one: Dispute) -> str:
    """Where a dispute stands now."""
    said = f": {one.note}" if one.note else ""
    return flat(f"{one.id} {one.between}: {one.stands}{said}")
