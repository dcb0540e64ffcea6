"""The command `plan`: make the plan of a dataset, show it, take it away, or ask what a precision needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench import reports
from workbench.cli.console import Call, Json, dataset_of, given, on_terminal
from workbench.errors import UsageError
from workbench.reports.plan import draft_text, plan_text, precision_text

if TYPE_CHECKING:
    from workbench.stages.plan import Wish
    from workbench.store.datasets import DatasetInfo
    from workbench.store.engine import Store

MAKING = "Making a plan"


def plan(
    context: typer.Context,
    n: Annotated[
        int | None,
        typer.Option("--n", min=2, help="Reviews to plan.", rich_help_panel=MAKING),
    ] = None,
    design: Annotated[
        str | None,
        typer.Option(
            help="simple (the default), or stratified: with --by.",
            rich_help_panel=MAKING,
        ),
    ] = None,
    by: Annotated[
        str, typer.Option(help="Strata: group or meta.KEY.", rich_help_panel=MAKING, metavar="FIELD")
    ] = "",
    holdout: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share kept back, by whole groups.", rich_help_panel=MAKING),
    ] = 0.0,
    blind: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Share reviewed without suggestions; raised to 30 reviews by default.",
            rich_help_panel=MAKING,
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Make or drop it without asking.", rich_help_panel=MAKING)
    ] = False,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="HALF-WIDTH",
            help="Before reviewing: how many samples a plan takes for ± this.",
        ),
    ] = None,
    drop: Annotated[bool, typer.Option("--drop", help="Take the plan away: nothing decided yet.")] = False,
    json: Json = False,
) -> None:
    """Plan which samples are reviewed, before the first verdict; without options show how far it is."""
    call: Call = context.obj
    if sum((n is not None, precision is not None, drop)) > 1:
        raise UsageError("--n, --precision and --drop exclude each other")
    if n is None:
        _refuse_making(context)
    with dataset_of(call) as (store, info):
        if precision is not None:
            _precision(store, info, precision, json=json)
        elif drop:
            _drop(store, info, call.annotator, yes=yes, json=json)
        elif n is not None:
            from workbench.stages.plan import Wish

            chosen = design or ("stratified" if by else "simple")
            wish = Wish(n, chosen, by, holdout, blind)  # type: ignore[arg-type]
            _make(store, info, wish, call.annotator, yes=yes, json=json)
        else:
            _show(store, info, json=json)


def _refuse_making(context: typer.Context) -> None:
    """Raise UsageError for options of a plan without its size: they would do nothing."""
    making = [one for one in given(context) if one.rich_help_panel == MAKING and one.name != "yes"]
    if making:
        named = ", ".join(one.opts[0] for one in making)
        raise UsageError(f"{named}: a plan needs its number of reviews too: --n N")


def _show(store: Store, info: DatasetInfo, *, json: bool) -> None:
    from workbench.stages.plan import report

    found = report(store, info)
    reports.show(found, plan_text(found), as_json=json)


def _make(store: Store, info: DatasetInfo, wish: Wish, annotator: str, *, yes: bool, json: bool) -> None:
    from workbench.stages import plan as planning
    from workbench.store.datasets import find_dataset

    drafted = planning.draft(store, info, wish, annotator)
    typer.echo(draft_text(drafted), err=True)
    if not yes and on_terminal() and not typer.confirm("Make this plan?", err=True):
        raise UsageError("no plan was made")
    planning.make(store, info, drafted)
    _show(store, find_dataset(store, info.name), json=json)


def _drop(store: Store, info: DatasetInfo, annotator: str, *, yes: bool, json: bool) -> None:
    from workbench.stages import plan as planning
    from workbench.store.datasets import find_dataset

    if not yes and on_terminal() and not typer.confirm("Drop the plan?", err=True):
        raise UsageError("the plan stands")
    planning.drop(store, info, annotator)
    _show(store, find_dataset(store, info.name), json=json)


def _precision(store: Store, info: DatasetInfo, half_width: float, *, json: bool) -> None:
    from workbench.stages.plan import precision

    found = precision(store, info, half_width)
    reports.show(found, precision_text(found), as_json=json)
