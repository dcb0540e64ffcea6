"""Several people at one database at once; the long form is `python -m tests.benchmarks.team`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks import team

pytestmark = pytest.mark.databases


@pytest.mark.parametrize("overlap", [1, 2])
def test_three_people_at_once_decide_every_sample_as_often_as_it_is_wanted(bench: Any, overlap: int) -> None:
    team.make(bench.store, bench.folder, 20, overlap)

    found = team.load(bench.store.engine.url.render_as_string(hide_password=False), 3, 600)

    team.check(bench.store, found, overlap)
    assert 20 * overlap == found.number
    assert 0 == team.claimed(bench.store)
