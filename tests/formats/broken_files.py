"""A corpus of broken files: every format, broken in every way that a file breaks."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from tests.rows import lines

TEXT = "Анна met Bob in Rome."
HUGE = 2_000_001
Row = dict[str, Any]


def _native(n: int) -> Row:
    unit = {"text": "Bob", "start": 9, "end": 12, "verdict": "found"}
    gold = {"annotator": "a", "entities": [unit]}
    return {"id": f"s{n}", "user_input": "q", "reference": TEXT, "retrieved_contexts": ["c"], "gold": gold}


def _ragas(n: int) -> Row:
    return {"question": f"q{n}", "ground_truth": TEXT, "contexts": ["c", "d"], "context_recall": 0.5}


def _deepeval(n: int) -> Row:
    named = {"input": f"q{n}", "actual_output": "a", "expected_output": TEXT, "retrieval_context": ["c"]}
    return {**named, "additional_metadata": {"topic": "x"}}


def _case(n: int) -> Row:
    named = {"name": f"t{n}", "input": f"q{n}", "expectedOutput": TEXT, "retrievalContext": ["c"]}
    return {**named, "metricsData": [{"name": "Contextual Recall", "score": 0.5}]}


def _prodigy(n: int) -> Row:
    spans = [{"start": 9, "end": 12, "label": "PER"}]
    return {"text": f"{TEXT} {n}", "spans": spans, "answer": "accept", "meta": {"id": f"s{n}"}}


def _label_studio(n: int) -> Row:
    value = {"start": 9, "end": 12, "text": "Bob", "labels": ["PER"]}
    result = [{"id": "r", "from_name": "l", "to_name": "t", "type": "labels", "value": value}]
    return {"id": n, "data": {"text": f"{TEXT} {n}"}, "annotations": [{"result": result}]}


def _argilla(n: int) -> Row:
    value = [{"start": 9, "end": 12, "label": "PER"}]
    responses = {"ner": [{"value": value, "user_id": "u"}]}
    return {"id": f"s{n}", "fields": {"text": f"{TEXT} {n}"}, "metadata": {}, "responses": responses}


def _doccano(n: int) -> Row:
    return {"id": n, "text": f"{TEXT} {n}", "label": [[9, 12, "PER"]], "Comments": []}


def _annotation(n: int) -> Row:
    call = {"prompt_input": {"text": TEXT}, "prompt_output": {"entities": ["Bob"]}, "edited_output": None}
    given = {"user_input": f"q{n}", "reference": TEXT, "retrieved_contexts": ["c"]}
    prompts = {"extract_entities_prompt": call}
    return {"metric_input": given, "metric_output": 0.5, "prompts": prompts, "is_accepted": True}


def _trace(n: int) -> Row:
    inputs = {"user_input": f"q{n}", "reference": TEXT, "retrieved_contexts": ["c"]}
    metadata = {"type": "row", "row_index": n}
    return {"run_id": f"r{n}", "parent_run_id": None, "name": "row", "inputs": inputs, "metadata": metadata}


def document(rows: list[Any]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1)


def inside(key: str, **more: Any) -> Callable[[list[Any]], str]:
    return lambda rows: json.dumps({**more, key: rows}, ensure_ascii=False, indent=1)


def table(delimiter: str) -> Callable[[list[Any]], str]:
    def write(rows: list[Any]) -> str:
        file = io.StringIO(newline="")
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(_ragas(0) if "question" in rows[0] else _deepeval(0))
        writer.writerows(
            [[value if type(value) is str else repr(value) for value in row.values()] for row in rows]
        )
        return file.getvalue()

    return write


Write = Callable[[list[Any]], str]
FORMS: dict[str, tuple[str, Callable[[int], Row], Write]] = {
    "native": ("a.jsonl", _native, lines),
    "native-list": ("a.json", _native, document),
    "ragas": ("a.jsonl", _ragas, lines),
    "ragas-list": ("a.json", _ragas, document),
    "ragas-csv": ("a.csv", _ragas, table(",")),
    "ragas-tsv": ("a.tsv", _ragas, table("\t")),
    "deepeval": ("a.json", _deepeval, document),
    "deepeval-lines": ("a.jsonl", _deepeval, lines),
    "deepeval-csv": ("a.csv", _deepeval, table(",")),
    "deepeval-results": ("test_run_1.json", _case, inside("testCases", testPassed=1)),
    "prodigy": ("a.jsonl", _prodigy, lines),
    "label-studio": ("a.json", _label_studio, document),
    "label-studio-lines": ("a.jsonl", _label_studio, lines),
    "argilla": ("a.json", _argilla, document),
    "doccano": ("a.jsonl", _doccano, lines),
    "annotations": ("a.json", _annotation, inside("context_entity_recall")),
    "single": ("a.json", _annotation, inside("samples", name="context_entity_recall")),
    "traces": ("a.json", _trace, document),
}

MARK = "@@mark@@"


def _texts(row: Row) -> Iterator[tuple[Row, str]]:
    """Every place of the reference's text in a row."""
    for key, value in row.items():
        if type(value) is str and value.startswith(TEXT[:8]):
            yield row, key
        elif type(value) is dict:
            yield from _texts(value)


def _with_text(row: Row, value: Any) -> Row:
    copy: Row = json.loads(json.dumps(row))
    for place, key in list(_texts(copy))[:1]:
        place[key] = value
    return copy


BREAKS = {
    # what stands in place of the middle row's text
    "number": "12.5", "null": "null", "true": "true", "list": "[[]]", "nan": "NaN", "infinity": "-Infinity",
    "overflow": "1e999", "digits": "9" * 5_000, "surrogate": '"a\\ud800b"', "nul": '"a\\u0000b"',
    "raw nul": '"a\x00b"', "huge": f'"{"x" * HUGE}"', "deep": "[" * 5_000 + "]" * 5_000,
    "very deep": '{"a":' * 200_000, "word": "undefined", "quote": '"never closed',
}  # fmt: skip


def json_files() -> Iterator[tuple[str, str, bytes]]:
    """(what, name, bytes) of every JSON form, broken between good rows."""
    for form, (name, make, write) in FORMS.items():
        if name.endswith(("csv", "tsv")):
            continue
        rows: list[Any] = [make(0), _with_text(make(1), MARK), make(2)]
        text = write(rows)
        for what, broken in BREAKS.items():
            yield f"{form}: {what}", name, text.replace(f'"{MARK}"', broken, 1).encode()
        whole = write([make(n) for n in range(3)])
        yield f"{form}: an item that is no object", name, write([make(0), 7, make(2)]).encode()
        yield f"{form}: a foreign byte", name, whole.encode().replace("Анна".encode(), b"\xe9\xe8", 2)
        for share in (0.3, 0.55, 0.97):
            cut = whole.encode()[: int(len(whole.encode()) * share)]
            yield f"{form}: cut at {share:.0%}", name, cut
        yield f"{form}: rubbish behind", name, whole.encode() + b"}}\n]"


def table_files() -> Iterator[tuple[str, str, bytes]]:
    """The same for tables."""
    for form, (name, make, write) in FORMS.items():
        if not name.endswith(("csv", "tsv")):
            continue
        whole = write([make(n) for n in range(3)])
        head = whole.splitlines()[0]
        delimiter = "\t" if name.endswith("tsv") else ","
        for what, text in {
            "a cell too few": whole + "q\n",
            "a cell too many": whole + delimiter.join("abcdefgh") + "\n",
            "a quote that never closes": whole + 'q,"never\n' + "x,y\n" * 50,
            "an unclosed list": whole.replace("['c'", "['c", 1),
            "a huge cell": whole.replace("Анна", "x" * HUGE, 1),
            "no rows": head + "\n",
            "a header twice": f"{head}{delimiter}{head}\n",
            "a nul": whole.replace("Анна", "a\\x00['", 1).replace("['c'", "['c\\x00'", 1),
            "no header": "\n".join(whole.splitlines()[1:]),
        }.items():
            yield f"{form}: {what}", name, text.encode()
        yield f"{form}: cp1251", name, whole.encode("cp1251")
        yield f"{form}: a foreign byte", name, whole.encode().replace("Анна".encode(), b"\xe9\xe8", 1)
    row = "question,ground_truth,contexts,context_recall\n"
    for cell in ("inf", "1e999", "3", "-1"):
        yield f"ragas-csv: a recall of {cell}", "a.csv", f"{row}q,r,[],{cell}\n".encode()
    yield "ragas-csv: numpy left items out", "a.csv", f"{row}q,r,['a' ... 'b'],\n".encode()


def whole_files() -> Iterator[tuple[str, str, bytes]]:
    """Files that are no dataset at all, by their first bytes."""
    good = lines([_native(0)]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", b"0" * 1_000_000)
    for what, data in {
        "empty": b"",
        "blank": b" \n\t\n" * 1_000,
        "utf-16": lines([_native(0)]).encode("utf-16"),
        "utf-16 without a mark": lines([_native(0)]).encode("utf-16-le"),
        "utf-32": lines([_native(0)]).encode("utf-32"),
        "gzip": gzip.compress(b"0" * 1_000_000),
        "bzip2": bz2.compress(good),
        "zip": packed.getvalue(),
        "sqlite": b"SQLite format 3\0" + b"x" * 200,
        "random": bytes(range(256)) * 20,
        "zeros": b"\0" * 5_000,
        "brackets": b"[" * 300_000,
        "braces": b'{"a":' * 200_000,
        "only an opening": b"[",
        "an empty list": b"[]",
        "an empty object": b"{}\n",
        "a number": b"12\n",
        "a word": b"true\n",
        "html": b"<html><body>404</body></html>\n",
        "yaml": b"- a: 1\n  b: 2\n",
        "two documents": b"[{}][{}]",
        "a list of lists": b"[[1], [2]]",
        "unknown keys": b'{"foo": 1, "bar": "x"}\n',
        "an object without rows": b'{"testCases": {}}\n',
        "an empty list of cases": b'{"testCases": []}',
    }.items():
        yield f"file: {what}", "a.json", data
        yield f"file: {what}, called csv", "a.csv", data


def values() -> Iterator[tuple[str, str, bytes]]:
    """Rows whose values no dataset can hold: offsets, verdicts, marks, scores, ids that say two things."""
    n, p, s, d = _native(0), _prodigy(0), _label_studio(0), _doccano(0)
    other, gold = {**n, "id": "b"}, n["gold"]
    unknown = {"annotator": "a", "entities": [{"text": "Bob", "verdict": "x"}]}
    endless = [{"result": [{"type": "labels", "value": {"start": 0}}]}]
    beside = {key: value for key, value in n.items() if key != "reference"}
    for what, rows in {
        "one id, two texts": [n, {**n, "reference": "Bob again met Bob."}],
        "one id, two contexts": [n, {**n, "retrieved_contexts": ["other"]}],
        "one id, two questions": [n, {**n, "user_input": "other"}],
        "one task id, two texts": [s, {**s, "data": {"text": "Bob"}}],
        "one document id, two texts": [d, {**d, "text": "Bob met Bob again."}],
        "an id that is a list": [n, {**n, "id": []}],
        "u of 1": [n, {**other, "u": 1}],
        "u as a text": [n, {**other, "u": "0.5"}],
        "a score as a text": [n, {**other, "scores": {"context_recall": "half"}}],
        "a recall of 3": [n, {**other, "scores": {"context_recall": 3}}],
        "an unknown verdict": [n, {**other, "gold": unknown}],
        "gold twice by one": [n, {**other, "gold": [gold, gold]}],
        "a mark beside units": [n, {**other, "gold": {**gold, "disposition": {"entity": "excluded"}}}],
        "an unknown mark": [n, {**other, "gold": {**gold, "disposition": {"entity": "verified"}}}],
        "a mark of no kind": [n, {**other, "gold": {**gold, "disposition": {"span": "skipped"}}}],
        "shown to nobody": [n, {**other, "gold": {**gold, "shown": "maybe"}}],
        "a comment that is a number": [n, {**other, "gold": {**gold, "comments": [1]}}],
        "too many contexts": [n, {**other, "retrieved_contexts": ["c"] * 10_001}],
        "a conversation": [n, {**other, "user_input": [{"role": "user"}]}],
        "offsets as texts": [p, {**p, "spans": [{"start": "0", "end": "3"}]}],
        "offsets that are broken numbers": [p, {**p, "spans": [{"start": 0.5, "end": 3}]}],
        "an offset that is missing": [p, {**p, "spans": [{"start": 0}]}],
        "an offset beyond all memory as text": [p, {**p, "spans": [{"start": 0, "end": "9" * 400}]}],
        "a span that is a list": [p, {**p, "spans": [[0, 3, "PER"]]}],
        "an unknown answer": [p, {**p, "answer": "maybe"}],
        "a region without an end": [s, {**s, "id": 9, "annotations": endless}],
        "an annotation that is a text": [s, {**s, "id": 9, "annotations": ["x"]}],
        "data that is a text": [s, {**s, "id": 9, "data": "x"}],
        "labels that are pairs": [d, {**d, "id": 9, "label": [[0, 3]]}],
        "labels that are words": [d, {**d, "id": 9, "label": ["PER"]}],
        "our row with another text": [p, {**p, "meta": {"workbench": {**n, "reference": "x"}}}],
        "our row that is a number": [p, {**p, "meta": {"workbench": 3}}],
        "our row as broken JSON": [p, {**p, "meta": {"workbench": '{"user_input": '}}],
        "our row with offsets elsewhere": [p, {**p, "text": "x", "meta": {"workbench": beside}}],
    }.items():  # fmt: skip
        yield f"values: {what}", "a.jsonl", lines(rows).encode()


def binary_files() -> Iterator[tuple[str, str, bytes]]:
    """Parquet and Arrow, cut and overwritten."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    rows = arrow.Table.from_pylist([_ragas(n) for n in range(50)])
    file = io.BytesIO()
    parquet.write_table(rows, file)
    stream = io.BytesIO()
    with arrow.ipc.new_stream(stream, rows.schema) as writer:
        writer.write_table(rows)
    index = io.BytesIO()
    with arrow.ipc.new_file(index, rows.schema) as writer:
        writer.write_table(rows)
    for what, name, data in (
        ("parquet", "a.parquet", file.getvalue()),
        ("arrow stream", "a.arrow", stream.getvalue()),
        ("arrow file", "a.arrow", index.getvalue()),
    ):
        for share in (0.1, 0.5, 0.9, 0.999):
            yield f"{what}: cut at {share:.1%}", name, data[: max(int(len(data) * share), 8)]
        yield f"{what}: only its first bytes", name, data[:8]
    yield "parquet: a broken footer", "a.parquet", file.getvalue()[:-40] + b"\xff" * 32 + file.getvalue()[-8:]
    yield "parquet: no such columns", "a.parquet", _parquet([{"a": 1}])
    yield "parquet: wrong types", "a.parquet", _parquet([{**_ragas(0), "contexts": 3}])
    yield "parquet: no rows", "a.parquet", _parquet([_ragas(0)], 0)
    yield "parquet: a bomb", "a.parquet", _parquet([{**_ragas(0), "ground_truth": "x" * 1_000_000}] * 140)


def _parquet(rows: list[Row], kept: int = 10_000) -> bytes:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    file = io.BytesIO()
    made = arrow.Table.from_pylist(rows)
    parquet.write_table(made.slice(0, kept), file, use_dictionary=False, compression="zstd")
    return file.getvalue()


def corpus() -> list[tuple[str, str, bytes]]:
    """All of them: what is broken, a file name, the bytes."""
    return [*json_files(), *table_files(), *whole_files(), *values(), *binary_files()]
