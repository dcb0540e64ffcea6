"""`workbench audit FILE` without a terminal: the answer as text, Markdown and JSON."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.conftest import Run
from workbench.reports.answer import code

HOSTILE = "`x` @team <img src=x> [l](http://e.x) | \x1b[31mred\u202e"


def results(folder: Path, column: str = "context_entity_recall", score: float = 0.0, n: int = 4) -> Path:
    """A file of ragas scores without traces; the text names everybody by the last name."""
    path = folder / "results.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["user_input", "retrieved_contexts", "reference", column])
        for number in range(n):
            context = f"It rained in {number} when Walther came. {HOSTILE} Later Meyer came too."
            rows.writerow(
                [f"Who met in {number}? {HOSTILE}", json.dumps([context]),
                 "Anna Walther met Karl Meyer.", score]
            )  # fmt: skip
    return path


def test_it_imports_proposes_and_answers_in_one_command(run: Run, tmp_path: Path) -> None:
    ended = run("audit", results(tmp_path))

    assert 0 == ended.code
    assert "results · 4 samples · your column: context_entity_recall" in ended.out
    said = " ".join(ended.out.split())
    assert "Your context_entity_recall is .00. A rough check" in said
    assert "A rough check, by text search, gives 1.00: it counts names, numbers and dates" in said
    assert (
        "4 of 4 samples have a score that looks wrong: the contexts contain a name in another form." in said
    )
    assert "[Anna Walther] context 1: " in said
    assert "Nobody has reviewed a sample yet, so this is a suspicion and no estimate." in said
    assert "q to leave" not in ended.out
    assert ended.out.endswith("\nTo review, run the same command in a terminal.\n")
    assert 80 >= max(map(cell_len, ended.out.splitlines()))
    assert "Who met in" in ended.out
    assert not re.findall("[\x00-\x09\x0b-\x1f\x7f\u202e]", ended.out + ended.err)  # that steers a terminal


def test_a_score_that_nobody_reviews_says_which_commands_change_that(run: Run) -> None:
    """Each with the dataset, also where a line ends inside of one, in lines of 80 cells."""
    examples = Path(__file__).parents[2] / "examples"
    said = run("audit", examples / "results.csv", "--scorer", "context_recall").out

    assert 80 >= max(map(cell_len, said.splitlines()))
    change = "workbench policy show --dataset results > policy.toml, add them to `kinds` there, then"
    assert f"{change} workbench policy edit --dataset results --file policy.toml." in " ".join(said.split())


def test_a_name_is_marked_where_it_stands_in_the_reference(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "towns.csv"
    path.write_text(
        "user_input,retrieved_contexts,reference,context_entity_recall\n"
        'Who?,"[""In 1999 Ms Lee came with Roy.""]",Leeds and Royston were visited by Lee and Roy.,0\n',
        "utf-8",
    )
    ended = run("audit", path)

    assert "reference: Leeds and Royston were visited by [Lee] and Roy." in ended.out


def test_running_it_again_goes_on(run: Run, tmp_path: Path) -> None:
    first, second = (run("audit", results(tmp_path)) for _ in range(2))

    assert (0, first.out) == (second.code, second.out)


def test_markdown_keeps_text_of_the_dataset_in_code_spans(run: Run, tmp_path: Path) -> None:
    ended = run("audit", results(tmp_path), "--format", "markdown")

    assert ended.out.startswith("### `results`: 4 samples, 0 reviewed")
    assert "**Your `context_entity_recall` is .00.**" in ended.out
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", ended.out)
    assert not [bad for bad in ("@team", "<img", "](", "\x1b", "Who met", "in a terminal") if bad in outside]


@pytest.mark.parametrize("text", ["a", "`", "a `` b", "```", "", "x`"])
def test_a_code_span_ends_where_its_text_does(text: str) -> None:
    span = code(text)
    fence: Any = re.match("`+", span)
    inner = span[len(fence[0]) : -len(fence[0])]
    assert span.endswith(fence[0])
    assert fence[0] not in re.findall("`+", inner)


def test_json_has_the_whole_answer(run: Run, tmp_path: Path) -> None:
    found = run("audit", results(tmp_path), "--json").json

    assert ("context_entity_recall", True, 4, 0) == (
        found["scorer"], found["imported"], found["total"], found["reviewed"],
    )  # fmt: skip
    assert 0.0 == found["score"]["value"]
    assert None is found["estimate"]
    assert ["check", "all"] == [one["what"] for one in found["steps"]]
    clue = found["triage"]["shown"][0]["suspicion"]["clues"][0]
    assert ("Anna Walther", "Walther", False) == (clue["text"], clue["quote"]["hit"], clue["same"])


def test_one_sample_is_not_none_of_one(run: Run, tmp_path: Path) -> None:
    ended = run("audit", results(tmp_path, "context_recall", 1.0, n=1))

    assert "Your context_recall is 1.00. The sample has no score that" in ended.out


def test_statements_are_not_recounted(run: Run, tmp_path: Path) -> None:
    ended = run("audit", results(tmp_path, "context_recall", 1.0))

    assert "Your context_recall is 1.00. None of 4 samples has a score that looks wrong" in ended.out
    assert "Counting" not in ended.out
    assert "Statements are not counted again" in ended.out


def test_all_figures_follow_behind_full(run: Run, tmp_path: Path) -> None:
    path = results(tmp_path)

    assert "all scorers" not in run("audit", path).out
    full = run("audit", path, "--full").out
    assert "estimated for all 4" in full
    assert "run the same command" not in full


def test_a_setting_and_an_option_choose_another_score(run: Run, tmp_path: Path, monkeypatch: Any) -> None:
    path = results(tmp_path)
    config = tmp_path / "config.toml"
    config.write_text('scorer = "linked"\n')
    monkeypatch.setenv("WORKBENCH_CONFIG", str(config))

    assert "linked" == run("audit", path, "--json").json["scorer"]
    assert "ragas" == run("audit", path, "--json", "--scorer", "ragas").json["scorer"]
    ended = run("audit", path, "--scorer", "nothing")
    assert (2, True) == (ended.code, "unknown scorer 'nothing'" in ended.err)


def test_a_file_of_a_name_that_is_taken_is_told_and_answered_by_its_column(run: Run, tmp_path: Path) -> None:
    path = results(tmp_path)
    first = run("audit", path)
    assert "added to" not in first.err
    told = "rules find the names; to ask a model:\n  workbench propose --dataset results --proposer claude"
    assert first.err.endswith(f"{told}\n")

    other = path.read_text("utf-8").replace("context_entity_recall", "context_recall")
    path.write_text(other.replace("Who met", "Who came"), "utf-8")
    second = run("audit", path)
    assert second.err.startswith(
        "added to the dataset results, which had 4 samples; use --dataset for another\n"
    )
    assert "results · 8 samples · your column: context_recall" in second.out
    assert "linked" == run("audit", path, "--json", "--scorer", "linked").json["scorer"]

    path.write_text(other.replace(",context_recall", "").replace(",0.0\n", "\n"), "utf-8")
    third = run("audit", path)
    assert "results.csv has no recall score; shown is context_entity_recall, which" in third.err
    assert "your column: context_entity_recall" in third.out
    assert "to ask a model" not in third.err


@pytest.mark.parametrize(("option", "name"), [([], r"@\d{4}-\d\d-\d\d\.2"), (["--update"], "")])
def test_the_newest_run_of_a_score_is_audited(run: Run, tmp_path: Path, option: list[str], name: str) -> None:
    """Another run next to the first, or with --update in its place."""
    path = results(tmp_path)
    run("audit", path)
    path.write_text(path.read_text("utf-8").replace(",0.0", ",0.5"), "utf-8")

    ended = run("audit", path, *option)
    assert 0 == ended.code
    assert re.search(rf"Your context_entity_recall{name} is \.50\.", " ".join(ended.out.split()))


def two_runs(run: Run, folder: Path) -> tuple[Path, Path]:
    """The files of two runs of a score of one dataset, both imported; the first scored 0, the second 0.5."""
    old = results(folder).rename(folder / "old.csv")
    new = results(folder, score=0.5).rename(folder / "new.csv")
    assert [0, 0] == [run("--dataset", "d", "import", path).code for path in (old, new)]
    return old, new


@pytest.mark.parametrize("option", [(), ("--scorer", "context_entity_recall")])
def test_a_file_imported_before_is_answered_by_its_own_run(run: Run, tmp_path: Path, option: Any) -> None:
    """And one line says which run is newer and how to see it."""
    old, new = two_runs(run, tmp_path)

    ended = run("--dataset", "d", "audit", old, *option)
    assert re.search(r"Your context_entity_recall@\S+ is \.00\.", " ".join(ended.out.split()))
    other: Any = re.search(r"shown is the run of old.csv, .*the newest is .*: (--scorer \S+)", ended.err)
    newest = run("--dataset", "d", "audit", old, *other[1].split())
    assert "is .50." in " ".join(newest.out.split())
    ended = run("--dataset", "d", "audit", new, *option)
    assert (True, False) == (".50." in ended.out, "the newest is" in ended.err)


def test_a_recall_of_unknown_kind_is_named_with_the_option_that_audits_it(run: Run, tmp_path: Path) -> None:
    path = results(tmp_path, "my recall")

    first = run("audit", path)
    assert "if my recall is a recall, audit it:\n  workbench audit " in first.err
    lines = [shlex.split(line) for line in first.err.splitlines() if line.startswith("  workbench")]
    assert ["workbench", "propose", "--dataset", "results", "--proposer", "claude"] in lines
    again = next(words for words in lines if "audit" in words)
    assert "your column: my recall (entity)" in run(*again[1:]).out
