"""Traces of a retrieval pipeline, a span an object: OpenInference, OpenTelemetry, Langfuse and LangSmith.

A trace is one sample: the question is the input of its first span, the response that span's output, the
contexts are the documents of its retriever spans. A tracer keeps no reference answer, unless one stands in
the metadata. Spans of different traces stand mixed: what is read of them is held until the end of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.formats.columns import FIELD_OF, NAMES, value_at
from workbench.formats.json_lines import RawRow
from workbench.formats.readers.tools import (
    ANSWER,
    QUESTION,
    as_dict,
    contexts_in,
    dicts,
    numbers,
    opened,
    text_in,
)
from workbench.formats.rows import Notes, refused

_TRACE = ("context.trace_id", "traceId", "trace_id")
_ID = ("context.span_id", "spanId", "span_id", "id")
_PARENT = ("parent_id", "parentSpanId", "parent_span_id", "parentObservationId", "parent_run_id")
_KIND = (
    "attributes.openinference.span.kind",
    "attributes.gen_ai.operation.name",
    "span_kind",
    "run_type",
    "type",
)
_INPUT = ("attributes.input.value", "attributes.gen_ai.input.messages", "input", "inputs")
_OUTPUT = ("attributes.output.value", "attributes.gen_ai.output.messages", "output", "outputs")
_DOCUMENTS = ("attributes.retrieval.documents", "attributes.gen_ai.retrieval.documents")
_METADATA = ("attributes.metadata", "metadata", "extra.metadata")
_OF_FIRST = frozenset({*_INPUT, *_OUTPUT, *_METADATA, *(f"attributes.{name}" for name in NAMES["reference"])})
_FLAT = re.compile(r"attributes\.retrieval\.documents\.(\d+)\.document\.content")


def is_span(row: Mapping[str, Any]) -> bool:
    """Whether an object is a span, or holds spans."""
    if "resourceSpans" in row or type(row.get("observations")) is list:
        return True
    of_trace = any(value_at(row, name) is not None for name in _TRACE)
    return of_trace and any(name in row for name in (*_PARENT, "attributes", "span_kind", "run_type"))


@dataclass(slots=True)
class TraceSpan:
    """What is read of a span."""

    line: int
    item: int
    trace: str
    id: str
    parent: str
    input: Any
    output: Any
    documents: list[Any]
    metadata: dict[str, Any]
    scores: dict[str, Any]
    names: list[str]
    """What it has besides documents and the name of its trace."""


def trace_rows(given: Iterator[RawRow], path: Path, notes: Notes) -> Iterator[RawRow]:
    """A row for each trace, in the order in which they begin; an object that is no span is a bad row."""
    traces: dict[str, list[TraceSpan]] = {}
    for raw in given:
        if raw.value is None:
            yield raw
        try:
            for one in _spans(raw.value or {}, notes):
                span = _span(one, raw)
                traces.setdefault(span.trace, []).append(span)
        except RecursionError as error:
            yield replace(raw, value=None, error=refused(error, path, raw.line, raw.item))
    for name, spans in traces.items():
        ids = {span.id for span in spans}
        root = next((span for span in spans if span.parent not in ids), spans[0])
        for span in spans:
            notes.ignored.update(one for one in span.names if span is not root or one not in _OF_FIRST)
        value = {"id": name} | {key: one for key, one in root.metadata.items() if key in FIELD_OF}
        meta = {key: one for key, one in root.metadata.items() if key not in FIELD_OF}
        parts = (("user_input", "input", root.input, QUESTION), ("response", "output", root.output, ANSWER))
        for field, part, given_there, names in parts:
            text, rest = text_in(opened(given_there), names)
            if text is not None and not set(NAMES[field]).intersection(value):
                value[field] = text
            if rest:
                meta[part] = rest
        if documents := [one for span in spans for one in span.documents]:
            value["retrieved_contexts"] = documents
        if root.scores:
            value["scores"] = root.scores
        if meta:
            value["meta"] = meta
        if not set(NAMES["reference"]).intersection(value):
            notes.counted[
                "a trace without a reference answer: --map reference=KEY names one of its metadata, "
                "--map reference=response takes the response"
            ] += 1
        yield RawRow(root.line, value, json.dumps(value, ensure_ascii=False), None, root.item)


def _spans(row: dict[str, Any], notes: Notes) -> Iterator[dict[str, Any]]:
    """The spans that an object is or holds; attributes of OpenTelemetry's JSON as an object."""
    if "resourceSpans" not in row:
        yield row
        yield from dicts(row.get("observations"))
    for resource in dicts(row.get("resourceSpans")):
        for scope in dicts(resource.get("scopeSpans")):
            notes.ignored.update({*resource, *scope} - {"scopeSpans", "spans"})
            for span in dicts(scope.get("spans")):
                yield {**span, "attributes": _members(span.get("attributes"))}


def _members(pairs: Any) -> dict[str, Any]:
    return {str(one.get("key")): _plain(one.get("value")) for one in dicts(pairs)}


def _plain(value: Any) -> Any:
    """A value of OpenTelemetry's JSON, which names its type."""
    kind, inner = next(iter(as_dict(value).items()), ("", None))
    if kind == "arrayValue":
        return [_plain(one) for one in dicts(as_dict(inner).get("values"))]
    return _members(as_dict(inner).get("values")) if kind == "kvlistValue" else inner


def _span(row: dict[str, Any], given: RawRow) -> TraceSpan:
    def first(names: tuple[str, ...]) -> Any:
        return next((value for name in names if (value := value_at(row, name)) is not None), None)

    number = first(_ID)
    trace = first(_TRACE)
    output, documents = first(_OUTPUT), opened(first(_DOCUMENTS))
    attributes = as_dict(row.get("attributes"))
    names = [*row, *(f"attributes.{name}" for name in attributes)]
    if type(documents) is not list:
        flat = [(int(found[1]), name) for name in names if (found := _FLAT.fullmatch(name))]
        documents = [value_at(row, name) for _, name in sorted(flat)]
    if not documents and "retriev" in f"{first(_KIND)} {row.get('name')}".lower():
        answer = opened(output)
        documents = answer if type(answer) is list else contexts_in(as_dict(answer))[0] or []
        names = [name for name in names if name not in _OUTPUT]
    metadata = as_dict(opened(first(_METADATA)))
    for name in NAMES["reference"]:
        if (reference := value_at(row, f"attributes.{name}")) is not None:
            metadata = {**metadata, name: reference}
    around = {path.partition(".")[0] for path in (*_TRACE, *_METADATA)} - {"traceId", "trace_id", "metadata"}
    read = {*_TRACE, *_DOCUMENTS, *around, "observations", "scores"}
    kept = [name for name in names if name not in read and not _FLAT.fullmatch(name)]
    scores, others = numbers((one.get("name"), one.get("value")) for one in dicts(row.get("scores")))
    return TraceSpan(
        given.line,
        given.item,
        str(number if trace is None else trace),
        str(number),
        str(first(_PARENT)),
        first(_INPUT),
        output,
        documents,
        others | metadata,
        scores,
        [name for name in kept if value_at(row, name) is not None],
    )
