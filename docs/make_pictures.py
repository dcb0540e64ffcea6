"""Draw docs/pictures/*.svg from the real program over the demo."""

from __future__ import annotations

import os

os.environ["TEXTUAL_ANIMATIONS"] = "none"  # read when textual is imported
os.environ.pop("NO_COLOR", None)

import asyncio
import re
import tempfile
from functools import partial
from html import unescape
from pathlib import Path

from rich.cells import cell_len
from textual.pilot import Pilot

from workbench.stages.import_ import DATASET, load_demo
from workbench.stages.queue_values import queue_ids
from workbench.store.engine import open_store
from workbench.store.samples import sample_ids
from workbench.tui.app import WorkbenchApp

FOLDER = Path(__file__).with_name("pictures")
SIZE = (120, 32)
ANNOTATOR = "ana"
CELL = 12.2
"""The width of a character in a picture, by the library."""
IDS = re.compile(r"terminal-\d+-")
TEXT = re.compile(r'(textLength=")[^"]*("[^>]*>)([^<\n]+)<')


async def settled(pilot: Pilot[None]) -> None:
    """Wait until every read and write has ended and is painted."""
    for _ in range(400):
        await pilot.pause()
        if all(worker.is_finished for worker in pilot.app.workers):
            break
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    await pilot.pause()


async def draw(url: str, downs: int) -> None:
    app = WorkbenchApp(partial(open_store, url), DATASET, ANNOTATOR)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("home")  # from the first row on: what is decided, then what is next
        await asyncio.sleep(1)  # the causes of rows that came into view are counted a moment later
        await settled(pilot)
        save("queue", app.export_screenshot(title="workbench"))
        for key in ["down"] * downs + ["enter", "down", "m", "6", "a"]:
            await pilot.press(key)
            await settled(pilot)
        for key in ("u", "U"):  # back to the sample just accepted: its verified value stands on the screen
            await pilot.press(key)
            await settled(pilot)
        save("review", app.export_screenshot(title="workbench"))
        await pilot.press("w")
        await settled(pilot)
        save("why", app.export_screenshot(title="workbench"))


def as_wide_as_its_cells(found: re.Match[str]) -> str:
    """The library counts characters: a viewer would squeeze wide ones into half of their place."""
    start, end, text = found.groups()
    return f"{start}{cell_len(unescape(text)) * CELL:g}{end}{text}<"


def portable(svg: str) -> str:
    """A picture that fetches nothing: the fonts it asks for are those of the reader."""
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)
    svg = svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
    svg = TEXT.sub(as_wide_as_its_cells, svg)
    return svg.replace("<text ", '<text xml:space="preserve" ').replace("&#160;", " ")


def save(name: str, svg: str) -> None:
    """Write a picture, unless nothing but the names of its parts has changed."""
    path, svg = FOLDER / f"{name}.svg", portable(svg)
    if not path.exists() or IDS.sub("", path.read_text("utf-8")) != IDS.sub("", svg):
        path.write_text(svg, "utf-8")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder, "demo.db"))
        store = open_store(url)
        info = load_demo(store, ANNOTATOR)
        shown = sample_ids(store, info.id)["mona-lisa"]
        downs = queue_ids(store, info, ANNOTATOR).index(shown)
        store.close()
        asyncio.run(draw(url, downs))


if __name__ == "__main__":
    main()
