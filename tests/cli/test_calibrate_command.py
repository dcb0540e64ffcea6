"""`workbench calibrate` from the outside: the report, its JSON, the file, saving, using, and refusals."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.rows import spelled, write_rows
from workbench import calibration
from workbench.api import ContextEntityRecall, ContextualRecall
from workbench.errors import UsageError


@pytest.fixture
def names(run: Any) -> Any:
    """Twelve verified samples in workbench.db."""
    write_rows("names.jsonl", map(spelled, range(12)))
    assert 0 == run("import", "names.jsonl", "--gold", "--blind", 0).code
    return run


def test_the_document_is_that_of_the_file_and_names_the_gold_it_saw(names: Any) -> None:
    ended = names("calibrate", "--save", "may", "--out", "cal.json", "--json")

    document = ended.json
    written = json.loads(Path("cal.json").read_text("utf-8"))
    assert written == {key: document[key] for key in written}
    assert (82, 85, "linked", "bias", True) == tuple(
        document[key] for key in ("threshold", "threshold_before", "scorer", "objective", "better")
    )
    assert [f"s{place:02}" for place in range(12)] == [one["id"] for one in document["gold"]["samples"]]
    assert 101 == len(document["curve"]) == len(document["probabilities"])
    assert "gina" not in json.dumps(document)
    assert "ann" not in json.dumps(document["gold"])


def test_the_api_scores_by_a_calibration_and_corrects(names: Any) -> None:
    names("calibrate", "--save", "may", "--out", "cal.json")
    sample = {key: value for key, value in spelled(0).items() if key != "gold"}

    metric: Any = ContextEntityRecall(calibration="cal.json")

    assert 2 / 3 == pytest.approx(metric.measure(sample))
    assert 2 / 3 == pytest.approx(metric.corrected.value)
    assert metric.reason.endswith(f" Verified, the recall would be about {metric.corrected}.")
    assert 1 / 3 == pytest.approx(ContextEntityRecall().measure(sample))
    assert None is metric.measure({**sample, "reference": " ", "proposal": {"proposer": "p"}})
    assert None is metric.corrected
    scored = metric.score_dataset([sample, {**sample, "reference": " "}])
    learned = calibration.load("cal.json")
    assert (learned.correct(2 / 3, 3, match_threshold=learned.threshold), None) == scored.corrected
    assert learned.correct_mean([2 / 3], match_threshold=learned.threshold) == scored.corrected_mean
    assert None is metric.score_dataset([{**sample, "reference": " "}]).corrected_mean
    Path("old.json").write_text(Path("cal.json").read_text("utf-8").replace("layered-", "flat-"), "utf-8")
    with pytest.raises(UsageError, match="was fitted on the matcher flat-"):
        ContextEntityRecall(calibration="old.json")
    with pytest.raises(UsageError, match="this calibration is of linked, which counts no statements"):
        ContextualRecall(calibration="cal.json")
    with pytest.raises(UsageError, match="calibration None: give the path of a file"):
        calibration.load(None)  # type: ignore[arg-type]
    for more in ({"match_threshold": 80}, {"scorer": "ragas"}):
        with pytest.raises(UsageError, match="leave those out"):
            ContextEntityRecall(calibration=calibration.load("cal.json"), **more)


def run_documented(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What the code of docs/calibration.md prints over the calibration.json of the current folder."""
    page = Path(__file__).parents[2].joinpath("docs", "calibration.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert 2 == len(blocks)
    sample = {key: value for key, value in spelled(0).items() if key != "gold"}
    capsys.readouterr()
    for block in blocks:
        exec(compile(block, "docs/calibration.md", "exec"), {"samples": [sample]})
    return capsys.readouterr().out.splitlines()


def test_the_documented_example_runs_on_the_demo(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Whose 13 verified samples are too few for intervals."""
    run("demo", "--report")
    demo = ("--db", "workbench-demo.db")
    assert 0 == run("calibrate", "--save", "may", "--use", "may", "-o", "calibration.json", *demo).code
    lines = run_documented(capsys)

    assert 7 == len(lines)
    assert all(re.fullmatch(r"(\d\.\d\d →|mean) [01]\.\d\d \[too few verified\]", one) for one in lines[2:])


def test_the_documented_example_runs(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Over a calibration of enough samples."""
    rows = [spelled(place) for place in range(24)]
    for place, one in enumerate(rows):
        if place % 2:  # then Oslo is there, and found
            one["retrieved_contexts"] = ["Johan Straus, Rome, Oslo."]
            one["proposal"]["context_entities"] = [["Johan Straus", "Rome", "Oslo"]]
            one["gold"]["entities"][2]["verdict"] = "found"
        if place % 3 == 0:
            one["gold"]["entities"][0]["verdict"] = "missing"
    write_rows("more.jsonl", rows)
    run("import", "more.jsonl", "--gold", "--blind", 0)
    assert run("calibrate", "--out", "calibration.json").out.endswith(" or deepeval\n")
    lines = run_documented(capsys)

    assert ["0.50 → ", "0.75 → ", "1.00 → ", "0.25 → "] == [line[:7] for line in lines[2:6]]
    assert all(re.search(r"[01]\.\d\d \[0\.\d\d, [01]\.\d\d\]$", line) for line in lines[2:7])
    assert re.fullmatch(r"95 % interval from 0\.\d\d to [01]\.\d\d", lines[7])
