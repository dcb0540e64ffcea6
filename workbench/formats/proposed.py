"""`proposal` of a row: what a proposer said.

Where offsets are given they are checked against the text they point into. A wrong place is moved when
the quoted text stands in exactly one place, and left out otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.errors import RowError
from workbench.formats.fields import as_list, ignore, list_of, offsets, optional, required
from workbench.formats.places import exact, moved, number, places
from workbench.formats.rows import Notes, shown, wrong
from workbench.model import SAID, Proposal, ProposedEntity, ProposedStatement

_PROPOSAL = frozenset({"proposer", "model", "reference_entities", "context_entities", "statements"})
_ENTITY = frozenset({"text", "label", "start", "end"})
_STATEMENT = frozenset({"text", "verdict", "context", "quote", "reason", "start", "end"})


def proposals(
    value: Any, reference: str, contexts: Sequence[str], notes: Notes
) -> tuple[Proposal, ...] | None:
    """The `proposal` of a row, one or a list of them; None when it is of another shape. Raises RowError."""
    if type(value) is list and value and all(type(one) is dict and "proposer" in one for one in value):
        found = (_proposal(one, reference, contexts, notes) for one in value)
        return tuple(one for one in found if one is not None)
    only = _proposal(value, reference, contexts, notes)
    return None if only is None else (only,)


def _proposal(value: Any, reference: str, contexts: Sequence[str], notes: Notes) -> Proposal | None:
    """The `proposal` of a row; None when it is of another shape (no key of ours). Raises RowError."""
    if type(value) is not dict or _PROPOSAL.isdisjoint(value):
        return None
    ignore(value, _PROPOSAL, "proposal", notes)
    entities = context_entities = statements = None
    if (given := list_of(value, "reference_entities", "proposal")) is not None:
        entities = _entities(given, "proposal.reference_entities", reference, notes)
    if (given := list_of(value, "context_entities", "proposal")) is not None:
        if len(given) != len(contexts):
            expected = f"{len(contexts)}, one for each context"
            raise RowError("proposal.context_entities", f"{len(given)} lists", expected)
        context_entities = tuple(
            _entities(as_list(inner, place), place, contexts[index], notes)
            for index, inner in enumerate(given)
            for place in [f"proposal.context_entities[{index}]"]
        )
    if (given := list_of(value, "statements", "proposal")) is not None:
        statements = tuple(
            _statement(item, f"proposal.statements[{index}]", reference, len(contexts), notes)
            for index, item in enumerate(given)
        )
    return Proposal(
        proposer=required(value, "proposer", "proposal"),
        model=optional(value, "model", "proposal") or "",
        reference_entities=entities,
        context_entities=context_entities,
        statements=statements,
    )


def _entities(items: list[Any], where: str, text: str, notes: Notes) -> tuple[ProposedEntity, ...]:
    return tuple(
        [
            _usual(item, text) or _entity(item, f"{where}[{index}]", text, notes)
            for index, item in enumerate(items)
        ]
    )


def _usual(item: Any, text: str) -> ProposedEntity | None:
    """What `_entity` makes of an entity as most are, in half the time; None for any other, right or wrong."""
    if type(item) is not dict or not _ENTITY.issuperset(item):
        return None
    surface, label = item.get("text"), item.get("label", "")
    if type(surface) is not str or not surface or surface.isspace() or type(label) is not str:
        return None
    if "start" not in item and "end" not in item:
        return ProposedEntity(surface, label)
    span = exact(item, surface, text)
    return None if span is None else ProposedEntity(surface, label, span.start, span.end)


def _entity(item: Any, where: str, text: str, notes: Notes) -> ProposedEntity:
    """A proposed entity; a bare string is one without label and offsets."""
    if type(item) is str and item.strip():
        return ProposedEntity(item)
    if type(item) is not dict:
        raise wrong(where, item, "an object with text")
    if not _ENTITY.issuperset(item):
        ignore(item, _ENTITY, where, notes)
    surface = required(item, "text", where)
    if (span := exact(item, surface, text)) is not None:
        return ProposedEntity(surface, optional(item, "label", where) or "", span.start, span.end)
    start, end = offsets(item, where) or (None, None)
    if (start, end) != (None, None):
        found = places(surface, text)
        if len(found) == 1:
            moved(surface, (start, end), found[0], notes)
            start, end = found[0].start, found[0].end
        else:
            notes.pointless(f"{shown(surface)} {number(start)}:{number(end)}")
            start = end = None
    return ProposedEntity(surface, optional(item, "label", where) or "", start, end)


def _statement(item: Any, where: str, reference: str, contexts: int, notes: Notes) -> ProposedStatement:
    if type(item) is not dict:
        raise wrong(where, item, "an object with text")
    if not _STATEMENT.issuperset(item):
        ignore(item, _STATEMENT, where, notes)
    context = item.get("context")
    if context is not None:
        if type(context) is not int:
            raise wrong(f"{where}.context", context, "the number of a context, from 0")
        if not 0 <= context < contexts:
            notes.pointless(f"context {number(context)}, of {contexts:,} from 0")
            context = None
    start, end = offsets(item, where) or (None, None)
    if (start, end) != (None, None) and not (
        start is not None and end is not None and 0 <= start < end <= len(reference)
    ):
        notes.pointless(f"a statement at {number(start)}:{number(end)}")
        start = end = None
    verdict = optional(item, "verdict", where)
    if verdict is not None and verdict.strip().lower() not in SAID:
        raise RowError(f"{where}.verdict", shown(verdict), " or ".join(SAID))
    return ProposedStatement(
        text=required(item, "text", where),
        verdict=verdict,
        context=context,
        quote=optional(item, "quote", where),
        reason=optional(item, "reason", where),
        start=start,
        end=end,
    )
