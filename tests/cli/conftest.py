"""The command line in this process: fast, and with every byte of both streams."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main

from workbench import cli

build_once = cache(typer.main.get_command)
"""The commands of the program as they are parsed; building them took as long as running them."""


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)

    def refuses(self, *said: str) -> None:
        """Bad usage: nothing is on standard output, and these words are on the other."""
        assert (2, "") == (self.code, self.out)
        assert [] == [one for one in said if one not in self.err], self.err


Run = Callable[..., Ended]


@pytest.fixture
def written(on_server: str, tmp_path: Path) -> str:
    """The database that commands without --db write into."""
    return on_server or str(tmp_path / "workbench.db")


@pytest.fixture
def run(
    on_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run the command line in a folder of its own, as a person called ann."""
    monkeypatch.chdir(tmp_path)
    if on_server:
        monkeypatch.setenv("WORKBENCH_DB", on_server)
    monkeypatch.setenv("WORKBENCH_AS", "ann")
    monkeypatch.setattr(typer.main, "get_command", build_once)

    def runner(*arguments: object) -> Ended:
        capsys.readouterr()
        code = cli._run([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return runner
