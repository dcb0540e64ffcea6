"""Files that tools wrote: nothing of them is lost, their scores are counted again, and no text takes long."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import statement_recall
from tests.formats.conftest import FIXTURES, load_path
from workbench.formats.columns import columns_of
from workbench.formats.detect import look, objects
from workbench.formats.exports.item import to_text
from workbench.formats.json_lines import HEAD
from workbench.formats.tables import frame_file
from workbench.model import count
from workbench.scoring.scorers import exact_strings, value_of


def leaves(value: Any, *path: str) -> list[tuple[tuple[str, ...], Any]]:
    """Every text and number of a row with the keys that lead to it."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, *path, key)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner, *path)]
    return [(path, value)] if isinstance(value, str | int | float) and value not in ("", True, False) else []


SAVED = ("deepeval_", "ragas_0", "native", "spans_")
"""What becomes of their verdicts, gold and ids of spans, their sessions show."""
JSON_FILES = [path.name for path in sorted(FIXTURES.glob("*.json*")) if not path.name.startswith(SAVED)]


@pytest.mark.parametrize("name", JSON_FILES)
def test_no_value_is_lost_silently(name: str) -> None:
    """It is in the record, in a refused row, or a key on the way to it is named."""
    loaded = load_path(FIXTURES / name)
    stored = "\n".join(row.raw if row.record is None else to_text(row.record) for row in loaded.rows)
    source = look(FIXTURES / name, None, columns_of((), ()))
    if source.container == "lines":
        rows = [json.loads(line) for line in (FIXTURES / name).read_text("utf-8").splitlines()]
    else:
        rows = [raw.value for raw in objects(source)]
    named = "\n".join(loaded.notes.messages())

    assert [] == [
        ".".join(path)
        for row in rows
        for path, value in leaves(row)
        if json.dumps(value, ensure_ascii=False).strip('"') not in stored
        and not any(key in named for key in path)
    ]


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("deepeval_*")))
def test_the_verdicts_of_a_saved_run_are_counted_to_its_scores(name: str) -> None:
    for one in load_path(FIXTURES / name).records[:3]:
        assert float(one.scores["Contextual Recall"]) == statement_recall(one)


def test_what_ragas_saved_is_counted_to_the_same_scores() -> None:
    records: list[Any] = load_path(FIXTURES / "ragas_0_4_traces.json").records
    for one in records:
        names, contexts = one.proposal.reference_entities, one.proposal.context_entities
        recounted = value_of("ragas", count(exact_strings(names, contexts, "ragas").units))
        assert float(one.scores["context_entity_recall"]) == recounted
    assert float(records[1].scores["context_recall"]) == statement_recall(records[1])


def test_a_hostile_reason_is_read_at_once(load: Any) -> None:
    """Quotes that never close and numbers that never end: nothing is tried from each of a million places."""
    reason = "1st " * 300_000 + "'a" * 300_000
    said = json.dumps([{"verdict": "yes", "reason": reason}])
    for log, statements in ((said, [(None, None, reason)]), ("[" * 9_999, [])):
        metric = {"name": "Contextual Recall", "score": 1, "verboseLogs": f"Verdicts:\n{log}"}
        case = {"input": "q", "expectedOutput": "r", "retrievalContext": ["c"], "metricsData": [metric]}
        proposal = load(case).record.proposal
        found = proposal.statements if proposal else []
        assert statements == [(one.context, one.quote, one.reason) for one in found]


def test_columns_that_are_no_names_are_told_far_behind_the_first_ones_too(load: Any) -> None:
    table = '{"columns": ["question", "ground_truth"], "data": [["q", "Ann"]], "index": "%s", "columns": 5}'

    errors = load(table % ("x" * HEAD), "a.json").errors
    assert ["1: columns: got number 5, expected a list of names"] == errors


def test_a_data_frame_is_read_like_a_file() -> None:
    pandas, numpy = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    row = {"question": ["q"], "ground_truth": ["Ann"], "contexts": [numpy.array(["c", "d"])]}
    with frame_file(pandas.DataFrame({**row, "m": [float("nan")]})) as path:
        assert ("c", "d") == load_path(path).record.sample.retrieved_contexts
    with frame_file([{"question": "q", "ground_truth": "Ann", "contexts": ["c"], "m": 0.5}]) as path:
        assert {"m": "0.5"} == load_path(path).record.scores


def test_a_text_of_a_tool_that_is_nested_too_deep_stays_the_text_that_it_is(load: Any) -> None:
    given = {"input": "q", "expectedOutput": "Ann", "datasetId": "d", "metadata": "[" * 10_000}

    assert "[" * 10_000 == load(given).record.sample.meta["metadata"]


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
