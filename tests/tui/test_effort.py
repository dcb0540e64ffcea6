"""Honest timing: what counts as work on a sample, and that it is stored with the act."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.tui.conftest import User
from workbench.model import Effort
from workbench.stages.export import export
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.tui.bench import Meter


def meter_on(sample: int, at: float = 100.0) -> Meter:
    meter = Meter()
    meter.look_at(sample, at)
    return meter


def test_time_between_signs_of_life_counts_and_presses_are_counted() -> None:
    """Four seconds of reading, a press, and six more."""
    meter = meter_on(1)
    meter.press(104.0)
    meter.alive(110.0)

    assert meter.take(1) == Effort(10.0, 1)
    assert meter.take(1) == Effort(0.0, 0)


@pytest.mark.parametrize(("pause", "counted"), [(60.0, 60.0), (60.5, 60.0), (3600.0, 60.0)])
def test_a_pause_of_more_than_a_minute_counts_as_one(pause: float, counted: float) -> None:
    """Long texts take that long to read; nobody knows what happened in the rest."""
    meter = meter_on(1)
    meter.press(100.0 + pause)

    assert meter.take(1) == Effort(counted, 1)


def test_each_sample_has_its_own_effort_and_the_queue_none() -> None:
    """What was spent before leaving waits for the next act on that sample."""
    meter = meter_on(1)
    meter.look_at(2, 103.0)
    meter.press(105.0)
    meter.look_at(None, 106.0)
    meter.press(110.0)
    meter.look_at(1, 120.0)
    meter.alive(121.0)

    assert meter.take(1) == Effort(4.0, 0)
    assert meter.take(2) == Effort(3.0, 1)


def test_an_act_that_was_not_written_gives_its_effort_back() -> None:
    """It counts for the next one."""
    meter = meter_on(1)
    meter.press(102.0)
    meter.give_back(1, meter.take(1))
    meter.press(103.0)

    assert meter.take(1) == Effort(3.0, 2)


async def test_what_a_review_cost_leaves_with_the_export_and_comes_back(user: User, tmp_path: Path) -> None:
    """In the row's gold, and the same bytes after an import elsewhere."""
    async with user.opens("schiller"):
        await asyncio.sleep(0.1)  # the least that is not rounded to nothing
        await user.press("j", "k", "a")

    export(user.store, find_dataset(user.store, None), tmp_path / "out", annotator="ann")
    rows = [json.loads(line) for line in (tmp_path / "out" / "samples.jsonl").read_text("utf-8").splitlines()]
    effort = next(row["gold"]["effort"] for row in rows if row["id"] == "schiller")
    assert effort["presses"] == 3
    assert 0 < effort["seconds"] < 60
    other = open_store(str(tmp_path / "other.db"))
    source = tmp_path / "out" / "samples.jsonl"
    import_file(other, source, ImportOptions(dataset="cities", gold="given"), annotator="ann")
    export(other, find_dataset(other, None), tmp_path / "again", annotator="ann")
    other.close()
    assert (tmp_path / "again" / "samples.jsonl").read_bytes() == source.read_bytes()
