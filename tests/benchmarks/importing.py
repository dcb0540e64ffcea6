"""Import and export of samples by format, each as a process of its own, against a floor of the same run.

Floor of an import: json.loads of every line of the native file, one SHA-256 over its texts, and one sqlite3
executemany of the same columns with WAL and synchronous=FULL. Floor of an export: json.dumps of the rows.
Bars: `plain`, samples without spans, at most 3 times the floor; 10,000 samples of eight spans in 2.5 s, their
export in 3 s, both in 150 MB; ten times the samples in ten times that, memory flat.

    python -m tests.benchmarks.importing [--rows 10000] [--rounds 3] [--formats FORMAT ...] [--exported]

With `--exported` the samples have eight verified units, half of them found with their evidence, the others
missing with a reason; they are exported in every format, and what comes back is imported again.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.benchmarks.harness import Used, cpu_seconds, median_of, options, process
from workbench.formats.exports.verify import FORMATS

SPANS = 8
WORDS = (
    "river city emperor marble tower harbour treaty engine orbit museum garden bridge valley station "
    "Bologna Kyoto Samara Quito 1889 1631 Lovelace Gagarin Curie Humboldt of the in by was and near"
).split()
COMES_BACK = (
    "native", "ragas", "ragas-annotations", "deepeval-goldens", "deepeval-cases", "huggingface",
    "label-studio", "prodigy", "csv",
)  # fmt: skip
Row = dict[str, Any]
Spans = list[tuple[int, int, str]]


def samples(rows: int) -> Iterator[tuple[Row, Spans]]:
    """Samples of about one kilobyte and the places of eight words of each reference."""
    chance = random.Random(7)

    def text(words: int) -> str:
        return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."

    for number in range(rows):
        reference = text(25)
        starts, at = [], 0
        for word in reference.rstrip(".").split(" "):
            starts.append((at, at + len(word)))
            at += len(word) + 1
        spans = [(*starts[index], "place") for index in sorted(chance.sample(range(25), SPANS))]
        row = {
            "id": f"sample-{number}",
            "user_input": text(8),
            "reference": reference,
            "retrieved_contexts": [text(40) for _ in range(3)],
            "meta": {"language": "en", "retriever": "bm25"},
        }
        yield row, spans


def plain(row: Row, _: Spans) -> Row:
    return row


def listed(row: Row, spans: Spans, **more: Any) -> list[Row]:
    text = row["reference"]
    return [{"text": text[s:e], "label": label, "start": s, "end": e, **more} for s, e, label in spans]


def native(row: Row, spans: Spans) -> Row:
    return {**row, "proposal": {"proposer": "p", "reference_entities": listed(row, spans)}}


def gold(row: Row, spans: Spans) -> Row:
    return {**row, "gold": {"annotator": "a", "entities": listed(row, spans, verdict="missing")}}


def verified(row: Row, spans: Spans) -> Row:
    """Half of the units found, with their place in a context that names them."""
    found, missing = listed(row, spans[::2], verdict="found"), listed(row, spans[1::2], verdict="missing")
    context = ""
    for unit in found:
        start = len(context)
        unit["evidence"] = [{"context": 3, "start": start, "end": start + len(unit["text"])}]
        context += unit["text"] + " near "
    for unit in missing:
        unit["reason"] = "absent"
    gold = {"annotator": "ann", "entities": found + missing}
    return {**native(row, spans), "retrieved_contexts": [*row["retrieved_contexts"], context], "gold": gold}


def ragas(row: Row, _: Spans) -> Row:
    named = {"question": row["user_input"], "contexts": row["retrieved_contexts"]}
    return {**named, "ground_truth": row["reference"], "context_entity_recall": 0.5}


def deepeval(row: Row, _: Spans) -> Row:
    named = {"input": row["user_input"], "retrieval_context": row["retrieved_contexts"]}
    metrics = [{"name": "Contextual Recall", "score": 0.5, "threshold": 0.5, "reason": "because"}]
    return {**named, "expected_output": row["reference"], "metricsData": metrics}


def without_reference(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "reference"}


def prodigy(row: Row, spans: Spans) -> Row:
    given = [{"start": s, "end": e, "label": label} for s, e, label in spans]
    return {"text": row["reference"], "meta": without_reference(row), "spans": given, "answer": "accept"}


def label_studio(row: Row, spans: Spans) -> Row:
    common = {"from_name": "label", "to_name": "text", "type": "labels"}
    result = [
        {"id": f"r{one['start']}", **common, "value": {**one, "labels": [one["label"]]}}
        for one in listed(row, spans)
    ]
    data = {"text": row["reference"], **without_reference(row)}
    return {"data": data, "annotations": [{"result": result, "completed_by": 1}], "predictions": []}


def argilla(row: Row, spans: Spans) -> Row:
    value = [{"start": s, "end": e, "label": label} for s, e, label in spans]
    responses = {"ner": [{"value": value, "user_id": "u"}]}
    fields = {"text": row["reference"]}
    return {"fields": fields, "metadata": without_reference(row), "responses": responses}


def doccano(row: Row, spans: Spans) -> Row:
    return {"text": row["reference"], "label": [list(span) for span in spans], **without_reference(row)}


MAKE: dict[str, tuple[str, Callable[[Row, Spans], Row]]] = {
    "plain": ("a.jsonl", plain),
    "native": ("a.jsonl", native),
    "native-gold": ("a.jsonl", gold),
    "ragas": ("a.jsonl", ragas),
    "ragas-csv": ("a.csv", ragas),
    "deepeval": ("a.json", deepeval),
    "prodigy": ("a.jsonl", prodigy),
    "label-studio": ("a.json", label_studio),
    "argilla": ("a.json", argilla),
    "doccano": ("a.jsonl", doccano),
    "parquet": ("a.parquet", ragas),
}


def write(path: Path, make: Callable[[Row, Spans], Row], rows: int) -> None:
    """The file of a format: lines, one document, a table, or Parquet."""
    path.parent.mkdir(exist_ok=True)
    given = [make(*one) for one in samples(rows)]
    if path.suffix == ".parquet":
        import pyarrow as arrow
        import pyarrow.parquet as parquet

        parquet.write_table(arrow.Table.from_pylist(given), path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            csv.writer(file).writerows([list(given[0]), *(map(str, row.values()) for row in given)])
        elif path.suffix == ".json":
            json.dump(given, file, ensure_ascii=False, indent=1)
        else:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in given)


def import_floor(source: Path) -> None:
    """The least work that stores the rows of a native file."""
    rows = []
    for line in source.open("rb"):
        row = json.loads(line)
        contexts = row["retrieved_contexts"]
        digest = hashlib.sha256("".join((row["user_input"], row["reference"], *contexts)).encode())
        key, question, reference = row["id"], row["user_input"], row["reference"]
        rows.append((key, question, reference, json.dumps(contexts), digest.hexdigest()))
    target = source.with_suffix(".db")
    with closing(sqlite3.connect(target)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("CREATE TABLE s (id INTEGER PRIMARY KEY, key UNIQUE, q, r, c, h)")
        database.executemany("INSERT INTO s (key, q, r, c, h) VALUES (?, ?, ?, ?, ?)", rows)
        database.commit()
    target.unlink()


def export_floor(source: Path) -> float:
    """CPU seconds to dump every row again."""
    rows = [json.loads(line) for line in source.open(encoding="utf-8")]
    return cpu_seconds(lambda: [json.dumps(row, ensure_ascii=False) for row in rows])


def workbench(db: Path, *words: str | Path) -> Used:
    return process([sys.executable, "-m", "workbench.cli", "--db", str(db), *map(str, words)])


def bytes_in(path: Path) -> int:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(one.stat().st_size for one in files if one.is_file())


def show(name: str, size: int, runs: list[Used], floor: float) -> None:
    cpu, wall, peak = median_of(runs)
    print(
        f"{name:24} {size / 1e6:7.1f} MB  {wall:6.2f} s wall {cpu:6.2f} s CPU "
        f"{cpu / floor:5.1f} × floor  peak {peak:4.0f} MB",
        flush=True,
    )


def measure(name: str, path: Path, base: Path, rounds: int, *more: str) -> None:
    """Import a file or folder some times, each into a database of its own."""
    runs, floors = [], []
    for number in range(rounds):
        floors.append(cpu_seconds(lambda: import_floor(base)))
        with tempfile.TemporaryDirectory() as folder:
            runs.append(workbench(Path(folder, f"{number}.db"), "import", path, *more))
    show(f"import {name}", bytes_in(path), runs, sorted(floors)[rounds // 2])


def exported(base: Path, rounds: int, forms: list[str]) -> None:
    """Every format written and, where it can, imported again."""
    db, target = base.with_name("source.db"), base.with_name("exported")
    workbench(db, "import", base, "--gold")
    floor = export_floor(base)
    for form in forms:
        runs = []
        for _ in range(rounds):
            shutil.rmtree(target / form, ignore_errors=True)
            runs.append(workbench(db, "export", target / form, "--format", form, "--names"))
        show(f"export {form}", bytes_in(target / form), runs, floor)
        if form in COMES_BACK:
            measure(form, target / form, base, rounds, "--gold-if-given")


def main() -> None:
    given = options(__doc__, rows=10_000, rounds=3, formats=[""], exported=False)
    chosen = [form for form in given.formats if form]
    print(f"{given.rows:,} samples of {SPANS} spans, medians of {given.rounds} rounds")
    with tempfile.TemporaryDirectory() as name:
        base = Path(name, "rows.jsonl")
        if given.exported:
            write(base, verified, given.rows)
            exported(base, given.rounds, chosen or list(FORMATS))
            return
        write(base, native, given.rows)
        for form in chosen or MAKE:
            file, make = MAKE[form]
            path = Path(name, form, file)
            write(path, make, given.rows)
            measure(form, path, base, given.rounds, *(("--gold",) if form == "native-gold" else ()))


if __name__ == "__main__":
    main()
