"""Parts of a dataset's figures that only count what is there: arms, units by label, causes by label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.comparing.agreement import Overlap, by_label, overlaps
from workbench.comparing.explained import Explained
from workbench.comparing.figures import Arm, Arms, Row
from workbench.comparing.paired import mean_of, two_arms
from workbench.comparing.totals import CauseTotal, cause_totals
from workbench.stages.explained import Reviewed


def arms(rows: Sequence[Row], reviewed: Mapping[int, Reviewed], explained: Mapping[int, Explained]) -> Arms:
    """Blind and assisted reviews apart; imported gold is of neither arm."""
    found = {}
    for shown in ("blind", "assisted"):
        own = [row for row in rows if reviewed[row.sample_id].shown == shown]
        known = [row for row in own if row.delta is not None]
        judged = [explained[row.sample_id] for row in own if row.sample_id in explained]
        found[shown] = Arm(
            len(own),
            mean_of([row.delta for row in known if row.delta is not None], [row.group for row in known])
            if known
            else None,
            overlaps([overlap(one, strict=False) for one in judged]).micro if judged else None,
        )
    blind, assisted = found["blind"], found["assisted"]
    if blind.bias is None or assisted.bias is None:
        return Arms(blind, assisted, None, None)
    return Arms(blind, assisted, *two_arms(blind.bias, assisted.bias))


def without_intervals(found: Arms) -> Arms:
    """The same without the intervals that hold at the end of a plan only."""

    def bare(arm: Arm) -> Arm:
        return replace(arm, bias=arm.bias and replace(arm.bias, interval=None))

    return Arms(bare(found.blind), bare(found.assisted), found.difference, None)


def overlap(one: Explained, *, strict: bool) -> Overlap:
    """How the proposed units of a sample cover the verified ones."""
    both = [unit for unit in one.judged if unit.automatic is not None and unit.verified is not None]
    linked = sum(unit.same for unit in both) if strict else len(both)
    return Overlap(linked, one.automatic.units, one.verified.units)


def of_labels(known: Iterable[Explained]) -> dict[str, tuple[Overlap, Overlap]]:
    """By label: with equal labels, and whatever the labels; a proposed label that nobody kept stands too."""
    units = [(unit.automatic_label, unit.verified_label) for one in known for unit in one.judged]
    strict, lenient = by_label(units, strict=True), by_label(units, strict=False)
    none = Overlap(0, 0, 0)
    return {
        label: (strict.get(label, none), lenient.get(label, none))
        for label in sorted({*strict, *lenient})
        if label
    }


def causes_by_label(known: Iterable[Explained]) -> dict[str, tuple[CauseTotal, ...]]:
    known = list(known)
    labels = sorted({label for one in known for share in one.shares for label in share.labels if label})
    return {label: cause_totals(known, {label}) for label in labels}
