"""The command palette: every action of a screen, and the other datasets of the database.

What a hit shows comes from a dataset: it is `Content`, never markup, and made safe before.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual.app import SystemCommand
from textual.command import Command, CommandList, CommandPalette, DiscoveryHit, Hit, Hits
from textual.content import Content
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider

from workbench.text.lists import pairs, sections
from workbench.text.safe import flat
from workbench.tui.bench import Bench
from workbench.tui.keys import EVERY, KeyAct, acts
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import MenuChoice, MenuScreen, PromptScreen, ReadScreen
from workbench.tui.widgets.bars import DIM
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.stages.desk import Desk
    from workbench.store.engine import Store


FORMATS = pairs(sections(__name__)["formats"])
"""What one can export, and what each format is."""


def coming(screen: BaseScreen, store: Store, desk: Desk | None) -> Iterable[SystemCommand]:
    """The command that imports a file, into the open dataset or a new one."""
    bench = screen.bench

    async def ask_file() -> None:
        await bench.ask(PromptScreen("Import: which file or folder?", take, placeholder="results.csv"))

    def take(text: str) -> str | None:
        path = Path(text).expanduser()
        if not text or not path.exists():
            return f"there is no file {path}" if text else "a file, please"
        bench.gate.close()
        start(bench, partial(ask_where, path), group="work")
        return None

    async def ask_where(path: Path) -> None:
        files = await bench.loaded("files")
        names = dict.fromkeys([files.default_name(path), *([desk.info.name] if desk else [])])
        choices = [
            MenuChoice(
                name,
                "this dataset" if desk and name == desk.info.name else "",
                take=partial(begin, path, name),
            )
            for name in names
        ]
        await bench.ask(MenuScreen("Import into which dataset?", choices))

    def begin(path: Path, name: str) -> None:
        start(bench, partial(go_on, path, name), group="import", failed=failed)

    async def go_on(path: Path, name: str) -> None:
        files = await bench.loaded("files")
        with screen.telling("importing", " MB") as count:
            message = await asyncio.to_thread(files.bring_in, store, path, name, bench.annotator, count)
        if desk is None:
            bench.choose_dataset(name)
        elif name == desk.info.name:
            bench.home.action_reread()
        else:
            message += f"\n\nctrl+p, “Dataset {name}” opens it."
        if bench.screen is screen:
            await bench.ask(ReadScreen("Imported", message))
        else:
            bench.tell(flat(message.splitlines()[0]))

    def failed(error: Exception) -> None:
        bench.tell(f"nothing was imported: {flat(str(error))}", "warn")

    about = "Load samples from a file: JSON Lines, CSV, ragas, deepeval and others"
    yield SystemCommand("Import", about, partial(bench.in_turn, ask_file))


def leaving(screen: BaseScreen, desk: Desk) -> Iterable[SystemCommand]:
    """The commands, for the dataset that is open."""
    bench = screen.bench

    async def ask_format() -> None:
        choices = [MenuChoice(name, what, take=partial(ask_folder, name)) for name, what in FORMATS.items()]
        await bench.ask(MenuScreen("Export verified data as", choices))

    def ask_folder(name: str) -> None:
        ask = partial(ask_path, f"{name}: which new folder?", f"{name}-export", "export", name)
        bench.gate.close()  # what is typed behind the choice belongs to the next question
        start(bench, ask, group="work")

    async def ask_path(title: str, value: str, *what: str) -> None:
        def take(text: str) -> str | None:
            path = Path(text).expanduser()
            if not text or path.exists():
                return "there is something of that name: type another one" if text else "a name, please"
            begin(*what, path)
            return None

        await bench.ask(PromptScreen(title, take, value=value, select=True))

    def begin(what: str, *args: object) -> None:
        start(bench, partial(go_on, what, *args), group="leaving", failed=failed)

    async def go_on(what: str, *args: object) -> None:
        files = await bench.loaded("files")
        with screen.telling("writing") as count:
            message = await asyncio.to_thread(partial(getattr(files, what), desk, *args, count))
        bench.tell(flat(message))

    def failed(error: Exception) -> None:
        bench.tell(f"nothing was written: {flat(str(error))}", "warn")

    async def back_up() -> None:
        begin("back_up")

    ask_page = partial(ask_path, "Report page: which file?", "report.html", "report")
    for title, about, ask in (
        ("Export: save verified data for other tools", "CSV, ragas, Hugging Face and others", ask_format),
        ("Report page", "The comparison as one HTML file to send", ask_page),
        ("Back up: save a copy of the database", "A backup, next to it", back_up),
    ):
        yield SystemCommand(title, about, partial(bench.in_turn, ask))


class Palette(CommandPalette):
    """The library's, which ended the app when it was closed or typed into before its list was there."""

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
    """The library's, which would list by first letters, and find what has these letters somewhere."""

    async def _every(self) -> AsyncIterator[tuple[str, str, Callable[[], object]]]:
        """The actions of the screen with what they are; then the other datasets, where one can go there."""
        app = cast("Bench", self.app)
        for title, about, run, _ in app.get_system_commands(self.screen):
            yield title, about, run
        if app.desk is not None and may_leave(self.screen):
            for info in await app.desk.others():
                # after all keys pressed before
                run = partial(app.in_turn, partial(_open_dataset, app, info.name))
                yield f"Dataset {flat(info.name)}", "", run

    async def discover(self) -> Hits:
        """All of them."""
        async for title, about, run in self._every():
            yield DiscoveryHit(_line(Content(title), about), run, title)

    async def search(self, query: str) -> Hits:
        """Those that have words with each of these beginnings; a title that begins so comes first."""
        matcher, words = self.matcher(query), [f" {word}" for word in _spaced(query).split()]
        async for title, about, run in self._every():
            named, told = _spaced(f" {title}"), _spaced(f" {title} {about}")
            if all(word in told for word in words):
                score = sum(word in named for word in words) + named.startswith(words[0])
                shown = Content(title) if "[" in title else matcher.highlight(title)
                yield Hit(100 * score, _line(shown, about), run, title)


def _spaced(text: str) -> str:
    """In small letters, with a blank for each mark that parts the words of a name: retriever-v2_dense."""
    return re.sub(r"[-_./\[\]]", " ", text.casefold())


async def _open_dataset(app: Bench, name: str) -> None:
    if may_leave(app.screen):
        await app.leave_for_queue()
        app.choose_dataset(name)


def system_commands(app: Bench, screen: Screen[Any]) -> Iterable[SystemCommand]:
    """The actions of the screen, import and export, theme and tour; what holds everywhere comes last."""
    every = acts(screen.active_bindings, digits_as_one=False)
    commands = [act for act in every if act.id != "app.palette" and act.binding.enabled]
    # the labels have a list of their own
    rest = [act for act in commands if act.group in (EVERY, "Moving") or act.id.startswith("review.label_")]
    yield from (_command(app, act) for act in commands if act not in rest)
    if isinstance(screen, BaseScreen) and may_leave(screen):
        if app.store is not None:
            yield from coming(screen, app.store, app.desk)
        if app.desk is not None:
            yield from leaving(screen, app.desk)
    yield SystemCommand(
        "Theme: light, dark and others", "Colours, also the terminal's own", app.action_change_theme
    )
    tour = partial(app.in_turn, partial(app.run_action, "app.tour"))
    yield SystemCommand("Tour", "The first steps again", tour)
    yield from (_command(app, act) for act in rest)


def _command(app: Bench, act: KeyAct) -> SystemCommand:
    return SystemCommand(act.description, f"{act.group} · {' '.join(act.keys)}", partial(app.perform, act))


def may_leave(screen: Screen[Any]) -> bool:
    """Whether one can go elsewhere from here: nothing is being typed, and nothing is left unsaved."""
    return isinstance(screen, BaseScreen) and getattr(screen, "failure", None) is None


def _line(title: Content, about: str) -> Content:
    """A command on one line: on two, 24 lines would show eight of them."""
    return Content.assemble(title, (f"  {about}", DIM))
