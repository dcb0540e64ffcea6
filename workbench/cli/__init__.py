"""The command line: parse, call one stage, print, exit code.

Exit codes: 0 done, 1 the gate failed, 2 bad usage or input, 3 partly done (some rows refused, each
named), 70 a crash. Everything heavy is imported inside the command that needs it, so that `--help`
answers at once. For the same reason no module here has `from __future__ import annotations`: Typer would
evaluate the text of every annotation four times, 50 ms at each start.
"""

import copy as copying
import gc
import shlex
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer import Argument, Option
from typer.core import TyperGroup, TyperOption

from workbench import __version__, reports
from workbench.cli import console
from workbench.cli.compare import calibrate, compare, diff, disputes
from workbench.cli.export import copy, doctor, export, purge, verify
from workbench.cli.import_ import audit, import_
from workbench.cli.plan import MATCH_THRESHOLD, draw, plan, score_files
from workbench.cli.propose import propose
from workbench.cli.serve import serve
from workbench.cli.team import agree, assign, person_app
from workbench.errors import UsageError
from workbench.reports.texts import (
    aliases_text,
    gate_markdown,
    gate_text,
    policy_changes_text,
    score_text,
    seen_lines,
    status_text,
    write_junit,
)
from workbench.scoring.names import SCORERS
from workbench.text.cells import in_table

DEMO_DB = "workbench-demo.db"
EVERYWHERE = ("db", "dataset", "annotator")


class Root(TyperGroup):
    """Its --db, --dataset and --as may stand after the command too."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        options = [
            parameter
            for parameter in self.params
            if isinstance(parameter, TyperOption) and parameter.name in EVERYWHERE
        ]
        console.explain(self, "workbench")
        _hand_down(self, [_late(option) for option in options])

    def main(self, *given: Any, **more: Any) -> Any:
        """Run a command; what is wrong with its options is raised, for `exit_code` to say."""
        sys.exit(super().main(*given, **more | {"prog_name": "workbench", "standalone_mode": False}))


def _hand_down(group: TyperGroup, options: list[TyperOption], outer: str = "") -> None:
    for name, command in group.commands.items():
        console.explain(command, outer + name)
        command.params += options
        if command.help:  # each paragraph in one line, which the window breaks
            command.help = "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n"))
        if isinstance(command, TyperGroup):
            _hand_down(command, options, f"{name} ")


def _late(option: TyperOption) -> TyperOption:
    late = copying.copy(option)
    late.hidden, late.expose_value, late.envvar, late.callback = True, False, None, _take_late
    return late


def _take_late(context: Any, option: Any, value: str | None) -> None:
    call: console.Call = context.obj
    if value is None:
        return
    if option.name == "db":
        call.db, call.db_given = value or console.DEFAULT_DB, True
    elif option.name == "dataset":
        call.dataset = value
    else:
        call.named = console.annotator_name(value)


app = typer.Typer(
    name="workbench",
    cls=Root,
    help="Find out whether your recall scores are true: propose, review, count again, compare, export.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
policy_app = typer.Typer(no_args_is_help=False)
app.add_typer(policy_app, name="policy")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"workbench {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: console.Context,
    db: Annotated[str | None, Option(envvar="WORKBENCH_DB")] = None,
    dataset: str | None = None,
    annotator: Annotated[str | None, Option("--as", envvar="WORKBENCH_AS")] = None,
    _: Annotated[bool, Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    """Without a command: open the queue, as `workbench review` does."""
    named = None if annotator is None else console.annotator_name(annotator)
    context.obj = console.Call(db or console.DEFAULT_DB, console.by_option(context, "db"), dataset, named)
    reports.given = context.obj.given
    if context.invoked_subcommand is None:
        review(context)


@app.command()
def demo(
    context: console.Context, report: Annotated[bool, Option("--report")] = False, json: console.Json = False
) -> None:
    """Try it: 50 samples in seven languages with recorded proposals and some gold. No key, no network.

    It keeps its own database, workbench-demo.db, whatever WORKBENCH_DB says; --db names another.
    """
    call = context.obj
    from workbench.stages import import_ as stage

    if not call.db_given:
        call.db, call.db_given = DEMO_DB, True  # WORKBENCH_DB is the person's own: the demo stays out of it
    with console.open_for(call, create=True) as store:
        stage.load_demo(store, call.annotator)
    call.dataset = stage.DATASET
    if report or json or not console.on_terminal():
        compare(context, samples=True, json=json)
    else:
        console.open_app(call.db, stage.DATASET, call.annotator)
    if not json:
        typer.echo(f"\nOpen its screens with: workbench --db {call.db} review", err=True)


app.command()(audit)
app.command("import")(import_)


command: Callable[..., None]
for command in (propose, plan, score_files, draw, assign):
    app.command()(command)
app.add_typer(person_app, name="person")
app.command()(serve)


@app.command()
def review(context: console.Context) -> None:
    """Open the queue: accept or correct units and matches, sample by sample."""
    call = context.obj
    if not console.on_terminal():
        raise UsageError("the screens need a terminal; for scripts: audit FILE, score, compare, export")
    console.open_app(call.db, call.dataset, call.annotator)
    own = f" --as {shlex.quote(call.named)}" if call.named else ""
    console.tell(f"What you decided is saved. To go on:\n  workbench review{own}")


@app.command()
def score(
    context: console.Context,
    run: str | None = None,
    match_threshold: Annotated[int | None, MATCH_THRESHOLD] = None,
    save: Annotated[bool, Option("--save")] = False,
    threshold: Annotated[float | None, Option(min=0, max=1)] = None,
    strict: Annotated[bool, Option("--strict")] = False,
    metric: str | None = None,
    source: str = "automatic",
    junit: Path | None = None,
    format: str = "text",  # noqa: A002
    json: console.Json = False,
) -> None:
    """Score every sample by every scorer, next to the verified values; a pass mark makes it a gate for CI."""
    from workbench.stages import recompute

    call = context.obj
    if save and match_threshold is None:
        raise UsageError("--save keeps a match threshold: give --match-threshold too")
    console.check_format(format, json=json)
    of_mark = {
        "--metric": metric,
        "--junit": junit,
        "--format": format != "text",
        "--source": source != "automatic",
    }
    for name, given in of_mark.items():
        if given and threshold is None and not strict:
            raise UsageError(f"{name} is for a pass mark: give --threshold or --strict too")
    recompute.check_outside(junit)
    with console.counted(call, "Scoring", run) as (store, info, progress):
        if save and match_threshold is not None:
            info = recompute.keep_threshold(store, info, match_threshold, call.annotator)
        report = recompute.score_dataset(
            store, info, threshold=match_threshold, viewer=call.annotator, progress=progress
        )
        if threshold is None and not strict:
            reports.show(lambda: reports.score_document(report), score_text(report), as_json=json)
            return
        mark = 1.0 if threshold is None else threshold
        gate = recompute.gate_of(
            store, info, report, metric=metric, source=source, threshold=mark, strict=strict
        )  # fmt: skip
    names = {row.id: in_table(row.id, row.question) for row in report.nameable(gate.metric)}
    notes = seen_lines(report) if gate.metric in SCORERS else []
    text = (gate_markdown if format == "markdown" else gate_text)(gate, names)
    if junit is not None:
        write_junit(junit, gate, names)
    text = reports.suggested("\n".join([text, *notes]))
    reports.show(
        lambda: reports.score_document(report, gate, names), text, as_json=json, whole=format == "markdown"
    )
    if not gate.passed:
        raise typer.Exit(1)


for command in (compare, diff, agree, disputes, calibrate, export, verify, doctor, copy, purge):
    app.command()(command)


@app.command()
def status(context: console.Context, json: console.Json = False) -> None:
    """Show what the database holds and how far the reviews are."""
    from workbench.stages.upkeep import status as stage

    call = context.obj
    with console.open_for(call) as store:
        report = stage(store, call.annotator, call.dataset)
    reports.show(report, status_text(report), as_json=json)


@app.command()
def backup(context: console.Context, target: Annotated[Path | None, Argument()] = None) -> None:
    """Copy the database while it is in use. `purge` knows the copies that are made without a name."""
    from workbench.stages.upkeep import backup as stage

    with console.open_for(context.obj) as store:
        typer.echo(stage(store, target, datetime.now().astimezone(), context.obj.annotator))


@policy_app.callback(invoke_without_command=True)
def policy(context: console.Context) -> None:
    """Show or change the policy: labels, guidelines and counting rules."""
    if context.invoked_subcommand is None:
        policy_show(context)


@policy_app.command("show")
def policy_show(
    context: console.Context,
    version: Annotated[int | None, Option(metavar="N")] = None,
    json: console.Json = False,
) -> None:
    """Print the current policy as TOML: kinds, labels with keys, unit rules, guidelines."""
    from workbench.stages import policy as stage

    with console.dataset_of(context.obj) as (store, info):
        shown = stage.version_of(store, info, version)
        reports.show(shown, stage.to_toml(shown), as_json=json, whole=True)


@policy_app.command("edit")
def policy_edit(
    context: console.Context,
    file: str | None = None,
    take: Annotated[int | None, Option(metavar="N")] = None,
    json: console.Json = False,
) -> None:
    """Change the policy: edit what `policy show` printed. Every change makes a new version."""
    from workbench.stages import policy as stage

    call = context.obj
    if take is None:
        text = console.policy_from(file)
        with console.dataset_of(call) as (store, info):
            report = stage.change_policy(store, info, text, call.annotator)
    elif file is not None:
        raise UsageError("--take, --file: one of the two says what to change")
    else:
        with console.counted(call, "Reading reviews") as (store, info, progress):
            report = stage.take_change(store, info, take, call.annotator, progress)
    reports.show(report, policy_changes_text(report), as_json=json)


@policy_app.command("aliases")
def policy_aliases(context: console.Context, json: console.Json = False) -> None:
    """List the names that reviewers said are of one thing. The matcher uses them in other samples."""
    with console.dataset_of(context.obj) as (_, info):
        reports.show(info.aliases, aliases_text(info.aliases), as_json=json)


def main() -> NoReturn:
    """Run the command of this process."""
    gc.set_threshold(300_000)  # with 700 up to a fifth of a command goes into walking what is in use
    console.say_whatever_comes()
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    # ends by SystemExit; usage errors are printed there, with exit code 2
    return console.exit_code(lambda: app(arguments))


if __name__ == "__main__":
    main()
