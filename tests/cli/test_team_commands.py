"""`assign`, `person` and what `status` shows of a team, as commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rows import naming, write_rows


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
    freed = team("assign", "--release", "bo", "--json").json

    assert "bo holds 11 of 11 samples\n" in given.out
    assert (
        "0 of 20 done (2 each); 20 samples have more than one place; a sample is held for 5 minutes"
        in shown.out
    )
    assert ["bo", "0", "0", "11", "0", "0"] == shown.out.splitlines()[2].split()
    assert (20, []) == (freed["samples"], freed["people"])


def test_status_names_people_and_how_far_they_are(team: Any) -> None:
    team("assign", "--to", "bo", "id:s1")
    found = team("status", "--json").json

    assert [("ann", "owner", False), ("bo", "annotator", True)] == [
        (one["name"], one["role"], one["adjudicator"]) for one in found["people"]
    ]
    assert [("bo", 11)] == [(one["name"], one["given"]) for one in found["datasets"][0]["team"]["people"]]
    assert "bo      annotator  adjudicates" in team("status").out


def test_without_assignments_and_people_it_says_what_holds(run: Any, tmp_path: Path) -> None:
    write_rows(tmp_path / "data.jsonl", [naming("a", ["Rome"], ["Rome"])])
    run("import", "data.jsonl")

    assert "no assignments: everybody reviews what nobody has verified" in run("assign").out
    assert "nobody is named, so everybody is an owner" in run("person", "list").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("assign", "--overlap", "10"), "--overlap 10: give a number of people from 1 to 9, or 0 to end it"),
        (("assign", "--overlap", "2", "--release", "bo"), "--overlap, --to and --release exclude each other"),
        (("assign", "--share", ".5"), "--share and --lease go with --overlap"),
        (("assign", "is:flagged"), "--to NAME needs FILTER"),
        (("assign", "--to", "bo"), "--to NAME needs FILTER"),
        (("assign", "--to", "bo", "is:nothing"), "is:nothing: "),
        (("assign", "--to", "bo", "id:none"), "id:none: no sample fits, so nothing was given"),
        (("assign", "--to", "zoe", "id:s1"), "zoe is not among the people of this database"),
        (("--as", "bo", "assign", "--overlap", "1"), "bo is an annotator and may not assign samples"),
        (("person", "add", "cy", "--role", "boss"), "no role 'boss'; there is: owner, annotator"),
        (("person", "disable", "zoe"), "nobody is called 'zoe' here"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(team: Any, words: tuple[str, ...], said: str) -> None:
    ended = team(*words)

    assert 2 == ended.code
    assert said in ended.err
