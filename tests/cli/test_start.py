"""The console script: a plain review goes straight to the screens, and means what the command line means."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench import cli, console, start
from workbench.start import review_options

PLAIN = (
    (),
    ("review",),
    ("--db", "a.db"),
    ("--db=a.db", "review"),
    ("review", "--as", "ann", "--dataset", "x y"),
    ("--db", "a.db", "--db", "b.db", "review"),
    ("--db=", "review"),
    ("review", "--as=  ann  "),
    ("--db", "--as", "review"),
)
OTHER = (
    ("demo",),
    ("--help",),
    ("review", "--help"),
    ("review", "now"),
    ("--version",),
    ("--db",),
    ("--db", "", "review"),
    ("--as", "ann", "score"),
    ("--", "review"),
    ("--unknown", "review"),
)


def opened_by(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the screens would be opened with, or how it ended."""
    found: list[tuple[object, ...]] = []
    for module in (cli, start):
        monkeypatch.setattr(module, "open_app", lambda *given: found.append(given))
        monkeypatch.setattr(module, "on_terminal", lambda: True)
    code = run()
    return found or code


@pytest.mark.parametrize(
    "environment", [{}, {"WORKBENCH_DB": "e.db", "WORKBENCH_AS": "eve"}, {"WORKBENCH_DB": ""}]
)
@pytest.mark.parametrize("arguments", PLAIN, ids=" ".join)
def test_a_plain_review_means_the_same_on_both_ways(
    arguments: tuple[str, ...], environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options before and after the command, given twice, empty, and from the environment."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    given = review_options(arguments)
    assert given is not None

    by_command_line = opened_by(lambda: cli._run(list(arguments)), monkeypatch)
    straight = opened_by(lambda: console.exit_code(lambda: start._review(given)), monkeypatch)

    assert by_command_line == straight
    assert len(straight) == 1


@pytest.mark.parametrize("arguments", OTHER, ids=" ".join)
def test_anything_else_is_for_the_command_line(arguments: tuple[str, ...]) -> None:
    assert review_options(arguments) is None


def test_the_script_without_a_terminal_says_what_the_command_line_says(tmp_path: Path) -> None:
    code = "import sys; from workbench.start import main; sys.argv[0] = 'workbench'; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--db", "none.db", "review"],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 2
    assert "review opens screens and needs a terminal" in done.stderr


def test_a_wrong_name_ends_with_a_word_and_not_with_a_crash(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "on_terminal", lambda: True)
    monkeypatch.setattr(sys, "argv", ["workbench", "--as", "\x07", "review"])

    with pytest.raises(SystemExit) as ended:
        start.main()

    assert ended.value.code == 2
    assert "--as: give a printable name" in capsys.readouterr().err


def test_opening_the_queue_reads_no_option_with_typer() -> None:
    code = (
        "import sys, workbench.start; print([name for name in ('typer', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
