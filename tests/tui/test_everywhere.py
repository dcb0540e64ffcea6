"""What holds on every screen: help, the way out, copying, the shell."""

from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets.input import Selection as InputSelection

from tests.tui.conftest import User, until
from workbench.tui.app import WorkbenchApp
from workbench.tui.keys import declared, nodes
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import Field, Status

SCREENS = [node for node in nodes() if issubclass(node, Screen)]


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.__name__)
def test_help_is_on_every_screen(screen: type[Screen[None]]) -> None:
    """`?` and F1 by the screen's own bindings, or by the app's where dialogs do not shut them out."""
    bindings = (*declared(screen), *(() if issubclass(screen, Dialog) else declared(WorkbenchApp)))
    helped = {binding.key for binding in bindings if binding.action.removeprefix("app.") == "help"}
    closes = {binding.key for binding in bindings if binding.id == "help.close"}
    assert {"question_mark", "f1"} <= helped | closes


async def test_ctrl_c_copies_what_is_selected(user: User) -> None:
    """In a field, and with the mouse; it says so."""
    async with user.opens() as app:
        await user.press("slash", "t", "o", "w")
        queue: Any = app.screen
        await until(user.pilot, lambda: bool(queue.query_shown))  # a search takes the message away
        app.screen.query_one(Field).selection = InputSelection(0, 2)
        await user.press("ctrl+c")
        assert app.clipboard == "to"
        assert app.screen.query_one(Field).value == "tow"
        assert app.screen.query_one(Status).text == "copied: to"
        await user.press("escape")
        await user.review("tower")
        await user.pilot.mouse_down("#reference", offset=(5, 1))
        await user.pilot.hover("#reference", offset=(16, 1))
        await user.pilot.mouse_up("#reference", offset=(16, 1))
        copied = app.screen.get_selected_text()
        assert copied == "Eiffel Tower"
        await user.press("ctrl+c")
        assert app.clipboard == copied


@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
async def test_what_went_well_takes_one_line(user: User, rows: Any, import_rows: Any, size: Any) -> None:
    """The panes keep their lines from key to key; a message about what to do may take more of them."""
    rows[0]["id"] = name = "retrieval-evaluation-of-the-second-quarter/paris-and-its-monuments/0001"
    long = "The Eiffel Tower stands on the Champ de Mars in Paris"
    rows[0]["proposal"]["reference_entities"][0] = {"text": long, "label": "place"}
    path, heights, messages = import_rows(rows), set(), []
    for annotator in ("an-annotator-with-a-remarkably-long-name-of-the-north", "ann"):
        async with user.opens(name, database=path, annotator=annotator, size=size) as app:
            status = app.screen.query_one(Status)
            app.screen.say(
                "not saved: the file is read only; free it, then press r to try again", tone="warn"
            )
            await user.settle()
            assert {80: 1, 60: 2}[size[0]] == status.size.height
            for key in ("x", "x", "m", "u", "U", "a", "a", "u", "U"):
                await user.press(key)
                status = app.screen.query_one(Status)
                heights.add(status.size.height)
                messages.append(str(status.render()).rstrip())
    assert {1} == heights
    assert size[0] < 80 or messages[2].endswith("is found without evidence; e chooses it")
