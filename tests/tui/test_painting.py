"""Only lines that look different are painted again: the screen is always what a full repaint shows."""

from functools import partial
from typing import Any, cast

import pytest
from rich.segment import Segment
from textual.geometry import Region
from textual.widget import Widget

from tests.tui.conftest import User
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens import review
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.unit_list import UnitList

KEYS = (
    *("j", "x", "x", "m", "M", "p", "7", "comma", "full_stop", "tab", "right_square_bracket", "k"),
    *("left_square_bracket", "a", "a", "j", "x", "a", "u", "u", "U", "S", "a", "u", "u", "t", "ctrl+d", "j"),
)


def painted(app: Any) -> list[list[Segment]]:
    """The lines of the screen with all their styles, as they were painted last."""
    return [[*Segment.simplify(strip)] for strip in app.screen._compositor.render_strips()]


async def is_whole(user: User, app: Any) -> bool:
    """Whether it stays as it is when every widget is told to paint itself anew."""
    before = painted(app)
    for widget in app.screen.walk_children():
        widget.refresh()
    await user.settle()
    return before == painted(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_what_is_painted_is_what_a_full_repaint_shows(user: User, size: tuple[int, int]) -> None:
    """After every key of a review, in every script of the samples."""
    async with user.opens("tower", size=size) as app:
        for number, key in enumerate(KEYS):
            await user.press(key)
            assert await is_whole(user, app), (number, key)


async def test_scrolled_texts_and_widths_are_painted_whole(user: User, import_rows: Any, rows: Any) -> None:
    """A long text scrolled, then a short one, and the other way round; and after a resize."""
    long = " ".join(f"word{number}" for number in range(900))
    for row in rows[:4]:
        row["retrieved_contexts"] = [f"{row['id']} {long}", "short"]
        row["reference"] += f" {long}"
    async with user.opens("tower", database=import_rows(rows)) as app:
        for key in ("pagedown", "pagedown", "right_square_bracket", "a", "ctrl+d", "j", "x", "S", "u", "u"):
            await user.press(key)
            assert await is_whole(user, app), key
        for width in (80, 120):
            await user.resize(width, 30)
            await user.press("j")
            assert await is_whole(user, app), width


async def test_a_cursor_that_moves_before_its_lines_are_painted_is_painted_where_it_is(user: User) -> None:
    """What was drawn to see which lines differ is out of date then."""
    async with user.opens("tower") as app:
        listed = app.screen.query_one(UnitList)
        listed.rows = listed.rows[::-1]
        listed.redraw()
        listed.move_to(2, tell=False)
        await user.settle()
        assert await is_whole(user, app)


async def test_moving_and_deciding_paint_no_whole_pane(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new title paints its own line; only the few lines of the tallies are painted whole."""
    whole: list[str] = []
    refresh = Widget.refresh

    def noted(self: Widget, *regions: Region, **how: Any) -> Widget:
        if not regions and not how:
            whole.append(type(self).__name__)
        return refresh(self, *regions, **how)

    async with user.opens("schiller", size=(120, 36)):
        await user.press("j", "k", "m", "m")
        monkeypatch.setattr(Widget, "refresh", noted)
        await user.press("j", "j", "m", "m", "k")

    assert {"Tallies"} == {*whole}


@pytest.mark.parametrize(("more", "stays"), [(2, True), (3, True), (5, False), (-1, False)])
async def test_panes_move_only_where_a_text_lacks_lines(
    user: User, import_rows: Any, rows: list[Any], more: int, stays: bool
) -> None:
    """The reference has up to three lines more than it needs; one that needs more gets them at once."""
    for row, lines in zip(rows, (6, 6 - more), strict=False):
        row["reference"] = "\n".join(f"line {number}" for number in range(lines))
        row["retrieved_contexts"][0] += " word" * 2000
    async with user.opens("tower", database=import_rows(rows[:2]), size=(120, 36)) as app:
        before = app.screen.pane.reference.region
        await user.press("S")
        assert stays == (before == app.screen.pane.reference.region)
        reference = app.screen.pane.reference
        assert reference.virtual_size.height <= reference.size.height


async def test_a_review_is_first_painted_with_its_sample(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue stays in sight until there is something to read."""
    painted: list[bool] = []
    display = WorkbenchApp._display

    def noted(self: Any, screen: Any, renderable: Any) -> None:
        if isinstance(screen, ReviewScreen) and not self._batch_count:
            painted.append(screen.pane.opened is not None)
        display(self, screen, renderable)

    monkeypatch.setattr(WorkbenchApp, "_display", noted)
    monkeypatch.setattr(review, "EMPTY", 60)
    async with user.opens("tower", size=(120, 36)):
        assert painted
        assert all(painted)


async def test_a_screen_has_the_classes_of_its_size_when_it_is_mounted(user: User, monkeypatch: Any) -> None:
    """Else all its parts are styled and laid out twice before it is painted."""
    seen: list[set[str]] = []
    mount = ReviewScreen.on_mount

    def on_mount(screen: ReviewScreen) -> None:
        seen.append({*screen.classes})
        mount(screen)

    monkeypatch.setattr(ReviewScreen, "on_mount", on_mount)
    async with user.opens("tower", size=(120, 36)) as app:
        assert [{"-wide", "-high"}] == [classes & {"-wide", "-narrow", "-high", "-low"} for classes in seen]
        assert {"-wide", "-high"} <= {*app.screen.classes}


async def test_labels_are_whole_where_there_is_room(user: User, import_rows: Any, rows: list[Any]) -> None:
    """Next to names that are too long for the list, at 120 columns."""
    for unit in rows[0]["proposal"]["reference_entities"]:
        unit["label"] = "organisation"
    async with user.opens("tower", database=import_rows(rows[:1]), size=(120, 36)) as app:
        listed = app.screen.query_one(UnitList)
        lines = [listed.render_line(y).text for y in range(listed.count)]
        assert all("organisation" in line for line in lines)
        assert any("found in 1" in line for line in lines)


async def test_units_drawn_for_a_frame_of_their_text_are_not_yet_shown(user: User, monkeypatch: Any) -> None:
    """A frame draws whole rows and writes only what changed: a held `a` would accept units nobody saw."""
    async with user.opens("tower") as app:
        screen = cast(ReviewScreen, app.screen)
        units, reference, unwritten = screen.pane.listed, screen.pane.reference, []
        patch = partial(monkeypatch.setattr, screen.bench, "open_gate")
        patch(lambda: unwritten.append({units, reference} & screen._dirty_widgets))
        screen.pane.show(screen.pane.now, screen.pane.kind)
        for drawn in (units, reference):
            drawn.render_lines(drawn.outer_size.region)
        await user.settle()
        assert unwritten == [set()]
