"""Reports over a dataset: what is counted, what is left out and said, and when it is counted anew."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import do
from tests.rows import naming
from workbench.comparing.figures import Beside
from workbench.comparing.intervals import Mean
from workbench.errors import NotFoundError, UsageError
from workbench.formats.policy import to_toml
from workbench.model import Tally
from workbench.reports.texts import gate_text, score_text
from workbench.stages import editing
from workbench.stages.figures import figures
from workbench.stages.policy import change_policy
from workbench.stages.propose import propose
from workbench.stages.recompute import ScoreReport, gate_of, recompute, score_dataset

ROWS = [
    naming("all", ["Rome", "Oslo"], ["Rome", "Oslo"]),
    naming("half", ["Rome", "Oslo"], ["Rome"], scores={"context_entity_recall": 0.25, "faithfulness": 0.9}),
    naming("none", ["Rome", "Oslo"], []),
    naming("empty", [], []),
    {"id": "bare", "user_input": "q", "reference": "Rome.", "retrieved_contexts": []},
]


@pytest.fixture
def cities(bench: Any) -> Any:
    assert bench.load(ROWS).new == 5
    return bench


def report(bench: Any, **options: Any) -> ScoreReport:
    return score_dataset(bench.store, bench.info(), **options)


def beside(bench: Any) -> dict[str, Beside]:
    """Every scorer and column of the figures, over the verified samples."""
    return {one.scorer: one for one in figures(bench.store, bench.info()).beside}


def test_a_mean_leaves_out_what_is_undefined_or_not_proposed_and_says_so(cities: Any) -> None:
    """n scored, undefined counted, samples without a proposal counted apart."""
    found = report(cities)

    assert found.means["linked"] == Mean(0.5, 3, 1)
    assert found.unproposed == 1
    assert [sorted(one.automatic) for one in found.samples][-1] == []
    assert [one.id for one in found.samples] == ["all", "half", "none", "empty", "bare"]


def test_an_excluded_sample_stands_in_no_figure(cities: Any) -> None:
    """Neither in means nor in differences nor before the gate; its row and the first line say so."""
    cities.verify("all")
    cities.verify("none", toggle=["Rome"])
    cities.act("none", editing.exclude("broken"))

    found = report(cities)

    assert score_text(found).splitlines()[0] == (
        "data · run p-run-1 · match threshold 85 · 5 samples: 1 verified, "
        "1 not counted by at least one person, 0 unresolved"
    )
    assert found.means["linked"] == Mean(0.75, 2, 1)
    assert found.means["verified_entity"] == Mean(1.0, 1, 0)
    assert [one.id for one in found.samples if one.excluded] == ["none"]
    assert beside(cities)["linked"].n == 1
    assert gate_of(
        cities.store, cities.info(), found, metric=None, source="automatic", threshold=0.75, strict=False
    ).passed


def test_what_one_person_leaves_out_differs_from_nothing_that_another_verified(cities: Any) -> None:
    cities.verify("half")
    cities.act("half", editing.exclude("broken"), who="bo")

    assert report(cities).samples[1].delta("linked") is None


def test_an_unresolved_sample_is_no_gold(cities: Any) -> None:
    """Two verified reviews that differ: shown as such, in no verified mean."""
    cities.verify("half")
    cities.verify("half", "bo", toggle=[0])

    found = report(cities)

    assert [one.id for one in found.samples if one.unresolved] == ["half"]
    assert "verified_entity" not in found.means
    assert found.samples[1].delta("linked") is None


@pytest.mark.databases
def test_differences_are_over_the_samples_that_are_verified(cities: Any) -> None:
    """Both means over the same samples, Δ automatic − verified, the imported column with its own number."""
    cities.verify("half", toggle=["Oslo"])
    cities.verify("none", toggle=["Rome"])
    cities.verify("empty")

    found = beside(cities)

    linked, column = found["linked"], found["context_entity_recall"]
    assert (linked.automatic, linked.verified, linked.n, linked.undefined) == (0.25, 0.75, 2, 1)
    assert (linked.delta, linked.mae, linked.equal) == (-0.5, 0.5, 0)
    assert (column.automatic, column.n, column.delta) == (0.25, 1, -0.75)
    assert "faithfulness" not in found
    assert report(cities).samples[1].delta("linked") == -0.5


def test_ragas_differs_by_its_exact_fraction(cities: Any) -> None:
    """Its 1e-8 stands in its value alone: a sample that is right has a difference of exactly 0."""
    cities.verify("half")

    half = report(cities).samples[1]

    assert half.automatic["ragas"].value == 0.4999999975
    assert half.delta("ragas") == 0.0
    assert beside(cities)["ragas"].equal == 1


def test_a_changed_policy_is_counted_anew(bench: Any) -> None:
    """Stored scores of the old policy are not shown as those of the new one."""
    bench.load([naming("a", ["London", "Oslo"], ["University of London"])])
    before = report(bench).samples[0].automatic["presence"].tally

    text = to_toml(bench.info().policy).replace('nested = "missing"', 'nested = "found"')
    change_policy(bench.store, bench.info(), text, "ann")

    assert before == Tally(0, 2)
    assert report(bench).samples[0].automatic["presence"].tally == Tally(1, 1)


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


def test_the_gate_says_how_many_samples_have_no_value(cities: Any) -> None:
    """No proposal, not verified, or unresolved: strict fails, and the text says so either way."""
    cities.verify("all")
    cities.verify("empty")

    def gate(source: str, strict: bool) -> Any:
        found, info = report(cities), cities.info()
        return gate_of(cities.store, info, found, metric=None, source=source, threshold=0.5, strict=strict)

    automatic, verified = gate("automatic", False), gate("verified", False)
    undefined = ("empty",)
    assert (automatic.n, automatic.undefined, automatic.unscored, automatic.passed) == (3, undefined, 1, True)
    assert (verified.n, verified.undefined, verified.unscored, verified.passed) == (1, undefined, 3, True)
    assert gate("verified", True).below == ()
    assert gate("verified", True).passed is False
    assert "3 of 5 samples have no value" in gate_text(gate("verified", True))
    assert "1 of 5 samples has no value" in gate_text(automatic)


def test_new_contexts_are_counted_anew_with_their_own_proposal(cities: Any) -> None:
    """The old proposal is of the old text: without a new one there is no automatic value."""
    report(cities)
    changed = naming("half", ["Rome", "Oslo"], ["Oslo", "Rome"])
    bare = {key: value for key, value in changed.items() if key != "proposal"}

    cities.load([bare], update=True)
    without = report(cities)
    cities.load([changed])

    assert (without.samples[1].automatic, without.unproposed) == ({}, 2)
    assert report(cities).samples[1].automatic["linked"].tally == Tally(2, 0)


@pytest.mark.databases
def test_every_report_takes_a_run(cities: Any) -> None:
    """The current run by default; another by name; an unknown name lists those there are."""
    propose(cities.store, cities.info(), "rules", annotator="ann")

    assert report(cities).run == "rules-run-1"
    assert report(cities).unproposed == 0
    assert (report(cities, run="p-run-1").run, report(cities, run="p-run-1").unproposed) == ("p-run-1", 1)
    with pytest.raises(NotFoundError, match="p-run-1, rules-run-1"):
        report(cities, run="nope")


@pytest.mark.databases
def test_proposing_again_goes_on_where_it_stopped(cities: Any) -> None:
    """The rules are one run: what is there stays, new samples are added, recorded runs come back by name."""
    info = cities.info()
    first = propose(cities.store, info, "rules", annotator="ann")
    before = cities.tables("proposal", "run")
    second = propose(cities.store, info, "rules", annotator="ann")
    assert cities.tables("proposal", "run") == before
    cities.load([{"id": "new", "user_input": "q", "reference": "Bergen.", "retrieved_contexts": []}])
    third = propose(cities.store, info, "rules", annotator="ann")
    recorded = propose(cities.store, info, "recorded", annotator="ann")

    assert [(one.proposed, one.already) for one in (first, second, third)] == [(5, 0), (0, 5), (1, 5)]
    assert (recorded.run, recorded.already, recorded.without) == ("p-run-1", 4, 2)
    assert cities.info().run == "p-run-1"
    with pytest.raises(UsageError, match="unknown proposer 'magic'; there is: rules, recorded, claude"):
        propose(cities.store, info, "magic", annotator="ann")


@pytest.mark.databases
def test_an_edit_of_a_verified_sample_moves_the_verified_value_at_once(cities: Any) -> None:
    """Without a second accept, and the automatic value stays."""
    cities.verify("half")
    cities.act("half", do("Oslo", editing.toggle))

    found = report(cities).samples[1]
    assert (found.verified["entity"], found.automatic["linked"].tally) == (Tally(2, 0), Tally(1, 1))


@pytest.mark.databases
def test_an_imported_column_has_a_mean(bench: Any) -> None:
    """Next to the scorers' own; of an excluded sample it does not count."""
    row = {"user_input": "q", "retrieved_contexts": ["Rome"]}
    rows = [
        {**row, "id": key, "reference": f"Rome {key}.", "scores": {"context_entity_recall": value}}
        for key, value in (("a", 0.25), ("b", 0.75), ("c", 0.0))
    ]
    bench.load(rows)
    bench.act("c", editing.exclude("broken"))

    assert Mean(0.5, 2, 0) == report(bench).means["context_entity_recall"]
