"""The commands `assign`, `person` and `agree`: who reviews what, may do what, and agrees with whom."""

from typing import Annotated

import typer
from typer import Argument, Option

from workbench import reports
from workbench.cli.console import Context, Json, annotator_name, counted, dataset_of, open_for
from workbench.errors import UsageError
from workbench.model import Kind
from workbench.reports.team import agree_text, people_text, team_text, training_text
from workbench.text.figures import many
from workbench.text.safe import clean

person_app = typer.Typer(help="Name the people who work here, and what they may do.")


def assign(
    context: Context,
    filter_: Annotated[str, Argument(metavar="FILTER")] = "",
    overlap: int | None = None,
    share: Annotated[float | None, Option(min=0, max=1)] = None,
    lease: Annotated[int | None, Option(min=1, max=100_000)] = None,
    to: Annotated[str | None, Option(metavar="NAME")] = None,
    release: Annotated[str | None, Option(metavar="NAME")] = None,
    training: Annotated[bool | None, Option("--training/--no-training")] = None,
    mark: Annotated[float | None, Option("--pass", min=0, max=1)] = None,
    json: Json = False,
) -> None:
    """Say how many people review each sample; without options show how far they are.

    The queue then holds one sample for you at a time, so that no two people do the same work by accident.
    What you do not decide within the lease, others may take. Samples to be reviewed without suggestions and
    those of the holdout get as many people as the share.
    """
    from workbench.stages import team as stage, training as trained

    call = context.obj
    if sum(value is not None for value in (overlap, to, release, training)) > 1:
        raise UsageError("--overlap, --to, --release and --training exclude each other")
    if mark is not None and not training:
        raise UsageError("--pass goes with --training")
    if overlap is None and (share is not None or lease is not None):
        raise UsageError("--share and --lease go with --overlap: give how many people review a sample")
    if bool(filter_) != (to is not None) and not training:
        raise UsageError("--to NAME and FILTER go together: workbench assign --to bo is:flagged")
    with dataset_of(call) as (store, info):
        outcome = ""
        if overlap is not None:
            stage.assign(store, info, call.annotator, overlap, share, lease)
        elif to is not None:
            held, fit = stage.give(store, info, call.annotator, annotator_name(to, "--to"), filter_)
            outcome = f"{to} holds {held:,} of {many(fit, 'sample')}"
            outcome += "; the others have no free place\n" if held < fit else "\n"
        elif release is not None:
            freed = stage.release(store, info, call.annotator, release)
            outcome = f"{release} " + (f"gave back {many(freed, 'place')}\n" if freed else "holds nothing\n")
        elif training:
            mark = 0.8 if mark is None else mark
            outcome = training_text(trained.begin(store, info, call.annotator, filter_, mark))
        elif training is False:
            trained.end(store, info, call.annotator)
            outcome = "nobody is trained any more\n"
        if info.training is not None and not outcome:
            outcome = training_text(trained.progress(store, info, call.annotator))
    with dataset_of(call) as (store, info):  # its settings may be others now
        report = stage.team(store, info, call.annotator)
    reports.show(report, outcome + team_text(report), as_json=json)


def agree(context: Context, by: str = "", kind: Kind | None = None, json: Json = False) -> None:
    """Show how far reviewers of the same samples agree, next to how far the machine agrees with them.

    Only what two people decided without seeing the other's work counts: no imported, adjudicated or undone
    work. Below ten samples there are counts and no figures.
    """
    from workbench.stages.agree import agree as stage

    with counted(context.obj, "Counting") as (store, info, progress):
        report = stage(store, info, context.obj.annotator, by, kind, progress=progress)
    reports.show(reports.document(report), agree_text(report), as_json=json)


@person_app.command("add")
def person_add(
    context: Context,
    name: str,
    role: str | None = None,
    adjudicator: Annotated[bool, Option("--adjudicator")] = False,
    new_token: Annotated[bool, Option("--new-token")] = False,
    json: Json = False,
) -> None:
    """Add a person or change their role. Begin with yourself, as an owner.

    A new person, and one who was disabled, gets a token to log in to `workbench serve` with. It is shown
    once, on standard error.
    """
    from workbench.stages import people as stage

    call = context.obj
    name = annotator_name(name, "NAME")
    with open_for(call) as store:
        own = stage.find(stage.people(store), name)
        if own and role is None:
            role, adjudicator = own.role, adjudicator or own.adjudicator
        person = stage.Person(name, role or "annotator", adjudicator, disabled=False)
        stage.add_person(store, call.annotator, person)
        token = stage.new_token(store, call.annotator, name) if new_token or not own or own.disabled else ""
        people = stage.people(store)
    if own and own.disabled:
        typer.echo(f"{clean(name)} is enabled again", err=True)
    if token:
        typer.echo(f"The token of {clean(name)} for workbench serve, shown once: {token}", err=True)
    note = f"{clean(name)} was here already\n" if person == own else ""
    alike = [one.name for one in people if one.name != name and one.name.lower() == name.lower()]
    if alike and not own:
        note = f"{clean(name)} is another person than {clean(alike[0])}: capitals count in names\n"
    reports.show(people, note + people_text(people), as_json=json)


@person_app.command("list")
def person_list(context: Context, json: Json = False) -> None:
    """Show who works here: owners and adjudicators see all, others themselves."""
    from workbench.stages import people as stage

    with open_for(context.obj) as store:
        people = stage.colleagues(store, context.obj.annotator)
    reports.show(people, people_text(people), as_json=json)


@person_app.command("pass")
def person_pass(context: Context, name: str, json: Json = False) -> None:
    """Let a person pass the training of the dataset, whatever they decided there."""
    from workbench.stages.training import let_pass

    with dataset_of(context.obj) as (store, info):
        training = let_pass(store, info, context.obj.annotator, annotator_name(name, "NAME"))
    reports.show(training, training_text(training), as_json=json)


@person_app.command("disable")
def person_disable(context: Context, name: str, json: Json = False) -> None:
    """Shut a person out. Their reviews stay; the samples that they hold are free."""
    from workbench.stages import people as stage

    with open_for(context.obj) as store:
        people, freed = stage.disable(store, context.obj.annotator, name)
    gone = (
        f"{clean(name)} may do nothing any more: {many(freed, 'place is', 'places are')} free, reviews stay\n"
    )
    reports.show(people, gone + people_text(people), as_json=json)
