"""Datasets, their settings and their policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, bindparam, exists, func, select
from sqlalchemy.exc import IntegrityError

from workbench.errors import AmbiguousError, ConflictError, NotFoundError
from workbench.model import Alias, Kind, Matching, Policy, sha256
from workbench.reviewing.documents import policy_document, policy_of
from workbench.store.engine import Store
from workbench.store.scores import forget_scores
from workbench.store.tables import (
    BLANK_RANK,
    CALIBRATION,
    DATASET,
    POLICY,
    REVIEW,
    RUN,
    SAMPLE,
    UNIT,
    Dataset,
    PolicyRow,
    is_blind,
    stands_in,
)


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A dataset with its settings, its policy and its current run.

    `same_policies`: the versions of its policy under which reviews are what they are under the current one,
    itself among them.
    """

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
    training: Mapping[str, Any] | None = None
    training_of: int | None = None
    aliases: tuple[Alias, ...] = ()
    same_policies: tuple[int, ...] = (1,)

    @property
    def taught(self) -> str:
        """What the matcher was taught by now, as a hash; empty for nothing."""
        pairs = sorted(
            {repr((alias.text, alias.other, alias.group, alias.reference_hash)) for alias in self.aliases}
        )
        return sha256("\n".join(pairs)) if pairs else ""

    @property
    def matching(self) -> Matching:
        """How its names are matched."""
        return Matching(self.policy, self.threshold, self.aliases)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The unit kinds that its policy reviews."""
        return self.policy.kinds


def list_datasets(store: Store) -> list[DatasetInfo]:
    """All datasets, oldest first; without people's copies of training samples."""
    query = _SETTINGS.where(DATASET.training_of.is_(None)).order_by(DATASET.id)
    with store.reading():
        return [_info(store, row) for row in store.rows(query)]


def find_dataset(store: Store, name: str | None) -> DatasetInfo:
    """The dataset of that name, or the only one.

    Raises NotFoundError when there is none of that name, AmbiguousError when none is named and
    there are several; both say which there are.
    """
    if name is not None:  # one of many is found without the words of the others
        query = _SETTINGS.where(DATASET.name == name, DATASET.training_of.is_(None))
        with store.reading():
            for row in store.rows(query):
                return _info(store, row)
    known = list_datasets(store)
    if not known:
        raise NotFoundError("no dataset yet: workbench import FILE brings one in")
    names = [dataset.name for dataset in known]
    if name is not None:
        raise NotFoundError(f"no dataset {name!r}; there is: {', '.join(names)}")
    if len(known) > 1:
        raise AmbiguousError(f"several datasets: name one with --dataset ({', '.join(names)})", names)
    return known[0]


def dataset_info(store: Store, dataset_id: int) -> DatasetInfo:
    """The dataset of that number."""
    with store.reading():
        (row,) = store.rows(_SETTINGS_OF, dataset=dataset_id)
        return _info(store, row)


def create_dataset(store: Store, name: str, *, seed: int, policy: Policy, annotator: str) -> int:
    """A new, empty dataset with its first policy; returns its number.

    Raises ConflictError where the name is taken, also by a person's copy of training samples.
    """
    with store.writing() as session:
        dataset = Dataset(name=name, created_at=datetime.now(UTC), seed=seed)
        session.add(dataset)
        try:
            session.flush()
        except IntegrityError as error:
            raise ConflictError(f"the name {name!r} is taken: give another one with --dataset") from error
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
        store.hold(DATASET.id, dataset_id)  # two who change it at once make two versions
        (newest,) = store.numbers(select(func.max(POLICY.version)).where(POLICY.dataset_id == dataset_id))
        version = newest + 1
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
    return store.count(SAMPLE.id, SAMPLE.dataset_id == dataset_id)


def count_blind(store: Store, dataset_id: int) -> int:
    """How many samples of a dataset are to be reviewed blind: those that nobody verified are."""
    decided = exists().where(REVIEW.sample_id == SAMPLE.id, stands_in("verified"))
    own = SAMPLE.dataset_id == dataset_id, SAMPLE.rank < BLANK_RANK, DATASET.id == dataset_id
    return store.count(SAMPLE.id, *own, is_blind(DATASET.blind_share), ~decided)


def blind_ids(store: Store, info: DatasetInfo) -> set[int]:
    """The samples that are reviewed blind."""
    own = SAMPLE.dataset_id == info.id, SAMPLE.rank < BLANK_RANK
    return store.ids(SAMPLE.id, *own, is_blind(info.blind_share))


def _info(store: Store, row: Row[Any]) -> DatasetInfo:
    settings = row._asdict()
    policy, version, teaches = (settings.pop(name) for name in ("document", "version", "teaches"))
    learned = store.rows(_TAUGHT.where(UNIT.dataset_id == row.id)) if teaches else ()
    versions: Sequence[Any] = [(1, policy)]
    if version > 1:
        versions = store.rows(select(POLICY.version, POLICY.document).where(POLICY.dataset_id == row.id))
    return DatasetInfo(
        **settings,
        policy=policy_of(policy, version),
        aliases=tuple(Alias(*(*taught[:-1], taught[-1].date().isoformat())) for taught in learned),
        same_policies=tuple(version for version, document in versions if _says(document) == _says(policy)),
    )


def _says(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a policy says of the units; which kinds are reviewed and the keys change no review."""
    return {**document, "kinds": None, "labels": sorted(document["labels"].values())}


_SETTINGS = select(
    *(column for column in DATASET if column.name not in ("created_at", "policy_version", "salt", "trainee")),
    POLICY.document,
    POLICY.version,
    func.coalesce(select(RUN.name).where(RUN.id == DATASET.run_id).scalar_subquery(), "").label("run"),
    func.coalesce(
        select(CALIBRATION.name).where(CALIBRATION.id == DATASET.calibration_id).scalar_subquery(), ""
    ).label("calibration"),
    exists().where(UNIT.dataset_id == DATASET.id, UNIT.alias.is_not(None)).label("teaches"),
).where(POLICY.dataset_id == DATASET.id, POLICY.version == DATASET.policy_version)
"""Datasets with their policies, the names of their runs and calibrations, and whether any has an alias.

Columns, no object: for one the library prepares all classes of tables, before the queue has its first rows.
"""

_SETTINGS_OF = _SETTINGS.where(DATASET.id == bindparam("dataset"))

_TAUGHT = (
    select(
        UNIT.text, UNIT.alias, SAMPLE.key, SAMPLE.group_key, SAMPLE.reference_hash, UNIT.annotator,
        REVIEW.updated_at,
    )
    .where(
        UNIT.alias.is_not(None), UNIT.verdict == "found",
        SAMPLE.id == UNIT.sample_id, ~SAMPLE.holdout, REVIEW.id == UNIT.review_id,
    )
    .order_by(UNIT.id)
)  # fmt: skip
"""What people taught the matcher in the samples they verified; nothing is learned from the holdout."""
