"""A few samples of a scored corpus in a database, and the mean of all of it from their reviews."""

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from tests.conftest import verify
from tests.rows import naming, sample, units, write_rows
from tests.stages.test_corpus import without_workers
from workbench.comparing.answer_words import headline
from workbench.errors import InputError, UsageError, WorkbenchError
from workbench.formats.policy import to_toml
from workbench.model import Policy
from workbench.stages import draw as drawing, plan, recompute
from workbench.stages.answer import answer
from workbench.stages.corpus import recipe_of, score_files
from workbench.stages.draw import DrawReport, draw
from workbench.stages.figures import figures
from workbench.stages.queue import scored_by
from workbench.stages.queue_values import queue_ids
from workbench.stages.review import open_sample
from workbench.stages.upkeep import plan_purge, purge
from workbench.store import plans
from workbench.store.datasets import list_datasets, set_dataset
from workbench.store.engine import open_store

NAMES = ["Rome", "Oslo", "Bern", "Riga", "Kyiv", "Lima", "Cairo", "Quito"]
ROWS = 300


def corpus_of(folder: Path, rows: list[Any], policy: str | None = None, threshold: int = 85) -> Path:
    """Two partitions, scored."""
    (folder / "corpus").mkdir()
    write_rows(folder / "corpus" / "a.jsonl", rows[: len(rows) // 3])
    write_rows(folder / "corpus" / "b.jsonl", rows[len(rows) // 3 :])
    with without_workers():
        score_files([folder / "corpus"], folder / "out", recipe_of(policy, threshold, None, ()), workers=2)
    return folder / "out"


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 samples of four cities, of which none to all are found; every tenth has no units."""
    drawn, rows = random.Random(1), []
    for number in range(ROWS):
        names = [] if number % 10 == 0 else drawn.sample(NAMES, 4)
        found = names[: drawn.choice([0, 1, 2, 3, 4, 4])]
        rows.append(naming(f"s{number:03}", names, found, also=f" {number}"))
    return corpus_of(tmp_path_factory.mktemp("scored"), rows)


def values_of(out: Path, scorer: str = "linked") -> dict[str, float | None]:
    """The automatic values of the whole corpus by sample."""
    tables = [pyarrow.parquet.read_table(path) for path in sorted(out.glob("*.parquet"))]
    return {row["id"]: row[scorer] for table in tables for row in table.to_pylist()}


def drawn_by(bench: Any, out: Path, n: int = 40, **given: Any) -> DrawReport:
    return draw(bench.store, out, n, **{"dataset": None, "seed": 4, "annotator": "ann"} | given)


def review(bench: Any, number: int, *, toggled: bool) -> float | None:
    """Accept a sample, or turn its first unit round before that; what it is verified as."""
    some = open_sample(bench.store, number, "ann").state.entity.assessment.units
    accepted = verify(bench.store, number, "ann", toggle=[0] if toggled and some else [])
    units = accepted.state.entity.assessment.units
    return sum(unit.match.verdict == "found" for unit in units) / len(units) if units else None


def test_the_mean_of_a_corpus_is_estimated_from_the_samples_that_were_drawn(bench: Any, scored: Path) -> None:
    """By hand: of those with a score, by strata what the reviews make of the total and of how many count."""
    report = drawn_by(bench, scored)
    ids = list(queue_ids(bench.store, bench.info(), "ann"))
    keys = {number: key for key, number in bench.query("SELECT key, id FROM sample")}
    automatic, sizes = values_of(scored), report.strata
    verified = {number: review(bench, number, toggled=place % 3 == 0) for place, number in enumerate(ids)}

    found = figures(bench.store, bench.info(), scorer="linked")

    defined = {key: value for key, value in automatic.items() if value is not None}
    gained = units = 0.0
    for below in (True, False):
        inside = [n for n in ids if keys[n] in defined and (defined[keys[n]] < 0.5) == below]
        stands = sum((value < 0.5) == below for value in defined.values()) / len(inside)
        for number in inside:
            gained += stands * ((verified[number] or 0.0) - defined[keys[number]])
            units += stands * (verified[number] is not None)
    by_hand = (sum(defined.values()) + gained) / units
    estimate: Any = found.estimate
    reached = sum(keys[number] in defined for number in ids)
    assert (len(defined), ROWS, reached) == (
        estimate.total, found.counts.total, estimate.n + estimate.undefined,
    )  # fmt: skip
    assert by_hand == pytest.approx(estimate.point, abs=1e-12)
    assert sum(defined.values()) / len(defined) == pytest.approx(estimate.automatic.value, abs=1e-12)
    assert ("stratified", "at the planned number") == (estimate.design, estimate.method)
    assert estimate.corpus.low < by_hand < estimate.corpus.high
    assert {"score below 0.5", "score 0.5 or more", "no score"} == sizes.keys()
    assert (ROWS, 40) == tuple(sum(one[at] for one in sizes.values()) for at in (0, 1))
    chances = {row.member.stratum: row.pi for row in plan.prefix(bench.store, bench.info(), "entity").rows}
    assert {name: n / size for name, (size, n) in sizes.items()} == pytest.approx(chances)
    assert by_hand == pytest.approx(
        figures(bench.store, bench.info(), scorer="presence").estimate.point, abs=0.2
    )


def test_a_purge_leaves_the_corpus_its_sizes_and_plans_what_is_left(bench: Any, scored: Path) -> None:
    sizes = {name: size for name, (size, _) in drawn_by(bench, scored).strata.items()}
    first = bench.query("SELECT key FROM sample ORDER BY rank")[0]
    purge(bench.store, bench.info(), plan_purge(bench.store, bench.info(), first, "ann"), "ann")

    found = plan.report(bench.store, bench.info())

    assert (ROWS, 39) == (found.population, found.planned_n)
    assert sizes == {one.name: one.samples for one in found.strata}
    assert 39 == sum(one.planned for one in found.strata)


@pytest.mark.parametrize(
    ("reviewed", "kinds"), [(("statement", "entity"), ("entity", "statement")), (("statement",), ("entity",))]
)
def test_a_dataset_has_the_threshold_of_its_corpus_and_reviews_what_it_counts_first(
    bench: Any, tmp_path: Path, reviewed: Any, kinds: tuple[str, ...]
) -> None:
    rows = [naming(f"s{number}", ["Rome"], ["Rome"], also=f" {number}") for number in range(12)]
    out = corpus_of(tmp_path, rows, to_toml(replace(Policy(), kinds=reviewed)), threshold=95)

    drawn_by(bench, out, 6)

    assert (95, kinds) == (bench.info().threshold, bench.info().kinds)


def test_partitions_are_drawn_from_independently(bench: Any, tmp_path: Path) -> None:
    """The rows of one value: 20 in the first partition, 40 in the second."""
    rows = [naming(f"s{number:02}", ["Rome"], ["Rome"], also=f" {number}") for number in range(60)]
    drawn_by(bench, corpus_of(tmp_path, rows), 30)

    drawn = [int(key[1:]) for (key,) in bench.query("SELECT key FROM sample")]
    assert {one for one in drawn if one < 20} != {one - 20 for one in drawn if 20 <= one < 40}


def test_a_seed_draws_the_same_again_and_another_others(bench: Any, scored: Path, monkeypatch: Any) -> None:
    """Also when the scores are read in many parts."""
    listed = []
    for name, seed, rows in (("one", 4, 5_000), ("two", 4, 7), ("three", 5, 5_000)):
        monkeypatch.setattr(drawing, "ROWS", rows)
        drawn_by(bench, scored, dataset=name, seed=seed)
        listed.append({one.key for one in plans.candidates(bench.store, bench.info(name).id)})

    assert listed[0] == listed[1]
    assert listed[0] != listed[2]
    assert {40} == {len(one) for one in listed}


@pytest.mark.parametrize("name", ["team/qa", "x" * 300])
def test_any_name_of_a_dataset_can_be_drawn_into(bench: Any, scored: Path, name: str) -> None:
    assert name == drawn_by(bench, scored, dataset=name).dataset
    assert 40 == len(plans.candidates(bench.store, bench.info(name).id))


@pytest.mark.parametrize("seed", [4, 5])
def test_a_name_that_another_draw_takes_meanwhile_is_refused(bench: Any, scored: Path, seed: int) -> None:
    def first(_: int) -> None:
        if not list_datasets(bench.store):
            drawn_by(bench, scored, dataset="x", annotator="bo")

    with pytest.raises(UsageError, match="the dataset x is there"):
        drawn_by(bench, scored, dataset="x", seed=seed, progress=first)

    assert [("bo", 40)] == bench.query("SELECT annotator, planned_n FROM plan")


def test_others_write_while_texts_are_read(bench: Any, scored: Any, impatient: Any, monkeypatch: Any) -> None:
    bench.load([naming("s", ["Rome"], ["Rome"])])
    other, texts = open_store(bench.store.url), drawing._texts

    def meanwhile(*given: Any) -> dict[str, Path]:
        set_dataset(other, 1, lease=7)
        return texts(*given)

    monkeypatch.setattr(drawing, "_texts", meanwhile)
    drawn_by(bench, scored)
    other.close()

    assert [7, 15] == [info.lease for info in list_datasets(bench.store)]


def test_rows_without_a_proposal_get_the_one_that_they_were_scored_by(bench: Any, tmp_path: Path) -> None:
    rows = [
        sample(f"r{number}", f"{name} was born in Paris in {1900 + number}.", f"Paris, {1900 + number % 7}")
        for number, name in enumerate(["Marie Curie", "Victor Hugo", "Edgar Degas"] * 10)
    ]
    out = corpus_of(tmp_path, rows)

    report = drawn_by(bench, out, 12, dataset="people")

    automatic = values_of(out)
    info = bench.info("people")
    values = scored_by(bench.store, info, "linked")
    there = plans.candidates(bench.store, info.id)
    assert [automatic[one.key] for one in there] == [values[one.sample_id] for one in there]
    assert (30, 12, 12) == (report.rows, report.n, len(there))


@pytest.mark.parametrize("scorer", ["presence", "ragas", "ragas_legacy"])
def test_the_values_of_any_scorer_make_strata(bench: Any, scored: Path, scorer: str) -> None:
    """By the exact recall, as the database has it: 1 of 2 is 0.5, for ragas too, which adds 1e-8."""
    report = drawn_by(bench, scored, scorer=scorer)

    exact = [round(value, 6) for value in values_of(scored, scorer).values() if value is not None]
    assert sum(value >= 0.5 for value in exact) == report.strata["score 0.5 or more"][0]
    assert sum(value < 0.5 for value in exact) == report.strata["score below 0.5"][0]


def gone(out: Path) -> None:
    next(out.glob("00001*.parquet")).unlink()


def cut(out: Path) -> None:
    path = next(out.glob("00001*.parquet"))
    path.write_bytes(path.read_bytes()[:-40])


def kept(out: Path) -> None:
    """No file that this may read, also for root."""
    unwritten(out)
    (out / "run.json").mkdir()


def unwritten(out: Path) -> None:
    (out / "run.json").unlink()


def written(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """Another thing is on record of what was scored."""

    def spoil(out: Path) -> None:
        document = json.loads((out / "run.json").read_text("utf-8"))
        change(document)
        (out / "run.json").write_text(json.dumps(document), "utf-8")

    return spoil


@pytest.mark.parametrize(
    ("spoil", "given", "error", "said"),
    [
        (gone, {}, InputError, "1 of 2 files without scores"),
        (cut, {}, InputError, "00001-b.scores.parquet: cannot be read"),
        (written(lambda one: one["inputs"][0].update(bytes=1)), {}, InputError, "a.jsonl: not the file"),
        (written(lambda one: one.update(version="0.0.1")), {}, UsageError, "scored by Workbench 0.0.1"),
        (unwritten, {}, UsageError, "no scores: workbench"),
        (kept, {}, InputError, "run.json: cannot be read: Is a directory"),
        (None, {"n": ROWS + 1}, UsageError, "301 of 300 samples cannot be drawn"),
        (None, {"n": 3}, UsageError, "3 reviews are too few for 3 strata"),
        (None, {"scorer": "nothing"}, UsageError, "no scorer 'nothing'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_leaves_nothing(
    bench: Any, scored: Path, tmp_path: Path, spoil: Callable[[Path], None] | None, given: dict[str, Any],
    error: type[WorkbenchError], said: str,
) -> None:  # fmt: skip
    out = shutil.copytree(scored, tmp_path / "out")
    if spoil is not None:
        spoil(out)

    with pytest.raises(error, match=said):
        drawn_by(bench, out, **given)

    assert [] == list_datasets(bench.store)


def test_the_plan_of_a_draw_stays_and_other_scores_estimate_nothing(bench: Any, scored: Path) -> None:
    """The samples outside the database have no scores at another threshold."""
    drawn_by(bench, scored)
    with pytest.raises(UsageError, match=r"drawn from 300 samples.* --n N --seed 4 --dataset NAME"):
        plan.extend(bench.store, bench.info(), 5, "ann")
    with pytest.raises(UsageError, match="the dataset out is there"):
        drawn_by(bench, scored)
    for number in list(queue_ids(bench.store, bench.info(), "ann"))[:12]:
        review(bench, number, toggled=False)
    assert "" == figures(bench.store, bench.info()).estimate.refusal

    recompute.keep_threshold(bench.store, bench.info(), 70, "ann")

    estimate = figures(bench.store, bench.info()).estimate
    assert "has no values of this score, run, match threshold or policy" in estimate.refusal
    assert (ROWS, None) == (estimate.total, estimate.point)


def test_a_drawn_corpus_is_estimated_also_where_its_rows_have_a_column(bench: Any, tmp_path: Path) -> None:
    """A column has values of the drawn samples only: asked for, it says that it gives no estimate."""
    rows = [
        naming(f"s{number}", ["Rome"], ["Rome"] * (number % 2), also=f" {number}")
        | {"scores": {"context_entity_recall": 0.5}}
        for number in range(30)
    ]
    drawn_by(bench, corpus_of(tmp_path, rows), 20)
    for number in list(queue_ids(bench.store, bench.info(), "ann")):
        review(bench, number, toggled=False)

    found = answer(bench.store, bench.info(), "ann")[0]
    assert ("ragas", False) == (found.scorer, found.estimate is None)
    asked = answer(bench.store, bench.info(), "ann", scorer="context_entity_recall")[0]
    assert asked.estimate is None
    assert "drawn from a corpus that has no values of this score" in asked.refusal
    assert "Your context_entity_recall has no known mean." == headline(asked, str)[0]


def test_no_more_is_recommended_than_can_be_reviewed(bench: Any, scored: Path) -> None:
    drawn_by(bench, scored)
    ids = list(queue_ids(bench.store, bench.info(), "ann"))

    for some, wanted in ((ids[:30], [10]), (ids[30:], [])):
        for number in some:
            review(bench, number, toggled=False)
        steps = answer(bench.store, bench.info(), "ann")[0].steps
        assert wanted == [one.samples for one in steps if one.what in ("random", "plan", "extend", "all")]


def test_no_policy_is_recommended_that_would_end_the_estimate(bench: Any, tmp_path: Path) -> None:
    """People reject every person: elsewhere it is recommended not to count them."""
    rows = []
    for n in range(60):
        found = {"proposer": "p", "reference_entities": units(["Rome"]) + units(["Bo"], "person")}
        marks = {"proposal": found | {"context_entities": [["Rome"]]}}
        rows.append(sample(f"s{n}", f"Bo is in Rome {n}.", "Rome.", **marks))
    drawn_by(bench, corpus_of(tmp_path, rows), 30)
    bench.load(rows, dataset="all")

    for name, wanted in (("all", ["policy"]), ("out", [])):
        info = bench.info(name)
        for number in list(queue_ids(bench.store, info, "ann"))[:20]:
            verify(bench.store, number, "ann", reject=["Bo"])
        steps = answer(bench.store, info, "ann")[0].steps
        assert wanted == [one.what for one in steps if one.what == "policy"]


def test_a_larger_draw_with_the_same_seed_has_the_samples_of_the_smaller(bench: Any, scored: Path) -> None:
    for name, n in (("few", 40), ("many", 65)):
        drawn_by(bench, scored, n, dataset=name)

    few, many = (set(bench.query("SELECT key FROM sample WHERE dataset_id = ?", n)) for n in (1, 2))
    assert (40, 65, few) == (len(few), len(many), few & many)
