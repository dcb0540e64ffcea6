"""ragas metric annotations in both shapes, and traces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import statement_recall
from workbench.model import Proposal, ProposedEntity, ProposedStatement, Sample, count, text_hash
from workbench.scoring.scorers import exact_strings, value_of

INPUT = {"user_input": "q", "reference": "Ann met Bob.", "retrieved_contexts": ["Ann came.", "Bob left."]}
SAMPLE = Sample(
    text_hash(*["q", "Ann met Bob.", "Ann came.", "Bob left."]),
    "q",
    "Ann met Bob.",
    ("Ann came.", "Bob left."),
)


def sample(text: str, said: list[str], edited: list[str] | None = None, **more: Any) -> dict[str, Any]:
    call = {
        "prompt_input": {"text": text},
        "prompt_output": {"entities": said},
        "edited_output": None if edited is None else {"entities": edited},
    }
    return {
        "metric_input": INPUT,
        "metric_output": 0.5,
        "prompts": {"extract_entities_prompt": call},
        "is_accepted": True,
        "target": None,
        **more,
    }


OF_REFERENCE = sample("Ann met Bob.", ["Ann"], ["Ann", "Bob"])
OF_CONTEXTS = sample("Ann came.\nBob left.", ["Bob", "Zoe"], is_accepted=False)


def named(*said: str) -> tuple[ProposedEntity, ...]:
    return tuple(ProposedEntity(text) for text in said)


@pytest.mark.parametrize(
    "document",
    [
        {"context_entity_recall": [OF_REFERENCE, OF_CONTEXTS]},
        {"name": "context_entity_recall", "samples": [OF_REFERENCE, OF_CONTEXTS]},
    ],
    ids=["by metric", "single"],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_the_two_samples_of_a_row_are_one(load: Any, document: dict[str, Any], indent: int | None) -> None:
    """The reference's extraction and the contexts'; what a person edited is a proposal of its own."""
    loaded = load(json.dumps(document, indent=indent), "a.json")

    assert loaded.notes.format == "ragas-annotations"
    assert loaded.record.sample == SAMPLE
    assert loaded.record.scores == {"context_entity_recall": "0.5"}
    assert loaded.record.proposal == Proposal("ragas", "", named("Ann"), (named("Zoe"), named("Bob")))
    assert loaded.record.proposals[1:] == (Proposal("ragas", "edited", named("Ann", "Bob")),)
    assert loaded.record.gold == ()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**OF_REFERENCE, "metric_output": "x"}, 'metric_output: got "x", expected a number'),
        ({**OF_REFERENCE, "metric_output": 2}, "context_entity_recall: got 2, expected a number from 0 to 1"),
        ({**OF_REFERENCE, "prompts": 3}, "prompts: got number 3, expected an object"),
        (sample("r", [3]), "prompts.extract_entities_prompt.prompt_output.entities[0]: got number 3"),  # type: ignore[list-item]
    ],
)
def test_a_broken_sample_is_named(load: Any, row: dict[str, Any], message: str) -> None:
    """The others go in."""
    loaded = load(
        json.dumps({"context_entity_recall": [OF_REFERENCE, row, OF_REFERENCE]}, indent=1), "a.json"
    )

    (error,) = loaded.errors
    assert message in error
    assert len(loaded.records) == 2


def test_a_failed_metric_is_no_score(load: Any) -> None:
    """null is not 0."""
    loaded = load(json.dumps({"context_entity_recall": [{**OF_REFERENCE, "metric_output": None}]}), "a.json")

    assert loaded.record.scores == {}
    assert loaded.notes.messages()[0] == "no score, the metric failed there: context_entity_recall (1 row)"


# Traces


def runs() -> list[dict[str, Any]]:
    def run(name: str, parent: str | None, kind: str, called: str = "", **more: Any) -> dict[str, Any]:
        given = {"run_id": name, "parent_run_id": parent, "name": called, "metadata": {"type": kind}}
        return {**given, "inputs": {}, "outputs": {}, "children": [], **more}

    def prompt(name: str, parent: str, text: str, said: list[str]) -> dict[str, Any]:
        asked, answer = {"data": {"text": text}}, {"output": [{"entities": said}]}
        return run(name, parent, "ragas_prompt", "text_entity_extraction", inputs=asked, outputs=answer)

    return [
        run("e", None, "evaluation", "ragas evaluation"),
        run(
            "r1",
            "e",
            "row",
            "row 1",
            inputs={**INPUT, "user_input": "q2"},
            metadata={"type": "row", "row_index": 1},
        ),
        run("r0", "e", "row", "row 0", inputs=INPUT, metadata={"type": "row", "row_index": 0}),
        run("m1", "r1", "metric", "context_entity_recall", outputs={"output": None}),
        run("m0", "r0", "metric", "context_entity_recall", outputs={"output": 0.25}),
        prompt("p2", "m0", "Ann came.\nBob left.", ["Ann"]),
        prompt("p1", "m0", "Ann met Bob.", ["Ann", "Bob"]),
    ]


@pytest.mark.parametrize("form", ["list", "by id"])
def test_traces_bring_proposals_and_scores_in_the_order_of_the_rows(load: Any, form: str) -> None:
    """Reference and contexts are told apart by the text that was asked of, not by the order of the calls."""
    given = runs() if form == "list" else {run["run_id"]: run for run in runs()}
    loaded = load(json.dumps(given, indent=4), "traces.json")
    first, second = loaded.records

    assert loaded.errors == []
    assert loaded.notes.format == "ragas-traces"
    assert first.sample == SAMPLE
    assert first.scores == {"context_entity_recall": "0.25"}
    assert first.proposal == Proposal("ragas", "", named("Ann", "Bob"), (named("Ann"), ()))
    assert (second.sample.user_input, second.scores, second.proposal) == ("q2", {}, None)
    assert "no score, the metric failed there: context_entity_recall (1 row)" in loaded.notes.messages()


def test_a_tree_that_bites_its_tail_ends(load: Any) -> None:
    """A run below itself is no reason to hang."""
    given = runs()
    given[5]["parent_run_id"] = "p1"
    given[6]["parent_run_id"] = "p2"
    given[2]["parent_run_id"] = "r0"

    assert len(load(json.dumps(given), "traces.json").records) == 2


def judged_runs(*answers: Any, asked: str = "Ann met Bob.") -> list[dict[str, Any]]:
    """A row whose context recall was answered, once or several times."""
    data = {"question": "q", "context": "…", "answer": asked}
    prompt = {"name": "context_recall_classification_prompt", "metadata": {"type": "ragas_prompt"}}
    prompt |= {"run_id": "p", "parent_run_id": "m", "inputs": {"data": data}}
    metric = {"run_id": "m", "parent_run_id": "r0", "name": "context_recall", "metadata": {"type": "metric"}}
    row = next(run for run in runs() if run["run_id"] == "r0")
    return [row, {**metric, "outputs": {"output": 0.5}}, {**prompt, "outputs": {"output": [*answers]}}]


def classified(*said: Any) -> dict[str, Any]:
    return {"classifications": [{"statement": s, "reason": f"on {s}", "attributed": a} for s, a in said]}


def test_traces_bring_the_statements_that_context_recall_was_answered(load: Any) -> None:
    """With the reason for each verdict; of three answers the verdict of most counts, as in ragas."""
    one = load(json.dumps(judged_runs(classified(("Ann met Bob.", 1), ("It rained.", 0)))), "t.json").record
    three = load(
        json.dumps(judged_runs(classified(("A", 0)), classified(("B", 1)), classified(("C", True)))), "t.json"
    ).record
    uneven = load(
        json.dumps(judged_runs(classified(("A", 0)), classified(("B", 1), ("C", 1)))), "t.json"
    ).record

    assert (
        ProposedStatement("Ann met Bob.", "found", reason="on Ann met Bob."),
        ProposedStatement("It rained.", "missing", reason="on It rained."),
    ) == one.proposal.statements
    assert (ProposedStatement("A", "found", reason="on A"),) == three.proposal.statements
    assert (ProposedStatement("A", "missing", reason="on A"),) == uneven.proposal.statements


@pytest.mark.parametrize(
    "runs_given",
    [
        judged_runs({"classifications": ["x"]}),
        judged_runs({"classifications": [{"statement": "A", "attributed": "1"}]}),
        judged_runs({"classifications": [{"statement": " ", "attributed": 1}]}),
        judged_runs({"classifications": 3}),
        judged_runs("x"),
        judged_runs(),
        judged_runs(classified(("A", 1)), asked="of another text"),
    ],
)
def test_classifications_of_another_shape_are_no_statements(load: Any, runs_given: Any) -> None:
    """The score comes in all the same."""
    record = load(json.dumps(runs_given), "t.json").record

    assert ({"context_recall": "0.5"}, None) == (record.scores, record.proposal)


def test_what_ragas_saved_is_counted_to_the_same_scores(fixture: Any) -> None:
    """A file that ragas 0.4.3 wrote, with scripted answers: one reference is its own context, and two context
    recalls failed."""
    loaded = fixture("ragas_0_4_traces.json")
    same, where, when = loaded.records
    both = [(one.proposal.reference_entities, one.proposal.context_entities) for one in loaded.records]

    assert loaded.errors == []
    assert ["0.9999999900000002", "0.6666666644444444", "0.9999999900000002"] == [
        record.scores["context_entity_recall"] for record in loaded.records
    ]
    assert [0.9999999900000002, 0.6666666644444444, 0.9999999900000002] == [
        value_of("ragas", count(exact_strings(names, contexts, "ragas").units)) for names, contexts in both
    ]
    assert (named("Agra"), (named("Agra"),)) == (
        same.proposal.reference_entities,
        same.proposal.context_entities,
    )
    assert [("found", "The first sentence says so."), ("missing", "No word of doors.")] == [
        (one.verdict, one.reason) for one in where.proposal.statements
    ]
    assert ("0.5", 0.5) == (where.scores["context_recall"], statement_recall(where))
    assert [None, None] == [same.proposal.statements, when.proposal.statements]


def test_a_bad_run_in_a_list_on_one_line_is_named_by_its_number(load: Any) -> None:
    """All runs of such a file stand on line 1, which finds none of them."""
    sample = {"user_input": "q", "reference": "Ann met Bob.", "retrieved_contexts": []}
    row = {"run_id": "a", "parent_run_id": None, "inputs": sample, "metadata": {"type": "row"}}

    loaded = load(json.dumps([row, {**row, "run_id": 7}, row | {"run_id": "b"}]), "traces.json")

    assert loaded.errors == [" item 2: run_id: got number 7, expected a string"]
    assert len(loaded.records) == 2
