"""Argilla 2 records as JSON: suggestions of models and responses of people, nested or flattened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from workbench.formats import annotated
from workbench.formats.objects import as_written
from workbench.formats.regions import Region, ends
from workbench.formats.rows import Notes, wrong
from workbench.model import Record

_RECORD = frozenset(
    {"id", "fields", "metadata", "suggestions", "responses", "vectors", "_server_id", "status"}
)
FLAT = (".suggestion", ".responses")


def is_flat(row: Mapping[str, Any]) -> bool:
    """Whether a row is a record as `to_datasets` flattens it."""
    return any(name.endswith(FLAT) for name in row)


def record_of(row: dict[str, Any], raw: str, notes: Notes) -> Record:
    """The record of an Argilla record. Raises RowError."""
    if "fields" not in row:
        row = _nested(row)
    fields, metadata = _object(row, "fields"), _object(row, "metadata")
    sets = [*_suggested(_object(row, "suggestions"), notes), *_responded(_object(row, "responses"), notes)]
    for key in row:
        if key not in _RECORD:
            notes.ignored[key] += 1
    name = annotated.text_of(fields, "fields")
    rest = {key: value for key, value in fields.items() if key != name}
    number = {"id": row["id"]} if row.get("id") is not None else {}
    again = partial(_again, raw)
    return annotated.record("argilla", fields[name], (number, rest, metadata), sets, again, notes)


def _object(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = row.get(key)
    if value is None:
        return {}
    if type(value) is not dict:
        raise wrong(key, value, "an object")
    return value


def _suggested(given: Mapping[str, Any], notes: Notes) -> Iterator[annotated.Marked]:
    for question, one in given.items():
        where = f"suggestions.{question}"
        if type(one) is not dict:
            raise wrong(where, one, "an object with value")
        if (regions := _regions(one.get("value"), f"{where}.value", notes)) is not None:
            agent = one.get("agent")
            yield annotated.Marked(regions, agent if type(agent) is str else "", human=False)


def _responded(given: Mapping[str, Any], notes: Notes) -> Iterator[annotated.Marked]:
    for question, many in given.items():
        where = f"responses.{question}"
        if type(many) is not list:
            raise wrong(where, many, "a list of objects with value")
        for index, one in enumerate(many):
            if type(one) is not dict:
                raise wrong(f"{where}[{index}]", one, "an object with value")
            if one.get("status") in ("draft", "discarded"):
                notes.counted[f"{one['status']} responses: their spans did not come in"] += 1
                continue
            regions = _regions(one.get("value"), f"{where}[{index}].value", notes)
            if regions is not None:
                user = one.get("user_id")
                yield annotated.Marked(regions, str(user) if type(user) in (str, int) else "")


def _regions(value: Any, where: str, notes: Notes) -> list[Region] | None:
    """The spans of an answer; None for an answer to a question of another kind."""
    if type(value) is not list or not all(type(one) is dict for one in value):
        notes.ignored[where.split("[")[0]] += 1
        return None
    regions = []
    for index, one in enumerate(value):
        place = f"{where}[{index}]"
        label = one.get("label")
        if type(label) is not str:
            raise wrong(f"{place}.label", label, "a string")
        start, end = ends(one, place)
        text = one.get("text")
        regions.append(Region(start, end, label, text if type(text) is str else None))
    return regions


def _nested(row: Mapping[str, Any]) -> dict[str, Any]:
    """A flattened record as a nested one: columns NAME.suggestion, NAME.responses, NAME.responses.users, …"""
    nested: dict[str, Any] = {"fields": {}, "suggestions": {}, "responses": {}, "id": row.get("id")}
    for name, value in row.items():
        question, dot, part = name.partition(".")
        if not dot:
            if name not in ("id", "status", "_server_id", "_error"):
                nested["fields"][name] = value
        elif part == "suggestion" and value is not None:
            nested["suggestions"][question] = {
                "value": value,
                "agent": row.get(f"{question}.suggestion.agent"),
            }
        elif part == "responses" and value is not None:
            users = row.get(f"{question}.responses.users") or []
            states = row.get(f"{question}.responses.status") or []
            if type(value) is not list or type(users) is not list or type(states) is not list:
                raise wrong(name, value, "a list")
            nested["responses"][question] = [
                {
                    "value": one,
                    "user_id": users[index] if index < len(users) else None,
                    "status": states[index] if index < len(states) else None,
                }
                for index, one in enumerate(value)
            ]
    return nested


def _again(raw: str) -> dict[str, Any]:
    row = as_written(raw)
    for place in (row.get("metadata"), row.get("fields"), row):
        if type(place) is dict and type(place.get("workbench")) is dict:
            found: dict[str, Any] = place["workbench"]
            return found
    return {}
