"""Databases of any number of samples for measurements: a small import, multiplied inside the database.

A million samples take about a minute and 1.5 GB; they are kept in the temporary folder for the next run.
"""

import hashlib
import json
import random
import sqlite3
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, create_engine, text

from tests.benchmarks.harness import PROGRAM
from tests.benchmarks.pty_app import terminal_environment
from tests.rows import Row, gold, proposal, sample, write_rows
from workbench.matching import MATCHER
from workbench.model import text_hash
from workbench.settings import State, write_state
from workbench.store import tables
from workbench.store.database import number_on

TABLES = hashlib.sha256(Path(tables.__file__).read_bytes()).hexdigest()[:12]
"""The tables as they are now: a database that is kept from an earlier run may have others."""

BASE = 1_000
NOTHING: Mapping[str, str] = MappingProxyType({})
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
    source = write_rows(FOLDER / "base.jsonl", base_rows())
    command = [*PROGRAM, "--db", str(fresh), "--as", "ann"]
    for words in (["import", str(source), "--gold-if-given", "--blind", "0"], ["score"]):
        subprocess.run([*command, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    asked = "o.user_input || ' (' || n || ')'"
    own = {
        "sample.user_input": asked,
        "sample.content_hash": f"hashed({asked}, o.reference, o.retrieved_contexts)",
        "proposal.content_hash": "(SELECT content_hash FROM sample WHERE id = o.sample_id + n * {step})",
    }
    engine = create_engine(f"sqlite:///{fresh}")
    with engine.begin() as connection:
        raw: Any = connection.connection.driver_connection
        raw.create_function("hashed", 3, lambda q, r, contexts: text_hash(q, r, *json.loads(contexts)))
        connection.exec_driver_sql("PRAGMA cache_size=-400000")
        multiply(connection, samples // BASE - 1, own, sample="1 = 1", proposal="1 = 1", counted="1 = 1")
    engine.dispose()
    fresh.rename(path)
    return path


def multiply(connection: Connection, times: int, own: Mapping[str, str] = NOTHING, /, **chosen: str) -> None:
    """So many more of each row `o` that is chosen of a table, with ids and hashes of its own.

    `own`: what else stands in a column of copy `n`, as `sample.user_input`.
    """
    named = {name: tables.METADATA.tables[name] for name in chosen}
    highest = (f"SELECT coalesce(max(id), 0) FROM {name}" for name, one in named.items() if "id" in one.c)
    step = 1 + max(connection.execute(text(query)).scalar_one() for query in highest)
    # an odd factor mod 2^32 gives every id another number, spread as a random draw is
    spread = f"(((o.{{}} + n * {step}) * 2654435761) % 4294967296) / 4294967296.0"

    def moved(name: str, column: str, key: str) -> str:
        if said := own.get(f"{name}.{column}"):
            return said.format(step=step)
        if column in ("id", "sample_id", "review_id"):
            return f"o.{column} + n * {step}"
        if column in ("key", "reference_hash", "content_hash", "action"):
            return f"o.{column} || '-' || CAST(n AS VARCHAR)"
        return spread.format(key) if column in ("u", "rank") else f'o."{column}"'

    for first in range(1, times + 1, 50):
        numbers = " UNION ALL ".join(f"SELECT {n} AS n" for n in range(first, min(first + 50, times + 1)))
        for name, table in named.items():
            columns = [column.name for column in table.c]
            key = "sample_id" if "sample_id" in columns else "id"
            values = ", ".join(moved(name, column, key) for column in columns)
            listed = ", ".join(f'"{column}"' for column in columns)
            where = f"o.{'id' if 'id' in columns else key} < {step} AND {chosen[name]}"
            given = f'SELECT {values} FROM "{name}" o, ({numbers}) m WHERE {where}'
            connection.execute(text(f'INSERT INTO "{name}" ({listed}) {given}'))
    number_on(connection, tables.METADATA.sorted_tables)


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
        words = ("".join(chance.choices(SYLLABLES, k=3)).capitalize() for _ in range(chance.choice((1, 2))))
        return " ".join(words)

    def sentence() -> str:
        return " ".join(chance.choices(WORDS, k=3)).capitalize() + "."

    rows: list[Row] = []
    for number in range(BASE):
        names = [name() for _ in range(6)]
        entities = [{"text": one, "label": chance.choice(LABELS)} for one in names]
        first, second = ", ".join(names[:3]), ", ".join(names[3:])
        reference = f"{sentence()} It names {first}. {sentence()} Then {second}."
        contexts = [f"{sentence()} {one} is here; {sentence()} {sentence()}" for one in names[:4]]
        given = proposal(
            (), *([one] for one in entities[:4]), proposer="recorded", reference_entities=entities
        )
        marks = {"group": f"group-{number % 200}", "proposal": given}
        if number % (BASE // VERIFIED) == 0:
            verdicts = ["found"] * 4 + ["missing"] * 2
            marks["gold"] = gold(dict(zip(names, verdicts, strict=True)), "ann")
        asked = f"Which names stand in text {number}?"
        rows.append(sample(f"sample-{number}", reference, *contexts, user_input=asked, **marks))
    return rows


def order_of(path: Path, most: int = 1) -> list[str]:
    """The ids of undecided samples in queue order; the queue opens on the first."""
    with closing(sqlite3.connect(path)) as raw:
        query = "SELECT key FROM sample WHERE id NOT IN (SELECT sample_id FROM review) ORDER BY rank LIMIT ?"
        return [key for (key,) in raw.execute(query, (most,))]
