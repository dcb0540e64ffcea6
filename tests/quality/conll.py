"""8,000 gold spans to CoNLL and back: how many come back exactly, and why the others do not.

    python tests/quality/conll.py DATA [SPANS]

DATA holds redocred_dev.jsonl and factrueval_dev.jsonl (`reference_entities` and `context_entities` with
`mentions`) and wnut17_systems.jsonl (`text`, `gold_entities`).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.errors import InputError
from workbench.formats.exports import spans
from workbench.formats.exports.spans import flat, tagged_of
from workbench.model import Span, Unit

Mark = tuple[int, int, str]
SPANS = 8_000
FILES = ("redocred_dev", "factrueval_dev", "wnut17_systems")


def read_conll(path: Path) -> Iterator[tuple[str, str, list[tuple[int, int, str]]]]:
    """(id, text, [(start, end, label)]) of every text of an exported file.

    Raises InputError where tokens and text do not fit together.
    """
    texts = path.with_name(spans.TEXTS)
    with (
        path.open(encoding="utf-8", newline="\n") as file,
        texts.open(encoding="utf-8", newline="\n") as named,
    ):
        numbered = enumerate(file, 1)
        for line in named:
            row = json.loads(line)
            yield row["id"], row["text"], _conll_spans(path, numbered, row["text"])
        for number, _ in numbered:
            raise InputError(f"{path}:{number}: a token of a text that texts.jsonl does not have")


def _conll_spans(path: Path, numbered: Iterator[tuple[int, str]], text: str) -> list[tuple[int, int, str]]:
    """The spans of a text, from its lines of tokens up to the blank one."""
    found: list[tuple[int, int, str]] = []
    place = number = 0
    while text[place:].strip():
        number, raw = next(numbered, (number + 1, "\n"))
        token, _, tag = raw.rstrip("\n").partition("\t")
        start = text.find(token, place)
        if not token or start < 0 or text[place:start].strip():
            raise InputError(f"{path}:{number}: {token!r} does not follow in the text")
        place = start + len(token)
        if tag.startswith("B-"):
            found.append((start, place, tag[2:]))
        elif tag.startswith("I-") and found:
            found[-1] = (found[-1][0], place, found[-1][2])
    if place and next(numbered, (0, "\n"))[1] != "\n":
        raise InputError(f"{path}:{number + 1}: a token after the end of the text")
    return found


def texts(folder: Path) -> Iterator[tuple[str, str, list[Mark]]]:
    """(id, text, spans) of every text with gold: references, contexts, single texts."""
    for name in FILES:
        path = folder / f"{name}.jsonl"
        for line in path.open(encoding="utf-8") if path.is_file() else ():
            row = json.loads(line)
            if "text" in row:
                yield row["id"], row["text"], [_mark(one, one) for one in row["gold_entities"]]
                continue
            own = [(one, place) for one in row["reference_entities"] for place in one["mentions"]]
            yield row["id"], row["reference"], [_mark(*pair) for pair in own]
            theirs = [(one, place) for one in row["context_entities"] for place in one["mentions"]]
            for number, text in enumerate(row["retrieved_contexts"]):
                here = [pair for pair in theirs if pair[1]["context"] == number]
                yield f"{row['id']} context {number}", text, [_mark(*pair) for pair in here]


def _mark(entity: dict[str, Any], place: dict[str, Any]) -> Mark:
    return place["start"], place["end"], entity["label"]


def main() -> int:
    folder = Path(sys.argv[1])
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else SPANS
    exact = total = 0
    inexact: list[str] = []
    reasons: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "one.conll")
        for name, text, given in texts(folder):
            given = given[: wanted - total]
            total += len(given)
            units = [
                Unit(f"g{n}", "entity", text[start:end], label, (Span(start, end),))
                for n, (start, end, label) in enumerate(given)
            ]
            kept, conflicts = flat(tagged_of(units), text)
            path.write_text(spans.conll_lines(text, kept), "utf-8", newline="\n")
            path.with_name(spans.TEXTS).write_text(spans.text_line(name, text), "utf-8", newline="\n")
            ((_, read, back),) = read_conll(path)
            there = Counter(back)
            own = [(start, end, "-".join(label.split())) for start, end, label in given]
            hits = sum((Counter(own) & there).values())
            exact += hits if read == text else 0
            for one in conflicts:
                reasons[one.why] += 1
                beside = f" beside {one.beside.unit.text!r}" if one.beside else ""
                inexact.append(f"{name}: {one.tagged.unit.text!r} {one.why}{beside}")
            repeated = len(own) - len(set(own))
            reasons["the same span twice in the gold: one row holds both"] += repeated
            if hits + len(conflicts) + repeated < len(own):
                inexact.append(f"{name}: LOST WITHOUT A REASON")
                reasons["lost without a reason"] += 1
            if total >= wanted:
                break
    print(f"{exact:,} of {total:,} spans exact")
    for why, number in reasons.most_common():
        if number:
            print(f"{number:6,} {why}")
    print(*inexact, sep="\n")
    return int(reasons["lost without a reason"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
