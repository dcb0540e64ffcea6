"""What the review shows, as plain values: titles, marks and details of an open sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.matching.nearest import overlooked, shared
from workbench.model import PLURAL, RESOLVED, Evidence, Imported, Kind, Label, Span, Unit, count, letter
from workbench.reports.team import done_line, letters_text
from workbench.reports.units import counted, differs, first_of, quoted, settled_value, stays, tally, verdict
from workbench.reviewing.edits import Accept, Edit, Put
from workbench.reviewing.fold import gold_units, place_of
from workbench.scoring.names import scorer_name
from workbench.text.cells import DISPOSITION_SYMBOL, STATE_NAME, cut, other_direction, short, width
from workbench.text.figures import delta, many, told
from workbench.text.lists import pairs, sections
from workbench.text.marks import Mark
from workbench.text.safe import flat, is_hash
from workbench.tui.widgets.bars import DIM, Line, Part, cells, named
from workbench.tui.widgets.cause_list import reasons_line
from workbench.tui.widgets.passage import Marked

if TYPE_CHECKING:
    from workbench.comparing.links import Sides
    from workbench.stages.policy import PolicyVersion
    from workbench.stages.queue import Progress
    from workbench.stages.review import Opened

QUOTE = 160
"""Characters of an evidence shown beside the unit; the context shows it whole."""

NONE_NEAR = "no passage is like this one"


def head_parts(
    opened: Opened,
    kind: Kind,
    progress: Progress | None,
    planned: tuple[int, int] | None = None,
    held: str = "",
    others: Sequence[str] = (),
    size: int = 80,
) -> tuple[Line, Line]:
    """The head line: dataset and progress on the left, the sample and what is special about it right.

    With a plan the line says how much of it is done, and in the end that it is complete. `held` names who
    holds the sample. `others` verified it: the line of `size` cells names them until the annotator has
    decided.
    """
    left = [(named(opened.dataset.name, size), "bold")]
    if progress is not None:
        left.append((f"  {done_line(progress, planned, wide=size >= 100)}", DIM))
    nameless = is_hash(opened.sample.id) and opened.sample.user_input  # the question stands below
    name: Part = ("" if nameless else short(opened.sample.id, 1000), "bold")
    state, flag, comments = opened.state.of(kind), opened.state.flag, opened.state.comments
    facts = (
        (opened.blind, "◇ without suggestions", "$accent"),
        (opened.rematches(kind), "↺ to be matched again", "$accent"),
        (held, f"◷ {flat(held)}", "$warning"),
        (opened.opening.off_plan, "◌ picked by hand", "$warning"),
        (flag, f"⚑ {cut(flat(flag), max(24, size // 2 - 8))}", "$warning"),
        (comments, f"✎ {len(comments)}", DIM),
    )
    right: Line = [(f"{fact}  ", style) for there, fact, style in facts if there]
    if opened.stale(kind):
        right.append((f"§ verified under policy {state.policy or opened.opening.policy}  ", "$warning"))
    elif kind in opened.settled:
        shows = differs(opened, kind) and first_of(opened.automatic, kind) is not None
        way = " · w: what was settled" if shows else ""  # the units in sight are this person's
        whole = f"✓ {settled_value(opened, kind)}{way}  "
        room = size - 3 - cells((*left, *right, name))
        narrow = f"✓ {settled_value(opened, kind, narrow=True)}{way}  "
        right.append((whole if width(whole) <= room else narrow, "$success"))
    elif state.disposition in ("verified", "excluded", "skipped"):
        tone = "$success" if state.disposition == "verified" else "$warning"
        why = f": {flat(state.reason)[:24]}" if state.reason else ""
        of = f"{PLURAL[kind]} " if len(opened.dataset.kinds) > 1 else ""
        sign, word = DISPOSITION_SYMBOL[state.disposition], STATE_NAME[state.disposition]
        right.append((f"{sign} {of}{word}{why}  ", tone))
    elif others:
        names = cut(", ".join(map(flat, others)), max(24, size - 80))
        right.append(("✓ settled  " if RESOLVED in others else f"✓ verified by {names}  ", "$success"))
    return left, [*right, name]


def units_title(opened: Opened, kind: Kind) -> str:
    """`Entities 6 · t statements`; numbers and our own words only, for a title reads markup."""
    counted = sum(unit.counted for unit in opened.units(kind))
    other = "statements" if kind == "entity" else "entities"
    left = len(opened.over.open(opened.units(kind))) if opened.over else 0
    return (
        f"{PLURAL[kind].capitalize()} {counted}"
        + (f" · {left} to settle" if left else "")
        + (f" · t {other}" if len(opened.dataset.kinds) > 1 else "")
    )


def resolve_head(opened: Opened, kind: Kind, left: int) -> tuple[Line, Line]:
    """The head line of Resolve: who A and B are once they were shown, how many are `left`; 0: not known."""
    assert opened.over is not None
    _, right = head_parts(opened, kind, None)
    people = opened.over.people[kind]
    letters = f"{', '.join(map(letter, range(len(people) - 1)))} and {letter(len(people) - 1)}"
    names = (f"  {letters} verified it; W: who", DIM)
    if opened.over.named:
        names = (f"  {letters_text(opened, kind)}", "$warning")
    return [("Resolve", "bold"), names, (f"  {left:,} left" if left else "", DIM)], right


def digits(over: Sides, kind: Kind) -> str:
    """`1 takes A's, 2 B's, 0 neither`; whose the letters are, once names are shown."""
    people = over.people[kind]
    who = [cut(flat(name), 12) if over.named else letter(side) for side, name in enumerate(people)]
    last = min(len(who), 9)  # as many as there are digits
    more = "" if last < 3 else f"{', ' if last == 3 else ' … '}{last} {who[last - 1]}'s"
    return f"1 takes {who[0]}'s, 2 {who[1]}'s{more}, 0 neither"


def sides(unit: Unit, opened: Opened) -> list[list[str]]:
    """What each person has of a unit, and its evidence, where it is settled and they differ."""
    sided = opened.over.of(unit) if opened.over else None
    if opened.over is None or sided is None or sided.agreed:
        return []
    names = opened.over.people[unit.kind] if opened.over.named else ()
    lines = []
    for side, one in enumerate(sided.sides):
        who = f"{letter(side)} ({cut(flat(names[side]), 12)})" if names else letter(side)
        facts = (flat(one.text), flat(one.label), verdict(one.match)) if one else ("no such unit",)
        lines.append([f"{who}  {' · '.join(filter(None, facts))}", *(quotes(one, opened) if one else ())])
    return lines


def context_headings(contexts: Sequence[str], units: Iterable[Unit], kind: Kind) -> tuple[str, ...]:
    """`Context 2 of 3 · 1 name` for each: of how many units there is evidence in it."""
    there: Counter[int] = Counter()
    for unit in units:
        if unit.counted:
            there.update({evidence.context for evidence in unit.match.evidence})
    word = "name" if kind == "entity" else "statement"
    return tuple(
        f"Context {number + 1} of {len(contexts)}"
        + (f" · {many(there[number], word)}" if there[number] else "")
        + ("" if text else " · empty")
        for number, text in enumerate(contexts)
    )


def context_title(heading: str, visible: range, unit: Unit | None, seen: tuple[int, int, int] | None) -> str:
    """`Context 2 of 5 · 1 name · lines 40–60 of 900 · evidence also in 1, 4`.

    `seen` are its visible lines and how many it has; nothing is written of them where all are visible, and
    nothing of evidence in the contexts that are `visible`.
    """
    title = heading
    if seen is not None and 0 < seen[1] - seen[0] + 1 < seen[2]:
        title += f" · lines {seen[0]:,}–{seen[1]:,} of {seen[2]:,}"
    places = unit.match.evidence if unit else ()
    elsewhere = sorted({evidence.context + 1 for evidence in places if evidence.context not in visible})
    if elsewhere:
        more = ", …" if len(elsewhere) > 4 else ""
        title += f" · evidence also in {', '.join(map(str, elsewhere[:4]))}{more}"
    return title


def detail(unit: Unit, opened: Opened, near: Sequence[Evidence] | None, size: int) -> tuple[str, list[Mark]]:
    """What is known of a unit, in lines of `size` cells, and what helps to decide: where it may stand, the
    guideline for its label, the keys of the labels. A name too long for the title comes first. `near` is None
    while it is not looked for.
    """
    found = Marked()
    name = flat(unit.text)
    if width(name) > size - 2:
        found.line(name)
    of_each = [line for has, *where in sides(unit, opened) for line in (has, *(f"   {at}" for at in where))]
    for said in (*_turned(unit), *(of_each or (*unit_lines(unit, opened), *of_others(unit, opened)))):
        found.line(said)
    if near is not None and not near:
        found.line(NONE_NEAR)
    if near:
        found.heading("Nearest passages" if len(near) > 1 else "Nearest passage", size)
    for line, likes in near_lines(unit, near or (), opened.sample.retrieved_contexts, size):
        found.line(line, likes)
    elsewhere = unit.match.verdict in (None, "missing") and not unit.match.evidence and not opened.over
    if unit.counted and elsewhere and opened.sample.retrieved_contexts and not opened.blind:
        found.line()
        ways = (("e", " it is there   "), ("=", " it has another name there"))
        for way, said in ways[: 1 + (unit.kind == "entity" and opened.over is None)]:
            found.add(way, "key")
            found.add(said)
    if unit.kind == "entity":
        lines = guideline(opened.dataset.policy.guidelines, unit.label)
        found.heading(f"Guideline for {flat(unit.label)}" if unit.label else "Guideline", size)
        found.line(lines)
        if opened.over is None:  # else digits take what a person has
            found.heading("Labels", size)
            _label_keys(found, opened.dataset.policy.labels, unit.label, size)
    return found.text, found.marks


def _turned(unit: Unit) -> list[str]:
    turned = other_direction(flat(unit.text[:QUOTE]))
    return [f"other direction: {turned}"] if turned else []


def unit_lines(unit: Unit, opened: Opened, whose: str = "") -> list[str]:
    """What a unit is, its verdict and whose that is, and the evidence as it stands in the contexts."""
    verdict_lines = _verdict_lines(
        unit, whose or whose_verdict(unit, opened), opened.sample.retrieved_contexts
    )
    origin = {"human": "added by a person"}.get(unit.origin, unit.origin)
    facts = filter(None, [flat(unit.label), flat(origin), *_remarks(unit)])
    lines = [" · ".join(facts), *verdict_lines, *quotes(unit, opened)]
    if unit.match.alias:
        lines.append("the same thing wherever they stand; = takes that back")
    return lines


def whose_verdict(unit: Unit, opened: Opened) -> str:
    """Where the verdict of a person on a unit of this review comes from."""
    if opened.over is not None:
        sided = opened.over.of(unit)
        return "as all have it" if sided and sided.settled and unit == sided.shown else "decided here"
    state = opened.state.of(unit.kind)
    return "imported" if state.imported and unit.id not in state.edited else "your decision"


def of_others(unit: Unit, opened: Opened, but: Collection[str] = ()) -> Iterator[str]:
    """What the matcher and other reviewers `but` these say of a unit, where this person may see it."""
    if (match := opened.suggested.get(unit.id)) is not None:
        yield f"the matcher: {verdict(match, words=True)}; your verdict stands"
    own = {place_of(unit) for unit in opened.units(unit.kind) if unit.counted}
    for other in opened.others.get(unit.kind, ()):
        if other.annotator in but:
            continue
        theirs = gold_units(other.assessment.units)
        same = next((candidate for candidate in theirs if place_of(candidate) == place_of(unit)), None)
        words = f"{verdict(same.match, words=True)} · {flat(same.label)}" if same else "has no such unit"
        more = ", ".join(flat(unit.text) for unit in theirs if place_of(unit) not in own)
        name = "settled" if other.annotator == RESOLVED else flat(other.annotator)
        yield f"{name}: {words}" + (f"; also has {more}" if more else "")


def quotes(unit: Unit, opened: Opened) -> list[str]:
    """`2: “Rome”`, the first evidence of a unit; `partial in 2: “Rome”` of a missing one."""
    contexts = opened.sample.retrieved_contexts
    lead = f"{unit.match.reason} in " if unit.match.verdict == "missing" else ""
    lines = (
        f"{lead}{evidence.context + 1}: “{cut(flat(evidence.of(contexts)), QUOTE)}”"
        for evidence in quoted(unit.match)
        if evidence.context < len(contexts)
    )
    return list(dict.fromkeys(lines))


def _label_keys(lines: Marked, labels: Iterable[Label], current: str, size: int) -> None:
    used = size
    for label in labels:
        name = flat(label.name)
        if used + width(name) + 5 > size:
            lines.line()
            used = 0
        lines.add(f"  {label.key}" if used else label.key, "key")
        lines.add(f" {name}", "key-here" if label.name == current else "")
        used += width(name) + 4


_SAID = sections(__name__)
ABOUT = pairs(_SAID["labels"])
"""What the labels of a new dataset mean, as long as its guidelines have no line for one."""


def guideline(guidelines: str, label: str) -> str:
    """The lines of the guidelines that begin with a label and a colon; else what the label usually means."""
    lead = f"{label}:".casefold()
    lines = [flat(line.strip()) for line in guidelines.splitlines()]
    own = [line[len(lead) :].strip() for line in lines if label and line.casefold().startswith(lead)]
    general = [line for line in lines if line.startswith(("Entities:", "Found:"))]
    return "\n".join(own) or ABOUT.get(label, "") or "\n".join(general) or "g shows the guidelines."


def detail_lines(unit: Unit, opened: Opened, near: Sequence[Evidence] | None, size: int) -> list[str]:
    """The same where there is little room: in a line of `size` cells what the unit's row does not say.

    Why it is found or missing and where it may stand come first. Where people differ a line for each of them.
    """
    if found := sides(unit, opened):
        return [" · ".join(one) for one in found]
    contexts = opened.sample.retrieved_contexts
    why = _verdict_lines(unit, whose_verdict(unit, opened), contexts, how_near=False)
    said = [*_turned(unit), *(why if unit.counted else ())]
    if near:
        quote = flat(near[0].of(contexts))
        lead = f"nearest: {near[0].context + 1} “"
        room = size - width(" · ".join([*said, lead])) - 1
        said.append(f"{lead}{around(quote, shared(unit.text, quote), room)[0]}”")
    elif near is not None:
        said.append(NONE_NEAR)
    return [" · ".join([*said, *_remarks(unit)])]


def _remarks(unit: Unit) -> list[str]:
    """What is unusual about a unit."""
    own, proposed = (" ".join(text.split()) for text in (unit.text, unit.proposed))
    remarks = {
        "not in the reference text": not unit.spans,
        "duplicate of an earlier unit: not counted": unit.duplicate_of,
        "rejected: not counted": unit.rejected,
        f"label as proposed: {unit.original_label}": unit.original_label,
        f"proposed as “{unit.proposed}”": proposed not in ("", own),
    }
    return list(map(flat, told(remarks)))


def _verdict_lines(
    unit: Unit, whose: str, contexts: Sequence[str] = (), *, how_near: bool = True
) -> list[str]:
    match, lines = unit.match, []
    if match.verdict == "found":
        why = whose if match.rule == "human" else RULES.get(match.rule, match.rule.replace("_", " "))
        rule = f"found: {why}" if why else "found"
        alike = 0 < match.similarity < 100 and match.rule != "human"
        lines.append(flat(rule + (f", similarity {match.similarity}" if alike else "")))
    elif match.verdict == "missing":
        if match.rule == "human":
            why = f", {whose}"
        else:
            why = f"; nearest similarity {match.similarity}" if match.similarity and how_near else ""
        nested = match.nested and match.rule != "human"
        reason: str | None = "only inside a longer name" if nested else match.reason
        if not nested and overlooked(unit, contexts):
            reason = "the words are there, but not proposed as a name"
        lines.append("missing" + (f": {reason}" if reason else "") + why)
    elif match.verdict == "unsure":
        lines.append(f"unsure: {whose}")
    stands = match.note and (match.rule != "human" or unit.kind == "statement")
    return [*lines, flat(match.note)] if stands else lines


def near_lines(
    unit: Unit, near: Iterable[Evidence], contexts: Sequence[str], size: int = 0
) -> Iterator[tuple[str, list[Mark]]]:
    """The passages most like a unit, likeness marked: one a line of `size` cells, `57: … text …`.

    Without a size they are whole, with numbers to choose by: `1 · context 57: text`.
    """
    for number, evidence in enumerate(near, start=1):
        passage = flat(evidence.of(contexts))
        lead = f"{'' if size else f'{number} · context '}{evidence.context + 1}: "
        room = size - len(lead) if size else width(passage)
        line, likes = around(passage, shared(unit.text, passage), room)
        yield lead + line, [Mark(len(lead) + a, len(lead) + b, "like") for a, b in likes]


def around(passage: str, likes: Sequence[Span], size: int) -> tuple[str, list[tuple[int, int]]]:
    """As much of a passage as `size` cells hold where most of it is alike, and the likenesses."""
    # the first from which most of what is alike is in sight
    seen = {
        like.start: sum(span.end - span.start for span in likes if 0 <= span.start - like.start <= size)
        for like in likes
    }
    first = max(seen, key=lambda offset: seen[offset], default=0)
    start = 0
    if width(passage) > size and first > size // 3:
        begin = max(0, min(first - size // 3, len(passage) - size + 2))  # the line is filled to its end
        blank = passage.find(" ", begin, first)
        start = blank + 1 if blank >= 0 else first - size // 4
    text = ("… " if start else "") + passage[start:]
    shift = (2 if start else 0) - start
    line = cut(text, size)
    spans = [(like.start + shift, min(like.end + shift, len(line))) for like in likes]
    return line, [(a, b) for a, b in spans if 0 <= a < b]


def advice(edit: Edit, contexts: Sequence[str]) -> str:
    """What came of it or what to do next, behind what was done; mostly nothing."""
    if isinstance(edit, Put) and edit.what == "match":
        unit, match = edit.units[0], edit.units[0].match
        if match.verdict == "found" and not match.evidence:
            return " without evidence; e chooses it"
        words = match.evidence[0].of(contexts) if match.verdict == "found" else unit.text
        if edit.kind == "entity" and words != unit.text and not match.alias:
            return f" by “{cut(flat(words), 24)}”"
    if isinstance(edit, Put) and edit.what == "merge" and edit.kind == "entity":
        unit, other = edit.units[:2]
        whole = any(
            span.start <= at.start and at.end <= span.end for span in unit.spans for at in other.spans
        )
        return " into one name" if whole else ", another name of it"
    return ""


RULES = pairs(_SAID["rules"])
"""What a layer of the matcher means to a person, where its name does not say it."""


def rematched(before: Sequence[Unit], edit: Edit, contexts: Sequence[str]) -> str:
    """The verdicts that the machine gave to what an edit made, behind what was done: old → new, and why.

    A name is matched with the names of the contexts: where one has its words alone, it says so.
    """
    keeps = ("match", "reject", "restore", "take")
    if not isinstance(edit, Put) or edit.kind != "entity" or edit.what in keeps:
        return ""
    known = {unit.id: unit for unit in before}
    changes = []
    for unit in edit.units:
        old, new = known.get(unit.id), unit.match
        if unit.counted and new.verdict and (old is None or old.match.verdict != new.verdict):
            change = f"{old.match.verdict or 'open'} → {new.verdict}" if old else new.verdict
            why = RULES.get(new.rule, new.rule.replace("_", " ")) if new.verdict == "found" else new.note
            here = next((n for n, text in enumerate(contexts, 1) if unit.text in text), 0)
            if new.verdict == "missing" and here and not why and edit.what in ("boundary", "add"):
                change += "; m makes it found"
                why = f"context {here} has these words"
            name = "" if edit.what in ("boundary", "add") else f" · {cut(flat(unit.text), 32)}"
            changes.append(f"{name}: {change}" + (f" ({why})" if why else ""))
    return "".join(changes)


def nothing_text(opened: Opened, kind: Kind) -> str:
    """What to do where there is no unit."""
    if opened.sample.blank:
        return "nothing to review: X excludes the sample, S skips it."
    if opened.blind:
        return f"reviewed without suggestions. n makes a new {kind}; 0 accepts none."
    if opened.dataset.run_id is None:
        return f"no run yet: R in the queue or workbench propose. n makes a new {kind}; a twice accepts none."
    if opened.opening.proposal is None:
        return f"nothing was proposed for this sample. n makes a new {kind}; press a twice to accept none."
    return f"no {PLURAL[kind]} were proposed. n makes a new {kind}; press a twice to accept none."


def outcome(opened: Opened, edit: Edit, room: int) -> str:
    """What an accept came to, for the line that stays when the next sample is there; else nothing.

    The values come first; whole causes fill what `room` cells leave. A figure is never cut.
    """
    if not isinstance(edit, Accept):
        return ""
    kind = edit.assessment.kind
    if kind in opened.settled:
        return f"; {stays(opened, kind)}"
    verified = count(edit.assessment.units)
    other = many(len(opened.suggested), "name") if kind == "entity" and opened.suggested else ""
    line, more = f": verified {tally(verified)}", f", the matcher differs on {other}" if other else ""
    score = first_of(opened.automatic, kind)
    if score is None:
        return line + more
    gap = ""
    if score.tally.recall is not None and verified.recall is not None:
        gap = delta(score.tally.recall - verified.recall)
    if isinstance(score.tally, Imported):
        line = f": yours {counted(score.tally)} · verified {tally(verified)}" + (f" · {gap}" if gap else "")
        left = room - width(line) - 2
        why = reasons_line(opened.causes[kind], kind, max(left, 1)) if kind in opened.causes else ""
        is_whole = not why.endswith("…") or why.endswith(", …")
        return f"{line}: {why}" if why and is_whole else line
    name = scorer_name(score.scorer)
    if score.tally.recall == verified.recall:
        # name matching made the suggestions that were accepted, so it cannot differ; exact names may
        exact = next((other for other in opened.automatic if other.scorer == "ragas"), score)
        if exact.kind == kind and exact.tally.recall != verified.recall:
            score, name = exact, scorer_name(exact.scorer)
            gap = delta((score.tally.recall or 0) - (verified.recall or 0)) if gap else ""
    whole = f"{line}, {name} {counted(score.tally)}" + (f", Δ {gap}" if gap else "")
    return next((text for text in (whole + more, whole) if width(text) <= room), line)


def guidelines_text(versions: Sequence[PolicyVersion], used: int) -> str:
    """The newest version's guidelines, labels and rules; then the versions, with the one this review used.

    `used` is 0 for a review that was not accepted yet.
    """
    policy = versions[-1].policy
    labels = "  ".join(f"{label.key}\N{NO-BREAK SPACE}{label.name}" for label in policy.labels)
    counted = f"Only {', '.join(policy.counted_labels)} count.\n" if policy.counted_labels else ""
    blocks = [f"{policy.guidelines.rstrip()}\n\nLabels: {labels}\n{counted}".rstrip()]
    if used and used != policy.version:
        blocks.append(
            f"This sample was verified under version {used}; accepting it again verifies it under "
            f"version {policy.version}."
        )
    if len(versions) > 1:
        lines = ["Versions"]
        for version in reversed(versions):
            what = "; ".join(version.changes) or "the first"
            here = " · this review" if version.policy.version == used else ""
            lines.append(f"{version.policy.version}  {version.day}  {version.annotator}: {what}{here}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
