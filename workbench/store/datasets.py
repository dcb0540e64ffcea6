"""Datasets, their settings and their policies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import exists, func, or_, select

from workbench.errors import AmbiguousError, NotFoundError
from workbench.model import Kind, Label, Policy
from workbench.reviewing.documents import policy_document, policy_of
from workbench.store.engine import Store
from workbench.store.scores import forget_scores
from workbench.store.tables import (
    CALIBRATION,
    DATASET,
    POLICY,
    REVIEW,
    RUN,
    SAMPLE,
    Dataset,
    PolicyRow,
    is_blind,
)


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A dataset with its settings, its policy and its current run."""

    id: int
    name: str
    policy: Policy
    threshold: int
    show_auto: str
    external: str
    seed: int
    blind_share: float
    blind_settled: bool
    run_id: int | None
    run: str
    calibration_id: int | None = None
    calibration: str = ""
    overlap: int = 0
    overlap_share: float = 1.0
    lease: int = 15

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The unit kinds that its policy reviews."""
        return self.policy.kinds

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels of its policy."""
        return self.policy.labels

    @property
    def guidelines(self) -> str:
        """The guidelines of its policy."""
        return self.policy.guidelines


def list_datasets(store: Store) -> list[DatasetInfo]:
    """All datasets, oldest first."""
    with store.reading():
        return [_info(*row) for row in store.rows(_settings().order_by(DATASET.id))]


def find_dataset(store: Store, name: str | None) -> DatasetInfo:
    """The dataset of that name, or the only one.

    Raises NotFoundError when there is none of that name, AmbiguousError when none is named and
    there are several; both say which there are.
    """
    known = list_datasets(store)
    if not known:
        raise NotFoundError("no dataset yet: workbench import FILE brings one in")
    names = {one.name: one for one in known}
    if name is None and len(known) > 1:
        raise AmbiguousError(f"several datasets: name one with --dataset ({', '.join(names)})", names)
    if name is not None and name not in names:
        raise NotFoundError(f"no dataset {name!r}; there is: {', '.join(names)}")
    return known[0] if name is None else names[name]


def dataset_info(store: Store, dataset_id: int) -> DatasetInfo:
    """The dataset of that number."""
    with store.reading():
        (row,) = store.rows(_settings().where(DATASET.id == dataset_id))
        return _info(*row)


def create_dataset(store: Store, name: str, *, seed: int, policy: Policy, annotator: str) -> int:
    """A new, empty dataset with its first policy; returns its number."""
    with store.writing() as session:
        dataset = Dataset(name=name, created_at=datetime.now(UTC), seed=seed)
        session.add(dataset)
        session.flush()
        assert dataset.id is not None
        session.add(_policy(dataset.id, 1, policy, annotator))
        return dataset.id


def set_dataset(store: Store, dataset_id: int, **settings: object) -> None:
    """Change settings of a dataset by column name (threshold, show_auto, blind_share, run_id, …)."""
    with store.writing() as session:
        row = session.get_one(Dataset, dataset_id)
        for name, value in settings.items():
            setattr(row, name, value)


def add_policy(store: Store, dataset_id: int, policy: Policy, annotator: str) -> int:
    """Store a changed policy as the next version and make it current; returns the version.

    The scores that were counted under the one before go in the same transaction.
    """
    with store.writing() as session:
        newest = store.value(select(func.max(POLICY.version)).where(POLICY.dataset_id == dataset_id))
        version = int(newest) + 1
        session.add(_policy(dataset_id, version, policy, annotator))
        session.get_one(Dataset, dataset_id).policy_version = version
        forget_scores(store, SAMPLE.dataset_id == dataset_id, external=False)
        return version


def _policy(dataset_id: int, version: int, policy: Policy, annotator: str) -> PolicyRow:
    return PolicyRow(
        dataset_id=dataset_id,
        version=version,
        document=policy_document(policy),
        annotator=annotator,
        created_at=datetime.now(UTC),
    )


def policy_versions(store: Store, dataset_id: int) -> list[tuple[Policy, str, datetime]]:
    """Every version of a dataset's policy with who made it and when, oldest first."""
    query = select(PolicyRow).where(POLICY.dataset_id == dataset_id).order_by(POLICY.version)
    return [
        (policy_of(row.document, row.version), row.annotator, row.created_at) for row in store.column(query)
    ]


def count_samples(store: Store, dataset_id: int) -> int:
    """How many samples a dataset has; a million take 50 ms."""
    return int(store.value(select(func.count(SAMPLE.id)).where(SAMPLE.dataset_id == dataset_id)))


def count_blind(store: Store, dataset_id: int) -> int:
    """How many samples of a dataset are to be reviewed blind: those that nobody verified are."""
    verified = or_(REVIEW.entity == "verified", REVIEW.statement == "verified")
    decided = exists().where(REVIEW.sample_id == SAMPLE.id, verified)
    query = select(func.count(SAMPLE.id)).where(
        SAMPLE.dataset_id == dataset_id,
        DATASET.id == dataset_id,
        is_blind(DATASET.blind_share),
        ~decided,
    )
    return int(store.value(query))


def _info(row: Dataset, policy: Any, run: str | None, calibration: str | None) -> DatasetInfo:
    assert row.id is not None
    return DatasetInfo(
        id=row.id,
        name=row.name,
        policy=policy_of(policy, row.policy_version),
        threshold=row.threshold,
        show_auto=row.show_auto,
        external=row.external,
        seed=row.seed,
        blind_share=row.blind_share,
        blind_settled=row.blind_settled,
        run_id=row.run_id,
        run=run or "",
        calibration_id=row.calibration_id,
        calibration=calibration or "",
        overlap=row.overlap,
        overlap_share=row.overlap_share,
        lease=row.lease,
    )


def _settings() -> Any:
    """Datasets with their policies and the names of their runs and calibrations."""
    run = select(RUN.name).where(RUN.id == DATASET.run_id).scalar_subquery()
    calibration = select(CALIBRATION.name).where(CALIBRATION.id == DATASET.calibration_id).scalar_subquery()
    return select(Dataset, POLICY.document, run, calibration).where(
        POLICY.dataset_id == DATASET.id, POLICY.version == DATASET.policy_version
    )
