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
    assert "names · name matching (linked) · run p-run-1 · 12 verified samples in 12 groups" in (ended.out)
    assert (
        "82 is better than 85: |bias| changes by −.333 (cross-validated, the same in every group)"
        in ended.out
    )
    assert "without each of 12 folds: always 82" in ended.out
    assert "automatic mean of the 12 samples with units: .333 at 85, .667 at 82" in ended.out
    assert "nothing is saved" in ended.out
    for term in ("bias: ", "; typical error: ", "\nF1: ", "\nright: ", "; TPR, TNR: ", "; found: "):
        assert term in ended.out, "explained where it stands"


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

    said = "no calibration is saved yet: workbench calibrate --db workbench.db --dataset names --save NAME\n"
    assert (0, said) == (listed.code, listed.out)


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
def test_what_cannot_be_done_is_said_and_nothing_is_kept(names: Any, options: Any, said: str) -> None:
    names("calibrate", *options).refuses(said)
    assert "no calibration is saved yet" in names("calibrate", "--list").out


def test_without_gold_it_says_what_to_do(run: Any, demo_database: Path) -> None:
    write_rows("bare.jsonl", [{k: v for k, v in row(0).items() if k != "gold"}])
    run("import", "bare.jsonl")

    run("calibrate").refuses(
        "0 verified samples with units on both sides; 10 are needed: review more samples"
    )


DATED = {"Rome": "found", "Oslo": "missing"}
"""What people keep of a proposal that has a date too."""


def dated(number: int) -> list[dict[str, Any]]:
    """Samples whose proposed dates nobody keeps: .333 by the score, .5 by people."""
    rows = [naming(f"s{place:02}", [*DATED, "1631"], ["Rome"], gold=gold(DATED)) for place in range(number)]
    for one in rows:
        one["proposal"]["reference_entities"][2]["label"] = "date"
    return rows


def test_a_proposed_policy_change_is_taken_and_the_scores_follow_without_a_new_proposal(run: Any) -> None:
    write_rows("dated.jsonl", dated(12))
    assert 0 == run("import", "dated.jsonl", "--gold", "--blind", 0).code

    seen, answer = run("calibrate"), " ".join(run("compare").out.split())
    proposed = run("calibrate", "--json").json["policy_changes"]
    taken = run("policy", "edit", "--take", 1)
    after = run("calibrate")

    assert (
        "What to do: do not count date (workbench policy edit --take 1), then calibrate again.\n" in seen.out
    )
    assert (
        "  1  do not count date: typical error .167 → .000, cross-validated: better\n"
        "     people kept 24 of 24 place, 0 of 12 date\n"
    ) in seen.out
    assert (
        "Do not count date (workbench policy edit --take 1): the typical error of linked is then .00 "
        "instead of .17. or"
    ) in answer
    assert [("do not count date", True)] == [(one["words"], one["better"]) for one in proposed]
    assert "policy version 2 is current: counts person, place, organisation, number, work, " in taken.out
    assert "date" not in run("policy", "show", "--json").json["counted_labels"]
    assert "What to do: change nothing." in after.out
    assert "one value for every sample" in after.out
    assert "policy: your reviews ask for no change" in after.out
    assert ".333 at 85" in seen.out
    assert ".500 at 85" in after.out


@pytest.mark.parametrize(
    ("rule", "name", "inside", "words"),
    [
        ("derived", "Denmark", "Danish", "count a country named by its people (Danish for Denmark) as found"),
        (
            "coarser", "3 August 1994", "1994",
            "count a date that agrees as far as it goes (1994 for 3 August 1994) as found",
        ),
        (
            "nested", "London", "University of London",
            "count a name that stands only inside a longer one (London in University of London) as found",
        ),
    ],
)  # fmt: skip
def test_a_rule_that_reviewers_decide_otherwise_is_proposed_and_taken(
    run: Any, rule: str, name: str, inside: str, words: str
) -> None:
    """Every second sample has the name; nested names are a matter of the text alone."""
    rows = []
    for place in range(24):
        said = {name if place % 2 else "Oslo": "found", "Bergen": "missing"}
        rows.append(naming(f"s{place:02}", said, [inside if place % 2 else "Oslo"], gold=gold(said)))
    if rule == "nested":
        for one in rows:
            del one["proposal"]["context_entities"]
    write_rows("rule.jsonl", rows)
    run("import", "rule.jsonl", "--gold", "--blind", 0)

    seen = run("calibrate", "--json")
    taken = run("policy", "edit", "--take", 1)
    again = run("calibrate", "--json")

    (proposed,) = seen.json["policy_changes"]
    assert (words, {rule: [12, 12]}) == (proposed["words"], proposed["support"])
    assert (0.25, 0.0) == (proposed["before"], proposed["after"])
    assert (True, "found") == (proposed["better"], proposed["policy"][rule])
    assert 0 == taken.code
    assert "found" == run("policy", "show", "--json").json[rule]
    assert [] == again.json["policy_changes"]
    assert pytest.approx(0.5) == again.json["curve"][85]["automatic"]


def test_a_few_reviews_already_propose_a_change_of_the_policy(run: Any) -> None:
    write_rows("dated.jsonl", dated(3))
    run("import", "dated.jsonl", "--gold", "--blind", 0)

    seen, kept = run("calibrate"), run("calibrate", "--save", "may")

    assert (0, "") == (seen.code, seen.err)
    assert (
        "What to do: review more, or try this: do not count date (workbench policy edit --take 1)" in seen.out
    )
    assert "typical error .167 → .000, cross-validated: a suggestion from 3 samples" in seen.out
    assert "A suggestion from 3 reviews: more make it certain." in " ".join(run("compare").out.split())
    assert "the match threshold: 3 verified samples with units on both sides; 10 are needed" in seen.out
    assert (2, "") == (kept.code, kept.out)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--take", 2), "--take 2: there is: 1 to 1 (workbench calibrate)"),
        (("--take", 0), "--take 0: there is: 1 to 1 (workbench calibrate)"),
        (("--take", 1, "--file", "x.toml"), "--take, --file: one of the two says what to change"),
    ],
)
def test_a_change_that_nobody_proposes_is_refused(run: Any, options: tuple[Any, ...], said: str) -> None:
    write_rows("dated.jsonl", dated(3))
    run("import", "dated.jsonl", "--gold", "--blind", 0)

    run("policy", "edit", *options).refuses(said)


def test_the_api_scores_by_a_calibration_and_corrects(names: Any) -> None:
    names("calibrate", "--save", "may", "--out", "cal.json")
    sample = {key: value for key, value in row(0).items() if key != "gold"}

    metric: Any = ContextEntityRecall(calibration="cal.json")

    assert 2 / 3 == pytest.approx(metric.measure(sample))
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
