"""The command `diff`: what changed between two versions of a dataset's gold."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from workbench import reports
from workbench.cli.console import Call, Json, open_for
from workbench.reports.diff import diff_text


def diff(
    context: typer.Context,
    first: Annotated[str, typer.Argument(help="The folder of an export, a day as 2026-11-23, or now.")],
    second: Annotated[str, typer.Argument(help="The later one, in the same way.")],
    limit: Annotated[int, typer.Option(min=0, help="How many changed samples are listed.")] = 20,
    json: Json = False,
) -> None:
    """Show what changed between two exports, or between two days: by whom, and how the means moved."""
    from workbench.stages.diff import diff as stage
    from workbench.stages.diff import is_folder

    call: Call = context.obj
    needed = not (is_folder(first) and is_folder(second))
    there = needed or "://" in call.db or Path(call.db).expanduser().exists()
    with open_for(call.db, create=False) if there else nullcontext() as store:
        found = stage(store, call.dataset, first, second)
    reports.show(reports.document(found), diff_text(found, limit), as_json=json)
