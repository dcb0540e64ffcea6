"""What a killed export leaves behind is gone with the next one; what another one writes is not."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.formats.test_formats_folder import export
from workbench.errors import ExportError
from workbench.formats.exports import folder
from workbench.formats.exports.folder import being_written, leftovers

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows locks no folders: what is left there stays")

WRITER = """
import sys
from pathlib import Path
from typing import Any
from workbench.formats.exports import folder
with folder.writing(Path(sys.argv[1])) as aside:
    (aside / "rows.jsonl").write_text("all the text")
    print(aside, flush=True)
    sys.stdin.read()
"""


@contextmanager
def writer(target: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another process in the middle of an export, and the folder that it writes."""
    command = [sys.executable, "-c", WRITER, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def names(path: Path) -> list[str]:
    return sorted(one.name for one in path.iterdir())


def test_the_next_export_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    """That of another name stays, and what only looks like one."""
    with writer(tmp_path / "out") as (process, left):
        process.kill()
        process.wait()
    (tmp_path / ".other.0123abcd.partial").mkdir()
    (tmp_path / ".out.mine.partial").mkdir()
    assert [left] == leftovers(tmp_path, "out")
    assert not being_written(left)
    export(tmp_path / "out")

    assert [".other.0123abcd.partial", ".out.mine.partial", "out"] == names(tmp_path)
    assert [tmp_path / ".other.0123abcd.partial"] == leftovers(tmp_path)


def test_what_another_export_is_writing_stays(tmp_path: Path) -> None:
    """Two at once into one place: the second to end finds the first one's export there."""
    with writer(tmp_path / "out") as (process, aside):
        assert being_written(aside)
        export(tmp_path / "out")
        assert "all the text" == (aside / "rows.jsonl").read_text()
        process.communicate("", timeout=600)

    assert ["out"] == names(tmp_path)
    assert '{"id": "a"}\n' == (tmp_path / "out" / "rows.jsonl").read_text()
    assert 0 != process.returncode


def test_an_export_that_fails_leaves_the_other_one_alone(tmp_path: Path) -> None:
    """Into one place, in one process: each keeps its own folder."""
    with folder.writing(tmp_path / "out") as first:
        (first / "one").write_text("1")
        with pytest.raises(ExportError, match="not written"), folder.writing(tmp_path / "out") as second:
            (second / "two" / "three").write_text("2")
        assert "1" == (first / "one").read_text()

    assert ["out"] == names(tmp_path)
    assert ["one"] == names(tmp_path / "out")


def test_a_folder_taken_for_a_leftover_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another export comes between making the folder and holding it."""
    made: list[Path] = []
    real = Path.mkdir

    def mkdir(self: Path, **options: Any) -> None:
        real(self, **options)
        if self.name.endswith(".partial"):
            made.append(self)
            if len(made) == 1:
                self.rmdir()

    monkeypatch.setattr(Path, "mkdir", mkdir)
    export(tmp_path / "out")

    assert 2 == len(made)
    assert ["out"] == names(tmp_path)


def test_a_link_is_no_leftover(tmp_path: Path) -> None:
    """Nothing that a link of such a name points to is removed."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("years")
    (tmp_path / ".out.0123abcd.partial").symlink_to(tmp_path / "mine")
    export(tmp_path / "out")

    assert "years" == (tmp_path / "mine" / "notes").read_text()
    assert [] == leftovers(tmp_path)
