"""Training: samples with known answers that a person decides before any other, in a dataset of their own.

Each person has a copy of these samples, which no list of datasets shows. So nothing that they decide there
counts as gold, in an estimate or as agreement, and nobody sees what another one answered.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select

from workbench.model import Assessment, Kind
from workbench.reviewing.documents import edit_of
from workbench.reviewing.edits import Accept
from workbench.store.assignments import DECIDES, fill
from workbench.store.datasets import DatasetInfo, create_dataset, dataset_info, set_dataset
from workbench.store.engine import Store
from workbench.store.tables import (
    COLUMN,
    DATASET,
    EVENT,
    EXTERNAL,
    PASSED,
    PROPOSAL,
    REVIEW,
    SAMPLE,
    TWIN,
    Dataset,
    ExternalScoreRow,
    PassedRow,
    ProposalRow,
    RunRow,
    SampleRow,
    ScoreColumnRow,
    among,
    proposed_by,
)


def candidates(store: Store, info: DatasetInfo, ids: Collection[int], owners: Collection[str]) -> list[int]:
    """Those of some samples whose answer is known, in the order of the queue, one of each reference.

    An answer is known where it was adjudicated, came with the file, or is an owner's. Samples that are kept
    back stay unseen.
    """
    known = select(REVIEW.sample_id).where(
        REVIEW.dataset_id == info.id,
        *(REVIEW[kind] == "verified" for kind in info.kinds),
        (REVIEW.origin != "reviewed") | REVIEW.annotator.in_(owners),
    )
    query = select(SAMPLE.id, SAMPLE.reference_hash).where(
        among(SAMPLE.id, ids), SAMPLE.id.in_(known), ~SAMPLE.holdout
    )
    first: dict[str, int] = {}
    for number, reference in store.rows(query.order_by(SAMPLE.rank)):
        first.setdefault(reference, number)
    return list(first.values())


def begin(store: Store, info: DatasetInfo, ids: Sequence[int], mark: float) -> None:
    """Say which samples are for training, none to end it; who has not passed begins anew."""
    with store.writing():
        set_dataset(store, info.id, training={"pass": mark, "samples": list(ids)} if ids else None)
        store.update(Dataset, DATASET.training_of == info.id, trainee=None)
        fill(store, info.id)


def passed(store: Store, dataset_id: int) -> dict[str, str]:
    """Who has passed for a dataset, and by whose word."""
    return dict(store.rows(select(PASSED.annotator, PASSED.by).where(PASSED.dataset_id == dataset_id)))


def let_pass(store: Store, dataset_id: int, annotator: str, by: str) -> None:
    """Give a person the samples of a dataset from now on; `by` says who let them."""
    with store.writing() as session:
        store.hold(DATASET.id, dataset_id)  # the same in two windows at once is one row
        session.merge(PassedRow(dataset_id=dataset_id, annotator=annotator, by=by))
        session.flush()


def copies(store: Store, dataset_id: int) -> dict[str, int]:
    """The numbers of the copies in use, by person."""
    query = select(DATASET.trainee, DATASET.id).where(DATASET.training_of == dataset_id)
    return dict(store.rows(query.where(DATASET.trainee.is_not(None))))


def copy_for(store: Store, info: DatasetInfo, annotator: str) -> int:
    """Make a person's copy of the training samples, with the suggestions in use and the scores of files."""
    assert info.training is not None
    with store.writing() as session:
        store.hold(DATASET.id, info.id)
        there = copies(store, info.id).get(annotator)
        if there is not None:
            return there
        name = f"{info.name} · training of {annotator}"
        before = store.count(DATASET.id, DATASET.name.startswith(name, autoescape=True))
        copy_id = create_dataset(
            store, f"{name} ({before + 1})" if before else name, seed=info.seed, policy=info.policy,
            annotator=annotator,
        )  # fmt: skip
        settings = {
            "training_of": info.id, "trainee": annotator, "threshold": info.threshold,
            "show_auto": info.show_auto, "blind_share": info.blind_share, "blind_settled": True,
        }  # fmt: skip
        number: int | None = None
        if info.run_id is not None:
            run = session.get_one(RunRow, info.run_id).model_dump(exclude={"id"})
            added = RunRow(**run | {"dataset_id": copy_id, "parameters": {}})
            session.add(added)
            session.flush()
            number = added.id
        set_dataset(store, copy_id, run_id=number, **settings)
        ids = info.training["samples"]
        samples = store.column(select(SampleRow).where(among(SAMPLE.id, ids)).order_by(SAMPLE.rank))
        own = {"dataset_id": copy_id, "size": 1.0, "stratum": "", "holdout": False}
        store.insert(SampleRow, [row.model_dump(exclude={"id"}) | own for row in samples])
        twins = among(SAMPLE.id, ids), TWIN.dataset_id == copy_id, TWIN.key == SAMPLE.key
        twin = TWIN.id.label("sample_id")
        proposed = select(twin, PROPOSAL.content_hash, PROPOSAL.document).where(
            proposed_by(info.run_id), *twins
        )
        scores = select(twin, EXTERNAL.column, EXTERNAL.value, EXTERNAL.digits).where(
            EXTERNAL.sample_id == SAMPLE.id, *twins
        )
        columns = select(COLUMN.column, COLUMN.at).where(COLUMN.dataset_id == info.id)
        for table, query, of in (
            (ProposalRow, proposed, {"run_id": number}),
            (ScoreColumnRow, columns, {"dataset_id": copy_id}),
            (ExternalScoreRow, scores, {}),
        ):
            store.insert(table, [{**of, **row._mapping} for row in store.rows(query)])
        return copy_id


def answers(store: Store, copy_id: int) -> dict[str, dict[Kind, Assessment]]:
    """What was decided first of every sample of a copy, by id and kind; an excluded sample has no units."""
    kinds = dataset_info(store, copy_id).kinds
    by_key: dict[str, dict[Kind, Assessment]] = {}
    query = (
        select(SAMPLE.key, EVENT.op, EVENT.data)
        .where(
            EVENT.dataset_id == copy_id, EVENT.op.in_(("accept", "excluded")), REVIEW.id == EVENT.review_id,
            SAMPLE.id == REVIEW.sample_id,
        )
        .order_by(EVENT.id)
    )  # fmt: skip
    with store.reading():
        decided = [(key, edit_of(op, data)) for key, op, data in store.rows(query)]
    for key, edit in decided:
        empty = [Assessment(kind, "", ()) for kind in kinds]
        for assessment in [edit.assessment] if isinstance(edit, Accept) else empty:
            by_key.setdefault(key, {}).setdefault(assessment.kind, assessment)
    return {key: each for key, each in by_key.items() if each.keys() >= {*kinds}}


def shown(store: Store, dataset_id: int, sample_id: int | None = None) -> dict[tuple[str, int], int]:
    """The row of the journal after which a person knew the known answer, by person and sample; of all samples
    or of one."""
    learned = select(REVIEW.annotator, TWIN.id, func.min(EVENT.id)).where(
        DATASET.training_of == dataset_id, REVIEW.dataset_id == DATASET.id, SAMPLE.id == REVIEW.sample_id,
        TWIN.dataset_id == dataset_id, TWIN.key == SAMPLE.key, EVENT.review_id == REVIEW.id, DECIDES,
        *(() if sample_id is None else (TWIN.id == sample_id,)),
    )  # fmt: skip
    rows = store.rows(learned.group_by(REVIEW.annotator, TWIN.id))
    return {(annotator, sample_id): first for annotator, sample_id, first in rows}


def samples_of(store: Store, info: DatasetInfo) -> dict[int, str]:
    """The training samples of a dataset that are still there, with their ids."""
    numbers = info.training["samples"] if info.training else ()
    return dict(store.rows(select(SAMPLE.id, SAMPLE.key).where(among(SAMPLE.id, numbers))))
