"""Exporting: what is chosen to leave, and the files that are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import StoreError, UsageError
from workbench.formats import calibration
from workbench.formats.exports import folder
from workbench.formats.exports import tables as table_exports
from workbench.formats.exports.item import ExportItem, Surroundings, Wrote
from workbench.formats.exports.readme import about_format, write_card
from workbench.matching import MATCHER
from workbench.reviewing.documents import policy_of
from workbench.scoring.names import SCORERS
from workbench.stages import recompute
from workbench.stages.export_items import (
    FORMATS,
    WITH_ESTIMATES,
    WITH_SCORES,
    WITH_SPLIT,
    WITHOUT_TEXT,
    WRITERS,
    Choice,
    Look,
    Naming,
    each_item,
    item_of,
    probabilities,
    pseudonyms,
)
from workbench.stages.export_manifest import (
    HOLDOUT,
    Provenance,
    anchoring_document,
    estimate_document,
    manifest_of,
    split_samples,
)
from workbench.stages.plan import reach
from workbench.stages.progress import Progress, silent
from workbench.stages.queue import queue_ids
from workbench.store import exports, plans, runs, samples, scores
from workbench.store.datasets import DatasetInfo, count_samples
from workbench.store.engine import Store
from workbench.text.query import Mistake, Query, Term, parse

__all__ = ["FORMATS", "ExportOptions", "ExportReport", "export"]

ONLY = ("verified", "gold", "disputed")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What leaves, and how. `formats`: at least one of FORMATS, or `all`."""

    formats: tuple[str, ...] = ("native",)
    only: str | None = None
    query: str = ""
    text: bool = True
    names: bool = False
    force: bool = False
    run: str | None = None
    split: str | None = None
    licence: str = ""
    holdout: bool = False


def formats_of(options: ExportOptions) -> tuple[str, ...]:
    """The formats to write. Raises UsageError for one there is not, or that is nothing without text."""
    every = FORMATS if options.text else tuple(name for name in FORMATS if name in WITHOUT_TEXT)
    asked = every if "all" in options.formats else options.formats
    for name in asked:
        if name not in FORMATS:
            raise UsageError(f"no format {name!r}: there are {', '.join(FORMATS)}, or all")
        if not options.text and name not in WITHOUT_TEXT:
            fit = " and ".join(sorted(WITHOUT_TEXT))
            raise UsageError(f"{name} is made of text; without text there is {fit}")
    if options.only is not None and options.only not in ONLY:
        raise UsageError(f"--only {options.only!r}: there are {', '.join(ONLY)}")
    return tuple(name for name in FORMATS if name in asked)  # in one order, whatever was asked first


def gather(
    store: Store, info: DatasetInfo, options: ExportOptions, annotator: str
) -> tuple[Choice, Provenance]:
    run_id = runs.find_run(store, info.id, options.run).id if options.run else info.run_id
    salt = exports.salt_of(store, info.id)
    naming: Naming = str if options.names else pseudonyms(salt)
    facts = exports.facts_of(store, info.id)
    wanted = _wanted(store, info, options, annotator)
    if not (count_samples(store, info.id) if wanted is None else wanted):
        raise UsageError(f"{info.name}: no sample is chosen, so nothing was written")
    splits = split_samples(store, info.id, options.split, wanted) if options.split else None
    kept_back = frozenset() if facts.openings else frozenset(plans.holdout_ids(store, info.id))
    drawn = reach(store, info, info.kinds[0])
    scored = bool(WITH_SCORES & set(formats_of(options)))
    choice = Choice(
        info.id, run_id, naming,
        scale=exports.Scale(run_id, MATCHER, info.threshold) if scored and run_id is not None else None,
        wanted=wanted,
        withheld=kept_back,
        splits=splits.of if splits else None,
        place=exports.queue_places(store, info.id),
        chance=probabilities(drawn),
        grouping=None if options.text else pseudonyms(salt, "group"),
        strata=None if options.text else pseudonyms(salt, "stratum"),
        counted_labels=info.policy.counted_labels,
    )  # fmt: skip
    known = Provenance(
        facts=facts,
        run=options.run or info.run,
        naming=naming,
        annotators=exports.annotators(store, info.id, holdout=not kept_back),
        several=frozenset(exports.several_ids(store, info.id)),
        prefix=drawn,
        splits=splits,
        filters={"only": options.only, "query": options.query or None},
        licence=options.licence,
        text=options.text,
        withheld=len(kept_back & exports.verified_ids(store, info.id)) if kept_back else 0,
        names=options.names,
    )
    return choice, known


def _wanted(store: Store, info: DatasetInfo, options: ExportOptions, annotator: str) -> set[int] | None:
    """The samples that the options choose, None for all. Raises UsageError for a query that is off."""
    found: set[int] | None = None
    if options.query:
        query = parse(options.query)
        if isinstance(query, Mistake):
            raise UsageError(f"--query: {query}")
        found = set(queue_ids(store, info.id, annotator, query))
    if options.only == "disputed":
        disputed = set(queue_ids(store, info.id, annotator, Query((Term("is", ("disputed",)),))))
        found = disputed if found is None else found & disputed
    elif options.only is not None:
        chosen = exports.verified_ids(store, info.id)
        if options.only == "gold":
            chosen -= _unsettled(store, info) | exports.excluded_ids(store, info.id)
        found = chosen if found is None else found & chosen
    return found


def _unsettled(store: Store, info: DatasetInfo) -> set[int]:
    """The samples whose annotators differ in every kind that several verified."""
    several = exports.several_ids(store, info.id)
    everyone = Choice(info.id, None, str, counted_labels=info.policy.counted_labels)
    chunks = exports.each_leaving(store, info.id, None, several) if several else ()
    return {one.sample_id for chunk in chunks for one in chunk if not item_of(one, everyone).gold}


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


@dataclass(slots=True)
class _Counts:
    samples: int = 0
    gold: int = 0
    proposals: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    left: dict[str, Counter[str]] = field(default_factory=dict)


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
    formats = formats_of(options)
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
    if WITH_SCORES & set(formats):
        _score(store, info, options.run)
    estimates, anchoring = _estimates(store, info, options) if WITH_ESTIMATES & set(formats) else (None, None)
    replaced = folder.manifest_hash(directory)
    with store.snapshot():
        choice, known = gather(store, info, options, annotator)
        held = [
            key
            for key, number in samples.sample_ids(store, info.id).items()
            if choice.wanted is None or number in choice.wanted
        ]
        known = replace(known, estimates=estimates, anchoring=anchoring)
        about = _about(store, info, options, known)
        counts = _Counts()
        with folder.writing(directory, force=options.force) as part:
            for name in formats:
                place = part / name if len(formats) > 1 else part
                place.mkdir(exist_ok=True)
                _write(store, choice, known, about, name, place, counts, progress)
            manifest = manifest_of(store, choice, known, info.kinds[0])
            totals = {"samples": counts.samples, "gold": counts.gold, "proposals": counts.proposals}
            if "huggingface" in formats:
                place = part / "huggingface" if len(formats) > 1 else part
                splits = known.splits.names if known.splits else (table_exports.TRAIN,)
                rows = counts.rows["huggingface"]
                write_card(place, about, rows, splits, manifest, totals)
                _write_calibration(place, known)
            left = {name: dict(one) for name, one in counts.left.items() if one}
            folder.write_manifest(
                part,
                {**totals, "rows": dict(counts.rows), "left_out": left},
                {"formats": list(formats), **manifest, "settings": _settings(known)},
            )
    digest = folder.manifest_hash(directory)
    whole = max(counts.rows.values(), default=0) >= len(held)  # else formats left some out
    exports.log_export(
        store, info.id, str(directory), digest, annotator, held if options.text else (),
        whole=whole, at=datetime.now(UTC), replaced=replaced,
    )  # fmt: skip
    return ExportReport(
        str(directory), counts.samples, counts.gold, counts.proposals, digest,
        dict(counts.rows), left,
        known.withheld, known.splits.shared_contexts if known.splits else 0,
        dict(known.splits.sizes) if known.splits else {},
    )  # fmt: skip


def _score(store: Store, info: DatasetInfo, run: str | None) -> None:
    """Count what has no score yet, so that every sample leaves with its automatic values."""
    run_id = runs.find_run(store, info.id, run).id if run else info.run_id
    if run_id is not None:
        recompute.recompute(store, info, run_id, info.threshold)


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


def _write(
    store: Store,
    choice: Choice,
    known: Provenance,
    about: Surroundings,
    name: str,
    place: Path,
    counts: _Counts,
    progress: Progress,
) -> None:
    """Write one format into its folder, a folder for each split where its rows cannot say theirs."""
    facts = known.facts
    policy = policy_of(facts.policy["document"], facts.policy["version"])
    look = (
        Look(policy, facts.dataset["threshold"], choice.naming, choice.withheld) if name == "native" else None
    )
    counted = _Counting(counts)
    if known.splits is None or name in WITH_SPLIT:
        items = counted(each_item(store, choice, None, progress, look))
        _note(counts, name, WRITERS[name](place, items, about))
    elif name == "huggingface":
        for split in known.splits.names:
            items = counted(each_item(store, choice, split, progress))
            _note(counts, name, table_exports.write_huggingface(place, items, about))
    else:
        for split in known.splits.names:
            if name == "few-shot" and split == HOLDOUT:
                continue
            below = place / split
            below.mkdir()
            items = counted(each_item(store, choice, split, progress, look))
            _note(counts, name, WRITERS[name](below, items, about))
    if name != "huggingface":  # its card comes last: it says what the manifest says
        text = about_format(
            name,
            without_text=not about.text,
            one_of_several=place.name == name,  # else it is the folder itself, called .NAME.TOKEN.partial
        )
        (place / "README.md").write_text(text, "utf-8", newline="\n")


def _write_calibration(place: Path, known: Provenance) -> None:
    """Write `calibration.json` where a calibration is in use, as `calibrate -o` does."""
    if known.facts.calibration is not None:
        text = calibration.text_of(known.facts.calibration["document"])
        (place / calibration.NAME).write_text(text, "utf-8", newline="\n")


def _note(counts: _Counts, name: str, wrote: Wrote) -> None:
    counts.rows[name] += wrote.rows
    counts.left.setdefault(name, Counter()).update(wrote.left)


class _Counting:
    """Counts samples, those with gold and those with a proposal; the first format that is written counts."""

    def __init__(self, counts: _Counts) -> None:
        self.counts = counts
        self.fresh = not counts.rows

    def __call__(self, items: Iterable[ExportItem]) -> Iterator[ExportItem]:
        for item in items:
            if self.fresh:
                self.counts.samples += 1
                self.counts.gold += any(
                    one.entities is not None or one.statements is not None for one in item.records
                )
                self.counts.proposals += item.proposal is not None
            yield item


def _about(store: Store, info: DatasetInfo, options: ExportOptions, known: Provenance) -> Surroundings:
    return Surroundings(
        dataset=info.name,
        labels=info.labels,
        kinds=info.kinds,
        columns=tuple(scores.external_columns(store, info.id)),
        scorers=tuple(SCORERS),
        licence=options.licence,
        annotators=len(known.annotators),
        splits=known.splits.names if known.splits else (),
        text=options.text,
    )


def _settings(known: Provenance) -> dict[str, Any]:
    """What a dataset that is made from this folder takes over."""
    document = dict(known.facts.policy["document"])
    if not known.text:
        document.pop("guidelines")
    kept = ("seed", "threshold", "blind_share", "show_auto")
    return {"policy": document, **{name: known.facts.dataset[name] for name in kept}}
