"""One-line text fields that leave Enter and Escape to their screen."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
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
