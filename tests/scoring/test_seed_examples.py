"""The published examples of both metrics, from the demo's file, by every scorer."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import Policy, Record, Score, Tally
from workbench.scoring.scorers import assess_all, band, score

DEMO = Path(__file__).parents[2] / "workbench" / "demo_data" / "demo.jsonl"


@pytest.fixture(scope="module")
def demo() -> dict[str, Record]:
    rows = read(DEMO, notes=Notes())
    return {row.record.sample.id: row.record for row in rows if row.record is not None}


def scores(record: Record) -> dict[str, Score]:
    assert record.proposal is not None
    assessments = assess_all(record.sample, record.proposal, Policy(), threshold=85)
    return {name: score(name, assessment) for name, assessment in assessments.items()}


EXAMPLES = [
    ("taj-high", 0.6666666655555555, Tally(4, 2)),
    ("taj-low", 0.16666666638888888, Tally(1, 5)),
    ("france", 0.4999999975, Tally(1, 1)),
    ("eiffel-en", 0.6666666644444444, Tally(2, 1)),
    ("eiffel-ru", 0.6666666644444444, Tally(2, 1)),
]


@pytest.mark.parametrize(("key", "ragas", "tally"), EXAMPLES)
def test_entity_recall_of_the_examples(demo: dict[str, Record], key: str, ragas: float, tally: Tally) -> None:
    """ragas prints its own digits; linked and presence count the same units, in English and in Russian."""
    found = scores(demo[key])

    assert found["ragas"].value == found["ragas_legacy"].value == ragas
    assert found["linked"].tally == found["presence"].tally == tally
    assert found["linked"].value == tally.found / tally.units


@pytest.mark.parametrize("key", ["eiffel-en", "eiffel-ru"])
def test_two_of_three_is_in_the_third_band(demo: dict[str, Record], key: str) -> None:
    """Париж counts in «Париже»."""
    assert band(scores(demo[key])["presence"].tally) == "50-70"


def test_a_reference_without_entities_is_undefined_for_entities_alone(demo: dict[str, Record]) -> None:
    """refund names nothing, and its one statement is supported."""
    found = scores(demo["refund"])

    for name in ("ragas", "ragas_legacy", "linked", "presence"):
        assert (found[name].tally, found[name].value) == (Tally(0, 0), None)
    assert (found["contextual_recall"].tally, found["contextual_recall"].value) == (Tally(1, 0), 1.0)
