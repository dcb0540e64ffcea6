"""The sentences of the first answer, written once for the terminal, Markdown and the report.

Names that the dataset gave pass `say`, which makes them safe where the sentence is going to stand; all other
words are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.comparing.answer import FEWEST
from workbench.comparing.reasons import UNITS, What
from workbench.comparing.words import many, number, signed

if TYPE_CHECKING:
    from workbench.comparing.answer import Answer, Effect, Step
    from workbench.comparing.triage import Suspicion
    from workbench.model import Kind

SCORER_WORDS = {
    "ragas": "exact names (ragas)",
    "ragas_legacy": "exact names (ragas_legacy)",
    "linked": "name matching (linked)",
    "presence": "text search (presence)",
    "contextual_recall": "supported statements (contextual_recall)",
}
ABSENT: dict[Kind, str] = {"entity": "is in no context", "statement": "is supported by no context"}
EFFECTS: dict[Kind, dict[What, tuple[str, str]]] = {
    "entity": {
        "another form": ("name", "that the text contains in another form, not counted"),
        "not extracted": ("name", "that the text contains but nobody extracted from it"),
        "counted wrongly": ("name", "counted although the text does not contain it"),
        "should not count": ("unit", "that should not count"),
        "left out": ("name", "wrongly left out"),
        "cut differently": ("name", "cut differently"),
        "unsure": ("name", "that a reviewer is unsure of"),
        "untraced": ("", "another extraction or judge, cannot be traced"),
        "rounding": ("", "rounding in the file"),
        "too high": ("sample", "that your score rates too high"),
        "too low": ("sample", "that your score rates too low"),
    },
    "statement": {
        "another form": ("statement", "that the contexts support, counted as unsupported"),
        "not extracted": ("statement", "that the contexts support, counted as unsupported"),
        "counted wrongly": ("statement", "counted although the contexts do not support it"),
        "should not count": ("statement", "that should not count"),
        "left out": ("statement", "wrongly left out"),
        "cut differently": ("statement", "cut differently"),
        "unsure": ("statement", "that a reviewer is unsure of"),
        "untraced": ("", "another extraction or judge, cannot be traced"),
        "rounding": ("", "rounding in the file"),
        "too high": ("sample", "that your score rates too high"),
        "too low": ("sample", "that your score rates too low"),
    },
}  # fmt: skip

Say = Callable[[str], str]


def value(one: float | None) -> str:
    """`.29`, `1.00`; two digits are what a first answer needs."""
    return number(one, 2)


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
    by = f" of the suggestions by {say(found.proposer)}" if found.proposer else ""
    first = "" if found.has_column else "The file has no recall score. "
    return f"{first}The recall by {SCORER_WORDS[found.scorer]}{by}"


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
        are = "is" if one.checked == 1 else "are"
        lines.append(f"{one.checked:,} of them {are} reviewed by now: {wrong} wrong by more than .10.")
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


def reason(one: Suspicion) -> str:
    """Why a sample looks wrong, without a word of its text."""
    if one.signal == "names":
        return f"yours {value(one.score)}, names in the text {value(one.recount)}"
    if one.signal == "no contexts":
        return f"yours {value(one.score)}, but no context was retrieved"
    if one.signal == "nothing found":
        return f"yours {value(one.score)}, but the reference says that nothing was found"
    if one.signal == "word for word":
        return f"yours {value(one.score)}, but the reference stands nearly word for word in the contexts"
    return f"yours {value(one.score)}, but all {len(one.clues)} names and numbers of the reference are there"


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
        order = f"Review {one.samples:,} {more}in random order ({about})"
        return f"{order} for {gain}: any part of it is a fair sample."
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
            "too few reviews without them (under 30) to measure that influence."
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


def effect_words(one: Effect, kind: Kind) -> str:
    """`names that the text contains in another form, not counted`."""
    unit, what = EFFECTS[kind][one.what]
    return f"{unit}s {what}" if unit else what


def how_many(one: Effect, kind: Kind) -> str:
    """`7 names`; empty where no unit can be named."""
    unit = EFFECTS[kind][one.what][0]
    return many(one.units or one.samples, unit) if unit else ""
