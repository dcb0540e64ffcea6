"""What may come next in a query: fields and values with their counts, and terms put in by a choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.text.query import FIELDS, MARKS, META, STATES, VALUES, QueryToken, quoted, tokens, values_of

Facets = Mapping[str, Sequence[tuple[str, int | None]]]
"""The values of each field that occur, with how many samples have them (None: not counted)."""

MOST = 12


class Completion(NamedTuple):
    """`text[start:end]` becomes `insert`; `shown` stands in the list, `samples` have it."""

    start: int
    end: int
    insert: str
    shown: str
    samples: int | None = None


def complete(text: str, cursor: int, facets: Facets) -> list[Completion]:
    """What can stand at the cursor: fields for the beginning of a word, values behind a colon."""
    cursor = max(0, min(cursor, len(text)))
    token = next((one for one in tokens(text) if one.start < cursor <= one.end), None)
    if token is None:
        return _fields("", cursor, cursor, facets)
    if token.field == "text":
        typed = text[token.rest_start : cursor]
        return [] if '"' in token.rest else _fields(typed, token.rest_start, token.end, facets)
    if token.op != ":" or cursor < token.rest_start:
        return []
    return _values(text, token, cursor, facets)


def apply(text: str, completion: Completion) -> tuple[str, int]:
    """The text with a completion taken, and the cursor behind it."""
    done = text[: completion.start] + completion.insert
    return done + text[completion.end :].removeprefix(" " if done.endswith(" ") else ""), len(done)


def toggled(text: str, field: str, value: str) -> str:
    """The query with `field:value` put in; taken out when it stands there already.

    Another value of the same field makes way, but for `is:`, whose marks add up.
    """
    wanted = f"{field}:{quoted(value)}"
    kept, there = [], False
    for token in tokens(text):
        same_field = token.field == field and not token.negated
        if same_field and values_of(token.rest) == (value,):
            there = True
        elif not same_field or field == "is":
            kept.append(text[token.start : token.end])
    if kept and kept[-1].count('"') % 2:  # a quote that was not closed would take the new term in
        kept[-1] += '"'
    return " ".join(kept if there else [*kept, wanted])


def _fields(typed: str, start: int, end: int, facets: Facets) -> list[Completion]:
    names = [*FIELDS, *(name for name in facets if name.startswith(META))]
    shown = [name + (">" if name in VALUES else ":") for name in names]
    # the values of `is` and `state` are words that people type: flag offers is:flagged
    marks = [f"{field}:{word}" for field, words in (("state", STATES), ("is", MARKS)) for word in words]
    lowered = typed.lower()
    found = [Completion(start, end, name, name) for name in shown if name.startswith(lowered)]
    if len(typed) > 1:
        counts = {
            f"{field}:{value}": count for field in ("state", "is") for value, count in facets.get(field, ())
        }
        found += [
            Completion(start, end, f"{mark} ", mark, counts.get(mark))
            for mark in marks
            if mark.partition(":")[2].startswith(lowered)
        ]
    return found[:MOST]


def _values(text: str, token: QueryToken, cursor: int, facets: Facets) -> list[Completion]:
    start = text.rfind(",", token.rest_start, cursor) + 1 or token.rest_start
    after = text.find(",", cursor, token.end)
    end = token.end if after < 0 else after
    typed = text[start:cursor].strip('"').lower()
    always = {"state": STATES, "is": MARKS}.get(token.field, ())
    known = dict.fromkeys(always) | dict(facets.get(token.field, ()))
    matching = [value for value in known if typed in value.lower()]
    matching.sort(key=lambda value: not value.lower().startswith(typed))
    space = " " if after < 0 else ""
    return [Completion(start, end, quoted(value) + space, value, known[value]) for value in matching[:MOST]]
