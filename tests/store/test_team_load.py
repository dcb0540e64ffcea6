"""Several people at one database at once; the long form is `python -m tests.benchmarks.team`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks import team
from workbench.stages.team import assign

pytestmark = pytest.mark.databases


def test_three_people_at_once_decide_every_sample_as_often_as_it_is_wanted(bench: Any) -> None:
    """About half of the samples have two places, the others one."""
    team.make(bench.store, bench.folder, 10, 2)
    assign(bench.store, bench.info(), "ann", 2, 0.5, None)
    wanted = bench.query("SELECT sample_id, count(*) FROM assignment GROUP BY sample_id ORDER BY sample_id")

    found = team.load(bench.store.engine.url.render_as_string(hide_password=False), 3, 600)

    team.check(bench.store, found, 2)
    decided = bench.query("SELECT sample_id, count(*) FROM review GROUP BY sample_id ORDER BY sample_id")
    assert {1, 2} == {number for _, number in wanted}
    assert wanted == decided
    assert 0 == team.claimed(bench.store)
