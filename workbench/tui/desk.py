"""What the screens ask of the stages: one open dataset and one annotator.

Importing this module loads the store; the app does that in a thread, after its first frame.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Concatenate, Literal, ParamSpec, TypeVar

from workbench.errors import StoreError, UsageError
from workbench.model import Effort, Kind
from workbench.reviewing.edits import Edit
from workbench.stages import queue
from workbench.stages.queue import First, Order, Pace, Progress, QueueRow
from workbench.store.datasets import DatasetInfo, dataset_info, find_dataset, list_datasets
from workbench.store.engine import Store
from workbench.text.query import Query

if TYPE_CHECKING:
    from workbench.comparing.answer import Answer
    from workbench.comparing.figures import Figures
    from workbench.comparing.triage import Suspicion
    from workbench.stages.disputes import DisputeReport
    from workbench.stages.editing import Decision, Place
    from workbench.stages.policy import PolicyVersion
    from workbench.stages.queue_values import Facets
    from workbench.stages.review import Moved, Opened
    from workbench.stages.why import Why

P = ParamSpec("P")
R = TypeVar("R")

# What a review needs is imported where it is asked for: it loads the matcher, a tenth of the time until the
# queue's first rows. The app does that right after them (`_get_ready`).


@dataclass(frozen=True, slots=True)
class View:
    """The samples among which one goes on; `decided`: through all of them, for there is none to decide.

    `off_plan`: chosen or ordered in a way that a review begun here cannot stand for the whole dataset.
    `audited`: their automatic values show before they are decided, and their reviews say so.
    """

    ids: array[int]
    decided: bool
    off_plan: bool
    audited: bool = False


@dataclass(frozen=True, slots=True)
class Desk:
    """Reads run beside the event loop, writes on the store's one writer thread, in order."""

    store: Store
    info: DatasetInfo
    annotator: str
    view: View | None = None

    async def ids(self, query: Query = queue.EVERYTHING, order: Order = "u") -> array[int]:
        """The sample ids of a view of the queue."""
        if order == "delta" or queue.needs_values(query):
            await self._count_decided()
        return await self._read(queue.queue_ids, query, order)

    async def _read(
        self, fn: Callable[Concatenate[Store, DatasetInfo, str, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Read of the dataset with its settings as they are now."""

        def run(store: Store) -> R:
            return fn(store, dataset_info(store, self.info.id), self.annotator, *args, **kwargs)

        return await self.store.read(run)

    async def _count_decided(self) -> None:
        """Keep the automatic values of decided samples that `score` has not counted, chunk by chunk.

        Counted beside the writer thread, so that no decision waits for it.
        """
        from workbench.stages import queue_values
        from workbench.stages.recompute import save_counted

        info = await self.store.read(dataset_info, self.info.id)
        for chunk in await self._read(queue_values.uncounted):
            counted = await self.store.read(queue_values.count_some, info, chunk)
            try:
                await self.store.write(save_counted, counted)
            except StoreError:  # a database that takes no score: a view counts them for itself
                return

    async def first(self, before: int, after: int) -> First:
        """The samples around the next undecided one, with their rows."""
        return await self._read(queue.first, before, after)

    async def rows(self, ids: Sequence[int]) -> dict[int, QueueRow]:
        """A page of the queue."""
        return await self._read(queue.queue_rows, ids)

    async def causes(self, ids: Sequence[int]) -> dict[int, str]:
        """The main causes of Δ of decided samples."""
        from workbench.stages import queue_values

        return await self._read(queue_values.causes_of, ids)

    async def disputes(self) -> DisputeReport:
        """What disagrees, as this annotator may see it; what is not counted yet is counted and kept first."""
        from workbench.stages import disputes

        info = await self.store.read(dataset_info, self.info.id)
        return await asyncio.to_thread(disputes.disputes, self.store, info, self.annotator)

    async def undoubted(self) -> int:
        """How many samples have no doubt to be ordered by."""
        return await self._read(queue.count_undoubted)

    async def facets(self) -> Facets:
        """What there is to filter by, with counts."""
        from workbench.stages import queue_values

        return await self._read(queue_values.facets)

    async def datasets(self) -> list[DatasetInfo]:
        """All datasets of the database."""
        return await self.store.read(list_datasets)

    async def progress(self) -> Progress:
        """How far the dataset is."""
        return await self._read(queue.progress)

    async def planned(self) -> tuple[int, int] | None:
        """How many of the planned samples are complete, of how many; None without a plan."""
        from workbench.stages import plan

        return await self.store.read(plan.planned, self.info.id)

    @property
    def nothing_left(self) -> str:
        """What to say when there is no next sample."""
        if self.view is None:
            return "every sample is decided"
        return (
            "this was the last of the view" if self.view.decided else "nothing in this view is left to decide"
        )

    async def pace(self) -> Pace | None:
        """What a decided sample took; None as long as nothing was measured."""
        return await self._read(queue.pace)

    async def next(self, after: int | None = None) -> int | None:
        """The next sample to decide, in the view that one came from; None when there is none."""
        if self.view is None:
            return await self._read(queue.next_sample, after)
        return await self._read(queue.next_of, self.view.ids, after, decided=self.view.decided)

    async def open(self, sample_id: int, *, picked: bool = False) -> Opened:
        """A sample as it stands now; `picked` by hand, or in a view off the plan, marks a new review."""
        from workbench.stages import review

        off_plan = picked or (self.view is not None and self.view.off_plan)
        await self._audit(sample_id)
        return await self.store.read(review.open_sample, sample_id, self.annotator, off_plan=off_plan)

    async def _audit(self, sample_id: int) -> None:
        from workbench.stages import disputes

        if self.view is not None and self.view.audited and sample_id in self.view.ids:
            await self.store.write(disputes.audit, sample_id, self.annotator)

    async def open_next(self, after: int) -> Opened | None:
        """The next sample to decide, as it stands now; None when there is none."""
        found = await self.next(after)
        return None if found is None else await self.open(found)

    async def suspicion(self, opened: Opened, kind: Kind) -> Suspicion | None:
        """Why the score of a sample looks wrong, where it was picked for that; in a thread."""
        from workbench.model import Imported
        from workbench.stages.sides import suspicion

        audited = self.view is not None and self.view.audited and opened.sample_id in self.view.ids
        shown = [one for one in opened.automatic if one.kind == kind and audited]
        names = [one for one in shown if isinstance(one.tally, Imported)]
        names += [one for one in shown if one.scorer == "ragas"]
        value = names[0].value if names else None
        if value is None:
            return None
        return await asyncio.to_thread(suspicion, opened.dataset, opened.stored, value, kind)

    async def why(self, sample_id: int, kind: Kind, scorer: str | None = None) -> Why:
        """Why the values of a sample differ. Raises InputError while there is nothing to show."""
        from workbench.stages import why

        return await self.store.read(why.explain, sample_id, self.annotator, kind=kind, scorer=scorer)

    async def answer(self, scorer: str | None, progress: Callable[[int], None]) -> tuple[Answer, Figures]:
        """The answer about the headline score or another one, and all figures of it.

        `progress` is called in a thread. Raises UsageError.

        What is not counted yet is counted and kept first, so this is no read on one snapshot.
        """
        from workbench.settings import read_settings
        from workbench.stages.answer import answer

        def work() -> tuple[Answer, Figures]:
            usual = ""
            with suppress(UsageError):  # a configuration that cannot be read was complained of before
                usual = read_settings().scorer
            info = dataset_info(self.store, self.info.id)  # its run or threshold may be another by now
            return answer(
                self.store, info, self.annotator, scorer=scorer, usual=usual, on_screen=True,
                progress=progress,
            )  # fmt: skip

        return await asyncio.to_thread(work)

    async def act(
        self, opened: Opened, make: Callable[[Opened], Edit | None], effort: Effort | None = None
    ) -> tuple[Opened, Edit | None]:
        """Make an edit and write it with what it cost; on disk when this returns.

        Without an edit nothing is written. Making one may take a second (whether a name stands in 20 MB of
        contexts), so it is done in the writer's thread too. Raises ConflictError, InputError, StoreError.
        """
        from workbench.stages import review

        def write(store: Store) -> tuple[Opened, Edit | None]:
            edit = make(opened)
            return (opened if edit is None else review.act(store, opened, edit, effort=effort)), edit

        return await self.store.write(write)

    async def policy_versions(self) -> list[PolicyVersion]:
        """Every version of the dataset's policy, oldest first."""
        from workbench.stages import policy

        return await self.store.read(policy.versions, self.info.id)

    async def same_places(
        self, opened: Opened, decision: Decision, looked_at: Callable[[int, int], bool]
    ) -> list[Place]:
        """The other samples in which the same can be decided; `looked_at` is called in a thread."""
        from workbench.stages import editing

        return await self.store.read(editing.places, opened, decision, looked_at)

    async def decide_same(self, chosen: list[Place]) -> None:
        """Decide the same in all of them as one act; on disk when this returns."""
        from workbench.stages import editing

        await self.store.write(editing.apply, self.annotator, chosen)

    async def undo(self) -> Moved | None:
        """Take back the newest act; None when there is none."""
        from workbench.stages import review

        return await self.store.write(review.undo, self.info.id, self.annotator)

    async def redo(self) -> Moved | None:
        """Restore the act undone last; None when there is none."""
        from workbench.stages import review

        return await self.store.write(review.redo, self.info.id, self.annotator)

    async def move(self, step: Literal["undo", "redo"]) -> tuple[Moved, Opened | None] | None:
        """Undo or redo, and the sample it leads to; that is None when it cannot be opened."""
        from workbench.stages import review

        def write(store: Store) -> tuple[Moved, Opened | None] | None:
            done = review.undo if step == "undo" else review.redo
            moved = done(store, self.info.id, self.annotator)
            if moved is None:
                return None
            try:
                here = self.info.id
                return moved, review.open_sample(store, moved.sample_id, self.annotator, dataset_id=here)
            except Exception:  # what was written is written; who opens the sample itself is told why it fails
                return moved, None

        return await self.store.write(write)


def open_desk(store: Store, dataset: str | None, annotator: str) -> Desk:
    """The desk for a dataset; None means the only one. Raises NotFoundError, AmbiguousError."""
    return Desk(store, find_dataset(store, dataset), annotator)
