"""Argilla, doccano, Label Studio and Prodigy: the spans of each tool as regions of a text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from workbench.errors import RowError
from workbench.formats.readers import annotated
from workbench.formats.readers.annotated import Region
from workbench.formats.rows import (
    Notes,
    RowPart,
    as_list,
    as_object,
    excerpt,
    one_of,
    optional_object,
    part,
    rest_of,
    shown,
    wrong,
)
from workbench.model import VERDICTS, JsonObject, Record, Sample, Verdict

_ARGILLA_KEYS = frozenset(
    {"id", "fields", "metadata", "suggestions", "responses", "vectors", "_server_id", "status"}
)


def is_argilla(row: JsonObject) -> bool:
    """Whether a row is a record, nested or as `to_datasets` flattens it."""
    if type(row.get("fields")) is dict:
        return any(type(row.get(key)) is dict for key in ("suggestions", "responses", "metadata"))
    return any(name.endswith((".suggestion", ".responses")) for name in row)


def _has_objects(value: Any, *keys: str) -> bool:
    """Whether a value is a list with an object that has these keys."""
    return type(value) is list and any(
        type(entry) is dict and all(key in entry for key in keys) for entry in value
    )


def argilla_record(row: JsonObject, notes: Notes) -> Record:
    """The record of an Argilla record. Raises RowError."""
    if "fields" not in row:
        row = _nested(row)
    fields, metadata = optional_object(row, "fields"), optional_object(row, "metadata")
    sets = list(_answers(row, notes))
    RowPart(row, "").ignore(_ARGILLA_KEYS, notes)
    name = annotated.text_of(fields, "fields")
    rest = rest_of(fields, {name})
    return annotated.record("argilla", fields[name], ({"id": row.get("id")}, rest, metadata), sets, notes)


def _answers(row: JsonObject, notes: Notes) -> Iterator[annotated.AnnotationSet]:
    """The spans that models suggested and people answered."""
    for question, answer in optional_object(row, "suggestions").items():
        where = f"suggestions.{question}"
        as_object(answer, where, "an object with value")
        if (regions := _argilla_regions(answer.get("value"), f"{where}.value", notes)) is not None:
            yield annotated.AnnotationSet(regions, _name(answer.get("agent")), human=False)
    for question, answers in optional_object(row, "responses").items():
        where = f"responses.{question}"
        if type(answers) is not list:
            raise wrong(where, answers, "a list of objects with value")
        for index, answer in enumerate(answers):
            path = f"{where}[{index}]"
            if as_object(answer, path, "an object with value").get("status") in ("draft", "discarded"):
                notes.counted[f"{answer['status']} responses: their spans did not come in"] += 1
            elif (regions := _argilla_regions(answer.get("value"), f"{path}.value", notes)) is not None:
                yield annotated.AnnotationSet(regions, _name(answer.get("user_id")))


def _argilla_regions(value: Any, where: str, notes: Notes) -> list[Region] | None:
    """The spans of an answer; None for an answer to a question of another kind."""
    if type(value) is not list or not all(type(span) is dict for span in value):
        notes.ignored[where.split("[")[0]] += 1
        return None
    regions = []
    for index, span in enumerate(value):
        path = f"{where}[{index}]"
        label = span.get("label")
        if type(label) is not str:
            raise wrong(f"{path}.label", label, "a string")
        regions.append(
            Region(
                *RowPart(span, path).ends(), label, span["text"] if type(span.get("text")) is str else None
            )
        )
    return regions


def _nested(row: JsonObject) -> JsonObject:
    """A flattened record as a nested one: columns NAME.suggestion, NAME.responses, NAME.responses.users, …"""
    nested: JsonObject = {"fields": {}, "suggestions": {}, "responses": {}, "id": row.get("id")}
    for name, value in row.items():
        question, dot, part = name.partition(".")
        if not dot:
            if name not in ("id", "status", "_server_id", "_error"):
                nested["fields"][name] = value
        elif part == "suggestion" and value is not None:
            agent = row.get(f"{question}.suggestion.agent")
            nested["suggestions"][question] = {"value": value, "agent": agent}
        elif part == "responses" and value is not None:
            lists = [value, *(row.get(f"{question}.responses.{part}") or [] for part in ("users", "status"))]
            if any(type(answers) is not list for answers in lists):
                raise wrong(name, value, "a list")
            answers = zip_longest(*lists)
            nested["responses"][question] = [
                dict(zip(("value", "user_id", "status"), answer, strict=True)) for answer in answers
            ][: len(value)]
    return nested


_DOCCANO_LISTS = ("label", "labels", "entities")
_DOCCANO_KEYS = frozenset({*_DOCCANO_LISTS, "Comments", "relations", "_error"})


def is_doccano(row: JsonObject) -> bool:
    """Whether a row is a document with a list of labels."""
    if type(row.get("text", row.get("data"))) is not str:
        return False
    for key in _DOCCANO_LISTS:
        value = row.get(key)
        if _has_objects(value, "start_offset", "end_offset"):
            return True
        if type(value) is list and all(type(label) is list and len(label) == 3 for label in value):
            return bool(value) or "Comments" in row
    return False


def doccano_record(row: JsonObject, notes: Notes) -> Record:
    """The record of a document. Raises RowError."""
    name = annotated.text_of(row, "text", ("text", "data", "reference"))
    regions: list[Region] = []
    lists = [key for key in _DOCCANO_LISTS if row.get(key) is not None]
    for key in lists:
        for number, span in enumerate(as_list(row[key], key)):
            where = f"{key}[{number}]"
            if type(span) is list and len(span) == 3:
                start, end, label = span
            elif type(span) is dict:
                start, end, label = (span.get(name) for name in ("start_offset", "end_offset", "label"))
            else:
                expected = "[start, end, label], or an object with start_offset, end_offset and label"
                raise wrong(where, span, expected)
            if type(label) is not str:
                raise wrong(f"{where}.label", label, "a string")
            offsets = RowPart({"start": start, "end": end}, where)
            regions.append(Region(*offsets.ends(), label))
    other = rest_of(row, _DOCCANO_KEYS | {name})
    if row.get("relations"):
        notes.counted["relations between spans: left out"] += 1
    if row.get("Comments"):
        other["Comments"] = row["Comments"]
    sets = [annotated.AnnotationSet(regions)] if lists else []
    return annotated.record("doccano", row.get(name), (other,), sets, notes)


_FILE = re.compile(
    r"\s*(?:(?:[a-z][a-z0-9+.-]*://|data:|/data/|/static/)\S*"
    r"|\S+\.(?:bmp|gif|jpe?g|png|svg|tiff?|webp|aac|flac|m4a|mp3|ogg|wav|avi|mov|mp4|webm|pdf))\s*",
    re.IGNORECASE,
)
_OF_PICTURES = re.compile(
    r"(?:bitmask|brush|ellipse|keypoint|polygon|rectangle|timeline|timeseries|vector|video)\w*"
)
_LABEL_STUDIO_KEYS = frozenset({"id", "data", "meta", "annotations", "completions", "predictions", "_error"})


def is_label_studio(row: JsonObject) -> bool:
    """Whether a row is a task, or one of the short export."""
    if type(row.get("data")) is dict:
        return any(type(row.get(key)) is list for key in ("annotations", "predictions", "completions"))
    return "annotation_id" in row or any(_has_objects(v, "start", "end", "labels") for v in row.values())


def label_studio_record(row: JsonObject, notes: Notes) -> Record:
    """The record of a task, or of a row of the short export (JSON_MIN). Raises RowError."""
    if "data" not in row:
        return _short(row, notes)
    data = as_object(row["data"], "data")
    meta = optional_object(row, "meta")
    RowPart(row, "").ignore(_LABEL_STUDIO_KEYS, notes)
    sets = list(_sets(row, notes))
    name = _label_studio_text(data, "data")
    rest = rest_of(data, {name})
    return annotated.record("label-studio", data[name], ({"id": row.get("id")}, rest, meta), sets, notes)


def _sets(row: JsonObject, notes: Notes) -> Iterator[annotated.AnnotationSet]:
    for key in ("predictions", "annotations", "completions"):
        for index, annotation in enumerate(as_list(row.get(key) or [], key)):
            where = f"{key}[{index}]"
            if type(annotation) is int:  # an export that names its annotations without holding them
                notes.counted[f"{key} by number only, without their spans"] += 1
                continue
            as_object(annotation, where, "an object with result")
            if annotation.get("was_cancelled"):
                notes.counted["skipped there (was_cancelled): the text came in, the spans did not"] += 1
                continue
            results = as_list(annotation.get("result") or [], f"{where}.result")
            decided = _decided(results)
            regions = []
            for number, result in enumerate(results):
                path = f"{where}.result[{number}]"
                value = as_object(result, path, "an object with value").get("value")
                kind, name = result.get("type"), result.get("id")
                verdict = decided.get(name) if type(name) is str else None
                if kind in (None, "labels") and type(value) is dict and "start" in value:
                    regions.append(_span(value, f"{path}.value", notes, verdict))
                elif kind != "choices" or verdict is None:  # such as a relation
                    notes.ignored[f"result of type {kind}"[:60]] += 1
            human = key != "predictions"
            people = annotation.get("annotator") or annotation.get("completed_by")
            by = _name(people if human else annotation.get("model_version"))
            # marks of a picture say nothing of the text
            if regions or not any(_OF_PICTURES.fullmatch(str(result.get("type"))) for result in results):
                yield annotated.AnnotationSet(regions, by, human)


def _decided(results: list[Any]) -> dict[Any, Verdict]:
    """The verdict chosen for each region, by the region's id."""
    chosen: dict[Any, Verdict] = {}
    for result in results:
        if type(result) is dict and result.get("type") == "choices" and type(result.get("value")) is dict:
            for choice in result["value"].get("choices") or ():
                if type(choice) is str and choice in VERDICTS and type(result.get("id")) is str:
                    chosen[result["id"]] = one_of(choice, VERDICTS, "choices")
    return chosen


def _name(value: Any) -> str:
    """A model version or an annotator: a name, a number, or an object with an email or id."""
    if type(value) is dict:
        value = value.get("email") or value.get("username") or value.get("id")
    return str(value) if type(value) in (str, int) and len(str(value)) <= 200 else ""


def _span(value: JsonObject, where: str, notes: Notes, verdict: Verdict | None = None) -> Region:
    labels = value.get("labels") or [""]
    if type(labels) is not list or not all(type(label) is str for label in labels):
        raise wrong(f"{where}.labels", labels, "a list of strings")
    span = RowPart(value, where)
    text = span.optional("text")
    if len(labels) > 1:
        notes.counted["several labels on one span: the first is taken"] += 1
    return Region(*span.ends(), labels[0], text, verdict)


def _short(row: JsonObject, notes: Notes) -> Record:
    """JSON_MIN: the data at the top, with lists of spans under the names of their controls."""
    regions: list[Region] = []
    rest: JsonObject = {}
    for key, value in row.items():
        if type(value) is list and value and all(type(span) is dict and "start" in span for span in value):
            regions += (_span(span, f"{key}[{i}]", notes) for i, span in enumerate(value))
        elif key in ("annotation_id", "created_at", "updated_at", "lead_time", "_error"):
            notes.ignored[key] += key != "_error"
        elif key != "annotator":
            rest[key] = value
    name = _label_studio_text(rest, "row")
    text = rest.pop(name)
    sets = [annotated.AnnotationSet(regions, _name(row.get("annotator")))] if regions else []
    return annotated.record("label-studio", text, (rest,), sets, notes)


def _label_studio_text(fields: JsonObject, where: str) -> str:
    """The name of the text. Raises RowError where that is the address of a file, as of an image."""
    name = annotated.text_of(fields, where)
    if _FILE.fullmatch(fields[name]):
        expected = "a text; projects of images, audio, video or files by address cannot be read"
        raise RowError(f"{where}.{excerpt(name)}", shown(fields[name]), expected)
    return name


_PRODIGY_KEYS = frozenset({"text", "meta", "spans", "tokens", "answer", "_error"})
# Of the annotation, not of the text: two annotators' lines on one text are one sample.
_PRODIGY_SPAN = frozenset({"start", "end", "label", "text", "verdict", "token_start", "token_end"})


def is_prodigy(row: JsonObject) -> bool:
    """Whether a row is a task."""
    if type(row.get("text")) is not str:
        return False
    return (
        _has_objects(row.get("spans"), "start", "end")
        or any(name in row for name in ("_task_hash", "_input_hash", "_view_id"))
        or (row.get("answer") in ("accept", "reject", "ignore") and ("tokens" in row or "spans" in row))
    )


def prodigy_record(row: JsonObject, notes: Notes) -> Record:
    """The record of a task. Raises RowError."""
    answer = row.get("answer", "accept")
    if answer not in ("accept", "reject", "ignore"):
        raise wrong("answer", answer, "accept, reject or ignore")
    meta = optional_object(row, "meta")
    who = "_annotator_id" if row.get("_annotator_id") else "_session_id"
    other = {}
    for name, value in row.items():
        if name in _PRODIGY_KEYS or name == who:
            continue
        if name.startswith("_") and name != "_input_hash":
            notes.ignored[name] += 1
        else:
            other[name] = value
    spans = row.get("spans")
    sets = []
    if answer != "accept":
        notes.counted[f"answer {answer}: the text came in, its spans did not"] += 1
    elif spans is not None:
        regions = []
        for number, given in enumerate(as_list(spans, "spans")):
            span = part(given, f"spans[{number}]", "an object with start, end and label")
            span.ignore(_PRODIGY_SPAN, notes)
            label, text = span.optional("label"), span.optional("text")
            ends = span.ends()
            verdict = None if given.get("verdict") is None else span.one_of("verdict", VERDICTS)
            regions.append(Region(*ends, label or "", text, verdict))
        by = row.get(who)
        sets.append(annotated.AnnotationSet(regions, by if type(by) is str else ""))
    record = annotated.record("prodigy", row.get("text"), (meta, other), sets, notes)
    return replace(record, sample=_as_first(record.sample, notes))


def _as_first(sample: Sample, notes: Notes) -> Sample:
    """The sample without values of `meta` that the first task on its text has otherwise.

    Binary tasks ask for each span of a text in a task of its own, with a score of its own.
    """
    first = notes.first_meta.setdefault(sample.id, sample.meta)
    if first is sample.meta:
        return sample
    other = [name for name, value in sample.meta.items() if name in first and first[name] != value]
    notes.kept -= Counter(other)
    notes.ignored.update(f"meta.{name} where an earlier task on the text has another" for name in other)
    meta = rest_of(sample.meta, other)
    notes.first_meta[sample.id] = {**meta, **first}
    return replace(sample, meta=meta)
