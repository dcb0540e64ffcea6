"""The first answer in words: as text for a terminal, and as Markdown for a comment on a pull request.

Whatever comes out of the dataset passes `clean` first; in Markdown it stands in code spans, where nothing in
it is a link, a mention or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from workbench.comparing.answer import FEWEST, What
from workbench.comparing.words import many, number, signed
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.comparing.answer import Answer, Effect, Step, Suspect, Worst
    from workbench.comparing.triage import Clue, Quote, Suspicion
    from workbench.model import Kind

WIDTH = 100
"""Cells of a line where nobody says how wide the terminal is."""
CLUES = 3
"""Units of a sample that are shown."""
BAR = 12

SCORER_WORDS = {
    "ragas": "exact names (ragas)",
    "ragas_legacy": "exact names (ragas_legacy)",
    "linked": "name matching (linked)",
    "presence": "text search (presence)",
    "contextual_recall": "supported statements (contextual_recall)",
}
UNITS: dict[Kind, str] = {"entity": "name", "statement": "statement"}
ABSENT: dict[Kind, str] = {"entity": "is in no context", "statement": "is supported by no context"}
EFFECTS: dict[Kind, dict[What, tuple[str, str]]] = {
    "entity": {
        "another form": ("name", "that the text contains in another form, not counted"),
        "not extracted": ("name", "that the text contains but nobody extracted from it"),
        "counted wrongly": ("name", "counted although the text does not contain it"),
        "should not count": ("unit", "that should not count"),
        "left out": ("name", "that should count and was left out"),
        "cut differently": ("name", "cut differently"),
        "untraced": ("", "another extraction or judge, cannot be traced"),
        "too high": ("sample", "that your score rates too high"),
        "too low": ("sample", "that your score rates too low"),
    },
    "statement": {
        "another form": ("statement", "that the contexts support, counted as unsupported"),
        "not extracted": ("statement", "that the contexts support, counted as unsupported"),
        "counted wrongly": ("statement", "counted although the contexts do not support it"),
        "should not count": ("statement", "that should not count"),
        "left out": ("statement", "that should count and was left out"),
        "cut differently": ("statement", "cut differently"),
        "untraced": ("", "another extraction or judge, cannot be traced"),
        "too high": ("sample", "that your score rates too high"),
        "too low": ("sample", "that your score rates too low"),
    },
}  # fmt: skip

Say = Callable[[str], str]


def value(one: float | None) -> str:
    """`.29`, `1.00`; two digits are what a first answer needs."""
    return number(one, 2)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a text with one place in it."""

    before: str
    hit: str
    after: str


def flat(text: str) -> str:
    """One line that cannot steer a terminal."""
    return clean(" ".join(text.split()))


def code(text: str) -> str:
    """A code span of Markdown: longer fences than any inside, so nothing in it is read as markup."""
    text = flat(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


# What both forms say.


def headline(found: Answer, say: Say) -> list[str]:
    """The sentences that the answer begins with."""
    lines = [f"{_yours(found, say)} is {value(found.score.value)}{_of_how_many(found)}."]
    if found.estimate is not None:
        lines.append(_estimate(found))
        if causes := [cause(one, found.kind) for one in found.effects if abs(one.share) >= 0.005][:2]:
            lines.append(f"Main causes: {'; '.join(causes)}.")
        return lines
    if found.recount is not None:
        lines.append(f"Counting names in the retrieved text gives {value(found.recount)}.")
    if found.score.value is None:
        lines.append("There is nothing to check it against.")
    lines += suspicious(found)
    if found.reviewed:
        lines.append(_too_few(found))
    return lines


def _yours(found: Answer, say: Say) -> str:
    if found.imported:
        return f"Your {say(found.scorer)}"
    by = f", by proposals of {say(found.proposer)}," if found.proposer else ""
    return f"The file has no recall score. The recall by {SCORER_WORDS[found.scorer]}{by}"


def _of_how_many(found: Answer) -> str:
    if found.score.n == found.total or not found.score.n:
        return ""
    return f" ({found.score.n:,} of {many(found.total, 'sample')} have one)"


def _estimate(found: Answer) -> str:
    one = found.estimate
    assert one is not None
    if one.complete:
        return f"All {many(found.total, 'sample')} are reviewed: the true mean is {value(one.point)}."
    ends = "" if one.low is None else f" ({value(one.low)} to {value(one.high)})"
    based = f"Based on {one.n:,} reviewed samples"
    still = f"; {one.open:,} of them are still open" if one.open else ""
    return f"{based}, the true mean is about {value(one.point)}{ends}{still}."


def suspicious(found: Answer) -> list[str]:
    """How many samples look wrong and how many of these were, as far as they are checked."""
    one = found.triage
    if not one.looked:
        return []
    if not one.suspicious:
        return [f"None of {many(one.looked, 'sample')} looks wrong at first sight; that proves nothing."]
    looks = "looks" if one.suspicious == 1 else "look"
    why = ""
    if found.kind == "entity" and one.another_form:
        which = (
            "the text" if one.another_form == one.suspicious else f"in {one.another_form:,} of them the text"
        )
        why = f": {which} contains a name in another form"
    lines = [f"{one.suspicious:,} of {many(one.looked, 'sample')} {looks} wrong{why}."]
    if one.checked:
        wrong = {0: "none was", 1: "1 was"}.get(one.confirmed, f"{one.confirmed:,} were")
        lines.append(f"{one.checked:,} of them are reviewed by now: {wrong} wrong by more than .10.")
    return lines


def _too_few(found: Answer) -> str:
    aside = found.reviewed - found.in_order
    picked = f", {aside:,} of them picked by hand" if aside > 0 else ""
    means = ""
    if found.compared:
        means = f" Of {many(found.compared, 'sample')} your score reads {value(found.score_reviewed)}, "
        means += f"the verified one {value(found.verified)}."
    are = "is" if found.reviewed == 1 else "are"
    need = f"An estimate needs {FEWEST} in random order; you have {found.in_order:,}."
    return f"{many(found.reviewed, 'sample')} {are} reviewed{picked}.{means} {need}"


def cause(one: Effect, kind: Kind) -> str:
    """`7 names that the text contains in another form, not counted (−.08)`."""
    unit, what = EFFECTS[kind][one.what]
    count = one.units or one.samples
    lead = f"{many(count, unit)} " if unit else ""
    return f"{lead}{what} ({signed(one.share, 2)})"


def reason(one: Suspicion, found: Answer) -> str:
    """Why a sample looks wrong, without a word of its text."""
    own = f"{_whose(found)} {value(one.score)}"
    if one.signal == "names":
        return f"{own}, names in the text {value(one.recount)}"
    if one.signal == "no contexts":
        return f"{own}, but no context was retrieved"
    if one.signal == "nothing found":
        return f"{own}, but the reference says that nothing was found"
    if one.signal == "word for word":
        return f"{own}, but the reference stands nearly word for word in the contexts"
    return f"{own}, but all {len(one.clues)} names and numbers of the reference are there"


def _whose(found: Answer) -> str:
    return "yours" if found.imported else found.scorer


def step(one: Step, found: Answer) -> str:
    """What to do next, with the time that it takes or what it gains."""
    guess = "" if found.measured else ", a guess"
    about = f"about {many(one.minutes, 'minute')}{guess}"
    if one.what == "check":
        these = "the one sample" if one.samples == 1 else f"these {one.samples}"
        return f"Check {these} ({about}). They are picked by hand: alone they give no estimate."
    if one.what == "all":
        rest = "the last sample" if one.samples == 1 else f"all {one.samples:,} that are left"
        rest = f"all {one.samples:,}" if one.samples == found.total > 1 else rest
        return f"Review {rest} ({about}): then the answer is complete and no estimate."
    if one.what == "random":
        more = "more " if found.in_order else ""
        gain = "a narrower estimate" if found.estimate else "an estimate"
        lead = f"Review {one.samples:,} {more}in random order ({about})"
        return f"{lead} for {gain}: any part of it is a fair sample."
    if one.what == "scorer":
        better = f"{value(one.before)} → {value(one.after)} on the {found.compared:,} reviewed samples"
        return f"Score by {SCORER_WORDS[one.scorer]} instead: mean error {better}."
    return "Send the report: workbench compare --html FILE"


def notes(found: Answer) -> list[str]:
    """What the reader has to know about the figures above."""
    lines = []
    if found.kind == "statement" and found.effects == () and found.estimate is None:
        lines.append(
            "Statements are not recounted: only a person or a judge can tell whether a text supports them."
        )
    if not found.reviewed and found.triage.suspicious:
        lines.append("Nothing is verified yet, so this is a suspicion and no estimate.")
    if found.estimate is not None and found.assisted:
        lines.append(
            "Reviewers saw the suggestions in use; "
            "too few blind reviews (under 30) to measure that influence."
        )
    if found.fast:
        lines.append(f"{many(found.fast, 'review')} took less than a second: was there time to read?")
    if found.withheld:
        lines.append(f"{many(found.withheld, 'sample')} to be reviewed blind are in no list here.")
    if found.kind not in found.reviews:
        kinds = (
            f"{found.kind}, {found.reviews[0]}"
            if found.kind == "entity"
            else f"{found.reviews[0]}, {found.kind}"
        )
        lines.append(
            f"This dataset does not review {UNITS[found.kind]}s, which this score counts: "
            f"add them to `kinds` ({kinds}) with workbench policy edit."
        )
    return lines


# Text.


def answer_text(found: Answer, *, width: int = WIDTH, mark: tuple[str, str] = ("[", "]")) -> str:
    """The answer for a terminal of that width. `mark` is put around what was found in a text."""
    title = "your column" if found.imported else "score"
    done = f" · {found.reviewed:,} reviewed" if found.reviewed else ""
    head = f"{flat(found.dataset)} · {many(found.total, 'sample')}{done} · {title}: {flat(found.scorer)}"
    lines = [head, "", *wrap(" ".join(headline(found, flat)), width)]
    if found.effects and found.reviewed:
        lines += ["", *_effects(found, width)]
    if found.worst:
        lines += [
            "",
            "The samples with the largest effect:" if len(found.worst) > 1 else "The sample that differs:",
        ]
        for place, worst in enumerate(found.worst, start=1):
            lines += _worst(found, worst, place, width, mark)
    if found.estimate is None and found.triage.shown:
        several = "these first" if len(found.triage.shown) > 1 else "this one first"
        lines += ["", f"Check {several}:"]
        for place, suspect in enumerate(found.triage.shown, start=1):
            lines += ["", *_suspect(found, suspect, place, width, mark)]
    lines += ["", *(line for note in notes(found) for line in wrap(note, width))]
    if lines[-1]:
        lines.append("")
    lines += _steps(found, width)
    return "\n".join(lines)


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
    rows = [
        (_effect_words(one, found.kind), _how_many(one, found.kind), signed(one.share, 2), one.share)
        for one in found.effects
    ]
    total = sum(share for _, _, _, share in rows)
    largest = max(abs(share) for _, _, _, share in rows)
    room = max(len(words) for words, _, _, _ in rows)
    count = max(len(counted) for _, counted, _, _ in rows)
    wide = width >= room + count + 12 + BAR
    lines = [f"Why they differ, over {many(found.compared, 'reviewed sample')}:"]
    for words, counted, effect, share in rows:
        bar = "█" * max(1, round(BAR * abs(share) / largest)) if wide and largest >= 0.005 else ""
        lines.append(f"  {words:<{room}}  {counted:<{count}}  {effect:>5}  {bar}".rstrip())
    difference = f"{_whose(found)} − verified"
    lines.append(f"  {difference:<{room}}  {'':<{count}}  {signed(total, 2):>5}")
    return lines


def _effect_words(one: Effect, kind: Kind) -> str:
    unit, what = EFFECTS[kind][one.what]
    return f"{unit}s {what}" if unit else what


def _how_many(one: Effect, kind: Kind) -> str:
    unit = EFFECTS[kind][one.what][0]
    return many(one.units or one.samples, unit) if unit else ""


def _suspect(found: Answer, one: Suspect, place: int, width: int, mark: tuple[str, str]) -> list[str]:
    names = [clue.text for clue in one.suspicion.clues[:CLUES]]
    lead = "     "
    lines = [f"  {place}  {_fit(one.question or one.id, width - 5)}", f"{lead}{reason(one.suspicion, found)}"]
    lines += [f"{lead}reference: {_marked(one.reference, names, width - 16, mark)}"]
    return lines + _clues(one.suspicion.clues, width, lead, mark)


def _worst(found: Answer, one: Worst, place: int, width: int, mark: tuple[str, str]) -> list[str]:
    values = f"{_whose(found)} {value(one.score)}  true {value(one.verified)}"
    lines = ["", f"  {place}  {_fit(one.question or one.id, width - 5)}", f"     {values}"]
    return lines + _clues(one.clues, width, "     ", mark, ABSENT[found.kind])


def _clues(
    clues: Sequence[Clue], width: int, lead: str, mark: tuple[str, str], absent: str = ""
) -> list[str]:
    lines = []
    for clue in clues[:CLUES]:
        name = f"{mark[0]}{_fit(clue.text, width // 3)}{mark[1]}"
        if clue.quote is None:
            lines.append(f"{lead}{name} {absent}")
            continue
        said = f"{lead}{name}  context {clue.quote.context}: "
        room = width - _cells(_plain(said, mark)) - 2
        lines.append(said + _quoted(clue.quote, room, mark))
    rest = len(clues) - CLUES
    return [*lines, f"{lead}and {rest:,} more"] if rest > 0 else lines


def _plain(text: str, mark: tuple[str, str]) -> str:
    return text.replace(mark[0], "[").replace(mark[1], "]")


def _quoted(quote: Quote, room: int, mark: tuple[str, str]) -> str:
    one = _excerpt(quote.before, quote.hit, quote.after, room)
    return f"{one.before}{mark[0]}{one.hit}{mark[1]}{one.after}"


def _marked(text: str, names: Sequence[str], room: int, mark: tuple[str, str]) -> str:
    """The text around the first of some names, that name marked."""
    start, name = next(((at, n) for n in names if n and (at := text.find(n)) >= 0), (0, ""))
    one = _excerpt(text[:start], name, text[start + len(name) :], room)
    return f"{one.before}{mark[0]}{one.hit}{mark[1]}{one.after}" if name else one.after


def _excerpt(before: str, hit: str, after: str, room: int) -> Excerpt:
    """As much around a hit as fits into `room` cells with its marks."""
    hit = _fit(hit, max(1, room - 4))
    room -= _cells(hit) + 2
    before, after = _spaced(before), _spaced(after)
    left = min(_cells(before), max(room // 2, room - _cells(after)))
    start = _fit(before[::-1], left)[::-1]
    return Excerpt(start, hit, _fit(after, room - _cells(start)))


def _spaced(text: str) -> str:
    """As `flat`, but a blank at either end stays: it parts the text from the hit."""
    inner = flat(text)
    return f"{' ' if text[:1].isspace() else ''}{inner}{' ' if text[-1:].isspace() and inner else ''}"


def _fit(text: str, room: int) -> str:
    """The beginning of a text that fits into so many cells, with … where it is cut."""
    from rich.cells import cell_len, set_cell_size

    text = _spaced(text)
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, max(0, room - 1)).rstrip() + "…"


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


# Markdown.


def answer_markdown(found: Answer) -> str:
    """The answer as Markdown, for a comment on a pull request."""
    first, *rest = headline(found, code)
    lines = [f"### {code(found.dataset)}: {many(found.total, 'sample')}, {found.reviewed:,} reviewed", ""]
    lines += [f"**{first}** {' '.join(rest)}".rstrip()]
    if found.effects and found.reviewed:
        lines += ["", "| why they differ | | effect |", "| --- | --- | ---: |"]
        lines += [
            f"| {_effect_words(one, found.kind)} | {_how_many(one, found.kind)} | {signed(one.share, 2)} |"
            for one in found.effects
        ]
    for place, worst in enumerate(found.worst, start=1):
        lines += [""] if place == 1 else []
        values = f"{_whose(found)} {value(worst.score)}, true {value(worst.verified)}"
        lines.append(f"{place}. {code(worst.question or worst.id)}: {values}")
        lines += _items(worst.clues, ABSENT[found.kind])
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
            text = _quoted(clue.quote, 120, ("[", "]"))
            yield f"   - {code(_fit(clue.text, 120))} in context {clue.quote.context}: {code(text)}"
