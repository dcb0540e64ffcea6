"""Prodigy JSON Lines: one task a line, `end` exclusive. Only accepted tasks bring their spans."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

from workbench.errors import RowError
from workbench.formats import annotated
from workbench.formats.fields import as_list, ignore, one_of
from workbench.formats.objects import as_written
from workbench.formats.regions import Region, ends
from workbench.formats.rows import Notes, wrong
from workbench.model import VERDICTS, Record, Sample, Verdict

_TASK = frozenset({"text", "meta", "spans", "tokens", "answer", "_error"})
# Of the annotation, not of the text: two annotators' lines on one text are one sample.
_SPAN = frozenset({"start", "end", "label", "text", "verdict", "token_start", "token_end"})
_VERDICTS: dict[str, Verdict] = {verdict: verdict for verdict in VERDICTS}


def record_of(row: dict[str, Any], raw: str, notes: Notes) -> Record:
    """The record of a task. Raises RowError."""
    answer = row.get("answer", "accept")
    if answer not in ("accept", "reject", "ignore"):
        raise wrong("answer", answer, "accept, reject or ignore")
    meta = row.get("meta")
    if meta is not None and type(meta) is not dict:
        raise wrong("meta", meta, "an object")
    other = {}
    for name, value in row.items():
        if name in _TASK:
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
        regions = [_region(span, f"spans[{i}]", notes) for i, span in enumerate(as_list(spans, "spans"))]
        by = row.get("_annotator_id") or row.get("_session_id") or ""
        sets.append(annotated.Marked(regions, by if type(by) is str else ""))
    again = partial(_again, raw)
    record = annotated.record("prodigy", row.get("text"), (meta or {}, other), sets, again, notes)
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
    meta = {name: value for name, value in sample.meta.items() if name not in other}
    notes.first_meta[sample.id] = {**meta, **first}
    return replace(sample, meta=meta)


def _region(span: Any, where: str, notes: Notes) -> Region:
    if type(span) is not dict:
        raise wrong(where, span, "an object with start, end and label")
    if not _SPAN.issuperset(span):
        ignore(span, _SPAN, where, notes)
    label, text, verdict = span.get("label"), span.get("text"), span.get("verdict")
    if label is not None and type(label) is not str:
        raise wrong(f"{where}.label", label, "a string")
    if text is not None and type(text) is not str:
        raise wrong(f"{where}.text", text, "a string")
    start, end = ends(span, where)
    said = None if verdict is None else one_of(verdict, _VERDICTS, f"{where}.verdict")
    return Region(start, end, label or "", text, said)


def _again(raw: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = as_written(raw)["meta"]["workbench"]
    except (KeyError, TypeError):
        raise RowError("meta.workbench", "nothing", "a native row") from None
    return found
