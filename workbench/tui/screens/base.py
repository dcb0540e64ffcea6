"""What all screens of the app share: keys in order, a key bar, the app with its own type."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.screen import ModalScreen, Screen

from workbench.tui.widgets.bars import KeyBar

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


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

    def refused(self, action: str) -> None:
        """A key was pressed whose action is not possible now; a screen says why."""

    def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """A click on the key bar is the key."""
        event.stop()
        self.bench.perform(event.act)


class BaseScreen(Ordered):
    """A screen that fills the terminal."""


class Dialog(Ordered, ModalScreen[None]):
    """A small screen over another one, which stays visible.

    Keys wait until it is there: what is typed right behind the key that opens it belongs to it.
    """

    def on_mount(self) -> None:
        """Ready: let the keys run."""
        self.opened()
        self.bench.open_gate()

    def opened(self) -> None:
        """Put the focus where typing goes."""

    def action_cancel(self) -> None:
        """Close without doing anything."""
        self.app.pop_screen()
