"""Edits of one sample's units, joining and dividing them, and one decision for a whole dataset."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from workbench.comparing.links import covered
from workbench.errors import InputError
from workbench.matching.names import Name, similarity
from workbench.matching.nearest import overlooked
from workbench.matching.presence import presence
from workbench.matching.units import names_of
from workbench.model import (
    KINDS,
    REASONS,
    Assessment,
    Disposition,
    Evidence,
    Kind,
    Match,
    Policy,
    Proposal,
    Reason,
    Span,
    Unit,
    Verdict,
)
from workbench.reviewing.edits import Accept, Dispose, Put, What
from workbench.reviewing.fold import settle
from workbench.scoring.scorers import machine
from workbench.stages.people import check
from workbench.stages.review import CARRIED, Opened, act_on, open_sample
from workbench.store import journal, samples
from workbench.store.engine import Store
from workbench.store.journal import Act
from workbench.store.tables import DECIDED
from workbench.text.figures import many
from workbench.text.ground import ground
from workbench.text.lists import listed
from workbench.text.normalise import key
from workbench.text.safe import cut, flat
from workbench.text.tokens import Token, sentences, tokens


def _put(what: What, unit: Unit, **changes: Any) -> Put:
    """One unit with something changed."""
    return Put(what, unit.kind, (replace(unit, **changes),))


def reject(opened: Opened, unit: Unit) -> Put:
    """Reject a unit, or restore one that does not count; a duplicate becomes a unit of its own."""
    if unit.counted:
        return _put("reject", unit, rejected=True)
    return _put("restore", unit, rejected=False, duplicate_of="")


def relabel(opened: Opened, unit: Unit, label: str) -> Put:
    """Give a unit another label."""
    return _put("relabel", unit, label=label, original_label="")


def toggle(opened: Opened, unit: Unit) -> Put:
    """found -> missing, anything else -> found with the best place in the contexts as evidence."""
    if unit.match.verdict == "found":
        return judge(unit, "missing")
    return judge(unit, "found", unit.match.evidence or best_evidence(opened, unit))


def set_evidence(opened: Opened, unit: Unit, evidence: tuple[Evidence, ...]) -> Put:
    """Found, for these places and no others; none takes the evidence away and leaves the verdict.

    Raises InputError for a place outside its context, and where there is nothing to take away.
    """
    if not evidence:
        if not unit.match.evidence:
            raise InputError("this unit has no evidence to take away")
        return _put("match", unit, match=replace(unit.match, evidence=(), alias=False))
    if not all(place.inside(opened.sample.retrieved_contexts) for place in evidence):
        raise InputError("this place lies outside the contexts")
    return judge(unit, "found", evidence)


LONGEST_NAME = 100
"""Characters of an alias at most: what is longer is a passage."""


def same_thing(opened: Opened, unit: Unit, place: Evidence | None) -> Put:
    """Found for this place, whose words name the same thing in the whole dataset; None takes that back.

    Words that match by themselves (`matches`) are evidence of this unit alone. Raises InputError for words
    that are no name, and in a sample that is kept back.
    """
    if place is None:
        return _put("match", unit, match=replace(unit.match, alias=False))
    if unit.kind == "statement":
        raise InputError("a statement is no name")
    if opened.stored.holdout:
        raise InputError("nothing is learned from a sample that is kept back; e chooses the evidence")
    placed = set_evidence(opened, unit, (place,))
    words = place.of(opened.sample.retrieved_contexts)
    lang = opened.lang
    if max(len(words), len(unit.text)) > LONGEST_NAME:
        raise InputError(f"too long for another name: it and the unit have {LONGEST_NAME} letters at most")
    if not key(words, lang) or not key(unit.text, lang):
        raise InputError(f"{words!r} is no name")
    if matches(opened, unit, words):
        return placed
    (found,) = placed.units
    return _put("match", found, match=replace(found.match, alias=True))


def matches(opened: Opened, unit: Unit, words: str) -> bool:
    """Whether name matching takes some words of a context for the unit, so that they need no alias."""
    alike, _ = similarity(Name(unit.text, unit.label), Name(words, unit.label), opened.lang)
    return alike >= opened.opening.threshold


def unsure(opened: Opened, unit: Unit) -> Put:
    """The person cannot tell."""
    return judge(unit, "unsure", unit.match.evidence)


def next_reason(opened: Opened, unit: Unit) -> Put:
    """Missing for the next reason: absent, partial, contradicted, other entity, and from the start again."""
    return judge(unit, "missing", reason=reason_after(unit))


def reason_after(unit: Unit) -> Reason:
    """The reason that comes after the one a unit is missing for; the first for one that is not missing."""
    given = unit.match.reason if unit.match.verdict == "missing" else None
    return REASONS[0 if given is None else (REASONS.index(given) + 1) % len(REASONS)]


def set_span(opened: Opened, unit: Unit, span: Span) -> Put:
    """Move a unit's principal span; an entity's text follows it, and its match, unless a person gave that.

    Found as "Paris" says nothing of "Paris in 1889". Moved back to where it was shown at first, the unit is
    worded as it was then.
    """
    shown = as_shown(opened, unit)
    if shown is not None and unit.kind == "entity" and shown.spans[:1] == (span,):
        match = unit.match if by_person(opened, unit) else shown.match
        back = replace(unit, text=shown.text, spans=shown.spans, proposed=shown.proposed, match=match)
        return Put("boundary", unit.kind, (back,))
    reference = opened.sample.reference
    text = span.of(reference) if unit.kind == "entity" else unit.text
    others = (s for s in unit.spans[1:] if s != span and s.of(reference) == text)
    moved = replace(unit, text=text, spans=(span, *others))
    if text == unit.text:
        return Put("boundary", unit.kind, (moved,))
    moved = replace(moved, proposed="")
    return Put("boundary", unit.kind, (moved,) if by_person(opened, unit) else matched(opened, moved))


def by_person(opened: Opened, unit: Unit) -> bool:
    """Whether a person gave the verdict: here, in the gold it came with, or by verifying the sample."""
    verified = opened.state.of(unit.kind).disposition == "verified"
    return verified or unit.match.rule in ("human", "carried") or unit.origin == "imported"


def as_shown(opened: Opened, unit: Unit) -> Unit | None:
    """The unit as the review showed it at first; None for one that a person made."""
    shown = (assessment for assessment in opened.state.opened.assessments if assessment.kind == unit.kind)
    units = (candidate for assessment in shown for candidate in assessment.units)
    return next((candidate for candidate in units if candidate.id == unit.id), None)


def add_span(opened: Opened, kind: Kind, span: Span, label: str = "") -> Put:
    """A new unit from a stretch of the reference; undecided when blind, else as the matcher finds it.

    Raises InputError for a name that is a unit already.
    """
    reference = opened.sample.reference
    surface = span.of(reference)
    refuse_twice(opened, kind, surface)
    spans = (span, *(other for other in ground(surface, reference) if other != span))
    unit = Unit(
        id=new_id(opened, kind),
        kind=kind,
        text=surface,
        label=label,
        spans=spans if kind == "entity" else (span,),
        origin="human",
    )
    return Put("add", kind, matched(opened, unit))


def accept(opened: Opened, kind: Kind, *, fast: bool = False) -> Accept:
    """Verify one kind as it stands; a counted unit without a verdict becomes unsure.

    Where people differ, each unit has to be decided before, and a blank reference has nothing to verify.
    Raises InputError.
    """
    over, units = opened.over, opened.units(kind)
    if opened.sample.blank:
        raise InputError("the reference is empty: there is nothing to accept. Exclude the sample, or skip it")
    if over is not None and (left := len(over.open(units))):
        raise InputError(
            f"{many(left, 'unit is', 'units are')} not settled yet: decide each, or E takes the rest"
        )
    source = f"verified by {opened.annotator}"
    settled = settle(Assessment(kind, source, units))
    return Accept(settled, fast, opened.dataset.policy.version, adjudicated=over is not None)


def skip(opened: Opened) -> Dispose:
    """Leave the sample for later: the kinds that are not decided.

    Raises InputError when all of them are.
    """
    kinds = tuple(kind for kind in opened.dataset.kinds if opened.state.of(kind).disposition not in DECIDED)
    if not kinds:
        raise InputError("this sample is decided; there is nothing to leave for later")
    return Dispose("skipped", kinds)


exclude = partial(Dispose, "excluded", KINDS)
"""Take the sample out of the figures, for a reason."""


def doubts(opened: Opened, kind: Kind) -> list[str]:
    """Why an accept should stop once: no unit, or counted ones not in the reference, unsure or undecided.

    Or what gave them a label says one that the policy does not have.

    Also those that name matching calls missing though a context has the same words, as in a longer name.
    """
    counted = [unit for unit in opened.units(kind) if unit.counted]
    numbers = {
        "not in the reference": sum(not unit.spans for unit in counted),
        "unsure": sum(unit.match.verdict == "unsure" for unit in counted),
        "undecided": sum(unit.match.verdict is None for unit in counted),
        "without a label of the policy": sum(_lost_label(unit, opened.dataset.policy) for unit in counted),
        "missing but in a context": sum(
            overlooked(unit, opened.sample.retrieved_contexts) for unit in counted
        ),
    }
    word = "name" if kind == "entity" else "statement"
    messages = [
        f"1 {word} is {name}" if number == 1 else f"{number} {word}s are {name}"
        for name, number in numbers.items()
        if number
    ]
    return messages if counted else [f"no {'entities' if kind == 'entity' else 'statements'}"]


def _lost_label(unit: Unit, policy: Policy) -> bool:
    """Whether the label that a unit had or was proposed with is none of the policy's labels."""
    names = policy.label_names()
    lost = unit.label not in names if unit.label else bool(unit.original_label)
    return bool(names) and unit.kind == "entity" and lost


def doubtful(unit: Unit, contexts: Sequence[str] = ()) -> bool:
    """Whether a person should look at the unit before accepting: what `doubts` names."""
    in_doubt = not unit.spans or unit.match.verdict in (None, "unsure") or overlooked(unit, contexts)
    return unit.counted and in_doubt


def least_certain(units: Sequence[Unit], contexts: Sequence[str] = ()) -> int:
    """Where the cursor starts: the unit most likely to need a hand; 0 when all are certain.

    Doubtful units first, then names found only inside a longer one, then near misses (a missing unit
    with similarity 75 or more), then the found unit with the lowest similarity.
    """

    def certainty(index: int) -> tuple[int, int, int]:
        unit = units[index]
        match = unit.match
        if not unit.counted:
            return 4, 0, index
        if doubtful(unit, contexts):
            return 0, 0, index
        if match.nested:
            return 1, 0, index
        if match.verdict == "missing" and match.similarity >= 75:
            return 2, -match.similarity, index
        return 3, match.similarity if match.verdict == "found" else 100, index

    return min(range(len(units)), key=certainty, default=0)


def best_evidence(opened: Opened, unit: Unit) -> tuple[Evidence, ...]:
    """Where a unit stands in the contexts, by presence: as it is worded, else as it was proposed.

    Nowhere when blind: whether the machine finds it would be a suggestion.
    """
    if opened.blind:
        return ()
    sample = opened.sample
    lang = opened.lang
    for text in dict.fromkeys((unit.text, unit.wording)):
        named = names_of([replace(unit, text=text, proposed="")], sample, lang, opened.dataset.aliases)
        match = presence(named, sample.retrieved_contexts, lang=lang)[0]
        if match.verdict == "found":
            return match.evidence
    return ()


def matched(opened: Opened, *units: Unit, gone: Collection[str] = ()) -> tuple[Unit, ...]:
    """Units that a person made or edited with the verdicts of the matcher that opened the sample.

    They are linked together with all that count: one name of a context finds one unit. Those whose ids are
    `gone` count no more. Nobody looked for new words when the names of the contexts were proposed, so the
    text of the contexts is searched for them too. Undecided when blind, and for statements.
    """
    if opened.blind or units[0].kind == "statement":
        return tuple(replace(unit, match=Match()) for unit in units)
    ids = {unit.id for unit in units} | {*gone}
    others = [unit for unit in opened.units("entity") if unit.counted and unit.id not in ids]
    alone = [replace(unit, duplicate_of="") for unit in units]
    linked, in_text = _by_machine(opened, alone, opened.base, others), _by_machine(opened, alone, None)
    contexts = opened.sample.retrieved_contexts
    return tuple(
        unit.matched(one.match if _is_as_shown(opened, unit) else _better(one.match, other.match, contexts))
        for unit, one, other in zip(units, linked, in_text, strict=True)
    )


def _is_as_shown(opened: Opened, unit: Unit) -> bool:
    shown = as_shown(opened, unit)
    return shown is not None and shown.text == unit.text


def _better(linked: Match, text: Match, contexts: Sequence[str]) -> Match:
    """The place in the text where a name stands there only, or with more of its words."""
    words, more = (len(match.evidence[0].of(contexts)) if match.evidence else 0 for match in (linked, text))
    if more <= words or (linked.verdict, text.verdict) == ("found", "missing"):
        return linked
    return text


def _by_machine(
    opened: Opened, units: Sequence[Unit], proposal: Proposal | None, among: Sequence[Unit] = ()
) -> tuple[Unit, ...]:
    """The units with the verdicts of the matcher; without a proposal by the text of the contexts alone."""
    matching = opened.dataset.matching._replace(threshold=opened.opening.threshold)
    return machine(opened.sample, units, proposal, matching, among).units


def judge(
    unit: Unit, verdict: Verdict, evidence: tuple[Evidence, ...] = (), reason: Reason = "absent"
) -> Put:
    """The verdict of a person on a unit: missing for a reason, anything else for places in the contexts.

    The note of a judge explains the verdict of the judge: another verdict has none.
    """
    match = Match(
        verdict=verdict,
        reason=reason if verdict == "missing" else None,
        evidence=evidence,
        similarity=unit.match.similarity,
        rule="human",
        note=unit.match.note if unit.match.verdict == verdict else "",
    )
    return _put("match", unit, match=match)


def refuse_twice(
    opened: Opened, kind: Kind, surface: str, *, but: Collection[str] = (), hint: str = ""
) -> None:
    """Mentions of one entity are one unit, and so is a claim. Raises InputError for what is one already.

    Units whose ids are in `but` are passed over; `hint` says what else a person can do.
    """
    lang = opened.lang

    def same(text: str) -> str:
        return (key(text, lang) or text) if kind == "entity" else text

    for unit in opened.units(kind):
        if unit.duplicate_of or unit.id in but:
            continue
        if same(surface) == same(unit.text):
            how = ", rejected: x restores it" if unit.rejected else f" and counts once{hint}"
            raise InputError(f"{cut(flat(unit.text), 20)!r} is in the list{how}")


def other_form(opened: Opened, span: Span) -> str:
    """The name of an entity that counts and that this is another form of; empty when there is none.

    A name inside a longer one is an entity of its own.
    """
    lang, surface = opened.lang, span.of(opened.sample.reference)
    for unit in opened.units("entity"):
        inside = any(outer.start <= span.start and span.end <= outer.end for outer in unit.spans)
        if unit.counted and unit.text != surface and not inside:
            alike, _ = similarity(Name(surface, unit.label), Name(unit.text, unit.label), lang)
            if alike >= opened.opening.threshold:
                return unit.text
    return ""


def new_id(opened: Opened, kind: Kind) -> str:
    """An id that no unit of the kind has had, rejected ones included."""
    taken = {unit.id for unit in opened.units(kind)}
    return next(name for name in map("h{}".format, count(1)) if name not in taken)


NEAR = 3
"""Tokens that may stand between two names which become one when they are merged."""

_BREAKS = frozenset("()[]（）［］\n")
_JOINING = listed("and or & und oder et ou y e o ed и или та і або ve och og")


def merge(opened: Opened, first: Unit, second: Unit) -> Put:
    """Make one unit of two: the first covers both, or the second becomes another name of it.

    Names that overlap or stand near each other become the stretch that covers both; names far apart, in two
    sentences or with a bracket between them ("United States (US)") are the first, with the second as its
    duplicate. Claims are joined. Raises InputError where they cannot be one.
    """
    if first.id == second.id or first.kind != second.kind or not (first.counted and second.counted):
        raise InputError("only two units that count can be merged")
    claims = first.kind == "statement"
    joined = _joined_claims(first, second) if claims else _joined_names(opened, first, second)
    units = opened.units(first.kind)
    followers = [replace(unit, duplicate_of=first.id) for unit in units if unit.duplicate_of == second.id]
    return Put("merge", first.kind, (joined, replace(second, duplicate_of=first.id), *followers))


def split(opened: Opened, unit: Unit, at: int) -> Put:
    """Part a unit before the token that begins at `at`: the first part keeps its id and label.

    The parts are worded as they stand in the reference, without the "and" between two names. Raises
    InputError where no part would be left or a part is a unit already.
    """
    if not any(token.start == at for token in split_tokens(opened, unit)):
        raise InputError("this unit cannot be split there")
    reference = opened.sample.reference
    left, right = _parts(reference, covered(unit), at, trim=unit.kind == "entity")
    label = unit.label
    first = replace(unit, text=_surface(reference, left), spans=left, proposed="", match=Match())
    second = Unit(
        new_id(opened, unit.kind), unit.kind, _surface(reference, right), label, right, origin="human"
    )
    if unit.kind == "statement":
        # What supports the whole supports its parts; what is missing may be missing from one of them only.
        match = unit.match if unit.match.verdict == "found" else Match()
        return Put("split", "statement", (replace(first, match=match), replace(second, match=match)))
    for part in (first, second):
        refuse_twice(opened, "entity", part.text, but=(unit.id,))
    return Put("split", "entity", matched(opened, _placed(opened, first), _placed(opened, second)))


def split_tokens(opened: Opened, unit: Unit) -> list[Token]:
    """The tokens of the reference before which a unit can be split; none for a unit of one word."""
    words = [token for span in covered(unit) for token in _words(opened.sample.reference, span)]
    return [token for token in words[1:] if token.text.lower() not in _JOINING]


def next_counted(units: Sequence[Unit], unit: Unit) -> Unit:
    """The unit that follows one in the text, past those that do not count. Raises InputError at the end.

    A proposal may name its units in any order.
    """
    placed = sorted(units, key=lambda unit: unit.spans[0].start if unit.spans else len(unit.text) + 10**9)
    after = placed[[unit.id for unit in placed].index(unit.id) + 1 :]
    if following := next((other for other in after if other.counted), None):
        return following
    raise InputError("no unit follows to merge with")


def _joined_claims(first: Unit, second: Unit) -> Unit:
    """Both claims in one: supported when both are, partial when one is, else undecided."""
    match, other = first.match, second.match
    verdicts = {match.verdict, other.verdict}
    joined = Match(
        evidence=tuple(dict.fromkeys((*match.evidence, *other.evidence))),
        note=" ".join(filter(None, (match.note, other.note))),
    )
    if verdicts <= {"found", "missing"}:
        joined = replace(joined, rule=match.rule if match.rule == other.rule else "merged")
        if verdicts == {"found"}:
            joined = replace(joined, verdict="found", similarity=min(match.similarity, other.similarity))
        else:
            reason = match.reason if match.reason == other.reason else "absent"
            joined = replace(joined, verdict="missing", reason="partial" if "found" in verdicts else reason)
    spans = tuple(dict.fromkeys((*first.spans, *second.spans)))
    text = f"{first.text.rstrip()} {second.text.lstrip()}"
    return replace(first, text=text, spans=spans, proposed="", match=joined)


def _joined_names(opened: Opened, first: Unit, second: Unit) -> Unit:
    reference = opened.sample.reference
    label = first.label or second.label
    if not first.spans and second.spans:  # what stands in the reference wins over what does not
        return replace(
            second, id=first.id, label=label, original_label=first.original_label, origin=first.origin
        )
    whole = _covering(opened, first, second)
    if whole is None or whole == first.spans[0]:
        found = second.match.verdict == "found" and first.match.verdict != "found"
        better = found and not by_person(opened, first)
        return replace(first, label=label, match=second.match if better else first.match)
    text = whole.of(reference)
    if whole == second.spans[0]:
        return replace(
            first, text=text, label=label, spans=second.spans, proposed=second.proposed, match=second.match
        )
    refuse_twice(opened, "entity", text, but=(first.id, second.id))
    joined = _placed(opened, replace(first, text=text, label=label, spans=(whole,), proposed=""))
    agreed = first.match.verdict == second.match.verdict
    if agreed and by_person(opened, first) and by_person(opened, second):
        return joined
    return matched(opened, joined, gone=(second.id,))[0]


def _placed(opened: Opened, unit: Unit) -> Unit:
    """A name with all the places where it stands."""
    reference = opened.sample.reference
    own = unit.spans[0]
    others = (
        span for span in ground(unit.text, reference)
        if span != own and span.of(reference) == unit.text
    )  # fmt: skip
    return replace(unit, spans=(own, *others))


def _covering(opened: Opened, first: Unit, second: Unit) -> Span | None:
    """The stretch over both names; None where they stand too far apart to be one."""
    if not first.spans or not second.spans:
        return None
    reference = opened.sample.reference
    low, high = sorted((first.spans[0], second.spans[0]), key=lambda span: (span.start, span.end))
    whole = Span(low.start, max(low.end, high.end))
    between = reference[low.end : high.start]
    if _BREAKS & set(between) or len(tokens(between)) > NEAR:
        return None
    if between and len(sentences(whole.of(reference))) > 1:
        return None
    others = (unit for unit in opened.units("entity") if unit.id not in (first.id, second.id))
    spans = (span for unit in others if unit.counted for span in unit.spans)
    return None if any(low.end <= span.start < high.start for span in spans) else whole


def _parts(
    reference: str, spans: tuple[Span, ...], at: int, *, trim: bool
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The spans before and from a place; `trim` leaves out punctuation and "and" at the cut."""
    position = next(index for index, span in enumerate(spans) if span.start <= at < span.end)
    cut = spans[position]
    before = tokens(reference[cut.start : at])
    while trim and len(before) > 1 and (not _wordy(before[-1]) or before[-1].text.lower() in _JOINING):
        before.pop()
    left = (Span(cut.start, cut.start + before[-1].end),) if before else ()  # none: the cut is between spans
    return (*spans[:position], *left), (Span(at, cut.end), *spans[position + 1 :])


def _words(reference: str, span: Span) -> list[Token]:
    words = [token for token in tokens(span.of(reference)) if _wordy(token)]
    return [Token(text, start + span.start, end + span.start) for text, start, end in words]


def _wordy(token: Token) -> bool:
    return any(letter.isalnum() for letter in token.text)


def _surface(reference: str, spans: tuple[Span, ...]) -> str:
    return " ".join(span.of(reference).strip() for span in spans)


@dataclass(frozen=True)
class Decision:
    """What was decided on one entity: rejected, restored, given another label, or added."""

    what: What
    text: str
    label: str

    @property
    def words(self) -> str:
        """`reject “Indian”`."""
        return (
            f"label “{self.text}” as {self.label}" if self.what == "relabel" else f"{self.what} “{self.text}”"
        )


@dataclass(frozen=True)
class Place:
    """A sample in which the same can be decided: the act on it, and the surface with the text around it."""

    key: str
    question: str
    disposition: Disposition
    act: Act
    before: str
    surface: str
    after: str

    @property
    def verified(self) -> bool:
        """Whether this changes what was verified already."""
        return self.disposition == "verified"


def decision_on(opened: Opened, unit: Unit) -> Decision:
    """What the person decided on a unit, against how it was shown at first.

    Raises InputError for a statement, and where nothing was decided that holds beyond this sample: whether
    an entity is found depends on each sample's contexts.
    """
    if unit.kind != "entity":
        raise InputError("a statement belongs to its own reference")
    if unit.rejected:
        return Decision("reject", unit.text, unit.label)
    if unit.origin == "human":
        return Decision("add", unit.text, unit.label)
    shown = as_shown(opened, unit)
    if shown is not None and shown.label != unit.label:
        return Decision("relabel", unit.text, unit.label)
    if shown is not None and not shown.counted:
        return Decision("restore", unit.text, unit.label)
    raise InputError("nothing to repeat elsewhere yet: first reject, label or add this unit")


def places(
    store: Store,
    opened: Opened,
    decision: Decision,
    looked_at: Callable[[int, int], bool] = lambda _done, _all: True,
) -> list[Place]:
    """The other samples of the dataset in which the same can be decided, in queue order.

    Left out: blind, excluded and skipped samples, and those that somebody else verified and this person has
    not begun. `looked_at(done, of)` is told how far it is; the search ends when it returns False.
    """
    found = []
    ids = samples.ids_with_text(store, opened.dataset.id, decision.text, opened.annotator)
    ids = [number for number in ids if number != opened.sample_id]
    for done, number in enumerate(ids, start=1):
        if not looked_at(done, len(ids)):
            break
        if place := _place(store, number, opened.annotator, decision):
            found.append(place)
    return found


def apply(store: Store, annotator: str, chosen: list[Place], action: str = "") -> None:
    """Decide the same in all of these samples, as one act.

    Raises ConflictError when one has moved on, UsageError for who may not review any more.
    """
    allowed = partial(check, store, annotator, "review")
    journal.record(store, [place.act for place in chosen], annotator, action, check=allowed)


def _place(store: Store, sample_id: int, annotator: str, decision: Decision) -> Place | None:
    """A sample as it stands, with the edits that the decision asks for; None where it asks for none."""
    other = open_sample(store, sample_id, annotator, off_plan=None)
    fresh = other.state.seq < 0
    carried = fresh and any(assessment.source == CARRIED for assessment in other.opening.assessments)
    if other.blind or carried or other.state.entity.disposition in ("excluded", "skipped"):
        return None
    edits = tuple(_edits(other, decision))
    if not edits:
        return None
    reference = other.sample.reference
    spans = ground(decision.text, reference) or tuple(edits[0].units[0].spans[:1])
    span = spans[0] if spans else Span(0, 0)
    return Place(
        other.sample.id, other.stored.question, other.state.entity.disposition, act_on(other, *edits),
        reference[max(0, span.start - 99) : span.start], span.of(reference),
        reference[span.end : span.end + 99],
    )  # fmt: skip


def _edits(other: Opened, decision: Decision) -> Iterator[Put]:
    if decision.what == "add":
        spans = ground(decision.text, other.sample.reference)
        if spans and not any(unit.text == decision.text for unit in other.units("entity")):
            with suppress(InputError):  # it is a unit there already, in another form
                yield add_span(other, "entity", spans[0], decision.label)
        return
    lang = other.lang
    same = key(decision.text, lang) or decision.text
    shown = {unit.id: unit.label for assessment in other.opening.assessments for unit in assessment.units}
    for unit in other.units("entity"):
        if (key(unit.text, lang) or unit.text) != same or unit.duplicate_of:
            continue
        if decision.what == "relabel":
            # a label that the person chose there stays
            if unit.counted and unit.label != decision.label and unit.label == shown.get(unit.id):
                yield relabel(other, unit, decision.label)
        elif unit.rejected != (decision.what == "reject"):
            yield reject(other, unit)
