"""The answer and its figures as one page to send to a colleague: no scripts, nothing from elsewhere.

The page is `report/report.html`. What a dataset says is hostile: whatever the template prints is made visible
(`clean`) and escaped, and names and texts of the dataset stand in `<bdi>`, so that their direction does not
turn what stands next to them. Equal answers on one day give equal bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from math import sqrt
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from workbench.comparing import answer_words, words
from workbench.comparing.answer import Answer
from workbench.comparing.explained import CauseTotal
from workbench.comparing.figures import Figures, Row, bins
from workbench.comparing.intervals import FEWEST
from workbench.comparing.triage import AROUND, Clue
from workbench.comparing.words import Fact
from workbench.model import Span, Verdict
from workbench.text.figures import many, number, signed, value
from workbench.text.safe import flat, name_of, templates

LISTED = 200
"""Samples that the appendix lists, those with the largest differences."""
LONGEST = 2_000
"""Code points of a reference that are shown."""
CLUES = 8
"""Units of a sample that are shown."""
REVIEWERS = 8
"""Reviewers who are named."""

TECHNICAL = ("new samples", "correlation", "open and unsure samples")
PLAIN = {"these samples": Fact("95 % range", "", "of the estimated mean")}
"""Figures that the page leaves out, and those that it names in other words than the terminal."""

FIRST, LAST = "\u2068", "\u2069"
"""Around a name in a sentence; no dataset can have them here, for `clean` takes them out of its names."""


class ReferencePiece(NamedTuple):
    """A piece of a reference and the verdict on the unit that it is; empty for what is between units."""

    text: str
    verdict: str


def report(
    answer: Answer, figures: Figures, *, reviewers: Sequence[str], brought: Collection[str] = (), day: date,
    text: bool = True,
) -> str:  # fmt: skip
    """The whole page. `reviewers` are named in this order, `brought` are those whose work came in a file;
    without `text` nothing of any sample is quoted.
    """
    page: str = _pages().get_template("report.html").render(
        answer=replace(answer if text else textless(answer), sent=True),
        found=figures,
        reviewers=reviewers,
        brought=brought,
        day=day,
        text=text,
        bins=bins(figures.rows),
        rows=sorted(figures.rows, key=_largest),
        cuts=[("label", _cut(figures.by_label)), ("language", _cut(figures.by_language))],
    )  # fmt: skip
    return page


def textless(answer: Answer) -> Answer:
    """The same answer without a word of any sample; their ids stay."""
    suspects = [
        replace(
            suspect,
            name=suspect.id,
            question="",
            reference="",
            suspicion=replace(suspect.suspicion, clues=()),
        )
        for suspect in answer.triage.shown
    ]
    worst = [
        replace(sample, name=sample.id, question="", reference="", marks=(), clues=())
        for sample in answer.worst
    ]
    return replace(answer, triage=replace(answer.triage, shown=tuple(suspects)), worst=tuple(worst))


def pieces(text: str, marks: Sequence[tuple[Span, Verdict]]) -> Iterator[ReferencePiece]:
    """A reference cut at its units; of those that overlap the first is marked, of nested ones the outer."""
    end = 0
    for span, verdict in sorted(marks, key=lambda mark: (mark[0].start, -mark[0].end)):
        if end <= span.start and span.end <= LONGEST:
            yield ReferencePiece(text[end : span.start], "")
            yield ReferencePiece(span.of(text), verdict)
            end = span.end
    yield ReferencePiece(text[end:LONGEST] + ("…" if len(text) > LONGEST else ""), "")


def telling(clues: Sequence[Clue], reference: str) -> list[Clue]:
    """The units that say more than their marks in the reference do; all where none does."""
    return [clue for clue in clues if clue.quote is not None or clue.text not in reference] or list(clues)


def plain(facts: Sequence[Fact]) -> list[Fact]:
    """The estimate in plain words; what only a statistician reads stays in `compare --full`."""
    essentials = [fact for fact in facts if fact.name not in TECHNICAL]
    return [
        PLAIN.get(fact.name, fact)._replace(value=fact.value) if fact.name in PLAIN else _short(fact)
        for fact in essentials
    ]


def _short(fact: Fact) -> Fact:
    parts = [part for part in fact.note.split(", ") if part != words.KNOWN]
    return fact._replace(
        note=", ".join(parts).replace("unsure units as not found", "unsure units count as not found")
    )


def _pages() -> Any:
    pages = templates("workbench.formats", "report", keep_trailing_newline=True)
    pages.filters |= {
        "own": _own, "sentence": _sentence, "number": number, "signed": signed,
        "value": value, "many": many,
    }  # fmt: skip
    pages.globals |= {
        "words": words, "said": answer_words,
        "isolated": lambda name: f"{FIRST}{flat(name)}{LAST}",  # in a sentence of ours
        "pieces": pieces, "telling": telling,
        "plain": plain, "name_of": name_of,
        "dots": dots, "AROUND": AROUND, "CLUES": CLUES, "FEWEST": FEWEST, "LISTED": LISTED,
        "REVIEWERS": REVIEWERS,
    }  # fmt: skip
    return pages


def _own(text: str) -> Markup:
    """A name of the dataset on one line, isolated from the direction of what surrounds it."""
    return Markup("<bdi>{}</bdi>").format(flat(text))


def _sentence(text: str) -> Markup:
    """A sentence of ours; the names of the dataset in it are isolated."""
    return escape(text).replace(FIRST, Markup("<bdi>")).replace(LAST, Markup("</bdi>"))


def _cut(totals: Mapping[str, Sequence[CauseTotal]]) -> list[tuple[str, CauseTotal]]:
    """The causes of every label or language, the largest first."""
    every = [(key, cause) for key, totals in totals.items() for cause in totals]
    return sorted(every, key=lambda pair: (-abs(pair[1].share), pair[0]))


def _largest(row: Row) -> tuple[bool, float, str]:
    return row.delta is None, -abs(row.delta or 0.0), row.id


def dots(rows: Sequence[Row]) -> Iterator[tuple[float, float, int, float]]:
    """(verified, automatic, samples, radius) of each place of the scatter picture, the fullest first."""
    places = Counter(
        (round(row.verified, 3), round(row.automatic, 3))
        for row in rows
        if row.verified is not None and row.automatic is not None
    )
    unit = min(4.0, 16 / sqrt(max(places.values(), default=1)))
    for (across, up), count in sorted(places.items(), key=lambda dot: (-dot[1], dot[0])):
        yield across, up, count, max(2.0, unit * sqrt(count))
