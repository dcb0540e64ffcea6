"""What a purge says of exports: those that held a sample, also where they are no more, and no others."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.conftest import Bench
from tests.stages.purging import fill, leave, row, run_purge
from workbench.formats.exports.folder import writing
from workbench.reports.export import purge_text
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.upkeep import plan_purge
from workbench.store.copying import copy_into
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.exports import log_export


@pytest.fixture
def filled(bench: Bench) -> Bench:
    """Two samples, one of them secret, with everything a sample can have."""
    fill(bench)
    return bench


def test_only_exports_that_held_it_are_listed(filled: Bench) -> None:
    """Not one of other samples, one that was made before it came or after it went, one without text."""
    one, filtered = leave(filled, "one"), leave(filled, "filtered", query="id:secret")
    others = [leave(filled, "other", query="id:open"), leave(filled, "figures", "csv", text=False)]
    filled.load([row("late", "Grace Hopper")], name="late.jsonl", dataset="data")
    three = leave(filled, "three")

    report = run_purge(filled, "secret")
    assert ((one, filtered, three), ()) == (report.exports, report.look)
    leave(filled, "after")
    again = run_purge(filled, "secret")
    assert (0, (one, filtered, three)) == (again.samples, again.exports)
    assert others[0] in run_purge(filled, "open").exports
    assert (three, str(filled.folder / "after")) == run_purge(filled, "late").exports


def test_a_number_that_is_given_again_is_not_the_purged_sample(filled: Bench) -> None:
    """SQLite gives the next sample the number of the last one that was deleted."""
    both = leave(filled, "both")
    number = filled.id("open")
    run_purge(filled, "open")
    filled.load([row("new", "Grace Hopper")], name="new.jsonl", dataset="data")
    assert number == filled.id("new")
    after = leave(filled, "after")

    assert (after,) == run_purge(filled, "new").exports
    assert (both,) == run_purge(filled, "open").exports


def test_an_export_that_went_elsewhere_is_said(filled: Bench) -> None:
    """Moved away, and with another one in its place since."""
    gone, taken = leave(filled, "gone"), leave(filled, "taken")
    leave(filled, "others", query="id:open")
    for name in ("gone", "taken", "others"):
        (filled.folder / name).rename(filled.folder / f"{name} elsewhere")
    leave(filled, "taken", query="id:open")
    report = run_purge(filled, "secret")

    assert () == report.exports
    assert [
        f"{gone}: the export there held it and is gone: if it was moved, delete it where it is now",
        f"{taken}: the export there held it; now another or a changed one is in its place: "
        "look where it went",
    ] == list(report.look)


def test_an_export_that_was_replaced_is_not_looked_for(filled: Bench) -> None:
    leave(filled, "out")
    leave(filled, "out", query="id:open", force=True)
    report = run_purge(filled, "secret")

    assert ((), ()) == (report.exports, report.look)


def test_an_export_that_left_samples_out_may_hold_it(filled: Bench) -> None:
    """Which of them a format took is not in the log."""
    filled.load([row("todo", "Grace Hopper", gold=None)], name="todo.jsonl", dataset="data")
    some = leave(filled, "some", "conll")
    every = leave(filled, "every", "conll", "native")
    report = run_purge(filled, "todo")

    assert (every,) == report.exports
    assert (f"{some}: the export there may hold it: look, or delete it",) == report.look


def test_an_export_that_was_under_way_may_hold_what_went_meanwhile(filled: Bench) -> None:
    """It reads the database as it was when it began."""
    run_purge(filled, "secret")
    path = str(filled.folder / "slow")
    log_export(filled.store, filled.info().id, path, "0" * 64, "ann", ["secret"], whole=True,
               at=datetime.now(UTC))  # fmt: skip

    assert [path] == [line.partition(":")[0] for line in run_purge(filled, "secret").look]


def test_what_exports_and_imports_that_were_cut_off_left_is_removed(filled: Bench) -> None:
    """Beside the database and beside known exports; one that is being written is no leftover."""
    (filled.folder / "far").mkdir()
    leave(filled, "far/out")
    left = [filled.folder / ".first.0123abcd.partial", filled.folder / "far" / ".out.0123abcd.partial"]
    rejects = filled.folder / ".rows.jsonl.rejected.jsonl.0123abcd.partial"
    for one in (*left, rejects):
        one.mkdir()
    earlier = filled.folder / ".first.0123abcd.earlier"
    earlier.mkdir()
    with writing(filled.folder / "now") as aside:
        report = run_purge(filled, "secret")

    assert {str(left[0]), str(rejects), str(left[1])} == set(report.leftovers)
    assert [] == [one for one in (*left, rejects) if one.exists()]
    assert earlier.exists()
    assert {
        f"{aside}: an export is being written there, it may hold it",
        f"{earlier}: it may be all that is left of an export that was cut off, and may hold it",
    } == set(report.look)
    assert f"removed {rejects}" in purge_text(report)


def test_what_was_purged_stays_out_of_a_copy(filled: Bench) -> None:
    """Its hashes are copied with the dataset, and the exports that held it are still named."""
    held = leave(filled, "out")
    run_purge(filled, "secret")
    copy_into(filled.store, str(filled.folder / "two.db"), filled.info().id, lambda _done: None)
    store = open_store(str(filled.folder / "two.db"))
    info = find_dataset(store, None)
    report = import_file(
        store, filled.write([row("secret", "Somebody Else")], "again.jsonl"),
        ImportOptions(dataset=info.name), annotator="ann",
    )  # fmt: skip
    plan = plan_purge(store, info, ["secret"])
    store.close()

    assert 1 == report.rejected
    assert (0, (held,)) == (plan.samples, plan.exports)
