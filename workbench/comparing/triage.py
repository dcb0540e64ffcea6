"""Which scores contradict the texts they stand for, before anybody has reviewed a sample.

A score above 0 without contexts is wrong by definition. The other signals were measured against people
(tests/quality/triage.py, docs/audit.md); each was right in at least 83 % of the cases in which it fired, on
the samples that its limits were chosen on. A high score although the names of the reference are in no context
was tried and left out: it was wrong no more often than any score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from rapidfuzz import fuzz

from workbench.model import Evidence, Kind, Sample, Span, Unit
from workbench.text.sentences import sentences

Signal = Literal["no contexts", "nothing found", "names", "word for word", "all names"]
SIGNALS: tuple[Signal, ...] = get_args(Signal)
"""The surest first: a list of suspicions begins with them."""

GAP = 0.2
"""How far the share of names that the text contains has to be above a score of names."""
LOW = 0.3
"""Below it a score of statements is low."""
NAMES = 3
"""Names and numbers that a reference needs before finding all of them says anything."""
NEAR = 80
"""Similarity (0 to 100) from which a sentence stands nearly word for word in a context."""
SHORT = 30
"""UTF-8 bytes below which a sentence is too short to be told from others."""
LONGEST = 100_000
"""Code points of a context that are searched for whole sentences."""
AROUND = 120
"""Code points of the text before and after a quoted name."""

CITATION = re.compile(r"\s*\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
_SOURCES = r"(?:contexts?|documents?|passages?|excerpts?|sources?|text|information|materials?)"
_NOT = r"(?:do(?:es)? not|don['’]t|doesn['’]t|did not|didn['’]t|cannot|can['’]t)"
_NOTHING_FOUND = re.compile(
    rf"\bthe (?:\w+ )?{_SOURCES}(?: \w+){{0,3}} {_NOT} (?:\w+ )?"
    r"(?:contain|provide|mention|specify|give|address|include|state|say|answer|discuss|cover|describe)"
    rf"|\bnot (?:\w+ )?(?:found|mentioned|stated|available|specified|provided|given|contained|included)"
    rf" (?:in|by) the (?:\w+ )?{_SOURCES}\b"
    r"|^i (?:do not|don['’]t) (?:know|have (?:enough|any|sufficient))"
    r"|^(?:there is )?(?:no|not enough|insufficient) (?:\w+ )?information\b"
    r"|(?:上下文|文档|资料|文中|文本)(?:中|里)?(?:并)?(?:没有|未)(?:提到|提及|提供|包含|说明|给出)"
    r"|\bel (?:contexto|documento|texto)(?: \w+){0,2} no (?:contiene|menciona|proporciona|incluye|especifica)"
    r"|\ble (?:contexte|document|texte)(?: \w+){0,2} ne (?:contient|mentionne|fournit|précise) pas"
    r"|\bder (?:kontext|text) (?:enthält|nennt|erwähnt|liefert) kein"
    r"|\b(?:контекст|документ|текст)\w* не (?:содерж|упомина|указыва)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of one context around what was found there; `context` counts from 1."""

    context: int
    before: str
    hit: str
    after: str


@dataclass(frozen=True, slots=True)
class Clue:
    """A unit of the reference and where the text has it; `same`: in the same letters."""

    text: str
    quote: Quote | None
    same: bool


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A score that its sample contradicts. `recount` is the share that the text shows, None without one.

    `size`: by how much the score is off if the suspicion is right, for the order of a list.
    """

    signal: Signal
    score: float
    recount: float | None
    clues: tuple[Clue, ...]
    size: float

    @property
    def place(self) -> tuple[int, float]:
        """The surest signals first, then the largest."""
        return SIGNALS.index(self.signal), -self.size


def suspect(
    sample: Sample, score: float, kind: Kind, units: Callable[[], Sequence[Unit] | None]
) -> Suspicion | None:
    """What speaks against a score of names or of statements; None when nothing does.

    `units` gives the names of the reference, each looked up in the text of the contexts (`presence`), or None
    where none were proposed; it is called only when they are needed.
    """
    contexts = sample.retrieved_contexts
    if not any(context.strip() for context in contexts):
        return Suspicion("no contexts", score, 0.0, (), score) if score > 0 else None
    first = next((sample.reference[one.start : one.end] for one in sentences(sample.reference)), "")
    if said := _NOTHING_FOUND.search(first):
        return Suspicion("nothing found", score, None, (Clue(said[0], None, same=True),), 0.0)
    return _names(sample, score, units()) if kind == "entity" else _statements(sample, score, units)


def _names(sample: Sample, score: float, units: Sequence[Unit] | None) -> Suspicion | None:
    counted = [unit for unit in units or () if unit.counted]
    found = [unit for unit in counted if unit.match.verdict == "found"]
    if not found or len(found) / len(counted) - score <= GAP:
        return None
    share = len(found) / len(counted)
    return Suspicion("names", score, share, clues(found, sample), share - score)


def _statements(sample: Sample, score: float, units: Callable[[], Sequence[Unit] | None]) -> Suspicion | None:
    if score >= LOW:
        return None
    cut = sentences(sample.reference)
    copied = [
        (one, place) for one in cut if (place := verbatim(_text(sample, one), sample.retrieved_contexts))
    ]
    if copied and len(copied) >= len(cut) / 2:
        share = len(copied) / len(cut)
        shown = tuple(
            Clue(_text(sample, one).strip(), quote(sample.retrieved_contexts, place), same=False)
            for one, place in copied
        )
        return Suspicion("word for word", score, share, shown, share - score)
    telling = [unit for unit in units() or () if unit.counted and _tells(unit, sample)]
    if len(telling) < NAMES or any(unit.match.verdict != "found" for unit in telling):
        return None
    return Suspicion("all names", score, None, clues(telling, sample), LOW - score)


def verbatim(sentence: str, contexts: Sequence[str]) -> Evidence | None:
    """Where a sentence stands nearly word for word in a context; None when it is short or stands nowhere."""
    wanted = CITATION.sub("", sentence).strip().lower()
    if len(wanted.encode()) < SHORT:
        return None
    best = None
    for number, context in enumerate(contexts):
        low = context.lower()
        if not wanted or len(low) != len(context) or not len(wanted) / 2 <= len(low) <= LONGEST:
            continue
        found = fuzz.partial_ratio_alignment(wanted, low, score_cutoff=NEAR)
        if found is not None and (best is None or found.score > best[0]):
            best = found.score, Evidence(number, found.dest_start, found.dest_end)
    return best[1] if best else None


def clues(units: Sequence[Unit], sample: Sample) -> tuple[Clue, ...]:
    """Where the text has each unit; those in another form first, bare numbers last: chance matches."""
    contexts = sample.retrieved_contexts
    shown = []
    for unit in units:
        places = unit.match.evidence
        here = quote(contexts, places[0]) if places and places[0].context < len(contexts) else None
        same = here is None or any(contexts[e.context][e.start : e.end] == unit.text for e in places)
        shown.append(Clue(unit.text, here, same))
    return tuple(sorted(shown, key=lambda one: (one.text.isdigit(), one.same, -len(one.text))))


def quote(contexts: Sequence[str], place: Evidence) -> Quote:
    """A place of a context with what stands around it."""
    text = contexts[place.context]
    return Quote(
        place.context + 1,
        text[max(0, place.start - AROUND) : place.start],
        text[place.start : place.end],
        text[place.end : place.end + AROUND],
    )


def _text(sample: Sample, one: Span) -> str:
    return sample.reference[one.start : one.end]


def _tells(unit: Unit, sample: Sample) -> bool:
    """Whether a name says something by being there: a single digit and the number of a citation do not."""
    if unit.text.isdigit() and len(unit.text) < 2:
        return False
    return not any(
        mark.start() <= span.start and span.end <= mark.end()
        for mark in CITATION.finditer(sample.reference)
        for span in unit.spans
    )
