"""The command palette: actions, samples and datasets, found by a few letters and never read as markup."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen

from tests.tui.conftest import until
from tests.tui.test_hostile import NASTY, on_screen, steering
from workbench.tui import commands
from workbench.tui.app import WorkbenchApp
from workbench.tui.commands import MOST, DatasetCommands, SampleCommands
from workbench.tui.safe import TerminalGuard

Press = Callable[..., Awaitable[None]]
Settle = Callable[[Pilot[None]], Awaitable[None]]


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search starts at once."""
    monkeypatch.setattr(commands, "QUIET", 0)


async def found(app: WorkbenchApp, text: str, screen: Screen[Any] | None = None) -> list[Hit]:
    """The samples that a search offers."""
    provider = SampleCommands(screen or app.screen)
    return [hit async for hit in provider.search(text) if isinstance(hit, Hit)]


async def offered(app: WorkbenchApp) -> list[DiscoveryHit]:
    """The datasets offered before anything is typed."""
    return [hit async for hit in DatasetCommands(app.screen).discover() if isinstance(hit, DiscoveryHit)]


async def search(pilot: Pilot[None], text: str) -> None:
    """Open the palette, type, and wait for what it finds."""
    await pilot.press("ctrl+p")
    await pilot.press(*text)
    for _ in range(100):
        await pilot.pause(0.02)
        if any(
            text.lower() in str(option.prompt).lower()
            for option in pilot.app.screen.query_one(CommandList).options
        ):
            return
    raise AssertionError(f"nothing is found for {text}")


async def choose(pilot: Pilot[None], settle: Settle) -> None:
    """Enter, and wait until the palette is gone and all is done."""
    await pilot.press("enter")
    for _ in range(100):
        await pilot.pause(0.02)
        if not isinstance(pilot.app.screen, CommandPalette):
            break
    await settle(pilot)


async def test_a_sample_by_its_id(database: Path, make_app: Any, settle: Settle) -> None:
    """From the queue: its review opens, and back leads to the queue with the cursor on it."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await search(pilot, "schiller")
        await choose(pilot, settle)
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.pane.now.sample.id == "schiller"
        await pilot.press("b")
        await settle(pilot)
        assert type(app.screen).__name__ == "QueueScreen"
        assert len(app.screen_stack) == 1


async def test_from_one_review_to_another(
    database: Path, make_app: Any, settle: Settle, open_review: Press
) -> None:
    """The first review is left: b leads to the queue, not to it."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        await search(pilot, "schiller")
        await choose(pilot, settle)
        assert app.screen.pane.now.sample.id == "schiller"
        assert len(app.screen_stack) == 2


async def test_keys_pressed_before_are_acted_on_first(
    database: Path, make_app: Any, settle: Settle, open_review: Press
) -> None:
    """What is being written when a sample is chosen is on disk before the screen is left."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        (hit,) = [hit for hit in await found(app, "schiller") if hit.text == "schiller"]
        app.simulate_key("x")
        hit.command()
        await settle(pilot)
        assert app.screen.pane.now.sample.id == "schiller"
        await pilot.press("u")
        await settle(pilot)
        assert app.screen.pane.now.sample.id == "tower"


async def test_a_sample_chosen_by_hand_says_so(database: Path, make_app: Any, settle: Settle) -> None:
    """Its review is off the plan: it must not count as drawn at random."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        (hit,) = [hit for hit in await found(app, "schiller") if hit.text == "schiller"]
        hit.command()
        await settle(pilot)
        assert app.screen.pane.now.opening.off_plan


async def test_questions_and_references_are_searched_too(
    database: Path, make_app: Any, settle: Settle
) -> None:
    """In any case and script; what is nowhere finds nothing."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert ["schiller"] == [hit.text for hit in await found(app, "weimar")]
        assert ["changcheng"] == [hit.text for hit in await found(app, "嘉峪关")]
        assert ["tower"] == [hit.text for hit in await found(app, "where is the eiffel")]
        assert [] == await found(app, "xyzzy")
        assert [] == await found(app, "100%_")


async def test_the_very_id_comes_first_and_the_list_is_short(
    import_rows: Any, rows: Any, make_app: Any, settle: Settle
) -> None:
    """A hundred samples hold the text; twenty are offered, the one with this very id before all."""
    many = [
        {**rows[5], "id": f"schiller-{number}", "reference": f"Schiller {number}."} for number in range(100)
    ]
    app = make_app(import_rows([*many, rows[5]]))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        hits = await found(app, "schiller")
        assert len(hits) == MOST
        best = max(hits, key=lambda hit: hit.score)
        assert (best.text, best.score > 100) == ("schiller", True)
        assert all(hit.score < 1 for hit in hits if hit is not best)  # below every action that fits


async def test_where_one_types_or_has_something_unsaved_nothing_leads_away(
    database: Path, make_app: Any, settle: Settle, open_review: Press, press: Press
) -> None:
    """A dialog keeps what was typed; a failed write stays in sight."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        review = app.screen
        assert await found(app, "schiller")
        review.saver.failure = object()
        assert [] == await found(app, "schiller")
        review.saver.failure = None
        (hit,) = [hit for hit in await found(app, "schiller") if hit.text == "schiller"]
        await press(pilot, "X", "b")
        assert [] == await found(app, "schiller")
        hit.command()  # chosen before the dialog was there
        await settle(pilot)
        assert type(app.screen).__name__ == "PromptScreen"


async def test_another_dataset(import_rows: Any, rows: Any, make_app: Any, settle: Settle) -> None:
    """Every other dataset is offered at once, found by name, and opens its queue."""
    database = import_rows(rows)
    import_rows(rows[:3], name="few")
    app = make_app(database, dataset="cities")
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert [("Dataset few", "Open it")] == [(one.text, one.help) for one in await offered(app)]
        await search(pilot, "dataset few")
        await choose(pilot, settle)
        assert app.desk.info.name == "few"
        assert app.screen.query_one("#head").text.startswith("few  3 samples")
        assert ["Dataset cities"] == [one.text for one in await offered(app)]


@pytest.mark.parametrize("wall", ["widgets", "both"])
async def test_hostile_names_are_shown_and_steer_nothing(
    import_rows: Any, rows: Any, make_app: Any, settle: Settle, monkeypatch: Any, wall: str
) -> None:
    """Markup in ids, references and dataset names is text; escapes are pictures; nothing is clicked."""
    if wall == "widgets":
        monkeypatch.setattr(TerminalGuard, "apply", lambda _self, segments, _background: segments)
    evil = [
        {**rows[5], "id": f"evil{name}", "reference": name, "user_input": name}
        for name in ("[@click=app.quit]x[/]", "[/]", "[", "\x1b[2Jz", NASTY)
    ]
    database = import_rows(evil)
    import_rows(rows[:2], name="evil set [@click=app.quit]q[/] \x1b]0;x\x07")
    app = make_app(database, dataset="cities")
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        for hit in await found(app, "evil"):
            assert isinstance(hit.match_display, Content)
            assert isinstance(hit.help, Content)
            assert not [span for span in hit.match_display.spans if span.style]
        await search(pilot, "evil")
        picture = on_screen(app)
        assert steering(picture) == []
        assert "evil[@click=app.quit]x[/]" in picture
        assert "evil[/]" in picture
        assert "Dataset evil set [@click=app.quit]q[/] ␛]0;x␇" in picture
        for y in range(40):
            for x in range(2, 60, 4):
                style = app.screen.get_style_at(x, y)
                assert "@click" not in style.meta


async def test_a_search_that_is_typed_over_asks_the_database_once(
    database: Path, make_app: Any, settle: Settle, monkeypatch: Any
) -> None:
    """Letters in one breath: only the last text is looked up."""
    monkeypatch.setattr(commands, "QUIET", 2.0)
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        asked: list[str] = []
        find = type(app.desk).find

        async def watched(desk: Any, text: str, limit: int) -> Any:
            asked.append(text)
            return await find(desk, text, limit)

        monkeypatch.setattr(type(app.desk), "find", watched)
        await pilot.press("ctrl+p")
        for letter in "schil":
            app.simulate_key(letter)
        await until(pilot, lambda: bool(asked))
        assert asked == ["schil"]


async def test_a_search_that_ends_after_the_palette_is_gone_does_nothing(
    database: Path, make_app: Any, settle: Settle
) -> None:
    """Leaving while samples are looked for must not end in an error."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        palette = app.screen
        assert isinstance(palette, CommandPalette)
        shown = palette.query_one(CommandList)
        await shown.remove()
        before = shown.option_count  # as many as the palette listed by then
        palette._refresh_command_list(shown, [], True)
        assert before == shown.option_count


async def test_actions_are_found_with_their_keys(database: Path, make_app: Any, settle: Settle) -> None:
    """Every action of the screen with its keys; keys that are brackets are no markup."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        said = {command.title: command.help for command in app.get_system_commands(app.screen)}
        assert said["Review this sample"] == "Queue · enter"
        assert "Tour" in said
        assert "Find any action, sample or dataset" not in said  # it is open already
        for help_text in said.values():
            assert Content.from_markup(help_text).plain == help_text


async def test_the_palette_over_a_dialog_leaves_by_ctrl_q(
    database: Path, make_app: Any, press: Press, open_review: Press
) -> None:
    """The keys that hold everywhere do so over dialogs and in the palette."""
    app = make_app(database)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_review(pilot, "tower")
        await press(pilot, "X", "question_mark")
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, CommandPalette)
        await pilot.press("ctrl+q")
        await pilot.pause()
    assert app.return_code == 0
