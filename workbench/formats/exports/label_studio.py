"""Label Studio tasks, and the project's XML that fits them: the text to mark, the contexts to judge by.

Its editor counts offsets in UTF-16 units, as JavaScript does; they differ from code points behind an emoji.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

from workbench.formats.exports.item import OBJECT, ExportItem, Surroundings, Wrote, list_into, row_text
from workbench.formats.exports.readme import rendered
from workbench.formats.exports.spans import DEFAULT_LABEL, Tagged, label_out, tagged_of
from workbench.model import GoldRecord, ProposedEntity, Span
from workbench.text.ground import ground
from workbench.text.lists import compact, object_text

TASKS = "tasks.json"
CONFIG = "labeling.xml"

_COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")


def write(folder: Path, items: Iterable[ExportItem], about: Surroundings) -> Wrote:
    """Write every sample as a task: the proposal as a prediction, each annotator's gold as an annotation."""
    wrote = Wrote()
    labels = dict.fromkeys([*(label_out(label.name) for label in about.labels), DEFAULT_LABEL])
    with list_into(folder / TASKS) as add:
        for item in items:
            add(_task(item, labels))
            wrote.rows += 1
    config = rendered("labeling.xml", labels=zip(labels, cycle(_COLOURS), strict=False))
    (folder / CONFIG).write_text(config, encoding="utf-8", newline="\n")
    return wrote


def _task(item: ExportItem, labels: dict[str, None]) -> str:
    text = item.sample.reference
    place = _utf16(text)
    proposed = item.proposal.reference_entities if item.proposal else None
    predictions = [] if proposed is None else [_prediction(item, proposed, place)]
    annotations = []
    written: list[tuple[Span, str]] = []
    for record in item.records:
        if record.entities is not None:
            found = tagged_of(record.entities)
            for one in found:
                labels.setdefault(one.label)
            written += [(Span(one.start, one.end), one.label) for one in found]
            annotations.append(_annotation(record, found, text, place))
    data = [
        ("text", compact(text)),
        ("user_input", compact(item.sample.user_input)),
        ("retrieved_contexts", compact(_contexts(item))),
        ("id", compact(item.sample.id)),
        (OBJECT, row_text(item, sorted(set(written), key=lambda one: (one[0].start, one[0].end, one[1])))),
    ]
    return object_text(
        [
            ("data", object_text(data)),
            ("predictions", compact(predictions)),
            ("annotations", compact(annotations)),
        ]
    )


def _contexts(item: ExportItem) -> list[dict[str, str]]:
    """The contexts as the paragraphs that the project shows."""
    contexts = item.sample.retrieved_contexts
    return [{"number": str(number), "text": text} for number, text in enumerate(contexts, 1)]


Offset = Callable[[int], int]


def _utf16(text: str) -> Offset:
    """Tells how many UTF-16 units stand before an offset of a text."""
    wide = [place for place, one in enumerate(text) if one > "\uffff"]
    return lambda offset: offset + bisect_left(wide, offset)


def _region(name: str, what: str, start: int, end: int, surface: str, chosen: str) -> dict[str, Any]:
    """A marked stretch with its label, or the verdict on it."""
    kind = "labels" if what == "label" else "choices"
    return {
        "id": name,
        "from_name": what,
        "to_name": "text",
        "type": kind,
        "value": {"start": start, "end": end, "text": surface, kind: [chosen]},
    }


def _annotation(
    record: GoldRecord, found: list[Tagged], text: str, place: Callable[[int], int]
) -> dict[str, Any]:
    result: list[dict[str, Any]] = []
    for number, one in enumerate(found, 1):
        marked = place(one.start), place(one.end), text[one.start : one.end]
        result.append(_region(f"r{number}", "label", *marked, one.label))
        result.append(_region(f"r{number}", "verdict", *marked, one.unit.match.verdict or "unsure"))
    value: dict[str, Any] = {
        "result": result, "was_cancelled": False, "ground_truth": True, "annotator": record.annotator,
    }  # fmt: skip
    if record.effort is not None:
        value["lead_time"] = record.effort.seconds
    return value


def _prediction(
    item: ExportItem, proposed: Iterable[ProposedEntity], place: Callable[[int], int]
) -> dict[str, Any]:
    """The proposed entities at every place where they stand; one that stands nowhere is left out."""
    text = item.sample.reference
    result: list[dict[str, Any]] = []
    for one in proposed:
        given = one.start is not None and one.end is not None
        spans = [Span(one.start or 0, one.end or 0)] if given else ground(one.text, text)
        for span in spans:
            surface = text[span.start : span.end]
            name = f"p{len(result) + 1}"
            label = label_out(one.label)
            result.append(_region(name, "label", place(span.start), place(span.end), surface, label))
    proposal = item.proposal
    assert proposal is not None
    return {"model_version": proposal.model or proposal.proposer, "result": result}
