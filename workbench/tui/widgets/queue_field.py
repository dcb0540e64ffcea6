"""The queue's search field: what is typed is a query, and keys take what may come next."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from workbench.tui.keys import key
from workbench.tui.widgets.field import Field


class QueryField(Field):
    """A field that says when the focus comes and goes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("tab", "screen.complete", "Take what is offered", "query.complete", "Typing", "complete"),
        key("down", "screen.offer(1)", "The next that is offered", "query.next", "Typing"),
        key("up shift+tab", "screen.offer(-1)", "The one before", "query.previous", "Typing"),
    ]

    class Focused(Message):
        """The focus came (`here`) or went."""

        def __init__(self, *, here: bool) -> None:
            super().__init__()
            self.here = here

    def on_focus(self, _event: events.Focus) -> None:
        """Typing begins."""
        self.post_message(self.Focused(here=True))

    def on_blur(self, _event: events.Blur) -> None:
        """Typing is over."""
        self.post_message(self.Focused(here=False))
