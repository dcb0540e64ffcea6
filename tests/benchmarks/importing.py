"""Import and export of samples by format, each as a process of its own, against a floor of the same run.

Floor of an import: json.loads of every line of the native file, one SHA-256 over its texts, and one sqlite3
executemany of the same columns with WAL and synchronous=FULL. Floor of an export: json.dumps of the rows.
Bars: `plain`, samples without spans, at most 3 times the floor; 10,000 samples of eight spans in 2.5 s, their
export in 3 s, both in 150 MB; ten times the samples in ten times that, memory flat.

    python -m tests.benchmarks.importing [--rows 10000] [--rounds 3] [--formats FORMAT ...] [--exported]

With `--exported` the samples have eight verified units, half of them found with their evidence, the others
missing with a reason; they are exported in every format, and what comes back is imported again.
"""

import hashlib
import json
import random
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from tests.benchmarks.harness import PROGRAM, Used, cpu_seconds, median_of, options, process
from tests.rows import Row, sample, write_rows
from workbench.formats.exports.verify import FORMATS

SPANS = 8
WORDS = (
    "river city emperor marble tower harbour treaty engine orbit museum garden bridge valley station "
    "Bologna Kyoto Samara Quito 1889 1631 Lovelace Gagarin Curie Humboldt of the in by was and near"
).split()
COMES_BACK = (
    "native ragas ragas-annotations deepeval-goldens deepeval-cases huggingface label-studio prodigy csv"
)
Make = Callable[[Row, list[Row]], Row]


def samples(rows: int) -> Iterator[tuple[Row, list[Row]]]:
    """Samples of about one kilobyte, and eight words of each reference with their places."""
    chance = random.Random(7)

    def text(words: int) -> str:
        return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."

    for number in range(rows):
        reference, contexts = text(25), [text(40) for _ in range(3)]
        marked = {"user_input": text(8), "response": text(8), "meta": {"language": "en", "retriever": "bm25"}}
        words = list(re.finditer(r"[^ .]+", reference))
        units = [
            {"text": word[0], "label": "place", "start": word.start(), "end": word.end()}
            for word in (words[place] for place in sorted(chance.sample(range(25), SPANS)))
        ]
        yield sample(f"sample-{number}", reference, *contexts, **marked), units


def plain(row: Row, _: list[Row]) -> Row:
    return row


def native(row: Row, units: list[Row]) -> Row:
    return {**row, "proposal": {"proposer": "p", "reference_entities": units}}


def gold(row: Row, units: list[Row]) -> Row:
    missing = [{**unit, "verdict": "missing"} for unit in units]
    return {**row, "gold": {"annotator": "a", "entities": missing}}


def verified(row: Row, units: list[Row]) -> Row:
    """Half of the units found, with their place in a context that names them."""
    context, judged = "", []
    for found, missing in zip(units[::2], units[1::2], strict=True):
        place = {"context": 3, "start": len(context), "end": len(context) + len(found["text"])}
        context += found["text"] + " near "
        judged.append({**found, "verdict": "found", "evidence": [place]})
        judged.append({**missing, "verdict": "missing", "reason": "absent"})
    contexts = [*row["retrieved_contexts"], context]
    gold = {"annotator": "ann", "entities": judged}
    return {**native(row, units), "retrieved_contexts": contexts, "gold": gold}


def argilla(row: Row, units: list[Row]) -> Row:
    responses = {"ner": [{"value": units, "user_id": "u"}]}
    return {"fields": {"text": row.pop("reference")}, "metadata": row, "responses": responses}


def doccano(row: Row, units: list[Row]) -> Row:
    marked = [[unit["start"], unit["end"], unit["label"]] for unit in units]
    return {"text": row.pop("reference"), "label": marked, **row}


MAKE = {"plain": plain, "native": native, "native-gold": gold, "argilla": argilla, "doccano": doccano}
"""What no export brings back, and what the others are set against."""


def write(path: Path, make: Make, rows: int) -> Path:
    """The file of a format: one document, or lines."""
    path.parent.mkdir(exist_ok=True)
    given = [make(*one) for one in samples(rows)]
    if make is not argilla:
        return write_rows(path, given)
    path.write_text(json.dumps(given, ensure_ascii=False, indent=1), "utf-8")
    return path


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
    return process([*PROGRAM, "--db", str(db), *map(str, words)])


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
        if form in COMES_BACK.split():
            measure(form, target / form, base, rounds, "--gold-if-given")


def main() -> None:
    given = options(__doc__, rows=10_000, rounds=3, formats=[""], exported=False)
    chosen = [form for form in given.formats if form]
    print(f"{given.rows:,} samples of {SPANS} spans, medians of {given.rounds} rounds")
    with tempfile.TemporaryDirectory() as name:
        base = write(Path(name, "rows.jsonl"), verified if given.exported else native, given.rows)
        if given.exported:
            exported(base, given.rounds, chosen or list(FORMATS))
            return
        for form in chosen or MAKE:
            path = write(Path(name, form, "rows.json"), MAKE[form], given.rows)
            measure(form, path, base, given.rounds, *(("--gold",) if form == "native-gold" else ()))


if __name__ == "__main__":
    main()
