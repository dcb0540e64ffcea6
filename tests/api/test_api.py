"""The Python API: names and shapes of ragas and deepeval, on plain data."""

from __future__ import annotations

import asyncio
import doctest
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from workbench import api
from workbench.api import ContextEntityRecall, ContextualRecall, import_frame
from workbench.errors import ProposalError, RowError, UsageError
from workbench.model import Proposal, ProposedEntity, Record, Sample

EIFFEL = {
    "user_input": "Who designed the tower in Paris?",
    "reference": "Gustave Eiffel designed the tower in Paris in 1889.",
    "retrieved_contexts": ["The tower in Paris was completed in 1889."],
}


def test_the_examples_in_the_documentation_run() -> None:
    assert (0, 7 + 1) == (doctest.testmod(api).failed, doctest.testmod(api).attempted)


@pytest.mark.parametrize(
    "names",
    [
        ("user_input", "reference", "retrieved_contexts"),
        ("input", "expected_output", "retrieval_context"),
        ("question", "ground_truth", "contexts"),
    ],
)
def test_a_mapping_may_have_the_names_of_ragas_or_deepeval(names: tuple[str, str, str]) -> None:
    sample = dict(zip(names, EIFFEL.values(), strict=True))

    assert 2 / 3 == ContextEntityRecall().measure(sample)


def test_an_object_with_deepevals_fields_is_a_sample() -> None:
    @dataclass
    class LLMTestCase:
        input: str
        expected_output: str
        actual_output: str = "Gustave Eiffel."
        retrieval_context: list[str] = field(default_factory=list)
        context: list[str] | None = None

    case = LLMTestCase("Who?", str(EIFFEL["reference"]), retrieval_context=["The tower in Paris, 1889."])

    assert 2 / 3 == ContextEntityRecall().measure(case)


def test_a_proposal_of_the_sample_is_used_and_nothing_is_proposed() -> None:
    entities = (ProposedEntity("Paris"), ProposedEntity("Lyon"))
    sample = Sample("a", "?", "Paris and Lyon.", ("Paris",))
    record = Record(sample, (Proposal("x", "", entities, ((ProposedEntity("Paris"),),)),))

    def refusing(_sample: Sample) -> Proposal:
        raise AssertionError("asked")

    assert 0.5 == ContextEntityRecall(proposer=refusing).measure(record)
    assert 1 / (2 + 1e-8) == ContextEntityRecall(scorer="ragas").measure(record)


@pytest.mark.parametrize(
    ("threshold", "strict", "score", "passed"),
    [
        (0.5, False, 2 / 3, True),
        (0.7, False, 2 / 3, False),
        (None, False, 2 / 3, None),
        (0.1, True, 0.0, False),
    ],
)
def test_pass_mark_and_strict_mode_are_deepevals(
    threshold: float | None, strict: bool, score: float, passed: bool | None
) -> None:
    metric = ContextEntityRecall(threshold, strict)

    assert score == metric.measure(EIFFEL)
    assert passed is metric.is_successful()


def test_a_perfect_sample_passes_strictly() -> None:
    metric = ContextEntityRecall(strict_mode=True)

    assert 1.0 == metric.measure({**EIFFEL, "retrieved_contexts": [EIFFEL["reference"]]})
    assert metric.is_successful() is True


def test_the_reason_is_made_of_the_rows_of_the_score() -> None:
    metric = ContextEntityRecall()
    metric.measure(EIFFEL)

    assert metric.reason == "2 of 3 entities are in the contexts. Missing: Gustave Eiffel."
    assert ContextEntityRecall(include_reason=False).reason is None


@pytest.mark.parametrize("reference", ["", "   \n"])
def test_a_blank_reference_is_undefined_and_never_passes(reference: str) -> None:
    metric = ContextEntityRecall(threshold=0.0)

    assert metric.measure({**EIFFEL, "reference": reference}) is None
    assert metric.is_successful() is False


def test_no_contexts_find_nothing() -> None:
    metric = ContextEntityRecall()

    assert 0.0 == metric.measure({**EIFFEL, "retrieved_contexts": []})


def test_a_perfect_sample_passes_a_pass_mark_of_one_by_every_scorer() -> None:
    """ragas divides by n + 1e-8; its value is a little below 1, the recall is 1."""
    perfect = {**EIFFEL, "retrieved_contexts": [EIFFEL["reference"]]}
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


async def test_the_asynchronous_names_give_the_same_score() -> None:
    metric = ContextEntityRecall()

    assert 2 / 3 == await metric.a_measure(EIFFEL)
    assert 2 / 3 == await metric.single_turn_ascore(EIFFEL)


def test_a_dataset_has_a_mean_over_its_defined_samples() -> None:
    scored = ContextEntityRecall().score_dataset([EIFFEL, {**EIFFEL, "reference": ""}])

    assert (2 / 3, None) == scored.scores
    assert (2 / 3, 1, 1) == (scored.mean.value, scored.mean.n, scored.mean.undefined)


def test_statements_are_counted_by_their_verdicts() -> None:
    statements = [{"text": "a", "verdict": "yes"}, {"text": "b", "verdict": "no"}]
    metric = ContextualRecall()

    assert 0.5 == metric.measure({**EIFFEL, "proposal": {"proposer": "x", "statements": statements}})


def test_a_statement_without_a_verdict_is_no_score() -> None:
    statements = [{"text": "a", "verdict": "yes"}, {"text": "b"}]

    with pytest.raises(ProposalError, match="contextual_recall"):
        ContextualRecall().measure({**EIFFEL, "proposal": {"proposer": "x", "statements": statements}})


def test_a_missing_field_is_named() -> None:
    with pytest.raises(RowError, match="retrieved_contexts"):
        ContextEntityRecall().measure({"user_input": "?", "reference": "Paris."})


@pytest.mark.parametrize(
    "arguments",
    [{"scorer": "contextual_recall"}, {"scorer": "bleu"}, {"threshold": 2.0}, {"match_threshold": 101}],
)
def test_unusable_arguments_are_refused_at_once(arguments: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        ContextEntityRecall(**arguments)  # type: ignore[arg-type]


def test_an_unknown_proposer_is_named() -> None:
    with pytest.raises(UsageError, match="nobody"):
        ContextEntityRecall(proposer="nobody")


def test_a_list_of_rows_goes_into_a_dataset_as_a_file_does(tmp_path: Path) -> None:
    """As a DataFrame; a second table brings its scores to the samples that are there."""
    database = str(tmp_path / "w.db")
    row = {"question": "q", "gold": "Ann met Bob.", "contexts": ["Ann"]}
    first = import_frame([row], "d", database=database, fields=["reference=gold"])
    again = import_frame([{**row, "context_recall": 0.5}], "d", database=database, fields=["reference=gold"])

    assert (1, 0) == (first.new, first.extended)
    assert (0, 1, ("context_recall",)) == (again.new, again.extended, again.columns)


def test_a_context_of_another_class_is_refused_by_its_class() -> None:
    with pytest.raises(
        RowError, match=r"retrieved_contexts\[0\]: got an instance of object, expected a string"
    ):
        ContextEntityRecall().measure({**EIFFEL, "retrieved_contexts": [object()]})
