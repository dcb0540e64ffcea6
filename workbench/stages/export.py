"""Exporting: a dataset in one or several formats, in a folder that is written whole or not at all."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.formats import (
    conll,
    deepeval_out,
    evaluation_dataset,
    few_shot,
    flat,
    folder,
    huggingface,
    label_studio_out,
    prodigy_out,
    ragas_annotations,
)
from workbench.formats.item import Item, Surroundings, Writer, Wrote, lines_into, record_of
from workbench.formats.native_out import to_line
from workbench.formats.readme import about_format, card_text
from workbench.matching.version import MATCHER
from workbench.scoring.names import SCORERS
from workbench.stages import export_package, recompute
from workbench.stages.export_items import Choice, Naming, each_item, item_of, probabilities, pseudonyms
from workbench.stages.export_manifest import (
    Provenance,
    anchoring_document,
    estimate_document,
    manifest_of,
)
from workbench.stages.plan import reach
from workbench.stages.progress import Progress, silent
from workbench.stages.queue import queue_ids
from workbench.stages.splits import HOLDOUT, split_samples
from workbench.store import export_facts, exports, plans, runs
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.text.query import Mistake, Query, Term, parse

SAMPLES = "samples.jsonl"


def _native(part: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
    wrote = Wrote()
    with lines_into(part / SAMPLES) as line:
        for item in items:
            line(to_line(record_of(item)))
            wrote.rows += 1
    return wrote


WRITERS: dict[str, Writer] = {
    "native": _native,
    "ragas": evaluation_dataset.write,
    "ragas-annotations": ragas_annotations.write,
    "deepeval-goldens": deepeval_out.write_goldens,
    "deepeval-cases": deepeval_out.write_cases,
    "huggingface": huggingface.write,
    "label-studio": label_studio_out.write,
    "prodigy": prodigy_out.write,
    "conll": conll.write,
    "csv": flat.write,
    "few-shot": few_shot.write,
}
PACKAGE = "package"
FORMATS = ("native", PACKAGE, *(name for name in WRITERS if name != "native"))
ONLY = ("verified", "gold", "disputed")

WITH_SPLIT = frozenset({PACKAGE, "csv"})
"""Formats that say in every row which split it is of; the others get a folder for each."""

WITHOUT_TEXT = frozenset({PACKAGE, "csv"})
"""Formats that are worth something as hashes and figures."""

WITH_ESTIMATES = frozenset({PACKAGE, "huggingface"})
"""Formats whose manifest says what the dataset comes to: it takes every difference to be explained."""

WITH_SCORES = frozenset({PACKAGE, "csv", "huggingface"})


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


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export holds. `rows` and `left` are by format; `left` counts what did not fit, by reason."""

    path: str
    samples: int
    gold: int
    proposals: int
    manifest_sha256: str
    rows: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    withheld: int = 0
    shared_contexts: int = 0


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
    """
    options = options or ExportOptions()
    formats = _formats(options)
    folder.check_free(directory, force=options.force)
    if options.holdout:
        plans.open_holdout(store, info.id, "export", annotator, datetime.now(UTC))
    if WITH_SCORES & set(formats):
        _score(store, info, options.run)
    estimates, anchoring = _estimates(store, info, options) if WITH_ESTIMATES & set(formats) else (None, None)
    with store.reading():
        choice, known = _gather(store, info, options, annotator)
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
                splits = known.splits.names if known.splits else (huggingface.TRAIN,)
                rows = counts.rows["huggingface"]
                huggingface.write_card(place, about, rows, splits, card_text(manifest, totals))
            left = {name: dict(one) for name, one in counts.left.items() if one}
            folder.write_manifest(
                part,
                {**totals, "rows": dict(counts.rows), "left_out": left},
                {"formats": list(formats), **manifest, "settings": _settings(known)},
            )
    digest = hashlib.sha256((directory / folder.MANIFEST).read_bytes()).hexdigest()
    exports.log_export(store, info.id, str(directory.absolute()), digest, annotator)
    return ExportReport(
        str(directory), counts.samples, counts.gold, counts.proposals, digest,
        dict(counts.rows), left,
        known.withheld, known.splits.shared_contexts if known.splits else 0,
    )  # fmt: skip


def _formats(options: ExportOptions) -> tuple[str, ...]:
    """The formats to write. Raises UsageError for one there is not, or that is nothing without text."""
    every = FORMATS if options.text else tuple(name for name in FORMATS if name in WITHOUT_TEXT)
    formats = every if "all" in options.formats else tuple(dict.fromkeys(options.formats))
    for name in formats:
        if name not in FORMATS:
            raise UsageError(f"no format {name!r}: there are {', '.join(FORMATS)}, or all")
        if not options.text and name not in WITHOUT_TEXT:
            fit = " and ".join(sorted(WITHOUT_TEXT))
            raise UsageError(f"{name} is made of text; without text there are {fit}")
    if options.only is not None and options.only not in ONLY:
        raise UsageError(f"--only {options.only!r}: there are {', '.join(ONLY)}")
    return formats


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
    shown = export_facts.auto_shown_ids(store, info.id)
    return [estimate_document(found)], anchoring_document(found, shown)


def _gather(
    store: Store, info: DatasetInfo, options: ExportOptions, annotator: str
) -> tuple[Choice, Provenance]:
    run_id = runs.find_run(store, info.id, options.run).id if options.run else info.run_id
    salt = exports.salt_of(store, info.id)
    naming: Naming = str if options.names else pseudonyms(salt)
    facts = export_facts.facts_of(store, info.id)
    wanted = _wanted(store, info, options, annotator)
    splits = split_samples(store, info.id, options.split, wanted) if options.split else None
    kept_back = frozenset() if facts.openings else frozenset(plans.holdout_ids(store, info.id))
    drawn = reach(store, info, info.kinds[0])
    scored = bool(WITH_SCORES & set(_formats(options)))
    choice = Choice(
        info.id, run_id, naming,
        scale=exports.Scale(run_id, MATCHER, info.threshold) if scored and run_id is not None else None,
        wanted=wanted,
        withheld=kept_back,
        splits=splits.of if splits else None,
        place=exports.queue_places(store, info.id),
        chance=probabilities(drawn),
        grouping=None if options.text else pseudonyms(salt, "group"),
    )  # fmt: skip
    known = Provenance(
        facts=facts,
        run=options.run or info.run,
        naming=naming,
        annotators=exports.annotators(store, info.id),
        several=frozenset(export_facts.several_ids(store, info.id)),
        prefix=drawn,
        splits=splits,
        filters={"only": options.only, "query": options.query or None},
        licence=options.licence,
        text=options.text,
        withheld=len(kept_back & export_facts.verified_ids(store, info.id)) if kept_back else 0,
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
        chosen = export_facts.verified_ids(store, info.id)
        if options.only == "gold":
            chosen -= _unsettled(store, info) | export_facts.excluded_ids(store, info.id)
        found = chosen if found is None else found & chosen
    return found


def _unsettled(store: Store, info: DatasetInfo) -> set[int]:
    """The samples whose annotators differ in every kind that several verified."""
    several = export_facts.several_ids(store, info.id)
    everyone = Choice(info.id, None, str)
    chunks = exports.each_leaving(store, info.id, None, several) if several else ()
    return {one.sample_id for chunk in chunks for one in chunk if not item_of(one, everyone).gold}


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
    counted = _Counting(counts)
    if name == PACKAGE:
        wrote = export_package.write(store, choice, known, about, place, counted, progress)
        _note(counts, name, wrote)
    elif known.splits is None or name in WITH_SPLIT:
        _note(counts, name, WRITERS[name](place, counted(each_item(store, choice, None, progress)), about))
    elif name == "huggingface":
        for split in known.splits.names:
            items = counted(each_item(store, choice, split, progress))
            _note(counts, name, huggingface.write(place, items, about))
    else:
        for split in known.splits.names:
            if name == "few-shot" and split == HOLDOUT:
                continue
            below = place / split
            below.mkdir()
            items = counted(each_item(store, choice, split, progress))
            _note(counts, name, WRITERS[name](below, items, about))
    if name != "huggingface":  # its card comes last: it says what the manifest says
        text = about_format(name, without_text=not about.text)
        (place / "README.md").write_text(text, "utf-8", newline="\n")


def _note(counts: _Counts, name: str, wrote: Wrote) -> None:
    counts.rows[name] += wrote.rows
    counts.left.setdefault(name, Counter()).update(wrote.left)


class _Counting:
    """Counts samples, those with gold and those with a proposal; the first format that is written counts."""

    def __init__(self, counts: _Counts) -> None:
        self.counts = counts
        self.fresh = not counts.rows

    def __call__(self, items: Iterable[Item]) -> Iterator[Item]:
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
        columns=exports.external_columns(store, info.id),
        scorers=tuple(SCORERS),
        licence=options.licence,
        annotators=len(known.annotators),
        splits=known.splits.names if known.splits else (),
        text=options.text,
    )


def _settings(known: Provenance) -> dict[str, Any]:
    """What a dataset that is made from this folder takes over."""
    facts = known.facts
    policy = next(one for one in facts.policies if one["version"] == facts.dataset["policy_version"])
    document = dict(policy["document"])
    if not known.text:
        document.pop("guidelines")
    kept = ("seed", "threshold", "blind_share", "show_auto")
    return {"policy": document, **{name: facts.dataset[name] for name in kept}}
