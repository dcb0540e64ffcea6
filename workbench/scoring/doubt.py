"""How many automatic verdicts of a sample are likely to be wrong: what the doubtful-first order goes by."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.scoring.counted import Counted

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
        found = self.probabilities[near]
        return 1 - found if near and near >= self.threshold else found


def doubt(one: Counted, judge: Judge | None = None) -> float | None:
    """The expected number of wrong verdicts on the entities of a sample; None without similarities.

    By the dataset's own calibration where it has one, else by what was measured once.
    """
    if one.presence is None:
        return None
    linked = one.presence if one.linked is None else one.linked
    if judge is not None:
        return sum(map(judge.wrong, one.presence if judge.scorer == "presence" else linked))
    return sum(_wrong(near, there >= USUAL) for near, there in zip(linked, one.presence, strict=True))


def _wrong(near: int, there: bool) -> float:
    if near == 100:
        return _EQUAL
    if near >= USUAL:
        return _NEAR if there else _NEAR_UNSEEN
    if near:
        return _SUGGESTED
    return _UNREAD if there else _ABSENT
