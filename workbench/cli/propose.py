"""The command `propose`: options, the look before spending, one stage, one report."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from workbench import reports
from workbench.cli.console import Call, Context, Json, counted, dataset_of, given, on_terminal, tell
from workbench.errors import UsageError
from workbench.reports import claude as texts
from workbench.reports.texts import instead_text, propose_text, stay_text

if TYPE_CHECKING:
    from workbench.proposing.claude.run import RunProgress
    from workbench.stages.claude import ModelPlan

SERVICE = "Models of a service: claude, openai"
_option = partial(Option, rich_help_panel=SERVICE)


def propose(
    context: Context,
    proposer: str | None = None,
    run: str | None = None,
    model: Annotated[str | None, _option()] = None,
    base_url: Annotated[str | None, _option()] = None,
    effort: Annotated[str | None, _option()] = None,
    max_tokens: Annotated[int, _option(min=256)] = 16_000,
    prompt: Annotated[Path | None, _option()] = None,
    prices: Annotated[Path | None, _option()] = None,
    dry_run: Annotated[bool, _option("--dry-run")] = False,
    yes: Annotated[bool, _option("--yes", "-y")] = False,
    external: Annotated[str | None, _option()] = None,
    max_cost: Annotated[float | None, _option(min=0)] = None,
    batch: Annotated[bool, _option("--batch")] = False,
    examples: Annotated[int, _option(min=0)] = 0,
    retry_failed: Annotated[bool, _option("--retry-failed")] = False,
    json: Json = False,
) -> None:
    """Suggest units for every sample that has none in this run, and use them.

    Without --proposer the rules suggest, and suggestions that are in use stay in use.
    """
    call = context.obj
    if run is not None and proposer not in (None, "recorded"):
        raise UsageError(f"--run names a run that is there; --proposer {proposer} proposes: say one of them")
    if proposer not in ("claude", "openai"):
        if names := given(context, SERVICE):  # a --dry-run of the rules would be none
            raise UsageError(f"{names}: only with --proposer claude or openai")
        _without_service(call, proposer, run, json=json)
        return
    from workbench.stages import claude as stage

    if proposer == "openai" and model is None:
        raise UsageError("--proposer openai needs --model: name one that the service has")
    effort = effort or ("low" if proposer == "claude" else "none")
    options = stage.ModelOptions(
        proposer=proposer,
        base_url=base_url or "",
        model=model or stage.ModelOptions().model,
        effort=None if effort == "none" else effort,
        max_tokens=max_tokens,
        prompt=prompt,
        prices=prices,
        examples=examples,
        batch=batch,
        retry=retry_failed,
    )
    with dataset_of(call) as (store, info):
        if external is not None:
            info = stage.keep_external(store, info, external, call.annotator)
        limit = stage.MAX_COST if max_cost is None else Decimal(f"{max_cost:.9g}")
        plan = stage.plan_run(store, info, options)
        if dry_run:
            reports.show(plan, texts.plan_text(plan, limit), as_json=json)
            return
        stage.check_allowed(plan)
        if plan.samples:
            if plan.cost is None and max_cost is not None:
                raise UsageError(
                    f"--max-cost cannot be kept: no price is known for {plan.model}; "
                    "give one with --prices FILE"
                )
            stage.check_key(options.proposer, options.base_url)
            if not yes:
                _agree(plan, limit)
        limits = stage.Limits(max_cost=limit)
        try:
            with _progress_line() as on_progress:
                report = stage.propose_by_model(
                    store, info, options,
                    annotator=call.annotator, limits=limits, on_progress=on_progress,
                )  # fmt: skip
        except stage.DroppedError as error:
            tell(f"workbench: {error}")
            raise typer.Exit(3) from None
        if report.stopped == "asked to stop":  # another Ctrl-C stops nothing any more
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        now = stage.dataset_info(store, info.id).run
        text = texts.report_text(report)
        if info.run and now != info.run:
            text += f"\nthe suggestions in use are those of {now}, {instead_text(info.run)}"
        elif now != report.run and report.already + report.proposed:
            text += f"\n{stay_text(now, report.run)}"
        reports.show(report, text, as_json=json)
        if report.failed or report.left:
            raise typer.Exit(3)


def _without_service(call: Call, proposer: str | None, run: str | None, *, json: bool) -> None:
    from workbench.stages.propose import propose as stage

    with counted(call, "Proposing") as (store, info, progress):
        done = stage(
            store, info, proposer or ("recorded" if run else "rules"),
            annotator=call.annotator, run=run, keep=proposer is None, progress=progress,
        )  # fmt: skip
    reports.show(done, propose_text(done), as_json=json)


def _agree(plan: "ModelPlan", max_cost: Decimal) -> None:
    """Ask before text leaves or much is spent; without a terminal say what to give."""
    dear = plan.cost is None or plan.cost > max_cost
    if plan.external == "allow" and not dear:
        return
    if not on_terminal():
        if plan.external == "ask":
            raise UsageError(
                f"would send {plan.volume}: say --yes for this time, or --external allow to let this "
                "dataset go from now on"
            )
        if plan.cost is None:
            raise UsageError(
                f"no price is known for {plan.model}: give one with --prices FILE, or say --yes to go "
                "without a limit"
            )
        raise UsageError(
            f"this would cost {texts.money(plan.cost)}: raise --max-cost, or say --yes and it stops before "
            f"{texts.money(max_cost)}"
        )
    tell(texts.plan_text(plan, max_cost))
    if not typer.confirm("Send it?", err=True):
        raise UsageError("nothing was sent")


@contextmanager
def _progress_line() -> "Iterator[Callable[[RunProgress], None]]":
    """One line on stderr that is written over, when that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich import console, live, text

    with live.Live(console=console.Console(stderr=True), transient=True, refresh_per_second=8) as line:
        yield lambda progress: line.update(text.Text(texts.progress_line(progress)))
