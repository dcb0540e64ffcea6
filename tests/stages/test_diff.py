"""Two versions of a dataset's gold: exports, or the database at two moments."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest

from tests.conftest import Bench
from tests.rows import gold, naming
from workbench.comparing.versions import GoldVersion, UnitChange, VersionSample, differences
from workbench.errors import UsageError
from workbench.model import Assessment, Match, Span, Unit
from workbench.reviewing.fold import Verified
from workbench.stages import local
from workbench.stages.compare import diff
from workbench.store.datasets import policy_versions


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


def test_a_moment_before_the_data_is_its_beginning_and_one_to_come_is_refused(bench: Bench) -> None:
    bench.load(
        [naming("a", ["Rome"], ["Rome"], gold=gold({"Rome": "found"}))], gold="given", dataset="cities"
    )
    begun = policy_versions(bench.store, bench.info().id)[0][2].replace(tzinfo=UTC)
    later = (datetime.now(UTC) + timedelta(days=2)).isoformat()

    for moment, message in (
        (later, "is yet to come: the last moment is now, 20"),
        ("9999-12-31T23:59:59-05:00", "is neither the folder of an export nor a time"),
    ):
        with pytest.raises(UsageError, match=message):
            diff(bench.store, None, moment, "now")
    for moment in ("2001-01-01", local(begun), local(begun)[:10]):
        assert 1 == len(diff(bench.store, None, moment, "now").changes)


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
        both = first.samples.keys() & second.samples.keys()
        differing = {key for key in second.samples if recounted(first, key) != recounted(second, key)}
        assert differing == {one.id for one in there.changes}
        for one in there.changes:
            for version, recall in ((first, one.before), (second, one.after)):
                verdicts = [verdict for *_, verdict in recounted(version, one.id)[1]]
                exact = Fraction(verdicts.count("found"), len(verdicts)) if verdicts else None
                assert (None if exact is None else float(exact)) == recall
        assert first.samples.keys() - both == {one.id for one in there.gone}
        other = {one.id: one for one in back.changes if one.id in both}
        for one in [one for one in there.changes if one.id in both]:
            mirror = other.pop(one.id)
            assert (one.before, one.after, one.stood) == (mirror.after, mirror.before, mirror.stood[::-1])
            swapped = [UnitChange(unit.text, unit.after, unit.before, unit.label) for unit in mirror.units]
            assert sorted(map(repr, swapped)) == sorted(map(repr, one.units))
            if "another text" not in (one.what, mirror.what):
                assert {*mirror.by} == {*one.by}
        assert {} == other
        undefined = [one.effect is None for one in there.changes]
        assert undefined == sorted(undefined)
