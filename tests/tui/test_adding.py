"""New units without a mouse and with one: counted by presses, in every script."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot

from tests.tui.conftest import User
from workbench.model import Span, Unit
from workbench.stages import queue, review
from workbench.stages.review import names_of
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store
from workbench.text.cells import width
from workbench.text.tokens import tokens
from workbench.tui.app import WorkbenchApp
from workbench.tui.keys import TWINS
from workbench.tui.screens.adding import OfferRows
from workbench.tui.screens.finding import FindScreen
from workbench.tui.themes import LIGHT
from workbench.tui.widgets.bars import Bar, Field, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList

Press = Callable[..., Awaitable[None]]

NAMES = {"tower": "Seine", "nevsky": "Огюст Монферран", "changcheng": "明长城", "nil": "مصر"}
"""A name of each script that is no unit."""


@pytest.fixture
def rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The samples, with a name of each script not proposed."""
    for row in rows:
        if "proposal" in row:
            listed = row["proposal"]["reference_entities"]
            row["proposal"]["reference_entities"] = [e for e in listed if e["text"] not in NAMES.values()]
    return rows


class Hand:
    """Presses keys over a review and counts them."""

    def __init__(self, pilot: Pilot[None], press: Press) -> None:
        app = pilot.app
        assert isinstance(app, WorkbenchApp)
        self.app, self.presses = app, 0
        self._pilot, self._press = pilot, press
        self.reference = app.screen.query_one("#reference", Passage)

    async def press(self, *keys: str) -> None:
        self.presses += len(keys)
        await self._press(self._pilot, *keys)

    def code(self, start: int, end: int) -> str:
        """The letters that stand for a stretch."""
        return next(hint.code for hint in self.reference.hints if (hint.start, hint.end) == (start, end))

    def codes(self) -> dict[tuple[int, int], str]:
        """All letters on the reference."""
        return {(hint.start, hint.end): hint.code for hint in self.reference.hints}

    @property
    def drawn(self) -> list[str]:
        """The reference as drawn."""
        return [self.reference.render_line(y).text for y in range(self.reference.size.height)]

    @property
    def said(self) -> str:
        """The status line of the review."""
        return self.app.screen_stack[1].query_one(Status).text

    @property
    def bars(self) -> str:
        """What the dialog says."""
        return " ".join(bar.text for bar in self.app.screen.query(Bar))

    @property
    def screen(self) -> str:
        """The class of the screen on top."""
        return type(self.app.screen).__name__


def place(text: str, part: str) -> tuple[int, int]:
    """Where a part stands first."""
    return text.index(part), text.index(part) + len(part)


def entities(store: Store, key: str) -> dict[str, Unit]:
    """The entities of a sample by their text, as stored."""
    return {unit.text: unit for unit in opened(store, key).state.entity.assessment.units}


def opened(store: Store, key: str) -> review.Opened:
    """A sample as stored, by its id."""
    info = find_dataset(store, None)
    every = (review.open_sample(store, number, "ann") for number in queue.queue_ids(store, info, "ann"))
    return next(one for one in every if one.sample.id == key)


@pytest.mark.parametrize("sample", NAMES)
async def test_a_name_takes_four_presses(user: User, sample: str, press: Press) -> None:
    """`n`, its letter, a label, and accept."""
    async with user.opens(sample, size=(80, 24)):
        hand = Hand(user.pilot, press)
        await hand.press("N")
        code = hand.code(*place(hand.reference.text, NAMES[sample]))
        await hand.press(code, "2", "a")

    assert hand.presses == 4
    unit = entities(user.store, sample)[NAMES[sample]]
    assert (unit.label, unit.origin, unit.rejected) == ("place", "human", False)
    assert opened(user.store, sample).state.entity.disposition == "verified"


@pytest.mark.parametrize("sample", NAMES)
async def test_a_name_from_the_list_takes_four_presses(user: User, sample: str, press: Press) -> None:
    """`n`, its digit, a label, and accept; the text stays as it is."""
    async with user.opens(sample, size=(80, 24)):
        hand = Hand(user.pilot, press)
        drawn = [line.strip() for line in hand.drawn]
        await hand.press("n")
        assert drawn == [line.strip() for line in hand.drawn]
        offers = hand.app.screen.query_one(OfferRows).rows
        number = [offer.surface for offer in offers].index(NAMES[sample]) + 1
        await hand.press(str(number), "2", "a")

    assert hand.presses == 4
    unit = entities(user.store, sample)[NAMES[sample]]
    assert (unit.label, unit.origin, unit.rejected) == ("place", "human", False)


async def test_a_letter_in_the_list_searches_and_a_name_in_another_form_says_so(
    user: User, import_rows: Any, rows: Any, press: Press
) -> None:
    """What is typed goes on in the reference; another form of a unit stands last, and names the unit."""
    rows[1]["reference"] += " Рядом с Исаакиевским собором стоит дом Лобанова."
    at = import_rows(rows[:2])
    async with user.opens("nevsky", database=at, size=(120, 36)) as app:
        hand = Hand(user.pilot, press)
        await hand.press("n")
        offers = app.screen.query_one(OfferRows).rows
        assert [""] * (len(offers) - 1) + ["Исаакиевский собор"] == [offer.other for offer in offers]
        await hand.press("л", "о", "б", "enter")
        assert "Лобанова" in hand.bars
        await hand.press("1")
    with closing(open_store(str(at))) as store:
        assert "person" == entities(store, "nevsky")["Лобанова"].label


async def test_capitals_and_numbers_are_offered(import_rows: Any, rows: Any) -> None:
    """Also where the rules see no name; a word that only begins a sentence is none."""
    reference = "Yesterday the Vorlun Keepers met guests of Ashgrove Lane in hall B52. Nobody came late."
    rows[0] |= {"reference": reference, "proposal": {"proposer": "x", "reference_entities": []}}
    with closing(open_store(str(import_rows(rows[:1])))) as store:
        places = names_of(opened(store, "tower")).places
    found = {reference[span.start : span.end] for span, _ in places}
    assert {"Vorlun Keepers", "B52"} <= found
    assert not {"Nobody", "Yesterday"} & found


LONG = {
    "Latin": "In the hall of the old (and cold) palace, Anna-Maria O'Brien met 12 friends of King's Cross. "
    * 9,
    "Cyrillic": "В старом (и холодном) дворце Ростова-на-Дону Анна встретила 12 друзей Петра I. " * 9,
    "Chinese": "在古老的宫殿里，安娜遇见了十二位朋友和长城（公元前7世纪）的守卫者。" * 6,
    "Arabic": "في القصر القديم (والبارد) التقت آنا باثني عشر صديقا من مدينة القاهرة. " * 9,
}


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
@pytest.mark.parametrize("script", LONG)
async def test_any_stretch_takes_at_most_seven_presses(
    user: User, script: str, size: tuple[int, int], import_rows: Any, press: Press, rows: Any
) -> None:
    """From any visible token to any later one: two letters each, a label, and accept."""
    rows[0] |= {"reference": LONG[script], "proposal": {"proposer": "x", "reference_entities": []}}
    at = import_rows(rows[:1])
    async with user.opens("tower", database=at, size=size):
        hand = Hand(user.pilot, press)
        start, end = hand.reference.visible_span()
        await hand.press("N")
        visible = [(t.start, t.end) for t in tokens(hand.reference.text) if start <= t.start < end]
        assert len(visible) > 50
        firsts = hand.codes()
        assert {place[0] for place in firsts} == {place[0] for place in visible}
        assert max(len(code) for code in firsts.values()) == 2
        for first in (visible[0], visible[len(visible) // 2], visible[-1]):
            hand.presses = 1
            await hand.press(*beginning(firsts, first[0]))
            assert set(hand.codes()) == {place for place in visible if place >= first}
            assert max(len(code) for code in hand.codes().values()) <= 2
            await hand.press("backspace")
        await hand.press("escape")
        await hand.press("N")
        hand.presses, firsts = 1, hand.codes()
        first, last = longest_line(hand, visible)
        await hand.press(*beginning(firsts, first[0]))
        await hand.press(*hand.code(*last), "2", "a")

    assert 6 <= hand.presses <= 7
    surface = LONG[script][first[0] : last[1]]
    with closing(open_store(str(at))) as store:
        assert entities(store, "tower")[surface].spans[0] == Span(first[0], last[1])


def beginning(offered: dict[tuple[int, int], str], start: int) -> str:
    """The letters that begin at a token; the capital where a name begins."""
    code = next(code for place, code in offered.items() if place[0] == start)
    return code.upper() if len(code) == 1 else code


def longest_line(hand: Hand, visible: list[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and the last token of the widest line of the reference."""
    lines = [line.strip() for line in plain(hand)]
    line = max(lines, key=width)
    start = hand.reference.text.index(line)
    inside = [place for place in visible if start <= place[0] and place[1] <= start + len(line)]
    return inside[0], inside[-1]


def plain(hand: Hand) -> list[str]:
    """The visible lines of the reference without letters."""
    shown = hand.reference.hints
    hand.reference.show_hints(())
    lines = hand.drawn
    hand.reference.show_hints(shown)
    return lines


async def test_one_token_takes_the_same_letter_or_enter(user: User, press: Press) -> None:
    """The first token can be the last one: Enter, or its letter in the second step."""
    async with user.opens("tower", size=(80, 24)):
        hand = Hand(user.pilot, press)
        for word, last in (("company", "enter"), ("built", "a")):
            await hand.press("N")
            at = place(hand.reference.text, word)
            await hand.press(*hand.code(*at))
            assert hand.code(*at) == "a"
            await hand.press(last, "8")
    found = entities(user.store, "tower")
    assert [(found[word].label, found[word].origin) for word in ("company", "built")] == [
        ("other", "human"),
        ("other", "human"),
    ]


async def test_a_capital_begins_at_a_name(user: User, press: Press) -> None:
    """The hinted name is the beginning of a longer one, or its first word is one."""
    async with user.opens("tower"):
        hand = Hand(user.pilot, press)
        await hand.press("N")
        text = hand.reference.text
        await hand.press(hand.code(*place(text, "Seine")).upper())
        last = len(text) - 1, len(text)
        await hand.press(*hand.code(*last), "2")
    assert entities(user.store, "tower")["Seine."].spans == (Span(last[0] - 5, last[1]),)


async def test_letters_of_the_russian_layout_are_the_same_keys(user: User, press: Press) -> None:
    """A name and a stretch, typed without switching the keyboard."""
    async with user.opens("nevsky", size=(80, 24)):
        hand = Hand(user.pilot, press)
        await hand.press(TWINS["N"])
        text = hand.reference.text
        await hand.press(TWINS[hand.code(*place(text, "Огюст Монферран"))], "1", TWINS["N"])
        await hand.press(*(TWINS[letter] for letter in hand.code(*place(text, "работы"))))
        await hand.press(*(TWINS[letter] for letter in hand.code(*place(text, "шли"))), "8")
    found = entities(user.store, "nevsky")
    assert (found["Огюст Монферран"].label, found["работы шли"].label) == ("person", "other")


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4])
async def test_escape_leaves_everything_as_it_was(user: User, steps: int, press: Press) -> None:
    """At each step: the same picture, nothing written, the review on top."""
    async with user.opens("tower", size=(80, 24)):
        hand = Hand(user.pilot, press)
        before, lines = opened(user.store, "tower").state, hand.drawn
        marks = list(hand.reference.marks)
        await hand.press("N")
        text = hand.reference.text
        code = hand.code(*place(text, "company"))
        await hand.press(*code[:steps])
        if steps > 2:
            await hand.press(*hand.code(*place(text, "built")))
        if steps > 3:
            await hand.press("p", "l")
        assert hand.screen == ("LabelScreen" if steps > 2 else "PickScreen")
        await hand.press("escape")

        assert hand.screen == "ReviewScreen"
        assert hand.drawn == lines
        assert hand.reference.marks == tuple(marks)
        assert opened(user.store, "tower").state == before


async def test_backspace_takes_back_a_letter_and_then_the_first_token(user: User, press: Press) -> None:
    """And a letter that begins no code is refused with a word."""
    async with user.opens("tower", size=(80, 24)):
        hand = Hand(user.pilot, press)
        await hand.press("N")
        offered = hand.codes()
        code = hand.code(*place(hand.reference.text, "company"))
        await hand.press(code[0], "backspace")
        assert hand.codes() == offered
        await hand.press(code[0], "m")
        assert f"no code begins with {code[0]}m: {code[0]} stands, go on from it or backspace" in hand.bars
        await hand.press(code[1])
        assert "“company” …" in hand.bars
        await hand.press("backspace")
        assert hand.codes() == offered
        await hand.press("enter")
        assert "a letter first" in hand.bars


async def test_a_stretch_over_several_screens(user: User, import_rows: Any, rows: Any, press: Press) -> None:
    """The text scrolls under the letters, before the first token and between it and the last one."""
    rows[0] |= {"reference": "\n".join(f"alpha{n} beta{n}" for n in range(40))}
    rows[0]["proposal"] = {"proposer": "x", "reference_entities": []}
    at = import_rows(rows[:1])
    async with user.opens("tower", database=at, size=(80, 24)):
        hand = Hand(user.pilot, press)
        text = hand.reference.text
        await hand.press("N", "pagedown", "up", "down")
        await hand.press(hand.code(*place(text, "beta9")).upper(), "space", "pageup", "down", "down", "down")
        await hand.press(*hand.code(*place(text, "alpha14")), "8")
    start, end = text.index("beta9"), text.index("alpha14") + len("alpha14")
    with closing(open_store(str(at))) as store:
        assert entities(store, "tower")[text[start:end]].spans == (Span(start, end),)


async def test_a_unit_that_is_there_already_is_shown(user: User, press: Press) -> None:
    """No label is asked for; the cursor goes to it, and a rejected one says how to restore it."""
    async with user.opens("tower", size=(80, 24)) as app:
        listed = app.screen.query_one(UnitList)
        hand = Hand(user.pilot, press)
        listed.move_to(0)
        await hand.press("x", "j", "N")
        text = hand.reference.text
        await hand.press(*hand.code(*place(text, "Eiffel")))
        await hand.press(*hand.code(*place(text, "Tower")))
        assert hand.screen == "ReviewScreen"
        assert "'Eiffel Tower' is in the list, rejected: x restores it" in hand.said
        assert listed.chosen is not None
        assert listed.chosen.text == "Eiffel Tower"


# Statements and blind samples.


@pytest.fixture
def statements(import_rows: Any, rows: Any) -> Path:
    """One sample whose policy reviews statements only."""
    rows[0]["proposal"]["statements"] = []
    at: Path = import_rows(rows[:1], kinds=("statement",))
    return at


async def test_a_statement_is_its_first_and_its_last_token(
    user: User, statements: Path, press: Press
) -> None:
    """No label is asked for, the claim is what stands there, its match is open; twice is refused."""
    async with user.opens("tower", database=statements, size=(80, 24)):
        hand = Hand(user.pilot, press)
        text = hand.reference.text
        for _ in range(2):
            hand.presses = 0
            await hand.press("N")
            assert max(map(len, hand.codes().values())) == 2
            assert min(map(len, hand.codes().values())) == 2  # no names: a claim is no name
            await hand.press(*hand.code(*place(text, "The")))
            await hand.press(*hand.code(*place(text, ".")))
        assert hand.presses <= 5
        assert "is in the list and counts once (N: a longer one)" in hand.said
    with closing(open_store(str(statements))) as store:
        units = opened(store, "tower").state.statement.assessment.units
    claim = "The Eiffel Tower stands on the Champ de Mars in Paris."
    assert [(unit.text, unit.spans, unit.match.verdict) for unit in units] == [
        (claim, (Span(0, len(claim)),), None)
    ]


async def test_blind_samples_have_no_name_hints(
    user: User, import_rows: Any, rows: Any, press: Press
) -> None:
    """Nothing is underlined, only tokens have letters, and a new unit is undecided."""
    at = import_rows(rows[:1], blind=1.0)
    async with user.opens("tower", database=at, size=(80, 24)):
        hand = Hand(user.pilot, press)
        text = hand.reference.text
        assert underlined(hand) == []
        await hand.press("n")
        lines = [user.pilot.app.screen.query_one(name).region.y for name in ("#title", "#nothing", "#hint")]
        assert [0, 1, 2] == [line - lines[0] for line in lines]
        await hand.press("escape", "N")
        assert set(map(len, hand.codes().values())) == {2}
        await hand.press(*hand.code(*place(text, "Seine")), "enter", "2")
        assert underlined(hand) == []
    with closing(open_store(str(at))) as store:
        unit = entities(store, "tower")["Seine"]
    assert (unit.label, unit.match.verdict, unit.match.rule) == ("place", None, "")


def underlined(hand: Hand) -> list[str]:
    """The words of the reference that are underlined."""
    strips = [hand.reference.render_line(y) for y in range(hand.reference.size.height)]
    return [part.text for strip in strips for part in strip if part.style and part.style.underline]


async def test_names_that_are_no_units_are_underlined(user: User, press: Press) -> None:
    """Until they are units; undoing that brings the hint back."""
    async with user.opens("tower"):
        hand = Hand(user.pilot, press)
        nested = ["Paris"]  # in the University of Paris
        assert underlined(hand) == [*nested, "Seine"]
        await hand.press("N")
        await hand.press(hand.code(*place(hand.reference.text, "Seine")), "2")
        assert underlined(hand) == nested
        await hand.press("u")
        assert underlined(hand) == [*nested, "Seine"]


async def test_the_hints_of_a_reference_are_looked_for_once(store: Store) -> None:
    """Every act shows the sample again: it takes the names that are known."""
    sample = opened(store, "tower")
    assert names_of(sample) is names_of(sample)
    assert "Seine" in [sample.sample.reference[span.start : span.end] for span, _ in names_of(sample).places]


@pytest.mark.parametrize(("pasted", "taken"), [(" Champ de Mars\n", True), ("Champ " * 40, False)])
async def test_a_name_that_is_pasted_is_searched_for(user: User, pasted: str, taken: bool) -> None:
    """As one that is typed so fast that it comes at once; a whole text is not."""
    async with user.opens("tower") as app:
        await user.press("n")
        app.post_message(Paste(pasted))
        await user.press()
        assert taken == isinstance(app.screen, FindScreen)
        if taken:
            assert "Champ de Mars" == app.screen.query_one(Field).value


# Labels.


async def test_a_label_from_the_list(user: User, press: Press) -> None:
    """`l`, some letters, Enter; a letter that no label has is refused and what was typed stays."""
    async with user.opens("tower", size=(80, 24)) as app:
        app.screen.query_one(UnitList).move_to(1)
        hand = Hand(user.pilot, press)
        await hand.press("l", "o", "r", "q")
        assert "no label has orq" in hand.bars
        await hand.press("enter")
        assert entities(user.store, "tower")["Champ de Mars"].label == "organisation"
        await hand.press("l", "down", "enter")
        assert entities(user.store, "tower")["Champ de Mars"].label == "date"
        await hand.press("l", "x", "escape", "l", "e", "backspace", "p", "e", "enter")
        assert entities(user.store, "tower")["Champ de Mars"].label == "person"
        await hand.press(TWINS["l"], *(TWINS[letter] for letter in "num"), "enter")
        assert entities(user.store, "tower")["Champ de Mars"].label == "number"
        await hand.press("l", "7")
        assert entities(user.store, "tower")["Champ de Mars"].label == "event"


async def test_enter_gives_no_label_and_letters_a_new_unit_its_label(user: User, press: Press) -> None:
    """The label step of a new unit is the same list."""
    async with user.opens("tower", size=(80, 24)):
        hand = Hand(user.pilot, press)
        text = hand.reference.text
        await hand.press("n", *"stands", "enter", "enter")
        await hand.press("N")
        await hand.press(*hand.code(*place(text, "company")), "enter", *"ev", "enter")
    found = entities(user.store, "tower")
    assert (found["stands"].label, found["company"].label) == ("", "event")


# The mouse.


class Mouse:
    """Points at places of the reference."""

    def __init__(self, pilot: Pilot[None], settle: Any) -> None:
        self._pilot, self._settle = pilot, settle
        self.reference = pilot.app.screen.query_one("#reference", Passage)

    def at(self, offset: int) -> tuple[int, int]:
        """The cell of a code point, from the widget's corner."""
        lines = self.reference._lines
        line = max(n for n, (start, _) in enumerate(lines) if start <= offset)
        return 1 + width(self.reference.text[lines[line][0] : offset]), 1 + line

    async def drag(self, start: int, end: int) -> None:
        """From one code point to another, both under the pointer."""
        await self._pilot.mouse_down("#reference", offset=self.at(start))
        await self._pilot.hover("#reference", offset=self.at(end))
        await self._pilot.mouse_up("#reference", offset=self.at(end))
        await self._settle(self._pilot)

    async def click(self, offset: int) -> None:
        await self._pilot.click("#reference", offset=self.at(offset))
        await self._settle(self._pilot)


DRAGS = {
    "tower": ("any built it in 1889; the Univ", "company built it in 1889; the University"),
    "nevsky": ("строил Огюст Монфер", "построил Огюст Монферран"),
    "changcheng": ("长城全", "长城全"),
    "nil": ("لنيل عبر مص", "النيل عبر مصر"),
    "genji": ("式部が平安", "式部が平安"),
    "emoji": ("👨‍👩‍👧 emo", "👨‍👩‍👧 emoji"),
}  # fmt: skip
"""What is dragged over, and the whole tokens of it."""


@pytest.mark.parametrize("size", [(62, 30), (100, 30)], ids=["62x30", "100x30"])
@pytest.mark.parametrize("sample", DRAGS)
async def test_dragging_over_the_reference_adds_what_it_covers(
    user: User, sample: str, size: tuple[int, int], press: Press, settle: Any
) -> None:
    """Whole tokens, also over wrapped lines, wide, joined and right-to-left characters, and backwards."""
    async with user.opens(sample, size=size):
        hand, mouse = Hand(user.pilot, press), Mouse(user.pilot, settle)
        dragged, whole = DRAGS[sample]
        start, end = place(hand.reference.text, dragged)
        for first, last in ((start, end - 1), (end - 1, start)):
            await mouse.drag(first, last)
            assert hand.screen == "LabelScreen"
            await hand.press("6")
            begin = hand.reference.text.index(whole)
            assert entities(user.store, sample)[whole].spans[0] == Span(begin, begin + len(whole))
            await hand.press("u")


async def test_the_right_half_of_a_wide_character_is_that_character(user: User, settle: Any) -> None:
    """The pointer has cells, the text has characters."""
    async with user.opens("changcheng") as app:
        mouse = Mouse(user.pilot, settle)
        x, y = mouse.at(mouse.reference.text.index("长城"))
        await user.pilot.mouse_down("#reference", offset=(x + 1, y))
        await user.pilot.hover("#reference", offset=(x + 3, y))
        assert mouse.reference.selected == place(mouse.reference.text, "长城")
        await user.pilot.mouse_up("#reference", offset=(x + 3, y))
        await user.settle()
        assert "new entity 长城" in " ".join(bar.text for bar in app.screen.query(Bar))


async def test_escape_after_dragging_leaves_the_selection_to_copy(
    user: User, press: Press, settle: Any
) -> None:
    """Exactly what was dragged over, over the wrapped lines; adding it takes the selection away."""
    async with user.opens("tower", size=(62, 30)) as app:
        hand, mouse = Hand(user.pilot, press), Mouse(user.pilot, settle)
        dragged = "ompany built it in 1889; the Univ"
        start, end = place(hand.reference.text, dragged)
        before = opened(user.store, "tower").state
        await mouse.drag(start, end - 1)
        await hand.press("escape", "y")
        assert app.clipboard == dragged
        assert opened(user.store, "tower").state == before
        await mouse.drag(start, end - 1)
        await hand.press("6")
        assert hand.reference.selected is None


async def test_dragging_elsewhere_only_selects(user: User, press: Press, settle: Any) -> None:
    """Units stand in the reference; and a plain click selects nothing."""
    async with user.opens("tower") as app:
        hand, mouse = Hand(user.pilot, press), Mouse(user.pilot, settle)
        await user.pilot.mouse_down("#context", offset=(3, 1))
        await user.pilot.hover("#context", offset=(12, 1))
        await user.pilot.mouse_up("#context", offset=(12, 1))
        await user.settle()
        assert hand.screen == "ReviewScreen"
        await hand.press("y")
        assert app.clipboard == "e Eiffel T"
        await mouse.click(hand.reference.text.index("company"))
        assert hand.screen == "ReviewScreen"


async def test_dragging_over_a_unit_says_that_it_is_one(user: User, press: Press, settle: Any) -> None:
    """And goes to it."""
    async with user.opens("tower") as app:
        hand, mouse = Hand(user.pilot, press), Mouse(user.pilot, settle)
        start, end = place(hand.reference.text, "Champ de Mars")
        await mouse.drag(start + 1, end - 2)
        assert hand.screen == "ReviewScreen"
        assert "'Champ de Mars' is in the list and counts once" in hand.said
        assert app.screen.query_one(UnitList).chosen.text == "Champ de Mars"


async def test_a_click_on_a_name_that_is_no_unit_begins_to_add_it(
    user: User, press: Press, settle: Any
) -> None:
    """The label can be clicked, too."""
    async with user.opens("tower"):
        hand, mouse = Hand(user.pilot, press), Mouse(user.pilot, settle)
        await mouse.click(hand.reference.text.index("Seine") + 2)
        assert "new entity Seine" in hand.bars
        await user.pilot.click("#labels", offset=(6, 2))
        await user.settle()
    assert entities(user.store, "tower")["Seine"].label == "place"


async def test_a_dragged_statement_is_asked_about(
    user: User, statements: Path, press: Press, settle: Any
) -> None:
    """It has no label whose step could be escaped; Enter adds it."""
    async with user.opens("tower", database=statements) as app:
        hand, mouse = Hand(user.pilot, press), Mouse(user.pilot, settle)
        start, end = place(hand.reference.text, "Gustave Eiffel's company built it in 1889")
        await mouse.drag(start, end - 1)
        assert app.screen_stack[1].query_one(UnitList).count == 0
        await hand.press("x", "enter")
        assert [unit.text for unit in app.screen.query_one(UnitList).rows] == [
            "Gustave Eiffel's company built it in 1889"
        ]


async def test_clicks_on_the_parts_of_a_row(user: User, press: Press) -> None:
    """The sign rejects and restores, the label opens the list, the verdict toggles; the name only chooses."""
    async with user.opens("tower", size=(120, 36)) as app:
        hand = Hand(user.pilot, press)
        listed = app.screen.query_one(UnitList)
        line = listed.render_line(2).text
        row = 1 + 2  # below the border

        async def click(column: int) -> None:
            await user.pilot.click(UnitList, offset=(1 + column, row))
            await user.settle()

        before = entities(user.store, "tower")["Gustave Eiffel"]
        await click(line.index("Gustave"))
        assert listed.cursor == 2
        assert entities(user.store, "tower")["Gustave Eiffel"] == before
        await click(line.index("person"))
        assert hand.screen == "LabelScreen"
        await hand.press("8")
        await click(line.index("●"))
        await click(line.index("✓"))
        unit = entities(user.store, "tower")["Gustave Eiffel"]
        assert (unit.label, unit.match.verdict, unit.rejected) == ("other", "missing", True)
        await click(line.index("✓"))
        assert not entities(user.store, "tower")["Gustave Eiffel"].rejected


# Pictures.


@pytest.mark.parametrize("sample", ["tower", "nevsky", "changcheng", "nil", "emoji"])
def test_picture_of_the_first_token(picture: Any, sample: str) -> None:
    """Letters on names and tokens of every script; the text stays in its place."""
    assert picture("N", sample=sample, size=(80, 24))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
def test_picture_of_the_last_token(picture: Any, size: tuple[int, int]) -> None:
    """One letter each where there are few tokens left."""
    assert picture("N", "s", "a", sample="tower", size=size, theme=LIGHT.name)


def test_picture_of_the_second_letter(picture: Any) -> None:
    """In Chinese the letters show where the first one was typed."""
    assert picture("n", "d", sample="changcheng", size=(80, 24))


def test_picture_of_the_label_step(picture: Any) -> None:
    """All labels, and what they are for."""
    assert picture("N", "a", sample="tower", size=(80, 24))


NESTED = ("University of Oxford", "Oxford", "London Bridge", "Bridge Road", "北京大学", "东京")


@pytest.mark.parametrize("theme", ["", LIGHT.name], ids=["dark", "light"])
def test_picture_of_marks_that_nest_cross_and_touch(
    picture: Any, import_rows: Any, rows: Any, tmp_path: Path, theme: str
) -> None:
    """Every name can be told from its neighbour and from the one around it."""
    (tmp_path / "wb.db").unlink(missing_ok=True)
    rows[0] |= {
        "reference": "The University of Oxford in Oxford lies north-west of London Bridge Road; 北京大学东京 "
        "is elsewhere, as Anna Karenina knew.",
        "retrieved_contexts": ["University of Oxford, London Bridge, 北京大学, Paris."],
        "proposal": {"proposer": "x", "reference_entities": [{"text": name, "label": ""} for name in NESTED]},
    }
    assert picture("j", sample="tower", size=(80, 24), theme=theme, at=import_rows(rows[:1]))


async def test_one_digit_adds_a_name_whose_label_is_known(user: User, demo: Path) -> None:
    """It is in the list at once, with the cursor on it; its label can be changed there."""
    async with user.opens("www", database=demo, dataset="demo", size=(80, 24)) as app:
        await user.press("n")
        assert "Web" == app.screen.query_one(OfferRows).rows[0].surface
        await user.press("1")
        unit = app.screen.query_one(UnitList).chosen
    assert ("Web", "other") == (unit.text, unit.label)
