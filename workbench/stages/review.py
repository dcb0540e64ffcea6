"""Reviewing: what a screen shows of a queue and a sample, and what a person's keys mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from workbench.matching.units import entity_units, language_of, statement_units
from workbench.model import (
    KINDS,
    Assessment,
    Disposition,
    Effort,
    Kind,
    Policy,
    Proposal,
    Sample,
    Score,
    Tally,
    Unit,
)
from workbench.reviewing.carry import carry
from workbench.reviewing.edits import Edit, Open
from workbench.reviewing.fold import ReviewState, opened_with, reopened
from workbench.scoring import linked, presence
from workbench.scoring.scorers import DEFAULT_SCORER, MATCHER, SCORERS, assess_all, score, value_of
from workbench.scoring.similarities import counted
from workbench.store import datasets as dataset_store
from workbench.store import journal, queue
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.journal import Act, Moved
from workbench.store.queue import PageRow, Progress
from workbench.store.samples import Stored, load_sample, load_samples

__all__ = ["DatasetInfo", "Moved", "Progress"]

PAGE = 1_000

CARRIED = "verified units of the same reference"
"""The source of an opening that was filled from another sample's or a file's gold."""


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the queue. `automatic` is None while there is none or while it is hidden."""

    sample_id: int
    key: str
    disposition: Disposition
    flag: str
    blind: bool
    rematch: bool
    reference: str
    scorer: str
    automatic: Tally | None
    verified: Tally | None
    delta: Fraction | None
    annotators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AutoScore:
    """An automatic score of a sample with the run it came from."""

    scorer: str
    kind: Kind
    tally: Tally
    value: float | None
    source: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A sample as a person sees it. `opening` is what the journal's first row will say.

    `reopening` is set where a review exists of which nothing was touched, while there is more to show than
    when it was begun: the next act writes it.
    """

    sample_id: int
    dataset: DatasetInfo
    sample: Sample
    policy: Policy
    state: ReviewState
    opening: Open
    blind: bool
    rematch: bool
    annotator: str
    automatic: tuple[AutoScore, ...]
    revealed: tuple[Unit, ...]
    reopening: Open | None = None

    def stale(self, kind: Kind) -> bool:
        """Whether a kind was verified under an older policy than today's."""
        state = self.state.of(kind)
        return state.disposition == "verified" and (state.policy or self.opening.policy) < self.policy.version


def datasets(store: Store) -> list[DatasetInfo]:
    """All datasets, oldest first."""
    return dataset_store.list_datasets(store)


def dataset(store: Store, name: str | None) -> DatasetInfo:
    """The named dataset, or the only one. Raises NotFoundError, AmbiguousError."""
    return dataset_store.find_dataset(store, name)


def queue_ids(
    store: Store, dataset_id: int, annotator: str, *, order: str = "u", search: str = "", state: str = ""
) -> list[int]:
    """The samples of a view: in queue order (`u`), `file` order, or by `delta`, largest first."""
    info = _info(store, dataset_id)
    ids = queue.queue_ids(store, dataset_id, annotator, info.kinds, order=order, search=search, state=state)
    if order == "delta":
        rows: dict[int, QueueRow] = {}
        for start in range(0, len(ids), PAGE):  # a statement of SQLite takes 32,766 values
            rows |= queue_rows(store, dataset_id, annotator, ids[start : start + PAGE])
        ids.sort(key=lambda number: -abs(float(rows[number].delta or 0)))
    return ids


def queue_rows(store: Store, dataset_id: int, annotator: str, ids: Sequence[int]) -> dict[int, QueueRow]:
    """The rows of some samples.

    Automatic values stay hidden until a sample is decided (`show_auto`), and what another person verified
    until this one has decided too; gold that came with a file is no one's secret.
    """
    info = _info(store, dataset_id)
    scorer = DEFAULT_SCORER[info.kinds[0]]
    rows = queue.page(
        store, dataset_id, ids, annotator, info.kinds,
        scorer=scorer, run_id=info.run_id, matcher=MATCHER, threshold=info.threshold,
    )  # fmt: skip
    decided_rows = {row.sample_id for row in rows if _decided(row)}
    open_rows = info.show_auto == "always"
    uncounted = [
        row.sample_id
        for row in rows
        if row.automatic is None and (row.sample_id in decided_rows or (open_rows and not row.blind))
    ]
    counted = _counted(store, info, uncounted, scorer)
    shown = {}
    for row in rows:
        decided = row.sample_id in decided_rows
        visible = decided or (open_rows and not row.blind)
        automatic = (row.automatic or counted.get(row.sample_id)) if visible else None
        verified = row.gold.tally if row.gold and decided else None
        shown[row.sample_id] = QueueRow(
            sample_id=row.sample_id,
            key=row.key,
            disposition=row.disposition,
            flag=row.flag,
            blind=row.blind,
            rematch=row.rematch,
            reference=row.reference,
            scorer=scorer,
            automatic=automatic.tally if automatic else None,
            verified=verified,
            delta=_delta(automatic.tally if automatic else None, verified),
            annotators=row.gold.annotators if row.gold else (),
        )
    return shown


def progress(store: Store, dataset_id: int, annotator: str) -> Progress:
    """Where the dataset stands for this annotator."""
    return queue.progress(store, dataset_id, annotator, _info(store, dataset_id).kinds)


def next_sample(store: Store, dataset_id: int, annotator: str, after: int | None = None) -> int | None:
    """The next undecided sample in queue order, from the start again once; None when all are decided."""
    return queue.next_sample(store, dataset_id, annotator, _info(store, dataset_id).kinds, after)


def open_sample(store: Store, sample_id: int, annotator: str, *, off_plan: bool = False) -> Opened:
    """A sample with this annotator's review, or with what a new review would start from. Writes nothing.

    `off_plan`: it was chosen in an order that is no random one; a new review says so.
    """
    bare = load_sample(store, sample_id, None)
    info = _info(store, bare.dataset_id)
    stored = load_sample(store, sample_id, info.run_id)
    review = journal.load_review(store, sample_id, annotator)
    if review is None:
        opening = replace(_opening(store, info, stored, annotator), off_plan=off_plan)
        return _opened(info, stored, annotator, opened_with(opening), opening)
    state, before = review.state, review.state.opened
    assert before is not None  # every journal begins with it
    reopening = _reopening(store, info, stored, annotator, state)
    if reopening is None:
        return _opened(info, stored, annotator, state, before)
    opened = _opened(info, stored, annotator, reopened(state, reopening), reopening)
    return replace(opened, reopening=reopening)


def act(store: Store, opened: Opened, *edits: Edit, effort: Effort | None = None) -> Opened:
    """Commit one act of the person (one or more edits, one undo); on disk when this returns.

    `effort` is what the act cost since the one before. Raises ConflictError when another window was first:
    open the sample again and offer the act again.
    """
    state = journal.record(store, act_on(opened, *edits, effort=effort), opened.annotator)
    stored = load_sample(store, opened.sample_id, opened.dataset.run_id)
    return _opened(opened.dataset, stored, opened.annotator, state, opened.opening)


def act_on(opened: Opened, *edits: Edit, effort: Effort | None = None) -> Act:
    """The act on a sample as the journal takes it."""
    return Act(
        opened.sample_id, opened.state.seq, opened.sample.content_hash, opened.opening, edits,
        opened.reopening, effort,
    )  # fmt: skip


def undo(store: Store, dataset_id: int, annotator: str) -> Moved | None:
    """Take back this annotator's newest act in the dataset, whichever sample it was on."""
    return journal.undo(store, dataset_id, annotator)


def redo(store: Store, dataset_id: int, annotator: str) -> Moved | None:
    """Restore the act that was undone last."""
    return journal.redo(store, dataset_id, annotator)


def _info(store: Store, dataset_id: int) -> DatasetInfo:
    return dataset_store.dataset_info(store, dataset_id)


def _reopening(
    store: Store, info: DatasetInfo, stored: Stored, annotator: str, state: ReviewState
) -> Open | None:
    """A new opening for the kinds that were shown empty and that nobody touched, when there is more now.

    A sample flagged before anything was proposed would stay empty for ever otherwise.
    """
    before = state.opened
    untouched = [kind for kind in KINDS if not state.of(kind).touched and not state.of(kind).assessment.units]
    if before is None or before.shown == "blind" or not untouched:
        return None
    fresh = _opening(store, info, stored, annotator)
    news = tuple(one for one in fresh.assessments if one.kind in untouched and one.units)
    return replace(fresh, assessments=news) if news else None


def _opening(store: Store, info: DatasetInfo, stored: Stored, annotator: str) -> Open:
    """What a new review starts from: gold units of the same reference, else the proposal, else nothing."""
    assessments = []
    rematch = False
    for kind in KINDS:
        sibling = None if stored.blind else queue.sibling_gold(store, stored.sample_id, kind, annotator)
        if sibling is not None:
            rematch = rematch or kind == info.kinds[0]
            assessments.append(_carried(info, stored, kind, *sibling))
        elif stored.proposal is not None and not stored.blind:
            assessments.append(proposed(info, stored.sample, stored.proposal, kind))
    return Open(
        proposal=stored.proposal_id,
        matcher=MATCHER,
        threshold=info.threshold,
        policy=info.policy.version,
        shown="blind" if stored.blind else "assisted",
        auto_shown=info.show_auto == "always" and not stored.blind,
        assessments=tuple(assessments),
        rematch=rematch,
    )


def proposed(info: DatasetInfo, sample: Sample, proposal: Proposal, kind: Kind) -> Assessment:
    """The pre-filled assessment of one kind: proposed units with the matches of the `linked` scorer.

    Without context entities the matches are those of `presence`.
    """
    source = f"{DEFAULT_SCORER[kind]} · {info.run}"
    if kind == "statement":
        return Assessment(kind, source, statement_units(sample, proposal.statements or (), proposal.proposer))
    lang = language_of(sample, info.policy)
    units = entity_units(sample, proposal.reference_entities or (), info.policy, lang)
    return replace(_matched(info, sample, proposal, units), source=source)


def _matched(
    info: DatasetInfo, sample: Sample, proposal: Proposal | None, units: Sequence[Unit]
) -> Assessment:
    lang = language_of(sample, info.policy)
    if proposal is not None and proposal.context_entities is not None:
        return linked.assess(sample, units, proposal.context_entities, threshold=info.threshold, lang=lang)
    return presence.assess(sample, units, policy=info.policy, threshold=info.threshold, lang=lang)


def _carried(
    info: DatasetInfo, stored: Stored, kind: Kind, units: Sequence[Unit], contexts: Sequence[str]
) -> Assessment:
    """Verified units of the same reference; verdicts that do not carry over are matched anew."""
    kept = carry(units, contexts, stored.sample.retrieved_contexts)
    if kind == "entity":
        matched = _matched(info, stored.sample, stored.proposal, kept).units
        kept = tuple(
            old if old.match.verdict is not None else new for old, new in zip(kept, matched, strict=True)
        )
    return Assessment(kind, CARRIED, kept)


def _opened(info: DatasetInfo, stored: Stored, annotator: str, state: ReviewState, opening: Open) -> Opened:
    decided = {kind for kind in KINDS if state.of(kind).disposition in ("verified", "excluded")}
    visible = set(KINDS) if opening.auto_shown else decided
    revealed: tuple[Unit, ...] = ()
    if opening.shown == "blind" and info.kinds[0] in decided and stored.proposal is not None:
        revealed = proposed(info, stored.sample, stored.proposal, info.kinds[0]).units
    return Opened(
        sample_id=stored.sample_id,
        dataset=info,
        sample=stored.sample,
        policy=info.policy,
        state=state,
        opening=opening,
        blind=opening.shown == "blind",
        rematch=opening.rematch or "contexts changed" in (state.entity.reason, state.statement.reason),
        annotator=annotator,
        automatic=_automatic(info, stored, visible) if visible else (),
        revealed=revealed,
    )


def _automatic(info: DatasetInfo, stored: Stored, kinds: set[Kind]) -> tuple[AutoScore, ...]:
    if stored.proposal is None:
        return ()
    assessments = assess_all(
        stored.sample, stored.proposal, info.policy, threshold=info.threshold, evidence=False
    )
    found = []
    for name, assessment in assessments.items():
        if SCORERS[name] not in kinds:
            continue
        one = score(name, assessment)
        found.append(AutoScore(name, SCORERS[name], one.tally, one.value, f"{name} · {info.run}"))
    return tuple(found)


def _decided(row: PageRow) -> bool:
    """Whether this annotator decided the sample, or its gold came with a file."""
    done = row.disposition in ("verified", "excluded")
    return done and (row.own or (row.gold is not None and row.gold.origin != "reviewed"))


def _counted(store: Store, info: DatasetInfo, ids: Sequence[int], scorer: str) -> dict[int, Score]:
    """The automatic scores of samples that `score` has not counted yet."""
    found = {}
    for stored in load_samples(store, ids, info.run_id):
        if stored.proposal is not None:
            tallies = counted(stored.sample, stored.proposal, info.policy).tallies(info.threshold)
            if scorer in tallies:
                found[stored.sample_id] = Score(scorer, tallies[scorer], value_of(scorer, tallies[scorer]))
    return found


def _delta(automatic: Tally | None, verified: Tally | None) -> Fraction | None:
    if automatic is None or verified is None or automatic.recall is None or verified.recall is None:
        return None
    return automatic.recall - verified.recall
