"""Score a dataset with deepeval, and ask Workbench if the scores are right."""

import json
import subprocess

from deepeval import evaluate
from deepeval.metrics import ContextualRecallMetric
from deepeval.test_case import LLMTestCase
from scripted_judge import deepeval_judge

judge = deepeval_judge()  # yours: the name of an OpenAI model, or a model of deepeval.models

with open("dataset.jsonl", encoding="utf-8") as file:
    rows = [json.loads(line) for line in file]

cases = [
    LLMTestCase(
        input=row["user_input"], expected_output=row["reference"], retrieval_context=row["retrieved_contexts"]
    )
    for row in rows
]
evaluate(cases, [ContextualRecallMetric(model=judge, include_reason=False)])

# deepeval saves every run here, with the judge's verdict and reason for each statement.
subprocess.run(["workbench", "audit", ".deepeval/.latest_run_full.json"], check=True)
