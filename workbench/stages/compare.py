"""Comparing: automatic against verified for every sample, and retrievers over the same references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from workbench.comparing.answer import Answer
from workbench.comparing.causes import precision_of
from workbench.comparing.estimators import EQUAL
from workbench.comparing.figures import Figures
from workbench.comparing.intervals import Mean, mean
from workbench.comparing.retrievers import Judged, Retrievers, compare_retrievers
from workbench.errors import UsageError
from workbench.model import Kind, Sample
from workbench.scoring.names import SCORERS, column_kind, kind_of
from workbench.stages.recompute import Scored, ScoreReport
from workbench.store import gold as gold_store
from workbench.store import plans, samples
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.explained import reviewed
from workbench.store.queue import annotators


@dataclass(frozen=True, slots=True)
class Difference:
    """One scorer or external column over the samples that are verified in its kind.

    A scorer's figures are without the samples that its run has seen; an external column's have them all.
    `automatic` and `verified` are means over the same samples, `delta` their difference; `n_exact` how
    many samples agree exactly, an external column at its own precision; `mae` the mean absolute difference.
    """

    scorer: str
    kind: Kind
    automatic: Mean
    verified: Mean
    delta: float | None
    mae: float | None
    n_exact: int


@dataclass(frozen=True, slots=True)
class CompareReport:
    """Every scorer against the verified values. `deltas` holds one mapping per sample, in report order."""

    scores: ScoreReport
    deltas: tuple[Mapping[str, float | None], ...]
    differences: tuple[Difference, ...]


def compare(scores: ScoreReport) -> CompareReport:
    """Set automatic and external values against the verified ones."""
    deltas = tuple(_deltas(row) for row in scores.samples)
    names = [name for name in SCORERS if any(name in row.automatic for row in scores.samples)]
    columns = sorted({name for row in scores.samples for name in row.external if column_kind(name)})
    return CompareReport(
        scores=scores,
        deltas=deltas,
        differences=tuple(_difference(scores, name) for name in (*names, *columns)),
    )


def write_html(
    store: Store, info: DatasetInfo, path: Path, answer: Answer, found: Figures, *, text: bool, force: bool
) -> None:
    """Write an answer and its figures as one page to send, without `text` of the samples if so wished.

    Raises ExportError for a file that is there, or a full disk.
    """
    from workbench.formats.report import write_report

    reviewers = [name for name, _ in annotators(store, info)]
    decided = reviewed(store, info.id, found.kind, info.policy.version).values()
    own = {one.annotator for one in decided if one.shown != "import"}
    brought = {one.annotator for one in decided if one.shown == "import"} - own
    day = datetime.now().astimezone().date()
    write_report(path, answer, found, reviewers=reviewers, brought=brought, day=day, text=text, force=force)


def compare_by(store: Store, info: DatasetInfo, by: str) -> Retrievers:
    """Pair verified samples with the same reference by a key of `meta` (`meta.retriever`), or `group`.

    Excluded samples and those of the holdout stay out.

    Raises UsageError when the key is of another form or no sample has it.
    """
    kind = info.kinds[0]
    gold = gold_store.load_gold(store, info.id, kind)
    left_out = gold_store.load_excluded(store, info.id, kind) | plans.holdout_ids(store, info.id)
    judged = []
    seen = False
    for stored in samples.each_sample(store, info.id):
        name = _value_of(stored.sample, by)
        seen = seen or name is not None
        one = gold.get(stored.sample_id)
        if name is None or stored.sample_id in left_out:
            continue
        if one is not None and one.assessment is not None:
            sample = stored.sample
            judged.append(Judged(sample.id, sample.reference_hash, name, one.assessment, sample.group))
    if not seen:
        raise UsageError(f"no sample has {by!r}; name a key of meta, as in --by meta.retriever")
    return compare_retrievers(judged)


def _value_of(sample: Sample, by: str) -> str | None:
    if by == "group":
        return sample.group
    if not by.startswith("meta."):
        raise UsageError(f"--by {by!r}: name a key of meta (--by meta.retriever) or group")
    value: Any = sample.meta
    for part in by.removeprefix("meta.").split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return None if value is None else str(value)


def _kind(name: str) -> Kind:
    kind = kind_of(name)
    assert kind is not None  # others are not compared
    return kind


def _recall(row: Scored, kind: Kind) -> Fraction | None:
    return row.verified[kind].recall if kind in row.verified else None


def _automatic(row: Scored, name: str) -> Fraction | None:
    """The exact recall of a scorer; ragas's 1e-8 stands in its value only, not in the difference."""
    if name in row.automatic:
        return row.automatic[name].tally.recall
    return Fraction(row.external[name][1]) if name in row.external else None


def _deltas(row: Scored) -> dict[str, float | None]:
    names = [*row.automatic, *(name for name in row.external if column_kind(name))]
    deltas: dict[str, float | None] = {}
    for name in names:
        automatic, verified = _automatic(row, name), _recall(row, _kind(name))
        deltas[name] = None if automatic is None or verified is None else float(automatic - verified)
    return deltas


def _difference(scores: ScoreReport, name: str) -> Difference:
    kind = _kind(name)
    pairs: list[tuple[Fraction, Fraction]] = []
    undefined = 0
    for row in scores.samples:
        if (
            kind not in row.verified
            or kind in row.excluded
            or not (name in row.automatic or name in row.external)
            or (name in SCORERS and row.id in scores.seen.related)
        ):
            continue
        automatic, verified = _automatic(row, name), _recall(row, kind)
        if automatic is None or verified is None:
            undefined += 1
        else:
            pairs.append((automatic, verified))
    differences = [automatic - verified for automatic, verified in pairs]
    within = EQUAL
    if name not in SCORERS:
        within = precision_of(row.external[name][1] for row in scores.samples if name in row.external)
    automatic_mean = mean(automatic for automatic, _ in pairs)
    verified_mean = mean(verified for _, verified in pairs)
    return Difference(
        scorer=name,
        kind=kind,
        automatic=Mean(automatic_mean.value, automatic_mean.n, undefined),
        verified=Mean(verified_mean.value, verified_mean.n, undefined),
        delta=mean(differences).value,
        mae=mean(abs(difference) for difference in differences).value,
        n_exact=sum(abs(difference) < within for difference in differences),
    )
