"""What Workbench can do; the only place that joins the rooms. The command line and the screens call these."""

from __future__ import annotations

import os
import signal
import threading
from datetime import UTC, datetime, time


def moment_of(text: str) -> datetime | None:
    """A time as ISO 8601 has it, or the beginning of a day, local without an offset; None for other text."""
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def midnight() -> datetime:
    """When today began here, also on a day on which the clocks change."""
    return datetime.combine(datetime.now().astimezone(), time()).astimezone()


def local(at: datetime) -> str:
    """A stored time as a person here writes it."""
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return f"{aware.astimezone():%Y-%m-%d %H:%M:%S}"


def begin_worker() -> None:
    """Leave Ctrl-C, which reaches every process of the terminal, to the parent, and end when that ends.

    A parent that was killed cannot end its workers: each waits for work on a pipe that the others hold open.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process  # the command line loads this room before it knows of workers

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
