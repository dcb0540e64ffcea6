"""Which scores contradict the texts they stand for, before anybody has reviewed a sample.

A score above 0 without contexts is wrong by definition, and so is one that its own verdicts do not give.
The other signals were measured against people (tests/quality/triage.py, docs/audit.md); each was right in
at least 83 % of the cases in which it fired, on the samples that its limits were chosen on. A high score
although the names of the reference are in no context was tried and left out: it was wrong no more often
than any score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal, get_args

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from workbench.model import Assessment, Evidence, Kind, Sample, Span, Unit, count, recall_of
from workbench.text.lists import has_digit, pairs, sections
from workbench.text.normalise import words
from workbench.text.tokens import Token, sentences, snap, tokens

Signal = Literal["no contexts", "verdicts", "nothing found", "names", "word for word", "all names"]
SIGNALS: tuple[Signal, ...] = get_args(Signal)
"""The surest first: a list of suspicions begins with them."""

GAP = 0.2
"""How far the share of names that the text contains has to be above a score of names."""
LOW = 0.3
"""Below it a score of statements is low."""
HIGH = 0.5
"""From it on a score contradicts a reference that says that nothing was found."""
NAMES = 3
"""Names and numbers that a reference needs before finding all of them says anything."""
ROUNDED = 0.01
"""How far a score may be from what its own verdicts give: files round."""
NEAR = 80
"""Similarity (0 to 100) from which a sentence stands nearly word for word in a context."""
SHORT = 30
"""UTF-8 bytes below which a sentence is too short to be told from others."""
SENTENCE = 1_000
"""Code points of a sentence beyond which it is not compared with a context: time grows with both lengths."""
LONGEST = 100_000
"""Code points of a context that are searched for whole sentences."""
AROUND = 120
"""Code points of the text before and after a quoted name."""

CITATION = re.compile(r"\s*\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
_SAID = sections(__name__)


def _pattern(section: str) -> re.Pattern[str]:
    """One of the lines of a section, with the parts that these name."""
    lines = "|".join(_SAID[section].strip().splitlines())
    for part in ("SORRY", "SOURCE", "NOT", "GIVEN"):
        lines = lines.replace(part, _PARTS[part])
    return re.compile(lines, re.IGNORECASE)


_PARTS = pairs(_SAID["parts"])
_NOTHING_FOUND = _pattern("nothing found")
negations = _pattern("negations").findall
"""The words of a text that turn it round, such as "not"."""


@dataclass(frozen=True)
class Quote:
    """A piece of one context around what was found there; `context` counts from 1."""

    context: int
    before: str
    hit: str
    after: str


@dataclass(frozen=True)
class Clue:
    """A unit of the reference and where the text has it; `same`: in the same letters.

    `at`: where the unit stands in the reference, None where nobody knows.
    """

    text: str
    quote: Quote | None
    same: bool
    at: Span | None = None


@dataclass(frozen=True)
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

    @property
    def look(self) -> str:
        """The signal; "another form" where the text has a name in other letters."""
        another = self.signal == "names" and any(not clue.same for clue in self.clues)
        return "another form" if another else self.signal


def suspect(
    sample: Sample,
    score: float,
    kind: Kind,
    units: Callable[[], Sequence[Unit] | None],
    judged: Assessment | None = None,
) -> Suspicion | None:
    """What speaks against a score of names or of statements; None when nothing does.

    `units` gives the names of the reference, each looked up in the text of the contexts (`presence`), or None
    where none were proposed; it is called only when they are needed. `judged` has the verdicts that the
    score was counted from, where they are known.
    """
    contexts = sample.retrieved_contexts
    if not any(context.strip() for context in contexts):
        return Suspicion("no contexts", score, 0.0, (), score) if score > 0 else None
    own = recall_of(count(judged.units)) if judged is not None else None
    if own is not None and abs(own - score) > ROUNDED:
        return Suspicion("verdicts", score, own, (), abs(own - score))
    refused = _refused(sample.reference)
    if refused and score >= HIGH:
        clue = Clue(refused.of(sample.reference), None, same=True, at=refused)
        return Suspicion("nothing found", score, None, (clue,), 0.0)
    if kind == "entity":
        return _names(sample, score, units())
    return None if refused else _statements(sample, score, units)


def _refused(reference: str) -> Span | None:
    """Where the first sentence says that the contexts do not have the answer."""
    for sentence in sentences(reference)[:1]:
        if match := _NOTHING_FOUND.search(sentence.of(reference)):
            return Span(sentence.start + match.start(), sentence.start + match.end())
    return None


def _names(sample: Sample, score: float, units: Sequence[Unit] | None) -> Suspicion | None:
    counted = [unit for unit in units or () if unit.counted]
    hits = [unit for unit in counted if unit.match.verdict == "found"]
    if not hits or len(hits) / len(counted) - score <= GAP:
        return None
    share = len(hits) / len(counted)
    return Suspicion("names", score, share, clues(hits, sample), share - score)


def _statements(sample: Sample, score: float, units: Callable[[], Sequence[Unit] | None]) -> Suspicion | None:
    if score >= LOW:
        return None
    cut = sentences(sample.reference)
    copied = [
        (span, evidence)
        for span in cut
        if (evidence := verbatim(span.of(sample.reference), sample.retrieved_contexts))
    ]
    if copied and len(copied) >= len(cut) / 2:
        share = len(copied) / len(cut)
        shown = tuple(
            Clue(span.of(sample.reference), quote(sample.retrieved_contexts, evidence), same=False, at=span)
            for span, evidence in copied
        )
        return Suspicion("word for word", score, share, shown, share - score)
    telling = [unit for unit in units() or () if unit.counted and _tells(unit, sample)]
    if len(telling) < NAMES or any(unit.match.verdict != "found" for unit in telling):
        return None
    return Suspicion("all names", score, None, clues(telling, sample), LOW - score)


def verbatim(sentence: str, contexts: Sequence[str]) -> Evidence | None:
    """Where a sentence stands nearly word for word in a context; None when it is short or stands nowhere.

    All its numbers have to stand there in the same order, and it has to have as many negations.
    """
    wanted = CITATION.sub("", sentence).strip().lower()
    if len(wanted.encode()) < SHORT or len(wanted) > SENTENCE:
        return None
    best = None
    for number, context in enumerate(contexts):
        low = context.lower()
        if len(low) != len(context) or not len(wanted) / 2 <= len(low) <= LONGEST:
            continue
        alignment = fuzz.partial_ratio_alignment(wanted, low, score_cutoff=NEAR)
        if alignment is None or (best is not None and alignment.score <= best[0]):
            continue
        passage, around = _passage(wanted, context, Span(alignment.dest_start, alignment.dest_end))
        if _agree(wanted, passage.of(context), around.of(context)):
            best = alignment.score, Evidence(number, passage.start, passage.end)
    return best[1] if best else None


def _passage(sentence: str, context: str, window: Span) -> tuple[Span, Span]:
    """The whole passage that a window as long as the sentence was found in, and what may qualify it.

    The passage has whole words and may be longer than the window by as much as `NEAR` allows. What
    qualifies it stands at most `AROUND` before or after. Neither leaves the sentences of the window.
    """
    slack = (window.end - window.start) * (100 - NEAR) // 100
    core = Span(window.start + slack, window.end - slack)
    inside = [
        sentence for sentence in sentences(context) if sentence.start < core.end and core.start < sentence.end
    ] or [window]
    first, last = inside[0].start, inside[-1].end

    def whole(by: int) -> Span:
        return snap(context, max(first, window.start - by), min(last, window.end + by))

    passage, wide = whole(0), whole(slack)
    near = _words(wide.of(context).lower())
    edits = Indel.opcodes([word.text for word in _words(sentence)], [token.text for token in near])
    same = [near[at] for edit in edits if edit.tag == "equal" for at in range(edit.dest_start, edit.dest_end)]
    if same:
        start, end = wide.start + same[0].start, wide.start + same[-1].end
        passage = Span(min(passage.start, start), max(passage.end, end))
    return passage, whole(AROUND)


def _words(text: str) -> list[Token]:
    return [token for token in tokens(text) if token.text[0].isalnum()]


def _agree(sentence: str, passage: str, around: str) -> bool:
    """Whether a passage has the numbers of a sentence, and both it and its sentence as many negations."""
    there = iter(_numbers(passage))
    counts = {len(negations(text)) for text in (sentence, passage, around)}
    return len(counts) == 1 and all(number in there for number in _numbers(sentence))


def _numbers(text: str) -> list[str]:
    return [word for word in words(text) if has_digit(word)]


def clues(units: Sequence[Unit], sample: Sample) -> tuple[Clue, ...]:
    """Where the text has each unit: those in another form first; bare numbers, and words that are another
    unit of the reference, last: chance matches.
    """
    contexts = sample.retrieved_contexts
    names = {unit.text for unit in units}
    shown = []
    for unit in units:
        places = unit.match.evidence
        here = quote(contexts, places[0]) if places and places[0].context < len(contexts) else None
        same = here is None or any(e.of(contexts) == unit.text for e in places)
        chance = unit.text.isdigit() or (not same and here is not None and here.hit in names)
        clue = Clue(unit.text, here, same, unit.spans[0] if unit.spans else None)
        shown.append(((chance, same, -len(unit.text)), clue))
    return tuple(clue for _, clue in sorted(shown, key=itemgetter(0)))


def quote(contexts: Sequence[str], evidence: Evidence) -> Quote:
    """A place of a context with what stands around it."""
    text = contexts[evidence.context]
    return Quote(
        evidence.context + 1,
        text[max(0, evidence.start - AROUND) : evidence.start],
        text[evidence.start : evidence.end],
        text[evidence.end : evidence.end + AROUND],
    )


def _tells(unit: Unit, sample: Sample) -> bool:
    """Whether a name says something by being there: a single digit and the number of a citation do not."""
    if unit.text.isdigit() and len(unit.text) < 2:
        return False
    return not any(
        mark.start() <= span.start and span.end <= mark.end()
        for mark in CITATION.finditer(sample.reference)
        for span in unit.spans
    )
