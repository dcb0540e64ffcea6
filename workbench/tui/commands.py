"""The command palette: every action of a screen, and the other datasets of the database.

What a hit shows comes from a dataset: it is `Content`, never markup, and made safe before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.app import SystemCommand
from textual.command import Command, CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.css.styles import RenderStyles, Styles
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider

from workbench.tui.bench import Bench
from workbench.tui.keys import KeyAct, acts
from workbench.tui.leaving import coming, leaving
from workbench.tui.own import EVERY
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen

if TYPE_CHECKING:
    from workbench.stages.review import DatasetInfo


class Palette(CommandPalette):
    """The library's, which ended the app when it was typed into before its styles were there."""

    def get_component_styles(self, *names: str) -> RenderStyles:
        """As everywhere; the plain ones until its own are there."""
        try:
            return super().get_component_styles(*names)
        except KeyError:
            return RenderStyles(self, Styles(), Styles())

    def _refresh_command_list(
        self, command_list: CommandList, commands: list[Command], clear_current: bool
    ) -> None:
        """As the library's; nothing when a search ends after the palette was taken down."""
        if self.query(CommandList):
            super()._refresh_command_list(command_list, commands, clear_current)

    def _action_command_list(self, action: str) -> None:
        """As the library's; nothing while the list has no lines yet."""
        with suppress(KeyError):
            super()._action_command_list(action)


class Actions(SystemCommandsProvider):
    """The library's, which would sort the actions by their first letter."""

    async def discover(self) -> Hits:
        """The actions of the screen first."""
        for title, about, run, _ in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(title, run, help=about)


class DatasetCommands(Provider):
    """The other datasets of the database, by name."""

    async def discover(self) -> Hits:
        """All of them, for there are few."""
        for info in await self._others():
            yield DiscoveryHit(Content(_title(info)), self._opening(info), _title(info), "Open it")

    async def search(self, query: str) -> Hits:
        """Those with a name that fits."""
        matcher = self.matcher(query)
        for info in await self._others():
            title = _title(info)
            if (score := matcher.match(title)) > 0:
                yield Hit(score, Content(title), self._opening(info), title, "Open it")

    async def _others(self) -> list[DatasetInfo]:
        """None where one cannot go elsewhere: from a dialog, from a decision that is not saved."""
        desk = cast("Bench", self.app).desk
        if desk is None or not may_leave(self.screen):
            return []
        return [info for info in await desk.datasets() if info.id != desk.info.id]

    def _opening(self, info: DatasetInfo) -> Callable[[], bool]:
        """A command that leaves for the queue and opens it, after all keys pressed before."""
        app = cast("Bench", self.app)

        async def open_it() -> None:
            if may_leave(app.screen):
                await app.leave_for_queue()
                app.choose_dataset(info.name)

        return partial(app.call_later, app.gate.enter, open_it)


def system_commands(app: Bench, screen: Screen[Any]) -> Iterable[SystemCommand]:
    """The actions of the screen, import and export, theme and tour; what holds everywhere comes last."""
    found = [act for act in acts(screen.active_bindings, digits_as_one=False) if act.id != "app.palette"]
    rest = [act for act in found if act.group in (EVERY, "Moving")]
    yield from (_command(app, act) for act in found if act not in rest)
    if isinstance(screen, BaseScreen) and may_leave(screen):
        if app.store is not None:
            yield from coming(screen, app.store, app.desk)
        if app.desk is not None:
            yield from leaving(screen, app.desk)
    yield SystemCommand("Theme", "Light, dark, the terminal's own and others", app.action_change_theme)
    tour = partial(app.call_later, app.gate.enter, partial(app.run_action, "app.tour"))
    yield SystemCommand("Tour", "The first steps again", tour)
    yield from (_command(app, act) for act in rest)


def _command(app: Bench, act: KeyAct) -> SystemCommand:
    return SystemCommand(act.description, f"{act.group} · {' '.join(act.keys)}", partial(app.perform, act))


def may_leave(screen: Screen[Any]) -> bool:
    """Whether one can go elsewhere from here: nothing is being typed, and nothing is left unsaved."""
    return isinstance(screen, BaseScreen) and getattr(screen, "failure", None) is None


def _title(info: DatasetInfo) -> str:
    return f"Dataset {flat(info.name)}"
