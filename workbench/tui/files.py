"""What the palette imports and writes, in a thread; each returns what to say at the end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from workbench.reports.files import import_text
from workbench.stages import export as exporting, upkeep
from workbench.stages.answer import answer
from workbench.stages.compare import write_html
from workbench.stages.desk import Desk
from workbench.stages.import_ import ImportOptions, default_name, import_file
from workbench.store.datasets import dataset_info
from workbench.store.engine import Store
from workbench.text.figures import many

__all__ = ["back_up", "bring_in", "default_name", "export", "report"]

Count = Callable[[int], None]
"""You call it with what is done so far: megabytes of an import, samples of a report or an export."""


def bring_in(store: Store, path: Path, name: str, annotator: str, count: Count) -> str:
    """Import a file or folder, and call `count` with the megabytes that are read."""
    options = ImportOptions(dataset=name)
    return import_text(
        import_file(store, path, options, annotator=annotator, progress=lambda done: count(done // 1_000_000))
    )


def export(desk: Desk, name: str, path: Path, count: Count) -> str:
    """Write verified data in a format into a new folder."""
    info = dataset_info(desk.store, desk.info.id)
    options = exporting.ExportOptions(formats=(name,))
    done = exporting.export(desk.store, info, path, options, annotator=desk.annotator, progress=count)
    return f"wrote {done.path}: {many(done.samples, 'sample')}, {done.gold:,} verified"


def report(desk: Desk, path: Path, count: Count) -> str:
    """Write the comparison as a page."""
    info = dataset_info(desk.store, desk.info.id)
    reply, figures = answer(desk.store, info, desk.annotator, progress=count)
    write_html(desk.store, info, path, reply, figures, text=True, force=False)
    return f"wrote {path.resolve()}"


def back_up(desk: Desk, _count: Count) -> str:
    """Copy the database next to it."""
    copy = upkeep.backup(desk.store, None, datetime.now().astimezone(), desk.annotator)
    return f"copied the database to {copy}"
