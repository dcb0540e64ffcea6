"""Pictures of the screens, as `cases.txt` lists them; a changed picture is looked at before it is kept."""

import sqlite3
from contextlib import ExitStack, closing
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.lists import cases
from tests.sessions import reviewed
from tests.tui.conftest import MakeApp, open_review, press
from tests.tui.starts import STARTS
from tests.tui.test_walks import OPENING
from workbench.store.engine import open_store
from workbench.tui.themes import LIGHT, SIXTEEN

LOOKS = {"": "", "light": LIGHT.name, "16 colours": SIXTEEN, "own colours": "ansi-dark"}

PICTURES = [
    pytest.param(of, before, keys, tuple(map(int, size.split("x"))), LOOKS[look], id=f"{name}-{size}")
    for name, of, before, keys, sizes, look, _ in cases(__file__, "a picture")[1:]
    for size in sizes.split()
]


@pytest.mark.filterwarnings("default::DeprecationWarning")
@pytest.mark.parametrize(("of", "before", "keys", "size", "theme"), PICTURES)
def test_a_picture(
    snap_compare: Any, make_app: MakeApp, request: pytest.FixtureRequest, of: str, before: str, keys: str,
    size: tuple[int, int], theme: str,
) -> None:  # fmt: skip
    """`of` is a start, a person and a sample as in walks; ` ; ` parts keys that are pressed at once."""
    told = OPENING.fullmatch(of)
    assert told is not None
    start, _, who, sample, _ = told.groups()
    database = STARTS[start](request.getfixturevalue)

    async def go(pilot: Pilot[None]) -> None:
        await press(pilot)
        if sample:
            await open_review(pilot, sample)
        for pressed in keys.split(" ; "):
            await press(pilot, *pressed.split())

    with ExitStack() as stack:
        if before == "lock":
            request.getfixturevalue("impatient")
            other = stack.enter_context(closing(sqlite3.connect(database, isolation_level=None)))
            other.execute("BEGIN IMMEDIATE")
        elif before:
            with closing(open_store(str(database))) as store:
                reviewed(before, store)
        app = make_app(database, annotator=who or "ann", theme=theme)
        assert snap_compare(app, terminal_size=size, run_before=go)
