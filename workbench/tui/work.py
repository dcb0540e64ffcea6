"""Starting work beside the event loop's turn, in named groups."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

from textual.app import App
from textual.dom import DOMNode, NoScreen

Work = Callable[[], Awaitable[None]]


def on_stage(node: DOMNode) -> bool:
    """Whether the node can still be drawn: its screen was not left and the app is not leaving."""
    if node.app.return_code is not None:
        return False
    try:
        return isinstance(node, App) or node.screen in node.app.screen_stack
    except NoScreen:
        return False


def start(
    node: DOMNode,
    work: Work,
    *,
    group: str,
    only_newest: bool = False,
    failed: Callable[[Exception], None] | None = None,
) -> None:
    """Run it as a worker of the node.

    `only_newest` cancels older work of the same group: for reads that may be thrown away, never for
    anything that writes (a cancelled worker drops its write without a word). `failed` is told of an
    error; without it an error ends the app with a crash message.
    """

    async def guarded() -> None:
        try:
            await work()
        except Exception as error:  # a database can fail in many ways; the screen says which
            if not on_stage(node):
                return  # its screen was left meanwhile: nobody waits for it, and there is nowhere to say it
            if failed is None:
                raise
            failed(error)

    node.run_worker(cast("Any", guarded), group=group, exclusive=only_newest, exit_on_error=True)
