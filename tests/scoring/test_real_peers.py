"""The same vectors through the real ragas and deepeval, where they are installed and import."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "metric_vectors.json").read_text("utf-8")
)


def imported(name: str) -> Any:
    """The module, or a skip: either peer may be absent or broken beside other packages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, exc_type=ImportError)


@pytest.mark.parametrize("vector", VECTORS["context_entity_recall"], ids=lambda vector: vector["name"])
def test_ragas_itself_gives_the_vectors(vector: dict[str, Any]) -> None:
    legacy = imported("ragas.metrics._context_entities_recall")
    metric = legacy.ContextEntityRecall()

    score = metric._compute_score(vector["reference_entities"], vector["context_entities"])

    assert vector["ragas_legacy"] == score


@pytest.mark.parametrize(
    "vector",
    [one for one in VECTORS["contextual_recall"] if "error" not in one],
    ids=lambda vector: vector["name"],
)
def test_deepeval_itself_gives_the_vectors(vector: dict[str, Any]) -> None:
    models = imported("deepeval.models.base_model")
    metrics = imported("deepeval.metrics")
    cases = imported("deepeval.test_case")

    class Judge(models.DeepEvalBaseLLM):  # type: ignore[misc,name-defined]
        def load_model(self) -> object:
            return self

        def generate(self, *_: object, **__: object) -> str:
            return str(vector["judge_raw"])

        async def a_generate(self, *_: object, **__: object) -> str:
            return str(vector["judge_raw"])

        def get_model_name(self) -> str:
            return "judge"

    metric = metrics.ContextualRecallMetric(
        model=Judge(), include_reason=False, async_mode=False, **vector["params"]
    )
    case = cases.LLMTestCase(
        input="q", actual_output="a", expected_output="One. Two. Three.", retrieval_context=["c"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        score = metric.measure(case, _show_indicator=False)

    assert (vector["score"], vector["success"]) == (score, metric.success)
