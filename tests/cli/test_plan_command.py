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


@pytest.mark.databases
def test_a_plan_is_made_shown_and_dropped(load: Any, run: Any) -> None:
    """What it means goes to standard error, how it stands to standard output."""
    load(80)

    made = run("plan", "--n", 20, "--by", "meta.lang", "--holdout", ".2", "--yes")
    shown = run("plan")
    document = run("plan", "--json").json

    assert made.code == 0
    assert "stratified: 20 reviews for 64 samples" in made.err
    assert "after your first review you cannot make another plan" in made.err
    assert made.out == shown.out
    assert "data: stratified, 0 of 20 planned samples complete" in shown.out
    assert "holdout: 16 samples, 0 reviewed, never opened" in shown.out
    assert (document["planned_n"], document["population"], document["holdout"]) == (20, 64, 16)
    assert document["plan"]["parameters"]["by"] == "meta.lang"
    assert document["next"] in shown.out
    dropped = run("plan", "--drop", "--yes")
    assert "no plan, 80 samples in random order" in dropped.out


def test_after_the_first_review_no_plan_can_be_made_or_extended(load: Any, run: Any, written: str) -> None:
    load(20)
    verify(written, 1)
    run("plan", "--drop").refuses("there is no plan to drop")
    for arguments in (("--n", 10), ("--more", 5)):
        refused = run("plan", *arguments)
        refused.refuses("1 sample is verified or not counted already")
        refused.refuses("workbench compare needs none for reviews in random order")


def test_a_report_says_the_prefix_and_what_came_late(load: Any, run: Any, written: str) -> None:
    load(30)
    run("plan", "--n", 10, "--yes")
    verify(written, 3)
    said = load(5, "more.jsonl", first=30)

    assert "5 samples came after the plan: last in the queue, and its figures leave them out" in said
    shown = run("plan").out

    assert "3 of 10 planned samples complete, for 30 samples" in shown
    assert "reviewed in order: 3 (3 verified)" in shown
    assert "5 samples came after the plan: its figures leave them out" in shown


def test_at_the_planned_n_the_plan_is_complete_and_says_so(load: Any, run: Any, written: str) -> None:
    load(30)
    run("plan", "--n", 10, "--yes")
    verify(written, 9)
    before = run("plan")
    verify(written, 10)
    reached = run("plan")
    verify(written, 14)
    behind = run("plan")

    wider = "  Until all planned samples are reviewed, the interval is wider.\n"
    assert [True, False] == [wider in said for said in (before.out, reached.out)]
    assert "10 of 10 planned samples complete" in reached.out
    assert "  complete: the estimate stands\n" in reached.out
    assert "  what changes it: workbench plan --more N, or reviewing the 20 that are left\n" in reached.out
    assert "next, after the plan: " in reached.out
    assert "complete: the estimate stands; 4 later reviews stay out of it" in behind.out
    assert ", over the 14 verified samples, 4 not in the estimate:\n" in run("compare", "--full").out
    assert (True, 10, 14) == tuple(
        run("plan", "--json").json[name] for name in ("complete", "done", "prefix")
    )
    assert wider in run("plan", "--more", 10).out


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


def test_with_all_samples_reviewed_a_precision_needs_no_more(load: Any, run: Any, written: str) -> None:
    load(12)
    verify(written, 12)

    said = run("plan", "--precision", "0.1").out
    assert "± 0.100: a plan of 12 of 12 samples\n  Every sample is reviewed: the mean is known.\n" == said


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
