"""Borders and degenerate inputs: undefined is counted apart and is never 0 or 1."""

from fractions import Fraction
from importlib.resources import as_file, files
from math import fsum

import pytest
from hypothesis import given, strategies as st

from tests.lists import from_cases
from workbench import model
from workbench.comparing.intervals import Mean, mean
from workbench.formats.json_lines import of_lines
from workbench.formats.readers import native
from workbench.formats.rows import Notes
from workbench.model import Matching, Policy, Proposal, ProposedEntity, ProposedStatement, Sample, Unit
from workbench.scoring.names import SCORERS
from workbench.scoring.scorers import assess_all, band, counted, score


@from_cases
def test_a_score_on_a_border_belongs_to_the_upper_band(found: int, units: int, expected: str | None) -> None:
    """Compared in integers: .7 as a float times 100 is 70.0 or 69.99999999999999."""
    assert expected == band(model.Tally(found, units - found))


ENTITIES = (ProposedEntity("Rome"), ProposedEntity("Oslo"))


def scored(
    reference: str = "Rome and Oslo.",
    contexts: tuple[str, ...] = ("Rome.",),
    entities: tuple[ProposedEntity, ...] | None = ENTITIES,
    in_contexts: tuple[tuple[ProposedEntity, ...], ...] | None = ((ProposedEntity("Rome"),),),
    statements: tuple[ProposedStatement, ...] | None = None,
) -> dict[str, model.Score]:
    proposal = Proposal("p", "", entities, in_contexts, statements)
    assessments = assess_all(Sample("s", "q", reference, contexts), proposal, Matching(Policy(), 85))
    return {name: score(name, assessment) for name, assessment in assessments.items()}


ENTITY_SCORERS = [name for name, kind in SCORERS.items() if kind == "entity"]


@pytest.mark.parametrize("reference", ["", "  \n", "So be it."])
def test_without_reference_entities_every_entity_scorer_is_undefined(reference: str) -> None:
    """Also when the contexts have none either, and when the reference is blank."""
    for in_contexts in (((ProposedEntity("Rome"),),), ((),)):
        found = scored(reference, entities=(), in_contexts=in_contexts)
        assert {name: found[name].value for name in ENTITY_SCORERS} == dict.fromkeys(ENTITY_SCORERS)
        assert {found[name].tally for name in ENTITY_SCORERS} == {model.Tally(0, 0)}


def test_without_contexts_nothing_is_found() -> None:
    """0 of n, never an error and never undefined."""
    found = scored(contexts=(), in_contexts=())

    assert {name: found[name].tally for name in ENTITY_SCORERS} == dict.fromkeys(
        ENTITY_SCORERS, model.Tally(0, 2)
    )
    assert {found[name].value for name in ENTITY_SCORERS} == {0.0}


def test_contexts_without_entities_find_nothing_by_name_but_by_text() -> None:
    """presence reads the text; the others were told that there is no name in it."""
    found = scored(in_contexts=((),))

    assert {name: found[name].tally.found for name in ENTITY_SCORERS} == {
        "ragas": 0, "ragas_legacy": 0, "linked": 0, "presence": 1,
    }  # fmt: skip


def test_zero_statements_are_undefined() -> None:
    """deepeval says 0, or passes when its pass mark is 0."""
    assert scored(statements=())["contextual_recall"] == model.Score(
        "contextual_recall", model.Tally(0, 0), None
    )


def test_duplicates_in_the_reference_are_one_unit_except_for_ragas_legacy() -> None:
    """`ragas` counts the set, `ragas_legacy` the list with the repeat in the denominator."""
    found = scored("Rome, Rome, Oslo.", entities=(*ENTITIES, ProposedEntity("Rome")))

    expected = dict.fromkeys(ENTITY_SCORERS, model.Tally(1, 1)) | {"ragas_legacy": model.Tally(1, 2)}
    assert expected == {name: found[name].tally for name in ENTITY_SCORERS}


def test_duplicates_in_the_contexts_have_no_effect() -> None:
    """One name in two contexts finds one unit once."""
    once, twice = scored(), scored(
        contexts=("Rome.", "Rome."), in_contexts=((ProposedEntity("Rome"),) * 2, (ProposedEntity("Rome"),))
    )  # fmt: skip

    assert once == twice


def test_a_context_name_that_is_in_no_context_is_a_suggestion_and_never_counts() -> None:
    """ragas compares sets of strings and never looks at the contexts, so its numbers stay."""
    names = (ProposedEntity("Ann Lee", "person"), ProposedEntity("Rome", "place"))

    found = scored("Ann Lee saw Rome.", ("Nothing here.",), names, (names,))

    assert model.Tally(0, 2) == found["linked"].tally
    assert model.Tally(2, 0) == found["ragas"].tally
    sample = Sample("s", "?", "Ann Lee saw Rome.", ("Nothing here.",))
    units = assess_all(sample, Proposal("p", "", names, (names,)), Matching(Policy(), 85))["linked"].units
    assert [
        model.Match("missing", "absent", note="perhaps Ann Lee, which is in no context"),
        model.Match("missing", "absent", note="perhaps Rome, which is in no context"),
    ] == [unit.match for unit in units]


def test_a_context_name_that_is_in_no_context_is_suggested_below_the_threshold_too() -> None:
    """The people of a country are 80 alike to it."""
    names, listed = (ProposedEntity("United States"),), ((ProposedEntity("American"),),)
    sample = Sample("s", "?", "The United States won.", ("Nothing here.",))

    found = assess_all(sample, Proposal("p", "", names, listed), Matching(Policy(), 85))["linked"]

    note = "perhaps American, which is in no context"
    assert [model.Match("missing", "absent", note=note)] == [unit.match for unit in found.units]


@from_cases
def test_a_context_name_stands_in_its_context_in_any_form(text: str, context: str, found: int) -> None:
    """Another case, another name of the same thing, an inflected form; a part of a word is no place."""
    names = (ProposedEntity(text, "place"),)

    assert found == scored(f"{text}.", (context,), names, (names,))["linked"].tally.found


def test_an_invented_context_name_takes_no_place_from_one_that_stands_there() -> None:
    """The closer name is in no context; the person's last name is."""
    names = (ProposedEntity("Ann Lee", "person"),)
    given = ((ProposedEntity("Ann Lee", "person"), ProposedEntity("Lee", "person")),)

    assert model.Tally(1, 0) == scored("Ann Lee came.", ("Then Lee left.",), names, given)["linked"].tally


def test_an_unknown_verdict_is_no_score() -> None:
    """deepeval drops the statement from both sides of the fraction; here the row stays visible and open."""
    statements = (ProposedStatement("a", "yes"), ProposedStatement("b", "да"), ProposedStatement("c", "no"))

    assert "contextual_recall" not in scored(statements=statements)
    assert scored(statements=(*statements[:1], *statements[2:]))["contextual_recall"].tally == model.Tally(
        1, 1
    )


def test_a_person_who_rejects_every_unit_makes_it_undefined() -> None:
    """Not zero: nothing is left to count."""
    units = tuple(Unit(f"p{n}", "entity", "x", match=model.Match("found"), rejected=True) for n in range(3))

    assert score("linked", model.Assessment("entity", "verified", units)) == model.Score(
        "linked", model.Tally(0, 0), None
    )


def test_unsure_stands_in_the_denominator_and_spans_an_interval() -> None:
    """found / n to (found + unsure) / n."""
    verdicts = ("found", "missing", "unsure", None)
    units = [Unit(str(n), "entity", "x", match=model.Match(verdict)) for n, verdict in enumerate(verdicts)]  # type: ignore[arg-type]

    tally = model.count(units)

    assert (tally, tally.recall) == (model.Tally(1, 1, 2), Fraction(1, 4))
    assert tally.interval == (Fraction(1, 4), Fraction(3, 4))
    assert model.Tally(0, 0).interval is None


@given(st.lists(st.one_of(st.none(), st.fractions(0, 1, max_denominator=50)), max_size=20))
def test_a_mean_says_how_many_values_it_rests_on(values: list[Fraction | None]) -> None:
    """Undefined values are left out and counted; without any the mean is undefined itself."""
    defined = [float(value) for value in values if value is not None]

    found = mean(values)

    expected = fsum(defined) / len(defined) if defined else None
    assert found == Mean(expected, len(defined), len(values) - len(defined))
    assert mean(reversed(values)) == found


def demo() -> list[model.Record]:
    with as_file(files("workbench").joinpath("demo_data", "demo.jsonl")) as path:
        return [
            row.record for row in native.rows(of_lines(path), path, Notes(), native.record_of) if row.record
        ]


POLICIES = {
    "default": Policy(),
    "nested names are found": Policy(nested="found"),
    "only people and places count": Policy(counted_labels=("person", "place")),
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("threshold", [60, 75, 85, 94, 100])
def test_what_is_kept_counts_to_the_assessments(policy: Policy, threshold: int) -> None:
    for record in demo():
        assert record.proposal is not None
        found = assess_all(record.sample, record.proposal, Matching(policy, threshold), evidence=False)
        expected = {name: model.count(assessment.units) for name, assessment in found.items()}

        assert expected == counted(record.sample, record.proposal, Matching(policy, 85)).tallies(threshold)


@pytest.mark.parametrize("only", SCORERS)
def test_one_scorer_alone_says_what_it_says_among_all(only: str) -> None:
    for record in demo():
        assert record.proposal is not None
        every = assess_all(record.sample, record.proposal, Matching(Policy(), 85))
        alone = assess_all(record.sample, record.proposal, Matching(Policy(), 85), only=(only,))

        assert {name: said for name, said in every.items() if name == only} == alone


def test_what_was_not_asked_is_not_counted() -> None:
    sample = Sample("a", "?", "Paris.", ("Paris",))

    assert {} == counted(sample, Proposal("x"), Matching(Policy(), 85)).tallies(85)
    only_reference = Proposal("x", "", (ProposedEntity("Paris"),))
    assert ["presence"] == list(counted(sample, only_reference, Matching(Policy(), 85)).tallies(85))


def test_a_near_name_is_a_suggestion_and_never_counted() -> None:
    sample = Sample("a", "?", "Anna Petersen came.", ("There was Anna Peterson.",))
    proposal = Proposal(
        "x", "", (ProposedEntity("Anna Petersen", "person"),), ((ProposedEntity("Anna Peterson", "person"),),)
    )
    unit = assess_all(sample, proposal, Matching(Policy(), 95))["linked"].units[0]

    assert unit.match.verdict == "missing"
    assert unit.match.similarity >= 75
    assert unit.match.note == "perhaps Anna Peterson"


def test_a_name_that_stood_first_with_a_label_that_does_not_count_is_no_unit() -> None:
    """The first label decides, as it does for a duplicate."""
    sample = Sample("a", "?", "Paris is nice.", ("Paris.",))
    names = (ProposedEntity("Paris", "place"), ProposedEntity("Paris", "person"))
    proposal = Proposal("x", "", names, ((ProposedEntity("Paris", "person"),),))

    found = assess_all(sample, proposal, Matching(Policy(counted_labels=("person",)), 85))

    assert ((), ()) == (found["linked"].units, found["presence"].units)
