"""Exporting: what is chosen to leave, and the files that are made."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from workbench.errors import StoreError, UsageError, to_install
from workbench.formats import calibration
from workbench.formats.exports import folder
from workbench.formats.exports.folder import rendered, write_card
from workbench.formats.exports.item import SPLITS, Surroundings, Writing
from workbench.formats.exports.tables import TRAIN
from workbench.formats.exports.verify import FORMATS, places
from workbench.matching import MATCHER
from workbench.model import KINDS, JsonObject, Progress, sha256, silent
from workbench.reviewing.documents import policy_document
from workbench.stages import recompute
from workbench.stages.export_items import Departure, ExportOptions, each_item, model_named, stands
from workbench.stages.people import check
from workbench.stages.plan import prefix
from workbench.stages.queue_values import queue_ids, searched
from workbench.store import exports, plans, runs, samples, scores
from workbench.store.calibrations import calibration_in_use
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.exports import pseudonyms
from workbench.store.gold import load_excluded
from workbench.store.runs import RunInfo
from workbench.store.tables import ExportLogRow
from workbench.text.query import Mistake, parse

__all__ = ["FORMATS", "ExportOptions", "ExportReport", "export"]

ONLY = ("verified", "gold", "disputed")


def _gather(
    store: Store, info: DatasetInfo, options: ExportOptions, run_id: int | None, annotator: str,
    *, scored: bool,
) -> Departure:  # fmt: skip
    salt = exports.salt_of(store, info.id)
    wanted = _wanted(store, info, options, annotator)
    held = {
        number: key
        for key, number in samples.sample_ids(store, info.id).items()
        if wanted is None or number in wanted
    }
    if not held:
        raise UsageError(f"{info.name}: no sample is chosen, so nothing was written")
    back = frozenset(plans.holdout_ids(store, info.id))
    holdout = len(back & held.keys())
    if options.split and not 0 < holdout < len(held):
        which = "every chosen sample is" if holdout else "no chosen sample is"
        raise UsageError(f"--split: {which} kept back: workbench plan --holdout keeps samples back")
    drawn = prefix(store, info, info.kinds[0], cut=True)
    return Departure(
        store,
        info,
        options,
        run_id,
        about=Surroundings(
            dataset=info.name,
            labels=info.policy.labels,
            columns=tuple(scores.external_columns(store, info.id)),
            licence=options.licence,
            text=options.text,
        ),
        splits=dict(zip(SPLITS, (len(held) - holdout, holdout), strict=True)) if options.split else {},
        held=held,
        naming=str if options.names else pseudonyms(salt),
        grouping=str if options.text else pseudonyms(salt, "group"),
        strata=str if options.text else pseudonyms(salt, "stratum"),
        drawn=replace(drawn, rows=()),
        chances={row.sample_id: row.pi for row in drawn.rows},
        scored_at=info.threshold if scored else None,
        wanted=wanted,
        withheld=frozenset() if plans.openings(store, info.id) else back,
    )


def _wanted(store: Store, info: DatasetInfo, options: ExportOptions, annotator: str) -> set[int] | None:
    """The samples that the options choose, None for all. Raises UsageError for a query that is off."""
    chosen: list[set[int]] = []
    if options.query:
        query = parse(options.query)
        if isinstance(query, Mistake):
            raise UsageError(f"--query: {query}")
        chosen.append(set(queue_ids(store, info, annotator, query)))
    if options.only == "disputed":
        chosen.append(set(searched(store, info, annotator, "is:disputed")))
    elif options.only is not None:
        verified = exports.verified_ids(store, info.id)
        if options.only == "gold":
            # The samples whose annotators differ in every kind that several verified
            several, labels = exports.several_ids(store, info.id), info.policy.counted_labels
            chunks = exports.each_leaving(store, info.id, None, several) if several else ()
            verified -= {
                sample.sample_id
                for chunk in chunks
                for sample in chunk
                if all(stands(sample.reviews, kind, labels)[1] is None for kind in KINDS)
            } | set().union(*(load_excluded(store, info.id, kind) for kind in KINDS))
        chosen.append(verified)
    return set.intersection(*chosen) if chosen else None


@dataclass(frozen=True)
class ExportReport:
    """What an export holds. `rows` and `left` are by format; `left` counts what did not fit, by reason.

    `splits`: how many samples each holds; nothing without splits. `unplanned`: its reviews give no estimate
    elsewhere, because the plan's strata are not in it. `unnoted`: the database may only be read, and
    has no note of it for a purge.
    """

    path: str
    samples: int
    gold: int
    proposals: int
    manifest_sha256: str
    rows: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    withheld: int = 0
    splits: Mapping[str, int] = field(default_factory=dict)
    unplanned: bool = False
    unnoted: bool = False


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
    export of ours), or cannot be written; what stood there is untouched then.
    Raises UsageError when the options choose no sample.
    """
    options = options or ExportOptions()
    check(store, annotator, "export the names of annotators" if options.names else "review")
    fit = [name for name, writer in FORMATS.items() if options.text or writer.without_text]
    asked, lacking = options.formats, ""
    if "all" in asked:  # what cannot be made here keeps nothing else back
        lacking = "huggingface" if "huggingface" in fit and find_spec("pyarrow") is None else ""
        asked = tuple(name for name in fit if name != lacking)
    for name in asked:
        if name not in FORMATS:
            raise UsageError(f"no format {name!r}: there are {', '.join(FORMATS)}, or all")
        if name not in fit:
            raise UsageError(f"{name} is made of text; without text there is {' and '.join(fit)}")
    if options.only is not None and options.only not in ONLY:
        raise UsageError(f"--only {options.only!r}: there are {', '.join(ONLY)}")
    formats = tuple(name for name in FORMATS if name in asked)  # in one order, whatever was asked first
    directory = directory.resolve()  # now: the folder that one stands in is replaced as any other
    folder.check_free(directory, force=options.force)
    scored = any(FORMATS[name].scores for name in formats)
    with _opened(store, info, options, annotator):
        run_id = runs.find_run(store, info.id, options.run).id if options.run else info.run_id
        if scored:  # every sample leaves with its scores
            recompute.recompute(store, replace(info, run_id=run_id))
        replaced = folder.manifest_hash(directory)
        with store.snapshot():
            departure = _gather(store, info, options, run_id, annotator, scored=scored)
            with folder.writing(directory, force=options.force) as part:
                rows, left, totals = _fill(departure, part, formats, progress)
            hidden = withheld(departure)
        digest, held = folder.manifest_hash(directory), departure.held
        whole = max(rows.values(), default=0) >= len(held)  # else formats left some out
        row = ExportLogRow(
            dataset_id=info.id, path=str(directory), manifest_sha256=digest, annotator=annotator,
            created_at=datetime.now(UTC), held=list(held.values()) if options.text else [], whole=whole,
        )  # fmt: skip
        if not store.read_only:
            exports.log_export(store, row, replaced)
    if lacking:
        rows[lacking], left[lacking] = 0, {f"no pyarrow: {to_install('parquet')}": totals["samples"]}
    return ExportReport(
        str(directory), totals["samples"], totals["gold"], totals["proposals"], digest, rows, left, hidden,
        departure.splits, departure.unplanned, store.read_only,
    )  # fmt: skip


@contextmanager
def _opened(store: Store, info: DatasetInfo, options: ExportOptions, annotator: str) -> Iterator[None]:
    """The holdout open for what leaves; an export that fails has opened nothing."""
    if not options.holdout:
        yield
        return
    if not plans.holdout_ids(store, info.id):
        raise UsageError("this dataset has no holdout: workbench plan --holdout draws one before review")
    check(store, annotator, "open the holdout")
    at = datetime.now(UTC)
    plans.note_opening(store, info.id, "export", annotator, at)
    try:
        yield
    except BaseException:
        with suppress(StoreError):  # what went wrong is what the person has to know
            plans.take_back(store, info.id, annotator, at)
        raise


def _fill(
    departure: Departure, part: Path, formats: tuple[str, ...], progress: Progress
) -> tuple[dict[str, int], dict[str, dict[str, int]], Counter[str]]:
    """Write every format, then the card and the manifest, which say what was written.

    The rows of each format, what it left out by its reason, and the totals.
    """
    store, info, about, splits = departure.store, departure.info, departure.about, departure.splits
    rows: dict[str, int] = {}
    left: dict[str, dict[str, int]] = {}
    totals: Counter[str] = Counter()
    several = len(formats) > 1
    places = {name: part / name if several else part for name in formats}
    for name, path in places.items():
        wrote = _write(departure, name, path, progress)
        rows[name], totals = wrote.rows, totals | wrote.seen  # few-shot sees no holdout
        if wrote.left:
            left[name] = dict(wrote.left)
        if name != "huggingface":  # its card comes last: it says what the manifest says
            text = rendered("readme.md", name=name, without_text=not about.text, one_of_several=several)
            (path / "README.md").write_text(text, "utf-8", newline="\n")
    manifest = manifest_of(departure)
    if (card := places.get("huggingface")) is not None:
        write_card(card, about, rows["huggingface"], splits or (TRAIN,), manifest, totals)
        if (used := calibration_in_use(store, info.id)) is not None:
            document = calibration.text_of(used.document)
            (card / calibration.NAME).write_text(document, "utf-8", newline="\n")
    policy = policy_document(info.policy)
    if not departure.options.text:
        policy.pop("guidelines")
    names = ("seed", "threshold", "blind_share", "show_auto")
    columns = {name: exports.stamp(at) for name, at in scores.external_columns(store, info.id).items()}
    settings = {"policy": policy, **{name: getattr(info, name) for name in names}, "columns": columns}
    folder.write_manifest(
        part,
        {**totals, "rows": rows, "left_out": left},
        {"formats": list(formats), **manifest, "settings": settings},
    )
    return rows, left, totals


def _write(departure: Departure, name: str, path: Path, progress: Progress) -> Writing:
    """Write one format; what was written."""
    wrote = Writing(departure.about)
    path.mkdir(exist_ok=True)
    for where, split in places(path, name, departure.splits) if departure.splits else [(path, None)]:
        where.mkdir(exist_ok=True)
        wrote.items = each_item(departure, split, progress, verdicts=name == "native")
        FORMATS[name].write(where, wrote)
    return wrote


_TEXTS = frozenset({"prompt", "guidelines"})
"""Parameters of a run that are long texts: their hashes leave."""


def manifest_of(departure: Departure) -> JsonObject:
    """The manifest's own part; the same database gives the same."""
    store, info, options = departure.store, departure.info, departure.options
    policy = policy_document(info.policy)
    made = exports.made_with(store, info.id)
    used = calibration_in_use(store, info.id)
    return {
        "dataset": {"id": info.name, "created_at": made.created_at},
        "run": options.run or info.run,
        "offset_unit": "codepoint",
        "text": options.text,
        "filters": {"only": options.only, "query": options.query or None if options.text else None},
        "licence": {"annotations": options.licence or None},
        "models": [_model(run, made, departure) for run in runs.list_runs(store, info.id)],
        "matcher": {"version": MATCHER, "threshold": info.threshold},
        "guidelines": {
            "version": info.policy.version,
            "sha256": sha256(info.policy.guidelines),
            "policy_sha256": sha256(_canonical(policy)),
        },
        "labels": policy["labels"],
        "sampling": _sampling(departure),
        "splits": departure.splits,
        "annotators": _people(departure),
        "calibration": used and used.name,
        "purged": made.purged,
    }


_canonical = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def _model(run: RunInfo, made: exports.Made, departure: Departure) -> JsonObject:
    text = departure.options.text
    hidden = _TEXTS if text else _TEXTS | {"examples"}  # examples name groups
    parameters = {key: value for key, value in run.parameters.items() if key not in hidden}
    for key in sorted(_TEXTS & run.parameters.keys()):
        parameters.setdefault(f"{key}_sha256", sha256(_canonical(run.parameters[key])))
    return {
        "run": run.name,
        "proposer": run.proposer,
        "model": model_named(run.model, departure.naming),
        "models_returned": made.models.get(run.name, []),
        "usage": made.usage.get(run.name, {}),
        "parameters": parameters,
    }


def _sampling(departure: Departure) -> JsonObject:
    store, info, drawn = departure.store, departure.info, departure.drawn
    plan = plans.plan_of(store, info.id)
    parameters = dict(plan.parameters) if plan else {}
    if "strata" in parameters:
        parameters["strata"] = {
            departure.strata(name): parameter for name, parameter in parameters["strata"].items()
        }
    return {
        "design": plan.design if plan else "simple",
        "seed": info.seed,
        "planned_n": plan.planned_n if plan else None,
        "population": drawn.population,
        "parameters": parameters,
        "prefix_n": drawn.n,
        "beyond_prefix": drawn.beyond,
        "blind_share": info.blind_share,
        "holdout": {
            "n": len(plans.holdout_ids(store, info.id)),
            "withheld": withheld(departure),
            "opened": [
                {
                    **opening._asdict(),
                    "annotator": departure.naming(opening.annotator),
                    "at": exports.stamp(opening.at),
                }
                for opening in plans.openings(store, info.id)
            ],
        },
    }


def withheld(departure: Departure) -> int:
    """How many samples leave without what was verified."""
    if not departure.withheld:
        return 0
    return len(exports.verified_ids(departure.store, departure.info.id).intersection(departure.withheld))


def _people(departure: Departure) -> JsonObject:
    reviews = exports.annotators(departure.store, departure.info.id, holdout=not departure.withheld)
    each = {departure.naming(name): number for name, number in reviews.items()}
    named = departure.options.names
    return {
        "names": "as they are" if named else "pseudonyms: HMAC-SHA256 under a salt that did not leave",
        "each": [{"annotator": name, "reviews": each[name]} for name in sorted(each)],
    }
