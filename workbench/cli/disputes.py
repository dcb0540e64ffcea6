"""The command `disputes`: everything that disagrees, most moving first; and what became of one."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench import reports
from workbench.cli.console import Call, Json, Run, counted
from workbench.comparing.disputes import STATES
from workbench.errors import UsageError
from workbench.model import KINDS
from workbench.reports.disputes import document, one_document, report_text, state_text

disputes_app = typer.Typer(no_args_is_help=False)


@disputes_app.callback(invoke_without_command=True)
def disputes(
    context: typer.Context,
    scorer: Annotated[
        list[str] | None,
        typer.Option("--scorer", help="Compare this scorer or column too; repeat the option for more."),
    ] = None,
    run: Run = None,
    state: Annotated[str, typer.Option(help="open, explained, fixed or all.")] = "open",
    between: Annotated[
        str,
        typer.Option(
            help="Who disagrees, as linked~verified; or verified, scorers, column, runs, annotators, flag."
        ),
    ] = "",
    limit: Annotated[int, typer.Option(min=0, help="How many are listed.")] = 50,
    json: Json = False,
) -> None:
    """List the samples with values that disagree, largest effect on the mean first."""
    if context.invoked_subcommand is not None:
        return
    from workbench.stages import disputes as stage

    call: Call = context.obj
    if state not in (*STATES, "all"):
        raise UsageError(f"no state {state!r}; there is: {', '.join((*STATES, 'all'))}")
    with counted(call, "Counting") as (store, info, progress):
        report = stage.disputes(
            store, info, call.annotator, scorers=scorer or (), between=between, run=run, progress=progress
        )
    stage.check_between(report, between)
    chosen = report.chosen(state, between)
    listed = document(report, chosen, limit)
    reports.show(listed, report_text(report, chosen, limit, between), as_json=json)


@disputes_app.command("set")
def set_one(
    context: typer.Context,
    sample: Annotated[str, typer.Argument(help="The id of the sample.")],
    between: Annotated[str, typer.Option(help="Who disagrees, as linked~verified.")],
    state: Annotated[str, typer.Option(help="open, explained or fixed.")],
    note: Annotated[str, typer.Option(help="Why; needed for explained.")] = "",
    kind: Annotated[str | None, typer.Option(help="entity or statement, if both are in dispute.")] = None,
    run: Run = None,
    json: Json = False,
) -> None:
    """Set the state of a dispute. It opens again when one of its values changes."""
    from workbench.stages import disputes as stage

    call: Call = context.obj
    if state not in STATES:
        raise UsageError(f"no state {state!r}; there is: {', '.join(STATES)}")
    if kind is not None and kind not in KINDS:
        raise UsageError(f"no kind {kind!r}; there is: {', '.join(KINDS)}")
    with counted(call, "Counting") as (store, info, progress):
        sample = stage.the_sample(store, info, sample)
        if state == "explained" and not note.strip():
            raise UsageError('what explains it? give --note "…"')
        report = stage.disputes(store, info, call.annotator, between=between, run=run, progress=progress)
        found = stage.find(report, sample, between, kind)
        now = stage.set_state(store, found, state, note.strip(), call.annotator)
    reports.show(one_document(now), state_text(now), as_json=json)
