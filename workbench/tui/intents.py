"""What a person wants, apart from the state it was first wanted on.

An intent makes its edit from the sample as it stands, so that after another window was first the same
wish can be offered again on what is there now. None means that it is so already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from workbench.errors import InputError
from workbench.model import Kind, Span, Unit, Verdict
from workbench.reviewing.edits import Comment, Edit
from workbench.stages import editing
from workbench.stages.review import Opened
from workbench.text.tokens import tokens

Make = Callable[[Opened], Edit | None]


@dataclass(frozen=True, slots=True)
class Intent:
    """`what` names it in the past tense ("rejected Agra").

    `leaves`: the sample is done with it; `adds`: the cursor then goes to the newest unit.
    """

    what: str
    make: Make
    leaves: bool = False
    adds: bool = False


def unit_of(opened: Opened, kind: Kind, unit_id: str) -> Unit:
    """The unit as it stands now. Raises InputError when it is gone."""
    for unit in opened.state.of(kind).assessment.units:
        if unit.id == unit_id:
            return unit
    raise InputError("this unit is not there any more")


def reject(unit: Unit) -> Intent:
    """Reject, or restore what is rejected; a duplicate is restored to a unit of its own."""
    wanted = not unit.rejected

    def make(opened: Opened) -> Edit | None:
        now = unit_of(opened, unit.kind, unit.id)
        return None if now.rejected == wanted else editing.reject(opened, now)

    return Intent(f"{'rejected' if wanted else 'restored'} {unit.text}", make)


def relabel(unit: Unit, label: str) -> Intent:
    """Give another label."""

    def make(opened: Opened) -> Edit | None:
        now = unit_of(opened, unit.kind, unit.id)
        return None if now.label == label else editing.relabel(opened, now, label)

    return Intent(f"{unit.text} is now {label}", make)


def match(unit: Unit) -> Intent:
    """found -> missing, anything else -> found."""
    wanted: Verdict = "missing" if unit.match.verdict == "found" else "found"

    def make(opened: Opened) -> Edit | None:
        now = unit_of(opened, unit.kind, unit.id)
        if now.match.verdict == wanted:
            return None
        if wanted == "missing" and now.match.verdict != "found":
            # toggle turns anything but found into found; say found first, so that it turns to missing
            now = replace(now, match=replace(now.match, verdict="found"))
        return editing.toggle(opened, now)

    return Intent(f"{unit.text} is {wanted}", make)


def reason(unit: Unit) -> Intent:
    """Missing, and why: the next reason at each press."""

    def make(opened: Opened) -> Edit | None:
        return editing.next_reason(opened, unit_of(opened, unit.kind, unit.id))

    return Intent(f"{unit.text} is missing for another reason", make)


def unsure(unit: Unit) -> Intent:
    """Cannot tell."""

    def make(opened: Opened) -> Edit | None:
        now = unit_of(opened, unit.kind, unit.id)
        return None if now.match.verdict == "unsure" else editing.unsure(opened, now)

    return Intent(f"{unit.text} is unsure", make)


def move_edge(unit: Unit, reference: str, *, left: bool, outward: bool) -> Intent:
    """Move one edge of the principal span by a token. Raises InputError when it cannot move."""
    if not unit.spans:
        raise InputError("this unit does not stand in the reference: no edge to move")
    span = shifted(reference, unit.spans[0], left=left, outward=outward)

    def make(opened: Opened) -> Edit | None:
        now = unit_of(opened, unit.kind, unit.id)
        return None if now.spans[:1] == (span,) else editing.set_span(opened, now, span)

    return Intent(f"now {reference[span.start : span.end]}", make)


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


def add(kind: Kind, text: str, label: str) -> Intent:
    """A new unit from typed text; raises InputError (when made) if it is not in the reference."""
    return Intent(
        f"added {text.strip()}", lambda opened: editing.add_text(opened, kind, text, label), adds=True
    )


def accept(kind: Kind, *, fast: bool, what: str = "accepted") -> Intent:
    """Verify the kind."""
    return Intent(what, lambda opened: editing.accept(opened, kind, fast=fast), leaves=True)


def skip() -> Intent:
    """Later."""
    return Intent("skipped", editing.skip, leaves=True)


def exclude(reason: str) -> Intent:
    """Never: the sample is no good."""
    return Intent(f"excluded: {reason}", lambda opened: editing.exclude(opened, reason), leaves=True)


def flag(reason: str) -> Intent:
    """Mark for somebody's attention; an empty reason takes the mark off."""
    return Intent(f"flagged: {reason}" if reason else "flag taken off", lambda o: editing.flag(o, reason))


def comment(text: str) -> Intent:
    """A free note."""
    return Intent("comment added", lambda _opened: Comment(text))
