"""Making a dataset out of a package, in one transaction: the journal is the truth, and is folded to check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import insert
from sqlmodel import Session, col, select

from workbench.errors import InputError
from workbench.model import KINDS, Sample
from workbench.reviewing.documents import edit_of
from workbench.reviewing.edits import Event
from workbench.reviewing.fold import ReviewState, fold
from workbench.reviewing.gold import gold_units
from workbench.store.engine import Store, insert_many
from workbench.store.gold_rows import GoldRow, gold_rows, insert_gold
from workbench.store.packages import journals
from workbench.store.tables import METADATA, CalibrationRow, Dataset, PolicyRow, RunRow, SampleRow
from workbench.store.tables_calls import FailedRow
from workbench.store.tables_plans import HoldoutOpeningRow, PlanRow

Document = dict[str, Any]
CHUNK = 500


@dataclass(slots=True)
class Restoring:
    """A dataset under way: the numbers that this database gives to its samples, runs and reviews.

    `settled`: the reviews whose journal was folded, into so many verified `units`.
    """

    session: Session
    dataset_id: int
    runs: dict[str, int]
    samples: dict[str, int] = field(default_factory=dict)
    reviews: dict[tuple[str, str], tuple[int, Document]] = field(default_factory=dict)
    settled: set[tuple[str, str]] = field(default_factory=set)
    units: int = 0


@contextmanager
def restoring(store: Store, name: str, document: Document) -> Iterator[Restoring]:
    """A new dataset with the settings, policies, runs, plan and calibrations of `dataset.json`.

    What the block adds goes in with it, all or nothing.
    """
    given = document["dataset"]
    with store.writing() as session:
        dataset = Dataset(
            name=name,
            created_at=moment(given["created_at"]),
            seed=given["seed"],
            blind_share=given["blind_share"],
            blind_settled=given["blind_settled"],
            threshold=given["threshold"],
            show_auto=given["show_auto"],
            external=given["external"],
            policy_version=given["policy_version"],
        )
        session.add(dataset)
        session.flush()
        assert dataset.id is not None
        number = dataset.id
        for one in document["policies"]:
            session.add(PolicyRow(dataset_id=number, **_timed(one)))
        runs: dict[str, int] = {}
        for one in document["runs"]:
            run = RunRow(dataset_id=number, **_timed(one))
            session.add(run)
            session.flush()
            runs[run.name] = run.id or 0
        _plan(session, number, document, runs)
        calibrations: dict[str, int] = {}
        for one in document["calibrations"]:
            row = CalibrationRow(dataset_id=number, **{**_timed(one), "run_id": runs.get(one["run"])})
            session.add(row)
            session.flush()
            calibrations[row.name] = row.id or 0
        dataset.run_id = runs.get(given["run"])
        dataset.calibration_id = calibrations.get(given["calibration"])
        yield Restoring(session, number, runs)


def _plan(session: Session, number: int, document: Document, runs: Mapping[str, int]) -> None:
    plan = document["plan"]
    if plan is not None:
        session.add(PlanRow(dataset_id=number, **{**_timed(plan), "run_id": runs.get(plan["run"])}))
    for one in document["openings"]:
        session.add(HoldoutOpeningRow(dataset_id=number, **{**one, "at": moment(one["at"])}))
        session.flush()


def _timed(document: Mapping[str, Any]) -> Document:
    """A document as columns: the run by its number, the time as one."""
    columns = {key: value for key, value in document.items() if key != "run"}
    return {**columns, "created_at": moment(document["created_at"])}


def moment(text: str) -> datetime:
    """A stored time. Raises ValueError for another text."""
    return datetime.fromisoformat(text)


def add_samples(work: Restoring, rows: Sequence[tuple[Sample, Document]]) -> None:
    """Add samples with their proposals, failures, scores, disputes and heads of reviews."""
    session, tables = work.session, METADATA.tables
    insert_many(session, tables["sample"], [_sample(work.dataset_id, *row) for row in rows])
    keys = [sample.id for sample, _ in rows]
    found = session.exec(
        select(SampleRow.key, SampleRow.id).where(
            SampleRow.dataset_id == work.dataset_id, col(SampleRow.key).in_(keys)
        )
    )
    ids = {key: number for key, number in found if number is not None}
    work.samples |= ids
    proposals, failed, scores, disputes, reviews = [], [], [], [], []
    for sample, row in rows:
        number = ids[sample.id]
        for one in row["proposals"]:
            said = {key: value for key, value in one.items() if key not in ("run", "content_hash")}
            proposals.append(
                {"run_id": work.runs[one["run"]], "sample_id": number,
                 "content_hash": one["content_hash"], "document": said}
            )  # fmt: skip
        for one in row["failures"]:
            said = {key: value for key, value in one.items() if key != "run"}
            failed.append({**said, "run_id": work.runs[one["run"]], "sample_id": number})
        scores += [
            {"sample_id": number, "column": name, "value": float(digits), "digits": digits}
            for name, digits in row["scores"].items()
        ]
        disputes += [{**one, "sample_id": number, "at": moment(one["at"])} for one in row["disputes"]]
        for one in row["reviews"]:
            head = {**one, "updated_at": moment(one["updated_at"])}
            reviews.append({**head, "dataset_id": work.dataset_id, "sample_id": number})
    if failed:
        session.execute(insert(FailedRow), failed)
    for name, many in (("proposal", proposals), ("external_score", scores), ("dispute", disputes)):
        insert_many(session, tables[name], many)
    if reviews:
        insert_many(session, tables["review"], reviews)
        _remember(work, {number: key for key, number in ids.items()}, reviews)


def _sample(dataset_id: int, sample: Sample, row: Document) -> Document:
    drawn = row["sampling"]
    return {
        "dataset_id": dataset_id,
        "key": sample.id,
        "user_input": sample.user_input,
        "reference": sample.reference,
        "retrieved_contexts": list(sample.retrieved_contexts),
        "response": sample.response,
        "alternatives": list(sample.alternatives) or None,
        "group_key": sample.group,
        "meta": dict(sample.meta) or None,
        "reference_hash": sample.reference_hash,
        "content_hash": sample.content_hash,
        "u": drawn["u"],
        "blind_u": drawn["blind_u"],
        "rank": drawn["rank"],
        "size": drawn["size"],
        "stratum": drawn["stratum"],
        "holdout": drawn["holdout"],
    }


def _remember(work: Restoring, keys: Mapping[int, str], reviews: Sequence[Document]) -> None:
    table = METADATA.tables["review"]
    given = {(one["sample_id"], one["annotator"]): one for one in reviews}
    query = select(table.c.id, table.c.sample_id, table.c.annotator).where(
        table.c.sample_id.in_([one["sample_id"] for one in reviews])
    )
    for number, sample_id, annotator in work.session.execute(query):
        head = given[sample_id, annotator]
        work.reviews[keys[sample_id], annotator] = (number, head)


def add_events(work: Restoring, events: Iterable[Document]) -> None:
    """Add the journal in its order. Raises InputError for an event without a review, and as `_settle`."""
    waiting = iter(events)
    while chunk := list(islice(waiting, CHUNK)):
        proposals = _proposals(work, chunk)
        rows = []
        for one in chunk:
            known = work.reviews.get((one["id"], one["annotator"]))
            if known is None:
                raise InputError(f"an event of {one['annotator']} on {one['id']!r}, which has no such review")
            if (one["id"], one["annotator"]) in work.settled:  # it has more rows than its review says
                raise _differs(one["id"], one["annotator"])
            data = one["data"]
            if one["op"] == "open" and data["proposal"] is not None:
                place = (one["id"], data["proposal"]["run"], data["proposal"]["content_hash"])
                one["data"] = data = {**data, "proposal": proposals.get(place)}
            rows.append(
                {
                    "review_id": known[0],
                    "seq": one["seq"],
                    "dataset_id": work.dataset_id,
                    "annotator": one["annotator"],
                    "action": one["action"],
                    "op": one["op"],
                    "data": data,
                    "at": moment(one["at"]),
                    "seconds": one["seconds"],
                    "presses": one["presses"],
                }
            )
        insert_many(work.session, METADATA.tables["review_event"], rows)
        _settle(work, _in_one_piece(work, chunk))


def _proposals(work: Restoring, chunk: Sequence[Document]) -> dict[tuple[str, str, str], int]:
    """The numbers of the proposals that the opening rows of a chunk were filled from."""
    keys = {
        work.samples[one["id"]]: one["id"]
        for one in chunk
        if one["op"] == "open" and one["data"]["proposal"] is not None and one["id"] in work.samples
    }
    names = {number: name for name, number in work.runs.items()}
    table = METADATA.tables["proposal"]
    query = select(table.c.id, table.c.sample_id, table.c.run_id, table.c.content_hash).where(
        table.c.sample_id.in_(list(keys))
    )
    return {
        (keys[sample_id], names[run_id], content): number
        for number, sample_id, run_id, content in work.session.execute(query)
    }


def settle_reviews(work: Restoring) -> int:
    """Fold the journals that did not come in one piece and write their gold; the number of verified units.

    Raises as `_settle`.
    """
    waiting = iter([one for one in work.reviews if one not in work.settled])
    while chunk := list(islice(waiting, CHUNK)):
        events = journals(work.session, [work.reviews[one][0] for one in chunk])
        _settle(work, {one: events.get(work.reviews[one][0], []) for one in chunk})
    return work.units


def _in_one_piece(work: Restoring, chunk: Sequence[Document]) -> dict[tuple[str, str], list[Event]]:
    """The journals of which a chunk holds every row: as most do, and they need not be read back."""
    found: dict[tuple[str, str], list[Event]] = {}
    for one in sorted(chunk, key=itemgetter("seq")):
        event = Event(one["seq"], one["action"], one["annotator"], one["at"], edit_of(one["op"], one["data"]))
        found.setdefault((one["id"], one["annotator"]), []).append(event)
    return {one: events for one, events in found.items() if len(events) == work.reviews[one][1]["seq"] + 1}


def _settle(work: Restoring, journals: Mapping[tuple[str, str], Sequence[Event]]) -> None:
    """Fold whole journals and write the gold that they say.

    Raises InputError where a journal says something else than the head of its review, SpanError for a unit
    that does not quote its text.
    """
    texts = _texts(work, {work.reviews[one][1]["sample_id"] for one in journals})
    units: list[GoldRow] = []
    for (key, annotator), events in journals.items():
        number, head = work.reviews[key, annotator]
        state = fold(events)
        _check(key, annotator, head, state)
        sample_id = head["sample_id"]
        for kind in KINDS:
            if state.of(kind).disposition == "verified":
                counted = gold_units(state.of(kind).assessment.units)
                text = texts[sample_id]
                units += gold_rows(counted, text, work.dataset_id, sample_id, number, annotator)
    insert_gold(work.session, units)
    work.settled.update(journals)
    work.units += len(units)


def _texts(work: Restoring, ids: set[int]) -> dict[int, Sample]:
    """The samples by number, with the texts that units quote."""
    rows = work.session.exec(
        select(SampleRow.id, SampleRow.reference, SampleRow.retrieved_contexts).where(
            col(SampleRow.id).in_(ids)
        )
    )
    return {number or 0: Sample("", "", reference, tuple(contexts)) for number, reference, contexts in rows}


def _check(key: str, annotator: str, head: Document, state: ReviewState) -> None:
    said = (state.seq, state.entity.disposition, state.statement.disposition, state.flag)
    if said != (head["seq"], head["entity"], head["statement"], head["flag"]):
        raise _differs(key, annotator)


def _differs(key: str, annotator: str) -> InputError:
    return InputError(f"the journal of {annotator} on {key!r} says something else than its review")
