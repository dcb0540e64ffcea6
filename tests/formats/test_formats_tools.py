"""Files of evaluation and tracing tools, after their published schemas: what is read, and what is named."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tests.formats.conftest import FIXTURES, Loaded, load_path
from workbench.errors import InputError
from workbench.formats.columns import columns_of
from workbench.formats.detect import look, objects
from workbench.formats.json_lines import HEAD
from workbench.formats.tables import frame_file

QUESTION = "Where was Zoë Lund born?"
REFERENCE = "Zoë Lund was born in Bergen in 1962."
RESPONSE = "In Bergen, in 1962."
CONTEXTS = ("Zoë Lund (Bergen, 1962) is a painter.", "Bergen is a city in Norway.")

TOOLS: list[tuple[str, str, str | None, dict[str, str]]] = [
    ("ragchecker.json", "ragas", RESPONSE, {}),
    ("promptfoo.json", "promptfoo", RESPONSE, {"context-recall": "0.5", "facts": "1"}),
    ("mlflow_eval_results_table.json", "mlflow", RESPONSE, {"answer_correctness/v1/score": "4.0"}),
    ("langfuse_dataset_items.json", "langfuse", None, {}),
    ("langfuse_observations.jsonl", "traces", RESPONSE, {}),
    ("langsmith_experiment.csv", "langsmith", RESPONSE, {"context_recall": "0.5"}),
    ("trulens_records.csv", "trulens", RESPONSE, {"Context Relevance": "0.75", "Ground Truth": "1.0"}),
    ("openinference_spans.jsonl", "traces", RESPONSE, {}),
    ("otel_genai_otlp.jsonl", "traces", RESPONSE, {}),
]


def message(loaded: Loaded) -> str:
    return "\n".join(loaded.notes.messages())


@pytest.mark.parametrize(("name", "format", "response", "scores"), TOOLS, ids=[one[0] for one in TOOLS])
def test_a_file_of_a_tool_gives_question_reference_contexts_and_scores(
    name: str,
    format: str,  # noqa: A002
    response: str | None,
    scores: dict[str, str],
) -> None:
    loaded = load_path(FIXTURES / name)
    first = loaded.records[0]

    assert format == loaded.notes.format
    assert (QUESTION, REFERENCE) == (first.sample.user_input, first.sample.reference)
    assert CONTEXTS == first.sample.retrieved_contexts
    assert response == first.sample.response
    assert scores == first.scores


def test_metadata_of_an_item_stays_where_its_input_has_the_contexts(load: Any) -> None:
    """Written as text or as an object."""
    item = {
        "input": {"question": QUESTION, "contexts": CONTEXTS},
        "expectedOutput": REFERENCE,
        "datasetId": "d",
    }
    as_object, as_text = (
        load([{**item, "metadata": metadata}]).record.sample
        for metadata in ({"source": "wiki"}, '{"source": "wiki"}')
    )

    assert CONTEXTS == as_text.retrieved_contexts
    assert {"source": "wiki"} == as_text.meta["metadata"] == as_object.meta["metadata"]


def leaves(value: Any, *path: str) -> list[tuple[tuple[str, ...], Any]]:
    """Every text and number of a row with the keys that lead to it."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, *path, key)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner, *path)]
    return [(path, value)] if isinstance(value, str | int | float) and value not in ("", True, False) else []


JSON_FILES = [name for name, *_ in TOOLS if not name.endswith(".csv")] + ["langsmith_dataset.jsonl"]


@pytest.mark.parametrize("name", JSON_FILES)
def test_no_value_is_lost_silently(name: str) -> None:
    """It is in the sample, its scores, its meta, in a refused row, or a key on the way to it is named."""
    loaded = load_path(FIXTURES / name)
    refused = [row.raw for row in loaded.rows if row.error is not None]
    stored = json.dumps([[vars_of(one) for one in loaded.records], refused], ensure_ascii=False)
    source = look(FIXTURES / name, None, columns_of((), ()))
    if source.container == "lines":
        rows = [json.loads(line) for line in (FIXTURES / name).read_text("utf-8").splitlines()]
    else:
        rows = [raw.value for raw in objects(source)]
    named = message(loaded)
    lost = [
        ".".join(path)
        for row in rows
        for path, value in leaves(row)
        if json.dumps(value, ensure_ascii=False).strip('"') not in stored
        and not any(key in named for key in path)
    ]

    assert [] == lost


def vars_of(record: Any) -> dict[str, Any]:
    sample = record.sample
    return {
        "texts": [
            sample.id,
            sample.user_input,
            sample.reference,
            sample.response,
            *sample.retrieved_contexts,
        ],
        "meta": dict(sample.meta),
        "scores": dict(record.scores),
    }


def test_a_trace_without_a_reference_says_what_to_do(tmp_path: Path) -> None:
    """The response of a trace may be what is verified."""
    loaded = load_path(FIXTURES / "langfuse_observations.jsonl")
    taken = load_path(
        FIXTURES / "langfuse_observations.jsonl", columns=columns_of(["reference=response"], [])
    )

    assert ["2: reference: got nothing, expected a string (missing)"] == [
        one.partition(";")[0] for one in loaded.errors
    ]
    assert "--map reference=response takes the response: 1 row" in message(loaded)
    assert [RESPONSE, "Zoë."] == [one.sample.reference for one in taken.records]


def test_an_example_of_langsmith_has_its_reference_in_its_outputs() -> None:
    """Of chat messages the last one is the question."""
    loaded = load_path(FIXTURES / "langsmith_dataset.jsonl")

    assert [(QUESTION, REFERENCE), ("Who painted it?", "Zoë Lund painted it.")] == [
        (one.sample.user_input, one.sample.reference) for one in loaded.records
    ]
    assert "the reference is the output of an example, not the answer of a run: 2 rows" in message(loaded)


ROW = {"question": "q", "ground_truth": "Ann", "contexts": ["c"]}


@pytest.mark.parametrize(
    "context",
    [
        {"text": "c", "doc_id": "1"},
        {"page_content": "c", "metadata": {"source": "a"}},
        {"content": "c"},
        {"evidence_text": "c", "evidence_page_num": 3},
        {"node": {"text": "c"}, "score": 0.5},
        {"lc": 1, "kwargs": {"page_content": "c"}},
        {"document.content": "c", "document.score": 0.1},
    ],
)
def test_a_context_may_be_an_object_with_a_text(load: Any, context: dict[str, Any]) -> None:
    """What else it has is named."""
    loaded = load([{**ROW, "contexts": [context, "plain"]}])
    others = [key for key in context if "c" not in (context[key], *_inner(context[key]))]

    assert ("c", "plain") == loaded.record.sample.retrieved_contexts
    assert all(f"retrieved_contexts.{key} (1 row)" in message(loaded) for key in others)


def _inner(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []


@pytest.mark.parametrize(
    ("row", "maps"),
    [
        (
            {"input": "q", "expected_output": {"answer": "Ann", "by": "z"}},
            ["reference=expected_output.answer"],
        ),
        ({"question": "q", "output": [{"answer": "Ann"}]}, ["reference=output.0.answer"]),
        ({"question": "q", "output": [{"answer": "Ann"}]}, ["reference=output.answer"]),
        ({"question": "q", "a.b": {"c": "Ann"}}, ["reference=a.b.c"]),
        (
            {"question": "q", "answer": "Ann", "passages": [{"body": {"x": "c"}}]},
            ["reference=answer", "retrieved_contexts=passages.body.x"],
        ),
    ],
)
def test_a_path_with_dots_leads_into_objects_and_lists(load: Any, row: Any, maps: list[str]) -> None:
    loaded = load([row])
    path = loaded.rows[0]
    read = load_path(path_of(load), columns=columns_of(maps, []))

    assert path.record is None or path.record.sample.reference != "Ann"
    assert "Ann" == read.record.sample.reference
    assert (("c",) if "passages" in row else ()) == read.record.sample.retrieved_contexts


def path_of(load: Any) -> Path:
    """The file that `load` wrote last."""
    found: Path = load.__closure__[0].cell_contents
    return found / "rows.jsonl"


DOCUMENT = {"framework": "f", "results": [{"q": "q", "gold": "Ann"}], "runs": {"items": [{"n": 1}]}}


def test_a_list_inside_a_document_is_named_with_rows(load: Any, tmp_path: Path) -> None:
    """Without it, and where no list holds what we know, the lists are named with their columns."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(DOCUMENT, indent=1))
    with pytest.raises(InputError, match=r"--rows LIST.* results \(q, gold\); runs.items \(n\)"):
        load_path(path)
    maps = ["user_input=q", "reference=gold"]
    read = load_path(path, columns=columns_of(maps, [], "results"))

    assert "Ann" == read.record.sample.reference
    assert "around the rows, left out: framework, runs" in message(read)
    with pytest.raises(
        InputError, match=r"--rows result: no list of objects; there is: results, runs\.items"
    ):
        load_path(path, columns=columns_of(maps, [], "result"))


def test_a_list_of_rows_in_a_document_is_found_under_any_name(load: Any) -> None:
    """Where two lists hold rows, the person says which."""
    document = {"llm": "m", "per_question": [{"user_input": "q", "reference": "Ann", "faithfulness": 1}]}
    loaded = load(json.dumps(document, indent=1), "a.json")

    assert {"faithfulness": "1"} == loaded.record.scores
    assert "around the rows, left out: llm" in message(loaded)
    with pytest.raises(InputError, match=r"several lists of rows: say which list with --rows"):
        load(json.dumps({**document, "again": document["per_question"]}), "a.json")


def test_a_table_that_names_its_columns_once_is_read(load: Any) -> None:
    """As pandas writes one with orient="split"."""
    table = {"columns": ["question", "ground_truth", "contexts"], "index": [0], "data": [["q", "Ann", ["c"]]]}

    assert ("c",) == load(json.dumps(table, indent=1), "a.json").record.sample.retrieved_contexts


def test_columns_that_are_no_names_are_told(load: Any) -> None:
    """Also where they come again, far behind the first ones."""
    table = '{"columns": ["question", "ground_truth"], "data": [["q", "Ann"]], "index": "%s", "columns": 5}'

    with pytest.raises(InputError, match="row: got 1e999, expected a finite number or null"):
        load('{"columns": ["question", 1e999], "data": [["q", "Ann"]]}', "a.json")
    assert ["1: columns: got number 5, expected a list of names"] == load(
        table % ("x" * HEAD), "a.json"
    ).errors


def test_columns_as_pandas_writes_them_by_default_are_told_how_to_be_rows(load: Any) -> None:
    table = {"question": {"0": "q"}, "ground_truth": {"0": "Ann"}, "contexts": {"0": ["c"]}}

    with pytest.raises(InputError, match=r'write its rows: to_json\("a.json", orient="records"\)'):
        load(json.dumps(table), "a.json")


def test_objects_one_behind_the_other_over_several_lines_are_rows(load: Any) -> None:
    rows = [{**ROW, "question": "q1"}, {**ROW, "question": "q2"}]
    loaded = load("\n".join(json.dumps(row, indent=2) for row in rows), "a.json")

    assert ["q1", "q2"] == [one.sample.user_input for one in loaded.records]


@pytest.mark.parametrize("name", ["expected_answer", "expected_response", "ideal_answer", "gt_answer"])
def test_further_names_of_a_reference_and_a_question_are_known(load: Any, name: str) -> None:
    loaded = load([{"query": "q", name: "Ann", "retrieved_context": ["c"]}])

    assert ("q", "Ann", ("c",)) == (
        loaded.record.sample.user_input,
        loaded.record.sample.reference,
        loaded.record.sample.retrieved_contexts,
    )


def test_another_column_for_a_named_field_is_kept_in_meta(load: Any) -> None:
    load([{"question": "q", "reference_short": "Ann", "ground_truth": "Ann Lee", "contexts": []}])
    read = load_path(path_of(load), columns=columns_of(["reference=reference_short"], []))

    assert "Ann" == read.record.sample.reference
    assert {"ground_truth_": "Ann Lee"} == read.record.sample.meta


def test_a_data_frame_is_read_like_a_file() -> None:
    pandas = pytest.importorskip("pandas")
    numpy = pytest.importorskip("numpy")
    frame = pandas.DataFrame(
        {
            "question": ["q"],
            "ground_truth": ["Ann"],
            "contexts": [numpy.array(["c", "d"])],
            "m": [float("nan")],
        }
    )
    with frame_file(frame) as path:
        loaded = load_path(path)

    assert ("c", "d") == loaded.record.sample.retrieved_contexts
    with frame_file([{**ROW, "m": 0.5}]) as path:
        assert {"m": "0.5"} == load_path(path).record.scores


@pytest.mark.parametrize(
    "row",
    [
        {"vars": {}, "testIdx": 0, "gradingResult": 3, "testCase": [], "namedScores": "x", "response": 4},
        {"inputs": [], "outputs": {}, "targets": {"a": [1, {}]}},
        {"input": {"messages": [3]}, "datasetId": 5, "expectedOutput": [[]], "metadata": "{"},
        {"inputs": {}, "outputs": None, "reference_outputs": 3, "feedback": []},
        {"record_id": {}, "input": [], "output": 3, "a_calls": "[{'args': 3}]", "a": "x"},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": [{"key": 1, "value": {"x": {}}}]}]}]}]},
        {"trace_id": [], "attributes": {"retrieval.documents": "[", "input": {"value": {}}}, "parent_id": 3},
        {"traceId": "t", "parentObservationId": None, "output": [[1]], "type": "RETRIEVER", "scores": [{}]},
    ],
)
def test_a_broken_row_of_a_tool_is_one_bad_row(load: Any, row: dict[str, Any]) -> None:
    loaded = load([row])

    assert 1 == len(loaded.errors)


def test_a_line_of_spans_that_is_no_json_is_one_bad_row(load: Any) -> None:
    lines = (FIXTURES / "spans_phoenix.jsonl").read_text("utf-8").splitlines()

    loaded = load("\n{\n".join(lines))

    assert 1 == len(loaded.errors) == len(loaded.records)


def test_what_a_tool_wrote_into_a_text_is_checked_like_any_other(load: Any) -> None:
    """A NUL, half a surrogate pair or a set of Python in it stay the text that they are."""
    for text in ('{"a": "\\u0000"}', '["\\ud800"]', "{'a': {1, 2}}", "[" * 10_000):
        loaded = load([{"input": "q", "expectedOutput": "Ann", "datasetId": "d", "metadata": text}])
        assert {"datasetId": "d", "metadata": text} == loaded.record.sample.meta


def test_the_folder_of_deepeval_is_the_run_in_it(tmp_path: Path) -> None:
    case = {"input": "q", "expectedOutput": "Ann", "retrievalContext": ["c"]}
    (tmp_path / ".latest_run_full.json").write_text(json.dumps({"testCases": [case]}))
    (tmp_path / ".latest_test_run.json").write_text(json.dumps({"testRunLink": "https://x"}))
    (tmp_path / ".deepeval-cache.json").write_text("{}")

    assert "Ann" == load_path(tmp_path).record.sample.reference


@pytest.mark.parametrize("tool", ["phoenix", "phoenix_nested", "langsmith", "langfuse"])
def test_a_trace_is_one_sample_however_its_spans_are_written(tool: str) -> None:
    """Phoenix by its REST interface, and nested with the retriever before the root."""
    sample = load_path(FIXTURES / f"spans_{tool}.jsonl").record.sample

    assert ("t", "q", "Ann", "a") == (sample.id, sample.user_input, sample.reference, sample.response)
    assert ("c", "d") == sample.retrieved_contexts


def test_traces_without_an_id_are_a_sample_each(load: Any) -> None:
    """Together they were one row called None. Its text gives each an id, as any row without one."""
    found = {"type": "RETRIEVER", "output": ["c"]}
    given = [
        {"input": f"q{n}", "output": "a", "metadata": {"expected_output": "Ann"}, "observations": [found]}
        for n in range(3)
    ]

    samples = [record.sample for record in load(given).records]

    assert [("q0", ("c",)), ("q1", ("c",)), ("q2", ("c",))] == [
        (sample.user_input, sample.retrieved_contexts) for sample in samples
    ]
    assert 3 == len({sample.id for sample in samples} - {"None"})


def test_of_a_span_only_what_is_read_stays_in_memory(tmp_path: Path) -> None:
    """Spans of one trace may stand anywhere in a file, so that all of them are held to its end."""
    attributes = {"input.value": "q", "llm.prompt_template": "x" * 10_000}
    spans = ({"trace_id": str(n), "parent_id": None, "attributes": attributes} for n in range(300))
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(f"{json.dumps(span)}\n" for span in spans))
    tracemalloc.start()
    try:
        assert 300 == len(load_path(path).rows)
        assert tracemalloc.get_traced_memory()[1] < path.stat().st_size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "row",
    [
        {"inputs.q": "q", "reference.a": "Ann", "feedback.tone": "kind", "feedback.recall": 0.5},
        {"inputs": "q", "ground_truth": "Ann", "tone/v1/score": "kind", "recall/v1/score": "0.5"},
        {"record_id": "1", "input": "q", "output": "a", "reference": "Ann", "tone": "kind", "tone_calls": []},
        {"id": "t", "input": "q", "output": "a", "metadata": {"reference": "Ann"}, "observations": [],
         "scores": [{"name": "tone", "value": "kind"}]},
    ],
    ids=["langsmith", "mlflow", "trulens", "traces"],
)  # fmt: skip
def test_a_score_that_is_no_number_is_kept_in_meta(load: Any, row: dict[str, Any]) -> None:
    loaded = load([row])

    assert "kind" in json.dumps(dict(loaded.record.sample.meta))
    assert all("recall" in name for name in loaded.record.scores)


def test_contexts_that_a_person_named_win_over_a_list_that_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    row = {"inputs": {"question": "q"}, "targets": "Ann.", "documents": ["other"], "mine": ["Ann came."]}
    path.write_text(json.dumps(row) + "\n")

    loaded = load_path(path, columns=columns_of(["retrieved_contexts=mine"], []))

    assert loaded.notes.format == "mlflow"
    assert loaded.record.sample.retrieved_contexts == ("Ann came.",)
