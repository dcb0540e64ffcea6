"""What leaves for ragas: the dataset with its own keys only, and annotations that both loaders take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import Bench
from tests.exports.conftest import ROWS, Leave, report_of, unit
from workbench.formats.exports.evaluators import DATASET_KEYS


def samples_in(folder: Path) -> list[dict[str, Any]]:
    value = json.loads((folder / "annotations.json").read_text("ascii"))
    assert ["context_entity_recall"] == list(value)
    return list(value["context_entity_recall"])


def call(sample: dict[str, Any]) -> dict[str, Any]:
    assert ["extract_entities_prompt"] == list(sample["prompts"])
    return dict(sample["prompts"]["extract_entities_prompt"])


def test_the_dataset_has_ragas_own_keys_in_its_order_and_no_null(leave: Leave) -> None:
    """ragas drops what it does not know without a word, so the native rows stand beside."""
    folder = leave("ragas")
    rows = [json.loads(line) for line in (folder / "dataset.jsonl").read_text("ascii").splitlines()]
    beside = [
        json.loads(line) for line in (folder / "dataset.workbench.jsonl").read_text("utf-8").splitlines()
    ]

    assert [row["reference"] for row in ROWS] == [row["reference"] for row in rows]
    for row in rows:
        assert [name for name in DATASET_KEYS if name in row] == list(row)
        assert None not in row.values()
    assert "p" == rows[0]["persona_name"]
    assert [row["id"] for row in ROWS] == [row["id"] for row in beside]


def test_a_record_gives_a_sample_of_the_reference_and_one_of_the_contexts(leave: Leave) -> None:
    """ragas keeps one call per prompt name in a sample, and uses one prompt for both."""
    reference, contexts = samples_in(leave("ragas-annotations"))[:2]

    assert ROWS[0]["reference"] == call(reference)["prompt_input"]["text"]
    assert ["Zoë", "Gallen"] == call(reference)["prompt_output"]["entities"]
    assert ["Zoë", "Sankt\u00a0Gallen", "5 May"] == call(reference)["edited_output"]["entities"]
    assert "\n".join(ROWS[0]["retrieved_contexts"]) == call(contexts)["prompt_input"]["text"]
    assert ["Zoë", "Nothing"] == call(contexts)["prompt_output"]["entities"]
    assert {1 / 3} == {reference["metric_output"], contexts["metric_output"], reference["target"]}
    assert (True, False) == (reference["is_accepted"], contexts["is_accepted"])  # nobody looked at "Nothing"


def test_evidence_that_was_not_extracted_is_added_to_the_contexts(leave: Leave) -> None:
    """The record has no proposal: the gold is all that is known."""
    reference, contexts = samples_in(leave("ragas-annotations"))[2:4]

    assert ["Тадж-Махал", "Ямуна", "Мумтаз"] == call(reference)["prompt_output"]["entities"]
    assert call(reference)["edited_output"] is None
    assert {"entities": ["Тадж-Махал"]} == call(contexts)["edited_output"]
    assert not contexts["is_accepted"]


def test_contexts_are_accepted_when_every_proposed_entity_is_evidence(bench: Bench) -> None:
    row = {
        "id": "a", "user_input": "q", "reference": "Rome and Oslo", "retrieved_contexts": ["in Rome, Oslo"],
        "proposal": {"proposer": "p", "reference_entities": ["Rome", "Oslo"],
                     "context_entities": [["Rome", "Oslo"]]},
        "gold": {"annotator": "ann", "entities": [
            unit("Rome and Oslo", "Rome", evidence=[{"context": 0, "start": 3, "end": 7}]),
            unit("Rome and Oslo", "Oslo", evidence=[{"context": 0, "start": 9, "end": 13}]),
        ]},
    }  # fmt: skip
    bench.load([row], gold="given")
    samples = samples_in(Path(report_of(bench, "ragas-annotations").path))

    assert [True, True] == [sample["is_accepted"] for sample in samples]
    assert [None, None] == [call(sample)["edited_output"] for sample in samples]


def test_what_has_no_number_is_left_out_and_said(hard: Bench) -> None:
    """ragas refuses null, and 0 would be a lie."""
    report = report_of(hard, "ragas-annotations")

    assert {"entities unresolved": 1, "entities todo": 1, "no entity: recall is undefined": 1} == dict(
        report.left["ragas-annotations"]
    )
    assert 8 == report.rows["ragas-annotations"]


def test_both_files_hold_the_same_samples(leave: Leave) -> None:
    folder = leave("ragas-annotations")
    single = json.loads((folder / "single.json").read_text("ascii"))

    assert "context_entity_recall" == single["name"]
    assert samples_in(folder) == single["samples"]
    assert "an exact recompute by ragas may differ" in (folder / "README.md").read_text("utf-8").lower()
