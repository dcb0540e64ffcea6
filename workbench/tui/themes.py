"""The themes of the app, and which one a person chose.

Two themes, a dark one and its light twin: quiet greys, one accent, three signal colours. Text on the
background has a contrast of at least 7:1, dimmed text and signal colours at least 4.5:1 (WCAG AAA and AA); a
test measures them. Every signal colour stands next to a symbol.
"""

from __future__ import annotations

from textual.css.stylesheet import Stylesheet
from textual.theme import BUILTIN_THEMES, Theme

from workbench.errors import UsageError
from workbench.settings import Settings, State, did_you_mean

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
    return next((theme for theme in (state.theme, settings.theme) if theme in known), "")


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
