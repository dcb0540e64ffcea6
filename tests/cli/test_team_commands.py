"""`assign`, `person` and what `status` shows of a team, as commands."""

from pathlib import Path
from typing import Any

from tests.cli.test_command_line import commands
from tests.lists import cases
from tests.rows import naming, write_rows
from workbench import cli
from workbench.stages.people import PERMITTED, Deed

SHARED = (
    "dataset", "policy", "sample", "run", "plan", "calibration", "person", "assignment", "dispute", "purged",
    "holdout_opening", "review", "gold_unit",
)  # fmt: skip
REFUSED: dict[tuple[str, ...], Deed] = {
    tuple(words.split()): deed for words, deed in cases(__file__, "what only owners may do")[1:]
}
ALLOWED = {
    ("status",), ("agree",), ("serve",), ("score-files",), ("policy", "aliases"),
    ("person", "list"), ("compare",), ("diff",), ("verify",), ("doctor",),
    ("backup",), ("disputes",), ("policy", "show"), ("review",), ("demo",),
}  # fmt: skip
"""What is left: it reads, writes files of one's own, or writes one's own reviews."""


def test_every_command_is_tried_or_only_reads() -> None:
    named = {words[: 2 if words[0] in ("person", "policy") else 1] for words in REFUSED}
    assert set(commands(cli.app)) - {(), ("person",), ("policy",)} == named | ALLOWED
    # no command asks for these first
    others = {"choose the run", "give people tokens", "list what others verified"}
    assert {*REFUSED.values(), *others} == PERMITTED["owner"] - PERMITTED["adjudicator"]


def test_what_holds_for_all_is_refused_to_all_but_owners_and_changes_nothing(run: Any, bench: Any) -> None:
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
