"""What is said of an error of our own: where it happened, and nothing of the data."""

from __future__ import annotations

from pathlib import Path
from traceback import walk_tb


def crash_text(error: BaseException | None) -> str:
    """The error and its causes by their types and places; no message, no local values."""
    lines = ["Workbench stopped because of an error of its own. What was shown as saved is saved."]
    while error is not None:
        lines.append(f"{type(error).__module__}.{type(error).__qualname__} at")
        lines += [
            f"  {Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
            for frame, line in walk_tb(error.__traceback__)
        ][-12:]
        error = getattr(error, "error", None) or error.__cause__
    return "\n".join(lines)
