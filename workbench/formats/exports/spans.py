"""Formats of spans: CoNLL with BIO tags, Prodigy tasks, and Label Studio tasks.

`gold.conll` has a token and its tag a line, a blank line after every text, and nothing else: readers of CoNLL
take every line for a token. Ids and texts are in `texts.jsonl`, in the same order. The tokens follow each
other in the text with only white space between, which brings the offsets back. A blank text has no lines.
What one row of tags cannot hold exactly is left out and counted.

Prodigy tasks have spans on exact tokens. Hashes are left out: Prodigy makes its own.

Label Studio has the project's XML next to its tasks: the text to mark, the contexts to judge by. Its editor
counts offsets in UTF-16 units, as JavaScript does; they differ from code points behind an emoji.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle, pairwise
from pathlib import Path
from typing import NamedTuple

from workbench.formats.exports.folder import rendered
from workbench.formats.exports.item import (
    DEFAULT_LABEL,
    ExportItem,
    Writing,
    entities_of,
    label_out,
    lines_into,
    list_into,
    no_entities,
    row_text,
)
from workbench.formats.rows import OBJECT
from workbench.model import GoldRecord, JsonObject, Proposal, Unit
from workbench.text.ground import ground
from workbench.text.lists import compact, object_text
from workbench.text.tokens import Token, tokens


class Tagged(NamedTuple):
    """One stretch of a reference with its label and the unit that it belongs to."""

    start: int
    end: int
    label: str
    unit: Unit


def tagged_of(units: Iterable[Unit]) -> list[Tagged]:
    """Every place of every entity, in order of the text; a longer one before a shorter."""
    tags = [
        Tagged(span.start, span.end, label_out(unit.label), unit) for unit in units for span in unit.spans
    ]
    return sorted(tags, key=lambda tag: (tag.start, -tag.end, tag.label))


def flat(tags: Sequence[Tagged], text: str) -> tuple[list[Tagged], Counter[str]]:
    """Those that one row of tags holds exactly, and how many it cannot hold, by reason.

    Of two that overlap the longer one stays, of equal ones the first. A stretch that begins or ends with
    white space has no token at that edge.
    """
    row: list[Tagged] = []
    left: Counter[str] = Counter()
    for tag in sorted(tags, key=lambda tag: (tag.start - tag.end, tag.start)):
        surface = text[tag.start : tag.end]
        other = next((longer for longer in row if longer.start < tag.end and tag.start < longer.end), None)
        if surface != surface.strip():
            left["span begins or ends with white space"] += 1
        elif other is None:
            row.append(tag)
        elif (other.start, other.end) == (tag.start, tag.end):
            if (other.label, other.unit.text) != (tag.label, tag.unit.text):
                left["span the same place twice"] += 1
        else:
            nested = other.start <= tag.start and tag.end <= other.end
            left["span inside another" if nested else "span overlapping"] += 1
    return sorted(row, key=lambda tag: tag.start), left


def exact_tokens(text: str, tags: Iterable[Tagged]) -> list[Token]:
    """The tokens of a text, cut further where a stretch begins or ends inside one.

    So that every stretch without white space at its edges is a run of whole tokens.
    """
    cuts = sorted({edge for tag in tags for edge in (tag.start, tag.end)})
    parts: list[Token] = []
    for token in tokens(text):
        inside = cuts[bisect_right(cuts, token.start) : bisect_left(cuts, token.end)]
        edges = pairwise([token.start, *inside, token.end])
        parts += [Token(text[start:end], start, end) for start, end in edges]
    return parts


CONLL = "gold.conll"
TEXTS = "texts.jsonl"


def write_conll(folder: Path, out: Writing) -> None:
    """Write every sample whose entities stand."""
    with lines_into(folder / CONLL) as line, lines_into(folder / TEXTS) as write_text:
        for item in out.each(no_entities):
            text = item.sample.reference
            tags, left = flat(tagged_of(entities_of(item)), text)
            line(conll_lines(text, tags))
            write_text(compact({"id": item.sample.id, "text": text}) + "\n")
            if placeless := sum(not unit.spans for unit in entities_of(item)):
                out.left["unit without a place in the text"] += placeless
            out.left += left


def conll_lines(text: str, tags: list[Tagged]) -> str:
    """One text as lines of token, tab and tag."""
    lines = []
    index = 0
    for token in exact_tokens(text, tags):
        while index < len(tags) and tags[index].end <= token.start:
            index += 1
        tag = "O"
        if index < len(tags) and tags[index].start <= token.start:
            stretch = tags[index]
            word = "-".join(stretch.label.split()) or DEFAULT_LABEL
            tag = f"{'B' if token.start == stretch.start else 'I'}-{word}"
        lines.append(f"{token.text}\t{tag}\n")
    return "".join((*lines, "\n")) if lines else ""


TASKS = "tasks.jsonl"


def write_prodigy(folder: Path, out: Writing) -> None:
    """Write every sample whose entities stand as an accepted task of `spans_manual`, which lets spans nest.

    A place with white space at its edge is no run of tokens: it stands in the native row only.
    """
    with lines_into(folder / TASKS) as line:
        for item in out.each(no_entities):
            line(_prodigy_task(item, out.left) + "\n")


def _prodigy_task(item: ExportItem, left: Counter[str]) -> str:
    text = item.sample.reference
    every = tagged_of(entities_of(item))
    tags = [tag for tag in every if text[tag.start : tag.end].strip() == text[tag.start : tag.end]]
    if len(every) > len(tags):
        left["span begins or ends with white space"] += len(every) - len(tags)
    cut = _with_spaces(exact_tokens(text, tags), text)
    following = [*(token.start for token in cut[1:]), len(text)]
    listed = [  # `ws` says whether one blank follows: tokens and blanks put together are the text
        {"text": surface, "start": start, "end": end, "id": number, "ws": after > end}
        for number, ((surface, start, end), after) in enumerate(zip(cut, following, strict=False))
    ]
    starts = {token.start: number for number, token in enumerate(cut)}
    ends = {token.end: number for number, token in enumerate(cut)}
    spans = [  # `end` is exclusive and `token_end` inclusive, as Prodigy has it
        {
            "start": tag.start,
            "end": tag.end,
            "token_start": starts[tag.start],
            "token_end": ends[tag.end],
            "label": tag.label,
        }
        for tag in tags
    ]
    row = row_text(item, [tag[:3] for tag in tags])
    return object_text(
        [
            ("text", compact(text)),
            ("meta", object_text([("id", compact(item.sample.id)), (OBJECT, row)])),
            ("tokens", compact(listed)),
            ("spans", compact(spans)),
            ("answer", '"accept"'),
            ("_view_id", '"spans_manual"'),
        ]
    )


def _with_spaces(words: list[Token], text: str) -> list[Token]:
    """The tokens, and one for all white space that is more than the one blank behind a token, as in spaCy."""
    parts: list[Token] = []
    end = 0
    for word in (*words, Token("", len(text), len(text))):
        start = end + (bool(parts) and text[end : end + 1] == " ")
        if start < word.start:
            parts.append(Token(text[start : word.start], start, word.start))
        if word.text:
            parts.append(word)
        end = word.end
    return parts


STUDIO_TASKS = "tasks.json"
CONFIG = "labeling.xml"

_COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")


def write_label_studio(folder: Path, out: Writing) -> None:
    """Write every sample as a task: the proposal as a prediction, each annotator's gold as an annotation."""
    labels = dict.fromkeys([*(label_out(label.name) for label in out.about.labels), DEFAULT_LABEL])
    with list_into(folder / STUDIO_TASKS) as add:
        for item in out.each():
            add(_task(item, labels))
    config = rendered("labeling.xml", labels=zip(labels, cycle(_COLOURS), strict=False))
    (folder / CONFIG).write_text(config, encoding="utf-8", newline="\n")


def _task(item: ExportItem, labels: dict[str, None]) -> str:
    text = item.sample.reference
    wide = [index for index, char in enumerate(text) if char > "\uffff"]

    def offset(point: int) -> int:
        """How many UTF-16 units stand before an offset of the text."""
        return point + bisect_left(wide, point)

    predictions = []
    if item.proposal is not None and item.proposal.reference_entities is not None:
        predictions.append(_prediction(item.proposal, text, offset))
    annotations = []
    written: set[tuple[int, int, str]] = set()
    for record in item.records:
        if record.entities is not None:
            tags = tagged_of(record.entities)
            for tag in tags:
                labels.setdefault(tag.label)
            written.update(tag[:3] for tag in tags)
            annotations.append(_annotation(record, tags, text, offset))
    contexts = [  # as the paragraphs that the project shows
        {"number": str(number), "text": text} for number, text in enumerate(item.sample.retrieved_contexts, 1)
    ]
    data = [
        ("text", compact(text)),
        ("user_input", compact(item.sample.user_input)),
        ("retrieved_contexts", compact(contexts)),
        ("id", compact(item.sample.id)),
        (OBJECT, row_text(item, sorted(written))),
    ]
    return object_text(
        [
            ("data", object_text(data)),
            ("predictions", compact(predictions)),
            ("annotations", compact(annotations)),
        ]
    )


Offset = Callable[[int], int]


def _region(name: str, what: str, start: int, end: int, surface: str, chosen: str) -> JsonObject:
    """A marked stretch with its label, or the verdict on it."""
    kind = "labels" if what == "label" else "choices"
    return {
        "id": name,
        "from_name": what,
        "to_name": "text",
        "type": kind,
        "value": {"start": start, "end": end, "text": surface, kind: [chosen]},
    }


def _annotation(record: GoldRecord, tags: list[Tagged], text: str, offset: Offset) -> JsonObject:
    result: list[JsonObject] = []
    for number, tag in enumerate(tags, 1):
        marked = offset(tag.start), offset(tag.end), text[tag.start : tag.end]
        result.append(_region(f"r{number}", "label", *marked, tag.label))
        result.append(_region(f"r{number}", "verdict", *marked, tag.unit.match.verdict or "unsure"))
    made = {"result": result, "was_cancelled": False, "ground_truth": True, "annotator": record.named}
    return made if record.effort is None else {**made, "lead_time": record.effort.seconds}


def _prediction(proposal: Proposal, text: str, offset: Offset) -> JsonObject:
    """The proposed entities at every place where they stand; one that stands nowhere is left out."""
    result: list[JsonObject] = []
    for entity in proposal.reference_entities or ():
        for span in entity.spans or ground(entity.text, text):
            surface = span.of(text)
            name = f"p{len(result) + 1}"
            label = label_out(entity.label)
            result.append(_region(name, "label", offset(span.start), offset(span.end), surface, label))
    return {"model_version": proposal.model or proposal.proposer, "result": result}
