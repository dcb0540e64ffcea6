"""How one file goes into a dataset."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Literal

from sqlmodel import col, func, select

from workbench.model import BY, Proposal
from workbench.reviewing.edits import IMPORT_ACTION
from workbench.store.engine import Store
from workbench.store.tables import RunRow, SampleRow

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
