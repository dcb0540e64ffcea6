"""CoNLL: a token and its BIO tag a line, a blank line after every text, and nothing else.

Readers of CoNLL take every line for a token, so that ids and texts stand in `texts.jsonl`, in the same order.
The tokens follow each other in the text with nothing but white space between, which brings the offsets back.
A blank text has no lines. What one row of tags cannot hold exactly stands in `conflicts.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.errors import InputError
from workbench.formats.item import Item, Surroundings, Wrote, entities_of, lines_into
from workbench.formats.spans_out import Conflict, Tagged, exact_tokens, flat, has_gold, tagged_of
from workbench.text.json_text import compact

FILE = "gold.conll"
TEXTS = "texts.jsonl"
CONFLICTS = "conflicts.jsonl"


def write(folder: Path, items: Iterable[Item], _about: Surroundings) -> Wrote:
    """Write every sample whose entities stand."""
    wrote = Wrote()
    with (
        lines_into(folder / FILE) as line,
        lines_into(folder / TEXTS) as text_line,
        lines_into(folder / CONFLICTS) as conflict_line,
    ):
        for item in items:
            if not has_gold(item):
                wrote.left[f"entities {item.states.get('entity', 'todo')}"] += 1
                continue
            text = item.sample.reference
            kept, conflicts = flat(tagged_of(entities_of(item)), text)
            line(document(text, kept))
            text_line(about(item.sample.id, text))
            wrote.rows += 1
            for unit in entities_of(item):
                if not unit.spans:
                    wrote.left["unit without a place in the text"] += 1
            for one in conflicts:
                wrote.left[f"span {one.why}"] += 1
                conflict_line(compact(_conflict(item.sample.id, one)) + "\n")
    return wrote


def document(text: str, kept: list[Tagged]) -> str:
    """One text as lines of token, tab and tag."""
    lines = []
    place = 0
    for token in exact_tokens(text, kept):
        while place < len(kept) and kept[place].end <= token.start:
            place += 1
        tag = "O"
        if place < len(kept) and kept[place].start <= token.start:
            one = kept[place]
            tag = f"{'B' if token.start == one.start else 'I'}-{_tag(one.label)}"
        lines.append(f"{token.text}\t{tag}\n")
    return "".join((*lines, "\n")) if lines else ""


def about(name: str, text: str) -> str:
    """The line of `texts.jsonl` for a text."""
    return compact({"id": name, "text": text}) + "\n"


def read(path: Path) -> Iterator[tuple[str, str, list[tuple[int, int, str]]]]:
    """(id, text, [(start, end, label)]) of every text of a file that `write` wrote.

    Raises InputError where tokens and text do not fit together.
    """
    texts = path.with_name(TEXTS)
    with (
        path.open(encoding="utf-8", newline="\n") as file,
        texts.open(encoding="utf-8", newline="\n") as named,
    ):
        numbered = enumerate(file, 1)
        for line in named:
            row = json.loads(line)
            yield row["id"], row["text"], _spans(path, numbered, row["text"])
        for number, _ in numbered:
            raise InputError(f"{path}:{number}: a token of a text that {TEXTS} does not have")


def _spans(path: Path, numbered: Iterator[tuple[int, str]], text: str) -> list[tuple[int, int, str]]:
    """The spans of a text, from its lines of tokens up to the blank one."""
    spans: list[tuple[int, int, str]] = []
    place = number = 0
    while text[place:].strip():
        number, raw = next(numbered, (number + 1, "\n"))
        token, _, tag = raw.rstrip("\n").partition("\t")
        start = text.find(token, place)
        if not token or start < 0 or text[place:start].strip():
            raise InputError(f"{path}:{number}: {token!r} does not follow in the text")
        place = start + len(token)
        if tag.startswith("B-"):
            spans.append((start, place, tag[2:]))
        elif tag.startswith("I-") and spans:
            spans[-1] = (spans[-1][0], place, spans[-1][2])
    if place and next(numbered, (0, "\n"))[1] != "\n":
        raise InputError(f"{path}:{number + 1}: a token after the end of the text")
    return spans


def _tag(label: str) -> str:
    """A label as the tail of a tag: one word."""
    return "-".join(label.split()) or "other"


def _conflict(name: str, one: Conflict) -> dict[str, object]:
    tagged, beside = one.tagged, one.beside
    value: dict[str, object] = {
        "id": name, "text": tagged.unit.text, "label": tagged.label,
        "start": tagged.start, "end": tagged.end, "why": one.why,
    }  # fmt: skip
    if beside is not None:
        value["beside"] = {
            "text": beside.unit.text, "label": beside.label, "start": beside.start, "end": beside.end,
        }  # fmt: skip
    return value
