"""The Python API: names and shapes of ragas and deepeval, on plain data."""

import asyncio
import doctest
import io
import multiprocessing
import signal
import sys
import threading
import time
from contextlib import closing
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.exports.test_real_readers import imported
from tests.lists import from_cases
from workbench import api
from workbench.api import ContextEntityRecall, ContextualRecall, import_frame
from workbench.errors import ProposalError, UsageError, WorkbenchError
from workbench.model import Proposal, ProposedEntity, ProposedStatement, Record, Sample
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.samples import each_sample

EIFFEL = {
    "user_input": "Who designed the tower in Paris?",
    "reference": "Gustave Eiffel designed the tower in Paris in 1889.",
    "retrieved_contexts": ["The tower in Paris was completed in 1889."],
}


def test_the_examples_in_the_documentation_run() -> None:
    assert (0, 7 + 1) == (doctest.testmod(api).failed, doctest.testmod(api).attempted)


@from_cases
def test_a_mapping_may_have_the_names_of_ragas_or_deepeval(names: tuple[str, str, str]) -> None:
    sample = dict(zip(names, EIFFEL.values(), strict=True))

    assert 2 / 3 == ContextEntityRecall().measure(sample)


def test_an_object_with_deepevals_fields_is_a_sample() -> None:
    case = SimpleNamespace(
        input="Who?", expected_output=EIFFEL["reference"], retrieval_context=["The tower in Paris, 1889."],
        actual_output="Gustave Eiffel.", context=None,
    )  # fmt: skip

    assert 2 / 3 == ContextEntityRecall().measure(case)


def test_a_proposal_of_the_sample_is_used_and_nothing_is_proposed() -> None:
    entities = tuple(map(ProposedEntity, ("Paris", "Lyon", "Lyon", "Rome", "Oslo", "Kyiv")))
    sample = Sample("a", "?", "Paris and Lyon, Rome, Oslo, Kyiv.", ("Paris",))
    record = Record(sample, (Proposal("x", "", entities, ((ProposedEntity("Paris"),),)),))

    def refusing(_sample: Sample) -> Proposal:
        raise AssertionError("asked")

    metric = ContextEntityRecall(0.2, proposer=refusing)
    assert (0.2, True) == (metric.measure(record), metric.is_successful())
    assert metric.reason == "1 of 5 entities are in the contexts. Missing: Lyon; Rome; Oslo; Kyiv."
    listed = tuple(ProposedStatement(text, "missing") for text in ("Paris is old.", "Lyon is too."))
    recall = ContextualRecall(proposer=refusing)
    assert 0.0 == recall.measure(Record(sample, (Proposal("x", statements=listed),)))
    assert "by the contexts. Missing: Paris is old; Lyon is too." in (recall.reason or "")
    assert "  not counted: Lyon (duplicate of" in metric.verbose_logs
    assert 1 / (5 + 1e-8) == ContextEntityRecall(scorer="ragas").measure(record)


@from_cases
def test_the_pass_mark_and_strict_mode(threshold: Any, strict: bool, score: float, passed: Any) -> None:
    metric = ContextEntityRecall(threshold, strict)

    assert score == metric.measure(EIFFEL)
    assert passed is metric.is_successful()


def test_the_reason_is_made_of_the_rows_of_the_score() -> None:
    metric = ContextEntityRecall()
    metric.measure(EIFFEL)

    assert metric.reason == "2 of 3 entities are in the contexts. Missing: Gustave Eiffel."
    silent = ContextEntityRecall(include_reason=False)
    assert (2 / 3, None) == (silent.measure(EIFFEL), silent.reason)


@pytest.mark.parametrize("reference", ["", "   \n"])
def test_a_blank_reference_is_undefined_and_never_passes(reference: str) -> None:
    metric = ContextEntityRecall(threshold=0.0)

    assert metric.measure({**EIFFEL, "reference": reference}) is None
    assert metric.is_successful() is False


def test_a_perfect_sample_passes_a_pass_mark_of_one_by_every_scorer() -> None:
    """Also strictly. ragas divides by n + 1e-8; its value is a little below 1, the recall is 1."""
    perfect = {**EIFFEL, "retrieved_contexts": [EIFFEL["reference"]]}
    strict = ContextEntityRecall(strict_mode=True)
    assert (1.0, True) == (strict.measure(perfect), strict.is_successful())
    metric = ContextEntityRecall(1.0, scorer="ragas")

    value = metric.measure(perfect)

    assert value is not None
    assert value < 1
    assert metric.is_successful() is True


async def test_samples_measured_side_by_side_keep_their_own_scores() -> None:
    """One metric over several samples at once; keeping a score takes long enough for another to be kept."""

    class Slow(ContextEntityRecall):
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)
            if name == "score":
                time.sleep(0.02)

    samples = [EIFFEL, {**EIFFEL, "retrieved_contexts": []}, {**EIFFEL, "reference": ""}] * 2
    metric = Slow()

    scores = await asyncio.gather(*(metric.a_measure(sample) for sample in samples))

    assert scores == [2 / 3, 0.0, None] * 2


def test_a_forked_process_measures_too() -> None:
    """As a pool of processes does: the thread of the loop is not there."""
    metric = ContextEntityRecall()
    metric.measure(EIFFEL)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert 2 / 3 == pool.apply_async(metric.measure, (EIFFEL,)).get(timeout=600)


def test_ctrl_c_ends_what_is_asked() -> None:
    ended = threading.Event()

    async def asking(_sample: Sample) -> Proposal:
        try:
            await asyncio.sleep(0.2)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            await asyncio.sleep(60)
        finally:
            ended.set()
        raise AssertionError("asked to the end")

    with pytest.raises(KeyboardInterrupt):
        ContextEntityRecall(proposer=asking).measure(EIFFEL)

    assert ended.wait(600)


async def test_every_name_gives_the_same_score_and_a_dataset_has_the_mean_of_those_defined() -> None:
    metric = ContextEntityRecall()
    scored = metric.score_dataset([EIFFEL, {**EIFFEL, "reference": ""}])

    assert 2 / 3 == await metric.a_measure(EIFFEL) == await metric.single_turn_ascore(EIFFEL)
    assert (2 / 3, None) == scored.scores
    assert (2 / 3, 1, 1) == (scored.mean.value, scored.mean.n, scored.mean.undefined)


def test_statements_are_counted_by_their_verdicts() -> None:
    """One without a verdict is no score."""

    def measured(*statements: dict[str, str]) -> float | None:
        return ContextualRecall().measure(
            {**EIFFEL, "proposal": {"proposer": "x", "statements": [*statements]}}
        )

    assert 0.5 == measured({"text": "a", "verdict": "yes"}, {"text": "b", "verdict": "no"})
    with pytest.raises(ProposalError, match="contextual_recall"):
        measured({"text": "a", "verdict": "yes"}, {"text": "b"})


@from_cases
def test_unusable_arguments_are_refused_at_once(arguments: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        ContextEntityRecall(**arguments)  # type: ignore[arg-type]


def test_a_list_of_rows_goes_into_a_dataset_as_a_file_does(tmp_path: Path) -> None:
    """As a DataFrame; a second table brings its scores to the samples that are there."""
    database = str(tmp_path / "w.db")
    row = {"question": "q", "gold": "Ann met Bob.", "contexts": ["Ann"]}
    first = import_frame([row], "d", database=database, fields=["reference=gold"])
    again = import_frame(
        [{**row, "context_recall": 0.5}], "d", database=Path(database), fields={"reference": "gold"}
    )

    assert (1, 0) == (first.new, first.extended)
    assert ("the frame", ("the frame",)) == (first.path, first.files)
    assert (0, 1, ("context_recall",)) == (again.new, again.extended, again.columns)


@pytest.mark.parametrize(("package", "inside"), [("ragas", "dataset_schema"), ("deepeval", "metrics")])
def test_how_to_install_a_missing_framework_is_told(monkeypatch: Any, package: str, inside: str) -> None:
    for name in (package, f"{package}.{inside}"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"workbench.{package}", raising=False)

    with pytest.raises(ModuleNotFoundError, match=rf": pip install .*\[{package}\]"):
        import_module(f"workbench.{package}")


FRAME = """id,question,ground_truth,contexts,ctx
1,Who?,Ann met Bob.,"['Ann came.', 'Bob left.']","['Ann came.', 'Bob left.']"
2,When?,1889,['In 1889.'],"['In 1889.']"
3,,,[],[]
4,Where?,Oslo.,['Oslo',"['[1] Oslo']"
"""


@pytest.mark.parametrize("contexts", ["contexts", "ctx"])
def test_a_frame_of_a_csv_file_is_read_as_the_file_is(tmp_path: Any, monkeypatch: Any, contexts: str) -> None:
    """Lists stand as text in it, empty cells as text; a list that does not end is one refused row."""
    pandas = imported("pandas")
    monkeypatch.chdir(tmp_path)
    other = {"contexts": "ctx", "ctx": "contexts"}[contexts]
    table = pandas.read_csv(io.StringIO(FRAME), keep_default_na=False).drop(columns=other)
    table = table.assign(id=range(len(table)), length=1.5)  # ids, and numbers of an unknown name
    table.to_csv("rows.csv", index=False)
    fields = ["retrieved_contexts=ctx"] if contexts == "ctx" else []
    of_frame = import_frame(table, "frame", fields=fields)
    with closing(open_store("workbench.db")) as store:
        options = ImportOptions(dataset="file", fields=fields)
        of_file = import_file(store, Path("rows.csv"), options, annotator="ann")
        samples = [
            [one.sample for one in each_sample(store, find_dataset(store, name).id)]
            for name in ("frame", "file")
        ]

    assert samples[0] == samples[1]
    assert ("1889", ("In 1889.",)) == (samples[0][1].reference, samples[0][1].retrieved_contexts)
    same = attrgetter("new", "rejected", "columns")
    assert same(of_file) == same(of_frame)
    assert [one.replace("rows.csv:5", "frame row 4") for one in of_file.errors] == list(of_frame.errors)


ROW = {"question": "q", "gold": "Ann met Bob.", "ground_truth": "Ann.", "contexts": ["Ann"], "score": 0.5}


@from_cases
def test_what_is_said_of_a_frame_names_its_rows_and_parameters_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: Any, given: dict[str, Any], told: str
) -> None:
    """Rows without a question are changes of the usual row."""
    if isinstance(rows, list):
        rows = [ROW | one if isinstance(one, dict) and "question" not in one else one for one in rows]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WorkbenchError, match=told) as refused:
        import_frame(rows, **{"dataset": "d"} | given)

    assert not any(one in str(refused.value) for one in ("--", "/tmp", "frame.jsonl"))


def test_notes_on_a_frame_name_parameters_of_python(tmp_path: Path) -> None:
    database = str(tmp_path / "w.db")
    bare = {name: ROW[name] for name in ("question", "ground_truth")}
    bad = {**bare, "question": 5}
    report = import_frame([{**bare, "chunk_text": "Ann"}, bad], "d", database=database)

    assert 'name it: fields={"retrieved_contexts": "chunk_text"}' in report.notes[0]
    assert ("frame row 2: user_input: got number 5, expected a string",) == report.errors
    assert ("the frame", "") == (report.path, report.rejected_path)
    table = imported("pandas").DataFrame([{**bare, "ground_truth": None}, {**bare, "question": "p"}])
    report = import_frame(table, "e", database=database)
    assert report.errors[0].startswith("frame row 1: reference: got nothing, expected a string (missing);")
    assert (1, 1) == (report.new, report.rejected)


@from_cases
def test_what_is_no_sample_is_told_in_words_of_python(given: Any, told: str) -> None:
    """A mapping without a question is a change of a sample."""
    if isinstance(given, dict) and given and "user_input" not in given:
        given = EIFFEL | given
    with pytest.raises(WorkbenchError, match=told) as refused:
        ContextEntityRecall().measure(given)

    assert "--map" not in str(refused.value)


def test_a_number_that_is_none_is_no_reference() -> None:
    with pytest.raises(WorkbenchError, match="reference: got nothing, expected a string as "):
        ContextEntityRecall().measure({**EIFFEL, "reference": float("nan")})


@from_cases
def test_a_dataset_that_cannot_be_scored_names_the_sample(given: Any, told: str) -> None:
    """Mappings in a list are changes of a sample."""
    if isinstance(given, list):
        given = [EIFFEL | one if isinstance(one, dict) else one for one in given]
    with pytest.raises(WorkbenchError, match=told):
        ContextEntityRecall().score_dataset(given)


def test_a_row_of_a_frame_and_values_of_numpy_are_samples() -> None:
    numpy, pandas = imported("numpy"), imported("pandas")
    contexts = numpy.array([str(EIFFEL["retrieved_contexts"][0])], dtype=object)
    frame = pandas.DataFrame([{**EIFFEL, "retrieved_contexts": contexts, "faithfulness": numpy.float64(0.5)}])
    typed = {**EIFFEL, "reference": numpy.str_(EIFFEL["reference"]), "retrieved_contexts": contexts}

    assert [2 / 3] * 3 == [ContextEntityRecall().measure(one) for one in (frame.iloc[0], typed, EIFFEL)]
    with pytest.raises(WorkbenchError, match="got DataFrame; score_dataset takes many samples"):
        ContextEntityRecall().measure(frame)
    empty = {**EIFFEL, "reference": numpy.nan}
    with pytest.raises(WorkbenchError, match=r"^samples: item 2: reference: got nothing, expected a string"):
        ContextEntityRecall().score_dataset(pandas.DataFrame([EIFFEL, empty]))
    with pytest.raises(WorkbenchError, match="column reference appears twice"):
        ContextEntityRecall().score_dataset(pandas.concat([frame, frame], axis=1)[["reference"]])
