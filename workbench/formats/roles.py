"""What becomes of each column of a file, said after its rows were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.formats import native, ours, ragas
from workbench.formats.columns import FIELD_OF, is_metric
from workbench.formats.mapping import Columns
from workbench.formats.rows import Notes

_TEXT = "reference"
_MARKS = "proposal, or gold where every span has a verdict"
_INSIDE = "names of fields are read, the rest goes to meta"
_OF_TOOLS: dict[str, Mapping[str, str]] = {
    "prodigy": {
        "text": _TEXT, "spans": _MARKS, "meta": _INSIDE, "tokens": "left out", "_annotator_id": "run",
        "answer": "accept, or its spans stay out", "_session_id": "run",
    },
    "label-studio": {
        "data": f"reference; {_INSIDE}", "annotations": _MARKS, "predictions": "proposal", "meta": _INSIDE,
        "text": _TEXT, "label": _MARKS, "annotator": "run", "completions": _MARKS,
    },
    "argilla": {
        "fields": f"reference; {_INSIDE}", "suggestions": "proposal", "responses": "proposal",
        "metadata": _INSIDE, "text": _TEXT, "vectors": "left out",
    },
    "doccano": {
        "text": _TEXT, "data": _TEXT, "label": _MARKS, "labels": _MARKS, "entities": _MARKS,
        "Comments": "meta", "relations": "left out",
    },
    "deepeval": {
        "metricsData": "external scores", "additional_metadata": "meta", "metadata": "meta",
        "additionalMetadata": "meta", "custom_column_key_values": "meta",
    },
    "ragas-annotations": {
        "metric_input": "user_input, reference, retrieved_contexts", "metric_output": "external score",
        "prompts": "proposal, and a second one as edited", "is_accepted": "counted", "target": "meta",
    },
    "ragas-traces": {
        "inputs": "user_input, reference, retrieved_contexts", "outputs": "external score, proposal",
        "run_id": "the tree", "parent_run_id": "the tree", "children": "left out", "metadata": "the tree",
        "name": "name of the metric",
    },
}  # fmt: skip
_NATIVE = {
    "proposal": "proposal", "gold": "gold", "scores": "external scores", "meta": "meta", "u": "u",
    "alternatives": "alternatives", "id": "id", "group": "group",
}  # fmt: skip


def becomes(names: Iterable[str], notes: Notes, columns: Columns) -> dict[str, str]:
    """What each column or key becomes in the dataset, in the order of the file."""
    there = list(names)
    exported = {name for name in there if ours.OBJECT in there and ours.is_exported(name)}
    return {
        name: "as it was exported" if name in exported else _becomes(name, notes, columns)
        for name in there
        if name != "_error"
    }


def _becomes(name: str, notes: Notes, columns: Columns) -> str:
    if name in columns.fields:
        return columns.fields[name]
    if name in columns.external:
        return f"external score ({columns.external[name]})"
    if name in columns.fields.values():
        return "meta (another column was named for it)"
    if name == ours.OBJECT:
        return "the row as it was exported"
    if (told := _OF_TOOLS.get(notes.format, {}).get(name)) is not None:
        return told
    if name in notes.ignored or (notes.format == "ragas" and ragas.is_index(name)):
        return "left out"
    if name.removeprefix(ours.EXTERNAL) in notes.scores or is_metric(name):
        return "external score"
    return FIELD_OF.get(name) or _NATIVE.get(name, "meta") if name not in native.REQUIRED else name
