"""Cases, one a line, in text files next to the tests that read them: lists of their own, and `cases.txt`.

# TITLE          in `cases.txt`: the name of a test beside it, without `test_` and with spaces
NAME | NAME      what the test is given
VALUE | VALUE    a case: a cell that Python reads as a value is that value, any other is a text as it stands
"""

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., object])


def value(cell: str) -> Any:
    try:
        return ast.literal_eval(cell)
    except (SyntaxError, ValueError):
        return cell


def cases(beside: str, title: str) -> list[list[Any]]:
    """What stands under a title of `cases.txt`, first the names."""
    text = Path(beside).with_name("cases.txt").read_text("utf-8")
    told = text.partition(f"\n# {title}\n")[2].partition("\n# ")[0]
    return [list(map(value, line.split(" | "))) for line in told.split("\n") if line]


def from_cases(test: Test) -> Test:
    """A test with each of its cases in `cases.txt`."""
    names, *rows = cases(inspect.getfile(test), test.__name__.removeprefix("test_").replace("_", " "))
    marked: Test = pytest.mark.parametrize(names, rows)(test)
    return marked


def told(beside: str, name: str, form: str) -> list[tuple[str, ...]]:
    """The parts of each line as a pattern names them; what stands before the first title introduces the list.

    `\\u00a0` stands for the character of that number.
    """
    text = Path(beside).with_name(name).read_text("utf-8").partition("\n# ")[2]
    lines = [line for line in text.split("\n")[1:] if line and not line.startswith("# ")]
    lines = [re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), line) for line in lines]
    found = [re.fullmatch(form, line, re.DOTALL) for line in lines]
    assert None not in found, lines[found.index(None)]
    return [one.groups("") for one in found if one]


def told_in(beside: str, name: str) -> list[tuple[str, str, list[str]]]:
    """Lines `WORDS | a text with {words} in it`: the words, the text, and what stands between the braces."""
    return [
        (words, re.sub("[{}]", "", text), re.findall(r"\{(.*?)\}", text, re.DOTALL))
        for words, text in told(beside, name, r"(.*?) \| (.*)")
    ]
