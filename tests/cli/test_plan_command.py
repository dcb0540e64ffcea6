"""The command `plan`: made, shown, replaced, dropped, and what a precision takes."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.rows import city, write_rows
from workbench.stages import editing
from workbench.stages.queue import queue_ids
from workbench.stages.review import act, open_sample
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store


@pytest.fixture
def load(tmp_path: Path, run: Any) -> Any:
    """Imports rows into `workbench.db`."""

    def put(n: int, name: str = "data.jsonl", first: int = 0) -> str:
        rows = [city(number) for number in range(first, first + n)]
        write_rows(tmp_path / name, rows)
        ended = run("import", name, "--seed", 3, "--dataset", "data")
        assert ended.code == 0
        return str(ended.out)

    return put


def verify(database: str, count: int, *, toggled: int = 0) -> None:
    """Verify the first samples of the queue; the first unit of some is turned round."""
    store = open_store(database)
    info = find_dataset(store, None)
    for place, number in enumerate(queue_ids(store, info, "ann")[:count]):
        opened = open_sample(store, number, "ann")
        if place < toggled:
            unit = opened.state.entity.assessment.units[0]
            opened = act(store, opened, editing.toggle(opened, unit))
        act(store, opened, editing.accept(opened, "entity"))
    store.close()


def test_a_precision_is_of_the_interval_that_compare_shows(load: Any, run: Any, written: str) -> None:
    """What it asks for is planned: then the interval is about that narrow, and it asks for no more."""
    load(80)
    assert 0 == run("plan", "--n", "20", "--design", "simple", "--blind", "0", "--yes").code
    verify(written, 20, toggled=6)
    wanted = run("plan", "--precision", "0.1", "--json").json
    assert 20 < wanted["needed"] < 80

    assert 0 == run("plan", "--more", str(wanted["needed"] - 20)).code
    verify(written, wanted["needed"], toggled=6 + wanted["needed"] * 6 // 20)  # the first six turn back

    ends = run("compare", "--scorer", "linked", "--json").json["figures"]["estimate"]
    assert "at the planned number" == ends["method"]
    assert 0.1 == pytest.approx((ends["corpus"]["high"] - ends["corpus"]["low"]) / 2, abs=0.02)
    assert wanted["needed"] == ends["n"]


def test_a_precision_counts_the_reviews_that_the_estimate_has(run: Any, written: str, tmp_path: Path) -> None:
    """Of samples without a score it has none: 5 of 20 reviews, and 20 of 80 samples to review."""
    rows = [city(n, **({} if n % 4 else {"scores": {"context_entity_recall": 0.5}})) for n in range(80)]
    write_rows(tmp_path / "data.jsonl", rows)
    run("import", "data.jsonl", "--seed", 3)
    assert 0 == run("plan", "--n", "20", "--design", "simple", "--blind", "0", "--yes").code
    verify(written, 20)
    estimate = run("compare", "--json").json["figures"]["estimate"]
    wanted = run("plan", "--precision", "0.1", "--json").json

    assert estimate["n"] == wanted["reviewed"] < 10
    assert f"The estimate has {estimate['n']} values, fewer than 10: this takes" in wanted["basis"]
    assert wanted["needed"] == 62  # 16 of the 20 with a score; where all 80 have one it takes 45
    assert 20 == run("plan", "--precision", "0.9", "--json").json["needed"]  # as many are reviewed


def test_a_look_at_the_holdout_has_the_time_of_who_reads_it(load: Any, run: Any, monkeypatch: Any) -> None:
    load(80)
    run("plan", "--n", "20", "--holdout", ".2", "--yes")
    before = datetime.now(UTC)
    assert 0 == run("export", "out", "--holdout").code
    with monkeypatch.context() as far:
        far.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        shown = run("plan").out
    time.tzset()

    zone = timezone(timedelta(hours=9))
    assert any(
        f"  {at.astimezone(zone):%Y-%m-%d %H:%M} by ann: export" in shown
        for at in (before, datetime.now(UTC))
    )
