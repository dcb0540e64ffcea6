"""The command palette beyond actions: go to any sample, open another dataset.

What a hit shows comes from a dataset: it is `Content`, never markup, and made safe before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.app import SystemCommand
from textual.command import Command, CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.css.styles import RenderStyles, Styles
from textual.screen import Screen

from workbench.tui.cells import cut
from workbench.tui.figures import DISPOSITION_SYMBOL
from workbench.tui.ids import short
from workbench.tui.keys import acts
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen

if TYPE_CHECKING:
    from workbench.stages.review import DatasetInfo
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.desk import Desk

MOST = 20
"""Samples shown for a search: more is a list, and lists are what the queue is for."""

QUIET = 0.1
"""Seconds without a key before the database is searched."""

TEXT = 64
"""Cells of a reference shown with a hit."""


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


class BenchCommands(Provider):
    """What our providers share: the app with its own type, and when they have something to offer."""

    @property
    def bench(self) -> WorkbenchApp:
        """The app."""
        return cast("WorkbenchApp", self.app)

    @property
    def desk(self) -> Desk | None:
        """The open dataset; None where one cannot go elsewhere (a dialog, a decision that is not saved)."""
        return self.bench.desk if may_leave(self.screen) else None

    def going(self, go: Callable[[], Awaitable[None]]) -> Callable[[], bool]:
        """A command that leaves for the queue and goes on from there, after all keys pressed before."""

        async def run() -> None:
            if may_leave(self.bench.screen):
                await self.bench.leave_for_queue()
                await go()

        return partial(self.bench.call_later, self.bench.gate.enter, run)


class SampleCommands(BenchCommands):
    """Samples by a piece of their id, question or reference."""

    async def search(self, query: str) -> Hits:
        """At most `MOST` samples, below the actions that fit; the one with this very id is first."""
        desk = self.desk
        if desk is None:
            return
        await asyncio.sleep(QUIET)
        rows = await desk.find(query, MOST)
        for place, row in enumerate(rows):
            name = flat(row.key)
            exact = name.casefold() == query.casefold()
            yield Hit(
                score=1000.0 if exact else (MOST - place) / (MOST + 1),
                match_display=Content.assemble(
                    (f"{DISPOSITION_SYMBOL[row.disposition]} ", ""), (short(name, TEXT, row.question), "")
                ),
                command=self.going(partial(self.bench.review, desk, row.sample_id, picked=True)),
                text=name,
                help=_shown(cut(flat(row.reference).strip(), TEXT)),
            )


class DatasetCommands(BenchCommands):
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
        desk = self.desk
        if desk is None:
            return []
        return [info for info in await desk.datasets() if info.id != desk.info.id]

    def _opening(self, info: DatasetInfo) -> Callable[[], bool]:
        async def open_it() -> None:
            self.bench.choose_dataset(info.name)

        return self.going(open_it)


def system_commands(app: WorkbenchApp, screen: Screen[Any]) -> Iterable[SystemCommand]:
    """Every action of the screen, then the theme, the runs and the first steps."""
    for act in acts(screen.active_bindings, digits_as_one=False):
        if act.id == "app.palette":
            continue  # one is there already
        keys = " ".join(act.keys)
        yield SystemCommand(act.description, f"{act.group} · {keys}", partial(app.perform, act))
    yield SystemCommand("Theme", "Light, dark, the terminal's own and others", app.action_change_theme)
    if may_leave(screen) and app.desk is not None and screen is not app.screen_stack[0]:
        to_runs = partial(app.call_later, app.gate.enter, app.show_runs)
        yield SystemCommand("Runs", "Who proposed, at what cost; start one", to_runs)
    tour = partial(app.call_later, app.gate.enter, app.action_tour)
    yield SystemCommand("Tour", "The first steps again", tour)


def may_leave(screen: Screen[Any]) -> bool:
    """Whether one can go elsewhere from here: nothing is being typed, and nothing is left unsaved."""
    return isinstance(screen, BaseScreen) and getattr(screen, "failure", None) is None


def _title(info: DatasetInfo) -> str:
    return f"Dataset {flat(info.name)}"


def _shown(text: str) -> str:
    """The help line of a hit: typed as a string, taken as content, so that no markup is read in it."""
    return cast("str", Content(text))
