"""Import of samples with eight spans each, by format, against a floor measured in the same run.

Floor: json.loads of every line of the native file, one SHA-256 over its texts, and one sqlite3 executemany of
the same columns with WAL and synchronous=FULL. The bar: 10,000 samples in 2.5 s and 150 MB on two cores,
100,000 within ten times that, memory flat.

    python tests/benchmarks/importing_formats.py [ROWS] [ROUNDS] [FORMAT ...] [--exported]

With `--exported` what is imported is what we export, in every format that comes back: samples with eight
verified units, half of them found with their evidence, the others missing with a reason; native rows
also with a proposal next to the gold.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import exporting  # type: ignore[import-not-found]
import importing as plain  # type: ignore[import-not-found]

SPANS = 8
Row = dict[str, Any]


def samples(rows: int) -> Iterator[tuple[Row, list[tuple[int, int, str]]]]:
    """Samples of about one kilobyte and the places of eight words of each reference."""
    chance = random.Random(7)

    def text(words: int) -> str:
        return " ".join(chance.choices(plain.WORDS, k=words)).capitalize() + "."

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
        }
        yield row, spans


def native(row: Row, spans: list[tuple[int, int, str]]) -> Row:
    text = row["reference"]
    said = [{"text": text[s:e], "label": label, "start": s, "end": e} for s, e, label in spans]
    return {**row, "proposal": {"proposer": "p", "reference_entities": said}}


def gold(row: Row, spans: list[tuple[int, int, str]]) -> Row:
    text = row["reference"]
    units = [
        {"text": text[s:e], "label": label, "start": s, "end": e, "verdict": "missing"}
        for s, e, label in spans
    ]
    return {**row, "gold": {"annotator": "a", "entities": units}}


def ragas(row: Row, spans: list[tuple[int, int, str]]) -> Row:
    named = {"question": row["user_input"], "contexts": row["retrieved_contexts"]}
    return {**named, "ground_truth": row["reference"], "context_entity_recall": 0.5}


def deepeval(row: Row, spans: list[tuple[int, int, str]]) -> Row:
    named = {"input": row["user_input"], "retrieval_context": row["retrieved_contexts"]}
    metrics = [{"name": "Contextual Recall", "score": 0.5, "threshold": 0.5, "reason": "because"}]
    return {**named, "expected_output": row["reference"], "metricsData": metrics}


def _beside(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "reference"}


def prodigy(row: Row, spans: list[tuple[int, int, str]]) -> Row:
    given = [{"start": s, "end": e, "label": label} for s, e, label in spans]
    return {"text": row["reference"], "meta": _beside(row), "spans": given, "answer": "accept"}


def label_studio(row: Row, spans: list[tuple[int, int, str]]) -> Row:
    text = row["reference"]
    result = [
        {
            "id": f"r{index}",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": s, "end": e, "text": text[s:e], "labels": [label]},
        }
        for index, (s, e, label) in enumerate(spans)
    ]
    data = {"text": text, **_beside(row)}
    return {"data": data, "annotations": [{"result": result, "completed_by": 1}], "predictions": []}


def argilla(row: Row, spans: list[tuple[int, int, str]]) -> Row:
    value = [{"start": s, "end": e, "label": label} for s, e, label in spans]
    responses = {"ner": [{"value": value, "user_id": "u"}]}
    return {"fields": {"text": row["reference"]}, "metadata": _beside(row), "responses": responses}


def doccano(row: Row, spans: list[tuple[int, int, str]]) -> Row:
    return {"text": row["reference"], "label": [list(span) for span in spans], **_beside(row)}


MAKE: dict[str, tuple[str, Callable[[Row, list[tuple[int, int, str]]], Row]]] = {
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


def write(path: Path, make: Callable[[Row, list[tuple[int, int, str]]], Row], rows: int) -> None:
    """The file of a format: lines, one document, a table, or Parquet."""
    given = (make(*one) for one in samples(rows))
    if path.suffix == ".parquet":
        import pyarrow as arrow
        import pyarrow.parquet as parquet

        parquet.write_table(arrow.Table.from_pylist(list(given)), path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            import csv

            table = csv.writer(file)
            for number, row in enumerate(given):
                if not number:
                    table.writerow(row)
                table.writerow(str(value) for value in row.values())
        elif path.suffix == ".json":
            for number, row in enumerate(given):
                file.write("," if number else "[")
                file.write(json.dumps(row, ensure_ascii=False, indent=1))
            file.write("]")
        else:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in given)


EXPORTED = (
    "native", "ragas", "ragas-annotations", "deepeval-goldens", "deepeval-cases", "huggingface",
    "label-studio", "prodigy", "csv",
)  # fmt: skip


def measure(name: str, path: Path, base: Path, folder: Path, rounds: int, *options: str) -> None:
    """Import a file or folder some times, each into a database of its own, and print the medians."""
    walls, ratios, peaks, cpus = [], [], [], []
    for number in range(rounds):
        floor, _ = plain.floor(base, folder / f"{name}-floor{number}.db")
        cpu, wall, peak = plain.imported(path, folder / f"{name}{number}.db", *options)
        walls.append(wall)
        cpus.append(cpu)
        ratios.append(cpu / floor)
        peaks.append(peak)
        for used in folder.glob(f"{name}*{number}.db*"):
            used.unlink()
    wall, cpu, ratio = map(statistics.median, (walls, cpus, ratios))
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    print(
        f"{name:18} {sum(one.stat().st_size for one in files) / 1e6:7.1f} MB  {wall:6.2f} s wall "
        f"{cpu:6.2f} s CPU {ratio:5.1f} × floor  peak {max(peaks):4.0f} MB",
        flush=True,
    )


def exported(folder: Path, rows: int, rounds: int, chosen: list[str]) -> None:
    """What we export, imported again."""
    for proposals, forms in ((False, EXPORTED), (True, ("native",))):
        wanted = [form for form in forms if form in chosen] if chosen else list(forms)
        if not wanted:
            continue
        beside = "+proposals" if proposals else ""
        base, db, target = (folder / f"{one}{beside}" for one in ("rows.jsonl", "source.db", "exported"))
        exporting.make(base, rows, proposals=proposals)
        exporting.run("--db", str(db), "import", str(base), "--gold")
        for form in wanted:
            exporting.run("--db", str(db), "export", str(target / form), "--format", form, "--names")
            measure(f"{form}{beside}", target / form, base, folder, rounds, "--gold-if-given")


def main() -> None:
    numbers = [int(one) for one in sys.argv[1:] if one.isdigit()]
    rows, rounds = [*numbers, *[10_000, 3][len(numbers) :]]
    chosen = [one for one in sys.argv[1:] if not one.isdigit() and one != "--exported"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{rows:,} samples of {SPANS} spans, {rounds} rounds; medians")
        if "--exported" in sys.argv:
            exported(folder, rows, rounds, chosen)
            return
        base = folder / "floor.jsonl"
        write(base, native, rows)
        for form in chosen or MAKE:
            file, make = MAKE[form]
            path = folder / form / file
            path.parent.mkdir()
            write(path, make, rows)
            measure(form, path, base, folder, rounds, *(("--gold",) if form == "native-gold" else ()))


if __name__ == "__main__":
    main()
