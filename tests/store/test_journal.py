"""The journal on a real database: what is written with which act, and what a second window meets."""

import json
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import astuple, replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import event

from tests.conftest import accepted, unit_of
from tests.rows import proposal, sample
from workbench.errors import ConflictError, SpanError, StoreError
from workbench.model import KINDS, Assessment, Evidence, Kind, Match, Span, Tally, Unit
from workbench.reviewing.documents import assessment_document, unit_document
from workbench.reviewing.edits import Accept, Comment, Dispose, Flag, Put
from workbench.reviewing.fold import gold_units
from workbench.stages import desk, editing, review
from workbench.stages.desk import redo, undo
from workbench.stages.review import Opened, act, open_sample
from workbench.store import gold, journal
from workbench.store.engine import Store, open_store
from workbench.store.tables import REVIEW, Review

CLAIM = {"text": "Ann met Bob in Rome.", "verdict": "missing"}
NAMED = proposal(["Rome", "Ann", "Bob"], ["Ann", "Rome"], ["Bob"], statements=[CLAIM])
ROME = sample("rome", "Ann met Bob in Rome, near Lodi.", "Ann was in Rome.", "Bob stayed.", proposal=NAMED)
OSLO = {**ROME, "id": "oslo", "user_input": "Another question?"}
BARE = sample("bare", "Nothing proposed.")
ROWS = [ROME, OSLO, BARE]
HARD = Path(__file__).parents[2] / "fixtures" / "hard.jsonl"
TEXTS = ("user_input", "reference", "retrieved_contexts")


@pytest.fixture
def bench(bench: Any, on: str) -> Any:
    """A database with the samples."""
    bench.load(ROWS)
    return bench


def test_the_value_of_a_review_has_the_columns_of_its_table_in_their_order() -> None:
    """Rows are read into it by place."""
    assert tuple(REVIEW.keys()) == Review._fields


def gold_rows(bench: Any, key: str, annotator: str = "ann") -> list[tuple[Any, ...]]:
    columns = 'kind, position, unit, text, label, start, "end", verdict, reason, rule, document'
    own = "FROM gold_unit WHERE sample_id = ? AND annotator = ? ORDER BY kind, position"
    return [*bench.query(f"SELECT {columns} {own}", bench.id(key), annotator)]


def expected_rows(opened: Opened, kind: Kind = "entity") -> list[tuple[Any, ...]]:
    """`gold_unit` by hand: what the fold's counted units say, in the order of the reference."""
    found = []
    for place, unit in enumerate(gold_units(opened.state.of(kind).assessment.units)):
        (start, end), match = astuple(unit.spans[0]) if unit.spans else (None, None), unit.match
        document = json.dumps(unit_document(unit), ensure_ascii=False, separators=(",", ":"))
        said = (match.verdict or "unsure", match.reason, match.rule, document)
        found.append((kind, place, unit.id, unit.text, unit.label, start, end, *said))
    return found


def test_looking_writes_nothing(bench: Any) -> None:
    """Opening a sample is no act: the database stays byte for byte."""
    before = bench.tables()

    for key in ("rome", "oslo", "bare"):
        bench.open(key)

    assert bench.tables() == before


def test_the_opening_row_is_written_with_the_first_act_and_holds_what_was_shown(bench: Any) -> None:
    """Proposal, matcher, threshold, policy and every pre-filled unit with its match; one action."""
    opened = bench.open("rome")

    after = act(bench.store, opened, Comment("hello"))

    rows = bench.query("SELECT seq, op, action, annotator, data FROM review_event ORDER BY id")
    data = json.loads(rows[0][4])
    assert [row[:2] for row in rows] == [(0, "open"), (1, "comment")]
    assert rows[0][2] == rows[1][2]
    assert {row[3] for row in rows} == {"ann"}
    shown = [assessment_document(opened.state.of(kind).assessment) for kind in KINDS]
    assert data["assessments"] == json.loads(json.dumps(shown))
    ((proposed,),) = bench.query("SELECT id FROM proposal WHERE sample_id = ?", bench.id("rome"))
    names = ("shown", "auto_shown", "policy", "threshold", "proposal")
    assert ["assisted", False, 1, 85, proposed] == [data[name] for name in names]
    assert after.state.entity == opened.state.entity
    assert [unit.text for unit in opened.state.entity.assessment.units] == ["Rome", "Ann", "Bob"]


@pytest.mark.databases
def test_accept_writes_gold_and_undo_removes_it(bench: Any) -> None:
    """gold_unit is the counted units in the order of the reference, byte for byte, while verified."""
    opened = bench.open("rome")

    done = bench.act("rome", accepted())

    assert gold_rows(bench, "rome") == expected_rows(done)
    assert [row[3] for row in gold_rows(bench, "rome")] == ["Ann", "Bob", "Rome"]
    moved = bench.undo()
    assert (moved.sample_id, type(moved.edit), moved.kind) == (bench.id("rome"), Accept, "entity")
    assert gold_rows(bench, "rome") == []
    assert bench.open("rome").state.entity == opened.state.entity
    assert bench.redo() is not None
    assert gold_rows(bench, "rome") == expected_rows(done)


def test_accept_turns_undecided_units_into_unsure(bench: Any) -> None:
    """The person saw the question and left it open."""
    undecided = replace(unit_of(bench.open("rome"), "Bob"), match=Match())

    done = bench.act("rome", Put("match", "entity", (undecided,)), accepted())

    assert unit_of(done, "Bob").match == Match("unsure", rule="human")
    said = {row[3]: row[7] for row in gold_rows(bench, "rome")}
    assert said == {"Ann": "found", "Bob": "unsure", "Rome": "found"}
    one = gold.load_gold(bench.store, bench.info().id, "entity")[bench.id("rome")]
    assert one.tally == Tally(found=2, missing=0, unsure=1)


@pytest.mark.databases
def test_what_two_processes_send_at_once_is_stored_once_and_told_to_both(bench: Any) -> None:
    bench.reopen()
    stores, dataset, begin = [bench.store, open_store(bench.store.url)], bench.info().id, Barrier(2)

    def comment(store: Store, number: int) -> int:
        opened = open_sample(store, bench.id("rome"), "ann")
        begin.wait()
        return len(act(store, opened, Comment("once"), action=f"comment {number}").state.comments)

    def take_back(store: Store, number: int) -> int:
        begin.wait()
        moved: Any = undo(store, dataset, "ann", f"undo {number}")
        return len(moved.state.comments)

    with ThreadPoolExecutor(2) as pool:
        for number in range(20):
            assert [1, 1] == list(pool.map(comment, stores, [number] * 2))
            assert [0, 0] == list(pool.map(take_back, stores, [number] * 2))
    stores[1].close()
    assert [(40,)] == bench.query("SELECT count(*) FROM review_event WHERE op <> 'open'")


@pytest.mark.databases
@pytest.mark.parametrize("statement", range(1, 9))
def test_an_undo_between_two_statements_of_the_same_one_is_stored_once(bench: Any, statement: int) -> None:
    """The other process has all its time before statement 1, 2, … of this one, or waits for its end."""
    dataset = bench.info().id
    for text in ("first", "second"):
        bench.act("rome", Comment(text))
    with ThreadPoolExecutor(1) as pool, closing(open_store(bench.store.url)) as other:
        sent, others = 0, []

        def between(*_: object) -> None:
            nonlocal sent
            sent += 1
            if sent == statement:
                others.append(pool.submit(undo, other, dataset, "ann", "undo second"))
                wait(others, timeout=0.5)

        event.listen(bench.store.engine, "before_cursor_execute", between)
        told = [undo(bench.store, dataset, "ann", "undo second"), *(future.result() for future in others)]
        event.remove(bench.store.engine, "before_cursor_execute", between)
    assert len(others) == 1
    assert [("first",)] * 2 == [moved and moved.state.comments for moved in told]
    assert [(1,)] == bench.query("SELECT count(*) FROM review_event WHERE op = 'undo'")


@pytest.mark.databases
def test_undo_stays_in_its_dataset(bench: Any) -> None:
    """Two datasets in one file have two histories."""
    bench.load(ROWS, "one.jsonl")
    bench.load(ROWS, "two.jsonl")
    bench.act("rome", Comment("one"), dataset="one")
    bench.act("rome", Comment("two"), dataset="two")

    desk.undo(bench.store, bench.info("one").id, "ann")

    assert bench.review("rome", dataset="one").state.comments == ()
    assert bench.review("rome", dataset="two").state.comments == ("two",)


@pytest.mark.databases
def test_a_bulk_act_is_one_undo_and_all_or_nothing(bench: Any) -> None:
    """Over many samples one press takes it back; when one sample moved on, none is changed."""
    opened = [bench.open(key) for key in ("rome", "oslo", "bare")]
    acts = [review.act_on(one, Comment("all")) for one in opened]

    journal.record(bench.store, acts, "ann")

    assert [("all",)] * 3 == [bench.review(key).state.comments for key in ("rome", "oslo", "bare")]
    before = bench.tables()
    with pytest.raises(ConflictError, match="rome was changed"):
        journal.record(bench.store, acts, "ann")
    seqs = zip(opened, (1, 1, 0), strict=True)
    stale_last = [
        review.act_on(one, Comment("x"))._replace(state=replace(one.state, seq=at)) for one, at in seqs
    ]
    with pytest.raises(ConflictError, match="bare was changed"):
        journal.record(bench.store, stale_last, "ann")
    assert bench.tables() == before
    bench.undo()
    assert {bench.review(key).state.comments for key in ("rome", "oslo", "bare")} == {()}
    assert bench.undo() is None


@pytest.mark.databases
@pytest.mark.parametrize("reviewed", [False, True])
def test_two_windows_on_one_review_cannot_overwrite_each_other(bench: Any, reviewed: bool) -> None:
    """The second is told, nothing is lost, and after loading again its edit goes in."""
    if reviewed:
        bench.act("rome", Comment("earlier"))
    earlier = ("earlier",) if reviewed else ()
    with closing(open_store(bench.store.url)) as other:
        here, there = bench.open("rome"), open_sample(other, bench.id("rome"), "ann")
        act(bench.store, here, Comment("first"))
        before = bench.tables()

        with pytest.raises(ConflictError, match="another window"):
            act(other, there, editing.accept(there, "entity"), Comment("second"))

        assert bench.tables() == before
        there = open_sample(other, bench.id("rome"), "ann")
        assert there.state.comments == (*earlier, "first")
        act(other, there, Comment("second"))
        assert bench.review("rome").state.comments == (*earlier, "first", "second")


@pytest.mark.databases
def test_an_edit_on_text_that_was_replaced_meanwhile_is_not_written(bench: Any) -> None:
    """Even before the first act, when there is no journal yet that could have moved on."""
    opened = bench.open("rome")
    replaced = {**ROME, "retrieved_contexts": ["Ann was in Rome.", "Bob left."]}
    assert bench.load([replaced], update=True).updated == 1
    before = bench.tables()

    with pytest.raises(ConflictError, match="text of rome was replaced"):
        act(bench.store, opened, editing.accept(opened, "entity"))

    assert bench.tables() == before
    bench.act("rome", Comment("now"))


def evident(*place: int) -> Match:
    return Match("found", evidence=(Evidence(*place),))


ANN = Unit("h1", "entity", "Ann", spans=(Span(0, 3),))
BAD_UNITS = [
    (replace(ANN, spans=(Span(0, 4),)), "reads 'Ann '"),
    (replace(ANN, spans=(Span(29, 99),)), "outside the reference"),
    (replace(ANN, spans=(Span(3, 3),)), "outside the reference"),
    (replace(ANN, kind="statement", spans=(Span(-1, 3),)), "outside the reference"),
    (replace(ANN, match=evident(2, 0, 1)), "evidence"),
    (replace(ANN, match=evident(0, 9, 99)), "evidence"),
]


def test_a_unit_that_does_not_quote_its_text_is_never_written(bench: Any) -> None:
    """Neither as an edit on its way nor by accepting."""
    opened = bench.open("rome")
    before = bench.tables()

    for unit, message in BAD_UNITS:
        with pytest.raises(SpanError, match=message):
            act(bench.store, opened, Put("add", unit.kind, (unit,)))
        with pytest.raises(SpanError, match=message):
            act(bench.store, opened, Accept(Assessment(unit.kind, "x", (unit,))))

    assert bench.tables() == before


@pytest.mark.databases
def test_offsets_are_code_points_on_every_hard_text(bench: Any) -> None:
    """Combining marks, CJK, right-to-left, emoji: a unit added on the very text goes in and quotes it."""
    rows = [json.loads(line) for line in HARD.read_text("utf-8").splitlines()]
    bench.load([{name: one[name] for name in ("id", *TEXTS)} for one in rows])
    expected = []
    for row in rows:
        for entity in row["gold"]["entities"]:
            place = entity["start"], entity["end"]
            bench.act(row["id"], lambda one, at=place: editing.add_span(one, "entity", Span(*at), "other"))
            expected.append((row["id"], *place, entity["text"]))
        if row["gold"]["entities"]:  # a blank reference cannot be verified
            bench.verify(row["id"])

    stored = 'SELECT key, start, "end", text FROM gold_unit JOIN sample ON sample.id = sample_id '
    assert expected == bench.query(f"{stored} ORDER BY sample_id, position")


@pytest.mark.databases
def test_each_sample_has_the_review_of_the_person_who_is_asked_for(bench: Any) -> None:
    """Both reviewed both."""
    for key in ("rome", "oslo"):
        for annotator in ("ann", "bo"):
            bench.act(key, Flag(f"{annotator} on {key}"), who=annotator)

    rome, oslo = bench.id("rome"), bench.id("oslo")
    reviews = journal.load_reviews(bench.store, {rome: "bo", oslo: "ann"})

    assert (reviews[rome].flag, reviews[oslo].flag) == ("bo on rome", "ann on oslo")


@pytest.mark.databases
def test_a_second_try_under_the_same_name_finds_what_the_first_one_stored(bench: Any) -> None:
    """The answer of the database was lost: neither the act nor its undo is done a second time."""
    opened = bench.open("rome")
    first = act(bench.store, opened, Comment("once"), action="one")
    assert first == act(bench.store, opened, Comment("once"), action="one")
    act(bench.store, first, Comment("twice"), action="two")
    with pytest.raises(ConflictError):
        act(bench.store, opened, Comment("another window's"), action="three")
    dataset = bench.info().id

    taken = [undo(bench.store, dataset, "ann", "four") for _ in range(2)]
    assert taken[0] == taken[1]
    assert ("once",) == bench.review("rome").state.comments
    given = [redo(bench.store, dataset, "ann", "five") for _ in range(2)]
    assert given[0] == given[1]
    assert ("once", "twice") == bench.review("rome").state.comments


@pytest.mark.databases
def test_half_a_character_in_what_a_person_types_is_replaced(bench: Any) -> None:
    """Two halves are one character; elsewhere a text with a half is refused with a word about it."""
    halves = "a \ud83d\ude00 \ud83d b"
    typed = Comment(halves), Flag(halves), Dispose("skipped", ("entity",), halves)
    opened = act(bench.store, bench.open("rome"), *typed)
    state = bench.review("rome").state
    assert opened.state == state
    assert ["a 😀 \ufffd b"] * 3 == [*state.comments, state.flag, state.entity.reason]
    with pytest.raises(StoreError, match="half a character"):
        undo(bench.store, bench.info().id, halves)
