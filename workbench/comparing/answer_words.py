"""The sentences of the first answer, written once for the terminal, Markdown and the report.

Names that the dataset gave pass `say`, which makes them safe where the sentence is going to stand; all other
words are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.comparing.intervals import BADGE, FEWEST
from workbench.comparing.words import CHOSEN, WHOLE, settled
from workbench.model import PLURAL, Kind
from workbench.scoring.names import scorer_in_full
from workbench.text.figures import many, number, rounded, signed, value
from workbench.text.lists import pairs, sections

if TYPE_CHECKING:
    from workbench.comparing.answer import Answer, Effect, Estimated, Step, Worst
    from workbench.comparing.explained import What
    from workbench.comparing.triage import Suspicion

UNITS: dict[Kind, str] = {"entity": "name", "statement": "statement"}
ABSENT: dict[Kind, str] = {"entity": "is in no context", "statement": "is supported by no context"}
_SAID = sections(__name__)
_OTHER_UNITS = {"untraced": "", "rounding": "", "too high": "sample", "too low": "sample"}
_OF_NAMES, _OF_STATEMENTS = pairs(_SAID["names"]), pairs(_SAID["statements"])
EFFECTS: dict[Kind, dict[str, tuple[str, str]]] = {
    kind: {what: (_OTHER_UNITS.get(what, unit), words) for what, words in effects.items()}
    for (kind, unit), effects in zip(UNITS.items(), (_OF_NAMES, _OF_NAMES | _OF_STATEMENTS), strict=True)
}
"""What each effect is of, and how it is called behind their number."""
IN_SHORT = pairs(_SAID["in short"])
"""The reasons for the difference of one sample, where there is a line for all of them."""
STEPS, HOW = pairs(_SAID["steps"]), pairs(_SAID["how"])
"""What to do next, and how a command does it."""
SUSPICIONS, LOOKS, LEFT_OUT = (pairs(_SAID[name]) for name in ("suspicions", "looks", "left out"))
"""Why a score looks wrong, and why a sample is not among those that are compared."""

Say = Callable[[str], str]
EXAMPLE = 40
"""Code points of a name and its other form that still fit into a sentence."""
DIGITS = 2
"""How exactly the answer gives recalls; what is 0 at these digits is not spoken of."""
MOST, EXACT = 5, 1e-9
"""The most digits of means that give one another; less apart are sums in another order."""


def headline(answer: Answer, say: Say) -> list[str]:
    """The sentences that the answer begins with."""
    if not answer.imported and not answer.proposer:
        how = _command(answer, ": workbench propose, or import FILE with proposals")
        return [f"Nothing is proposed yet{how}."]
    digits = _digits((answer.score.value, answer.estimate.point)) if answer.estimate else DIGITS
    mean = "has no known mean"
    if answer.score.value is not None:
        mean = f"is {number(answer.score.value, digits)}"
    lines = [f"{_yours(answer, say)} {mean}{_of_how_many(answer)}."]
    if answer.estimate is not None:
        return [*lines, _estimate(answer), *_fast(answer), *_causes(answer, say)]
    if answer.recount is not None:
        lines.append(
            f"A rough check, by text search, gives {value(answer.recount)}: it counts names, numbers and "
            "dates of the reference that the contexts have in any form, chance matches too."
        )
    lines += suspicious(answer)
    if answer.reviewed:
        lines += [_too_few(answer), *_fast(answer)]
    return lines


def so_far(answer: Answer) -> str:
    """`12 reviewed, 1 unresolved`; with two kinds to review, the one that is meant."""
    unresolved = f", {answer.unresolved:,} unresolved" if answer.unresolved else ""
    of = f" ({PLURAL[answer.kind]})" if len(answer.reviews) > 1 else ""
    return f"{answer.reviewed:,} reviewed{of}{unresolved}"


def _fast(answer: Answer) -> list[str]:
    """Reviews that nobody can have read for; the step `fast` says where to find them."""
    here = many(answer.here, "sample reviewed here", "samples reviewed here")
    return [f"{answer.fast:,} of {here} took less than a second."] if answer.fast else []


def _causes(answer: Answer, say: Say) -> list[str]:
    """`Main cause: 7 names … (−.08). Everything else together: +.01.`; two causes where both are large.

    The largest effect with units is a cause where the score is off in its direction for sure. Else the
    largest effects are named as such, to whichever side. What cannot be explained is no cause.
    It comes first where it is the largest part.
    """
    estimate = answer.estimate
    if estimate is None:
        return []
    total = sum(effect.share for effect in answer.effects)
    shown = {effect.what: share for effect, share in _shown(answer)[0]}
    blank = shown.get("untraced", 0.0)
    odd = next((effect.samples for effect in answer.effects if effect.what == "untraced"), 0)
    named = [effect for effect in answer.effects if effect.what not in WHOLE and shown.get(effect.what)]
    main = [effect for effect in named if abs(effect.share) * 4 >= abs(named[0].share)]
    known = (estimate.sure or estimate.reached) and (estimate.bias or 0) * total > 0
    most = bool(main) and abs(blank) > abs(shown[main[0].what])  # then no other part is called the largest
    lead = "Smaller effect" if most else "Largest effect"
    if main and known and main[0].share * total > 0:
        main = [effect for effect in main if effect.share * total > 0]
        lead = "Smaller cause" if most else "Likely cause" if _recounted(answer) else "Main cause"
    whole = float(rounded(total, DIGITS))
    rest = whole - sum(shown[effect.what] for effect in main[:2]) - blank
    lines = []
    if main:
        where = "" if estimate.complete else f" in the {many(answer.compared, 'reviewed sample')}"
        causes = "; ".join(cause(effect, answer, shown[effect.what], say) for effect in main[:2])
        lines.append(f"{lead}{'s' if len(main) > 1 else ''}{where}: {causes}.")
    if blank:
        why = "no step that the file records tells why"
        if not answer.traced:
            how = _command(answer, " (save the traces: docs/formats.md)")
            why = f"the file has the score, but not the {UNITS[answer.kind]}s that your metric counted{how}"
        of, before = "" if lines and not most else "of the difference ", ""
        if of and not (blank * whole > 0 and abs(blank) <= abs(whole)):
            of, before = "", f"The parts of the difference of {signed(whole, 2)} partly cancel. "
        untraced = f"{before}{signed(blank, 2)} {of}({many(odd, 'sample')}) is untraced: {why}."
        lines.insert(0 if most else 1, untraced)
    if lines and (rounded(rest, DIGITS) or (odd and not blank)):
        # errors to both sides may leave a small sum, or none, of scores that are far off
        why = f", with {many(odd, 'sample')} whose score is untraced" if odd and not blank else ""
        lines.append(f"Everything else together: {signed(rest, 2)}{why}.")
    return [" ".join(lines)] if lines else []


def _recounted(answer: Answer) -> bool:
    """Whether the causes are those of a recount that gives other numbers than the file has."""
    return not answer.traced and any(effect.what == "untraced" for effect in answer.effects)


def _yours(answer: Answer, say: Say) -> str:
    if answer.imported:
        return f"Your {say(answer.scorer)}"
    by = f" of the suggestions by {say(answer.proposer)}" if answer.proposer else ""
    first = "" if answer.others else "The file has no recall score. "
    return f"{first}The recall by {scorer_in_full(answer.scorer)}{by}"


def _of_how_many(answer: Answer) -> str:
    if answer.score.n == answer.total or not answer.score.n:
        return ""
    without = answer.total - answer.score.n
    lack = "has" if without == 1 else "have"
    return f" ({without:,} of {many(answer.total, 'sample')} {lack} no score)"


def _estimate(answer: Answer) -> str:
    estimate = answer.estimate
    assert estimate is not None
    point = number(estimate.point, _digits((estimate.counted, estimate.point)))
    ends = ("", "") if estimate.low is None else (value(estimate.low), value(estimate.high))
    if estimate.complete:
        out = f", {estimate.excluded:,} of them not counted" if estimate.excluded else ""
        lead = f"All {_samples(answer)} are reviewed{out}: the true mean is {point}"
    elif estimate.reached and estimate.low is not None:
        of = f" of the {estimate.n + estimate.open:,} that count" if estimate.out else ""
        mean = f"The true mean{of} is between {ends[0]} and {ends[1]}"
        lead = f"{_samples(answer)}: {settled(estimate)}. {mean}"
    else:
        of = f" of the {estimate.total:,} with a score" if estimate.total < answer.total else ""
        within = f" (95 % range {ends[0]} to {ends[1]})" if ends[0] else ""
        about = f"{point}{within}"
        out = f"of {answer.reviewed:,} " if answer.reviewed > estimate.n else ""
        lead = f"Based on {estimate.n:,} {out}reviewed samples, the true mean{of} is about {about}"
    return f"{lead}{_off(answer, estimate)}."


def _samples(answer: Answer) -> str:
    """`50 samples`, or `43 samples with a score`: those that the estimate is about."""
    total = answer.estimate.total if answer.estimate else answer.total
    return many(total, "sample") + (" with a score" if total < answer.total else "")


def _score(answer: Answer) -> str:
    return "your score" if answer.imported else "this score"


def _off(answer: Answer, estimate: Estimated) -> str:
    """`. Your score is about .14 too low`; nothing where it is right at two digits.

    Where some samples are no part of the true mean, also the mean score of the others, which it is held to.
    """
    bias, over = estimate.bias, ""
    if estimate.counted is not None and not _same(estimate.counted, answer.score.value):
        # the mean of all samples would not fit to the other two
        these = f"{estimate.n:,} samples with both values" if estimate.complete else "samples that count"
        counted = number(estimate.counted, _digits((estimate.counted, estimate.point)))
        about = "" if estimate.complete else "about "
        over = f". Over the {these} {_score(answer)} averages {about}{counted}"
    if bias is not None and not rounded(bias, DIGITS):
        return over
    if answer.compared and (bias is None if estimate.complete else not (estimate.sure or estimate.reached)):
        both = f"{many(answer.compared, 'sample')} with both values"
        return f"{over}. {both} cannot tell whether {_score(answer)} is too low or too high"
    if bias is None:
        return ""
    off = f"about {value(abs(bias))} too {'low' if bias < 0 else 'high'}"
    return f"{over}, {off}" if over else f". {_score(answer).capitalize()} is {off}"


def suspicious(answer: Answer) -> list[str]:
    """How many samples look wrong and how many of these were, as far as they are checked."""
    triage = answer.triage
    if not triage.looked or (answer.done and not triage.suspicious):
        return []
    looked = many(triage.looked, "sample")
    bare = f" {many(triage.bare, 'sample has', 'samples have')} no suggested names to check a score by."
    bare = bare if triage.bare else ""
    if answer.withheld:
        wait = many(answer.withheld, "more waits", "more wait")
        looked = f"the {looked} shown ({wait} for a review without suggestions)"
    if not triage.suspicious:
        none = (
            "The sample has no" if (triage.looked, answer.withheld) == (1, 0) else f"None of {looked} has a"
        )
        return [f"{none} score that looks wrong at first sight; that proves nothing.{bare}"]
    counts = sorted(triage.reasons.items(), key=lambda reason: -reason[1])
    these = [f"in {n:,}{'' if at else ' of them'} {LOOKS[why]}" for at, (why, n) in enumerate(counts)]
    why = ", ".join(these) if these[1:] else LOOKS[counts[0][0]]
    has = "has" if triage.suspicious == 1 else "have"
    lines = [f"{triage.suspicious:,} of {looked} {has} a score that looks wrong: {why}.{bare}"]
    if triage.checked:
        lines.append(f"Reviewed of these: {triage.checked:,}; wrong by more than .10: {triage.confirmed:,}.")
    return lines


def _too_few(answer: Answer) -> str:
    picked = f", {answer.picked:,} of them picked by hand" if answer.picked else ""
    if answer.further and not answer.refusal:
        picked += f", {answer.further:,} of them further on in the order"
    more = f", {answer.unresolved:,} more unresolved" if answer.unresolved else ""
    means, estimable = "", answer.in_order >= FEWEST and not answer.refusal
    if answer.verified is not None:
        means = (
            f" Over {many(answer.compared, 'sample')} with both values {_score(answer)} averages "
            f"{value(answer.score_reviewed)} and the reviewed value {value(answer.verified)}."
        )
    elif answer.yours:
        hidden = "mean and the estimate are" if estimable else "mean is"
        some = f": {many(answer.yours, 'of them is', 'of them are')} yours to decide first"
        means = f" The {hidden} hidden{' until you decide it' if answer.reviewed == 1 else some}."
    units = f"{UNITS[answer.kind]}s"
    if answer.done and answer.in_order < FEWEST:
        out = f", {answer.excluded:,} of them not counted" if answer.excluded else ""
        few = f"{many(answer.reviewed, 'sample')} {'is' if answer.reviewed == 1 else 'are'} too few"
        every = "The sample is" if answer.total == 1 else f"All {answer.total:,} samples are"
        return f"{every} reviewed{out}.{means} {few} to say something about others."
    if answer.refusal:
        need = f" No estimate: {answer.refusal}."
    elif answer.yours and estimable:
        need = ""
    elif answer.possible >= FEWEST and any(
        action.what in ("all", "random", "plan") for action in answer.steps
    ):
        order = f"An estimate needs {FEWEST} reviews with {units} in random order"
        need = f" {order}; you have {answer.in_order:,}."
    else:
        score = " and a score" if answer.score.n < answer.total else ""
        need = f" A mean needs {FEWEST} samples with {units}{score}."
    are = "is" if answer.reviewed == 1 else "are"
    return f"{many(answer.reviewed, 'sample')} {are} reviewed{picked}{more}.{means}{need}"


def cause(effect: Effect, answer: Answer, share: float, say: Say) -> str:
    """`7 names in the contexts that … did not recognise, some in another form, such as … (−.08)`."""
    unit, what = EFFECTS[answer.kind][effect.what]
    if answer.kind == "entity" and effect.what == "another form":
        own = "your metric" if answer.imported else "the score"
        who = "a recount by exact names" if _recounted(answer) else own
        what = f"in the contexts that {who} did not recognise{_example(answer, say)}"
    lead = f"{many(effect.units or effect.samples, unit)} " if unit else ""
    return f"{lead}{what} ({signed(share, 2)})"


def _example(answer: Answer, say: Say) -> str:
    """`, some in another form, such as Leonard for Ronald Leonard`; nothing where no name is short enough."""
    forms = (
        (clue.quote.hit, clue.text)
        for sample in answer.worst
        for clue in sample.clues
        if sample.score < sample.verified and clue.quote is not None and not clue.same
    )
    fitting = (f"{say(hit)} for {say(text)}" for hit, text in forms if len(hit) + len(text) <= EXAMPLE)
    example = next(fitting, "")
    return f", some in another form, such as {example}" if example else ""


def reason(suspicion: Suspicion, answer: Answer) -> str:
    """Why a sample looks wrong, without a word of its text."""
    why = SUSPICIONS[suspicion.signal].format(
        recount=value(suspicion.recount),
        strict="" if suspicion.score else " (.00 in strict mode)",
        clues=len(suspicion.clues),
    )
    return f"{whose(answer)} {value(suspicion.score)}, {why}"


def unquoted(sample: Worst, kind: Kind) -> str:
    """What is shown of a unit without evidence: that it is missing, or that nobody chose the evidence."""
    return ABSENT[kind] if sample.score > sample.verified else "found by the reviewer, who chose no evidence"


def untold(answer: Answer) -> str:
    """Why a sample differs in which no verified unit tells it."""
    if answer.imported:
        return "Your metric counted something else; the file does not show what."
    return f"The suggestions have other {UNITS[answer.kind]}s than the reviewer counted."


def whose(answer: Answer) -> str:
    """What a value is called next to the verified one."""
    return "yours" if answer.imported else answer.scorer


def _command(answer: Answer, how: str) -> str:
    """How a command does it; nothing for a reader who has no Workbench."""
    return "" if answer.sent else how


def step(action: Step, answer: Answer) -> str:
    """What to do next, with the time that it takes or what it gains."""
    form: str = action.what
    wrong = answer.triage.suspicious - answer.triage.checked
    enough = answer.possible >= FEWEST
    if form == "check" and action.samples < wrong:
        form = "check some"
    elif form == "all" and 1 < action.samples == answer.total:
        form = "all of all"
    elif form == "random" and not (answer.estimate or enough):
        form = "random of few"
    elif form == "extend" and answer.sent:
        form = "extend sent"
    told = not answer.sent and (action.what != "all" or not (action.sure or action.samples == 1))
    first = next((timed for timed in answer.steps if timed.minutes), None)
    guess = ", a guess" if action is first and not answer.measured else ""
    people = f"{action.reviews:,} reviews, " if action.reviews > action.samples else ""
    reviews, order = many(action.samples, "review"), action.order
    return STEPS[form].format(
        how=HOW.get(action.what, "").format(number=action.number) if told else "",
        about=f"{people}about {many(action.minutes, 'minute')}{guess}",
        count=action.samples,
        n=f"{action.samples:,}",
        wrong=f"{wrong:,}",
        looks=many(action.samples, "sample that looks wrong", "samples that look wrong"),
        left=many(action.samples, "sample that is left", "samples that are left"),
        samples=many(action.samples, "sample"),
        reviews=reviews,
        mean="you know the true mean and need no estimate" if enough else "you know which scores are right",
        more="more " if answer.in_order else "",
        gain="a narrower estimate" if answer.estimate else "an estimate",
        narrower=_narrower(action),
        order=f"{order[:1].upper()}{order[1:]}",
        scorer=scorer_in_full(action.scorer) if action.scorer else "",
        change=f"{value(action.after)} instead of {value(action.before)}",
        sure="" if action.sure else f" A suggestion from {reviews}: more make it certain.",
        compared=many(answer.compared, "reviewed sample"),
        hint=f". That is a hint: {answer.compared:,} are few" if answer.compared < BADGE else "",
    )


def _narrower(action: Step) -> str:
    """`: ± .08 becomes about ± .05`; empty where no interval is known, or it would not get narrower."""
    narrower = 0 < action.after < action.before
    return f": ± {value(action.before)} becomes about ± {value(action.after)}" if narrower else ""


def notes(answer: Answer, say: Say) -> list[str]:
    """What the reader has to know about the figures above."""
    lines = []
    if answer.kind == "statement" and not answer.effects and answer.estimate is None:
        lines.append("Statements are not counted again: only a person or a judge can tell what is supported.")
    if answer.unresolved and not answer.estimate:
        lines.append(f"On {many(answer.unresolved, 'sample')} reviewers differ, so nothing is settled there.")
    elif not answer.reviewed and answer.triage.suspicious and answer.excluded < answer.total:
        lines.append("Nobody has reviewed a sample yet, so this is a suspicion and no estimate.")
    if answer.chosen and answer.estimate and not answer.estimate.complete:
        lines.append(CHOSEN)
    if answer.left_out and (answer.reviewed or "seen" in answer.left_out):
        lines.append(_left_out(answer))
    if answer.blank:
        more = many(answer.blank, "more sample has", "more samples have")
        lines.append(f"{more} a blank reference: recall is undefined there, and no figure counts it.")
    if answer.kind not in answer.reviews:
        edit = ": workbench policy show > policy.toml, add them to `kinds` there, then workbench policy edit "
        how = _command(answer, f"{edit}--file policy.toml")
        lines.append(f"This dataset does not review {UNITS[answer.kind]}s, which this score counts{how}.")
    how = _command(answer, ": --scorer NAME answers about it")
    return lines + [f"Another recall column is {say(name)}{how}." for name in answer.others]


def differs(answer: Answer) -> str:
    """Both means of the samples that have both values, and how the estimate follows from them.

    With so many digits that these numbers give one another.
    """
    ours, true = answer.score_reviewed or 0.0, answer.verified or 0.0
    digits, estimate, follows = _digits((ours, true)), answer.estimate, ""
    if estimate is not None and not estimate.reached:
        moved = estimate.counted or 0.0, estimate.point
        follows = f" The estimate for all {_samples(answer)} allows for how these were drawn."
        if abs(moved[1] - moved[0] - true + ours) < EXACT:
            digits = _digits((ours, true), moved, most=MOST)
            of = f"all {_samples(answer)}"
            if not _same(estimate.counted, answer.score.value):
                of = "the samples that count"
            arrow = " → ".join(number(mean, digits) for mean in moved)
            follows = f" The estimate corrects the mean of {of} by this difference: {arrow}."
    these = "reviewed sample" if answer.compared == 1 else f"{answer.compared:,} reviewed samples"
    return (
        f"In the {these} {_score(answer)} averages {number(ours, digits)} "
        f"and the reviewed value {number(true, digits)}."
        f"{' The causes are those of a recount by exact names.' if _recounted(answer) else ''}{follows}"
    )


def _same(one: float | None, other: float | None) -> bool:
    return number(one, DIGITS) == number(other, DIGITS)


def _digits(*pairs: tuple[float | None, float | None], most: int = DIGITS + 1) -> int:
    """At how many digits the means of each pair and their difference fit; `most` where none does."""

    def fit(ours: float | None, true: float | None, at: int) -> bool:
        one, other = ours or 0.0, true or 0.0
        return rounded(one, at) - rounded(other, at) == rounded(one - other, at)

    return next((at for at in range(DIGITS, most) if all(fit(*pair, at) for pair in pairs)), most)


def _left_out(answer: Answer) -> str:
    """`Not among the 57 compared samples: 1 set aside as not counted, 1 without a score.`"""
    unit = UNITS[answer.kind]
    listed = "; ".join(
        f"{count:,} {LEFT_OUT[key].format(unit=unit)}" for key, count in answer.left_out.items()
    )
    return f"Not among the {many(answer.compared, 'sample')} compared here: {listed}."


def effect_rows(answer: Answer) -> list[tuple[str, str, float]]:
    """Each cause in words, how many units it has, and its effect; small ones share a row."""
    shown, rest = _shown(answer)
    rows = []
    for effect, share in shown:
        unit, what = EFFECTS[answer.kind][effect.what]
        count = many(effect.units or effect.samples, unit) if unit else ""
        rows.append((f"{unit}s {what}" if unit else what, count, share))
    if rest:
        small = many(len(answer.effects) - len(shown), "smaller cause")
        rows.append((f"{small}, .005 or less each", "", rest))
    return rows


def _shown(answer: Answer) -> tuple[list[tuple[Effect, float]], float]:
    """The effects that have a row of their own with their share at two digits, and that of all smaller ones.

    What cannot be explained comes last. The shares are rounded so that they add up to the rounded difference
    (by largest remainder).
    """
    large = sorted(
        (effect for effect in answer.effects if rounded(effect.share, DIGITS)),
        key=lambda effect: effect.what in WHOLE,
    )
    small = [effect.share for effect in answer.effects if not rounded(effect.share, DIGITS)]
    exact = [effect.share for effect in large] + ([sum(small)] if small else [])
    cents = [int(100 * rounded(share, DIGITS)) for share in exact]
    while off := int(100 * rounded(sum(exact), DIGITS)) - sum(cents):
        step = 1 if off > 0 else -1
        nearest = max(range(len(exact)), key=lambda at: step * (100 * exact[at] - cents[at]))
        cents[nearest] += step
    shares = [cent / 100 for cent in cents]
    return [*zip(large, shares, strict=False)], shares[-1] if small else 0.0


def in_short(what: What, units: int, kind: Kind) -> str:
    """`3 names not recognised`; a statement that the contexts support has no other form."""
    if kind == "statement" and what == "another form":
        return f"{many(units, 'statement')} supported after all"
    return IN_SHORT[what] if what in WHOLE else f"{many(units, UNITS[kind])} {IN_SHORT[what]}"
