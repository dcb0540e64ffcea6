"""Native JSON Lines: what each key becomes, and what is refused."""

from __future__ import annotations

import gc
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import InputError, NotFoundError
from workbench.formats.exports.item import to_line
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import (
    Evidence,
    GoldRecord,
    Match,
    Proposal,
    ProposedEntity,
    ProposedStatement,
    Sample,
    Span,
    Unit,
    text_hash,
)

REFERENCE = "The Taj Mahal is in Agra. Agra is a city."
CONTEXT = "The Taj Mahal, Agra."


def row(**more: Any) -> dict[str, Any]:
    return {"id": "s", "user_input": "Where?", "reference": REFERENCE, "retrieved_contexts": [CONTEXT]} | more


def entity(**more: Any) -> dict[str, Any]:
    return {"text": "Taj Mahal", "label": "work", "start": 4, "end": 13, "verdict": "missing"} | more


def gold(*entities: Any, **more: Any) -> dict[str, Any]:
    return row(gold={"annotator": "ana", "entities": list(entities), **more})


def imported(*spans: Span, number: int = 1, text: str = "Taj Mahal", **match: Any) -> Unit:
    said = Match(**({"verdict": "missing", "rule": "human"} | match))
    return Unit(f"g{number}", "entity", text, "work", spans, said, "imported")


def test_every_key_of_a_full_row_arrives(fixture: Any) -> None:
    """The fixture has every key of the format; each ends in its field."""
    loaded = fixture("native.jsonl")
    first = loaded.records[0]

    assert loaded.errors == []
    assert loaded.notes.format == "native"
    assert first.sample == Sample(
        id="taj-high",
        user_input="What is the Taj Mahal?",
        reference="The Taj Mahal is an ivory-white marble mausoleum in the Indian city of Agra.",
        retrieved_contexts=("The Taj Mahal is a symbol of love, located in Agra.", 'a | b\n"quoted"'),
        response="A tomb.",
        group="taj",
        meta={"language": "en", "page": 3},
        alternatives=("A tomb in Agra.",),
    )
    assert first.proposal == Proposal(
        proposer="claude",
        model="m-1",
        reference_entities=(ProposedEntity("Taj Mahal", "work", 4, 13), ProposedEntity("Agra")),
        context_entities=((ProposedEntity("Agra", "", 46, 50),), ()),
        statements=(
            ProposedStatement("It is in Agra.", "found", 0, "located in Agra", "said", start=50, end=76),
        ),
    )
    found = Match("found", None, (Evidence(0, 4, 13),), rule="human")
    absent = Match("missing", "absent", rule="human")
    unsure = Match("unsure", rule="human", note="in or near?")
    assert first.gold == (
        GoldRecord(
            "ana",
            entities=(
                Unit("g1", "entity", "Taj Mahal", "work", (Span(4, 13),), found, "imported"),
                Unit("g2", "entity", "Indian", "other", (Span(56, 62),), absent, "imported"),
            ),
        ),
        GoldRecord(
            "bo",
            entities=(),
            statements=(Unit("g1", "statement", "It is in Agra.", "", (Span(50, 76),), unsure, "imported"),),
        ),
    )
    assert first.scores == {"context_entity_recall": "0.999999995", "mine": "1"}
    assert [record.sample.reference for record in loaded.records[1:]] == ["Столица Франции — Париж 🗼.", ""]


def test_a_row_without_id_is_named_by_its_content(load: Any) -> None:
    """No, null and empty ids are the same: the hash of question, reference and contexts."""
    rows = [{**row(), "id": given} for given in (None, "")]
    del (bare := row())["id"]

    expected = text_hash("Where?", REFERENCE, CONTEXT)
    assert [r.sample.id for r in load([bare, *rows]).records] == [expected] * 3


def test_an_integer_id_or_group_becomes_a_string(load: Any) -> None:
    """Row numbers are common ids."""
    record = load(row(id=17, group=2)).record

    assert (record.sample.id, record.sample.group) == ("17", "2")


def test_null_is_as_good_as_absent(load: Any) -> None:
    """Every optional key may be null."""
    names = ("response", "meta", "group", "alternatives", "proposal", "gold", "scores")

    assert load(row(**dict.fromkeys(names))).record == load(row()).record


def test_unknown_keys_go_to_meta_and_are_counted(load: Any) -> None:
    """Nothing of a row is lost, and the person is told once."""
    loaded = load([row(source="wiki", page=0), row(source="web")])

    assert [r.sample.meta for r in loaded.records] == [{"source": "wiki", "page": 0}, {"source": "web"}]
    assert loaded.notes.messages() == ["kept in meta: page (1 row), source (2 rows)"]


def test_an_unknown_key_that_meta_has_already_goes_under_extra(load: Any) -> None:
    """`meta` keeps its own; a `_extra` that is there already is not overwritten."""
    first, second = load([row(meta={"a": 1}, a=2, b=3), row(meta={"a": 1, "_extra": 0}, a=2)]).records

    assert first.sample.meta == {"a": 1, "b": 3, "_extra": {"a": 2}}
    assert second.sample.meta == {"a": 1, "_extra": 0, "_extra_": {"a": 2}}


def test_the_error_key_of_a_mended_reject_is_left_out(load: Any) -> None:
    """A rejected row can be imported again without editing its `_error` away."""
    assert load(row(_error="line 3: …")).record == load(row()).record


@pytest.mark.parametrize("digits", ["0.999999995", "0.50", "1", "1E-3", "-0.0", "0.33333333333333333333"])
def test_scores_keep_the_digits_of_the_file(load: Any, digits: str) -> None:
    """The last digits tell which version of a metric wrote them."""
    line = json.dumps(row(scores={"recall": "?"})).replace('"?"', digits)

    assert load(line).record.scores == {"recall": digits}


def test_nan_and_null_are_no_score(load: Any) -> None:
    """A failed row is not a zero."""
    loaded = load(
        '{"user_input": "q", "reference": "", "retrieved_contexts": [], "scores": {"a": NaN, "b": null}}'
    )

    assert loaded.record.scores == {}
    assert loaded.notes.scores == {}


def test_a_known_metric_at_the_top_is_a_score_and_another_number_is_not(load: Any) -> None:
    """In native rows a number of unknown meaning stays in meta."""
    loaded = load(row(context_recall=0.5, year=1999, scores={"mine": 0.25}))

    assert loaded.record.scores == {"mine": "0.25", "context_recall": "0.5"}
    assert loaded.record.sample.meta == {"year": 1999}
    assert loaded.notes.messages() == [
        "kept in meta: year (1 row)",
        "your scores: context_recall (1 row), mine (1 row)",
    ]


def test_alternatives_are_kept_and_said(load: Any) -> None:
    """The first reference is the one scored."""
    loaded = load([row(alternatives=["Agra."]), row(alternatives=[])])

    assert [r.sample.alternatives for r in loaded.records] == [("Agra.",), ()]
    assert loaded.notes.messages() == [
        "several reference answers in 1 row: the first is scored, the others are kept as alternatives"
    ]


# Proposals


@pytest.mark.parametrize("names", [(), ("Agra",)])
def test_absent_means_not_asked_and_empty_means_none_found(load: Any, names: tuple[str, ...]) -> None:
    """The two are different answers of a proposer. An entity may be a bare string, as in other tools."""
    found = load(row(proposal={"proposer": "p", "reference_entities": names})).record.proposal

    entities = tuple(map(ProposedEntity, names))
    assert found == Proposal("p", reference_entities=entities, context_entities=None, statements=None)


def test_wrong_offsets_of_a_proposal_are_moved_or_left_out(load: Any) -> None:
    """Moved when the name stands in one place only; never an error, a model made them."""
    entities = [
        {"text": "Taj Mahal", "start": 5, "end": 14},
        {"text": "Agra", "start": 0, "end": 4},
        {"text": "Delhi", "start": 0, "end": 5},
        {"text": "city", "start": 36, "end": 4000},
        {"text": "is", "start": -3, "end": 2},
        {"text": "The", "start": 0},
    ]
    statements = [{"text": "x", "start": 3, "end": 3, "context": 1}, {"text": "y", "start": 0, "end": 9}]
    loaded = load(row(proposal={"proposer": "p", "reference_entities": entities, "statements": statements}))

    assert loaded.record.proposal == Proposal(
        "p",
        reference_entities=(
            ProposedEntity("Taj Mahal", "", 4, 13),
            ProposedEntity("Agra"),
            ProposedEntity("Delhi"),
            ProposedEntity("city", "", 36, 40),
            ProposedEntity("is"),
            ProposedEntity("The", "", 0, 3),
        ),
        statements=(ProposedStatement("x"), ProposedStatement("y", start=0, end=9)),
    )
    assert loaded.notes.messages() == [
        "wrong offsets, moved to the only place that fits: 3 "
        '(line 1: "Taj Mahal" 5:14 → 4:13; line 1: "city" 36:4000 → 36:40; line 1: "The" 0:? → 0:3)',
        'places in proposals that point nowhere, left out: 5 (line 1: "Agra" 0:4; line 1: "Delhi" 0:5; '
        'line 1: "is" -3:2; line 1: context 1, of 1 from 0; line 1: a statement at 3:3)',
    ]


def test_offsets_of_a_context_entity_point_into_its_context(load: Any) -> None:
    """Not into the reference."""
    proposal = {"proposer": "p", "context_entities": [[{"text": "Agra", "start": 15, "end": 19}]]}

    found = load(row(proposal=proposal)).record.proposal
    assert found == Proposal("p", context_entities=((ProposedEntity("Agra", "", 15, 19),),))


# Gold


def test_gold_of_one_annotator_may_be_an_object_and_of_several_a_list(load: Any) -> None:
    """An empty list is no gold at all."""
    one = {"annotator": "ana", "entities": []}
    rows = [row(gold=one), row(gold=[one]), row(gold=[one, {**one, "annotator": "bo"}]), row(gold=[])]

    ana, bo = GoldRecord("ana", entities=()), GoldRecord("bo", entities=())
    assert [r.gold for r in load(rows).records] == [(ana,), (ana,), (ana, bo), ()]


def test_gold_of_another_shape_is_kept_in_meta(load: Any) -> None:
    """It is some other tool's; only an `annotator` makes it ours."""
    other = ["yes", 1, {"entities": []}, ["a"], [{"label": 1}]]
    loaded = load([row(gold=gold) for gold in other])

    assert [r.sample.meta for r in loaded.records] == [{"gold": gold} for gold in other]
    assert [r.gold for r in loaded.records] == [()] * 5
    whole = "expected an object with annotator and entities or statements, or a list of them"
    assert loaded.notes.messages() == [
        "gold of another shape in 5 rows: kept in meta, not used as gold ("
        f'line 1: gold: got "yes", {whole}; line 2: gold: got number 1, {whole}; '
        f"line 3: gold: got an object with entities, {whole}; line 4: gold: got a list of 1, {whole}; "
        f"line 5: gold: got a list of 1, {whole})"
    ]


def test_a_proposal_of_another_shape_is_kept_in_meta(load: Any) -> None:
    """A dataset of grant proposals may have such a column."""
    loaded = load([row(proposal="build a bridge"), row(proposal={"title": "x"})])

    assert [r.sample.meta for r in loaded.records] == [
        {"proposal": "build a bridge"},
        {"proposal": {"title": "x"}},
    ]
    assert loaded.notes.messages() == ["proposal of another shape in 2 rows: kept in meta, not used"]


def test_a_gold_entity_keeps_its_further_keys(load: Any) -> None:
    """Further mentions may be worded otherwise; `other_entity` is the same reason as `other entity`."""
    given = entity(
        id="e7", spans=[{"start": 20, "end": 24}], reason="other_entity", nested=True, note="n", label="work"
    )
    (unit,) = load(gold(given)).record.gold[0].entities

    match = Match("missing", "other entity", rule="human", nested=True, note="n")
    assert unit == Unit("e7", "entity", "Taj Mahal", "work", (Span(4, 13), Span(20, 24)), match, "imported")


def test_gold_without_offsets_is_grounded_at_every_exact_mention(load: Any) -> None:
    """What does not occur stays ungrounded, and an empty `spans` says so outright."""
    bare = {"label": "work", "verdict": "missing"}
    names: list[dict[str, Any]] = [
        {"text": "Agra"},
        {"text": "agra"},
        {"text": "Agra", "spans": []},
        {"text": "gra"},
    ]
    units = load(gold(*({**bare, **name} for name in names))).record.gold[0].entities

    assert units == (
        imported(Span(20, 24), Span(26, 30), number=1, text="Agra"),
        imported(number=2, text="agra"),
        imported(number=3, text="Agra"),
        imported(Span(21, 24), Span(27, 30), number=4, text="gra"),
    )


def test_whole_words_are_preferred_when_gold_is_grounded(load: Any) -> None:
    """«is» inside «This» is not a mention while there is a word of its own."""
    record = load(
        row(
            reference="This is Iran, Iranian",
            gold={"annotator": "a", "entities": [{"text": "is", "verdict": "unsure"}]},
        )
    ).record

    assert record.gold[0].entities is not None
    assert record.gold[0].entities[0].spans == (Span(5, 7),)


def test_wrong_offsets_of_gold_are_moved_when_the_name_stands_once(load: Any) -> None:
    """The repair is said."""
    loaded = load(gold(entity(start=5, end=14)))

    assert loaded.record.gold[0].entities == (imported(Span(4, 13)),)
    assert loaded.notes.messages() == [
        'wrong offsets, moved to the only place that fits: 1 (line 1: "Taj Mahal" 5:14 → 4:13)'
    ]


def test_an_end_behind_the_reference_is_no_place_though_python_reads_the_name_there(load: Any) -> None:
    """A slice stops at the end of a text: "abc"[1:99] is "bc"."""
    reference = row()["reference"]
    start = len(reference) - 5

    loaded = load(gold({**entity(), "text": reference[start:], "start": start, "end": 99}))

    assert loaded.record.gold[0].entities is not None
    assert loaded.record.gold[0].entities[0].spans == (Span(start, start + 5),)
    assert loaded.notes.seen["moved"] == 1


def test_a_gold_statement_may_be_worded_otherwise_than_its_span(load: Any) -> None:
    """A claim covers a span, it need not quote it."""
    statement = {"text": "It stands in Agra", "start": 0, "end": 25, "verdict": "unsure"}
    record = load(row(gold={"annotator": "a", "statements": [statement]})).record

    unit = Unit(
        "g1", "statement", "It stands in Agra", "", (Span(0, 25),), Match("unsure", rule="human"), "imported"
    )
    assert record.gold == (GoldRecord("a", None, (unit,)),)


def test_units_are_numbered_on_from_entities_to_statements(load: Any) -> None:
    """So that an id names one unit of a gold record."""
    statement = {"text": "x", "verdict": "unsure"}
    record = load(gold(entity(), statements=[statement, statement])).record

    assert [unit.id for unit in record.gold[0].statements or ()] == ["g2", "g3"]


def test_keys_without_a_place_inside_gold_and_proposal_are_said(load: Any) -> None:
    """A model cannot hold them; silence would be a loss."""
    loaded = load(
        gold(entity(colour="red"), entity(id="x", colour=1), mood="good")
        | {"proposal": {"proposer": "p", "usage": {}, "statements": [{"text": "x", "p": 0.5}]}}
    )

    assert loaded.errors == []
    assert loaded.notes.messages() == [
        "left out, no place for them: gold.entities.colour (2 rows), gold.mood (1 row), "
        "proposal.statements.p (1 row), proposal.usage (1 row)"
    ]


# The file as a whole


def test_bom_crlf_blank_lines_and_a_missing_last_newline_are_read(load: Any) -> None:
    """Line numbers count the blank ones."""
    line = json.dumps(row()).encode()
    loaded = load(b"\xef\xbb\xbf\r\n" + line + b"\r\n  \n\n  " + line)

    assert [row.line for row in loaded.rows] == [2, 5]
    assert loaded.rows[0].record == loaded.rows[1].record
    assert loaded.rows[0].raw == line.decode()


def test_foreign_bytes_are_refused_with_their_offset_in_the_file(load: Any) -> None:
    """Of one row; the raw row shows them as escapes."""
    good = json.dumps(row()).encode()
    bad = b'{"user_input": "caf\xe9"' + b" " * 20_000 + b"}"
    loaded = load(good + b"\n" + bad)

    assert loaded.errors == [
        f"2: row: got byte 0xe9 at offset {len(good) + 1 + 19} of the file, expected UTF-8"
    ]
    assert loaded.rows[1].raw == '{"user_input": "caf\\xe9"' + " " * 20_000 + "}"


def test_progress_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    """It is called about once a megabyte, with bytes."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + (json.dumps(row(response="x" * 10_000)) + "\n").encode() * 300)
    seen: list[int] = []

    assert sum(1 for _ in read(path, notes=Notes(), progress=seen.append)) == 300
    assert seen == sorted(seen)
    assert seen[-1] == path.stat().st_size
    assert len(seen) == 3


def test_a_line_over_the_limit_is_one_bad_row(tmp_path: Path) -> None:
    """The rest of it is skipped and the next row is read."""
    path = tmp_path / "a.jsonl"
    good = json.dumps(row()).encode()
    path.write_bytes(good + b'\n{"id": "' + b"x" * (64 * 1024 * 1024) + b'"}\n' + good)
    seen: list[int] = []
    rows = list(read(path, notes=Notes(), progress=seen.append))

    assert [(row.line, str(row.error).rpartition("a.jsonl:")[2]) for row in rows] == [
        (1, "None"),
        (2, "2: row: got a line of more than 67,108,864 bytes, expected one sample a line, in less"),
        (3, "None"),
    ]
    assert len(rows[1].raw) == 10_000
    assert seen[-1] == path.stat().st_size


def test_nothing_is_opened_before_the_first_row_is_asked_for(tmp_path: Path) -> None:
    """A stream that is dropped, or was never started, leaves no open file behind."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row()))

    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always")
        started = read(path, notes=Notes())
        next(started)
        del started
        read(path, notes=Notes())
        gc.collect()

    assert [] == [str(one.message) for one in unclosed]


def test_a_missing_file_and_a_table_are_not_native(tmp_path: Path) -> None:
    """Asking for native on a CSV is said, not guessed around."""
    with pytest.raises(NotFoundError, match="no such file"):
        read(tmp_path / "none.jsonl", notes=Notes())
    path = tmp_path / "a.csv"
    path.write_text("user_input,reference,retrieved_contexts\nq,r,[]\n")

    with pytest.raises(InputError, match="the native format is JSON Lines"):
        read(path, format="native", notes=Notes())


def test_written_lines_have_the_keys_in_order_and_nothing_absent(load: Any, fixture: Any) -> None:
    """The fixture is written as it stands, but for one offset that was repaired and sorted names."""
    lines = [to_line(record) for record in fixture("native.jsonl").records]
    keys = [list(json.loads(line)) for line in lines]

    every = "id user_input reference response retrieved_contexts meta group alternatives proposal gold scores"
    assert keys[0] == every.split()
    assert keys[2] == ["id", "user_input", "reference", "retrieved_contexts"]
    assert lines[2] == (
        '{"id": "empty", "user_input": "שלום עולם", "reference": "", "retrieved_contexts": ["مرحبا"]}\n'
    )


def test_units_that_do_not_count_are_not_written(load: Any) -> None:
    """Gold is what counts; an undecided verdict counts like an unsure one."""
    sample = load(row()).record
    units = tuple(
        Unit(name, "entity", "Agra", spans=(Span(20, 24),), rejected=name == "a", duplicate_of=twin)
        for name, twin in (("a", ""), ("b", ""), ("c", "b"))
    )
    line = to_line(type(sample)(sample.sample, gold=(GoldRecord("ana", entities=units),)))

    assert json.loads(line)["gold"]["entities"] == [
        {"id": "b", "text": "Agra", "start": 20, "end": 24, "verdict": "unsure", "evidence": []}
    ]


@pytest.mark.parametrize("format", ["native", "ragas"])
def test_a_score_of_a_refused_row_is_not_counted(load: Any, format: str) -> None:  # noqa: A002
    row = {"user_input": "q", "reference": "Ann.", "retrieved_contexts": [], "context_recall": 0.5}
    refused = {**row, "context_recall": None, "scores": {"context_recall": 1.5}}
    loaded = load([refused, {**row, "reference": 5}, {**row, "id": []}, row], format=format)

    assert len(loaded.errors) == 3
    assert loaded.notes.scores == {"context_recall": 1}
