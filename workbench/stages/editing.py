"""What a key means: an open sample and a unit -> an edit. Pure, in microseconds; nothing is written here."""

from __future__ import annotations

from dataclasses import replace

from workbench.errors import InputError
from workbench.matching.names import Name
from workbench.matching.presence import presence
from workbench.matching.units import language_of
from workbench.model import REASONS, Assessment, Evidence, Kind, Match, Span, Unit, Verdict
from workbench.reviewing.edits import Accept, Dispose, Flag, Put
from workbench.reviewing.fold import settle
from workbench.stages.review import Opened
from workbench.text.ground import ground
from workbench.text.normalise import key


def reject(opened: Opened, unit: Unit) -> Put:
    """Reject a unit, or restore a rejected one. A restored duplicate counts as a unit of its own."""
    changed = replace(
        unit, rejected=not unit.rejected, duplicate_of="" if unit.rejected else unit.duplicate_of
    )
    return Put("restore" if unit.rejected else "reject", unit.kind, (changed,))


def relabel(opened: Opened, unit: Unit, label: str) -> Put:
    """Give a unit another label."""
    return Put("relabel", unit.kind, (replace(unit, label=label, original_label=""),))


def toggle(opened: Opened, unit: Unit) -> Put:
    """found -> missing, anything else -> found with the best place in the contexts as evidence."""
    if unit.match.verdict == "found":
        return _match(unit, "missing")
    evidence = unit.match.evidence or best_evidence(opened, unit)
    return _match(unit, "found", evidence)


def unsure(opened: Opened, unit: Unit) -> Put:
    """The person cannot tell."""
    return _match(unit, "unsure", unit.match.evidence)


def next_reason(opened: Opened, unit: Unit) -> Put:
    """Missing for the next reason: absent, partial, contradicted, other entity, and from the start again."""
    given = unit.match.reason if unit.match.verdict == "missing" else None
    place = 0 if given is None else (REASONS.index(given) + 1) % len(REASONS)
    put = _match(unit, "missing")
    changed = put.units[0]
    return replace(put, units=(replace(changed, match=replace(changed.match, reason=REASONS[place])),))


def set_span(opened: Opened, unit: Unit, span: Span) -> Put:
    """Move a unit's principal span; an entity's text follows it."""
    surface = opened.sample.reference[span.start : span.end]
    text = surface if unit.kind == "entity" else unit.text
    further = (s for s in unit.spans[1:] if s != span)
    others = tuple(s for s in further if opened.sample.reference[s.start : s.end] == text)
    changed = replace(unit, text=text, spans=(span, *others), proposed=unit.proposed or unit.text)
    return Put("boundary", unit.kind, (changed,))


def add_text(opened: Opened, kind: Kind, text: str, label: str = "") -> Put:
    """A new unit from typed text.

    Raises InputError when the text does not stand in the reference.
    """
    typed = text.strip()
    spans = ground(typed, opened.sample.reference) if typed else ()
    if not spans:
        raise InputError(f"{typed[:60]!r} does not stand in the reference; type it as it is written there")
    return add_span(opened, kind, spans[0], label, text=typed if kind == "statement" else "")


def add_span(opened: Opened, kind: Kind, span: Span, label: str = "", *, text: str = "") -> Put:
    """A new unit from a stretch of the reference; undecided when blind, else matched by presence.

    Raises InputError for a name that is a unit already.
    """
    reference = opened.sample.reference
    surface = reference[span.start : span.end]
    _refuse_twice(opened, kind, surface)
    spans = (span, *(other for other in ground(surface, reference) if other != span))
    unit = Unit(
        id=_new_id(opened, kind),
        kind=kind,
        text=text or surface,
        label=label,
        spans=spans if kind == "entity" else (span,),
        origin="human",
    )
    if kind == "entity" and not opened.blind:
        evidence = best_evidence(opened, unit)
        verdict: Verdict = "found" if evidence else "missing"
        reason = None if evidence else "absent"
        unit = replace(unit, match=Match(verdict, reason, evidence, 100 if evidence else 0, "presence"))  # type: ignore[arg-type]
    return Put("add", kind, (unit,))


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
    return Dispose("excluded", opened.dataset.kinds, reason)


def flag(opened: Opened, reason: str) -> Flag:
    """Mark the sample; an empty reason takes the mark off."""
    return Flag(reason)


def doubts(opened: Opened, kind: Kind) -> list[str]:
    """Why an accept should stop once: counted units that are ungrounded, unsure or undecided."""
    counted = [unit for unit in opened.state.of(kind).assessment.units if unit.counted]
    numbers = {
        "ungrounded": sum(not unit.grounded for unit in counted),
        "unsure": sum(unit.match.verdict == "unsure" for unit in counted),
        "undecided": sum(unit.match.verdict is None for unit in counted),
    }
    return [f"{number} {name}" for name, number in numbers.items() if number]


def best_evidence(opened: Opened, unit: Unit) -> tuple[Evidence, ...]:
    """Where a unit stands in the contexts, by presence; empty when it does not."""
    sample = opened.sample
    lang = language_of(sample, opened.policy)
    found = presence([Name(unit.wording, unit.label)], sample.retrieved_contexts, lang=lang)[0]
    return found.evidence if found.found else ()


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


def _refuse_twice(opened: Opened, kind: Kind, surface: str) -> None:
    """Mentions of one entity are one unit. Raises InputError for a name that is a unit already."""
    if kind != "entity":
        return
    lang = language_of(opened.sample, opened.policy)
    same = key(surface, lang) or surface
    for unit in opened.state.entity.assessment.units:
        if same == (key(unit.text, lang) or unit.text) and not unit.duplicate_of:
            how = (
                "it is rejected: restore it with x"
                if unit.rejected
                else "it counts once however often it stands"
            )
            raise InputError(f"{surface[:60]!r} is a unit already; {how}")


def _new_id(opened: Opened, kind: Kind) -> str:
    taken = {unit.id for unit in opened.state.of(kind).assessment.units}
    number = 1
    while f"h{number}" in taken:
        number += 1
    return f"h{number}"
