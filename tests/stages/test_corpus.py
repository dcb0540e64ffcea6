"""Scores without a database: Arrow batches in and out, and files scored in parallel, killed, begun again."""

import importlib
import json
import multiprocessing
import os
import pkgutil
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from tests.conftest import Run
from tests.lists import from_cases
from tests.rows import write_rows
from workbench import batch
from workbench.api import ContextEntityRecall, ContextualRecall
from workbench.errors import InputError, UsageError
from workbench.formats.exports.folder import unfinished
from workbench.stages.corpus import SCORED, Partition, recipe_of, score_files, score_partition, written

EIFFEL = {
    "user_input": "Who designed the tower in Paris?",
    "reference": "Gustave Eiffel designed the tower in Paris in 1889.",
    "retrieved_contexts": ["The tower in Paris was completed in 1889."],
}
PUSHKIN = {
    "user_input": "Где родился Пушкин?",
    "reference": "Пушкин родился в Москве в 1799 году.",
    "retrieved_contexts": ["Пушкин жил в Петербурге.", "В 1799 году в Москве родился поэт."],
}
NO_UNITS = {"user_input": "?", "reference": "so be it.", "retrieved_contexts": ["Paris"]}
RECORDED = {
    **EIFFEL,
    "id": "recorded",
    "proposal": {
        "proposer": "theirs",
        "reference_entities": [{"text": "Paris", "label": "place"}],
        "context_entities": [[{"text": "Paris", "label": "place"}]],
    },
}
BAD = {"user_input": "Who?", "reference": None, "retrieved_contexts": ["Paris"]}


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def bytes_of(folder: Path) -> dict[str, bytes]:
    """The output files of a folder; nothing else may be left in it."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def write_corpus(folder: Path) -> Path:
    """Three partitions of two containers, one with a row that cannot be scored."""
    folder.mkdir()
    write_rows(folder / "a.jsonl", [{**EIFFEL, "id": f"{number}"} for number in range(30)])
    write_rows(folder / "b.jsonl", [PUSHKIN, {"user_input": "Who?", "reference": 7}, NO_UNITS])
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([EIFFEL, PUSHKIN]), folder / "c.parquet")
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Files of the test's own."""
    return write_corpus(tmp_path / "corpus")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Any, tuple[int, ...]]:
    """Files, their scores, the report and its progress, to be read: each run takes three processes."""
    folder = tmp_path_factory.mktemp("scored")
    seen: list[int] = []
    report = scored_by(write_corpus(folder / "corpus"), folder / "out", progress=seen.append)
    return folder / "corpus", folder / "out", report, tuple(seen)


@pytest.fixture
def scored(first: Any) -> Any:
    """Files and their scores, to be read and copied."""
    return first[:2]


@contextmanager
def without_workers() -> Iterator[None]:
    """Partitions are scored in this process: starting one takes as long as a thousand rows."""

    def in_turn(todo: list[Partition], recipe: Any, *_: Any) -> list[tuple[Partition, str]]:
        return [(partition, score_partition(partition, recipe)) for partition in todo]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.stages.corpus._here", in_turn)
        yield


@pytest.fixture
def here() -> Iterator[None]:
    with without_workers():
        yield


def scored_by(corpus: Path, out: Path, **given: Any) -> Any:
    return score_files([corpus], out, recipe_of(None, 85, None, ()), workers=2, **given)


@pytest.mark.parametrize("kind", [pyarrow.RecordBatch, pyarrow.Table])
def test_a_batch_gives_the_values_of_the_metrics_in_the_order_of_its_rows(kind: Any) -> None:
    given = [EIFFEL, PUSHKIN, NO_UNITS, {**EIFFEL, "retrieved_contexts": []}]

    scored = batch.score(kind.from_pylist(given))

    assert kind is type(scored)
    for row, found in zip(given, scored.to_pylist(), strict=True):
        assert [None] == [found["error"]]
        for name in ("linked", "presence"):
            assert ContextEntityRecall(scorer=name).measure(row) == found[name]
        assert ContextualRecall().measure(row) == found["contextual_recall"]
    assert [3, 0] == [scored.to_pylist()[at]["linked_units"] for at in (0, 2)]
    assert [2, 0] == [scored.to_pylist()[at]["linked_found"] for at in (0, 3)]


def test_a_recorded_proposal_is_scored_and_only_what_it_holds() -> None:
    (found,) = batch.score(pyarrow.RecordBatch.from_pylist([RECORDED])).to_pylist()

    assert ("recorded", "theirs", 1.0, 1) == tuple(
        found[name] for name in ("id", "proposer", "linked", "linked_units")
    )
    assert (None, None) == (found["contextual_recall"], found["contextual_recall_units"])


def test_a_row_that_cannot_be_scored_keeps_its_place_and_names_the_field() -> None:
    found = batch.score(pyarrow.RecordBatch.from_pylist([EIFFEL, BAD, EIFFEL])).to_pylist()

    assert [True, False, True] == [row["error"] is None for row in found]
    assert found[1]["error"].startswith("reference: got nothing, expected a string")
    assert {None} == {value for name, value in found[1].items() if name != "error"}


TABLE = pyarrow.Table.from_pylist([EIFFEL])


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (TABLE, {"match_threshold": 101}, "match_threshold 101: a whole number from 60 to 100"),
        (TABLE, {"match_threshold": "85"}, "match_threshold '85': a whole number from 60 to 100"),
        (TABLE, {"policy": "policy.toml"}, "policy 'policy.toml': a Policy"),
        ([EIFFEL], {}, "takes a RecordBatch or a Table of pyarrow; got list"),
        (
            TABLE.append_column("took", pyarrow.array([1], pyarrow.duration("ns"))),
            {},
            r"the batch: column took of type duration\[ns\]: its values cannot be read",
        ),
        (TABLE.append_column("reference", TABLE["reference"]), {}, "column reference appears twice"),
    ],
)
def test_a_batch_that_cannot_be_scored_is_told_in_words(table: Any, options: Any, message: str) -> None:
    with pytest.raises((InputError, UsageError), match=message):
        batch.score(table, **options)


def test_files_are_scored_as_batches_are_and_bad_rows_are_put_aside(first: Any) -> None:
    corpus, out, report, seen = first

    assert (3, 0, 34, 1, {}) == (
        report.partitions, report.done_before, report.rows, report.rejected, report.failed,
    )  # fmt: skip
    assert tuple(sorted(seen)) == seen
    assert sum(path.stat().st_size for path in corpus.iterdir()) == seen[-1]
    (expected,) = batch.score(pyarrow.RecordBatch.from_pylist([PUSHKIN])).to_pylist()
    pushkin, nothing = rows_of(out / f"00001-b{SCORED}")
    assert {**expected, "line": 1} == {**pushkin, "error": None}
    assert (3, None, 0) == (nothing["line"], nothing["linked"], nothing["linked_units"])
    (rejects,) = report.rejects
    said = json.loads(rejects.read_text("utf-8"))
    assert "line 2: reference: got number 7, expected a string" == said["_error"]
    mean, number = report.means["linked"]
    assert 33 == number
    assert (31 * 2 / 3 + 2 * expected["linked"]) / 33 == pytest.approx(mean)


def test_a_killed_worker_costs_its_partition_alone(scored: Any, tmp_path: Path, monkeypatch: Any) -> None:
    corpus, whole = scored
    monkeypatch.setattr("workbench.stages.corpus.POLL", 0.01)  # killed before it can have ended
    killed: list[int] = []

    def kill(_: int) -> None:
        for process in multiprocessing.active_children()[: 2 - len(killed)]:
            process.kill()
            killed.append(process.pid or 0)

    report = scored_by(corpus, tmp_path / "out", progress=kill)

    assert (2, {}) == (len(killed), report.failed)
    assert bytes_of(whole) == bytes_of(tmp_path / "out")


def test_a_partition_whose_workers_always_end_is_named(corpus: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("workbench.stages.corpus.POLL", 0.01)

    def kill(_: int) -> None:
        for process in multiprocessing.active_children():
            if process.name == "a.jsonl":
                process.kill()

    report = scored_by(corpus, tmp_path / "out", progress=kill)

    assert [corpus / "a.jsonl"] == list(report.failed)
    assert "its worker ended 3 times" in report.failed[corpus / "a.jsonl"]
    assert 4 == report.rows


def test_a_killed_command_goes_on_and_ends_with_the_same_bytes(scored: Any, tmp_path: Path) -> None:
    corpus, whole = scored
    command = [sys.executable, "-m", "workbench.cli", "score-files", str(corpus), "--out"]
    command += [str(tmp_path / "out"), "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not list((tmp_path / "out").glob(f"*{SCORED}")):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)

    again = subprocess.run(command, capture_output=True, text=True, check=False)

    assert 3 == again.returncode, again.stderr
    assert re.search(r"34 rows of 3 files scored, [1-3] of them by an earlier run", again.stdout)
    left = {name for name in bytes_of(tmp_path / "out") if not name.startswith(".")}
    assert bytes_of(whole).keys() == left
    assert bytes_of(whole).items() <= bytes_of(tmp_path / "out").items()


@pytest.mark.parametrize("what", ["threshold", "input"])
def test_scores_that_were_made_otherwise_are_not_mixed(what: str, scored: Any, tmp_path: Path) -> None:
    corpus, out = scored
    before = bytes_of(out)
    more = write_rows(tmp_path / "d.jsonl", [EIFFEL])
    inputs, threshold = ([corpus, more], 85) if what == "input" else ([corpus], 80)

    with pytest.raises(UsageError, match="inputs differs" if what == "input" else "match threshold differs"):
        score_files(inputs, out, recipe_of(None, threshold, None, ()), workers=1)
    assert before == bytes_of(out)


def test_a_folder_where_others_were_killed_can_be_used(here: None, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / ".run.json.0a1b2c3d.partial").mkdir(parents=True)
    with unfinished(tmp_path / "out" / "run.json"):
        report = score_files([corpus / "b.jsonl"], tmp_path / "out", recipe_of(None, 85, None, ()), workers=1)

    assert 2 == report.rows
    assert not list((tmp_path / "out").glob(".run.json.*"))


def test_scores_into_a_file_are_refused_in_words(corpus: Path) -> None:
    out = corpus / "b.jsonl"
    with pytest.raises(InputError, match=r"b\.jsonl: scores cannot be written there: File exists"):
        score_files([corpus], out, recipe_of(None, 85, None, ()), workers=1)


def test_of_two_commands_that_begin_at_once_the_recipe_of_one_holds(
    here: None, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one begins when this one has seen that the folder is free."""
    inside = unfinished

    def faster(path: Path) -> Any:
        monkeypatch.setattr("workbench.stages.corpus.unfinished", inside)
        score_files([corpus / "b.jsonl"], tmp_path / "out", recipe_of(None, 70, None, ()), workers=1)
        return inside(path)

    monkeypatch.setattr("workbench.stages.corpus.unfinished", faster)
    with pytest.raises(UsageError, match="match threshold differs"):
        score_files([corpus / "b.jsonl"], tmp_path / "out", recipe_of(None, 85, None, ()), workers=1)

    assert 70 == written(tmp_path / "out")[0].match_threshold


def test_rejects_stay_when_a_slower_command_is_stopped(scored: Any, tmp_path: Path, monkeypatch: Any) -> None:
    corpus, out = scored[0], shutil.copytree(scored[1], tmp_path / "out")
    recipe, partitions = written(out)

    def stopped(*_: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", stopped)
        with pytest.raises(KeyboardInterrupt):
            score_partition(partitions[1], recipe)

    assert 1 == scored_by(corpus, out).rejected


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_the_workers_of_a_killed_command_end_with_it(corpus: Path, tmp_path: Path) -> None:
    """Its pipe of standard output, which they hold too, is at its end."""
    write_rows(corpus / "a.jsonl", [{**EIFFEL, "id": str(number)} for number in range(8_000)])
    command = [sys.executable, "-m", "workbench.cli", "score-files", str(corpus / "a.jsonl"), "--out"]
    with subprocess.Popen([*command, str(tmp_path / "out")], stdout=subprocess.PIPE) as process:
        while not list((tmp_path / "out").glob(f".*{SCORED}.*.partial/read")):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    assert not list((tmp_path / "out").glob(f"*{SCORED}"))


def test_an_input_that_changes_while_it_is_scored_has_no_scores(corpus: Path, tmp_path: Path) -> None:
    partition = Partition.of(corpus / "a.jsonl", tmp_path / f"00000-a{SCORED}")
    write_rows(partition.source, [EIFFEL])

    told = score_partition(partition, recipe_of(None, 85, None, ()))

    assert "a.jsonl: changed while it was scored" in told
    assert not partition.scores.exists()


def test_a_damaged_scores_file_is_named_and_the_others_are_counted(scored: Any, tmp_path: Path) -> None:
    corpus, out = scored[0], shutil.copytree(scored[1], tmp_path / "out")
    damaged = out / f"00000-a{SCORED}"
    damaged.write_bytes(damaged.read_bytes()[:300])

    report = scored_by(corpus, out)

    assert 4 == report.rows
    assert f"{damaged}: cannot be read" in report.failed[corpus / "a.jsonl"]
    assert "delete it and run score-files again" in report.failed[corpus / "a.jsonl"]


@from_cases
def test_bad_options_write_nothing(run: Run, given: Any, message: str, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    before = bytes_of(corpus)

    run("score-files", *given, *([] if "--out" in given else ["--out", "out"])).refuses(message)
    assert before == bytes_of(corpus)


def test_an_unreadable_file_is_named_and_reports_are_json_too(run: Run, scored: Any, corpus: Path) -> None:
    broken, out = corpus / "0.parquet", str(scored[1])
    broken.write_bytes(b"PAR1 nothing of it PAR1")

    ended = run("score-files", broken, corpus / "b.jsonl", "--out", "out", "--json")
    assert (3, "out", 2) == (ended.code, ended.json["out"], ended.json["rows"])
    assert [str(broken)] == [*ended.json["failed"]]
    drawn = run("draw", out, "--n", 4, "--seed", 1, "--json").json
    assert (out, 4) == (drawn["out"], drawn["n"])


def test_of_a_folder_every_dataset_file_is_scored_and_nothing_hidden(here: None, tmp_path: Path) -> None:
    """Copies that an editor keeps in hidden folders are no rows of the corpus."""
    row = json.dumps(EIFFEL)
    for name in ("a.JSONL", ".checkpoints/a.jsonl", ".b.jsonl"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(row, "utf-8")
    (tmp_path / "in" / "c.tsv").write_text("\t".join(EIFFEL) + "\nwho?\tIn Oslo.\t['Oslo']\n", "utf-8")

    report = scored_by(tmp_path / "in", tmp_path / "out")

    assert (2, 2, {}) == (report.partitions, report.rows, report.failed)


def test_a_cluster_of_dask_gives_the_same_bytes(scored: tuple[Path, Path], tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    corpus, whole = scored

    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", local_directory=tmp_path / "dask"
    ) as cluster:
        report = scored_by(corpus, tmp_path / "out", cluster=cluster.scheduler_address)

    assert {} == report.failed
    assert bytes_of(whole) == bytes_of(tmp_path / "out")


def test_what_is_remembered_of_names_is_bounded() -> None:
    """A worker meets names without end; of each cache a few thousand entries stay."""
    modules = [
        importlib.import_module(found.name)
        for part in ("text", "matching", "scoring", "proposing.rules")
        for package in [importlib.import_module(f"workbench.{part}")]
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    ]
    caches = {
        f"{module.__name__}.{name}": cached.cache_parameters()["maxsize"]
        for module in modules
        for name, cached in vars(module).items()
        if hasattr(cached, "cache_parameters")
    }
    assert len(caches) > 20
    assert {} == {name: size for name, size in caches.items() if size is None or size > 16_384}
