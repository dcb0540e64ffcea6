"""The sample exports in the repository are what the program writes today."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_sample_exports_are_what_the_program_writes(tmp_path: Path) -> None:
    runpy.run_path(str(ROOT / "exports" / "make.py"))["make"](tmp_path)
    written = {
        path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    }
    kept = {
        path.relative_to(ROOT / "exports"): path.read_bytes()
        for path in (ROOT / "exports" / "native").rglob("*")
        if path.is_file()
    }

    assert sorted(kept) == sorted(written)
    assert kept == written
