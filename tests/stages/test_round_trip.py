"""Native rows into a database and out of it again: the same rows, whatever they hold."""

import json
import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.rows import sample, write_rows
from workbench.stages.export import ExportOptions, export
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store

PIECES = st.sampled_from(
    ["Ann", "Боб", "😀", "שלום", "a|b", "\n", "=1+1", '"', "'", "\\", "日本", " ", "\u202e", "e\u0301"]
)
TEXT = st.lists(PIECES, max_size=6).map("".join)
WORD = st.sampled_from(["Ann", "Боб", "😀x", "a|b", "日本"])
VERDICTS = st.sampled_from(["found", "missing", "unsure"])


def placed(draw: st.DrawFn, text: str) -> tuple[int, int] | None:
    """A place of a text that says something."""
    if not text.strip():
        return None
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    return (start, end) if text[start:end].strip() else None


@st.composite
def unit(draw: st.DrawFn, kind: str, name: str, reference: str, contexts: list[str]) -> dict[str, Any]:
    made: dict[str, Any] = {"id": name, "text": draw(WORD), "spans": [], "evidence": []}
    made["verdict"] = draw(VERDICTS)
    if (place := placed(draw, reference)) is not None:
        made |= {"start": place[0], "end": place[1]}
        del made["spans"]
        if kind == "entities":
            made["text"] = reference[slice(*place)]
            made["label"] = draw(st.sampled_from(["person", "place"]))
    for index, context in enumerate(contexts):
        if draw(st.booleans()) and (place := placed(draw, context)) is not None:
            made["evidence"].append({"context": index, "start": place[0], "end": place[1]})
    if made["verdict"] == "missing" and draw(st.booleans()):
        made["reason"] = draw(st.sampled_from(["partial", "absent", "contradicted"]))
    if note := draw(TEXT):
        made["note"] = note
    return made


SAYING = frozenset({"entities", "statements", "disposition", "flag", "comments"})
"""Of a gold record without any of these nothing stands: it is refused."""


@st.composite
def review(draw: st.DrawFn, annotator: str, reference: str, contexts: list[str]) -> dict[str, Any]:
    made: dict[str, Any] = {"annotator": annotator}
    verified = ["verified"] if reference.strip() else []  # a blank reference has nothing to verify
    state = st.sampled_from([*verified, "excluded", "skipped", "todo"])
    states = {kind: draw(state) for kind in ("entity", "statement")}
    for kind, key in (("entity", "entities"), ("statement", "statements")):
        if states[kind] == "verified":
            names = draw(st.lists(st.sampled_from("abcd"), max_size=3, unique=True))
            units = [draw(unit(key, f"{kind}-{name}", reference, contexts)) for name in names]
            # gold stands in the order of the reference
            made[key] = sorted(units, key=lambda one: ("start" not in one, one.get("start", 0)))
        elif states[kind] != "todo":
            made.setdefault("disposition", {})[kind] = states[kind]
            if why := draw(TEXT):
                made.setdefault("reason", {})[kind] = why
    marks = {
        "flag": draw(TEXT),
        "comments": draw(st.lists(TEXT, max_size=2)),
        "shown": draw(st.sampled_from(["", "assisted", "blind"])),
        "off_plan": draw(st.booleans()),
    }
    return made | {key: value for key, value in marks.items() if value}


@st.composite
def row(draw: st.DrawFn, name: str) -> dict[str, Any]:
    reference, contexts = draw(TEXT), draw(st.lists(TEXT, max_size=2))
    people = draw(st.lists(st.sampled_from(["zoe", "max"]), max_size=2, unique=True))
    reviews = [draw(review(person, reference, contexts)) for person in sorted(people)]
    values, columns = TEXT | st.integers() | st.booleans() | st.lists(TEXT), ["m", "context_recall"]
    scores = st.dictionaries(st.sampled_from(columns), st.sampled_from([0.5, 1, 0]), max_size=2)
    optional = {
        "response": draw(st.none() | TEXT),
        "group": draw(st.none() | WORD),
        "alternatives": draw(st.lists(WORD, max_size=2)),
        "meta": draw(st.dictionaries(WORD, values, max_size=2)),
        "gold": [one for one in reviews if not SAYING.isdisjoint(one)],
        "scores": draw(scores),
        "u": draw(st.floats(0, 1, exclude_max=True)),
    }
    given = {key: value for key, value in optional.items() if value not in (None, [], {})}
    return sample(name, reference, *contexts, user_input=draw(TEXT), **given)


def taken_in(folder: Path, source: Path, number: int, empty: Path) -> Path:
    """The rows of an export, from a database that took in the source."""
    database = folder / f"{number}.db"
    shutil.copy(empty, database)
    target = folder / f"out{number}"
    with closing(open_store(str(database))) as store:
        import_file(store, source, ImportOptions(dataset="d", gold="given", seed=1), annotator="ann")
        export(store, find_dataset(store, "d"), target, ExportOptions(names=True), annotator="ann")
    return next(target.rglob("samples.jsonl"))


@pytest.mark.filterwarnings("default")
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_rows_that_went_through_a_database_are_the_same_rows(empty_database: Path, data: Any) -> None:
    """Units, spans, verdicts, evidence, exclusions, skips, flags, comments, draws, scores and texts."""
    given = [data.draw(row(f"s{number}")) for number in range(2)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "rows.jsonl"
        write_rows(source, given)

        first = taken_in(folder, source, 1, empty_database)
        second = taken_in(folder, first, 2, empty_database)

        found = [json.loads(line) for line in first.read_text("utf-8").splitlines()]
        assert [_plain(one) for one in given] == [_plain(one) for one in found]
        assert first.read_bytes() == second.read_bytes()


def _plain(one: dict[str, Any]) -> dict[str, Any]:
    """A row with its gold as a list, in the form that does not depend on how it was written."""
    reviews = one.get("gold", [])
    reviews = reviews if type(reviews) is list else [reviews]
    return {**one, "gold": sorted(map(_review, reviews), key=lambda each: str(each["annotator"]))}


def _review(one: dict[str, Any]) -> dict[str, Any]:
    made = dict(one)
    for key in ("entities", "statements"):
        if key in made:
            made[key] = sorted(
                (
                    {name: value for name, value in unit.items() if value != [] and name != "label_disputed"}
                    for unit in made[key]
                ),
                key=lambda unit: str(unit["id"]),
            )
    return made
