"""Exports that were edited in another tool and come back: what it says wins, old verdicts do not count."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.exports.conftest import Leave, edited, unit
from tests.lists import from_cases
from tests.rows import Row, sample
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import Record
from workbench.stages.export import ExportOptions, export

Change = Callable[[Any], None]

NEW = ["NEW RETRIEVER CTX"]
CHANGED = (
    "question or contexts were changed after the export: they were taken, gold came as a proposal without "
    "verdicts, scores were left out: {} row"
)
MOVED = "spans were changed after the export: they came as a proposal, without its gold: 1 row"


def loaded(path: Path) -> tuple[dict[str, Record], list[str]]:
    notes = Notes()
    rows = list(read(path, notes=notes))
    assert [row.error for row in rows] == [None] * len(rows)
    return {row.record.sample.id: row.record for row in rows if row.record}, notes.messages()


def put(names: dict[str, Any], *inside: str | int) -> Change:
    """Write values into the first row, or the object that stands inside it."""

    def change(rows: Any) -> None:
        place = rows[0]
        for name in inside:
            place = place[name]
        place.update(names)

    return change


def retrieved_anew(document: Any) -> None:
    for one in document["context_entity_recall"][:2]:
        one["metric_input"]["retrieved_contexts"] = NEW


EDITS: list[tuple[str, str, Change]] = [
    ("deepeval-goldens", "goldens.json", put({"retrieval_context": NEW})),
    ("deepeval-cases", "test_cases.json", put({"retrieval_context": NEW})),
    ("label-studio", "tasks.json", put({"retrieved_contexts": NEW}, "data")),
    ("prodigy", "tasks.jsonl", put({"contexts": NEW}, "meta")),
    ("ragas-annotations", "annotations.json", retrieved_anew),
    ("huggingface", "data/train.parquet", put({"retrieved_contexts": NEW})),
    ("csv", "samples.csv", put({"retrieved_contexts": json.dumps(NEW)})),
]


@pytest.mark.parametrize(("name", "file", "change"), EDITS, ids=[one[0] for one in EDITS])
def test_new_contexts_come_and_old_verdicts_go(leave: Leave, name: str, file: str, change: Change) -> None:
    """Goldens are filled with the next retriever: gold that was decided on other contexts is a proposal."""
    path = leave(name, names=True) / file
    before, _ = loaded(path)
    after, said = loaded(edited(path, change))

    record: Any = after.pop("emoji")
    old: Any = before.pop("emoji")
    assert after == before
    assert record.sample.retrieved_contexts == tuple(NEW)
    assert record.sample.user_input == old.sample.user_input
    assert (record.gold, dict(record.scores)) == ((), {})
    assert CHANGED.format(1) in said
    assert not [one for one in said if one.startswith(("spans were", "entities were"))]
    proposals = [one for one in record.proposals if one is not None]
    (own, *_) = (one for one in proposals if "annotator Ann O'Nym" == one.model or "prodigy" == one.proposer)
    assert [one.text for one in own.reference_entities] == [one.text for one in old.gold[0].entities]
    assert {None} == {one.context_entities for one in proposals}


ASKED = {"user_input": "Another?", "response": "new"}
QUESTIONS = [
    ("deepeval-cases", "test_cases.json", put({"input": "Another?", "actual_output": "new"})),
    ("label-studio", "tasks.json", put(ASKED, "data")),
    ("csv", "samples.csv", put(ASKED)),
]


@pytest.mark.parametrize(("name", "file", "change"), QUESTIONS)
def test_a_new_question_and_answer_are_taken(leave: Leave, name: str, file: str, change: Change) -> None:
    after, said = loaded(edited(leave(name) / file, change))
    record = after["emoji"]

    assert (record.sample.user_input, record.sample.response) == ("Another?", "new")
    assert record.gold == ()
    assert CHANGED.format(1) in said


def test_another_answer_alone_leaves_the_gold(leave: Leave) -> None:
    """No recall reads it."""
    after, said = loaded(edited(leave("deepeval-goldens") / "goldens.json", put({"actual_output": "new"})))

    assert after["emoji"].sample.response == "new"
    assert len(after["emoji"].gold) == 1
    assert said == loaded(leave("deepeval-goldens") / "goldens.json")[1]


def test_statements_that_were_verified_are_proposed_without_verdicts(leave: Leave) -> None:
    path = edited(leave("deepeval-goldens") / "goldens.json", put({"retrieval_context": NEW}))
    record: Any = loaded(path)[0]["emoji"]

    for one in record.proposals:
        (statement,) = one.statements
        assert (statement.verdict, statement.context, statement.quote) == (None, None, None)


def test_the_next_retriever_into_the_same_dataset_asks_for_verdicts_again(hard: Bench, leave: Leave) -> None:
    """With --update; the verified units stay."""
    path = edited(leave("deepeval-goldens") / "goldens.json", put({"retrieval_context": NEW}))
    refused = hard.load(path, dataset="hard", gold="given")
    taken = hard.load(path, dataset="hard", gold="given", update=True)
    review: Any = hard.review("emoji", "Ann O'Nym")

    assert (refused.rejected, refused.updated, taken.rejected, taken.updated) == (1, 0, 0, 1)
    assert review.state.entity.disposition == "todo"
    assert [unit.match.verdict for unit in review.state.entity.assessment.units] == [None, None, None]


def test_deepeval_joins_contexts_by_bars_and_they_are_the_same_still(tmp_path: Path) -> None:
    """Its CSV has `a | b` and `c` in one cell."""
    row = {"id": "s", "user_input": "q", "retrieved_contexts": ["a | b", "c"]}
    path, metadata = tmp_path / "goldens.csv", json.dumps({"workbench": row}).replace('"', '""')
    head = "input,expected_output,retrieval_context,additional_metadata"
    path.write_text(f'{head}\nq,r,a | b|c,"{metadata}"\n')
    records, said = loaded(path)

    assert records["s"].sample.retrieved_contexts == ("a | b", "c")
    assert not [one for one in said if "changed" in one]


def test_scores_of_a_run_over_our_goldens_come_in(leave: Leave) -> None:
    """deepeval writes the metadata along with its metrics."""
    metric = {"name": "Contextual Recall", "score": 0.25}
    after, _ = loaded(edited(leave("deepeval-goldens") / "goldens.json", put({"metricsData": [metric]})))

    assert after["emoji"].scores["Contextual Recall"] == "0.25"


def test_entities_edited_in_ragas_are_a_proposal_in_place_of_the_gold(leave: Leave) -> None:
    def edit(document: Any) -> None:
        prompts = document["context_entity_recall"][0]["prompts"]
        prompts["extract_entities_prompt"]["edited_output"] = {"entities": ["Zoë"]}

    records, said = loaded(edited(leave("ragas-annotations") / "annotations.json", edit))
    record = records["emoji"]

    assert record.gold == ()
    assert [one.text for one in record.proposals[1].reference_entities or ()] == ["Zoë"]
    assert "entities were edited after the export: they came as a proposal, without its gold: 1 row" in said


# Label Studio: three people, a region moved, a verdict changed


MET = "Ann met Bob in Rome."


def said_of(annotator: str, *verdicts: str, **more: Any) -> Row:
    """What somebody said of the names, in their order."""
    names = zip(("Ann", "Bob", "Rome"), verdicts, strict=True)
    return {"annotator": annotator, "entities": [unit(MET, *one, "other") for one in names], **more}


@pytest.fixture
def task(hard: Bench) -> Path:
    """A task of Label Studio with three people's verdicts."""
    ana, bo = said_of("ana", "found", "found", "missing"), said_of("bo", "found", "missing", "missing")
    everyone = [ana, bo, {**ana, "annotator": "cleo", "adjudicated": True}]
    hard.load([sample("s", MET, "Ann, Bob", gold=everyone)], name="three.jsonl", gold="given")
    options = ExportOptions(formats=("label-studio",), names=True)
    export(hard.store, hard.info("three"), hard.folder / "three", options, annotator="ann")
    return hard.folder / "three" / "tasks.json"


def test_a_region_that_moved_takes_every_verdict_with_it(hard: Bench, task: Path) -> None:
    """Of three reviews none is stored: nobody decided on the new place."""
    moved = put({"start": 9, "end": 11, "text": "ob"}, "annotations", 0, "result", 2, "value")
    report = hard.load(edited(task, moved), dataset="again", gold="given")

    assert MOVED in report.notes
    assert (report.gold_reviews, report.gold_units) == (0, 0)
    assert hard.review("s", "ana", "again") is None
    units = "SELECT count(*) FROM gold_unit JOIN dataset d ON d.id = dataset_id AND d.name = 'again'"
    assert hard.query(units) == [(0,)]
    assert loaded(task)[0]["s"].proposal is not None


def test_a_region_outside_the_text_is_a_change(task: Path) -> None:
    """It has a verdict, and nothing that the verdict could be of."""

    def add(rows: list[dict[str, Any]]) -> None:
        value = {"start": 90, "end": 95, "labels": ["other"]}
        said = {"labels": value, "choices": {"choices": ["found"]}}
        new = [{"id": "new", "type": kind, "value": value} for kind, value in said.items()]
        rows[0]["annotations"][1]["result"][:0] = new

    records, said = loaded(edited(task, add))

    assert records["s"].gold == ()
    assert MOVED in said


@pytest.mark.parametrize("renamed", [False, True])
def test_an_untouched_task_comes_back_whole(task: Path, renamed: bool) -> None:
    """Also where the tool calls its people by numbers, as Label Studio does."""

    def rename(rows: list[dict[str, Any]]) -> None:
        for number, one in enumerate(rows[0]["annotations"] if renamed else ()):
            del one["annotator"]
            one["completed_by"] = number

    (record,) = loaded(edited(task, rename))[0].values()

    assert [one.annotator for one in record.gold] == ["ana", "bo", "cleo"]
    assert [one.marks.adjudicated for one in record.gold] == [False, False, True]


def test_one_persons_region_taken_away_is_a_change_though_others_have_it(task: Path) -> None:
    def drop(rows: list[dict[str, Any]]) -> None:
        del rows[0]["annotations"][0]["result"][2:4]

    records, said = loaded(edited(task, drop))

    assert records["s"].gold == ()
    assert MOVED in said


def test_a_verdict_changed_in_the_tool_is_the_verdict(task: Path) -> None:
    """The marks stand where they stood; what was decided there is newer."""
    decided = put({"choices": ["missing"]}, "annotations", 0, "result", 1, "value")
    (record,) = loaded(edited(task, decided))[0].values()
    verdicts = [[unit.match.verdict for unit in gold.entities or ()] for gold in record.gold]

    assert verdicts[0] == ["missing", "found", "missing"]
    assert verdicts[1:] == [["found", "missing", "missing"], ["found", "found", "missing"]]


# Back into its own database


@pytest.mark.parametrize("name", ["native", "label-studio", "csv"])
def test_pseudonyms_of_its_own_annotators_add_nothing(hard: Bench, leave: Leave, name: str) -> None:
    """Nobody agrees with a pseudonym of theirs."""
    files = {"native": "samples.jsonl", "label-studio": "tasks.json", "csv": "samples.csv"}
    people = hard.query("SELECT DISTINCT annotator FROM review ORDER BY 1")
    report = hard.load(leave(name) / files[name], dataset="hard", gold="given")

    assert (report.unchanged, report.extended, report.rejected, report.gold_reviews) == (7, 0, 0, 0)
    assert hard.query("SELECT DISTINCT annotator FROM review ORDER BY 1") == people
    strict = hard.load(leave(name) / files[name], dataset="hard", gold="given", strict=True)
    assert strict.unchanged == 7


def test_a_pseudonym_of_another_database_stays_one(hard: Bench, leave: Leave) -> None:
    hard.load(leave("native") / "samples.jsonl", dataset="copy", gold="given")
    names = {name for (name,) in hard.query("SELECT DISTINCT annotator FROM review")}

    assert {"Ann O'Nym", "Böb"} < names
    assert len([name for name in names if name.startswith("annotator-")]) == 2


# Who marked the spans


@from_cases
def test_who_marked_spans_in_another_tool_leaves_as_a_pseudonym(bench: Bench, tool: str, row: Row) -> None:
    """In every format, with and without text; what comes back is the same proposal."""
    bench.load([row], name="marks.jsonl", format=tool)
    info = bench.info("marks")
    target = bench.folder / "out"
    for options in (ExportOptions(formats=("all",)), ExportOptions(formats=("csv",), text=False)):
        export(bench.store, info, target, options, annotator="ann")
        files = [path for path in target.rglob("*") if path.is_file()]
        assert [path for path in files if b"ana.smith" in path.read_bytes()] == []
        target = bench.folder / "without"
    native = (bench.folder / "out" / "native" / "samples.jsonl").read_text()
    assert '"model": "annotator annotator-' in native
    report = bench.load(bench.folder / "out" / "native" / "samples.jsonl", dataset="marks")
    assert (report.unchanged, report.extended) == (1, 0)

    bench.load(bench.folder / "out" / "native" / "samples.jsonl", dataset="copy")
    again = bench.folder / "again"
    export(bench.store, bench.info("copy"), again, ExportOptions(), annotator="ann")
    assert (again / "samples.jsonl").read_text() == native
