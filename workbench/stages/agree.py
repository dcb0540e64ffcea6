"""Whether the people who review a dataset agree, and how that compares with the machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby
from operator import attrgetter
from typing import Literal, get_args

from workbench.comparing.reviewers import (
    Agreement,
    Couple,
    Decided,
    LabelAgreement,
    agreement,
    of_labels,
    pair,
)  # fmt: skip
from workbench.errors import UsageError
from workbench.matching.units import language_of
from workbench.model import RESOLVED, Assessment, Kind, Progress, silent
from workbench.reviewing.edits import IMPORT_ACTION, Accept, Open
from workbench.reviewing.fold import undone_actions
from workbench.scoring.names import DEFAULT_SCORER
from workbench.stages.figures import figures, listing
from workbench.stages.people import may_see
from workbench.store import training
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.journal import Said, said_of_several
from workbench.store.samples import load_samples
from workbench.text.tokens import tokens

By = Literal["label", "pair", "week"]


@dataclass(frozen=True)
class Machine:
    """How far the machine and the reviewers agree: the F1 of linked units and the mean |Δ| of `compare`."""

    run: str
    f1: float | None
    differs: float | None


@dataclass(frozen=True)
class AgreeReport:
    """How far people agree on a dataset, whole and in parts; `labels` with `by="label"`, else `parts`.

    `left_out`: decisions that were not independent, by why.
    """

    dataset: str
    kind: Kind
    people: tuple[str, ...]
    whole: Agreement
    machine: Machine
    parts: dict[str, Agreement]
    labels: dict[str, LabelAgreement]
    left_out: dict[str, int]


def agree(
    store: Store, info: DatasetInfo, viewer: str, by: str = "", kind: Kind | None = None, *,
    on_screen: bool = False, progress: Progress = silent,
) -> AgreeReport:  # fmt: skip
    """Hold all that people decided independently against each other, for the eyes of `viewer`.

    Raises UsageError.
    """
    if by and by not in get_args(By):
        raise UsageError(f"no --by {by!r}; there is: {', '.join(get_args(By))}")
    kind = kind or info.kinds[0]
    if kind not in info.kinds:
        raise UsageError(f"{info.name} does not review {kind} units; there is: {', '.join(info.kinds)}")
    scorer = None if kind == info.kinds[0] else DEFAULT_SCORER[kind]
    seen = partial(may_see, store, info, viewer, on_screen=on_screen)
    stats = listing(figures(store, info, scorer=scorer, progress=progress), seen)
    left_out: Counter[str] = Counter()
    with store.snapshot():
        decided = _decided(said_of_several(store, info.id), kind, training.shown(store, info.id), left_out)
        loaded = load_samples(store, list(decided), None)
    pairs: list[Couple] = []
    words = {}
    for stored in loaded:
        sample, each = stored.sample, decided[stored.sample_id]
        words[sample.id] = [word for word in tokens(sample.reference) if any(map(str.isalnum, word.text))]
        group = stored.sample_id if sample.group is None else sample.group
        people = [Decided(sample.id, group, *decision) for decision in sorted(each)]
        lang = language_of(sample, info.policy)
        pairs += (pair(first, second, lang) for first, second in combinations(people, 2))
    parts = {name: agreement(some, words) for name, some in _parts(pairs, by)}
    return AgreeReport(
        info.name,
        kind,
        tuple(sorted({each.person for couple in pairs for each in (couple.first, couple.second)})),
        agreement(pairs, words),
        Machine(stats.run, stats.units.micro.f1 if stats.units.micro.verified else None, stats.paired.mae),
        parts,
        of_labels(pairs) if by == "label" else {},
        dict(left_out),
    )


def _decided(
    rows: Iterable[Said], kind: Kind, trained: Mapping[tuple[str, int], int], left_out: Counter[str]
) -> dict[int, list[tuple[str, str, Assessment]]]:
    """By sample what several people decided of a kind on their own: the person, the week and the units."""
    found: dict[int, list[tuple[str, str, Assessment]]] = {}
    for sample_id, of_sample in groupby(rows, key=attrgetter("sample_id")):
        reviews: dict[int, list[Said]] = defaultdict(list)
        for row in of_sample:
            reviews[row.review_id].append(row)
        settled = [
            row.number for each in reviews.values() if each[0].origin == "adjudicated"
            for row in _accepts(each, kind)
        ]  # fmt: skip
        shown = [
            (row.by, row.number) for each in reviews.values() if each[0].annotator == RESOLVED for row in each
        ]
        people = [each for each in reviews.values() if each[0].origin != "adjudicated"]
        firsts = {each[0].review_id: row.number for each in people for row in _accepts(each, kind)[:1]}
        own = []
        for each in people:
            others = [first for review, first in firsts.items() if review != each[0].review_id]
            who = each[0].annotator
            seen = {
                "of a sample whose known answer training had shown to the person": trained.get(
                    (who, sample_id)
                ),
                "made after the others' values were shown in Resolve": min(
                    (number for name, number in shown if name == who), default=None
                ),
            }
            why, decision = _independent(each, kind, others, min(settled, default=None), seen)
            if why:
                left_out[why] += 1
            elif decision is not None:
                own.append(decision)
        if len(own) > 1:
            found[sample_id] = own
    return found


def _accepts(rows: Sequence[Said], kind: Kind) -> list[Said]:
    """The rows in which a person verified a kind, undone or not, oldest first."""
    return [
        row
        for row in rows
        if isinstance(row.edit, Accept)
        and row.edit.assessment.kind == kind
        and not row.action.startswith(IMPORT_ACTION)
    ]


def _independent(
    rows: Sequence[Said],
    kind: Kind,
    others: Sequence[int],
    settled: int | None,
    seen: Mapping[str, int | None],
) -> tuple[str, tuple[str, str, Assessment] | None]:
    """The first decision that stands, or why it is not the person's own; others' acts by their numbers."""
    edits = [(row.action, row.edit) for row in rows]
    undone = undone_actions(edits)
    accepts = _accepts(rows, kind)
    row = next((accept for accept in accepts if accept.action not in undone), None)
    if row is None:
        return "", None
    number = row.number
    if any(isinstance(edit, Open) and edit.rematch for _, edit in edits) or any(
        row.action.startswith(IMPORT_ACTION) for row in rows
    ):
        return "began with units that somebody had verified", None
    if (settled is not None and settled <= number) or (
        accepts[0].number < number and any(other < number for other in others)
    ):
        return "decided again after the others' work could be seen", None
    for why, since in seen.items():
        if since is not None and since <= number:
            return why, None
    assert isinstance(row.edit, Accept)
    year, week, _ = row.at.isocalendar()
    return "", (row.annotator, f"{year}-W{week:02}", row.edit.assessment)


def _parts(pairs: Sequence[Couple], by: str) -> list[tuple[str, list[Couple]]]:
    """The pairs in parts: of each two people, or of each person and week, against all others."""
    parts: dict[str, list[Couple]] = defaultdict(list)
    for pairing in pairs:
        if by == "pair":
            parts[f"{pairing.first.person} and {pairing.second.person}"].append(pairing)
        elif by == "week":
            for each in (pairing.first, pairing.second):
                parts[f"{each.person} {each.week}"].append(pairing)
    return sorted(parts.items())
