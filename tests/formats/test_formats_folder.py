"""An export folder is there as a whole or not at all, and its manifest tells every change."""

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import workbench
from tests.lists import from_cases
from workbench.errors import ExportError, InputError
from workbench.formats.exports import folder


def export(target: Path, text: str = '{"id": "a"}\n', force: bool = False) -> None:
    with folder.writing(target, force=force) as aside:
        (aside / "rows.jsonl").write_text(text)
        folder.write_manifest(aside, {"samples": 1}, {})


def names(path: Path) -> list[str]:
    return sorted(one.relative_to(path).as_posix() for one in path.rglob("*"))


def test_an_export_appears_as_a_whole_under_its_name_and_nothing_else(tmp_path: Path) -> None:
    """Folders above it are made, its permissions are those of any folder; half of it is never seen."""
    target = tmp_path / "a" / "b"
    with folder.writing(target) as aside:
        (aside / "rows.jsonl").write_text("x")
        assert (False, target.parent) == (target.exists(), aside.parent)

    assert ["a", "a/b", "a/b/rows.jsonl"] == names(tmp_path)
    assert target.parent.stat().st_mode == target.stat().st_mode


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, error: type[BaseException]) -> None:
    """Nor does Ctrl+C, which is no ordinary exception."""

    def fail(aside: Path) -> None:
        (aside / "rows.jsonl").write_text("x")
        raise error

    with pytest.raises(error), folder.writing(tmp_path / "out") as aside:
        fail(aside)

    assert names(tmp_path) == []


def test_a_failing_disk_is_an_export_error(tmp_path: Path) -> None:
    """Said with the name of the export."""
    with pytest.raises(ExportError, match="out: not written: No such file"), folder.writing(tmp_path / "out"):
        (tmp_path / "none" / "x").write_text("x")

    assert names(tmp_path) == []


@pytest.mark.parametrize("system", [sys.platform, "other"])
def test_an_earlier_export_is_replaced_whole_by_force(tmp_path: Path, monkeypatch: Any, system: str) -> None:
    """No file of the old one stays, and no other folder is left; also where folders cannot be exchanged."""
    monkeypatch.setattr("sys.platform", system)
    with folder.writing(tmp_path / "out") as aside:
        (aside / "below").mkdir()
        (aside / "below" / "older.jsonl").write_text("old")
        folder.write_manifest(aside, {}, {})
    export(tmp_path / "out", "new", force=True)

    assert (tmp_path / "out" / "rows.jsonl").read_text() == "new"
    assert names(tmp_path) == ["out", "out/manifest.json", "out/rows.jsonl"]


def test_force_never_removes_a_link(tmp_path: Path) -> None:
    """It is named, and everything stays as it was; files of a person are in the sessions."""
    out = tmp_path / "out"
    export(out, "old")
    (out / "link").symlink_to(tmp_path)
    before = names(tmp_path)

    with pytest.raises(ExportError, match="out: link is not of the export there: move what is yours"):
        export(out, "new", force=True)

    assert names(tmp_path) == before
    assert (out / "rows.jsonl").read_text() == "old"


def test_a_file_that_comes_while_it_is_written_is_not_removed(tmp_path: Path) -> None:
    """The folder is looked at again before it is exchanged; many files are counted, not listed."""
    out = tmp_path / "out"
    export(out, "old")
    others = tmp_path / "others"
    others.mkdir()
    for number in range(8):
        (others / f"{number}.txt").write_text("x")

    refused = pytest.raises(ExportError, match=r"0\.txt, .*/3\.txt, others/4\.txt and 3 more are not of")
    with refused, folder.writing(out, force=True):
        others.rename(out / "others")

    assert len(names(out)) == 2 + 1 + 8


def test_a_failure_under_force_leaves_the_earlier_export(tmp_path: Path) -> None:
    """It is removed last."""
    export(tmp_path / "out", "old")
    with pytest.raises(KeyError), folder.writing(tmp_path / "out", force=True):
        raise KeyError

    assert folder.check_manifest(tmp_path / "out") == []
    assert names(tmp_path) == ["out", "out/manifest.json", "out/rows.jsonl"]


def test_a_folder_that_fills_meanwhile_is_not_touched(tmp_path: Path) -> None:
    """It is looked at again before the new one takes its place."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "other.txt").write_text("x")
    with pytest.raises(ExportError, match="not empty"), folder.writing(tmp_path / "out"):
        other.rename(tmp_path / "out")

    assert names(tmp_path) == ["out", "out/other.txt"]


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    """The export goes where the link points, into an empty folder."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    export(tmp_path / "link")

    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == ["manifest.json", "rows.jsonl"]


# The manifest


def test_the_manifest_lists_every_file(tmp_path: Path) -> None:
    """Path, sha256 and bytes; its own keys are never those of an extra."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    (tmp_path / "open.jsonl").write_text("{}\n{}")
    (tmp_path / "sub" / "t.csv").write_text('a,b\n1,"x\ny"\n2,\n')
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "README.md").write_text("text\n")
    extra = {"labels": ["place"], "dataset": "Тадж"}
    manifest = folder.write_manifest(tmp_path, {"verified": 2, "all": 3}, {**extra, "files": []})

    assert json.loads((tmp_path / "manifest.json").read_text("utf-8")) == manifest
    tool = {"name": "workbench", "version": workbench.__version__}
    ours = {"schema": "workbench-export", "schema_version": 1, "tool": tool}
    seal = {"counts": {"verified": 2, "all": 3}, "manifest_sha256": folder.checksum(manifest)}
    assert {**ours, **seal, **extra} == {name: one for name, one in manifest.items() if name != "files"}
    sizes = {"README.md": 5, "empty.csv": 0, "open.jsonl": 5, "rows.jsonl": 18, "sub/t.csv": 15}
    assert [*sizes.items()] == [(one["path"], one["bytes"]) for one in manifest["files"]]
    assert manifest["files"][0]["sha256"] == hashlib.sha256(b"text\n").hexdigest()


def test_the_manifest_has_the_same_bytes_for_the_same_export(tmp_path: Path) -> None:
    """Whatever the order of files and keys; it does not list itself."""
    found = []
    for place, order in (("a", "xy"), ("b", "yx")):
        (tmp_path / place).mkdir()
        for name in order:
            (tmp_path / place / f"{name}.jsonl").write_text(name)
        for _ in range(2):
            folder.write_manifest(tmp_path / place, dict.fromkeys(order, 1), dict.fromkeys(order, 2))
            found.append((tmp_path / place / "manifest.json").read_bytes())

    assert len(set(found)) == 1
    assert found[0].endswith(b"}\n")


def test_a_manifest_that_was_edited_is_a_difference(tmp_path: Path) -> None:
    """Its figures are recounted."""
    export(tmp_path / "out")
    path = tmp_path / "out" / "manifest.json"
    size = (path.parent / "rows.jsonl").stat().st_size
    path.write_text(path.read_text().replace(f'"bytes": {size}', '"bytes": 7000'))

    changed = f"changed: rows.jsonl: bytes 7000 in the manifest, {size} in the file"
    assert [changed] == folder.check_manifest(tmp_path / "out")


@from_cases
def test_a_broken_manifest_is_an_input_error(tmp_path: Path, text: str) -> None:
    """Never a crash."""
    text = text.replace("<100,000 brackets>", "[" * 100_000)
    (tmp_path / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))

    with pytest.raises(InputError, match=r"manifest\.json: "):
        folder.check_manifest(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="needs a system where folders can be exchanged")
def test_the_place_is_never_empty_while_exports_are_exchanged(tmp_path: Path) -> None:
    """On Linux the two change places in one step; elsewhere False says that they did not."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text("")
    exchanged = folder._exchange(tmp_path / "a", tmp_path / "b")

    assert names(tmp_path) == (["a", "a/b", "b", "b/a"] if exchanged else ["a", "a/a", "b", "b/b"])
    assert not folder._exchange(tmp_path / "a", tmp_path / "none")
