"""Reports over a dataset: what is counted, what is left out and said, and when it is counted anew."""

from __future__ import annotations

from typing import Any

from tests.rows import naming
from workbench.formats.policy import to_toml
from workbench.model import Tally
from workbench.stages.policy import change_policy
from workbench.stages.recompute import ScoreReport, recompute, score_dataset


def report(bench: Any, **options: Any) -> ScoreReport:
    return score_dataset(bench.store, bench.info(), **options)


def test_what_is_counted_under_a_replaced_policy_or_text_is_not_kept(bench: Any) -> None:
    """A `score` that was under way when the policy or a text changed; the next one is right."""
    rows = [naming("a", ["London", "Oslo"], ["University of London"]), naming("b", ["Oslo"], ["Oslo"])]
    bench.load(rows)
    old = bench.info()
    text = to_toml(old.policy).replace('nested = "missing"', 'nested = "found"')
    change_policy(bench.store, old, text, "ann")

    recompute(bench.store, old)

    assert bench.tables("counted", "score") == {"counted": [], "score": []}
    assert report(bench).samples[0].automatic["presence"].tally == Tally(1, 1)

    later = [naming("c", ["Oslo"], ["Oslo"]), naming("d", ["Oslo"], ["Oslo"])]
    bench.load(later)
    new = bench.info()

    def replace_text(done: int) -> None:
        assert bench.load([naming("d", ["Oslo"], ["Rome"])], update=True).updated == 1

    recompute(bench.store, new, replace_text)

    scored = "SELECT DISTINCT key FROM score JOIN sample ON sample.id = sample_id ORDER BY key"
    assert bench.query(scored) == [("a",), ("b",), ("c",)]
    assert report(bench).samples[3].automatic["linked"].tally == Tally(0, 1)
