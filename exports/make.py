"""Write the sample exports again from the demo: python exports/make.py"""

from __future__ import annotations

import tempfile
from pathlib import Path

from workbench.stages.demo import load_demo
from workbench.stages.export import export
from workbench.store.engine import open_store

FOLDER = Path(__file__).parent


def make(folder: Path) -> None:
    """Export the demo into `folder`/native; an earlier export there is replaced."""
    with tempfile.TemporaryDirectory() as scratch:
        store = open_store(str(Path(scratch, "demo.db")))
        try:
            export(store, load_demo(store, "demo"), folder / "native", annotator="demo", force=True)
        finally:
            store.close()


if __name__ == "__main__":
    make(FOLDER)
