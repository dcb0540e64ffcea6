"""The sentences of the first answer, written once for the terminal, Markdown and the report.

Names that the dataset gave pass `say`, which makes them safe where the sentence is going to stand; all other
words are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.comparing.explained import UNITS, What
from workbench.comparing.intervals import BADGE, FEWEST
from workbench.comparing.words import CHOSEN
from workbench.text.figures import many, number, signed, value

if TYPE_CHECKING:
    from workbench.comparing.answer import Answer, Effect, Step, Worst
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
UNTRACED = "not explained: the file does not list what was counted"
NOT_BY_STEPS = "not explained by the steps that the file records"
_OF_NAMES: dict[What, tuple[str, str]] = {
    "another form": ("name", "in the contexts that were not recognised"),
    "not extracted": ("name", "that the contexts contain, but nobody extracted there"),
    "counted wrongly": ("name", "counted although the contexts do not contain them"),
    "should not count": ("name", "extracted by mistake"),
    "left out": ("name", "of the reference that nobody extracted"),
    "cut differently": ("name", "with other boundaries or parts"),
    "unsure": ("name", "that a reviewer is unsure of"),
    "untraced": ("", UNTRACED),
    "rounding": ("", "rounding in the file"),
    "too high": ("sample", "that your score rates too high"),
    "too low": ("sample", "that your score rates too low"),
}
_OF_STATEMENTS: dict[What, str] = {
    "another form": "that the contexts support, counted as unsupported",
    "not extracted": "that the contexts support, counted as unsupported",
    "counted wrongly": "counted although the contexts do not support them",
}
EFFECTS: dict[Kind, dict[What, tuple[str, str]]] = {
    "entity": _OF_NAMES,
    "statement": {
        what: (unit.replace("name", "statement"), _OF_STATEMENTS.get(what, words))
        for what, (unit, words) in _OF_NAMES.items()
    },
}

Say = Callable[[str], str]
UNEXPLAINED: tuple[What, ...] = ("untraced", "rounding")
EXAMPLE = 40
"""Code points of a name and its other form that still fit into a sentence."""
SMALL = 0.005
"""Effects and differences below this are 0 at two digits."""


def headline(found: Answer, say: Say) -> list[str]:
    """The sentences that the answer begins with."""
    if not found.imported and not found.proposer:
        return ["Nothing is proposed yet: workbench propose, or import FILE with proposals."]
    lines = [f"{_yours(found, say)} is {value(found.score.value)}{_of_how_many(found)}."]
    if found.estimate is not None:
        return [*lines, _estimate(found), *_fast(found), *_causes(found, say)]
    if found.recount is not None:
        lines.append(
            f"A rough check gives {value(found.recount)}: it counts names, numbers and dates of the "
            "reference that the contexts have in any form, chance matches too."
        )
    lines += suspicious(found)
    if found.reviewed:
        lines += [_too_few(found), *_fast(found)]
    return lines


def _fast(found: Answer) -> list[str]:
    """Reviews that nobody can have read for; the step `fast` says where to find them."""
    if not found.fast:
        return []
    if found.reviewed == 1:
        return ["The review took less than a second."]
    return [f"{found.fast:,} of the {found.reviewed:,} reviews took less than a second."]


def _causes(found: Answer, say: Say) -> list[str]:
    """`Main cause: 7 names … (−.08). Everything else together: +.01.`; two causes where both are large.

    A cause that works against the difference is no cause of it, and what cannot be explained is none either.
    """
    total = sum(one.share for one in found.effects)
    estimate = found.estimate
    if abs(total) < SMALL or estimate is None or estimate.bias is None:
        return []
    shown = dict(zip([one.what for one in _ordered(found)], shown_shares(found), strict=False))
    known = [one for one in found.effects if one.share * total > 0 and shown.get(one.what)]
    blank = next((shown[one.what] for one in known if one.what == "untraced"), 0.0)
    known = [one for one in known if one.what not in UNEXPLAINED]
    main = [one for one in known if abs(one.share) * 4 >= abs(known[0].share)][:2]
    rest = round(total, 2) - sum(shown[one.what] for one in main) - blank
    lines = []
    if main:
        lead = "Known cause" if abs(blank) > abs(shown[main[0].what]) else "Main cause"
        where = "" if estimate.complete else f" in the {many(found.compared, 'reviewed sample')}"
        causes = "; ".join(cause(one, found, shown[one.what], say) for one in main)
        lines.append(f"{lead}{'s' if len(main) > 1 else ''}{where}: {causes}.")
    if blank:
        other = ("The other" if abs(rest) < SMALL else "Another") if main else "Of the difference,"
        why = (
            " by the steps that the file records."
            if found.traced
            else f": the file has the score, but not the {UNITS[found.kind]}s that your metric counted "
            "(save the traces: docs/formats.md)."
        )
        lines.append(f"{other} {signed(blank, 2)} cannot be explained{why}")
    if lines and abs(rest) >= SMALL:
        lines.append(f"Everything else together: {signed(rest, 2)}.")
    return [" ".join(lines)] if lines else []


def _yours(found: Answer, say: Say) -> str:
    if found.imported:
        return f"Your {say(found.scorer)}"
    by = f" of the suggestions by {say(found.proposer)}" if found.proposer else ""
    first = "" if found.has_column else "The file has no recall score. "
    return f"{first}The recall by {SCORER_WORDS[found.scorer]}{by}"


def _of_how_many(found: Answer) -> str:
    if found.score.n == found.total or not found.score.n:
        return ""
    without = found.total - found.score.n
    return f" ({without:,} of {many(found.total, 'sample')} {'has' if without == 1 else 'have'} no score)"


def _estimate(found: Answer) -> str:
    one = found.estimate
    assert one is not None
    if one.complete:
        out = f", {one.excluded:,} of them not counted" if one.excluded else ""
        every = f"All {_samples(found)} are reviewed{out}"
        return f"{every}: the true mean is {value(one.point)}{_off(found)}."
    of = f" of the other {one.total:,}" if one.total < found.total else ""
    if not one.sure and one.bias is not None and abs(one.bias) >= SMALL:
        ends = "there is no 95 % range yet"
        if one.low is not None:
            ends = f"the 95 % range is {value(one.low)} to {value(one.high)}"
        return (
            f"{one.n:,} reviewed samples are too few to tell whether {_score(found)} is too low or too high. "
            f"Best guess of the true mean{of}: {value(one.point)}; {ends}."
        )
    if one.reached and one.low is not None:
        done = f"{one.n:,} of {_samples(found)} are settled, {one.open:,} open"
        if not one.open:
            units = f"units that a reviewer is unsure of in {one.unsure:,} of them"
            done = f"All {_samples(found)} are reviewed, with {units}"
        return f"{done}: the true mean is between {value(one.low)} and {value(one.high)}{_off(found)}."
    ends = "" if one.low is None else f" (95 % range {value(one.low)} to {value(one.high)})"
    based = f"Based on {one.n:,} reviewed samples"
    return f"{based}, the true mean{of} is about {value(one.point)}{ends}{_off(found)}."


def _samples(found: Answer) -> str:
    """`50 samples`, or `43 samples with a score`: those that the estimate is about."""
    total = found.estimate.total if found.estimate else found.total
    return many(total, "sample") + (" with a score" if total < found.total else "")


def _score(found: Answer) -> str:
    return "your score" if found.imported else "this score"


def _off(found: Answer) -> str:
    """`. Your score is .14 too low`; nothing where it is right at two digits."""
    one = found.estimate
    if one is not None and one.complete and one.bias is None and found.compared:
        few = f"{found.compared:,} of them {'has' if found.compared == 1 else 'have'} a score"
        return f". {few}, too few to tell whether it is too low or too high"
    if one is None or one.bias is None or abs(one.bias) < SMALL:
        return ""
    where = ""
    if one.complete and found.compared < one.total:
        where = f" (over the {found.compared:,} samples that have both values)"
    elif not one.exact:
        where = " (over the samples that have both values)"
    apart = round(one.point, 2) - round(found.score.value or 0.0, 2)
    exact = one.complete and abs(apart + round(one.bias, 2)) < SMALL
    about = "" if exact else "about "
    way = "low" if one.bias < 0 else "high"
    return f". {_score(found).capitalize()} is {about}{value(abs(one.bias))} too {way}{where}"


def suspicious(found: Answer) -> list[str]:
    """How many samples look wrong and how many of these were, as far as they are checked."""
    one = found.triage
    if not one.looked:
        return []
    if not one.suspicious:
        looked = many(one.looked, "sample")
        return [f"None of {looked} has a score that looks wrong at first sight; that proves nothing."]
    has = "has" if one.suspicious == 1 else "have"
    why = ""
    if found.kind == "entity" and one.another_form:
        these = "" if one.another_form == one.suspicious else f"in {one.another_form:,} of them "
        why = f": {these}the contexts contain a name in another form"
    kept = ""
    if found.withheld:
        are = "is" if found.withheld == 1 else "are"
        kept = f" ({found.withheld:,} more {are} hidden until you review them without suggestions)"
    shown = f"the {many(one.looked, 'sample')} shown{kept}" if kept else many(one.looked, "sample")
    lines = [f"{one.suspicious:,} of {shown} {has} a score that looks wrong{why}."]
    if one.checked:
        wrong = {0: "none was", 1: "1 was"}.get(one.confirmed, f"{one.confirmed:,} were")
        are = "is" if one.checked == 1 else "are"
        lines.append(f"{one.checked:,} of them {are} reviewed by now: {wrong} wrong by more than .10.")
    return lines


def _too_few(found: Answer) -> str:
    picked = f", {found.picked:,} of them picked by hand" if found.picked else ""
    means = ""
    if found.compared:
        have = "has" if found.compared == 1 else "have"
        both = f"the {many(found.compared, 'sample')} that {have} both values"
        these = "these" if found.compared == found.reviewed else both
        means = f" On {these} {_score(found)} averages {value(found.score_reviewed)} "
        means += f"and the reviewed value {value(found.verified)}."
    are = "is" if found.reviewed == 1 else "are"
    need = (
        f"An estimate needs {FEWEST} reviews with {UNITS[found.kind]}s in random order; you have "
        f"{found.in_order:,}."
    )
    if found.refusal:
        need = f"No estimate: {found.refusal}."
    elif found.total < FEWEST:
        need = f"A mean needs {FEWEST} samples."
    elif not any(one.what in ("all", "random") for one in found.steps):
        need = f"A mean needs {FEWEST} samples with {UNITS[found.kind]}s; there are {found.in_order:,}."
    return f"{many(found.reviewed, 'sample')} {are} reviewed{picked}.{means} {need}"


def cause(one: Effect, found: Answer, share: float, say: Say) -> str:
    """`7 names in the contexts that … did not recognise, some in another form, such as … (−.08)`."""
    unit, what = EFFECTS[found.kind][one.what]
    if found.kind == "entity" and one.what == "another form":
        who = "your metric" if found.imported else "the score"
        what = f"in the contexts that {who} did not recognise{_example(found, say)}"
    lead = f"{many(one.units or one.samples, unit)} " if unit else ""
    return f"{lead}{what} ({signed(share, 2)})"


def _example(found: Answer, say: Say) -> str:
    """`, some in another form, such as Leonard for Ronald Leonard`; nothing where no name is short enough."""
    forms = (
        (clue.quote.hit, clue.text)
        for one in found.worst
        for clue in one.clues
        if one.score < one.verified and clue.quote is not None and not clue.same
    )
    fitting = (f"{say(hit)} for {say(text)}" for hit, text in forms if len(hit) + len(text) <= EXAMPLE)
    example = next(fitting, "")
    return f", some in another form, such as {example}" if example else ""


def reason(one: Suspicion, found: Answer) -> str:
    """Why a sample looks wrong, without a word of its text."""
    own = f"{whose(found)} {value(one.score)}"
    if one.signal == "names":
        return f"{own}, rough check {value(one.recount)}"
    if one.signal == "no contexts":
        return f"{own}, but no context was retrieved"
    if one.signal == "nothing found":
        return f"{own}, but the reference says that nothing was found"
    if one.signal == "word for word":
        return f"{own}, but the contexts have it nearly word for word"
    return f"{own}, but all {len(one.clues)} of its names and numbers are there"


def unquoted(one: Worst, kind: Kind) -> str:
    """What is shown of a unit without evidence: that it is missing, or that nobody chose the evidence."""
    return ABSENT[kind] if one.score > one.verified else "found by the reviewer, who chose no evidence"


def whose(found: Answer) -> str:
    """What a value is called next to the verified one."""
    return "yours" if found.imported else found.scorer


def step(one: Step, found: Answer) -> str:
    """What to do next, with the time that it takes or what it gains."""
    guess = (
        "" if found.measured or one is not next((o for o in found.steps if o.minutes), None) else ", a guess"
    )
    about = f"about {many(one.minutes, 'minute')}{guess}"
    if one.what == "check":
        these = "the one sample" if one.samples == 1 else f"these {one.samples}"
        picked = (
            "It was picked because it looks" if one.samples == 1 else "They were picked because they look"
        )
        says = f"{'it says' if one.samples == 1 else 'they say'} nothing about the mean"
        return f"Check {these} to see what goes wrong ({about}). {picked} wrong, so {says}."
    if one.what == "all":
        rest = "the last sample" if one.samples == 1 else f"all {one.samples:,} that are left"
        rest = f"all {one.samples:,}" if one.samples == found.total > 1 else rest
        gain = "then you know which scores are right"
        if found.total >= FEWEST and found.kind in found.reviews:
            gain = "then you know the true mean and need no estimate"
        part = "" if one.sure or one.samples == 1 else " For some of them: workbench plan --more N."
        return f"Review {rest} ({about}): {gain}.{part}"
    if one.what == "fast":
        reviews = "the review" if one.samples == 1 else f"the {one.samples:,} reviews"
        return f"Look again at {reviews} of less than a second: workbench review, then search is:fast."
    if one.what == "settle":
        return f"Settle {many(one.samples, 'sample')} on which reviewers differ: workbench disputes."
    if one.what == "random":
        more = "more " if found.in_order else ""
        gain = "a narrower estimate" if found.estimate else "an estimate"
        order = f"Review {one.samples:,} {more}in random order ({about})"
        return f"{order} for {gain}{_narrower(one)}. You may stop at any time."
    if one.what == "extend":
        return (
            f"Plan {one.samples:,} more reviews (workbench plan --more {one.samples}; {about}) "
            f"for a narrower estimate{_narrower(one)}."
        )
    if one.what == "policy":
        error = "the typical error" if one.scorer == found.scorer else f"the typical error of {one.scorer}"
        change = f"{value(one.after)} instead of {value(one.before)}"
        say = f"{one.order[0].upper()}{one.order[1:]} (workbench policy edit --take {one.number})"
        then = "" if one.sure else f" A suggestion from {many(one.samples, 'review')}: more make it certain."
        return f"{say}: {error} is then {change}.{then}"
    if one.what == "scorer":
        change = f"{value(one.after)} instead of {value(one.before)}"
        few = f". That is a hint: {found.compared:,} are few" if found.compared < BADGE else ""
        better = f"its typical error on the same {many(found.compared, 'reviewed sample')} is {change}{few}"
        metric = f"{SCORER_WORDS[one.scorer]}, which knows other forms of a name"
        return f"Score by {metric} (workbench score --metric {one.scorer}): {better}."
    return "Write a page to send: workbench compare --html FILE"


def _narrower(one: Step) -> str:
    """`: ± .08 becomes about ± .05`; empty where no interval is known, or it would not get narrower."""
    narrower = 0 < one.after < one.before
    return f": ± {value(one.before)} becomes about ± {value(one.after)}" if narrower else ""


def notes(found: Answer) -> list[str]:
    """What the reader has to know about the figures above."""
    lines = []
    if found.kind == "statement" and found.effects == () and found.estimate is None:
        lines.append(
            "Statements are not recounted: only a person or a judge can tell whether a text supports them."
        )
    if found.unresolved and not found.estimate:
        lines.append(f"On {many(found.unresolved, 'sample')} reviewers differ, so nothing is settled there.")
    elif not found.reviewed and found.triage.suspicious and found.excluded < found.total:
        lines.append("Nobody has reviewed a sample yet, so this is a suspicion and no estimate.")
    if found.chosen and found.estimate and not found.estimate.complete:
        lines.append(CHOSEN)
    if found.left_out and found.reviewed:
        lines.append(_left_out(found))
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


def differs(found: Answer) -> str:
    """Both means of the samples that have both values, and how the estimate follows from them.

    Three digits where two would not show their difference.
    """
    ours, true = found.score_reviewed or 0.0, found.verified or 0.0
    digits = 2 if abs(round(ours, 2) - round(true, 2) - round(ours - true, 2)) < SMALL else 3
    these = "reviewed sample" if found.compared == 1 else f"{found.compared:,} reviewed samples"
    means = (
        f"In the {these} {_score(found)} averages {number(ours, digits)} "
        f"and the reviewed value {number(true, digits)}."
    )
    if found.estimate is None or found.estimate.reached:
        return means
    if abs((found.score.value or 0.0) - (ours - true) - found.estimate.point) < SMALL:
        moved = f"{value(found.score.value)} → {value(found.estimate.point)}"
        corrected = f"The estimate corrects the mean of all {_samples(found)} by this difference"
        return f"{means} {corrected}: {moved}."
    return f"{means} The estimate for all {_samples(found)} allows for how these were drawn."


def _left_out(found: Answer) -> str:
    """`Not among the 57 compared samples: 1 set aside as not counted, 1 without a score.`"""
    unit = UNITS[found.kind]
    why = {
        "excluded": "set aside as not counted",
        "no units": f"reviewed, but without a {unit} to count",
        "no score": "reviewed, but without a score",
        "not in order": "reviewed, but outside the random order (by hand, ahead of it or after the plan)",
        "holdout": "kept apart as a holdout",
    }
    listed = "; ".join(f"{count:,} {why[one]}" for one, count in found.left_out.items())
    return f"Not among the {many(found.compared, 'sample')} compared here: {listed}."


def effect_rows(found: Answer) -> list[tuple[str, str, float]]:
    """Each cause in words, how many units it has, and its effect; small ones share a row."""
    shares = shown_shares(found)
    rows = [
        (effect_words(one, found), how_many(one, found.kind), share)
        for one, share in zip(_ordered(found), shares, strict=False)
    ]
    small = [one for one in found.effects if abs(one.share) < SMALL]
    if shares[len(rows) :] and shares[-1]:
        rows.append((f"{many(len(small), 'smaller cause')}, below .005 each", "", shares[-1]))
    return rows


def _ordered(found: Answer) -> list[Effect]:
    """The effects that have a row of their own, what cannot be explained last."""
    return sorted(
        (one for one in found.effects if abs(one.share) >= SMALL), key=lambda one: one.what in UNEXPLAINED
    )


def shown_shares(found: Answer) -> list[float]:
    """The share of each row at two digits, and of all small effects together if there are some.

    They are rounded so that they add up to the rounded difference (by largest remainder).
    """
    exact = [one.share for one in _ordered(found)]
    small = [one.share for one in found.effects if abs(one.share) < SMALL]
    exact += [sum(small)] if small else []
    cents = [round(100 * one) for one in exact]
    while off := round(100 * sum(exact)) - sum(cents):
        step = 1 if off > 0 else -1
        nearest = max(range(len(exact)), key=lambda at: step * (100 * exact[at] - cents[at]))
        cents[nearest] += step
    return [one / 100 for one in cents]


def effect_words(one: Effect, found: Answer) -> str:
    """`names in the contexts that were not recognised`."""
    if one.what == "untraced" and found.traced:
        return NOT_BY_STEPS
    unit, what = EFFECTS[found.kind][one.what]
    return f"{unit}s {what}" if unit else what


def how_many(one: Effect, kind: Kind) -> str:
    """`7 names`; empty where no unit can be named."""
    unit = EFFECTS[kind][one.what][0]
    return many(one.units or one.samples, unit) if unit else ""
