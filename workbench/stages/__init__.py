"""What Workbench can do; the only place that joins the rooms. The command line and the screens call these."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int], None]
"""Called now and then with how much is done so far: bytes of a file, or samples."""


def silent(_done: int) -> None:
    """Tell nobody."""
