"""Which files of a folder hold its rows: an export of ours, a Hugging Face dataset, or the only dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.errors import AmbiguousError, InputError, NotFoundError
from workbench.formats.folder import MANIFEST, home_of, read_manifest
from workbench.formats.rejects import SUFFIX as REJECTED
from workbench.formats.rows import excerpt

# What our exports call the file that holds every sample, in the order of how much it holds.
OURS = (
    "samples.jsonl", "dataset.jsonl", "goldens.json", "data/*.parquet", "tasks.json", "samples.csv",
    "tasks.jsonl", "annotations.json", "test_cases.json",
)  # fmt: skip
_BESIDE = frozenset({"verdicts.jsonl", "units.csv", "dataset.workbench.jsonl", "single.json"})
"""Files that our exports write beside these, where one of several formats stands in a folder of its own."""
_ROWS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_NO_ROWS = frozenset({MANIFEST, "dataset_info.json", "state.json", "dataset_dict.json", "dataset_infos.json"})


def files_of(path: Path) -> list[Path]:
    """The files to read of a file or folder. Raises InputError for a folder without a dataset, AmbiguousError
    for one with several."""
    if not path.is_dir():
        return [path]
    try:
        packed = sorted(one for one in path.rglob("*.parquet") if one.is_file())
        arrow = sorted(one for one in path.rglob("data-*.arrow") if one.is_file())
        plain = sorted(one for one in path.iterdir() if one.is_file() and one.suffix.lower() in _ROWS)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    if (path / MANIFEST).is_file():
        for name in OURS:
            if found := sorted(path.glob(name)) or sorted(path.glob(f"*/{name}")):
                return found
    if packed or arrow:
        return packed or arrow
    known = [one for one in plain if one.name not in _NO_ROWS and not one.name.endswith(REJECTED)]
    own = [one for one in known if one.name not in _BESIDE]
    if len(known) == 1 or (len(own) == 1 and own[0].name in OURS):
        return own or known
    if not known:
        raise InputError(f"{path}: a folder: name a file (there is no dataset in it)")
    names = [one.name for one in known]
    raise AmbiguousError(f"{path}: a folder: name a file: {excerpt(', '.join(names), 200)}", choices=names)


def settings_of(path: Path, file: str | None = None) -> tuple[str, dict[str, Any]]:
    """The name and the settings of the dataset that a folder was exported from; empty where it says none.

    The folder may be that of one format of several. With `file` only where the manifest names that file as
    one of the export's.
    """
    home = home_of(path)
    try:
        manifest = read_manifest(home)
    except (NotFoundError, InputError):
        return "", {}
    if file is not None:
        listed = (path.resolve() / file).relative_to(home.resolve()).as_posix()
        if all(one.get("path") != listed for one in manifest["files"]):
            return "", {}
    given = manifest.get("dataset")
    name = given if type(given) is str else given.get("id", "") if type(given) is dict else ""
    settings = manifest.get("settings")
    return str(name), settings if type(settings) is dict else {}
