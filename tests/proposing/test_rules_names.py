"""What the rules propose: names, dates and numbers, as names.txt tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lists import from_cases
from workbench.proposing.rules import entities, quantities


def told() -> Iterator[Any]:
    text = Path(__file__).with_name("names.txt").read_text("utf-8")
    for only, label, cases in re.findall(r"(?ms)^# [^[\n]*(?:\[(only|but) (\w+)\])?$(.*?)(?=^# |\Z)", text):
        for lang, said, expected in re.findall(r"(?m)^([\w-]+): (.*) →(.*)$", cases):
            yield pytest.param(lang, said, expected.strip(), only, label, id=said)


@pytest.mark.parametrize(("lang", "said", "expected", "only", "label"), told())
def test_what_is_told_is_found(lang: str, said: str, expected: str, only: str, label: str) -> None:
    text = said.replace("~", "\u00a0").replace("⏎", "\n")
    found = [
        f"{one.text}/{one.label}" if "/" in expected else one.text
        for one in entities(text, None if lang == "-" else lang)
        if not label or (one.label == label) == (only == "only")
    ]
    wanted = [one.replace("~", "\u00a0") for one in expected.removesuffix(" …").split(" | ") if one]

    assert wanted == (found[: len(wanted)] if expected.endswith("…") else found)


@from_cases
def test_dates_are_those_of_the_patterns_tried_everywhere(text: str) -> None:
    """They are tried only where a figure or a word stands that they need."""
    starts = [found.start() for found in quantities._STARTS.finditer(text)]
    level = quantities._levelled(text)
    words = frozenset(quantities._LETTERS.findall(level))
    calendar = quantities._calendar().finditer(level)
    assert [one.span() for one in calendar] == [
        one.span() for one in quantities._by_calendar(level, words, starts)
    ]
    for quick, pattern in (
        (quantities._centuries(text), quantities._CENTURY),
        (quantities._durations(text, level, words, starts), quantities._DURATION),
        (quantities._years(text, starts), quantities._YEAR),
        (quantities._at(quantities._CLOCK, text, starts), quantities._CLOCK),
    ):
        assert [one.span() for one in pattern.finditer(text)] == [one.span() for one in quick]
