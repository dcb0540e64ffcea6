"""Threshold curves against counting by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.comparing.curve import (
    FOUND,
    MISSING,
    UNLINKED,
    UNSURE,
    mean_curve,
    move_to,
    moves,
    overlay,
    recalls_at,
    vectors,
)

similarity = st.integers(0, 100)
sample = st.lists(st.tuples(similarity, st.sampled_from([UNLINKED, FOUND, MISSING, UNSURE])), max_size=6)


def by_hand(units: list[tuple[int, int]], threshold: int) -> float | None:
    found = sum(human == FOUND or (human == UNLINKED and value >= threshold) for value, human in units)
    return found / len(units) if units else None


@given(st.lists(sample, max_size=8), st.integers(60, 101))
def test_the_overlaid_curve_counts_as_a_person_would(samples: list[list[tuple[int, int]]], at: int) -> None:
    known = vectors(
        [bytes(v for v, _ in units) for units in samples], [bytes(h for _, h in u) for u in samples]
    )
    expected = [by_hand(units, at) for units in samples]
    defined = [value for value in expected if value is not None]

    curve = mean_curve(overlay(known), known)
    each = recalls_at(overlay(known), known, at)

    assert [value if value is not None else "undefined" for value in expected] == [
        "undefined" if math.isnan(value) else value for value in each.tolist()
    ]
    if defined:
        assert sum(defined) / len(defined) == pytest.approx(float(curve[at]), abs=1e-12)
    else:
        assert math.isnan(float(curve[at]))


@given(st.lists(sample, min_size=1, max_size=8))
def test_a_higher_threshold_never_finds_more(samples: list[list[tuple[int, int]]]) -> None:
    known = vectors([bytes(v for v, _ in units) for units in samples])
    curve = mean_curve(known.similarity, known)

    assert np.isnan(curve).all() or (np.diff(curve) <= 1e-12).all()


def test_similarities_stay_as_they_were_under_an_overlay() -> None:
    known = vectors([bytes([90, 50])], [bytes([MISSING, FOUND])])

    overlay(known)

    assert [90, 50] == known.similarity.tolist()


def test_verdicts_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="another number of verdicts"):
        vectors([bytes([90, 50])], [bytes([FOUND])])


one_byte = st.sampled_from([0, 60, 69, 82, 85, 100])
samples = st.lists(st.lists(one_byte, max_size=5), max_size=8)


@given(samples, st.integers(0, 100), st.integers(0, 100))
def test_a_move_counts_as_by_hand(given_samples: list[list[int]], now: int, to: int) -> None:
    prepared = moves([bytes(one) for one in given_samples], now)

    found = move_to(prepared, to)

    def counts(threshold: int) -> list[int]:
        return [sum(value >= max(threshold, 60) for value in one) for one in given_samples if one]

    before, after = counts(now), counts(to)
    sizes = [len(one) for one in given_samples if one]
    assert (to, len(sizes)) == (found.threshold, found.defined)
    assert abs(sum(after) - sum(before)) == found.flipped
    pairs = list(zip(before, after, strict=True))
    assert sum(new > old for old, new in pairs) == found.risen
    assert sum(new < old for old, new in pairs) == found.fallen
    if sizes:
        expected = sum(count / size for count, size in zip(after, sizes, strict=True)) / len(sizes)
        assert expected == pytest.approx(found.mean, abs=1e-12)
    else:
        assert None is found.mean
