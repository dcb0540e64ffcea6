"""Pictures of every screen over the demo, to look at: three sizes, dark and light.

    python -m tests.quality.pictures OUT [--sizes 80x24,200x50] [--themes dark,light] [--only review,why]

It writes OUT/SIZE-THEME-SCREEN.svg; `rsvg-convert` makes PNGs of them. Keys lead from screen to screen on a
database of its own, as a person would go.
"""

import asyncio
import os
import runpy
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

os.environ["TEXTUAL_ANIMATIONS"] = "none"  # read when textual is imported

from tests.benchmarks.harness import options, size_of
from tests.lists import told
from workbench.stages.import_ import DATASET, load_demo
from workbench.store.engine import open_store
from workbench.tui.app import WorkbenchApp
from workbench.tui.themes import DARK, LIGHT

TOOLS = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "make_pictures.py"))
"""The README's pictures are drawn with the same hand."""

THEMES = {"dark": DARK.name, "light": LIGHT.name}
WALK = told(__file__, "pictures.txt", r"(.*?) \| (.*?) \| ?(.*)")
"""The name of a picture, the keys that lead to it, and those that lead on."""


async def walk(out: Path, size: tuple[int, int], theme: str, only: set[str]) -> None:
    """Press the keys and keep what the screen shows."""
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder, "demo.db"))
        store = open_store(url)
        load_demo(store, "ana")
        store.close()
        app = WorkbenchApp(partial(open_store, url), DATASET, "ana", theme=THEMES[theme], tour=True)
        async with app.run_test(size=size) as pilot:
            await TOOLS["settled"](pilot)
            for name, there, back in WALK:
                await press(pilot, there)
                if not only or name in only:
                    svg = app.export_screenshot(title=f"{name} {size[0]}x{size[1]}")
                    path = out / f"{size[0]}x{size[1]}-{theme}-{name}.svg"
                    path.write_text(TOOLS["portable"](svg), "utf-8")
                await press(pilot, back)


async def press(pilot: Any, keys: str) -> None:
    """One key after another, each once the one before has been acted on."""
    for key in keys.split():
        if key == "WAIT":  # the palette searches by itself
            await asyncio.sleep(1)
        else:
            await pilot.press(key)
        await TOOLS["settled"](pilot)


def main() -> None:
    given = options(__doc__, out=Path, sizes="80x24,120x36,200x50", themes="dark,light", only="")
    given.out.mkdir(parents=True, exist_ok=True)
    for size in given.sizes.split(","):
        for theme in given.themes.split(","):
            asyncio.run(walk(given.out, size_of(size), theme, set(filter(None, given.only.split(",")))))


if __name__ == "__main__":
    main()
