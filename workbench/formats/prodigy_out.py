"""Prodigy tasks: one a line, with spans on exact tokens. Hashes are left out: Prodigy makes its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.formats.item import OBJECT, Item, Surroundings, Wrote, entities_of, lines_into, row_text
from workbench.formats.spans_out import Tagged, exact_tokens, has_gold, tagged_of, written_of
from workbench.reviewing.documents import Document
from workbench.text.json_text import compact, object_text
from workbench.text.tokens import Token

FILE = "tasks.jsonl"


def write(folder: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
    """Write every sample whose entities stand as an accepted task of `spans_manual`, which lets spans nest.

    A place with white space at its edge is no run of tokens: it stands in the native row only.
    """
    wrote = Wrote()
    with lines_into(folder / FILE) as line:
        for item in items:
            if not has_gold(item):
                wrote.left[f"entities {item.states.get('entity', 'todo')}"] += 1
                continue
            line(_task(item, wrote) + "\n")
            wrote.rows += 1
    return wrote


def _task(item: Item, wrote: Wrote) -> str:
    text = item.sample.reference
    every = tagged_of(entities_of(item))
    found = [one for one in every if text[one.start : one.end].strip() == text[one.start : one.end]]
    if len(every) > len(found):
        wrote.left["span begins or ends with white space"] += len(every) - len(found)
    cut = _with_spaces(exact_tokens(text, found), text)
    starts = {token.start: number for number, token in enumerate(cut)}
    ends = {token.end: number for number, token in enumerate(cut)}
    spans = [_span(one, starts, ends) for one in found]
    return object_text(
        [
            ("text", compact(text)),
            ("meta", object_text([("id", compact(item.sample.id)), (OBJECT, _row(item, found))])),
            ("tokens", compact([*_tokens(cut, text)])),
            ("spans", compact(spans)),
            ("answer", '"accept"'),
            ("_view_id", '"spans_manual"'),
        ]
    )


def _row(item: Item, found: list[Tagged]) -> str:
    return row_text(item, written_of(found))


def _with_spaces(words: list[Token], text: str) -> list[Token]:
    """The tokens, and one for all white space that is more than the one blank behind a token, as in spaCy."""
    found: list[Token] = []
    end = 0
    for word in (*words, Token("", len(text), len(text))):
        start = end + (bool(found) and text[end : end + 1] == " ")
        if start < word.start:
            found.append(Token(text[start : word.start], start, word.start))
        if word.text:
            found.append(word)
        end = word.end
    return found


def _tokens(cut: list[Token], text: str) -> Iterator[Document]:
    """`ws` says whether one blank follows: tokens and blanks put together are the text."""
    for number, (surface, start, end) in enumerate(cut):
        after = cut[number + 1].start if number + 1 < len(cut) else len(text)
        yield {"text": surface, "start": start, "end": end, "id": number, "ws": after > end}


def _span(one: Tagged, starts: dict[int, int], ends: dict[int, int]) -> Document:
    """`end` is exclusive and `token_end` inclusive, as Prodigy has it."""
    return {
        "start": one.start,
        "end": one.end,
        "token_start": starts[one.start],
        "token_end": ends[one.end],
        "label": one.label,
    }
