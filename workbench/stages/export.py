"""Exporting: what is chosen to leave, and the files that are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import StoreError, UsageError
from workbench.formats import calibration
from workbench.formats.exports import folder
from workbench.formats.exports.item import ExportItem, Surroundings
from workbench.formats.exports.readme import about_format, write_card
from workbench.formats.exports.tables import TRAIN
from workbench.formats.exports.verify import FORMATS, places
from workbench.matching import MATCHER
from workbench.model import KINDS
from workbench.reviewing.documents import policy_document
from workbench.scoring.names import SCORERS
from workbench.stages import recompute
from workbench.stages.export_items import (
    Departure,
    ExportOptions,
    each_item,
    pseudonyms,
    split_samples,
    stands,
)
from workbench.stages.export_manifest import anchoring_document, estimate_document, manifest_of, withheld
from workbench.stages.plan import reach
from workbench.stages.progress import Progress, silent
from workbench.stages.queue import queue_ids
from workbench.store import exports, plans, runs, samples, scores
from workbench.store.calibrations import calibration_in_use
from workbench.store.datasets import DatasetInfo, count_samples
from workbench.store.engine import Store
from workbench.text.query import Mistake, Query, Term, parse

__all__ = ["FORMATS", "ExportOptions", "ExportReport", "export"]

ONLY = ("verified", "gold", "disputed")


def _formats(options: ExportOptions) -> tuple[str, ...]:
    """The formats to write. Raises UsageError for one there is not, or that is nothing without text."""
    fit = [name for name, one in FORMATS.items() if options.text or one.without_text]
    asked = fit if "all" in options.formats else options.formats
    for name in asked:
        if name not in FORMATS:
            raise UsageError(f"no format {name!r}: there are {', '.join(FORMATS)}, or all")
        if name not in fit:
            raise UsageError(f"{name} is made of text; without text there is {' and '.join(fit)}")
    if options.only is not None and options.only not in ONLY:
        raise UsageError(f"--only {options.only!r}: there are {', '.join(ONLY)}")
    return tuple(name for name in FORMATS if name in asked)  # in one order, whatever was asked first


def _gather(
    store: Store, info: DatasetInfo, options: ExportOptions, annotator: str, *, scored: bool
) -> Departure:
    run_id = runs.find_run(store, info.id, options.run).id if options.run else info.run_id
    salt = exports.salt_of(store, info.id)
    wanted = _wanted(store, info, options, annotator)
    if not (count_samples(store, info.id) if wanted is None else wanted):
        raise UsageError(f"{info.name}: no sample is chosen, so nothing was written")
    sealed = not plans.openings(store, info.id)
    return Departure(
        info,
        options,
        run_id,
        naming=str if options.names else pseudonyms(salt),
        grouping=str if options.text else pseudonyms(salt, "group"),
        strata=str if options.text else pseudonyms(salt, "stratum"),
        drawn=reach(store, info, info.kinds[0]),
        scale=exports.Scale(run_id, MATCHER, info.threshold) if scored and run_id is not None else None,
        wanted=wanted,
        withheld=frozenset(plans.holdout_ids(store, info.id)) if sealed else frozenset(),
        splits=split_samples(store, info.id, options.split, wanted) if options.split else None,
    )


def _wanted(store: Store, info: DatasetInfo, options: ExportOptions, annotator: str) -> set[int] | None:
    """The samples that the options choose, None for all. Raises UsageError for a query that is off."""
    chosen: list[set[int]] = []
    if options.query:
        query = parse(options.query)
        if isinstance(query, Mistake):
            raise UsageError(f"--query: {query}")
        chosen.append(set(queue_ids(store, info.id, annotator, query)))
    if options.only == "disputed":
        chosen.append(set(queue_ids(store, info.id, annotator, Query((Term("is", ("disputed",)),)))))
    elif options.only is not None:
        verified = exports.verified_ids(store, info.id)
        if options.only == "gold":
            verified -= _unsettled(store, info) | exports.excluded_ids(store, info.id)
        chosen.append(verified)
    return set.intersection(*chosen) if chosen else None


def _unsettled(store: Store, info: DatasetInfo) -> set[int]:
    """The samples whose annotators differ in every kind that several verified."""
    several, labels = exports.several_ids(store, info.id), info.policy.counted_labels
    chunks = exports.each_leaving(store, info.id, None, several) if several else ()
    return {
        one.sample_id
        for chunk in chunks
        for one in chunk
        if all(stands(one.reviews, kind, labels)[1] is None for kind in KINDS)
    }


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export holds. `rows` and `left` are by format; `left` counts what did not fit, by reason.

    `splits`: how many samples each holds; nothing without splits.
    """

    path: str
    samples: int
    gold: int
    proposals: int
    manifest_sha256: str
    rows: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    withheld: int = 0
    shared_contexts: int = 0
    splits: Mapping[str, int] = field(default_factory=dict)


def export(
    store: Store,
    info: DatasetInfo,
    directory: Path,
    options: ExportOptions | None = None,
    *,
    annotator: str,
    progress: Progress = silent,
) -> ExportReport:
    """Write a dataset in every format that the options name, one in the folder itself, several below it.

    Annotators leave under pseudonyms, samples that are kept back without what was verified, unless the
    options say otherwise. Raises ExportError when the folder is there already (unless forced and it is an
    export of ours), cannot be written, or a text stands in two splits; what stood there is untouched then.
    Raises UsageError when the options choose no sample.
    """
    options = options or ExportOptions()
    formats = _formats(options)
    directory = directory.resolve()  # now: the folder that one stands in is replaced as any other
    folder.check_free(directory, force=options.force)
    with _opened(store, info, options, annotator):
        return _export(store, info, directory, options, formats, annotator, progress)


@contextmanager
def _opened(store: Store, info: DatasetInfo, options: ExportOptions, annotator: str) -> Iterator[None]:
    """The holdout open for what leaves; an export that fails has opened nothing."""
    if not options.holdout:
        yield
        return
    if not plans.holdout_ids(store, info.id):
        raise UsageError("this dataset has no holdout: workbench plan --holdout draws one before review")
    at = datetime.now(UTC)
    plans.note_opening(store, info.id, "export", annotator, at)
    try:
        yield
    except BaseException:
        with suppress(StoreError):  # what went wrong is what the person has to know
            plans.take_back(store, info.id, annotator, at)
        raise


def _export(
    store: Store, info: DatasetInfo, directory: Path, options: ExportOptions, formats: tuple[str, ...],
    annotator: str, progress: Progress,
) -> ExportReport:  # fmt: skip
    scored = any(FORMATS[name].scores for name in formats)
    if scored and (run_id := runs.find_run(store, info.id, options.run).id if options.run else info.run_id):
        recompute.recompute(store, info, run_id, info.threshold)  # every sample leaves with its scores
    card = "huggingface" in formats
    estimates, anchoring = _estimates(store, info, options) if card else (None, None)
    replaced = folder.manifest_hash(directory)
    with store.snapshot():
        departure = _gather(store, info, options, annotator, scored=scored)
        splits = departure.splits
        held = [
            key
            for key, number in samples.sample_ids(store, info.id).items()
            if departure.wanted is None or number in departure.wanted
        ]
        about = Surroundings(
            dataset=info.name,
            labels=info.labels,
            columns=tuple(scores.external_columns(store, info.id)),
            scorers=tuple(SCORERS),
            licence=options.licence,
            text=options.text,
        )
        rows: dict[str, int] = {}
        left: dict[str, dict[str, int]] = {}
        totals: Counter[str] = Counter()
        with folder.writing(directory, force=options.force) as part:
            for name in formats:
                place = part / name if len(formats) > 1 else part
                place.mkdir(exist_ok=True)
                counts: Counter[str] = Counter()
                here = places(place, name, splits.names) if splits else [(place, None)]
                rows[name], missed = 0, Counter[str]()
                for where, split in here:
                    where.mkdir(exist_ok=True)
                    items = each_item(store, departure, split, progress, verdicts=name == "native")
                    wrote = FORMATS[name].write(where, _counted(items, counts), about)
                    rows[name] += wrote.rows
                    missed += wrote.left
                totals = totals or counts
                if missed:
                    left[name] = dict(missed)
                if name != "huggingface":  # its card comes last: it says what the manifest says
                    text = about_format(name, without_text=not about.text, one_of_several=len(formats) > 1)
                    (place / "README.md").write_text(text, "utf-8", newline="\n")
            manifest = manifest_of(store, departure, estimates, anchoring)
            if card:
                place = part / "huggingface" if len(formats) > 1 else part
                files = splits.names if splits else (TRAIN,)
                write_card(place, about, rows["huggingface"], files, manifest, totals)
                if (used := calibration_in_use(store, info.id)) is not None:
                    (place / calibration.NAME).write_text(
                        calibration.text_of(used.document), "utf-8", newline="\n"
                    )
            folder.write_manifest(
                part,
                {**totals, "rows": rows, "left_out": left},
                {"formats": list(formats), **manifest, "settings": _settings(departure)},
            )
        kept = withheld(store, departure)
    digest = folder.manifest_hash(directory)
    whole = max(rows.values(), default=0) >= len(held)  # else formats left some out
    exports.log_export(
        store, info.id, str(directory), digest, annotator, held if options.text else (),
        whole=whole, at=datetime.now(UTC), replaced=replaced,
    )  # fmt: skip
    return ExportReport(
        str(directory),
        totals["samples"],
        totals["gold"],
        totals["proposals"],
        digest,
        rows,
        left,
        kept,
        splits.shared_contexts if splits else 0,
        dict(splits.sizes) if splits else {},
    )


def _counted(items: Iterable[ExportItem], counts: Counter[str]) -> Iterator[ExportItem]:
    """The items, while samples, those with gold and those with a proposal are counted."""
    for item in items:
        gold = any(one.entities is not None or one.statements is not None for one in item.records)
        counts.update(samples=1, gold=int(gold), proposals=int(item.proposal is not None))
        yield item


def _estimates(
    store: Store, info: DatasetInfo, options: ExportOptions
) -> tuple[list[dict[str, Any]] | None, dict[str, Any] | None]:
    """What the scorer shown first comes to, as two parts of the manifest; None without a run.

    The estimated verified recall of all samples, and what reviewers were shown.
    """
    if options.run is None and info.run_id is None:
        return None, None
    from workbench.stages.figures import figures  # with numpy: .1 s and 17 MB

    try:
        found = figures(store, info, run=options.run)
    except UsageError:  # nothing that a scorer could count was proposed
        return None, None
    shown = exports.auto_shown_ids(store, info.id)
    return [estimate_document(found)], anchoring_document(found, shown)


def _settings(departure: Departure) -> dict[str, Any]:
    """What a dataset that is made from this folder takes over."""
    info = departure.info
    document = policy_document(info.policy)
    if not departure.options.text:
        document.pop("guidelines")
    kept = ("seed", "threshold", "blind_share", "show_auto")
    return {"policy": document, **{name: getattr(info, name) for name in kept}}
