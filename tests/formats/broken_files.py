"""A corpus of broken files: every format, broken in every way that a file breaks."""

import bz2
import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from tests.lists import cases
from tests.rows import lines

TEXT = "Анна met Bob in Rome."
HUGE = 2_000_001
Row = dict[str, Any]
FORMATS = dict(cases(__file__, "rows of formats")[1:])


def made(form: str) -> Callable[[int], Row]:
    """Rows of a format by their number, which stands for `#`, as a number where it stands alone."""
    text = json.dumps(FORMATS[form])
    return lambda n: dict(json.loads(text.replace('"#"', str(n)).replace("#", str(n))))


def document(rows: list[Any]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1)


def inside(key: str, **more: Any) -> Callable[[list[Any]], str]:
    return lambda rows: json.dumps({**more, key: rows}, ensure_ascii=False, indent=1)


def table(delimiter: str) -> Callable[[list[Any]], str]:
    def write(rows: list[Any]) -> str:
        file = io.StringIO(newline="")
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(RAGAS(0) if "question" in rows[0] else made("deepeval")(0))
        cells = ((one if type(one) is str else repr(one) for one in row.values()) for row in rows)
        writer.writerows(cells)
        return file.getvalue()

    return write


GOOD, RAGAS = made("native")(0), made("ragas")
Write = Callable[[list[Any]], str]
FORMS: dict[str, tuple[str, Callable[[int], Row], Write]] = {
    "native": ("a.jsonl", made("native"), lines),
    "native-list": ("a.json", made("native"), document),
    "ragas": ("a.jsonl", made("ragas"), lines),
    "ragas-list": ("a.json", made("ragas"), document),
    "ragas-csv": ("a.csv", made("ragas"), table(",")),
    "ragas-tsv": ("a.tsv", made("ragas"), table("\t")),
    "deepeval": ("a.json", made("deepeval"), document),
    "deepeval-lines": ("a.jsonl", made("deepeval"), lines),
    "deepeval-csv": ("a.csv", made("deepeval"), table(",")),
    "deepeval-results": ("test_run_1.json", made("case"), inside("testCases", testPassed=1)),
    "prodigy": ("a.jsonl", made("prodigy"), lines),
    "label-studio": ("a.json", made("label_studio"), document),
    "label-studio-lines": ("a.jsonl", made("label_studio"), lines),
    "argilla": ("a.json", made("argilla"), document),
    "doccano": ("a.jsonl", made("doccano"), lines),
    "annotations": ("a.json", made("annotation"), inside("context_entity_recall")),
    "single": ("a.json", made("annotation"), inside("samples", name="context_entity_recall")),
    "traces": ("a.json", made("trace"), document),
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
    good = lines([GOOD])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", b"0" * 1_000_000)
    for what, data in {
        **dict(cases(__file__, "files that are no dataset")[1:]),
        "blank": b" \n\t\n" * 1_000,
        "utf-16": good.encode("utf-16"),
        "utf-16 without a mark": good.encode("utf-16-le"),
        "utf-32": good.encode("utf-32"),
        "gzip": gzip.compress(b"0" * 1_000_000),
        "bzip2": bz2.compress(good.encode()),
        "zip": packed.getvalue(),
        "sqlite": b"SQLite format 3\0" + b"x" * 200,
        "random": bytes(range(256)) * 20,
        "zeros": b"\0" * 5_000,
        "brackets": b"[" * 300_000,
        "braces": b'{"a":' * 200_000,
    }.items():
        yield f"file: {what}", "a.json", data
        yield f"file: {what}, called csv", "a.csv", data


def values() -> Iterator[tuple[str, str, bytes]]:
    """Rows whose values no dataset can hold: offsets, verdicts, marks, scores, ids that say two things."""
    for what, form, more in cases(__file__, "values that no dataset can hold")[1:]:
        row = made(form)(0)
        yield f"values: {what}", "a.jsonl", lines([row, row | more]).encode()
    many = GOOD | {"id": "b", "retrieved_contexts": ["c"] * 10_001}
    yield "values: too many contexts", "a.jsonl", lines([GOOD, many]).encode()


def binary_files() -> Iterator[tuple[str, str, bytes]]:
    """Parquet and Arrow, cut and overwritten."""
    import pyarrow as arrow

    rows = arrow.Table.from_pylist([RAGAS(n) for n in range(50)])
    stream, index, whole = io.BytesIO(), io.BytesIO(), _parquet([RAGAS(n) for n in range(50)])
    for kind, file in ((arrow.ipc.new_stream, stream), (arrow.ipc.new_file, index)):
        with kind(file, rows.schema) as writer:
            writer.write_table(rows)
    for what, name, data in (
        ("parquet", "a.parquet", whole),
        ("arrow stream", "a.arrow", stream.getvalue()),
        ("arrow file", "a.arrow", index.getvalue()),
    ):
        for share in (0.1, 0.5, 0.9, 0.999):
            yield f"{what}: cut at {share:.1%}", name, data[: max(int(len(data) * share), 8)]
        yield f"{what}: only its first bytes", name, data[:8]
    yield "parquet: a broken footer", "a.parquet", whole[:-40] + b"\xff" * 32 + whole[-8:]
    yield "parquet: no such columns", "a.parquet", _parquet([{"a": 1}])
    yield "parquet: wrong types", "a.parquet", _parquet([{**RAGAS(0), "contexts": 3}])
    yield "parquet: no rows", "a.parquet", _parquet([RAGAS(0)], 0)
    yield "parquet: a bomb", "a.parquet", _parquet([{**RAGAS(0), "ground_truth": "x" * 1_000_000}] * 140)


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
