"""Why the automatic and the verified value of a sample differ: both assessments, and what would fix it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal
from unicodedata import normalize

from workbench.comparing.causes import Difference, UnitRow
from workbench.errors import InputError
from workbench.matching.names import Name, similarity
from workbench.model import Kind, Unit
from workbench.scoring.names import CALIBRATED, SCORERS, column_of, first_scorer, kind_of
from workbench.scoring.scorers import SUGGESTED, value_of
from workbench.stages.examples import seen_ids
from workbench.stages.review import Opened, open_sample
from workbench.stages.sides import VerifiedSide, automatic_sides, compared, imported_side, numbers_of
from workbench.store.engine import Store
from workbench.store.gold import settled, verified_by
from workbench.store.samples import Stored, load_sample
from workbench.store.scores import external_of
from workbench.text.lists import pairs, sections

Reads = Literal["", "same", "unicode", "matched"]
"""How the evidence of a name reads beside it: the same, the same letters in another Unicode form, or as a
name that the matcher matches with it."""


UNDECIDED = "if accepted"
"""What the other side is called before the decision, where the automatic values are in sight."""

_FIXES = pairs(sections(__name__)["fixes"])
EXTRACT, EDGES = _FIXES["missed match context extraction"], _FIXES["granularity boundary"]


def fix(row: UnitRow, why: Why) -> str:
    """What would make the automatic side agree with the verified one; "" where they agree."""
    kind, scorer = why.kind, why.scorer
    if not row.cause:
        return ""
    if row.cause == "invented unit":
        return "the extraction prompt: do not take this"
    if row.cause in ("false match", "missed match") and row.part in ("", "comparator"):
        assert row.automatic is not None  # a match links two units
        assert row.verified is not None
        ours, theirs, missed = row.automatic.match, row.verified.match, row.cause == "missed match"
        if kind == "statement" and missed:
            return "the judge's prompt or model: the contexts support it"
        if kind == "statement":
            return _FIXES.get(f"claim {theirs.reason}", "the judge's prompt or model: it is not supported")
        ends = row.automatic.spans[:1], row.verified.spans[:1]
        if row.rule in ("lineage", "overlap") and all(ends) and ends[0] != ends[1]:
            return EDGES  # they were not the same name to match
        if missed and ours.similarity >= SUGGESTED:
            return f"lower the match threshold to {ours.similarity}, their similarity"
        if missed:
            return _fix_of_missed(row, why)
        if theirs.reason == "other entity":
            return "none: a person says that this is another entity"
        if ours.similarity == 100 or scorer.startswith("ragas"):
            return "equal names: check the verdict (another entity?)"
        return f"raise the match threshold above {ours.similarity}, their similarity"
    return "" if row.cause == "rounding" else _FIXES[f"{row.cause} {row.part}".strip()]


def _fix_of_missed(row: UnitRow, why: Why) -> str:
    """What helps a name that a context has; `=` only where the matcher does not match the two already."""
    reads = why.reads_of(row)
    if reads == "same" and row.part:
        return EXTRACT
    if reads == "unicode" and row.part:
        return "normalise all texts to NFC, or use name matching"
    if why.scorer.startswith("ragas"):
        return "use name matching: exact names need equal letters"
    if not reads:
        return "press = in the review: name matching learns this form"
    return EXTRACT if row.part and not why.digits else "use name matching: it recognises this form"


@dataclass(frozen=True, kw_only=True)
class Why(Difference):
    """The difference of one sample and kind, and what there is to know of both sides.

    `digits` are the number of the file, as written, where `scorer` is a column of it; `automatic` is then the
    recount. `source` names scorer and run, `verified_by` whose units stand on the other side. `whose` says of
    its verdicts where they come from, "" for this person's own. `value` is the number the scorer itself
    reports; Δ and shares rest on exact fractions.
    `scorers` are those one can ask for.
    `fitted_by`: the calibration that chose the scorer's threshold with this sample's gold in sight, "" for
    none; what figures make of it is cross-fitted, this is not.
    `reads`: how the evidence of missed names reads, by the id of the verified unit.
    """

    opened: Opened
    kind: Kind
    scorer: str
    scorers: tuple[str, ...]
    source: str
    verified_by: str
    whose: str
    value: float | None
    fitted_by: str = ""
    digits: str = ""
    reads: Mapping[str, Reads] = field(default_factory=dict)

    @property
    def undecided(self) -> bool:
        """Whether the other side is what an accept would make of the units as they stand."""
        return self.verified_by == UNDECIDED

    def reads_of(self, row: UnitRow) -> Reads:
        """How the evidence of a row reads; "" where it says another name, or nothing was missed."""
        return "" if row.verified is None else self.reads.get(row.verified.id, "")


def explain(store: Store, sample_id: int, annotator: str, *, kind: Kind, scorer: str | None = None) -> Why:
    """Set an automatic assessment next to the verified one of this annotator, else next to imported gold.

    Raises InputError while the kind is not decided and its automatic value is hidden, for an excluded
    sample, and where there is no (such) automatic value.
    """
    opened = open_sample(store, sample_id, annotator)
    stored = load_sample(store, sample_id, opened.dataset.run_id)
    verified, whose = _verified(store, opened, stored, kind)
    info = opened.dataset
    assessments = automatic_sides(info, stored)
    written = {
        column: digits
        for column, digits in external_of(store, [sample_id])[sample_id].items()
        if kind_of(column) == kind
    }
    counted = tuple(name for name in assessments if SCORERS[name] == kind)
    names = (*written, *counted)
    name = scorer or column_of(written, kind) or first_scorer(counted, kind)
    if name is None:
        raise InputError("there is no automatic value: nothing was proposed for this sample")
    if name not in names:
        raise InputError(f"{name} has no value for this sample; there is: {', '.join(names)}")
    if name in written:
        difference = imported_side(info, stored, name, numbers_of(store, info, name)[sample_id], verified)
    else:
        difference = compared(info, stored, name, assessments[name], verified)
    return Why(
        opened=opened,
        kind=kind,
        scorer=name,
        scorers=names,
        source=name if name in written else f"{name} · {info.run}",
        verified_by=verified.assessment.source,
        whose=whose,
        **{field.name: getattr(difference, field.name) for field in fields(Difference)},
        value=float(written[name]) if name in written else value_of(name, difference.automatic),
        fitted_by=info.calibration
        if name in CALIBRATED and stored.sample.id in seen_ids(store, info)
        else "",
        digits=written.get(name, ""),
        reads={
            row.verified.id: _read(row.automatic.text, row.verified, opened)
            for row in difference.rows
            if row.cause == "missed match" and row.part in ("", "comparator") and kind == "entity"
            if row.automatic is not None and row.verified is not None
        },
    )


def _read(proposed: str, unit: Unit, opened: Opened) -> Reads:
    """How the first evidence of a verified name reads beside it, and beside the name that was proposed."""
    if unit.match.alias:
        return "matched"
    for passage in unit.match.evidence[:1]:
        words = passage.of(opened.sample.retrieved_contexts)
        if words == proposed:
            return "same"
        if normalize("NFC", words) == normalize("NFC", proposed):
            return "unicode"
        alike, _ = similarity(Name(unit.text, unit.label), Name(words, unit.label), opened.lang)
        if alike >= opened.dataset.threshold:
            return "matched"
    return ""


def _verified(store: Store, opened: Opened, stored: Stored, kind: Kind) -> tuple[VerifiedSide, str]:
    """What the automatic side is compared with, and whose it is: "" for this person's own."""
    disposition, person = opened.state.of(kind).disposition, opened.annotator
    side = VerifiedSide.of(opened.state, kind, stored)
    if disposition == "verified":
        if (standing := opened.settled.get(kind)) is None:
            return side, ""
        return VerifiedSide(standing.assessment), _decided_by(opened.whose(kind) or standing.by, person)
    if disposition == "excluded":
        raise InputError("this sample is not counted: there is no verified value to compare with")
    if kind in opened.given:
        verified = verified_by(store, [opened.sample_id], kind)[opened.sample_id]
        given = settled(store, opened.sample_id, kind, verified)
        # who verified the same is no word for who has not decided: it would say who A and B are in Resolve
        return VerifiedSide(opened.given[kind]), _decided_by(given.by, person) if given else "imported"
    if opened.opening.auto_shown:
        return side._replace(assessment=replace(side.assessment, source=UNDECIDED)), ""
    raise InputError("automatic and verified show once you have decided this sample")


def _decided_by(name: str, person: str) -> str:
    return "" if name == person else f"decided by {name}" if name else "settled"
