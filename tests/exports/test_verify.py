"""`verify` says what changed in an export, byte by byte and in what the files say of each other."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.exports.conftest import Leave, report_of
from workbench.errors import InputError, NotFoundError
from workbench.formats.exports import folder
from workbench.reports.files import verify_text
from workbench.stages import upkeep
from workbench.stages.upkeep import verify


def reseal(target: Path) -> None:
    """Make the manifest fit the files again, as somebody would who wants to hide a change."""
    manifest = folder.read_manifest(target)
    folder.write_manifest(target, manifest["counts"], manifest)


def replace(path: Path, old: str, new: str, count: int = 1) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), "utf-8", newline="\n")


def test_a_change_is_found_where_the_hashes_were_made_to_fit(leave: Leave) -> None:
    """Native rows are read as an import reads them: a span quotes its text."""
    target = leave("native")
    replace(target / "samples.jsonl", '"start": 17', '"start": 16')
    reseal(target)
    report = verify(target)

    assert not report.passed
    assert "do not quote their text" in "\n".join(report.found)


def test_a_manifest_whose_counts_are_nonsense_is_no_crash(leave: Leave) -> None:
    target = leave("native")
    edit(target, lambda one: one.update(counts=[]))

    assert not verify(target).passed


def edit(target: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Edit the manifest and leave its checksum as it is."""
    manifest = json.loads((target / "manifest.json").read_text("utf-8"))
    change(manifest)
    (target / "manifest.json").write_text(json.dumps(manifest), "utf-8")


FIGURES: dict[str, Any] = {"counts": {"gold": 99}, "matcher": {"threshold": 12}}
FIGURES |= {"annotators": {"each": []}, "licence": {"annotations": "MIT"}}


@pytest.mark.parametrize("name", FIGURES)
def test_an_edited_figure_of_the_manifest_is_found(leave: Leave, name: str) -> None:
    pytest.importorskip("pyarrow")
    target = leave("huggingface")
    edit(target, lambda one: one[name].update(FIGURES[name]))

    assert "changed: manifest.json: manifest_sha256 " in "\n".join(verify(target).found)


def test_a_manifest_laid_out_anew_is_the_same_and_one_without_a_checksum_is_not(leave: Leave) -> None:
    target = leave("all")
    edit(target, lambda _: None)
    report = verify(target)

    assert ((), 7) == (report.found, report.checked)
    edit(target, lambda one: one.pop("manifest_sha256"))
    (line,) = verify(target).found
    assert line.startswith("manifest.json: has no manifest_sha256,")


def test_a_format_that_is_named_has_its_files_and_no_other_has_some(leave: Leave) -> None:
    """Also where the list of files was made to fit."""
    target = leave("native", "csv", "conll")
    shutil.rmtree(target / "csv")
    (target / "conll" / "texts.jsonl").unlink()
    edit(target, lambda one: one.update(formats=["csv", "conll", "parquet"]))
    reseal(target)

    assert {
        "missing: csv/samples.csv, a file of csv that the manifest names",
        "missing: csv/units.csv, a file of csv that the manifest names",
        "missing: conll/texts.jsonl, a file of conll that the manifest names",
        "manifest.json: no format 'parquet'",
        "native: a folder of no format that the manifest names",
    } == set(verify(target).found)


def test_formats_in_folders_of_splits_are_verified_there(planned: Bench) -> None:
    target = Path(report_of(planned, "all", split=True).path)

    assert verify(target).passed
    for name in ("native/holdout/samples.jsonl", "huggingface/data/calibration.parquet"):
        (target / name).unlink()
    reseal(target)
    assert (
        "missing: native/holdout/samples.jsonl, a file of native that the manifest names",
        "missing: huggingface/data/calibration.parquet, a file of huggingface that the manifest names",
    ) == verify(target).found


GARBAGE = (b"5\n", b"[]\n", b'{"id": 5}\n', b"{}\n", b"\xff\n", b"null\n", b'"x"\n', b"[" * 100_000, b"{")


def test_garbage_under_right_hashes_is_named_by_its_file_without_words_of_the_program(leave: Leave) -> None:
    target = leave("native")
    for garbage in GARBAGE:
        (target / "samples.jsonl").write_bytes(garbage)
        reseal(target)
        said = "\n".join(verify(target).found)

        assert "samples.jsonl" in said, garbage
        assert not re.search("Error|Traceback|object has no|NoneType|subscript|must be", said), garbage


def test_one_bad_row_does_not_end_the_look_at_the_others(leave: Leave) -> None:
    target = leave("native")
    path = target / "samples.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    lines[1] = lines[1].replace('"retrieved_contexts": [', '"retrieved_contexts": [5, ')
    lines[3] = "no JSON\n"
    path.write_text("".join(lines), "utf-8", newline="\n")
    reseal(target)
    said = "\n".join(verify(target).found)

    assert "samples.jsonl:2: " in said
    assert "samples.jsonl:4: " in said


def test_a_few_findings_are_listed_and_others_counted(leave: Leave, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken export of a million rows must not fill the memory."""
    target = leave("native")
    path = target / "samples.jsonl"
    path.write_text(path.read_text("utf-8").replace('"start":', '"begin":'), "utf-8")
    every = verify(target).found
    monkeypatch.setattr(upkeep, "LISTED", 3)

    assert every[:3] == verify(target).found
    assert len(every) - 3 == verify(target).more > 0


def test_the_folder_of_one_format_is_checked_by_the_manifest_above(leave: Leave, monkeypatch: Any) -> None:
    """By its name, from within, and from beside; with all that the manifest speaks of."""
    target = leave("native", "csv")
    below = verify(target / "native")
    monkeypatch.chdir(target / "native")

    assert (str(target), str(target / "native"), True) == (below.path, below.asked, below.passed)
    assert "its manifest is in" in verify_text(below)
    assert verify(Path()).passed
    assert verify(Path("../csv")).passed
    (target / "csv" / "units.csv").write_text("x")
    assert not verify(target / "native").passed
    (target / "mine").mkdir()
    with pytest.raises(NotFoundError, match="not an export"):
        verify(target / "mine")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("policy", {"kinds": [[]]}), ("policy", []), ("policy", {"labels": 10**30}), ("seed", 10**30),
        ("seed", -1), ("blind_share", 5), ("threshold", 10**400), ("threshold", True),
    ],
)  # fmt: skip
def test_settings_that_no_dataset_has_are_refused(leave: Leave, bench: Bench, name: str, value: Any) -> None:
    """Who forges a manifest can give it the right checksum too."""
    target = leave("native")
    own = folder.read_manifest(target)["settings"]
    forged = {**own[name], **value} if isinstance(value, dict) else value
    edit(target, lambda one: one["settings"].update({name: forged}))
    reseal(target)

    assert verify(target).passed
    with pytest.raises(InputError, match=rf"manifest\.json: settings\.{name}: got"):
        bench.load(target, dataset="forged")
