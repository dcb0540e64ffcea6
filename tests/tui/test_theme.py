"""The themes can be read: contrast by the formula of WCAG 2."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual.color import Color
from textual.command import CommandPalette
from textual.theme import Theme

from tests.lists import from_cases
from tests.tui.conftest import User, first_offer, until
from workbench.settings import Settings, State, read_state, remember, state_path
from workbench.tui.app import WorkbenchApp, run
from workbench.tui.themes import DARK, LIGHT, chosen_theme
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList


def ratio(one: str, other: str) -> float:
    """The contrast ratio of two opaque colours, 1 to 21."""

    def luminance(color: Color) -> float:
        parts = [c / 255 for c in (color.r, color.g, color.b)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mixed(color: str, over: str, share: float) -> str:
    """A colour laid over another one with an opacity."""
    return Color.parse(over).blend(Color.parse(color), share).hex


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_text_and_signals_can_be_read(theme: Theme) -> None:
    """Text 7:1, dimmed text, signals and marked text 4.5:1."""
    back, front, accent = theme.background or "", theme.foreground or "", theme.accent or ""
    assert ratio(front, back) >= 7
    assert ratio(front, theme.panel or "") >= 7
    assert ratio(mixed(front, back, 0.68), back) >= 4.5
    assert ratio(mixed(front, theme.panel or "", 0.68), theme.panel or "") >= 4.5
    for signal in (theme.success, theme.warning, theme.error, accent):
        assert ratio(signal or "", back) >= 4.5
    for signal, share in ((theme.success, 0.38), (theme.warning, 0.40), (accent, 0.36)):
        assert ratio(front, mixed(signal or "", back, share)) >= 4.5
    assert ratio(back, accent) >= 4.5


THEMES = [DARK.name, LIGHT.name, "ansi-dark", "ansi-light", "textual-light", "nord", "solarized-light"]


def drawn(app: WorkbenchApp) -> list[tuple[str, Style]]:
    """Every stretch of the screen with its style, as it goes to the terminal."""
    strips = app.screen._compositor.render_strips()
    return [(segment.text, segment.style or Style()) for strip in strips for segment in strip]


def style_of(app: WorkbenchApp, text: str) -> Style:
    """The style of the first stretch of the reference that holds a text."""
    reference = app.screen.query_one("#reference", Passage)
    lines = [reference.render_line(y) for y in range(reference.size.height)]
    return next(part.style or Style() for line in lines for part in line if text in part.text)


STATES = {
    "plain": " on the ", "chosen": "Eiffel Tower", "rejected": "Champ de Mars", "found": "1889",
    "missing": "University of ",
}  # fmt: skip
"""What stands in the reference, in each state that a mark has."""


@pytest.mark.parametrize("colours", [True, False], ids=["themes", "NO_COLOR"])
async def test_every_state_can_be_told_in_every_theme_and_text_is_never_on_its_own_colour(
    user: User, colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line of the cursor, the chosen mark, found, missing and rejected each look like nothing else.

    NO_COLOR: no grey either, which the library would give.
    """
    if not colours:
        monkeypatch.setenv("NO_COLOR", "1")
    async with user.opens("tower", size=(120, 36)) as app:
        units = app.screen.query_one(UnitList)
        units.move_to(1)
        await user.press("x", "up")
        for theme in THEMES if colours else [app.theme]:
            app.theme = theme
            await user.settle()
            looks = {
                (style.color, style.bgcolor, style.bold, style.underline, style.reverse, style.strike)
                for style in (style_of(app, text) for text in STATES.values())
            }
            assert len(STATES) == len(looks), (theme, looks)
            rows = [units.render_line(place)._segments for place in range(3)]
            cursor, other = ([(s.style.bgcolor, s.style.reverse) for s in rows[i] if s.style] for i in (0, 2))
            assert set(cursor).isdisjoint(other), theme

            for key in ("question_mark", "escape", "n", "escape", "X", "escape", "g", "escape"):
                await user.press(key)
                for words, style in drawn(app):
                    seen = [c for c in (style.color, style.bgcolor) if c is not None and not c.is_default]
                    assert colours or not seen, (key, words)
                    if words.strip() and style.color in seen:
                        assert style.color != style.bgcolor, (theme, key, words)


async def test_another_theme_reaches_what_is_shown(user: User) -> None:
    """Marks and lists look as if the review had been opened in it."""

    def looks(app: WorkbenchApp) -> list[object]:
        row = app.screen.query_one(UnitList).render_line(1)
        return [style_of(app, "1889"), style_of(app, " on the "), *row]

    async with user.opens("tower", size=(120, 36), theme=LIGHT.name) as app:
        light = looks(app)
    async with user.opens("tower", size=(120, 36), theme=DARK.name) as app:
        dark = looks(app)
        app.theme = LIGHT.name
        await user.press()
        assert looks(app) == light
    assert not any(one == other for one, other in zip(dark, light, strict=True))


@from_cases
def test_a_terminal_of_16_colours_keeps_them(term: str, colours: str, theme: str, monkeypatch: Any) -> None:
    """Our shades would fall together there; a theme that a person chose holds everywhere."""
    seen: list[str] = []
    monkeypatch.setattr(WorkbenchApp, "run", lambda app: seen.append(app.theme))
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLORTERM", colours)
    run(pytest.fail, None, "ann", Settings())
    remember(state_path(), theme="workbench-light")
    run(pytest.fail, None, "ann", Settings())
    assert seen == [theme, "workbench-light"]


async def test_a_theme_chosen_in_the_app_is_there_at_the_next_start(user: User, tmp_path: Path) -> None:
    """By the palette; it counts more than the config file. What is set at the start is no choice."""
    state = tmp_path / "state.json"
    async with user.opens(size=(80, 24), theme=LIGHT.name, remember=partial(remember, state)) as app:
        await user.press()
        assert not state.exists()
        await user.pilot.press("ctrl+p", *"theme")
        await first_offer(user.pilot, "theme")
        actions = app.screen
        await user.pilot.press("enter")
        await until(user.pilot, lambda: app.screen is not actions and isinstance(app.screen, CommandPalette))
        await user.pilot.press(*"nord")
        await first_offer(user.pilot, "nord")
        await user.pilot.press("enter")
        await until(user.pilot, lambda: not isinstance(app.screen, CommandPalette))
        await user.press()
        assert app.theme == "nord"
    assert chosen_theme(read_state(state)) == "nord"


def test_a_theme_that_is_none_is_forgotten() -> None:
    """Another version may have left it in the state."""
    assert chosen_theme(State(theme="gone")) == ""
