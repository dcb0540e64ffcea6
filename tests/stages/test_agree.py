"""Which decisions of people are held against each other, and what the report says of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import do
from tests.rows import gold, proposal, sample
from workbench.errors import UsageError
from workbench.reports import document
from workbench.reports.team import agree_text
from workbench.stages import editing, review
from workbench.stages.agree import AgreeReport, agree
from workbench.stages.recompute import score_dataset
from workbench.stages.review import act

N = 16
CITIES = "Rome Oslo Bern Riga Kyiv Lima Cairo Quito Sofia Paris Dakar Hanoi Turin Basel Delhi Minsk".split()


def row(number: int) -> dict[str, Any]:
    """Two cities, of which one stands in the contexts."""
    names = [CITIES[number], CITIES[(number + 1) % N]]
    found = proposal(names, names[:1])
    marks = {"group": f"g{number % 4}", "proposal": found, "user_input": f"Where {number}?"}
    return sample(f"s{number:02}", f"From {names[0]} to {names[1]}.", f"{names[0]}.", **marks)


@pytest.fixture
def cities(bench: Any) -> Any:
    bench.load([row(number) for number in range(N)], blind=0)
    score_dataset(bench.store, bench.info())
    return bench


def decide(bench: Any, number: int, who: str, *, reject: bool = False, toggle: bool = False) -> None:
    """Accept a sample; the second city rejected, or its verdict turned round."""
    second = {CITIES[(number + 1) % N]}
    bench.verify(f"s{number:02}", who, reject=second if reject else (), toggle=second if toggle else ())


def report(bench: Any, by: str = "") -> AgreeReport:
    return agree(bench.store, bench.info(), by)


def test_two_people_agree_as_far_as_their_units_verdicts_and_recalls_do(cities: Any) -> None:
    for number in range(N):
        decide(cities, number, "ada")
        decide(cities, number, "bo", reject=number < 3, toggle=number == 3)
    found = report(cities)
    whole: Any = found.whole

    assert (N, N, 4, ("ada", "bo")) == (whole.samples, whole.pairs, whole.groups, found.people)
    assert pytest.approx(2 * 29 / 61) == whole.f1 == whole.strict_f1
    assert pytest.approx(4 * 0.5 / N) == whole.differs  # half a recall each, where one city is gone or found
    assert pytest.approx((29, 28 / 29)) == (whole.chance.n, whole.chance.raw)
    first = agree_text(found).splitlines()[0]
    assert first.startswith("Two reviewers agree: F1 .95 (")
    assert "), recall differs by .12. Machine and reviewer: " in first


def test_a_mark_of_punctuation_is_no_word_of_alpha(bench: Any) -> None:
    """So references that differ in marks alone agree alike."""
    for name, end in (("one", "."), ("more", " . . … — !")):
        bench.load([{**(made := row(number)), "reference": f"{made['reference'][:-1]}{end}"}
                    for number in range(N)], f"{name}.jsonl", blind=0)  # fmt: skip
        for number in range(N):
            second = CITIES[(number + 1) % N]
            bench.verify(f"s{number:02}", "ada", dataset=name)
            bench.verify(f"s{number:02}", "bo", reject={second} if number < 3 else (), dataset=name)
    one, more = (agree(bench.store, bench.info(name)).whole.alpha for name in ("one", "more"))

    assert one == more is not None


def test_below_ten_samples_the_report_counts_and_lists_verdicts_that_differ(cities: Any) -> None:
    for number in range(9):
        decide(cities, number, "ada")
        decide(cities, number, "bo", toggle=number in (2, 4))
    found = report(cities, "label")
    said = agree_text(found).splitlines()

    assert "Two reviewers decided 9 samples independently: figures need 10." == said[0]
    assert [
        "data · entity · 9 samples decided by at least two people independently (ada, bo) · 4 documents",
        "2 of 18 matches differ",
        "  s02 · Riga: ada missing, bo found",
        "  s04 · Lima: ada missing, bo found",
        "units: 18 that both have (0 with another boundary, 0 with another label), 0 that only one has",
        "",
        "label  units  both  F1",
        "place  36     18    –",
    ] == said[2:10]
    assert 2 == len(document(found)["differing"])


def test_the_first_verdicts_that_differ_are_listed_and_the_rest_are_counted(cities: Any) -> None:
    for number in range(8):
        decide(cities, number, "ada")
        decide(cities, number, "bo", toggle=True)
    said = agree_text(report(cities))

    assert "8 of 16 matches differ\n  s00 · Oslo: ada missing, bo found\n" in said
    assert "  s04 · Lima: ada missing, bo found\n  … and 3 more: workbench agree --json\nunits: " in said


def test_samples_in_which_somebody_found_nothing_are_counted_in_words(cities: Any) -> None:
    for who in ("ada", "bo"):
        cities.verify("s00", who, reject=CITIES[:2])

    said = agree_text(report(cities))
    assert "no units: both people found none 1 time (F1 leaves these out), only one of the two found " in said


def test_nobody_agrees_where_nobody_met(cities: Any) -> None:
    decide(cities, 0, "ada")

    nothing = "No sample was decided by two people independently, so there is nothing to compare yet."
    assert nothing == agree_text(report(cities, "label"))


@pytest.mark.databases
@pytest.mark.parametrize(("group", "documents"), [("s00", 2), ("", 4), (None, 4)])
def test_a_sample_without_a_document_is_none_of_another_name(bench: Any, group: Any, documents: int) -> None:
    """Also where a document is named like its id; an empty name is none."""
    bench.load([row(number) | {"group": group if number else None} for number in range(4)], blind=0)
    for number in range(4):
        decide(bench, number, "ada")
        decide(bench, number, "bo")

    assert documents == report(bench).whole.groups


def test_a_sample_without_an_id_is_listed_by_its_question(bench: Any) -> None:
    bench.load([{name: value for name, value in row(0).items() if name != "id"}], blind=0)
    ((key,),) = bench.query("SELECT key FROM sample")
    bench.verify(key, "ada")
    bench.verify(key, "bo", toggle=CITIES[1:2])
    found = report(bench, "label")

    assert "  Where 0? · Oslo: ada missing, bo found" in agree_text(found)
    written = document(found)
    assert {"place": {"units": 4, "both": 2, "f1": None}} == written["labels"]
    assert not [name for name in written["whole"] if name.startswith("_")]


def test_the_first_decision_counts_and_not_what_was_changed_once_others_had_decided(cities: Any) -> None:
    for number in range(10):
        decide(cities, number, "ada", reject=True)
        decide(cities, number, "bo")
    opened = cities.open("s00", "bo")
    second = opened.state.entity.assessment.units[1]
    act(cities.store, opened, editing.reject(opened, second))

    assert 10 == report(cities).whole.linked
    assert 20 == report(cities).whole.second


def test_undone_work_does_not_count_nor_what_was_decided_again_after_the_others(cities: Any) -> None:
    info = cities.info()
    decide(cities, 0, "ada")
    decide(cities, 0, "bo")
    review.undo(cities.store, info.id, "bo")
    assert 0 == report(cities).whole.samples
    decide(cities, 0, "bo", reject=True)

    found = report(cities)
    assert 0 == found.whole.samples
    assert {"decided again after the others' work could be seen": 1} == found.left_out


@pytest.mark.databases
def test_a_clock_that_was_set_back_does_not_make_a_decision_independent(cities: Any) -> None:
    """Nor does that of a colleague's machine: what counts is the order in which the acts were stored."""
    decide(cities, 0, "ada")
    decide(cities, 0, "bo")
    cities.undo("bo")
    decide(cities, 0, "bo", reject=True)
    last = "(SELECT max(id) FROM review_event)"
    cities.change(f"UPDATE review_event SET at = '2020-01-01 00:00:00.000000' WHERE id = {last}")

    assert {"decided again after the others' work could be seen": 1} == report(cities).left_out


@pytest.mark.databases
def test_imported_and_adjudicated_work_does_not_count(cities: Any) -> None:
    cities.load([{**row(0), "gold": gold({"Rome": "found"}, "eve")}], gold=True)
    decide(cities, 1, "ada")
    cities.act("s01", do(1, editing.reject), who="cy")
    decide(cities, 1, "bo")
    cities.change("UPDATE review SET origin = 'adjudicated' WHERE annotator = 'bo'")
    decide(cities, 0, "ada")
    decide(cities, 1, "cy")  # begun before it was settled, and decided behind

    found = report(cities)
    assert 0 == found.whole.samples
    assert 1 == found.left_out["decided again after the others' work could be seen"]


@pytest.mark.parametrize(
    ("by", "names"), [("pair", ["ada and bo", "ada and cy", "bo and cy"]), ("week", ["ada", "bo", "cy"])]
)
def test_parts_are_of_pairs_and_of_each_person_by_week(cities: Any, by: str, names: list[str]) -> None:
    for number in range(10):
        for who in ("ada", "bo", "cy"):
            decide(cities, number, who, reject=who == "cy")
    parts = report(cities, by).parts

    assert names == [name if by == "pair" else name.split()[0] for name in parts]
    f1 = [one.f1 for one in parts.values()]
    third, two = 2 * 10 / 30, 1.0
    wanted = [two, third, third] if by == "pair" else [2 * 30 / 70, 2 * 30 / 70, third]
    assert pytest.approx(wanted) == f1


def test_the_least_agreed_labels_come_first_with_the_way_to_the_guidelines(cities: Any) -> None:
    for number in range(10):
        decide(cities, number, "ada")
        cities.verify(f"s{number:02}", "bo", label=CITIES[number : number + 1])
    found = report(cities, "label")
    said = agree_text(found)

    assert ["other", "place"] == list(found.labels)
    assert pytest.approx([0.0, 2 * 10 / 30]) == [one.f1 for one in found.labels.values()]
    assert "least agreed first · guidelines: workbench policy show" in said
    assert 10 == found.whole.label


def test_what_cannot_be_asked_is_refused(cities: Any) -> None:
    with pytest.raises(UsageError, match="no --by 'day'; there is: label, pair, week"):
        report(cities, "day")
    with pytest.raises(UsageError, match="does not review statement units"):
        agree(cities.store, cities.info(), "", "statement")
