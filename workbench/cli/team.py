"""The commands `assign`, `person` and `agree`: who reviews what, may do what, and agrees with whom."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench import reports
from workbench.cli.console import Call, Json, annotator_name, counted, dataset_of, open_for
from workbench.errors import UsageError
from workbench.model import KINDS
from workbench.reports.team import people_text, team_text
from workbench.text.figures import many

person_app = typer.Typer(
    no_args_is_help=True, help="Name the people who work here, and say what they may do."
)


def assign(
    context: typer.Context,
    filter_: Annotated[
        str, typer.Argument(metavar="FILTER", help="With --to: which samples, as in the queue's search.")
    ] = "",
    overlap: Annotated[
        int | None, typer.Option(help="How many people review a sample; 0 takes the assignments away.")
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="The share of samples for so many people; the others get one."),
    ] = None,
    lease: Annotated[
        int | None, typer.Option(min=1, help="Minutes for which a sample is kept for who does nothing.")
    ] = None,
    to: Annotated[
        str | None, typer.Option(metavar="NAME", help="Give the samples of FILTER to this person.")
    ] = None,
    release: Annotated[
        str | None, typer.Option(metavar="NAME", help="Free what this person holds and has not decided.")
    ] = None,
    json: Json = False,
) -> None:
    """Say how many people review each sample; without options show how far they are.

    `next` then holds one sample for you at a time, so that no two people do the same work by accident. What
    you do not decide within the lease, others may take. Samples to be reviewed without suggestions and those
    of the holdout get as many people as the share.
    """
    from workbench.stages import team as stage

    call: Call = context.obj
    if sum((overlap is not None, to is not None, release is not None)) > 1:
        raise UsageError("--overlap, --to and --release exclude each other")
    if overlap is None and (share is not None or lease is not None):
        raise UsageError("--share and --lease go with --overlap: give how many people review a sample")
    if bool(filter_) != (to is not None):
        raise UsageError(
            "--to NAME needs FILTER, and FILTER needs --to NAME: workbench assign --to bo is:flagged"
        )
    with dataset_of(call) as (store, info):
        said = ""
        if overlap is not None:
            found = stage.assign(store, info, call.annotator, overlap, share, lease)
        else:
            if to is not None:
                held, fit = stage.give(store, info, call.annotator, annotator_name(to), filter_)
                said = f"{to} holds {held:,} of {many(fit, 'sample')}"
                said += "; the others have no free place\n" if held < fit else "\n"
            elif release is not None:
                freed = stage.release(store, info, call.annotator, release)
                said = f"{many(freed, 'place is', 'places are')} free\n"
            found = stage.team(store, info)
    reports.show(found, said + team_text(found), as_json=json)


def agree(
    context: typer.Context,
    by: Annotated[str, typer.Option(help="Figures of each label, pair of people, or person and week.")] = "",
    kind: Annotated[str | None, typer.Option(help="entity or statement; the first that is reviewed.")] = None,
    json: Json = False,
) -> None:
    """Show how far people agree who review the same samples, next to the machine and the reviewers.

    Only what two people decided without seeing the other's work counts: no imported, adjudicated or undone
    work. Below ten samples there are counts and no figures.
    """
    from workbench.reports.agree import agree_text
    from workbench.stages.agree import agree as stage

    call: Call = context.obj
    if kind is not None and kind not in KINDS:
        raise UsageError(f"no kind {kind!r}; there is: {', '.join(KINDS)}")
    with counted(call, "Counting") as (store, info, progress):
        report = stage(store, info, by, kind, progress)
    reports.show(reports.document(report), agree_text(report), as_json=json)


@person_app.command("add")
def person_add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The name on their reviews, as --as gives it.")],
    role: Annotated[str, typer.Option(help="owner, or annotator: reviews, and no more.")],
    adjudicator: Annotated[
        bool, typer.Option("--adjudicator", help="An annotator who may settle what others differ in.")
    ] = False,
    json: Json = False,
) -> None:
    """Add a person or change their role. Begin with yourself, as an owner."""
    from workbench.stages import people as stage

    call: Call = context.obj
    person = stage.Person(annotator_name(name), role, adjudicator, disabled=False)
    with open_for(call.db, create=False) as store:
        found = stage.add_person(store, call.annotator, person)
    reports.show(found, people_text(found), as_json=json)


@person_app.command("list")
def person_list(context: typer.Context, json: Json = False) -> None:
    """Show who works here."""
    from workbench.stages import people as stage

    call: Call = context.obj
    with open_for(call.db, create=False) as store:
        found = stage.people(store)
    reports.show(found, people_text(found), as_json=json)


@person_app.command("disable")
def person_disable(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Who is to do nothing here any more.")],
    json: Json = False,
) -> None:
    """Let a person do nothing any more. Their reviews stay; what they hold is free."""
    from workbench.stages import people as stage

    call: Call = context.obj
    with open_for(call.db, create=False) as store:
        found = stage.disable(store, call.annotator, name)
    reports.show(found, people_text(found), as_json=json)
