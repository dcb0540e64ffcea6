"""What leaves for ragas: the dataset with its own keys only, and annotations that both loaders take."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.conftest import Bench
from tests.exports.conftest import Leave, json_rows, report_of, unit
from tests.rows import proposal, sample
from workbench.model import KINDS
from workbench.stages.export import ExportOptions, export


def samples_in(folder: Path) -> list[dict[str, Any]]:
    value = json.loads((folder / "annotations.json").read_text("ascii"))
    assert ["context_entity_recall"] == list(value)
    return list(value["context_entity_recall"])


def call(sample: dict[str, Any]) -> dict[str, Any]:
    assert ["extract_entities_prompt"] == list(sample["prompts"])
    return dict(sample["prompts"]["extract_entities_prompt"])


def test_contexts_are_accepted_when_every_proposed_entity_is_evidence(bench: Bench) -> None:
    both, places = "Rome and Oslo", {"Rome": (3, 7), "Oslo": (9, 13)}
    evident = {name: {"context": 0, "start": start, "end": end} for name, (start, end) in places.items()}
    entities = [unit(both, name, evidence=[place]) for name, place in evident.items()]
    given = {"proposal": proposal(places, places), "gold": {"annotator": "ann", "entities": entities}}
    bench.load([sample("a", both, "in Rome, Oslo", **given)], gold="given")
    samples = samples_in(Path(report_of(bench, "ragas-annotations").path))

    assert [True, True] == [sample["is_accepted"] for sample in samples]
    assert [None, None] == [call(sample)["edited_output"] for sample in samples]


def test_verdicts_say_both_sides_features_and_causes(demo: Bench, tmp_path: Path) -> None:
    """The causes of a sample sum to the difference of its tallies."""
    export(demo.store, demo.info(), tmp_path / "out", ExportOptions(), annotator="ann")
    rows = json_rows(tmp_path / "out" / "verdicts.jsonl")

    for kind, scorer in (("entity", "linked"), ("statement", "contextual_recall")):
        own = [row for row in rows if ("apollo-dense", kind) == (row["id"], row["kind"])]
        [tally] = demo.query(
            "SELECT found, missing, unsure FROM score JOIN sample ON sample.id = sample_id "
            f"WHERE key = 'apollo-dense' AND scorer = '{scorer}'"
        )
        verified = [row["human_verdict"] for row in own if row["human_verdict"]]
        delta = Fraction(tally[0], sum(tally)) - Fraction(verified.count("found"), len(verified))
        assert delta == sum(Fraction(row["share"]) for row in own)
    first = rows[0]
    assert {"rule": "short_form", "similarity": 93, "nested": False} == first["features"]
    assert "Armstrong" == first["candidate"]["text"]
    assert set(KINDS) == {row["kind"] for row in rows}


def test_every_line_is_json_as_python_writes_it_and_quotes_its_text(leave: Leave) -> None:
    """It is put together piece by piece; texts with quotes, emoji and line ends are among them."""
    folder = leave("native")
    lines = (folder / "verdicts.jsonl").read_text("utf-8").split("\n")[:-1]
    references = {one["id"]: one["reference"] for one in json_rows(folder / "samples.jsonl")}

    assert lines
    for line in lines:
        row = json.loads(line)
        assert line == json.dumps(row, ensure_ascii=False)
        if row["kind"] == "entity" and row["start"] is not None:
            assert row["text"] == references[row["id"]][row["start"] : row["end"]]


def test_every_split_has_its_own_verdicts(planned: Bench, tmp_path: Path) -> None:
    options = ExportOptions(split=True, holdout=True)
    export(planned.store, planned.info(), tmp_path / "out", options, annotator="ann")

    splits = set()
    for name in ("calibration", "holdout"):
        folder = tmp_path / "out" / name
        verdicts = json_rows(folder / "verdicts.jsonl")
        gold = {row["id"] for row in json_rows(folder / "samples.jsonl") if row.get("gold")}
        assert gold == {row["id"] for row in verdicts}
        assert all(name == row["split"] for row in verdicts)
        splits |= gold
    assert 13 == len(splits)
