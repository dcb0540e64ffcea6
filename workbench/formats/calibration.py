"""`calibration.json`: what a calibration learned, for pipelines that have no database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.comparing.correction import Calibration, calibration_of
from workbench.errors import InputError, NotFoundError
from workbench.formats.exports.folder import write_whole
from workbench.settings import written_text

NAME = "calibration.json"
HOLD = ("huggingface",)
"""Formats whose folder holds one where the dataset has a calibration in use."""

_LARGEST = 100_000_000
_HOW = "workbench calibrate --save NAME -o FILE writes one"


def write(path: Path, document: Mapping[str, Any], *, force: bool = False) -> None:
    """Write a calibration, whole or not at all; equal documents give equal bytes.

    Raises ExportError when something stands there (unless `force`) or the disk refuses.
    """
    write_whole(path, text_of(document), force=force)


def text_of(document: Mapping[str, Any]) -> str:
    """The text of the file."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True) + "\n"


def read(path: Path) -> Calibration:
    """The calibration of a file, or of the `calibration.json` of an export, in one format or in several.

    Raises NotFoundError without one, InputError or UsageError for a file that is none, naming what is off.
    """
    file = path
    if path.is_dir():
        folders = (path, *(path / name for name in HOLD))
        file = next((folder / NAME for folder in folders if (folder / NAME).is_file()), path / NAME)
        if not file.is_file():
            raise NotFoundError(
                f"{path}: no {NAME}: {_HOW}, and an export as {' or '.join(HOLD)} holds one where a "
                "calibration is in use (workbench calibrate --use NAME, then export again)"
            )
    try:
        document = json.loads(written_text(file, _LARGEST), parse_constant=_refuse)
    except FileNotFoundError:
        raise NotFoundError(f"{file}: no such file; {_HOW}") from None
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # not JSON, NaN, a number of 5,000 digits
        raise InputError(f"{file}: not JSON ({error})") from error
    if not isinstance(document, dict):
        raise InputError(f"{file}: not a calibration: got {type(document).__name__}, expected an object")
    try:
        return calibration_of(document)
    except ValueError as error:
        raise InputError(f"{file}: not a calibration: {error}") from error


def _refuse(name: str) -> None:
    """NaN and the infinities are no JSON, and no figure of a calibration."""
    raise ValueError(f"{name} is no number")
