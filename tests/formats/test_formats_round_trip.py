"""What is written in the native format is read back without a change."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st

from workbench import model
from workbench.formats.exports.item import to_line
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import Evidence, GoldRecord, Kind, Match, ProposedEntity, Record, Sample, Span, Unit

# Whole pieces that trip writers and readers, beside any single character that is text.
PIECES = (
    st.sampled_from(["|", "\n", "\r\n", '"', "'", "\\", "\\u0041", "[", "]", "{", ",", "\t", "=1+1"])
    | st.sampled_from(["Тадж-Махал", "😀👩\u200d👩\u200d👧", "שלום", "\u202eabc\u202c", "e\u0301", "日本"])
    | st.sampled_from(["\u2028", "\x1b[31m", "\ufeff", "\x7f"])
)
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
TEXT = st.lists(PIECES | CHARACTERS, max_size=12).map("".join)
VERDICT = st.none() | st.sampled_from(sorted(model.SAID))
SAID = st.tuples(st.sampled_from("aЖ日"), TEXT).map("".join)  # a text that has to say something
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
DIGITS = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers().map(str)
DIGITS |= st.sampled_from(["0.50", "0.999999995", "1E-3", "0.33333333333333333333"])


@st.composite
def places(draw: st.DrawFn, text: str) -> tuple[int, int]:
    start = draw(st.integers(0, len(text) - 1))
    return start, draw(st.integers(start + 1, len(text)))


@st.composite
def evidence(draw: st.DrawFn, contexts: Sequence[str]) -> Evidence:
    index = draw(st.sampled_from([i for i, text in enumerate(contexts) if text]))
    return Evidence(index, *draw(places(contexts[index])))


@st.composite
def units(draw: st.DrawFn, kind: Kind, reference: str, contexts: Sequence[str]) -> tuple[Unit, ...]:
    """Units at any place: nested, touching, several at the same span, some ungrounded."""
    found = []
    for number in range(draw(st.integers(0, 4))):
        spans: list[Span] = []
        text = draw(SAID)
        if reference.strip() and draw(st.booleans()):
            start, end = draw(places(reference).filter(lambda place: reference[slice(*place)].strip()))
            others = draw(st.lists(places(reference), max_size=2))
            spans = [Span(*place) for place in ((start, end), *others)]
            text = reference[start:end] if kind == "entity" else text
        somewhere = st.lists(evidence(contexts), max_size=2) if any(contexts) else st.just([])
        match = Match(
            verdict=draw(st.sampled_from(model.VERDICTS)),
            reason=draw(st.none() | st.sampled_from(model.REASONS)),
            evidence=tuple(draw(somewhere)),
            rule="human",
            nested=draw(st.booleans()),
            note=draw(TEXT),
        )
        name = draw(st.sampled_from([f"g{number + 1}", f"u{number}", f"e|{number}"]))
        label, original = draw(TEXT), draw(TEXT)
        found.append(Unit(name, kind, text, label, tuple(spans), match, "imported", original_label=original))
    return tuple(found)


@st.composite
def entities(draw: st.DrawFn, text: str) -> tuple[ProposedEntity, ...]:
    found = []
    for _ in range(draw(st.integers(0, 3))):
        if text.strip() and draw(st.booleans()):
            start, end = draw(places(text).filter(lambda place: text[slice(*place)].strip()))
            found.append(ProposedEntity(text[start:end], draw(TEXT), start, end))
        else:
            found.append(ProposedEntity(draw(SAID), draw(TEXT)))
    return tuple(found)


@st.composite
def proposals(draw: st.DrawFn, reference: str, contexts: Sequence[str]) -> model.Proposal:
    statements = []
    for _ in range(draw(st.integers(0, 3))):
        start, end = draw(places(reference)) if reference and draw(st.booleans()) else (None, None)
        maybe = st.none() | TEXT
        context = draw(st.none() | st.sampled_from(range(len(contexts)))) if contexts else None
        said = draw(SAID), draw(VERDICT), context, draw(maybe), draw(maybe)
        statements.append(model.ProposedStatement(*said, start, end))
    listed = st.tuples(*(entities(text) for text in contexts))
    return model.Proposal(
        proposer=draw(SAID),
        model=draw(TEXT),
        reference_entities=draw(st.none() | entities(reference)),
        context_entities=draw(st.none() | listed),
        statements=draw(st.none() | st.just(tuple(statements))),
    )


@st.composite
def marks(draw: st.DrawFn, reviewed: set[str]) -> model.Marks:
    """What a review says besides units; a kind with units is verified, and nothing else."""
    keys: dict[str, Kind] = {"entities": "entity", "statements": "statement"}
    free = [kind for key, kind in keys.items() if key not in reviewed]
    kinds = draw(st.lists(st.sampled_from(free), unique=True)) if free else []
    return model.Marks(
        dispositions={kind: draw(st.sampled_from(("excluded", "skipped"))) for kind in kinds},
        reasons={kind: draw(SAID) for kind in kinds},
        flag=draw(TEXT),
        comments=tuple(draw(st.lists(TEXT, max_size=2))),
        shown=draw(st.sampled_from(("", "assisted", "blind"))),
        off_plan=draw(st.booleans()),
        adjudicated=draw(st.booleans()),
    )


@st.composite
def records(draw: st.DrawFn) -> Record:
    reference = draw(TEXT)
    contexts = tuple(draw(st.lists(TEXT, max_size=3)))
    gold = []
    for annotator in draw(st.lists(SAID, max_size=3, unique=True)):
        found: dict[str, Any] = {"entities": draw(units("entity", reference, contexts))}
        if draw(st.booleans()):
            found["statements"] = draw(units("statement", reference, contexts))
            if draw(st.booleans()):
                del found["entities"]
        effort = draw(st.none() | st.builds(model.Effort, st.floats(0, 1e6), st.integers(0, 10**6)))
        gold.append(GoldRecord(annotator, **found, effort=effort, marks=draw(marks(set(found)))))
    sample = Sample(
        id=draw(SAID),
        user_input=draw(TEXT),
        reference=reference,
        retrieved_contexts=contexts,
        response=draw(st.none() | TEXT),
        group=draw(st.none() | TEXT.filter(bool)),  # an empty group in a file is none
        meta=draw(st.dictionaries(TEXT, JSON, max_size=3)),
        alternatives=tuple(draw(st.lists(TEXT, max_size=2))),
    )
    proposed = st.lists(proposals(reference, contexts), max_size=2)
    scores = st.dictionaries(TEXT, DIGITS, max_size=3)
    drawn = draw(st.none() | st.floats(0, 1, exclude_max=True))
    return Record(sample, tuple(draw(proposed)), tuple(gold), draw(scores), drawn)


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=40)
@given(st.lists(records(), min_size=1, max_size=3))
def test_a_record_that_is_written_is_read_back_equal(tmp_path: Path, given: list[Record]) -> None:
    """And says nothing on the way; written again it has the same bytes."""
    path = tmp_path / "a.jsonl"
    path.write_text("".join(map(to_line, given)), "utf-8", newline="\n")
    first = path.read_bytes()
    notes = Notes()
    rows = list(read(path, format="native", notes=notes))

    assert [str(row.error) for row in rows if row.error] == []
    assert [row.record for row in rows] == given
    assert len(given) == first.count(b"\n")
    assert (notes.kept, notes.ignored, notes.seen["moved"], notes.seen["dropped"]) == ({}, {}, 0, 0)
    assert "".join(to_line(row.record) for row in rows if row.record).encode() == first


def test_the_bytes_do_not_depend_on_the_order_inside_meta_and_scores() -> None:
    """A database may give the keys of an object back in another order."""
    sample = Sample("s", "q", "r", ("c",), meta={"b": {"y": 1, "x": 2}, "a": 1})
    other = Sample("s", "q", "r", ("c",), meta={"a": 1, "b": {"x": 2, "y": 1}})

    line = to_line(Record(sample, scores={"n": "1", "m": "0.50"}))
    assert line == to_line(Record(other, scores={"m": "0.50", "n": "1"}))
    assert line.endswith('["c"], "meta": {"a": 1, "b": {"x": 2, "y": 1}}, "scores": {"m": 0.50, "n": 1}}\n')
