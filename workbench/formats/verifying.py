"""Checking the files of an export against each other: spans quote their text, and folding gives the gold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

from workbench.errors import InputError
from workbench.formats import conll, label_studio_out, native, package, prodigy_out
from workbench.formats.folder import read_manifest
from workbench.formats.rows import Notes
from workbench.model import KINDS, Unit
from workbench.reviewing.documents import edit_of, unit_document
from workbench.reviewing.edits import Event
from workbench.reviewing.fold import fold
from workbench.reviewing.gold import gold_units

Document = dict[str, Any]
Found = Callable[[str], None]

PASS = 64 << 20
"""Bytes of the journal that are folded at a time; a larger one is read several times."""


def folders(directory: Path) -> Iterator[tuple[str, Path]]:
    """(format, folder) of everything that an export holds. Raises as `read_manifest`."""
    formats = read_manifest(directory).get("formats")
    names = [name for name in formats if type(name) is str] if type(formats) is list else ["native"]
    for name in names:
        yield name, directory if len(names) == 1 else directory / name


def check_native(path: Path, found: Found) -> int:
    """Read every row as an import would; how many there are."""
    notes = Notes()
    number = 0
    for row in native.rows(path, notes):
        number += 1
        if row.error is not None:
            found(str(row.error))
    if notes.repaired or notes.dropped:
        found(f"{path}: {notes.repaired + notes.dropped:,} spans do not quote their text")
    return number


def check_conll(path: Path, found: Found) -> int:
    """Read every text; how many there are. Tokens that do not follow in their text end it."""
    number = 0
    try:
        for number, _ in enumerate(conll.read(path), 1):  # noqa: B007
            pass
    except (InputError, ValueError) as error:
        found(f"{path}: {error}")
    return number


def check_prodigy(path: Path, found: Found) -> int:
    """Whether tokens and spans quote the text, and spans begin and end with tokens."""
    number = 0
    for number, task in enumerate(_lines(path, found), 1):
        text, tokens = task.get("text", ""), task.get("tokens", [])
        for token in tokens:
            if text[token["start"] : token["end"]] != token["text"]:
                found(f"{path}:{number}: token {token['id']} does not quote the text")
        for span in task.get("spans", []):
            first, last = tokens[span["token_start"]], tokens[span["token_end"]]
            if (first["start"], last["end"]) != (span["start"], span["end"]):
                found(f"{path}:{number}: a span does not end with its tokens")
    return number


def check_label_studio(path: Path, found: Found) -> int:
    """Whether every region quotes the text, in UTF-16 units."""
    tasks = _document(path, found)
    if type(tasks) is not list:
        return 0
    for number, task in enumerate(tasks, 1):
        wide = task["data"]["text"].encode("utf-16-le", "surrogatepass")
        for given in (*task["predictions"], *task["annotations"]):
            for region in given["result"]:
                value = region["value"]
                surface = wide[2 * value["start"] : 2 * value["end"]].decode("utf-16-le", "surrogatepass")
                if surface != value["text"]:
                    found(f"{path}: task {number}: {value['text'][:60]!r} does not quote the text")
    return len(tasks)


def check_package(folder: Path, found: Found) -> int:
    """Whether folding the journal gives the gold of the references, and verdicts quote them."""
    journal = folder / package.EVENTS
    passes = 1 + journal.stat().st_size // PASS
    number = 0
    for part in range(passes):
        number += _check_part(folder, found, part, passes)
    return number


def _check_part(folder: Path, found: Found, part: int, passes: int) -> int:
    def mine(key: str) -> bool:
        return crc32(key.encode()) % passes == part

    journals: dict[tuple[str, str], list[Event]] = {}
    for row in package.rows(folder, package.EVENTS):
        if mine(row["id"]):
            data = {**row["data"], "proposal": None} if row["op"] == "open" else row["data"]
            event = Event(row["seq"], row["action"], row["annotator"], row["at"], edit_of(row["op"], data))
            journals.setdefault((row["id"], row["annotator"]), []).append(event)
    number = 0
    texts: dict[str, tuple[str, list[str]]] = {}
    for row in package.rows(folder, package.REFERENCES):
        if not mine(row["id"]):
            continue
        number += 1
        texts[row["id"]] = row["reference"], row["retrieved_contexts"]
        _check_states(row, found)
        for review in row["reviews"]:
            state = fold(journals.pop((row["id"], review["annotator"]), []))
            _check_review(row, review, state, found)
    for key, annotator in journals:
        found(f"{folder / package.EVENTS}: events of {annotator} on {key!r}, which has no such review")
    for row in package.rows(folder, package.VERDICTS):
        if row["id"] in texts and not _quotes(row, *texts[row["id"]]):
            found(f"{folder / package.VERDICTS}: {row['text'][:60]!r} of {row['id']!r} does not quote it")
    return number


def _quotes(row: Document, reference: str, contexts: list[str]) -> bool:
    """Whether the unit of a verdict and what the machine matched it with stand where they are said to."""
    candidate = row["candidate"]
    named = row["kind"] == "entity" and row["start"] is not None
    if named and reference[row["start"] : row["end"]] != row["text"]:
        return False
    if candidate is None or "text" not in candidate:
        return True
    context: str = contexts[candidate["context"]]
    return context[candidate["start"] : candidate["end"]] == str(candidate["text"])


def _check_states(row: Document, found: Found) -> None:
    """Whether a sample stands where its reviews do."""
    for kind in KINDS:
        said = {review[kind] for review in row["reviews"]}
        decided = next((state for state in ("excluded", "verified") if state in said), None)
        state = row["states"][kind]
        if {"unresolved": "verified", "verified": "verified", "excluded": "excluded"}.get(state) != decided:
            found(f"{row['id']!r}: {kind} is said to be {state}, its reviews say {decided or 'undecided'}")


def _check_review(row: Document, review: Document, state: Any, found: Found) -> None:
    given = row.get("gold", [])
    every = given if type(given) is list else [given]
    said: Document = next((one for one in every if one["annotator"] == review["annotator"]), {})
    name = f"{row['id']!r} by {review['annotator']}"
    for kind, key in zip(KINDS, ("entities", "statements"), strict=True):
        own = state.of(kind)
        if own.disposition != review[kind]:
            found(f"{name}: the journal says {own.disposition}, the review {review[kind]}")
        elif own.disposition == "verified":
            folded = [_said(unit) for unit in gold_units(own.assessment.units)]
            written = [
                (unit["text"], unit.get("label", ""), unit.get("start"), unit["verdict"])
                for unit in said.get(key, [])
            ]
            if folded != written:
                found(f"{name}: folding the journal gives other {key} than the gold")


def _said(unit: Unit) -> tuple[Any, ...]:
    document = unit_document(unit)
    verdict = unit.match.verdict or "unsure"
    return unit.text, unit.label, document.get("start"), verdict


def _lines(path: Path, found: Found) -> Iterator[Document]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                found(f"{path}:{number}: not JSON: {error}")
                return


def _document(path: Path, found: Found) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except ValueError as error:
        found(f"{path}: not JSON: {error}")
        return None


CHECKS: dict[str, tuple[str, Callable[[Path, Found], int]]] = {
    "native": ("samples.jsonl", check_native),
    "conll": (conll.FILE, check_conll),
    "prodigy": (prodigy_out.FILE, check_prodigy),
    "label-studio": (label_studio_out.TASKS, check_label_studio),
}
"""What is looked into, beside the package; other files have their hash."""
