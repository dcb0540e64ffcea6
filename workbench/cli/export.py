"""The commands `export`, `verify`, `copy` and `purge`: what leaves, is it as it was, what goes for good."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from workbench import reports
from workbench.cli.console import Context, Json, counted, dataset_of, named_path, on_terminal, open_for, tell
from workbench.errors import UsageError
from workbench.reports import files

FILE_ENDINGS = frozenset({".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".html", ".txt", ".zip"})

_choosing = partial(Option, rich_help_panel="What leaves")
_hiding = partial(Option, rich_help_panel="Privacy")


def export(
    context: Context,
    directory: Annotated[Path, Argument(parser=named_path)],
    format: list[str] | None = None,  # noqa: A002
    only: Annotated[str | None, _choosing()] = None,
    query: Annotated[str, _choosing()] = "",
    run: Annotated[str | None, _choosing()] = None,
    split: Annotated[bool, _choosing("--split")] = False,
    holdout: Annotated[bool, _choosing("--holdout")] = False,
    no_text: Annotated[bool, _hiding("--no-text")] = False,
    names: Annotated[bool, _hiding("--names")] = False,
    licence: Annotated[str, _hiding()] = "",
    force: Annotated[bool, Option("--force")] = False,
    json: Json = False,
) -> None:
    """Write samples, proposals and gold for other tools; native rows by default, which `import` reads."""
    from workbench.stages import export as stage

    if str(directory) == "-":
        raise UsageError("-: an export is a folder of files: name one")
    if directory.suffix.lower() in FILE_ENDINGS and not directory.is_dir():
        raise UsageError(f"{directory}: an export is a folder of files: name it without {directory.suffix}")
    options = stage.ExportOptions(
        formats=tuple(format or ["native"]),
        only=only,
        query=query,
        text=not no_text,
        names=names,
        force=force,
        run=run,
        split=split,
        licence=licence,
        holdout=holdout,
    )
    with counted(context.obj, "Exporting") as (store, info, progress):
        report = stage.export(
            store, info, directory, options, annotator=context.obj.annotator, progress=progress
        )
    reports.show(report, files.export_text(report), as_json=json)


def verify(directory: Annotated[Path, Argument(parser=named_path)], json: Json = False) -> None:
    """Check an export: every file is there, has its hash and can be read; exit 1 when it changed."""
    from workbench.stages.upkeep import verify as stage

    report = stage(directory)
    reports.show(report, files.verify_text(report), as_json=json)
    if not report.passed:
        raise typer.Exit(1)


def doctor(context: Context, json: Json = False) -> None:
    """Check that the rows of the database fit together, and change nothing; exit 1 when some do not."""
    from workbench.stages import upkeep

    with (
        open_for(context.obj, migrate=False) as store,
        reports.progress("Checking", upkeep.rows_of(store, None)[1], unit="rows") as progress,
    ):
        report = upkeep.doctor(store, progress)
    reports.show(report, files.doctor_text(report), as_json=json)
    if report.found:
        raise typer.Exit(1)


def copy(context: Context, to: Annotated[str, Option()], json: Json = False) -> None:
    """Copy the whole database, or with --dataset one dataset, into an empty database of any kind."""
    from workbench.stages import upkeep

    call = context.obj
    with open_for(call) as store:
        only, rows = upkeep.rows_of(store, call.dataset)
        with reports.progress("Copying", rows, unit="rows") as progress:
            report = upkeep.copy(store, to, only, call.annotator, progress)
    reports.show(report, files.copy_text(report), as_json=json)


def purge(
    context: Context,
    samples: Annotated[list[str] | None, Argument()] = None,
    everything: Annotated[bool, Option("--all")] = False,
    yes: Annotated[bool, Option("--yes", "-y")] = False,
    json: Json = False,
) -> None:
    """Remove the text of samples for good, also from the journal and known backups; hashes stay.

    Known are the backups that `backup` makes when it is given no name, and those of upgrades: NAME.TAG.db
    next to the database, of a server NAME.TAG.dump in this folder, which you are told to delete.
    Others are yours to find.
    """
    from workbench.stages import upkeep

    if bool(samples) == everything:
        raise UsageError("name samples by id, or say --all")
    with dataset_of(context.obj) as (store, info):
        plan = upkeep.plan_purge(store, info, samples or [], context.obj.annotator)
        if not yes:
            if not on_terminal():
                raise UsageError("purge removes text for good: say --yes to do it without being asked")
            tell(files.purge_plan_text(plan))
            if not typer.confirm("Remove it?", err=True):
                raise UsageError("nothing was removed")
        report = upkeep.purge(store, info, plan, context.obj.annotator)
    reports.show(report, files.purge_text(report), as_json=json)
    if report.by_hand:
        raise typer.Exit(3)
