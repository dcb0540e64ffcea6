"""What a key means: an open sample and a unit -> an edit. Pure, in microseconds; nothing is written here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from workbench.errors import InputError
from workbench.matching.names import Name, similarity
from workbench.matching.presence import presence
from workbench.matching.units import language_of
from workbench.model import KINDS, REASONS, Assessment, Evidence, Kind, Match, Reason, Span, Unit, Verdict
from workbench.reviewing.edits import Accept, Dispose, Flag, Put
from workbench.reviewing.fold import settle
from workbench.scoring.scorers import machine
from workbench.stages.review import Opened
from workbench.text.ground import ground
from workbench.text.normalise import key


def reject(opened: Opened, unit: Unit) -> Put:
    """Reject a unit, or restore one that does not count; a duplicate becomes a unit of its own."""
    if unit.counted:
        return Put("reject", unit.kind, (replace(unit, rejected=True),))
    return Put("restore", unit.kind, (replace(unit, rejected=False, duplicate_of=""),))


def relabel(opened: Opened, unit: Unit, label: str) -> Put:
    """Give a unit another label."""
    return Put("relabel", unit.kind, (replace(unit, label=label, original_label=""),))


def toggle(opened: Opened, unit: Unit) -> Put:
    """found -> missing, anything else -> found with the best place in the contexts as evidence."""
    if unit.match.verdict == "found":
        return _match(unit, "missing")
    evidence = unit.match.evidence or best_evidence(opened, unit)
    return _match(unit, "found", evidence)


def set_evidence(opened: Opened, unit: Unit, evidence: tuple[Evidence, ...]) -> Put:
    """Found, for these places and no others; none takes the evidence away and leaves the verdict.

    Raises InputError for a place outside its context, and where there is nothing to take away.
    """
    if not evidence:
        if not unit.match.evidence:
            raise InputError("this unit has no evidence to take away")
        return Put("match", unit.kind, (replace(unit, match=replace(unit.match, evidence=())),))
    contexts = opened.sample.retrieved_contexts
    for place in evidence:
        inside = 0 <= place.context < len(contexts)
        if not inside or not 0 <= place.start < place.end <= len(contexts[place.context]):
            raise InputError("this place lies outside the contexts")
    return _match(unit, "found", evidence)


def unsure(opened: Opened, unit: Unit) -> Put:
    """The person cannot tell."""
    return _match(unit, "unsure", unit.match.evidence)


def next_reason(opened: Opened, unit: Unit) -> Put:
    """Missing for the next reason: absent, partial, contradicted, other entity, and from the start again."""
    put = _match(unit, "missing")
    changed = put.units[0]
    return replace(put, units=(replace(changed, match=replace(changed.match, reason=reason_after(unit))),))


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
        back = replace(unit, text=shown.text, spans=shown.spans, proposed=shown.proposed)
        return Put("boundary", unit.kind, _worded(opened, unit, back))
    surface = opened.sample.reference[span.start : span.end]
    text = surface if unit.kind == "entity" else unit.text
    further = (s for s in unit.spans[1:] if s != span)
    others = tuple(s for s in further if opened.sample.reference[s.start : s.end] == text)
    changed = replace(unit, text=text, spans=(span, *others))
    if unit.kind == "statement" or text == unit.text:
        return Put("boundary", unit.kind, (changed,))
    return Put("boundary", unit.kind, _worded(opened, unit, replace(changed, proposed="")))


def _worded(opened: Opened, before: Unit, unit: Unit) -> tuple[Unit, ...]:
    """An entity with other words: the machine's verdict follows them, a person's stays."""
    return (unit,) if by_person(opened, before) else matched(opened, unit)


def by_person(opened: Opened, unit: Unit) -> bool:
    """Whether a person gave the verdict: here, in the gold it came with, or by verifying the sample."""
    verified = opened.state.of(unit.kind).disposition == "verified"
    return verified or unit.match.rule in ("human", "carried") or unit.origin == "imported"


def as_shown(opened: Opened, unit: Unit) -> Unit | None:
    """The unit as the review showed it at first; None for one that a person made."""
    shown = opened.state.opened.assessments if opened.state.opened else ()
    units = (one for assessment in shown for one in assessment.units if assessment.kind == unit.kind)
    return next((one for one in units if one.id == unit.id), None)


def add_text(opened: Opened, kind: Kind, text: str, label: str = "") -> Put:
    """A new unit from typed text.

    Raises InputError when the text does not stand in the reference.
    """
    typed = text.strip()
    spans = ground(typed, opened.sample.reference) if typed else ()
    if not spans:
        raise InputError(f"{typed[:60]!r} is not in the reference text; type it as it is written there")
    return add_span(opened, kind, spans[0], label, text=typed if kind == "statement" else "")


def add_span(opened: Opened, kind: Kind, span: Span, label: str = "", *, text: str = "") -> Put:
    """A new unit from a stretch of the reference; undecided when blind, else matched as the others were.

    Raises InputError for a name that is a unit already.
    """
    reference = opened.sample.reference
    surface = reference[span.start : span.end]
    refuse_twice(opened, kind, text or surface)
    spans = (span, *(other for other in ground(surface, reference) if other != span))
    unit = Unit(
        id=new_id(opened, kind),
        kind=kind,
        text=text or surface,
        label=label,
        spans=spans if kind == "entity" else (span,),
        origin="human",
    )
    return Put("add", kind, matched(opened, unit))


def accept(opened: Opened, kind: Kind, *, fast: bool = False) -> Accept:
    """Verify one kind as it stands; a counted unit without a verdict becomes unsure."""
    assessment = opened.state.of(kind).assessment
    source = f"verified by {opened.annotator}"
    settled = settle(Assessment(kind, source, assessment.units))
    return Accept(settled, fast=fast, policy=opened.policy.version)


def skip(opened: Opened) -> Dispose:
    """Leave the sample for later: the kinds that are not decided.

    Raises InputError when all of them are.
    """
    kinds = tuple(
        kind
        for kind in opened.dataset.kinds
        if opened.state.of(kind).disposition not in ("verified", "excluded")
    )
    if not kinds:
        raise InputError("this sample is decided; there is nothing to leave for later")
    return Dispose("skipped", kinds)


def exclude(opened: Opened, reason: str) -> Dispose:
    """Take the sample out of the figures, for a reason."""
    return Dispose("excluded", KINDS, reason)


def flag(opened: Opened, reason: str) -> Flag:
    """Mark the sample; an empty reason takes the mark off."""
    return Flag(reason)


def doubts(opened: Opened, kind: Kind) -> list[str]:
    """Why an accept should stop once: no unit, or counted ones not in the reference, unsure or undecided."""
    counted = [unit for unit in opened.state.of(kind).assessment.units if unit.counted]
    numbers = {
        "not in the reference": sum(not unit.grounded for unit in counted),
        "unsure": sum(unit.match.verdict == "unsure" for unit in counted),
        "undecided": sum(unit.match.verdict is None for unit in counted),
    }
    word = "name" if kind == "entity" else "statement"
    found = [
        f"1 {word} is {name}" if number == 1 else f"{number} {word}s are {name}"
        for name, number in numbers.items()
        if number
    ]
    return found if counted else [f"no {'entities' if kind == 'entity' else 'statements'}"]


def best_evidence(opened: Opened, unit: Unit) -> tuple[Evidence, ...]:
    """Where a unit stands in the contexts, by presence: as it is worded, else as it was proposed.

    Nowhere when blind: whether the machine finds it would be a suggestion.
    """
    if opened.blind:
        return ()
    sample = opened.sample
    lang = language_of(sample, opened.policy)
    for text in dict.fromkeys((unit.text, unit.wording)):
        found = presence([Name(text, unit.label)], sample.retrieved_contexts, lang=lang)[0]
        if found.found:
            return found.evidence
    return ()


def matched(opened: Opened, *units: Unit, gone: Collection[str] = ()) -> tuple[Unit, ...]:
    """Units that a person made or edited with the verdicts of the matcher that opened the sample.

    They are linked together with all that count: one name of a context finds one unit. Those whose ids are
    `gone` count no more. Undecided when blind, and for statements.
    """
    if opened.blind or units[0].kind == "statement":
        return tuple(replace(unit, match=Match()) for unit in units)
    ids = {unit.id for unit in units} | {*gone}
    others = [unit for unit in opened.state.entity.assessment.units if unit.counted and unit.id not in ids]
    alone = [replace(unit, duplicate_of="") for unit in units]
    found = machine(
        opened.sample,
        alone,
        opened.base,
        opened.policy,
        threshold=opened.opening.threshold,
        among=others,
    )
    return tuple(unit.matched(one.match) for unit, one in zip(units, found.units, strict=True))


def _match(unit: Unit, verdict: Verdict, evidence: tuple[Evidence, ...] = ()) -> Put:
    match = Match(
        verdict=verdict,
        reason="absent" if verdict == "missing" else None,
        evidence=evidence,
        similarity=unit.match.similarity,
        rule="human",
        note=unit.match.note,
    )
    return Put("match", unit.kind, (replace(unit, match=match),))


def refuse_twice(opened: Opened, kind: Kind, surface: str, *, but: Collection[str] = ()) -> None:
    """Mentions of one entity are one unit, and so is a claim. Raises InputError for what is one already.

    Units whose ids are in `but` are passed over.
    """
    lang = language_of(opened.sample, opened.policy)

    def same(text: str) -> str:
        return (key(text, lang) or text) if kind == "entity" else text

    for unit in opened.state.of(kind).assessment.units:
        if unit.duplicate_of or unit.id in but:
            continue
        if same(surface) == same(unit.text):
            how = (
                "it is rejected: restore it with x"
                if unit.rejected
                else "it counts once however often it stands"
            )
            raise InputError(f"{surface[:60]!r} is a unit already; {how}")


def other_form(opened: Opened, surface: str) -> str:
    """The name of an entity that counts and that this is another form of; empty when there is none."""
    lang = language_of(opened.sample, opened.policy)
    for unit in opened.state.entity.assessment.units:
        alike, _ = similarity(Name(surface, unit.label), Name(unit.text, unit.label), lang)
        if unit.counted and alike >= opened.opening.threshold:
            return unit.text
    return ""


def new_id(opened: Opened, kind: Kind) -> str:
    """An id that no unit of the kind has had, rejected ones included."""
    taken = {unit.id for unit in opened.state.of(kind).assessment.units}
    number = 1
    while f"h{number}" in taken:
        number += 1
    return f"h{number}"
