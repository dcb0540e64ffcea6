"""What is chosen to leave: the formats, the samples, under which names, and what is known of all that."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import UsageError
from workbench.matching import MATCHER
from workbench.stages.export_formats import FORMATS, WITH_SCORES, WITHOUT_TEXT
from workbench.stages.export_items import Choice, Naming, item_of, probabilities, pseudonyms
from workbench.stages.export_manifest import Provenance
from workbench.stages.plan import reach
from workbench.stages.queue import queue_ids
from workbench.stages.splits import split_samples
from workbench.store import export_facts, exports, holdouts, runs
from workbench.store.datasets import DatasetInfo, count_samples
from workbench.store.engine import Store
from workbench.text.query import Mistake, Query, Term, parse

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
    facts = export_facts.facts_of(store, info.id)
    wanted = _wanted(store, info, options, annotator)
    if not (count_samples(store, info.id) if wanted is None else wanted):
        raise UsageError(f"{info.name}: no sample is chosen, so nothing was written")
    splits = split_samples(store, info.id, options.split, wanted) if options.split else None
    kept_back = frozenset() if facts.openings else frozenset(holdouts.holdout_ids(store, info.id))
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
    everyone = Choice(info.id, None, str, counted_labels=info.policy.counted_labels)
    chunks = exports.each_leaving(store, info.id, None, several) if several else ()
    return {one.sample_id for chunk in chunks for one in chunk if not item_of(one, everyone).gold}
