"""Checks of an export: the files of its manifest, rows that can be read, spans that quote their text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from workbench.errors import InputError
from workbench.formats.exports import evaluators, spans, tables
from workbench.formats.exports.folder import MANIFEST, checksum
from workbench.formats.exports.item import SAMPLES, SPLITS, VERDICTS, Writing, write_native
from workbench.formats.json_lines import of_lines
from workbench.formats.readers import native
from workbench.formats.rows import Notes
from workbench.model import JsonObject

Found = Callable[[str], None]


def check_native(path: Path, report: Found) -> int:
    """Read every row as an import would; how many there are."""
    notes = Notes()
    rows = 0
    try:
        for row in native.rows(of_lines(path), path, notes, native.record_of):
            rows += 1
            if row.error is not None:
                report(str(row.error))
    except InputError as error:
        report(str(error))
    if wrong_places := notes.seen["moved"] + notes.seen["dropped"]:
        report(f"{path}: {wrong_places:,} spans do not quote their text")
    return rows


class Format(NamedTuple):
    """A format: what writes it into a folder, and its files.

    `splits`: every split has a folder of its own, or one file, or its rows say which split they are of.
    `without_text`: it is worth something as hashes and figures. `scores`: its rows have those of scorers.
    """

    write: Callable[[Path, Writing], None]
    files: tuple[str, ...] = ()
    splits: Literal["folders", "files", "rows"] = "folders"
    without_text: bool = False
    scores: bool = False


FORMATS: dict[str, Format] = {
    "native": Format(write_native, (SAMPLES, VERDICTS)),
    "ragas": Format(evaluators.write_dataset, (evaluators.DATASET, evaluators.BESIDE)),
    "ragas-annotations": Format(evaluators.write_annotations, (evaluators.ANNOTATIONS, evaluators.SINGLE)),
    "deepeval-goldens": Format(evaluators.write_goldens, (evaluators.GOLDENS,)),
    "deepeval-cases": Format(evaluators.write_cases, (evaluators.CASES,)),
    "huggingface": Format(tables.write_huggingface, splits="files", scores=True),
    "label-studio": Format(spans.write_label_studio, (spans.STUDIO_TASKS, spans.CONFIG)),
    "prodigy": Format(spans.write_prodigy, (spans.TASKS,)),
    "conll": Format(spans.write_conll, (spans.CONLL, spans.TEXTS)),
    "csv": Format(
        tables.write_csv, (tables.SAMPLES, tables.UNITS), splits="rows", without_text=True, scores=True
    ),
    "few-shot": Format(evaluators.write_examples, (evaluators.EXAMPLES,)),
}


def places(folder: Path, name: str, splits: Iterable[str]) -> list[tuple[Path, str | None]]:
    """Where a format is written, with the split that goes there; None for a place that takes all."""
    if FORMATS[name].splits == "rows":
        return [(folder, None)]
    wanted = [split for split in splits if name != "few-shot" or split != SPLITS[1]]
    return [(folder if FORMATS[name].splits == "files" else folder / split, split) for split in wanted]


def folders(home: Path, manifest: JsonObject, report: Found) -> Iterator[tuple[str, list[Path]]]:
    """(format, its folder or the folders of its splits) of all that the manifest names.

    It reports a format that there is not, one without its files, and files of formats that it does not name.
    """
    formats = manifest.get("formats")
    if type(formats) is not list or not formats or not all(type(name) is str for name in formats):
        report(f"{MANIFEST}: names no formats")
        return
    if len(formats) > 1:
        below = {file["path"].split("/")[0] for file in manifest["files"] if "/" in file["path"]}
        for name in sorted(below - set(formats)):
            report(f"{name}: a folder of no format that the manifest names")
    for name in formats:
        folder = home / name if len(formats) > 1 else home
        if name not in FORMATS:
            report(f"{MANIFEST}: no format {name!r}")
            continue
        splits = SPLITS if manifest.get("splits") else ()
        each = list(dict(places(folder, name, splits))) if splits else [folder]
        names = FORMATS[name].files
        if name == "huggingface":
            names = tuple(f"data/{split}.parquet" for split in splits or (tables.TRAIN,))
        absent = [parent / name for parent in each for name in names if not (parent / name).is_file()]
        for path in absent:
            report(f"missing: {path.relative_to(home).as_posix()}, a file of {name} that the manifest names")
        if not absent:
            yield name, each


def check_itself(manifest: JsonObject, report: Found) -> None:
    """Whether the manifest is as it was written, by its own checksum."""
    digest = manifest.get("manifest_sha256")
    now = checksum(manifest)
    if digest is None:
        report(f"{MANIFEST}: has no manifest_sha256, so that nobody can tell whether its figures were edited")
    elif digest != now:
        report(f"changed: {MANIFEST}: manifest_sha256 {digest} in it, {now}: a figure or a name was edited")
