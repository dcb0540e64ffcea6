"""What the review shows, as plain values: titles, marks and details of an open sample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from workbench.matching.nearest import shared
from workbench.model import Evidence, Imported, Kind, Span, Unit, count
from workbench.reviewing.edits import Accept, Edit, Put
from workbench.scoring.names import scorer_name
from workbench.text.figures import delta
from workbench.tui.cells import cut, width
from workbench.tui.figures import DISPOSITION_SYMBOL, short, tally
from workbench.tui.marks import Mark
from workbench.tui.safe import flat
from workbench.tui.why_text import reasons_line
from workbench.tui.widgets.bars import DIM, Part
from workbench.tui.widgets.tallies import counted, first_of

if TYPE_CHECKING:
    from workbench.comparing.triage import Suspicion
    from workbench.stages.policy import PolicyVersion
    from workbench.stages.queue import Progress
    from workbench.stages.review import Opened

REASONS = 60
"""Cells of the reasons for a difference, in the line that stays after an accept."""
QUOTE = 160
"""Characters of an evidence shown beside the unit; the context shows it whole."""


def head_parts(
    opened: Opened, kind: Kind, progress: Progress | None, planned: tuple[int, int] | None = None
) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """The head line: dataset and progress on the left, the sample and what is special about it right.

    With a plan it says how much of that is done; from its end on that it is complete.
    """
    left: list[Part] = [(flat(opened.dataset.name), "bold")]
    if progress is not None:
        said = f"{progress.verified:,} of {progress.total:,} verified"
        if planned is not None:
            done, goal = planned
            said = f"{done:,} of {goal:,} planned" if done < goal else f"plan complete · {said}"
        left.append((f"  {said}", DIM))
    right: list[Part] = []
    state = opened.state.of(kind)
    if opened.blind:
        right.append(("◇ without suggestions  ", "$accent"))
    if opened.rematch:
        right.append(("↺ matches only  ", "$accent"))
    if opened.opening.off_plan:
        right.append(("◌ picked by hand  ", "$warning"))
    if opened.state.flag:
        right.append((f"⚑ {flat(opened.state.flag)[:24]}  ", "$warning"))
    if opened.state.comments:
        right.append((f"✎ {len(opened.state.comments)}  ", DIM))
    if opened.stale(kind):
        right.append((f"↻ verified under policy {state.policy or opened.opening.policy}  ", "$warning"))
    elif state.disposition in ("verified", "excluded", "skipped"):
        tone = "$success" if state.disposition == "verified" else "$warning"
        why = f": {flat(state.reason)[:24]}" if state.reason else ""
        right.append((f"{DISPOSITION_SYMBOL[state.disposition]} {state.disposition}{why}  ", tone))
    right.append((short(opened.sample.id, 1000, opened.sample.user_input), "bold"))
    return tuple(left), tuple(right)


def units_title(opened: Opened, kind: Kind) -> str:
    """`Entities 6 · t statements`; numbers and our own words only, for a title reads markup."""
    counted = sum(unit.counted for unit in opened.state.of(kind).assessment.units)
    name = "Entities" if kind == "entity" else "Statements"
    other = "statements" if kind == "entity" else "entities"
    return f"{name} {counted}" + (f" · t {other}" if len(opened.dataset.kinds) > 1 else "")


def context_title(
    context: int, count: int, unit: Unit | None, seen: tuple[int, int, int] | None = None
) -> str:
    """`Context 2 of 5 · lines 40–60 of 900 · evidence also in 1, 4`; `seen` only where not all is seen."""
    if not count:
        return "Contexts"
    title = f"Context {context + 1} of {count}"
    if seen is not None:
        title += f" · lines {seen[0]:,}–{seen[1]:,} of {seen[2]:,}"
    elsewhere = sorted({e.context + 1 for e in unit.match.evidence} - {context + 1}) if unit else []
    if elsewhere:
        more = ", …" if len(elsewhere) > 4 else ""
        title += f" · evidence also in {', '.join(map(str, elsewhere[:4]))}{more}"
    return title


def reference_marks(units: Iterable[Unit], chosen: Unit | None, typed: tuple[Span, ...] = ()) -> list[Mark]:
    """Every unit where it stands in the reference, the chosen one on top; typed text over all."""
    marks = []
    for unit in units:
        is_chosen = chosen is not None and unit.id == chosen.id
        if unit.duplicate_of and not is_chosen:
            continue  # it stands where its first mention is marked already
        role = "rejected" if not unit.counted else _role(unit)
        marks += [Mark(span.start, span.end, role, unit.id, is_chosen) for span in unit.spans]
    marks += [Mark(span.start, span.end, "open", "", True) for span in typed]
    return marks


def _role(unit: Unit) -> str:
    return {"found": "found", "missing": "missing"}.get(unit.match.verdict or "", "open")


def context_marks(units: Iterable[Unit], chosen: Unit | None, context: int) -> list[Mark]:
    """The evidence of the chosen unit in one context, and faintly that of the others."""
    marks = []
    for unit in units:
        if not unit.counted:
            continue
        is_chosen = chosen is not None and unit.id == chosen.id
        marks += [
            Mark(e.start, e.end, "mention", unit.id, is_chosen)
            for e in unit.match.evidence
            if e.context == context
        ]
    return marks


def detail(unit: Unit, opened: Opened) -> str:
    """The unit in full: wording, what is known of it, the evidence as it stands in the context."""
    match = unit.match
    lines = [flat(unit.text)]
    facts = [unit.label, {"human": "added by a person"}.get(unit.origin, unit.origin)]
    if unit.original_label:
        facts.append(f"label as proposed: {unit.original_label}")
    if unit.proposed and unit.proposed != unit.text:
        facts.append(f"proposed as “{unit.proposed}”")
    if not unit.grounded:
        facts.append("not in the reference text")
    if unit.duplicate_of:
        facts.append("duplicate of an earlier unit: not counted")
    if unit.rejected:
        facts.append("rejected: not counted")
    lines.append(" · ".join(flat(fact) for fact in facts if fact))
    if match.verdict == "found":
        rule = f"found: {RULES.get(match.rule, match.rule.replace('_', ' '))}" if match.rule else "found"
        lines.append(flat(rule + (f", similarity {match.similarity}" if 0 < match.similarity < 100 else "")))
    elif match.verdict == "missing":
        if match.rule == "human":
            near = ", your decision"
        else:
            near = f"; nearest similarity {match.similarity}" if match.similarity else ""
        lines.append("missing" + (f": {match.reason}" if match.reason else "") + near)
    contexts = opened.sample.retrieved_contexts
    for evidence in match.evidence[:2]:
        if evidence.context < len(contexts):
            quote = contexts[evidence.context][evidence.start : evidence.end][:QUOTE]
            lines.append(f"{evidence.context + 1}: “{flat(quote)}”")
    if match.note:
        lines.append(flat(match.note))
    return "\n".join(lines)


def near_text(
    unit: Unit, near: Iterable[Evidence], contexts: Sequence[str], size: int = 0
) -> tuple[str, list[Mark]]:
    """The passages most like a unit, likeness marked: one a line of `size` cells, `1 · 57: … text …`.

    Without a size they are whole: `1 · context 57: text`.
    """
    lines: list[str] = []
    marks: list[Mark] = []
    begin = 0
    for number, place in enumerate(near, start=1):
        passage = flat(contexts[place.context][place.start : place.end])
        lead = f"{number} · {'' if size else 'context '}{place.context + 1}: "
        room = size - len(lead) if size else width(passage)
        line, likes = around(passage, shared(unit.text, passage), room)
        marks += [Mark(begin + len(lead) + a, begin + len(lead) + b, "like") for a, b in likes]
        lines.append(lead + line)
        begin += len(lines[-1]) + 1
    return "\n".join(lines), marks


def around(passage: str, likes: Sequence[Span], size: int) -> tuple[str, list[tuple[int, int]]]:
    """As much of a passage as `size` cells hold from just before its first likeness, and the likenesses."""
    first = likes[0].start if likes else 0
    start = 0
    if width(passage) > size and first > size // 3:
        blank = passage.find(" ", first - size // 3, first)
        start = blank + 1 if blank >= 0 else first - size // 4
    text = ("… " if start else "") + passage[start:]
    shift = (2 if start else 0) - start
    line = cut(text, size)
    kept = [(like.start + shift, min(like.end + shift, len(line))) for like in likes]
    return line, [(a, b) for a, b in kept if a < b]


def advice(edit: Edit) -> str:
    """What to do next, behind what was done; mostly nothing."""
    if isinstance(edit, Put) and edit.what == "match":
        match = edit.units[0].match
        if match.verdict == "found" and not match.evidence:
            return " without evidence; e chooses it"
    return ""


RULES = {
    "human": "your decision",
    "equal": "exact match",
    "presence": "in the text",
    "carried": "from the other retriever",
    "normalised": "the same name, spelled differently",
    "inflected": "the same name in another form",
    "typo": "nearly the same spelling",
    "short_form": "short form",
    "alias": "another name of it",
}
"""What a layer of the matcher means to a person, where its name does not say it."""


def rematched(before: Sequence[Unit], edit: Edit, contexts: Sequence[str] = ()) -> str:
    """The verdicts that the machine gave to what an edit made, behind what was done: old → new, and why.

    A name is matched with the names of the contexts: where one has its words alone, it says so.
    """
    if not isinstance(edit, Put) or edit.kind != "entity" or edit.what in ("match", "reject", "restore"):
        return ""
    known = {unit.id: unit for unit in before}
    said = []
    for unit in edit.units:
        old, new = known.get(unit.id), unit.match
        if unit.counted and new.verdict and (old is None or old.match.verdict != new.verdict):
            change = f"{old.match.verdict or 'open'} → {new.verdict}" if old else new.verdict
            why = RULES.get(new.rule, new.rule.replace("_", " ")) if new.verdict == "found" else new.note
            here = next((n for n, text in enumerate(contexts, 1) if unit.text in text), 0)
            if new.verdict == "missing" and here and not why and edit.what in ("boundary", "add"):
                change += "; m makes it found"
                why = f"context {here} has these words, but no name like it"
            name = "" if edit.what in ("boundary", "add") else f" · {cut(flat(unit.text), 32)}"
            said.append(f"{name}: {change}" + (f" ({why})" if why else ""))
    return "".join(said)


def suspected(one: Suspicion | None, unit: Unit | None) -> str:
    """Why a score looks wrong, in a line: by the unit under the cursor if it says so, else by the first."""
    if one is None:
        return ""
    if one.signal == "no contexts":
        return "looks wrong: no context was retrieved"
    if one.signal == "nothing found":
        return "looks wrong: the reference says that nothing was found"
    quoted = [clue for clue in one.clues if clue.quote is not None]
    if not quoted:
        return ""
    clue = next((clue for clue in quoted if unit is not None and clue.text == unit.text), quoted[0])
    assert clue.quote is not None
    where = f"looks wrong: context {clue.quote.context} has"
    if one.signal == "word for word":
        return f"{where} the reference nearly word for word"
    name = cut(flat(clue.text), 40)
    return f"{where} {name}" if clue.same else f"{where} “{cut(flat(clue.quote.hit), 40)}” for {name}"


def plural(kind: Kind) -> str:
    """The word for several units of a kind."""
    return "entities" if kind == "entity" else "statements"


def nothing_text(opened: Opened, kind: Kind) -> str:
    """What to do where there is no unit."""
    if opened.blind:
        return f"reviewed without suggestions. n makes a new {kind}; 0 says there are none."
    if opened.opening.proposal is None:
        return f"nothing was proposed for this sample. n makes a new {kind}; a accepts none."
    return f"no {plural(kind)} were proposed. n makes a new {kind}; a accepts none."


def outcome(opened: Opened, edit: Edit) -> str:
    """What an accept came to, for the line that stays when the next sample is there; else nothing."""
    if not isinstance(edit, Accept):
        return ""
    kind = edit.assessment.kind
    verified = count(edit.assessment.units)
    said = f": verified {tally(verified)}"
    one = first_of(opened.automatic, kind)
    if one is None:
        return said
    gap = ""
    if one.tally.recall is not None and verified.recall is not None:
        gap = delta(one.tally.recall - verified.recall)
    if isinstance(one.tally, Imported):
        why = reasons_line(opened.causes[kind], kind, REASONS) if kind in opened.causes else ""
        said = f": yours {counted(one.tally)} · true {tally(verified)}" + (f" · {gap}" if gap else "")
        return f"{said}: {why}" if why else said
    name = scorer_name(one.scorer)
    if one.tally.recall == verified.recall:
        # name matching made the suggestions that were accepted, so it cannot differ; exact names may
        exact = next((other for other in opened.automatic if other.scorer == "ragas"), one)
        if exact.kind == kind and exact.tally.recall != verified.recall:
            one, name = exact, "exact names (ragas)"
            gap = delta((one.tally.recall or 0) - (verified.recall or 0)) if gap else ""
    return f"{said}, {name} {counted(one.tally)}" + (f", Δ {gap}" if gap else "")


def guidelines_text(versions: Sequence[PolicyVersion], used: int) -> str:
    """The newest version's guidelines, labels and rules; then the versions, with the one this review used.

    `used` is 0 for a review that was not accepted yet.
    """
    policy = versions[-1].policy
    labels = "  ".join(f"{label.key} {label.name}" for label in policy.labels)
    counted = f"Only {', '.join(policy.counted_labels)} count.\n" if policy.counted_labels else ""
    blocks = [f"{policy.guidelines.rstrip()}\n\nLabels: {labels}\n{counted}".rstrip()]
    if used and used != policy.version:
        blocks.append(
            f"This sample was verified under version {used}; accepting it again verifies it under "
            f"version {policy.version}."
        )
    if len(versions) > 1:
        lines = ["Versions"]
        for one in reversed(versions):
            what = "; ".join(one.changes) or "the first"
            here = " · this review" if one.policy.version == used else ""
            lines.append(f"{one.policy.version}  {one.day}  {one.annotator}: {what}{here}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
