"""Write the sample exports again from the demo: python exports/make.py"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from workbench.formats.exports.verify import FORMATS
from workbench.stages.export import ExportOptions, export
from workbench.stages.import_ import load_demo
from workbench.stages.recompute import score_dataset
from workbench.store.engine import open_store

FOLDER = Path(__file__).parent
MOMENT = "2026-01-01 00:00:00.000000"
LICENCE = "Apache-2.0"

# Chance and the clock, which every database has of its own: the salt of the pseudonyms, times, names of acts.
SETTLED = (
    ("UPDATE dataset SET salt = ?", "5a" * 32),
    ("UPDATE dataset SET created_at = ?", MOMENT),
    ("UPDATE policy SET created_at = ?", MOMENT),
    ("UPDATE plan SET created_at = ?", MOMENT),
    ("UPDATE run SET created_at = ?", MOMENT),
    ("UPDATE score_column SET at = ?", MOMENT),
    ("UPDATE review SET updated_at = ?", MOMENT),
    ("UPDATE review_event SET at = ?", MOMENT),
    ("UPDATE review_event SET action = ?", "import:demo"),
)


def make(folder: Path) -> None:
    """Export the demo in every format, each into a folder of its name; earlier exports there are replaced."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "demo.db")
        store = open_store(str(path))
        try:
            info = load_demo(store, "demo")
            score_dataset(store, info)
            with closing(sqlite3.connect(path)) as raw:
                for statement, value in SETTLED:
                    raw.execute(statement, (value,))
                raw.commit()
            for name in FORMATS:
                options = ExportOptions(formats=(name,), force=True, licence=LICENCE)
                export(store, info, folder / name, options, annotator="demo")
        finally:
            store.close()


if __name__ == "__main__":
    make(FOLDER)
