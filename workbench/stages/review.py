"""Opening a sample for review, acting on it, undoing, and hints at what looks like a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from workbench.comparing.causes import Difference
from workbench.matching import MATCHER
from workbench.matching.units import entity_units, language_of, statement_units
from workbench.model import (
    KINDS,
    Assessment,
    Effort,
    Imported,
    Kind,
    Policy,
    Proposal,
    Sample,
    Span,
    Tally,
    Unit,
)
from workbench.reviewing.edits import Edit, Open
from workbench.reviewing.fold import ReviewState, applied, carry, opened_with
from workbench.scoring.names import DEFAULT_SCORER, SCORERS, column_kind, headline
from workbench.scoring.scorers import assess_all, machine, score
from workbench.stages.sides import causes_of
from workbench.store import journal, queue, scores
from workbench.store.datasets import DatasetInfo, dataset_info
from workbench.store.engine import Store
from workbench.store.journal import Act, Moved, redo, undo
from workbench.store.samples import Stored, dataset_of, load_proposal, load_sample
from workbench.text.normalise import key

__all__ = ["DatasetInfo", "Moved", "redo", "undo"]

CARRIED = "verified units of the same reference"
"""The source of an opening that was filled from another sample's or a file's gold."""


@dataclass(frozen=True, slots=True)
class AutoScore:
    """An automatic score of a sample with the run it came from, or the number that the file has of it."""

    scorer: str
    kind: Kind
    tally: Tally | Imported
    value: float | None
    source: str


Written = Mapping[Kind, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Opened:
    """A sample as a person sees it. `opening` is what the journal's first row will say.

    `base` is the proposal that the review was opened with; the current run may have another one by now.
    `reopening` is set where a review exists of which nothing was touched, while there is more to show than
    when it was begun: the next act writes it. `causes` says of each verified kind why the automatic score
    shown first is another. `written` has the column of the file that stands for a kind, with its number of
    this sample as the file wrote it; shown as one of `automatic`, so never before those may be seen.
    """

    sample_id: int
    dataset: DatasetInfo
    stored: Stored
    sample: Sample
    policy: Policy
    state: ReviewState
    opening: Open
    blind: bool
    rematch: bool
    annotator: str
    automatic: tuple[AutoScore, ...]
    revealed: tuple[Unit, ...]
    base: Proposal | None = None
    reopening: Open | None = None
    causes: Mapping[Kind, Difference] = field(default_factory=dict)
    written: Written = field(default_factory=dict)

    def stale(self, kind: Kind) -> bool:
        """Whether a kind was verified under an older policy than today's."""
        state = self.state.of(kind)
        return state.disposition == "verified" and (state.policy or self.opening.policy) < self.policy.version


def open_sample(
    store: Store, sample_id: int, annotator: str, *, off_plan: bool = False, dataset_id: int | None = None
) -> Opened:
    """A sample with this annotator's review, or with what a new review would start from. Writes nothing.

    `off_plan`: it was chosen in an order that is no random one; a new review says so. `dataset_id` where it
    is known: that saves a query a key.
    """
    info = dataset_info(store, dataset_of(store, sample_id) if dataset_id is None else dataset_id)
    stored = load_sample(store, sample_id, info.run_id)
    state = journal.load_reviews(store, {sample_id: annotator}).get(sample_id)
    written = _written(store, info, sample_id)
    if state is None:
        opening = replace(_opening(store, info, stored, annotator), off_plan=off_plan)
        return _opened(info, stored, annotator, opened_with(opening), opening, stored.proposal, written)
    before = state.opened
    assert before is not None  # every journal begins with it
    reopening = _reopening(store, info, stored, annotator, state)
    if reopening is None:
        same = before.proposal == stored.proposal_id
        base = stored.proposal if same else load_proposal(store, before.proposal)
        return _opened(info, stored, annotator, state, before, base, written)
    again = applied(state, reopening)
    opened = _opened(info, stored, annotator, again, reopening, stored.proposal, written)
    return replace(opened, reopening=reopening)


def act(store: Store, opened: Opened, *edits: Edit, effort: Effort | None = None, action: str = "") -> Opened:
    """Commit one act of the person (one or more edits, one undo); on disk when this returns.

    `effort` is what the act cost since the one before. Raises ConflictError when another window was first:
    open the sample again and offer the act again. What an earlier try stored under the same `action` is not
    stored again.
    """
    (state,) = journal.record(store, [act_on(opened, *edits, effort=effort)], opened.annotator, action)
    # `record` found the text as it was shown, and a proposal never changes: nothing is read again
    return _opened(
        opened.dataset, opened.stored, opened.annotator, state, opened.opening, opened.base, opened.written
    )


def act_on(opened: Opened, *edits: Edit, effort: Effort | None = None) -> Act:
    """The act on a sample as the journal takes it."""
    return Act(
        opened.sample_id, opened.sample, opened.state, opened.opening, edits, opened.reopening, effort,
    )  # fmt: skip


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
    if before is None or before.shown == "blind" or not untouched:
        return None
    fresh = _opening(store, info, stored, annotator, untouched)
    news = tuple(one for one in fresh.assessments if one.units)
    shown = fresh.auto_shown or before.auto_shown  # an audit is not forgotten
    return replace(fresh, assessments=news, auto_shown=shown) if news else None


def _opening(
    store: Store, info: DatasetInfo, stored: Stored, annotator: str, kinds: Sequence[Kind] = KINDS
) -> Open:
    """What a new review starts from: gold units of the same reference, else the proposal, else nothing."""
    assessments = []
    rematch = False
    for kind in kinds:
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
    found = machine(sample, units, proposal, info.policy, threshold=info.threshold)
    return replace(found, source=source)


def _carried(
    info: DatasetInfo, stored: Stored, kind: Kind, units: Sequence[Unit], contexts: Sequence[str]
) -> Assessment:
    """Verified units of the same reference; verdicts that do not carry over are matched anew."""
    kept = carry(units, contexts, stored.sample.retrieved_contexts)
    if kind == "entity":
        matched = machine(stored.sample, kept, stored.proposal, info.policy, threshold=info.threshold).units
        kept = tuple(
            old if old.match.verdict is not None else new for old, new in zip(kept, matched, strict=True)
        )
    return Assessment(kind, CARRIED, kept)


def _opened(
    info: DatasetInfo,
    stored: Stored,
    annotator: str,
    state: ReviewState,
    opening: Open,
    base: Proposal | None,
    written: Written,
) -> Opened:
    decided = {kind for kind in KINDS if state.of(kind).disposition in ("verified", "excluded")}
    visible = set(KINDS) if opening.auto_shown else decided
    revealed: tuple[Unit, ...] = ()
    if opening.shown == "blind" and info.kinds[0] in decided and stored.proposal is not None:
        revealed = proposed(info, stored.sample, stored.proposal, info.kinds[0]).units
    assessments: Mapping[str, Assessment] = {}
    if visible and stored.proposal is not None:
        assessments = assess_all(
            stored.sample, stored.proposal, info.policy, threshold=info.threshold, evidence=False
        )
    lang = language_of(stored.sample, info.policy) if visible else ""
    return Opened(
        sample_id=stored.sample_id,
        dataset=info,
        stored=stored,
        sample=stored.sample,
        policy=info.policy,
        state=state,
        opening=opening,
        blind=opening.shown == "blind",
        rematch=opening.rematch or "contexts changed" in (state.entity.reason, state.statement.reason),
        annotator=annotator,
        automatic=(*_imported(written, visible), *_automatic(info, assessments, visible)),
        revealed=revealed,
        base=base,
        causes=causes_of(info, stored, assessments, state, opening, lang, written),
        written=written,
    )


def _written(store: Store, info: DatasetInfo, sample_id: int) -> Written:
    """The column of the file that stands for each reviewed kind, with its number of this sample."""
    digits = scores.external_of(store, [sample_id])[sample_id]
    found: dict[Kind, tuple[str, str]] = {}
    for kind in info.kinds:
        of_kind = [name for name in digits if column_kind(name) == kind]
        if of_kind:
            name = headline(of_kind, (), kind)
            found[kind] = name, digits[name]
    return found


def _imported(written: Written, kinds: set[Kind]) -> Iterator[AutoScore]:
    for kind, (name, digits) in written.items():
        if kind in kinds:
            yield AutoScore(name, kind, Imported(Fraction(digits)), float(digits), name)


def _automatic(
    info: DatasetInfo, assessments: Mapping[str, Assessment], kinds: set[Kind]
) -> tuple[AutoScore, ...]:
    found = []
    for name, assessment in assessments.items():
        if SCORERS[name] not in kinds:
            continue
        one = score(name, assessment)
        found.append(AutoScore(name, SCORERS[name], one.tally, one.value, f"{name} · {info.run}"))
    return tuple(found)


LONGEST = 20_000
"""Characters of a reference that are looked at, from its start: 150 ms in a thread at most."""


@dataclass(frozen=True, slots=True)
class NamePlaces:
    """The places of a text that look like names, in order, each with the normalised key of its wording."""

    lang: str
    places: tuple[tuple[Span, str], ...] = ()


NO_NAMES = NamePlaces("")


def names_of(opened: Opened) -> NamePlaces:
    """The names of a sample's reference as the rules see them; none when it is reviewed blind.

    About 1 ms for 500 characters and .2 s more the first time, so this belongs in a thread.
    """
    if opened.blind:
        return NO_NAMES
    return _names(opened.sample.reference[:LONGEST], language_of(opened.sample, opened.policy))


@lru_cache(maxsize=64)
def _names(text: str, lang: str) -> NamePlaces:
    from workbench.proposing.rules import entities  # .1 s: only where a sample is opened

    places: list[tuple[Span, str]] = []
    for entity in entities(text, lang):
        assert entity.start is not None
        assert entity.end is not None
        span = Span(entity.start, entity.end)
        if not places or span.start >= places[-1][0].end:  # a name inside another one is picked by its token
            places.append((span, key(entity.text, lang) or entity.text))
    return NamePlaces(lang, tuple(places))


def unmarked(names: NamePlaces, units: Sequence[Unit]) -> tuple[Span, ...]:
    """The names that no unit covers, touches or equals, whether it counts or is rejected."""
    if not names.places:
        return ()
    known = {key(unit.text, names.lang) or unit.text for unit in units}
    spans = sorted((span.start, span.end) for unit in units for span in unit.spans)
    free: list[Span] = []
    at, covered = 0, 0  # `covered`: how far the spans that begin before this name reach
    for name, same in names.places:
        while at < len(spans) and spans[at][0] < name.end:
            covered = max(covered, spans[at][1])
            at += 1
        if covered <= name.start and same not in known:
            free.append(name)
    return tuple(free)
