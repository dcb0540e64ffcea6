"""Lists of cases, one a line, in text files next to the tests that read them."""

from __future__ import annotations

import re
from pathlib import Path


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
