"""Native rows as text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.formats.columns import JSON_NUMBER
from workbench.formats.objects import finite
from workbench.model import NO_MARKS, GoldRecord, Marks, Record, Unit
from workbench.reviewing.documents import Document, proposal_document, unit_document
from workbench.reviewing.gold import Place, disputed_labels, place_of
from workbench.text.json_text import compact, object_text


def to_line(record: Record) -> str:
    """One line of native JSON, with its newline; reading it back gives an equal record.

    Keys stand in a fixed order, those of `meta` sorted; what is absent is left out. Gold keeps the units
    that count: rejected ones and duplicates are not part of a gold set, and an undecided verdict is
    written as `unsure`, which counts the same.
    """
    return to_text(record) + "\n"


def to_text(record: Record, *, reference: bool = True) -> str:
    """The same as one JSON object, also without the reference."""
    sample = record.sample
    pairs: list[tuple[str, Any]] = [("id", sample.id), ("user_input", sample.user_input)]
    if reference:
        pairs.append(("reference", sample.reference))
    if sample.response is not None:
        pairs.append(("response", sample.response))
    pairs.append(("retrieved_contexts", sample.retrieved_contexts))
    if sample.meta:
        pairs.append(("meta", _sorted(sample.meta)))
    if sample.group is not None:
        pairs.append(("group", sample.group))
    if sample.alternatives:
        pairs.append(("alternatives", sample.alternatives))
    if record.proposal is not None:
        proposals = [proposal_document(one) for one in (record.proposal, *record.others)]
        pairs.append(("proposal", _one_or_all(proposals)))
    if record.gold:
        disputed = _disputed(record.gold) if len(record.gold) > 1 else set()
        pairs.append(("gold", _one_or_all([_gold(one, disputed) for one in record.gold])))
    texts = [(key, compact(value)) for key, value in pairs]
    if record.scores:  # their digits stay as they came
        numbers = (f"{compact(name)}: {_digits(record.scores[name])}" for name in sorted(record.scores))
        texts.append(("scores", f"{{{', '.join(numbers)}}}"))
    if record.u is not None:
        texts.append(("u", compact(record.u)))
    return object_text(texts)


def write(path: Path, records: Iterable[Record]) -> int:
    """Write records as UTF-8 lines ending in LF; the number of rows written."""
    number = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, record in enumerate(records, start=1):  # noqa: B007
            file.write(to_line(record))
    return number


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list | tuple) else value


def _digits(text: str) -> str:
    return text if JSON_NUMBER.fullmatch(text) else repr(finite(text))


def _one_or_all(documents: list[Document]) -> Any:
    return documents[0] if len(documents) == 1 else documents


def _disputed(gold: Sequence[GoldRecord]) -> set[Place]:
    """The entities that annotators gave different labels; none where one of them settles it."""
    if any(one.marks.adjudicated for one in gold):
        return set()
    return disputed_labels(one.entities or () for one in gold)


def _gold(gold: GoldRecord, disputed: Collection[Place]) -> Document:
    document: Document = {"annotator": gold.annotator}
    place = 0
    for name, kind in (("entities", gold.entities), ("statements", gold.statements)):
        if kind is None:
            continue
        document[name] = []
        for unit in kind:
            if unit.counted:
                place += 1
                is_disputed = bool(disputed) and place_of(unit) in disputed
                document[name].append(_unit(unit, place, disputed=is_disputed))
    if gold.effort is not None:
        document["effort"] = {"seconds": gold.effort.seconds, "presses": gold.effort.presses}
    if gold.marks is not NO_MARKS and gold.marks != NO_MARKS:
        document |= _marks(gold.marks)
    return document


def _marks(marks: Marks) -> Mapping[str, Any]:
    """What a review says besides its units; what it does not say is left out."""
    return {
        key: value
        for key, value in (
            ("disposition", dict(marks.dispositions)),
            ("reason", dict(marks.reasons)),
            ("flag", marks.flag),
            ("comments", list(marks.comments)),
            ("shown", marks.shown),
            ("off_plan", marks.off_plan),
            ("adjudicated", marks.adjudicated),
        )
        if value
    }


_KEYS = (
    "id", "text", "label", "label_disputed", "original_label", "start", "end", "spans", "verdict", "reason",
    "evidence", "nested", "note",
)  # fmt: skip
"""What a native row has of a unit, in order."""


def _unit(unit: Unit, place: int, *, disputed: bool) -> Document:
    known: Document = {"verdict": "unsure", "evidence": []} | unit_document(unit)
    if known["id"] == f"g{place}":
        del known["id"]
    if disputed:
        known["label_disputed"] = True
    if not unit.spans:
        known["spans"] = []
    return {key: known[key] for key in _KEYS if key in known}
