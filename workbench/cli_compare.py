"""`workbench compare`: automatic against verified, what the truth is for all samples, and why they differ."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.console import Call, dataset_of, usual_scorer
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.store.engine import Store


def compare(
    context: typer.Context,
    run: Annotated[
        str | None, typer.Option("--run", help="A run by name; the current one by default.")
    ] = None,
    scorer: Annotated[
        str | None,
        typer.Option(help="What is held against the verified values: a scorer or an imported column."),
    ] = None,
    match_threshold: Annotated[
        int | None, typer.Option(min=0, max=100, help="Another match threshold; nothing is kept.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Compare retrievers over the same references: a key, as meta.retriever."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="All figures, not only the first ones.")] = False,
    samples: Annotated[
        bool, typer.Option("--samples", help="A line for each verified sample before them.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a report in one file to send to a colleague.")
    ] = None,
    no_text: Annotated[
        bool, typer.Option("--no-text", help="Keep the texts of samples out of the report of --html.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --html.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Set automatic values against verified ones, estimate the truth for all samples, name the causes."""
    call: Call = context.obj
    if by is not None and (scorer or html or full or samples or match_threshold is not None):
        raise UsageError("--by compares retrievers: it goes with --json only")
    if no_text and html is None:
        raise UsageError("--no-text goes with --html FILE")
    with dataset_of(call) as (store, _info):
        if by is not None:
            _show_retrievers(store, call, by, json=json)
            return
        show_comparison(
            store, call, run=run, scorer=scorer, threshold=match_threshold, full=full,
            samples=samples, html=html, text=not no_text, force=force, json=json,
        )  # fmt: skip


def _show_retrievers(store: Store, call: Call, by: str, *, json: bool) -> None:
    from workbench import reports, texts
    from workbench.stages.compare import compare_by
    from workbench.store.datasets import find_dataset

    pairs = compare_by(store, find_dataset(store, call.dataset), by)
    reports.show(reports.retrievers_document(by, pairs), texts.retrievers_text(by, pairs), as_json=json)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for garbage among a hundred thousand rows that all stay: it takes half the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def show_comparison(
    store: Store,
    call: Call,
    *,
    run: str | None = None,
    scorer: str | None = None,
    threshold: int | None = None,
    full: bool = False,
    samples: bool = False,
    html: Path | None = None,
    text: bool = True,
    force: bool = False,
    json: bool = False,
) -> None:
    """Print the comparison of the dataset, and write it as a file when asked to."""
    from workbench import reports, texts, texts_compare
    from workbench.stages.answer import answer
    from workbench.stages.compare import as_asked, write_html
    from workbench.stages.compare import compare as table
    from workbench.stages.figures import figures, without
    from workbench.stages.recompute import score_dataset, withheld_from
    from workbench.store.datasets import count_samples, find_dataset

    info = find_dataset(store, call.dataset)
    with _uncollected(), reports.progress("Comparing", count_samples(store, info.id)) as progress:
        if html is not None:
            asked = as_asked(store, info, run, threshold)
            made, found = answer(
                store, asked, call.reader, scorer=scorer, usual=usual_scorer(), progress=progress
            )
        else:
            found = figures(store, info, run=run, scorer=scorer, threshold=threshold, progress=progress)
            if full or samples or json:  # else no sample is named
                found = without(found, withheld_from(store, info, call.reader))
        rows = None
        if json or samples:
            rows = table(score_dataset(store, info, run=run, threshold=threshold, viewer=call.reader))
    if html is not None:
        write_html(store, info, html, made, found, text=text, force=force)
        typer.echo(f"wrote {html}", err=True)
    parts = [texts.compare_text(rows)] if rows is not None else []
    parts.append(texts_compare.figures_text(found, full=full, beside=rows is None))
    document = None
    if json and rows is not None:
        document = {**reports.compare_document(rows), "figures": reports.figures_document(found)}
    reports.show(document, "\n".join(parts), as_json=json)
