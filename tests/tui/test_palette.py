"""The command palette: actions and datasets, found by a few letters and never read as markup."""

from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandList, CommandPalette, DiscoveryHit
from textual.content import Content

from tests.tui.conftest import User, first_offer, until
from tests.tui.test_hostile import NASTY, on_screen, steering
from workbench.stages.export import FORMATS
from workbench.tui import commands
from workbench.tui.app import TerminalGuard, WorkbenchApp
from workbench.tui.commands import Actions
from workbench.tui.screens.saver import Unsaved
from workbench.tui.widgets.unit_list import UnitList


async def offered(app: WorkbenchApp) -> list[DiscoveryHit]:
    """The datasets offered before anything is typed."""
    every = [hit async for hit in Actions(app.screen).discover() if isinstance(hit, DiscoveryHit)]
    return [hit for hit in every if str(hit.text).startswith("Dataset ")]


@pytest.fixture
def two(import_rows: Any, rows: Any) -> Path:
    """Two datasets, cities and few."""
    database: Path = import_rows(rows)
    import_rows(rows[:3], name="few")
    return database


async def test_another_dataset(user: User, two: Path) -> None:
    """Every other one is offered at once, found by name, and opens its queue.

    What is being written when one is chosen is on disk before the screen is left.
    """
    async with user.opens("tower", database=two, dataset="cities") as app:
        (few,) = await offered(app)
        assert ("Dataset few", None) == (few.text, few.help)
        app.simulate_key("x")
        few.command()
        await user.settle()
        assert app.screen.query_one("#head").text.startswith("few  3 samples")
        await user.command("dataset cities")
        assert app.desk.info.name == "cities"
        assert ["Dataset few"] == [one.text for one in await offered(app)]
        await user.press("u")
        assert app.screen.pane.now.sample.id == "tower"


async def test_the_palette_opens_at_what_the_screen_does(user: User) -> None:
    """The actions in the order of their keys; what holds everywhere and moving about come last."""
    async with user.opens(size=(120, 36)) as app:
        await user.pilot.press("ctrl+p")

        def offered() -> list[str]:
            lists = app.screen.query(CommandList)  # none before the palette is there
            return [str(option.prompt).split("  ")[0] for listed in lists for option in listed.options]

        await until(user.pilot, lambda: "Page down" in offered())  # they come a few at a time
        options = offered()

    assert "Review this sample" == options[0]
    assert options.index("Import") < options.index("Tour") < options.index("Page down")


async def test_where_one_types_or_has_something_unsaved_nothing_leads_away(user: User, two: Path) -> None:
    """A dialog keeps what was typed; a failed write stays in sight."""
    async with user.opens("tower", database=two, dataset="cities") as app:
        review = app.screen
        review.saver.failure = Unsaved("accept", user.settle, [], other_file=False, writes=True)
        assert [] == await offered(app)
        review.saver.failure = None
        (hit,) = await offered(app)
        await user.press("X", "b")
        assert [] == await offered(app)
        hit.command()  # chosen before the dialog was there
        await user.settle()
        assert type(app.screen).__name__ == "PromptScreen"


async def test_hostile_names_steer_nothing(user: User, import_rows: Any, rows: Any, monkeypatch: Any) -> None:
    """Markup in names of datasets is text; escapes are pictures; nothing is clicked."""
    monkeypatch.setattr(TerminalGuard, "apply", lambda _self, segments, _background: segments)
    database = import_rows(rows)
    import_rows(rows[:3], name=f"evil{NASTY}")
    import_rows(rows[:2], name="evil set [@click=app.quit]q[/] \x1b]0;x\x07")
    async with user.opens(database=database, size=(100, 40), dataset="cities") as app:
        await user.settle()
        await user.pilot.press("ctrl+p", *"evil")
        await first_offer(user.pilot, "evil")
        picture = on_screen(app)
        assert steering(picture) == []
        assert "Dataset evil set [@click=app.quit]q[/] ␛]0;x␇" in picture
        for y in range(40):
            for x in range(2, 60, 4):
                style = app.screen.get_style_at(x, y)
                assert "@click" not in style.meta


def test_every_format_that_can_be_exported_is_offered_with_what_it_is() -> None:
    """In the order of the exports."""
    assert list(FORMATS) == list(commands.FORMATS)


async def test_a_search_that_ends_after_the_palette_is_gone_does_nothing(user: User) -> None:
    """Leaving while samples are looked for must not end in an error."""
    async with user.opens() as app:
        await user.settle()
        await user.pilot.press("ctrl+p")
        palette = app.screen
        assert isinstance(palette, CommandPalette)
        shown = palette.query_one(CommandList)
        await shown.remove()
        before = shown.option_count  # as many as the palette listed by then
        palette._refresh_command_list(shown, [], True)
        assert before == shown.option_count


async def test_actions_are_found_with_their_keys(user: User) -> None:
    """Every action of the screen with its keys; keys that are brackets are no markup.

    A title that begins with what is typed comes before those that have it at the start of a later word. What
    a newcomer types finds its action.
    """
    typed = {"back": "Back up", "backup": "Back up", "save": "Export", "help": "Help", "dark": "Theme",
             "sort": "Order", "find": "Search", "progress": "Plan", "estimate": "Compare",
             "exit": "Exit", "export csv": "Export", "load": "Import", "html": "Report page", "model": "Runs",
             "cost": "Runs", "colour": "Theme", "refresh": "Refresh", "delete": "", "login": ""}  # fmt: skip
    async with user.opens() as app:
        await user.settle()
        found = {word: [hit async for hit in Actions(app.screen).search(word)] for word in typed}
        best = {
            word: max(hits, key=lambda hit: hit.score).text if hits else "" for word, hits in found.items()
        }
        assert typed == {word: (title or "").partition(":")[0] for word, title in best.items()}
        assert "Disagreements, largest effect first; back" in [hit.text for hit in found["back"]]
        said = {command.title: command.help for command in app.get_system_commands(app.screen)}
        assert said["Review this sample"] == "Queue · enter"
        assert "Tour" in said
        assert "Disagreement: open, explained or fixed" not in said  # none is listed here
        assert "Any action, export, report" not in said  # it is open already
        for help_text in said.values():
            assert Content.from_markup(help_text).plain == help_text


async def test_the_palette_does_what_keys_do_and_leaves_by_ctrl_q_over_a_dialog(user: User) -> None:
    """The keys that hold everywhere do so over dialogs and in the palette."""
    async with user.opens("tower") as app:
        app.screen.query_one(UnitList).move_to(0)
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert {"Accept and go on", "Label 8", "Add a new unit", "Exclude, with a reason", "Tour"} <= titles
        await user.command("reject")
        assert app.screen.query_one(UnitList).rows[0].rejected
        await user.press("X", "question_mark")
        await user.pilot.press("ctrl+p")
        assert isinstance(app.screen, CommandPalette)
        await user.pilot.press("ctrl+q")
        await user.pilot.pause()
    assert app.return_code == 0
