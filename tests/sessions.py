"""Whole sessions, as people have them: text files say what is typed, what is printed and how it ends.

# TITLE          a session, in an empty folder of its own; ann types
@ START          what is there before, by a name of `STARTS`; a number may follow
> FILE           a file is written: the lines that follow it, without the `| ` that begins each
$ COMMAND        what is typed; `ls` names the files that are there, `cat` shows one
TEXT             standard output, whole: a line `…` stands for lines that are left out, `…` in a line for
                 a part of it
! TEXT           standard error, in the same way
? CODE           the exit code, if it is not 0

A folder of tests replays the text files in it: its `test_sessions.py` gives `sessions(__file__)` to `replay`.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Run
from tests.rows import Row, city, dated, gold, spelled, write_rows


def sessions(beside: str) -> dict[str, str]:
    """The sessions of all text files in the folder of a file, by the name of theirs and their title."""
    return {
        f"{path.stem}: {title}": told
        for path in sorted(Path(beside).parent.glob("*.txt"))
        for title, told in re.findall(r"(?ms)^# (.*?)\n(.*?)(?=^# |\Z)", path.read_text("utf-8"))
    }


def given(rows: Callable[[int], list[Row]], *options: str) -> Callable[[Run, int], None]:
    """So many rows in `data.jsonl`, which were imported."""

    def start(run: Run, number: int) -> None:
        assert 0 == run("import", write_rows("data.jsonl", rows(number)), *options).code

    return start


STARTS: dict[str, Callable[[Run, int], None]] = {
    "verified names": given(lambda number: [spelled(n) for n in range(number)], "--gold", "--blind", "0"),
    "verified dates": given(dated, "--gold", "--blind", "0"),
    "given cities": given(
        lambda number: [
            city(n, gold=gold({"Oslo": "missing"}, "corpus"), reference=f"Oslo. {n}") for n in range(number)
        ],
        "--gold",
    ),
    "cities": given(lambda number: [city(n) for n in range(number)], "--seed", "3", "--blind", "0"),
}


def replay(run: Run, demo_database: Path, session: str) -> None:
    """Do what a session says, in the current folder, and compare what is shown with what it tells."""
    for step in re.split(r"(?m)^(?=[@>$] )", session.strip())[1:]:
        first, _, rest = step.partition("\n")
        sign, words = first[:1], first[2:]
        if sign == ">":
            Path(words).parent.mkdir(exist_ok=True)
            Path(words).write_text("".join(f"{line[2:]}\n" for line in rest.splitlines() if line), "utf-8")
        elif words == "demo":
            shutil.copy(demo_database, "workbench.db")
        elif sign == "@":
            name, _, number = words.rpartition(" ")
            STARTS[name](run, int(number))
        elif sign == "$":
            told, printed = rest.rstrip(), shown(run, words)
            assert told == (told if re.fullmatch(pattern(told), f"{printed}\n") else printed), first


def pattern(told: str) -> str:
    left_out = {"…": r"(?:(?![!?] ).*\n)*", "! …": r"(?:! .*\n)*"}
    return "".join(
        left_out.get(line, re.escape(line).replace("…", ".*") + r"\n") for line in told.split("\n")
    )


def shown(run: Run, words: str) -> str:
    """Everything that a command shows, as sessions write it."""
    name, *arguments = shlex.split(words)
    if name == "ls":
        lines = sorted(path.name for path in Path().iterdir())
    elif name == "cat":
        lines = Path(*arguments).read_text("utf-8").splitlines()
    else:
        ended = run(*arguments)
        lines = ended.out.splitlines() + [f"! {line}" for line in ended.err.splitlines()]
        lines += [f"? {ended.code}"] * (ended.code != 0)
    return "\n".join(line.rstrip() for line in lines).rstrip()
