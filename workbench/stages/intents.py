"""A sample at the desk: opening it, what a person wants of it, and taking that back.

An intent makes its edit from the sample as it stands, so that after another window was first the same
wish can be offered again on what is there now. None means that it is so already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from workbench.errors import InputError, WorkbenchError
from workbench.model import PLURAL, Effort, Evidence, Kind, Span, Unit, Verdict, letter
from workbench.reviewing.edits import OF_TWO, Comment, Edit, Flag, Put, short_name
from workbench.reviewing.fold import ReviewState
from workbench.stages import disputes, editing, resolve, review
from workbench.stages.desk import Desk, Step, new_action
from workbench.stages.review import Moved, Opened
from workbench.store.datasets import dataset_info
from workbench.store.engine import Store
from workbench.text.safe import cut, flat
from workbench.text.tokens import tokens

Make = Callable[[Opened], Edit | None]

PAUSES = frozenset(",;:،，、；：")
"""Tokens at which no name begins or ends."""

FAST = 1.0
"""Seconds in sight below which an accept is marked `fast`."""

EXCLUDING = ("wrong reference", "unanswerable", "broken", "private")
"""Reasons to exclude a sample, to choose from."""

KEPT_BACK = (
    "This sample is kept back (holdout): leave it until the queue gives it to you. "
    "If you review it now, plan counts it as opened."
)


@dataclass(frozen=True)
class Intent:
    """`what` names it in the past tense ("rejected Agra").

    `leaves`: the sample is done with it; `adds`: the cursor then goes to the newest unit, with `goes` to the
    next that is open. `action` names the
    act in the journal: when the answer of the database is lost, a second try finds what the first one stored.
    """

    what: str
    make: Make
    leaves: bool = False
    adds: bool = False
    goes: bool = False
    action: str = field(default_factory=new_action, compare=False)


def open_at(
    store: Store, desk: Desk, sample_id: int, *, picked: bool = False, state: ReviewState | None = None
) -> Opened:
    """A sample of the desk's dataset as it stands now; `state` is the person's review, where it is known."""
    if desk.resolves:
        return resolve.open_resolution(store, sample_id, desk.annotator, desk.info.id)
    off_plan: bool | None = picked or (desk.view is not None and desk.view.off_plan)
    if state is not None and state.opened.off_plan is not None:
        off_plan = state.opened.off_plan  # undone where it is open: how it was chosen stays
    info = dataset_info(store, desk.info.id)
    return review.open_sample(store, sample_id, desk.annotator, off_plan=off_plan, info=info, state=state)


def open_kind(opened: Opened) -> Kind | None:
    """The first kind of a sample that is still to be decided."""
    for kind in opened.dataset.kinds:
        if opened.state.of(kind).disposition in ("todo", "started") or opened.stale(kind):
            return kind
    return None


def before_accept(opened: Opened, kind: Kind) -> Literal["decided", "empty", "doubts"] | None:
    """Why an accept does not verify at once: it is verified, blind without units, or stops at a doubt."""
    if opened.state.of(kind).disposition == "verified" and not opened.stale(kind):
        return "decided"
    if opened.sample.blank:
        return None  # the accept says why it cannot be
    if opened.blind and not any(unit.counted for unit in opened.units(kind)):
        return "empty"
    return "doubts" if editing.doubts(opened, kind) else None


async def open_sample(desk: Desk, sample_id: int, *, picked: bool = False) -> Opened:
    """A sample as it stands now; `picked` by hand, or in a view off the plan, marks a new review.

    A sample of the holdout is picked unless it is the next of the whole queue.
    """
    if desk.audits(sample_id):
        await desk.store.write(disputes.audit, sample_id, desk.annotator)

    def look(store: Store) -> Opened:
        opened = open_at(store, desk, sample_id, picked=picked)
        if not opened.stored.holdout or replace(desk, view=None).find_next(store) == sample_id:
            return opened
        return open_at(store, desk, sample_id, picked=True)

    return await noted(desk.store, await desk.store.read(look))


async def noted(store: Store, opened: Opened) -> Opened:
    """The sample, once it is stored that this person saw what the others have, where that is shown."""
    unseen = opened.over is not None and not opened.over.seen
    return await store.write(resolve.saw, opened) if unseen else opened


def kept_back(opened: Opened) -> str:
    """A warning before a review of a holdout sample that the queue did not give begins; else empty."""
    warns = opened.stored.holdout and opened.opening.off_plan and opened.state.seq < 0
    return KEPT_BACK if warns else ""


async def open_next(desk: Desk, after: int) -> Opened | None:
    """The next sample to decide, as it stands now; None when there is none."""

    def look(store: Store) -> int | Opened | None:
        number = desk.find_next(store, after)
        return number if number is None or desk.audits(number) else open_at(store, desk, number)

    sample = await desk.store.read(look) or await desk.take_next()
    if isinstance(sample, int):
        return await open_sample(desk, sample)
    return sample and await noted(desk.store, sample)


async def act(
    desk: Desk, opened: Opened, intent: Intent, effort: Effort | None = None
) -> tuple[Opened, Edit | None]:
    """Make the edit of an intent and write it with what it cost; on disk when this returns.

    Without an edit nothing is written. Making one may take a second (whether a name stands in 20 MB of
    contexts), so it is done in the writer's thread too. Raises ConflictError, InputError, StoreError.
    """

    def write(store: Store) -> tuple[Opened, Edit | None]:
        edit = intent.make(opened)
        if isinstance(edit, Put) and {*edit.units} <= {*opened.units(edit.kind)}:
            edit = None  # so it is already
        if edit is None:
            return opened, None
        return review.act(store, opened, edit, effort=effort, action=intent.action), edit

    return await desk.store.write(write)


async def move(desk: Desk, step: Step) -> tuple[Moved, Opened | None] | None:
    """Undo or redo, and the sample it leads to; that is None when it cannot be opened."""

    def write(store: Store) -> tuple[Moved, Opened | None] | None:
        moved = desk.step(store, step)
        if moved is None:
            return None
        try:
            own = None if moved.resolves else moved.state
            with store.snapshot():
                return moved, open_at(store, desk, moved.sample_id, state=own)
        except WorkbenchError:  # the undo is stored all the same; opening the sample shows why it fails
            return moved, None

    return await desk.store.write(write)


def unit_of(opened: Opened, kind: Kind, unit_id: str) -> Unit:
    """The unit as it stands now. Raises InputError when it is gone."""
    for unit in opened.units(kind):
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

    return _of(f"{'restored' if wanted else 'rejected'} {short_name(unit)}", unit, make)


def relabel(unit: Unit, label: str) -> Intent:
    """Give another label."""
    return _of(f"{short_name(unit)} is now {label}", unit, partial(editing.relabel, label=label))


def match(unit: Unit) -> Intent:
    """found -> missing, anything else -> found."""
    wanted: Verdict = "missing" if unit.match.verdict == "found" else "found"

    def make(opened: Opened, now: Unit) -> Edit | None:
        if now.match.verdict == wanted:
            return None
        return editing.judge(now, "missing") if wanted == "missing" else editing.toggle(opened, now)

    return _of(f"{short_name(unit)} is {wanted}", unit, make)


def reason(unit: Unit) -> Intent:
    """Missing, and why: the next reason at each press."""
    return _of(f"{short_name(unit)} is missing: {editing.reason_after(unit)}", unit, editing.next_reason)


def evidence(unit: Unit, span: Evidence | None) -> Intent:
    """Found for this place; None takes the evidence away."""
    wanted = () if span is None else (span,)
    where = "is found" if span or unit.match.verdict == "found" else "has no evidence"
    where += f" in context {span.context + 1}" if span else ""
    return _of(f"{short_name(unit)} {where}", unit, partial(editing.set_evidence, evidence=wanted))


def same_thing(unit: Unit, place: Evidence | None, words: str = "") -> Intent:
    """The unit and the words of a place name the same thing, in other samples too; None takes that back."""
    name = short_name(unit, OF_TWO)
    sentence = f"{name} = {cut(flat(words), OF_TWO)}, in other samples once accepted"
    if place is None:
        sentence = f"{name} has no other name any more"
    return _of(sentence, unit, partial(editing.same_thing, place=place))


def merge(unit: Unit, other: Unit) -> Intent:
    """One unit of two."""

    def make(opened: Opened, first: Unit) -> Edit | None:
        second = unit_of(opened, unit.kind, other.id)
        return None if second.duplicate_of == first.id else editing.merge(opened, first, second)

    return _of(f"merged {short_name(unit, OF_TWO)} with {short_name(other, OF_TWO)}", unit, make)


def split(unit: Unit, at: int) -> Intent:
    """Two units of one, parted before the token at that place of the reference."""
    return _of(f"split {short_name(unit)}", unit, partial(editing.split, at=at))


def unsure(unit: Unit) -> Intent:
    """Cannot tell."""
    return _of(f"{short_name(unit)} is unsure", unit, editing.unsure)


def move_edge(unit: Unit, reference: str, *, left: bool, outward: bool) -> Intent:
    """Move one edge of the principal span by a token. Raises InputError when it cannot move."""
    if not unit.spans:
        raise InputError("this unit is not in the reference text: no edge to move")
    span = shifted(reference, unit.spans[0], left=left, outward=outward)
    return _of(f"now {span.of(reference)}", unit, partial(editing.set_span, span=span))


def shifted(reference: str, span: Span, *, left: bool, outward: bool) -> Span:
    """The span with one edge a token further out or in. Raises InputError at the ends."""
    all_tokens = [token for token in tokens(reference) if token.text not in PAUSES]
    inside = [token for token in all_tokens if token.start < span.end and token.end > span.start]
    if outward:
        around = [t for t in all_tokens if (t.end <= span.start if left else t.start >= span.end)]
        if not around:
            raise InputError("this is the edge of the reference")
        return Span(around[-1].start, span.end) if left else Span(span.start, around[0].end)
    if len(inside) < 2:
        raise InputError("one token is the least")
    return Span(inside[1].start, span.end) if left else Span(span.start, inside[-2].end)


def add_span(opened: Opened, kind: Kind, span: Span, label: str) -> Intent:
    """A new unit from a stretch of the reference; raises InputError (when made) if it is one already."""
    what = f"added {span.of(opened.sample.reference)}"
    return Intent(what, lambda now: editing.add_span(now, kind, span, label), adds=True)


def accept(opened: Opened, kind: Kind, *, fast: bool, done: str = "accepted") -> Intent:
    """Verify the kind; `done` says it, behind the kind where the sample has several."""
    what = f"{PLURAL[kind]} {done}" if len(opened.dataset.kinds) > 1 else done
    return Intent(what, lambda opened: editing.accept(opened, kind, fast=fast), leaves=True)


def take(unit: Unit, side: int, who: str = "") -> Intent:
    """Settle a unit as one person (`who`, where that is shown) has it; -1 takes neither.

    It goes on to the next that is open.
    """
    name = short_name(unit)
    what = f"{name} is no unit" if side < 0 else f"{name} as {who or letter(side)} has it"
    return replace(_of(what, unit, partial(resolve.take, side=side)), goes=True)


def rest(kind: Kind, side: int, who: str = "") -> Intent:
    """Settle all that is open as one person has it."""
    what = f"the rest as {who or letter(side)} has it"
    return Intent(what, partial(resolve.take_rest, kind=kind, side=side))


skip = partial(Intent, "skipped", editing.skip, leaves=True)
"""Leave it for later; each call makes an act of its own, which one undo takes back."""


def exclude(reason: str) -> Intent:
    """Never: the sample is no good."""
    return Intent(f"not counted: {reason}", lambda _opened: editing.exclude(reason), leaves=True)


def flag(reason: str) -> Intent:
    """Mark for somebody's attention; an empty reason takes the mark off."""
    return Intent(f"flagged: {reason}" if reason else "flag taken off", lambda _opened: Flag(reason))


def comment(text: str) -> Intent:
    """A free note."""
    return Intent("comment added", lambda _opened: Comment(text))
