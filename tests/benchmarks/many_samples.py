"""Databases of any number of samples for measurements: a small import, multiplied inside SQLite.

A million samples take about a minute and 1.5 GB; they are kept in the temporary folder for the next run.
"""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from tests.benchmarks.pty_app import terminal_environment
from tests.rows import Row, proposal, sample, write_rows
from workbench.matching import MATCHER
from workbench.model import text_hash
from workbench.settings import State, write_state
from workbench.store import tables

TABLES = hashlib.sha256(Path(tables.__file__).read_bytes()).hexdigest()[:12]
"""The tables as they are now: a database that is kept from an earlier run may have others."""

BASE = 1_000
VERIFIED = 50
"""Samples of the first thousand that come with gold."""

FOLDER = Path(tempfile.gettempdir(), "workbench-benchmarks")
SYLLABLES = "ka lo mer tin vas dor el bran su rik han po let mar wen gor ash ti no ber".split()
LABELS = ("person", "place", "organisation", "date", "work", "event")
WORDS = "the of in was by and near built with from river old city known for its many years where".split()


def database(samples: int) -> Path:
    """A database with that many samples (a multiple of 1,000), each with a proposal of six entities."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"samples-{samples}-{TABLES}-{MATCHER}.db"  # another matcher counts decided rows anew
    if path.exists():
        return path
    fresh = path.with_suffix(".making")
    for old in (fresh, Path(f"{fresh}-wal"), Path(f"{fresh}-shm")):
        old.unlink(missing_ok=True)
    source = FOLDER / "base.jsonl"
    write_rows(source, base_rows())
    command = [sys.executable, "-m", "workbench.cli", "--db", str(fresh), "--as", "ann"]
    for words in (["import", str(source), "--gold-if-given", "--blind", "0"], ["score"]):
        subprocess.run([*command, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with closing(sqlite3.connect(fresh)) as raw:
        multiply(raw, samples // BASE)
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    fresh.rename(path)
    return path


def environment() -> dict[str, str]:
    """A person who has seen the first steps and has no settings; byte code is compiled once, in FOLDER."""
    FOLDER.mkdir(exist_ok=True)
    state = FOLDER / "state.json"
    write_state(state, State(tour_seen=True))
    return terminal_environment(
        PYTHONPYCACHEPREFIX=str(FOLDER / "pycache"),
        WORKBENCH_STATE=str(state),
        XDG_CONFIG_HOME=str(FOLDER / "config"),
    )


def base_rows() -> list[Row]:
    """Samples of a question, two sentences that name six entities, and three contexts that name four."""
    chance = random.Random(7)

    def name() -> str:
        return " ".join(
            "".join(chance.choices(SYLLABLES, k=3)).capitalize() for _ in range(chance.choice((1, 2)))
        )

    def sentence(names: list[str]) -> str:
        pieces = [" ".join(chance.choices(WORDS, k=4)) + " " + one for one in names]
        return (" ".join(pieces) + " " + " ".join(chance.choices(WORDS, k=3))).capitalize() + "."

    rows: list[Row] = []
    for number in range(BASE):
        names = [name() for _ in range(6)]
        entities = [{"text": one, "label": chance.choice(LABELS)} for one in names]
        # capitalize() lowers the rest, so the names are put in afterwards
        reference = (
            f"{sentence([])} It names {', '.join(names[:3])}. {sentence([])} Then {', '.join(names[3:])}."
        )
        contexts = [f"{sentence([])} {one} is here; {sentence([])} {sentence([])}" for one in names[:4]]
        given = {
            **proposal((), *([one] for one in entities[:4]), proposer="recorded"),
            "reference_entities": entities,
        }
        asked, group = f"Which names stand in text {number}?", f"group-{number % 200}"
        row = sample(f"sample-{number}", reference, *contexts, user_input=asked, group=group, proposal=given)
        if number % (BASE // VERIFIED) == 0:
            found = [{**entity, "verdict": "found"} for entity in entities[:4]]
            missing = [{**entity, "verdict": "missing"} for entity in entities[4:]]
            row["gold"] = {"annotator": "ann", "entities": found + missing}
        rows.append(row)
    return rows


def multiply(raw: sqlite3.Connection, times: int) -> None:
    """Copy samples, proposals and counts until there are `times` as many, each with its own question."""
    raw.create_function("content_hash", 3, lambda q, r, contexts: text_hash(q, r, *json.loads(contexts)))
    raw.create_function("reference_hash", 2, text_hash)
    raw.execute("PRAGMA synchronous=OFF")
    raw.execute("PRAGMA cache_size=-400000")
    number = f"id - 1 + :step * {BASE}"
    # an odd factor mod 2^32 gives every id another number, spread as a random draw is
    spread = f"(((id + :step * {BASE}) * 2654435761) % 4294967296) / 4294967296.0"
    asked = f"'Which names stand in text ' || ({number}) || '?'"
    copied = {
        "sample": {
            "id": f"id + :step * {BASE}",
            "key": f"'sample-' || ({number})",
            "user_input": asked,
            "reference_hash": f"reference_hash({asked}, reference)",
            "content_hash": f"content_hash({asked}, reference, retrieved_contexts)",
            "u": spread,
            "rank": spread,
        },
        "proposal": {
            "id": f"id + :step * {BASE}",
            "sample_id": f"sample_id + :step * {BASE}",
            "content_hash": f"(SELECT s.content_hash FROM sample s WHERE s.id = sample_id + :step * {BASE})",
        },
        "counted": {"sample_id": f"sample_id + :step * {BASE}"},
    }
    with raw:
        for table, changed in copied.items():
            names = [row[1] for row in raw.execute(f"PRAGMA table_info({table})")]
            values = ", ".join(changed.get(name, f'"{name}"') for name in names)
            first = "id" if "id" in names else "sample_id"
            query = f"INSERT INTO {table} SELECT {values} FROM {table} WHERE {first} <= {BASE}"
            for step in range(1, times):
                raw.execute(query, {"step": step})


def order_of(path: Path, most: int = 1) -> list[str]:
    """The ids of undecided samples in queue order; the queue opens on the first."""
    with closing(sqlite3.connect(path)) as raw:
        query = "SELECT key FROM sample WHERE id NOT IN (SELECT sample_id FROM review) ORDER BY rank LIMIT ?"
        return [key for (key,) in raw.execute(query, (most,))]
