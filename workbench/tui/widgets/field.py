"""One-line text fields that leave Enter and Escape to their screen."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

from workbench.tui.keys import key


class Field(Input):
    """An input without markup, history or blinking.

    Enter runs the screen's `submit`, Escape its `cancel`: at once and in the order of the keys, where the
    library's own message would arrive after keys typed behind it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter", "screen.submit", "Take what is typed", "field.take", "Typing", "done"),
        key("escape", "screen.cancel", "Leave the field without it", "field.leave", "Typing", "cancel"),
    ]

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(value, placeholder=placeholder, id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False


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
