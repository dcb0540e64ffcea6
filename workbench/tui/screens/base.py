"""What all screens of the app share: keys in order, a key bar, the app with its own type."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.binding import BindingType
from textual.screen import ModalScreen, Screen

from workbench.errors import WorkbenchError
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.widgets.bars import KeyBar, Status
from workbench.tui.widgets.too_small import TooSmall, too_small
from workbench.tui.work import Work, start

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

Again = Callable[[], Awaitable[None]]
"""Opens a screen once more that was left for another one."""
TINY = "-tiny"
"""The class of a screen while the terminal is too small for it; keys do nothing then."""


class Ordered(Screen[None]):
    """A screen whose keys run one after another, each on the state that the one before left."""

    AUTO_FOCUS = ""
    LEGEND: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The signs of the screen and what they mean, for the help."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012

    @property
    def bench(self) -> WorkbenchApp:
        """The app, with its own type."""
        return cast("WorkbenchApp", self.app)

    def on_resize(self, event: events.Resize) -> None:
        """Cover the screen while nothing of it could be shown honestly."""
        tiny = too_small(event.size)
        self.set_class(tiny, TINY)
        if tiny and not self.query(TooSmall):
            self.mount(TooSmall())

    def refused(self, action: str) -> None:
        """A key was pressed whose action is not possible now; a screen says why."""

    async def takes(self, _character: str) -> bool:
        """A character was typed that no key is bound to; True when the screen took it."""
        return False

    def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """A click on the key bar is the key."""
        event.stop()
        self.bench.perform(event.act)


class BaseScreen(Ordered):
    """A screen that fills the terminal, with a line that says what happened."""

    def say(self, text: str, *, sign: str = "", tone: str = "") -> None:
        """Put it on the status line."""
        for status in self.query(Status):  # none when the app is leaving
            status.say(flat(text), sign=sign, tone=tone)

    def work(self, work: Work) -> None:
        """Do it beside the event loop while keys wait; what goes wrong is said."""
        self.bench.gate.close()
        start(self, partial(self.then_open, work), group="work", failed=self.unread)

    async def then_open(self, work: Work) -> None:
        """Do it, then let keys run."""
        await work()
        self.bench.open_gate()

    def unread(self, error: Exception) -> None:
        """Say what could not be done, then let keys run."""
        self.say(str(error), sign="!", tone="warn" if isinstance(error, WorkbenchError) else "bad")
        self.bench.open_gate()


class Dialog(Ordered, ModalScreen[None]):
    """A small screen over another one, which stays visible.

    Keys wait until it is there: what is typed right behind the key that opens it belongs to it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        key("question_mark f1", "app.help", "Keys of this screen", "app.help", "Everywhere"),
    ]

    def on_mount(self) -> None:
        """Ready: let the keys run."""
        self.opened()
        self.bench.open_gate()

    def opened(self) -> None:
        """Put the focus where typing goes."""

    def action_cancel(self) -> None:
        """Close without doing anything."""
        self.app.pop_screen()
