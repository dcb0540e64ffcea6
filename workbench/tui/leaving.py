"""What comes in and leaves from the palette: samples, verified data for other tools, the report, a backup."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from workbench.text.figures import many
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import MenuChoice, MenuScreen
from workbench.tui.screens.prompt import PromptScreen, ReadScreen
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.store.engine import Store
    from workbench.tui.desk import Desk

Write = Callable[[Callable[[int], None]], str]
"""Works in a thread, tells how far it is, and returns what to say at the end."""


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
        from workbench.stages.import_ import default_name

        names = dict.fromkeys([default_name(path), *([desk.info.name] if desk else [])])
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
        with screen.telling("importing", " MB") as count:
            said = await asyncio.to_thread(_import, store, path, name, bench.annotator, count)
        if desk is None:
            bench.choose_dataset(name)
        elif name == desk.info.name:
            bench.home.action_reread()
        else:
            said += f"\n\nctrl+p, “Dataset {name}” opens it."
        if bench.screen is screen:
            await bench.ask(ReadScreen("Imported", said))
        else:
            bench.tell(flat(said.splitlines()[0]))

    def failed(error: Exception) -> None:
        bench.tell(f"nothing was imported: {flat(str(error))}", "warn")

    about = "Samples from a file: JSON Lines, CSV, ragas, deepeval and others"
    yield SystemCommand("Import", about, partial(bench.call_later, bench.gate.enter, ask_file))


def leaving(screen: BaseScreen, desk: Desk) -> Iterable[SystemCommand]:
    """The commands, for the dataset that is open."""
    bench = screen.bench

    async def ask_format() -> None:
        from workbench.stages.export import FORMATS

        choices = [MenuChoice(name, take=partial(ask_folder, name)) for name in FORMATS]
        await bench.ask(MenuScreen("Export verified data as", choices))

    def ask_folder(name: str) -> None:
        ask = partial(ask_path, f"{name}: which new folder?", f"{name}-export", partial(_export, desk, name))
        bench.gate.close()  # what is typed behind the choice belongs to the next question
        start(bench, ask, group="work")

    async def ask_path(title: str, value: str, write: Callable[[Path, Callable[[int], None]], str]) -> None:
        def take(text: str) -> str | None:
            path = Path(text).expanduser()
            if not text or path.exists():
                return "there is something of that name: type another one" if text else "a name, please"
            begin(partial(write, path))
            return None

        await bench.ask(PromptScreen(title, take, value=value, select=True))

    def begin(write: Write) -> None:
        start(bench, partial(go_on, write), group="leaving", failed=failed)

    async def go_on(write: Write) -> None:
        with screen.telling("writing") as count:
            said = await asyncio.to_thread(write, count)
        bench.tell(flat(said))

    def failed(error: Exception) -> None:
        bench.tell(f"nothing was written: {flat(str(error))}", "warn")

    async def back_up() -> None:
        begin(partial(_back_up, desk))

    ask_page = partial(ask_path, "Report page: which file?", "report.html", partial(_report, desk))
    for title, about, ask in (
        ("Export", "Verified data for other tools, in a new folder", ask_format),
        ("Report page", "The comparison as one HTML file to send", ask_page),
        ("Backup", "A copy of the database next to it", back_up),
    ):
        yield SystemCommand(title, about, partial(bench.call_later, bench.gate.enter, ask))


def _import(store: Store, path: Path, name: str, annotator: str, count: Callable[[int], None]) -> str:
    from workbench.reports.import_ import import_text
    from workbench.stages.import_ import ImportOptions, import_file

    options = ImportOptions(dataset=name)
    report = import_file(
        store, path, options, annotator=annotator, progress=lambda done: count(done // 1_000_000)
    )
    return import_text(report)


def _export(desk: Desk, name: str, path: Path, count: Callable[[int], None]) -> str:
    from workbench.stages.export import ExportOptions, export
    from workbench.store.datasets import dataset_info

    info = dataset_info(desk.store, desk.info.id)
    options = ExportOptions(formats=(name,))
    report = export(desk.store, info, path, options, annotator=desk.annotator, progress=count)
    return f"wrote {report.path}: {many(report.samples, 'sample')}, {report.gold:,} verified"


def _report(desk: Desk, path: Path, count: Callable[[int], None]) -> str:
    from workbench.settings import read_settings
    from workbench.stages.answer import answer
    from workbench.stages.compare import write_html
    from workbench.store.datasets import dataset_info

    info = dataset_info(desk.store, desk.info.id)
    usual = read_settings().scorer
    found, figures = answer(desk.store, info, desk.annotator, usual=usual, progress=count)
    write_html(desk.store, info, path, found, figures, text=True, force=False)
    return f"wrote {path.resolve()}"


def _back_up(desk: Desk, _count: Callable[[int], None]) -> str:
    from workbench.stages.upkeep import backup

    return f"copied the database to {backup(desk.store, None, datetime.now().astimezone())}"
