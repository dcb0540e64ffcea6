"""What a new run is to be, and the look before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from workbench.tui.keys import key
from workbench.tui.proposing import LEAVE
from workbench.tui.screens.base import Dialog
from workbench.tui.screens.form import Hints, ValuesForm, form_keys
from workbench.tui.screens.menu import ConfirmScreen
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.widgets.bars import Bar, KeyBar, Part, as_text

if TYPE_CHECKING:
    from workbench.stages.claude_setup import ClaudeOptions

RULES, CLAUDE = "rules", "claude"
HINTS: Hints = {
    "proposer": {RULES: "on this machine, no key, no cost", CLAUDE: "a service that needs a key"},
    "effort": {"none": "for a model without"},
    "longest": "tokens of an answer",
    "batch": {"no": "answers come at once", "yes": "half the price, within a day"},
}  # fmt: skip


class FormScreen(ValuesForm):
    """↑↓ choose the line, ←→ its value; Enter hands the wish over."""

    BINDINGS: ClassVar[list[BindingType]] = form_keys(
        "form",
        "New run",
        "Look at what it would send",
        key("m", "model", "Type another model", "form.model", "New run", "another model"),
    )
    HINTS: ClassVar[Hints] = HINTS

    def __init__(self, models: Sequence[str], take: Callable[[ClaudeOptions | None], None]) -> None:
        super().__init__(
            {
                "proposer": [CLAUDE, RULES],
                "model": list(models),
                "effort": ["low", "medium", "high", "none"],
                "longest": ["16,000", "32,000", "64,000"],
                "batch": ["no", "yes"],
            }
        )
        self._take = take

    def opened(self) -> None:
        """The lines with their first values."""
        self.query_one("#title", Bar).show((("New run", "bold"),))
        self.draw()

    @property
    def names(self) -> list[str]:
        """The lines that mean something for the proposer."""
        return list(self.values) if self.value("proposer") == CLAUDE else ["proposer"]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only Claude has models."""
        return None if action == "model" and "model" not in self.names else True

    async def action_model(self) -> None:
        """Type a model that is not listed."""
        await self.bench.ask(PromptScreen("Which model?", self._model, value=self.value("model")))

    def _model(self, name: str) -> str | None:
        if not name:
            return "name a model"
        self.choose("model", name)
        return None

    def action_submit(self) -> None:
        """Close, then hand over what to ask, None for the rules."""
        from workbench.stages.claude_setup import ClaudeOptions

        options = None
        if self.value("proposer") == CLAUDE:
            effort = self.value("effort")
            options = ClaudeOptions(
                model=self.value("model"),
                effort=None if effort == "none" else effort,
                max_tokens=int(self.value("longest").replace(",", "")),
                batch=self.value("batch") == "yes",
            )
        self.app.pop_screen()
        self._take(options)


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
            yield Static(as_text(self._lines), id="lines")
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
