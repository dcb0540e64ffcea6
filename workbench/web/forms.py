"""What a form says: which sample as it was shown, what is wanted of it, and that it is a form of ours."""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Sequence
from typing import NamedTuple

from workbench.errors import InputError
from workbench.model import IDLE, Effort, Evidence, Kind, Unit, sha256
from workbench.stages import editing, intents
from workbench.stages.intents import Intent
from workbench.stages.review import Opened
from workbench.text.ground import ground
from workbench.text.safe import clean, cut
from workbench.text.tokens import snap
from workbench.web.page import texts_of

PRESSES = 1_000
"""Keys and clicks of one act that are believed."""

LONGEST = 20_000
"""Characters of a comment or a reason."""

LONGEST_TOLD = 300
"""Characters of what was done: a reason may have thousands."""

_NUMBER = re.compile(r"-?[0-9]{1,18}")


class Fields(dict[str, str]):
    """What a form or an address says, by the names of its fields; "" for one that is not there."""

    def __missing__(self, _name: str) -> str:
        return ""


class Shown(NamedTuple):
    """What a page showed: a sample up to a row of its journal, when, and whether it was picked by hand.

    `seen` stands for all that a decision rests on: text, units and policy.
    """

    sample_id: int
    seq: int
    seen: str
    at: float
    picked: bool

    @classmethod
    def of(cls, opened: Opened, *, picked: bool) -> Shown:
        """What a page shows that is made now."""
        return cls(opened.sample_id, opened.state.seq, fingerprint(opened), round(time.time(), 2), picked)

    def signed(self, key: bytes) -> str:
        """As the form carries it, with a tag that only this server makes for this person."""
        text = f"{self.sample_id}.{self.seq}.{self.seen}.{self.at:.2f}.{int(self.picked)}"
        return f"{text}.{tag(key, text)}"


def fingerprint(opened: Opened) -> str:
    """What a decision on a sample rests on, in some letters."""
    units = [opened.units(kind) for kind in opened.dataset.kinds]
    basis = (opened.sample.content_hash, opened.dataset.policy.version, units)
    return sha256(repr(basis))[:24]


def tag(key: bytes, text: str) -> str:
    """Only who has the key can make it."""
    return hmac.new(key, text.encode(), "sha256").hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two tags are the same, in a time that tells nothing."""
    return hmac.compare_digest(one.encode(), other.encode("utf-8", "replace"))


def shown_of(text: str, key: bytes) -> Shown | None:
    """What a form says was shown; None for one that is not ours."""
    payload, _, given = text.rpartition(".")
    parts = payload.split(".")
    if len(parts) != 6 or not same(tag(key, payload), given):  # a tag of another form is ours too
        return None
    sample_id, seq, seen, at, cents, picked = parts
    return Shown(int(sample_id), int(seq), seen, float(f"{at}.{cents}"), picked == "1")


def action_of(fields: Fields) -> str:
    """The name of an act in the journal: the same for the same form sent twice, another for any other.

    Forms of two people differ by their tags.
    """
    return sha256(repr(sorted(item for item in fields.items() if item[0] not in ("sure", "presses"))))[:32]


def effort_of(shown: Shown, fields: Fields) -> Effort:
    """What an act cost since its page was sent."""
    presses = number(fields["presses"], 1)
    return Effort(min(max(time.time() - shown.at, 0.0), IDLE), min(max(presses, 1), PRESSES))


def number(text: str, otherwise: int = 0) -> int:
    """A whole number of a form, of its own that is none."""
    return int(text) if _NUMBER.fullmatch(text) else otherwise


def kind_of(text: str, opened: Opened) -> Kind:
    """The kind of unit that a page is about: as asked, else the first that is open."""
    asked = next((kind for kind in opened.dataset.kinds if kind == text), None)
    return asked or intents.open_kind(opened) or opened.dataset.kinds[0]


def intent_of(fields: Fields, opened: Opened, kind: Kind, shown: Shown) -> Intent | None:
    """What a person wants; None where it is so already. Raises InputError for what cannot be done.

    A button says what it does as `what` or `what:how:unit`.
    """
    what, more, unit_id = wanted(fields)
    text = fields["text"].strip()
    if len(text) > LONGEST:
        raise InputError(f"more than {LONGEST:,} characters: write less")
    match what:
        case "skip" | "exclude" | "flag" if opened.over:
            raise InputError("this is for your own review: here you settle what people differ in")
        case "accept" | "none":
            fast = 0 <= time.time() - shown.at < intents.FAST  # below 0: the clock was set back meanwhile
            return intents.accept(opened, kind, fast=fast, done="settled" if opened.over else "accepted")
        case "skip":
            return intents.skip()
        case "exclude":
            reason = text or fields["reason"]
            if not reason:
                raise InputError("a reason is needed to exclude a sample")
            return intents.exclude(reason)
        case "flag":
            if not text and not opened.state.flag:
                raise InputError("a reason is needed to flag a sample")
            return intents.flag(text)
        case "comment":
            if not text:
                raise InputError("nothing typed yet")
            return intents.comment(text)
        case "rest" if opened.over:
            return intents.rest(kind, max(0, number(more)))
        case "add":
            return _new(fields, opened, kind)
        case _:
            return _of_unit(what, intents.unit_of(opened, kind, unit_id), more, fields, opened)


def told(fields: Fields, opened: Opened, kind: Kind, shown: Shown) -> str:
    """What a form changes, in the words of its message; empty where the form does not fit the sample."""
    try:
        intent = intent_of(fields, opened, kind, shown)
    except InputError:
        return ""
    return cut(intent.what, LONGEST_TOLD) if intent else ""


def wanted(fields: Fields) -> tuple[str, str, str]:
    """What a button does, how, and to which unit."""
    what, more, unit_id = (*fields["do"].split(":", 2), "", "")[:3]
    return what, more, unit_id


def _new(fields: Fields, opened: Opened, kind: Kind) -> Intent:
    reference = opened.sample.reference
    mark = marked(fields, opened)
    if mark is None:
        spans = ground(fields["surface"], reference)
        if not spans:
            typed = cut(clean(fields["surface"]), 40)
            why = f"“{typed}” is not in the reference: " if typed else ""
            raise InputError(f"{why}mark the words there, or type them as they stand there")
        mark = "r", spans[0].start, spans[0].end
    if mark[0] != "r":
        raise InputError("a new unit stands in the reference: mark it there")
    span = snap(reference, mark[1], mark[2])
    if not fields["part"] and mark[1:] != (span.start, span.end):
        typed = cut(clean(fields["surface"]), 40)
        raise InputError(
            f"“{typed}” is only a part of “{cut(clean(span.of(reference)), 40)}”: type whole words"
        )
    label = fields["label"] if kind == "entity" else ""
    _check_label(label, opened)
    editing.refuse_twice(opened, kind, span.of(reference))
    return intents.add_span(opened, kind, span, label)


def _check_label(label: str, opened: Opened) -> None:
    if label and label not in opened.dataset.policy.label_names():
        raise InputError("this label is not one of the policy")


def _of_unit(what: str, unit: Unit, more: str, fields: Fields, opened: Opened) -> Intent | None:
    verdict = unit.match.verdict
    match what:
        case "reject" | "restore":
            return intents.reject(unit) if unit.counted == (what == "reject") else None
        case "found":
            return intents.match(unit) if verdict != "found" else None
        case "missing" if verdict == "missing":
            return None
        case "missing":
            return intents.match(unit) if verdict == "found" else intents.reason(unit)
        case "take" if opened.over:
            return intents.take(unit, number(more, -1))
        case "unsure":
            return intents.unsure(unit)
        case "why":
            return intents.reason(unit)
        case "label":
            label = more or fields[f"label-{unit.id}"]
            if not label:
                raise InputError("choose a label first")
            _check_label(label, opened)
            return intents.relabel(unit, label) if label != unit.label else None
        case "edge":
            side, _, way = more.partition("-")
            reference = opened.sample.reference
            return intents.move_edge(unit, reference, left=side == "left", outward=way == "out")
        case "merge":
            units = opened.units(unit.kind)
            return intents.merge(unit, editing.next_counted(units, unit))
        case "evidence":
            mark = marked(fields, opened)
            if mark is None or mark[0] == "r":
                raise InputError("mark the words in a context first")
            return intents.evidence(unit, Evidence(int(mark[0]), mark[1], mark[2]))
    raise InputError("this page does not know that: load it again")


def marked(fields: Fields, opened: Opened) -> tuple[str, int, int] | None:
    """The text that was marked and its place in code points; None where nothing was.

    Raises InputError where the place does not hold the words that the person saw.
    """
    name = fields["part"]
    if not name:
        return None
    text = dict(texts_of(opened.sample)).get(name, "")
    start, end = (number(fields[side], -1) for side in ("start", "end"))
    if not 0 <= start < end <= len(text):
        raise InputError("nothing is marked there: mark it again")
    if clean(text[start:end]) != fields["surface"].replace("\r\n", "\n"):
        raise InputError("the marked words are not those of the text any more: mark them again")
    return name, start, end


def changes(before: Sequence[Unit], after: Sequence[Unit]) -> list[tuple[str, Unit | None, Unit | None]]:
    """The units that differ between two states of a review, by their wording."""
    was, now = ({unit.id: unit for unit in units} for units in (before, after))
    return [
        ((now.get(name) or was[name]).text, was.get(name), now.get(name))
        for name in dict.fromkeys((*was, *now))
        if was.get(name) != now.get(name)
    ]
