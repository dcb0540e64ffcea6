"""Which score is a report's, what the gate of a CI job says, and how much a sample is in doubt."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.lists import from_cases
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import Kind, Matching, Policy, Record, Score, Tally
from workbench.scoring.doubt import Counted, doubt
from workbench.scoring.names import headline
from workbench.scoring.scorers import assess_all, gate, score

THIRDS = [("a", Fraction(1, 3)), ("b", Fraction(1)), ("c", None)]


def test_the_gate_holds_the_mean_of_defined_samples_against_the_mark() -> None:
    result = gate("linked", THIRDS, threshold=2 / 3, strict=False)

    assert (True, 2 / 3, 2) == (result.passed, result.value, result.n)
    assert (("c",), ("a",)) == (result.undefined, result.below)


def test_the_gate_is_strict_about_every_sample() -> None:
    assert gate("linked", THIRDS, threshold=0.1, strict=True).passed is False
    assert gate("linked", THIRDS[1:], threshold=0.1, strict=True).passed is True


@pytest.mark.parametrize("strict", [True, False])
def test_only_undefined_samples_fail_the_gate(strict: bool) -> None:
    assert gate("linked", [("c", None)], threshold=0.0, strict=strict).passed is False
    assert gate("linked", [], threshold=0.0, strict=strict).passed is False


@from_cases
def test_recall_of_the_file_leads_no_other_metric(columns: Any, able: Any, kind: Kind, expected: str) -> None:
    assert expected == headline(columns, able, kind)


def counted(linked: list[int] | None, presence: list[int] | None) -> Counted:
    given = {"linked": linked, "presence": presence}
    return Counted({name: bytes(listed) for name, listed in given.items() if listed is not None}, {})


@from_cases
def test_what_people_corrected_more_often_is_more_doubtful(more: Any, less: Any) -> None:
    """The order of the shares that were measured."""
    first, second = doubt(counted(*more)), doubt(counted(*less))

    assert first is not None
    assert second is not None
    assert first > second


def test_without_similarities_there_is_no_doubt_to_order_by() -> None:
    """Statements have none; presence alone is enough; no units leave none in doubt."""
    assert doubt(counted(None, None)) is None
    assert doubt(counted(None, [100])) == doubt(counted([100], [100]))
    assert doubt(counted([], [])) == 0


DEMO = Path(__file__).parents[2] / "workbench" / "demo_data" / "demo.jsonl"


@pytest.fixture(scope="module")
def demo() -> dict[str, Record]:
    rows = read(DEMO, notes=Notes())
    return {row.record.sample.id: row.record for row in rows if row.record is not None}


def scores(record: Record) -> dict[str, Score]:
    assert record.proposal is not None
    assessments = assess_all(record.sample, record.proposal, Matching(Policy(), 85))
    return {name: score(name, assessment) for name, assessment in assessments.items()}


@from_cases
def test_entity_recall_of_the_examples(demo: Any, key: str, ragas: float, found: int, missing: int) -> None:
    """ragas prints its own digits; linked and presence count the same units, in English and in Russian."""
    said = scores(demo[key])

    assert said["ragas"].value == said["ragas_legacy"].value == ragas
    assert said["linked"].tally == said["presence"].tally == Tally(found, missing)
    assert said["linked"].value == found / (found + missing)
