"""The Disputes screen: to the evidence and back, what becomes of a dispute, and pictures of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from workbench.reviewing.edits import Flag
from workbench.stages import dispute_counts, disputes, editing
from workbench.stages.review import act, dataset, open_sample
from workbench.store import engine
from workbench.store.engine import Store, open_store
from workbench.store.samples import sample_ids
from workbench.tui.screens.disputes import DisputesScreen
from workbench.tui.screens.menu import ConfirmScreen, MenuScreen
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.screens.why import WhyScreen
from workbench.tui.theme import LIGHT
from workbench.tui.widgets.bars import Bar, Status
from workbench.tui.widgets.dispute_list import DisputeList
from workbench.tui.widgets.tallies import Tallies

Press = Callable[..., Awaitable[None]]
HOSTILE = "[bold red]markup[/] \x1b[31mred‮ and [/] a note"
CITIES = ["Rome", "Oslo", "Bern", "Riga", "Kyiv"]


def row(name: str, found: int, *, near: bool = False) -> dict[str, Any]:
    """Five cities of which the contexts name the first ones; `near`: one of them under another spelling."""
    reference = ["Kathmandu", *CITIES[1:]] if near else CITIES
    retrieved = ["Katmandu" if one == "Kathmandu" else one for one in reference[:found]]
    return {
        "id": name,
        "user_input": "Where does the train stop?",
        "reference": ", ".join(reference) + ".",
        "retrieved_contexts": [", ".join(retrieved) + "."],
        "proposal": {
            "proposer": "claude",
            "reference_entities": [{"text": one, "label": "place"} for one in reference],
            "context_entities": [retrieved],
        },
    }


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    """Two that will be verified, one of two scorers, one with a hostile id, one that agrees."""
    return [
        row("alps", 3), row("north", 1), row("nepal", 4, near=True), row("himalaya", 2, near=True),
        row("[bold]x[/] \x1b[31m‮ Альпы 長城", 4), row("plain", 2),
    ]  # fmt: skip


def verify(store: Store, key: str, toggled: int, who: str = "ann") -> None:
    """Accept a sample with the last units turned round."""
    opened = open_sample(store, sample_ids(store, dataset(store, None).id)[key], who)
    units = opened.state.entity.assessment.units
    for unit in units[len(units) - toggled :]:
        opened = act(store, opened, editing.toggle(opened, unit))
    act(store, opened, editing.accept(opened, "entity"))


@pytest.fixture
def disputed(database: Path, rows: list[dict[str, Any]]) -> Path:
    """The samples with verdicts, a flag and two annotators who differ."""
    store = open_store(str(database))
    ids = sample_ids(store, dataset(store, None).id)
    for key, toggled in (("alps", 2), ("north", 1), (rows[4]["id"], 1), ("plain", 0)):
        verify(store, key, toggled)
    verify(store, "plain", 1, "bob")
    act(store, open_sample(store, ids["north"], "ann"), Flag(HOSTILE))
    store.close()
    return database


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Another program holds the write lock."""
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.rollback()
        other.close()


def listed(app: Any) -> list[tuple[str, str]]:
    return [(one.id, one.between) for one in app.screen.query_one(DisputeList).rows]


def chosen(app: Any) -> tuple[str, str]:
    one = app.screen.query_one(DisputeList).chosen
    return one.id, one.between


def stored(database: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as raw:
        return raw.execute('SELECT "between", state, note, annotator FROM dispute').fetchall()


def status(app: Any) -> str:
    return str(app.screen.query_one(Status).text).strip()


def detail(app: Any) -> str:
    return str(app.screen.query_one("#detail", Static).content)


async def test_one_key_leads_to_the_evidence_and_one_back_to_the_same_dispute(
    disputed: Path, rows: Any, make_app: Any, press: Press
) -> None:
    """What was never counted is counted on the way in. The scorer in dispute is the one shown."""
    app = make_app(disputed)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "D")
        assert isinstance(app.screen, DisputesScreen)
        first = listed(app)
        assert [
            ("alps", "linked~verified"), (rows[4]["id"], "linked~verified"), ("north", "flag"),
            ("north", "linked~verified"), ("plain", "annotators"),
            ("nepal", "ragas~linked"), ("himalaya", "ragas~linked"),
        ] == first  # fmt: skip

        await press(pilot, "j", "enter")
        assert isinstance(app.screen, WhyScreen)
        assert rows[4]["id"] == app.screen.why.opened.sample.id
        await press(pilot, "b")
        assert isinstance(app.screen, DisputesScreen)
        assert (rows[4]["id"], "linked~verified") == chosen(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, QueueScreen)


async def test_an_undecided_sample_is_opened_to_be_audited(
    disputed: Path, make_app: Any, press: Press, store: Store
) -> None:
    """The list hides how much, the review shows the automatic values, its journal says that it did.

    What that means is asked once.
    """
    app = make_app(disputed)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "D", "G", "k")
        assert ("nepal", "ragas~linked") == chosen(app)
        assert "differ; by how much shows once this sample is decided" in detail(app)
        assert app.screen.query_one(DisputeList).chosen.delta is None

        await press(pilot, "enter")
        assert isinstance(app.screen, ConfirmScreen)
        asked = str(app.screen.query_one("#text", Static).content)
        assert "Its automatic values show before you decide" in asked
        assert "it is marked as picked by hand (◌)" in asked
        await press(pilot, "escape")
        assert isinstance(app.screen, DisputesScreen)
        assert "by how much shows once this sample is decided" in detail(app)

        await press(pilot, "enter", "y")
        assert isinstance(app.screen, ReviewScreen)
        assert "auto 4/5" in str(app.screen.query_one(Tallies).render())
        await press(pilot, "b")
        assert isinstance(app.screen, DisputesScreen)
        assert ("nepal", "ragas~linked") == chosen(app)
        review = open_sample(store, sample_ids(store, 1)["nepal"], "ann")
        assert (True, True, "todo") == (
            review.opening.auto_shown, review.opening.off_plan, review.state.entity.disposition
        )  # fmt: skip

        await press(pilot, "enter", "a")
        assert isinstance(app.screen, DisputesScreen)
        assert ("nepal", "ragas~linked") == chosen(app)
        assert (0.6, 0.8) == (
            app.screen.query_one(DisputeList).chosen.first,
            app.screen.query_one(DisputeList).chosen.second,
        )


async def test_one_line_says_why_rows_are_hidden(disputed: Path, make_app: Any, press: Press) -> None:
    """As long as any of the view is; such a row has no rank to show either."""
    app = make_app(disputed)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "D")
        rows, why = app.screen.query_one(DisputeList), app.screen.query_one("#hidden", Static)
        hidden = [one.hidden for one in rows.rows]
        assert True in hidden
        assert False in hidden
        said = f"{sum(hidden)} hidden (·) until you review them."
        assert (why.display, str(why.content)) == (True, said)
        columns = ["·" if one.hidden else str(one.rank) for one in rows.rows]
        lines = ["".join(part.text for part in rows.segments(n, 78)) for n in range(rows.count)]
        assert [line[2:].split()[0] for line in lines] == columns
        app.screen.between = "no such"
        app.screen._show(None)
        assert not why.display


async def test_a_click_opens_the_evidence(disputed: Path, make_app: Any, press: Press, settle: Any) -> None:
    app = make_app(disputed)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "D")
        await pilot.click("#disputes", offset=(12, 0))
        await settle(pilot)
        assert isinstance(app.screen, WhyScreen)


async def test_a_dispute_is_explained_fixed_opened_again_and_undone(
    disputed: Path, make_app: Any, press: Press
) -> None:
    """What is explained leaves the open ones; undo brings it back and goes there."""
    app = make_app(disputed)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "D", "e")
        assert isinstance(app.screen, PromptScreen)
        await press(pilot, "enter")
        assert isinstance(app.screen, PromptScreen)  # without a note nothing is explained
        await press(pilot, *"old run", "enter")
        assert ("alps", "linked~verified") not in listed(app)
        assert "✓ alps linked~verified: explained" == status(app)
        assert [("linked~verified", "explained", "[0.6000~1.0000] old run", "ann")] == stored(disputed)

        await press(pilot, "G", "f")
        assert ("ragas~linked", "fixed") in [one[:2] for one in stored(disputed)]
        await press(pilot, "u", "u")
        assert [] == stored(disputed)
        assert ("alps", "linked~verified") == chosen(app)
        await press(pilot, "u")
        assert "nothing to undo here" == status(app)

        await press(pilot, "f", "v", "j", "j", "enter")
        assert [("alps", "linked~verified")] == listed(app)
        assert "fixed, still differs" in detail(app)
        await press(pilot, "o")
        assert [] == listed(app)
        assert "No dispute in this view" in str(app.screen.query_one("#empty", Static).content)
        assert ["open"] == [one[1] for one in stored(disputed)]


async def test_the_view_is_cut_to_a_state_and_to_who_disagrees(
    disputed: Path, make_app: Any, press: Press
) -> None:
    app = make_app(disputed)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "D", "v")
        assert isinstance(app.screen, MenuScreen)
        await press(pilot, *"jjjjjj", "enter")
        assert {"ragas~linked"} == {between for _, between in listed(app)}
        assert "· two scorers" in app.screen.query_one("#filter", Bar).text
        await press(pilot, "v", *"jjjj", "enter")
        assert 7 == len(listed(app))


async def test_what_was_not_saved_is_said_and_tried_again(
    disputed: Path, make_app: Any, press: Press, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list shows what is on disk; every failed change is tried again in its order."""
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.1)
    app = make_app(disputed)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "D")
        before = listed(app)
        with locked(disputed):
            await press(pilot, "f")
            assert status(app).startswith("! not saved: alps linked~verified: fixed: database is locked")
            assert before == listed(app)
            await press(pilot, "G", "f")
            assert "(2 changes)" in status(app)
        assert [] == stored(disputed)
        await press(pilot, "r")
        assert {"linked~verified", "ragas~linked"} == {one[0] for one in stored(disputed)}
        assert len(before) - 2 == len(listed(app))


async def test_what_another_said_meanwhile_is_shown_and_stays(
    disputed: Path, make_app: Any, press: Press
) -> None:
    """Neither a change nor an undo takes it away; after that the key works on what is shown."""

    def bob_says() -> None:
        store = open_store(str(disputed))
        info = dataset(store, None)
        one = disputes.find(disputes.disputes(store, info, "bob"), "alps", "linked~verified")
        disputes.set_state(store, one, "explained", "seen by bob", "bob")
        store.close()

    app = make_app(disputed)
    async with app.run_test(size=(120, 24)) as pilot:
        await press(pilot, "D")
        before = listed(app)
        bob_says()
        bobs = stored(disputed)
        await press(pilot, "f")
        said = "bob called it explained meanwhile; look at it again"
        assert f"! not saved: alps linked~verified: fixed: {said}" == status(app)
        assert bobs == stored(disputed)
        assert before[1:] == listed(app)

        await press(pilot, "f")
        (mine,) = [one for one in stored(disputed) if one not in bobs]
        with closing(sqlite3.connect(disputed)) as raw, raw:
            raw.execute("UPDATE dispute SET annotator = 'bob' WHERE annotator = 'ann'")
        await press(pilot, "u")
        assert "bob called it fixed meanwhile; look at it again" in status(app)
        assert (*mine[:3], "bob") in stored(disputed)
        await press(pilot, "u")
        assert "nothing to undo here" == status(app)


async def test_an_audit_that_cannot_be_written_opens_nothing(
    disputed: Path, make_app: Any, press: Press, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Automatic values would show without the journal saying so."""
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.1)
    app = make_app(disputed)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "D", "G")
        with locked(disputed):
            await press(pilot, "enter", "y")
            assert isinstance(app.screen, DisputesScreen)
            assert status(app).startswith("! not opened: database is locked")
        await press(pilot, "enter")
        assert isinstance(app.screen, ReviewScreen)


async def test_without_a_dispute_the_screen_says_what_to_do(
    import_rows: Any, make_app: Any, press: Press
) -> None:
    """Without a run too; keys that need a dispute say that there is none."""
    app = make_app(import_rows([row("plain", 2)]))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "D")
        assert "Nothing is in dispute." in str(app.screen.query_one("#empty", Static).content)
        await press(pilot, "e")
        assert "there is no dispute here" == status(app)
        await press(pilot, "b")
        assert isinstance(app.screen, QueueScreen)


async def test_without_a_run_the_screen_names_the_way_to_one(
    import_rows: Any, make_app: Any, press: Press
) -> None:
    app = make_app(import_rows([{**row("plain", 2), "proposal": None}]))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "D")
        assert "R in the queue starts a run" in str(app.screen.query_one("#empty", Static).content)


async def test_a_changed_value_opens_an_explained_dispute_again(
    disputed: Path, make_app: Any, press: Press, store: Store
) -> None:
    """With what was said; reading again finds what another window did."""
    app = make_app(disputed)
    async with app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "D", "e", *"old run", "enter")
        opened = open_sample(store, sample_ids(store, 1)["alps"], "ann")
        act(store, opened, editing.toggle(opened, opened.state.entity.assessment.units[4]))
        await press(pilot, "r")
        place = listed(app).index(("alps", "linked~verified"))
        await press(pilot, "g", *["j"] * place)
        assert "open again: a value changed since" in detail(app)
        assert "(was explained): old run" in detail(app)


# Pictures.

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])


@pytest.fixture
def picture(snap_compare: Any, disputed: Path, make_app: Any, press: Press) -> Callable[..., bool]:
    """Compares the screen after some keys; one dispute is explained, one fixed, one open again."""
    store = open_store(str(disputed))
    dispute_counts.count(store, dataset(store, None))
    ids = sample_ids(store, dataset(store, None).id)
    store.close()
    said = [
        ("alps", "linked~verified", "explained", f"[0.6000~1.0000] {HOSTILE}"),
        ("north", "linked~verified", "fixed", "[0.2000~0.4000] prompt 7"),
        ("plain", "annotators", "explained", "[x] bob read another edition"),
    ]
    with closing(sqlite3.connect(disputed)) as raw, raw:
        for key, between, state, note in said:
            raw.execute(
                'INSERT INTO dispute (sample_id, kind, "between", state, note, annotator, at) '
                "VALUES (?, 'entity', ?, ?, ?, 'ann', '2026-11-02 09:30:00')",
                (ids[key], between, state, note),
            )

    def compare(*keys: str, size: tuple[int, int], theme: str = "") -> bool:
        app = make_app(disputed)
        if theme:
            app.theme = theme

        async def go(pilot: Pilot[None]) -> None:
            for key in ("D", *keys):
                await press(pilot, key)

        return bool(snap_compare(app, terminal_size=size, run_before=go))

    return compare


ALL = ("v", "j", "j", "j", "enter")


@SIZES
def test_disputes(picture: Any, size: tuple[int, int]) -> None:
    """All of them, under the cursor one that is open again; ids and notes are no markup."""
    assert picture(*ALL, "g", "j", "j", "j", "j", size=size)


def test_disputes_light(picture: Any) -> None:
    """Under the cursor one that is explained, with a hostile note."""
    assert picture(*ALL, "g", size=(120, 36), theme=LIGHT.name)


@SIZES
def test_the_view(picture: Any, size: tuple[int, int]) -> None:
    assert picture("v", size=size)


@SIZES
def test_a_hidden_dispute(picture: Any, size: tuple[int, int]) -> None:
    """How much two scorers differ on an undecided sample does not show."""
    assert picture("G", size=size)


def test_the_keys_of_the_disputes(picture: Any) -> None:
    assert picture("question_mark", size=(80, 24))
