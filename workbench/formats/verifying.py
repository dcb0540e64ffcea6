"""Reading the files of an export again: rows can be read, and spans quote their text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.parsers import expat

from workbench.errors import InputError
from workbench.formats import conll, label_studio_out, native, prodigy_out
from workbench.formats.rows import Notes

Document = dict[str, Any]
Found = Callable[[str], None]

TROUBLE = (AttributeError, LookupError, TypeError, ValueError, OverflowError, RecursionError, InputError)
"""What a file may raise that holds something else than its format writes."""


def wrong(error: Exception) -> str:
    """What is off about a row that raised this, without words of the program's own."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error}"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    if isinstance(error, RecursionError):
        return "nested too deep"
    if isinstance(error, KeyError) and error.args:
        return f"{error.args[0]!r} is missing, or names what is not there"
    return "not what this format writes there"


@contextmanager
def looking(place: str, found: Found) -> Iterator[None]:
    """Look into one row; one that is of another shape is said, and the next is looked into."""
    try:
        yield
    except TROUBLE as error:
        said = wrong(error)
        found(said if said.startswith(place) else f"{place}: {said}")


def placed(path: Path, rows: Iterable[Any], found: Found) -> Iterator[tuple[str, Any]]:
    """Rows with their places, as far as the file can be read."""
    waiting = iter(rows)
    number = 0
    while True:
        number += 1
        try:
            row = next(waiting)
        except StopIteration:
            return
        except TROUBLE as error:
            said = wrong(error)
            found(said if said.startswith(str(path)) else f"{path}:{number}: {said}")
            return
        yield f"{path}:{number}", row


def check_native(path: Path, found: Found) -> int:
    """Read every row as an import would; how many there are."""
    notes = Notes()
    rows = 0
    for _, row in placed(path, native.rows(path, notes), found):
        rows += 1
        if row.error is not None:
            found(str(row.error))
    if notes.repaired or notes.dropped:
        found(f"{path}: {notes.repaired + notes.dropped:,} spans do not quote their text")
    return rows


def check_conll(path: Path, found: Found) -> int:
    """Read every text. Tokens that do not follow in their text end it."""
    return sum(1 for _ in placed(path, conll.read(path), found))


def check_prodigy(path: Path, found: Found) -> int:
    """Whether tokens and spans quote the text, and spans begin and end with tokens."""
    rows = 0
    for place, task in placed(path, _lines(path), found):
        rows += 1
        with looking(place, found):
            text, tokens = task["text"], task["tokens"]
            for token in tokens:
                if text[token["start"] : token["end"]] != token["text"]:
                    found(f"{place}: token {token['id']} does not quote the text")
            for span in task["spans"]:
                first, last = tokens[span["token_start"]], tokens[span["token_end"]]
                if (first["start"], last["end"]) != (span["start"], span["end"]):
                    found(f"{place}: a span does not end with its tokens")
    return rows


def check_label_studio(path: Path, found: Found) -> int:
    """Whether every region quotes the text, in UTF-16 units, and the project's XML can be read."""
    _check_xml(path.with_name(label_studio_out.CONFIG), found)
    rows = 0
    tasks: Any = []
    with looking(str(path), found):
        tasks = json.loads(path.read_text("utf-8"))
    if type(tasks) is not list:
        found(f"{path}: not a list of tasks")
        return 0
    for rows, task in enumerate(tasks, 1):
        place = f"{path}: task {rows}"
        with looking(place, found):
            wide = task["data"]["text"].encode("utf-16-le", "surrogatepass")
            for given in (*task["predictions"], *task["annotations"]):
                for region in given["result"]:
                    value = region["value"]
                    surface = wide[2 * value["start"] : 2 * value["end"]].decode("utf-16-le", "surrogatepass")
                    if surface != value["text"]:
                        found(f"{place}: {value['text'][:60]!r} does not quote the text")
    return rows


def _check_xml(path: Path, found: Found) -> None:
    """Whether a file is well-formed XML without entities of its own."""
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise ValueError("it declares a document type")

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(path.read_bytes(), True)
    except (expat.ExpatError, ValueError) as error:
        found(f"{path}: not well-formed XML: {error}")


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8", newline="\n") as file:
        yield from map(json.loads, file)


CHECKS: dict[str, tuple[str, Callable[[Path, Found], int]]] = {
    "native": ("samples.jsonl", check_native),
    "conll": (conll.FILE, check_conll),
    "prodigy": (prodigy_out.FILE, check_prodigy),
    "label-studio": (label_studio_out.TASKS, check_label_studio),
}
"""What is read again; of other formats the hashes are checked."""
