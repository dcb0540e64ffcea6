"""The queue: any number of samples, found and opened by key or mouse."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from textual.app import App, ComposeResult
from textual.events import MouseDown, MouseUp
from textual.widgets import Static

from tests.tui.conftest import User, said, until
from tests.tui.conftest import shown as drawn
from tests.tui.teams import decide
from tests.tui.test_hostile import on_screen
from workbench.errors import StoreError
from workbench.settings import read_state, remember
from workbench.stages import team
from workbench.stages.desk import Desk
from workbench.stages.disputes import Dispute, disputes, set_state
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.queue import Pace, Progress, QueueRow
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.tables import PLACE
from workbench.text.cells import short, told_of
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.dialogs import Choices, MenuChoice
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.screens.why import WhyScreen
from workbench.tui.widgets.bars import Field, Head, KeyBar, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.queue_lines import Completions, ProgressLine, progress_parts
from workbench.tui.widgets.sample_list import PAGE, SampleHead, SampleList, columns_of
from workbench.web.page import facts_of


def shown(app: Any) -> list[str]:
    """The ids of the samples in the view, in order."""
    listed = app.screen.query_one(SampleList)
    return [listed.row(index).key for index in range(listed.count)]


def line_of(app: Any, place: int, size: int) -> str:
    """A row of the queue in a list of some width."""
    return "".join(text for text, _ in app.home.samples.parts(place, size))


async def test_a_key_that_nothing_is_bound_to_says_so_once(user: User) -> None:
    """Also one of another screen: `P` of the queue in a review. A refusal stays; what was done does not."""
    async with user.opens(size=(80, 24)) as app:
        for key in "ZV":
            await user.press(key)
            assert f"{key} does nothing here; ? shows the keys" == said(app)
        await user.press("enter", "P")
        assert "P does nothing here; ? shows the keys" == said(app)
        await user.press("S")
        assert said(app).startswith("✓ ")
        await user.press("R")
        assert "R does nothing here; ? shows the keys" == said(app)
        await user.press("escape", "w", "Z")
        assert "automatic and verified show once you have decided this sample" == said(app)


async def test_escape_clears_a_search_and_enter_opens_what_it_found(user: User) -> None:
    """`/`, some letters of id, question or reference, Enter to the list, Enter into the sample.

    A search without hits says so and how to get out of it; one is back where one was.
    What one types are letters: no key of the queue acts, q does not quit, c does not continue.
    """
    async with user.opens(size=(80, 24)) as app:
        await user.press("end")
        here = app.screen.samples.chosen
        await user.press("w")
        assert "automatic and verified show once you have decided this sample" == said(app)
        await user.press("slash", *"qcuvoG?")
        assert app.screen.query_one(Field).value == "qcuvoG?"
        assert type(app.screen).__name__ == "QueueScreen"
        await user.press("enter")
        assert "" == said(app)  # what was said of the sample before
        empty = app.screen.query_one("#empty", Static)
        assert "No sample fits this search." in str(empty.render())
        assert "esc shows all samples" in str(empty.render())
        await user.press("slash", "escape")
        assert len(shown(app)) == 8
        assert not empty.display
        assert here == app.screen.samples.chosen
        await user.press("slash", *"nil", "enter", "escape")  # from the list as well
        assert len(shown(app)) == 8
        await user.press("slash", *"Монферран", "enter")
        assert shown(app) == ["nevsky"]
        await user.press("slash", *"nil", "enter")  # what stood there is replaced
        assert shown(app) == ["nil"]
        await user.press("enter")
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.pane.now.sample.id == "nil"


async def test_one_key_shows_what_disagrees_and_another_all_again(user: User) -> None:
    """The line above the list says what the view is; from there `esc` leads back as well."""

    def about(app: Any) -> str:
        return str(app.screen.completions.render()).strip()

    async with user.opens(size=(120, 36)) as app:
        await user.press()
        assert "Random order: stop when you like, you have a random sample." == about(app)
        await user.press("D")
        assert "Effect on the mean: − makes it too low, + too high." == about(app)
        assert "Nothing disagrees that you may see." == drawn(app, "#empty")
        await user.press("escape")
        assert 8 == len(shown(app))
        await user.review("schiller")
        await user.press("f", *"odd", "enter", "b", "D")
        assert ["schiller"] == shown(app)
        assert "1 of 8 samples  disagreements, 1 open" in app.screen.query_one(Head).text
        assert ["flagged", "–", "–", "open"] == line_of(app, 0, 70).split()[-4:]
        await user.press("D")
        assert (8, "u") == (len(shown(app)), app.screen.views.order)
        await user.press("v", "j", "enter")
        assert (["schiller"], "disputes") == (shown(app), app.screen.views.order)
        await user.press("v", "end", "home", "enter")
        assert (8, "u") == (len(shown(app)), app.screen.views.order)


def explain_volcano(path: Path) -> Sequence[Dispute]:
    """Say what explains one of the demo's disagreements; all of them, as they were."""
    store = open_store(str(path))
    everything = disputes(store, find_dataset(store, "demo"), "lead").disputes
    set_state(
        store, next(one for one in everything if one.id == "volcano"), "explained", "a spelling", "lead"
    )
    store.close()
    return everything


async def test_the_note_of_a_disagreement_is_above_the_list_where_its_row_has_no_room(
    user: User, demo: Path
) -> None:
    """`enter` has the word of what it opens: a review, there the evidence; the head names the view."""
    explain_volcano(demo)
    async with user.opens(database=demo, dataset="demo", size=(80, 24)) as app:
        await user.press()
        assert "enter review" in drawn(app, KeyBar)
        await user.press("D", "home")
        assert "enter evidence" in drawn(app, KeyBar)
        assert "picked by hand" not in app.screen.query_one(Head).text
        listed = app.screen.samples
        while listed.row(listed.cursor).key != "volcano":
            await user.press("j")
        assert line_of(app, listed.cursor, 78).strip().endswith("explained")
        assert "explained: a spelling" == str(app.screen.completions.render()).strip()
        await user.press("k")
        assert str(app.screen.completions.render()).startswith("Effect on the mean")


async def test_a_disagreement_shows_its_effect_values_and_state_and_opens_its_evidence(
    user: User, demo: Path
) -> None:
    """The largest effect first, each with its note; the search filters; hidden ones are counted."""
    everything = explain_volcano(demo)
    async with user.opens(database=demo, dataset="demo", size=(160, 36)) as app:
        await user.press("D", "home")
        listed, said = app.screen.samples, app.screen.query_one(Status)
        hidden = sum(one.hidden for one in everything)
        assert hidden > 0
        assert f"{hidden} more: hidden until you review their samples" == said.text
        lines = [line_of(app, place, 110) for place in range(listed.count)]
        effects = [line.split()[1 if "▸" in line else 0] for line in lines]
        assert sorted(effects, key=lambda one: one.lstrip("+−"), reverse=True) == effects
        (explained,) = [line for line in lines if line.strip().endswith("explained: a spelling")]
        assert "−.0308" == explained.split()[0]
        assert "yours – verified" in explained
        assert "   .20   .60  " in explained

        await user.press("enter")
        assert "context_entity_recall" == app.screen.why.scorer
        await user.press("escape")
        first = listed.disputes[listed.chosen]
        listed.disputes = {**listed.disputes, first.sample_id: first._replace(between="presence~verified")}
        await user.press("enter")
        assert isinstance(app.screen, WhyScreen)
        assert "presence" == app.screen.why.scorer

        await user.press("escape", "slash", *"baikal", "enter")
        assert ["baikal"] == shown(app)
        await user.press("d", "j", "enter", "enter")
        assert "what explains it?" in drawn(app, "#hint")
        await user.press(*"a typo", "enter")
        assert line_of(app, 0, 110).strip().endswith("explained: a typo")
        assert "2 explained" in app.screen.query_one(Head).text
        await user.press("enter", "d", "home", "k", "k", "enter")
        assert (True, "open") == (app.screen is app.home, listed.disputes[listed.chosen].state)
        keys, said = drawn(app, KeyBar), app.screen.query_one(Status)
        assert keys.startswith("enter evidence  d state  ")
        assert keys.endswith("u undo  q quit  ? help")
        await user.press("u")
        undone = listed.disputes[listed.chosen]
        assert ("explained", "a typo") == (undone.state, undone.note)
        assert "✓ undid: the disagreement on baikal is explained again" == said.text
        await user.press("u", "U")
        assert "open" == listed.disputes[listed.chosen].state
        assert "✓ redone: the disagreement on baikal is open again" == said.text
        await user.press("u", "u")
        assert "nothing to undo" == said.text
        await user.press("D")
        assert "" == said.text


async def test_a_view_is_saved_under_a_name_and_is_there_at_the_next_start(
    user: User, tmp_path: Path
) -> None:
    """Search and order together; `v` lists it, opens it and forgets it."""
    path = tmp_path / "state.json"
    keep = partial(remember, path)
    async with user.opens(size=(120, 36), remember=keep):
        await user.press("slash", *"state:todo Paris", "enter")
        await user.choose("v", "save this view …")
        await user.press(*"my Paris", "enter")
        await user.press("escape")
    async with user.opens(size=(120, 36), remember=keep, views=read_state(path).views) as app:
        await user.choose("v", "my Paris")
        assert ["tower"] == shown(app)
        assert "state:todo Paris" == app.screen.query_one(Field).value
        await user.choose("v", "forget “my Paris”")

    assert {} == read_state(path).views


def test_a_long_query_leaves_its_view_a_name() -> None:
    for name, begins in ("my view", "  my view  word word"), ("x" * 99, f"  {'x' * 34}…word"):
        view = MenuChoice(name, "word " * 40)
        line = "".join(text for text, _ in Choices([view]).drawn(view, 78))
        assert (begins, 76) == (line[: len(begins)], len(line))


async def test_a_facet_is_put_into_the_query_and_taken_out_again(user: User) -> None:
    """v lists states, marks, labels with counts; another state takes the place of the first."""
    async with user.opens("schiller", size=(120, 36)) as app:
        await user.press("S", "b", "v")
        listed = {one.name: one.right for one in app.screen.query_one(Choices).rows if one.take}
        assert (listed["to do"], listed["skipped"], listed["verified"]) == ("7", "1", "0")
        assert listed["person"] == "5"
        await user.press("escape")
        await user.choose("v", "skipped")
        assert shown(app) == ["schiller"]
        assert app.screen.query_one(Field).value == "state:skipped"
        assert "1 of 8 samples" in app.screen.query_one(Head).text
        await user.choose("v", "to do")
        assert app.screen.query_one(Field).value == "state:todo"
        assert len(shown(app)) == 7
        await user.choose("v", "person")
        assert app.screen.query_one(Field).value == "state:todo label:person"
        assert set(shown(app)) == {"tower", "nevsky", "genji", "emoji"}
        await user.choose("v", "all samples")
        assert len(shown(app)) == 8


async def test_completion_while_typing(user: User) -> None:
    """Fields, then values with counts; tab takes the first, down and enter the chosen one.

    A mistake is said and the last good view stays: enter does not leave the field, tab puts in what may have
    been meant.
    """
    async with user.opens(size=(120, 36)) as app:
        await user.press("slash")
        hint, field = app.screen.query_one(Completions), app.screen.query_one(Field)
        assert "state:" in str(hint.render())
        await user.press(*"sta", "tab")
        assert field.value == "state:"
        assert "todo 8" in str(hint.render())
        await user.press("tab")
        assert field.value == "state:todo "
        await user.press(*"label:", "down", "down", "enter")
        assert field.value == "state:todo label:person "
        await user.press("enter")
        assert not field.has_focus
        assert set(shown(app)) == {"tower", "nevsky", "genji", "schiller", "emoji"}
        assert str(hint.render()).startswith("To do: verified by nobody, not begun by you, in random order.")

        await user.press("slash", *"nil", "enter", "slash", "end", *" state:tood", "enter")
        assert "did you mean state:todo?" in str(hint.render())
        assert shown(app) == ["nil"]
        assert field.has_focus
        await user.press("tab", "enter")
        assert field.value == "nil state:todo"
        assert shown(app) == ["nil"]
        assert not field.has_focus


async def test_samples_without_an_id_of_their_own_show_the_whole_question(
    user: User, import_rows: Callable[..., Path]
) -> None:
    """There is no column of hashes, and none of their beginnings."""
    question = "Who was it that led the expedition?"
    async with user.opens(
        database=import_rows([{"user_input": question, "reference": "Amundsen.", "retrieved_contexts": []}]),
        size=(80, 24),
    ) as app:
        await user.press()
        assert ["question", "auto", "verified", "Δ", "cause"] == drawn(app, "#columns").split()
        assert f"▸ ·     {question[:33]}…" == line_of(app, 0, 78).rstrip()


async def test_a_wide_terminal_shows_the_sample_under_the_cursor_in_full(
    user: User, import_rows: Callable[..., Path]
) -> None:
    """Where it stands, its texts (long ones cut, nothing that steers a terminal); 80 columns have no room."""
    rows = [
        {
            "id": name, "user_input": f"Which {name}?", "reference": "R\x1b[31m " + "long " * 2_000,
            "retrieved_contexts": [f"first {name}", "second"],
        }
        for name in ("ant", "bee")
    ]  # fmt: skip
    async with user.opens(database=import_rows(rows), size=(120, 36)) as app:
        await user.press("home")
        first, pane = app.screen.samples.row(0).key, app.screen.query_one(Passage)
        other = "bee" if first == "ant" else "ant"
        await until(user.pilot, lambda: f"first {first}" in pane.text)
        text = pane.text
        await user.press("j")
        await until(user.pilot, lambda: f"first {other}" in pane.text)
        await user.press("slash", *"neither", "enter")
        await until(user.pilot, lambda: not pane.text)
        await user.press("escape")
        await user.resize(80, 24)
        narrow = pane.display and pane.region.width

    lines = text.split("\n")
    assert [f"Which {first}?", f"{first} · to do", "", "Reference"] == lines[:4]
    assert ("R␛[31m long", "…") == (lines[4][:11], lines[4][-1])
    assert 4_001 == len(lines[4])
    assert ["", "Context 1 of 2", f"first {first}", "", "Context 2 of 2", "second"] == lines[5:11]
    assert 0 == narrow


async def test_the_list_follows_what_is_typed_and_waits_for_the_end_of_a_field(user: User) -> None:
    """A word filters at once; the beginning of a field or value does not empty the list."""
    async with user.opens(size=(120, 36)) as app:
        seen = []
        await user.press("slash")
        for typed in ("eiffel", " stat", "e:todo", " is:fl", "x"):
            await user.press(*typed)
            await until(user.pilot, lambda: app.screen.field._pending is None)
            await user.press()
            seen.append((app.screen.field.value, shown(app)))
        assert app.screen.focused is app.screen.field
        await user.press("backspace", "enter")

    assert [
        ("eiffel", ["tower"]),
        ("eiffel stat", ["tower"]),
        ("eiffel state:todo", ["tower"]),
        ("eiffel state:todo is:fl", ["tower"]),
        ("eiffel state:todo is:flx", ["tower"]),
    ] == seen


async def test_another_order_is_asked_about_once_and_marks_reviews(user: User) -> None:
    """Escape stays in the random order; y leaves it; from then on reviews are off-plan, and one sees it."""
    async with user.opens(size=(120, 36)) as app:
        await user.press()
        at_random = shown(app)
        in_file = ["tower", "nevsky", "changcheng", "nil", "genji", "schiller", "emoji", "bare"]
        assert at_random != in_file
        await user.choose("o", "file order")
        assert type(app.screen).__name__ == "ConfirmScreen"
        await user.press("escape")
        assert shown(app) == at_random
        await user.choose("o", "file order")
        await user.press("y")
        assert shown(app) == in_file
        assert "file order  ◌ picked by hand" in app.screen.query_one(Head).text
        await user.press("home", "enter", "a", "b")
        await user.choose("o", "random order")
        assert "picked by hand" not in app.screen.query_one(Head).text
        await user.choose("o", "doubtful first")  # not asked again
        assert "doubtful first" in app.screen.query_one(Head).text
        await user.choose("o", "random order")
        await user.press("slash", *"is:offplan", "enter")
        assert shown(app) == ["tower"]
        assert app.screen.samples.row(0).off_plan


async def test_the_head_is_that_of_the_rows_until_another_view_is_read(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that cannot be read leaves both as they were."""

    async def fails(desk: Desk) -> object:
        raise StoreError("it is away")

    async with user.opens(size=(120, 36)) as app:
        await user.press("end")
        before = app.screen.query_one(Head).text, app.screen.query_one(SampleHead).render()
        monkeypatch.setattr(Desk, "disputes", fails)
        await user.press("D")
        assert "could not read: it is away" in app.screen.query_one(Status).text
        app.screen.samples.reread()
        await user.press("home", "end")

        assert before == (app.screen.query_one(Head).text, app.screen.query_one(SampleHead).render())


async def test_accepting_goes_on_in_the_order_and_filter_of_the_view(user: User) -> None:
    """From the file order to the next of the file, in a filter to the next that fits, then back."""
    async with user.opens(size=(120, 36)) as app:
        await user.choose("o", "file order")
        await user.press("y", "slash", *"label:date", "enter")
        assert shown(app) == ["tower", "nevsky", "genji", "schiller"]
        await user.press("home", "space")
        visited = []
        while type(app.screen).__name__ == "ReviewScreen":
            visited.append(app.screen.pane.now.sample.id)
            await user.press("a")
        assert visited == ["tower", "nevsky", "genji", "schiller"]
        assert "nothing in this view is left to decide" in app.screen.query_one(Status).text
        await user.press("space")
        assert "nothing in this view is left to decide" in app.screen.query_one(Status).text


async def test_a_view_of_decided_samples_is_gone_through_one_by_one(user: User) -> None:
    """By largest Δ: each is opened in its turn, verified or not, and the end is said."""
    async with user.opens(size=(120, 36)) as app:
        for name, keys in (("schiller", "m"), ("nil", ""), ("genji", "")):
            await user.review(name)
            app.screen.query_one("#units").move_to(0)
            await user.press(*keys, "a", "a", "b")
        await user.press("slash", *"state:verified", "enter")
        await user.choose("o", "largest Δ first")
        await user.press("y")
        order = shown(app)
        assert order[0] == "schiller"
        await user.press("home", "enter")
        visited = []
        while type(app.screen).__name__ == "ReviewScreen":
            visited.append(app.screen.pane.now.sample.id)
            await user.press("a")
        assert visited == order
        assert "this was the last of the view" in app.screen.query_one(Status).text


async def test_a_decided_row_has_its_counts_its_causes_and_why(user: User) -> None:
    """Before the decision Why would show what is hidden. A query finds the row by a word of its cause."""
    async with user.opens(size=(120, 36)) as app:
        await user.press("slash", *"schiller", "enter", "w")
        assert "once you have decided this sample" in app.screen.query_one(Status).text
        await user.press("enter")
        app.screen.query_one("#units").move_to(0)
        await user.press("f", *"see me", "enter", "m", "a", "b")
        row = app.screen.samples.row(0)
        assert ("verified", ("ann",), "see me") == (row.disposition, row.annotators, row.flag)
        assert "1 of 8 verified · 1 flagged" in app.screen.query_one(ProgressLine).text
        await user.press("w")
        assert type(app.screen).__name__ == "WhyScreen"
        await user.press("escape")
        assert type(app.screen).__name__ == "QueueScreen"
        await user.press("slash", *"cause:match delta>.1", "enter")
        assert shown(app) == ["schiller"]
        assert "match" in app.screen.samples.render_line(0).text
        assert "◌ picked by hand" in app.screen.query_one(Head).text


async def test_the_cause_stands_in_rows_that_come_into_view_later(user: User, demo: Path) -> None:
    """The demo opens at its first open sample, below most of what is decided."""
    async with user.opens(database=demo, size=(120, 24), dataset="demo") as app:
        await user.settle()
        listed = app.screen.samples
        place = shown(app).index("great-pyramid")
        assert listed.scroll_offset.y > place
        await user.press("home")
        row = listed.render_line(place).text
        assert "−.35" in row
        assert "missed match" in row


async def test_a_click_on_a_row_opens_it_and_a_click_on_a_key_presses_it(user: User) -> None:
    """Everything by mouse. A click on a heading of a menu does nothing: the cursor stays on its choice."""
    async with user.opens(size=(80, 24)) as app:
        await user.press("v")
        assert app.screen.query_one(Choices).rows[3].name == "State"
        await user.pilot.click(Choices, offset=(5, 3))
        await user.press("down")
        assert app.screen.query_one(Choices).chosen.name == "disagreements"
        await user.press("escape")
        first, _, third = shown(app)[:3]
        await user.pilot.click(SampleList, offset=(20, 2))
        await user.press()
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.pane.now.sample.id == third
        await user.press("b")
        place = drawn(app, KeyBar).index("continue")
        await user.pilot.click(KeyBar, offset=(place, 0))
        await user.press()
        assert type(app.screen).__name__ == "ReviewScreen"
        assert app.screen.pane.now.sample.id == first


async def test_a_double_click_on_a_row_opens_it_and_decides_nothing(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its second half is on the sign of a unit that the first half opened. A third click acts."""
    monkeypatch.setattr(WorkbenchApp, "CLICK_CHAIN_TIME_THRESHOLD", 100)
    async with user.opens(size=(80, 24)) as app:
        await user.press()
        for rejected in 0, 0, 1:
            for half in MouseDown, MouseUp:  # as a terminal sends them: those of a pilot pass the app by
                app.post_message(half(None, 3, 7, 0, 0, 1, shift=False, meta=False, ctrl=False))
            await user.press()
            assert isinstance(app.screen, ReviewScreen)
            assert rejected == sum(unit.rejected for unit in app.screen.pane.listed.rows)


async def test_a_drag_decides_nothing_where_it_ends(user: User) -> None:
    """From a name to the sign of another one, and from one key of the bar to another."""
    async with user.opens("tower", size=(80, 24)) as app:
        await user.press()
        before, first = app.screen.pane.listed.rows, app.screen.pane.listed.content_region.y
        for places in ((2, 23), (12, 23)), ((10, first), (3, first + 1)):
            for half, (x, y) in zip((MouseDown, MouseUp), places, strict=True):
                app.post_message(half(None, x, y, 0, 0, 1, shift=False, meta=False, ctrl=False))
            await user.press()
            assert before == app.screen.pane.listed.rows
        for half in MouseDown, MouseUp:  # a click there acts
            app.post_message(half(None, 3, first + 1, 0, 0, 1, shift=False, meta=False, ctrl=False))
        await user.press()
        assert before != app.screen.pane.listed.rows


async def test_all_decided_comes_back_and_says_so(user: User, import_rows: Any, rows: Any) -> None:
    """After the last sample there is nothing to go on to."""
    async with user.opens(database=import_rows(rows[5:6]), size=(80, 24)) as app:
        await user.press("space", "a")
        assert type(app.screen).__name__ == "QueueScreen"
        assert "every sample is decided" in app.screen.query_one(Status).text
        await user.press("space")
        assert "every sample is decided" in app.screen.query_one(Status).text


def import_more(database: Path, dataset: str = "more") -> None:
    """One sample, of another dataset or of one that is there."""
    source = database.with_name("more.jsonl")
    source.write_text(
        '{"id": "m1", "user_input": "q", "reference": "r", "retrieved_contexts": []}\n', "utf-8"
    )
    with closing(open_store(str(database))) as store:
        import_file(store, source, ImportOptions(dataset=dataset, blind=0.0), annotator="x")


async def test_samples_that_came_in_meanwhile_are_in_the_list_after_a_review(user: User) -> None:
    """The head counts the samples that the list has."""
    async with user.opens() as app:
        await user.press("enter")
        import_more(user.database, "cities")
        await user.press("b")
        assert "m1" in shown(app)
        assert f"{app.screen.query_one(SampleList).count} samples" in app.screen.query_one(Head).text


async def test_several_datasets_are_offered_and_one_opens_with_an_empty_search_in_the_random_order(
    user: User, import_rows: Any, rows: Any
) -> None:
    """Without --dataset one chooses from a list; with it that one opens.

    What was typed, filtered and ordered belonged to the one before.
    """
    database = import_rows(rows)
    import_more(database)
    async with user.opens(database=database, size=(80, 24)) as app:
        await user.press()
        assert type(app.screen).__name__ == "MenuScreen"
        assert [one.name for one in app.screen.query_one(Choices).rows] == ["cities", "more"]
        await user.press("j", "enter")
        assert shown(app) == ["m1"]
    async with user.opens(database=database, size=(80, 24), dataset="cities") as app:
        await user.press("slash", *"nil", "enter")
        assert shown(app) == ["nil"]
        await user.choose("o", "file order")
        await user.press("y")
        app.choose_dataset("more")
        await user.press()
        assert shown(app) == ["m1"]
        assert app.screen.query_one(Field).value == ""
        assert "more  1 sample" in app.screen.query_one(Head).text
        assert "file order" not in app.screen.query_one(Head).text
        await user.choose("o", "file order")
        assert type(app.screen).__name__ == "ConfirmScreen"  # asked again, for this dataset


async def test_undo_in_another_dataset_takes_back_nothing_of_the_one_before(user: User, demo: Path) -> None:
    """The state of a disagreement that was given there stays."""
    import_more(demo)
    async with user.opens(database=demo, dataset="demo", size=(160, 36)) as app:
        await user.press("D", "home", "d", "j", "enter", *"a typo", "enter")
        assert "is explained" in app.screen.query_one(Status).text
        app.choose_dataset("more")
        await user.press()
        await user.press("u")
        assert "nothing to undo" == app.screen.query_one(Status).text


async def test_an_empty_database_says_what_to_do(user: User, tmp_path: Path) -> None:
    """No dataset: the command that brings one in."""
    async with user.opens(database=tmp_path / "new.db", size=(80, 24)) as app:
        await user.press()
        assert "workbench import FILE" in str(app.screen.query_one("#empty", Static).render())
        await user.press("q")
    assert app.return_code == 0


OPEN: Any = "text", False, "todo", False, "", False, False, None, None, False, "linked"
"""The rest of a row that nobody has touched."""


class ListApp(App[None]):
    """A million samples, and a count of the rows that were asked for."""

    CSS = "SampleList { height: 1fr; }"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size_of_list = size
        self.asked: list[int] = []

    def compose(self) -> ComposeResult:
        yield SampleList(self._handle_exception)

    @property
    def desk(self) -> Any:
        """Where the list asks for its rows: here, in the place of a desk."""
        return self

    async def causes(self, ids: Sequence[int]) -> dict[int, str]:
        return {}

    async def rows(self, ids: Sequence[int]) -> dict[int, QueueRow]:
        self.asked.append(len(ids))
        return {number: QueueRow(number, f"id-{number}", f"Who is {number}?", *OPEN) for number in ids}


async def test_a_million_samples_are_as_light_as_a_screenful() -> None:
    """Only the pages that are looked at are read, wherever one goes."""
    app = ListApp(1_000_000)
    async with app.run_test(size=(80, 24)) as pilot:
        listed = app.query_one(SampleList)
        listed.set(array("q", range(app.size_of_list)), app.desk)
        await pilot.pause()
        await app.workers.wait_for_complete()
        listed.move_to(999_999)
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        row = listed.row(999_999)
        assert row is not None
        assert row.key == "id-999999"
        assert sum(app.asked) <= 4 * PAGE


async def test_the_whole_list_takes_the_place_of_its_beginning_without_a_jump() -> None:
    """The sample under the cursor stays on its line, and what was drawn stays drawn."""
    app = ListApp(0)
    async with app.run_test(size=(80, 24)) as pilot:
        listed = app.query_one(SampleList)
        first = array("q", range(460, 600))
        listed.set(first, app.desk, 500, rows=await app.rows(first))
        await pilot.pause()
        before = [listed.render_line(y).text for y in range(24)]
        assert before[3].startswith("▸ ")
        assert "500" in before[3]
        listed.set(array("q", range(1_000)), app.desk, 500)
        assert [listed.render_line(y).text for y in range(24)] == before
        await pilot.pause()
        assert [listed.render_line(y).text for y in range(24)] == before


@pytest.mark.parametrize("size", [40, 60, 73, 77, 99, 117, 159, 197])
@pytest.mark.parametrize("key_size", [4, 12, 40])
def test_columns_fill_the_row(size: int, key_size: int) -> None:
    """The reference gets what is left, and never less than a few letters."""
    assert columns_of(size, key_size).text >= 4
    if size >= 73:  # what the list has of 120 columns next to the sample
        assert columns_of(size, key_size).text >= 28
        assert columns_of(size, key_size).cause


def test_the_column_of_annotators_grows_with_the_window_alone() -> None:
    """Long names that arrive with a page move no column and leave the question its room."""
    wide = [columns_of(size, 20) for size in (125, 151, 199)]
    assert [(40, 17), (59, 24), (107, 24)] == [(columns.text, columns.who) for columns in wide]


GENERATED = "be0006980698fc9f48527d0e00aa11bb"


@pytest.mark.parametrize(
    ("key", "size", "expected"),
    [
        ("taj-high", 14, "taj-high"),
        ("redocred_dev_document_0042", 14, "redo…ment_0042"),
        ("中文编号的样本第四十二号", 14, "中文…四十二号"),
        (GENERATED, 8, "be000698"),
        (GENERATED, 28, "be000698"),
    ],
)
def test_a_long_id_keeps_the_end_in_which_ids_differ(key: str, size: int, expected: str) -> None:
    """A generated one is cut alike everywhere: it is found by eye in what is said and in the disputes."""
    assert short(key, size).rstrip() == expected


def test_an_id_gives_way_before_what_is_said_of_it() -> None:
    """The whole message is read at 80 columns, whatever the id."""
    said = "accepted: verified 1/4 .25, name matching 2/4 .50, Δ +.25"
    assert told_of(GENERATED, said, 76) == f"be000698 {said}"
    told = told_of("corpus-of-everything-chapter-12-question-0419", said, 76)
    assert told.endswith(f"0419 {said}")
    assert len(told) <= 76


def test_progress_bar_says_full_only_when_it_is() -> None:
    """One decided sample shows, one open sample shows too."""

    def filled(verified: int, total: int) -> int:
        return len(progress_parts(Progress(total, verified, 0, 0, 0, 0), None, 80)[0][0])

    assert [filled(0, 1000), filled(1, 1000), filled(999, 1000), filled(1000, 1000)] == [0, 1, 9, 10]


def test_the_least_important_counts_give_way_first() -> None:
    """Nothing is cut in the middle, however many there are."""
    progress = Progress(100_000, 1_234, 56, 78, 9, 12, 34)

    def line(room: int) -> str:
        return "".join(text for text, _ in progress_parts(progress, Pace(14.2, 3, 99, 41), room))

    assert (
        "  0 of 12 verified in both kinds · 4 started"
        == progress_parts(Progress(12, 0, 0, 0, 4, 0, both=True), None, 80)[-1][0]
    )
    assert line(200).endswith(
        "1,234 of 100,000 verified · 9 started · 78 skipped · 56 not counted · 12 flagged"
        " · 34 under an older policy · 41 today · about 389 hours left · 14 s a sample"
    )
    few = progress_parts(progress, Pace(2.0, 1, 4, 41), 200)[-1][0]
    assert few.endswith(" · 41 today · 2.0 s a sample"), "as the answer, which guesses from so few"
    assert line(78).endswith("1,234 of 100,000 verified · 12 flagged · 34 under an older policy")
    assert line(66).endswith("1,234 of 100,000 verified · 34 under an older policy")
    for room in range(40, 200):
        assert len(line(room)) <= room


def test_planned_verified_and_flagged_stay_before_what_the_end_of_a_plan_means() -> None:
    """At 80 columns; where there is room the line says that too."""
    progress = Progress(105, 22, 4, 3, 9, 2, 0)

    def line(room: int) -> str:
        return "".join(text for text, _ in progress_parts(progress, Pace(14.2, 3, 99), room, (20, 20)))

    assert line(78).endswith("20 of 20 planned · 22 of 105 verified · 9 started · 2 flagged")
    assert "20 of 20 planned · complete: the estimate stands" in line(130)


async def test_with_assignments_an_accept_leads_to_what_it_held_and_the_line_says_how_far_all_are(
    user: User, database: Path
) -> None:
    with closing(open_store(str(database))) as store:
        team.assign(store, find_dataset(store, None), "ann", 2, 1.0, None)
    async with user.opens(size=(120, 36)) as app:
        await user.press("space", "a")
        with closing(open_store(str(database))) as store:
            own = store.rows(select(PLACE.sample_id, PLACE.done).where(PLACE.annotator == "ann"))
        there = app.screen.pane.now.sample_id
        await user.press("b")
        line = app.screen.query_one(ProgressLine).text

    assert 2 == len(own)
    assert [there] == [number for number, done in own if not done]
    assert "▱▱▱▱▱▱▱▱▱▱  1 yours today · 0 of 8 done (2 each)" == line.split(" · 0.")[0]


async def test_a_narrow_queue_names_the_sample_under_the_cursor(user: User) -> None:
    """Its rows have no room for ids; a wider one shows it next to the list."""
    async with user.opens(size=(80, 24)) as app:
        await user.settle()
        for _ in range(2):
            here = app.screen.samples.row(app.screen.samples.cursor).key
            assert f"{here}   as ann" == app.screen.query_one(Head).text.partition("samples")[2]
            await user.press("j")
        await user.resize(120, 36)
        assert "as ann" == app.screen.query_one(Head).text.partition("samples")[2]


async def test_a_search_for_what_is_to_do_says_what_others_verified_is_not(user: User) -> None:
    """It stands whole on a narrow screen."""
    decide(user.store, "bob")
    async with user.opens(size=(80, 24)) as app:
        await user.press("slash", *"state:todo", "enter")
        assert "To do: verified by nobody, not begun by you, in random order." == drawn(app, Completions)
        assert 7 == app.screen.samples.count
        await user.resize(60, 18)
        assert "To do: verified by nobody, not begun by you" in on_screen(app)
        for query in "-state:todo", "state:todo,verified":
            await user.press("slash", *query, "enter")
            assert "Your search, in random order." == drawn(app, Completions)


async def test_a_wide_window_has_the_names_of_all_who_verified_a_sample(user: User) -> None:
    for name in ("annegret", "bo", "cecilia"):
        decide(user.store, name)
    async with user.opens(size=(200, 50)) as app:
        await user.settle()
        listed = app.screen.samples
        tower = line_of(app, shown(app).index("tower"), listed.scrollable_content_region.width)
        assert tower.rstrip().endswith("  annegret, bo, cecilia")
        assert "Where is the Eiffel Tower?" in tower


async def test_a_sample_to_be_matched_again_says_so_in_words(user: User, demo: Path) -> None:
    async with user.opens(database=demo, dataset="demo", size=(80, 24)) as app:
        await user.press("slash", *"id:bauhaus-bm25", "enter")
        queue = str(app.screen.query_one(Completions).render())
        await user.press("enter")
        review, opened = app.screen.query_one(Head).text, app.screen.pane.now
        for _ in range(5):  # it stops at what is in doubt
            if isinstance(app.screen, ReviewScreen):
                await user.press("a")
        await user.press("enter")
        after, facts = app.screen.query_one(Head).text, facts_of(app.screen.pane.now, "entity")

    assert "Reviewed with other contexts: only its matches are left to decide (↺)." in queue
    assert "↺ to be matched again" in review
    assert "↺ to be matched again" in facts_of(opened, "entity")
    assert "✓ verified" in after
    assert "↺" not in after + "".join(facts)
