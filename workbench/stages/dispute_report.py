"""What is in dispute in a dataset, as it is listed: the disputes in their order and how many stand where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from workbench.comparing.disputes import STATES, Sort, State
from workbench.model import Kind
from workbench.scoring.names import SCORERS
from workbench.store.disputes import Kept, Key


class Dispute(NamedTuple):
    """One sample of which two values differ, or that a person flagged. `rank`: its place in the whole list.

    `first` and `second` are the values of the two that `between` names, `delta` their difference and `moves`
    how much settling it would move the figure; all four are None while `hidden`, and where there is none.
    `says`: the words of a flag, what each annotator counts. `was`: the state it had until a value changed.
    `explained_by`: both sides can be set beside each other; without it the sample is opened to be audited.
    `kept`: what was said of it as it is kept, None for nothing. `fitted`: a calibration chose the scorer's
    threshold with this sample's gold in sight, and these values are not cross-fitted.
    """

    rank: int
    sample_id: int
    id: str
    kind: Kind
    sort: Sort
    between: str
    first: float | None
    second: float | None
    delta: float | None
    moves: float | None
    hidden: bool
    says: str
    state: State
    was: State
    note: str
    annotator: str
    at: datetime | None
    explained_by: bool
    stamp: str
    kept: Kept | None = None
    question: str = ""
    fitted: bool = False

    @property
    def key(self) -> Key:
        """What its state is kept under."""
        return Key(self.sample_id, self.kind, self.between)

    @property
    def scorer(self) -> str | None:
        """The scorer it is about, None where it is about something else."""
        return next((name for name in self.between.split("~") if name in SCORERS), None)

    @property
    def stands(self) -> str:
        """Its state in words: what is called fixed and is still in the list differs all the same."""
        return "fixed, still differs" if self.state == "fixed" else self.state


@dataclass(frozen=True, slots=True)
class Report:
    """The disputes of a dataset in their order. `betweens`: how many there are between whom.

    `closed`: blind samples that this annotator did not decide, `given` of them with gold of a file; they are
    left out. `calibration` is in use and saw the gold of those that are `fitted`.
    """

    dataset: str
    run: str
    threshold: int
    disputes: tuple[Dispute, ...]
    betweens: Mapping[str, int]
    closed: int
    given: int = 0
    calibration: str = ""

    @property
    def states(self) -> dict[State, int]:
        """How many there are in each state."""
        counts = Counter(one.state for one in self.disputes)
        return {state: counts[state] for state in STATES}

    def chosen(self, state: str, between: str = "") -> tuple[Dispute, ...]:
        """Those in a state ("all" for every) between some, named as `linked~verified` or by their sort."""
        return tuple(
            one
            for one in self.disputes
            if state in ("all", one.state) and between in ("", one.between, one.sort)
        )
