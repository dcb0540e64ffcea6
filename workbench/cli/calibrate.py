"""The command `calibrate`: fit, report, save, use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.console import Call, Json, Run, dataset_of, given
from workbench.errors import UsageError


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
        typer.Option(help="Keep it under a name, with whose verified units it saw.", metavar="NAME"),
    ] = None,
    use: Annotated[
        str | None,
        typer.Option(help="Make a saved one the dataset's; none: back to before.", metavar="NAME"),
    ] = None,
    holdout: Annotated[
        bool, typer.Option("--holdout", help="Try it on the samples kept back; every look is counted.")
    ] = False,
    saved: Annotated[bool, typer.Option("--list", help="List the saved ones.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write calibration.json for pipelines.", metavar="FILE")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace that file.")] = False,
    json: Json = False,
) -> None:
    """Choose the match threshold by what people verified; say whether it beats the one in use."""
    call: Call = context.obj
    if saved:
        _refuse_others(context, "--list", ("saved", "json"))
    elif use is not None and save is None:
        _refuse_others(context, "--use without --save", ("use", "out", "force", "json"))
    if out is not None and out.exists() and not force:
        raise UsageError(f"{out}: is there already; --force replaces it")
    if save is not None and use not in (None, save):
        raise UsageError(f"--use {use}: together with --save it names the same one")
    from workbench import reports
    from workbench.reports.calibrate import list_text, report_document, report_text, used_text
    from workbench.stages import calibrate as stage
    from workbench.store.datasets import count_samples

    with dataset_of(call) as (store, info):
        if saved:
            found = stage.list_calibrations(store, info.id)
            document = {"in_use": info.calibration, "calibrations": [one.document for one in found]}
            reports.show(document, list_text(found, info.calibration), as_json=json)
            return
        if use is not None and save is None:
            with reports.progress("Scoring", count_samples(store, info.id)) as progress:
                info = stage.use(store, info, use, progress, out=out, force=force)
            chosen = {"in_use": info.calibration, "threshold": info.threshold}
            reports.show(chosen, used_text(info.calibration, info.threshold), as_json=json)
            return
        with reports.progress("Calibrating", count_samples(store, info.id)) as progress:
            report = stage.calibrate(
                store, info, run=run, scorer=scorer, objective=objective, save=save,
                holdout=holdout, annotator=call.annotator, out=out, force=force, progress=progress,
            )  # fmt: skip
        text, document = report_text(report), report_document(report)
        if use is not None:
            info = stage.use(store, info, use)
            text += f"\n{used_text(info.calibration, info.threshold)}"
            document["in_use"] = info.calibration
    reports.show(document, text, as_json=json)


def _refuse_others(context: typer.Context, alone: str, taken: tuple[str, ...]) -> None:
    """Raise UsageError for options that would do nothing next to one that fits nothing."""
    others = [one.opts[0] for one in given(context) if one.name not in taken]
    if others:
        raise UsageError(f"{', '.join(others)}: {alone} fits nothing, so this would do nothing")
