"""The commands that choose samples: `plan` in a dataset, `score-files` and `draw` from very many files."""

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from workbench import reports
from workbench.cli.console import (
    Context,
    Json,
    dataset_of,
    given,
    named_path,
    on_terminal,
    open_for,
    policy_from,
    tell,
)
from workbench.cli.import_ import Fields
from workbench.errors import UsageError
from workbench.matching import FLOOR
from workbench.reports.plan import draft_text, draw_text, plan_text, precision_text
from workbench.reports.texts import corpus_text

MAKING = "Making a plan"
_making = partial(Option, rich_help_panel=MAKING)


MATCH_THRESHOLD = Option(min=FLOOR, max=100)
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def plan(
    context: Context,
    n: Annotated[int | None, _making("--n", min=2)] = None,
    design: Annotated[str | None, _making()] = None,
    by: Annotated[str, _making(metavar="FIELD")] = "",
    holdout: Annotated[float, _making(min=0, max=1)] = 0.0,
    blind: Annotated[float | None, _making(min=0, max=1)] = None,
    yes: Annotated[bool, _making("--yes", "-y")] = False,
    precision: Annotated[float | None, Option(metavar="HALF-WIDTH")] = None,
    more: Annotated[int | None, Option(min=1, metavar="N")] = None,
    json: Json = False,
) -> None:
    """Plan which samples to review, before the first review, or more reviews later. Alone: show the plan."""
    call = context.obj
    if sum((n is not None, precision is not None, more is not None)) > 1:
        raise UsageError("--n, --precision and --more exclude each other")
    if n is None and (making := given(context, MAKING, besides=("yes",))):  # they would do nothing
        raise UsageError(f"{making}: a plan needs its number of reviews too: --n N")
    from workbench.stages import figures, plan as planning

    with dataset_of(call) as (store, info):
        if precision is not None:
            answer = figures.precision(store, info, precision)
            reports.show(answer, precision_text(answer), as_json=json)
            return
        if n is not None:
            chosen = design or ("stratified" if by else "")
            wish = planning.Wish(n, chosen, by, holdout, blind)  # type: ignore[arg-type]
            drafted = planning.draft(store, info, wish, call.annotator)
            tell(draft_text(drafted))
            if not yes and on_terminal() and not typer.confirm("Make this plan?", err=True):
                raise UsageError("no plan was made")
            planning.make(store, info, drafted)
        elif more is not None:
            planning.extend(store, info, more, call.annotator)
    with dataset_of(call) as (store, info):  # a plan changes its dataset
        report = planning.report(store, info)
    reports.show(reports.document(report), plan_text(report), as_json=json)


def score_files(
    files: Annotated[list[Path], Argument(parser=named_path)],
    out: Annotated[Path, Option()],
    policy: Path | None = None,
    match_threshold: Annotated[int, MATCH_THRESHOLD] = 85,
    format: str | None = None,  # noqa: A002
    map_: Fields = None,
    workers: Annotated[int, Option(min=1, show_default=False)] = CORES,
    cluster: Annotated[str, Option(metavar="ADDRESS")] = "",
    json: Json = False,
) -> None:
    """Score files without a database, in parallel. A run that was stopped goes on where it ended."""
    from workbench.stages.corpus import recipe_of, score_files

    text = None if policy is None else policy_from(str(policy))
    recipe = recipe_of(text, match_threshold, format, map_ or ())
    with reports.progress("Scoring", sum(map(bytes_below, files)), unit="bytes") as progress:
        report = score_files(files, out, recipe, workers=workers, cluster=cluster, progress=progress)
    reports.show(reports.document(report), corpus_text(report), as_json=json)
    if report.failed or report.rejected:
        raise typer.Exit(2 if not report.rows else 3)


def draw(
    context: Context,
    out: Annotated[Path, Argument(parser=named_path)],
    n: Annotated[int, Option("--n", min=2)],
    scorer: str = "linked",
    seed: Annotated[int | None, Option(min=0)] = None,
    json: Json = False,
) -> None:
    """Draw samples of a scored corpus into a new dataset: your reviews of them estimate its whole mean."""
    from workbench.stages.draw import draw as drawing

    call = context.obj
    with (
        open_for(call, create=True) as store,
        reports.progress("Reading scores", None, unit="rows") as progress,
    ):
        report = drawing(
            store, out, n, dataset=call.dataset, scorer=scorer, seed=seed, annotator=call.annotator,
            progress=progress,
        )  # fmt: skip
    reports.show(reports.document(report), draw_text(report), as_json=json)


def bytes_below(file: Path) -> int:
    """The bytes of a file, or of all in a folder; none of what is not there."""
    files = [file] if file.is_file() else file.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())
