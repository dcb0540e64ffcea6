"""`verdicts.jsonl` of a native export: every unit of either side, for whoever fits or checks a metric."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

from tests.conftest import Bench
from tests.exports.conftest import Leave, json_rows
from workbench.model import KINDS
from workbench.stages.export import ExportOptions, export


def test_verdicts_say_both_sides_features_and_causes(demo: Bench, tmp_path: Path) -> None:
    """The causes of a sample sum to the difference of its tallies."""
    export(demo.store, demo.info(), tmp_path / "out", ExportOptions(), annotator="ann")
    lines = (tmp_path / "out" / "verdicts.jsonl").read_text("utf-8").split("\n")[:-1]
    rows = [json.loads(line) for line in lines]

    for name, kind, scorer in (
        ("apollo-dense", "entity", "linked"),
        ("apollo-dense", "statement", "contextual_recall"),
    ):
        own = [row for row in rows if (row["id"], row["kind"]) == (name, kind)]
        [tally] = demo.query(
            "SELECT found, missing, unsure FROM score JOIN sample ON sample.id = sample_id "
            f"WHERE key = '{name}' AND scorer = '{scorer}'"
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
    samples = [json.loads(line) for line in (folder / "samples.jsonl").read_text("utf-8").splitlines()]
    references = {one["id"]: one["reference"] for one in samples}

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
