"""`calibration.json`: what a calibration learned, for pipelines that have no database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.comparing.calibration_document import Calibration, calibration_of
from workbench.errors import InputError, NotFoundError
from workbench.formats.aside import write_whole

NAME = "calibration.json"
_LARGEST = 100_000_000


def write(path: Path, document: Mapping[str, Any], *, force: bool = False) -> None:
    """Write a calibration, whole or not at all; equal documents give equal bytes.

    Raises ExportError when something stands there (unless `force`) or the disk refuses.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True) + "\n"
    write_whole(path, text, force=force)


def read(path: Path) -> Calibration:
    """The calibration of a file, or of the `calibration.json` in a folder.

    Raises NotFoundError without one, InputError for a file that is none, naming what is off.
    """
    file = path / NAME if path.is_dir() else path
    try:
        if file.stat().st_size > _LARGEST:
            raise InputError(f"{file}: too large for a calibration")
        document = json.loads(file.read_text("utf-8"), parse_constant=_refuse)
    except FileNotFoundError:
        raise NotFoundError(
            f"{file}: no such file; workbench calibrate --save NAME -o FILE writes one"
        ) from None
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, NaN, a number of 5,000 digits
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
