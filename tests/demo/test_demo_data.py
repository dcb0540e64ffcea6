"""The demo's dataset keeps its promises: seeds, offsets, evidence, languages, gold counts, scores."""

import hashlib
import json
import unicodedata
from collections import Counter, defaultdict
from importlib.resources import files
from typing import Any

import pytest

from tests.conftest import Bench
from tests.lists import cases
from tests.rows import lines
from workbench.comparing.estimates import DRAWN
from workbench.comparing.words import CHOSEN
from workbench.model import DEFAULT_LABELS, REASONS
from workbench.reports.compare import figures_text
from workbench.reports.plan import plan_lines
from workbench.stages.figures import figures
from workbench.stages.plan import extend, prefix, report
from workbench.stages.queue_values import queue_ids
from workbench.store.datasets import find_dataset
from workbench.store.samples import sample_ids

Row = dict[str, Any]

DATA = files("workbench").joinpath("demo_data", "demo.jsonl")
TEXT = DATA.read_bytes().decode("utf-8")
LINES = TEXT.split("\n")[:-1]
ROWS: list[Row] = [json.loads(line) for line in LINES]
BY_ID: dict[str, Row] = {row["id"]: row for row in ROWS}
LABELS = {label.name for label in DEFAULT_LABELS}

GOLD_COUNTS = {key: tuple(counts) for key, *counts in cases(__file__, "what people verified")[1:]}


# Quotes that stand in no context, on purpose.
UNGROUNDED_QUOTES = {
    ("apollo-bm25", "Collins orbited the Moon alone aboard Columbia"),
    ("mendeleev", "Менделеев опубликовал таблицу с пустыми местами"),
    ("genji", "紫式部の『源氏物語』は五十四帖に分かれる"),
}


def samples_by_reference() -> list[list[Row]]:
    """The rows that share question and reference, in file order."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in ROWS:
        groups[row["user_input"], row["reference"]].append(row)
    return list(groups.values())


def verdicts(units: list[dict[str, Any]]) -> tuple[int, int]:
    """How many units are found, and how many missing."""
    counts = Counter(unit["verdict"] for unit in units)
    return counts["found"], counts["missing"]


def test_the_file_is_one_compact_way_of_writing_its_rows() -> None:
    """UTF-8 without BOM, LF, literal non-ASCII: rewriting the rows gives the same bytes."""
    assert lines(ROWS).encode("utf-8") == DATA.read_bytes()


def test_every_row_has_the_native_keys_in_order() -> None:
    """Optional keys may be absent, the others may not, and the order never changes."""
    order = ["id", "user_input", "reference", "response", "retrieved_contexts", "meta", "proposal"]
    order += ["gold", "scores", "group"]
    optional = {"response", "gold", "scores", "group"}

    for row in ROWS:
        assert [key for key in order if key in row or key not in optional] == list(row)
        assert list(row["meta"]) == ["language", "retriever", "topic"]


def test_ids_are_unique_and_there_are_enough_rows() -> None:
    assert len(ROWS) == len(BY_ID) >= 34


def test_the_licence_lies_beside_the_data() -> None:
    """The note on the rights to the texts is installed with them."""
    assert "CC0" in files("workbench").joinpath("demo_data", "LICENSE.txt").read_text("utf-8")


def test_the_seeds_come_first_verbatim() -> None:
    """The six worked examples, with their ids, retrievers, texts and proposals, are exactly as published.

    Nobody verified them.
    """
    seeds = "\n".join(LINES[:6]).encode()

    known = "9a166ba63c85bc05483a1740241e01d440552eb5882a2df5b567ef5d5fb0acff"
    assert known == hashlib.sha256(seeds).hexdigest()
    assert all({"gold", "scores", "group"}.isdisjoint(row) for row in ROWS[:6])


def test_seven_languages_have_three_references_each() -> None:
    """Counted by reference: a second retriever does not make a second text."""
    counts = Counter(rows[0]["meta"]["language"] for rows in samples_by_reference())

    assert set(counts) == {"en", "ru", "de", "es", "zh", "ar", "ja"}
    assert min(counts.values()) >= 3


def test_every_row_after_the_seeds_is_grouped_by_topic() -> None:
    """The group of a row is its topic."""
    assert [row["group"] for row in ROWS[6:]] == [row["meta"]["topic"] for row in ROWS[6:]]


def test_pairs_differ_in_contexts_and_share_the_reference_entities() -> None:
    """One reference under two retrievers was extracted once; gold units are the same, too."""
    pairs = [rows for rows in samples_by_reference() if len(rows) > 1]
    assert len(pairs) >= 5

    for first, second in pairs:
        assert first["retrieved_contexts"] != second["retrieved_contexts"]
        assert first["meta"]["retriever"] != second["meta"]["retriever"]
        assert first["proposal"]["reference_entities"] == second["proposal"]["reference_entities"]
        if "gold" in first and "gold" in second:
            both = (row["gold"]["entities"] for row in (first, second))
            spans = [[(unit["start"], unit["end"], unit["label"]) for unit in units] for units in both]
            assert spans[0] == spans[1]


@pytest.mark.parametrize("row", ROWS, ids=BY_ID)
def test_a_row_keeps_the_rules_of_proposals(row: Row) -> None:
    """A list of entities for each context, the eight default labels, and statements that quote the reference.

    A statement that is found names a context and quotes something, one that is missing has a reason.
    """
    proposal, contexts = row["proposal"], row["retrieved_contexts"]
    assert len(proposal["context_entities"]) == len(contexts) >= 1
    listed = [proposal["reference_entities"], *proposal["context_entities"]]
    assert {entity["label"] for entities in listed for entity in entities} <= LABELS
    assert proposal["statements"]
    for statement in proposal["statements"]:
        assert statement["text"] in row["reference"]
        if statement["verdict"] == "found":
            assert 0 <= statement["context"] < len(contexts)
            assert statement["quote"]
        else:
            assert statement["verdict"] == "missing"
            assert statement["reason"]


@pytest.mark.parametrize("row", [row for row in ROWS if "gold" in row], ids=lambda row: row["id"])
def test_a_row_keeps_the_rules_of_gold(row: Row) -> None:
    """Spans quote their text, in code points; what is found has evidence inside a context, else a reason.

    Neither ends between a letter and its combining mark.
    """
    assert {entity["label"] for entity in row["gold"]["entities"]} <= LABELS
    for unit in (*row["gold"]["entities"], *row["gold"].get("statements", ())):
        assert row["reference"][unit["start"] : unit["end"]] == unit["text"]
        if unit["verdict"] == "missing":
            assert unit["reason"] in REASONS
            assert unit["evidence"] == []
        else:
            assert unit["verdict"] == "found"
            assert unit["evidence"]
            assert "reason" not in unit
        ends = [(row["reference"], unit["end"])]
        for one in unit["evidence"]:
            context = row["retrieved_contexts"][one["context"]]
            assert one["context"] >= 0
            assert 0 <= one["start"] < one["end"] <= len(context)
            ends.append((context, one["end"]))
        assert [] == [text for text, end in ends if unicodedata.combining(text[end : end + 1] or " ")]


def test_gold_has_the_known_counts() -> None:
    """Found and missing units of every verified row, entities and statements."""
    counts = {
        row["id"]: (*verdicts(row["gold"]["entities"]), *verdicts(row["gold"].get("statements", [])))
        for row in ROWS
        if "gold" in row
    }

    assert counts == GOLD_COUNTS
    assert {row["gold"]["annotator"] for row in ROWS if "gold" in row} == {"demo"}


def test_only_the_planted_quotes_are_ungrounded() -> None:
    """All other quotes stand in the context they name."""
    ungrounded = {
        (row["id"], statement["quote"])
        for row in ROWS
        for statement in row["proposal"]["statements"]
        if "quote" in statement and statement["quote"] not in row["retrieved_contexts"][statement["context"]]
    }

    assert ungrounded == UNGROUNDED_QUOTES


def test_score_columns_reproduce_from_the_proposals_digit_for_digit() -> None:
    """The column is exact set recall of the recorded proposal, found / (n + 1e-8); most samples have it."""
    in_file: dict[str, str] = {}
    for line in LINES:
        row = json.loads(line, parse_float=str)
        if "scores" in row:
            assert list(row["scores"]) == ["context_entity_recall"]
            in_file[row["id"]] = row["scores"]["context_entity_recall"]

    recomputed: dict[str, str] = {}
    for row_id in in_file:
        proposal = BY_ID[row_id]["proposal"]
        reference = {entity["text"] for entity in proposal["reference_entities"]}
        contexts = {entity["text"] for found in proposal["context_entities"] for entity in found}
        assert len(reference) == len(proposal["reference_entities"])  # list and set denominators agree
        recomputed[row_id] = repr(len(reference & contexts) / (len(reference) + 1e-8))

    assert recomputed == in_file
    assert 43 == len(in_file)


def test_the_hard_texts_are_there() -> None:
    """Emoji before a span, a combining mark, a no-break space, an empty extraction, a nested name."""
    volcano, baikal, oxford = BY_ID["volcano"], BY_ID["baikal"], BY_ID["oxford"]
    outer, inner = oxford["gold"]["entities"][:2]

    assert volcano["reference"].startswith("🌋 ")
    assert "o\u0308" in volcano["retrieved_contexts"][0]
    assert "1\u00a0642" in baikal["retrieved_contexts"][0]
    assert BY_ID["curie"]["proposal"]["reference_entities"] == []
    assert outer["start"] < inner["start"] < inner["end"] == outer["end"]


def test_the_gold_of_the_demo_is_the_whole_beginning_of_its_order(demo: Bench) -> None:
    """So it has the chance of a simple plan, and the comparison has an estimate."""
    begun = prefix(demo.store, find_dataset(demo.store, "demo"), "entity")

    assert 13 * ["verified"] == [row.done.status for row in begun.rows]
    assert ("simple", True, 0) == (begun.design, begun.at_planned_n, begun.beyond)
    assert {13 / 50} == {row.pi for row in begun.rows}


def test_the_figures_of_the_demo_hang_together_and_say_that_its_samples_were_chosen(demo: Bench) -> None:
    """43 of 50 samples have a score: their mean minus the bias is the estimate, and causes add up to it."""
    found = figures(demo.store, find_dataset(demo.store, "demo"), scorer="context_entity_recall")
    one = found.estimate
    assert (43, 43, 7) == (one.total, one.automatic.n, one.automatic.undefined)
    assert one.automatic.value is not None
    assert one.bias is not None
    assert found.paired.bias == pytest.approx(one.bias, abs=1e-12)
    assert one.automatic.value - one.bias == pytest.approx(one.point, abs=1e-12)
    assert float(sum(cause.share for cause in found.causes)) == pytest.approx(one.bias, abs=1e-12)
    assert CHOSEN in one.assumptions
    assert not set(DRAWN.values()) & set(one.assumptions)
    assert found.estimated.keys() == {cause.cause for cause in found.causes} - {"rounding"}
    (shown,) = [line for line in figures_text(found).splitlines() if line.startswith("supported statements")]
    assert ["supported", "statements", "3", "0", "–", "–", "–", "–"] == shown.split()[:8]  # three are no mean


def test_the_plan_of_the_demo_says_that_its_samples_were_chosen_and_what_changes_its_end(demo: Bench) -> None:
    lines = plan_lines(report(demo.store, find_dataset(demo.store, "demo")))
    assert "  chosen for this demo and planned as if they had been drawn" in lines
    assert "  what changes it: workbench plan --more N, or reviewing the 37 that are left" in lines
    assert not [line for line in lines if "further on" in line]


def test_a_plan_for_more_of_the_demo_keeps_its_estimate(demo: Bench) -> None:
    info = find_dataset(demo.store, "demo")
    before = figures(demo.store, info, scorer="context_entity_recall").estimate
    extend(demo.store, info, 10, "ann")
    extend(demo.store, info, 10, "ann")

    begun = prefix(demo.store, info, "entity", cut=True)
    after = figures(demo.store, info, scorer="context_entity_recall").estimate
    assert (13, 33, False) == (begun.n, begun.planned_n, begun.at_planned_n)
    assert (before.point, "at any look") == (after.point, after.method)


def test_the_first_samples_to_review_are_english(demo: Bench) -> None:
    """A newcomer judges them without help; none is empty, and no two have the same reference."""
    info = find_dataset(demo.store, "demo")
    names = {number: name for name, number in sample_ids(demo.store, info.id).items()}
    order = [names[number] for number in queue_ids(demo.store, info, "ann")]

    assert ["www", "mona-lisa", "eiffel-en", "bolt-bm25", "python", "france"] == order[13:19]
