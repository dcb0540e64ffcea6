"""deepeval's contextual recall, vector by vector, and the gate."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import ProposalError
from workbench.scoring import deepeval
from workbench.scoring.gate import gate

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "metric_vectors.json").read_text("utf-8")
)["contextual_recall"]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_a_judges_reply_scores_as_in_deepeval(vector: dict[str, Any]) -> None:
    params = vector["params"]
    strict = params.get("strict_mode", False)
    threshold = params.get("threshold", 0.5)
    if "error" in vector:
        with pytest.raises(ProposalError):
            deepeval.verdicts_of(vector["judge_raw"])
        return

    result = deepeval.recall(deepeval.verdicts_of(vector["judge_raw"]), threshold=threshold, strict=strict)

    assert (vector["score"], vector["success"], vector["n_verdicts"]) == (
        result.score,
        result.success,
        result.n_verdicts,
    )


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
