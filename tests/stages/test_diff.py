"""Two versions of a dataset's gold: exports, or the database at two moments."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest

from tests.conftest import Bench, add_text
from tests.rows import sample
from workbench.comparing.versions import GoldDiff, GoldVersion, UnitChange, VersionSample, differences
from workbench.errors import UsageError
from workbench.model import Assessment, Match, Span, Unit
from workbench.reviewing.fold import Verified
from workbench.stages import editing, local
from workbench.stages.compare import diff
from workbench.stages.export import export
from workbench.stages.review import act
from workbench.store.datasets import add_policy, policy_versions

GOLD = [{"text": "Rome", "label": "place", "verdict": "found"}, {"text": "Oslo", "verdict": "found"}]


def row(key: str, **more: Any) -> dict[str, Any]:
    return sample(key, "Rome and Oslo.", "Rome.", **{"user_input": f"{key}?"} | more)


@pytest.fixture
def cities(bench: Bench) -> Bench:
    """Three samples; the gold of `a` is zoe's: both names found."""
    zoes = {"annotator": "zoe", "entities": GOLD}
    bench.load([row("a", gold=zoes), row("b"), row("c")], gold="given", blind=0.0, dataset="cities")
    return bench


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


def test_a_moment_of_the_database_is_a_version(cities: Bench) -> None:
    """What was verified before it and nothing since; an export has the same names of annotators."""
    first = str(cities.folder / "first")
    export(cities.store, cities.info(), cities.folder / "first", annotator="ann")
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


def test_a_change_of_the_text_is_nobodys(cities: Bench) -> None:
    """Between two moments, which know the text by the journal, as between exports."""
    moment = datetime.now(UTC).isoformat()
    other = row("a", retrieved_contexts=["Rome and Oslo."])
    cities.load([other], update=True, dataset="cities")
    anew = [{**GOLD[0]}, {**GOLD[1], "verdict": "missing"}]

    found = between(cities, moment, "now")
    (change,) = found.changes
    assert ([("a", "a?")], {}) == ([(one.id, one.question) for one in found.texts], found.by)
    assert ("another text", (), 1.0, None) == (change.what, change.by, change.before, change.after)
    later = datetime.now(UTC).isoformat()
    cities.load([{**other, "gold": gold("zoe", *anew)}], gold="given", update=True, dataset="cities")
    (change,) = between(cities, moment, "now").changes
    assert ("another text", (), 0.5) == (change.what, change.by, change.after)
    assert (UnitChange("Oslo", "found", "missing"),) == change.units
    assert [("verified", ("zoe",))] == [(one.what, one.by) for one in between(cities, later, "now").changes]


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
    for moment in (local(begun), local(begun)[:10]):
        assert 1 == len(between(cities, moment, "now").changes)


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
