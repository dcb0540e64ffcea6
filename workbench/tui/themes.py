"""The themes of the app, and which one a person chose.

Two themes, a dark one and its light twin: quiet greys, one accent, three signal colours. Text on the
background has a contrast of at least 7:1, dimmed text and signal colours at least 4.5:1 (WCAG AAA and AA); a
test measures them. Every signal colour stands next to a symbol.
"""

from __future__ import annotations

from typing import Any

from textual.css.stylesheet import Stylesheet
from textual.theme import BUILTIN_THEMES, Theme

from workbench.settings import State
from workbench.text.lists import pairs, sections


def _theme(name: str, *, selected: str) -> Theme:
    """A theme of the colours in the text file; `selected`: how much of the accent lies behind marked text."""
    colours: dict[str, Any] = {**pairs(_COLOURS[name])}
    accent = colours["accent"]
    return Theme(
        name=f"workbench-{name}",
        dark=name == "dark",
        primary=accent,
        **colours,
        variables={
            "block-cursor-background": accent,
            "block-cursor-foreground": colours["background"],
            "block-cursor-text-style": "none",
            "input-selection-background": f"{accent} {selected}",
        },
    )


_COLOURS = sections(__name__)
DARK, LIGHT = _theme("dark", selected="30%"), _theme("light", selected="25%")

SIXTEEN = "ansi-dark"
"""The theme where a terminal has 16 colours: its own, for ours would fall together there."""


def chosen_theme(state: State) -> str:
    """The theme chosen in the app; empty for none, and for one that is not there any more."""
    return state.theme if state.theme in (*BUILTIN_THEMES, DARK.name, LIGHT.name) else ""


class Sheet(Stylesheet):
    """Parsed once when an app starts, where the library does it three times, and again for other colours."""

    same = True

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take other colours, if they are others."""
        self.same = variables == self._variables
        if not self.same:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Apply other colours, if they are others, and the sheet of a screen that is opened first."""
        if not self.same:
            super().reparse()
            self.same = True
        elif self._require_parse:
            self.parse()
