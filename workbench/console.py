"""What every command needs around its stage: options before it, the store, an editor, the last words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from workbench import __version__
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.store.datasets import DatasetInfo
    from workbench.store.engine import Store

GLOBAL_OPTIONS = ("--db", "--dataset", "--as")


@dataclass
class Call:
    """What stands before the command."""

    db: str
    db_given: bool
    dataset: str | None
    annotator: str


def report_crash(error: Exception) -> None:
    """Where it happened, without the message and the values: they may hold the dataset's text."""
    import traceback

    typer.echo(f"workbench {__version__} crashed: {type(error).__name__}", err=True)
    for frame in traceback.extract_tb(error.__traceback__):
        typer.echo(f"  {frame.filename}:{frame.lineno} {frame.name}", err=True)


def hoisted(arguments: list[str]) -> list[str]:
    """Let --db, --dataset and --as stand after the command too. Raises UsageError for one without value."""
    front: list[str] = []
    rest: list[str] = []
    pending = iter(arguments)
    for argument in pending:
        if argument == "--":
            rest += [argument, *pending]
        elif argument in GLOBAL_OPTIONS:
            value = next(pending, None)
            if value is None:
                raise UsageError(f"{argument} needs a value")
            front += [argument, value]
        elif argument.partition("=")[0] in GLOBAL_OPTIONS:
            front.append(argument)
        else:
            rest.append(argument)
    return front + rest


def annotator_name(name: str | None) -> str:
    import getpass

    if name is None:
        try:
            name = getpass.getuser()
        except (KeyError, OSError):
            raise UsageError("your system has no user name here: give one with --as NAME") from None
    name = name.strip()
    if not name or len(name) > 100 or not name.isprintable():
        raise UsageError("--as: give a printable name of 1 to 100 characters")
    return name


def on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def open_for(url: str, *, create: bool = True) -> Iterator[Store]:
    from workbench.store.engine import open_store

    store = open_store(url, create=create)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def dataset_of(call: Call) -> Iterator[tuple[Store, DatasetInfo]]:
    from workbench.store.datasets import find_dataset

    with open_for(call.db, create=False) as store:
        yield store, find_dataset(store, call.dataset)


def open_app(url: str, dataset: str | None, annotator: str) -> None:
    import os

    if os.environ.get("TERM") == "dumb":
        raise UsageError("this terminal (TERM=dumb) cannot show screens; for scripts: score, compare, export")

    def connect() -> Store:
        from workbench.store.engine import open_store

        return open_store(url, create=False)

    if "://" not in url and not Path(url).expanduser().exists():  # said here before a screen is painted
        raise UsageError(f"{Path(url)}: no such database; import a file first: workbench import FILE")
    from workbench.tui.app import run

    code = run(connect, dataset, annotator)
    if code:
        raise typer.Exit(code)


def edited(text: str, file: str | None) -> str:
    """The policy after editing: from a file, standard input, or the person's editor."""
    if file == "-":
        return sys.stdin.read()
    if file is not None:
        try:
            return Path(file).read_text("utf-8")
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"{file}: not UTF-8 at byte {error.start}") from error
    if not on_terminal():
        raise UsageError("policy edit opens an editor and needs a terminal; in scripts use --file")
    return _in_editor(text)


def _in_editor(text: str) -> str:
    import os
    import shlex
    import subprocess
    import tempfile

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "policy.toml")
        path.write_text(text, "utf-8")
        try:
            code = subprocess.run([*shlex.split(editor), str(path)], check=False).returncode
        except OSError as error:
            raise UsageError(
                f"the editor {editor!r} did not start: {error}; set $EDITOR or use --file"
            ) from error
        if code:
            raise UsageError(f"the editor ended with {code}; the policy is as it was")
        return path.read_text("utf-8")
