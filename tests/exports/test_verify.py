"""`verify` says what changed in an export, byte by byte and in what the files say of each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.exports.conftest import Leave
from workbench.errors import InputError, NotFoundError
from workbench.formats import folder
from workbench.stages.verify import verify


def reseal(target: Path) -> None:
    """Make the manifest fit the files again, as somebody would who wants to hide a change."""
    manifest = folder.read_manifest(target)
    given = {key: manifest[key] for key in manifest if key not in folder._RESERVED}
    folder.write_manifest(target, manifest["counts"], given)


def replace(path: Path, old: str, new: str, count: int = 1) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), "utf-8", newline="\n")


def test_an_export_is_as_it_was_written(leave: Leave) -> None:
    """In all formats; more than the hashes is looked at."""
    report = verify(leave("all"))

    assert ((), True) == (report.found, report.passed)
    assert 7 + 7 + 5 + 5 + 7 == report.checked


def test_a_changed_missing_or_foreign_file_is_named(leave: Leave) -> None:
    target = leave("all")
    replace(target / "csv" / "samples.csv", "Where", "Whxre")
    (target / "conll" / "README.md").unlink()
    (target / "stray.txt").write_text("x")
    found = "\n".join(verify(target).found)

    assert "changed: csv/samples.csv: sha256" in found
    assert "missing: conll/README.md" in found
    assert "not in the manifest: stray.txt" in found


@pytest.mark.parametrize(
    ("name", "file", "change", "said"),
    [
        ("native", "samples.jsonl", ('"start": 17', '"start": 16'), "do not quote their text"),
        ("package", "events.jsonl", ('"op": "accept"', '"op": "comment"'), "cannot be read any more"),
        ("package", "events.jsonl", ('"verdict":"found"', '"verdict":"missing"'), "gives other entities"),
        ("package", "verdicts.jsonl", ('"text": "Zoë"', '"text": "Zoe"'), "does not quote it"),
        (
            "package",
            "references.jsonl",
            ('"entity": "verified"', '"entity": "todo"'),
            "its reviews say verified",
        ),
        (
            "package",
            "references.jsonl",
            ('"seq": 2, "entity": "verified"', '"seq": 2, "entity": "todo"'),
            "the journal says",
        ),
        ("conll", "gold.conll", ("Тадж-Махал\t", "Тадж\t"), "does not follow in the text"),
        ("prodigy", "tasks.jsonl", ('"token_end": 0', '"token_end": 1'), "does not end with its tokens"),
        (
            "label-studio",
            "tasks.json",
            ('"text": "Zoë", "labels"', '"text": "Zoe", "labels"'),
            "does not quote",
        ),
    ],
)
def test_a_change_is_found_where_the_hashes_were_made_to_fit(
    leave: Leave, name: str, file: str, change: tuple[str, str], said: str
) -> None:
    """Files that contradict each other, or spans that do not quote."""
    target = leave(name)
    replace(target / file, *change)
    reseal(target)
    report = verify(target)

    assert not report.passed
    assert said in "\n".join(report.found)


def test_a_row_too_few_is_counted(leave: Leave) -> None:
    target = leave("native")
    lines = (target / "samples.jsonl").read_text("utf-8").splitlines(keepends=True)
    (target / "samples.jsonl").write_text("".join(lines[:-1]), "utf-8", newline="\n")
    reseal(target)

    assert ("native: 6 rows, 7 in the manifest",) == verify(target).found


def test_a_long_journal_is_folded_in_parts(leave: Leave, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same answer."""
    from workbench.formats import verifying

    target = leave("package")
    monkeypatch.setattr(verifying, "PASS", 2_000)

    assert (7, ()) == (verify(target).checked, verify(target).found)
    replace(target / "events.jsonl", '"verdict":"found"', '"verdict":"missing"')
    reseal(target)
    assert 1 == len(verify(target).found)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_text("{}"),
        lambda path: path.write_text("[" * 100_000),
        lambda path: path.write_bytes(b"\xff\xfe"),
    ],
)
def test_a_folder_that_is_no_export_is_an_error(leave: Leave, spoil: Callable[[Path], object]) -> None:
    target = leave("native")
    spoil(target / "manifest.json")

    with pytest.raises(InputError):
        verify(target)


def test_a_folder_without_a_manifest_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"no manifest\.json: not an export"):
        verify(tmp_path)


def test_a_manifest_whose_counts_are_nonsense_is_no_crash(leave: Leave) -> None:
    target = leave("native")
    manifest = json.loads((target / "manifest.json").read_text("utf-8"))
    manifest["counts"] = []
    (target / "manifest.json").write_text(json.dumps(manifest), "utf-8")

    assert not verify(target).passed
