"""What a page of a sample shows: its texts in pieces, its units, and what is known of it, as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workbench.model import Kind, Match, Sample, Unit, count, letter
from workbench.reports.units import (
    counted,
    first_of,
    quoted,
    settled_value,
    settling_symbol,
    stays,
    tally,
    unit_symbol,
    verdict,
)
from workbench.scoring.names import SCORERS, scorer_name
from workbench.stages.editing import doubtful, least_certain
from workbench.stages.review import Opened
from workbench.text.cells import DISPOSITION_SYMBOL, STATE_NAME
from workbench.text.figures import delta, told
from workbench.text.marks import MarkedLines, Piece, marked_texts
from workbench.text.safe import clean

MANY = 30
"""Units from which on only the chosen one shows its buttons."""

QUOTE = 160
"""Characters of an evidence next to its unit; the context shows it whole."""


class SampleText(NamedTuple):
    """A text of a sample, made safe, by its name in `texts_of`; each piece is under one mark or none."""

    name: str
    title: str
    text: str
    pieces: Sequence[Piece]


def texts_of(sample: Sample) -> Iterator[tuple[str, str]]:
    """The texts that words are marked in by their names: `r` is the reference, a number a context."""
    yield "r", sample.reference
    yield from ((str(index), text) for index, text in enumerate(sample.retrieved_contexts))


def parts_of(sample: Sample, units: Sequence[Unit]) -> Iterator[SampleText]:
    """The reference and the contexts with the marks of some units; the same for the same ones."""
    for (name, text), (title, _, marks) in zip(texts_of(sample), marked_texts(sample, units), strict=True):
        pieces = MarkedLines([(0, len(text))], marks).pieces(0, 0, len(text))
        yield SampleText(name, title, clean(text), pieces)


def sides(opened: Opened, unit: Unit) -> Iterator[tuple[int, str, str, bool]]:
    """What each person has, where they differ: number, letter, words, and whether it stands so now."""
    sided = opened.over.of(unit) if opened.over else None
    if sided is not None and not sided.agreed:
        for side, theirs in enumerate(sided.sides):
            yield side, letter(side), state_words(theirs), letter(side) in sided.letters(unit)


def sign(opened: Opened, unit: Unit) -> str:
    """The sign before a unit as in Resolve; in a review ? for a doubt, and none where it is as proposed."""
    if opened.over is None:
        doubt = "?" if doubtful(unit, opened.sample.retrieved_contexts) else ""
        return unit_symbol(unit).replace("✓", doubt)
    sided = opened.over.of(unit)
    return settling_symbol(unit, sided, sided.letters(unit) if sided else ())


def said_of(match: Match) -> str:
    """`● found in context 1`, `○ missing: partial`, `· open`."""
    words = verdict(match)
    if match.verdict == "found" and match.evidence:
        return f"● found in context {match.evidence[0].context + 1}"
    return f"○ missing: {match.reason}" if match.verdict == "missing" and match.reason else words


def state_words(unit: Unit | None) -> str:
    """A unit in a line, to tell two versions apart."""
    if unit is None:
        return "not there"
    if unit.rejected:
        return "rejected"
    if unit.duplicate_of:
        return "a duplicate: not counted"
    label = f", {unit.label}" if unit.label else ""
    return f"{unit.text}{label}, {said_of(unit.match)[2:]}"


def quotes(match: Match, contexts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The first two pieces of evidence, the second behind its context."""
    for evidence in quoted(match):
        if evidence.context < len(contexts):
            where = "" if evidence == match.evidence[0] else f"in {evidence.context + 1}: "
            yield where, evidence.of(contexts)[:QUOTE]


def facts_of(opened: Opened, kind: Kind) -> list[str]:
    """What is special about a sample."""
    state, flag = opened.state.of(kind), opened.state.flag
    marks = {
        "◇ without suggestions": opened.blind, "↺ to be matched again": opened.rematches(kind),
        "◌ picked by hand": opened.opening.off_plan, f"⚑ {flag}": flag,
    }  # fmt: skip
    facts = told(marks)
    if opened.stale(kind):
        facts.append(f"§ verified under policy {state.policy or opened.opening.policy}")
    elif kind in opened.settled:
        facts.append(f"✓ {settled_value(opened, kind)}")
    elif state.disposition in ("verified", "excluded", "skipped"):
        why = f": {state.reason}" if state.reason else ""
        facts.append(f"{DISPOSITION_SYMBOL[state.disposition]} {STATE_NAME[state.disposition]}{why}")
    return facts


def scores_of(opened: Opened, kind: Kind) -> list[tuple[str, str]]:
    """The automatic and the verified value of a kind, and their difference, once they may be seen."""
    scores = [
        (called(score.scorer), counted(score.tally)) for score in opened.automatic if score.kind == kind
    ]
    if kind in opened.standing:
        word = "settled" if kind in opened.settled else "verified"
        scores.append((word, tally(count(opened.standing[kind].assessment.units))))
    if kind in opened.causes:
        scores.append(("Δ", delta(opened.causes[kind].delta)))
    return scores


def called(scorer: str) -> str:
    """How a page calls an automatic value: who reviews there need not know the columns of the file."""
    return scorer_name(scorer) if scorer in SCORERS else "yours (from the file)"


def outcome(opened: Opened, kind: Kind) -> str:
    """What an accept came to."""
    if kind in opened.settled:
        return f"; {stays(opened, kind)}"
    verified = tally(count(opened.units(kind)))
    score = first_of(opened.automatic, kind)
    automatic = f", {called(score.scorer)} {counted(score.tally)}" if score else ""
    return f": verified {verified}{automatic}"


def next_open(opened: Opened, kind: Kind, after: str) -> str:
    """The next unit that somebody has to look at, round the end; the same one where there is none."""
    units, contexts = opened.units(kind), opened.sample.retrieved_contexts
    at = next((index + 1 for index, unit in enumerate(units) if unit.id == after), 0)
    return next((unit.id for unit in (*units[at:], *units[:at]) if doubtful(unit, contexts)), after)


def chosen(opened: Opened, kind: Kind, asked: str) -> str:
    """The unit where a page begins: the one asked for, else the one most likely to need a hand."""
    units = opened.units(kind)
    if any(unit.id == asked for unit in units):
        return asked
    return units[least_certain(units, opened.sample.retrieved_contexts)].id if units else ""
