"""The page of a comparison, and retrievers compared over the same references."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from workbench.comparing.answer import Answer
from workbench.comparing.figures import Figures
from workbench.comparing.retrievers import Retrievers, RetrieverSample, compare_retrievers
from workbench.comparing.versions import Against, ScoredTwice
from workbench.comparing.versions import against as hold_against
from workbench.errors import UsageError
from workbench.model import Sample
from workbench.scoring.names import SCORERS, day_of, kind_of, metric_of, runs_of
from workbench.stages import Progress, local, moment_of, silent
from workbench.stages.examples import seen_by
from workbench.stages.figures import recall_of
from workbench.stages.queue import headline_scorer, known, scored_by
from workbench.stages.recompute import recompute, withheld_from
from workbench.store import gold as gold_store
from workbench.store import plans, runs, samples, scores
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.queue import annotators
from workbench.store.reviewed import reviewed


def write_html(
    store: Store, info: DatasetInfo, path: Path, answer: Answer, found: Figures, *, text: bool, force: bool
) -> None:
    """Write an answer and its figures as one page to send, without `text` of the samples if so wished.

    Raises ExportError for a file that is there, or a full disk.
    """
    from workbench.formats.report import write_report

    reviewers = [name for name, _ in annotators(store, info)]
    decided = reviewed(store, info.id, found.kind).values()
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
            judged.append(
                RetrieverSample(sample.id, sample.reference_hash, name, one.assessment, sample.group)
            )
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


def compare_against(
    store: Store, info: DatasetInfo, viewer: str, *, scorer: str | None, against: str | None,
    since: str | None, run: str | None = None, usual: str = "", progress: Progress = silent,
) -> Against:  # fmt: skip
    """Hold a scorer or column against another one, or against the run of its metric from before `since`.

    Without `scorer` it is the one that reports begin with. Samples of the holdout, those that are not
    counted, and examples of the run stay out. Raises UsageError for an unknown name, two kinds of units, a
    moment that is none, and where no run is from before it.
    """
    chosen = runs.chosen_run(store, info, run)
    if chosen is not None:
        recompute(store, info, chosen.id, info.threshold, progress)
    first = known(store, info, scorer) if scorer else headline_scorer(store, info, usual=usual)
    columns = scores.external_columns(store, info.id)
    days = {name: _day(name, at) for name, at in columns.items()}
    second = _before(first, columns, since or "") if against is None else known(store, info, against)
    if first == second:
        raise UsageError(
            f"{first} against itself: name another one; there is: {', '.join((*SCORERS, *days))}"
        )
    kinds = {kind for kind in (kind_of(first), kind_of(second)) if kind}
    if len(kinds) > 1:
        raise UsageError(f"{first} counts another kind of unit than {second}: name two of one kind")
    verified = {n: one for kind in kinds for n, one in reviewed(store, info.id, kind).items()}
    out = {number for kind in kinds for number in gold_store.load_excluded(store, info.id, kind)}
    questions, seen = samples.questions_of_hashes(store, info.id), seen_by(store, info, chosen).related
    values = partial(scored_by, store, info, chosen.id if chosen else None)
    ours, theirs = values(first), values(second)
    twice = [
        ScoredTwice(
            place.key, questions.get(number, ""), place.group, ours.get(number), theirs.get(number),
            recall_of(verified[number].tally) if number in verified else None,
        )
        for number, place in scores.population(store, info.id).items()
        if number not in out and place.key not in seen and (number in ours or number in theirs)
    ]  # fmt: skip
    named = {name: days.get(name, "") for name in (first, second)}
    return hold_against(info.name, named, twice, withheld_from(store, info, viewer))


def _before(name: str, columns: Mapping[str, datetime], since: str) -> str:
    """The newest run of a column's metric that came before a moment."""
    if (at := moment_of(since)) is None:
        raise UsageError(f"--since {since!r}: give a day or a time, as 2026-11-23 or '2026-11-23 04:20'")
    if name not in columns:
        raise UsageError(
            f"--since compares runs of an imported metric, and {name} is counted here: --against NAME"
        )
    each = runs_of(metric_of(name), columns)
    when = {one: local(columns[one]) for one in each}
    moment = local(at)
    if moment.endswith(" 00:00:00"):  # a day: the one in the name of a run counts, in every time zone
        when, moment = {one: _day(one, columns[one]) for one in each}, moment[:10]
    earlier = [one for one in each if when[one] < moment]
    listed = ", ".join(f"{one} ({when[one]})" for one in each)
    if not earlier:
        other = next((f"; compare two of them with --against {one}" for one in each if one != name), "")
        raise UsageError(f"no run of {metric_of(name)} came before {since}; there is: {listed}{other}")
    if name in earlier:
        raise UsageError(f"{name} is from before {since}, and no run came since; there is: {listed}")
    return earlier[-1]


def _day(name: str, at: datetime) -> str:
    """The day on which a column came: the one in its name, where it has one."""
    return day_of(name) or local(at)[:10]
