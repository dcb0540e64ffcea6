"""One decision for the same surface in the whole dataset: look first, then do it as one act."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from workbench.errors import InputError
from workbench.matching.units import language_of
from workbench.model import KINDS, Disposition, Kind, Span, Unit
from workbench.reviewing.edits import Put
from workbench.stages import editing
from workbench.stages.review import CARRIED, Opened, act_on, open_sample
from workbench.store import journal, samples
from workbench.store.engine import Store
from workbench.store.journal import Act
from workbench.text.ground import ground
from workbench.text.normalise import key

What = Literal["reject", "restore", "relabel", "add"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided on one entity: rejected, restored, given another label, or added."""

    what: What
    text: str
    label: str

    @property
    def words(self) -> str:
        """`reject “Indian”`."""
        return f"label “{self.text}” {self.label}" if self.what == "relabel" else f"{self.what} “{self.text}”"


@dataclass(frozen=True, slots=True)
class Place:
    """A sample in which the same can be decided: the act on it, and the surface with the text around it."""

    key: str
    disposition: Disposition
    act: Act
    before: str
    surface: str
    after: str

    @property
    def verified(self) -> bool:
        """Whether this changes what was verified already."""
        return self.disposition == "verified"


def decision_on(opened: Opened, unit: Unit) -> Decision:
    """What the person decided on a unit, against how it was shown at first.

    Raises InputError for a statement, and where nothing was decided that holds beyond this sample: whether
    an entity is found depends on each sample's contexts.
    """
    if unit.kind != "entity":
        raise InputError("a statement stands in its own reference only")
    if unit.rejected:
        return Decision("reject", unit.text, unit.label)
    if unit.origin == "human":
        return Decision("add", unit.text, unit.label)
    shown = editing.as_shown(opened, unit)
    if shown is not None and shown.label != unit.label:
        return Decision("relabel", unit.text, unit.label)
    if shown is not None and not shown.counted:
        return Decision("restore", unit.text, unit.label)
    raise InputError("nothing was decided here that holds elsewhere: reject, label or add the unit first")


def places(
    store: Store,
    opened: Opened,
    decision: Decision,
    looked_at: Callable[[int, int], bool] = lambda _done, _all: True,
) -> list[Place]:
    """The other samples of the dataset in which the same can be decided, in queue order.

    Left out: blind, excluded and skipped samples, and those that somebody else verified and this person has
    not begun. `looked_at(done, of)` is told how far it is; the search ends when it returns False.
    """
    found = []
    ids = samples.ids_with_text(store, opened.dataset.id, decision.text, opened.annotator)
    for done, number in enumerate(ids, start=1):
        if not looked_at(done, len(ids)):
            break
        if number == opened.sample_id:
            continue
        other = open_sample(store, number, opened.annotator)
        place = None if _left_out(other) else _place(other, decision)
        if place is not None:
            found.append(place)
    return found


def apply(store: Store, annotator: str, chosen: list[Place]) -> None:
    """Decide the same in all of these samples, as one act. Raises ConflictError when one has moved on."""
    journal.record_bulk(store, [place.act for place in chosen], annotator)


def _left_out(other: Opened) -> bool:
    fresh = other.state.seq < 0
    carried = fresh and any(one.source == CARRIED for one in other.opening.assessments)
    return other.blind or carried or other.state.entity.disposition in ("excluded", "skipped")


def _place(other: Opened, decision: Decision) -> Place | None:
    edits = tuple(_edits(other, decision))
    if not edits:
        return None
    reference = other.sample.reference
    spans = ground(decision.text, reference) or tuple(edits[0].units[0].spans[:1])
    span = spans[0] if spans else Span(0, 0)
    return Place(
        other.sample.id, other.state.entity.disposition, act_on(other, *edits),
        reference[max(0, span.start - 60) : span.start], reference[span.start : span.end],
        reference[span.end : span.end + 60],
    )  # fmt: skip


def _edits(other: Opened, decision: Decision) -> Iterator[Put]:
    kind: Kind = KINDS[0]
    if decision.what == "add":
        spans = ground(decision.text, other.sample.reference)
        if spans and not any(unit.text == decision.text for unit in other.state.entity.assessment.units):
            try:
                yield editing.add_span(other, kind, spans[0], decision.label)
            except InputError:
                return  # it is a unit there already, in another form
        return
    lang = language_of(other.sample, other.policy)
    same = key(decision.text, lang) or decision.text
    shown = {unit.id: unit.label for one in other.opening.assessments for unit in one.units}
    for unit in other.state.entity.assessment.units:
        if (key(unit.text, lang) or unit.text) != same or unit.duplicate_of:
            continue
        if decision.what == "relabel":
            # a label that the person chose there stays
            if unit.counted and unit.label != decision.label and unit.label == shown.get(unit.id):
                yield editing.relabel(other, unit, decision.label)
        elif unit.rejected != (decision.what == "reject"):
            yield editing.reject(other, unit)
