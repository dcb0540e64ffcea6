"""`assign`, `person` and what `status` shows of a team, as commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cli.test_command_line import commands
from tests.rows import naming, write_rows
from workbench import cli
from workbench.stages.people import PERMITTED, Deed

SHARED = (
    "dataset", "policy", "sample", "run", "plan", "calibration", "person", "assignment", "dispute", "purged",
    "holdout_opening", "review", "gold_unit",
)  # fmt: skip
REFUSED: dict[tuple[str, ...], Deed] = {
    # what an annotator or an adjudicator calls, and what they may not do
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
    ("export", "out", "--holdout"): "open the holdout",
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
    deeds = {*REFUSED.values(), "choose the run", "give people tokens"}  # of which no command asks first
    assert deeds == PERMITTED["owner"] - PERMITTED["adjudicator"]


def test_what_holds_for_everybody_is_refused_to_all_but_owners_and_changes_nothing(
    run: Any, bench: Any
) -> None:
    rows = [naming(f"s{n}", ["Rome"], ["Rome"], also=f" {n}") for n in range(20)]
    for n, row in enumerate(rows):
        unit = {"text": "Rome", "label": "place", "verdict": "missing" if n % 2 else "found"}
        row["gold"] = {"annotator": "zed", "entities": [unit]}
    write_rows("data.jsonl", rows)
    for given in (
        ("import", "data.jsonl", "--blind", "0", "--gold-if-given"),
        ("person", "add", "ann", "--role", "owner"),
        ("person", "add", "bo", "--role", "annotator"),
        ("person", "add", "cy", "--role", "annotator", "--adjudicator"),
        ("plan", "--n", "5", "--holdout", ".2", "--yes"),
    ):
        assert run(*given).code == 0
    Path("policy.toml").write_text(run("policy", "show").out)
    before = bench.tables(*SHARED)

    for words, deed in REFUSED.items():
        for who in ("bo is an annotator", "cy is an adjudicator"):
            ended = run("--as", who[:2], *words)

            assert 2 == ended.code, words
            assert f"{who} and may not {deed}: that is for owners" in ended.err, words
            assert before == bench.tables(*SHARED), words
