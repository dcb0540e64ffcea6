"""What `workbench audit` does, step by step. Importing this module loads the stages."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import typer

from workbench import reports
from workbench.cli.console import Call, counted, on_terminal, open_for, tell
from workbench.cli.import_ import command_of
from workbench.comparing.answer import Answer
from workbench.reports.answer import answer_markdown, one_line, printed
from workbench.reports.compare import figures_text
from workbench.reports.files import import_text
from workbench.scoring.names import column_kind, headline, metric_of, runs_of
from workbench.stages.answer import answer
from workbench.stages.import_ import ImportOptions, ImportReport, bytes_to_import, import_file, score_columns
from workbench.stages.propose import propose
from workbench.stages.queue import named
from workbench.text.figures import many

__all__ = ["ImportOptions"]


def bring_in(call: Call, file: Path, options: ImportOptions) -> ImportReport:
    """Bring the file in and propose where nothing was; what went wrong on the way goes to standard error."""
    with (
        open_for(call, create=True) as store,
        reports.progress("Importing", bytes_to_import(file), unit="bytes") as bar,
    ):
        report = import_file(store, file, options, annotator=call.annotator, progress=bar)
    before = report.n_samples - report.new
    if call.dataset is None and report.new and before:
        name = one_line(report.dataset)
        had = f"which had {many(before, 'sample')}"
        tell(f"added to the dataset {name}, {had}; use --dataset for another")
    if report.rejected or report.notes:
        tell(import_text(replace(report, blind=0, next=())))  # the answer tells it
    _propose(replace(call, dataset=report.dataset))
    return report


def of_file(call: Call, file: Path, report: ImportReport, scorer: str | None) -> str | None:
    """What the answer is about: of a column of the file the run that the file is, of which it says where the
    dataset has a newer one. Of a file without a recall it says which stored column is shown. None: the score
    that the dataset begins with.
    """
    with open_for(call) as store:
        columns, kind = score_columns(store, report.dataset)
    own = headline(report.columns, (), kind)
    name, dataset = one_line(file.name), one_line(report.dataset)
    if scorer is None and column_kind(own) is None:
        if numbers := (*report.columns, *report.numbers):
            perhaps = one_line(next((column for column in numbers if "recall" in column.lower()), ""))
            option = f"{perhaps or 'COLUMN'}=entity"
            command = shlex.join([*command_of(call, "audit"), str(file), "--external", option])
            kind_of = "(with =statement if it counts statements)"
            tell(f"if {perhaps or 'a column'} is a recall, audit it {kind_of}:\n  {command}")
        if (stored := headline(columns, (), kind)) in columns:
            shown = f"shown is {one_line(stored)}, which the dataset {dataset} had before"
            tell(f"{name} has no recall score; {shown}")
        return None
    asked = named(scorer or own, report.runs)
    if asked not in report.runs:
        return scorer
    run = report.runs[asked]
    newest = runs_of(metric_of(run), columns)[-1]
    if run != newest:
        other = f"the newest is {one_line(newest)}: --scorer {shlex.quote(one_line(newest))}"
        tell(f"shown is the run of {name}, {one_line(run)}; {other}")
    return run


def _propose(call: Call) -> None:
    """Let the rules find what nobody proposed; a file or a model that did so is left alone."""
    with counted(call, "Finding names") as (store, info, progress):
        if info.run_id is None:
            command = shlex.join([*command_of(call, "propose"), "--proposer", "claude"])
            tell(f"rules find names and statements; to ask a model:\n  {command}")
        if info.run_id is None or info.run.startswith("rules"):
            propose(store, info, "rules", annotator=call.annotator, keep=True, progress=progress)


def print_answer(call: Call, scorer: str | None, *, full: bool, markdown: bool, json: bool) -> Answer:
    """Print the answer as it stands now."""
    with counted(call, "Comparing") as (store, info, progress):
        summary, figures = answer(store, info, call.annotator, scorer=scorer, progress=progress)
    text = reports.suggested(answer_markdown(summary)) if markdown else printed(summary, more=full)
    if full:
        text += "\n\n" + figures_text(figures, reports.columns_of(sys.stdout))
    elif not markdown and not on_terminal() and any(step.what != "send" for step in summary.steps):
        text += "\n\nTo review, run the same command in a terminal."
    reports.show(summary, text, as_json=json, whole=markdown)
    return summary


def wanted(answer: Answer) -> tuple[int, ...] | Literal["next"] | None:
    """What to open: the suspicious samples, the next one in random order, or nothing."""
    steps = {step.what for step in answer.steps}
    if steps.isdisjoint({"all", "random", "plan"}):
        return None
    shown = answer.triage.shown if "check" in steps else ()
    picks = tuple(suspect.sample_id for suspect in shown)
    choices = {"r": "review in random order", "q": "leave"}
    if picks:
        choices = {"c": "check what looks wrong"} | choices
    listed = ", ".join(f"{key} to {what}" for key, what in choices.items())
    listed = reports.folded(f"{listed}, then Enter:", reports.columns_of(sys.stdout))
    question, choice = f"\n{listed} ", ""
    while choice not in choices:
        try:
            choice = input(question).strip().lower()
        except (EOFError, KeyboardInterrupt):
            typer.echo()
            return None
        question = f"It takes {', '.join(choices)}, then Enter: "
    return {"c": picks, "r": "next"}.get(choice)  # type: ignore[return-value]
