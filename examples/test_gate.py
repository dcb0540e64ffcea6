"""A gate for pull requests: `pytest test_gate.py` fails when the retriever finds less than it should."""

import json
from pathlib import Path

from workbench.api import ContextEntityRecall, ContextualRecall

LINES = Path(__file__).with_name("dataset.jsonl").read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]


def retrieve(question):
    """Put your retriever here. This one returns what was retrieved when the dataset was made."""
    return next(row["retrieved_contexts"] for row in ROWS if row["user_input"] == question)


def retrieved():
    return [row | {"retrieved_contexts": retrieve(row["user_input"])} for row in ROWS]


def test_the_contexts_name_most_of_what_the_web_answer_names():
    row = next(row for row in retrieved() if "World Wide Web" in row["user_input"])
    metric = ContextEntityRecall(threshold=0.8)
    metric.measure(row)
    assert metric.is_successful(), metric.reason


def test_the_mean_entity_recall_has_not_fallen():
    mean = ContextEntityRecall().score_dataset(retrieved()).mean
    assert mean.value >= 0.35, f"mean {mean.value:.3f} over {mean.n} samples, {mean.undefined} undefined"


def test_the_mean_statement_recall_has_not_fallen():
    mean = ContextualRecall().score_dataset(retrieved()).mean
    assert mean.value >= 0.05, f"mean {mean.value:.3f} over {mean.n} samples, {mean.undefined} undefined"
