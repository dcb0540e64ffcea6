"""Importing on a real database: identity, updates, refusals, and what stays untouched."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import accepted, add_text, do, unit_of
from tests.rows import proposal, sample
from workbench.errors import InputError, WorkbenchError
from workbench.formats.rows import FileRow
from workbench.model import Evidence, Match
from workbench.reports.texts import score_text
from workbench.stages import editing
from workbench.stages.import_ import ImportOptions, chunks, preview_import
from workbench.stages.recompute import score_dataset
from workbench.store import gold
from workbench.store.scores import load_external

HARD = Path(__file__).parents[2] / "fixtures" / "hard.jsonl"
ROME = sample("rome", "Ann met Bob in Rome.", "Ann was in Rome.", "Nothing.")
OSLO = sample("oslo", "In Oslo.", "Oslo.")
PROPOSAL = proposal(["Ann", "Bob", "Rome"], ["Ann", "Rome"], [], proposer="claude", model="m1")
GOLD = {
    "annotator": "gina",
    "entities": [
        {"text": "Ann", "verdict": "found", "evidence": [{"context": 0, "start": 0, "end": 3}]},
        {"text": "Bob", "label": "person", "verdict": "missing"},
        {"text": "Rome", "verdict": "found", "evidence": [{"context": 0, "start": 11, "end": 15}]},
    ],
}


RUNS = "SELECT name, model, count(*) FROM run r JOIN proposal p ON p.run_id = r.id GROUP BY 1, 2 ORDER BY 1"


def counts(report: Any) -> dict[str, int]:
    names = ("new", "unchanged", "extended", "updated", "rejected")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def rejected_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(f"{path}.rejected.jsonl").read_text("utf-8").splitlines()]


# --- the same again -------------------------------------------------------------------------------------


@pytest.mark.databases
@pytest.mark.parametrize("gold_rule", ["ignore", "given"])
def test_the_same_file_twice_adds_nothing(bench: Any, gold_rule: str) -> None:
    """Every row of every table is the same byte for byte, on every hard text."""
    assert counts(bench.load(HARD, gold=gold_rule)) == {"new": 13}
    before = bench.tables()

    again = bench.load(HARD, gold=gold_rule)

    assert counts(again) == {"unchanged": 13}
    assert bench.tables() == before


@pytest.mark.databases
def test_without_id_a_row_is_known_by_its_text(bench: Any) -> None:
    """Question, reference and contexts together; another context is another sample."""
    nameless = {key: value for key, value in ROME.items() if key != "id"}
    bench.load([nameless])

    again = bench.load([nameless, {**nameless, "retrieved_contexts": ["Ann was in Rome."]}])

    assert counts(again) == {"new": 1, "unchanged": 1}
    hashes = bench.query("SELECT DISTINCT reference_hash FROM sample")
    assert len(hashes) == 1


@pytest.mark.databases
def test_what_is_new_for_a_known_sample_is_added(bench: Any) -> None:
    """Proposal, gold, scores, response and meta that were not there before, each once."""
    bench.load([ROME, OSLO])
    extras: list[dict[str, Any]] = [
        {"proposal": PROPOSAL}, {"gold": GOLD}, {"scores": {"context_entity_recall": 0.5}},
        {"response": "Bob."}, {"meta": {"k": 1}}, {"group": "g"},
    ]  # fmt: skip
    for extra in extras:
        before = bench.tables()
        assert counts(bench.load([{**ROME, **extra}, OSLO], gold="given")) == {"unchanged": 1, "extended": 1}
        after = bench.tables()
        assert after != before
        assert counts(bench.load([{**ROME, **extra}, OSLO], gold="given")) == {"unchanged": 2}
        assert bench.tables() == after

    one = bench.open("rome", "gina")
    assert (one.sample.response, one.sample.meta, one.sample.group) == ("Bob.", {"k": 1}, "g")
    assert one.state.entity.disposition == "verified"
    assert load_external(bench.store, bench.info().id) == {
        bench.id("rome"): {"context_entity_recall": (0.5, "0.5")}
    }


def test_a_new_key_of_meta_is_added_and_no_key_is_lost(bench: Any) -> None:
    """Also with --update, which replaces the value of a key that both name."""
    bench.load([{**ROME, "meta": {"a": 1, "b": 2}}])

    assert counts(bench.load([{**ROME, "meta": {"c": 3}}])) == {"extended": 1}
    assert counts(bench.load([{**ROME, "meta": {"c": 3}}])) == {"unchanged": 1}
    assert counts(bench.load([{**ROME, "meta": {"b": 9}}], update=True)) == {"updated": 1}

    assert bench.open("rome").sample.meta == {"a": 1, "b": 9, "c": 3}


def test_an_export_that_names_rules_as_its_proposer_is_recorded(bench: Any) -> None:
    """Our own export does: its proposals can be made current, and `rules` makes a run of its own."""
    from workbench.proposing import rules
    from workbench.stages.propose import propose

    bench.load([{**ROME, "proposal": {**PROPOSAL, "proposer": "rules", "model": rules.MODEL}}])

    own = propose(bench.store, bench.info(), "rules", annotator="ann")
    recorded = propose(bench.store, bench.info(), "recorded", annotator="ann")

    assert (own.run, own.proposed, own.already) == ("rules-run-2", 1, 0)
    assert (recorded.run, recorded.proposed, recorded.already) == ("rules-run-1", 0, 1)


@pytest.mark.databases
def test_gold_that_is_stored_is_read_again_by_the_chunk(bench: Any) -> None:
    """The number of statements does not grow with the rows of a chunk."""
    rows = [{**one, "gold": GOLD} for one in many(40)]
    bench.load(rows, gold="given")

    def statements(n: int) -> int:
        with bench.asked() as asked:
            assert counts(bench.load(rows[:n], gold="given")) == {"unchanged": n}
        return len(asked)

    assert statements(40) == statements(5)


def test_a_second_proposal_of_one_proposer_goes_into_a_run_of_its_own(bench: Any) -> None:
    """A stored proposal is never changed; the runs are kept apart and the first stays the current one."""
    other = {**PROPOSAL, "reference_entities": ["Ann"]}
    bench.load([{**ROME, "proposal": PROPOSAL}])

    assert counts(bench.load([{**ROME, "proposal": other}])) == {"extended": 1}
    assert counts(bench.load([{**ROME, "proposal": PROPOSAL}])) == {"unchanged": 1}

    assert bench.query(RUNS) == [("claude-run-1", "m1", 1), ("claude-run-2", "m1", 1)]
    stored = bench.query("SELECT document FROM proposal ORDER BY id")
    assert [len(json.loads(document)["reference_entities"]) for (document,) in stored] == [3, 1]
    assert bench.info().run == "claude-run-1"


# --- what differs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "field", "thing"),
    [
        ({"user_input": "Why?"}, "user_input", "text"),
        ({"reference": "Ann met Bob in Roma."}, "reference", "text"),
        ({"retrieved_contexts": ["Ann was in Rome."]}, "retrieved_contexts", "text"),
        ({"response": "another"}, "response", "text"),
        ({"group": "another"}, "group", "group"),
        ({"meta": {"b": 1, "a": 2}}, "meta.a", "value"),
    ],
)
def test_changed_text_is_refused_by_line_and_field(bench: Any, change: Any, field: str, thing: str) -> None:
    """FILE:LINE: field: got …, expected …; nothing of the row goes in, the others do."""
    row = {**ROME, "response": "r", "group": "g", "meta": {"a": 1}}
    bench.load([row])
    before = bench.tables("sample", "proposal", "external_score")
    changed = (
        row | change | {"proposal": {**PROPOSAL, "context_entities": None}, "scores": {"faithfulness": 1}}
    )

    report = bench.load([OSLO, "", changed])

    path = bench.folder / "data.jsonl"
    assert counts(report) == {"new": 1, "rejected": 1}
    assert report.errors == (
        f"{path}:3: {field}: got another {thing} for id 'rome', "
        f"expected the {thing} stored before (--update replaces it)",
    )
    after = bench.tables("sample", "proposal", "external_score")
    assert [row for row in after["sample"] if row[2] != "oslo"] == before["sample"]
    assert (after["proposal"], after["external_score"]) == ([], [])
    (rejected,) = rejected_rows(path)
    assert rejected.pop("_error") == report.errors[0].replace(f"{path}:3:", "line 3:")
    assert rejected == changed


def test_refused_gold_keeps_the_whole_row_out(bench: Any) -> None:
    """Also what could have been added: a row goes in whole or not at all."""
    bench.load([{**ROME, "gold": GOLD, "scores": {"context_entity_recall": 0.5}}], gold="given")
    before = bench.tables()
    other_gold = {**GOLD, "entities": GOLD["entities"][:1]}

    row = {**ROME, "response": "new", "proposal": PROPOSAL, "scores": {"context_entity_recall": 0.25}}
    report = bench.load([{**row, "gold": other_gold}], gold="given")

    assert counts(report) == {"rejected": 1}
    assert "gold: got other gold of annotator 'gina', expected the gold stored before" in report.errors[0]
    assert bench.tables() == before


@pytest.mark.databases
def test_update_replaces_scores_and_appends_gold_to_the_journal(bench: Any) -> None:
    """Nothing of the journal is overwritten: the earlier gold is still its second row."""
    bench.load([{**ROME, "gold": GOLD, "scores": {"context_entity_recall": 0.5}}], gold="given")
    journal = bench.tables("review_event")["review_event"]
    other_gold = {**GOLD, "entities": GOLD["entities"][:1]}
    row = {**ROME, "gold": other_gold, "scores": {"context_entity_recall": 0.25}}

    assert counts(bench.load([row], gold="given", update=True)) == {"extended": 1}

    after = bench.tables("review_event")["review_event"]
    assert after[: len(journal)] == journal
    assert [event[6] for event in after] == ["open", "accept", "accept"]
    assert bench.query("SELECT text FROM gold_unit") == [("Ann",)]
    assert load_external(bench.store, bench.info().id)[bench.id("rome")] == {
        "context_entity_recall": (0.25, "0.25")
    }
    assert counts(bench.load([row], gold="given")) == {"unchanged": 1}
    assert bench.undo("gina") is None  # an import is no act of a person


@pytest.mark.databases
def test_a_re_import_does_not_overrule_what_the_annotator_did_since(bench: Any) -> None:
    """An exclusion and edits on their way are decisions: gold from a file contradicts them."""
    rows = [{**ROME, "gold": GOLD}, {**OSLO, "gold": {"annotator": "gina", "entities": []}}]
    bench.load(rows, gold="given")
    bench.act("rome", editing.exclude("wrong"), who="gina")
    before = bench.tables()

    assert counts(bench.load(rows, gold="given")) == {"unchanged": 1, "rejected": 1}
    assert bench.tables() == before


def test_gold_of_another_annotator_is_another_review(bench: Any) -> None:
    """Several annotators may stand in one row or come one after the other."""
    second = {**GOLD, "annotator": "hugo"}
    bench.load([{**ROME, "gold": [GOLD, second]}], gold="given")

    assert counts(bench.load([{**ROME, "gold": {**GOLD, "annotator": "ida"}}], gold="given")) == {
        "extended": 1
    }

    one = gold.load_gold(bench.store, bench.info().id, "entity")[bench.id("rome")]
    assert (one.annotators, one.origin) == (("gina", "hugo", "ida"), "imported")


# --- new contexts ---------------------------------------------------------------------------------------


@pytest.fixture
def verified(bench: Any) -> Any:
    """rome, verified by ann: Ann and Rome found in the first context, Bob missing, and one unit rejected."""
    bench.load([{**ROME, "proposal": PROPOSAL}])
    met = partial(add_text, kind="entity", text="met", label="other")
    bench.act("rome", met, do("met", editing.toggle), do("met", editing.reject), accepted())
    return bench


def matches(bench: Any, key: str = "rome") -> dict[str, Match]:
    return {unit.text: unit.match for unit in bench.open(key).state.entity.assessment.units}


def test_new_contexts_make_matches_stale_and_keep_the_units(verified: Any) -> None:
    """No gold until somebody accepts again; the units stay; the text, the scores and the proposals follow."""
    update = {**ROME, "retrieved_contexts": ["Bob and Ann.", "Nothing."]}
    assert verified.query("SELECT text FROM gold_unit ORDER BY position") == [("Ann",), ("Bob",), ("Rome",)]

    assert counts(verified.load([update], update=True)) == {"updated": 1}

    opened = verified.open("rome")
    assert opened.sample.retrieved_contexts == ("Bob and Ann.", "Nothing.")
    assert verified.query("SELECT * FROM gold_unit") == []
    assert (opened.state.entity.disposition, opened.state.entity.reason) == ("todo", "contexts changed")
    assert opened.rematch
    assert matches(verified) == dict.fromkeys(("Ann", "Bob", "Rome", "met"), Match())
    assert [unit.rejected for unit in opened.state.entity.assessment.units] == [False, True, False, False]
    assert verified.query("SELECT count(*) FROM proposal") == [(1,)]
    assert opened.opening.proposal is not None


def test_a_verdict_is_kept_where_its_context_is_byte_identical(verified: Any) -> None:
    """Evidence moves with its context; a missing unit is open again as soon as a new context came."""
    verified.load([{**ROME, "retrieved_contexts": ["New text.", "Ann was in Rome."]}], update=True)

    found = matches(verified)

    assert found["Ann"].evidence == (Evidence(1, 0, 3),)
    carried, open_again = ("found", "carried"), (None, "")
    expected = {"Ann": carried, "Rome": carried, "Bob": open_again, "met": open_again}
    assert expected == {text: (match.verdict, match.rule) for text, match in found.items()}


@pytest.mark.databases
def test_a_restored_unit_brings_no_evidence_of_the_old_text(verified: Any) -> None:
    """What was rejected before the update can be restored and accepted after it."""
    verified.load([{**ROME, "retrieved_contexts": ["Bob."]}], update=True)

    done = verified.act("rome", do("met", editing.reject), accepted())

    assert "unsure" == unit_of(done, "met").match.verdict


def test_an_update_leaves_an_exclusion_alone(bench: Any) -> None:
    """A wrong reference is wrong under any contexts."""
    bench.load([{**ROME, "proposal": PROPOSAL}])
    bench.act("rome", editing.exclude("the reference is wrong"))

    bench.load([{**ROME, "retrieved_contexts": ["Other."]}], update=True)

    half = bench.open("rome").state.entity
    assert (half.disposition, half.reason) == ("excluded", "the reference is wrong")


def test_undo_after_an_update_cannot_bring_back_a_verdict_on_other_contexts(verified: Any) -> None:
    """The accept before the update can be undone; the sample stays open."""
    verified.load([{**ROME, "retrieved_contexts": ["Bob."]}], update=True)
    for _ in range(2):
        verified.undo()
        assert verified.open("rome").state.entity.disposition == "todo"
        assert verified.query("SELECT * FROM gold_unit") == []


def test_an_external_score_of_the_old_text_is_dropped(bench: Any) -> None:
    """It was measured on other contexts; one that comes with the update is of the new ones."""
    bench.load([{**ROME, "scores": {"context_entity_recall": 0.5, "faithfulness": 1}}])
    changed = {**ROME, "retrieved_contexts": ["Other."]}

    bench.load([{**changed, "scores": {"context_entity_recall": 0.25}}], update=True)
    assert load_external(bench.store, bench.info().id) == {
        bench.id("rome"): {"context_entity_recall": (0.25, "0.25")}
    }
    bench.load([ROME], update=True)
    assert load_external(bench.store, bench.info().id) == {}


@pytest.mark.databases
def test_a_changed_reference_is_refused_once_it_is_reviewed(bench: Any) -> None:
    """Gold quotes its text. Before any review --update takes the new reference."""
    changed = {**ROME, "reference": "Ann met Bob in Roma."}
    bench.load([ROME])
    assert counts(bench.load([changed], update=True)) == {"updated": 1}
    bench.verify("rome")
    before = bench.tables()

    report = bench.load([ROME], update=True)

    assert counts(report) == {"rejected": 1}
    assert (
        "reference: got another text for id 'rome', which is reviewed, expected a new id" in report.errors[0]
    )
    assert bench.tables() == before


# --- gold ------------------------------------------------------------------------------------------------


def test_gold_without_the_option_is_counted_and_not_stored(bench: Any) -> None:
    """The report says so; a later import with the option stores it."""
    rows = [{**ROME, "gold": GOLD}, OSLO]

    report = bench.load(rows)

    assert (counts(report), report.gold_ignored) == ({"new": 2}, 1)
    assert bench.query("SELECT count(*) FROM review") == [(0,)]
    again = bench.load(rows, gold="given")
    assert (counts(again), again.gold_ignored) == ({"unchanged": 1, "extended": 1}, 0)
    assert bench.query("SELECT annotator, origin, shown, seq, entity, statement FROM review") == [
        ("gina", "imported", "import", 1, "verified", "todo")
    ]


def test_a_file_that_proposes_statements_alone_is_reviewed_for_them(bench: Any) -> None:
    """Not for names, which nobody asked for; where names were looked for too, for these."""
    claims = {"proposer": "me", "statements": [{"text": "Ann was in Rome.", "verdict": "found"}]}
    bench.load([{**ROME, "proposal": claims}], dataset="claims")
    bench.load([{**ROME, "proposal": {**claims, "reference_entities": []}}], dataset="names")

    assert [("statement",), ("entity",)] == [bench.info(name).kinds for name in ("claims", "names")]


def test_required_gold_makes_a_row_without_it_a_bad_row(bench: Any) -> None:
    """A file meant as gold that lacks it in places is a mistake more often than not."""
    report = bench.load([{**ROME, "gold": GOLD}, OSLO], gold="require")

    assert counts(report) == {"new": 1, "rejected": 1}
    assert "data.jsonl:2: gold: got nothing, expected the gold that --gold stores" in report.errors[0]


def test_imported_gold_is_the_counted_units_of_the_file(bench: Any) -> None:
    """gold_unit, journal and file say the same; the policy of a new dataset reviews what the gold has."""
    bench.load(HARD, gold="given")

    for line in HARD.read_text("utf-8").splitlines():
        row = json.loads(line)
        state = bench.review(row["id"], "hand").state
        for kind, name in (("entity", "entities"), ("statement", "statements")):
            expected = [(one["text"], one["verdict"]) for one in row["gold"].get(name) or ()]
            units = "SELECT text, verdict FROM gold_unit WHERE sample_id = ? AND kind = ?"
            assert sorted(expected) == sorted(bench.query(units, bench.id(row["id"]), kind))
            assert [(one.text, one.match.verdict) for one in state.of(kind).assessment.units] == expected
            assert state.of(kind).disposition == ("verified" if name in row["gold"] else "todo")
    assert bench.info().kinds == ("entity", "statement")


# --- bad rows and bad files -----------------------------------------------------------------------------


def many(n: int) -> list[dict[str, Any]]:
    return [{**ROME, "id": f"s{number}", "user_input": f"question {number}"} for number in range(n)]


def test_one_bad_row_in_a_thousand(bench: Any) -> None:
    """999 go in, one is named and put aside; mended in the file of rejects, it goes where the others went."""
    rows: list[Any] = many(1_000)
    rows[499] = {**rows[499], "retrieved_contexts": "not a list"}

    report = bench.load(rows)

    path = bench.folder / "data.jsonl"
    assert counts(report) == {"new": 999, "rejected": 1}
    assert report.errors[0].startswith(f"{path}:500: retrieved_contexts: got ")
    rejected = Path(report.rejected_path)
    assert [row["id"] for row in rejected_rows(path)] == ["s499"]
    mended = json.loads(rejected.read_text("utf-8"))
    rejected.write_text(json.dumps({**mended, "retrieved_contexts": ["A list."]}), "utf-8")
    assert counts(bench.load(rejected)) == {"new": 1}
    per_dataset = "SELECT name, count(*) FROM sample JOIN dataset ON dataset.id = dataset_id GROUP BY name"
    assert bench.query(per_dataset) == [("data", 1_000)]
    assert "_error" not in json.dumps(bench.query("SELECT meta FROM sample WHERE key = 's499'"))


def test_strict_also_keeps_out_what_the_database_contradicts(bench: Any) -> None:
    """A changed text, other gold, or two texts under one id in the file."""
    bench.load([{**ROME, "gold": GOLD, "scores": {"context_entity_recall": 0.5}}], gold="given")
    before = bench.tables()
    contradictions: list[list[dict[str, Any]]] = [
        [OSLO, {**ROME, "reference": "Other."}],
        [OSLO, {**ROME, "gold": {**GOLD, "entities": []}}],
        [OSLO, {**OSLO, "reference": "Two."}],
    ]
    for rows in contradictions:
        with pytest.raises(InputError, match=r"data\.jsonl:2: .*\n1 bad rows; with --strict nothing"):
            bench.load([{**row, "proposal": {**PROPOSAL, "context_entities": None}} for row in rows],
                       strict=True, gold="given")  # fmt: skip
        assert bench.tables() == before
    with pytest.raises(InputError, match="one text for each id"):
        bench.load([OSLO, {**OSLO, "reference": "Two."}], "fresh.jsonl", strict=True)
    assert bench.tables() == before
    assert counts(bench.load([ROME, OSLO], strict=True)) == {"new": 1, "unchanged": 1}


@pytest.mark.databases
@pytest.mark.parametrize(
    "other",
    [
        {"scores": {"faithfulness": 0.75}},
        {"response": "another"},
        {"group": "another"},
        {"meta": {"a": 2}},
        {"gold": {**GOLD, "entities": []}},
    ],
)
def test_strict_compares_whole_rows_with_one_id(bench: Any, other: dict[str, Any]) -> None:
    """The same text with another score, response, group, meta or gold; what only adds goes in."""
    more = {"scores": {"faithfulness": 0.5}, "response": "r", "group": "g", "meta": {"a": 1}, "gold": GOLD}
    row = ROME | more

    with pytest.raises(InputError, match=rf"data\.jsonl:2: {next(iter(other))}.*an earlier row of the file"):
        bench.load([row, {**row, **other}], strict=True, gold="given")

    assert bench.query("SELECT * FROM dataset") == []
    again = bench.load([ROME, row, {**ROME, "meta": {"b": 1}}], strict=True, gold="given")
    assert counts(again) == {"new": 1, "extended": 2}


UNREADABLE = [
    ("empty.jsonl", b""),
    ("blank.jsonl", b"\n \n"),
    ("utf16.jsonl", b"\xff\xfea\x00"),
    ("archive.jsonl", b"PK\x03\x04x"),
    ("list.json", b'[{"id": "a"'),
    ("latin.csv", "\xe9t\xe9,b\n\xe9,c\n".encode("latin-1")),
    ("unknown.csv", b"a,b\n1,2\n"),
    ("header.csv", b"user_input,reference,retrieved_contexts\n"),
    ("notes.txt", b"plain text\n"),
]


def test_an_unreadable_file_changes_nothing(bench: Any) -> None:
    """No dataset, no row, no file beside it."""
    before = bench.tables()
    for name, content in UNREADABLE:
        (bench.folder / name).write_bytes(content)
        files = sorted(path.name for path in bench.folder.iterdir())

        with pytest.raises(WorkbenchError, match=name):
            bench.load(bench.folder / name)

        assert bench.tables() == before
        assert [one for one in files if not one.endswith(("-wal", "-shm"))] == sorted(
            path.name for path in bench.folder.iterdir() if not path.name.endswith(("-wal", "-shm"))
        )


def test_a_file_of_bad_rows_only_makes_no_dataset(bench: Any) -> None:
    """The first reason is in the message, all rows are in the file of rejects."""
    with pytest.raises(InputError, match=r"nothing of .*data\.jsonl:1: user_input"):
        bench.load([{"id": "a"}, {"id": "b"}])

    assert bench.query("SELECT * FROM dataset") == []
    assert [row["id"] for row in rejected_rows(bench.folder / "data.jsonl")] == ["a", "b"]


def test_the_same_scores_twice_in_a_file_are_unchanged(bench: Any) -> None:
    row = {**ROME, "scores": {"context_entity_recall": 0.5}}

    assert counts(bench.load([row, row, {**row, "scores": {"context_recall": 0.5}}])) == {
        "new": 1, "unchanged": 1, "extended": 1
    }  # fmt: skip


def test_duplicates_within_one_file(bench: Any) -> None:
    """The same row again is unchanged, with more it extends, with another text it is refused."""
    changed = {"response": "r"}, {"reference": "Other."}, {"proposal": PROPOSAL}

    report = bench.load([ROME, ROME, *(ROME | one for one in changed), OSLO])

    assert counts(report) == {"new": 2, "unchanged": 1, "extended": 2, "rejected": 1}
    assert report.errors[0].endswith(
        "data.jsonl:4: id: got 'rome' again, with another text, expected one text for each id"
    )


@pytest.mark.parametrize("mode", [{}, {"update": True}, {"strict": True}, {"strict": True, "update": True}])
@pytest.mark.parametrize("stored", [False, True])
def test_a_second_text_for_an_id_never_replaces_the_first(bench: Any, mode: Any, stored: bool) -> None:
    """Nobody is told to use --update, which would lose one of the two rows; the preview says the same."""
    if stored:
        bench.load([{**ROME, "retrieved_contexts": ["Before."]}])
    rows = [ROME, {**ROME, "retrieved_contexts": ["Second."]}]
    told = "id: got 'rome' again, with another text, expected one text for each id"
    path = bench.write(rows)
    if not stored or mode.get("update"):
        preview = preview_import(path, ImportOptions(**mode), store=bench.store, annotator="ann")
        assert [one.endswith(f"data.jsonl:2: {told}") for one in preview.errors] == [True]
    if mode.get("strict"):
        why = told if not stored or mode.get("update") else "retrieved_contexts: got another text for id"
        with pytest.raises(InputError, match=re.escape(f"data.jsonl:2: {why}")):
            bench.load(path, **mode)
        return
    report = bench.load(path, **mode)

    ((kept,),) = bench.query("SELECT retrieved_contexts FROM sample")
    assert json.loads(kept) == (["Before."] if stored and not mode else ROME["retrieved_contexts"])
    if not stored or mode:
        assert [one.endswith(f"data.jsonl:2: {told}") for one in report.errors] == [True]


def test_a_second_value_in_one_file_is_not_advised_to_replace_the_first(bench: Any) -> None:
    report = bench.load([{**ROME, "scores": {"m": 1}}, {**ROME, "scores": {"m": 2}}, {**ROME, "group": "a"},
                         {**ROME, "group": "b"}])  # fmt: skip

    assert [one.partition(": ")[2] for one in report.errors] == [
        "scores.m: got 2, expected 1 as stored by an earlier row of the file",
        "group: got another group for id 'rome', expected the group of an earlier row of the file",
    ]


def marks(name: str, *people: str) -> dict[str, Any]:
    """A Label Studio task that some people marked."""
    value = {"start": 0, "end": 3, "text": "Ann", "labels": ["person"]}
    return {
        "data": {"text": "Ann was there.", "id": name, "question": "q", "contexts": ["c"]},
        "annotations": [
            {"completed_by": who, "result": [{"id": "r", "type": "labels", "value": value}]} for who in people
        ],
    }


def test_tasks_divided_among_people_are_one_run(bench: Any) -> None:
    """A second person's marks of one sample go into the next; nobody opens a task without a proposal."""
    bench.load([marks("one", "bo"), marks("two", "ana"), marks("three", "ana", "bo"), marks("four", "bo")])

    found = bench.query(RUNS)
    assert found == [("label-studio-run-1", "annotators", 4), ("label-studio-run-2", "annotators", 1)]
    assert len(bench.open("two").state.entity.assessment.units) == 1
    again = bench.load([marks("one", "bo"), marks("three", "ana", "bo")])
    assert (again.unchanged, again.extended) == (2, 0)


def test_score_names_the_runs_that_have_proposals_for_the_rest(bench: Any) -> None:
    """Rather than only to propose anew."""
    other = {**PROPOSAL, "proposer": "q"}
    bench.load([{**ROME, "proposal": PROPOSAL}, {**ROME, "id": "r2", "proposal": PROPOSAL},
                {**ROME, "id": "r3", "proposal": other}, OSLO])  # fmt: skip
    said = score_text(score_dataset(bench.store, bench.info())).splitlines()[-1]

    assert said == (
        "2 of 4 samples have no proposal in the run claude-run-1: there are proposals in q-run-1 for 1: "
        "workbench propose --run q-run-1, or workbench propose --proposer rules"
    )


def test_twenty_errors_are_shown_and_all_are_put_aside(bench: Any) -> None:
    """A thousand bad rows do not bury the screen."""
    rows: list[Any] = [*many(1), *({"id": f"b{number}"} for number in range(30))]

    report = bench.load(rows)

    assert (report.rejected, len(report.errors)) == (30, 20)
    assert len(rejected_rows(bench.folder / "data.jsonl")) == 30


def test_a_chunk_holds_a_bounded_number_of_rows_units_and_characters() -> None:
    """Rows of a hundred kilobytes go in by tens, so that memory does not grow with their length."""
    short, long = (FileRow(Path("f"), 1, None, None, text) for text in ("x", "x" * 100_000))

    assert [len(chunk) for chunk in chunks(iter([short] * 4_001))] == [2_000, 2_000, 1]
    assert [len(chunk) for chunk in chunks(iter([long] * 30))] == [21, 9]


KILLED = """
import os
import signal
import sys
import workbench.stages.import_ as stage
from pathlib import Path
from workbench.stages import import_
from workbench.store.engine import open_store

def killed(done):
    if done >= 1_000:
        os.kill(os.getpid(), signal.SIGKILL)


import_.CHUNK = 150
store = open_store(sys.argv[1])
stage.import_file(store, Path(sys.argv[2]), stage.ImportOptions(seed=3), annotator="ann", progress=killed)
"""


@pytest.mark.databases
@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_a_killed_import_is_finished_by_running_it_again(bench: Any) -> None:
    """Whole chunks are there, the rest is added, and nothing differs from an import that was not killed."""
    rows = (row | {"proposal": PROPOSAL, "response": "x" * 500} for row in many(1_500))
    path = bench.write(rows, "big.jsonl")
    bench.load(path, dataset="whole", seed=3)
    bench.store.close()
    process = subprocess.run([sys.executable, "-c", KILLED, bench.store.url, path], check=False)
    assert -signal.SIGKILL == process.returncode
    there = "SELECT count(*) FROM sample JOIN dataset ON dataset.id = dataset_id WHERE name = 'big'"
    bench.reopen()
    found = bench.query(there)[0][0]
    assert 0 < found < 1_500
    assert found % 150 == 0

    assert counts(bench.load(path)) == {"unchanged": found, "new": 1_500 - found}

    info, whole = bench.info("big"), bench.info("whole")
    assert (info.blind_share, info.run) == (whole.blind_share, whole.run)
    columns = "key, user_input, reference, retrieved_contexts, response, content_hash, u, blind_u"
    samples = f"SELECT {columns} FROM sample WHERE dataset_id = ? ORDER BY id"
    assert bench.query(samples, info.id) == bench.query(samples, whole.id)
    assert [(1, 1_500), (2, 1_500)] == bench.query(
        "SELECT run_id, count(*) FROM proposal GROUP BY 1 ORDER BY 1"
    )


# --- draws -----------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_draws_do_not_depend_on_the_order_or_the_parts_of_an_import(bench: Any) -> None:
    """Shuffled, in two files, or under another name: the same seed gives the same queue and blind arm."""
    rows = many(120)
    bench.load(rows, "one.jsonl", seed=5)
    bench.load(list(reversed(rows))[:40], "two.jsonl", seed=5)
    bench.load(rows[:90], "two.jsonl")
    bench.load(rows, "three.jsonl", seed=6)

    drawn = (
        "SELECT key, u || ' ' || blind_u FROM sample JOIN dataset ON dataset.id = dataset_id WHERE name = ?"
    )
    draws = {name: dict(bench.query(drawn, name)) for name in ("one", "two", "three")}

    assert draws["one"] == draws["two"]
    assert all(draws["one"][key] != draws["three"][key] for key in draws["one"])


def test_draws_are_even_and_independent(bench: Any) -> None:
    """4,000 samples: each tenth holds about 400, and a low `u` says nothing of the blind draw."""
    from workbench.store.samples import draw

    pairs = [draw(1, f"s{number}") for number in range(4_000)]

    for place in (0, 1):
        tenths = [0] * 10
        for pair in pairs:
            assert 0 <= pair[place] < 1
            tenths[int(pair[place] * 10)] += 1
        chi = sum((n - 400) ** 2 / 400 for n in tenths)
        assert chi < 27.9  # 9 degrees of freedom, p = .001
    mean = [sum(pair[place] for pair in pairs) / 4_000 for place in (0, 1)]
    covariance = sum((u - mean[0]) * (v - mean[1]) for u, v in pairs) / 4_000
    assert abs(covariance * 12) < 0.052  # a correlation of 3.3 standard errors


def test_the_blind_arm_begins_at_a_hundred_samples(bench: Any) -> None:
    """None below, a tenth from there on, also when a later file crosses the line; --blind says otherwise."""
    bench.load(many(99), "small.jsonl")
    bench.load(many(100), "large.jsonl")
    bench.load(many(60), "grown.jsonl")
    shares = [bench.info("grown").blind_share]
    bench.load(many(130), "grown.jsonl")
    bench.load(many(10), "asked.jsonl", blind=0.5)
    bench.load(many(120), "none.jsonl", blind=0.0)

    shares += [bench.info(name).blind_share for name in ("small", "large", "grown", "asked", "none")]

    assert shares == [0.0, 0.0, 0.1, 0.1, 0.5, 0.0]
    drawn = bench.query("SELECT key, blind_u < 0.1 FROM sample WHERE dataset_id = ?", bench.info("large").id)
    assert [bool(blind) for _, blind in drawn] == [bench.open(key, dataset="large").blind for key, _ in drawn]
    assert 0 < sum(blind for _, blind in drawn) < 30


@pytest.mark.databases
def test_a_blind_share_of_none_is_kept_and_the_report_counts_real_samples(bench: Any) -> None:
    """`--blind 0` holds when a later file crosses a hundred samples; `blind` is how many really are."""
    bench.load(many(60), "kept.jsonl", blind=0.0)
    kept = bench.load(many(130), "kept.jsonl")
    half = bench.load(many(130), "half.jsonl", blind=0.5, seed=4)

    assert (bench.info("kept").blind_share, kept.blind) == (0.0, 0)
    drawn = "SELECT count(*) FROM sample WHERE dataset_id = ? AND blind_u < 0.5"
    assert [(half.blind,)] == bench.query(drawn, bench.info("half").id)
    assert half.blind != 65  # a draw, not share times samples: with this seed it is another number


def test_a_blind_sample_shows_nothing_of_any_machine(bench: Any) -> None:
    """No unit, no match, no score, and a new unit stays undecided; the opening row says blind."""
    bench.load([{**ROME, "proposal": PROPOSAL}], blind=1.0)

    opened = bench.open("rome")
    after = bench.act("rome", partial(add_text, kind="entity", text="Rome", label="place"))

    assert (opened.blind, opened.automatic, opened.revealed) == (True, (), ())
    assert opened.state.entity.assessment.units == opened.state.statement.assessment.units == ()
    assert after.state.entity.assessment.units[0].match == Match()
    assert bench.query("SELECT shown FROM review") == [("blind",)]
    done = bench.act("rome", accepted())
    assert [unit.text for unit in done.revealed] == ["Ann", "Bob", "Rome"]


# --- what a review says besides its units ---------------------------------------------------------------

MARKED = {
    **GOLD, "disposition": {"statement": "excluded"}, "reason": {"statement": "private"},
    "flag": "look", "comments": ["one", "two"], "shown": "blind", "off_plan": True,
}  # fmt: skip


def test_marks_come_in_with_gold_and_a_second_import_adds_nothing(bench: Any) -> None:
    """Exclusions, flags and comments are rows of the journal; gold alone was kept before."""
    bench.load([{**ROME, "gold": MARKED, "u": 0.125}], gold="require")
    before = bench.tables()

    assert counts(bench.load([{**ROME, "gold": MARKED, "u": 0.125}], gold="require")) == {"unchanged": 1}
    assert bench.tables() == before
    state = bench.review("rome", "gina").state
    assert (state.entity.disposition, state.statement.disposition) == ("verified", "excluded")
    assert (state.statement.reason, state.flag, state.comments) == ("private", "look", ("one", "two"))
    assert bench.query("SELECT shown, off_plan, origin, flag FROM review") == [
        ("blind", 1, "imported", "look")
    ]
    assert bench.query("SELECT u, rank FROM sample") == [(0.125, 0.125)]


def test_marks_that_are_new_are_added_and_others_refused(bench: Any) -> None:
    """A decision that contradicts an earlier one needs --update."""
    bench.load([{**ROME, "gold": GOLD}], gold="given")
    said = {"annotator": "gina", "flag": "look", "comments": ["one"]}

    assert counts(bench.load([{**ROME, "gold": said}], gold="given")) == {"extended": 1}
    excluded = [{**ROME, "gold": {"annotator": "gina", "disposition": {"entity": "excluded"}}}]
    report = bench.load(excluded, gold="given")
    assert counts(report) == {"rejected": 1}
    assert "gold.disposition: got excluded, where it is verified, of annotator 'gina'" in report.errors[0]

    assert counts(bench.load(excluded, gold="given", update=True)) == {"extended": 1}
    assert bench.query("SELECT entity, flag FROM review") == [("excluded", "look")]
    assert bench.query("SELECT count(*) FROM gold_unit") == [(0,)]


def test_an_adjudicated_record_settles_what_the_others_differ_in(bench: Any) -> None:
    """Without the mark two that differ are unresolved."""
    other = {"annotator": "max", "entities": [{"text": "Ann", "verdict": "missing"}]}
    bench.load([{**ROME, "gold": [GOLD, {**other, "adjudicated": True}]}], gold="require")

    found: Any = gold.load_gold(bench.store, bench.info().id, "entity")[bench.id("rome")]
    assert found.origin == "adjudicated"
    assert [unit.match.verdict for unit in found.assessment.units] == ["missing"]


def test_every_proposal_of_a_row_goes_into_a_run_of_its_own(bench: Any) -> None:
    """A model's prediction and two people's annotations of one task."""
    others = [{**PROPOSAL, "model": name, "reference_entities": ["Ann"]} for name in ("m2", "m3")]
    row = {**ROME, "proposal": [PROPOSAL, *others]}

    assert counts(bench.load([row])) == {"new": 1}
    assert counts(bench.load([row])) == {"unchanged": 1}
    assert [(model, number) for _, model, number in bench.query(RUNS)] == [("m1", 1), ("m2", 1), ("m3", 1)]
