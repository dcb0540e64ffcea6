"""`compare`: automatic against verified values, or two scorers. `diff`: two versions of the gold.

`disputes`: everything that disagrees. `calibrate`: a threshold from verified samples.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from workbench import reports
from workbench.cli.console import Context, Json, check_format, counted, given, open_for, open_if_there
from workbench.comparing.disputes import STATES
from workbench.errors import UsageError
from workbench.reports.answer import WIDTH, answer_markdown, printed
from workbench.reports.calibrate import report_document, report_text, used_text
from workbench.reports.compare import against_text, diff_text, disputes_document, disputes_text, figures_text
from workbench.reports.texts import retrievers_text, samples_text
from workbench.text.cells import wrapped


def compare(
    context: Context,
    run: str | None = None,
    scorer: str | None = None,
    against: str | None = None,
    since: Annotated[str | None, Option(metavar="WHEN")] = None,
    by: str | None = None,
    full: Annotated[bool, Option("--full")] = False,
    samples: Annotated[bool, Option("--samples")] = False,
    html: Path | None = None,
    no_text: Annotated[bool, Option("--no-text")] = False,
    force: Annotated[bool, Option("--force")] = False,
    format: str = "text",  # noqa: A002
    json: Json = False,
) -> None:
    """Compare your scores with the verified values: the likely truth for all samples, and why they differ."""
    call = context.obj
    if by is not None and (others := given(context, besides=("by", "scorer", "run", "json"))):
        raise UsageError(f"{others}: --by goes with --scorer, --run and --json only; > FILE keeps the report")
    if against is not None and since is not None:
        raise UsageError("--against names the other scorer, --since finds it by its time: say one of them")
    two = against is not None or since is not None
    if two and (others := given(context, besides=("against", "since", "scorer", "run", "json"))):
        raise UsageError(f"{others}: --against and --since go with --scorer, --run and --json only")
    if no_text and html is None:
        raise UsageError("--no-text goes with --html FILE")
    check_format(format, json=json)
    if format != "text" and (full or samples):
        raise UsageError("--format markdown writes the answer alone: it goes with --scorer, --run and --html")
    from workbench.stages import answer, compare as stage

    if by is not None:
        with counted(call, "Comparing", run) as (store, info, progress):
            pairs = stage.compare_by(store, info, call.annotator, by, scorer=scorer, progress=progress)
        reports.show({"by": by, **reports.document(pairs)}, retrievers_text(by, pairs), as_json=json)
        return
    if two:
        with counted(call, "Comparing", run) as (store, info, progress):
            twice = stage.compare_against(
                store, info, call.annotator, scorer=scorer, against=against, since=since,
                progress=progress,
            )  # fmt: skip
        reports.show(reports.document(twice), against_text(twice), as_json=json)
        return
    with counted(call, "Comparing", run) as (store, info, progress):
        summary, figures = answer.answer(store, info, call.annotator, scorer=scorer, progress=progress)
        if html is not None:
            stage.write_html(store, info, html, summary, figures, text=not no_text, force=force)
    shown = summary
    if html is not None:
        typer.echo(f"wrote {html}", err=True)
        shown = replace(summary, steps=tuple(step for step in summary.steps if step.what != "send"))
    parts = [printed(shown, more=full or samples)]
    parts += ["", samples_text(figures)] if samples else []
    more = "More: --full (every figure), --html FILE (a report), workbench review (key C)"
    more = "\n".join(wrapped(reports.suggested(more), WIDTH))
    parts.append(f"\n{figures_text(figures, reports.columns_of(sys.stdout)) if full else more}")
    markdown = format == "markdown"
    text = reports.suggested(answer_markdown(shown)) if markdown else "\n".join(parts)
    reports.show(
        lambda: {"answer": summary, "figures": reports.figures_document(figures)},
        text, as_json=json, whole=markdown,
    )  # fmt: skip


def diff(
    context: Context, first: str, second: str, limit: Annotated[int, Option(min=0)] = 20, json: Json = False
) -> None:
    """Show what changed between two exports, or between two days: by whom, and how the means moved."""
    from workbench.stages import compare as stage

    call = context.obj
    needed = not (stage.is_folder(first) and stage.is_folder(second))
    with open_for(call) if needed else open_if_there(call, migrate=True) as store:
        changes = stage.diff(store, call.dataset, first, second, call.annotator)
    reports.show(reports.document(changes), diff_text(changes, limit), as_json=json)


def disputes(
    context: Context,
    run: str | None = None,
    state: str = "open",
    between: str = "",
    limit: Annotated[int, Option(min=0)] = 50,
    json: Json = False,
) -> None:
    """List the samples with values that disagree, largest effect on the mean first."""
    from workbench.stages import disputes as stage

    if state not in (*STATES, "all"):
        raise UsageError(f"no state {state!r}; there is: {', '.join((*STATES, 'all'))}")
    with counted(context.obj, "Counting", run) as (store, info, progress):
        report = stage.disputes(store, info, context.obj.annotator, between=between, progress=progress)
    chosen = report.chosen(state, between)
    listed = disputes_document(report, chosen, limit)
    reports.show(listed, disputes_text(report, chosen, limit, between), as_json=json)


def calibrate(
    context: Context,
    run: str | None = None,
    scorer: str | None = None,
    objective: str = "bias",
    save: Annotated[str | None, Option(metavar="NAME")] = None,
    use: Annotated[str | None, Option(metavar="NAME")] = None,
    holdout: Annotated[bool, Option("--holdout")] = False,
    out: Annotated[Path | None, Option("--out", "-o", metavar="FILE")] = None,
    force: Annotated[bool, Option("--force")] = False,
    json: Json = False,
) -> None:
    """Choose the match threshold from verified samples, and test it against the one in use."""
    call = context.obj
    others = "" if use is None or save else given(context, besides=("use", "out", "force", "json"))
    if others:
        raise UsageError(f"{others}: --use without --save fits nothing, so this would do nothing")
    if out is not None and out.exists() and not force:
        raise UsageError(f"{out}: is there already; --force replaces it")
    if save is not None and use not in (None, save):
        raise UsageError(f"--use {use}: together with --save it names the same one")
    from workbench.stages import calibrate as stage

    document: dict[str, Any]
    with counted(call, "Calibrating", run) as (store, info, progress):
        if use is not None and save is None:
            info = stage.use(store, info, use, call.annotator, progress, out=out, force=force)
            document = {"in_use": info.calibration, "threshold": info.threshold}
            text = used_text(info, stage.list_calibrations(store, info.id))
        else:
            report = stage.calibrate(
                store, info, scorer=scorer, objective=objective, save=save, holdout=holdout,
                annotator=call.annotator, out=out, force=force, progress=progress,
            )  # fmt: skip
            text, document = report_text(report, used=use is not None), report_document(report)
            if use is not None:
                info = stage.use(store, info, use, call.annotator)
                text += f"\n{used_text(info, stage.list_calibrations(store, info.id))}"
                document["in_use"] = info.calibration
    if out is not None:
        text += (
            f"\nwrote {out}: it corrects scores of the scorer that it names, never those of ragas or deepeval"
        )
    reports.show(document, text, as_json=json)
