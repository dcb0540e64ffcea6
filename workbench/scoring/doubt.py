"""What is kept of a counted sample, how many of its verdicts are expected to be wrong, and which look so.

Without the matcher, which takes long to load: the queue shows these numbers before anything is matched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.matching import FLOOR
from workbench.model import Tally
from workbench.scoring.names import SCORERS


@dataclass(frozen=True, slots=True)
class Counted:
    """What is kept of one sample under the scorers that the proposal allows.

    `similarities` 0-100 by unit for those with a match threshold, `fixed` the tallies of the others. A name
    that stands only inside longer names has presence 0, unless the policy counts it.
    """

    similarities: Mapping[str, bytes]
    fixed: Mapping[str, Tally]

    def tallies(self, threshold: int) -> dict[str, Tally]:
        """The tally of every scorer under a match threshold, in report order."""
        tallies = {name: at(values, threshold) for name, values in self.similarities.items()} | {**self.fixed}
        return {name: tallies[name] for name in SCORERS if name in tallies}


def at(similarities: bytes, threshold: int) -> Tally:
    """Found and missing units at a match threshold: the links at a higher one are a prefix of these."""
    limit = max(threshold, FLOOR)
    hits = sum(value >= limit for value in similarities)
    return Tally(hits, len(similarities) - hits)


USUAL = 85
"""The match threshold that doubt is measured at; it orders samples, so another one moves few of them."""

# Share of wrong verdicts among 514 proposed entities (English and Russian) that people judged.
_EQUAL = 0.02  # similarity 100: 2 of 123
_NEAR = 0.15  # found below 100, and the name stands in a context: 10 of 68
_NEAR_UNSEEN = 0.42  # found below 100, and it stands in none: 5 of 12
_SUGGESTED = 0.38  # a near name below the threshold: 18 of 48
_UNREAD = 0.67  # no near name, but it stands in a context: 2 of 3
_ABSENT = 0.02  # neither: 5 of 260


@dataclass(frozen=True, slots=True)
class Judge:
    """What a calibration says: the probability that a unit is found, by its similarity 0 to 100."""

    scorer: str
    threshold: int
    probabilities: tuple[float, ...]

    def wrong(self, near: int) -> float:
        """How likely the verdict on a similarity is wrong."""
        probability = self.probabilities[near]
        return 1 - probability if near and near >= self.threshold else probability


def doubt(counts: Counted, judge: Judge | None = None) -> float | None:
    """The expected number of wrong verdicts on the entities of a sample; None without similarities.

    By the dataset's own calibration where it has one, else by what was measured once.
    """
    presence = counts.similarities.get("presence")
    if presence is None:
        return None
    linked = counts.similarities.get("linked", presence)
    if judge is not None:
        return sum(map(judge.wrong, presence if judge.scorer == "presence" else linked))
    return sum(_wrong(near, there >= USUAL) for near, there in zip(linked, presence, strict=True))


def _wrong(near: int, there: bool) -> float:
    if near == 100:
        return _EQUAL
    if near >= USUAL:
        return _NEAR if there else _NEAR_UNSEEN
    if near:
        return _SUGGESTED
    return _UNREAD if there else _ABSENT
