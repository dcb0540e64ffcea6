"""Files made from what a test says, read the way the import reads them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.rows import lines
from workbench.formats.reading import read
from workbench.formats.rows import FileRow, Notes
from workbench.model import Record

FIXTURES = Path(__file__).parents[2] / "fixtures" / "formats"


@dataclass(frozen=True)
class Loaded:
    """All rows of a file and what was noted."""

    rows: list[FileRow]
    notes: Notes

    @property
    def records(self) -> list[Record]:
        return [row.record for row in self.rows if row.record is not None]

    @property
    def errors(self) -> list[str]:
        """Every refusal without the path of the file."""
        errors = (row.error for row in self.rows if row.error is not None)
        return [str(error).partition(f"{error.path}:")[2] for error in errors]

    @property
    def record(self) -> Record:
        """The only row, which has to be good."""
        assert self.errors == []
        (record,) = self.records
        return record


Load = Callable[..., Loaded]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Write text, bytes or objects (one a line) to a file and read it."""

    def loader(content: Any, name: str = "rows.jsonl", format: str | None = None) -> Loaded:  # noqa: A002
        path = tmp_path / name
        if isinstance(content, dict | list):
            content = lines([content] if isinstance(content, dict) else content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return load_path(path, format)

    return loader


def load_path(path: Path, format: str | None = None, **options: Any) -> Loaded:  # noqa: A002
    notes = Notes()
    return Loaded(list(read(path, format=format, notes=notes, **options)), notes)


@pytest.fixture
def fixture() -> Load:
    """Read one of the project's own small files."""
    return lambda name: load_path(FIXTURES / name)
