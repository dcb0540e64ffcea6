"""The commands `import` and `audit`, which begin with a file.

`import`: options, a look at the file before a database is made, one stage, one report. `audit`: import,
propose, print the first answer, review, print what it has become.
"""

import os
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from workbench import reports
from workbench.cli.console import (
    Call,
    Context,
    Json,
    check_format,
    named_path,
    on_terminal,
    open_app,
    open_for,
    open_if_there,
)
from workbench.errors import UsageError
from workbench.reports.files import import_text

Update = Annotated[bool, Option("--update")]
Fields = Annotated[list[str] | None, Option("--map", metavar="FIELD=COLUMN")]
External = Annotated[list[str] | None, Option(metavar="COLUMN=KIND")]
Rows = Annotated[str, Option(metavar="LIST")]
Meta = Annotated[list[str] | None, Option(metavar="KEY=VALUE")]
"""Options that `import` and `audit` share."""


def import_(
    context: Context,
    file: Annotated[Path, Argument(parser=named_path)],
    gold: Annotated[bool, Option("--gold")] = False,
    gold_if_given: Annotated[bool, Option("--gold-if-given")] = False,
    update: Update = False,
    strict: Annotated[bool, Option("--strict")] = False,
    dry_run: Annotated[bool, Option("--dry-run")] = False,
    format: str | None = None,  # noqa: A002
    map_: Fields = None,
    external: External = None,
    meta: Meta = None,
    rows: Rows = "",
    blind: Annotated[float | None, Option(min=0, max=1)] = None,
    seed: int | None = None,
    json: Json = False,
) -> None:
    """Import samples. Importing a file twice adds nothing; bad rows go to a file of their own."""
    from workbench.stages import import_ as stage

    call = context.obj
    if gold and gold_if_given:
        raise UsageError("--gold and --gold-if-given exclude each other")
    options = stage.ImportOptions(
        dataset=call.dataset,
        gold="require" if gold else "given" if gold_if_given else "ignore",
        update=update,
        strict=strict,
        format=format,
        blind=blind,
        seed=seed,
        fields=map_ or (),
        external=external or (),
        meta=meta or (),
        rows=rows,
        command=command_of(call, "import"),
    )
    size = stage.bytes_to_import(file)
    if dry_run:  # a database that is not there is not made
        with open_if_there(call) as old, reports.progress("Reading", size, unit="bytes") as bar:
            report = stage.preview_import(file, options, store=old, annotator=call.annotator, progress=bar)
    else:
        with open_for(call, create=True) as store, reports.progress("Importing", size, unit="bytes") as bar:
            report = stage.import_file(store, file, options, annotator=call.annotator, progress=bar)
    reports.show(report, import_text(report), as_json=json)
    if report.rejected:
        raise typer.Exit(2 if strict or not report.good else 3)


def audit(
    context: Context,
    file: Annotated[Path, Argument(parser=named_path)],
    scorer: str | None = None,
    map_: Fields = None,
    external: External = None,
    meta: Meta = None,
    rows: Rows = "",
    update: Update = False,
    full: Annotated[bool, Option("--full")] = False,
    format: str = "text",  # noqa: A002
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


def command_of(call: Call, name: str) -> list[str]:
    """How a command begins that a message tells to run next: on the same database and dataset."""
    return ["workbench", name, *(word for option in call.given().items() for word in option)]
