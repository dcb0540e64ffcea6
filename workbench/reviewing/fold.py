"""Fold: journal -> the state of a review. What undo and redo mean, and which verdicts hold elsewhere.

Gold: which verified assessment of a sample stands when several people have one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from workbench.model import Assessment, Disposition, Evidence, Kind, Match, Span, Unit, Verdict
from workbench.reviewing.edits import (
    IMPORT_ACTION,
    Accept,
    Comment,
    Dispose,
    Flag,
    Named,
    Open,
    Put,
    Redo,
    Undo,
)


@dataclass(frozen=True, slots=True)
class KindState:
    """Where one unit kind of a review stands.

    `touched`: a person or an import put units or accepted; before, the kind is what was shown. `imported`:
    the accept that stands came with a file. `adjudicated`: this one or one before settled what others differ
    in. `edited`: the ids of the units that were put since the accept that stands. `proposal`: the one that
    was shown of the kind, None for none.
    """

    disposition: Disposition
    assessment: Assessment
    fast: bool = False
    reason: str = ""
    policy: int = 0
    touched: bool = False
    imported: bool = False
    adjudicated: bool = False
    edited: frozenset[str] = frozenset()
    proposal: int | None = None


@dataclass(frozen=True, slots=True)
class ReviewState:
    """A folded review. `seq` is the newest row's number, -1 before the first, with which it was `opened`."""

    seq: int
    opened: Open
    entity: KindState
    statement: KindState
    flag: str = ""
    comments: tuple[str, ...] = ()

    def of(self, kind: Kind) -> KindState:
        """The state of one kind."""
        return self.entity if kind == "entity" else self.statement

    @property
    def policy(self) -> int:
        """The oldest policy version that a verified kind rests on, else the opening's; 0 before it."""
        accepted = [kind.policy for kind in (self.entity, self.statement) if kind.disposition == "verified"]
        shown = self.opened.policy
        return min((policy or shown for policy in accepted), default=shown)

    def disposition(self, kinds: Sequence[Kind]) -> Disposition:
        """The sample's disposition over the kinds a policy reviews: the least finished one."""
        order: tuple[Disposition, ...] = ("todo", "started", "skipped", "excluded", "verified")
        dispositions = [self.of(kind).disposition for kind in kinds]
        if "todo" in dispositions and len(set(dispositions)) > 1:
            return "started"
        return min(dispositions, key=order.index, default="todo")


def undone_actions(rows: Iterable[Named]) -> set[str]:
    """The actions that an undo took back and no later redo restored."""
    undone: set[str] = set()
    for _, edit in rows:
        if isinstance(edit, Undo):
            undone.add(edit.action)
        elif isinstance(edit, Redo):
            undone.discard(edit.action)
    return undone


def fold(rows: Sequence[Named]) -> ReviewState:
    """The state after all effective rows of a journal, from its first on."""
    undone = undone_actions(rows)
    state = replace(_BEFORE, seq=len(rows) - 1)
    for action, edit in rows:
        # The opening row says what was shown; that stays true when the first act is undone.
        if action not in undone or isinstance(edit, Open):
            state = applied(state, edit, imported=action.startswith(IMPORT_ACTION))
    return state


def followed(state: ReviewState, edits: Sequence[Named]) -> ReviewState | None:
    """The state after further rows (action and edit), None where an undo or redo needs the rows before."""
    newest = state.seq + len(edits)
    for action, edit in edits:
        if isinstance(edit, Undo | Redo):
            return None
        state = applied(state, edit, imported=action.startswith(IMPORT_ACTION))
    return replace(state, seq=newest)


def put(units: Sequence[Unit], changed: Sequence[Unit]) -> tuple[Unit, ...]:
    """The units with the changed ones in place; a new one before the first that follows it in the text."""
    by_id = {unit.id: unit for unit in changed}
    merged = [by_id.pop(unit.id, unit) for unit in units]
    for new in by_id.values():
        index = next((at for at, unit in enumerate(merged) if _follows(unit, new)), len(merged))
        merged.insert(index, new)
    return tuple(merged)


def _follows(unit: Unit, other: Unit) -> bool:
    return bool(unit.spans and other.spans) and unit.spans[0].start > other.spans[0].start


def settle(assessment: Assessment) -> Assessment:
    """The assessment as accepted: a counted unit without a verdict becomes `unsure`."""
    return replace(
        assessment,
        units=tuple(
            replace(unit, match=Match("unsure", rule="human"))
            if unit.counted and unit.match.verdict is None
            else unit
            for unit in assessment.units
        ),
    )


_BEFORE = ReviewState(
    -1,
    Open(None, "", 0, 0, "assisted", auto_shown=False, assessments=()),
    KindState("todo", Assessment("entity", "review")),
    KindState("todo", Assessment("statement", "review")),
)
"""A review before its first row."""


def with_kind(state: ReviewState, kind: Kind, kind_state: KindState) -> ReviewState:
    """The state with one kind in another state."""
    if kind == "entity":
        return replace(state, entity=kind_state)
    return replace(state, statement=kind_state)


def applied(state: ReviewState, edit: object, *, imported: bool = False) -> ReviewState:
    """The state after one more edit that is no undo and no redo."""
    match edit:
        case Open():
            anew = {assessment.kind for assessment in edit.assessments}
            other = tuple(shown for shown in state.opened.assessments if shown.kind not in anew)
            state = replace(state, opened=replace(edit, assessments=(*other, *edit.assessments)))
            for assessment in edit.assessments:
                before = state.of(assessment.kind)
                shown = replace(before, assessment=assessment, proposal=edit.proposal)
                state = with_kind(state, assessment.kind, shown)
        case Put():
            before = state.of(edit.kind)
            units = put(before.assessment.units, edit.units)
            edited = before.edited.union(unit.id for unit in edit.units)
            after = replace(
                before, assessment=replace(before.assessment, units=units), touched=True, edited=edited
            )
            if before.disposition != "verified":
                after = replace(after, disposition="started", reason="")
            state = with_kind(state, edit.kind, after)
        case Accept():
            kind = edit.assessment.kind
            accepted = KindState(
                "verified", edit.assessment, edit.fast, policy=edit.policy, touched=True, imported=imported,
                adjudicated=edit.adjudicated or state.of(kind).adjudicated, proposal=state.of(kind).proposal,
            )  # fmt: skip
            state = with_kind(state, kind, accepted)
        case Dispose():
            for kind in edit.kinds:
                before = state.of(kind)
                state = with_kind(
                    state, kind, replace(before, disposition=edit.disposition, reason=edit.reason, fast=False)
                )
        case Flag():
            state = replace(state, flag=edit.reason)
        case Comment():
            state = replace(state, comments=(*state.comments, edit.text))
        case _:
            pass  # undo and redo were read before the walk
    return state


opened_with = partial(applied, _BEFORE)
"""The state of a review that has an opening row only, not yet written."""


def newest_effective(rows: Iterable[tuple[str, object]]) -> str | None:
    """The action that undo takes back, None when there is none.

    `rows` are (action, edit) pairs of one annotator in one dataset, newest first; they are read only
    as far as needed. Opening rows carry no act of a person and are passed over.
    """
    done: dict[str, bool] = {}
    for action, edit in rows:
        if isinstance(edit, Undo):
            done.setdefault(edit.action, False)
        elif isinstance(edit, Redo):
            done.setdefault(edit.action, True)
        elif not isinstance(edit, Open) and done.get(action, True):
            return action
    return None


def newest_undone(rows: Iterable[tuple[str, object]]) -> str | None:
    """The action that redo restores, None when a new edit came since.

    `rows` as in `newest_effective`.
    """
    redone: set[str] = set()
    seen: set[str] = set()
    for action, edit in rows:
        if action in seen:
            continue  # one act over several samples writes one row in each of their journals
        seen.add(action)
        if isinstance(edit, Redo):
            redone.add(edit.action)
        elif isinstance(edit, Undo):
            if edit.action not in redone:
                return edit.action
            # this undo was answered by its redo; an older undo of the same action counts again
            redone.discard(edit.action)
        elif not isinstance(edit, Open):
            return None
    return None


def carry(units: Sequence[Unit], before: Sequence[str], after: Sequence[str]) -> tuple[Unit, ...]:
    """The counted units with the verdicts that hold under other contexts, the rest undecided.

    `found` holds where its evidence stands in a context that is byte-identical in `after` (for a
    statement: all of its evidence); `missing` holds when `after` brings no context that `before` lacked.
    """
    positions = {text: index for index, text in reversed(list(enumerate(after)))}
    nothing_new = set(after) <= set(before)
    return tuple(_carried(unit, before, positions, nothing_new) for unit in units if unit.counted)


def _carried(unit: Unit, before: Sequence[str], positions: dict[str, int], nothing_new: bool) -> Unit:
    match = unit.match
    evidence = tuple(
        Evidence(positions[before[e.context]], e.start, e.end)
        for e in match.evidence
        if e.context < len(before) and before[e.context] in positions
    )
    whole = len(evidence) == len(match.evidence)
    holds = (match.verdict == "found" and bool(evidence) and (whole or unit.kind == "entity")) or (
        match.verdict == "missing" and nothing_new
    )
    carried = replace(match, evidence=evidence, rule="carried") if holds else Match()
    return replace(unit, match=carried, origin="carried", rejected=False, duplicate_of="")


GoldOrigin = Literal["reviewed", "imported", "adjudicated"]
Place = tuple[str, tuple[Span, ...]]
"""The text of a unit and its principal place: units of two annotators that have it in common are one."""


@dataclass(frozen=True, slots=True)
class Verified:
    """One annotator's verified assessment. `by`: who settled it, where that is known."""

    annotator: str
    origin: GoldOrigin
    assessment: Assessment
    by: str = ""


def gold_units(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """The units that count, in order of their place in the reference, ungrounded ones last."""
    counted = [unit for unit in units if unit.counted]
    return tuple(sorted(counted, key=lambda unit: (not unit.spans, unit.spans[:1] and unit.spans[0].start)))


def resolve(verified: Sequence[Verified], counted_labels: Collection[str] = ()) -> Verified | None:
    """The gold: the adjudicated one, else the only one, else None (unresolved).

    Verified assessments with equal units and verdicts are one, and the first stands with its labels. Labels
    may differ, unless the policy counts only some of them (`counted_labels`) and one counts where the other
    does not. Assessments come in the order in which the reviews were begun: an order by name would change
    where names left as pseudonyms.
    """
    adjudicated = [review for review in verified if review.origin == "adjudicated"]
    if adjudicated:
        return adjudicated[-1]
    if len({_meaning(review.assessment, counted_labels) for review in verified}) == 1:
        return verified[0]
    return None


def same_gold(assessment: Assessment, other: Assessment) -> bool:
    """Whether two assessments have equal units, labels and verdicts."""
    first, second = (
        Counter((place_of(unit), unit.label, unit.match.verdict) for unit in gold_units(each.units))
        for each in (assessment, other)
    )
    return first == second


def same_verdicts(assessment: Assessment, other: Assessment) -> bool:
    """Whether two assessments have equal units and verdicts; labels may differ."""
    return _meaning(assessment, ()) == _meaning(other, ())


def place_of(unit: Unit) -> Place:
    """By what a unit is known among those of other annotators."""
    return unit.text, unit.spans[:1]


def disputed_labels(each: Iterable[Sequence[Unit]]) -> set[Place]:
    """The units that annotators gave different labels, by `place_of`; `each` has the units of one.

    One annotator may give one place two labels: that alone is no dispute.
    """
    labels: dict[Place, set[frozenset[str]]] = {}
    for units in each:
        own: dict[Place, set[str]] = {}
        for unit in gold_units(units):
            own.setdefault(place_of(unit), set()).add(unit.label)
        for key, given in own.items():
            labels.setdefault(key, set()).add(frozenset(given))
    return {key for key, given in labels.items() if len(given) > 1}


def meaning(unit: Unit, counted_labels: Collection[str]) -> tuple[Place, Verdict | None, bool]:
    """Where a unit is, its verdict, and whether a policy that counts these labels (empty: all) counts it."""
    return place_of(unit), unit.match.verdict, not counted_labels or unit.label in counted_labels


def _meaning(assessment: Assessment, counted_labels: Collection[str]) -> frozenset[object]:
    """Each unit as often as it is there: one place with two labels counts twice in the recall."""
    return frozenset(Counter(meaning(unit, counted_labels) for unit in gold_units(assessment.units)).items())
