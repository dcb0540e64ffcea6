"""The verdicts of deepeval's Contextual Recall, from the log of its steps, as statements of the reference.

The log has a verdict and a reason for each statement, in order, and does not quote the statement. The
reference is cut into as many parts as there are verdicts; where no way of cutting it gives that number,
the statements stand without a place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.formats.rows import Notes, shown
from workbench.model import ProposedStatement, Span
from workbench.text.sentences import sentences

METRIC = "Contextual Recall"

_HEAD = re.compile(r"(?:^|\n)Verdicts:\s*(?=\[)")
_WHOLE = re.compile(r"(?!)")
_LINES = re.compile(r"\n+")
_CLAUSES = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_AND = r"(?:[\s,()&]|and|or|\d+(?:st|nd|rd|th))*"
_NODE = re.compile(
    rf"(\d+)(?:st|nd|rd|th)\b{_AND}nodes?\b|\bnodes?\s+(\d+)|第\s*(\d+)\s*个?节点", re.IGNORECASE
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_ORDINAL_NODE = re.compile(rf"\b({'|'.join(_ORDINALS)})\s+nodes?\b", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!\w)'(.+?)'(?!\w)|\"(.+?)\"|“(.+?)”|‘(.+?)’|「(.+?)」|«(.+?)»", re.DOTALL)
_ELLIPSIS = re.compile(r"\.{3}|…")
_SHORTEST = 3  # characters of a quote that tells one context from another
_LOOKED_AT = 2_000  # characters of a reason in which contexts and quotes are looked for


def statements(
    log: Any, reference: str, contexts: Sequence[str], notes: Notes
) -> tuple[ProposedStatement, ...] | None:
    """The statements that a log has verdicts for; None for a log without a list of verdicts.

    As deepeval counts, "yes" is found and any other word is missing.
    """
    said = _verdicts(log)
    if said is None:
        return None
    parts = _parts(reference, len(said))
    if said and parts is None:
        notes.counted[f"{METRIC}: not as many verdicts as sentences, its statements have no place"] += 1
    found = []
    for number, one in enumerate(said, start=1):
        word, reason = _text(one.get("verdict")), _text(one.get("reason"))
        yes = word.strip().lower() == "yes"
        if not yes and word.strip().lower() != "no":
            reason = f"{shown(word)}: {reason}"
        context, quote = _pointed(reason[:_LOOKED_AT], contexts, notes)
        span = parts[number - 1] if parts else None
        found.append(
            ProposedStatement(
                text=reference[span.start : span.end] if span else f"verdict {number} of {len(said)}",
                verdict="found" if yes else "missing",
                context=context,
                quote=quote if yes else None,
                reason=reason or None,
                start=span.start if span else None,
                end=span.end if span else None,
            )
        )
    return tuple(found)


def _verdicts(log: Any) -> list[dict[str, Any]] | None:
    head = _HEAD.search(log) if type(log) is str else None
    if head is None:
        return None
    try:
        said, _ = json.JSONDecoder().raw_decode(log, head.end())
    except (ValueError, RecursionError):
        return None
    return said if all(type(one) is dict for one in said) else None


def _text(value: Any) -> str:
    """A text of the log without what no database could hold: escapes of the log were not looked at yet."""
    if type(value) is not str:
        return ""
    return value.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _parts(reference: str, number: int) -> list[Span] | None:
    """The reference as a number of parts: whole, by sentences, lines, or clauses."""
    ways = (_cut(reference, _WHOLE), sentences(reference), _cut(reference, _LINES), _cut(reference, _CLAUSES))
    return next((spans for spans in ways if len(spans) == number), None)


def _cut(text: str, between: re.Pattern[str]) -> list[Span]:
    """What stands between the separators, without white space and semicolons at the edges."""
    edges = [0, *(place for match in between.finditer(text) for place in match.span()), len(text)]
    spans = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        piece = text[start:end].rstrip(" \t\r\n;；")
        left = len(piece) - len(piece.lstrip())
        if piece[left:]:
            spans.append(Span(start + left, start + len(piece)))
    return spans


def _pointed(reason: str, contexts: Sequence[str], notes: Notes) -> tuple[int | None, str | None]:
    """The context that a reason names or quotes, from 0, and the longest quote that stands there."""
    named = _named(reason)
    if named is not None and not 0 <= named < len(contexts):
        notes.pointless(f"node {named + 1:,}, of {len(contexts):,}")
        named = None
    places = range(len(contexts)) if named is None else [named]
    for quote in sorted(set(_quotes(reason)), key=lambda text: (-len(text), text)):
        for place in places:
            if quote in contexts[place]:
                return place, quote
    return named, None


def _named(reason: str) -> int | None:
    node, ordinal = _NODE.search(reason), _ORDINAL_NODE.search(reason)
    if ordinal is not None and (node is None or ordinal.start() < node.start()):
        return _ORDINALS.index(ordinal[1].lower())
    digits = next(filter(None, node.groups()), "") if node is not None else ""
    return int(digits[:6]) - 1 if digits else None


def _quotes(reason: str) -> Iterator[str]:
    for match in _QUOTED.finditer(reason):
        for part in _ELLIPSIS.split(next(filter(None, match.groups()), "")):
            if len(part.strip()) >= _SHORTEST:
                yield part.strip()
