"""A sample of a scored corpus in a database: what is drawn comes in, all other samples stay in their files.

The values of all of them are known from the scores, by stratum: so what is verified of the drawn ones
estimates the mean of the whole corpus.
"""

from __future__ import annotations

import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench import __version__
from workbench.comparing.plans import allocate, blind_share_for, places, strata_of, stratified_ranks
from workbench.errors import InputError, UsageError
from workbench.formats.columns import columns_of
from workbench.formats.parquet import load_pyarrow
from workbench.formats.policy import from_toml
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.matching import MATCHER
from workbench.model import Kind, Progress, silent
from workbench.proposing import rules
from workbench.scoring.names import SCORERS
from workbench.stages.corpus import ROWS, Partition, Recipe, readable, written
from workbench.stages.import_ import ImportOptions, existing, import_file
from workbench.stages.people import check
from workbench.stages.policy import keep_policy
from workbench.stages.propose import propose
from workbench.stages.queue import scored_by
from workbench.stages.recompute import recompute
from workbench.store import plans
from workbench.store.datasets import DatasetInfo, find_dataset, set_dataset
from workbench.store.engine import Store
from workbench.text.figures import many
from workbench.text.lists import compact

if TYPE_CHECKING:
    import pyarrow

PLACE = ("line", "id", "content_hash")
Values = Counter[float | None]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DrawReport:
    """What was drawn. `rows`: the samples of the corpus, `rejected`: rows that have no scores and are none.

    `strata`: the samples of each, and how many of them were drawn. `seed` draws the same samples again.
    """

    out: Path
    dataset: str
    rows: int
    rejected: int
    n: int
    scorer: str
    strata: Mapping[str, tuple[int, int]]
    seed: int
    blind_share: float


class _Chosen(NamedTuple):
    """A drawn sample: its random number, its stratum, its partition and line, its name and its value."""

    u: float
    stratum: str
    partition: int
    line: int
    id: str
    content_hash: str
    value: float | None

    @property
    def key(self) -> str:
        """What the sample is called in a database."""
        return self.id or self.content_hash


def draw(
    store: Store, out: Path, n: int, *, dataset: str | None, scorer: str = "linked", seed: int | None = None,
    annotator: str, progress: Progress = silent,
) -> DrawReport:  # fmt: skip
    """Draw n samples of the corpus scored in `out` into a new dataset, by strata of their automatic value.

    All of it goes in, or nothing. `progress` is called with the rows that are read, twice over.
    Raises UsageError for a sample that cannot be drawn, InputError for scores that are not whole and for
    inputs that changed since.
    """
    check(store, annotator, "make a plan")
    if scorer not in SCORERS:
        raise UsageError(f"no scorer {scorer!r}; there is: {', '.join(SCORERS)}")
    name = dataset or out.resolve().name
    _check_new(store, name)
    recipe, partitions = written(out)
    if (recipe.version, recipe.matcher) != (__version__, MATCHER):
        raise UsageError(f"{out}: scored by Workbench {recipe.version}, this is {__version__}: score again")
    kind = SCORERS[scorer]
    seed = secrets.randbits(31) if seed is None else seed
    counts, proposer = _counted(out, partitions, scorer, progress)
    total = counts.total()
    if n > total:
        raise UsageError(f"{n:,} of {many(total, 'sample')} cannot be drawn: give a smaller --n")
    named = strata_of(counts)
    sizes: Counter[str] = Counter()
    for value, times in counts.items():
        sizes[named[value]] += times
    allocation = allocate(dict(sorted(sizes.items())), n)
    values, chosen = _chosen(partitions, scorer, named, allocation, seed, progress)
    if Counter({name: sum(value.values()) for name, value in values[scorer].items()}) != sizes:
        raise InputError(f"{out}: changed while it was read")
    strata = {name: (sizes[name], taken) for name, taken in allocation.items()}
    with TemporaryDirectory() as folder:
        texts = _texts(partitions, recipe, chosen, Path(folder, "drawn.jsonl"))
        with store.writing():  # others write as long as the inputs are read
            _check_new(store, name)  # again: another command may have made it meanwhile
            info = _imported(store, name, texts, recipe, kind, seed, proposer, annotator)
            drawn = _ranked(store, info, out, scorer, chosen, allocation)
            blind = blind_share_for(info.blind_share, n)
            parameters = {
                "holdout": 0,
                "holdout_share": 0.0,
                "blind_before": info.blind_share,
                "corpus": {
                    "out": str(out),
                    "seed": seed,
                    "run": info.run,
                    "threshold": info.threshold,
                    "policy": info.policy.version,
                    "values": {
                        of: {stratum: list(counter.items()) for stratum, counter in by.items()}
                        for of, by in values.items()
                    },
                },
            }
            if any(strata):
                parameters |= {"by": "score", "strata": strata}
            design = "stratified" if any(strata) else "simple"
            plan = plans.Plan(
                design, kind=kind, planned_n=n, population=total, parameters=parameters, annotator=annotator,
                created_at=datetime.now(UTC),
            )  # fmt: skip
            plans.save_plan(store, info.id, plan, drawn, blind)
    rejected = sum(partition.rejected for partition in partitions)
    return DrawReport(out, name, total, rejected, n, scorer, strata, seed, blind)


def _imported(
    store: Store, name: str, texts: Mapping[str, Path], recipe: Recipe, kind: Kind, seed: int, proposer: str,
    annotator: str,
) -> DatasetInfo:  # fmt: skip
    """A new dataset of the drawn rows, with the policy, the threshold and the proposer of the corpus."""
    for format, path in texts.items():  # noqa: A001
        options = ImportOptions(
            name, format=format, seed=seed, strict=True, kinds=(kind,), fields=recipe.columns
        )
        import_file(store, path, options, annotator=annotator)
    info = find_dataset(store, name)
    policy = from_toml(recipe.policy)
    kinds = (kind, *(of for of in policy.kinds if of != kind)) if kind in policy.kinds else (kind,)
    keep_policy(store, info, replace(policy, kinds=kinds), annotator)
    set_dataset(store, info.id, threshold=recipe.match_threshold)
    if proposer == rules.PROPOSER:
        propose(store, find_dataset(store, name), rules.PROPOSER, annotator=annotator)
    return find_dataset(store, name)


def _check_new(store: Store, name: str) -> None:
    if existing(store, name):
        raise UsageError(f"the dataset {name} is there: draw into a new one with --dataset NAME")


def _batches(partition: Partition, *more: str) -> Iterator[pyarrow.RecordBatch]:
    """The scores of a partition, a few thousand rows at a time. Raises InputError."""
    arrow = load_pyarrow()
    with readable(partition), arrow.parquet.ParquetFile(partition.scores) as file:
        tallies = [f"{name}_{what}" for name in SCORERS for what in ("found", "units")]
        yield from file.iter_batches(ROWS, columns=[*tallies, *more])


def _recalls(batch: pyarrow.RecordBatch, name: str) -> Floats:
    """The exact recalls of a scorer, as a database has them: ragas adds 1e-8; not a number without units."""
    found, units = (
        batch.column(f"{name}_{what}").to_numpy(zero_copy_only=False) for what in ("found", "units")
    )
    recalls: Floats = np.divide(found, units, out=np.full(batch.num_rows, np.nan), where=units > 0)
    return recalls


def _values(column: Floats) -> Values:
    """How many samples have each value; None for those without one."""
    each, times = np.unique(column, return_counts=True)
    return Counter({None if v != v else v: n for v, n in zip(each.tolist(), times.tolist(), strict=True)})


def _counted(
    out: Path, partitions: Sequence[Partition], scorer: str, progress: Progress
) -> tuple[Values, str]:
    """The first look: the values of a scorer over the whole corpus, and whose units were scored."""
    counts: Values = Counter()
    proposers: set[str] = set()
    for partition in partitions:
        for batch in _batches(partition, "proposer"):
            counts += _values(_recalls(batch, scorer))
            proposers.update(batch.column("proposer").unique().to_pylist())
            progress(counts.total())
    if not counts:
        raise UsageError(f"{out}: no row has scores")
    if len(proposers) > 1:
        raise UsageError(
            f"{out}: units of several proposers ({', '.join(sorted(proposers))}); their scores have no mean "
            "that a sample could verify: score them apart"
        )
    return counts, proposers.pop()


def _chosen(
    partitions: Sequence[Partition],
    scorer: str,
    named: Mapping[float | None, str],
    allocation: Mapping[str, int],
    seed: int,
    progress: Progress,
) -> tuple[dict[str, dict[str, Values]], list[_Chosen]]:
    """The second look: the values of every scorer by stratum, and the samples with the lowest numbers.

    The numbers of a partition are a stream of its own, so they do not depend on the others.
    """
    values: dict[str, dict[str, Values]] = {of: defaultdict(Counter) for of in SCORERS}
    drawn: dict[str, list[_Chosen]] = {name: [] for name in allocation}
    done = 0
    for number, partition in enumerate(partitions):
        stream = np.random.default_rng([seed, number])
        for batch in _batches(partition, *PLACE):
            u = stream.random(batch.num_rows)
            own = _recalls(batch, scorer)
            names = np.array([named.get(None if v != v else v, "") for v in own.tolist()])
            for name, n in allocation.items():
                inside = np.flatnonzero(names == name)
                for of in SCORERS:
                    values[of][name] += _values(_recalls(batch, of)[inside])
                first = inside[np.argsort(u[inside])[:n]]
                rows = batch.take(first).select(PLACE).to_pylist()
                more = [
                    _Chosen(chance, name, number, **row, value=None if value != value else value)
                    for chance, row, value in zip(u[first].tolist(), rows, own[first].tolist(), strict=True)
                ]
                # over all parts of a stratum the lowest numbers are a simple random sample of it
                drawn[name] = sorted([*drawn[name], *more], key=lambda choice: choice.u)[:n]
            done += batch.num_rows
            progress(done)
    return values, [choice for listed in drawn.values() for choice in listed]


def _texts(
    partitions: Sequence[Partition], recipe: Recipe, chosen: Sequence[_Chosen], path: Path
) -> dict[str, Path]:
    """The drawn rows as they were given, in a file for each format that the inputs have.

    Raises InputError for an input that is not the one that was scored.
    """
    targets: dict[str, Path] = {}
    for number, partition in enumerate(partitions):
        wanted = Counter(
            (choice.line, choice.content_hash) for choice in chosen if choice.partition == number
        )
        if not wanted:
            continue
        source, notes = partition.source, Notes()
        changed = f"{source}: not the file that was scored: run score-files again, into another folder"
        if not source.exists() or Partition.of(source, partition.scores) != partition:
            raise InputError(changed)
        columns = columns_of(recipe.columns, ())
        for row in read(source, format=recipe.format, notes=notes, columns=columns):
            sample = row.record.sample if row.record else None
            if sample is None or not wanted[row.line, sample.content_hash]:
                continue
            wanted[row.line, sample.content_hash] -= 1
            target = targets.setdefault(notes.format, path.with_name(f"{len(targets)}-{path.name}"))
            with target.open("a", encoding="utf-8", newline="\n") as file:
                file.write(compact(json.loads(row.raw)) + "\n")
            if not wanted.total():
                break
        if wanted.total():
            raise InputError(changed)
    return targets


def _ranked(
    store: Store, info: DatasetInfo, out: Path, scorer: str, chosen: Sequence[_Chosen],
    allocation: Mapping[str, int],
) -> list[plans.Drawn]:  # fmt: skip
    """The order of review of the drawn samples. Raises InputError where they are not what was scored."""
    there = plans.candidates(store, info.id, blank=True)  # an order was drawn for all
    if len(there) < len(chosen):
        raise InputError(
            f"{out}: {many(len(chosen) - len(there), 'drawn row repeats', 'drawn rows repeat')} the id or "
            "the texts of another one, which a dataset holds once: leave repeated rows out of the corpus"
        )
    own = {choice.key: choice for choice in chosen}
    recompute(store, info)
    values = scored_by(store, info, scorer)
    drawn = [own[candidate.key] for candidate in there]
    if wrong := sum(values.get(c.sample_id) != choice.value for c, choice in zip(there, drawn, strict=True)):
        raise InputError(f"{out}: {many(wrong, 'drawn sample')} would be scored otherwise in a database")
    u = [choice.u for choice in drawn]
    names = [choice.stratum for choice in drawn]
    order = places(stratified_ranks(u, names, allocation), u)
    return [
        plans.Drawn(candidate.sample_id, rank, name, holdout=False)
        for candidate, rank, name in zip(there, order, names, strict=True)
    ]
