"""A sample at the desk: opening it, what a person wants of it, and taking that back.

An intent makes its edit from the sample as it stands, so that after another window was first the same
wish can be offered again on what is there now. None means that it is so already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from workbench.comparing.triage import Suspicion
from workbench.errors import InputError, WorkbenchError
from workbench.model import Effort, Evidence, Imported, Kind, Span, Unit, Verdict
from workbench.reviewing.edits import Accept, Comment, Dispose, Edit, Flag, Put
from workbench.stages import disputes, editing, review, sides
from workbench.stages.review import Moved, Opened
from workbench.store.engine import Store
from workbench.text.tokens import tokens
from workbench.tui.cells import cut
from workbench.tui.desk import Desk
from workbench.tui.safe import flat
from workbench.tui.work import new_action

Make = Callable[[Opened], Edit | None]

LONGEST = 48
"""Cells of a unit's wording in the status line."""


@dataclass(frozen=True, slots=True)
class Intent:
    """`what` names it in the past tense ("rejected Agra").

    `leaves`: the sample is done with it; `adds`: the cursor then goes to the newest unit. `action` names the
    act in the journal: when the answer of the database is lost, a second try finds what the first one stored.
    """

    what: str
    make: Make
    leaves: bool = False
    adds: bool = False
    action: str = field(default_factory=new_action, compare=False)


def _open(store: Store, desk: Desk, sample_id: int, *, picked: bool = False) -> Opened:
    off_plan = picked or (desk.view is not None and desk.view.off_plan)
    return review.open_sample(store, sample_id, desk.annotator, off_plan=off_plan, dataset_id=desk.info.id)


async def open_sample(desk: Desk, sample_id: int, *, picked: bool = False) -> Opened:
    """A sample as it stands now; `picked` by hand, or in a view off the plan, marks a new review."""
    if desk.audits(sample_id):
        await desk.store.write(disputes.audit, sample_id, desk.annotator)
    return await desk.store.read(_open, desk, sample_id, picked=picked)


async def open_next(desk: Desk, after: int) -> Opened | None:
    """The next sample to decide, as it stands now; None when there is none."""

    def look(store: Store) -> int | Opened | None:
        number = desk.find_next(store, after)
        return number if number is None or desk.audits(number) else _open(store, desk, number)

    found = await desk.store.read(look) or await desk.take_next()
    return await open_sample(desk, found) if isinstance(found, int) else found


async def act(
    desk: Desk, opened: Opened, intent: Intent, effort: Effort | None = None
) -> tuple[Opened, Edit | None]:
    """Make the edit of an intent and write it with what it cost; on disk when this returns.

    Without an edit nothing is written. Making one may take a second (whether a name stands in 20 MB of
    contexts), so it is done in the writer's thread too. Raises ConflictError, InputError, StoreError.
    """

    def write(store: Store) -> tuple[Opened, Edit | None]:
        edit = intent.make(opened)
        if isinstance(edit, Put) and {*edit.units} <= {*opened.state.of(edit.kind).assessment.units}:
            edit = None  # so it is already
        if edit is None:
            return opened, None
        return review.act(store, opened, edit, effort=effort, action=intent.action), edit

    return await desk.store.write(write)


async def move(desk: Desk, step: Literal["undo", "redo"]) -> tuple[Moved, Opened | None] | None:
    """Undo or redo, and the sample it leads to; that is None when it cannot be opened."""

    def write(store: Store) -> tuple[Moved, Opened | None] | None:
        moved = desk.step(store, step)
        if moved is None:
            return None
        try:
            return moved, _open(store, desk, moved.sample_id)
        except WorkbenchError:  # the undo is stored all the same; opening the sample shows why it fails
            return moved, None

    return await desk.store.write(write)


async def suspicion(desk: Desk, opened: Opened, kind: Kind) -> Suspicion | None:
    """Why the score of a sample looks wrong, where it was picked for that; in a thread."""
    shown = [one for one in opened.automatic if one.kind == kind and desk.audits(opened.sample_id)]
    names = [one for one in shown if isinstance(one.tally, Imported)]
    names += [one for one in shown if one.scorer == "ragas"]
    value = names[0].value if names else None
    if value is None:
        return None
    return await asyncio.to_thread(sides.suspicion, opened.dataset, opened.stored, value, kind)


def unit_of(opened: Opened, kind: Kind, unit_id: str) -> Unit:
    """The unit as it stands now. Raises InputError when it is gone."""
    for unit in opened.state.of(kind).assessment.units:
        if unit.id == unit_id:
            return unit
    raise InputError("this unit is not there any more")


def _of(what: str, unit: Unit, make: Callable[[Opened, Unit], Edit | None]) -> Intent:
    """An intent about a unit, made from the unit as it stands then."""
    return Intent(what, lambda opened: make(opened, unit_of(opened, unit.kind, unit.id)))


def reject(unit: Unit) -> Intent:
    """Reject what counts, restore what does not; a duplicate is restored to a unit of its own."""
    wanted = not unit.counted

    def make(opened: Opened, now: Unit) -> Edit | None:
        return None if now.counted == wanted else editing.reject(opened, now)

    return _of(f"{'restored' if wanted else 'rejected'} {unit.text}", unit, make)


def relabel(unit: Unit, label: str) -> Intent:
    """Give another label."""
    return _of(f"{unit.text} is now {label}", unit, partial(editing.relabel, label=label))


def match(unit: Unit) -> Intent:
    """found -> missing, anything else -> found."""
    wanted: Verdict = "missing" if unit.match.verdict == "found" else "found"

    def make(opened: Opened, now: Unit) -> Edit | None:
        if now.match.verdict == wanted:
            return None
        if wanted == "missing" and now.match.verdict != "found":
            # toggle turns anything but found into found; say found first, so that it turns to missing
            now = replace(now, match=replace(now.match, verdict="found"))
        return editing.toggle(opened, now)

    return _of(f"{unit.text} is {wanted}", unit, make)


def reason(unit: Unit) -> Intent:
    """Missing, and why: the next reason at each press."""
    return _of(f"{unit.text} is missing: {editing.reason_after(unit)}", unit, editing.next_reason)


def evidence(unit: Unit, place: Evidence | None) -> Intent:
    """Found for this place; None takes the evidence away."""
    wanted = () if place is None else (place,)
    name = cut(flat(unit.text), LONGEST)
    where = "has no evidence" if place is None else f"is found in context {place.context + 1}"
    return _of(f"{name} {where}", unit, partial(editing.set_evidence, evidence=wanted))


def merge(unit: Unit, other: Unit) -> Intent:
    """One unit of two."""

    def make(opened: Opened, first: Unit) -> Edit | None:
        second = unit_of(opened, unit.kind, other.id)
        return None if second.duplicate_of == first.id else editing.merge(opened, first, second)

    first, second = (cut(flat(one.text), LONGEST) for one in (unit, other))
    return _of(f"merged {first} with {second}", unit, make)


def split(unit: Unit, at: int) -> Intent:
    """Two units of one, parted before the token at that place of the reference."""
    return _of(f"split {cut(flat(unit.text), LONGEST)}", unit, partial(editing.split, at=at))


def unsure(unit: Unit) -> Intent:
    """Cannot tell."""
    return _of(f"{unit.text} is unsure", unit, editing.unsure)


def move_edge(unit: Unit, reference: str, *, left: bool, outward: bool) -> Intent:
    """Move one edge of the principal span by a token. Raises InputError when it cannot move."""
    if not unit.spans:
        raise InputError("this unit is not in the reference text: no edge to move")
    span = shifted(reference, unit.spans[0], left=left, outward=outward)
    return _of(f"now {reference[span.start : span.end]}", unit, partial(editing.set_span, span=span))


def shifted(reference: str, span: Span, *, left: bool, outward: bool) -> Span:
    """The span with one edge a token further out or in. Raises InputError at the ends."""
    all_tokens = tokens(reference)
    inside = [token for token in all_tokens if token.start < span.end and token.end > span.start]
    if outward:
        around = [t for t in all_tokens if (t.end <= span.start if left else t.start >= span.end)]
        if not around:
            raise InputError("this is the edge of the reference")
        return Span(around[-1].start, span.end) if left else Span(span.start, around[0].end)
    if len(inside) < 2:
        raise InputError("one token is the least")
    return Span(inside[1].start, span.end) if left else Span(span.start, inside[-2].end)


def add_span(kind: Kind, span: Span, label: str, surface: str) -> Intent:
    """A new unit from a stretch of the reference; raises InputError (when made) if it is one already."""
    return Intent(f"added {surface}", lambda opened: editing.add_span(opened, kind, span, label), adds=True)


def accept(kind: Kind, *, fast: bool, what: str = "accepted") -> Intent:
    """Verify the kind."""
    return Intent(what, lambda opened: editing.accept(opened, kind, fast=fast), leaves=True)


def skip() -> Intent:
    """Leave it for later."""
    return Intent("skipped", editing.skip, leaves=True)


def exclude(reason: str) -> Intent:
    """Never: the sample is no good."""
    return Intent(f"not counted: {reason}", lambda opened: editing.exclude(opened, reason), leaves=True)


def flag(reason: str) -> Intent:
    """Mark for somebody's attention; an empty reason takes the mark off."""
    return Intent(f"flagged: {reason}" if reason else "flag taken off", lambda o: editing.flag(o, reason))


def comment(text: str) -> Intent:
    """A free note."""
    return Intent("comment added", lambda _opened: Comment(text))


def told(edit: Edit, samples: int = 1) -> str:
    """What an edit did, in the words in which it was said when it was made."""
    return _told(edit) + (f", in {samples:,} samples" if samples > 1 else "")


def _told(edit: Edit) -> str:
    match edit:
        case Put():
            return _told_of_unit(edit, edit.units[0])
        case Accept():
            return f"accepted the {'entities' if edit.assessment.kind == 'entity' else 'statements'}"
        case Dispose():
            said = "not counted" if edit.disposition == "excluded" else edit.disposition
            return f"{said}: {edit.reason}" if edit.reason else said
        case Flag():
            return f"flagged: {edit.reason}" if edit.reason else "flag taken off"
        case _:
            return "comment added"


def _told_of_unit(edit: Put, unit: Unit) -> str:
    text = cut(flat(unit.text), LONGEST)
    match edit.what:
        case "relabel":
            return f"{text} is now {unit.label}"
        case "boundary":
            return f"now {text}"
        case "match":
            why = f": {unit.match.reason}" if unit.match.reason not in (None, "absent") else ""
            return f"{text} is {unit.match.verdict or 'open'}{why}"
        case "merge":
            return f"merged into {text}"
        case "split":
            return f"split into {text} and {cut(flat(edit.units[-1].text), LONGEST)}"
        case "add":
            return f"added {text}"
        case "reject":
            return f"rejected {text}"
        case "restore":
            return f"restored {text}"
