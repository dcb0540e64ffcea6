"""Spans for other tools: exact tokens, UTF-16 offsets, and a name for everything that does not fit."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hypothesis import example, given, strategies as st

from tests.conftest import Bench
from tests.exports.conftest import EMOJI, NESTED, Leave, read_conll, report_of
from tests.formats.test_formats_round_trip import TEXT
from tests.rows import gold, sample
from workbench.formats.exports.item import ExportItem
from workbench.formats.exports.spans import _prodigy_task, conll_lines, exact_tokens, flat, tagged_of
from workbench.model import Sample, Span, Unit


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[Unit]]:
    """A text with spans anywhere: nested, crossing, in the middle of a word, over white space."""
    text = draw(TEXT)
    units = []
    for number in range(draw(st.integers(0, 5)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        label = draw(st.sampled_from(["person", "place", "a b"]))
        units.append(Unit(f"g{number}", "entity", text[start:end], label, (Span(start, end),)))
    return text, units


@given(marked())
def test_every_span_is_exact_or_counted(tmp_path_factory: Any, given: tuple[str, list[Unit]]) -> None:
    """Whatever the text: what is not in the file is counted, and nothing else is."""
    text, units = given
    tagged = tagged_of(units)
    kept, left = flat(tagged, text)
    path = tmp_path_factory.getbasetemp() / "one.conll"
    path.write_text(conll_lines(text, kept), "utf-8", newline="\n")
    line = json.dumps({"id": "i\n", "text": text}) + "\n"
    path.with_name("texts.jsonl").write_text(line, "utf-8", newline="\n")
    ((name, read, spans),) = read_conll(path)

    assert ("i\n", text) == (name, read)
    assert [(one.start, one.end, "-".join(one.label.split())) for one in kept] == spans
    there = {(one.start, one.end, one.label) for one in kept}
    assert len([one for one in tagged if (one.start, one.end, one.label) not in there]) == left.total()
    assert all(one.end <= other.start for one, other in pairwise(kept))


@given(marked())
def test_exact_tokens_hold_all_but_white_space_once(given: tuple[str, list[Unit]]) -> None:
    text, units = given
    tokens = exact_tokens(text, tagged_of(units))

    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert "".join(text.split()) == "".join("".join(token.text.split()) for token in tokens)
    assert all(one.end <= other.start for one, other in pairwise(tokens))


@given(marked())
@example((" a  b\n\nc\u00a0d\te \n f  ", []))
def test_prodigy_tokens_with_their_blanks_are_the_text(given: tuple[str, list[Unit]]) -> None:
    """As spaCy builds a text: `ws` is one blank, other white space is a token of its own."""
    text, units = given
    sample = Sample("i", "q", text, ("c",))
    written = _prodigy_task(ExportItem(sample, gold={"entity": tuple(units)}), Counter())
    task = json.loads(written)

    assert text == "".join(one["text"] + " " * one["ws"] for one in task["tokens"])
    assert list(range(len(task["tokens"]))) == [one["id"] for one in task["tokens"]]
    for span in task["spans"]:
        tokens = task["tokens"][span["token_start"] : span["token_end"] + 1]
        assert (span["start"], span["end"]) == (tokens[0]["start"], tokens[-1]["end"])
        joined = "".join(one["text"] + " " * one["ws"] for one in tokens)
        assert text[span["start"] : span["end"]] == joined.removesuffix(" ")


def test_label_studio_counts_utf16_units(leave: Leave) -> None:
    """As its editor does: an emoji is two."""
    tasks = json.loads((leave("label-studio") / "tasks.json").read_text("utf-8"))
    (region, choice), *_ = zip(*[iter(tasks[0]["annotations"][0]["result"])] * 2, strict=True)
    wide = EMOJI.encode("utf-16-le")

    assert EMOJI.index("Zoë") + 3 == region["value"]["start"]
    assert "Zoë" == wide[2 * region["value"]["start"] : 2 * region["value"]["end"]].decode("utf-16-le")
    assert (["person"], ["found"]) == (region["value"]["labels"], choice["value"]["choices"])
    assert region["id"] == choice["id"]
    assert [1, 1, 2, 1, 1, 0, 1] == [len(task["annotations"]) for task in tasks]
    assert [1, 0, 0, 0, 0, 1, 0] == [len(task["predictions"]) for task in tasks]
    assert "m-1" == tasks[0]["predictions"][0]["model_version"]


def test_a_label_that_xml_cannot_hold_is_the_same_in_project_and_tasks(bench: Bench) -> None:
    """And comes back as the label that it was, with the gold."""
    label = "per\x01son\uffff"
    row = sample("a", "Ann.", "", "Ann", gold=gold({"Ann": "found"}, "ann", label))
    bench.load([row], name="set.jsonl", gold="given")
    folder = Path(report_of(bench, "label-studio", names=True).path)
    tree = ElementTree.fromstring((folder / "labeling.xml").read_bytes())
    (task,) = json.loads((folder / "tasks.json").read_text("utf-8"))
    back = bench.load(folder / "tasks.json", dataset="again", gold="given")

    assert "per\ufffdson\ufffd" in {one.get("value") for one in tree.iter("Label")}
    assert ["per\ufffdson\ufffd"] == task["annotations"][0]["result"][0]["value"]["labels"]
    assert (1, 1, ()) == (back.new, back.gold_reviews, back.notes)
    assert [(label, "found")] * 2 == bench.query("SELECT label, verdict FROM gold_unit")


def test_the_project_of_label_studio_knows_every_name_and_label(leave: Leave) -> None:
    folder = leave("label-studio")
    tree = ElementTree.fromstring((folder / "labeling.xml").read_text("utf-8"))
    tasks = json.loads((folder / "tasks.json").read_text("utf-8"))
    names = {one.get("name") for one in tree.iter() if one.get("name")}
    labels = {one.get("value") for one in tree.iter("Label")}

    for task in tasks:
        for said in (*task["annotations"], *task["predictions"]):
            for region in said["result"]:
                assert {region["from_name"], region["to_name"]} <= names
                assert set(region["value"].get("labels", [])) <= labels
    fields = {one.get("value", "")[1:] for one in tree.iter() if one.get("value", "").startswith("$")}
    assert fields <= set(tasks[0]["data"])


def test_a_nested_name_leaves_with_both_its_places(leave: Leave) -> None:
    """Label Studio and Prodigy hold spans inside spans; CoNLL does not."""
    tasks = json.loads((leave("label-studio") / "tasks.json").read_text("utf-8"))
    regions = [one["value"] for one in tasks[4]["annotations"][0]["result"] if one["type"] == "labels"]

    assert [(4, 24), (18, 24), (31, 37)] == [(one["start"], one["end"]) for one in regions]
    assert all(NESTED[one["start"] : one["end"]] == one["text"] for one in regions)
    assert re.fullmatch(r"r\d+", tasks[4]["annotations"][0]["result"][0]["id"])
