"""What the command line prints: one JSON document for --json, or a text; progress on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypedDict

from workbench.comparing.intervals import summed
from workbench.errors import WorkbenchError
from workbench.model import KINDS, Tally
from workbench.scoring.names import column_kind
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.comparing.agreement import Overlap, Rate
    from workbench.comparing.explained import CauseTotal
    from workbench.comparing.explained import Share as CauseShare
    from workbench.comparing.figures import Figures, Hidden, Row
    from workbench.comparing.retrievers import Retrievers
    from workbench.scoring.gate import ScoreGate
    from workbench.stages.examples import Seen
    from workbench.stages.recompute import Scored, ScoreReport


ROUND_OFF = 1e-15
"""Differences and means of recalls below this are sums of fractions that cancel."""

WITHHELD = "blind, and you are yet to decide it"


def show(document: Any, text: str, *, as_json: bool) -> None:
    """Print one report on stdout: the document with --json, else the text."""
    if as_json:
        text = _safe_json(json.dumps(document, ensure_ascii=not _writes_utf8(), indent=2, default=_plain))
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone; the exit code still says how the command ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise WorkbenchError(f"standard output: {error.strerror or error}") from error


def _writes_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _safe_json(text: str) -> str:
    """The same JSON with everything that steers a terminal as \\u escapes."""
    safe = clean(text)
    if safe == text:
        return text
    return "".join(
        one if one == other else f"\\u{ord(one):04x}" if one <= "\uffff" else json.dumps(one)[1:-1]
        for one, other in zip(text, safe, strict=True)
    )


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Fraction):
        return float(value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else list(value)


def _tidy(value: Any) -> Any:
    """The same document in which what only rounding keeps from 0 (−5.55e-17) is 0."""
    if isinstance(value, float):
        return 0.0 if abs(value) < ROUND_OFF else value
    if isinstance(value, Mapping):
        return {name: _tidy(one) for name, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _tidy(asdict(value))
    return [_tidy(one) for one in value] if isinstance(value, list | tuple) else value


@contextmanager
def progress(title: str, total: int | None, *, unit: str = "samples") -> Iterator[Callable[[int], None]]:
    """A bar on stderr when that is a terminal; nothing otherwise."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    amount = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), amount, Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


class Looks(TypedDict, total=False):
    """Options of `answer_text`."""

    width: int
    height: int
    mark: tuple[str, str]


def looks() -> Looks:
    """How large an answer is and how it marks a place: as the terminal allows, plain elsewhere."""
    from shutil import get_terminal_size

    if not sys.stdout.isatty():
        return {}
    columns, height = get_terminal_size()
    width = max(40, min(columns, 120))
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return {"width": width, "height": height, "mark": ("[", "]") if plain else ("\x1b[1m[", "]\x1b[22m")}


def score_document(report: ScoreReport) -> dict[str, Any]:
    """The JSON document of `score`; of blind samples that are not decided yet nothing automatic."""
    return {
        "dataset": report.dataset,
        "run": report.run,
        "match_threshold": report.threshold,
        **({"calibration": report.calibration} if report.calibration else {}),
        "n_samples": len(report.samples),
        "n_unproposed": report.unproposed,
        "samples": [_sample_document(row, withheld=row.id in report.withheld) for row in report.samples],
        "means": {name: asdict(mean) for name, mean in report.means.items()},
        **(_seen_document(report.seen) if report.seen.examples else {}),
    }


def _seen_document(seen: Seen) -> dict[str, Any]:
    """The samples that automatic figures leave out: the run's examples and what goes with them."""
    return {"left_out": {"examples": sorted(seen.examples), "with_groups": sorted(seen.related)}}


def compare_document(report: ScoreReport) -> dict[str, Any]:
    """The JSON document of `score` with `delta` by scorer and column for each sample."""
    document = score_document(report)
    for sample, row in zip(document["samples"], report.samples, strict=True):
        names = (*row.automatic, *(name for name in row.external if column_kind(name)))
        sample["delta"] = {} if "withheld" in sample else {name: row.delta(name) for name in names}
    return document


def figures_document(found: Figures) -> dict[str, Any]:
    """The JSON document of a scorer's figures: shares and rates as numbers, intervals as [low, high]."""
    verdicts, estimate, paired = found.verdicts, found.estimate, found.paired
    document = {
        "dataset": found.dataset,
        "run": found.run,
        "scorer": found.scorer,
        "kind": found.kind,
        "match_threshold": found.threshold,
        "calibration": found.calibration,
        "counts": asdict(found.counts),
        "design": found.design,
        "planned_n": found.planned_n,
        "prefix": found.prefix,
        "estimate": asdict(estimate),
        "assisted": found.assisted,
        "paired": {**asdict(paired), "equal": _share(paired.equal)},
        "without_fast": found.without_fast and found.without_fast.bias,
        "arms": {
            **{
                name: {"n": arm.n, "bias": arm.bias, "units": arm.units and _overlap(arm.units)}
                for name, arm in (("blind", found.arms.blind), ("assisted", found.arms.assisted))
            },
            "difference": found.arms.difference,
            "interval": found.arms.interval,
        },
        "verdicts": {
            **asdict(verdicts),
            **{name: _share(getattr(verdicts, name)) for name in ("raw", "tpr", "tnr", "ppv", "npv")},
            "chance": found.chance,
        },
        "units": {
            **_overlap(found.units.micro),
            "macro_f1": found.units.macro_f1,
            "strict": {**_overlap(found.strict.micro), "macro_f1": found.strict.macro_f1},
        },
        "labels": {
            label: {**_overlap(lenient), "strict": _overlap(strict)}
            for label, (strict, lenient) in found.labels.items()
        },
        "causes": [_cause(one) for one in found.causes],
        "causes_estimated": {
            cause: {"point": one.point, "interval": one.corpus, "method": one.method}
            for cause, one in found.estimated.items()
        },
        "causes_by_label": {name: [_cause(one) for one in of] for name, of in found.by_label.items()},
        "causes_by_language": {name: [_cause(one) for one in of] for name, of in found.by_language.items()},
        "exact": [*map(_exact, found.rows), *([_hidden(found.hidden)] if found.hidden else [])],
        "reproducible": found.reproducible,
        "scorers": found.beside,
        "notes": found.notes,
    }
    tidy: dict[str, Any] = _tidy(document)
    return tidy


def _exact(row: Row) -> dict[str, Any]:
    """A verified sample in fractions: the parts of its difference add up to `value` − `verified` exactly."""
    value, verified = row.exact
    return {
        "id": row.id,
        "value": None if value is None else str(value),
        "verified": None if verified is None else str(verified),
        "parts": [*map(_part, row.shares)],
    }


def _part(one: CauseShare) -> dict[str, Any]:
    return {
        "cause": one.cause,
        "part": one.part,
        "units": one.units,
        "share": None if one.share is None else str(one.share),
    }


def _hidden(one: Hidden) -> dict[str, Any]:
    """The sums over the samples that are not listed; with them the entries add up to the totals."""
    return {
        "hidden": one.samples,
        "compared": one.compared,
        "value": str(one.value),
        "verified": str(one.verified),
        "parts": [*map(_part, one.shares)],
    }


def _share(share: Rate) -> dict[str, Any]:
    interval = None if share.value is None else [share.interval.low, share.interval.high]
    return {"hits": share.hits, "n": share.n, "value": share.value, "interval": interval}


def _overlap(one: Overlap) -> dict[str, Any]:
    return {**asdict(one), "precision": one.precision, "recall": one.recall, "f1": one.f1}


def _cause(one: CauseTotal) -> dict[str, Any]:
    return {
        "cause": one.cause,
        "n": one.n,
        "units": one.units,
        "samples": one.samples,
        "share": float(one.share),
        "raised": float(one.raised),
        "lowered": float(one.lowered),
        "parts": [{"part": part.part, "units": part.units, "share": float(part.share)} for part in one.parts],
    }


def retrievers_document(by: str, report: Retrievers) -> dict[str, Any]:
    """The JSON document of `compare --by`."""
    document = {
        "by": by,
        "retrievers": {
            name: {
                **asdict(report.means[name]),
                **asdict(summed(pair.tallies[name] for pair in report.pairs if name in pair.tallies)),
            }
            for name in report.names
        },
        "contrasts": [
            {
                "first": one.first,
                "second": one.second,
                "n": one.delta.n,
                "undefined": one.delta.undefined,
                "recalls": list(one.recalls),
                "delta": one.delta.value,
                "paired": one.paired,
                "flipped": {"first_only": one.first_only, "second_only": one.second_only, "p": one.p},
            }
            for one in report.contrasts
        ],
        "n_pairs": len(report.pairs),
        "n_unpaired": report.unpaired,
        "n_repeated": report.repeated,
        "pairs": [
            {
                "reference_hash": pair.reference_hash,
                "samples": {
                    name: {
                        "id": pair.ids[name],
                        **asdict(pair.tallies[name]),
                        "value": _recall(pair.tallies[name]),
                    }
                    for name in pair.ids
                },
                "flipped": [{"text": flip.text, "verdicts": dict(flip.verdicts)} for flip in pair.flips],
            }
            for pair in report.pairs
        ],
    }
    tidy: dict[str, Any] = _tidy(document)
    return tidy


def gate_document(gate: ScoreGate, withheld: Collection[str]) -> dict[str, Any]:
    """Whether the gate passed; `withheld` samples below the mark are counted and not named."""
    return {**asdict(gate), "below": [name for name in gate.below if name not in withheld]}


def _sample_document(row: Scored, *, withheld: bool) -> dict[str, Any]:
    return {
        "id": row.id,
        "automatic": {
            name: {**asdict(score.tally), "value": score.value}
            for name, score in row.automatic.items()
            if not withheld
        },
        "verified": {
            kind: {**asdict(row.verified[kind]), "value": _recall(row.verified[kind])}
            if kind in row.verified
            else None
            for kind in KINDS
        },
        "external": {name: value for name, (value, _) in row.external.items() if not withheld},
        **({"withheld": WITHHELD} if withheld else {}),
        "unresolved": sorted(row.unresolved),
        "excluded": sorted(row.excluded),
    }


def _recall(tally: Tally) -> float | None:
    return None if tally.recall is None else float(tally.recall)
