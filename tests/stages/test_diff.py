"""Two versions of a dataset's gold: exports, or the database at two moments."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench, add_text
from workbench.comparing.versions import GoldDiff, GoldVersion, UnitChange, VersionSample, differences
from workbench.errors import WorkbenchError
from workbench.model import Assessment, Match, Span, Unit
from workbench.reports.compare import diff_text
from workbench.reviewing.gold import Verified
from workbench.stages import editing
from workbench.stages.diff import diff
from workbench.stages.export import ExportOptions, export
from workbench.stages.review import act

GOLD = [{"text": "Rome", "label": "place", "verdict": "found"}, {"text": "Oslo", "verdict": "found"}]


def row(key: str, **more: Any) -> dict[str, Any]:
    return {
        "id": key,
        "user_input": f"{key}?",
        "reference": "Rome and Oslo.",
        "retrieved_contexts": ["Rome."],
        **more,
    }


@pytest.fixture
def cities(bench: Bench) -> Bench:
    """Three samples; the gold of `a` is zoe's: both names found."""
    zoes = {"annotator": "zoe", "entities": GOLD}
    bench.load([row("a", gold=zoes), row("b"), row("c")], gold="given", blind=0.0, dataset="cities")
    return bench


def leave(bench: Bench, name: str, *formats: str) -> str:
    folder = bench.folder / name
    export(bench.store, bench.info(), folder, ExportOptions(formats=formats or ("native",)), annotator="ann")
    return str(folder)


def changed(bench: Bench) -> None:
    """zoe finds Oslo missing after all and labels Rome anew, ann verifies `b`, and a score comes."""
    zoes = {"annotator": "zoe", "entities": [{**GOLD[0], "label": "work"}, {**GOLD[1], "verdict": "missing"}]}
    bench.load([row("a", gold=zoes)], gold="given", update=True, dataset="cities")
    opened = bench.open("b")
    opened = act(bench.store, opened, add_text(opened, "entity", "Rome", "place"))
    act(bench.store, opened, editing.accept(opened, "entity"))
    bench.load([row("c", context_entity_recall=0.5)], dataset="cities")


def between(bench: Bench, first: str, second: str) -> GoldDiff:
    return diff(bench.store, None, first, second)


def test_two_exports_say_what_changed_by_whom_and_how_the_mean_moved(cities: Bench) -> None:
    first = leave(cities, "first", "native", "csv")
    changed(cities)
    found = between(cities, first, leave(cities, "second"))

    assert ("cities", 3, (), (), ()) == (found.dataset, found.both, found.gone, found.new, found.texts)
    assert {"ann": 1, "zoe": 1} == found.by
    a, b = sorted(found.changes, key=lambda one: one.id)
    assert ("a", "changed", ("zoe",), 1.0, 0.5) == (a.id, a.what, a.by, a.before, a.after)
    assert (UnitChange("Rome", "place", "work"), UnitChange("Oslo", "found", "missing")) == a.units
    assert ("b", "verified", ("ann",), None, ()) == (b.id, b.what, b.by, b.before, b.units)
    (mean,) = found.verified
    assert ("verified_entity", (1.0, 1), 2) == (mean.name, (mean.before.value, mean.before.n), mean.after.n)
    assert [(1.0, 1), (0.5, 1)] == [(one.value, one.n) for one in mean.both]
    (column,) = found.columns
    assert ("context_entity_recall", 0, 0.5) == (column.name, column.before.n, column.after.value)


def test_a_moment_of_the_database_is_a_version(cities: Bench) -> None:
    """What was verified before it and nothing since; an export has the same names of annotators."""
    first = leave(cities, "first")
    moment = datetime.now(UTC).isoformat()
    changed(cities)

    by_folder, by_moment = (between(cities, one, "now") for one in (first, moment))

    assert by_folder.changes == by_moment.changes != ()
    assert (by_folder.verified, by_folder.columns) == (by_moment.verified, by_moment.columns)
    assert [(0, 1)] == [(one.before.n, one.after.n) for one in by_moment.columns]
    assert () == between(cities, "now", "now").changes
    assert () == between(cities, first, moment).changes


def test_reviewers_who_differ_leave_a_sample_unresolved(cities: Bench) -> None:
    first = leave(cities, "first")
    opened = cities.open("a", "bob")
    opened = act(cities.store, opened, editing.toggle(opened, opened.state.entity.assessment.units[0]))
    act(cities.store, opened, editing.accept(opened, "entity"))

    (change,) = between(cities, first, "now").changes
    (back,) = between(cities, "now", first).changes

    assert ("unresolved", ("bob",), 1.0, None) == (change.what, change.by, change.before, change.after)
    assert ("settled", ("bob",)) == (back.what, back.by)


def test_the_text_fits_a_terminal_and_has_no_control_characters(cities: Bench) -> None:
    first = leave(cities, "first")
    changed(cities)
    text = diff_text(between(cities, first, "now"), 1)

    assert "2 samples changed; by annotator: ann 1, zoe 1" in text
    assert "… and 1 more: --limit" in text
    assert "    Oslo: found → missing" in diff_text(between(cities, first, "now"), 9).splitlines()


def test_without_a_database_annotators_keep_their_pseudonyms(cities: Bench) -> None:
    first = leave(cities, "first")
    changed(cities)
    found = diff(None, None, first, leave(cities, "second"))

    assert 2 == len(found.by)
    assert {"ann", "zoe"}.isdisjoint(found.by)


def test_what_is_no_version_is_refused_with_the_reason(cities: Bench, tmp_path: Path) -> None:
    first = leave(cities, "first")
    cities.load([row("z")], dataset="towns")
    folder = tmp_path / "empty"
    folder.mkdir()
    towns = cities.folder / "towns"
    export(cities.store, cities.info("towns"), towns, ExportOptions(formats=("native",)), annotator="ann")

    for second, message in (
        (str(folder), "no manifest.json"),
        (str(tmp_path / "nothing"), "nothing"),
        (str(towns), "a diff needs two versions of one dataset"),
        ("2026-13-01", "is no folder and no moment: give a day, as 2026-11-23, or now"),
    ):
        with pytest.raises(WorkbenchError, match=message):
            between(cities, first, second)


def test_a_sample_that_is_excluded_leaves_the_mean_and_is_listed(cities: Bench) -> None:
    before = leave(cities, "first")
    out = {"annotator": "ann", "disposition": {"entity": "excluded"}}
    cities.load([row("a", gold=out)], gold="given", update=True, dataset="cities")

    for second in ("now", leave(cities, "second")):
        found = between(cities, before, second)
        assert [("a", "not counted", 1.0, None)] == [
            (one.id, one.what, one.before, one.after) for one in found.changes
        ]
        (mean,) = found.verified
        assert ((1.0, 1), 0) == ((mean.before.value, mean.before.n), mean.after.n)
        assert "1.00 → –  not counted\n" in diff_text(found, 20) + "\n"


def test_an_adjudication_is_a_change_although_nobody_changed_a_unit() -> None:
    found = Unit("u1", "entity", "Rome", "place", (Span(0, 4),), Match("found"))
    missing = replace(found, match=Match("missing"))
    sides: list[GoldVersion] = []
    for origin in ("reviewed", "adjudicated"):
        verified = [
            Verified("zoe", "reviewed", Assessment("entity", "zoe", (found,))),
            Verified("bob", origin, Assessment("entity", "bob", (missing,))),
        ]
        sides.append(GoldVersion(origin, "d", {"a": VersionSample("q", "h", {"entity": verified}, {})}))

    (change,) = differences(*sides).changes

    assert ("settled", ("bob",), None, 0.0) == (change.what, change.by, change.before, change.after)
