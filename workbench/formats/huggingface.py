"""A Hugging Face dataset folder: Parquet files by split and a card. One flat row a sample.

Gold stands in parallel lists; what is nested or of mixed types is one JSON string, so that every row has the
same columns and no date becomes a timestamp.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.formats.item import Item, Surroundings, Wrote, row_text
from workbench.model import KINDS, Kind, Unit, count

ROWS = 500
"""Rows of one group: what is in memory at a time."""

TRAIN = "train"


def write(folder: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
    """Write `data/SPLIT.parquet`; without splits there is one, `train`. Raises UsageError without pyarrow."""
    arrow, parquet = _pyarrow()
    schema = _schema(arrow, about)
    wrote = Wrote()
    (folder / "data").mkdir(exist_ok=True)
    waiting = iter(items)
    writer = None
    try:
        for first in waiting:
            if writer is None:
                path = folder / "data" / f"{first.split or TRAIN}.parquet"
                writer = parquet.ParquetWriter(path, schema, compression="zstd")
            # rows alone are kept until a group is full, not the items they are made of
            group = chain([first], islice(waiting, ROWS - 1))
            table = arrow.Table.from_pylist([_row(item, about) for item in group], schema=schema)
            writer.write_table(table)
            wrote.rows += table.num_rows
    finally:
        if writer is not None:
            writer.close()
    return wrote


def write_card(folder: Path, about: Surroundings, rows: int, files: Iterable[str], body: str) -> None:
    """Write the card: YAML that the Hub reads, and a page for people."""
    lines = ["---"]
    lines += [f"pretty_name: {_quoted(about.dataset)}"]
    if about.licence:
        lines += ["license: other", f"license_name: {_quoted(about.licence)}"]
    lines += [
        "annotations_creators:",
        "- machine-generated",
        "- expert-generated",
        "task_categories:",
        "- token-classification",
        "- question-answering",
        "tags:",
        "- retrieval-augmented-generation",
        "- recall",
        "- evaluation",
        "size_categories:",
        f"- {_size(rows)}",
        "configs:",
        "- config_name: default",
        "  data_files:",
    ]
    for name in files:
        lines += [f"  - split: {name}", f"    path: data/{name}.parquet"]
    lines += ["---", "", body]
    (folder / "README.md").write_text("\n".join(lines), encoding="utf-8", newline="\n")


def _quoted(text: str) -> str:
    """A text as YAML holds it in quotes; what does not print, or hides, as an escape."""
    letters = json.dumps(text, ensure_ascii=False)
    return "".join(
        one if one.isprintable() else f"\\U{ord(one):08x}" if one > "\uffff" else f"\\u{ord(one):04x}"
        for one in letters
    )


def _size(rows: int) -> str:
    for limit, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")):
        if rows < limit:
            return name
    return "100K<n<1M" if rows < 1_000_000 else "1M<n<10M"


def _pyarrow() -> tuple[Any, Any]:
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # its own keeps 12 MB more than it uses
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise UsageError(
            "a Hugging Face folder holds Parquet files, which need the package pyarrow: "
            "pip install 'gold-workbench[parquet]'"
        ) from None
    return pyarrow, pyarrow.parquet


UNIT_LISTS = ("texts", "labels", "starts", "ends", "verdicts")


def _schema(arrow: Any, about: Surroundings) -> Any:
    texts, numbers = arrow.list_(arrow.string()), arrow.list_(arrow.int64())
    fields = [
        ("id", arrow.string()),
        ("group", arrow.string()),
        ("user_input", arrow.string()),
        ("reference", arrow.string()),
        ("response", arrow.string()),
        ("retrieved_contexts", texts),
        ("alternatives", texts),
    ]
    for kind in KINDS:
        fields += [(f"{kind}_state", arrow.string()), (f"{kind}_recall", arrow.float64())]
        kinds = (texts, texts, numbers, numbers, texts)
        fields += [(f"{kind}_{name}", type_) for name, type_ in zip(UNIT_LISTS, kinds, strict=True)]
    fields += [(f"{name}_recall", arrow.float64()) for name in about.scorers]
    fields += [
        ("u", arrow.float64()),
        ("pi", arrow.float64()),
        ("blind", arrow.bool_()),
        ("reference_hash", arrow.string()),
        ("content_hash", arrow.string()),
        ("workbench", arrow.string()),
    ]
    return arrow.schema(fields)


def _row(item: Item, about: Surroundings) -> dict[str, Any]:
    sample = item.sample
    row: dict[str, Any] = {
        "id": sample.id,
        "group": sample.group,
        "user_input": sample.user_input,
        "reference": sample.reference,
        "response": sample.response,
        "retrieved_contexts": list(sample.retrieved_contexts),
        "alternatives": list(sample.alternatives),
        "u": item.u,
        "pi": item.pi,
        "blind": item.blind,
        "reference_hash": item.reference_hash,
        "content_hash": item.content_hash,
        "workbench": row_text(item),
    }
    for kind in KINDS:
        row |= _gold(item, kind)
    for name in about.scorers:
        score = item.automatic.get(name)
        row[f"{name}_recall"] = None if score is None else score.value
    return row


def _gold(item: Item, kind: Kind) -> dict[str, Any]:
    units: tuple[Unit, ...] | None = item.gold.get(kind)
    recall = None if units is None else count(units).recall
    found = units or ()
    lists: tuple[list[Any], ...] = (
        [unit.text for unit in found],
        [unit.label for unit in found],
        [unit.spans[0].start if unit.spans else None for unit in found],
        [unit.spans[0].end if unit.spans else None for unit in found],
        [unit.match.verdict or "unsure" for unit in found],
    )
    return {
        f"{kind}_state": item.states.get(kind, "todo"),
        f"{kind}_recall": None if recall is None else float(recall),
        **{f"{kind}_{name}": value for name, value in zip(UNIT_LISTS, lists, strict=True)},
    }
