"""Starting work beside the event loop's turn, in named groups."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

from textual.dom import DOMNode

Work = Callable[[], Awaitable[None]]


def start(node: DOMNode, work: Work, *, group: str, only_newest: bool = False) -> None:
    """Run it as a worker of the node; an error ends the app with a crash message.

    `only_newest` cancels older work of the same group: for reads that may be thrown away, never for
    anything that writes (a cancelled worker drops its write without a word).
    """
    node.run_worker(cast("Any", work), group=group, exclusive=only_newest, exit_on_error=True)
