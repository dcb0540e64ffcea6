"""The metrics inside ragas and deepeval themselves, and models of both as proposers, over real HTTP."""

import asyncio
import json
import math
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.api.test_proposers import ROWS, database, service, stored_scores
from tests.exports.test_real_readers import imported, quiet
from tests.proposing.claude.answering import answer
from workbench.api import ContextEntityRecall, ContextualRecall
from workbench.errors import AnswerError

__all__ = ["database", "quiet", "service"]

for package in ("ragas", "deepeval"):
    imported(package)
pytestmark = pytest.mark.filterwarnings("ignore")

FENCED = re.compile(r"\n\n(?=<\w+-[0-9a-f]+ n=1>\n)")
RAGAS = ("user_input", "reference", "retrieved_contexts")
SAMPLES = [{name: row[name] for name in RAGAS} for row in ROWS]
NOTHING = {"user_input": "?", "reference": "So be it.", "retrieved_contexts": []}


def answered(prompt: str) -> str:
    """What a judge answers to a prompt of ours: the rule of the local Claude service."""
    told, pieces = FENCED.split(prompt, maxsplit=1)
    shape = json.loads(told.rpartition("of this schema: ")[2])
    return answer({"messages": [{"content": pieces}], "output_config": {"format": {"schema": shape}}})


class Completions(BaseHTTPRequestHandler):
    """The chat completions of an OpenAI-compatible service."""

    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(request)
        (prompt,) = [one["content"] for one in request["messages"] if one["role"] == "user"]
        body = {
            "id": "c1", "object": "chat.completion", "created": 0, "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": answered(prompt)}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }  # fmt: skip
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args: Any) -> None:
        """Print nothing."""


@pytest.fixture
def completions() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of a local service, and what it was asked."""
    asked: list[dict[str, Any]] = []
    handler = type("Handler", (Completions,), {"asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", asked
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.fixture
def expected(service: Any) -> dict[str, tuple[float | None, ...]]:
    """The scores of the examples when Claude proposes by the same rule."""
    made = [metric(proposer="claude") for metric in (ContextEntityRecall, ContextualRecall)]
    return {metric.kind: metric.score_dataset(SAMPLES).scores for metric in made}


def as_cases(cases: Any) -> list[Any]:
    """The rows as test cases of deepeval."""
    return [
        cases.LLMTestCase(
            input=row["user_input"],
            expected_output=row["reference"],
            retrieval_context=row["retrieved_contexts"],
            name=row["id"],
        )
        for row in ROWS
    ]


def test_deepeval_evaluates_as_the_command_score(database: Path, tmp_path: Path, monkeypatch: Any) -> None:
    deepeval, configs = imported("deepeval"), imported("deepeval.evaluate.configs")
    cases = imported("deepeval.test_case")
    ours = imported("workbench.deepeval")
    monkeypatch.chdir(tmp_path)
    given = as_cases(cases)

    for together in (True, False):
        result = deepeval.evaluate(
            given,
            [ours.ContextEntityRecallMetric(), ours.ContextualRecallMetric(threshold=0.2)],
            async_config=configs.AsyncConfig(run_async=together),
            display_config=configs.DisplayConfig(print_results=False, show_indicator=False),
        )
        found = {
            one.name: {metric.name: metric.score for metric in one.metrics_data}
            for one in result.test_results
        }
        for name, scorer in (("entity", "linked"), ("statement", "contextual_recall")):
            scores = tuple(found[row["id"]][f"Workbench Recall ({name})"] for row in ROWS)
            assert stored_scores(database, scorer) == scores


def test_deepeval_asserts_a_test_and_says_why_it_failed(tmp_path: Path, monkeypatch: Any) -> None:
    deepeval, cases = imported("deepeval"), imported("deepeval.test_case")
    ours, errors = imported("workbench.deepeval"), imported("deepeval.errors")
    monkeypatch.chdir(tmp_path)
    taj = ROWS[0]
    case = cases.LLMTestCase(
        input=taj["user_input"], expected_output=taj["reference"], retrieval_context=taj["retrieved_contexts"]
    )

    deepeval.assert_test(case, [ours.ContextEntityRecallMetric(threshold=0.625)])
    with pytest.raises(AssertionError, match=r"score: 0\.625, threshold: 0\.7.* 5 of 8 entities"):
        deepeval.assert_test(case, [ours.ContextEntityRecallMetric(threshold=0.7)])
    with pytest.raises(AssertionError, match=r"score: 0\.0, threshold: 1\.0, strict: True"):
        deepeval.assert_test(case, [ours.ContextEntityRecallMetric(strict_mode=True)])
    undefined = cases.LLMTestCase(input="?", expected_output="So be it.", retrieval_context=[])
    with pytest.raises(AssertionError, match=r"score: None.* the score is undefined"):
        deepeval.assert_test(undefined, [ours.ContextEntityRecallMetric(threshold=0.0)])
    with pytest.raises(errors.MissingTestCaseParamsError, match="retrieval_context"):
        deepeval.assert_test(
            cases.LLMTestCase(input="?", expected_output="Agra."), [ours.ContextEntityRecallMetric()]
        )


def test_a_model_of_deepeval_proposes(
    completions: tuple[str, list[dict[str, Any]]],
    expected: dict[str, tuple[float | None, ...]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deepeval, configs = imported("deepeval"), imported("deepeval.evaluate.configs")
    cases, models = imported("deepeval.test_case"), imported("deepeval.models")
    ours = imported("workbench.deepeval")
    monkeypatch.chdir(tmp_path)
    url, asked = completions
    model = models.LocalModel(model="tiny", base_url=url, api_key="none")
    given = as_cases(cases)
    result = deepeval.evaluate(
        given,
        [ours.ContextEntityRecallMetric(proposer=model), ours.ContextualRecallMetric(proposer=model)],
        display_config=configs.DisplayConfig(print_results=False, show_indicator=False),
    )
    found = {one.name: {metric.name: metric for metric in one.metrics_data} for one in result.test_results}

    for kind, scores in expected.items():
        name = f"Workbench Recall ({kind})"
        assert scores == tuple(found[row["id"]][name].score for row in ROWS)
        assert {"tiny (Local Model)"} == {found[row["id"]][name].evaluation_model for row in ROWS}
    assert {"tiny"} == {request["model"] for request in asked}


def test_a_model_class_of_the_user_that_returns_text_proposes(expected: Any) -> None:
    models = imported("deepeval.models")

    class Mine(models.DeepEvalBaseLLM):  # type: ignore[misc, name-defined]
        def load_model(self) -> Any:
            return self

        def get_model_name(self) -> str:
            return "mine"

        def generate(self, prompt: str) -> str:
            return f"Here you are:\n```json\n{answered(prompt)}\n```"

        async def a_generate(self, prompt: str) -> str:
            return self.generate(prompt)

    class Broken(Mine):
        def generate(self, prompt: str) -> str:
            return "I cannot."

    assert expected["entity"] == ContextEntityRecall(proposer=Mine()).score_dataset(SAMPLES).scores
    assert expected["statement"] == ContextualRecall(proposer=Mine()).score_dataset(SAMPLES).scores
    with pytest.raises(AnswerError, match="not json"):
        ContextEntityRecall(proposer=Broken()).measure(SAMPLES[0])


def test_ragas_evaluates_with_the_values_of_the_command_score(database: Path) -> None:
    ragas, ours = imported("ragas"), imported("workbench.ragas")
    dataset = ragas.EvaluationDataset.from_list([*SAMPLES, NOTHING])

    result = ragas.evaluate(
        dataset, metrics=[ours.ContextEntityRecall(), ours.ContextualRecall()], show_progress=False
    )

    for kind, scorer in (("entity", "linked"), ("statement", "contextual_recall")):
        scores = result[f"workbench_recall ({kind})"]
        assert stored_scores(database, scorer) == tuple(scores[:-1])
        assert kind != "entity" or math.isnan(scores[-1])


def test_an_experiment_of_ragas_gets_values_and_reasons(database: Path) -> None:
    ragas, ours = imported("ragas"), imported("workbench.ragas")
    metric = ours.ContextEntityRecall()

    @ragas.experiment()  # type: ignore[untyped-decorator]
    async def run(row: dict[str, Any]) -> dict[str, Any]:
        result = await metric.ascore(**row)
        return {"user_input": row["user_input"], "score": result.value, "reason": result.reason}

    dataset = ragas.Dataset(name="examples", backend="inmemory")
    for row in [*SAMPLES, NOTHING]:
        dataset.append(row)
    found = {row["user_input"]: row for row in asyncio.run(run.arun(dataset, name="once"))}

    scores = tuple(found[row["user_input"]]["score"] for row in ROWS)
    assert stored_scores(database, "linked") == scores
    assert "The reference has no entities: the score is undefined." == found["?"]["reason"]
    assert [scores[0]] == [one.value for one in metric.batch_score(SAMPLES[:1])]


@pytest.mark.parametrize("kind", ["asynchronous", "synchronous", "langchain"])
def test_a_model_of_ragas_proposes_over_http(kind: str, completions: Any, expected: Any) -> None:
    ragas, ours, openai = imported("ragas"), imported("workbench.ragas"), imported("openai")
    llms = imported("ragas.llms")
    url, asked = completions
    if kind == "langchain":
        chat = imported("langchain_openai").ChatOpenAI(model="tiny", base_url=url, api_key="none")
        model = llms.LangchainLLMWrapper(chat)
    else:
        client = {"asynchronous": openai.AsyncOpenAI, "synchronous": openai.OpenAI}[kind]
        model = llms.llm_factory("tiny", client=client(base_url=url, api_key="none"))
    result = ragas.evaluate(
        ragas.EvaluationDataset.from_list(SAMPLES),
        metrics=[ours.ContextEntityRecall(proposer=model), ours.ContextualRecall(proposer=model)],
        show_progress=False,
        raise_exceptions=True,
    )

    for name, scores in expected.items():
        assert scores == tuple(result[f"workbench_recall ({name})"])
    assert {"tiny"} == {request["model"] for request in asked}


def test_documents_of_langchain_are_contexts() -> None:
    documents = imported("langchain_core.documents")
    contexts = [documents.Document(page_content=text) for text in ROWS[0]["retrieved_contexts"]]

    assert ContextEntityRecall().measure(SAMPLES[0]) == ContextEntityRecall().measure(
        {**SAMPLES[0], "retrieved_contexts": contexts}
    )


def test_a_data_frame_is_a_dataset_also_from_a_csv_file(tmp_path: Path) -> None:
    pandas = imported("pandas")
    scores = ContextEntityRecall().score_dataset([*SAMPLES, NOTHING]).scores
    frame = pandas.DataFrame([{**SAMPLES[0], "faithfulness": 0.5}, *SAMPLES[1:], NOTHING])
    frame.to_csv(tmp_path / "rows.csv")
    frame.to_parquet(tmp_path / "rows.parquet")

    assert scores == ContextEntityRecall().score_dataset(frame).scores
    for read in (pandas.read_csv(tmp_path / "rows.csv"), pandas.read_parquet(tmp_path / "rows.parquet")):
        assert scores == ContextEntityRecall().score_dataset(read).scores


@pytest.mark.parametrize(("extra", "other"), [("ragas", "deepeval"), ("deepeval", "ragas")])
def test_each_framework_needs_only_itself(extra: str, other: str) -> None:
    imported(extra)
    script = f"""
import sys, warnings
warnings.simplefilter("ignore")
away = {{"textual", "sqlmodel", "alembic", "{other}"}}
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in away:
            raise ImportError(name)
sys.meta_path.insert(0, Blocked())
import workbench.{extra}
print("imported")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8")

    assert "imported\n" == done.stdout, done.stderr
