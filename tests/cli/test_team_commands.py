"""`assign`, `person` and what `status` shows of a team, as commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_command_line import commands
from tests.rows import naming, write_rows
from workbench import cli


@pytest.fixture
def team(tmp_path: Path, run: Any) -> Any:
    """Twenty samples; ann owns them and bo reviews."""
    write_rows(
        tmp_path / "data.jsonl", [naming(f"s{n}", ["Rome"], ["Rome"], also=f" {n}") for n in range(20)]
    )
    for words in (
        ("import", "data.jsonl", "--blind", "0"),
        ("person", "add", "ann", "--role", "owner"),
        ("person", "add", "bo", "--role", "annotator", "--adjudicator"),
        ("assign", "--overlap", "2", "--share", "1", "--lease", "5"),
    ):
        assert run(*words).code == 0
    return run


def test_assign_gives_frees_and_shows_who_holds_what(team: Any) -> None:
    given = team("assign", "--to", "bo", "id:s1")
    shown = team("assign")
    nothing = team("assign", "--release", "dee")
    freed = team("assign", "--release", "bo", "--json").json

    assert "bo holds 11 of 11 samples\n" in given.out
    assert (
        "0 of 20 done (2 each); more than one person reviews 20 samples; a sample is held for 5 minutes"
        in shown.out
    )
    assert ["bo", "0", "0", "11", "0", "0"] == shown.out.splitlines()[2].split()
    assert "a sample needs 2 people, and so far 1 person takes part" == shown.out.splitlines()[3]
    assert nothing.out.startswith("dee holds nothing\n")
    assert (20, []) == (freed["samples"], freed["people"])


def test_a_person_is_an_annotator_and_stays_what_they_are_until_a_role_is_given(team: Any) -> None:
    assert team("person", "add", "cy").out.startswith("person")
    assert team("person", "add", "cy").out.startswith("cy was here already\nperson")
    team("person", "add", "bo", "--new-token")
    team("person", "add", "ann", "--new-token")
    found = team("person", "list", "--json").json

    assert [("ann", "owner", False), ("bo", "annotator", True), ("cy", "annotator", False)] == [
        (person["name"], person["role"], person["adjudicator"]) for person in found
    ]


def test_status_names_people_and_how_far_they_are(team: Any) -> None:
    team("assign", "--to", "bo", "id:s1")
    found = team("status", "--json").json

    assert [("ann", "owner", False), ("bo", "annotator", True)] == [
        (one["name"], one["role"], one["adjudicator"]) for one in found["people"]
    ]
    assert [("bo", 11)] == [(one["name"], one["given"]) for one in found["datasets"][0]["team"]["people"]]
    assert "bo      annotator  adjudicates" in team("status").out


def test_training_is_shown_and_an_owner_lets_somebody_pass(run: Any) -> None:
    gold = {"annotator": "zed", "entities": [{"text": "Rome", "label": "place", "verdict": "found"}]}
    write_rows("data.jsonl", [naming(f"s{n}", ["Rome"], ["Rome"], also=f" {n}", gold=gold) for n in range(3)])
    for words in (
        ("import", "data.jsonl", "--gold-if-given"),
        ("person", "add", "ann", "--role", "owner"),
        ("person", "add", "bo", "--role", "annotator"),
    ):
        assert run(*words).code == 0
    begun = run("assign", "--training", "--pass", ".9", "id:s")
    passed = run("person", "pass", "bo", "--json").json
    shown = run("status", "--json").json["datasets"][0]["training"]

    assert "training: 3 samples, pass mark .90\n" in begun.out
    assert "bo       0 of 3   –      –\n" in begun.out
    assert [("bo", "ann")] == [(one["name"], one["by"]) for one in passed["people"]]
    assert passed == shown
    assert "bo       0 of 3   –      –         let pass by ann\n" in run("assign").out
    assert "nobody is trained any more" in run("assign", "--no-training").out
    assert "training" not in run("assign").out


def test_without_assignments_and_people_it_says_what_holds(run: Any, tmp_path: Path) -> None:
    write_rows(tmp_path / "data.jsonl", [naming("a", ["Rome"], ["Rome"])])
    run("import", "data.jsonl")

    assert "no assignments: everybody reviews what nobody has verified" in run("assign").out
    assert "nobody is named, so everybody is an owner" in run("person", "list").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("assign", "--overlap", "10"), "--overlap 10: give a number of people from 1 to 9, or 0 to end it"),
        (
            ("assign", "--overlap", "2", "--release", "bo"),
            "--overlap, --to, --release and --training exclude",
        ),
        (("assign", "--overlap", "2", "--lease", "9999999999"), "Invalid value for '--lease'"),
        (("assign", "--pass", ".5"), "--pass goes with --training"),
        (("assign", "--training"), "this dataset: no sample has a known answer"),
        (("assign", "--share", ".5"), "--share and --lease go with --overlap"),
        (("assign", "is:flagged"), "--to NAME needs FILTER"),
        (("assign", "--to", "bo"), "--to NAME needs FILTER"),
        (("assign", "--to", "bo", "is:nothing"), "is:nothing: "),
        (("assign", "--to", "bo", "id:none"), "id:none: no sample fits, so nothing was given"),
        (("assign", "--to", "zoe", "id:s1"), "zoe is not among the people of this database"),
        (("--as", "bo", "assign", "--overlap", "1"), "bo is an adjudicator and may not assign samples"),
        (("person", "add", "cy", "--role", "boss"), "no role 'boss'; there is: owner, annotator"),
        (("person", "disable", "zoe"), "nobody is called 'zoe' here"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(team: Any, words: tuple[str, ...], said: str) -> None:
    team(*words).refuses(said)


SHARED = (
    "dataset", "policy", "sample", "run", "plan", "calibration", "person", "assignment", "dispute", "purged",
    "holdout_opening", "review", "gold_unit",
)  # fmt: skip
REFUSED = {
    # what an annotator calls, and what they may not do
    ("import", "data.jsonl"): "import files",
    ("audit", "data.jsonl"): "import files",
    ("propose",): "propose for everybody",
    ("propose", "--proposer", "claude", "--external", "never"): "say what may leave the machine",
    ("propose", "--run", "p-run-1"): "propose for everybody",
    ("policy", "edit", "--file", "policy.toml"): "change the policy",
    ("plan", "--n", "5", "--yes"): "make a plan",
    ("plan", "--drop", "--yes"): "drop the plan",
    ("draw", ".", "--n", "5"): "make a plan",
    ("assign", "--overlap", "1"): "assign samples",
    ("person", "add", "cy", "--role", "owner"): "change who works here",
    ("person", "disable", "ann"): "change who works here",
    ("person", "pass", "bo"): "assign samples",
    ("assign", "--training"): "assign samples",
    ("score", "--match-threshold", "80", "--save"): "change the match threshold",
    ("calibrate", "--use", "none"): "change the match threshold",
    ("calibrate", "--save", "may"): "keep a calibration",
    ("export", "out", "--names"): "export the names of annotators",
    ("copy", "--to", "copy.db"): "copy the database",
    ("purge", "s1", "--yes"): "remove samples",
}  # fmt: skip
ALLOWED = {
    ("status",), ("agree",), ("serve",), ("score-files",), ("policy", "aliases"),
    ("person", "list"), ("compare",), ("diff",), ("verify",), ("doctor",),
    ("backup",), ("disputes",), ("policy", "show"), ("review",), ("demo",),
}  # fmt: skip
"""What is left: it reads, writes files of one's own, or writes one's own reviews."""


def test_every_command_is_tried_or_only_reads() -> None:
    named = {words[: 2 if words[0] in ("person", "policy") else 1] for words in REFUSED}
    assert set(commands(cli.app)) - {(), ("person",), ("policy",)} == named | ALLOWED


def test_annotators_are_refused_what_holds_for_everybody_and_nothing_is_changed(run: Any, bench: Any) -> None:
    rows = [naming(f"s{n}", ["Rome"], ["Rome"], also=f" {n}") for n in range(20)]
    for n, row in enumerate(rows):
        unit = {"text": "Rome", "label": "place", "verdict": "missing" if n == 1 else "found"}
        row["gold"] = {"annotator": "zed", "entities": [unit]}
    write_rows("data.jsonl", rows)
    for given in (
        ("import", "data.jsonl", "--blind", "0", "--gold-if-given"),
        ("person", "add", "ann", "--role", "owner"),
        ("person", "add", "bo", "--role", "annotator"),
    ):
        assert run(*given).code == 0
    Path("policy.toml").write_text(run("policy", "show").out)
    before = bench.tables(*SHARED)

    for words, deed in REFUSED.items():
        ended = run("--as", "bo", *words)

        assert 2 == ended.code, words
        assert f"bo is an annotator and may not {deed}: that is for " in ended.err, words
        assert before == bench.tables(*SHARED), words
