"""How a unit, its match and the scores of its sample are written: the same on every screen and page."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import copysign
from typing import TYPE_CHECKING

from workbench.comparing.words import PARTS
from workbench.model import Evidence, Imported, Kind, Match, Tally, Unit, count
from workbench.scoring.names import first_scorer
from workbench.text.figures import UNDEFINED, number, signed, value
from workbench.text.lists import pairs, sections
from workbench.text.safe import cut, flat

if TYPE_CHECKING:
    from workbench.comparing.causes import UnitRow
    from workbench.comparing.links import Sided
    from workbench.stages.disputes import Dispute
    from workbench.stages.review import AutoScore, Opened
    from workbench.stages.why import Why

ROUND = {"found": "●", "missing": "○", "unsure": "?"}


def tally(counted: Tally) -> str:
    """`3/6 .50`, and `3/6 .50–.67` while units are unsure."""
    if not counted.units:
        return f"no units {UNDEFINED}"
    return f"{counted.found}/{counted.units} {_ends(counted)}"


def _ends(counted: Tally) -> str:
    """`.50`, `.50–.67` while units are unsure, and `–` without units."""
    low, high = counted.interval or (None, None)
    return value(low) if low == high else f"{value(low)}–{value(high)}"


def unit_symbol(unit: Unit) -> str:
    """✗ rejected, = duplicate, ! not in the reference, + added by a person, ✓ as proposed."""
    if unit.rejected:
        return "✗"
    if unit.duplicate_of:
        return "="
    if not unit.spans:
        return "!"
    return "+" if unit.origin == "human" else "✓"


def settling_symbol(unit: Unit, sided: Sided | None, letters: Sequence[str]) -> str:
    """≠ open; ✓ all have it; A taken from A; ✎ a third way; ✗ no unit; else as in a review."""
    if sided is None:
        return unit_symbol(unit)
    if unit.counted and unit.match.verdict is None:
        return "≠"
    if sided.agreed and unit == sided.shown:
        return "✓"
    return letters[0] if letters else "✎" if unit.counted else "✗"


def verdict(match: Match, *, words: bool = True) -> str:
    """`● found in 1`, `○ missing`, `○ partial`, `? unsure`, `· open`; without `words` `● 1` and `○`."""
    symbol = ROUND.get(match.verdict or "", "·")
    if match.verdict == "found":
        where = str(match.evidence[0].context + 1) if match.evidence else ""
        if words:
            return f"{symbol} found" + (f" in {where}" if where else "")
        return f"{symbol} {where}".rstrip()
    if match.verdict == "missing":
        why = match.reason if match.reason and match.reason != "absent" else "nested" if match.nested else ""
        return f"{symbol} {why or ('missing' if words else '')}".rstrip()
    return f"{symbol} unsure" if match.verdict == "unsure" else f"{symbol} open"


def quoted(match: Match) -> Sequence[Evidence]:
    """The first evidence; none where the unit is merely absent, for a quote of it says nothing."""
    absent = match.verdict == "missing" and match.reason in (None, "absent")
    return () if absent else match.evidence[:2]


def first_of(automatic: Sequence[AutoScore], kind: Kind) -> AutoScore | None:
    """The automatic value that is shown first."""
    imported = (score for score in automatic if score.kind == kind and isinstance(score.tally, Imported))
    name = first_scorer((score.scorer for score in automatic if isinstance(score.tally, Tally)), kind)
    return next(imported, next((score for score in automatic if score.scorer == name), None))


def counted(score: Tally | Imported) -> str:
    """`3/6 .50`, or the number of the file: `.50`."""
    return value(score.recall) if isinstance(score, Imported) else tally(score)


def effect(dispute: Dispute) -> str:
    """How far a disagreement moves the mean; with a sign against the verified value, which is the truth."""
    if dispute.moves is None:
        return ""
    if dispute.sort == "verified":
        return signed(copysign(dispute.moves, dispute.delta or 0.0), 4)
    return number(dispute.moves, 4)


def settled_as(opened: Opened, kind: Kind) -> str:
    """`settled as ann has it`, and only `settled` where nobody has it so."""
    if not (whose := opened.whose(kind)):
        return "settled"
    who = "you have" if whose == opened.annotator else f"{cut(flat(whose), 16)} has"
    return f"settled as {who} it"


def settled_value(opened: Opened, kind: Kind, *, narrow: bool = False) -> str:
    """What stands of a sample and what this person has: `settled as ann has it: .80 · you had .60`.

    `narrow`: `.80 · you had .60`.
    """
    standing = _ends(count(opened.settled[kind].assessment.units))
    lead = "" if narrow else f"{settled_as(opened, kind)}: "
    return f"{lead}{standing}{you_had(opened, kind)}"


def stays(opened: Opened, kind: Kind) -> str:
    """What an accept leaves as it was settled: `stays .80, as settled · you had .60`.

    Nobody is named: that would say who A and B are to who settled it without their names.
    """
    standing = _ends(count(opened.settled[kind].assessment.units))
    return f"stays {standing}, as settled{you_had(opened, kind)}"


def differs(opened: Opened, kind: Kind) -> bool:
    """Whether what is settled of a kind is something else than this person has."""
    return kind in opened.settled and opened.whose(kind) != opened.annotator


def you_had(opened: Opened, kind: Kind) -> str:
    """` · you had .60`; nothing where it stands, or nothing was settled."""
    if not differs(opened, kind):
        return ""
    return f" · you had {_ends(count(opened.units(kind)))}"


# Why the automatic and the verified value of a sample differ.

_WORDS = sections(__name__)
RULES = pairs(_WORDS["rules"])
_SENTENCES = pairs(_WORDS["sentences"])
_NO_OTHER_FORM = {"same": "not by itself", "unicode": "Unicode form"}
"""The part of a missed match by the comparator whose evidence reads so."""
UNITLESS = {"untraced": "(yours − recount)", "rounding": "(rounding in the file)"}
"""The rows about the number of a file as a whole, in the place of two units."""


def cause_of(row: UnitRow, why: Why) -> str:
    """`missed match: not recognised`; the cause alone where it has no parts."""
    if not row.part:
        return row.cause
    part = PARTS.get(f"{row.cause} {row.part}".strip(), row.part)
    return f"{row.cause}: {_NO_OTHER_FORM.get(_reads(row, why), part)}"


def sentence(row: UnitRow, why: Why) -> str:
    """What happened to the unit."""
    if not row.cause:
        return "both sides agree"
    said = _SENTENCES.get(_reads(row, why)) or _SENTENCES[f"{row.cause} {row.part}".strip()]
    return f"{why.verified_by}: {said}" if why.undecided and row.cause not in UNITLESS else said


def _reads(row: UnitRow, why: Why) -> str:
    return why.reads_of(row) if row.part == "comparator" else ""


def heads(why: Why) -> tuple[str, str]:
    """What the two lists of units are called: those beside a number of the file are of its recount."""
    theirs = why.verified_by if why.undecided else "settled" if why.kind in why.opened.settled else "verified"
    return "recount" if why.digits else "automatic", theirs


def automatic_value(why: Why) -> str:
    """`3/6 .50`; for a number of the file that number and its recount: `.33 · recount 3/6 .50`."""
    if not why.digits:
        return tally(why.automatic)
    recount = f" · recount {tally(why.automatic)}" if why.automatic.units else ""
    return f"{value(float(why.digits))}{recount}"


def written(digits: str) -> str:
    """A number as the file has it, `.3333`; many digits to four of them, one to two: `.20`."""
    if len(digits) < len("0.20"):
        return value(float(digits))
    text = digits if len(digits) <= 6 else f"{float(digits):.4f}"
    return text.removeprefix("0") if text.startswith("0.") else text


def fitted_note(why: Why) -> str:
    """That a calibration saw this gold, so that the difference is smaller than it would be on new samples."""
    if not why.fitted_by:
        return ""
    return f"calibration {why.fitted_by} was chosen with this sample in sight: Δ may look too small"


def exact(why: Why) -> str:
    """`3/6 − 4/6 = −1/6`, `.33 − 1/8 = +.205`, or why there is no difference to share out."""
    if why.delta is None:
        return "undefined: one side has no units"
    if why.digits:
        return f"{written(why.digits)} − {why.verified.found}/{why.verified.units} = {signed(why.delta)}"
    sides = f"{why.automatic.found}/{why.automatic.units} − {why.verified.found}/{why.verified.units}"
    return f"{sides} = {fraction(why.delta)}"


def fraction(number: Fraction) -> str:
    """`+1/14`, `−7/20`, `0`."""
    return f"{'+' if number > 0 else ''}{number}".replace("-", "−")
