"""Merging, splitting and choosing evidence: each is one edit, and undo takes all of it back."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.conftest import Bench, add_text
from tests.rows import sample, units
from workbench.errors import InputError
from workbench.model import Evidence, Kind, Match, Span, Unit
from workbench.reviewing.edits import Put
from workbench.stages import desk, editing, review
from workbench.stages.review import Opened, act
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.samples import sample_ids
from workbench.text.normalise import key

REFERENCE = (
    "New York City, founded by Sergey Brin and Larry Page, lies in the United States (US). "
    "The United Nations sit there; Y Combinator does not. Nothing else is known of America."
)
CONTEXTS = ("New York City is big.", "The US has Larry Page in it; Sergey Brin too.")
PROPOSAL: dict[str, Any] = {
    "proposer": "p",
    "reference_entities": [
        *units(["New York"]), *units(["City"], "other"), *units(["Sergey Brin and Larry Page"], "person"),
        *units(["United States", "US", "Atlantis"]),
        *units(["United Nations", "Y Combinator"], "organisation"), *units(["America"]),
    ],
    "statements": [
        {"text": "New York City lies in the US.", "verdict": "found", "start": 0, "end": 85},
        {"text": "The United Nations sit there.", "verdict": "missing", "start": 86, "end": 115},
        {"text": "Y Combinator does not.", "start": 116, "end": 138},
    ],
}  # fmt: skip
ROW = sample("a", REFERENCE, *CONTEXTS, proposal=PROPOSAL)


def opened_in(bench: Any, **options: Any) -> Opened:
    bench.load([ROW], kinds=("entity", "statement"), **options)
    one: Opened = bench.open("a")
    return one


@pytest.fixture
def opened(bench: Any) -> Opened:
    return opened_in(bench)


@pytest.fixture
def blind(bench: Any) -> Opened:
    return opened_in(bench, blind=1.0)


def unit(opened: Opened, text: str, kind: Kind = "entity") -> Unit:
    return next(one for one in opened.state.of(kind).assessment.units if one.text.startswith(text))


def span(text: str, start: int = 0) -> Span:
    at = REFERENCE.index(text, start)
    return Span(at, at + len(text))


def token_at(text: str) -> int:
    return REFERENCE.index(text)


def test_two_names_side_by_side_become_one(bench: Any, opened: Opened) -> None:
    """The first covers both, keeps id and label and is matched anew; the second is its duplicate."""
    york, city = unit(opened, "New York"), unit(opened, "City")

    edit = editing.merge(opened, york, city)

    whole, duplicate = edit.units
    assert (edit.what, whole.id, whole.label) == ("merge", york.id, "place")
    assert (whole.text, whole.spans, whole.proposed) == ("New York City", (Span(0, 13),), "")
    assert whole.match == Match("found", None, (Evidence(0, 0, 13),), 100, "equal")
    assert (duplicate.id, duplicate.duplicate_of, duplicate.counted) == (city.id, york.id, False)
    after = act(bench.store, opened, edit)
    assert editing.merge(after, unit(after, "New York City"), unit(after, "Sergey")).units[0].text == (
        "New York City, founded by Sergey Brin and Larry Page"
    )
    restored = editing.reject(after, unit(after, "City"))
    assert (restored.what, restored.units[0]) == ("restore", city)


def test_names_far_apart_or_in_brackets_are_two_names_of_one(opened: Opened) -> None:
    """The first keeps text and place; it is found when its other name is."""
    states, us, america = (unit(opened, text) for text in ("United States", "US", "America"))
    assert (states.match.verdict, us.match.verdict) == ("found", "found")  # US is an alias of United States
    nations = unit(opened, "United Nations")
    assert nations.match.verdict == "missing"

    alias, far = editing.merge(opened, states, us), editing.merge(opened, nations, us)

    assert alias.units[0] == states
    assert alias.units[1].duplicate_of == states.id
    assert (far.units[0].text, far.units[0].spans) == ("United Nations", nations.spans)
    assert far.units[0].match == us.match
    assert editing.merge(opened, america, nations).units[0].spans == america.spans


def test_a_persons_verdict_is_kept_while_the_text_is_the_same(bench: Any, opened: Opened) -> None:
    """Of an alias and of a nested name; a wider name is matched anew."""
    nations = unit(opened, "United Nations")
    one = act(bench.store, opened, editing.toggle(opened, nations))
    two = act(bench.store, one, editing.toggle(one, unit(one, "United Nations")))
    human = unit(two, "United Nations")
    assert (human.match.verdict, human.match.rule) == ("missing", "human")

    assert editing.merge(two, human, unit(two, "US")).units[0].match == human.match
    narrow = act(bench.store, two, add_text(two, "entity", "Nations"))
    inside = editing.merge(narrow, human, unit(narrow, "Nations"))
    assert inside.units[0] == human
    outside = editing.merge(narrow, unit(narrow, "Nations"), human)
    assert (outside.units[0].text, outside.units[0].match) == ("United Nations", human.match)


def test_a_name_of_the_reference_wins_over_one_that_is_not_there(opened: Opened) -> None:
    """The merged unit is grounded whichever of the two was chosen."""
    lost, nations = unit(opened, "Atlantis"), unit(opened, "United Nations")

    first, second = editing.merge(opened, lost, nations), editing.merge(opened, nations, lost)

    assert (first.units[0].id, first.units[0].text, first.units[0].label) == (lost.id, nations.text, "place")
    assert first.units[0].spans == nations.spans
    assert second.units[0] == nations


def test_another_unit_between_keeps_two_names_apart(bench: Any, opened: Opened) -> None:
    """As a bracket, a new line or more than three tokens do."""
    added = act(bench.store, opened, add_text(opened, "entity", "York"))
    new = act(bench.store, added, editing.set_span(added, unit(added, "New York"), Span(0, 3)))

    merged = editing.merge(new, unit(new, "New"), unit(new, "City"))

    assert (merged.units[0].text, merged.units[0].spans) == ("New", (Span(0, 3),))


def test_what_follows_the_second_follows_the_first(bench: Any, opened: Opened) -> None:
    """A duplicate of a duplicate would stand under a unit that does not count."""
    one = act(bench.store, opened, editing.merge(opened, unit(opened, "US"), unit(opened, "America")))

    edit = editing.merge(one, unit(one, "United States"), unit(one, "US"))

    first = unit(one, "United States").id
    assert [other.duplicate_of for other in edit.units] == ["", first, first]


def place(unit: Unit) -> int:
    return unit.spans[0].start if unit.spans else 10**9


def test_a_merged_name_that_is_a_unit_already_is_refused(bench: Any, opened: Opened) -> None:
    """An entity is one unit; so is a unit that does not count."""
    city = act(bench.store, opened, add_text(opened, "entity", "New York City"))
    with pytest.raises(InputError, match="'New York City' is in the list"):
        editing.merge(city, unit(city, "New York"), unit(city, "City"))
    with pytest.raises(InputError, match="only two units that count"):
        editing.merge(city, unit(city, "City"), unit(city, "City"))
    units = opened.state.entity.assessment.units
    with pytest.raises(InputError, match="no unit follows"):
        editing.next_counted(units, max(units, key=place))
    in_text = sorted(units, key=place)
    assert editing.next_counted(tuple(reversed(in_text)), in_text[0]) == in_text[1]


def test_claims_are_joined(opened: Opened) -> None:
    """Both texts, both places; found with missing is partial, and with an open claim it is open."""
    first, second, third = opened.state.statement.assessment.units
    for other in (opened.state.entity.assessment.units[0], first):
        with pytest.raises(InputError, match="only two units that count can be merged"):
            editing.merge(opened, first, other)

    joined = editing.merge(opened, first, second).units[0]
    unsettled = editing.merge(opened, second, third).units[0]

    assert joined.text == "New York City lies in the US. The United Nations sit there."
    assert joined.spans == (Span(0, 85), Span(86, 115))
    assert (joined.match.verdict, joined.match.reason, joined.match.rule) == ("missing", "partial", "p")
    assert unsettled.match.verdict is None


def test_an_entity_is_split_at_a_token(bench: Any, opened: Opened) -> None:
    """Two names without the "and" between them; id and label stay with the first; both are matched anew."""
    pair = unit(opened, "Sergey Brin and")
    assert [token.text for token in editing.split_tokens(opened, pair)] == ["Brin", "Larry", "Page"]

    edit = editing.split(opened, pair, token_at("Larry"))

    brin, page = edit.units
    assert (edit.what, brin.id, brin.text, brin.label) == ("split", pair.id, "Sergey Brin", "person")
    assert (page.id, page.text, page.label, page.origin) == ("h1", "Larry Page", "person", "human")
    assert (brin.spans, page.spans) == ((span("Sergey Brin"),), (span("Larry Page"),))
    assert [one.match.evidence for one in (brin, page)] == [(Evidence(1, 29, 40),), (Evidence(1, 11, 21),)]
    after = act(bench.store, opened, edit)
    assert unit(after, "Larry Page") == page
    with pytest.raises(InputError, match="'Larry Page' is in the list"):
        editing.split(after, pair, token_at("Larry"))


def test_a_word_alone_cannot_be_split(opened: Opened) -> None:
    """Nor can a name be parted at its first word, or one that is not in the reference."""
    for text, at in (("US", "US"), ("Y Combinator", "Y Comb"), ("Atlantis", "New")):
        with pytest.raises(InputError, match="cannot be split there"):
            editing.split(opened, unit(opened, text), token_at(at))
    combinator = editing.split(opened, unit(opened, "Y Combinator"), token_at("Combinator"))
    assert [one.text for one in combinator.units] == ["Y", "Combinator"]


def test_a_claim_is_split_where_its_stretch_is(bench: Any, opened: Opened) -> None:
    """The parts are worded as in the reference; both keep `found`, nothing else."""
    first, second, _ = opened.state.statement.assessment.units

    found = editing.split(opened, first, token_at("lies")).units
    missing = editing.split(opened, second, token_at("sit")).units

    assert found[0].text == "New York City, founded by Sergey Brin and Larry Page,"
    assert found[1].text == "lies in the United States (US)."
    assert [one.match.verdict for one in found] == ["found", "found"]
    assert [one.match.verdict for one in missing] == [None, None]
    joined = act(bench.store, opened, editing.merge(opened, first, second))
    apart = editing.split(joined, joined.state.statement.assessment.units[0], 86).units
    assert [one.spans for one in apart] == [(Span(0, 85),), (Span(86, 115),)]


def test_blind_units_stay_undecided(bench: Any, blind: Opened) -> None:
    """No machine says anything about the parts or the whole."""
    now = blind
    for text in ("New York", "City", "Sergey Brin and Larry Page"):
        now = act(bench.store, now, add_text(now, "entity", text))

    merged = editing.merge(now, unit(now, "New York"), unit(now, "City"))
    parts = editing.split(now, unit(now, "Sergey"), token_at("Larry"))

    assert merged.units[0].match == Match()
    assert [one.match for one in parts.units] == [Match(), Match()]


def test_a_unit_that_a_person_finds_has_evidence_of_the_machine_unless_blind(bench: Any, blind: Any) -> None:
    now = act(bench.store, blind, add_text(blind, "entity", "Sergey Brin"))
    there = unit(now, "Sergey Brin")
    assisted = replace(now, state=replace(now.state, opened=replace(now.opening, shown="assisted")))

    for one, evidence in ((now, ()), (assisted, (Evidence(1, 29, 40),))):
        (found,) = editing.toggle(one, there).units
        assert ("found", evidence) == (found.match.verdict, found.match.evidence)


def test_chosen_evidence_makes_a_unit_found(opened: Opened) -> None:
    """By a person, for this place alone; taking the evidence away leaves the verdict."""
    nations = unit(opened, "United Nations")
    place = Evidence(1, 0, 6)

    chosen = editing.set_evidence(opened, nations, (place,)).units[0]
    bare = editing.set_evidence(opened, chosen, ()).units[0]

    assert (chosen.match.verdict, chosen.match.rule, chosen.match.reason) == ("found", "human", None)
    assert chosen.match.evidence == (place,)
    assert (bare.match.verdict, bare.match.rule, bare.match.evidence) == ("found", "human", ())
    with pytest.raises(InputError, match="no evidence to take away"):
        editing.set_evidence(opened, nations, ())
    for outside in (Evidence(2, 0, 1), Evidence(0, 5, 5), Evidence(0, 0, 500), Evidence(-1, 0, 1)):
        with pytest.raises(InputError, match="outside the contexts"):
            editing.set_evidence(opened, nations, (outside,))


def edits(opened: Opened, what: str, n: int, m: int) -> list[Put]:
    """One act of that sort on some unit, nothing where it cannot be."""
    kind: Kind = "statement" if n % 4 == 0 else "entity"
    counted = [one for one in opened.state.of(kind).assessment.units if one.counted]
    if not counted:
        return []
    one = counted[n % len(counted)]
    places = editing.split_tokens(opened, one)
    try:
        match what:
            case "merge":
                return [editing.merge(opened, one, counted[m % len(counted)])]
            case "split" if places:
                return [editing.split(opened, one, places[m % len(places)].start)]
            case "evidence":
                return [editing.set_evidence(opened, one, (Evidence(m % 2, n % 7, 8 + m % 7),))]
            case "reject":
                return [editing.reject(opened, one)]
    except InputError:
        pass
    return []


def fill(bench: Bench) -> None:
    bench.load([ROW], kinds=("entity", "statement"))


@pytest.fixture
def made(made_once: Any) -> Path:
    """A database with the sample, to be copied."""
    path: Path = made_once(fill) / "workbench.db"
    return path


PLACES = st.integers(0, 99)
ACTS = st.lists(
    st.tuples(st.sampled_from(["merge", "split", "evidence", "reject"]), PLACES, PLACES), max_size=7
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ACTS)
def test_undo_restores_the_exact_assessment(made: Path, acts: list[tuple[str, int, int]]) -> None:
    """All the way back and forth again; on the way every span quotes the text and names stay apart."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wb.db"
        shutil.copy(made, path)
        store = open_store(str(path))
        info = find_dataset(store, None)
        number = sample_ids(store, info.id)["a"]

        def now() -> Opened:
            return review.open_sample(store, number, "ann")

        seen = [now().state]
        for what, n, m in acts:
            opened = now()
            if edit := edits(opened, what, n, m):
                state = act(store, opened, *edit).state
                counted = [one for one in state.entity.assessment.units if one.counted]
                keys = [key(one.text, "en") for one in counted]
                assert len(set(keys)) == len(keys)
                assert now().state == state
                seen.append(state)
        for state in reversed(seen[:-1]):
            assert desk.undo(store, info.id, "ann") is not None
            assert assessments(now().state) == assessments(state)
        for state in seen[1:]:
            assert desk.redo(store, info.id, "ann") is not None
            assert assessments(now().state) == assessments(state)
        store.close()


def assessments(state: Any) -> list[Any]:
    return [(half.assessment, half.disposition) for half in (state.entity, state.statement)]
