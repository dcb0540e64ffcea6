"""Which score a report is about when nobody names one."""

from __future__ import annotations

import pytest

from workbench.model import Kind
from workbench.scoring.names import SCORERS, headline

NAMES = ["ragas", "ragas_legacy", "linked", "presence"]


@pytest.mark.parametrize(
    ("columns", "able", "kind", "expected"),
    [
        (["context_recall", "context_entity_recall"], NAMES, "entity", "context_entity_recall"),
        (["faithfulness", "context_recall"], NAMES, "entity", "context_recall"),
        (["Contextual Recall", "Answer Relevancy"], NAMES, "statement", "Contextual Recall"),
        (["context_recall", "our_recall (statement)"], NAMES, "entity", "our_recall (statement)"),
        (["faithfulness", "answer_relevancy"], NAMES, "entity", "ragas"),
        ([], ["linked", "presence"], "entity", "linked"),
        ([], ["presence"], "entity", "presence"),
        ([], [], "entity", "linked"),
        ([], list(SCORERS), "statement", "contextual_recall"),
    ],
)  # fmt: skip
def test_recall_of_the_file_comes_first_and_another_metric_never(
    columns: list[str], able: list[str], kind: Kind, expected: str
) -> None:
    assert expected == headline(columns, able, kind)
