"""The tools that exports are for read them, where they are installed (the extra `readers`)."""

import importlib
import json
import os
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench, statement_recall
from tests.exports.conftest import ROWS, Leave, read_conll, report_of
from workbench.formats.exports.spans import Tagged, exact_tokens
from workbench.formats.exports.tables import original
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import Record, Unit, count
from workbench.scoring.scorers import exact_strings, value_of

ALL = os.environ.get("WORKBENCH_READERS") == "all"  # now: tests have no such settings
REFERENCES = {row["id"]: row["reference"] for row in ROWS}


def imported(name: str) -> Any:
    """The module of a tool, or a skip: it may be absent, or broken beside other packages.

    With WORKBENCH_READERS=all it has to be there.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if ALL:
            return importlib.import_module(name)
        return pytest.importorskip(name, exc_type=ImportError)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAGAS_DO_NOT_TRACK", "DEEPEVAL_TELEMETRY_OPT_OUT", "HF_DATASETS_OFFLINE", "HF_HUB_OFFLINE"):
        monkeypatch.setenv(name, "1" if "OUT" not in name else "YES")


@pytest.mark.filterwarnings("ignore")
def test_ragas_reads_the_evaluation_dataset(leave: Leave) -> None:
    schema = imported("ragas.dataset_schema")
    rows = schema.EvaluationDataset.from_jsonl(str(leave("ragas") / "dataset.jsonl")).to_list()

    assert [row["reference"] for row in ROWS] == [row["reference"] for row in rows]
    assert [row["retrieved_contexts"] for row in ROWS] == [row["retrieved_contexts"] for row in rows]


@pytest.mark.filterwarnings("ignore")
def test_both_loaders_of_ragas_read_the_annotations(leave: Leave) -> None:
    schema = imported("ragas.dataset_schema")
    folder = leave("ragas-annotations")
    several = schema.MetricAnnotation.from_json(str(folder / "annotations.json"), "context_entity_recall")
    single = schema.SingleMetricAnnotation.from_json(str(folder / "single.json"))
    samples = list(several["context_entity_recall"])

    assert 8 == len(samples) == len(single.samples)
    assert [1 / 3, 1 / 3, 1 / 3, 1 / 3] == [one.metric_output for one in samples[:4]]
    prompt = samples[0].prompts["extract_entities_prompt"]
    assert {"entities": ["Zoë", "Sankt\u00a0Gallen", "5 May"]} == dict(prompt.edited_output)
    assert [one.is_accepted for one in samples] == [True, False, True, False, True, False, True, False]


@pytest.mark.filterwarnings("ignore")
def test_deepeval_reads_goldens_and_test_cases(leave: Leave) -> None:
    dataset = imported("deepeval.dataset").EvaluationDataset()
    dataset.add_goldens_from_json_file(str(leave("deepeval-goldens") / "goldens.json"))
    dataset.add_test_cases_from_json_file(
        str(leave("deepeval-cases") / "test_cases.json"),
        input_key_name="input",
        actual_output_key_name="actual_output",
        expected_output_key_name="expected_output",
        context_key_name="context",
        retrieval_context_key_name="retrieval_context",
    )

    assert [row["reference"] for row in ROWS] == [golden.expected_output for golden in dataset.goldens]
    assert [row["retrieved_contexts"] for row in ROWS] == [one.retrieval_context for one in dataset.goldens]
    assert "emoji" == dataset.goldens[0].additional_metadata["workbench"]["id"]
    assert ["r | s", "\t=1"] == [case.actual_output for case in dataset.test_cases]


@pytest.mark.filterwarnings("ignore")
def test_datasets_loads_the_folder_with_its_splits(planned: Bench, tmp_path: Path) -> None:
    datasets = imported("datasets")
    folder = report_of(planned, "huggingface", split=True).path
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    rows = [row for split in loaded.values() for row in split]

    assert {"calibration", "holdout"} == set(loaded)
    assert dict(planned.query("SELECT key, reference FROM sample")) == {
        row["id"]: row["reference"] for row in rows
    }
    for row in rows:
        places = zip(row["entity_starts"], row["entity_ends"], row["entity_texts"], strict=True)
        assert all(row["reference"][start:end] == text for start, end, text in places if start is not None)


def test_pandas_reads_the_tables(leave: Leave) -> None:
    pandas = imported("pandas")
    folder = leave("csv")
    samples = pandas.read_csv(folder / "samples.csv", keep_default_na=False)
    units = pandas.read_csv(folder / "units.csv")

    assert list(REFERENCES.values()) == [original(cell) for cell in samples["reference"]]
    assert [row["user_input"] for row in ROWS] == [original(cell) for cell in samples["user_input"]]
    assert "float64" == str(units["start"].dtype)
    assert {True, False} == set(units["standing"])


@pytest.mark.filterwarnings("ignore")
def test_spacy_aligns_every_span_of_the_conll_tokens(leave: Leave) -> None:
    spacy = imported("spacy")
    training = imported("spacy.training")
    nlp = spacy.blank("xx")
    aligned = 0
    for _, text, spans in read_conll(leave("conll") / "gold.conll"):
        tagged = [Tagged(*span, Unit("g", "entity", "")) for span in spans]
        tokens = exact_tokens(text, tagged)
        spaces = [
            bool(text[token.end : token.end + 1].isspace()) and token.end < len(text) for token in tokens
        ]
        doc = spacy.tokens.Doc(nlp.vocab, words=[token.text for token in tokens], spaces=spaces)
        moved = {token.start: word.idx for token, word in zip(tokens, doc, strict=True)}
        ends = {token.end: word.idx + len(word) for token, word in zip(tokens, doc, strict=True)}
        given = [(moved[start], ends[end], label) for start, end, label in spans]
        tags = training.offsets_to_biluo_tags(doc, given)

        assert "-" not in tags
        aligned += len([tag for tag in tags if tag[:2] in ("B-", "U-")])

    assert 10 == aligned


@pytest.mark.filterwarnings("ignore")
def test_spacy_converts_the_conll_file(leave: Leave, tmp_path: Path) -> None:
    """With `spacy convert gold.conll . -c ner`: as many entities as our own reader finds spans."""
    spacy = imported("spacy")
    path = leave("conll") / "gold.conll"
    convert = importlib.import_module("spacy.cli.convert").convert
    convert(path, tmp_path, file_type="spacy", n_sents=1, converter="ner")
    vocab = spacy.blank("xx").vocab
    docs = list(spacy.tokens.DocBin().from_disk(tmp_path / "gold.spacy").get_docs(vocab))

    assert [["".join(text.split()), len(spans)] for _, text, spans in read_conll(path)] == [
        ["".join(word.text for word in doc), len(doc.ents)] for doc in docs
    ]


@pytest.mark.filterwarnings("ignore")
def test_spacy_makes_the_text_of_prodigy_tokens(leave: Leave) -> None:
    spacy = imported("spacy")
    vocab = spacy.blank("xx").vocab
    for line in (leave("prodigy") / "tasks.jsonl").read_text("utf-8").splitlines():
        task = json.loads(line)
        words, spaces = [one["text"] for one in task["tokens"]], [one["ws"] for one in task["tokens"]]
        doc = spacy.tokens.Doc(vocab, words=words, spaces=spaces)

        assert task["text"] == doc.text
        for span in task["spans"]:
            marked = doc[span["token_start"] : span["token_end"] + 1]
            assert (span["start"], span["end"]) == (marked.start_char, marked.end_char)


@pytest.mark.filterwarnings("ignore")
def test_label_studio_takes_tasks_and_configuration(leave: Leave) -> None:
    interface = imported("label_studio_sdk.label_interface")
    folder = leave("label-studio")
    label = interface.LabelInterface((folder / "labeling.xml").read_text("utf-8"))
    tasks = json.loads((folder / "tasks.json").read_text("utf-8"))

    label.validate()
    for task in tasks:
        assert label.validate_task({"data": task["data"]})
        for annotation in task["annotations"]:
            assert label.validate_annotation({"result": annotation["result"]})
        for prediction in task["predictions"]:
            assert label.validate_prediction(prediction)


# What they write is read

CONTEXTS = ["The Taj Mahal stands in Agra, on the river Yamuna.", "It was begun in 1632."]
REFERENCE = "The Taj Mahal stands in Agra. It has 28 doors."
DOCUMENTED = re.compile(r"(?s)```python\n(import json\n.*?ragas_traces.*?)```")


def records(path: Path) -> list[Record]:
    rows = list(read(path, notes=Notes()))
    assert [] == [row.error for row in rows if row.error is not None]
    return [row.record for row in rows if row.record is not None]


@pytest.mark.filterwarnings("ignore")
def test_the_verdicts_that_deepeval_counted_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    deepeval, models = imported("deepeval"), imported("deepeval.models")
    metrics, cases = imported("deepeval.metrics"), imported("deepeval.test_case")

    class Judge(models.DeepEvalBaseLLM):  # type: ignore[misc,name-defined]
        def load_model(self) -> object:
            return self

        def get_model_name(self) -> str:
            return "judge"

        def generate(self, *_: object, **__: object) -> str:
            said = [{"verdict": "yes", "reason": "1st node"}, {"verdict": "no", "reason": "no doors"}]
            return json.dumps({"verdicts": said})

        async def a_generate(self, *_: object, **__: object) -> str:
            return self.generate()

    case = cases.LLMTestCase(
        input="q", actual_output="a", expected_output=REFERENCE, retrieval_context=CONTEXTS
    )
    deepeval.evaluate([case], [metrics.ContextualRecallMetric(model=Judge(), include_reason=False)])

    for name in (".latest_test_run.json", ".latest_run_full.json"):
        (record,) = records(tmp_path / ".deepeval" / name)
        assert record.proposal is not None
        said = record.proposal.statements
        assert said is not None
        assert [("The Taj Mahal stands in Agra.", "found", 0), ("It has 28 doors.", "missing", None)] == [
            (one.text, one.verdict, one.context) for one in said
        ]
        assert ("0.5", 0.5) == (record.scores["Contextual Recall"], statement_recall(record))


@pytest.mark.filterwarnings("ignore")
def test_documented_lines_save_what_ragas_was_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite, metrics = imported("ragas"), imported("ragas.metrics")
    llms, core, config = map(imported, ("ragas.llms.base", "langchain_core.outputs", "ragas.run_config"))
    answers = {
        "context_recall": {
            "classifications": [
                {"statement": "The Taj Mahal stands in Agra.", "reason": "it says so", "attributed": 1},
                {"statement": "It has 28 doors.", "reason": "no doors", "attributed": 0},
            ]
        },
        "reference": {"entities": ["Taj Mahal", "Agra", "28"]},
        "contexts": {"entities": ["Taj Mahal", "Agra", "Yamuna"]},
    }

    class Judge(llms.BaseRagasLLM):  # type: ignore[misc,name-defined]
        def generate_text(self, prompt: Any, n: int = 1, *_: object, **__: object) -> Any:
            asked = prompt.to_string()
            last = asked[asked.rindex("{") :]
            of = "context_recall" if "answer" in last else "contexts" if "Yamuna" in last else "reference"
            return core.LLMResult(generations=[[core.Generation(text=json.dumps(answers[of]))] * n])

        async def agenerate_text(self, prompt: Any, n: int = 1, *_: object, **__: object) -> Any:
            return self.generate_text(prompt, n)

        def is_finished(self, response: object) -> bool:
            return response is not None

    row = {"user_input": "q", "reference": REFERENCE, "retrieved_contexts": CONTEXTS}
    result = suite.evaluate(
        suite.EvaluationDataset.from_list([row]),
        metrics=[metrics.LLMContextRecall(), metrics.ContextEntityRecall()],
        llm=Judge(run_config=config.RunConfig()),
        show_progress=False,
    )
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
    (lines,) = DOCUMENTED.findall(text)
    exec(lines, {"result": result})

    (record,) = records(tmp_path / "ragas_traces.json")
    assert record.proposal is not None
    assert record.proposal.statements is not None
    names, contexts = record.proposal.reference_entities or (), record.proposal.context_entities or ()
    tally = count(exact_strings(names, contexts, "ragas").units)
    assert result["context_recall"] == [statement_recall(record)] == [float(record.scores["context_recall"])]
    assert result["context_entity_recall"] == [value_of("ragas", tally)]
    assert result["context_entity_recall"] == [float(record.scores["context_entity_recall"])]
    assert ["it says so", "no doors"] == [one.reason for one in record.proposal.statements]
