"""deepeval: goldens, test cases, and the results of a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import statement_recall
from workbench.errors import InputError
from workbench.model import Proposal, ProposedStatement, Sample, text_hash

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
        "your scores: Contextual Recall (1 row)",
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


def test_what_we_exported_comes_back_with_what_was_added(load: Any) -> None:
    """From the golden's own metadata; its other columns go to meta."""
    native = {
        "id": "s",
        "user_input": "q",
        "response": "a",
        "retrieved_contexts": ["c | d", "e"],
        "gold": {"annotator": "zoe", "entities": [{"text": "r", "start": 0, "end": 1, "verdict": "missing"}]},
        "scores": {"m": 0.25},
    }
    record = load([{**GOLDEN, "name": "s", "additional_metadata": {"workbench": native}}]).record

    added = {"comments": "hm", "batch": "7"}
    assert record == load({**native, "reference": "r", "meta": added}).record


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"scenario": "a talk"}, "scenario: got a conversation, expected a single turn"),
        ({"turns": [{"role": "user"}]}, "scenario: got a conversation, expected a single turn"),
        ({"expected_output": None}, "reference: got nothing, expected a string (missing)"),
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


# The verdicts of the judge

TAJ = "The Taj Mahal stands in Agra. It was begun in 1632. It has 28 doors."
SAID = (
    ProposedStatement(
        TAJ[:29],
        "found",
        0,
        "The Taj Mahal stands in Agra",
        "1st node: 'The Taj Mahal stands in Agra...'",
        0,
        29,
    ),
    ProposedStatement(
        TAJ[30:51], "found", 1, "work began in 1632", 'The 2nd node says "work began in 1632".', 30, 51
    ),
    ProposedStatement(TAJ[52:], "missing", None, None, "No node mentions doors.", 52, 68),
)
UNPLACED = (
    ProposedStatement("verdict 1 of 3", "found", 1, None, "Node 2 says it."),
    ProposedStatement("verdict 2 of 3", "missing", reason="Not there."),
    ProposedStatement("verdict 3 of 3", "missing", reason="Nor there."),
)
RUNS = [
    ("deepeval_2_9_test_run.json", "0.0", "missing", '"Yes, because": see the 2nd node'),
    ("deepeval_3_9_latest_test_run.json", "0.0", "missing", '"Yes, because": see the 2nd node'),
    ("deepeval_4_3_latest_run_full.json", "0.5", "found", "see the 2nd node"),
]


@pytest.mark.parametrize(("name", "score", "verdict", "reason"), RUNS)
def test_a_saved_run_brings_the_verdicts_that_its_judge_gave(
    fixture: Any, name: str, score: str, verdict: str, reason: str
) -> None:
    """Files that deepeval 2.9.7, 3.9.9 and 4.3.1 wrote; the judge's answers were scripted.

    "Yes, because" is no yes before 4.2. The fourth judge gave no JSON.
    """
    loaded = fixture(name)
    first, second, third, fourth = loaded.records

    assert loaded.errors == []
    assert loaded.notes.format == "deepeval"
    assert Proposal("deepeval", "scripted judge", statements=SAID) == first.proposal
    assert Proposal("deepeval", "scripted judge", statements=UNPLACED) == second.proposal
    assert {"Contextual Recall": score} == third.scores
    assert (verdict, 1, reason) == (
        third.proposal.statements[0].verdict,
        third.proposal.statements[0].context,
        third.proposal.statements[0].reason,
    )
    assert ({}, None) == (fourth.scores, fourth.proposal)
    for one in loaded.records[:3]:
        assert float(one.scores["Contextual Recall"]) == statement_recall(one)
    assert [
        "Contextual Recall: not as many verdicts as sentences, its statements have no place: 1 row",
        "Contextual Recall: the judge's verdicts came in as statements: 3 rows",
        "left out of the metrics: threshold, success, reason, cost: 4 rows",
    ] == loaded.notes.messages()[-3:]


def judged(reference: str, *said: Any, contexts: tuple[str, ...] = ("c",), **metric: Any) -> dict[str, Any]:
    """A test case with the log that deepeval writes; a verdict alone, or with its reason."""
    pairs = [one if isinstance(one, tuple) else (one, "because") for one in said]
    items = [{"verdict": verdict, "reason": reason} for verdict, reason in pairs]
    log = f"Verdicts:\n{json.dumps(items, indent=4)}"
    yes = sum(verdict == "yes" for verdict, _ in pairs) / len(pairs) if pairs else 0
    recall = {"name": "Contextual Recall", "score": yes, "verboseLogs": log, **metric}
    case = {"input": "q", "expectedOutput": reference, "retrievalContext": list(contexts)}
    return {**case, "metricsData": [recall]}


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("One. Two; all of it.", ["One. Two; all of it."]),
        ("Dr. No came at 3.5 p.m. today. Then he left.", ["Dr. No came at 3.5 p.m. today.", "Then he left."]),
        ("- one\n- two\n- three", ["- one", "- two", "- three"]),
        ("美赛0.3分；核心期刊2分；合计2.3分", ["美赛0.3分", "核心期刊2分", "合计2.3分"]),
        ("One; two. Three.", ["One", "two.", "Three."]),
    ],
)
def test_verdicts_are_placed_on_the_parts_of_the_reference_in_order(
    load: Any, reference: str, parts: list[str]
) -> None:
    """Whole, by sentences, by lines, by clauses: the first that gives as many parts as verdicts."""
    statements = load(judged(reference, *["yes"] * len(parts))).record.proposal.statements

    assert parts == [one.text for one in statements]
    assert parts == [reference[one.start : one.end] for one in statements]


@pytest.mark.parametrize(
    ("reason", "context", "quote"),
    [
        ("1st node and 2nd node list it", 0, None),
        ("Attributed to 3rd (and 1st) node: “gamma ray”", 2, "gamma ray"),
        ("the 2nd sentence stands in node 3", 2, None),
        ("第2个节点中明确记载", 1, None),
        ("It says 'alpha's only beta...'", 1, "alpha's only beta"),
        ("It says 'gamma', and then 'a gamma ray' as a whole", 2, "a gamma ray"),
        ("It doesn't say, and it can't", None, None),
        ("9th node", None, None),
    ],
)
def test_a_reason_names_its_context_or_quotes_it(
    load: Any, reason: str, context: int | None, quote: str | None
) -> None:
    """Nodes count from 1 in reasons; what points past the last one is left out and counted."""
    contexts = ("one", "here alpha's only beta stands", "a gamma ray")
    loaded = load(judged("r", ("yes", reason), contexts=contexts))
    (statement,) = loaded.record.proposal.statements

    assert (context, quote, reason) == (statement.context, statement.quote, statement.reason)
    assert ("9th" in reason) == any("point nowhere" in one for one in loaded.notes.messages())


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (judged("r", "yes", score=0.9), "its verdicts do not add up to the score: 1 row"),
        (
            judged("One. Two.", "yes", "no", score=0, strictMode=True),
            "its verdicts do not add up to the score (strict mode makes it 0 or 1): 1 row",
        ),
        (judged("r", score=0), "its verdicts do not add up to the score: 1 row"),
        (
            judged("r", "yes", verboseLogs="Decided by jev; no LLM call"),
            "its verdicts are not in verboseLogs: 1 row",
        ),
        (judged("r", "yes", verboseLogs="Verdicts:\n[{"), "its verdicts are not in verboseLogs: 1 row"),
        (
            judged("r", "yes", verboseLogs="Verdicts:\n" + "[" * 9_999),
            "its verdicts are not in verboseLogs: 1 row",
        ),
        (judged("r", "yes", verboseLogs=7), "its verdicts are not in verboseLogs: 1 row"),
    ],
)
def test_a_log_that_does_not_explain_its_score_is_told(load: Any, case: dict[str, Any], message: str) -> None:
    """The score comes in all the same."""
    loaded = load(case)

    assert ["Contextual Recall"] == list(loaded.record.scores)
    assert f"Contextual Recall: {message}" in loaded.notes.messages()


def test_a_hostile_reason_is_read_at_once(load: Any) -> None:
    """Quotes that never close and numbers that never end: nothing is tried from each of a million places."""
    reason = "1st " * 300_000 + "'a" * 300_000
    (statement,) = load(judged("r", ("yes", reason))).record.proposal.statements

    assert (None, None, reason) == (statement.context, statement.quote, statement.reason)


def test_what_a_log_escapes_reaches_no_database(load: Any) -> None:
    """NUL and half a surrogate pair stand there as escapes of escapes, which the check of the file passes."""
    log = 'Verdicts:\n[{"verdict": "\\ud83d", "reason": "a\\u0000b"}]'
    statements = load(judged("r", "no", verboseLogs=log)).record.proposal.statements

    assert (("missing", '"?": a\ufffdb'),) == tuple((one.verdict, one.reason) for one in statements)


@pytest.mark.parametrize("wrap", ["testRunData", "testCases", "test_results"])
def test_a_run_is_found_wherever_deepeval_puts_it(load: Any, wrap: str) -> None:
    """In `.latest_test_run.json`, in `.latest_run_full.json`, and in a dumped result of `evaluate`."""
    cases = [judged("r", "yes")]
    whole = {
        "testFile": "t.py",
        wrap: {"testCases": cases, "prompts": []} if wrap == "testRunData" else cases,
    }
    loaded = load(json.dumps({**whole, "testPassed": 1}, indent=2), "run.json")

    assert loaded.notes.format == "deepeval"
    assert loaded.record.scores == {"Contextual Recall": "1.0"}


def test_older_and_python_names_of_metrics_are_read(load: Any) -> None:
    """`metricsMetadata` with `metric`, and what `model_dump` of a result gives."""
    old: dict[str, Any] = {"input": "q", "expectedOutput": "r", "retrievalContext": ["c"]}
    old["metricsMetadata"] = [{"metric": "Faithfulness", "score": 0.5, "success": True}]
    (recall,) = judged("r", "yes", evaluation_model="m").pop("metricsData")
    new: dict[str, Any] = {"input": "q2", "expected_output": "r", "retrieval_context": ["c"], "success": True}
    new["metrics_data"] = [{**recall, "verbose_logs": recall.pop("verboseLogs")}]
    first, second = load([old, new]).records

    assert {"Faithfulness": "0.5"} == first.scores
    assert ("m", 1) == (second.proposal.model, len(second.proposal.statements))


def test_of_metrics_with_one_name_the_first_with_a_score_is_read(load: Any) -> None:
    """And the report says so."""
    case = judged("r", "yes")
    case["metricsData"] = [
        {"name": "Faithfulness", "error": "timeout"},
        {"name": "Faithfulness", "score": 0.25},
        {"name": "Faithfulness", "score": 0.75},
    ]
    loaded = load(case)

    assert {"Faithfulness": "0.25"} == loaded.record.scores
    assert 'several metrics "Faithfulness", of which the first one is read: 1 row' in loaded.notes.messages()


def test_conversations_of_a_run_are_refused_by_line(load: Any) -> None:
    """Also where there is nothing else in it."""
    talk = {"name": "t", "success": True, "metricsData": [], "turns": []}
    run = {"testCases": [judged("r", "yes")], "conversationalTestCases": [talk]}
    loaded = load(json.dumps({"testRunData": run}, indent=1), "run.json")
    alone = load(json.dumps({"testCases": [], "conversationalTestCases": [talk]}, indent=1), "run.json")

    message = "scenario: got a conversation, expected a single turn: conversations are not scored by recall"
    assert 1 == len(loaded.records)
    assert [message] == [error.partition(": ")[2] for error in loaded.errors]
    assert [message] == [error.partition(": ")[2] for error in alone.errors]


def test_a_link_to_a_run_says_where_the_run_is(load: Any) -> None:
    """With an account deepeval saves nothing else there."""
    with pytest.raises(InputError, match=r"only the link to a test run.*\.latest_run_full\.json"):
        load('{"testRunLink": "https://example.org/x"}', ".latest_test_run.json")


def test_a_run_of_our_own_cases_keeps_both_proposals(load: Any) -> None:
    """What was exported, and what the judge said since."""
    native: dict[str, Any] = {"id": "s", "user_input": "q", "retrieved_contexts": ["c"]}
    native["proposal"] = {"proposer": "rules", "reference_entities": ["r"]}
    record = load({**judged("r", "yes"), "metadata": {"workbench": native}}).record

    assert ["rules", "deepeval"] == [one.proposer for one in record.proposals]
    assert "s" == record.sample.id


def test_a_trace_of_a_run_is_left_out(load: Any) -> None:
    """It may be larger than the run."""
    loaded = load({**judged("r", "yes"), "trace": {"uuid": "u"}, "flaky": False})

    assert {} == loaded.record.sample.meta
    assert "left out, no place for them: flaky (1 row), trace (1 row)" in loaded.notes.messages()
