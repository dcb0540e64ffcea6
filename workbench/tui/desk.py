"""What the screens ask of the stages: one open dataset and one annotator.

Importing this module loads the store; the app does that in a thread, after its first frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.model import Effort
from workbench.reviewing.edits import Edit
from workbench.stages import policy, review, same
from workbench.stages.policy import PolicyVersion
from workbench.stages.review import DatasetInfo, Moved, Opened, Progress, QueueRow
from workbench.stages.same import Decision, Place
from workbench.store.engine import Store


@dataclass(frozen=True, slots=True)
class Desk:
    """Reads run beside the event loop, writes on the store's one writer thread, in order."""

    store: Store
    info: DatasetInfo
    annotator: str

    async def ids(self, *, order: str = "u", search: str = "", state: str = "") -> list[int]:
        """The sample ids of a view of the queue."""
        return await self.store.read(
            review.queue_ids, self.info.id, self.annotator, order=order, search=search, state=state
        )

    async def rows(self, ids: Sequence[int]) -> dict[int, QueueRow]:
        """A page of the queue."""
        return await self.store.read(review.queue_rows, self.info.id, self.annotator, ids)

    async def progress(self) -> Progress:
        """How far the dataset is."""
        return await self.store.read(review.progress, self.info.id, self.annotator)

    async def next(self, after: int | None = None) -> int | None:
        """The next undecided sample."""
        return await self.store.read(review.next_sample, self.info.id, self.annotator, after)

    async def open(self, sample_id: int, *, off_plan: bool = False) -> Opened:
        """A sample as it stands now; `off_plan` marks a new review."""
        return await self.store.read(review.open_sample, sample_id, self.annotator, off_plan=off_plan)

    async def act(self, opened: Opened, edit: Edit, effort: Effort | None = None) -> Opened:
        """Write one edit and what it cost; on disk when this returns. Raises ConflictError, StoreError."""
        return await self.store.write(review.act, opened, edit, effort=effort)

    async def policy_versions(self) -> list[PolicyVersion]:
        """Every version of the dataset's policy, oldest first."""
        return await self.store.read(policy.versions, self.info.id)

    async def same_places(
        self, opened: Opened, decision: Decision, looked_at: Callable[[int, int], bool]
    ) -> list[Place]:
        """The other samples in which the same can be decided; `looked_at` is called in a thread."""
        return await self.store.read(same.places, opened, decision, looked_at)

    async def decide_same(self, chosen: list[Place]) -> None:
        """Decide the same in all of them as one act; on disk when this returns."""
        await self.store.write(same.apply, self.annotator, chosen)

    async def undo(self) -> Moved | None:
        """Take back the newest act; None when there is none."""
        return await self.store.write(review.undo, self.info.id, self.annotator)

    async def redo(self) -> Moved | None:
        """Restore the act undone last; None when there is none."""
        return await self.store.write(review.redo, self.info.id, self.annotator)


def open_desk(store: Store, dataset: str | None, annotator: str) -> Desk:
    """The desk for a dataset; None means the only one. Raises NotFoundError, AmbiguousError."""
    return Desk(store, review.dataset(store, dataset), annotator)
