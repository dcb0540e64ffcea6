"""Automatic against verified for an open sample: which scorer is shown, and the causes of its difference."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.comparing.causes import Difference, difference, precision_of
from workbench.comparing.links import descends
from workbench.model import KINDS, Assessment, Kind
from workbench.reviewing.edits import Open
from workbench.reviewing.fold import ReviewState
from workbench.scoring.names import first_scorer
from workbench.stages.sides import imported_side
from workbench.store.datasets import DatasetInfo
from workbench.store.samples import Stored


def causes_of(
    info: DatasetInfo,
    stored: Stored,
    assessments: Mapping[str, Assessment],
    state: ReviewState,
    opening: Open,
    lang: str,
    written: Mapping[Kind, tuple[str, str]],
) -> dict[Kind, Difference]:
    """The difference of every verified kind to the score shown first; a few ms.

    That is the number of the file where it has one (`written`: column and digits), else a scorer.
    """
    found = {}
    for kind in KINDS:
        own, name = state.of(kind), first_scorer(assessments, kind)
        if own.disposition != "verified":
            continue
        based = descends(opening, own, stored.proposal_id)
        if kind in written:
            column, digits = written[kind]
            within = precision_of([digits])
            found[kind] = imported_side(info, stored, column, digits, within, own.assessment, based)
        elif name is not None:
            found[kind] = difference(assessments[name], own.assessment, based=based, lang=lang)
    return found
