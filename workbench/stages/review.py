"""Opening a sample for review, acting on it, and undoing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from workbench.comparing.causes import Difference
from workbench.comparing.links import Sides, settling
from workbench.errors import UsageError
from workbench.matching import MATCHER
from workbench.matching.units import entity_units, language_of, statement_units
from workbench.model import KINDS, Assessment, Effort, Imported, Kind, Match, Proposal, Sample, Tally, Unit
from workbench.reviewing.edits import Accept, Dispose, Edit, Open
from workbench.reviewing.fold import (
    ReviewState,
    Verified,
    applied,
    carry,
    fold,
    opened_with,
    same_verdicts,
    with_kind,
)
from workbench.scoring.names import DEFAULT_SCORER, INSTEAD, SCORERS, column_of
from workbench.scoring.scorers import assess_all, machine, score
from workbench.stages.people import Deed, check
from workbench.stages.sides import VerifiedSide, causes_of
from workbench.store import assignments, gold, journal, queue, scores, training
from workbench.store.datasets import DatasetInfo, dataset_info
from workbench.store.engine import Store
from workbench.store.gold import Adjudication
from workbench.store.journal import Act, Moved, is_stored
from workbench.store.samples import Stored, dataset_of, load_proposal, load_sample
from workbench.store.tables import DECIDED

__all__ = ["DatasetInfo", "Moved", "Stored", "is_stored"]

CARRIED = "verified units of the same reference"
"""The source of an opening that was filled from another sample's or a file's gold."""


@dataclass(frozen=True)
class AutoScore:
    """An automatic value of a sample, or the number that the file has of it."""

    scorer: str
    kind: Kind
    tally: Tally | Imported
    value: float | None


Written = Mapping[Kind, tuple[str, str]]


@dataclass(frozen=True)
class Opened:
    """A sample as a person sees it.

    `base` is the proposal that the review was opened with; the current run may have another one by now.
    `reopening` is set where a review exists that nobody has seen, or of which nothing was touched while there
    is more to show than when it was begun: the next act writes it. `causes` says of each verified kind why
    the automatic value shown first is another. `suggested` are the matcher's verdicts on units of a decided
    blind review, where they are not the person's; `others` what everybody else verified, once all decided.
    `written` has the column of the file that stands for a kind, with its number as the file wrote it; shown
    as one of `automatic`, so never before those may be seen. `over`: what several people verified, where
    somebody settles it. `settled`: what stands of a kind that this person verified, where `others` may be
    seen. `given`: what stands of a kind that this person has not begun, by a file or settled. `standing`:
    what the verified value of a kind counts that shows now, the automatic one with it: settled, own or given.
    """

    sample_id: int
    dataset: DatasetInfo
    stored: Stored
    sample: Sample
    state: ReviewState
    annotator: str
    base: Proposal | None
    written: Written
    over: Sides | None = None
    others: Mapping[Kind, tuple[Verified, ...]] = field(default_factory=dict)
    settled: Mapping[Kind, Adjudication] = field(default_factory=dict)
    given: Mapping[Kind, Assessment] = field(default_factory=dict)
    standing: Mapping[Kind, VerifiedSide] = field(default_factory=dict)
    reopening: Open | None = None
    automatic: tuple[AutoScore, ...] = ()
    revealed: tuple[Unit, ...] = ()
    causes: Mapping[Kind, Difference] = field(default_factory=dict)
    suggested: Mapping[str, Match] = field(default_factory=dict)

    @property
    def opening(self) -> Open:
        """What was shown before the first edit: of a new review what its first row will say."""
        return self.state.opened

    @property
    def blind(self) -> bool:
        """Whether it is reviewed without suggestions."""
        return self.opening.shown == "blind"

    @property
    def rematch(self) -> bool:
        """Whether its units are verified, and their matches hold no more or were given for other contexts."""
        reasons = self.state.entity.reason, self.state.statement.reason
        return self.opening.rematch or "contexts changed" in reasons

    @property
    def lang(self) -> str:
        """The language of the reference."""
        return language_of(self.sample, self.dataset.policy)

    def units(self, kind: Kind) -> tuple[Unit, ...]:
        """The units of a kind as this person has them."""
        return self.state.of(kind).assessment.units

    def whose(self, kind: Kind) -> str:
        """Who has the units and verdicts that were settled, this person first; "" where nobody has."""
        settled = self.settled[kind]
        is_own = same_verdicts(self.state.of(kind).assessment, settled.assessment)
        return self.annotator if is_own else settled.whose

    def rematches(self, kind: Kind) -> bool:
        """Whether the matches of a kind are what is left to decide."""
        return self.rematch and kind not in self.given and self.state.of(kind).disposition not in DECIDED

    def stale(self, kind: Kind) -> bool:
        """Whether a kind was verified under an older policy that says something else than today's."""
        state = self.state.of(kind)
        version = state.policy or self.opening.policy
        return state.disposition == "verified" and version not in self.dataset.same_policies


def open_sample(
    store: Store,
    sample_id: int,
    annotator: str,
    *,
    off_plan: bool | None = False,
    info: DatasetInfo | None = None,
    state: ReviewState | None = None,
) -> Opened:
    """A sample with this annotator's review, or with what a new review would start from. Writes nothing.

    `off_plan`: it was chosen in an order that is no random one; a new review says so, or one that nobody has
    seen or that was undone whole; None for an edit that shows it to nobody. `info` is the dataset and
    `state` the review as they are now, where the caller has just read or written them.
    """
    info = info or dataset_info(store, dataset_of(store, sample_id))
    stored = load_sample(store, sample_id, info.run_id)
    state = state or journal.load_reviews(store, {sample_id: annotator}).get(sample_id)
    base, reopening = stored.proposal, None
    if state is None:
        state = opened_with(replace(_opening(store, info, stored, annotator), off_plan=off_plan))
    else:
        reopening = _reopening(store, info, stored, annotator, state)
        anew = state.opened.off_plan is None or state.disposition(info.kinds) == "todo"
        if anew and off_plan != state.opened.off_plan:
            reopening = replace(reopening or replace(state.opened, assessments=()), off_plan=off_plan)
        state = applied(state, reopening) if reopening else state
        if state.opened.proposal != stored.proposal_id:
            base = load_proposal(store, state.opened.proposal)
    written = written_of(store, info, sample_id)
    opened = Opened(
        sample_id, info, stored, stored.sample, state, annotator, base, written,
        reopening=reopening,
    )  # fmt: skip
    return shown(store, _with_others(store, opened))


def state_at(store: Store, opened: Opened, seq: int) -> ReviewState:
    """A review as it was up to a row of its journal; as a new review would begin before the first."""
    rows = journal.journal_of(store, opened.sample_id, opened.annotator)
    return fold(rows[: seq + 1]) if 0 <= seq < len(rows) else opened_with(opened.opening)


def act(store: Store, opened: Opened, *edits: Edit, effort: Effort | None = None, action: str = "") -> Opened:
    """Commit one act of the person (one or more edits, one undo); on disk when this returns.

    `effort` is what the act cost since the one before. Raises ConflictError when another window was first:
    open the sample again and offer the act again; UsageError for who may not do it any more. What an earlier
    try stored under the same `action` is not stored again.
    """
    over, adjudicated = opened.over, False

    def allowed() -> None:
        nonlocal adjudicated
        deed: Deed = "settle what others differ in" if over else "review"
        check(store, over.person if over else opened.annotator, deed)
        if over is None and any(isinstance(edit, Accept | Dispose) for edit in edits):
            adjudicated = gold.is_adjudicated(store, opened.sample_id)
            _refuse_trained(store, opened)

    acts = [act_on(opened, *edits, effort=effort)]
    (state,) = journal.record(store, acts, opened.annotator, action, check=allowed)
    # `record` found the text as it was shown, and a proposal never changes: nothing is read again
    opened = replace(opened, state=state, reopening=None)
    return shown(store, _with_others(store, opened) if adjudicated else opened)


def _refuse_trained(store: Store, opened: Opened) -> None:
    """Raise UsageError for a decision that others made before, and that training showed to the person."""
    number, who = opened.sample_id, opened.annotator
    trained = (who, number) in training.shown(store, opened.dataset.id, number)
    if trained and gold.verifiers(store, number, who):
        raise UsageError("this sample was one of your training, so you know its answer: leave it to others")


def _with_others(store: Store, opened: Opened) -> Opened:
    """Add what others verified of the kinds that this person decided, and what is settled of these.

    Nothing of a sample that is kept back, or that somebody has still to decide.
    """
    info, number = opened.dataset, opened.sample_id
    decided = [kind for kind in info.kinds if opened.state.of(kind).disposition in DECIDED]
    with store.snapshot():
        if opened.stored.holdout or (decided and info.overlap and assignments.waiting(store, [number])):
            decided = []
        others = {kind: gold.others_of(store, number, opened.annotator, kind) for kind in decided}
        standing = {kind: gold.settled(store, number, kind, others[kind]) for kind in decided}
        given = {kind: queue.given(store, info, opened.annotator, number, kind) for kind in info.kinds}
    settled = {kind: found for kind, found in standing.items() if found is not None}
    return replace(opened, others=others, settled=settled, given={k: one for k, one in given.items() if one})


def act_on(opened: Opened, *edits: Edit, effort: Effort | None = None) -> Act:
    """The act on a sample as the journal takes it."""
    by, over = (opened.over.person, opened.over.reviews) if opened.over else ("", ())
    return Act(
        opened.sample_id, opened.sample, opened.state, edits, opened.reopening, effort, by, over,
    )  # fmt: skip


def opened_anew(opened: Opened, opening: Open) -> Opened:
    """The sample with another opening, which the next act writes: as its first row, else as one more."""
    if opened.state.seq < 0:
        return replace(opened, state=replace(opened.state, opened=opening))
    shown = opened.reopening.assessments if opened.reopening else ()
    return replace(opened, reopening=replace(opening, assessments=shown))


def _reopening(
    store: Store, info: DatasetInfo, stored: Stored, annotator: str, state: ReviewState
) -> Open | None:
    """A new opening for the kinds that were shown empty and that nobody touched, when there is more now.

    A sample flagged before anything was proposed would stay empty for ever otherwise.
    """
    before = state.opened
    untouched = [
        kind for kind in info.kinds if not state.of(kind).touched and not state.of(kind).assessment.units
    ]
    if before.shown == "blind" or not untouched:
        return None
    fresh = _opening(store, info, stored, annotator, untouched)
    news = tuple(assessment for assessment in fresh.assessments if assessment.units)
    shown = fresh.auto_shown or before.auto_shown  # an audit is not forgotten
    return replace(fresh, assessments=news, auto_shown=shown, off_plan=before.off_plan) if news else None


def _opening(
    store: Store, info: DatasetInfo, stored: Stored, annotator: str, kinds: Sequence[Kind] = KINDS
) -> Open:
    """What a new review starts from: gold units of the same reference, else the proposal, else nothing."""
    assessments = []
    rematch = False
    for kind in kinds:
        sibling = None
        if kind in info.kinds and not stored.blind:
            sibling = queue.sibling_gold(store, stored.sample_id, kind, annotator)
        if sibling is not None:
            rematch = rematch or kind == info.kinds[0]
            assessments.append(_carried(info, stored, kind, *sibling))
        elif stored.proposal is not None and not stored.blind:
            assessments.append(proposed(info, stored.sample, stored.proposal, kind))
    return replace(
        opening_of(info, assessments, blind=stored.blind), proposal=stored.proposal_id, rematch=rematch
    )


def opening_of(info: DatasetInfo, assessments: Iterable[Assessment], *, blind: bool) -> Open:
    """The first row of a review that begins now; the units are those of no proposal."""
    return Open(
        proposal=None,
        matcher=MATCHER,
        threshold=info.threshold,
        policy=info.policy.version,
        shown="blind" if blind else "assisted",
        auto_shown=info.show_auto == "always" and not blind,
        assessments=tuple(assessments),
    )


def proposed(info: DatasetInfo, sample: Sample, proposal: Proposal, kind: Kind) -> Assessment:
    """The pre-filled assessment of one kind: proposed units with the matches of the `linked` scorer.

    Without context entities the matches are those of `presence`.
    """
    source = f"{DEFAULT_SCORER[kind]} · {info.run}"
    if kind == "statement":
        return Assessment(kind, source, statement_units(sample, proposal.statements or (), proposal.proposer))
    units = entity_units(sample, proposal.reference_entities or (), info.policy)
    return replace(machine(sample, units, proposal, info.matching), source=source)


def _carried(
    info: DatasetInfo, stored: Stored, kind: Kind, units: Sequence[Unit], contexts: Sequence[str]
) -> Assessment:
    """Verified units of the same reference; verdicts that do not carry over are matched anew."""
    carried = carry(units, contexts, stored.sample.retrieved_contexts)
    if kind == "entity":
        matched = machine(stored.sample, carried, stored.proposal, info.matching).units
        carried = tuple(
            old if old.match.verdict is not None else new for old, new in zip(carried, matched, strict=True)
        )
    return Assessment(kind, CARRIED, carried)


def shown(store: Store, opened: Opened) -> Opened:
    """The sample with what follows from its review and what others have of it, as a person sees it."""
    info, stored, state, over = opened.dataset, opened.stored, opened.state, opened.over
    for kind, units in over.units.items() if over else ():  # as they are now, as long as it is not over
        own = state.of(kind)
        if own.disposition not in DECIDED:
            state = with_kind(state, kind, replace(own, assessment=settling(own.assessment, units)))
    decided = {kind for kind in KINDS if state.of(kind).disposition in DECIDED}
    verified = [kind for kind in KINDS if state.of(kind).disposition == "verified"]
    settled = {kind: found for kind, found in opened.settled.items() if kind in verified}
    given = {kind: one for kind, one in opened.given.items() if state.of(kind).disposition == "todo"}
    standing = {kind: VerifiedSide(one) for kind, one in given.items()}
    standing |= {kind: VerifiedSide.of(state, kind, stored) for kind in verified}
    standing |= {kind: VerifiedSide(found.assessment) for kind, found in settled.items()}
    visible = set(KINDS) if state.opened.auto_shown else decided | given.keys()
    revealed: tuple[Unit, ...] = ()
    if opened.blind and info.kinds[0] in decided and stored.proposal is not None:
        revealed = proposed(info, stored.sample, stored.proposal, info.kinds[0]).units
    assessments: Mapping[str, Assessment] = {}
    if visible and stored.proposal is not None:
        assessments = assess_all(
            stored.sample, stored.proposal, info.matching, evidence=False, only=_able(stored.proposal)
        )  # fmt: skip
    return replace(
        opened,
        state=state,
        automatic=tuple(_automatic(opened.written, assessments, visible)),
        revealed=revealed,
        suggested=_suggested(info, stored, state) if opened.blind else {},
        causes=causes_of(store, info, stored, assessments, opened.written, standing),
        settled=settled,
        given=given,
        standing=standing,
    )


def _able(proposal: Proposal) -> tuple[str, ...]:
    """The scorers that count a sample; what stands for a scorer only where that cannot count."""
    stands_in = () if proposal.context_entities is None else INSTEAD.values()
    return tuple(name for name in SCORERS if name not in stands_in)


def _suggested(info: DatasetInfo, stored: Stored, state: ReviewState) -> dict[str, Match]:
    """Where the matcher is of another mind than the person who verified the entities of a blind sample.

    Not of one that is kept back: what is decided there stays the person's alone.
    """
    own = state.entity
    if stored.holdout or own.disposition != "verified":
        return {}
    units = [unit for unit in own.assessment.units if unit.counted]
    pairs = zip(units, machine(stored.sample, units, stored.proposal, info.matching).units, strict=True)
    return {unit.id: matched.match for unit, matched in pairs if unit.match.verdict != matched.match.verdict}


def written_of(store: Store, info: DatasetInfo, sample_id: int) -> Written:
    """The column of the file that stands for each reviewed kind, with its number of this sample."""
    digits = scores.external_of(store, [sample_id])[sample_id]
    columns = {kind: column_of(digits, kind) for kind in info.kinds}
    return {kind: (name, digits[name]) for kind, name in columns.items() if name}


def _automatic(
    written: Written, assessments: Mapping[str, Assessment], kinds: set[Kind]
) -> Iterator[AutoScore]:
    for kind, (name, digits) in written.items():
        if kind in kinds:
            yield AutoScore(name, kind, Imported(Fraction(digits)), float(digits))
    for name, assessment in assessments.items():
        if SCORERS[name] in kinds:
            scored = score(name, assessment)
            yield AutoScore(name, SCORERS[name], scored.tally, scored.value)
