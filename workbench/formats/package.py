"""The package: all that a calibrator needs and all that a database holds, under the keys of native rows.

`references.jsonl`, `verdicts.jsonl`, `events.jsonl`, `dataset.json`. Without text the same rows stand there
without questions, references, contexts and wordings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from workbench.errors import InputError
from workbench.formats.folder import MANIFEST, check_manifest, read_manifest
from workbench.formats.item import Item, record_of
from workbench.formats.native_out import to_text
from workbench.formats.objects import as_written
from workbench.model import KINDS, Tally, count
from workbench.text.json_text import compact

REFERENCES = "references.jsonl"
VERDICTS = "verdicts.jsonl"
EVENTS = "events.jsonl"
DATASET = "dataset.json"

Document = dict[str, Any]


def reference_line(item: Item, more: Mapping[str, Any], *, text: bool) -> str:
    """One sample as a line: the native row, then what only a package holds."""
    if text:
        head = f"{to_text(record_of(item))[:-1]}, "
    else:
        sample = item.sample
        few = {"id": sample.id, "group": sample.group, "contexts": len(sample.retrieved_contexts)}
        head = f"{compact(few)[:-1]}, "
    tail = {
        "reference_hash": item.reference_hash,
        "content_hash": item.content_hash,
        "states": {kind: item.states.get(kind, "todo") for kind in KINDS},
        "tallies": {
            "automatic": {name: _tally(score.tally) for name, score in sorted(item.automatic.items())},
            "verified": {kind: _tally(count(units)) for kind, units in sorted(item.gold.items())},
        },
        "values": {name: score.value for name, score in sorted(item.automatic.items())},
        **more,
        "split": item.split or None,
    }
    return head + compact(tail)[1:] + "\n"


def _tally(tally: Tally) -> dict[str, int]:
    return {"found": tally.found, "missing": tally.missing, "unsure": tally.unsure}


def event_line(event: Mapping[str, Any]) -> str:
    """One event as a line; its `data` is JSON text and stands in the last place."""
    head = {key: value for key, value in event.items() if key != "data"}
    return f'{compact(head)[:-1]}, "data": {event["data"]}}}\n'


def lines_with(head: Mapping[str, Any], rest: Iterable[str]) -> Iterator[str]:
    """Lines that begin with the same keys, which are encoded once; `rest` are the ends of their objects."""
    start = f"{compact(head)[:-1]}, "
    for one in rest:
        yield f"{start}{one}\n"


def write_dataset(folder: Path, document: Mapping[str, Any]) -> None:
    """Write `dataset.json`."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    (folder / DATASET).write_text(text + "\n", "utf-8", newline="\n")


def is_package(path: Path) -> bool:
    """Whether a folder is a package, by its files."""
    return path.is_dir() and all((path / name).is_file() for name in (REFERENCES, EVENTS, DATASET))


def read_dataset(folder: Path) -> Document:
    """The document of `dataset.json`, after every file was checked against the manifest.

    The package may stand in a folder of several formats: then the manifest is one folder up. Raises
    InputError for a package that was changed, is without text, or cannot be read.
    """
    home = folder if (folder / MANIFEST).exists() else folder.parent
    manifest = read_manifest(home)
    inside = "" if home == folder else f"{folder.name}/"
    changed = [one for one in check_manifest(home) if f": {inside}" in one]
    if changed:
        raise InputError(f"{folder}: not as it was exported: {'; '.join(changed[:3])}")
    if not manifest.get("text", True):
        raise InputError(f"{folder}: exported without text: it holds figures, no dataset")
    if any((manifest.get("filters") or {}).values()):
        raise InputError(
            f"{folder}: a part of a dataset, chosen by filters: made into a dataset its figures would take "
            "it for all; export it whole, or the part with --format native"
        )
    try:
        value = json.loads((folder / DATASET).read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{folder / DATASET}: cannot be read: {error}") from error
    if type(value) is not dict:
        raise InputError(f"{folder / DATASET}: not a JSON object")
    return value


def rows(folder: Path, name: str, progress: Callable[[int], None] | None = None) -> Iterator[Document]:
    """The rows of a file of the package, scores as the text of their digits.

    Raises InputError that names the line.
    """
    path = folder / name
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{path}:{number}: not JSON: {error}") from error
            if type(value) is not dict:
                raise InputError(f"{path}:{number}: not a JSON object")
            if value.get("scores"):  # a number of another tool keeps its digits
                value["scores"] = {name: str(said) for name, said in as_written(line)["scores"].items()}
            yield value
            if progress is not None and number % 500 == 0:
                progress(number)
