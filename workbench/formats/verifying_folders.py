"""Which folders and files an export must have by its manifest, and which manifest speaks of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.formats import (
    conll,
    deepeval_out,
    evaluation_dataset,
    few_shot,
    flat,
    huggingface,
    label_studio_out,
    prodigy_out,
    ragas_annotations,
)
from workbench.formats.folder import MANIFEST, checksum
from workbench.formats.verifying import Found

Document = dict[str, Any]

FILES: dict[str, tuple[str, ...]] = {
    "native": ("samples.jsonl", "verdicts.jsonl"),
    "ragas": (evaluation_dataset.DATASET, evaluation_dataset.BESIDE),
    "ragas-annotations": (ragas_annotations.ANNOTATIONS, ragas_annotations.SINGLE),
    "deepeval-goldens": (deepeval_out.GOLDENS,),
    "deepeval-cases": (deepeval_out.CASES,),
    "huggingface": (),
    "label-studio": (label_studio_out.TASKS, label_studio_out.CONFIG),
    "prodigy": (prodigy_out.FILE,),
    "conll": (conll.FILE, conll.TEXTS, conll.CONFLICTS),
    "csv": (flat.SAMPLES, flat.UNITS),
    "few-shot": (few_shot.FILE,),
}
"""The files of each format."""

_IN_ONE = frozenset({"huggingface", "csv"})
"""Formats that need no folder for each split."""


def folders(home: Path, manifest: Document, found: Found) -> Iterator[tuple[str, list[Path]]]:
    """(format, its folder or the folders of its splits) of all that the manifest names.

    A format that there is not, one without its files, and files of formats that it does not name are said.
    """
    formats = manifest.get("formats")
    if type(formats) is not list or not formats or not all(type(name) is str for name in formats):
        found(f"{MANIFEST}: names no formats")
        return
    if len(formats) > 1:
        below = {one["path"].split("/")[0] for one in manifest["files"] if "/" in one["path"]}
        for name in sorted(below - set(formats)):
            found(f"{name}: a folder of no format that the manifest names")
    for name in formats:
        folder = home / name if len(formats) > 1 else home
        if name not in FILES:
            found(f"{MANIFEST}: no format {name!r}")
            continue
        splits = _splits(manifest)
        each = [folder]
        if splits and name not in _IN_ONE:
            kept = (one for one in splits if name != "few-shot" or one != few_shot.HOLDOUT)
            each = [folder / one for one in kept]
        names = FILES[name]
        if name == "huggingface":
            names = tuple(f"data/{one}.parquet" for one in splits or (huggingface.TRAIN,))
        absent = [place / one for place in each for one in names if not (place / one).is_file()]
        for path in absent:
            found(f"missing: {path.relative_to(home).as_posix()}, a file of {name}, which the manifest names")
        if not absent:
            yield name, each


def check_itself(manifest: Document, found: Found) -> None:
    """Whether the manifest is as it was written, by its own checksum."""
    said = manifest.get("manifest_sha256")
    now = checksum(manifest)
    if said is None:
        found(f"{MANIFEST}: has no manifest_sha256, so that nobody can tell whether its figures were edited")
    elif said != now:
        found(f"changed: {MANIFEST}: manifest_sha256 {said} in it, {now}: a figure or a name was edited")


def _splits(manifest: Document) -> tuple[str, ...]:
    given = manifest.get("splits")
    each = given.get("each", []) if type(given) is dict else []
    return tuple(str(one["name"]) for one in each)
