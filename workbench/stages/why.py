"""Why the automatic and the verified value of a sample differ: both assessments, unit by unit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from workbench.comparing.causes import Row, Total, precision_of
from workbench.comparing.links import descends
from workbench.errors import InputError
from workbench.matching import MATCHER
from workbench.model import Assessment, Kind, Tally
from workbench.scoring.names import CALIBRATED, SCORERS, first_scorer, headline, kind_of
from workbench.scoring.scorers import value_of
from workbench.stages.fixes import fix
from workbench.stages.gold_seen import saw
from workbench.stages.review import Opened, open_sample
from workbench.stages.sides import automatic_sides, compared, imported_side
from workbench.store import queue
from workbench.store.columns import external_digits, external_of
from workbench.store.engine import Store
from workbench.store.samples import Stored, load_sample


@dataclass(frozen=True, slots=True)
class WhyRow:
    """One unit of either side or two that are linked, and what would fix the difference ("" for none)."""

    row: Row
    fix: str


@dataclass(frozen=True, slots=True)
class Why:
    """One sample and kind: both tallies, their difference, and what it is made of.

    `imported` is the number of the file, as written, where `scorer` is a column of it: then Δ is imported −
    verified, and `automatic` is the recount. `source` names scorer and run, `verified_by` whose units stand
    on the other side. `value` is the number the scorer itself reports; Δ and shares rest on exact fractions.
    `scorers` are those one can ask for.
    `fitted_by`: the calibration that chose the scorer's threshold with this sample's gold in sight, "" for
    none; what figures make of it is cross-fitted, this is not.
    """

    opened: Opened
    kind: Kind
    scorer: str
    scorers: tuple[str, ...]
    source: str
    verified_by: str
    automatic: Tally
    verified: Tally
    value: float | None
    delta: Fraction | None
    rows: tuple[WhyRow, ...]
    totals: tuple[Total, ...]
    fitted_by: str = ""
    imported: str = ""


def explain(store: Store, sample_id: int, annotator: str, *, kind: Kind, scorer: str | None = None) -> Why:
    """Set an automatic assessment next to the verified one of this annotator, else next to imported gold.

    Raises InputError while the kind is not decided and its automatic score is hidden, for an excluded
    sample, and where there is no (such) automatic score.
    """
    opened = open_sample(store, sample_id, annotator)
    stored = load_sample(store, sample_id, opened.dataset.run_id)
    verified, based = _verified(store, opened, stored, kind)
    info = opened.dataset
    assessments = automatic_sides(info, stored, info.threshold)
    written = {
        column: digits for column, digits in external_of(store, sample_id).items() if kind_of(column) == kind
    }
    counted = tuple(name for name in assessments if SCORERS[name] == kind)
    names = (*written, *counted)
    usual = headline(written, (), kind) if written else first_scorer(counted, kind)
    name = scorer or usual
    if name is None:
        raise InputError("there is no automatic score: nothing was proposed for this sample")
    if name not in names:
        raise InputError(f"{name} has no value for this sample; there is: {', '.join(names)}")
    if name in written:
        within = precision_of(external_digits(store, info.id, name).values())
        found = imported_side(info, stored, name, written[name], within, verified, based)
    else:
        found = compared(info, stored, name, assessments[name], verified, based)
    return Why(
        opened=opened,
        kind=kind,
        scorer=name,
        scorers=names,
        source=name if name in written else f"{name} · {info.run}",
        verified_by=verified.source,
        automatic=found.automatic,
        verified=found.verified,
        value=float(written[name]) if name in written else value_of(name, found.automatic),
        delta=found.delta,
        rows=tuple(WhyRow(row, fix(row, kind, name)) for row in found.rows),
        totals=found.totals,
        fitted_by=info.calibration if name in CALIBRATED and saw(store, info, stored.sample) else "",
        imported=written.get(name, ""),
    )


def _verified(store: Store, opened: Opened, stored: Stored, kind: Kind) -> tuple[Assessment, bool]:
    """What the automatic side is compared with, and whether its units came out of this proposal."""
    own = opened.state.of(kind)
    based = descends(opened.opening, own, stored.proposal_id)
    if own.disposition == "verified":
        return own.assessment, based
    if own.disposition == "excluded":
        raise InputError("this sample is not counted: there is no verified value to compare with")
    (row,) = queue.page(
        store, opened.dataset.id, [opened.sample_id], opened.annotator, (kind,),
        scorer="", run_id=None, matcher=MATCHER, threshold=0,
    )  # fmt: skip
    gold = row.gold
    given = gold is not None and gold.origin in ("imported", "adjudicated") and not opened.blind
    if own.disposition == "todo" and given and gold and gold.assessment:
        return gold.assessment, False
    if opened.opening.auto_shown:
        return replace(own.assessment, source="not verified yet"), based
    raise InputError("automatic and verified show once this sample is decided")
