"""`workbench calibrate` from the outside: the report, its JSON, the file, saving, using, and refusals."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.rows import gold, naming, write_rows
from workbench import calibration
from workbench.api import ContextEntityRecall
from workbench.errors import UsageError

SAID = {"Johann Strauss": "found", "Rome": "found", "Oslo": "missing"}
"""In the contexts: Johan Straus, 82 alike, Rome and not Oslo. At 85 one of three is found."""


def row(place: int) -> dict[str, Any]:
    return naming(f"s{place:02}", SAID, ["Johan Straus", "Rome"], gold=gold(SAID))


@pytest.fixture
def names(run: Any) -> Any:
    """Twelve verified samples in workbench.db."""
    write_rows("names.jsonl", map(row, range(12)))
    assert 0 == run("import", "names.jsonl", "--gold", "--blind", 0).code
    return run


def test_the_report_says_what_is_better_by_how_much_and_on_what(names: Any) -> None:
    ended = names("calibrate")

    assert (0, "") == (ended.code, ended.err)
    assert "names · linked · run p-run-1 · 12 verified samples in 12 groups · 36 judged units, 24 found" in (
        ended.out
    )
    assert (
        "82 is better than 85: |bias| changes by −.333 (cross-validated, the same in every group)"
        in ended.out
    )
    assert "without each of 12 folds: always 82" in ended.out
    assert "automatic mean of all 12 counted samples: .333 at 85, .667 at 82" in ended.out
    assert "nothing is saved" in ended.out


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


def test_saved_used_listed_and_taken_back(names: Any) -> None:
    saved = names("calibrate", "--save", "may", "--use", "may")
    score = names("score")
    listed = names("calibrate", "--list")
    back = names("calibrate", "--use", "none", "--json")

    assert "may is in use: match threshold 82" in saved.out
    assert "match threshold 82 by calibration may" in score.out
    assert "may (in use)  linked         82       bias       12" in listed.out
    assert {"in_use": "", "threshold": 85} == back.json
    assert "by calibration" not in names("score").out


def test_options_of_every_command_may_stand_behind_list_and_use(names: Any) -> None:
    listed = names("calibrate", "--list", "--db", "workbench.db", "--dataset", "names")

    assert (0, "no calibration is saved yet: workbench calibrate --save NAME\n") == (listed.code, listed.out)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--objective", "best"), "unknown objective 'best'; there is: bias, f1"),
        (("--scorer", "ragas"), "'ragas' has no match threshold; there is: linked, presence"),
        (("--use", "june"), "no calibration 'june'; there is: none yet"),
        (("--use", "june", "--objective", "f1", "--holdout"), "--objective, --holdout: --use without --save"),
        (("--list", "--save", "a", "--objective", "f1"), "--objective, --save: --list fits nothing"),
        (("--list", "--use", "none"), "--use: --list fits nothing"),
        (("--save", "a", "--use", "b"), "together with --save it names the same one"),
        (("--holdout",), "this dataset has no holdout"),
        (("--run", "x"), "no run 'x'; there is: p-run-1"),
        (("--out", "names.jsonl"), "names.jsonl: is there already; --force replaces it"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_kept(
    names: Any, options: tuple[str, ...], said: str
) -> None:
    ended = names("calibrate", *options)

    assert (2, "") == (ended.code, ended.out)
    assert said in ended.err
    assert "no calibration is saved yet" in names("calibrate", "--list").out


def test_without_gold_it_says_what_to_do(run: Any, demo_database: Path) -> None:
    write_rows("bare.jsonl", [{k: v for k, v in row(0).items() if k != "gold"}])
    run("import", "bare.jsonl")

    ended = run("calibrate")

    assert 2 == ended.code
    assert "0 verified samples with units on both sides; 10 are needed: review more samples" in ended.err


def test_the_api_scores_by_a_calibration_and_corrects(names: Any) -> None:
    names("calibrate", "--save", "may", "--out", "cal.json")
    sample = {key: value for key, value in row(0).items() if key != "gold"}

    metric = ContextEntityRecall(calibration="cal.json")

    assert 2 / 3 == pytest.approx(metric.measure(sample))
    assert metric.corrected is not None
    assert 2 / 3 == pytest.approx(metric.corrected.value)
    assert 1 / 3 == pytest.approx(ContextEntityRecall().measure(sample))
    assert None is metric.measure({**sample, "reference": " ", "proposal": {"proposer": "p"}})
    assert None is metric.corrected
    Path("old.json").write_text(Path("cal.json").read_text("utf-8").replace("layered-", "flat-"), "utf-8")
    with pytest.raises(UsageError, match="was fitted on the matcher flat-"):
        ContextEntityRecall(calibration="old.json")
    with pytest.raises(UsageError, match="leave those out"):
        ContextEntityRecall(calibration=calibration.load("cal.json"), match_threshold=80)


def run_documented(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What the code of docs/calibration.md prints over the calibration.json of the current folder."""
    page = Path(__file__).parents[2].joinpath("docs", "calibration.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert 2 == len(blocks)
    sample = {key: value for key, value in row(0).items() if key != "gold"}
    capsys.readouterr()
    for block in blocks:
        exec(compile(block, "docs/calibration.md", "exec"), {"sample": sample})
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
    rows = [row(place) for place in range(24)]
    for place, one in enumerate(rows):
        if place % 2:  # then Oslo is there, and found
            one["retrieved_contexts"] = ["Johan Straus, Rome, Oslo."]
            one["proposal"]["context_entities"] = [["Johan Straus", "Rome", "Oslo"]]
            one["gold"]["entities"][2]["verdict"] = "found"
        if place % 3 == 0:
            one["gold"]["entities"][0]["verdict"] = "missing"
    write_rows("more.jsonl", rows)
    run("import", "more.jsonl", "--gold", "--blind", 0)
    assert 0 == run("calibrate", "--out", "calibration.json").code
    lines = run_documented(capsys)

    assert ["0.50 → ", "0.75 → ", "1.00 → ", "0.25 → "] == [line[:7] for line in lines[2:6]]
    assert all(re.search(r"[01]\.\d\d \[0\.\d\d, [01]\.\d\d\]$", line) for line in lines[2:7])
    assert re.fullmatch(r"95 % interval from 0\.\d\d to [01]\.\d\d", lines[7])
