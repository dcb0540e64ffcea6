"""The console script: straight to the queue when only that is wanted, else the command line.

Typer and what it reads options with take 0.2 s of CPU, half of what Textual takes to its first frame.
Who opens the queue does not wait for them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from workbench.console import GLOBAL_OPTIONS, call_of, exit_code, on_terminal, open_app, say_whatever_comes


def main() -> NoReturn:
    """Run the command of this process."""
    given = review_options(sys.argv[1:])
    if given is None or not on_terminal():
        from workbench import cli

        cli.main()
    say_whatever_comes()
    sys.exit(exit_code(lambda: _review(given)))


def review_options(arguments: Sequence[str]) -> dict[str, str] | None:
    """The options of a plain `workbench` or `workbench review`; None for anything else."""
    given: dict[str, str] = {}
    words: list[str] = []
    pending = iter(arguments)
    for argument in pending:
        name, equals, value = argument.partition("=")
        if name not in GLOBAL_OPTIONS:
            words.append(argument)
        elif equals or (value := next(pending, "")):
            given[name] = value
        else:
            return None
    return given if words in ([], ["review"]) else None


def _review(given: dict[str, str]) -> None:
    call = call_of(
        given.get("--db", os.environ.get("WORKBENCH_DB") or None),
        given.get("--dataset"),
        given.get("--as", os.environ.get("WORKBENCH_AS") or None),
    )
    open_app(call.db, call.dataset, call.annotator)
