"""Why a sample's automatic value is another: read back from a real database after real edits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

import pytest

from tests.conftest import Bench, accepted, add_text, do
from tests.rows import gold, naming, proposal, sample, units
from workbench.comparing.answer_words import in_short
from workbench.comparing.causes import CAUSES, Part, UnitRow
from workbench.comparing.explained import reasons
from workbench.errors import InputError
from workbench.model import Evidence, Imported, Match, Span
from workbench.reports.units import _SENTENCES, first_of
from workbench.reviewing.edits import Edit, Put
from workbench.stages import editing, queue, queue_values
from workbench.stages.propose import propose
from workbench.stages.resolve import open_resolution, take
from workbench.stages.review import Opened, act
from workbench.stages.why import _FIXES, Why, explain, fix
from workbench.store.datasets import set_dataset
from workbench.store.samples import sample_ids
from workbench.tui.view import outcome, unit_lines
from workbench.tui.widgets.cause_list import reasons_line, totals

TAJ = sample(
    "taj",
    "The Taj Mahal stands by the Yamuna in the Indian city of Agra. Shah Jahan built it for Mumtaz Mahal.",
    "The Taj Mahal is in Agra. It was raised for the empress Mumtaz Mahal by Shah Jahan.",
    "The Jumna flows past it.",
    proposal={
        **proposal((), units(["Taj Mahal", "Agra"]), units(["Jumna"]), proposer="claude"),
        "reference_entities": [
            *units(["Taj Mahal", "Yamuna"]), *units(["Indian"], "other"), *units(["Agra"]),
            *units(["Shah Jahan"], "person"),
        ],
    },
)  # fmt: skip
FAR = "press = in the review: name matching learns this form"
SAME = "equal names: check the verdict (another entity?)"
HERE = "the extraction prompt: take this from the contexts"
THERE = "the extraction prompt: take this from the reference"
SAID = {"It was built in 1631.": "yes", "It stands in Agra.": "no"}
JUDGED = {"proposer": "claude", "statements": [{"text": one, "verdict": said} for one, said in SAID.items()]}
CLAIMS = sample("claims", " ".join(SAID), "It was begun in 1632 and stands in Agra.", proposal=JUDGED)


def found_at(*place: int) -> Any:
    """Found, with this stretch of a context as evidence."""

    def change(_opened: Opened, unit: Any) -> Edit:
        match = Match("found", evidence=(Evidence(*place),), rule="human")
        return Put("match", unit.kind, (replace(unit, match=match),))

    return change


def why(bench: Any, key: str = "taj", *, kind: Any = "entity", annotator: str = "ann", **more: Any) -> Why:
    return explain(bench.store, bench.id(key), annotator, kind=kind, **more)


def table(found: Why) -> dict[str, tuple[str, str, str]]:
    return {text(one): (one.cause, one.part, fix(one, found)) for one in found.rows}


def text(one: UnitRow) -> str:
    left, right = one.automatic, one.verified
    return f"{left.text if left else '—'} | {right.text if right else '—'}"


@pytest.fixture
def taj(bench: Any) -> Any:
    bench.load([TAJ])
    return bench


def test_every_edit_becomes_a_cause_and_the_shares_sum_to_delta(taj: Any) -> None:
    """linked: Taj Mahal and Agra of five. Verified: these, Shah Jahan and Mumtaz Mahal of five."""
    river = TAJ["retrieved_contexts"][1].index("Jumna")
    taj.act(
        "taj", do("Indian", editing.reject),
        lambda opened: add_text(opened, "entity", "Mumtaz Mahal", "person"), do("Shah Jahan", editing.toggle),
        do("Yamuna", found_at(1, river, river + 5)), accepted(),
    )  # fmt: skip
    found = why(taj)
    assert (found.source, found.verified_by) == ("linked · claude-run-1", "verified by ann")
    assert (found.automatic.recall, found.verified.recall) == (Fraction(2, 5), Fraction(1))
    assert found.delta == Fraction(-3, 5)
    assert sum(one.share or Fraction(0) for one in found.rows) == Fraction(-3, 5)
    assert table(found) == {
        "Taj Mahal | Taj Mahal": ("", "", ""),
        "Yamuna | Yamuna": ("missed match", "comparator", FAR),
        "Indian | —": ("invented unit", "", "the extraction prompt: do not take this"),
        "Agra | Agra": ("", "", ""),
        "Shah Jahan | Shah Jahan": ("missed match", "context extraction", HERE),
        "— | Mumtaz Mahal": ("missed unit", "", THERE),
    }  # fmt: skip
    assert [one.rule for one in found.rows] == ["lineage", "lineage", "", "lineage", "lineage", ""]


def test_the_review_itself_says_the_causes(taj: Any) -> None:
    opened = taj.act("taj", do("Indian", editing.reject))
    assert dict(opened.causes) == {}
    opened = taj.act("taj", accepted())
    said = [(one.cause, one.units, one.share) for one in opened.causes["entity"].totals]
    assert said == [("invented unit", 1, Fraction(-1, 10))]
    assert opened.causes["entity"].delta == why(taj).delta


def test_another_scorer_has_other_causes(taj: Any) -> None:
    """presence reads the text, so nothing is put down to an extraction, nor where there is no evidence."""
    taj.act("taj", do("Yamuna", editing.toggle), accepted())
    assert table(why(taj))["Yamuna | Yamuna"][:2] == ("missed match", "unattributed")
    assert why(taj).scorers == ("ragas", "ragas_legacy", "linked", "presence")
    assert table(why(taj, scorer="presence")) == {
        "Taj Mahal | Taj Mahal": ("", "", ""),
        "Yamuna | Yamuna": ("missed match", "", FAR),
        "Indian | Indian": ("", "", ""),
        "Agra | Agra": ("", "", ""),
        "Shah Jahan | Shah Jahan": ("false match", "", SAME),
    }  # fmt: skip
    with pytest.raises(InputError, match="there is: ragas, ragas_legacy, linked, presence"):
        why(taj, scorer="contextual_recall")
    by_strings = why(taj, scorer="ragas")
    assert by_strings.value == 2 / (5 + 1e-8)
    assert by_strings.automatic.recall == Fraction(2, 5)
    places = {text(one): one.automatic for one in by_strings.rows}
    agra: Any = places["Agra | Agra"]
    assert agra.spans == (Span(57, 61),)
    assert [(one.context, one.start) for one in agra.match.evidence] == [(0, 20)]


def test_a_near_miss_names_the_threshold_that_would_do(bench: Any) -> None:
    row = {**TAJ, "proposal": {**TAJ["proposal"], "context_entities": [[{"text": "Yamouna"}]]}}
    bench.load([row | {"retrieved_contexts": ["The Yamouna flows past it."]}])
    bench.act("taj", do("Yamuna", found_at(0, 4, 11)), accepted())
    mend = "lower the match threshold to 83, their similarity"
    assert table(why(bench))["Yamuna | Yamuna"] == ("missed match", "comparator", mend)
    set_dataset(bench.store, bench.info().id, threshold=83)
    assert table(why(bench))["Yamuna | Yamuna"] == ("", "", "")
    bench.act("taj", do("Yamuna", editing.toggle))
    mend = "raise the match threshold above 83, their similarity"
    assert table(why(bench))["Yamuna | Yamuna"] == ("false match", "comparator", mend)


def test_statements_are_explained_as_well(bench: Any) -> None:
    bench.load([CLAIMS], kinds=("statement",))
    bench.verify("claims", kind="statement", toggle=SAID)
    found = why(bench, "claims", kind="statement")
    assert (found.source, found.delta) == ("contextual_recall · claude-run-1", Fraction(0))
    assert [(one.cause, one.share) for one in found.rows] == [
        ("false match", Fraction(1, 2)),
        ("missed match", Fraction(-1, 2)),
    ]
    assert [fix(one, found) for one in found.rows] == [
        "the judge's prompt or model: it is not supported",
        "the judge's prompt or model: the contexts support it",
    ]


def test_a_blind_review_is_linked_by_what_the_units_say(bench: Any) -> None:
    bench.load([TAJ], blind=1.0)
    bench.act(
        "taj",
        lambda opened: add_text(opened, "entity", "Agra", "place"),
        lambda opened: add_text(opened, "entity", "the Yamuna", "place"),
    )  # fmt: skip
    with pytest.raises(InputError, match="once you have decided this sample"):
        why(bench)
    bench.act("taj", do("Agra", found_at(0, 20, 24)), do("the Yamuna", editing.unsure), accepted())
    found = why(bench)
    rules = {text(one): one.rule for one in found.rows}
    assert (rules["Agra | Agra"], rules["Yamuna | the Yamuna"]) == ("span", "overlap")
    assert {one.cause for one in found.rows} == {"", "invented unit"}


def test_another_run_is_linked_by_what_the_units_say(taj: Any) -> None:
    """The ids of the rules' proposal mean other units than those the review began with."""
    taj.act("taj", accepted())
    assert {one.rule for one in why(taj).rows} == {"lineage"}
    propose(taj.store, taj.info(), "rules", annotator="ann")
    found = why(taj)
    assert found.source == "linked · rules-run-1"
    assert "lineage" not in {one.rule for one in found.rows}
    assert {text(one): one.rule for one in found.rows}["Agra | Agra"] == "span"


def test_nothing_is_shown_before_the_own_decision(taj: Any) -> None:
    """Nor what another person verified."""
    taj.act("taj", do("Indian", editing.reject))
    for annotator in ("ann", "bo"):
        with pytest.raises(InputError, match="automatic and verified show once you have decided this sample"):
            why(taj, annotator=annotator)
    taj.act("taj", accepted())
    with pytest.raises(InputError, match="once you have decided this sample"):
        why(taj, annotator="bo")


def test_imported_gold_is_explained_to_anybody(bench: Any) -> None:
    bench.load([TAJ | {"gold": gold({"Agra": "found", "Yamuna": "found"}, "expert")}], gold="given")
    found = why(bench, annotator="bo")
    assert found.verified_by == "verified by expert"
    assert found.delta == Fraction(2, 5) - 1
    assert {one.rule for one in found.rows} == {"span", ""}


def test_an_excluded_sample_has_nothing_to_compare_with(taj: Any) -> None:
    taj.act("taj", lambda _: editing.exclude("broken"))
    with pytest.raises(InputError, match="not counted"):
        why(taj)


def test_without_a_proposal_there_is_no_automatic_side(bench: Any) -> None:
    bench.load([{name: value for name, value in TAJ.items() if name != "proposal"}])
    bench.act("taj", accepted())
    with pytest.raises(InputError, match="nothing was proposed"):
        why(bench)


def test_a_sample_without_units_has_no_difference(taj: Any) -> None:
    wishes = [do(one["text"], editing.reject) for one in TAJ["proposal"]["reference_entities"]]
    taj.act("taj", *wishes, accepted())
    found = why(taj)
    assert (found.delta, found.verified.units) == (None, 0)
    assert {(one.cause, one.share) for one in found.rows} == {("invented unit", None)}


def test_the_demo_is_explained_sample_by_sample(demo: Any) -> None:
    """Whatever is verified there sums up, for every scorer."""
    explained = 0
    for key in sample_ids(demo.store, demo.info().id):
        try:
            scorers = why(demo, key).scorers
        except InputError:
            continue
        for scorer in scorers:
            found = why(demo, key, scorer=scorer)
            if found.delta is not None:
                assert sum((one.share or Fraction(0) for one in found.rows), Fraction(0)) == found.delta
                explained += 1
    assert explained


def of_gold(annotator: str) -> dict[str, Any]:
    return TAJ | {"gold": gold(dict.fromkeys(("Taj Mahal", "Yamuna"), "missing"), annotator)}


def verdict_of(opened: Opened, place: int) -> str:
    """What is said of the verdict on a unit."""
    lines = unit_lines(opened.state.entity.assessment.units[place], opened)
    return next(line for line in lines if line.startswith("missing"))


def test_a_verdict_of_a_file_is_called_imported_until_the_person_changes_it(bench: Bench) -> None:
    bench.load([of_gold("ann")], gold="require")
    assert "missing, imported" == verdict_of(bench.open("taj"), 0)
    opened = bench.act("taj", do(0, editing.next_reason))
    assert "missing: absent, your decision" == verdict_of(opened, 0)
    assert "missing, imported" == verdict_of(opened, 1)
    assert "missing, your decision" == verdict_of(bench.act("taj", accepted()), 1)


def test_why_says_whose_the_verified_verdicts_are(bench: Bench) -> None:
    """Those of a file, one's own, and those of whom the person followed who settled it."""
    bench.load([of_gold("gina")], gold="require")
    number = bench.id("taj")
    assert "imported" == explain(bench.store, number, "ann", kind="entity").whose
    bench.act("taj", do(0, editing.toggle), accepted())
    assert "" == explain(bench.store, number, "ann", kind="entity").whose
    for name, whose in (("gina", "decided by gina"), ("ann", "")):
        over = open_resolution(bench.store, number, "cy", bench.info().id)
        side = over.over.people["entity"].index(name) if over.over else 0
        for unit in over.state.entity.assessment.units:
            over = act(bench.store, over, take(over, unit, side))
        act(bench.store, over, editing.accept(over, "entity"))
        assert whose == explain(bench.store, number, "ann", kind="entity").whose


@pytest.mark.parametrize("listed", [_FIXES, _SENTENCES])
def test_what_is_said_of_causes_is_listed_under_their_names(listed: dict[str, str]) -> None:
    """The lists are text files: a name that no cause has would never be read."""
    names = {f"{cause} {part}".strip() for cause in CAUSES for part in get_args(Part)}
    assert listed.keys() <= names | {"claim partial", "claim contradicted", "same", "unicode"}


def test_every_cause_has_a_sentence() -> None:
    """Alone, or with each of its parts."""
    assert all(any(key.startswith(cause) for key in _SENTENCES) for cause in CAUSES)


# The queue of a dataset whose file came with a column of scores: that column is what a row compares.


COLUMN = "context_entity_recall"
ROWS = [
    naming("low", ["Rome", "Oslo"], ["Rome", "Oslo"], scores={COLUMN: 0.25}),
    naming("third", ["Rome", "Oslo", "Bern"], ["Rome"], scores={COLUMN: 0.3333, "faithfulness": 0.9}),
    naming("high", ["Rome", "Oslo"], ["Rome"], scores={COLUMN: 0.9}),
    naming("without", ["Rome", "Oslo"], ["Rome"]),
    naming("open", ["Rome", "Oslo"], ["Rome"], scores={COLUMN: 0.7}),
]


def test_a_blind_sample_that_is_not_decided_shows_no_number_even_when_all_others_do(bench: Any) -> None:
    bench.load(ROWS, blind=1.0)
    set_dataset(bench.store, bench.info().id, show_auto="always")

    every = queue_values.queue_ids(bench.store, bench.info(), "ann")
    rows = queue.queue_rows(bench.store, bench.info(), "ann", every).values()
    assert [None] * 5 == [one.automatic for one in rows]


def accept(bench: Any, key: str, *toggled: str) -> Opened:
    after: Opened = bench.verify(key, toggle=toggled)
    assert ": yours" in outcome(after, editing.accept(after, "entity"), 100)
    return after


@pytest.fixture
def cities(bench: Any) -> Any:
    bench.load(
        [
            naming("low", ["Rome", "Oslo"], ["Rome"], scores={COLUMN: 0.1}),
            naming("third", ["Rome", "Oslo", "Bern"], ["Rome"], scores={COLUMN: 0.3333}),
            naming("own", ["Rome"], ["Rome"], scores={COLUMN: 0.2, "my_recall (entity)": 0.7}),
        ]
    )
    return bench


def test_after_the_decision_the_number_of_the_file_comes_first_and_has_reasons(cities: Any) -> None:
    assert () == cities.open("low").automatic
    after = accept(cities, "low", "Oslo")
    first: Any = first_of(after.automatic, "entity")
    gap = after.causes["entity"]

    assert (COLUMN, Imported(Fraction(1, 10))) == (first.scorer, first.tally)
    assert Fraction(1, 10) - 1 == gap.delta
    assert gap.delta == sum(share for _, _, share in reasons(gap))
    assert "recount −.50: 1 name found without evidence; untraced −.40" == reasons_line(gap, "entity", 80)
    assert "recount −.50, untraced −.40" == reasons_line(gap, "entity", 45)
    assert "recount −.50, …" == reasons_line(gap, "entity", 25)
    assert "" == reasons_line(replace(gap, delta=Fraction(0)), "entity", 100)
    counted = replace(gap, rows=tuple(row for row in gap.rows if row.cause != "untraced"))
    cancel = reasons_line(replace(counted, delta=Fraction(1, 10**9)), "entity", 100)
    assert "these cancel: 1 name found without evidence" == cancel


def test_the_line_after_an_accept_sets_yours_against_the_verified_value(cities: Any) -> None:
    opened = cities.open("low")
    edit = editing.accept(opened, "entity")

    assert ": yours .10 · verified 1/2 .50 · −.40: untraced" == outcome(
        act(cities.store, opened, edit), edit, 100
    )


def test_rounding_in_the_file_is_no_reason(cities: Any) -> None:
    after = accept(cities, "third")
    why = explain(cities.store, cities.id("third"), "ann", kind="entity")

    assert [] == reasons(after.causes["entity"])
    assert "both sides agree in every unit" == totals(why)
    assert sum(one.share or 0 for one in why.rows) == why.delta


@pytest.mark.parametrize(("written", "cause"), [(0.33, "untraced"), (0.34, "untraced"), (0.3333, "rounding")])
def test_reasons_go_by_the_digits_of_the_whole_column(bench: Any, written: float, cause: str) -> None:
    names = ["Rome", "Oslo", "Bern"]
    bench.load([naming(str(one), names, ["Rome"], scores={COLUMN: one}) for one in {written, 0.6667}])
    after = accept(bench, str(written))
    why = explain(bench.store, after.sample_id, "ann", kind="entity")

    found = after.causes["entity"], bench.open(str(written)).causes["entity"], why
    assert [cause] * 3 == [row.cause for one in found for row in one.rows if row.cause]


def test_why_opens_with_the_column_of_which_a_person_gave_the_kind(cities: Any) -> None:
    accept(cities, "own")
    why = explain(cities.store, cities.id("own"), "ann", kind="entity")

    assert ("my_recall (entity)", "0.7") == (why.scorer, why.digits)


def test_a_statement_that_is_supported_has_no_other_form() -> None:
    assert "2 statements supported after all" == in_short("another form", 2, "statement")
    assert "2 names not recognised" == in_short("another form", 2, "entity")
