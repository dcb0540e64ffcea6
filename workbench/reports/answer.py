"""The first answer in words: as text for a terminal, and as Markdown for a comment on a pull request.

Whatever comes out of the dataset passes `clean` first; in Markdown it stands in code spans, where nothing in
it is a link, a mention or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from workbench.comparing.answer_words import (
    SMALL,
    differs,
    effect_rows,
    headline,
    notes,
    reason,
    step,
    unquoted,
    whose,
)
from workbench.text.figures import many, signed, value
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.comparing.answer import Answer, Suspect, Worst
    from workbench.comparing.triage import Clue

WIDTH = 80
"""Cells of a line where nobody says how wide the terminal is."""
CLUES = 3
"""Units of a sample that are shown."""
BAR = 12
SHORTEST = 20
"""Cells of a question that stay next to a name and its other form."""
PROMPT = 3
"""Lines of a terminal that are kept free below the answer."""


def one_line(text: str) -> str:
    """One line that cannot steer a terminal."""
    return clean(" ".join(text.split()))


def code(text: str) -> str:
    """A code span of Markdown: longer fences than any inside, so nothing in it is read as markup."""
    text = one_line(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


# Text.


def answer_text(
    found: Answer, *, width: int = WIDTH, height: int = 0, mark: tuple[str, str] = ("[", "]")
) -> str:
    """The answer for a terminal of that width. `mark` is put around what was found in a text.

    With a `height` no more of each sample is shown than leaves the whole answer in sight.
    """
    title = "your column" if found.imported else "score"
    done = f" · {found.reviewed:,} reviewed" if found.reviewed else ""
    name, scorer = one_line(found.dataset), one_line(found.scorer)
    head = f"Dataset {name} · {many(found.total, 'sample')}{done} · {title}: {scorer}"
    lines = [head, "", *wrap(" ".join(headline(found, one_line)), width)]
    end = [line for note in notes(found) for line in wrap(note, width)]
    end += ["", *_steps(found, width)] if end else _steps(found, width)
    why = ["", *_effects(found, width)] if found.effects and found.reviewed else []
    if not height or len(lines) + len(why) + len(end) <= height - PROMPT:  # the main causes are named above
        lines += why
    worst = [_worst(found, one, place, width, mark) for place, one in enumerate(found.worst, start=1)]
    shown = () if found.estimate is not None else found.triage.shown
    suspects = [_suspect(found, one, place, width, mark) for place, one in enumerate(shown, start=1)]
    room = height - PROMPT - len(lines) - len(end) if height else sum(map(len, [*worst, *suspects])) * 2
    if suspects and room - 2 < 2 * len(suspects):
        suspects = [[_in_a_line(found, one, place, width)] for place, one in enumerate(shown, start=1)]
    if suspects and worst and height:  # what to look at next is worth more than what was looked at
        worst = []
    title = "The samples with the largest effect:" if len(worst) > 1 else "The sample that differs:"
    lines += _samples(title, worst, room)
    lines += _samples(f"Check {'these' if len(suspects) > 1 else 'this one'} first:", suspects, room)
    return "\n".join([*lines, "", *end])


def _samples(title: str, each: Sequence[list[str]], room: int) -> list[str]:
    """Samples below a title, each as far as their share of so many lines goes, or nothing."""
    if not each or room < len(each) + 2:
        return []
    share = (room - 2) // len(each)
    apart = [""] if share > 3 else []
    return ["", title, *(line for one in each for line in [*apart, *one[: share - len(apart)]])]


def _steps(found: Answer, width: int) -> list[str]:
    said = [step(one, found) for one in found.steps]
    if not said:
        return []
    lead = "Next: "
    return [
        line
        for place, one in enumerate(said)
        for line in wrap(
            one, width, initial_indent=lead if not place else "  or  ", subsequent_indent=" " * 6
        )
    ]


def _effects(found: Answer, width: int) -> list[str]:
    rows = effect_rows(found)
    total = sum(share for _, _, share in rows)
    largest = max((abs(share) for _, _, share in rows), default=0.0)
    room = max((len(words) for words, _, _ in rows), default=0)
    count = max((len(counted) for _, counted, _ in rows), default=0)
    wide = width >= room + count + 12 + BAR
    lines = wrap(f"Why? {differs(found)}", width)
    for words, counted, share in rows:
        bar = "█" * round(BAR * abs(share) / largest) if wide and largest >= SMALL else ""
        lines.append(f"  {words:<{room}}  {counted:<{count}}  {signed(share, 2):>5}  {bar}".rstrip())
    difference = f"{whose(found)} − reviewed"
    lines.append(f"  {difference:<{room}}  {'':<{count}}  {signed(total, 2):>5}")
    return lines


def _suspect(found: Answer, one: Suspect, place: int, width: int, mark: tuple[str, str]) -> list[str]:
    lines = [_named(place, one.question or one.id, reason(one.suspicion, found), width)]
    lines += _clues(one.suspicion.clues, width, mark)
    return [*lines, f"     reference: {_marked(one.reference, one.suspicion.clues, width - 16, mark)}"]


def _in_a_line(found: Answer, one: Suspect, place: int, width: int) -> str:
    """`  1  Who built it? · yours .17, rough check .67 · “Ann Lee” → “Lee”`, the form where it fits."""
    facts = reason(one.suspicion, found)
    name = one.question or one.id
    forms = (
        f"{facts} · “{one_line(clue.text)}” → “{one_line(clue.quote.hit)}”"
        for clue in one.suspicion.clues
        if clue.quote is not None and not clue.same
    )
    room = width - 8 - min(SHORTEST, cell_len(one_line(name)))
    return _named(place, name, next((form for form in forms if cell_len(form) <= room), facts), width)


def _worst(found: Answer, one: Worst, place: int, width: int, mark: tuple[str, str]) -> list[str]:
    values = f"{whose(found)} {value(one.score)}  reviewed {value(one.verified)}"
    first = _named(place, one.question or one.id, values, width)
    return [first, *_clues(one.clues, width, mark, unquoted(one, found.kind))]


def _named(place: int, name: str, facts: str, width: int) -> str:
    """`  1  Who built it? · yours .17, rough check .67`."""
    return f"  {place}  {_fit(name, max(12, width - cell_len(facts) - 8))} · {facts}"


def _clues(clues: Sequence[Clue], width: int, mark: tuple[str, str], absent: str = "") -> list[str]:
    lines = []
    lead = "     "
    for clue in clues[:CLUES]:
        name = f"{mark[0]}{_fit(clue.text, width // 3)}{mark[1]}"
        if clue.quote is None:
            lines.append(f"{lead}{name} {absent}")
            continue
        said = f"{lead}{name}  context {clue.quote.context}: "
        room = width - cell_len(_plain(said, mark)) - 2
        lines.append(said + _excerpt(clue.quote.before, clue.quote.hit, clue.quote.after, room, mark))
    rest = len(clues) - CLUES
    return [*lines, f"{lead}and {rest:,} more"] if rest > 0 else lines


def _plain(text: str, mark: tuple[str, str]) -> str:
    return text.replace(mark[0], "[").replace(mark[1], "]")


def _marked(text: str, clues: Sequence[Clue], room: int, mark: tuple[str, str]) -> str:
    """The text around the first of some units, that unit marked."""
    at = next((clue.at for clue in clues[:CLUES] if clue.at), None)
    if at is None:
        return _fit(text, room - 2)
    return _excerpt(text[: at.start], text[at.start : at.end], text[at.end :], room, mark)


def _excerpt(before: str, hit: str, after: str, room: int, mark: tuple[str, str]) -> str:
    """As much around a hit as fits into `room` cells with its marks."""
    hit = _fit(hit, max(1, room - 4))
    room -= cell_len(hit) + 2
    before, after = _spaced(before), _spaced(after)
    left = min(cell_len(before), max(room // 2, room - cell_len(after)))
    start = _fit(before[::-1], left)[::-1]
    return f"{start}{mark[0]}{hit}{mark[1]}{_fit(after, room - cell_len(start))}"


def _spaced(text: str) -> str:
    """As `one_line`, but a blank at either end stays: it parts the text from the hit."""
    inner = one_line(text)
    return f"{' ' if text[:1].isspace() else ''}{inner}{' ' if text[-1:].isspace() and inner else ''}"


def _fit(text: str, room: int) -> str:
    """The beginning of a text that fits into so many cells, with … where it is cut."""
    text = _spaced(text)
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, max(0, room - 1)).rstrip() + "…"


# Markdown.


def answer_markdown(found: Answer) -> str:
    """The answer as Markdown, for a comment on a pull request."""
    first, *rest = headline(found, code)
    lines = [f"### {code(found.dataset)}: {many(found.total, 'sample')}, {found.reviewed:,} reviewed", ""]
    lines += [f"**{first}** {' '.join(rest)}".rstrip()]
    if found.effects and found.reviewed:
        lines += ["", "| why they differ | | effect |", "| --- | --- | ---: |"]
        rows = effect_rows(found)
        lines += [f"| {words} | {count} | {signed(share, 2)} |" for words, count, share in rows]
        total = sum(share for _, _, share in rows)
        lines.append(f"| {whose(found)} − reviewed | | {signed(total, 2)} |")
    for place, worst in enumerate(found.worst, start=1):
        lines += [""] if place == 1 else []
        values = f"{whose(found)} {value(worst.score)}, reviewed {value(worst.verified)}"
        lines.append(f"{place}. {code(worst.question or worst.id)}: {values}")
        lines += _items(worst.clues, unquoted(worst, found.kind))
    if found.estimate is None:
        for place, one in enumerate(found.triage.shown, start=1):
            lines += ["", "Check first:", ""] if place == 1 else []
            lines.append(f"{place}. {code(one.question or one.id)}: {reason(one.suspicion, found)}")
            lines += _items(one.suspicion.clues)
    lines += [f"\n{note}" for note in notes(found)]
    lines += ["", *(f"- {step(one, found)}" for one in found.steps)]
    return "\n".join(lines)


def _items(clues: Sequence[Clue], absent: str = "") -> Iterator[str]:
    for clue in clues[:CLUES]:
        if clue.quote is None:
            yield f"   - {code(_fit(clue.text, 120))} {absent}".rstrip()
        else:
            text = _excerpt(clue.quote.before, clue.quote.hit, clue.quote.after, 120, ("[", "]"))
            yield f"   - {code(_fit(clue.text, 120))} in context {clue.quote.context}: {code(text)}"
