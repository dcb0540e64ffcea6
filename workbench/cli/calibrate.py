"""The command `calibrate`: fit, report, save, use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from workbench import reports
from workbench.cli.console import Call, Json, Run, counted, given
from workbench.errors import UsageError
from workbench.reports.calibrate import list_text, report_document, report_text, used_text


def calibrate(
    context: typer.Context,
    run: Run = None,
    scorer: Annotated[
        str | None,
        typer.Option(help="linked (name matching; the default) or presence: those with a match threshold."),
    ] = None,
    objective: Annotated[
        str,
        typer.Option(help="bias: zero bias of recall; f1: the most right verdicts. They differ."),
    ] = "bias",
    save: Annotated[
        str | None,
        typer.Option(help="Save it under a name.", metavar="NAME"),
    ] = None,
    use: Annotated[
        str | None,
        typer.Option(help="Use a saved calibration; none stops using one.", metavar="NAME"),
    ] = None,
    holdout: Annotated[
        bool, typer.Option("--holdout", help="Test it on the samples kept back; every look is counted.")
    ] = False,
    saved: Annotated[bool, typer.Option("--list", help="List saved calibrations.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write calibration.json for pipelines.", metavar="FILE")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace that file.")] = False,
    json: Json = False,
) -> None:
    """Choose the match threshold from verified samples, and test it against the one in use."""
    call: Call = context.obj
    if saved:
        _refuse_others(context, "--list", ("saved", "json"))
    elif use is not None and save is None:
        _refuse_others(context, "--use without --save", ("use", "out", "force", "json"))
    if out is not None and out.exists() and not force:
        raise UsageError(f"{out}: is there already; --force replaces it")
    if save is not None and use not in (None, save):
        raise UsageError(f"--use {use}: together with --save it names the same one")
    from workbench.stages import calibrate as stage

    document: dict[str, Any]
    with counted(call, "Calibrating") as (store, info, progress):
        if saved:
            rows = stage.list_calibrations(store, info.id)
            document = {"in_use": info.calibration, "calibrations": [row.document for row in rows]}
            text = list_text(rows, info.calibration)
        elif use is not None and save is None:
            info = stage.use(store, info, use, call.annotator, progress, out=out, force=force)
            document = {"in_use": info.calibration, "threshold": info.threshold}
            text = used_text(info.calibration, info.threshold)
        else:
            report = stage.calibrate(
                store, info, run=run, scorer=scorer, objective=objective, save=save, holdout=holdout,
                annotator=call.annotator, out=out, force=force, progress=progress,
            )  # fmt: skip
            text, document = report_text(report), report_document(report)
            if use is not None:
                info = stage.use(store, info, use, call.annotator)
                text += f"\n{used_text(info.calibration, info.threshold)}"
                document["in_use"] = info.calibration
    reports.show(document, text, as_json=json)


def _refuse_others(context: typer.Context, alone: str, taken: tuple[str, ...]) -> None:
    """Raise UsageError for options that would do nothing next to one that fits nothing."""
    others = [option.opts[0] for option in given(context) if option.name not in taken]
    if others:
        raise UsageError(f"{', '.join(others)}: {alone} fits nothing, so this would do nothing")
