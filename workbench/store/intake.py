"""How one file goes into a dataset."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Literal

from sqlmodel import col, select

from workbench.reviewing.edits import IMPORT_ACTION
from workbench.store.engine import Store
from workbench.store.tables import RunRow

GoldRule = Literal["ignore", "given", "require"]


@dataclass
class Intake:
    """The settings of one import.

    `empty`: the dataset held no sample when the import began, and no key has come twice since.
    `planned`: the dataset has a plan, so that new samples come after it, `late` of them so far; looked up
    with every chunk.
    `reviews` and `units`: how many reviews got verified gold so far, and of how many units.
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
    action: str = field(default_factory=lambda: f"{IMPORT_ACTION}{uuid.uuid4().hex}")
    runs: dict[tuple[str, str], list[int]] = field(default_factory=dict)


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
