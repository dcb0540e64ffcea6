"""Two versions of a dataset's gold: exports, or the database at two moments."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench, add_text
from tests.rows import sample
from workbench.comparing.versions import GoldDiff, GoldVersion, UnitChange, VersionSample, differences
from workbench.errors import InputError, UsageError, WorkbenchError
from workbench.model import Assessment, Match, Span, Unit
from workbench.reports.compare import diff_text
from workbench.reviewing.fold import Verified
from workbench.stages import editing, local
from workbench.stages.compare import diff
from workbench.stages.export import ExportOptions, export
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.recompute import score_dataset
from workbench.stages.review import act
from workbench.store.datasets import add_policy, find_dataset, policy_versions
from workbench.store.engine import open_store

GOLD = [{"text": "Rome", "label": "place", "verdict": "found"}, {"text": "Oslo", "verdict": "found"}]


def row(key: str, **more: Any) -> dict[str, Any]:
    return sample(key, "Rome and Oslo.", "Rome.", **{"user_input": f"{key}?"} | more)


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
    """In a text that fits a terminal; without a database annotators keep their pseudonyms."""
    first = leave(cities, "first", "native", "csv")
    changed(cities)
    second = leave(cities, "second")
    found = between(cities, first, second)

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
    text = diff_text(between(cities, first, "now"), 1)
    assert "2 samples changed; by annotator: ann 1, zoe 1" in text
    assert "… and 1 more: --limit" in text
    assert "    Oslo: found → missing" in diff_text(between(cities, first, "now"), 9).splitlines()
    unnamed = diff(None, None, first, second).by
    assert (2, True) == (len(unnamed), {"ann", "zoe"}.isdisjoint(unnamed))


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


@pytest.mark.databases
def test_what_a_clock_that_was_ahead_dated_counts_before_what_came_after_it(cities: Bench) -> None:
    """A decision dated tomorrow was changed today: at this moment the sample had no value at all."""
    opened = cities.open("b")
    opened = act(cities.store, opened, editing.accept(opened, "entity"))
    cities.change("UPDATE review_event SET at = '2100-01-01 00:00:00.000000' WHERE annotator = 'ann'")
    act(cities.store, opened, add_text(opened, "entity", "Rome", "place"))

    assert () == between(cities, datetime.now(UTC).isoformat(), "now").changes


def test_reviewers_who_differ_leave_a_sample_unresolved(cities: Bench) -> None:
    first = leave(cities, "first")
    opened = cities.open("a", "bob")
    opened = act(cities.store, opened, editing.toggle(opened, opened.state.entity.assessment.units[0]))
    act(cities.store, opened, editing.accept(opened, "entity"))

    (change,) = between(cities, first, "now").changes
    (back,) = between(cities, "now", first).changes

    assert ("unresolved", ("bob",), 1.0, None) == (change.what, change.by, change.before, change.after)
    assert ("settled", ("bob",)) == (back.what, back.by)


def test_units_of_whoever_differs_from_gold_without_units_are_listed(bench: Bench) -> None:
    bench.load([row("a", gold=gold("zoe"))], gold="given", blind=0.0)
    first = leave(bench, "first")
    bench.load([row("a", gold=gold("bob", entity("Rome")))], gold="given")

    (change,), (back,) = between(bench, first, "now").changes, between(bench, "now", first).changes

    assert ("unresolved", (UnitChange("Rome", "", "found"),)) == (change.what, change.units)
    assert ("settled", (UnitChange("Rome", "found", ""),)) == (back.what, back.units)


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
        ("2026-13-01", "is neither the folder of an export nor a time: give a day, as 2026-11-23, or now"),
    ):
        with pytest.raises(WorkbenchError, match=message):
            between(cities, first, second)


def test_a_row_of_an_export_that_cannot_be_read_is_named_once(cities: Bench) -> None:
    folder = leave(cities, "one")
    path = Path(folder) / "samples.jsonl"
    path.write_bytes(path.read_bytes()[:-20])

    with pytest.raises(InputError) as caught:
        between(cities, folder, "now")

    assert str(caught.value).startswith(f"{path}:3: row: got ")
    assert 1 == str(caught.value).count(":3: ")
    assert str(caught.value).endswith(f"; workbench verify {folder} says what changed")


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
        assert "1.00 → –  not counted by ann\n" in diff_text(found, 20) + "\n"


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


def entity(text: str, label: str = "place", verdict: str = "found") -> dict[str, Any]:
    start = "Rome and Oslo.".index(text)
    return {"text": text, "label": label, "verdict": verdict, "start": start, "end": start + len(text)}


def gold(annotator: str, *units: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"annotator": annotator, "entities": [*units], **more}


ROME, OSLO = entity("Rome"), entity("Oslo", verdict="missing")


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ([ROME], [entity("Rome", "person")], [("Rome", "place", "person", "")]),
        ([ROME, entity("Rome", "work")], [], [("Rome", "found", "", "place"), ("Rome", "found", "", "work")]),
        ([ROME, entity("Rome", "work")], [ROME], [("Rome", "found", "", "work")]),
        (
            [ROME, entity("Rome", "work")],
            [entity("Rome", verdict="missing"), entity("Rome", "work")],
            [("Rome", "found", "missing", "place")],
        ),
        ([ROME], [entity("Rome", "work", "missing")], [("Rome", "place, found", "work, missing", "")]),
    ],
    ids=["a relabel", "both labels of a place", "one of two labels", "the verdict of one", "both"],
)
def test_every_unit_of_a_place_is_listed_and_a_relabel_is_one_change(
    bench: Bench, before: list[Any], after: list[Any], changes: list[Any]
) -> None:
    bench.load([row("a", gold=gold("zoe", *before, OSLO))], gold="given", blind=0.0)
    first = leave(bench, "first")
    bench.load([row("a", gold=gold("zoe", *after, OSLO))], gold="given", update=True)

    (change,) = between(bench, first, "now").changes

    assert [UnitChange(*one) for one in changes] == [*change.units]


def test_who_verifies_the_same_changes_nothing(cities: Bench) -> None:
    """Somebody who agrees is not named, where another one changed the gold meanwhile neither."""
    first = leave(cities, "first")
    bobs = gold("bob", *({**one, "label": "place"} for one in GOLD))
    cities.load([row("a", gold=bobs)], gold="given", dataset="cities")

    found = between(cities, first, "now")
    assert ((), {}) == (found.changes, found.by)
    assert "no verified unit changed" in diff_text(found, 20)

    both = [gold(name, ROME, OSLO) for name in ("zoe", "bob")]
    cities.load([row("a", gold=both)], gold="given", update=True, dataset="cities")
    (change,) = between(cities, first, "now").changes
    assert ("changed", ("zoe",)) == (change.what, change.by)
    assert [("Oslo", "no label, found", "place, missing")] == [
        (unit.text, unit.before, unit.after) for unit in change.units
    ]


def test_a_change_of_the_text_is_nobodys(cities: Bench) -> None:
    """Between an export and now, and between two moments, which know the text by the journal."""
    first = leave(cities, "first")
    moment = datetime.now(UTC).isoformat()
    other = row("a", retrieved_contexts=["Rome and Oslo."])
    cities.load([other], update=True, dataset="cities")
    anew = [{**GOLD[0]}, {**GOLD[1], "verdict": "missing"}]

    for before in (first, moment):
        found = between(cities, before, "now")
        (change,) = found.changes
        assert ([("a", "a?")], {}) == ([(one.id, one.question) for one in found.texts], found.by)
        assert ("another text", (), 1.0, None) == (change.what, change.by, change.before, change.after)
    assert () == between(cities, first, moment).texts
    later = datetime.now(UTC).isoformat()
    cities.load([{**other, "gold": gold("zoe", *anew)}], gold="given", update=True, dataset="cities")
    for before in (first, moment):
        (change,) = between(cities, before, "now").changes
        assert ("another text", (), 0.5) == (change.what, change.by, change.after)
        assert (UnitChange("Oslo", "found", "missing"),) == change.units
    assert "another text by an import\n" in diff_text(between(cities, first, "now"), 9)
    assert [("verified", ("zoe",))] == [(one.what, one.by) for one in between(cities, later, "now").changes]


def test_pseudonyms_of_two_databases_name_nobody(cities: Bench, tmp_path: Path) -> None:
    first = leave(cities, "first")
    zoes = {"annotator": "zoe", "entities": [GOLD[0], {**GOLD[1], "verdict": "missing"}]}
    folder = tmp_path / "second"
    with closing(open_store(str(tmp_path / "other.db"))) as other:
        path = cities.write([row("a", gold=zoes), row("b"), row("c")], "other.jsonl")
        options = ImportOptions(dataset="cities", gold="given", blind=0.0)
        import_file(other, path, options, annotator="ann")
        export(other, find_dataset(other, None), folder, ExportOptions(), annotator="ann")

    found = diff(None, None, first, str(folder))

    assert (False, {}) == (found.named, found.by)
    (change,) = found.changes
    assert ((), 1.0, 0.5, (UnitChange("Oslo", "found", "missing"),)) == (
        change.by, change.before, change.after, change.units,
    )  # fmt: skip
    assert "who changed what is left out: the two versions name people by pseudonyms" in diff_text(found, 9)


def test_what_came_later_does_not_count_at_a_moment(bench: Bench) -> None:
    """Neither an adjudication by somebody who had verified it before, nor a later policy."""
    two = [gold("zoe", ROME, OSLO), gold("bob", ROME, entity("Oslo"))]
    bench.load([row("a", gold=two)], gold="given", blind=0.0)
    before = datetime.now(UTC).isoformat()
    settled = gold("bob", ROME, entity("Oslo"), adjudicated=True)
    assert 1 == bench.load([row("a", gold=settled)], gold="given").extended

    (change,) = between(bench, before, "now").changes
    assert ("settled", ("bob",), None, 1.0) == (change.what, change.by, change.before, change.after)
    later = datetime.now(UTC).isoformat()
    add_policy(bench.store, bench.info().id, replace(bench.info().policy, counted_labels=("work",)), "ann")
    assert 1 == len(between(bench, before, later).changes)


def test_who_settles_one_kind_settles_both_as_every_figure_counts(bench: Bench) -> None:
    bench.load([row("a", gold=gold("zoe", ROME, OSLO))], gold="given", blind=0.0)
    judge = {"annotator": "bob", "statements": [], "adjudicated": True}
    bench.load([row("a", gold=judge)], gold="given")
    bench.load([row("a", gold=gold("bob", OSLO))], gold="given")

    counted = score_dataset(bench.store, bench.info()).means["verified_entity"]
    (mean, _) = between(bench, leave(bench, "first"), "now").verified

    assert (0.0, 1) == (counted.value, counted.n)
    assert (counted, counted) == (mean.before, mean.after)


def test_a_moment_without_data_is_refused_with_the_first_and_the_last_there_is(cities: Bench) -> None:
    begun = policy_versions(cities.store, cities.info().id)[0][2].replace(tzinfo=UTC)
    later = (datetime.now(UTC) + timedelta(days=2)).isoformat()

    for moment, message in (
        ("2001-01-01", f"2001-01-01 is before the data: the first moment of cities is {local(begun)}"),
        (later, "is yet to come: the last moment is now, 20"),
        ("9999-12-31T23:59:59-05:00", "is neither the folder of an export nor a time"),
    ):
        with pytest.raises(UsageError, match=message):
            between(cities, moment, "now")
    assert 1 == len(between(cities, local(begun), "now").changes)


def test_samples_without_ids_are_called_by_their_question(cities: Bench) -> None:
    first = leave(cities, "first")
    question = f"Who \x1b[31m built it, {'and who paid ' * 9}?"
    nameless = {key: value for key, value in row("d", user_input=question).items() if key != "id"}
    cities.load([nameless], dataset="cities")

    line = diff_text(between(cities, first, "now"), 9).splitlines()[1]

    assert "1 sample new: Who ␛[31m built it, and who paid and who paid a…" == line


def test_undefined_changes_come_last(bench: Bench) -> None:
    """Also those from no units, which were read as a recall of 0."""
    rows = [row("b", gold=gold("zoe")), row("d"), row("a", gold=gold("zoe", ROME, OSLO))]
    bench.load(rows, gold="given", blind=0.0)
    first = leave(bench, "first")
    after = [row(key, gold=gold("zoe", ROME)) for key in "bda"]
    bench.load(after, gold="given", update=True)

    found = between(bench, first, "now")
    lines = diff_text(found, 9).splitlines()

    (verified,) = found.verified
    assert [(1, 1), (3, 0)] == [(mean.n, mean.undefined) for mean in (verified.before, verified.after)]
    listed = [line for line in lines if line.startswith("  ") and "zoe" in line]
    assert [
        "  a  .50 → 1.00  changed by zoe",
        "  b  undefined → 1.00  changed by zoe",
        "  d  – → 1.00  verified by zoe",
    ] == listed


def drawn_version(name: str, rng: random.Random) -> GoldVersion:
    """Some samples with some gold of some people."""

    def units() -> Sequence[Unit]:
        places = [(text, label) for text in ("Rome", "Oslo") for label in ("place", "work")]
        kept = rng.sample(places, rng.randint(0, 4))
        spans = {"Rome": Span(0, 4), "Oslo": Span(9, 13)}
        return [
            Unit(f"u{n}", "entity", text, label, (spans[text],), Match(rng.choice(("found", "missing"))))
            for n, (text, label) in enumerate(kept)
        ]

    people = ("zoe", "bob", "carl")
    origins: Sequence[Any] = ("reviewed", "reviewed", "adjudicated")
    samples = {}
    for key in rng.sample("abcdef", 5):
        verified = [
            Verified(who, rng.choice(origins), Assessment("entity", who, (*units(),)))
            for who in rng.sample(people, rng.choice((0, 1, 1, 2)))
        ]
        out: dict[Any, Any] = {"entity": ["dora"]} if rng.random() < 0.1 else {}
        samples[key] = VersionSample(f"{key}?", rng.choice("xxxy"), {"entity": verified}, {}, out)
    return GoldVersion(name, "d", samples)


def recounted(version: GoldVersion, key: str) -> tuple[str, list[tuple[str, str, str]]]:
    """What stands of a sample, counted anew from the rule: adjudicated last, else all who agree."""
    one = version.samples.get(key)
    said = one.gold["entity"] if one else []
    if one is None or not said:
        return ("excluded" if one and one.excluded else ""), []
    if one.excluded:
        return "excluded", []
    judged = [each for each in said if each.origin == "adjudicated"]
    plain = [sorted((u.text, u.match.verdict or "") for u in each.assessment.units) for each in said]
    if not judged and any(each != plain[0] for each in plain):
        return "unresolved", []
    standing = (judged or [*said][:1])[-1]
    return "verified", sorted((u.text, u.label, u.match.verdict or "") for u in standing.assessment.units)


def test_a_diff_is_what_a_recount_finds_and_its_mirror_has_the_signs_swapped() -> None:
    for seed in range(400):
        rng = random.Random(seed)
        first, second = drawn_version("first", rng), drawn_version("second", rng)
        there, back = differences(first, second), differences(second, first)

        assert () == differences(first, first).changes
        both = {*first.samples, *second.samples}
        differing = {key for key in both if recounted(first, key) != recounted(second, key)}
        assert differing == {one.id for one in there.changes}
        for one in there.changes:
            for version, recall in ((first, one.before), (second, one.after)):
                verdicts = [verdict for *_, verdict in recounted(version, one.id)[1]]
                exact = Fraction(verdicts.count("found"), len(verdicts)) if verdicts else None
                assert (None if exact is None else float(exact)) == recall
        other = {one.id: one for one in back.changes}
        for one in there.changes:
            mirror = other.pop(one.id)
            assert (one.before, one.after, one.stood) == (mirror.after, mirror.before, mirror.stood[::-1])
            swapped = [UnitChange(unit.text, unit.after, unit.before, unit.label) for unit in mirror.units]
            assert sorted(map(repr, swapped)) == sorted(map(repr, one.units))
            if {one.what, mirror.what}.isdisjoint(("gone", "another text")):
                assert {*mirror.by} == {*one.by}
        assert {} == other
        undefined = [one.effect is None for one in there.changes]
        assert undefined == sorted(undefined)
