"""A package makes an equal database: its own package has the same bytes."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Bench
from tests.exports.conftest import Leave, unit
from tests.formats.test_formats_round_trip import records
from workbench.errors import InputError, UsageError
from workbench.formats import folder, native
from workbench.model import KINDS, Effort, Record
from workbench.reviewing.edits import Comment, Flag
from workbench.stages import editing
from workbench.stages.disputes import disputes, set_state
from workbench.stages.export import ExportOptions, export
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.import_package import import_package
from workbench.stages.planning import Wish, draft, make
from workbench.stages.review import Opened, act, open_sample, redo, undo
from workbench.store import restoring
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.samples import sample_ids

NUMBERS = itertools.count()
DO: dict[str, Callable[[Opened], Any]] = {
    "accept": lambda opened: editing.accept(opened, opened.dataset.kinds[0]),
    "reject": lambda opened: editing.reject(opened, _first(opened)),
    "toggle": lambda opened: editing.toggle(opened, _first(opened)),
    "flag": lambda opened: editing.flag(opened, "⚑ look"),
    "comment": lambda _: Comment("a\nnote 😀"),
    "exclude": lambda opened: editing.exclude(opened, "unanswerable"),
    "skip": editing.skip,
}


def _first(opened: Opened) -> Any:
    units = [unit for unit in opened.state.of(opened.dataset.kinds[0]).assessment.units if unit.counted]
    if not units:
        raise InputError("nothing there")
    return units[0]


def package(store: Store, target: Path, **options: Any) -> dict[str, bytes]:
    """Export a package; its files' bytes by name."""
    info = find_dataset(store, None)
    export(store, info, target, ExportOptions(formats=("package",), **options), annotator="ann")
    return {path.name: path.read_bytes() for path in target.iterdir()}


def rows_of(path: Path, tables: tuple[str, ...], without: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of some tables, past everything that is tested, without numbers of rows and tables."""
    found = {}
    with closing(sqlite3.connect(path)) as raw:
        raw.row_factory = sqlite3.Row
        for name in tables:
            rows = [dict(row) for row in raw.execute(f"SELECT * FROM {name} ORDER BY rowid")]
            found[name] = [
                {key: value for key, value in row.items() if key not in without.split()} for row in rows
            ]
    return found


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    max_examples=12,
)
@given(
    st.lists(records(), min_size=1, max_size=4, unique_by=lambda record: record.sample.id),
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["ann", "Böb"]), st.sampled_from(sorted(DO))), max_size=8
    ),
    st.lists(st.sampled_from(["undo", "redo"]), max_size=3),
)
def test_a_package_of_an_imported_package_has_the_same_bytes(
    tmp_path: Path,
    empty_database: Path,
    given: list[Record],
    acts: list[tuple[int, str, str]],
    moves: list[str],
) -> None:
    """Whatever came in a file and whatever people did: texts, draws, journal, gold, flags, notes."""
    here = tmp_path / str(next(NUMBERS))
    here.mkdir()
    for name in ("one.db", "two.db"):
        shutil.copy(empty_database, here / name)
    native.write(here / "data.jsonl", given)
    one, two = open_store(str(here / "one.db")), open_store(str(here / "two.db"))
    try:
        import_file(one, here / "data.jsonl", ImportOptions(gold="given"), annotator="ann")
        numbers = list(sample_ids(one, find_dataset(one, None).id).values())
        for place, who, what in acts:
            opened = open_sample(one, numbers[place % len(numbers)], who)
            try:
                act(one, opened, DO[what](opened), effort=Effort(1.5, 2))
            except InputError:
                continue  # nothing to reject, nothing left to skip
        for move in moves:
            (undo if move == "undo" else redo)(one, find_dataset(one, None).id, "ann")
        first = package(one, here / "first")
        report = import_package(two, here / "first")
        second = package(two, here / "second")

        assert sorted(first) == sorted(second)
        for line in first["verdicts.jsonl"].decode().split("\n")[:-1]:  # put together piece by piece
            assert json.dumps(json.loads(line), ensure_ascii=False) == line
        assert [] == [name for name in first if first[name] != second[name]]
        assert len(given) == report.samples
    finally:
        one.close()
        two.close()


def test_which_of_several_stands_does_not_hang_on_names(bench: Bench, tmp_path: Path) -> None:
    """Six people settled each sample, each in another way: in the copy, under pseudonyms, it is the same."""
    rows = []
    for number in range(5):
        reference = " ".join(f"Name{place}" for place in range(8))
        gold = [
            {
                "annotator": f"{name}-{number}",
                "adjudicated": True,
                "entities": [unit(reference, f"Name{place}", "found") for place in range(2 + index)]
                + [unit(reference, "Name7", "missing")],
            }
            for index, name in enumerate(("mia", "zoe", "ann", "tom", "eva", "bob"))
        ]
        rows.append(
            {
                "id": f"s{number}",
                "user_input": f"Who {number}?",
                "reference": reference,
                "retrieved_contexts": ["Name0 Name1 Name2"],
                "proposal": {"proposer": "p", "reference_entities": [{"text": "Name0"}]},
                "gold": gold,
            }
        )
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    import_file(bench.store, path, ImportOptions(gold="given"), annotator="ann")
    first = package(bench.store, tmp_path / "one")
    store = open_store(str(tmp_path / "two.db"))
    import_package(store, tmp_path / "one")
    second = package(store, tmp_path / "two")
    store.close()

    assert first == second
    tallies = [json.loads(line)["tallies"]["verified"] for line in first["references.jsonl"].splitlines()]
    assert [{"entity": {"found": 7, "missing": 1, "unsure": 0}}] * 5 == tallies  # the one who came last
    assert 7 / 8 == json.loads(first["manifest.json"])["estimates"][0]["verified_so_far"]


def test_what_was_said_of_flags_does_not_hang_on_names(bench: Bench, tmp_path: Path) -> None:
    """Six people flagged a sample: in the copy, under pseudonyms, their dispute is the same and explained."""
    reference = "Name0 and Name1"
    given = {
        "id": "s",
        "user_input": "Who?",
        "reference": reference,
        "retrieved_contexts": ["Name0"],
        "gold": {"annotator": "file", "entities": [unit(reference, "Name0", "found")]},
    }
    bench.load([given], gold=True)
    for number, who in enumerate(("mia", "zoe", "ann", "tom", "eva", "bob")):
        act(bench.store, bench.open("s", who), Flag(f"reason {number}"))
    [flagged] = disputes(bench.store, bench.info(), "reader").disputes
    assert [str(number) for number in range(6)] == re.findall(r"reason (\d)", flagged.says)
    set_state(bench.store, flagged, "explained", "all of them", "reader")
    package(bench.store, tmp_path / "one")
    store = open_store(str(tmp_path / "two.db"))
    import_package(store, tmp_path / "one")

    [copied] = disputes(store, find_dataset(store, None), "reader").disputes

    store.close()
    assert ("explained", "all of them") == (copied.state, copied.note)
    assert flagged.stamp == copied.stamp


def test_every_table_is_as_it_was(demo: Bench, tmp_path: Path) -> None:
    """Numbers of rows aside, with the names of people as they are."""
    opened = demo.open("taj-high")
    act(demo.store, opened, editing.reject(opened, _first(opened)), effort=Effort(3.0, 4))
    opened = demo.open("taj-high")
    act(demo.store, opened, editing.accept(opened, "entity"))
    undo(demo.store, demo.info().id, "ann")
    redo(demo.store, demo.info().id, "ann")
    package(demo.store, tmp_path / "out", names=True)
    store = open_store(str(tmp_path / "two.db"))
    import_package(store, tmp_path / "out")
    store.close()

    tables = ("dataset", "policy", "sample", "run", "proposal", "review", "review_event", "gold_unit",
              "external_score")  # fmt: skip
    hidden = "id dataset_id sample_id review_id run_id calls data document"
    before, after = (rows_of(path, tables, hidden) for path in (demo.db, tmp_path / "two.db"))
    for name in ("review", "gold_unit"):  # in another order: of samples, not of acts
        before[name].sort(key=repr)
        after[name].sort(key=repr)
    assert before == after


def test_plan_holdout_and_its_openings_come_back(demo: Bench, tmp_path: Path) -> None:
    """So that the copy's figures rest on the same draws."""
    info = demo.info()
    make(demo.store, info, draft(demo.store, info, Wish(n=20, holdout=0.2), "ann"))
    first = package(demo.store, tmp_path / "one", holdout=True)
    store = open_store(str(tmp_path / "two.db"))
    import_package(store, tmp_path / "one")
    second = package(store, tmp_path / "two")
    store.close()

    assert first == second
    dataset = json.loads(first["dataset.json"])
    assert (20, ["export"]) == (dataset["plan"]["planned_n"], [one["purpose"] for one in dataset["openings"]])
    drawn = [json.loads(line)["sampling"] for line in first["references.jsonl"].splitlines()]
    assert 0 < sum(one["holdout"] for one in drawn) < len(drawn)


def test_undo_goes_on_where_it_was(demo: Bench, tmp_path: Path) -> None:
    """The journal keeps its order over all samples."""
    for name in ("taj-high", "taj-low"):
        opened = demo.open(name)
        act(demo.store, opened, editing.accept(opened, "entity"))
    package(demo.store, tmp_path / "out", names=True)
    store = open_store(str(tmp_path / "two.db"))
    import_package(store, tmp_path / "out")
    info = find_dataset(store, None)
    moved = undo(store, info.id, "ann")

    assert moved is not None
    assert sample_ids(store, info.id)["taj-low"] == moved.sample_id
    store.close()


def test_a_package_that_was_changed_makes_nothing(leave: Leave, tmp_path: Path) -> None:
    """Its hashes say so; no dataset is left behind."""
    target = leave("package")
    text = (target / "events.jsonl").read_text("utf-8")
    (target / "events.jsonl").write_text(text.replace('"found"', '"missing"'), "utf-8")
    store = open_store(str(tmp_path / "two.db"))

    with pytest.raises(InputError, match=r"not as it was exported: changed: events\.jsonl"):
        import_package(store, target)
    assert [] == rows_of(tmp_path / "two.db", ("dataset",), "")["dataset"]
    store.close()


def test_a_package_whose_journal_says_something_else_makes_nothing(leave: Leave, tmp_path: Path) -> None:
    """Also when its hashes were made to fit."""
    target = leave("package")
    lines = (target / "events.jsonl").read_text("utf-8").splitlines(keepends=True)
    (target / "events.jsonl").write_text("".join(lines[:-1]), "utf-8", newline="\n")
    manifest = folder.read_manifest(target)
    given = {key: manifest[key] for key in manifest if key not in folder._RESERVED}
    folder.write_manifest(target, manifest["counts"], given)
    store = open_store(str(tmp_path / "two.db"))

    with pytest.raises(InputError, match="says something else than its review"):
        import_package(store, target)
    assert [] == rows_of(tmp_path / "two.db", ("dataset", "sample"), "")["sample"]
    store.close()


def test_a_journal_with_more_rows_than_its_review_says_makes_nothing(leave: Leave, tmp_path: Path) -> None:
    """The rows before were a whole journal already, and folded."""
    target = leave("package")
    lines = (target / "events.jsonl").read_text("utf-8").splitlines(keepends=True)
    first = json.loads(lines[0])
    seq = sum(all(json.loads(line)[key] == first[key] for key in ("id", "annotator")) for line in lines)
    late = {**first, "op": "comment", "data": {"text": "late"}, "seq": seq, "action": "late"}
    lines.append(json.dumps(late) + "\n")
    (target / "events.jsonl").write_text("".join(lines), "utf-8", newline="\n")
    manifest = folder.read_manifest(target)
    given = {key: manifest[key] for key in manifest if key not in folder._RESERVED}
    folder.write_manifest(target, manifest["counts"], given)
    for size in (len(lines), len(lines) - 1):
        store = open_store(str(tmp_path / f"{size}.db"))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(restoring, "CHUNK", size)
            with pytest.raises(InputError, match="says something else"):
                import_package(store, target)
        store.close()


def test_journals_that_come_in_pieces_make_the_same(demo: Bench, tmp_path: Path) -> None:
    """A chunk of one row holds no whole journal: all are read back from the database and folded."""
    target = tmp_path / "package"
    package(demo.store, target, names=True)
    found = []
    for size in (restoring.CHUNK, 7, 1):
        path = tmp_path / f"{size}.db"
        store = open_store(str(path))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(restoring, "CHUNK", size)
            import_package(store, target)
        store.close()
        rows = rows_of(path, ("review_event", "review", "gold_unit"), "id created_at")
        rows["gold_unit"].sort(key=lambda row: (row["review_id"], row["kind"], row["position"]))
        found.append(rows)

    assert found[0]["gold_unit"]
    assert found[0] == found[1] == found[2]


def test_a_package_without_text_or_beside_its_namesake_is_refused(hard: Bench, leave: Leave) -> None:
    with pytest.raises(InputError, match="exported without text"):
        import_package(hard.store, leave("package", text=False))
    with pytest.raises(UsageError, match="there is a dataset 'hard' already"):
        import_package(hard.store, leave("package"))
    assert import_package(hard.store, leave("package"), "other").samples == 7


def test_a_part_of_a_dataset_is_not_taken_for_all_of_it(hard: Bench, leave: Leave) -> None:
    """Its figures would say that every sample was reached."""
    for options in ({"only": "verified"}, {"query": "id:emoji"}):
        with pytest.raises(InputError, match="a part of a dataset, chosen by filters"):
            import_package(hard.store, leave("package", **options), "part")


def test_the_package_may_stand_among_other_formats(leave: Leave, tmp_path: Path) -> None:
    target = leave("package", "csv")
    store = open_store(str(tmp_path / "two.db"))

    assert (
        7 == import_package(store, target).samples == import_package(store, target / "package", "b").samples
    )
    store.close()


def test_verdicts_say_both_sides_features_and_causes(demo: Bench, tmp_path: Path) -> None:
    """The causes of a sample sum to the difference of its tallies."""
    files = package(demo.store, tmp_path / "out")
    rows = [json.loads(line) for line in files["verdicts.jsonl"].splitlines()]
    references = {row["id"]: row for row in map(json.loads, files["references.jsonl"].splitlines())}
    from fractions import Fraction

    for name, kind, scorer in (
        ("apollo-dense", "entity", "linked"),
        ("apollo-dense", "statement", "contextual_recall"),
    ):
        own = [row for row in rows if (row["id"], row["kind"]) == (name, kind)]
        tallies = references[name]["tallies"]
        automatic, verified = tallies["automatic"][scorer], tallies["verified"][kind]
        delta = Fraction(automatic["found"], sum(automatic.values())) - Fraction(
            verified["found"], sum(verified.values())
        )
        assert delta == sum(Fraction(row["share"]) for row in own)
        assert verified["found"] == sum(row["human_verdict"] == "found" for row in own)
    first = rows[0]
    assert {"rule": "short_form", "similarity": 93, "nested": False} == first["features"]
    assert "Armstrong" == first["candidate"]["text"]
    assert set(KINDS) == {row["kind"] for row in rows}
