"""The same vectors through the real ragas, where it is installed and imports."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "metric_vectors.json").read_text("utf-8")
)


def imported(name: str) -> Any:
    """The module, or a skip: it may be absent or broken beside other packages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, exc_type=ImportError)


@pytest.mark.parametrize("vector", VECTORS["context_entity_recall"], ids=lambda vector: vector["name"])
def test_ragas_itself_gives_the_vectors(vector: dict[str, Any]) -> None:
    legacy = imported("ragas.metrics._context_entities_recall")
    metric = legacy.ContextEntityRecall()

    score = metric._compute_score(vector["reference_entities"], vector["context_entities"])

    assert vector["ragas_legacy"] == score
