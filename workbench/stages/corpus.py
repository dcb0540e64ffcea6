"""Scores of a corpus that is too large for a database: file by file, on the cores of a machine or a cluster.

Each input file is a partition. A worker reads it, scores every row, and writes one Parquet file of scores.
Rows that cannot be scored go to a file of rejects next to it. An output file appears whole or not at all, so
that a run that ended early goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait as wait_for
from pathlib import Path
from typing import IO, TYPE_CHECKING

from workbench import __version__
from workbench.errors import InputError, UsageError, WorkbenchError, to_install
from workbench.formats.columns import columns_of
from workbench.formats.exports.folder import leftovers, remove_leftovers, sync, unfinished
from workbench.formats.parquet import load_pyarrow
from workbench.formats.policy import from_toml, to_toml
from workbench.formats.reading import read
from workbench.formats.rejects import SUFFIX, rejected_line
from workbench.formats.rows import FileRow, Notes
from workbench.matching import MATCHER
from workbench.matching.units import language_of
from workbench.model import JsonObject, Matching, Policy, Progress, Record, count
from workbench.proposing import rules
from workbench.scoring.names import SCORERS
from workbench.scoring.scorers import assess_all, value_of
from workbench.stages import begin_worker
from workbench.text.figures import many

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

    import pyarrow

DEFAULT_POLICY = Policy()
RUN_FILE = "run.json"
READ = "read"
"""In the folder of an unfinished partition: a file with the bytes of its input that are read."""
SCORED = ".scores.parquet"
ROWS = 5_000
"""Rows of one group of an output file: what a worker holds."""
TRIES = 3
"""How often a partition is begun whose worker ends: a fourth time would most likely end it again."""
POLL = 0.5  # seconds between two looks at the progress
SUFFIXES = (".arrow", ".csv", ".jsonl", ".ndjson", ".parquet", ".tsv")
"""The files of a folder that are partitions, in no hidden folder."""

Outcome = tuple["Partition", str]
"""A partition that ended, and why it failed; empty when its output is there."""


@cache
def schema() -> pyarrow.Schema:
    """The columns of scores: what identifies a row, each scorer's value, found and units, and the error.

    A score is null without units, and in a row that has an error. `proposer` names where the units are from.
    """
    arrow = load_pyarrow()
    texts = [(name, arrow.string()) for name in ("id", "content_hash", "group", "proposer")]
    kinds = {"": arrow.float64(), "_found": arrow.int32(), "_units": arrow.int32()}
    scores = [(name + end, kind) for name in SCORERS for end, kind in kinds.items()]
    return arrow.schema([*texts, *scores, ("error", arrow.string())])


def scored(record: Record, policy: Policy, match_threshold: int) -> JsonObject:
    """The row of scores of one sample; of a scorer that its proposal does not allow nothing."""
    sample = record.sample
    proposal = record.proposal or rules.propose(sample, language_of(sample, policy) or None)
    row: JsonObject = {
        "id": sample.id,
        "content_hash": sample.content_hash,
        "group": sample.group,
        "proposer": proposal.proposer,
    }
    assessments = assess_all(sample, proposal, Matching(policy, match_threshold), evidence=False)
    for name, assessment in assessments.items():
        tally = count(assessment.units)
        row |= {name: value_of(name, tally), f"{name}_found": tally.found, f"{name}_units": tally.units}
    return row


@dataclass(frozen=True)
class Recipe:
    """What decides the scores: the same recipe and the same file give the same bytes.

    `columns` are FIELD=COLUMN; `policy` is its text, as a policy file has it.
    """

    policy: str
    match_threshold: int
    format: str | None = None
    columns: Sequence[str] = ()
    version: str = __version__
    matcher: str = MATCHER


@dataclass(frozen=True)
class Partition:
    """One input file, by its size and time of change, and the output file that it becomes."""

    source: Path
    size: int
    changed: int
    scores: Path

    @classmethod
    def of(cls, source: Path, scores: Path) -> Partition:
        """The partition of an input as it is now."""
        status = source.stat()
        return cls(source, status.st_size, status.st_mtime_ns, scores)

    @property
    def rejects(self) -> Path:
        """Where the rows go that cannot be scored."""
        return self.scores.with_name(self.scores.name.removesuffix(SCORED) + SUFFIX)

    @property
    def rejected(self) -> int:
        """How many rows went there."""
        if not self.rejects.exists():
            return 0
        with self.rejects.open("rb") as file:
            return sum(1 for _ in file)


@dataclass(slots=True)
class CorpusReport:
    """What became of every partition, over this run and the ones before it.

    `means`: of each scorer that has a value the mean and the number of rows it is over. `failed`: partitions
    that could not be read or written, with the reason.
    """

    out: Path
    partitions: int
    done_before: int = 0
    rows: int = 0
    rejected: int = 0
    rejects: list[Path] = field(default_factory=list)
    means: dict[str, tuple[float, int]] = field(default_factory=dict)
    failed: dict[Path, str] = field(default_factory=dict)


def recipe_of(
    policy_text: str | None,
    match_threshold: int,
    format: str | None,  # noqa: A002
    fields: Sequence[str],
) -> Recipe:
    """The recipe of a command's options. Raises UsageError for a column, InputError for a policy."""
    columns_of(fields, ())
    policy = DEFAULT_POLICY if policy_text is None else from_toml(policy_text)
    return Recipe(to_toml(policy), match_threshold, format, tuple(fields))


def score_files(
    inputs: Sequence[Path],
    out: Path,
    recipe: Recipe,
    *,
    workers: int,
    cluster: str = "",
    progress: Progress = lambda _: None,
) -> CorpusReport:
    """Score every file of `inputs` (files and folders of them) into `out`; what is there already stays.

    `cluster` is the address of a dask scheduler whose workers see the same paths; without one `workers`
    processes of this machine do the work. `progress` is called with the bytes of input that are read.

    Raises UsageError for no input, for an `out` that another recipe or other files wrote, and without
    pyarrow (or dask, for a cluster); InputError for an `out` that cannot be written.
    """
    load_pyarrow("scores are written as Parquet")
    files: dict[Path, None] = {}
    for path in inputs:
        paths = [path]
        if path.is_dir():
            there = (one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES and one.is_file())
            paths = sorted(
                one
                for one in there
                if not one.name.endswith((SUFFIX, SCORED))
                and not any(part.startswith(".") for part in one.relative_to(path).parts)
            )
        if not paths or not path.exists():
            what = f"no files to score in it ({', '.join(SUFFIXES)})" if path.exists() else "no such file"
            raise UsageError(f"{path}: {what}")
        files.update(dict.fromkeys(path.resolve() for path in paths))
    partitions = [Partition.of(path, _scores(out, number, path)) for number, path in enumerate(files)]
    _begin(out, partitions, recipe)
    todo = [partition for partition in partitions if not partition.scores.exists()]
    report = CorpusReport(out, len(partitions), len(partitions) - len(todo))
    tick = partial(_report_progress, partitions, progress)
    outcomes = _on_cluster(todo, recipe, cluster, tick) if cluster else _here(todo, recipe, workers, tick)
    report.failed = {partition.source: why for partition, why in outcomes if why}
    for partition in partitions:
        _add(report, partition)
    return report


def _scores(out: Path, number: int, source: Path) -> Path:
    return out / f"{number:05}-{source.stem}{SCORED}"


def written(out: Path) -> tuple[Recipe, list[Partition]]:
    """How the scores of a folder were made, and of what. Raises UsageError for a folder without any,
    InputError where some are missing."""
    try:
        document = json.loads((out / RUN_FILE).read_text("utf-8"))
        partitions = [
            Partition(path, entry["bytes"], entry["changed"], _scores(out, number, path))
            for number, entry in enumerate(document.pop("inputs"))
            for path in [Path(entry["path"])]
        ]
        recipe = Recipe(**document)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UsageError(f"{out}: no scores: workbench score-files FILES --out {out} writes them") from error
    except OSError as error:
        raise InputError(f"{out / RUN_FILE}: cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{out / RUN_FILE}: cannot be read: {error}") from error
    if missing := [partition for partition in partitions if not partition.scores.exists()]:
        raise InputError(
            f"{out}: {len(missing):,} of {many(len(partitions), 'file')} without scores, "
            f"{missing[0].source} first: run the same score-files command again"
        )
    return recipe, partitions


@contextmanager
def readable(partition: Partition) -> Iterator[None]:
    """Raises InputError where the scores of a partition cannot be read."""
    try:
        yield
    except (OSError, load_pyarrow().ArrowException) as error:
        damaged = f" ({error}): delete it and run score-files again"
        why = f": {os.strerror(error.errno)}" if isinstance(error, OSError) and error.errno else damaged
        raise InputError(f"{partition.scores}: cannot be read{why}") from error


def _begin(out: Path, partitions: Sequence[Partition], recipe: Recipe) -> None:
    """Write down what is scored and how, or check that an earlier run did the same."""
    inputs = [
        {"path": str(partition.source), "bytes": partition.size, "changed": partition.changed}
        for partition in partitions
    ]
    document = {**asdict(recipe), "columns": list(recipe.columns), "inputs": inputs}
    path = out / RUN_FILE
    try:
        out.mkdir(parents=True, exist_ok=True)
        remove_leftovers(path)
        # Listed before the look for the run: what another command puts next to its run.json comes after that.
        others = [path for path in out.iterdir() if not path.name.startswith(f".{RUN_FILE}.")]
        if not path.exists():
            if others:
                raise UsageError(f"{out}: not empty, and without scores of ours: name another folder")
            with unfinished(path) as aside:
                _publish(aside / RUN_FILE, json.dumps(document, indent=2, ensure_ascii=False), path)
        there = json.loads(path.read_text("utf-8"))
        if differs := [name.replace("_", " ") for name in document if there.get(name) != document[name]]:
            raise UsageError(
                f"{out}: holds scores that were made otherwise: {', '.join(differs)} "
                f"{'differ' if len(differs) > 1 else 'differs'}. Name another folder"
            )
    except OSError as error:
        raise InputError(f"{out}: scores cannot be written there: {error.strerror}") from error
    except (ValueError, AttributeError) as error:
        raise InputError(f"{out}: cannot be used: {error}") from error


def _publish(aside: Path, text: str, path: Path) -> None:
    """Write a file that appears whole, unless another command was faster."""
    aside.write_text(text, "utf-8")
    sync(aside)
    try:
        os.link(aside, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        aside.replace(path)


def _here(
    todo: Sequence[Partition], recipe: Recipe, workers: int, tick: Callable[[], None]
) -> Iterator[Outcome]:
    """Score partitions in processes of this machine, one process for each: a worker that is killed costs its
    partition alone, and none keeps what an earlier one left in memory."""
    context = get_context("spawn")
    waiting = deque((partition, 1) for partition in todo)
    running: dict[int, tuple[SpawnProcess, Connection, Partition, int]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                partition, attempt = waiting.popleft()
                answer, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(partition, recipe, theirs), daemon=True)
                process.name = partition.source.name
                # Ctrl-C is for this process, which ends the workers: they begin without the signal.
                before = signal.signal(signal.SIGINT, signal.SIG_IGN)
                try:
                    process.start()
                finally:
                    signal.signal(signal.SIGINT, before)
                theirs.close()
                running[process.sentinel] = process, answer, partition, attempt
            for ended in wait_for(list(running), POLL):
                process, answer, partition, attempt = running.pop(int(str(ended)))
                process.join()
                try:
                    yield partition, answer.recv()
                except EOFError:
                    if attempt < TRIES:
                        waiting.append((partition, attempt + 1))
                    else:
                        yield (
                            partition,
                            f"its worker ended {TRIES} times, the last time with {process.exitcode}",
                        )
            tick()
    finally:
        for process, *_ in running.values():
            process.kill()
            process.join()


def _work(partition: Partition, recipe: Recipe, answer: Connection) -> None:
    begin_worker()
    answer.send(score_partition(partition, recipe))


def _on_cluster(
    todo: Sequence[Partition], recipe: Recipe, address: str, tick: Callable[[], None]
) -> Iterator[Outcome]:
    """Score partitions on the workers of a dask scheduler, which begins those of a lost worker again."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise UsageError(f"--cluster needs the package distributed: {to_install('dask')}") from None
    try:
        client = Client(address, timeout=5)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(f"--cluster {address}: no dask scheduler answers there: {error}") from error
    with client:
        executor = client.get_executor(pure=False, retries=TRIES - 1)  # type: ignore[no-untyped-call]
        futures = {executor.submit(score_partition, partition, recipe): partition for partition in todo}
        while wait(futures, POLL).not_done:
            tick()
        for future, partition in futures.items():
            failure = future.exception()
            yield partition, future.result() if failure is None else f"{type(failure).__name__}: {failure}"


def score_partition(partition: Partition, recipe: Recipe) -> str:
    """Score one file: what a worker does. Returns why it failed; empty when the output is there."""
    if (recipe.version, recipe.matcher) != (__version__, MATCHER):
        return f"the worker has Workbench {__version__} and the command {recipe.version}: install the same"
    try:
        _score(partition, recipe)
    except (WorkbenchError, OSError) as error:
        return str(error)
    return ""


def _score(partition: Partition, recipe: Recipe) -> None:
    arrow = load_pyarrow()
    policy = from_toml(recipe.policy)
    columns = arrow.schema([("line", arrow.int64()), *list(schema())[:-1]])
    with unfinished(partition.scores) as aside:
        scores, rejects = aside / partition.scores.name, aside / partition.rejects.name
        rows = read(
            partition.source,
            format=recipe.format,
            notes=Notes(),
            progress=partial(_note_read, aside),
            columns=columns_of(recipe.columns, ()),
        )
        with (
            rejects.open("w", encoding="utf-8", newline="\n") as rejected,
            arrow.parquet.ParquetWriter(scores, columns, compression="zstd") as writer,
        ):
            records = _taken(rows, rejected)
            while group := [
                {"line": line, **scored(record, policy, recipe.match_threshold)}
                for line, record in islice(records, ROWS)
            ]:
                writer.write_table(arrow.Table.from_pylist(group, schema=columns))
        for file in (rejects, scores):
            sync(file)
        if Partition.of(partition.source, partition.scores) != partition:
            raise InputError(
                f"{partition.source}: changed while it was scored: score the files again, into another folder"
            )
        if rejects.stat().st_size:
            rejects.replace(partition.rejects)
        scores.replace(partition.scores)  # last: with it the partition is done


def _taken(rows: Iterator[FileRow], rejected: IO[str]) -> Iterator[tuple[int, Record]]:
    """The good rows with their lines; the others are written to the rejects."""
    for row in rows:
        if row.record is not None:
            yield row.line, row.record
        elif row.error is not None:
            rejected.write(rejected_line(row.raw, row.error))


def _note_read(aside: Path, done: int) -> None:
    (aside / READ).write_text(str(done), "utf-8")


def _report_progress(partitions: Sequence[Partition], progress: Progress) -> None:
    """Tell the bytes of finished inputs and of those under way."""
    done = sum(partition.size for partition in partitions if partition.scores.exists())
    for aside in leftovers(partitions[0].scores.parent):
        with suppress(OSError, ValueError):
            done += int((aside / READ).read_text("utf-8"))
    progress(done)


def _add(report: CorpusReport, partition: Partition) -> None:
    """Count the output of a partition, if it is there."""
    if not partition.scores.exists():
        return
    arrow = load_pyarrow()
    try:
        with readable(partition):
            table = arrow.parquet.read_table(partition.scores, columns=list(SCORERS))
    except InputError as error:
        report.failed[partition.source] = str(error)
        return
    report.rows += table.num_rows
    for name in SCORERS:
        column = table[name]
        if defined := len(column) - column.null_count:
            mean, before = report.means.get(name, (0.0, 0))
            total = mean * before + arrow.compute.sum(column).as_py()
            report.means[name] = total / (before + defined), before + defined
    if partition.rejects.exists():
        report.rejected += partition.rejected
        report.rejects.append(partition.rejects)
