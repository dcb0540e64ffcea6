"""What all screens of the app share: keys in order, a help overlay, a line that says what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from workbench.tui.widgets.bars import KeyBar

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class BaseScreen(Screen[None]):
    """A screen whose keys run one after another, each on the state that the one before left."""

    AUTO_FOCUS = ""
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
