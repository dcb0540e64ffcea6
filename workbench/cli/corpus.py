"""The commands `score-files` and `draw`: scores of files too many for a database, and a sample in one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from workbench import reports
from workbench.cli.console import Call, Json, named_path, policy_from
from workbench.cli.import_ import Fields, open_for_import, size_of


def score_files(
    files: Annotated[
        list[Path],
        typer.Argument(help="Files or folders: Parquet, Arrow, JSON Lines, CSV.", parser=named_path),
    ],
    out: Annotated[Path, typer.Option(help="The folder for the scores, one file for each input file.")],
    policy: Annotated[
        Path | None, typer.Option(help="A policy file, as `workbench policy show` prints it.")
    ] = None,
    match_threshold: Annotated[
        int, typer.Option(min=0, max=100, help="Similarity from which two names match.")
    ] = 85,
    format: Annotated[  # noqa: A002
        str | None, typer.Option(help="The format of every file, as for import; detected by default.")
    ] = None,
    map_: Fields = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Processes on this machine; by default one for each core.")
    ] = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
    cluster: Annotated[
        str, typer.Option(metavar="ADDRESS", help="A dask scheduler, as in tcp://host:8786, instead.")
    ] = "",
    json: Json = False,
) -> None:
    """Score files without a database, in parallel. A run that was stopped goes on where it ended."""
    from workbench.reports.texts import corpus_text
    from workbench.stages.corpus import recipe_of, score_files

    text = None if policy is None else policy_from(str(policy))
    recipe = recipe_of(text, match_threshold, format, map_ or ())
    with reports.progress("Scoring", sum(map(size_of, files)), unit="bytes") as progress:
        report = score_files(files, out, recipe, workers=workers, cluster=cluster, progress=progress)
    reports.show(reports.document(report), corpus_text(report), as_json=json)
    if report.failed or report.rejected:
        raise typer.Exit(2 if not report.rows else 3)


def draw(
    context: typer.Context,
    out: Annotated[Path, typer.Argument(help="The folder that score-files wrote.", parser=named_path)],
    n: Annotated[int, typer.Option("--n", min=2, help="Samples to draw, and reviews to plan.")],
    scorer: Annotated[str, typer.Option(help="The score whose values make the strata.")] = "linked",
    seed: Annotated[
        int | None, typer.Option(min=0, help="The same seed draws the same samples; printed by each draw.")
    ] = None,
    json: Json = False,
) -> None:
    """Draw samples of a scored corpus into a new dataset: your reviews of them estimate its whole mean."""
    from workbench.reports.plan import draw_text
    from workbench.stages.draw import draw as drawing

    call: Call = context.obj
    with open_for_import(call) as store, reports.progress("Reading scores", None, unit="rows") as progress:
        report = drawing(
            store, out, n, dataset=call.dataset, scorer=scorer, seed=seed, annotator=call.annotator,
            progress=progress,
        )  # fmt: skip
    reports.show(reports.document(report), draw_text(report), as_json=json)
