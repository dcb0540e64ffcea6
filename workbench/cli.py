"""The command line: parse, call one stage, print, exit code.

Exit codes: 0 done, 1 the gate failed, 2 bad usage or input, 3 partly done (some rows refused, each
named), 70 a crash. Everything heavy is imported inside the command that needs it, so that `--help`
answers at once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from workbench import __version__
from workbench.cli_propose import propose
from workbench.console import (
    DEFAULT_DB,
    Call,
    call_of,
    dataset_of,
    edited,
    exit_code,
    hoisted,
    on_terminal,
    open_app,
    open_for,
    say_whatever_comes,
)
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.store.engine import Store

DEMO_DB = "workbench-demo.db"

app = typer.Typer(
    name="workbench",
    help="Find out whether your recall scores are true: propose, review, recount, compare, export.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
policy_app = typer.Typer(help="Show or change what annotators agree on.", no_args_is_help=True)
app.add_typer(policy_app, name="policy")

Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Run = Annotated[str | None, typer.Option("--run", help="A run by name; the current one by default.")]


def _version(value: bool) -> None:
    if value:
        typer.echo(f"workbench {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    db: Annotated[
        str | None,
        typer.Option(envvar="WORKBENCH_DB", help=f"A file or database URL; {DEFAULT_DB} by default."),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="A dataset; not needed when it is the only one.")
    ] = None,
    annotator: Annotated[
        str | None,
        typer.Option(
            "--as", envvar="WORKBENCH_AS", help="Your name on every decision; your user name by default."
        ),
    ] = None,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Without a command: open the queue, as `workbench review` does."""
    context.obj = call_of(db, dataset, annotator)
    if context.invoked_subcommand is None:
        review(context)


@app.command()
def demo(
    context: typer.Context,
    report: Annotated[bool, typer.Option("--report", help="Print the comparison, open no screen.")] = False,
    json: Json = False,
) -> None:
    """Try it: 50 samples in seven languages with recorded proposals and some gold. No key, no network."""
    call: Call = context.obj
    from workbench.stages import demo as stage

    url = call.db if call.db_given else DEMO_DB
    with open_for(url) as store:
        stage.load_demo(store, call.annotator)
        if report or json or not on_terminal():
            _compare(store, Call(url, True, stage.DATASET, call.annotator), json=json)
            if not json:
                typer.echo(f"\nOpen it in a terminal with: workbench --db {url} review", err=True)
            return
    open_app(url, stage.DATASET, call.annotator)


@app.command("import")
def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON Lines or CSV.")],
    gold: Annotated[
        bool, typer.Option("--gold", help="Store the gold of every row as verified; a row without is bad.")
    ] = False,
    gold_if_given: Annotated[
        bool, typer.Option("--gold-if-given", help="Store gold where a row has it.")
    ] = False,
    update: Annotated[
        bool, typer.Option("--update", help="Replace text, scores and gold that differ from what is stored.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="One bad row keeps everything out.")] = False,
    format: Annotated[  # noqa: A002
        str | None, typer.Option(help="native or ragas; found out by default.")
    ] = None,
    blind: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Share of samples reviewed blind; 0.1 by default from 100 samples on."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the queue order of a new dataset.")] = None,
    json: Json = False,
) -> None:
    """Bring a file of samples in. Importing it twice adds nothing; bad rows are put aside by name."""
    import gc

    from workbench import reports, texts
    from workbench.stages.import_ import ImportOptions, check_file, import_file

    gc.freeze()  # what is imported by now stays; collecting it again and again costs 8 µs a row
    call: Call = context.obj
    if gold and gold_if_given:
        raise UsageError("--gold and --gold-if-given exclude each other")
    options = ImportOptions(
        dataset=call.dataset,
        gold="require" if gold else "given" if gold_if_given else "ignore",
        update=update,
        strict=strict,
        format=format,
        blind=blind,
        seed=seed,
    )
    check_file(file, format)  # a typing error must not leave an empty database behind
    size = file.stat().st_size if file.is_file() else None
    with open_for(call.db) as store, reports.progress("Importing", size, unit="bytes") as progress:
        report = import_file(store, file, options, annotator=call.annotator, progress=progress)
    reports.show(report, texts.import_text(report), as_json=json)
    if report.rejected:
        raise typer.Exit(3)


app.command()(propose)


@app.command()
def review(context: typer.Context) -> None:
    """Open the queue: accept or correct units and matches, sample by sample."""
    call: Call = context.obj
    if not on_terminal():
        raise UsageError("review opens screens and needs a terminal; for scripts: score, compare, export")
    open_app(call.db, call.dataset, call.annotator)


@app.command()
def score(
    context: typer.Context,
    run: Run = None,
    match_threshold: Annotated[
        int | None, typer.Option(min=0, max=100, help="Similarity from which two names match.")
    ] = None,
    save: Annotated[bool, typer.Option("--save", help="Keep --match-threshold for this dataset.")] = False,
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="Pass mark: exit 1 when the mean recall is below it.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Pass only when every sample is perfect.")] = False,
    metric: Annotated[str | None, typer.Option(help="The scorer that the pass mark is for.")] = None,
    source: Annotated[
        str, typer.Option(help="What the pass mark is for: automatic or verified values.")
    ] = "automatic",
    json: Json = False,
) -> None:
    """Score every sample by every scorer, verified and external values beside; with a pass mark, a gate."""
    from workbench import reports, texts
    from workbench.stages import recompute
    from workbench.store.datasets import count_samples

    call: Call = context.obj
    if save and match_threshold is None:
        raise UsageError("--save keeps a match threshold: give --match-threshold too")
    with dataset_of(call) as (store, info):
        if save and match_threshold is not None:
            info = recompute.keep_threshold(store, info, match_threshold)
        with reports.progress("Scoring", count_samples(store, info.id)) as progress:
            report = recompute.score_dataset(
                store, info, run=run, threshold=match_threshold, progress=progress
            )
        if threshold is None and not strict:
            if metric is not None:
                raise UsageError("--metric names what a pass mark is for: give --threshold or --strict too")
            reports.show(reports.score_document(report), texts.score_text(report), as_json=json)
            return
        mark = 1.0 if threshold is None else threshold
        gate = recompute.gate_of(report, info, metric=metric, source=source, threshold=mark, strict=strict)
    document = {**reports.score_document(report), "gate": gate}
    notes = texts.seen_lines(report) if source == "automatic" else []
    reports.show(document, "\n".join([texts.gate_text(gate), *notes]), as_json=json)
    if not gate.passed:
        raise typer.Exit(1)


@app.command()
def compare(
    context: typer.Context,
    run: Run = None,
    by: Annotated[
        str | None,
        typer.Option(help="Compare retrievers over the same references: a key, as meta.retriever."),
    ] = None,
    json: Json = False,
) -> None:
    """Set automatic values against verified ones, or two retrievers against each other."""
    call: Call = context.obj
    with dataset_of(call) as (store, _info):
        _compare(store, call, run=run, by=by, json=json)


@app.command()
def export(
    context: typer.Context,
    directory: Annotated[Path, typer.Argument(help="A new folder.")],
    run: Run = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier export there.")] = False,
    json: Json = False,
) -> None:
    """Write samples, proposals, gold and external scores as native rows that import back."""
    from workbench import reports, texts
    from workbench.stages.export import export as stage
    from workbench.store.datasets import count_samples

    call: Call = context.obj
    with (
        dataset_of(call) as (store, info),
        reports.progress("Exporting", count_samples(store, info.id)) as progress,
    ):
        report = stage(
            store, info, directory, annotator=call.annotator, run=run, force=force, progress=progress
        )
    reports.show(report, texts.export_text(report), as_json=json)


@app.command()
def status(context: typer.Context, json: Json = False) -> None:
    """What the database holds and how far the reviews are."""
    from workbench import reports, texts
    from workbench.stages.status import status as stage

    call: Call = context.obj
    with open_for(call.db, create=False) as store:
        report = stage(store, call.reader, call.dataset)
    reports.show(report, texts.status_text(report), as_json=json)


@app.command()
def backup(
    context: typer.Context,
    target: Annotated[Path | None, typer.Argument(help="A new file; by default beside the database.")] = None,
) -> None:
    """Copy the database while it is in use."""
    from datetime import datetime

    from workbench.stages.status import backup as stage

    call: Call = context.obj
    with open_for(call.db, create=False) as store:
        typer.echo(stage(store, target, datetime.now().astimezone()))


@policy_app.command("show")
def policy_show(context: typer.Context, json: Json = False) -> None:
    """Print the current policy as TOML: kinds, labels with keys, unit rules, guidelines."""
    from workbench import reports
    from workbench.stages.policy import policy_text

    with dataset_of(context.obj) as (_, info):
        reports.show(info.policy, policy_text(info), as_json=json)


@policy_app.command("edit")
def policy_edit(
    context: typer.Context,
    file: Annotated[
        str | None, typer.Option("--file", help="Read the policy from a file, - for standard input.")
    ] = None,
    json: Json = False,
) -> None:
    """Change the policy in your editor ($EDITOR) or from a file; every change is a new version."""
    from workbench import reports, texts
    from workbench.stages.policy import change_policy, policy_text

    call: Call = context.obj
    with dataset_of(call) as (store, info):
        report = change_policy(store, info, edited(policy_text(info), file), call.annotator)
    reports.show(report, texts.policy_text(report), as_json=json)


def main() -> NoReturn:
    """Run the command of this process."""
    say_whatever_comes()
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: list[str]) -> int:
    # ends by SystemExit; usage errors are printed there, with exit code 2
    return exit_code(lambda: app(hoisted(arguments)))


def _compare(
    store: Store, call: Call, *, run: str | None = None, by: str | None = None, json: bool = False
) -> None:
    from workbench import reports, texts
    from workbench.stages.compare import compare as stage
    from workbench.stages.compare import compare_by
    from workbench.stages.recompute import score_dataset
    from workbench.store.datasets import count_samples, find_dataset

    info = find_dataset(store, call.dataset)
    if by is not None:
        pairs = compare_by(store, info, by)
        reports.show(reports.retrievers_document(by, pairs), texts.retrievers_text(by, pairs), as_json=json)
        return
    with reports.progress("Scoring", count_samples(store, info.id)) as progress:
        report = stage(score_dataset(store, info, run=run, progress=progress))
    reports.show(reports.compare_document(report), texts.compare_text(report), as_json=json)


if __name__ == "__main__":
    main()
