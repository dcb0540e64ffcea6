"""The gate of a CI job: the mean against the pass mark."""

from __future__ import annotations

from fractions import Fraction

import pytest

from workbench.scoring.gate import gate

THIRDS = [("a", Fraction(1, 3)), ("b", Fraction(1)), ("c", None)]


def test_the_gate_holds_the_mean_of_defined_samples_against_the_mark() -> None:
    result = gate("linked", THIRDS, threshold=2 / 3, strict=False)

    assert (True, 2 / 3, 2, 1, ("a",)) == (
        result.passed,
        result.value,
        result.n,
        result.undefined,
        result.below,
    )


def test_the_gate_is_strict_about_every_sample() -> None:
    assert gate("linked", THIRDS, threshold=0.1, strict=True).passed is False
    assert gate("linked", THIRDS[1:], threshold=0.1, strict=True).passed is True


@pytest.mark.parametrize("strict", [True, False])
def test_only_undefined_samples_fail_the_gate(strict: bool) -> None:
    assert gate("linked", [("c", None)], threshold=0.0, strict=strict).passed is False
    assert gate("linked", [], threshold=0.0, strict=strict).passed is False
