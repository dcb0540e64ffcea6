"""Label Studio JSON: annotations of people and predictions of models, spans checked against their words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from workbench.errors import RowError
from workbench.formats import annotated
from workbench.formats.fields import as_list
from workbench.formats.objects import as_written
from workbench.formats.regions import Region, ends
from workbench.formats.rows import Notes, excerpt, shown, wrong
from workbench.model import VERDICTS, Record, Verdict

_VERDICTS: dict[str, Verdict] = {verdict: verdict for verdict in VERDICTS}
_FILE = re.compile(
    r"\s*(?:(?:[a-z][a-z0-9+.-]*://|data:|/data/|/static/)\S*"
    r"|\S+\.(?:bmp|gif|jpe?g|png|svg|tiff?|webp|aac|flac|m4a|mp3|ogg|wav|avi|mov|mp4|webm|pdf))\s*",
    re.IGNORECASE,
)
_NO_TEXT = re.compile(
    r"(?:bitmask|brush|ellipse|keypoint|polygon|rectangle|timeline|timeseries|vector|video)\w*"
)
_EXPECTED = "a text; projects of images, audio, video or files by address cannot be read"
_TASK = frozenset({"id", "data", "meta", "annotations", "completions", "predictions", "_error"})


def record_of(row: dict[str, Any], raw: str, notes: Notes) -> Record:
    """The record of a task, or of a row of the short export (JSON_MIN). Raises RowError."""
    if "data" not in row:
        return _short(row, raw, notes)
    data, meta = row["data"], row.get("meta")
    if type(data) is not dict:
        raise wrong("data", data, "an object")
    if meta is not None and type(meta) is not dict:
        raise wrong("meta", meta, "an object")
    for key in row:
        if key not in _TASK:
            notes.ignored[key] += 1
    sets = list(_sets(row, notes))
    name = _text_of(data, "data")
    rest = {key: value for key, value in data.items() if key != name}
    number = {"id": row["id"]} if "id" in row and "id" not in rest else {}
    again = partial(_again, raw)
    return annotated.record("label-studio", data[name], (number, rest, meta or {}), sets, again, notes)


def _sets(row: dict[str, Any], notes: Notes) -> Iterator[annotated.Marked]:
    for key in ("predictions", "annotations", "completions"):
        for index, one in enumerate(as_list(row.get(key) or [], key)):
            where = f"{key}[{index}]"
            if type(one) is int:  # an export that names its annotations without holding them
                notes.counted[f"{key} by number only, without their spans"] += 1
                continue
            if type(one) is not dict:
                raise wrong(where, one, "an object with result")
            if one.get("was_cancelled"):
                notes.counted["skipped there (was_cancelled): the text came in, the spans did not"] += 1
                continue
            results = as_list(one.get("result") or [], f"{where}.result")
            kinds = {str(given.get("type")) for given in results if type(given) is dict}
            if "labels" not in kinds and (other := sorted(filter(_NO_TEXT.fullmatch, kinds))):
                raise RowError(f"{where}.result", f"marks of type {excerpt(other[0])}", _EXPECTED)
            decided = _decided(results)
            found = [_region(given, where, i, decided, notes) for i, given in enumerate(results)]
            regions = [region for region in found if region is not None]
            if key == "predictions":
                yield annotated.Marked(regions, _name(one.get("model_version")), human=False)
            else:
                yield annotated.Marked(regions, _name(one.get("annotator") or one.get("completed_by")))


def _decided(results: list[Any]) -> dict[Any, Verdict]:
    """The verdict chosen for each region, by the region's id."""
    chosen: dict[Any, Verdict] = {}
    for one in results:
        if type(one) is dict and one.get("type") == "choices" and type(one.get("value")) is dict:
            for choice in one["value"].get("choices") or ():
                if type(choice) is str and choice in _VERDICTS and type(one.get("id")) is str:
                    chosen[one["id"]] = _VERDICTS[choice]
    return chosen


def _name(value: Any) -> str:
    """A model version or an annotator: a name, a number, or an object with an email or id."""
    if type(value) is dict:
        value = value.get("email") or value.get("username") or value.get("id")
    return str(value) if type(value) in (str, int) and len(str(value)) <= 200 else ""


def _region(given: Any, where: str, number: int, decided: dict[Any, Verdict], notes: Notes) -> Region | None:
    """A marked span; None for a result of another kind, such as a relation or a choice."""
    if type(given) is not dict:
        raise wrong(f"{where}.result[{number}]", given, "an object with value")
    value, kind = given.get("value"), given.get("type")
    if kind not in (None, "labels") or type(value) is not dict or "start" not in value:
        if kind != "choices" or given.get("id") not in decided:
            notes.ignored[f"result of type {kind}"[:60]] += 1
        return None
    name = given.get("id")
    verdict = decided.get(name) if type(name) is str else None
    return _span(value, f"{where}.result[{number}].value", notes, verdict)


def _span(value: dict[str, Any], where: str, notes: Notes, verdict: Verdict | None = None) -> Region:
    labels, text = value.get("labels") or [""], value.get("text")
    if type(labels) is not list or not all(type(label) is str for label in labels):
        raise wrong(f"{where}.labels", labels, "a list of strings")
    if text is not None and type(text) is not str:
        raise wrong(f"{where}.text", text, "a string")
    if len(labels) > 1:
        notes.counted["several labels on one span: the first is taken"] += 1
    start, end = ends(value, where)
    return Region(start, end, labels[0], text, verdict)


def _short(row: dict[str, Any], raw: str, notes: Notes) -> Record:
    """JSON_MIN: the data at the top, with lists of spans under the names of their controls."""
    regions: list[Region] = []
    rest: dict[str, Any] = {}
    given = False
    for key, value in row.items():
        if type(value) is list and value and all(type(one) is dict and "start" in one for one in value):
            regions += (_span(one, f"{key}[{i}]", notes) for i, one in enumerate(value))
            given = True
        elif key in ("annotation_id", "created_at", "updated_at", "lead_time", "_error"):
            notes.ignored[key] += key != "_error"
        elif key != "annotator":
            rest[key] = value
    name = _text_of(rest, "row")
    text = rest.pop(name)
    sets = [annotated.Marked(regions, _name(row.get("annotator")))] if given else []
    return annotated.record("label-studio", text, (rest,), sets, partial(_again, raw), notes)


def _text_of(fields: dict[str, Any], where: str) -> str:
    """The name of the text. Raises RowError where that is the address of a file, as of an image."""
    name = annotated.text_of(fields, where)
    if _FILE.fullmatch(fields[name]):
        raise RowError(f"{where}.{excerpt(name)}", shown(fields[name]), _EXPECTED)
    return name


def _again(raw: str) -> dict[str, Any]:
    row = as_written(raw)
    for place in (row.get("data"), row.get("meta"), row):
        if type(place) is dict and "workbench" in place:
            found: dict[str, Any] = place["workbench"]
            return found
    return {}
