"""The part of the app that is a person's own: theme, keys, what is remembered, copying, the shell.

Two themes, a dark one and its light twin: quiet greys, one accent, three signal colours. Text on the
background has a contrast of at least 7:1, dimmed text and signal colours at least 4.5:1 (WCAG AAA and AA); a
test measures them. Every signal colour stands next to a symbol.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.css.stylesheet import Stylesheet
from textual.driver import Driver
from textual.theme import BUILTIN_THEMES, Theme
from textual.widgets import Input

from workbench.errors import UsageError
from workbench.settings import Settings, State, did_you_mean
from workbench.text.safe import clean, flat
from workbench.tui.keys import bindings
from workbench.tui.widgets.bars import Status
from workbench.tui.work import start

DARK = Theme(
    name="workbench-dark",
    dark=True,
    background="#14161b",
    surface="#1a1d23",
    panel="#22262e",
    foreground="#d6dae1",
    primary="#7fb2d6",
    secondary="#97a0b0",
    accent="#7fb2d6",
    success="#8fbf83",
    warning="#e2b36b",
    error="#e58b87",
    variables={
        "block-cursor-background": "#7fb2d6",
        "block-cursor-foreground": "#14161b",
        "block-cursor-text-style": "none",
        "input-selection-background": "#7fb2d6 30%",
    },
)

LIGHT = Theme(
    name="workbench-light",
    dark=False,
    background="#fbfaf8",
    surface="#f4f2ee",
    panel="#e8e5df",
    foreground="#24272d",
    primary="#1b6489",
    secondary="#5b6270",
    accent="#1b6489",
    success="#35702f",
    warning="#8a5a00",
    error="#ad332c",
    variables={
        "block-cursor-background": "#1b6489",
        "block-cursor-foreground": "#fbfaf8",
        "block-cursor-text-style": "none",
        "input-selection-background": "#1b6489 25%",
    },
)

SIXTEEN = "ansi-dark"
"""The theme where a terminal has 16 colours: its own, for ours would fall together there."""


def chosen_theme(settings: Settings, state: State) -> str:
    """The theme chosen in the app, else that of the config file. Raises UsageError for an unknown one."""
    known = {*BUILTIN_THEMES, DARK.name, LIGHT.name}
    if settings.theme and settings.theme not in known:
        near = did_you_mean(settings.theme, known)
        raise UsageError(f"{settings.path}: theme: there is no theme {settings.theme!r}{near}")
    chosen = state.theme or settings.theme
    return chosen if chosen in known else ""


EVERY = "Everywhere"


class Sheet(Stylesheet):
    """Parsed once when an app starts, where the library does it three times, and again for other colours."""

    same = True

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take other colours, if they are others."""
        self.same = variables == self._variables
        if not self.same:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Apply other colours, if they are others."""
        if not self.same:
            super().reparse()


class OwnApp(App[None]):
    """`keymap` has been checked. `remember` keeps `theme=` and `tour_seen=` for the next start (OSError:
    they are not kept); without it nothing is kept."""

    BINDINGS: ClassVar[list[BindingType]] = [
        replace(binding, priority=True)  # over dialogs too, and while one types
        for binding in bindings("app")
        if isinstance(binding, Binding)
    ]

    def __init__(
        self, *, theme: str, keymap: Mapping[str, str] | None, remember: Callable[..., None] | None
    ) -> None:
        # NO_COLOR: the terminal's own two colours and attributes, where the library would give greys.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = theme or DARK.name
        self.stylesheet = Sheet(variables=self.get_css_variables())
        self.keymap = keymap or {}
        self.set_keymap(self.keymap)
        self._remember = remember

    def get_driver_class(self) -> type[Driver]:
        """The library's for this system; in a terminal of Unix one that knows a paste."""
        usual = super().get_driver_class()
        if usual.__name__ != "LinuxDriver":
            return usual
        from workbench.tui.driver import PasteDriver  # there is no such terminal on Windows

        return PasteDriver

    def on_mount(self) -> None:
        """Back from the shell the whole screen is drawn: the library draws what changed since."""
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh(layout=True))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The shell is offered where there is one to go to."""
        if action == "suspend_process":
            return not (sys.platform == "win32" or self.is_web or self.is_headless)
        return super().check_action(action, parameters)

    def action_interrupt(self) -> None:
        """Copy what is selected, in a field or with the mouse; else say how to leave."""
        focused = self.focused
        chosen = focused.selected_text if isinstance(focused, Input) else ""
        if chosen := chosen or self.screen.get_selected_text() or "":
            self.copy_to_clipboard(chosen)
        message = f"copied: {flat(chosen)}" if chosen else "ctrl+q quits; ctrl+c copies what is selected"
        self.tell(message)

    def tell(self, message: str, tone: str = "") -> None:
        """Put it on the status line, or over a screen that has none."""
        bars = self.screen.query(Status)
        for bar in bars:
            bar.say(message, tone=tone)
        if not bars:
            self.notify(message, severity="warning" if tone == "warn" else "information", markup=False)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by OSC 52; what leaves is as clean as what is shown."""
        super().copy_to_clipboard(clean(text))

    def watch_theme(self, name: str) -> None:
        """A theme chosen in the app is kept; the one it starts with is no choice."""
        if self.is_running:
            self.keep(theme=name)

    def keep(self, **what: Any) -> None:
        """Remember it for the next start, beside the event loop."""
        if self._remember is not None:
            work = partial(asyncio.to_thread, partial(self._remember, **what))
            start(self, work, group="remember", failed=self._not_kept)

    def _not_kept(self, error: Exception) -> None:
        self.notify(f"not kept for the next start: {flat(str(error))}", severity="warning", markup=False)
