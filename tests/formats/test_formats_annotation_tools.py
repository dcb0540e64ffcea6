"""Texts with marked spans: Prodigy, Label Studio, Argilla and doccano."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Bench
from workbench.formats.readers.annotated import Region, placed
from workbench.formats.rows import Notes
from workbench.model import GoldRecord, Proposal, ProposedEntity, Sample, Span, text_hash

TEXT = "Ann met Bob in Rome."
ANN, BOB, ROME = (
    ProposedEntity("Ann", "person", 0, 3),
    ProposedEntity("Bob", "person", 8, 11),
    ProposedEntity("Rome", "place", 15, 19),
)
FIELDS = {"question": "Who?", "contexts": ["Ann was in Rome."]}
SAMPLE = Sample(
    text_hash("Who?", TEXT, "Ann was in Rome."), "Who?", TEXT, ("Ann was in Rome.",), meta={"source": "wiki"}
)


def span(entity: ProposedEntity, **more: Any) -> dict[str, Any]:
    return {"start": entity.start, "end": entity.end, "label": entity.label, **more}


def region(entity: ProposedEntity, number: int = 1, **value: Any) -> dict[str, Any]:
    given = {"start": entity.start, "end": entity.end, "text": entity.text, "labels": [entity.label], **value}
    return {"id": f"r{number}", "from_name": "l", "to_name": "t", "type": "labels", "value": given}


PRODIGY = {
    "text": TEXT,
    "meta": {**FIELDS, "source": "wiki"},
    "spans": [span(ANN, token_start=0, token_end=0), span(ROME)],
    "tokens": [{"text": "Ann", "start": 0, "end": 3, "id": 0, "ws": True}],
    "answer": "accept",
    "_annotator_id": "zoe",
}
LABEL_STUDIO = {
    "id": 7,
    "data": {"text": TEXT, **FIELDS, "source": "wiki", "id": SAMPLE.id},
    "annotations": [{"completed_by": 3, "result": [region(ANN, 1), region(ROME, 2)], "was_cancelled": False}],
}
ARGILLA = {
    "id": SAMPLE.id,
    "fields": {"text": TEXT},
    "metadata": {**FIELDS, "source": "wiki"},
    "suggestions": {},
    "responses": {"ner": [{"value": [span(ANN), span(ROME)], "user_id": "u1"}]},
}
DOCCANO = {"text": TEXT, "label": [[0, 3, "person"], [15, 19, "place"]], **FIELDS, "source": "wiki"}
RELATIONS = {
    "text": TEXT,
    "entities": [
        {"id": 1, "label": "person", "start_offset": 0, "end_offset": 3},
        {"id": 2, "label": "place", "start_offset": 15, "end_offset": 19},
    ],
    "relations": [{"id": 1, "from_id": 1, "to_id": 2, "type": "in"}],
    **FIELDS,
    "source": "wiki",
}
TASKS = [
    (PRODIGY, "prodigy", "annotator zoe"),
    (LABEL_STUDIO, "label-studio", "annotator 3"),
    (ARGILLA, "argilla", "annotator u1"),
    (DOCCANO, "doccano", ""),
    (RELATIONS, "doccano", ""),
]


@pytest.mark.parametrize(
    ("row", "tool", "by"), TASKS, ids=["prodigy", "ls", "argilla", "doccano", "relations"]
)
@pytest.mark.parametrize("form", ["lines", "document"])
def test_spans_become_a_proposal_named_after_their_tool_and_annotator(
    load: Any, row: dict[str, Any], tool: str, by: str, form: str
) -> None:
    """They have no verdicts, so that they are no gold; what stands beside the text is the sample."""
    loaded = load(row) if form == "lines" else load(json.dumps([row], indent=1), "a.json")

    assert loaded.notes.format == tool
    assert loaded.record.sample == SAMPLE
    assert loaded.record.proposal == Proposal(tool, by, (ANN, ROME))
    assert loaded.record.gold == ()


NO_CONTEXTS = (
    "warning: no contexts in 1 row. Recall counts every unit there as missing. You can still annotate the "
    "references. If a column holds the contexts, name it: --map retrieved_contexts=COLUMN"
)


def test_a_text_alone_is_a_sample_without_contexts_and_the_report_says_so(load: Any) -> None:
    """Every unit would read missing."""
    loaded = load({"text": TEXT, "label": [[0, 3, "person"]]})

    assert loaded.record.sample == Sample(text_hash("", TEXT), "", TEXT, ())
    assert loaded.notes.messages() == [NO_CONTEXTS]


@pytest.mark.parametrize("answer", ["reject", "ignore"])
def test_a_task_that_was_not_accepted_brings_its_text_only(load: Any, answer: str) -> None:
    """Its spans are somebody's no."""
    loaded = load({**PRODIGY, "answer": answer})

    assert loaded.record.proposal is None
    assert f"answer {answer}: the text came in, its spans did not: 1 row" in loaded.notes.messages()


def test_verdicts_on_every_span_make_gold(load: Any) -> None:
    """One without leaves a proposal."""
    spans = [span(ANN, verdict="found"), span(BOB, verdict="missing")]
    (gold,) = load({**PRODIGY, "spans": spans}).record.gold

    assert [(u.text, u.label, u.spans, u.match.verdict) for u in gold.entities or ()] == [
        ("Ann", "person", (Span(0, 3),), "found"),
        ("Bob", "person", (Span(8, 11),), "missing"),
    ]
    assert gold.annotator == "zoe"
    assert load({**PRODIGY, "spans": [*spans, span(ROME)]}).record.gold == ()


def test_a_verdict_chosen_for_each_region_makes_gold(load: Any) -> None:
    """In Label Studio it is a result of its own with the region's id."""
    chosen = {"id": "r1", "type": "choices", "from_name": "verdict", "value": {"choices": ["missing"]}}
    task = {**LABEL_STUDIO, "annotations": [{"annotator": "zoe", "result": [region(BOB), chosen]}]}
    (gold,) = load([task]).record.gold

    assert [(unit.text, unit.match.verdict) for unit in gold.entities or ()] == [("Bob", "missing")]
    assert gold.annotator == "zoe"


def test_a_choice_of_no_region_is_left_out(load: Any) -> None:
    """Whatever its id is."""
    odd = {"id": ["r1"], "type": "choices", "value": {"choices": ["missing"]}}
    loaded = load([{**LABEL_STUDIO, "annotations": [{"result": [region(BOB), odd]}]}])

    assert loaded.record.gold == ()
    assert "left out, no place for them: result of type choices (1 row)" in loaded.notes.messages()


@pytest.mark.parametrize(("type_", "sets"), [("choices", 1), ("rectanglelabels", 0)])
def test_who_marked_no_stretch_says_that_there_is_none_but_not_with_marks_of_a_picture(
    load: Any, type_: str, sets: int
) -> None:
    """A choice about the whole text leaves it without names; a rectangle is about something else."""
    result = {"id": "x", "type": type_, "value": {"choices": ["good"]}}
    loaded = load([{**LABEL_STUDIO, "annotations": [{"completed_by": 3, "result": [result]}]}])

    assert [Proposal("label-studio", "annotator 3", ())] * sets == [*filter(None, [loaded.record.proposal])]


def test_predictions_and_every_annotator_are_proposals_of_their_own(load: Any) -> None:
    """The model's comes first; a skipped task has none."""
    relation = {"id": "x", "type": "relation", "from_id": "a", "to_id": "b"}
    task = {
        "data": {"text": TEXT},
        "predictions": [{"model_version": "ner-2", "result": [region(BOB)]}],
        "annotations": [
            {"completed_by": {"id": 4, "email": "a@b.c"}, "result": [region(ANN), relation]},
            {"completed_by": 5, "result": [], "was_cancelled": True},
            {"completed_by": 6, "result": []},
        ],
    }
    loaded = load([task])

    assert loaded.record.proposal == Proposal("label-studio", "ner-2", (BOB,))
    assert loaded.record.proposals[1:] == (
        Proposal("label-studio", "annotator a@b.c", (ANN,)),
        Proposal("label-studio", "annotator 6", ()),
    )
    assert loaded.notes.messages() == [
        NO_CONTEXTS,
        "left out, no place for them: result of type relation (1 row)",
        "skipped there (was_cancelled): the text came in, the spans did not: 1 row",
    ]


def test_the_short_export_of_label_studio_is_read(load: Any) -> None:
    """JSON_MIN has the data at the top and spans under the name of their control."""
    spans = [{"start": 8, "end": 11, "text": "Bob", "labels": ["person"]}]
    row = {"text": TEXT, "id": 4, "ner": spans, "annotator": 2, "annotation_id": 9, "lead_time": 3.5}
    loaded = load(json.dumps([row]), "min.json")

    assert loaded.notes.format == "label-studio"
    assert loaded.record.proposal == Proposal("label-studio", "annotator 2", (BOB,))
    assert loaded.record.sample.id == "4"


def test_argilla_suggestions_responses_and_states(load: Any) -> None:
    """Drafts are not said yet; an answer to a question of another kind is no span."""
    row = {
        "id": "r",
        "fields": {"text": TEXT},
        "suggestions": {
            "ner": {"value": [span(BOB)], "score": None, "agent": "m1"},
            "tone": {"value": "dry"},
        },
        "responses": {
            "ner": [
                {"value": [span(ANN)], "user_id": "u1", "status": "submitted"},
                {"value": [span(ROME)], "user_id": "u2", "status": "draft"},
            ]
        },
    }
    loaded = load([row])

    assert loaded.record.proposal == Proposal("argilla", "m1", (BOB,))
    assert loaded.record.proposals[1:] == (Proposal("argilla", "annotator u1", (ANN,)),)
    assert "draft responses: their spans did not come in: 1 row" in loaded.notes.messages()


def test_flattened_argilla_records_are_read(load: Any) -> None:
    """As a Hugging Face dataset holds them."""
    row = {
        "id": "r",
        "text": TEXT,
        "ner.suggestion": [span(BOB)],
        "ner.suggestion.agent": "m1",
        "ner.responses": [[span(ANN)], [span(ROME)]],
        "ner.responses.users": ["u1", "u2"],
        "ner.responses.status": ["submitted", "discarded"],
    }
    loaded = load([row])

    assert loaded.notes.format == "argilla"
    assert loaded.record.proposal == Proposal("argilla", "m1", (BOB,))
    assert loaded.record.proposals[1:] == (Proposal("argilla", "annotator u1", (ANN,)),)


# Places


def test_offsets_in_utf16_units_are_mended_by_the_words(load: Any) -> None:
    """An emoji is two units: what the browser counted is one further for each before it."""
    text = "😀 Ann met 👩‍🚀 Bob, then Bob left."
    start = text.index("Bob")
    units = len(text[:start].encode("utf-16-le")) // 2
    task = {"data": {"text": text}, "annotations": [{"result": [region(BOB, start=units, end=units + 3)]}]}
    loaded = load([task])

    assert loaded.record.proposal.reference_entities == (ProposedEntity("Bob", "person", start, start + 3),)
    assert loaded.notes.seen["moved"] == 1
    assert loaded.notes.messages()[1] == (
        "wrong offsets, moved to the only place that fits: 1 "
        f'(line 1: "Bob" {units}:{units + 3} → {start}:{start + 3})'
    )


def test_offsets_without_words_are_utf16_where_only_that_fits_the_words_of_the_text(load: Any) -> None:
    """doccano writes no words beside its offsets: the whole row decides."""
    text = "😀 Ann met Bob."
    shifted = load({"text": text, "label": [[3, 6, "person"], [11, 14, "person"]]})
    right = load({"text": text, "label": [[2, 5, "person"], [10, 13, "person"]]})

    expected = (ProposedEntity("Ann", "person", 2, 5), ProposedEntity("Bob", "person", 10, 13))
    assert shifted.record.proposal.reference_entities == expected
    assert right.record.proposal.reference_entities == expected
    assert (shifted.notes.seen["moved"], right.notes.seen["moved"]) == (2, 0)


def test_utf16_units_that_are_known_decide_between_two_places_of_the_same_words() -> None:
    """Behind an emoji a mark of the first of two equal letters read as one of the second."""
    ((ours,), _) = placed("😀 aa", [Region(3, 4, "p", "a")], Notes(), in_units=True)
    ((foreign,), _) = placed("😀 aa", [Region(3, 4, "p", "a")], Notes())

    assert [(2, 3), (3, 4)] == [(one.start, one.end) for one in (ours, foreign)]


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("Ann met Bob.", Region(0, 4, "p", "Ann "), (0, 3)),
        ("Ann met Bob.", Region(7, 12, "p", " Bob"), (8, 11)),
        ("Ann met Bob.", Region(3, 8, "p", None), (4, 7)),
        ("Ann  met   Bob. Bob", Region(8, 11, "p", "Bob"), (11, 14)),
        ("Ann  met   Bob.", Region(4, 11, "p", "met Bob"), (5, 14)),
        ("Ann\r\nmet Bob, Bob", Region(4, 7, "p", "met"), (5, 8)),
        ("Ann met Bob.", Region(100, 103, "p", "Bob"), (8, 11)),
        ("Ann met Bob.", Region(-4, -1, "p", "Bob"), (8, 11)),
    ],
)
def test_a_place_is_moved_where_one_answer_fits(text: str, given: Region, expected: tuple[int, int]) -> None:
    """Blanks at the edge, collapsed blanks, words that stand once."""
    notes = Notes()
    ((entity,), lost) = placed(text, [given], notes)

    assert (entity.start, entity.end, lost) == (*expected, [])
    assert entity.text == text[slice(*expected)]
    assert (notes.seen["moved"], notes.seen["ungrounded"]) == (1, 0)


def test_a_place_that_is_not_certain_is_kept_as_ungrounded_and_named(load: Any) -> None:
    """Neither dropped nor put somewhere: the words stand twice, or not at all."""
    spans = [{"start": 1, "end": 4, "label": "p", "text": word} for word in ("Bob", "Zoe")]
    loaded = load({"text": "Bob met Bob.", "spans": spans})

    assert loaded.record.proposal.reference_entities == (
        ProposedEntity("Bob", "p"),
        ProposedEntity("Zoe", "p"),
    )
    assert loaded.notes.messages()[1] == (
        "spans that stand nowhere in their text, kept as ungrounded: 2 "
        '(line 1: "Bob" at 1:4; line 1: "Zoe" at 1:4)'
    )


def test_a_place_outside_the_text_without_words_is_kept_in_meta(load: Any) -> None:
    """There is nothing to show as a unit."""
    loaded = load({"text": "Bob.", "label": [[0, 3, "p"], [2, 40, "q"]]})

    assert loaded.record.proposal.reference_entities == (ProposedEntity("Bob", "p", 0, 3),)
    assert loaded.record.sample.meta == {"_spans": [[2, 40, "q"]]}
    assert loaded.notes.messages()[2:] == [
        "spans that stand nowhere in their text, kept as ungrounded: 1 "
        "(line 1: 2:40 in a text of 4 characters)",
        "of these without words of their own, kept in meta as _spans: 1",
    ]


WORDS = st.lists(
    st.sampled_from(["Ann", "Боб", "😀", "מים", "e\u0301t", "👩‍🚀", "a", "日本"]), min_size=1, max_size=8
)


@settings(max_examples=150, deadline=None)
@given(WORDS, st.data())
def test_every_span_that_a_browser_counted_comes_back(words: list[str], data: st.DataObject) -> None:
    """With its words; whatever stands before it."""
    text = " ".join(words)
    regions, expected = [], []
    for index in data.draw(st.lists(st.integers(0, len(words) - 1), max_size=4, unique=True)):
        start = len(" ".join(words[:index])) + (index > 0)
        end = start + len(words[index])
        first, last = (len(text[:at].encode("utf-16-le")) // 2 for at in (start, end))
        regions.append(Region(first, last, "x", words[index]))
        expected.append((words[index], start, end))
    found, lost = placed(text, regions, Notes())

    assert lost == []
    ours, _ = placed(text, regions, Notes(), in_units=True)  # of a row that we exported the unit is known
    assert expected == [(entity.text, entity.start, entity.end) for entity in ours]
    for entity, (word, start, end) in zip(found, expected, strict=True):
        assert entity.text == word
        if text.count(word) == 1:
            assert (entity.start, entity.end) == (start, end)
        if entity.start is not None:
            assert text[entity.start : entity.end] == word


@settings(max_examples=200, deadline=None)
@given(
    st.text("ab 😀\n", max_size=12),
    st.lists(
        st.builds(
            Region,
            st.integers(-3, 15),
            st.integers(-3, 15),
            st.just("x"),
            st.none() | st.text("ab 😀", max_size=4),
        ),
        max_size=4,
    ),
)
def test_no_region_is_dropped_and_none_quotes_other_words(text: str, regions: list[Region]) -> None:
    """Each is placed, ungrounded or lost, and counted."""
    notes = Notes()
    found, lost = placed(text, regions, notes)

    assert len(found) + len(lost) == len(regions)
    assert notes.seen["ungrounded"] == sum(entity.start is None for entity in found) + len(lost)
    for entity in found:
        if entity.start is not None:
            assert text[entity.start : entity.end] == entity.text == entity.text.strip() != ""


# What we exported


EXPORTED = {
    "id": "s1",
    "user_input": "Who?",
    "retrieved_contexts": ["Ann was in Rome."],
    "gold": {
        "annotator": "zoe",
        "entities": [
            {"text": "Ann", "label": "person", "start": 0, "end": 3, "verdict": "found", "note": "n"},
            {"text": "Rome", "label": "place", "start": 15, "end": 19, "verdict": "missing"},
        ],
        "flag": "look",
    },
    "scores": {"context_recall": 0.50},
    "u": 0.25,
}
PLACES = {
    "prodigy": {**PRODIGY, "meta": {"workbench": EXPORTED}},
    "label-studio": {**LABEL_STUDIO, "data": {"text": TEXT, "workbench": EXPORTED}},
    "argilla": {**ARGILLA, "metadata": {"workbench": json.dumps(EXPORTED)}},
    "doccano": {**DOCCANO, "workbench": EXPORTED},
}


@pytest.mark.parametrize("tool", PLACES)
def test_a_row_that_we_exported_comes_back_with_its_gold(load: Any, tool: str) -> None:
    """Verdicts, notes, marks, digits and all, from the object in the tool's place for metadata."""
    native = load({**EXPORTED, "reference": TEXT}).record
    raw = json.dumps([PLACES[tool]]).replace("0.5}", "0.50}").replace('0.5\\"', '0.50\\"')

    loaded = load(raw, "a.json")

    assert loaded.notes.format == tool
    assert loaded.record.gold == native.gold
    assert loaded.record.sample == native.sample
    assert loaded.record.u == 0.25
    assert float(loaded.record.scores["context_recall"]) == 0.5


def test_spans_changed_in_the_tool_come_as_a_proposal_without_the_gold(load: Any) -> None:
    """A new span has no verdict yet."""
    loaded = load({**PRODIGY, "spans": [span(ANN), span(BOB), span(ROME)], "meta": {"workbench": EXPORTED}})

    assert loaded.record.gold == ()
    assert loaded.record.sample.id == "s1"
    assert loaded.record.proposal == Proposal("prodigy", "annotator zoe", (ANN, BOB, ROME))
    assert loaded.notes.messages() == [
        "your scores: context_recall (1 row)",
        "left out, no place for them: _annotator_id (1 row)",
        "spans were changed after the export: they came as a proposal, without its gold: 1 row",
    ]


def test_only_the_spans_that_were_written_are_compared(load: Any) -> None:
    """A tool that cannot nest spans was given fewer than the gold has."""
    written = {**EXPORTED, "written": [[0, 3, "person"]]}
    loaded = load({**PRODIGY, "spans": [span(ANN)], "meta": {"workbench": written}})

    assert [type(one) for one in loaded.record.gold] == [GoldRecord]


def test_an_exported_row_over_another_text_is_refused(load: Any) -> None:
    """Its offsets would quote something else."""
    row = {**PRODIGY, "meta": {"workbench": {**EXPORTED, "reference": "Bob."}}}

    assert load([row]).errors == [
        "1: workbench.reference: got another text than the row has, expected the text as it was exported"
    ]


# Broken tasks


BROKEN = [
    ({**PRODIGY, "answer": "yes"}, 'answer: got "yes", expected accept, reject or ignore'),
    ({**PRODIGY, "spans": {}}, "spans: got an object with no keys, expected a list"),
    ({**PRODIGY, "spans": [{"start": "0", "end": 3}]}, 'spans[0].start: got "0", expected an offset'),
    ({**PRODIGY, "spans": [{"start": 0, "end": 2.5}]}, "spans[0].end: got number 2.5, expected an offset"),
    ({**PRODIGY, "spans": [span(ANN, verdict="yes")]}, 'spans[0].verdict: got "yes", expected found or'),
    ({**PRODIGY, "text": 3, "_task_hash": 1}, "text: got number 3, expected a string"),
    ({**PRODIGY, "meta": []}, "meta: got a list of 0, expected an object"),
    ({**PRODIGY, "meta": {"contexts": 3}}, "contexts: got number 3, expected a list of strings"),
    ({**PRODIGY, "meta": {"workbench": 3}}, "workbench: got number 3, expected a native row"),
    ({**PRODIGY, "meta": {"workbench": {**EXPORTED, "written": [1]}}}, "workbench.written: got a list of 1"),
    ({**PRODIGY, "meta": {"workbench": {**EXPORTED, "written": ["abc"]}}}, "workbench.written: got a list"),
    (
        {**PRODIGY, "meta": {"workbench": {**EXPORTED, "written": {"abc": 1}}}},
        "workbench.written: got an obj",
    ),
    (
        {**LABEL_STUDIO, "data": {"a": 1}},
        "data: got an object with a, expected text, or --map reference=NAME",
    ),
    (
        {**LABEL_STUDIO, "annotations": [[]]},
        "annotations[0]: got a list of 0, expected an object with result",
    ),
    (
        {**LABEL_STUDIO, "annotations": [{"result": [region(ANN, labels="x")]}]},
        'annotations[0].result[0].value.labels: got "x", expected a list of strings',
    ),
    ({**ARGILLA, "responses": {"q": 3}}, "responses.q: got number 3, expected a list of objects with value"),
    ({**ARGILLA, "fields": {"a": 1}}, "fields: got an object with a, expected text, or --map"),
    ({**DOCCANO, "label": [[0, 3]]}, "label[0]: got a list of 2, expected [start, end, label]"),
    ({**DOCCANO, "label": [[0, 3, 4]]}, "label[0].label: got number 4, expected a string"),
    ({**DOCCANO, "label": "PER"}, 'label: got "PER", expected a list'),
]


@pytest.mark.parametrize(("row", "message"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_task_is_named_between_good_ones(load: Any, row: dict[str, Any], message: str) -> None:
    """The others go in."""
    tasks: tuple[dict[str, Any], ...] = (PRODIGY, LABEL_STUDIO, ARGILLA, DOCCANO)
    good = next(task for task in tasks if set(row) >= set(task))
    loaded = load([good, row, good])

    (error,) = loaded.errors
    assert error.startswith(f"2: {message}")
    assert len(loaded.records) == 2


BINARY = {"text": TEXT, "spans": [{"start": 0, "end": 3, "label": "person"}], "_view_id": "ner"}


def test_binary_tasks_on_one_text_are_one_sample_with_the_meta_of_the_first(load: Any) -> None:
    """Each has the score of its own span."""
    loaded = load(
        [
            {**BINARY, "meta": {"score": 0.5, "source": "news"}, "answer": "reject"},
            {**BINARY, "meta": {"score": 0.75, "source": "news", "page": 3}, "answer": "accept"},
            {**BINARY, "meta": {"score": 0.5, "page": 4}, "answer": "accept"},
        ]
    )

    assert loaded.errors == []
    assert {record.sample.id for record in loaded.records} == {text_hash("", TEXT)}
    assert [record.sample.meta for record in loaded.records] == [
        {"score": 0.5, "source": "news"},
        {"source": "news", "page": 3},
        {"score": 0.5},
    ]
    assert [record.proposal is None for record in loaded.records] == [True, False, False]
    assert "kept in meta: page (1 row), score (2 rows), source (2 rows)" in loaded.notes.messages()
    assert (
        "left out, no place for them: _view_id (3 rows), meta.page where an earlier task on the text has "
        "another (1 row), meta.score where an earlier task on the text has another (1 row)"
    ) in loaded.notes.messages()


def test_accepted_binary_tasks_go_in_after_rejected_ones_of_their_text(bench: Bench) -> None:
    rows = [
        {**BINARY, "meta": {"score": 0.5}, "answer": "reject"},
        {**BINARY, "meta": {"score": 0.75}, "answer": "accept"},
    ]
    report = bench.load(rows)

    assert (1, 0, 1) == (report.new, report.rejected, report.n_samples)
    assert [(1,)] == bench.query("SELECT count(*) FROM proposal")


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/a.jpg",
        "s3://bucket/key",
        "/data/upload/1/photo",
        "photos/a.PNG",
        "data:image/png;base64,A",
        "/data/local-files/?d=a.wav",
    ],
)
@pytest.mark.parametrize("short", [False, True])
def test_a_project_of_images_is_refused(load: Any, address: str, short: bool) -> None:
    """The address of a picture is no reference."""
    task: dict[str, Any] = {"data": {"image": address}, "annotations": []}
    if short:
        task = {"image": address, "annotation_id": 1, "label": [{"rectanglelabels": ["Car"]}]}
    (error,) = load([task]).errors

    assert "image: got" in error
    assert "expected a text; projects of images, audio, video or files by address cannot be read" in error


def test_boxes_on_an_image_are_no_marks_in_the_text_that_stands_by(load: Any) -> None:
    """A task may have a caption; a person marked the picture, which says nothing of entities."""
    box = {"type": "rectanglelabels", "value": {"x": 1, "y": 2, "rectanglelabels": ["Car"]}}
    task = {"data": {"text": TEXT, "image": "a.jpg"}, "annotations": [{"result": [box]}]}
    loaded = load([task])

    assert (TEXT, ()) == (loaded.record.sample.reference, loaded.record.proposals)
    assert {"result of type rectanglelabels": 1} == loaded.notes.ignored


def test_a_text_that_names_an_address_is_a_text(load: Any) -> None:
    text = "See https://example.org/a.jpg for more."

    assert load([{"data": {"text": text}, "annotations": []}]).record.sample.reference == text
