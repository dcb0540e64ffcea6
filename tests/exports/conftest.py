"""A small dataset of texts that trip writers and readers, and the short way to export it."""

import csv
import itertools
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURES, Bench, Fill
from tests.rows import Row, write_rows
from workbench.stages.export import ExportOptions, ExportReport, export
from workbench.stages.plan import Wish, draft, make

Leave = Callable[..., Path]


def unit(reference: str, text: str, verdict: str = "found", label: str = "place", **more: Any) -> Row:
    """A gold unit at the first place of a text."""
    start = reference.index(text)
    place = {"start": start, "end": start + len(text)}
    return {"text": text, "label": label, **place, "verdict": verdict, **more}


ROWS: list[Row] = [json.loads(line) for line in (FIXTURES / "exports.jsonl").read_text("utf-8").splitlines()]
EMOJI, NESTED = ROWS[0]["reference"], ROWS[4]["reference"]


def import_hard(bench: Bench) -> None:
    bench.load(ROWS, name="hard.jsonl", gold="given", seed=7)


@pytest.fixture
def hard(filled_by: Callable[[Fill], Bench]) -> Bench:
    """A database of the hard rows, their gold verified."""
    return filled_by(import_hard)


@pytest.fixture
def leave(hard: Bench) -> Leave:
    """Export the hard rows; gives the new folder."""
    numbers = itertools.count(1)

    def leaving(*formats: str, **options: Any) -> Path:
        given = ExportOptions(formats=formats or ("native",), **options)
        target = hard.folder / f"out{next(numbers)}"
        export(hard.store, hard.info(), target, given, annotator="ann")
        return target

    return leaving


def report_of(bench: Bench, *formats: str, **options: Any) -> ExportReport:
    """Export a database into a folder of its own."""
    target = bench.folder / f"report{len(list(bench.folder.iterdir()))}"
    given = ExportOptions(formats=formats or ("native",), **options)
    return export(bench.store, bench.info(), target, given, annotator="ann")


def read_conll(path: Path) -> Iterator[tuple[str, str, list[tuple[int, int, str]]]]:
    """(id, text, [(start, end, label)]) of every text of an exported file; tokens and text have to fit."""
    tokens, texts = (one.read_bytes().decode().split("\n") for one in (path, path.with_name("texts.jsonl")))
    lines = iter(tokens)
    for row in map(json.loads, texts[:-1]):
        yield row["id"], row["text"], _conll_spans(lines, row["text"])
    assert [""] == list(lines)


def _conll_spans(lines: Iterator[str], text: str) -> list[tuple[int, int, str]]:
    """The spans of a text, from its lines of tokens up to the blank one."""
    spans: list[tuple[int, int, str]] = []
    place = 0
    while text[place:].strip():
        token, _, tag = next(lines).partition("\t")
        start = text.index(token, place)
        assert token
        assert not text[place:start].strip()
        place = start + len(token)
        if tag.startswith("B-"):
            spans.append((start, place, tag[2:]))
        elif tag.startswith("I-") and spans:
            spans[-1] = (spans[-1][0], place, spans[-1][2])
    assert not place or "" == next(lines)
    return spans


def json_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def csv_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, as another program reads them."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an export."""
    return dict(json.loads((folder / "manifest.json").read_text("utf-8")))


def edited(path: Path, change: Callable[[list[dict[str, Any]]], object], *, to: Path | None = None) -> Path:
    """The rows of a JSON list, JSON Lines, CSV or Parquet file, changed by a function; into a file `to`."""
    target, parquet = to or path, "pyarrow.parquet"
    rows: Any
    match path.suffix:
        case ".json":
            rows = json.loads(path.read_text("utf-8"))
        case ".jsonl" | ".csv":
            rows = (json_rows if path.suffix == ".jsonl" else csv_rows)(path)
        case _:
            rows = import_module(parquet).read_table(path).to_pylist()
    change(rows)
    match target.suffix:
        case ".json":
            target.write_text(json.dumps(rows), "utf-8")
        case ".jsonl":
            write_rows(target, rows)
        case ".csv":
            with target.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerows([rows[0], *(row.values() for row in rows)])
        case _:
            import_module(parquet).write_table(import_module("pyarrow").Table.from_pylist(rows), target)
    return target


@pytest.fixture
def planned(demo: Bench) -> Bench:
    """The demo with a plan that keeps samples back."""
    info = demo.info()
    make(demo.store, info, draft(demo.store, info, Wish(n=20, holdout=0.3), "ann"))
    return demo
