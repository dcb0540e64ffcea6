"""What comes with a sample in a file: proposals, gold and scores, added in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from workbench.errors import RowError
from workbench.model import KINDS, Assessment, GoldRecord, Kind, Proposal, Record
from workbench.reviewing.documents import proposal_document
from workbench.reviewing.edits import Accept, Edit
from workbench.reviewing.gold import gold_units, same_gold
from workbench.store.engine import insert_many
from workbench.store.gold import verified_by
from workbench.store.importing_gold import assessments_of, differing_mark, new_marks, write_reviews
from workbench.store.intake import Intake, run_key
from workbench.store.journal import append_edits
from workbench.store.runs import new_run
from workbench.store.samples import sample_of
from workbench.store.tables import METADATA, ExternalScoreRow, ProposalRow, ReviewRow, SampleRow


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
