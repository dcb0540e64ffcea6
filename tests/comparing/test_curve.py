"""Threshold curves against counting by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from workbench.comparing.curve import mean_curve, move_to, moves, recalls_at, vectors

unit_similarities = st.lists(st.lists(st.integers(0, 100), max_size=6), max_size=8)


@given(unit_similarities, st.integers(60, 100))
def test_a_curve_counts_as_by_hand_and_a_higher_threshold_never_finds_more(samples: Any, at: int) -> None:
    known = vectors([bytes(units) for units in samples])
    expected = [sum(value >= at for value in units) / len(units) if units else None for units in samples]
    defined = [value for value in expected if value is not None]

    curve = mean_curve(known)

    assert expected == [None if math.isnan(value) else value for value in recalls_at(known, at).tolist()]
    if defined:
        assert sum(defined) / len(defined) == pytest.approx(float(curve[at]), abs=1e-12)
        assert (np.diff(curve) <= 1e-12).all()
    else:
        assert np.isnan(curve).all()


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
