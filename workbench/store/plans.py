"""Plans: the order of review, the samples kept back, and how far the order is reviewed."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from sqlalchemy import bindparam, null, or_, select, true, update
from sqlmodel import Session

from workbench.errors import ConflictError, UsageError
from workbench.model import Kind
from workbench.store.assignments import DECIDES, fill
from workbench.store.datasets import set_dataset
from workbench.store.engine import Store
from workbench.store.gold import load_some
from workbench.store.tables import (
    BLANK_RANK,
    DATASET,
    DECIDED,
    EVENT,
    HOLDOUT_RANK as HOLDOUT_RANK,
    OPENING,
    PLAN,
    REVIEW,
    SAMPLE,
    HoldoutOpeningRow,
    PlanRow,
    SampleRow,
    among,
    samples_of,
    stands_in,
    table_of,
)
from workbench.text.figures import many
from workbench.text.lists import stored
from workbench.text.query import META


class Opening(NamedTuple):
    """One look at the holdout."""

    purpose: str
    annotator: str
    at: datetime


def note_opening(store: Store, dataset_id: int, purpose: str, annotator: str, at: datetime) -> int:
    """Write down a look at the holdout; returns how many there were with this one."""
    with store.writing() as session:
        session.add(HoldoutOpeningRow(dataset_id=dataset_id, purpose=purpose, annotator=annotator, at=at))
        session.flush()
        return len(openings(store, dataset_id))


def take_back(store: Store, dataset_id: int, annotator: str, at: datetime) -> None:
    """Take a look at the holdout back: it came to nothing, nobody saw anything."""
    own = OPENING.dataset_id == dataset_id, OPENING.annotator == annotator, OPENING.at == at
    store.delete(HoldoutOpeningRow, *own)


def openings(store: Store, dataset_id: int) -> list[Opening]:
    """Every look at the holdout, oldest first."""
    query = select(OPENING.purpose, OPENING.annotator, OPENING.at).where(OPENING.dataset_id == dataset_id)
    return [Opening(*row) for row in store.rows(query.order_by(OPENING.id))]


def holdout_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples kept back."""
    held = SAMPLE.dataset_id == dataset_id, SAMPLE.rank >= HOLDOUT_RANK, SAMPLE.holdout
    return store.ids(SAMPLE.id, *held)


def picked_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples of which somebody began a review that the queue had not given."""
    return store.ids(REVIEW.sample_id, REVIEW.dataset_id == dataset_id, REVIEW.off_plan)


def blank_ids(store: Store, dataset_id: int) -> set[int]:
    """The samples with a blank reference."""
    return store.ids(SAMPLE.id, SAMPLE.dataset_id == dataset_id, SAMPLE.rank >= BLANK_RANK)


LATE_RANK = 10.0
"""What was imported after the plan comes last."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan as it was made. `population`: the samples outside the holdout at the time.

    Of a plan that was drawn from a corpus that is all of its samples; the database has the planned ones.
    """

    design: str
    kind: Kind
    planned_n: int
    population: int
    parameters: Mapping[str, Any]
    annotator: str
    created_at: datetime

    @property
    def corpus(self) -> Mapping[str, Any]:
        """What is known of the corpus that the samples were drawn from; empty without one."""
        corpus: Mapping[str, Any] = self.parameters.get("corpus", {})
        return corpus

    @property
    def here(self) -> int:
        """How many samples of the population the database has."""
        return self.planned_n if self.corpus else self.population


class Candidate(NamedTuple):
    """A sample as a plan sees it: no text. `value` is what `by` asked for."""

    sample_id: int
    key: str
    u: float
    group: str | None
    reference_hash: str
    rank: float
    late: bool
    stratum: str
    holdout: bool
    value: str | None


class Drawn(NamedTuple):
    """What a plan writes into one sample."""

    sample_id: int
    rank: float
    stratum: str
    holdout: bool


def plan_of(store: Store, dataset_id: int) -> Plan | None:
    """The plan of a dataset, None while it has none."""
    row = store.value(select(PlanRow).where(PLAN.dataset_id == dataset_id))
    return None if row is None else Plan(**row.model_dump(exclude={"id", "dataset_id"}))


def kept_back(store: Store, dataset_id: int, groups: Iterable[str], references: Iterable[str]) -> set[str]:
    """Those of some groups and hashes of references that stand in the holdout."""
    known = or_(SAMPLE.group_key.in_(groups), SAMPLE.reference_hash.in_(references))
    query = select(SAMPLE.group_key, SAMPLE.reference_hash)
    rows = store.rows(query.where(SAMPLE.dataset_id == dataset_id, SAMPLE.holdout, known))
    return {name for row in rows for name in row if name is not None}


def candidates(store: Store, dataset_id: int, by: str = "", *, blank: bool = False) -> list[Candidate]:
    """Every sample that can be drawn, in file order: with `blank` also those with a blank reference.

    `by`: `group` or `meta.KEY`; its text is the candidate's value.
    """
    value: Any = SAMPLE.group_key if by == "group" else SAMPLE.meta if by else null()
    names = SAMPLE.id, SAMPLE.key, SAMPLE.u, SAMPLE.group_key, SAMPLE.reference_hash
    standing = SAMPLE.rank, SAMPLE.size == 0, SAMPLE.stratum, SAMPLE.holdout
    query = select(*names, *standing, value).where(
        SAMPLE.dataset_id == dataset_id, true() if blank else SAMPLE.rank < BLANK_RANK
    )
    everyone = []
    for *row, content in store.rows(query.order_by(SAMPLE.id)):
        if isinstance(content, dict):  # whole: SQLite takes a truth out of a document as a number
            content = content.get(by.removeprefix(META))
        written = content if content is None or isinstance(content, str) else stored(content)
        everyone.append(Candidate._make((*row, written)))
    return everyone


def decided(store: Store, dataset_id: int) -> int:
    """How many samples a person verified or excluded; gold that came with a file does not count."""
    by_people = REVIEW.dataset_id == dataset_id, REVIEW.origin != "imported"
    return store.count(REVIEW.sample_id.distinct(), *by_people, stands_in(*DECIDED))


def refuse_decided(store: Store, dataset_id: int) -> None:
    """Raise UsageError when a person ever verified or excluded anything: the plan comes before the answers.

    A verdict that was undone was seen all the same: the journal keeps it.
    """
    why = "a plan is made before the first review; workbench compare needs none for reviews in random order"
    if number := decided(store, dataset_id):
        raise UsageError(f"{many(number, 'sample is', 'samples are')} verified or not counted already: {why}")
    if number := store.count(EVENT.review_id.distinct(), EVENT.dataset_id == dataset_id, DECIDES):
        some = many(number, "sample was", "samples were")
        raise UsageError(f"verdicts were seen: {some} verified or set aside, and undone; {why}")


def imported(store: Store, dataset_id: int, kind: Kind) -> int:
    """How many samples have gold of a file."""
    of_files = REVIEW.dataset_id == dataset_id, REVIEW[kind] == "verified", REVIEW.origin == "imported"
    return store.count(REVIEW.sample_id.distinct(), *of_files)


def save_plan(store: Store, dataset_id: int, plan: Plan, drawn: Sequence[Drawn], blind_share: float) -> None:
    """Write a plan into its dataset and its samples, in place of the one before; one transaction.

    `drawn` names every sample of the dataset, or those that change. Raises UsageError when a person decided
    anything, ConflictError when samples came or went since it was drawn.
    """
    with store.writing() as session:
        _replace(store, session, dataset_id, drawn)
        there = store.count(SAMPLE.id, SAMPLE.dataset_id == dataset_id, SAMPLE.rank < BLANK_RANK)
        if there != plan.here + plan.parameters.get("holdout", 0):
            raise ConflictError("samples were imported meanwhile: make the plan again")
        set_dataset(store, dataset_id, blind_share=blind_share, blind_settled=True)
        session.add(PlanRow(dataset_id=dataset_id, **asdict(plan)))
        fill(store, dataset_id)


def extend_plan(
    store: Store, dataset_id: int, plan: Plan, planned_n: int, parameters: Mapping[str, Any]
) -> None:
    """Write another end of the plan; the order of its samples stays.

    Raises ConflictError where somebody else, or a purge, gave it another end since it was read.
    """
    with store.writing():
        same = PLAN.dataset_id == dataset_id, PLAN.planned_n == plan.planned_n
        if not store.update(PlanRow, *same, planned_n=planned_n, parameters=dict(parameters)):
            raise ConflictError("the plan was changed meanwhile: look at it, and try again")
        fill(store, dataset_id)


def _replace(store: Store, session: Session, dataset_id: int, drawn: Sequence[Drawn]) -> None:
    store.hold(DATASET.id, dataset_id)
    refuse_decided(store, dataset_id)
    store.delete(PlanRow, PLAN.dataset_id == dataset_id)
    if drawn:
        new: dict[str, Any] = {"size": 1.0} | {name: bindparam(f"new_{name}") for name in Drawn._fields[1:]}
        change = update(table_of(SampleRow)).where(SAMPLE.id == bindparam("new_sample_id"))
        rows = [{f"new_{name}": value for name, value in draw._asdict().items()} for draw in drawn]
        session.connection().execute(change.values(new), rows)


Status = Literal["verified", "excluded", "skipped", "unresolved"]


class Done(NamedTuple):
    """A sample with which nothing is left to do. `in_turn`: a person reviewed it where the order had it;
    `by_hand`: nobody did, and here somebody picked it.

    `origin` is that of its gold, empty without.
    """

    status: Status
    in_turn: bool
    origin: str = ""
    by_hand: bool = False


class Parts(NamedTuple):
    """How many samples a dataset has in the plan, in the holdout and come after the plan."""

    population: int
    holdout: int
    late: int


def done(store: Store, dataset_id: int, kind: Kind, only: Sequence[int] | None = None) -> dict[int, Done]:
    """The complete samples: excluded by somebody, verified, or skipped by everyone who touched them.

    With `only` those of some samples.
    """
    state = REVIEW[kind]
    query = select(REVIEW.sample_id, state, REVIEW.origin, REVIEW.off_plan, REVIEW.shown).where(
        REVIEW.dataset_id == dataset_id, state != "todo"
    )
    if only is not None:
        query = query.where(among(REVIEW.sample_id, only))
    complete: dict[int, Done] = {}
    several = []
    with store.snapshot():
        for sample_id, own in groupby(store.rows(query.order_by(REVIEW.sample_id)), key=itemgetter(0)):
            reviews = [row[1:] for row in own]
            states = {state for state, *_ in reviews}
            in_turn = any(
                state != "started" and not off_plan and (origin != "imported" or shown != "import")
                for state, origin, off_plan, shown in reviews
            )
            by_hand = not in_turn and any(
                origin == "reviewed" and off_plan for _, origin, off_plan, _ in reviews
            )
            gold = [origin for state, origin, *_ in reviews if state == "verified"]
            if "excluded" in states:
                complete[sample_id] = Done("excluded", in_turn)
            elif gold:
                complete[sample_id] = Done("verified", in_turn, gold[0], by_hand)
                if len(gold) > 1:
                    several.append(sample_id)
            elif states == {"skipped"}:
                complete[sample_id] = Done("skipped", in_turn)
        for sample_id, standing in load_some(store, several, kind).items():
            status: Status = "verified" if standing.assessment else "unresolved"
            origin = standing.origin if standing.assessment else ""
            complete[sample_id] = complete[sample_id]._replace(status=status, origin=origin)
    return complete


def in_order(store: Store, dataset_id: int, limit: int) -> array[int]:
    """The first samples of the plan's order (random order without a plan), from its index alone."""
    planned = samples_of(dataset_id, SAMPLE.rank < HOLDOUT_RANK)
    return store.numbers(planned.order_by(SAMPLE.rank, SAMPLE.id).limit(limit))


def parts(store: Store, dataset_id: int) -> Parts:
    """How many samples stand where; the index tells but for the holdout's late ones."""
    after = SAMPLE.rank >= HOLDOUT_RANK
    places = (SAMPLE.rank < HOLDOUT_RANK,), (after, SAMPLE.holdout), (after, SAMPLE.size == 0)
    with store.snapshot():
        return Parts(*(store.count(SAMPLE.id, SAMPLE.dataset_id == dataset_id, *where) for where in places))
