"""One line to type (a reason, a comment), and texts to read: the guidelines, the notes of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog, title
from workbench.tui.widgets.bars import DIM, Field, Part, choice_parts
from workbench.tui.widgets.passage import Passage

Answer = Callable[[str], str | None]
"""Takes what was typed; None closes the dialog, a text says why it cannot be taken and keeps it open."""


class PromptScreen(Dialog):
    """A title, a field, a line of help. Nothing typed is lost while it cannot be taken."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("escape", "cancel", "Close without doing anything", "prompt.cancel", "Dialog"),
    ]

    def __init__(
        self,
        title: str,
        answer: Answer,
        *,
        value: str = "",
        placeholder: str = "",
        choices: tuple[str, ...] = (),
        note: str = "",
        select: bool = False,
    ) -> None:
        """`select`: what stands in the field is a proposal, and typing takes its place."""
        super().__init__()
        self._title = flat(title)
        self._answer = answer
        self._value = flat(value)
        self._placeholder = placeholder
        self._choices = choices
        self._note = flat(note)
        self._select = select
        self._refused: str | None = None

    def compose(self) -> ComposeResult:
        """The dialog lies over the bottom lines and covers nothing of the texts' upper part."""
        with Vertical(id="box"):
            yield title(self._title, "enter ok  esc cancel")
            yield Field(self._value, placeholder=self._placeholder, id="field")
            yield Static(id="hint")

    def on_mount(self) -> None:
        """Type at once."""
        self.hint()
        field = self.query_one(Field)
        self.set_focus(field)
        if self._select:
            field.action_select_all()

    @property
    def typed(self) -> str:
        """What stands in the field; a single digit stands for the choice of that number."""
        text = self.query_one(Field).value.strip()
        if text.isdecimal() and 0 < int(text) <= len(self._choices):
            return self._choices[int(text) - 1]
        return text

    def hint(self) -> None:
        """What helps while typing: the choices, or what was said before."""
        if self._note:
            self.say((("before  ", DIM), (self._note, "")))
            return
        self.say(choice_parts((str(n), choice) for n, choice in enumerate(self._choices, 1)))

    def say(self, parts: tuple[Part, ...], *, bad: bool = False) -> None:
        """Put this under the field."""
        line = self.query_one("#hint", Static)
        line.set_class(bad, "-bad")
        line.update(Content.assemble(*parts))

    def on_input_changed(self, event: Input.Changed) -> None:
        """A correction takes the complaint away."""
        event.stop()
        if self.query_one(Field).value != self._refused:
            self.hint()

    def action_submit(self) -> None:
        """Enter."""
        complaint = self._answer(self.typed)
        if complaint is None:
            self.app.pop_screen()
        else:
            self.complain(complaint)

    def complain(self, why: str) -> None:
        """Say why the text cannot be taken; it stays."""
        self._refused = self.query_one(Field).value
        self.say((("! ", ""), (flat(why), "")), bad=True)


class ReadScreen(Dialog):
    """A title and a text of any length."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("escape g q w", "cancel", "Close", "read.close", "Reading"),
        key("j down", "scroll(1)", "Down", "read.down", "Reading"),
        key("k up", "scroll(-1)", "Up", "read.up", "Reading"),
        key("pagedown space", "turn(1)", "Page down", "read.page_down", "Reading"),
        key("pageup", "turn(-1)", "Page up", "read.page_up", "Reading"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = flat(title), text
        self._passage = Passage(id="text")
        self.action_scroll = self._passage.line
        self.action_turn = self._passage.page

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield title(self._title, "esc closes")
            yield self._passage

    def on_mount(self) -> None:
        """The text."""
        self._passage.show(self._text, nothing="no text")
