"""deepeval: goldens, test cases, and the results of a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.model import Sample, text_hash

GOLDEN = {
    "input": "q",
    "actual_output": "a",
    "expected_output": "r",
    "retrieval_context": ["c | d", "e"],
    "context": None,
    "name": None,
    "comments": "hm",
    "source_file": None,
    "tools_called": None,
    "additional_metadata": {"topic": "x"},
    "custom_column_key_values": {"batch": "7"},
    "token_cost": 0.02,
}
META = {"topic": "x", "batch": "7", "comments": "hm"}
SAMPLE = Sample(text_hash("q", "r", "c | d", "e"), "q", "r", ("c | d", "e"), "a", meta=META)
CAMEL = {"input": "q", "actualOutput": "a", "expectedOutput": "r", "retrievalContext": ["c | d", "e"]}


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_goldens_are_read_from_a_list_or_from_lines(load: Any, name: str) -> None:
    """Null is nothing; costs of a run are no scores."""
    loaded = load(json.dumps([GOLDEN], indent=4) if name == "a.json" else [GOLDEN], name)

    assert loaded.notes.format == "deepeval"
    assert loaded.record.sample == SAMPLE
    assert loaded.record.scores == {}


def test_camel_case_is_read_as_well(load: Any) -> None:
    """As test cases are saved."""
    sample = load({**CAMEL, "metadata": META}).record.sample

    assert sample == SAMPLE


def test_results_of_a_run_bring_the_scores_of_its_metrics(load: Any) -> None:
    """With their digits; a metric that failed has no score, which is not 0."""
    results = """{
      "testFile": "t.py",
      "testCases": [
        {"name": "test_case_0", "input": "q", "actualOutput": "a", "expectedOutput": "r",
         "retrievalContext": ["c"], "success": false, "order": 0, "runDuration": 1.5,
         "metricsData": [
           {"name": "Contextual Recall", "threshold": 0.5, "success": true, "score": 0.50, "reason": "…"},
           {"name": "Faithfulness", "success": false, "score": null, "error": "timeout"}]},
        {"input": "q2", "expectedOutput": "r", "retrievalContext": [],
         "metricsData": [{"name": "Contextual Recall", "score": 7}]}
      ],
      "testPassed": 1
    }"""
    loaded = load(results, "test_run_20250101_000000.json")
    record = loaded.records[0]

    assert loaded.notes.format == "deepeval"
    assert record.scores == {"Contextual Recall": "0.50"}
    assert record.sample.meta == {"name": "test_case_0"}
    assert loaded.errors == ["9: Contextual Recall: got 7, expected a number from 0 to 1"]
    assert loaded.notes.messages()[:3] == [
        "kept in meta: name (1 row)",
        "external scores: Contextual Recall (2 rows)",
        "no score, the metric failed there: Faithfulness (1 row)",
    ]


def test_contexts_with_their_source_are_unpacked(load: Any) -> None:
    """As an object, or as the text deepeval writes for it."""
    contexts = [{"context": "c1", "source": "s"}, "deepeval_source=s,deepeval_context=c2", "c3"]

    assert load({**GOLDEN, "retrieval_context": contexts}).record.sample.retrieved_contexts == (
        "c1",
        "c2",
        "c3",
    )


def test_a_table_joins_contexts_by_bars(load: Any) -> None:
    """Written without a mark for the bars inside; where the pieces look like a table the report says so."""
    head = "input,actual_output,expected_output,retrieval_context,additional_metadata\n"
    good = 'q,a,r,one|two,"{""topic"": ""x""}"\n'
    cut = 'q2,a,r,"| a | b |\n| --- | --- |\n| 1 | 2 |",\nq3,,,,\n'
    loaded = load(head + good + cut, "a.csv")
    first, _, last = loaded.records

    assert loaded.errors == []
    assert (first.sample.retrieved_contexts, first.sample.meta) == (("one", "two"), {"topic": "x"})
    assert (last.sample.reference, last.sample.retrieved_contexts) == ("", ())
    assert loaded.notes.messages() == [
        "warning: no contexts in 1 row. Recall counts every unit there as missing. "
        "You can still annotate the references.",
        "kept in meta: topic (1 row)",
        "blank reference, so that there is nothing to verify: 1 row",
        "contexts joined by | that look like a table cut in pieces: check them: 1 row",
    ]


def test_what_we_exported_comes_back(load: Any) -> None:
    """From the golden's own metadata."""
    native = {
        "id": "s",
        "user_input": "q",
        "response": "a",
        "retrieved_contexts": ["c | d", "e"],
        "gold": {"annotator": "zoe", "entities": [{"text": "r", "start": 0, "end": 1, "verdict": "missing"}]},
        "scores": {"m": 0.25},
    }
    record = load([{**GOLDEN, "additional_metadata": {"workbench": native}}]).record

    assert record == load({**native, "reference": "r"}).record


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"scenario": "a talk"}, "scenario: got a conversation, expected a single turn"),
        ({"turns": [{"role": "user"}]}, "scenario: got a conversation, expected a single turn"),
        ({"expected_output": None}, "reference: got nothing, expected a string (missing)"),
        ({"retrieval_context": None, "context": ["c"]}, "retrieval_context: got nothing, expected a list"),
        ({"retrieval_context": 3}, "retrieval_context: got number 3, expected a list of strings"),
        ({"retrieval_context": [{"x": 1}]}, "retrieved_contexts[0]: got an object with x, expected a string"),
        ({"metricsData": 3}, "metricsData: got number 3, expected a list of objects with name and score"),
        ({"metricsData": [{"name": "m", "score": "1"}]}, 'metricsData[0].score: got "1", expected a number'),
        ({"question": "other"}, 'input and question: got "q" and "other", expected the same in both'),
    ],
)
def test_a_broken_golden_is_named(load: Any, more: dict[str, Any], message: str) -> None:
    """The others go in."""
    loaded = load([GOLDEN, {**GOLDEN, **more}])

    (error,) = loaded.errors
    assert error.startswith(f"2: {message}")
