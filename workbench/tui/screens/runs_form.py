"""What a new run is to be, and the look before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.tui.cells import fit
from workbench.tui.keys import key
from workbench.tui.proposing import LEAVE, Wish
from workbench.tui.runs_text import DIM
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog
from workbench.tui.screens.menu import ConfirmScreen
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.widgets.bars import Bar, KeyBar, Part

RULES, CLAUDE = "rules", "claude"
HINTS = {
    "proposer": {RULES: "on this machine, no key, no cost", CLAUDE: "a service that needs a key"},
    "effort": {"none": "for a model without"},
    "batch": {"no": "answers come at once", "yes": "half the price, within a day"},
}  # fmt: skip


class FormScreen(Dialog):
    """Lines with one value each: ↑↓ choose the line, ←→ its value; Enter hands the wish over."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter", "submit", "Look at what it would send", "form.go", "New run", "go on"),
        key("right space", "turn(1)", "Next value", "form.next", "New run", "next value"),
        key("left", "turn(-1)", "Previous value", "form.previous", "New run"),
        key("m", "model", "Type another model", "form.model", "New run", "another model"),
        key("j down tab", "move(1)", "Next line", "form.down", "New run"),
        key("k up shift+tab", "move(-1)", "Previous line", "form.up", "New run"),
        key("escape q", "cancel", "Close without doing anything", "form.cancel", "New run", "cancel"),
    ]

    def __init__(self, models: Sequence[str], take: Callable[[Wish], None]) -> None:
        super().__init__()
        self._take = take
        self.values = {
            "proposer": [CLAUDE, RULES],
            "model": list(models),
            "effort": ["low", "medium", "high", "none"],
            "longest": ["16,000", "32,000", "64,000"],
            "batch": ["no", "yes"],
        }
        self.chosen = dict.fromkeys(self.values, 0)
        self.line = 0

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Static(id="lines")
            yield KeyBar(id="answers")

    def opened(self) -> None:
        """The lines with their first values."""
        self.query_one("#title", Bar).show((("New run", "bold"),))
        self._draw()

    def value(self, name: str) -> str:
        """What a line says."""
        return self.values[name][self.chosen[name]]

    @property
    def names(self) -> list[str]:
        """The lines that mean something for the proposer."""
        return list(self.values) if self.value("proposer") == CLAUDE else ["proposer"]

    def _draw(self) -> None:
        lines: list[Content] = []
        for name in self.values:
            here = name == self.names[min(self.line, len(self.names) - 1)]
            if name not in self.names:
                lines.append(Content(""))  # the box keeps its height
                continue
            hint = (
                "tokens of an answer" if name == "longest" else HINTS.get(name, {}).get(self.value(name), "")
            )
            parts: list[Part] = [
                ("▸ " if here else "  ", "$accent"),
                (fit(name, 10), "bold" if here else DIM),
                (
                    f"‹ {flat(self.value(name))} ›" if here else f"  {flat(self.value(name))}",
                    "bold" if here else "",
                ),
                (f"  {hint}", DIM),
            ]
            lines.append(Content.assemble(*parts))
        self.query_one("#lines", Static).update(Content("\n").join(lines))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only Claude has models."""
        return None if action == "model" and "model" not in self.names else True

    def action_move(self, step: int) -> None:
        """To another line."""
        self.line = max(0, min(self.line + int(step), len(self.names) - 1))
        self._draw()

    def action_turn(self, step: int) -> None:
        """Another value of this line, round the end."""
        name = self.names[self.line]
        self.chosen[name] = (self.chosen[name] + int(step)) % len(self.values[name])
        self._draw()

    async def action_model(self) -> None:
        """Type a model that is not listed."""
        await self.bench.ask(PromptScreen("Which model?", self._model, value=self.value("model")))

    def _model(self, name: str) -> str | None:
        if not name:
            return "name a model"
        models = self.values["model"]
        if name not in models:
            models.append(name)
        self.chosen["model"] = models.index(name)
        self._draw()
        return None

    def action_submit(self) -> None:
        """Close, then hand the wish over."""
        from workbench.stages.claude_setup import ClaudeOptions

        wish = Wish(None)
        if self.value("proposer") == CLAUDE:
            effort = self.value("effort")
            options = ClaudeOptions(
                model=self.value("model"),
                effort=None if effort == "none" else effort,
                max_tokens=int(self.value("longest").replace(",", "")),
            )
            wish = Wish(options, batch=self.value("batch") == "yes")
        self.app.pop_screen()
        self._take(wish)


class SendScreen(Dialog):
    """What would be sent, where to and at what price; Enter sends it, where text may leave at all."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter", "send", "Start the run", "send.yes", "Question", "start"),
        key("escape n q", "cancel", "Send nothing", "send.no", "Question", "cancel"),
    ]

    def __init__(self, title: str, lines: list[list[Part]], send: Callable[[], None] | None) -> None:
        super().__init__()
        self._title, self._lines, self._send = title, lines, send

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Static(Content("\n").join(Content.assemble(*line) for line in self._lines), id="lines")
            yield KeyBar(id="answers")

    def opened(self) -> None:
        """The question."""
        self.query_one("#title", Bar).show(((self._title, "bold"),))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What may not leave cannot be sent."""
        return None if action == "send" and self._send is None else True

    def action_send(self) -> None:
        """Close, then start."""
        self.app.pop_screen()
        assert self._send is not None  # the key is closed without it
        self._send()


LEAVING = """\
A run is going on. Leaving stops it softly: calls under way are waited for, at most {seconds:.0f} seconds. \
What was answered is kept, and the next start asks only for the rest.
"""


class LeaveScreen(ConfirmScreen):
    """Asked once when the person leaves while a run goes on."""

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__("Stop the run and leave?", LEAVING.format(seconds=LEAVE), leave)
