"""Datasets, their settings and their policies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, exists, func, or_
from sqlmodel import col, select

from workbench.errors import AmbiguousError, NotFoundError
from workbench.model import Kind, Label, Policy
from workbench.reviewing.documents import policy_document, policy_of
from workbench.store.engine import Store
from workbench.store.scores import forget_all
from workbench.store.tables import CalibrationRow, Dataset, PolicyRow, ReviewRow, RunRow, SampleRow, is_blind


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
    with store.reading() as session:
        return [_info(*row) for row in session.exec(_settings().order_by(col(Dataset.id)))]


def find_dataset(store: Store, name: str | None) -> DatasetInfo:
    """The dataset of that name, or the only one.

    Raises NotFoundError when there is none of that name, AmbiguousError when none is named and
    there are several; both say which there are.
    """
    known = list_datasets(store)
    if not known:
        raise NotFoundError("no dataset yet: workbench import FILE brings one in")
    names = [one.name for one in known]
    if name is None:
        if len(known) > 1:
            raise AmbiguousError(f"several datasets: name one with --dataset ({', '.join(names)})", names)
        return known[0]
    for one in known:
        if one.name == name:
            return one
    raise NotFoundError(f"no dataset {name!r}; there is: {', '.join(names)}")


def dataset_info(store: Store, dataset_id: int) -> DatasetInfo:
    """The dataset of that number."""
    with store.reading() as session:
        return _info(*session.exec(_settings_of_one(), params={"dataset": dataset_id}).one())


def create_dataset(store: Store, name: str, *, seed: int, policy: Policy, annotator: str) -> int:
    """A new, empty dataset with its first policy; returns its number."""
    now = datetime.now(UTC)
    with store.writing() as session:
        dataset = Dataset(name=name, created_at=now, seed=seed)
        session.add(dataset)
        session.flush()
        assert dataset.id is not None
        session.add(
            PolicyRow(
                dataset_id=dataset.id,
                version=1,
                document=policy_document(policy),
                annotator=annotator,
                created_at=now,
            )
        )
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
        dataset = session.get_one(Dataset, dataset_id)
        newest = session.exec(
            select(func.max(PolicyRow.version)).where(PolicyRow.dataset_id == dataset_id)
        ).one()
        version = int(newest) + 1
        session.add(
            PolicyRow(
                dataset_id=dataset_id,
                version=version,
                document=policy_document(policy),
                annotator=annotator,
                created_at=datetime.now(UTC),
            )
        )
        dataset.policy_version = version
        forget_all(session, dataset_id)
        return version


def policy_versions(store: Store, dataset_id: int) -> list[tuple[Policy, str, datetime]]:
    """Every version of a dataset's policy with who made it and when, oldest first."""
    with store.reading() as session:
        rows = session.exec(
            select(PolicyRow).where(PolicyRow.dataset_id == dataset_id).order_by(col(PolicyRow.version))
        ).all()
        return [(policy_of(row.document, row.version), row.annotator, row.created_at) for row in rows]


def count_samples(store: Store, dataset_id: int) -> int:
    """How many samples a dataset has; a million take 50 ms."""
    with store.reading() as session:
        return session.exec(
            select(func.count()).select_from(SampleRow).where(SampleRow.dataset_id == dataset_id)
        ).one()


def count_blind(store: Store, dataset_id: int) -> int:
    """How many samples of a dataset are to be reviewed blind: those that nobody verified are."""
    decided = exists().where(
        col(ReviewRow.sample_id) == col(SampleRow.id),
        or_(col(ReviewRow.entity) == "verified", col(ReviewRow.statement) == "verified"),
    )
    with store.reading() as session:
        return session.exec(
            select(func.count())
            .select_from(SampleRow)
            .join(Dataset, col(Dataset.id) == SampleRow.dataset_id)
            .where(SampleRow.dataset_id == dataset_id, is_blind(Dataset.blind_share), ~decided)
        ).one()


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
    )


def _settings() -> Any:
    """Datasets with their policies and the names of their runs and calibrations."""
    policy = (col(PolicyRow.dataset_id) == Dataset.id) & (col(PolicyRow.version) == Dataset.policy_version)
    return (
        select(Dataset, PolicyRow.document, RunRow.name, CalibrationRow.name)
        .join(PolicyRow, policy)
        .join(RunRow, col(RunRow.id) == Dataset.run_id, isouter=True)
        .join(CalibrationRow, col(CalibrationRow.id) == Dataset.calibration_id, isouter=True)
    )


@cache
def _settings_of_one() -> Any:
    """One dataset; made once, for making it takes longer than asking it, and every key asks."""
    return _settings().where(col(Dataset.id) == bindparam("dataset"))
