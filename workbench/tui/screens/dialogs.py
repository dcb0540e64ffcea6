"""Small dialogs over a screen: a menu, a question, a form of lines with one value each.

And one line to type (a reason, a comment), and texts to read: the guidelines, the notes of a run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from workbench.scoring.names import scorer_name
from workbench.text.cells import cut, fit, width, wrapped
from workbench.text.lists import pairs
from workbench.text.marks import Mark
from workbench.text.safe import flat
from workbench.tui.keys import bindings
from workbench.tui.screens.base import TEXTS, BaseScreen, Dialog
from workbench.tui.widgets.bars import DIM, Field, KeyBar, Line, choice_parts, write
from workbench.tui.widgets.lines import Lines, Toned
from workbench.tui.widgets.passage import Passage


@dataclass(frozen=True)
class MenuChoice:
    """One line of a menu: a name, what stands at its right, whether it is on; without `take` a heading."""

    name: str
    right: str = ""
    on: bool = False
    take: Callable[[], None] | None = None


class Choices(Lines[MenuChoice]):
    """Choices under headings; the cursor stands on choices only."""

    AT_CURSOR: ClassVar = frozenset({"dim"})

    def on_mount(self) -> None:
        """The cursor stands on what is on, else on the first choice."""
        self.resized(self.count)
        takeable = [index for index, choice in enumerate(self.rows) if choice.take]
        on = [index for index in takeable if self.rows[index].on]
        self.move_to((on or takeable or [0])[0], tell=False)

    def entry_at(self, line: int) -> int:
        """A click on a heading is none."""
        return line if line < self.count and self.rows[line].take else -1

    def move(self, step: int) -> None:
        """To the next choice in a direction, as many times as `step` says; stops at the ends."""
        takeable = [index for index, choice in enumerate(self.rows) if choice.take]
        at = takeable.index(self.cursor) + step
        self.move_to(takeable[max(0, min(at, len(takeable) - 1))], tell=False)
        if at <= 0:
            self.reveal(0)  # the heading above the first choice

    def move_page(self, step: int) -> None:
        """Ten choices further or back."""
        self.move(10 * step)

    def parts(self, line: int, size: int) -> Toned:
        """A heading has no place for the cursor."""
        row = self.rows[line] if line < self.count else None
        if row is None or row.take is not None:
            return super().parts(line, size)
        return [(fit(flat(row.name), size), "heading")]

    def drawn(self, choice: MenuChoice, size: int) -> Toned:
        """A choice; half of the row is left to its name where both are long."""
        right = cut(flat(choice.right), max(size // 2, size - 6 - width(flat(choice.name))))
        return [
            ("✓ " if choice.on else "  ", ""),
            (fit(flat(choice.name), size - 4 - width(right)), ""),
            (right, "dim"),
        ]


class MenuScreen(Dialog):
    """A title and choices; Enter or a click takes one and closes. `otherwise` is done when none was."""

    BINDINGS = bindings("menu")

    def __init__(
        self,
        title: str,
        choices: Sequence[MenuChoice],
        hint: str = "enter takes  esc closes",
        otherwise: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(title, hint)
        self._otherwise = otherwise
        self._choices = Choices(choices, id="choices")

    def body(self) -> ComposeResult:
        """A box in the middle."""
        yield self._choices

    def action_cancel(self) -> None:
        """Close, with what is to be done then."""
        super().action_cancel()
        if self._otherwise is not None:
            self._otherwise()

    async def action_open(self) -> None:
        """Close, then do it."""
        choice = self._choices.chosen
        if choice is not None and choice.take is not None:
            self.app.pop_screen()
            choice.take()


async def choose_scorer(
    screen: BaseScreen, offered: Mapping[str, str], at: str, read: Callable[[str], Awaitable[None]]
) -> None:
    """A menu of scorers and columns, each with what stands next to it; `read` shows the one taken."""
    choices = [
        MenuChoice(
            flat(scorer_name(name)), right, on=name == at, take=partial(screen.work, partial(read, name))
        )
        for name, right in offered.items()
    ]
    if len(choices) > 1:
        await screen.bench.ask(MenuScreen("Scorer", choices))
    else:
        screen.say("there is no other scorer")


class ConfirmScreen(Dialog):
    """A question: y goes on, Escape stays. Without `go_on` there is only staying."""

    BINDINGS = bindings("confirm")

    def __init__(
        self,
        title: str,
        text: str,
        go_on: Callable[[], object] | None,
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(title, id=id)
        self._text, self._go_on = text, go_on

    def body(self) -> ComposeResult:
        """A box in the middle."""
        yield Static(Content(self._text), id="text")
        yield KeyBar(id="answers")

    def closed(self, action: str) -> str | None:
        """What cannot be gone on with is no answer."""
        return "" if action == "go_on" and self._go_on is None else None

    def action_go_on(self) -> None:
        """Close, then do it."""
        self.app.pop_screen()
        assert self._go_on is not None  # the key is closed without it
        self._go_on()


class FormScreen(Dialog):
    """↑↓ choose the line, ←→ its value; Enter hands the values over.

    `names` gives the lines that mean something for the values so far. What `base.txt` says under the title
    explains a line, or a line with a value.
    """

    BINDINGS = bindings("form")

    def __init__(
        self,
        title: str,
        values: Mapping[str, Sequence[str]],
        names: Callable[[Mapping[str, str]], list[str]],
        take: Callable[[Mapping[str, str]], None],
        *,
        about: str = "",
    ) -> None:
        super().__init__(title, about)
        self._hints = pairs(TEXTS[title.lower()])
        self._values, self._names, self._take = values, names, take
        self.chosen = {name: listed[0] for name, listed in values.items() if listed}
        self.line = 0

    def body(self) -> ComposeResult:
        """A box in the middle."""
        yield Static(id="lines")
        yield KeyBar(id="answers")

    def on_mount(self) -> None:
        """The lines with their first values."""
        self._draw()

    def _draw(self) -> None:
        names = self._names(self.chosen)
        self.line = min(self.line, len(names) - 1)
        # a line without a meaning is left empty: the box keeps its height
        lines = [
            self._line(name, here=name == names[self.line]) if name in names else [] for name in self._values
        ]
        write(self, "#lines", lines)
        self.refresh_bindings()

    def _line(self, name: str, *, here: bool) -> Line:
        value = flat(self.chosen[name])
        hint = self._hints.get(f"{name} {value}") or self._hints.get(name, "")
        room = 4 + max(width(flat(value)) for values in self._values.values() for value in values)
        inner, start = self.query_one("#lines").size.width or self.app.size.width, " " * (room + 14)
        hint = "\n".join(wrapped(hint, max(inner, room + 26), start, start)).lstrip()
        return [
            ("▸ " if here else "  ", "$accent"),
            (fit(name, 10), "bold" if here else DIM),
            (fit(f"‹ {value} ›" if here else f"  {value}", room), "bold" if here else ""),
            (f"  {hint}", DIM),
        ]

    def action_move(self, step: int) -> None:
        """To another line."""
        self.line = max(0, self.line + step)
        self._draw()

    def action_turn(self, step: int) -> None:
        """Another value of this line, round the end."""
        name = self._names(self.chosen)[self.line]
        listed = self._values[name]
        self.chosen[name] = listed[(listed.index(self.chosen[name]) + step) % len(listed)]
        self._draw()

    def action_submit(self) -> None:
        """Close, then hand the values over."""
        self.app.pop_screen()
        self._take(self.chosen)


Answer = Callable[[str], str | None]
"""Takes what was typed; None closes the dialog, a text says why it cannot be taken and keeps it open."""


class PromptScreen(Dialog):
    """A title, a field, a line of help. Nothing typed is lost while it cannot be taken."""

    BINDINGS = bindings("prompt")

    _refused: str | None = None

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
        super().__init__(flat(title), "enter ok  esc cancel")
        self._answer = answer
        self._value = flat(value)
        self._field = Field(self._value, placeholder=placeholder, id="field")
        self._choices = choices
        self._note = flat(note)
        self._select = select

    def body(self) -> ComposeResult:
        """The dialog lies over the bottom lines and covers nothing of the texts' upper part."""
        yield self._field
        yield Static(id="hint")

    def on_mount(self) -> None:
        """Type at once."""
        self.hint()
        self.set_focus(self._field)
        if self._select:
            self._field.action_select_all()

    @property
    def begun(self) -> bool:
        """Whether something was typed that would be lost."""
        return self._field.value.strip() not in ("", self._value)

    @property
    def typed(self) -> str:
        """What stands in the field; a single digit stands for the choice of that number."""
        text = self._field.value.strip()
        if text.isdecimal() and 0 < int(text) <= len(self._choices):
            return self._choices[int(text) - 1]
        return text

    def hint(self) -> None:
        """What helps while typing: the choices, or what was said before."""
        if self._note:
            self.say([("before  ", DIM), (self._note, "")])
            return
        self.say(choice_parts((str(n), choice) for n, choice in enumerate(self._choices, 1)))

    def say(self, parts: Line, *, bad: bool = False) -> None:
        """Put this under the field."""
        line = self.query_one("#hint", Static)
        line.set_class(bad, "-bad")
        line.update(Content.assemble(*parts))

    def complain(self, message: str) -> None:
        """Say it under the field, until something is typed."""
        self.say([("! ", ""), (flat(message), "")], bad=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """A correction takes the complaint away."""
        event.stop()
        if self._field.value != self._refused:
            self.hint()

    def action_submit(self) -> None:
        """Enter."""
        complaint = self._answer(self.typed)
        if complaint is None:
            self.app.pop_screen()
        else:
            self._refused = self._field.value  # it stays
            self.complain(complaint)


class ReadScreen(Dialog):
    """A title and a text of any length; closing does what comes `then`."""

    BINDINGS = bindings("read")

    def __init__(
        self, title: str, text: str, marks: Sequence[Mark] = (), then: Callable[[], None] | None = None
    ) -> None:
        super().__init__(flat(title), "enter goes on" if then else "esc closes")
        self._then = then
        self._passage = Passage(id="text")
        self._passage.show(text, marks, nothing="no text")
        self.action_scroll = self._passage.line
        self.action_turn = self._passage.page

    def body(self) -> ComposeResult:
        """A box in the middle."""
        yield self._passage

    def action_cancel(self) -> None:
        """Close, then go on."""
        super().action_cancel()
        if self._then is not None:
            self._then()
