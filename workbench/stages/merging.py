"""Merging two units and splitting one: an open sample and units -> one edit. Nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.errors import InputError
from workbench.model import Match, Span, Unit
from workbench.reviewing.edits import Put
from workbench.stages.editing import by_person, matched, new_id, refuse_twice
from workbench.stages.review import Opened
from workbench.text.ground import ground
from workbench.text.lists import listed
from workbench.text.sentences import sentences
from workbench.text.tokens import Token, tokens

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
    joined = (
        _joined_claims(first, second) if first.kind == "statement" else _joined_names(opened, first, second)
    )
    units = opened.state.of(first.kind).assessment.units
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
    spans = unit.spans[:1] if unit.kind == "entity" else unit.spans
    left, right = _parts(reference, spans, at, trim=unit.kind == "entity")
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
    spans = unit.spans[:1] if unit.kind == "entity" else unit.spans
    found = [token for span in spans for token in _words(opened.sample.reference, span)]
    return [token for token in found[1:] if token.text.lower() not in _JOINING]


def next_counted(units: Sequence[Unit], unit: Unit) -> Unit:
    """The unit that follows one in the text, past those that do not count. Raises InputError at the end.

    A proposal may name its units in any order.
    """
    placed = sorted(units, key=lambda one: one.spans[0].start if one.spans else len(one.text) + 10**9)
    for other in placed[[one.id for one in placed].index(unit.id) + 1 :]:
        if other.counted:
            return other
    raise InputError("no unit follows to merge with")


def _joined_claims(first: Unit, second: Unit) -> Unit:
    """Both claims in one: supported when both are, partial when one is, else undecided."""
    spans = tuple(dict.fromkeys((*first.spans, *second.spans)))
    text = f"{first.text.rstrip()} {second.text.lstrip()}"
    return replace(first, text=text, spans=spans, proposed="", match=_both(first.match, second.match))


def _both(one: Match, other: Match) -> Match:
    verdicts = {one.verdict, other.verdict}
    rule = one.rule if one.rule == other.rule else "merged"
    evidence = tuple(dict.fromkeys((*one.evidence, *other.evidence)))
    note = " ".join(note for note in (one.note, other.note) if note)
    if verdicts == {"found"}:
        return Match("found", None, evidence, min(one.similarity, other.similarity), rule, note=note)
    if verdicts == {"missing"}:
        reason = one.reason if one.reason == other.reason else "absent"
        return Match("missing", reason, evidence, rule=rule, note=note)
    if verdicts == {"found", "missing"}:
        return Match("missing", "partial", evidence, rule=rule, note=note)
    return Match(evidence=evidence, note=note)


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
    text = reference[whole.start : whole.end]
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
        if span != own and reference[span.start : span.end] == unit.text
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
    if between and len(sentences(reference[whole.start : whole.end])) > 1:
        return None
    for unit in opened.state.entity.assessment.units:
        if unit.counted and unit.id not in (first.id, second.id):
            for span in unit.spans:
                if low.end <= span.start < high.start:
                    return None
    return whole


def _parts(
    reference: str, spans: tuple[Span, ...], at: int, *, trim: bool
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The spans before and from a place; `trim` leaves out punctuation and "and" at the cut."""
    place = next(index for index, span in enumerate(spans) if span.start <= at < span.end)
    cut = spans[place]
    before = tokens(reference[cut.start : at])
    while trim and len(before) > 1 and (not _wordy(before[-1]) or before[-1].text.lower() in _JOINING):
        before.pop()
    left = (Span(cut.start, cut.start + before[-1].end),) if before else ()  # none: the cut is between spans
    return (*spans[:place], *left), (Span(at, cut.end), *spans[place + 1 :])


def _words(reference: str, span: Span) -> list[Token]:
    found = [token for token in tokens(reference[span.start : span.end]) if _wordy(token)]
    return [Token(text, start + span.start, end + span.start) for text, start, end in found]


def _wordy(token: Token) -> bool:
    return any(letter.isalnum() for letter in token.text)


def _surface(reference: str, spans: tuple[Span, ...]) -> str:
    return " ".join(reference[span.start : span.end].strip() for span in spans)
