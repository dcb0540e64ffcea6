"""The examples and the answers that pages show: what a reader copies runs, and prints what is shown."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.exports.test_real_readers import DOCUMENTED, imported
from workbench import cli

ROOT = Path(__file__).parents[2]
SAVING = DOCUMENTED.findall((ROOT / "docs" / "formats.md").read_text("utf-8"))[0].removeprefix(
    "import json\n\n"
)
SHOWN = re.compile(r"(?s)```console\n\$ (.*?)\n(.*?)```")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The examples as in a fresh clone, under the settings of this project's own tests."""
    copy = tmp_path / "examples"
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    made = shutil.ignore_patterns("__pycache__", "*.db*", "*.json", ".*")
    return shutil.copytree(ROOT / "examples", copy, ignore=made)


def run(command: str, folder: Path, **variables: str) -> str:
    """What a command prints; it must succeed. `workbench` and `python` are those that run the tests."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    quiet = {"RAGAS_DO_NOT_TRACK": "true", "DEEPEVAL_TELEMETRY_OPT_OUT": "YES"}
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # pytest as `pip install pytest` brings it
    done = subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env=os.environ | quiet | plain | variables | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


def test_the_gate_fails_when_the_retriever_finds_less(folder: Path) -> None:
    """It passes as it stands, where the commands of the workflow run."""
    gate = folder / "test_gate.py"
    stands = 'next(row["retrieved_contexts"] for'
    text = gate.read_text("utf-8")
    assert 1 == text.count(stands)
    gate.write_text(text.replace(stands, 'next(row["retrieved_contexts"][:0] for'), "utf-8")

    with pytest.raises(AssertionError, match="3 failed"):
        run("pytest -q test_gate.py", folder)


def test_the_commands_of_the_workflow_run_as_they_stand(folder: Path) -> None:
    yaml = imported("yaml")
    workflow = yaml.safe_load((folder / "github-workflow.yml").read_text("utf-8"))
    steps = {step.get("name"): step for step in workflow["jobs"]["recall"]["steps"]}
    summary = folder / "summary.md"

    assert "examples" == workflow["defaults"]["run"]["working-directory"] == folder.name
    assert [None, "Install", "Gate", "Audit", "Report", "Comment"] == list(steps)
    for name in ("Gate", "Audit"):  # the others need GitHub, or install what is installed here
        run(steps[name]["run"], folder, GITHUB_STEP_SUMMARY=str(summary))
    assert re.search(r"`context_entity_recall`.* \.26\b", summary.read_text("utf-8"))
    assert "--body-file audit.md" in steps["Comment"]["run"]
    assert (folder / "audit.md").read_text("utf-8") == summary.read_text("utf-8")
    assert summary.read_text("utf-8").startswith("**passed: name matching (linked) mean ")
    written = folder.parent / steps["Report"]["with"]["path"]
    assert '<testsuite name="workbench.linked" tests="1" failures="0"' in written.read_text("utf-8")


def test_the_lines_that_save_the_traces_are_the_same_everywhere() -> None:
    for page in ("README.md", "examples/ragas_audit.py"):
        assert SAVING in (ROOT / page).read_text("utf-8"), page


def test_ragas_scores_the_dataset_and_its_answers_are_audited(folder: Path) -> None:
    imported("ragas")
    kept = (folder / "results.csv").read_bytes()
    printed = run("python ragas_audit.py", folder)

    assert kept == (folder / "results.csv").read_bytes()
    assert "ragas_traces · 12 samples" in printed
    assert re.search(r"context_entity_recall.* \.26\b", printed)


def test_deepeval_scores_the_dataset_and_its_run_is_audited(folder: Path) -> None:
    imported("deepeval")
    printed = run("python deepeval_audit.py", folder)
    said = json.loads(run("workbench score --json", folder))

    assert re.search(r"Contextual Recall.* \.21\b", printed)
    assert 12 == len(said["samples"])
    for sample in said["samples"]:  # counted from the verdicts, not copied from the column
        assert sample["external"]["Contextual Recall"] == sample["automatic"]["contextual_recall"]["value"]


def test_the_notebook_runs_from_its_first_cell_to_its_last(folder: Path) -> None:
    imported("pandas")
    notebook = json.loads((folder / "audit.ipynb").read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    (folder / "cells.py").write_text("\n".join("".join(cell["source"]) for cell in cells), "utf-8")

    assert [] == [output for cell in cells for output in cell["outputs"]]
    printed = run("python cells.py", folder)
    assert "5 of 6 entities are in the contexts. Missing: March 1989." in printed


def shown(page: str) -> list[tuple[str, str]]:
    blocks = SHOWN.findall((ROOT / page).read_text("utf-8"))
    assert blocks, page
    return blocks


@pytest.fixture
def prints(capsys: pytest.CaptureFixture[str]) -> Callable[[str, str], None]:
    """Runs a command in this process; a line of `…` stands for lines that the page leaves out."""

    def check(command: str, answer: str) -> None:
        program, *arguments = shlex.split(command)
        assert ("workbench", 0) == (program, cli._run(arguments))
        said, place = capsys.readouterr(), 0
        told = said.err + said.out  # notes come before the answer
        for part in re.split(r"(?m)^…\n", answer):
            place = told.find(part.strip("\n"), place)
            assert -1 != place, f"{part}\n--- is not in ---\n{told}"

    return check


@pytest.mark.parametrize(("command", "answer"), shown("README.md"), ids=lambda one: one.split("\n")[0])
def test_a_command_prints_what_the_readme_shows(
    command: str, answer: str, folder: Path, prints: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    prints(command, answer)


@pytest.mark.parametrize(("command", "answer"), shown("docs/claude.md"), ids=lambda one: one.split("\n")[0])
def test_a_dry_run_over_the_demo_prints_what_the_page_shows(
    command: str, answer: str, demo: Bench, prints: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(demo.db))
    # nobody is asked: the address is that of the page, which has its own service
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:8791")
    prints(command, answer)
