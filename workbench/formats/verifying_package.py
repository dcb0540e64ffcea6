"""Reading a package again: folding its journal gives its gold, and verdicts quote the references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zlib import crc32

from workbench.formats import calibration, package
from workbench.formats.verifying import Counted, Document, Found, count_document, looking, placed
from workbench.model import KINDS, Unit
from workbench.reviewing.documents import edit_of, unit_document
from workbench.reviewing.edits import Event
from workbench.reviewing.fold import fold
from workbench.reviewing.gold import gold_units

PASS = 64 << 20
"""Bytes of the journal that are folded at a time; a larger one is read several times."""


def check_package(folder: Path, manifest: Document, found: Found) -> Counted:
    """Whether folding the journal gives the gold of the references, and verdicts quote them."""
    _check_dataset(folder, manifest, found, text=True)
    journal = folder / package.EVENTS
    passes = 1 + journal.stat().st_size // PASS
    counted = Counted(0, 0, 0, whole=True)
    for part in range(passes):
        counted.add(_check_part(folder, found, part, passes))
    return counted


def check_figures(folder: Path, manifest: Document, found: Found) -> Counted:
    """The same for a package without text: whether samples stand where their reviews do."""
    _check_dataset(folder, manifest, found, text=False)
    path = folder / package.REFERENCES
    counted = Counted(0, 0, None, whole=True)
    for place, row in placed(path, package.rows(folder, package.REFERENCES), found):
        counted.rows += 1
        with looking(place, found):
            _check_states(row, found)
            verified = any(review[kind] == "verified" for review in row["reviews"] for kind in KINDS)
            counted.gold = (counted.gold or 0) + verified
    return counted


def _check_dataset(folder: Path, manifest: Document, found: Found, *, text: bool) -> None:
    """Whether settings are those of the manifest, and the calibration in use is that of `dataset.json`."""
    path = folder / package.DATASET
    with looking(str(path), found):
        document = json.loads(path.read_text("utf-8"))
        given = document["dataset"]
        for name, said in (
            ("threshold", manifest["matcher"]["threshold"]),
            ("seed", manifest["sampling"]["seed"]),
            ("calibration", manifest["calibration"]),
        ):
            if given[name] != said:
                found(f"{path}: {name} {given[name]!r}, {said!r} in the manifest")
        if given["calibration"] is None:
            return
        saved = next(one for one in document["calibrations"] if one["name"] == given["calibration"])
        beside = folder / calibration.NAME
        if not beside.is_file():
            found(f"{beside}: missing: the calibration {given['calibration']!r} is in use")
        elif text and beside.read_text("utf-8") != calibration.text_of(saved["document"]):
            found(f"{beside}: not the calibration {given['calibration']!r} of {package.DATASET}")


def _check_part(folder: Path, found: Found, part: int, passes: int) -> Counted:
    def mine(row: Document) -> bool:
        return crc32(str(row.get("id")).encode("utf-8", "surrogatepass")) % passes == part

    def rows(name: str) -> Any:
        return placed(folder / name, package.rows(folder, name), found if part == 0 else _silent)

    journals: dict[tuple[str, str], list[Event]] = {}
    for place, row in rows(package.EVENTS):
        if mine(row):
            with looking(place, found):
                data = {**row["data"], "proposal": None} if row["op"] == "open" else row["data"]
                edit = edit_of(row["op"], data)
                event = Event(row["seq"], row["action"], row["annotator"], row["at"], edit)
                journals.setdefault((row["id"], row["annotator"]), []).append(event)
    counted = Counted(0, 0, 0, whole=True)
    texts: dict[str, tuple[str, list[str]]] = {}
    for place, row in rows(package.REFERENCES):
        if mine(row):
            counted.rows += 1
            with looking(place, found):
                count_document(counted, row)
                texts[row["id"]] = row["reference"], row["retrieved_contexts"]
                _check_states(row, found)
                for review in row["reviews"]:
                    state = fold(journals.pop((row["id"], review["annotator"]), []))
                    _check_review(row, review, state, found)
    for key, annotator in journals:
        found(f"{folder / package.EVENTS}: events of {annotator} on {key!r}, which has no such review")
    for place, row in rows(package.VERDICTS):
        if mine(row):
            with looking(place, found):
                if not _quotes(row, *texts[row["id"]]):
                    found(f"{place}: {row['text'][:60]!r} of {row['id']!r} does not quote it")
    return counted


def _silent(line: str) -> None:
    """A file that cannot be read was said in the first pass."""


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
