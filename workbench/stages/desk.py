"""What screens and pages ask of the stages: one open dataset and one annotator.

Importing this module loads the store; the terminal app does that in a thread, after its first frame. What
needs the matcher is asked of `queue_values`, `disputes` and `training`, which the app loads after the rows.
"""

from __future__ import annotations

import uuid
from array import array
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from workbench.errors import UsageError
from workbench.stages import queue
from workbench.stages.people import Deed, Trainee, check, people, settles, why_not
from workbench.store import gold, journal
from workbench.store.assignments import Held
from workbench.store.datasets import DatasetInfo, dataset_info, find_dataset, list_datasets
from workbench.store.engine import Store
from workbench.store.journal import Moved
from workbench.store.queue import view_ids
from workbench.store.samples import Stored, load_samples

P = ParamSpec("P")
R = TypeVar("R")
Step = Literal["undo", "redo"]


def new_action() -> str:
    """A name for one act, made before the first try: under it the next one finds what is stored."""
    return uuid.uuid4().hex


def _reads(
    fn: Callable[Concatenate[Store, DatasetInfo, str, P], R],
) -> Callable[Concatenate[Desk, P], Coroutine[Any, Any, R]]:
    """The method of a desk that reads this of its dataset, with its settings as they are now."""

    async def read(self: Desk, /, *args: P.args, **kwargs: P.kwargs) -> R:
        def run(store: Store) -> R:
            return fn(store, dataset_info(store, self.info.id), self.annotator, *args, **kwargs)

        return await self.store.read(run)

    return read


@dataclass(frozen=True)
class View:
    """The samples among which one goes on; `decided`: through all of them, for there is none to decide.

    `off_plan`: chosen or ordered in a way that a review begun here cannot stand for the whole dataset.
    `audited`: their automatic values show before they are decided, and their reviews say so.
    """

    ids: array[int]
    decided: bool
    off_plan: bool
    audited: bool = False


@dataclass(frozen=True)
class Desk:
    """Reads run beside the event loop, writes on the store's one writer thread, in order.

    `steps`: an undo and a redo that are not known to be stored, by the names that they have in the journal.
    `trainee`: how far the training of the annotator is.
    `resolves`: what people differ in is opened.
    """

    store: Store
    info: DatasetInfo
    annotator: str
    view: View | None = None
    steps: dict[str, str] = field(default_factory=dict, compare=False)
    trainee: Trainee | None = None
    resolves: bool = False

    first = _reads(queue.first)
    progress = _reads(queue.progress)
    standing = _reads(queue.standing)
    settling = _reads(queue.settling)
    pace = _reads(queue.pace)
    undoubted = _reads(queue.count_undoubted)
    facets = _reads(queue.facets)
    ids = _reads(view_ids)

    async def fresh(self) -> Desk:
        """The same desk, with the settings of its dataset as they are now."""
        return replace(self, info=await self.store.read(dataset_info, self.info.id))

    async def others(self) -> list[DatasetInfo]:
        """The other datasets of the database."""
        return [info for info in await self.store.read(list_datasets) if info.id != self.info.id]

    def among(self, ids: array[int], *, decided: bool, off_plan: bool, audited: bool = False) -> Desk:
        """The desk for going on among some samples."""
        return replace(self, view=View(ids, decided, off_plan, audited))

    async def texts(self, sample_id: int) -> Stored | None:
        """A sample as it was imported; None when it is gone."""
        found = await self.store.read(load_samples, [sample_id], None)
        return next(iter(found), None)

    async def held(self, sample_id: int) -> tuple[Held, ...]:
        """The places that others hold at a sample where this person has none."""
        if not self.info.overlap or self.resolves:
            return ()
        return await self.store.read(queue.held_by, sample_id, self.annotator)

    async def verifiers(self, sample_id: int) -> list[str]:
        """Who else verified a sample; nobody where people's reviews are settled without their names."""
        return [] if self.resolves else await self.store.read(gold.verifiers, sample_id, self.annotator)

    async def refusal(self, deed: Deed) -> str:
        """Why this person may not do something; empty for who may."""
        return why_not(await self.store.read(people), self.annotator, deed)

    async def decided_too(self, sample_id: int) -> str:
        """Who decided a sample that was this person's; nothing without assignments."""
        if not self.info.overlap or self.resolves:
            return ""
        return await self.store.read(queue.decided_too, sample_id, self.annotator)

    @property
    def nothing_left(self) -> str:
        """What to say when there is no next sample."""
        if self.resolves:
            return "nothing is left to settle"
        if self.view is None:
            return "no sample is left for you" if self.info.overlap else "every sample is decided"
        if self.view.audited:
            return "this was the last of the list: q shows the new answer"
        return (
            "this was the last of the view" if self.view.decided else "nothing in this view is left to decide"
        )

    def audits(self, sample_id: int) -> bool:
        """Whether the automatic values of a sample show before it is decided."""
        return self.view is not None and self.view.audited and sample_id in self.view.ids

    async def next(self) -> int | None:
        """The next sample to decide, in the view that one came from; None when there is none."""
        sample_id = await self.store.read(self.find_next)
        return await self.take_next() if sample_id is None else sample_id

    async def take_next(self) -> int | None:
        """With assignments, and outside of a view, take the next sample where one holds none."""
        if self.view is not None or self.resolves:
            return None
        return await self.store.write(queue.take_next, self.info.id, self.annotator)

    def find_next(self, store: Store, after: int | None = None) -> int | None:
        """The next sample after one; runs in a thread."""
        info = dataset_info(store, self.info.id)
        if self.resolves:
            within = {*self.view.ids} if self.view else None
            return queue.next_to_settle(store, info, self.annotator, after, within)
        if self.view is None:
            return queue.next_sample(store, info, self.annotator, after)
        ids, decided = self.view.ids, self.view.decided
        return queue.next_of(store, info, self.annotator, ids, after, decided=decided)

    def step(self, store: Store, step: Step) -> Moved | None:
        """Undo or redo in the writer's thread, under a name that is kept until it is stored."""
        take = undo if step == "undo" else redo
        moved = take(store, self.info.id, self.annotator, self.steps.setdefault(step, new_action()))
        del self.steps[step]
        return moved


def _step(
    step: Callable[..., Moved | None], store: Store, dataset_id: int, annotator: str, action: str = ""
) -> Moved | None:
    """Undo or redo of a person who may still do what it takes back or restores. Raises UsageError."""
    with store.writing():
        check(store, annotator, "review")
        moved = step(store, dataset_id, annotator, action, settles=settles(store, annotator))
        if moved is not None and moved.resolves:
            check(store, annotator, "settle what others differ in")
        return moved


undo, redo = partial(_step, journal.undo), partial(_step, journal.redo)


def open_desk(store: Store, dataset: str | None, annotator: str) -> Desk:
    """The desk for a dataset, None means the only one; where people are trained for it see `admitted`.

    Raises NotFoundError, AmbiguousError, UsageError for who may not review here.
    """
    if why := why_not(people(store), annotator, "review"):
        raise UsageError(why)
    return Desk(store, find_dataset(store, dataset), annotator)
