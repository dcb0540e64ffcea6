"""`workbench review`: which database, dataset and name the screens open with."""

from __future__ import annotations

from typing import Any

import pytest

from workbench import cli

FILE = "workbench.db"


@pytest.mark.parametrize(
    ("arguments", "opened"),
    [
        ((), (FILE, None, "eve")),
        (("review",), (FILE, None, "eve")),
        (("--db", "a.db"), ("a.db", None, "eve")),
        (("--db=a.db", "review"), ("a.db", None, "eve")),
        (("review", "--as", "ann", "--dataset", "x y"), (FILE, "x y", "ann")),
        (("--db", "a.db", "--db", "b.db", "review"), ("b.db", None, "eve")),
        (("--db", "a.db", "review", "--db", "b.db"), ("b.db", None, "eve")),
        (("--db=", "review"), (FILE, None, "eve")),
        (("review", "--db="), (FILE, None, "eve")),
        (("review", "--as=  ann  "), (FILE, None, "ann")),
    ],
)
def test_options_before_and_after_the_command_name_what_is_opened(
    run: Any, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], opened: tuple[str | None, ...]
) -> None:
    """Given once, twice, empty, and without a command."""
    found: list[tuple[object, ...]] = []
    monkeypatch.setattr(cli, "open_app", lambda *given: found.append(given))
    monkeypatch.setattr(cli, "on_terminal", lambda: True)
    monkeypatch.setenv("WORKBENCH_AS", "eve")

    assert run(*arguments).code == 0

    assert [opened] == found


@pytest.mark.parametrize("arguments", [("--as", "\x07", "review"), ("review", "--as", "\x07")])
def test_a_wrong_name_ends_with_a_word_and_not_with_a_crash(run: Any, arguments: tuple[str, ...]) -> None:
    ended = run(*arguments)

    assert ended.code == 2
    assert "--as: give a printable name" in ended.err


def test_without_a_terminal_the_review_says_what_to_use_instead(run: Any) -> None:
    ended = run("review")

    assert ended.code == 2
    assert "review opens screens and needs a terminal" in ended.err
