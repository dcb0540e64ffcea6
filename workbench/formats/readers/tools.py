"""Tables and records of evaluation tools: promptfoo, MLflow, Langfuse, LangSmith and TruLens.

Such a row keeps a question, an answer and contexts as texts, as objects under names of the user's own, or as
chat messages. Each reader takes them out under the names of a sample; what is left of the objects goes to
`meta`, what says them again is left out and named.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.errors import RowError
from workbench.formats.columns import BECOMES, CONTEXT_LISTS, NAMES, is_number, number_cell
from workbench.formats.json_lines import loads
from workbench.formats.readers import ragas
from workbench.formats.rows import TEXT_LIMIT, Notes
from workbench.model import Record

QUESTION = (*NAMES["user_input"], "inputs", "prompt", "text", "content", "message", "messages")
ANSWER = (
    *NAMES["reference"],
    *NAMES["response"],
    "output",
    "outputs",
    "text",
    "content",
    "result",
    "completion",
)


def opened(value: Any) -> Any:
    """The list or object that a cell holds as JSON or as Python writes it; any other value as it is."""
    if type(value) is not str or value[:1] not in ("[", "{") or len(value) > TEXT_LIMIT:
        return value
    try:
        return loads(value)
    except (RowError, RecursionError):
        pass
    try:
        found = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return found if type(found) in (list, dict) else value


def cells_opened(cells: dict[str, Any]) -> dict[str, Any]:
    """A row of a table with the numbers, lists and objects that its cells hold."""
    return {
        name: opened(cell) if cell[:1] in ("[", "{") else number_cell(cell, name)
        for name, cell in cells.items()
        if type(cell) is str
    } | {name: cell for name, cell in cells.items() if type(cell) is not str}


def text_in(value: Any, names: Iterable[str]) -> tuple[str | None, Any]:
    """The text that a value is, or has under the first of `names`, else as its only text; and what is left.

    Of chat messages it is the last one.
    """
    if type(value) is str:
        return value, None
    if type(value) is list:
        return (text_in(value[-1], names)[0], value) if value and type(value[-1]) is dict else (None, value)
    if type(value) is not dict:
        return None, value
    texts = [name for name, inner in value.items() if type(inner) is str and name != "role"]
    for name in (*(name for name in names if name in value), *(texts if len(texts) == 1 else ())):
        text, rest = text_in(value[name], names)
        if text is not None:
            left = {key: inner for key, inner in value.items() if key != name}
            return text, left | ({name: rest} if rest else {})
    return None, value


def contexts_in(value: Any) -> tuple[list[Any] | None, Any]:
    """The contexts that an object has under one of their names, and what is left of it."""
    if type(value) is dict:
        for name in CONTEXT_LISTS:
            found = opened(value.get(name))
            if type(found) in (list, str) and found:
                left = {key: inner for key, inner in value.items() if key != name}
                return found if type(found) is list else [found], left
    return None, value


def take(row: dict[str, Any], fields: dict[str, Any], part: str, field: str, names: Iterable[str]) -> None:
    """Put the text of a part of a row under the name of a field, and any contexts; the part keeps the rest."""
    value = opened(row.get(part))
    if "retrieved_contexts" not in fields:
        contexts, value = contexts_in(value)
        if contexts is not None:
            fields["retrieved_contexts"] = contexts
    if field and field not in fields:
        text, value = text_in(value, names)
        if text is not None:
            fields[field] = text
    row[part] = value or None


def record(tool: str, row: dict[str, Any], fields: dict[str, Any], notes: Notes) -> Record:
    """The record of the fields of a row; the rest of the row goes to `meta`, but for what says them again."""
    told = BECOMES[tool]
    given = {name for name in (*NAMES, "id", "group", "alternatives", "scores", "meta") if name in row}
    meta = {}
    for name, value in row.items():
        if value is None or name in given or name == "_error":
            continue
        if told.get(name) == "left out":
            notes.ignored[name] += 1
        else:
            meta[name] = value
    fields = {**fields, **{name: row[name] for name in given}}
    return ragas.record_of(
        {name: value for name, value in fields.items() if value is not None}, notes, meta=meta
    )


def numbers(pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """Scores by their names; nothing for one that is no number."""
    return {name: score for name, score in pairs if type(name) is str and (is_number(score) or score is None)}


def is_promptfoo(row: Mapping[str, Any]) -> bool:
    """Whether a row is the result of a test."""
    return type(row.get("vars")) is dict and not {"gradingResult", "promptIdx", "testIdx"}.isdisjoint(row)


_EXPECTED = ("context-recall", "factuality", "similar", "equals", "model-graded-factuality")


def promptfoo_record(row: dict[str, Any], notes: Notes) -> Record:
    """The record of a result: variables, the answer, the reference of an assertion, a score of each."""
    row, fields = dict(row), dict[str, Any]()
    grading = row.get("gradingResult") or {}
    parts = [one for one in grading.get("componentResults") or () if type(one) is dict]
    asserted = [one["assertion"] for one in parts if type(one.get("assertion")) is dict]
    asserted += [one for one in (row.get("testCase") or {}).get("assert") or () if type(one) is dict]
    take(row, fields, "vars", "user_input", QUESTION)
    for name in NAMES["reference"]:
        if type(row["vars"]) is dict and type(row["vars"].get(name)) is str:
            fields["reference"] = row["vars"].pop(name)
    for kind in _EXPECTED if "reference" not in fields else ():
        value = next((one.get("value") for one in asserted if one.get("type") == kind), None)
        if type(value) is str:
            fields["reference"] = value
            notes.counted[f"the reference is the value of an assertion of type {kind}"] += 1
            break
    take(row, fields, "response", "response", ANSWER)
    scores = (
        (one["assertion"].get("metric") or one["assertion"].get("type"), one.get("score"))
        for one in parts
        if type(one.get("assertion")) is dict
    )
    fields["scores"] = numbers(scores) | numbers((row.get("namedScores") or {}).items())
    return record("promptfoo", row, fields, notes)


_MLFLOW = re.compile(r"(?P<name>.+)/v\d+/(?P<what>score|justification)")


def is_mlflow(row: Mapping[str, Any]) -> bool:
    """Whether a row is of an evaluation table."""
    texts = {
        name for name in ("inputs", "outputs", "predictions", "targets") if type(row.get(name)) is not dict
    }
    return any(_MLFLOW.fullmatch(name) for name in row) or len(texts.intersection(row)) > 1


def mlflow_record(row: dict[str, Any], notes: Notes) -> Record:
    """The record of a row of `eval_results_table.json`; the score of each metric under its name there."""
    row, fields = dict(row), dict[str, Any]()
    scored = {
        name: row.pop(name) for name in list(row) if name.endswith("/score") and _MLFLOW.fullmatch(name)
    }
    fields["scores"] = numbers(
        (name, number_cell(score, name) if type(score) is str else score) for name, score in scored.items()
    )
    for part in ("inputs", *NAMES["user_input"]):
        take(row, fields, part, "user_input", QUESTION)
    for part in ("targets", "target", "expectations", *NAMES["reference"]):
        take(row, fields, part, "reference", (*ANSWER, "expected_response"))
    for part in ("outputs", "predictions", "prediction", *NAMES["response"]):
        take(row, fields, part, "response", ANSWER)
    contexts, row = contexts_in(row)
    return record("mlflow", row, fields | ({"retrieved_contexts": contexts} if contexts else {}), notes)


def is_langfuse(row: Mapping[str, Any]) -> bool:
    """Whether a row is an item of a dataset."""
    return "input" in row and not {"datasetId", "dataset_id", "datasetName", "sourceTraceId"}.isdisjoint(row)


def langfuse_record(row: dict[str, Any], notes: Notes) -> Record:
    """The record of an item of a dataset."""
    row, fields = dict(row), dict[str, Any]()
    take(row, fields, "input", "user_input", QUESTION)
    for part in ("expectedOutput", "expected_output"):
        take(row, fields, part, "reference", ANSWER)
    take(row, fields, "metadata", "", ())
    return record("langfuse", row, fields, notes)


_PARTS = ("inputs", "outputs", "reference_outputs", "reference", "feedback")


def is_langsmith(row: Mapping[str, Any]) -> bool:
    """Whether a row is an example of a dataset, or a row of an experiment."""
    dotted = {name.partition(".")[0] for name in row if "." in name}
    return ("inputs" in dotted and not {"outputs", "reference", "feedback"}.isdisjoint(dotted)) or (
        {"inputs", "outputs"} <= row.keys()
        and all(type(opened(row[name])) in (dict, type(None)) for name in ("inputs", "outputs"))
    )


def langsmith_record(row: dict[str, Any], notes: Notes) -> Record:
    """The record of an example, whose outputs are the reference, or of a row of an experiment, which has both."""
    parts: dict[str, Any] = {name: opened(row[name]) for name in _PARTS if row.get(name) is not None}
    rest: dict[str, Any] = {}
    for name, value in row.items():
        part, dot, key = name.partition(".")
        if dot and part in _PARTS and value is not None:
            parts.setdefault(part, {})[key] = opened(value)
        elif name not in _PARTS:
            rest[name] = value
    fields: dict[str, Any] = {}
    if type(feedback := parts.pop("feedback", None)) is dict:
        fields["scores"] = numbers(feedback.items())
    row = rest | parts
    take(row, fields, "inputs", "user_input", QUESTION)
    for part in ("reference_outputs", "reference"):
        take(row, fields, part, "reference", ANSWER)
    is_example = "reference" not in fields
    take(row, fields, "outputs", "reference" if is_example else "response", ANSWER)
    if is_example:
        notes.counted["the reference is the output of an example, not the answer of a run"] += 1
    return record("langsmith", row, fields, notes)


def is_trulens(row: Mapping[str, Any]) -> bool:
    """Whether a row is a record with its feedback."""
    return "record_id" in row and {"input", "output"} <= row.keys()


def trulens_record(row: dict[str, Any], notes: Notes) -> Record:
    """The record of a record: contexts and reference from the calls of the feedback functions."""
    row, fields = dict(row), dict[str, Any]()
    calls = {
        name.removesuffix("_calls"): opened(row.pop(name)) for name in list(row) if name.endswith("_calls")
    }
    each = [call for found in calls.values() if type(found) is list for call in found if type(call) is dict]
    fields["scores"] = numbers((name, row.pop(name)) for name in calls if name in row)
    fields["id"] = row.pop("record_id")
    take(row, fields, "input", "user_input", QUESTION)
    take(row, fields, "output", "response", ANSWER)
    contexts: dict[str, None] = {}
    for call in each:
        arguments, more = call.get("args"), call.get("meta")
        found = arguments.get("context", arguments.get("source")) if type(arguments) is dict else None
        contexts.update(
            (text, None) for text in (found if type(found) is list else [found]) if type(text) is str
        )
        if type(more) is dict and type(more.get("ground_truth_response")) is str:
            fields["reference"] = more["ground_truth_response"]
    if contexts:
        fields["retrieved_contexts"] = list(contexts)
    notes.ignored.update(f"{name}_calls" for name in calls)
    return record("trulens", row, fields, notes)
