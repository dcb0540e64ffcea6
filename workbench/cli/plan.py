"""The command `plan`: make the plan of a dataset, show it, take it away, or ask what a precision needs."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from workbench import reports
from workbench.cli.console import Call, Json, dataset_of, given, on_terminal
from workbench.errors import UsageError
from workbench.reports.plan import draft_text, plan_text, precision_text

MAKING = "Making a plan"
_making = partial(typer.Option, rich_help_panel=MAKING)


def plan(
    context: typer.Context,
    n: Annotated[int | None, _making("--n", min=2, help="Reviews to plan.")] = None,
    design: Annotated[
        str | None,
        _making(help="simple, or stratified; by default stratified by score where samples have one."),
    ] = None,
    by: Annotated[str, _making(help="Strata: score, group or meta.KEY.", metavar="FIELD")] = "",
    holdout: Annotated[
        float, _making(min=0, max=1, help="Share of samples kept back, in whole groups.")
    ] = 0.0,
    blind: Annotated[
        float | None,
        _making(min=0, max=1, help="Share reviewed without suggestions; by default enough for 30 reviews."),
    ] = None,
    yes: Annotated[bool, _making("--yes", "-y", help="Do it without asking.")] = False,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="HALF-WIDTH",
            help="How many reviews make the interval ± this wide.",
        ),
    ] = None,
    more: Annotated[
        int | None, typer.Option(min=1, help="Plan N more reviews, at any time.", metavar="N")
    ] = None,
    drop: Annotated[bool, typer.Option("--drop", help="Remove the plan, before the first review.")] = False,
    json: Json = False,
) -> None:
    """Plan which samples to review, before the first review, or more reviews later. Alone: show the plan."""
    call: Call = context.obj
    if sum((n is not None, precision is not None, more is not None, drop)) > 1:
        raise UsageError("--n, --precision, --more and --drop exclude each other")
    if n is None:
        # options of a plan without its size would do nothing
        making = [
            option for option in given(context) if option.rich_help_panel == MAKING and option.name != "yes"
        ]
        if making:
            named = ", ".join(option.opts[0] for option in making)
            raise UsageError(f"{named}: a plan needs its number of reviews too: --n N")
    from workbench.stages import plan as planning
    from workbench.stages import precision as precisions

    with dataset_of(call) as (store, info):
        if precision is not None:
            answer = precisions.precision(store, info, precision)
            reports.show(answer, precision_text(answer), as_json=json)
            return
        if n is not None:
            chosen = design or ("stratified" if by else "")
            wish = planning.Wish(n, chosen, by, holdout, blind)  # type: ignore[arg-type]
            drafted = planning.draft(store, info, wish, call.annotator)
            typer.echo(draft_text(drafted), err=True)
            _agree("Make this plan?", "no plan was made", yes=yes)
            planning.make(store, info, drafted)
        elif more is not None:
            planning.extend(store, info, more, call.annotator)
        elif drop:
            _agree("Drop the plan?", "the plan stands", yes=yes)
            planning.drop(store, info, call.annotator)
    with dataset_of(call) as (store, info):  # a plan changes its dataset
        report = planning.report(store, info)
    reports.show(report, plan_text(report), as_json=json)


def _agree(question: str, refused: str, *, yes: bool) -> None:
    if not yes and on_terminal() and not typer.confirm(question, err=True):
        raise UsageError(refused)
