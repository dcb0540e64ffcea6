"""Small windows: every screen is whole at 60 × 16, below that a notice stands there and nothing is lost."""

from typing import Any

from textual.events import Event, Resize
from textual.geometry import Size

from tests.lists import from_cases
from tests.tui.conftest import User, key_event, until
from tests.tui.test_hostile import on_screen
from workbench.model import Match, Unit
from workbench.tui.bench import NEEDED, TINY
from workbench.tui.keys import acts
from workbench.tui.widgets.bars import KEPT, KeyBar, arranged
from workbench.tui.widgets.unit_list import plan as columns

WALK = {
    "queue": (), "help": ("question_mark",), "review": ("escape", "enter"), "line to type": ("X",),
    "guidelines": ("escape", "g"),
}  # fmt: skip
"""Every kind of screen, with the keys that lead there from the one before."""


async def test_it_comes_and_goes_with_the_size(user: User) -> None:
    """Over every kind of screen; what stood there stands there again, character by character."""
    async with user.opens() as app:
        for name, keys in WALK.items():
            await user.press(*keys)
            before, screens = on_screen(app), [type(screen) for screen in app.screen_stack]
            await user.resize(50, 12)
            assert "This window has 50 × 12" in on_screen(app), name
            await user.resize(100, 30)
            assert on_screen(app) == before, name
            assert [type(screen) for screen in app.screen_stack] == screens


def at_once(app: Any, *events: Event) -> None:
    """All in one turn, as a terminal sends them while its window is dragged."""
    for event in events:
        app.post_message(event)


def to(width: int, height: int) -> Resize:
    return Resize(Size(width, height), Size(width, height))


async def test_a_key_or_a_click_on_its_bar_at_the_moment_of_shrinking_does_nothing(user: User) -> None:
    """Nor does what is typed below the notice, once there is room again."""
    async with user.opens("tower") as app:
        reject = next(act for act in acts(app.screen.active_bindings) if act.id == "review.reject")
        app.post_message(to(40, 10))
        app.perform(reject)  # the bar may stand there still
        await user.pilot.pause(0.3)
        await user.resize(100, 30)
        assert not any(unit.rejected for unit in app.screen.pane.units)
        at_once(app, to(40, 10), key_event("x"))
        for key in ("a", "a", "S"):
            await user.pilot.pause(0.1)
            at_once(app, key_event(key))
        at_once(app, to(100, 30), key_event("a"))
        await user.settle()
        assert app.screen.pane.now.sample.id == "tower"
        assert not any(unit.rejected for unit in app.screen.pane.units)
        await until(user.pilot, lambda: not app.unseen())
        await user.press("x")
        assert any(unit.rejected for unit in app.screen.pane.units)


async def test_keys_typed_below_the_notice_do_not_wait_for_a_write_that_takes_long(user: User) -> None:
    """Behind a closed gate they would act once there is room again; what was typed before acts then."""
    async with user.opens("tower") as app:
        app.gate.close()  # as long as a decision is being written
        at_once(app, key_event("x"))
        await user.pilot.resize_terminal(40, 10)
        at_once(app, key_event("a"), key_event("a"))
        await user.pilot.resize_terminal(100, 30)
        await until(user.pilot, lambda: not app.unseen())
        app.open_gate()
        await user.settle()
        assert app.screen.pane.now.sample.id == "tower"
        assert sum(unit.rejected for unit in app.screen.pane.units) == 1


PARTS = {
    "queue": {"#head": 1, "#samples": 3, "#status": 1, "#keys": 1},
    "help": {"#title": 1, "#first": 8},
    "review": {"#head": 1, "#reference": 1, "#units": 2, "#tallies": 1, "#context": 2, "#keys": 1},
    "line to type": {"#title": 1, "#field": 1, "#hint": 1},
    "guidelines": {"#title": 1, "#text": 4},
}


async def test_everything_has_its_lines_at_the_smallest_size(user: User) -> None:
    """What one needs to read, decide and get on is on the screen at 60 × 16."""
    async with user.opens(size=NEEDED) as app:
        for where, keys in WALK.items():
            await user.press(*keys)
            whole = app.screen.region
            for name, least in PARTS[where].items():
                region = app.screen.query_one(name).content_region.intersection(whole)
                assert region.height >= least, (where, name)
            assert not app.screen.has_class(TINY)


async def test_the_key_bar_shows_whole_words(user: User) -> None:
    """At most eight keys, help among them, none cut in a word."""
    async with user.opens() as app:
        for where in ("queue", "review", "search"):
            if where == "review":
                await user.review("tower")
            elif where == "search":
                await user.press("b", "slash")
            for width in (60, 72, 80, 100, 120, 200):
                await user.resize(width, 24)
                bar = app.screen.query_one(KeyBar)
                words = str(bar.render()).split("  ")
                assert 3 <= len(words) <= KeyBar.MOST
                assert words[-1].endswith(" help")
                known = {f"{act.keys[0]} {act.footer}" for act in bar._acts}
                assert {word.strip() for word in words} == known


@from_cases
def test_a_line_with_two_ends(left: str, right: str, room: int, drawn: str) -> None:
    """The right end keeps its last 24 cells as long as there are so many, then the left gives way."""
    parts = arranged(((left, ""),) if left else (), ((right, ""),) if right else (), room)
    assert "".join(text for text, _ in parts) == drawn
    assert KEPT == 24


def test_a_label_is_cut_only_as_far_as_the_wording_needs_the_cells() -> None:
    """Names of up to twelve cells leave the rest to the label; long ones keep eighteen."""
    match = Match(verdict="missing")

    def unit(text: str) -> Unit:
        return Unit(id=text, kind="entity", text=text, label="organisation", spans=(), match=match)

    assert columns(34, [unit("Paris")])[:2] == (13, 12)
    assert columns(34, [unit("University of Paris")])[:2] == (18, 7)
    assert columns(50, [unit("University of Paris")]).label == 12


async def test_a_long_message_is_read_to_its_end(user: User) -> None:
    """It takes as many lines as it needs, and gives them back."""
    message = (
        "nothing was written: a Hugging Face folder holds Parquet files, which need the package pyarrow: "
        "pip install 'gold-workbench[parquet]'"
    )
    async with user.opens("tower", size=(60, 16)) as app:
        for size in (60, 16), (80, 24), (120, 36):
            await user.resize(*size)
            before = on_screen(app)
            app.screen.say(message)
            await user.settle()
            assert message in " ".join(on_screen(app).split())
            await user.resize(70, 20)
            assert message in " ".join(on_screen(app).split())
            await user.pilot.resize_terminal(*size)
            app.screen.say("")
            await user.settle()
            assert before == on_screen(app)
