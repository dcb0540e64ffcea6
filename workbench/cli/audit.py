"""`workbench audit FILE`: import, propose, print the first answer, review, print what it has become."""

import os
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from workbench.cli.console import Context, Json, check_format, named_path, on_terminal, open_app
from workbench.cli.import_ import External, Fields, Meta, Rows, Update, command_of
from workbench.errors import UsageError
from workbench.scoring.names import SCORERS


def audit(
    context: Context,
    file: Annotated[Path, Argument(help="A file with scores, as for import.", parser=named_path)],
    scorer: Annotated[str | None, Option(help="The score to audit: an imported column or a scorer.")] = None,
    map_: Fields = None,
    external: External = None,
    meta: Meta = None,
    rows: Rows = "",
    update: Update = False,
    full: Annotated[bool, Option("--full", help="All figures after the answer.")] = False,
    format: Annotated[  # noqa: A002
        str, Option(help="text, or markdown for a pull-request comment.")
    ] = "text",
    json: Json = False,
) -> None:
    """Learn in a minute whether the recall scores of a file are true, then review to be sure.

    It imports the file, finds names and statements, prints the answer and opens the review. Run it again to
    go on. Without a terminal, with --json or --format markdown it prints the answer only.
    """
    from workbench.cli import auditing

    call = context.obj
    check_format(format, json=json)
    if full and format != "text":
        raise UsageError("--full adds figures to the text: leave --format out")
    print_only = json or format != "text" or not on_terminal() or os.environ.get("TERM") == "dumb"
    options = auditing.ImportOptions(
        dataset=call.dataset, update=update, fields=map_ or (), external=external or (), meta=meta or (),
        rows=rows, command=command_of(call, "audit"),
    )  # fmt: skip
    if scorer is not None and scorer not in SCORERS:
        auditing.check_scorer(call, file, options, scorer)
    report = auditing.bring_in(call, file, options)
    asked = auditing.of_file(call, file, report, scorer)
    call.dataset = report.dataset
    while True:
        answer = auditing.print_answer(call, asked, full=full, markdown=format == "markdown", json=json)
        start = None if print_only else auditing.wanted(answer)
        if start is None:
            break
        open_app(call.db, report.dataset, call.annotator, start)
    if report.rejected:
        raise typer.Exit(3)
