"""Settling what people differ in: their units side by side, and one review of the sample that stands.

That review is nobody's own. It belongs to a reserved name, so a sample has one; its acts are of who settles.
"""

from __future__ import annotations

from dataclasses import replace

from workbench.comparing.links import Sided, Sides, aligned, settling
from workbench.errors import InputError
from workbench.matching.units import language_of
from workbench.model import RESOLVED, Assessment, Kind, Match, Unit, letter, text_hash
from workbench.reviewing.edits import Put
from workbench.reviewing.fold import opened_with
from workbench.stages.people import check, settles
from workbench.stages.review import Opened, act, opened_anew, opening_of, shown, written_of
from workbench.store import assignments, journal
from workbench.store.datasets import DatasetInfo, dataset_info
from workbench.store.engine import Store
from workbench.store.gold import reviewed_by_others, unresolved, verified_by
from workbench.store.samples import load_sample


def may_settle(store: Store, info: DatasetInfo, person: str) -> bool:
    """Whether others review too, and a person may settle what differs."""
    return settles(store, person) and reviewed_by_others(store, info, person)


def open_resolution(store: Store, sample_id: int, person: str, dataset_id: int) -> Opened:
    """A sample with all that people verified of it, and what is settled so far. Writes nothing.

    Raises UsageError for who may not settle, InputError where nothing is to be settled, or not yet.
    """
    check(store, person, "settle what others differ in")
    with store.snapshot():
        info = dataset_info(store, dataset_id)
        stored = load_sample(store, sample_id, info.run_id)
        if sample_id in journal.begun_by(store, [sample_id], person):
            raise InputError(
                "your own review of this sample is not finished: verify or exclude it first, or undo what "
                "you did there; Resolve shows what the others have"
            )
        state = journal.load_reviews(store, {sample_id: RESOLVED}).get(sample_id)
        differ = unresolved(store, [sample_id], info.kinds).get(sample_id, ())
        begun = [kind for kind in info.kinds if state and state.of(kind).disposition != "todo"]
        kinds = tuple(kind for kind in info.kinds if kind in differ or kind in begun)
        if not kinds:
            raise InputError("nobody differs on this sample: there is nothing to settle")
        if not begun and info.overlap and assignments.waiting(store, [sample_id]):
            raise InputError("somebody has still to decide this sample: it can be settled after that")
        people: dict[Kind, tuple[str, ...]] = {}
        units: dict[Kind, tuple[Sided, ...]] = {}
        lang = language_of(stored.sample, info.policy)
        for kind in kinds:
            verified = verified_by(store, [sample_id], kind).get(sample_id, [])
            own = {
                review.annotator: review.assessment for review in verified if review.origin != "adjudicated"
            }
            # in an order that says nothing about who they are, and is the same whenever it is opened
            people[kind] = tuple(sorted(own, key=lambda name: text_hash(stored.sample.content_hash, name)))
            units[kind] = aligned([own[name] for name in people[kind]], lang, info.policy.counted_labels)
        reviews = journal.reviews_of(store, sample_id)
        seen = journal.has_seen(store, sample_id, person, info.kinds)
        written = written_of(store, info, sample_id)
    info = replace(info, policy=replace(info.policy, kinds=kinds))
    named = state is not None and state.opened.named
    over = Sides(person, people, units, reviews, named, seen)
    if state is None:  # with what all have, and the rest undecided
        each = (settling(Assessment(kind, "what people verified"), have) for kind, have in units.items())
        opening = opening_of(info, each, blind=stored.blind)
        state = opened_with(replace(opening, off_plan=all(by_hand for *_, by_hand in reviews)))
    opened = Opened(sample_id, info, stored, stored.sample, state, RESOLVED, stored.proposal, written, over)
    return shown(store, opened)


def take(opened: Opened, unit: Unit, side: int) -> Put:
    """Take a unit as one person has it; -1 takes neither: it is no unit. Raises InputError without sides."""
    assert opened.over is not None
    sided = opened.over.of(unit)
    if sided is None:
        raise InputError("nobody but you has this unit: x takes it away")
    if side >= len(sided.sides):
        raise InputError(f"there is no {letter(side)} here: A to {letter(len(sided.sides) - 1)}")
    if side < 0:
        return Put("take", unit.kind, (replace(sided.shown, match=Match(), rejected=True),))
    return Put("take", unit.kind, (sided.taken(side),))


def take_rest(opened: Opened, kind: Kind, side: int) -> Put:
    """Take all units that nobody decided on as one person has them. Raises InputError where all are."""
    assert opened.over is not None
    left = opened.over.open(opened.units(kind))
    if not left:
        raise InputError("every unit is decided; a settles the sample")
    return Put("take", kind, tuple(taken for unit in left for taken in take(opened, unit, side).units))


def saw(store: Store, opened: Opened, action: str = "", *, named: bool = False) -> Opened:
    """Store that this person saw what the others have, `named`: and whose it is, before it is shown.

    What is stored already is not stored again, and undo does not take it back. What they decide of the sample
    themselves afterwards is not independent.
    """
    assert opened.over is not None
    if opened.over.named if named else opened.over.seen:
        return opened
    named = named or opened.over.named
    fresh = act(store, opened_anew(opened, replace(opened.opening, named=named)), action=action)
    return replace(fresh, over=replace(opened.over, named=named, seen=True))
