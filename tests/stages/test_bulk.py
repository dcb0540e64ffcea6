"""Counting on several cores gives what one core gives, its processes end with it, and what is kept of it."""

import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.rows import naming
from workbench.formats.policy import to_toml
from workbench.model import Matching, Policy, Tally
from workbench.stages import recompute
from workbench.stages.policy import change_policy
from workbench.stages.recompute import ScoreReport, score_dataset
from workbench.store.samples import each_sample


def test_processes_count_what_one_process_counts(demo: Any) -> None:
    """Three chunks are enough to start the pool; samples without a proposal are left out of both."""
    info = demo.info()
    stored = list(each_sample(demo.store, info.id, info.run_id))
    bare = list(each_sample(demo.store, info.id, None))[:3]
    chunks = [stored[:20], [*bare, *stored[20:35]], stored[35:]]

    alone = [recompute.count_chunk(chunk, Matching(Policy(), 85)) for chunk in chunks]

    assert list(recompute.count_all(iter(chunks), Matching(Policy(), 85))) == alone
    assert [len(one) for one in alone] == [20, 15, 15]


COUNT_FOR_EVER = """
import sys
from itertools import repeat
from workbench.stages import recompute as bulk
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.samples import each_sample

bulk.os.cpu_count = lambda: 2

if __name__ == "__main__":
    store = open_store(sys.argv[1])
    info = find_dataset(store, None)
    for _ in bulk.count_all(repeat(list(each_sample(store, info.id, info.run_id))), info.matching):
        print("counted", flush=True)
"""


def running(session: int) -> list[str]:
    """The processes of a session that have not ended."""
    found = subprocess.run(
        ["ps", "-o", "stat=,args=", "--sid", str(session)], capture_output=True, text=True, check=False
    )
    return [line for line in found.stdout.splitlines() if not line.startswith("Z")]


@pytest.mark.skipif(os.name == "nt", reason="sessions of POSIX")
def test_workers_end_with_a_killed_parent(demo: Any) -> None:
    """Two workers and the resource tracker of multiprocessing: a SIGKILL leaves none of them behind."""
    script = demo.folder / "count.py"
    script.write_text(COUNT_FOR_EVER)
    parent: Any = subprocess.Popen(
        [sys.executable, str(script), str(demo.db)],
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert "counted\n" == parent.stdout.readline()
    assert len(running(parent.pid)) >= 3

    parent.send_signal(signal.SIGKILL)
    parent.wait()

    try:
        for _ in range(1_200):
            if not running(parent.pid):
                return
            time.sleep(0.1)
        pytest.fail("\n".join(running(parent.pid)))
    finally:
        if running(parent.pid):
            os.killpg(parent.pid, signal.SIGKILL)
        parent.stdout.close()


def report(bench: Any) -> ScoreReport:
    return score_dataset(bench.store, bench.info())


def test_what_is_counted_under_a_replaced_policy_or_text_is_not_kept(bench: Any) -> None:
    """A `score` that was under way when the policy or a text changed; the next one is right."""
    rows = [naming("a", ["London", "Oslo"], ["University of London"]), naming("b", ["Oslo"], ["Oslo"])]
    bench.load(rows)
    old = bench.info()
    text = to_toml(old.policy).replace('nested = "missing"', 'nested = "found"')
    change_policy(bench.store, old, text, "ann")

    recompute.recompute(bench.store, old)

    assert bench.tables("counted", "score") == {"counted": [], "score": []}
    assert report(bench).samples[0].automatic["presence"].tally == Tally(1, 1)

    later = [naming("c", ["Oslo"], ["Oslo"]), naming("d", ["Oslo"], ["Oslo"])]
    bench.load(later)
    new = bench.info()

    def replace_text(done: int) -> None:
        assert bench.load([naming("d", ["Oslo"], ["Rome"])], update=True).updated == 1

    recompute.recompute(bench.store, new, replace_text)

    scored = "SELECT DISTINCT key FROM score JOIN sample ON sample.id = sample_id ORDER BY key"
    assert bench.query(scored) == [("a",), ("b",), ("c",)]
    assert report(bench).samples[3].automatic["linked"].tally == Tally(0, 1)
