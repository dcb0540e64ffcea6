"""Verified units under other contexts: which verdicts still hold, byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.model import Evidence, Match, Unit


def carry(units: Sequence[Unit], before: Sequence[str], after: Sequence[str]) -> tuple[Unit, ...]:
    """The counted units with the verdicts that hold under other contexts, the rest undecided.

    `found` holds where its evidence stands in a context that is byte-identical in `after` (for a
    statement: all of its evidence); `missing` holds when `after` brings no context that `before` lacked.
    """
    place = {text: index for index, text in reversed(list(enumerate(after)))}
    nothing_new = set(after) <= set(before)
    return tuple(_carried(unit, before, place, nothing_new) for unit in units if unit.counted)


def _carried(unit: Unit, before: Sequence[str], place: dict[str, int], nothing_new: bool) -> Unit:
    match = unit.match
    kept = tuple(
        Evidence(place[before[e.context]], e.start, e.end)
        for e in match.evidence
        if e.context < len(before) and before[e.context] in place
    )
    whole = len(kept) == len(match.evidence)
    holds = (match.verdict == "found" and bool(kept) and (whole or unit.kind == "entity")) or (
        match.verdict == "missing" and nothing_new
    )
    carried = replace(match, evidence=kept, rule="carried") if holds else Match()
    return replace(unit, match=carried, origin="carried", rejected=False, duplicate_of="")
