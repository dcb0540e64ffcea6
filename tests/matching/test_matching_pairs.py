"""Pairs of names from seventeen languages, linked or not as people would."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.matching import analysis
from workbench.matching.names import Name, similarity
from workbench.text import inflection

PAIRS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "match_pairs.json").read_text(encoding="utf-8")
)
THRESHOLD = 85


def group(pair: dict[str, Any]) -> str:
    return str(pair["lang"] if pair["lang"] in {"en", "ru"} else "other")


def score(pair: dict[str, Any]) -> tuple[int, str]:
    lang = None if pair["lang"] == "mul" else pair["lang"]
    return similarity(Name(pair["a"]), Name(pair["b"]), lang)


def f1(pairs: list[dict[str, Any]]) -> float:
    linked = [(score(pair)[0] >= THRESHOLD, bool(pair["match"])) for pair in pairs]
    true, wrong = linked.count((True, True)), sum(said != meant for said, meant in linked)
    return 2 * true / (2 * true + wrong)


@pytest.fixture
def without_dictionary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The program as installed without the extra `russian`."""

    def forget() -> None:
        for remembered in (inflection.forms, analysis.analyse, analysis._index):
            remembered.cache_clear()

    forget()
    monkeypatch.setattr(inflection, "analyser", lambda: None)
    yield
    forget()


@pytest.mark.parametrize(("language", "bar"), [("en", 0.97), ("ru", 0.99), ("other", 0.90)])
def test_pairs_are_linked_as_people_would(language: str, bar: float) -> None:
    """F1 at the default threshold; without labels, the hardest case."""
    assert f1([pair for pair in PAIRS if group(pair) == language]) >= bar


@pytest.mark.usefixtures("without_dictionary")
def test_russian_pairs_are_linked_without_the_dictionary() -> None:
    """The paradigms alone keep nearly all of it."""
    assert f1([pair for pair in PAIRS if group(pair) == "ru"]) >= 0.95


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['lang']}: {pair['a']} / {pair['b']}")
def test_no_pair_of_two_things_is_linked(pair: dict[str, Any]) -> None:
    """A pair that people keep apart never reaches the threshold; every pair scores the same both ways."""
    lang = None if pair["lang"] == "mul" else pair["lang"]
    found = score(pair)

    assert similarity(Name(pair["b"]), Name(pair["a"]), lang) == found
    assert pair["match"] or found[0] < THRESHOLD
