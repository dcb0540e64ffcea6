"""Recorded answers in place of an LLM, so that the examples run without a key and without a network.

Use your own judge instead. These answers are the ones that come with `workbench demo`.
"""

import json
from importlib.resources import files

LINES = files("workbench").joinpath("demo_data", "demo.jsonl").read_text("utf-8").splitlines()
SAMPLES = [json.loads(line) for line in LINES]


def ragas_judge():
    from langchain_core.outputs import Generation, LLMResult
    from ragas.llms.base import BaseRagasLLM
    from ragas.run_config import RunConfig

    class ScriptedJudge(BaseRagasLLM):
        def generate_text(self, prompt, n=1, **_):
            asked = json.loads(prompt.to_string().rpartition("\ninput: ")[2].rpartition("\nOutput:")[0])
            if "text" in asked:
                answer = {"entities": entities(asked["text"])}
            else:
                answer = {"classifications": classifications(asked["answer"], asked["context"])}
            return LLMResult(generations=[[Generation(text=json.dumps(answer))] * n])

        async def agenerate_text(self, prompt, n=1, **_):
            return self.generate_text(prompt, n)

        def is_finished(self, response):
            return True

    return ScriptedJudge(run_config=RunConfig())


def deepeval_judge():
    from deepeval.models import DeepEvalBaseLLM

    class ScriptedJudge(DeepEvalBaseLLM):
        def load_model(self):
            return self

        def get_model_name(self):
            return "scripted judge"

        def generate(self, prompt):
            return json.dumps({"verdicts": verdicts(prompt)})

        async def a_generate(self, prompt):
            return self.generate(prompt)

    return ScriptedJudge()


def entities(text):
    """The names in a reference, or in the contexts of one sample."""
    for sample in SAMPLES:
        proposal = sample["proposal"]
        if text == sample["reference"]:
            return [one["text"] for one in proposal["reference_entities"]]
        if text == "\n".join(sample["retrieved_contexts"]):
            return [one["text"] for context in proposal["context_entities"] for one in context]
    raise ValueError(f"no answer is recorded for {text!r}")


def statements(asked):
    """The statements of the reference that stands in what was asked together with its contexts."""
    for sample in SAMPLES:
        if all(text in asked for text in [sample["reference"], *sample["retrieved_contexts"]]):
            answers = sample["proposal"]["statements"]
            return [one | {"reason": one.get("reason") or one["quote"]} for one in answers]
    raise ValueError(f"no answer is recorded for {asked!r}")


def classifications(reference, contexts):
    return [
        {"statement": one["text"], "reason": one["reason"], "attributed": int(one["verdict"] == "found")}
        for one in statements(f"{reference}\n{contexts}")
    ]


def verdicts(prompt):
    return [
        {"verdict": "yes" if one["verdict"] == "found" else "no", "reason": one["reason"]}
        for one in statements(prompt)
    ]
