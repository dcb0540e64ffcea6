"""Score a dataset with ragas, save what its judge answered, and ask Workbench if the scores are right."""

import json
import subprocess

from ragas import EvaluationDataset, evaluate
from ragas.metrics import ContextEntityRecall, LLMContextRecall  # ragas.metrics.collections saves no traces
from scripted_judge import ragas_judge

judge = ragas_judge()  # yours: ragas.llms.llm_factory("gpt-4o-mini", client=openai.AsyncOpenAI())

result = evaluate(
    EvaluationDataset.from_jsonl("dataset.jsonl"),
    metrics=[ContextEntityRecall(), LLMContextRecall()],
    llm=judge,
)
result.to_pandas().to_csv("results.csv", index=False)

runs = [run.model_dump(mode="json") for run in result.ragas_traces.values()]
with open("ragas_traces.json", "w", encoding="utf-8") as file:
    json.dump(runs, file)

subprocess.run(["workbench", "audit", "ragas_traces.json"], check=True)
