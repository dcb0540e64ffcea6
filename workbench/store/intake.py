"""How one file goes into a dataset: its settings, what rows bring along, and their gold.

What the journal of a new review folds to is known beforehand, so nothing is read back or folded.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from sqlmodel import Session, col, func, select

from workbench.errors import RowError
from workbench.model import BY, KINDS, Assessment, GoldRecord, Kind, Marks, Proposal, Record
from workbench.reviewing.documents import edit_document, proposal_document
from workbench.reviewing.edits import IMPORT_ACTION, Accept, Comment, Dispose, Edit, Flag, Open
from workbench.reviewing.gold import gold_units, same_gold
from workbench.store.engine import Store, insert_many
from workbench.store.gold import GoldRow, gold_rows, insert_gold, verified_by
from workbench.store.journal import append_edits, events_of
from workbench.store.runs import new_run
from workbench.store.samples import sample_of
from workbench.store.tables import METADATA, ExternalScoreRow, ProposalRow, ReviewRow, RunRow, SampleRow
from workbench.text.lists import stored

GoldRule = Literal["ignore", "given", "require"]


@dataclass
class Intake:
    """The settings of one import.

    `empty`: the dataset held no sample when the import began, and no key has come twice since.
    `planned`: the dataset has a plan, so that new samples come after it, `late` of them so far; looked up
    with every chunk.
    `reviews` and `units`: how many reviews got verified gold so far, and of how many units.
    `before`: the highest number of a sample when the import began, and `met` those of earlier samples that
    rows of the file were for, with `update`: what a second row says otherwise contradicts the file itself.
    `by_text`: rows without an id that met a sample of the same text, `shared` those that met several, and
    `sharing` these samples.
    `action` names its journal rows; `runs` holds, by proposer and model, the runs that recorded
    proposals go into, and grows as new proposers arrive.
    """

    dataset_id: int
    seed: int
    policy_version: int
    annotator: str
    gold: GoldRule = "ignore"
    update: bool = False
    empty: bool = False
    planned: bool = False
    late: int = 0
    reviews: int = 0
    units: int = 0
    before: int = 0
    met: set[int] = field(default_factory=set)
    by_text: int = 0
    shared: int = 0
    sharing: int = 0
    action: str = field(default_factory=lambda: f"{IMPORT_ACTION}{uuid.uuid4().hex}")
    runs: dict[tuple[str, str], list[int]] = field(default_factory=dict)


def last_sample(store: Store) -> int:
    """The highest number of a sample in the database; 0 without any."""
    with store.reading() as session:
        return session.exec(select(func.max(SampleRow.id))).one() or 0


ANNOTATORS = "annotators"
"""The model of a run that holds what people marked in another tool."""


def run_key(proposal: Proposal) -> tuple[str, str]:
    """Which runs a recorded proposal may go into: those of its proposer and model.

    What people marked shares runs, so that samples that were divided among them are in one; a second
    person's marks of one sample go into the next.
    """
    return proposal.proposer, ANNOTATORS if proposal.model.startswith(BY) else proposal.model


def recorded_runs(store: Store, dataset_id: int) -> dict[tuple[str, str], list[int]]:
    """The runs that earlier files brought, by proposer and model."""
    runs: dict[tuple[str, str], list[int]] = {}
    with store.reading() as session:
        for run in session.exec(
            select(RunRow).where(RunRow.dataset_id == dataset_id).order_by(col(RunRow.id))
        ):
            if run.parameters.get("source") == "recorded" and run.id is not None:
                runs.setdefault((run.proposer, run.model), []).append(run.id)
    return runs


@dataclass(frozen=True, slots=True)
class Extras:
    """A stored sample's key and text, and the record it came with."""

    key: str
    content_hash: str
    record: Record


def add_extras(session: Session, intake: Intake, stored: Stored, extras: Sequence[Extras]) -> list[bool]:
    """Add proposals, gold and scores that `stored` does not refuse; for each sample whether any was new."""
    ids = _ids(session, intake.dataset_id, [extra.key for extra in extras])
    results: list[bool] = []
    bulk = _Bulk()
    for extra in extras:
        sample_id = ids[extra.key]
        added = False
        for proposal in _proposals(extra.record):
            added = _proposal(session, intake, stored, bulk, extra, sample_id, proposal) or added
        added = _scores(session, stored, bulk, extra, sample_id) or added
        if intake.gold != "ignore":
            for gold in extra.record.gold:
                added = _gold(session, intake, stored, bulk, extra, sample_id, gold) or added
        results.append(added)
    bulk.write(session, intake)
    return results


class _Bulk:
    """Rows of one chunk, gathered so that each table is written once."""

    def __init__(self) -> None:
        self.proposals: list[dict[str, Any]] = []
        self.scores: list[dict[str, Any]] = []
        self.reviews: list[tuple[int, GoldRecord, Record]] = []

    def write(self, session: Session, intake: Intake) -> None:
        tables = METADATA.tables
        if self.proposals:
            insert_many(session, tables["proposal"], self.proposals)
        if self.scores:
            insert_many(session, tables["external_score"], self.scores)
        if self.reviews:
            write_reviews(session, intake, self.reviews)


class Stored:
    """What the database already holds for the chunk's older samples."""

    def __init__(self, session: Session, intake: Intake, sample_ids: Sequence[int]) -> None:
        self.update = intake.update
        self.gold = intake.gold != "ignore"
        self.proposals: dict[tuple[int, str], dict[int, dict[str, Any]]] = {}
        self.scores: dict[tuple[int, str], ExternalScoreRow] = {}
        self.reviews: dict[tuple[int, str], ReviewRow] = {}
        self.verified: dict[tuple[int, str, Kind], Assessment] = {}
        if not sample_ids:
            return
        for row in session.exec(select(ProposalRow).where(col(ProposalRow.sample_id).in_(sample_ids))):
            self.proposals.setdefault((row.sample_id, row.content_hash), {})[row.run_id] = row.document
        for score in session.exec(
            select(ExternalScoreRow).where(col(ExternalScoreRow.sample_id).in_(sample_ids))
        ):
            self.scores[score.sample_id, score.column] = score
        for review in session.exec(select(ReviewRow).where(col(ReviewRow.sample_id).in_(sample_ids))):
            self.reviews[review.sample_id, review.annotator] = review
        for kind in KINDS if self.gold and self.reviews else ():
            for sample_id, found in verified_by(session, sample_ids, kind).items():
                for one in found:
                    self.verified[sample_id, one.annotator, kind] = one.assessment

    def forget_scores(self, sample_id: int) -> None:
        """The external scores of a sample whose text changed are gone."""
        self.scores = {key: score for key, score in self.scores.items() if key[0] != sample_id}

    def new_kinds(self, review: ReviewRow, gold: GoldRecord, *, differing: bool) -> set[Kind]:
        """The kinds of this gold that the review does not say yet; with `differing` only contradicted ones.

        Edits on their way and an exclusion are decisions too: gold contradicts them. The review's row and
        its gold say what its journal folds to, and are read for a whole chunk at once.
        """
        kinds: set[Kind] = set()
        for assessment in assessments_of(gold):
            disposition = review.entity if assessment.kind == "entity" else review.statement
            if disposition != "verified":
                if not differing or disposition in ("started", "excluded"):
                    kinds.add(assessment.kind)
                continue
            before = self.verified[review.sample_id, review.annotator, assessment.kind]
            if not same_gold(before, assessment):
                kinds.add(assessment.kind)
        return kinds

    def refuse(self, record: Record, sample_id: int, *, of_file: bool = False) -> RowError | None:
        """Why this row may not go in without --update: another number or other gold than stored.

        `of_file`: it was an earlier row of the same file that said so.
        """
        if self.update:
            return None
        replaces = "by an earlier row of the file" if of_file else "before (--update replaces it)"
        for column, digits in record.scores.items():
            row = self.scores.get((sample_id, column))
            if row is not None and row.digits != digits:
                return RowError(f"scores.{column}", digits, f"{row.digits} as stored {replaces}")
        for gold in record.gold if self.gold else ():
            review = self.reviews.get((sample_id, gold.annotator))
            if review is None:
                continue
            if (said := differing_mark(review, gold.marks)) is not None:
                return RowError(
                    "gold.disposition",
                    f"{said} of annotator {gold.annotator!r}",
                    f"what was stored {replaces}",
                )
            if self.new_kinds(review, gold, differing=True):
                return RowError(
                    "gold",
                    f"other gold of annotator {gold.annotator!r}",
                    f"the gold stored {replaces}",
                )
        return None


def _ids(session: Session, dataset_id: int, keys: Sequence[str]) -> dict[str, int]:
    rows = session.exec(
        select(SampleRow.key, SampleRow.id).where(
            SampleRow.dataset_id == dataset_id, col(SampleRow.key).in_(keys)
        )
    )
    return {key: number for key, number in rows if number is not None}


def _proposals(record: Record) -> tuple[Proposal, ...]:
    return () if record.proposal is None else (record.proposal, *record.others)


def _proposal(
    session: Session,
    intake: Intake,
    stored: Stored,
    bulk: _Bulk,
    extra: Extras,
    sample_id: int,
    proposal: Proposal,
) -> bool:
    document = proposal_document(proposal)
    have = stored.proposals.setdefault((sample_id, extra.content_hash), {})
    if document in have.values():
        return False
    key = run_key(proposal)
    runs = intake.runs.setdefault(key, [])
    run_id = next((run for run in runs if run not in have), None)
    if run_id is None:
        parameters = {"source": "recorded"}
        run_id = new_run(session, intake.dataset_id, *key, parameters, intake.annotator)
        runs.append(run_id)
    have[run_id] = document
    bulk.proposals.append(
        {
            "run_id": run_id,
            "sample_id": sample_id,
            "content_hash": extra.content_hash,
            "document": document,
        }
    )
    return True


def _scores(session: Session, stored: Stored, bulk: _Bulk, extra: Extras, sample_id: int) -> bool:
    added = False
    for column, digits in extra.record.scores.items():
        row = stored.scores.get((sample_id, column))
        if row is None:
            bulk.scores.append(
                {"sample_id": sample_id, "column": column, "value": float(digits), "digits": digits}
            )
        elif row.digits != digits:
            row.value, row.digits = float(digits), digits
        else:
            continue
        added = True
    return added


def _gold(
    session: Session,
    intake: Intake,
    stored: Stored,
    bulk: _Bulk,
    extra: Extras,
    sample_id: int,
    gold: GoldRecord,
) -> bool:
    review = stored.reviews.get((sample_id, gold.annotator))
    if review is None:
        bulk.reviews.append((sample_id, gold, extra.record))
        return True
    kinds = stored.new_kinds(review, gold, differing=False)
    given = [assessment for assessment in assessments_of(gold) if assessment.kind in kinds]
    edits: list[tuple[str, Edit]] = [(intake.action, Accept(assessment)) for assessment in given]
    edits += [(intake.action, edit) for edit in new_marks(session, review, gold.marks)]
    if not edits:
        return False
    for assessment in given:
        stored.verified[sample_id, gold.annotator, assessment.kind] = assessment
        intake.units += len(gold_units(assessment.units))
    intake.reviews += bool(given)
    append_edits(session, review, lambda: sample_of(session.get_one(SampleRow, sample_id)), edits)
    return True


Row = dict[str, Any]


def assessments_of(gold: GoldRecord) -> list[Assessment]:
    """What gold says, one assessment for each kind that it has."""
    parts: list[tuple[Kind, Any]] = [("entity", gold.entities), ("statement", gold.statements)]
    source = f"imported from {gold.annotator}"
    return [Assessment(kind, source, units) for kind, units in parts if units is not None]


def write_reviews(session: Session, intake: Intake, gold: Sequence[tuple[int, GoldRecord, Record]]) -> None:
    """Write reviews of samples, given by their numbers, that the annotators have not reviewed yet."""
    now = datetime.now(UTC)
    heads = [_head(intake, sample_id, record, now) for sample_id, record, _ in gold]
    insert_many(session, METADATA.tables["review"], heads)
    numbers = _review_ids(session, [sample_id for sample_id, _, _ in gold])
    events: list[Row] = []
    units: list[GoldRow] = []
    for sample_id, record, whole in gold:
        review_id = numbers[sample_id, record.annotator]
        rows: list[tuple[str, str]] = [_row(opening_of(record.marks, intake.policy_version))]
        for assessment in assessments_of(record):
            rows.append(_row(Accept(assessment)))
            units += gold_rows(
                gold_units(assessment.units),
                whole.sample,
                intake.dataset_id,
                sample_id,
                review_id,
                record.annotator,
            )
        rows += map(_row, marks_edits(record.marks))
        events += _events(intake, record, review_id, rows, now)
    insert_many(session, METADATA.tables["review_event"], events, encoded=True)
    insert_gold(session, units)
    intake.reviews += sum(
        record.entities is not None or record.statements is not None for _, record, _ in gold
    )
    intake.units += len(units)


def _head(intake: Intake, sample_id: int, record: GoldRecord, now: datetime) -> Row:
    said = record.marks.dispositions
    kinds = (record.entities is not None) + (record.statements is not None)
    return {
        "dataset_id": intake.dataset_id,
        "sample_id": sample_id,
        "annotator": record.annotator,
        "origin": "adjudicated" if record.marks.adjudicated else "imported",
        "policy_version": intake.policy_version,
        "shown": record.marks.shown or "import",
        "seq": kinds + len(marks_edits(record.marks)),
        "entity": said.get("entity", "todo") if record.entities is None else "verified",
        "statement": said.get("statement", "todo") if record.statements is None else "verified",
        "flag": record.marks.flag,
        "updated_at": now,
        "off_plan": record.marks.off_plan,
    }


def _row(edit: Edit) -> tuple[str, str]:
    """The operation and its data."""
    op, data = edit_document(edit)
    return op, stored(data)


def _events(
    intake: Intake, record: GoldRecord, review_id: int, rows: Sequence[tuple[str, str]], now: datetime
) -> list[Row]:
    spent = record.effort
    return [
        {
            "review_id": review_id,
            "seq": seq,
            "dataset_id": intake.dataset_id,
            "annotator": record.annotator,
            "action": intake.action,
            "op": op,
            "data": data,
            "at": now,
            "seconds": spent.seconds if spent and seq == 1 else None,
            "presses": spent.presses if spent and seq == 1 else None,
        }
        for seq, (op, data) in enumerate(rows)
    ]


def _review_ids(session: Session, sample_ids: Sequence[int]) -> dict[tuple[int, str], int]:
    rows = session.exec(
        select(ReviewRow.sample_id, ReviewRow.annotator, ReviewRow.id).where(
            col(ReviewRow.sample_id).in_(sample_ids)
        )
    )
    return {(sample_id, annotator): number for sample_id, annotator, number in rows if number is not None}


def opening_of(marks: Marks, policy_version: int) -> Open:
    """The first row of a review that came with a file."""
    return Open(None, "", 0, policy_version, marks.shown or "import", False, (), off_plan=marks.off_plan)


def marks_edits(marks: Marks) -> list[Edit]:
    """The edits that say what the marks say, in a review that is new."""
    edits: list[Edit] = [
        Dispose(marks.dispositions[kind], (kind,), reason=marks.reasons.get(kind, ""))
        for kind in KINDS
        if kind in marks.dispositions
    ]
    if marks.flag:
        edits.append(Flag(marks.flag))
    return [*edits, *(Comment(text) for text in marks.comments)]


def new_marks(session: Session, review: ReviewRow, marks: Marks) -> list[Edit]:
    """The edits for what a review that is there does not say yet."""
    edits: list[Edit] = [
        Dispose(said, (kind,), reason=marks.reasons.get(kind, ""))
        for kind, said in marks.dispositions.items()
        if said != (review.entity if kind == "entity" else review.statement)
    ]
    if marks.flag and marks.flag != review.flag:
        edits.append(Flag(marks.flag))
    if marks.comments:
        assert review.id is not None
        there = {
            event.edit.text for event in events_of(session, review.id) if isinstance(event.edit, Comment)
        }
        edits += [Comment(text) for text in marks.comments if text not in there]
    return edits


def differing_mark(review: ReviewRow, marks: Marks) -> str | None:
    """A disposition or flag that contradicts what the review says; None when nothing does."""
    for kind, said in marks.dispositions.items():
        before = review.entity if kind == "entity" else review.statement
        if before not in (said, "todo", "skipped"):
            return f"{said}, where it is {before},"
    if marks.flag and review.flag and marks.flag != review.flag:
        return "another flag"
    return None
