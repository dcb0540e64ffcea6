"""The first answer in words: as text for a terminal, and as Markdown for a comment on a pull request.

Whatever comes out of the dataset passes `clean` first; in Markdown it stands in code spans, where nothing in
it is a link, a mention or HTML.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from rich.cells import cell_len

from workbench.comparing import answer_words as words
from workbench.reports import suggested
from workbench.scoring.names import scorer_in_full
from workbench.text.cells import cut, wrapped
from workbench.text.figures import and_more, many, signed, value
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.comparing.answer import Answer, Suspect, Worst
    from workbench.comparing.triage import Clue

Mark = tuple[str, str]
"""What stands in front of a marked place and behind it."""
WIDTH = 80
"""Cells of a line where nobody says how wide the terminal is."""
CLUES = 3
"""Units of a sample that are shown."""
BAR = 12
SHORTEST = 20
"""Cells of a question that stay next to a name and its other form."""
PROMPT = 3
"""Lines of a terminal that are kept free below the answer, one more where it is narrower than `QUESTION`."""
QUESTION = 70
MORE = "In a taller window there is more."
"""The last line where steps or notes are left out."""


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


def printed(answer: Answer, *, more: bool) -> str:
    """The answer for standard output: as large and marked as its terminal allows, plain elsewhere.

    With `more` to follow it is as high as it needs.
    """
    if not sys.stdout.isatty():
        return answer_text(answer)
    columns, height = shutil.get_terminal_size()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    mark = ("[", "]") if plain else ("\x1b[1m[", "]\x1b[22m")
    width = max(40, min(columns, 120))
    return answer_text(answer, width=width, height=0 if more else height, mark=mark)


def answer_text(answer: Answer, *, width: int = WIDTH, height: int = 0, mark: Mark = ("[", "]")) -> str:
    """The answer for a terminal of that width. `mark` is put around what was found in a text.

    With a `height` no more of each sample is shown than leaves the whole answer in sight. Where that is not
    enough the last steps give way, then the last notes, and a line says so. The first note stays: it says
    what the figures are worth.
    """
    title = "your column" if answer.imported else "score"
    done = f" · {words.so_far(answer)}" if answer.reviewed or answer.unresolved else ""
    name, scorer = one_line(answer.dataset), one_line(scorer_in_full(answer.scorer))
    head = f"Dataset {name} · {many(answer.total, 'sample')}{done} · {title}: {scorer}"
    first = " ".join(words.headline(answer, one_line))
    lines = [*wrapped(head, width, "", " " * 4), "", *wrapped(first, width)]
    told = [wrapped(suggested(note), width) for note in words.notes(answer, one_line)]
    steps = _steps(answer, width)
    high = height - PROMPT - (width < QUESTION)
    end = _end(told, steps)
    while height and (told[1:] or steps[1:]) and len(lines) + len(end) > high:
        (steps if steps[1:] else told).pop()
        end = _end(told, [*steps, [MORE]])
    why = ["", *_effects(answer, width)] if answer.effects and answer.reviewed else []
    if not height or len(lines) + len(why) + len(end) <= high:  # the main causes are named above
        lines += why
    worst = [_worst(answer, sample, index, width, mark) for index, sample in enumerate(answer.worst, start=1)]
    shown = () if answer.estimate is not None else answer.triage.shown
    suspects = [_suspect(answer, suspect, index, width, mark) for index, suspect in enumerate(shown, start=1)]
    room = high - len(lines) - len(end) if height else sum(map(len, [*worst, *suspects])) * 2
    if suspects and room - 2 < 2 * len(suspects):
        suspects = [
            [_in_a_line(answer, suspect, index, width)] for index, suspect in enumerate(shown, start=1)
        ]
    if suspects and worst and height:  # what to look at next is worth more than what was looked at
        worst = []
    title = "The samples with the largest effect:" if len(worst) > 1 else "The sample that differs:"
    lines += _samples(title, worst, room)
    lines += _samples(f"Check {'these' if len(suspects) > 1 else 'this one'} first:", suspects, room)
    return "\n".join([*lines, *end])


def _end(told: Sequence[list[str]], steps: Sequence[list[str]]) -> list[str]:
    """The notes and the steps, with a blank line before either."""
    return [line for part in (told, steps) if part for line in ("", *chain(*part))]


def _samples(title: str, each: Sequence[list[str]], room: int) -> list[str]:
    """Samples below a title, each as far as their share of so many lines goes, or nothing."""
    if not each or room < len(each) + 2:
        return []
    share = (room - 2) // len(each)
    apart = [""] if share > 3 else []
    return ["", title, *(line for lines in each for line in [*apart, *lines[: share - len(apart)]])]


def _steps(answer: Answer, width: int) -> list[list[str]]:
    return [
        wrapped(suggested(words.step(action, answer)), width, "  or  " if index else "Next: ", " " * 6)
        for index, action in enumerate(answer.steps)
    ]


def _effects(answer: Answer, width: int) -> list[str]:
    rows = words.effect_rows(answer)
    total = sum(share for _, _, share in rows)
    largest = max((abs(share) for _, _, share in rows), default=0.0)
    room = max((len(what) for what, _, _ in rows), default=0)
    count = max((len(counted) for _, counted, _ in rows), default=0)
    wide = width >= room + count + 12 + BAR
    lines = wrapped(f"Why? {words.differs(answer)}", width)
    for what, counted, share in rows:
        bar = "█" * round(BAR * abs(share) / largest) if wide and largest else ""
        lines.append(f"  {what:<{room}}  {counted:<{count}}  {signed(share, 2):>5}  {bar}".rstrip())
    difference = f"{words.whose(answer)} − reviewed"
    lines.append(f"  {difference:<{room}}  {'':<{count}}  {signed(total, 2):>5}")
    return lines


def _suspect(answer: Answer, suspect: Suspect, index: int, width: int, mark: Mark) -> list[str]:
    clues = suspect.suspicion.clues
    first = _named(index, suspect.name, words.reason(suspect.suspicion, answer), width)
    reference = _marked(suspect.reference, clues, width - 16, mark)
    return [first, *_clues(clues, width, mark), f"     reference: {reference}"]


def _in_a_line(answer: Answer, suspect: Suspect, index: int, width: int) -> str:
    """`  1  Who built it? · yours .17, rough check .67 · “Ann Lee” → “Lee”`, the form where it fits."""
    facts = words.reason(suspect.suspicion, answer)
    name = suspect.name
    forms = (
        f"{facts} · “{one_line(clue.text)}” → “{one_line(clue.quote.hit)}”"
        for clue in suspect.suspicion.clues
        if clue.quote is not None and not clue.same
    )
    room = width - 8 - min(SHORTEST, cell_len(one_line(name)))
    return _named(index, name, next((form for form in forms if cell_len(form) <= room), facts), width)


def _worst(answer: Answer, sample: Worst, index: int, width: int, mark: Mark) -> list[str]:
    values = f"{words.whose(answer)} {value(sample.score)}  reviewed {value(sample.verified)}"
    first = _named(index, sample.name, values, width)
    return [
        first,
        *(
            _clues(sample.clues, width, mark, words.unquoted(sample, answer.kind))
            or [f"     {words.untold(answer)}"]
        ),
    ]


def _named(index: int, name: str, facts: str, width: int) -> str:
    """`  1  Who built it? · yours .17, rough check .67`."""
    return f"  {index}  {_fit(name, max(12, width - cell_len(facts) - 8))} · {facts}"


def _clues(clues: Sequence[Clue], width: int, mark: Mark, absent: str = "") -> list[str]:
    lines = []
    lead = "     "
    for clue in clues[:CLUES]:
        name = f"{mark[0]}{_fit(clue.text, width // 3)}{mark[1]}"
        if clue.quote is None:
            lines.append(f"{lead}{name} {absent}")
            continue
        head = f"{lead}{name}  context {clue.quote.context}: "
        room = width - cell_len(head.replace(mark[0], "[").replace(mark[1], "]")) - 2
        lines.append(head + _excerpt(clue.quote.before, clue.quote.hit, clue.quote.after, room, mark))
    return lines + and_more(len(clues) - CLUES, start=lead)


def _marked(text: str, clues: Sequence[Clue], room: int, mark: Mark) -> str:
    """The text around the first of some units, that unit marked."""
    at = next((clue.at for clue in clues[:CLUES] if clue.at), None)
    if at is None:
        return _fit(text, room - 2)
    return _excerpt(text[: at.start], at.of(text), text[at.end :], room, mark)


def _excerpt(before: str, hit: str, after: str, room: int, mark: Mark) -> str:
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
    return cut(_spaced(text), room)


# Markdown.


def answer_markdown(answer: Answer) -> str:
    """The answer as Markdown, for a comment on a pull request."""
    first, *rest = words.headline(answer, code)
    lines = [f"### {code(answer.dataset)}: {many(answer.total, 'sample')}, {words.so_far(answer)}", ""]
    lines += [f"**{first}** {' '.join(rest)}".rstrip()]
    if answer.effects and answer.reviewed:
        lines += ["", "| why they differ | | effect |", "| --- | --- | ---: |"]
        rows = words.effect_rows(answer)
        lines += [f"| {what} | {count} | {signed(share, 2)} |" for what, count, share in rows]
        total = sum(share for _, _, share in rows)
        lines.append(f"| {words.whose(answer)} − reviewed | | {signed(total, 2)} |")
    lines += [""] if answer.worst else []
    for index, worst in enumerate(answer.worst, start=1):
        values = f"{words.whose(answer)} {value(worst.score)}, reviewed {value(worst.verified)}"
        lines.append(f"{index}. {code(worst.name)}: {values}")
        lines += (
            _items(worst.clues, words.unquoted(worst, answer.kind))
            if worst.clues
            else [f"   - {words.untold(answer)}"]
        )
    suspects = () if answer.estimate is not None else answer.triage.shown
    lines += ["", "Check first:", ""] if suspects else []
    for index, suspect in enumerate(suspects, start=1):
        name = code(suspect.name)
        lines.append(f"{index}. {name}: {words.reason(suspect.suspicion, answer)}")
        lines += _items(suspect.suspicion.clues)
    lines += [f"\n{note}" for note in words.notes(answer, code)]
    lines += ["", *(f"- {words.step(action, answer)}" for action in answer.steps)]
    return "\n".join(lines)


def _items(clues: Sequence[Clue], absent: str = "") -> Iterator[str]:
    for clue in clues[:CLUES]:
        if clue.quote is None:
            yield f"   - {code(_fit(clue.text, 120))} {absent}".rstrip()
        else:
            text = _excerpt(clue.quote.before, clue.quote.hit, clue.quote.after, 120, ("[", "]"))
            yield f"   - {code(_fit(clue.text, 120))} in context {clue.quote.context}: {code(text)}"
