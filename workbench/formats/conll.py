"""CoNLL: a token and its BIO tag a line, a blank line after every text.

`# id` and `# text` stand before each text as JSON strings, so that the offsets come back: the tokens follow
each other in the text with nothing but white space between. What one row of tags cannot hold exactly stands
in `conflicts.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.errors import InputError
from workbench.formats.item import Item, Surroundings, Wrote, compact, entities_of, lines_into
from workbench.formats.spans_out import Conflict, Tagged, exact_tokens, flat, has_gold, tagged_of

FILE = "gold.conll"
CONFLICTS = "conflicts.jsonl"


def write(folder: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
    """Write every sample whose entities stand; the first row is one text, the last one its blank line."""
    wrote = Wrote()
    with lines_into(folder / FILE) as line, lines_into(folder / CONFLICTS) as conflict_line:
        for item in items:
            if not has_gold(item):
                wrote.left[f"entities {item.states.get('entity', 'todo')}"] += 1
                continue
            text = item.sample.reference
            kept, conflicts = flat(tagged_of(entities_of(item)), text)
            line(document(item.sample.id, text, kept))
            wrote.rows += 1
            for unit in entities_of(item):
                if not unit.spans:
                    wrote.left["unit without a place in the text"] += 1
            for one in conflicts:
                wrote.left[f"span {one.why}"] += 1
                conflict_line(compact(_conflict(item.sample.id, one)) + "\n")
    return wrote


def document(name: str, text: str, kept: list[Tagged]) -> str:
    """One text as lines of token, tab and tag."""
    lines = [f"# id = {compact(name)}\n# text = {_one_line(text)}\n"]
    place = 0
    for token in exact_tokens(text, kept):
        while place < len(kept) and kept[place].end <= token.start:
            place += 1
        tag = "O"
        if place < len(kept) and kept[place].start <= token.start:
            one = kept[place]
            tag = f"{'B' if token.start == one.start else 'I'}-{_tag(one.label)}"
        lines.append(f"{token.text}\t{tag}\n")
    lines.append("\n")
    return "".join(lines)


def read(path: Path) -> Iterator[tuple[str, str, list[tuple[int, int, str]]]]:
    """(id, text, [(start, end, label)]) of every text of a file that `write` wrote.

    Raises InputError where tokens and text do not fit together.
    """
    name = text = ""
    spans: list[tuple[int, int, str]] = []
    place = 0
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, raw in enumerate(file, 1):
            line = raw.rstrip("\n")
            if not line:
                yield name, text, spans
                spans, place = [], 0
            elif line.startswith("# id = ") and "\t" not in line:
                name = json.loads(line.removeprefix("# id = "))
            elif line.startswith("# text = ") and "\t" not in line:
                text = json.loads(line.removeprefix("# text = "))
            else:
                token, _, tag = line.partition("\t")
                start = text.find(token, place)
                if start < 0 or text[place:start].strip():
                    raise InputError(f"{path}:{number}: {token!r} does not follow in the text")
                place = start + len(token)
                if tag.startswith("B-"):
                    spans.append((start, place, tag[2:]))
                elif tag.startswith("I-") and spans:
                    spans[-1] = (spans[-1][0], place, spans[-1][2])


def _one_line(text: str) -> str:
    """A text as a JSON string without any character that a reader could take for a line's or cell's end."""
    return "".join(f"\\u{ord(one):04x}" if one in "\x7f\x85\u2028\u2029" else one for one in compact(text))


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
