"""A saved calibration in a pipeline: no database, no terminal.

>>> from workbench import calibration
>>> learned = calibration.load("calibration.json")          # doctest: +SKIP
>>> learned.threshold                                       # doctest: +SKIP
78
>>> learned.correct(0.5, n_units=6, match_threshold=78)     # doctest: +SKIP
Corrected(value=0.58, interval=Interval(low=0.31, high=0.85), alike=False)
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from workbench.comparing.correction import Calibration, Corrected
from workbench.comparing.intervals import Interval
from workbench.errors import UsageError
from workbench.formats.calibration import read
from workbench.formats.policy import from_toml
from workbench.model import DEFAULT_GUIDELINES, Policy

__all__ = ["Calibration", "Corrected", "Interval", "load"]


def load(path: str | os.PathLike[str]) -> Calibration:
    """The calibration of a file, or of the folder of an export.

    An export as `huggingface` holds a `calibration.json` where the dataset has one in use; the folder of an
    export in several formats will do. Raises NotFoundError without one, InputError for a file
    that is none, naming what is off, UsageError for what is no path.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"calibration {path!r}: give the path of a file or of a folder")
    return read(Path(path))


def policy_of(calibration: Calibration) -> Policy | None:
    """The labels and counting rules under which a calibration was made, with the default guidelines.

    None where the file holds none. Raises InputError for a policy that cannot be read.
    """
    text = calibration.document.get("policy")
    return replace(from_toml(text), guidelines=DEFAULT_GUIDELINES) if isinstance(text, str) else None
