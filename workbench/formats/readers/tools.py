"""Tables and records of evaluation tools: promptfoo, MLflow, Langfuse, LangSmith and TruLens.

Such a row keeps a question, an answer and contexts as texts, as objects under names of the user's own, or as
chat messages. Each reader takes them out under the names of a sample; what is left of the objects goes to
`meta`, what says them again is left out and named.

Traces of a retrieval pipeline have a span an object: OpenInference, OpenTelemetry, Langfuse and LangSmith.
A trace is one sample: the question is the input of its first span, the response that span's output, the
contexts are the documents of its retriever spans. A tracer keeps no reference answer, unless one stands in
the metadata. Spans of different traces stand mixed: what is read of them is held until the end of the file.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from workbench.errors import RowError
from workbench.formats.columns import (
    CONTEXT_LISTS,
    FIELD_OF,
    LEFT_OUT,
    NAMES,
    is_number,
    number_cell,
    value_at,
)
from workbench.formats.json_lines import RawRow, loads
from workbench.formats.readers import ragas
from workbench.formats.rows import Notes, check_texts, rest_of, wrong
from workbench.model import JsonObject, Record

_MESSAGE = ("text", "content", "parts", "message", "messages")
_ANSWER = (*NAMES["reference"], *NAMES["response"], "output", "outputs", *_MESSAGE, "result", "completion")
_NAMES = {"reference": _ANSWER, "response": _ANSWER}  # in objects of a tool, the better ones first
_NAMES["user_input"] = (*NAMES["user_input"], "inputs", "prompt", *_MESSAGE)


def as_dict(value: Any) -> JsonObject:
    """An object; an empty one for anything else."""
    return value if type(value) is dict else {}


def dicts(value: Any) -> list[JsonObject]:
    """The objects of a list; none of anything else."""
    return [mapping for mapping in value if type(mapping) is dict] if type(value) is list else []


_LONGEST = 1 << 18  # characters of a list or object that Python wrote


def opened(value: Any) -> Any:
    """The list or object that a text holds as JSON or as Python writes it; any other value as it is."""
    if type(value) is not str or value[:1] not in ("[", "{") or len(value) > _LONGEST:
        return value
    for read in (loads, lambda text: loads(json.dumps(ast.literal_eval(text)))):
        try:
            content = read(value)
            check_texts(content)
        except (RowError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
        return content if type(content) in (list, dict) else value
    return value


def cells_opened(cells: JsonObject) -> JsonObject:
    """A row of a table with the numbers, lists and objects that its cells hold."""
    row: JsonObject = {}
    for name, cell in cells.items():
        if type(cell) is list:  # the contexts of columns that a person named
            parts = [opened(part) for part in cell]
            row[name] = [text for part in parts for text in (part if type(part) is list else [part])]
        else:
            row[name] = opened(cell) if cell[:1] in ("[", "{") else number_cell(cell, name)
    return row


def text_in(value: Any, field: str) -> tuple[str | None, Any]:
    """The text that a value is, or has under the first name of a field, else as its only text; and what is
    left. Of chat messages it is the last one.
    """
    if type(value) is str:
        return value, None
    if type(value) is list:
        return (text_in(value[-1], field)[0], value) if value and type(value[-1]) is dict else (None, value)
    if type(value) is not dict:
        return None, value
    texts = [name for name, inner in value.items() if type(inner) is str and name != "role"]
    known = (name for name in _NAMES[field] if name in value)
    for name in (*known, *(texts if len(texts) == 1 else ())):
        text, rest = text_in(value[name], field)
        if text is not None:
            left = rest_of(value, {name})
            return text, left | ({name: rest} if rest else {})
    return None, value


def contexts_in(value: Any) -> tuple[list[Any] | None, Any]:
    """The contexts that an object has under one of their names, and what is left of it."""
    if type(value) is dict:
        for name in CONTEXT_LISTS:
            contexts = opened(value.get(name))
            if type(contexts) is list or (type(contexts) is str and contexts):
                left = rest_of(value, {name})
                return contexts if type(contexts) is list else [contexts], left
    return None, value


class _ToolRow:
    """What is left of a row of a tool, and the `fields` that it has under our own names, by `--map` too."""

    def __init__(self, row: JsonObject, notes: Notes) -> None:
        own = {name for name in NAMES if type(row.get(name)) in (str, list)}
        own.update(name for name in ("id", "group", "alternatives") if row.get(name) is not None)
        self.left = rest_of(row, own | {"_error"})
        self.fields = {name: row[name] for name in own}
        self.notes = notes

    def take(self, field: str, *parts: str) -> None:
        """Put the text of the first part that has one, and contexts in them, under names of fields; the rest
        stays there."""
        for part in parts:
            value = self.take_contexts(opened(self.left.get(part)))
            if field not in self.fields:
                known = type(value) is not dict or any(name in value for name in _NAMES[field])
                text, value = text_in(value, field)
                if text is not None:
                    self.fields[field] = text
                    if not known:
                        self.notes.counted[f"the only text of {part} was taken as {field}"] += 1
            self.left[part] = value or None

    def take_contexts(self, value: Any) -> Any:
        """What is left of a value without the contexts that it has under one of their names; all of it where
        they are known already."""
        if "retrieved_contexts" in self.fields:
            return value
        contexts, rest = contexts_in(value)
        if contexts is not None:
            self.fields["retrieved_contexts"] = contexts
        return rest

    def record(self, tool: str) -> Record:
        """The record of the fields; the rest of the row goes to `meta`, but for what says them again."""
        self.take("reference", *NAMES["reference"])
        there = {name: value for name, value in self.left.items() if value is not None}
        left_out = LEFT_OUT.get(tool, frozenset())
        self.notes.ignored.update(left_out & there.keys())
        meta = rest_of(there, left_out)
        return ragas.record_of(self.fields, self.notes, meta=meta)


def numbers(pairs: Iterable[tuple[Any, Any]]) -> tuple[JsonObject, JsonObject]:
    """Scores by their names, None for one that failed; and the values that are no numbers."""
    given = {str(name): score for name, score in pairs if name}
    read = {name: number_cell(score, name) for name, score in given.items()}
    scores = {name: score for name, score in read.items() if is_number(score) or score is None}
    return scores, rest_of(given, scores)


def is_promptfoo(row: JsonObject) -> bool:
    """Whether a row is the result of a test."""
    return type(row.get("vars")) is dict and not {"gradingResult", "promptIdx", "testIdx"}.isdisjoint(row)


_EXPECTED = ("context-recall", "factuality", "similar", "equals", "model-graded-factuality")


def promptfoo_record(row: JsonObject, notes: Notes) -> Record:
    """The record of a result: variables, the answer, the reference of an assertion, a score of each."""
    taken = _ToolRow(row, notes)
    row, fields = taken.left, taken.fields
    parts = dicts(as_dict(row.get("gradingResult")).get("componentResults"))
    asserted = [as_dict(part.get("assertion")) for part in parts]
    scores = [
        (a.get("metric") or a.get("type"), part.get("score")) for a, part in zip(asserted, parts, strict=True)
    ]
    fields["scores"] = numbers(scores)[0] | numbers(as_dict(row.get("namedScores")).items())[0]
    for name in NAMES["reference"]:
        if type(text := as_dict(row.get("vars")).get(name)) is str:
            fields["reference"], row["vars"] = text, rest_of(row["vars"], {name})
    asserted += dicts(as_dict(row.get("testCase")).get("assert"))
    for kind in _EXPECTED if "reference" not in fields else ():
        values = (assertion.get("value") for assertion in asserted if assertion.get("type") == kind)
        if type(value := next(values, None)) is str:
            fields["reference"] = value
            notes.counted[f"the reference is the value of an assertion of type {kind}"] += 1
            break
    taken.take("user_input", "vars")
    taken.take("response", "response")
    return taken.record("promptfoo")


_MLFLOW = re.compile(r"(?P<name>.+)/v\d+/(?P<what>score|justification)")


def is_mlflow(row: JsonObject) -> bool:
    """Whether a row is of an evaluation table, or of a dataset with expectations."""
    others = {"predictions", "targets", "ground_truth", "expectations"}
    return any(map(_MLFLOW.fullmatch, row)) or ("inputs" in row and not others.isdisjoint(row))


def mlflow_record(row: JsonObject, notes: Notes) -> Record:
    """The record of a row of `eval_results_table.json`; the score of each metric has its name there."""
    taken = _ToolRow(row, notes)
    row = taken.left
    scored = [name for name in row if name.endswith("/score") and _MLFLOW.fullmatch(name)]
    taken.fields["scores"], others = numbers([(name, row.pop(name)) for name in scored])
    taken.left = taken.take_contexts(row | others)
    taken.take("user_input", "inputs", *NAMES["user_input"])
    taken.take("reference", "targets", "target", "expectations")
    taken.take("response", "outputs", "predictions", "prediction", *NAMES["response"])
    return taken.record("mlflow")


def is_langfuse(row: JsonObject) -> bool:
    """Whether a row is an item of a dataset."""
    return "input" in row and not {"datasetId", "dataset_id", "datasetName", "sourceTraceId"}.isdisjoint(row)


def langfuse_record(row: JsonObject, notes: Notes) -> Record:
    """The record of an item of a dataset."""
    taken = _ToolRow(row, notes)
    taken.take("user_input", "input")
    taken.take("reference", "expectedOutput", "expected_output")
    taken.left["metadata"] = taken.take_contexts(opened(taken.left.get("metadata"))) or None
    return taken.record("langfuse")


_PARTS = ("inputs", "outputs", "reference_outputs", "reference", "feedback")


def is_langsmith(row: JsonObject) -> bool:
    """Whether a row is an example of a dataset, or a row of an experiment."""
    dotted = {name.partition(".")[0] for name in row if "." in name}
    if "inputs" in dotted:
        return not {"outputs", "reference", "feedback"}.isdisjoint(dotted)
    parts = [opened(row[name]) for name in ("inputs", "outputs") if name in row]
    return (
        len(parts) == 2
        and {"expectations", "run_id", "run_type"}.isdisjoint(row)  # MLflow, ragas, a trace
        and all(type(part) in (dict, type(None)) for part in parts)
    )


def langsmith_record(row: JsonObject, notes: Notes) -> Record:
    """The record of an example, whose outputs are the reference, or of a row of an experiment."""
    parts: JsonObject = {name: opened(row[name]) for name in _PARTS if row.get(name) is not None}
    rest: JsonObject = {}
    for name, value in row.items():
        part, dot, key = name.partition(".")
        if dot and part in _PARTS and type(parts.setdefault(part, {})) is dict:
            parts[part] = {**parts[part], key: opened(value)}
        elif name not in _PARTS:
            rest[name] = value
    taken = _ToolRow(rest | parts, notes)
    if type(feedback := taken.left.get("feedback")) is dict:
        taken.fields["scores"], others = numbers(feedback.items())
        taken.left["feedback"] = others or None
    taken.take("user_input", "inputs")
    taken.take("reference", "reference_outputs", *NAMES["reference"])
    is_example = "reference" not in taken.fields
    taken.take("reference" if is_example else "response", "outputs")
    taken.left["metadata"] = taken.take_contexts(opened(taken.left.get("metadata"))) or None
    if is_example:
        notes.counted["the reference is the output of an example, not the answer of a run"] += 1
    return taken.record("langsmith")


def is_trulens(row: JsonObject) -> bool:
    """Whether a row is a record with its feedback."""
    return "record_id" in row and {"input", "output"} <= row.keys()


def trulens_record(row: JsonObject, notes: Notes) -> Record:
    """The record of a record: contexts and reference from the calls of the feedback functions."""
    taken = _ToolRow(row, notes)
    row, fields = taken.left, taken.fields
    names = [name.removesuffix("_calls") for name in row if name.endswith("_calls")]
    calls = [call for name in names for call in dicts(opened(row.pop(f"{name}_calls")))]
    fields["scores"], others = numbers((name, row.pop(name)) for name in names if name in row)
    row |= others
    fields["id"] = row.pop("record_id", None)
    taken.take("user_input", "input")
    taken.take("response", "output")
    contexts: dict[str, None] = {}
    for call in calls:
        arguments, more = as_dict(call.get("args")), as_dict(call.get("meta"))
        context = arguments.get("context", arguments.get("source"))
        texts = context if type(context) is list else [context]
        contexts.update((text, None) for text in texts if type(text) is str)
        if type(more.get("ground_truth_response")) is str:
            fields.setdefault("reference", more["ground_truth_response"])
    if contexts and "retrieved_contexts" not in fields:
        fields["retrieved_contexts"] = list(contexts)
        notes.counted["the contexts are those that a feedback function was called with"] += 1
    notes.ignored.update(f"{name}_calls" for name in names)
    return taken.record("trulens")


_TRACE = ("context.trace_id", "traceId", "trace_id")
_ID = ("context.span_id", "spanId", "span_id", "id")
_PARENT = ("parent_id", "parentSpanId", "parent_span_id", "parentObservationId", "parent_run_id")
_KIND = (
    "attributes.openinference.span.kind", "attributes.gen_ai.operation.name", "span_kind", "run_type", "type",
)  # fmt: skip
_INPUT = ("attributes.input.value", "attributes.gen_ai.input.messages", "input", "inputs")
_OUTPUT = ("attributes.output.value", "attributes.gen_ai.output.messages", "output", "outputs")
_DOCUMENTS = ("attributes.retrieval.documents", "attributes.gen_ai.retrieval.documents")
_METADATA = ("attributes.metadata", "metadata", "extra.metadata")
_OUTER = ("context", "attributes", "extra")
_READ = frozenset(
    {*_TRACE, *_INPUT, *_OUTPUT, *_DOCUMENTS, *_METADATA, *_OUTER, "observations", "scores"}
    | {f"attributes.{name}" for name in NAMES["reference"]}
)
_FLAT = re.compile(r"attributes\.retrieval\.documents\.(\d+)\.document\.content")


def is_span(row: JsonObject) -> bool:
    """Whether an object is a span, or holds spans."""
    if "resourceSpans" in row or type(row.get("observations")) is list:
        return True
    of_trace = any(value_at(row, name) is not None for name in _TRACE)
    return of_trace and any(name in row for name in (*_PARENT, "attributes", "span_kind", "run_type"))


@dataclass(slots=True)
class TraceSpan:
    """What is read of a span."""

    given: RawRow
    trace: str
    id: str
    parent: str
    input: Any
    output: Any
    documents: list[Any]
    metadata: JsonObject
    scores: JsonObject


def trace_rows(given: Iterator[RawRow], notes: Notes) -> Iterator[RawRow]:
    """A row for each trace, in the order in which they begin; an object that is no span is a bad row.

    Spans without the id of a trace or their own are a trace of the object that they stand in.
    """
    traces: dict[str | int, list[TraceSpan]] = {}
    for place, raw in enumerate(given):
        if raw.value is None:
            yield raw
            continue
        try:
            for row in _spans(raw.value, notes):
                span = _span(row, raw, notes)
                traces.setdefault(span.trace or place, []).append(span)
        except RecursionError as error:
            yield raw._replace(value=None, error=error)
    for name, spans in traces.items():
        ids = {span.id for span in spans}
        root = next((span for span in spans if span.parent not in ids), spans[0])
        value: JsonObject = {"id": name} if type(name) is str else {}
        meta: JsonObject = {}
        for key, entry in root.metadata.items():
            (value if key in FIELD_OF else meta)[key] = entry
        for field, part, there in (("user_input", "input", root.input), ("response", "output", root.output)):
            text, rest = text_in(opened(there), field)
            if text is not None and not set(NAMES[field]).intersection(value):
                value[field] = text
            if rest:
                meta[part] = rest
        documents = [document for span in spans for document in span.documents]
        parts = (("retrieved_contexts", documents), ("scores", root.scores), ("meta", meta))
        value |= {field: there for field, there in parts if there}
        yield root.given._replace(value=value, raw=json.dumps(value, ensure_ascii=False))


def trace_record(row: JsonObject, notes: Notes) -> Record:
    """The record of the row of a trace. Raises RowError."""
    if row.keys().isdisjoint(NAMES["reference"]):
        expected = "a reference answer: --map reference=meta.KEY takes one of the metadata, "
        raise wrong("reference", None, f"{expected}--map reference=response the response")
    return ragas.record_of(row, notes)


def _spans(row: JsonObject, notes: Notes) -> Iterator[JsonObject]:
    """The spans that an object is or holds; attributes of OpenTelemetry's JSON as an object."""
    if "resourceSpans" not in row:
        yield row
        yield from dicts(row.get("observations"))
    for resource in dicts(row.get("resourceSpans")):
        for scope in dicts(resource.get("scopeSpans")):
            notes.ignored.update({*resource, *scope} - {"scopeSpans", "spans"})
            for span in dicts(scope.get("spans")):
                yield {**span, "attributes": _members(span.get("attributes"))}


def _members(pairs: Any) -> JsonObject:
    return {str(mapping.get("key")): _plain(mapping.get("value")) for mapping in dicts(pairs)}


def _plain(value: Any) -> Any:
    """A value of OpenTelemetry's JSON, which names its type."""
    kind, inner = next(iter(as_dict(value).items()), ("", None))
    if kind == "arrayValue":
        return [_plain(mapping) for mapping in dicts(as_dict(inner).get("values"))]
    return _members(as_dict(inner).get("values")) if kind == "kvlistValue" else inner


def _span(row: JsonObject, given: RawRow, notes: Notes) -> TraceSpan:
    def first(names: Iterable[str]) -> Any:
        return next((value for name in names if (value := value_at(row, name)) is not None), None)

    number, trace, output = first(_ID), first(_TRACE), first(_OUTPUT)
    inside = (f"{outer}.{name}" for outer in _OUTER for name in as_dict(row.get(outer)))
    names = [*row, *inside]
    flat = sorted((int(match[1]), name) for name in names if (match := _FLAT.fullmatch(name)))
    documents = opened(first(_DOCUMENTS))
    if type(documents) is not list:
        documents = [value_at(row, name) for _, name in flat]
    if not documents and "retriev" in f"{first(_KIND)} {row.get('name')}".lower():
        answer = opened(output)
        documents = answer if type(answer) is list else contexts_in(as_dict(answer))[0] or []
    metadata = dict(as_dict(opened(first(_METADATA))))
    for name in NAMES["reference"]:
        if (reference := value_at(row, f"attributes.{name}")) is not None:
            metadata[name] = reference
    read = _READ.union(name for _, name in flat)
    notes.ignored.update(name for name in names if name not in read and value_at(row, name) is not None)
    scores, others = numbers((score.get("name"), score.get("value")) for score in dicts(row.get("scores")))
    return TraceSpan(
        given._replace(value=None, raw=""),  # of every span until the file ends: its place alone
        next((str(name) for name in (trace, number) if name is not None), ""),
        str(number),
        str(first(_PARENT) or ""),
        first(_INPUT),
        output,
        documents,
        others | metadata,
        scores,
    )
