"""New units without a mouse and with one: counted by presses, in every script."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from textual.events import Paste

from tests.tui.conftest import ROWS, Row, User
from tests.tui.starts import LEFT_OUT, unnamed
from workbench.model import Sample, Span
from workbench.stages.hints import names_of
from workbench.text.cells import width
from workbench.text.tokens import tokens
from workbench.tui.keys import TWINS
from workbench.tui.screens.adding import OfferRows
from workbench.tui.screens.finding import NOWHERE, FindScreen, Search
from workbench.tui.widgets.bars import Bar, Field, Status
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.unit_list import UnitList


@pytest.fixture
def rows() -> list[Row]:
    """The samples, with a name of each script not proposed."""
    return list(map(unnamed, ROWS))


class Hand:
    """Presses keys over a review and counts them, and points at places of its reference."""

    def __init__(self, user: User, app: Any) -> None:
        self.user, self.app, self.presses = user, app, 0

    @property
    def reference(self) -> Passage:
        """The reference, also below a dialog."""
        found: Passage = self.app.screen_stack[1].query_one("#reference", Passage)
        return found

    async def press(self, *keys: str) -> None:
        self.presses += len(keys)
        await self.user.press(*keys)

    def code(self, part: str | tuple[int, int]) -> str:
        """The letters that stand for a stretch, or for a part of the text where it stands first."""
        at = self.place(part) if isinstance(part, str) else part
        return next(hint.code for hint in self.reference.hints if (hint.start, hint.end) == at)

    def codes(self) -> dict[tuple[int, int], str]:
        """All letters on the reference."""
        return {(hint.start, hint.end): hint.code for hint in self.reference.hints}

    def place(self, part: str) -> tuple[int, int]:
        """Where a part stands first."""
        start = self.reference.text.index(part)
        return start, start + len(part)

    @property
    def drawn(self) -> list[str]:
        """The reference as drawn."""
        return [self.reference.render_line(y).text for y in range(self.reference.size.height)]

    @property
    def underlined(self) -> list[str]:
        """The words of the reference that are underlined."""
        strips = [self.reference.render_line(y) for y in range(self.reference.size.height)]
        return [part.text for strip in strips for part in strip if part.style and part.style.underline]

    @property
    def said(self) -> str:
        """The status line of the review."""
        return str(self.app.screen_stack[1].query_one(Status).text)

    @property
    def bars(self) -> str:
        """What the dialog says."""
        return " ".join(bar.text for bar in self.app.screen.query(Bar))

    @property
    def screen(self) -> str:
        """The class of the screen on top."""
        return type(self.app.screen).__name__

    @property
    def listed(self) -> UnitList:
        """The units."""
        found: UnitList = self.app.screen.query_one(UnitList)
        return found

    # The mouse.

    def at(self, offset: int) -> tuple[int, int]:
        """The cell of a code point, from the corner of the reference."""
        lines = self.reference._lines
        line = max(n for n, (start, _) in enumerate(lines) if start <= offset)
        return 1 + width(self.reference.text[lines[line][0] : offset]), 1 + line

    async def drag(self, start: tuple[int, int], end: tuple[int, int], pane: str = "#reference") -> None:
        """From one cell to another, both under the pointer."""
        await self.user.pilot.mouse_down(pane, offset=start)
        await self.user.pilot.hover(pane, offset=end)
        await self.user.pilot.mouse_up(pane, offset=end)
        await self.user.settle()

    async def drag_over(self, part: str, *, backwards: bool = False) -> None:
        """Over a part of the reference."""
        start, end = self.place(part)
        ends = self.at(start), self.at(end - 1)
        await self.drag(*(ends[::-1] if backwards else ends))

    async def click(self, where: Any, offset: tuple[int, int]) -> None:
        await self.user.pilot.click(where, offset=offset)
        await self.user.settle()


Reviews = Callable[..., AbstractAsyncContextManager[Hand]]


@pytest.fixture
def reviews(user: User) -> Reviews:
    """A hand over the review of a sample."""

    @asynccontextmanager
    async def go(sample: str = "tower", **own: Any) -> AsyncIterator[Hand]:
        async with user.opens(sample, **{"size": (80, 24), **own}) as app:
            yield Hand(user, app)

    return go


async def test_a_name_takes_four_presses(user: User, reviews: Reviews) -> None:
    """`N` and its letter, or `n` and its digit, which leaves the text as it is; a label, and accept."""
    async with reviews("tower") as hand:

        async def is_added_by(code: str, sample: str) -> None:
            await hand.press(code, "2", "a")
            assert (sample, 4) == (sample, hand.presses)
            unit = user.units(sample)[LEFT_OUT[sample]]
            assert (unit.label, unit.origin, unit.rejected) == ("place", "human", False)
            assert user.stored(sample).state.entity.disposition == "verified"

        for sample, name in LEFT_OUT.items():
            await user.press("b")
            await user.review(sample)
            hand.presses, drawn = 0, [line.strip() for line in hand.drawn]
            await hand.press("N")
            await is_added_by(hand.code(name), sample)
            await hand.press("u", "u")
            assert name not in user.units(sample)
            hand.presses = 0
            await hand.press("n")
            assert drawn == [line.strip() for line in hand.drawn]
            offers = hand.app.screen.query_one(OfferRows).rows
            await is_added_by(str([offer.surface for offer in offers].index(name) + 1), sample)


async def test_capitals_and_numbers_are_offered(user: User, rows: Any) -> None:
    """Also where the rules see no name; a word that only begins a sentence is none.

    They are looked for once: every act shows the sample again.
    """
    reference = "Yesterday the Vorlun Keepers met guests of Ashgrove Lane in hall B52. Nobody came late."
    rows[0] |= {"reference": reference, "proposal": {"proposer": "x", "reference_entities": []}}
    stored = user.stored("tower")
    assert names_of(stored) is names_of(stored)
    found = {reference[span.start : span.end] for span, _ in names_of(stored).places}
    assert {"Vorlun Keepers", "B52"} <= found
    assert not {"Nobody", "Yesterday"} & found


LONG = {
    "Latin": "In the hall of the old (and cold) palace, Anna-Maria O'Brien met 12 friends of King's Cross. "
    * 9,
    "Cyrillic": "В старом (и холодном) дворце Ростова-на-Дону Анна встретила 12 друзей Петра I. " * 9,
    "Chinese": "在古老的宫殿里，安娜遇见了十二位朋友和长城（公元前7世纪）的守卫者。" * 6,
    "Arabic": "في القصر القديم (والبارد) التقت آنا باثني عشر صديقا من مدينة القاهرة. " * 9,
}


@pytest.mark.parametrize(
    ("script", "size"),
    [("Latin", (80, 24)), ("Chinese", (80, 24)), ("Cyrillic", (120, 36)), ("Arabic", (120, 36))],
    ids=str,
)
async def test_any_stretch_takes_at_most_seven_presses(
    user: User, script: str, size: tuple[int, int], reviews: Reviews, rows: Any
) -> None:
    """From any visible token to any later one: two letters each, a label, and accept."""
    rows[0] |= {"reference": LONG[script], "proposal": {"proposer": "x", "reference_entities": []}}
    async with reviews(size=size) as hand:
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
        await hand.press(*hand.code(last), "2", "a")

    assert 6 <= hand.presses <= 7
    surface = LONG[script][first[0] : last[1]]
    assert user.units("tower")[surface].spans[0] == Span(first[0], last[1])


def beginning(offered: dict[tuple[int, int], str], start: int) -> str:
    """The letters that begin at a token; the capital where a name begins."""
    code = next(code for place, code in offered.items() if place[0] == start)
    return code.upper() if len(code) == 1 else code


def longest_line(hand: Hand, visible: list[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and the last token of the widest line of the reference."""
    letters = hand.reference.hints
    hand.reference.show_hints(())
    line = max((line.strip() for line in hand.drawn), key=width)
    hand.reference.show_hints(letters)
    start = hand.reference.text.index(line)
    inside = [place for place in visible if start <= place[0] and place[1] <= start + len(line)]
    return inside[0], inside[-1]


async def test_letters_of_the_russian_layout_are_the_same_keys(user: User, reviews: Reviews) -> None:
    """A name and a stretch, typed without switching the keyboard."""
    async with reviews("nevsky") as hand:
        await hand.press(TWINS["N"])
        await hand.press(TWINS[hand.code("Огюст Монферран")], "1", TWINS["N"])
        await hand.press(*(TWINS[letter] for letter in hand.code("работы")))
        await hand.press(*(TWINS[letter] for letter in hand.code("шли")), "8")
    found = user.units("nevsky")
    assert (found["Огюст Монферран"].label, found["работы шли"].label) == ("person", "other")


async def test_escape_leaves_everything_as_it_was(user: User, reviews: Reviews) -> None:
    """At each step: the same picture, nothing written, the review on top."""
    async with reviews() as hand:
        before, lines, marks = user.stored("tower").state, hand.drawn, tuple(hand.reference.marks)
        for steps in range(5):
            await hand.press("N")
            await hand.press(*hand.code("company")[:steps])
            if steps > 2:
                await hand.press(*hand.code("built"))
            if steps > 3:
                await hand.press("p", "l")
            assert hand.screen == ("LabelScreen" if steps > 2 else "PickScreen")
            await hand.press("escape")

            assert (hand.screen, hand.drawn) == ("ReviewScreen", lines), steps
            assert hand.reference.marks == marks
            assert user.stored("tower").state == before


async def test_backspace_takes_back_a_letter_and_then_the_first_token(reviews: Reviews) -> None:
    """And a letter that begins no code is refused with a word."""
    async with reviews() as hand:
        await hand.press("N")
        offered, code = hand.codes(), hand.code("company")
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


async def test_a_stretch_over_several_screens(user: User, rows: Any, reviews: Reviews) -> None:
    """The text scrolls under the letters, before the first token and between it and the last one."""
    rows[0] |= {"reference": "\n".join(f"alpha{n} beta{n}" for n in range(40))}
    rows[0]["proposal"] = {"proposer": "x", "reference_entities": []}
    async with reviews() as hand:
        await hand.press("N", "pagedown", "up", "down")
        await hand.press(hand.code("beta9").upper(), "space", "pageup", "down", "down", "down")
        await hand.press(*hand.code("alpha14"), "8")
        text, span = hand.reference.text, Span(hand.place("beta9")[0], hand.place("alpha14")[1])
    assert user.units("tower")[text[span.start : span.end]].spans == (span,)


# Statements and blind samples.


async def test_a_statement_is_its_first_and_its_last_token(
    user: User, import_rows: Any, rows: Any, reviews: Reviews
) -> None:
    """No label is asked for, the claim is what stands there, its match is open; twice is refused.

    A statement that is dragged over is asked about: it has no label whose step could be escaped.
    """
    rows[0]["proposal"]["statements"] = []
    async with reviews(database=import_rows(rows[:1], kinds=("statement",))) as hand:
        dragged = "Gustave Eiffel's company built it in 1889"
        await hand.drag_over(dragged)
        assert hand.app.screen_stack[1].query_one(UnitList).count == 0
        await hand.press("x", "enter")
        assert [unit.text for unit in hand.listed.rows] == [dragged]
        await hand.press("u")
        for _ in range(2):
            hand.presses = 0
            await hand.press("N")
            assert {2} == {len(code) for code in hand.codes().values()}  # no names: a claim is no name
            await hand.press(*hand.code("The"))
            await hand.press(*hand.code("."))
        assert hand.presses <= 5
        assert "is in the list and counts once (N: a longer one)" in hand.said
    units = user.stored("tower").state.statement.assessment.units
    claim = "The Eiffel Tower stands on the Champ de Mars in Paris."
    assert [(unit.text, unit.spans, unit.match.verdict) for unit in units] == [
        (claim, (Span(0, len(claim)),), None)
    ]


async def test_blind_samples_have_no_name_hints(
    user: User, import_rows: Any, rows: Any, reviews: Reviews
) -> None:
    """Nothing is underlined, only tokens have letters, and a new unit is undecided."""
    async with reviews(database=import_rows(rows[:1], blind=1.0)) as hand:
        assert hand.underlined == []
        await hand.press("n")
        lines = [hand.app.screen.query_one(name).region.y for name in ("#title", "#nothing", "#hint")]
        assert [0, 1, 2] == [line - lines[0] for line in lines]
        await hand.press("escape", "N")
        assert set(map(len, hand.codes().values())) == {2}
        await hand.press(*hand.code("Seine"), "enter", "2")
        assert hand.underlined == []
    unit = user.units("tower")["Seine"]
    assert (unit.label, unit.match.verdict, unit.match.rule) == ("place", None, "")


async def test_names_that_are_no_units_are_underlined(reviews: Reviews) -> None:
    """Until they are units; undoing that brings the hint back."""
    async with reviews(size=(100, 30)) as hand:
        nested = ["Paris"]  # in the University of Paris
        assert hand.underlined == [*nested, "Seine"]
        await hand.press("N")
        await hand.press(hand.code("Seine"), "2")
        assert hand.underlined == nested
        await hand.press("u")
        assert hand.underlined == [*nested, "Seine"]


async def test_a_name_that_is_pasted_is_searched_for(reviews: Reviews) -> None:
    """As one that is typed so fast that it comes at once; a whole text is not."""
    async with reviews() as hand:
        await hand.press("n")
        for pasted, taken in ("Champ " * 40, False), (" Champ de Mars\n", True):
            hand.app.post_message(Paste(pasted))
            await hand.press()
            assert taken == isinstance(hand.app.screen, FindScreen)
        assert "Champ de Mars" == hand.app.screen.query_one(Field).value


# The mouse.


DRAGS = {
    "tower": ("any built it in 1889; the Univ", "company built it in 1889; the University"),
    "nevsky": ("строил Огюст Монфер", "построил Огюст Монферран"),
    "changcheng": ("长城全", "长城全"),
    "nil": ("لنيل عبر مص", "النيل عبر مصر"),
    "genji": ("式部が平安", "式部が平安"),
    "emoji": ("👨‍👩‍👧 emo", "👨‍👩‍👧 emoji"),
}  # fmt: skip
"""What is dragged over, and the whole tokens of it."""


async def test_dragging_over_the_reference_adds_what_it_covers(user: User, reviews: Reviews) -> None:
    """Whole tokens, also over wrapped lines, wide, joined and right-to-left characters, and backwards."""
    async with reviews("tower", size=(62, 30)) as hand:
        for sample, (dragged, whole) in DRAGS.items():
            await user.press("b")
            await user.review(sample)
            span = Span(*hand.place(whole))
            for backwards in (False, True):
                await hand.drag_over(dragged, backwards=backwards)
                assert hand.screen == "LabelScreen", sample
                await hand.press("6")
                assert (sample, span) == (sample, user.units(sample)[whole].spans[0])
                await hand.press("u")


async def test_the_right_half_of_a_wide_character_is_that_character(reviews: Reviews) -> None:
    """The pointer has cells, the text has characters."""
    async with reviews("changcheng", size=(100, 30)) as hand:
        x, y = hand.at(hand.place("长城")[0])
        await hand.user.pilot.mouse_down("#reference", offset=(x + 1, y))
        await hand.user.pilot.hover("#reference", offset=(x + 3, y))
        assert hand.reference.selected == hand.place("长城")
        await hand.user.pilot.mouse_up("#reference", offset=(x + 3, y))
        await hand.user.settle()
        assert "new entity 长城" in hand.bars


async def test_escape_after_dragging_leaves_the_selection_to_copy(user: User, reviews: Reviews) -> None:
    """Exactly what was dragged over, over the wrapped lines; adding it takes the selection away."""
    async with reviews(size=(62, 30)) as hand:
        dragged = "ompany built it in 1889; the Univ"
        before = user.stored("tower").state
        await hand.drag_over(dragged)
        await hand.press("escape", "y")
        assert hand.app.clipboard == dragged
        assert user.stored("tower").state == before
        await hand.drag_over(dragged)
        await hand.press("6")
        assert hand.reference.selected is None


async def test_the_mouse_elsewhere_on_a_unit_and_on_a_name(user: User, reviews: Reviews) -> None:
    """Units stand in the reference; one there is gone to, and a click on a name begins to add it."""
    async with reviews(size=(100, 30)) as hand:
        await hand.drag((3, 1), (12, 1), "#context")
        assert hand.screen == "ReviewScreen"
        await hand.press("y")
        assert hand.app.clipboard == "e Eiffel T"
        await hand.click("#reference", hand.at(hand.place("company")[0]))
        assert hand.screen == "ReviewScreen"
        await hand.drag_over("hamp de Ma")
        assert hand.screen == "ReviewScreen"
        assert "'Champ de Mars' is in the list and counts once" in hand.said
        assert hand.listed.chosen is not None
        assert hand.listed.chosen.text == "Champ de Mars"
        await hand.click("#reference", hand.at(hand.place("Seine")[0] + 2))
        assert "new entity Seine" in hand.bars
        await hand.click("#labels", (6, 2))  # the label can be clicked, too
    assert user.units("tower")["Seine"].label == "place"


def test_a_search_for_a_place_begins_at_the_whole_word_in_the_same_case() -> None:
    sample = Sample("s", "", "", ("San Carlos, ca. 1900, in Ca or CA",))
    for typed, words in {"CA": "CA", "Ca": "Ca", "cA": "ca", "carl": "Carlos"}.items():
        search = Search(typed, sample, "contexts", NOWHERE)
        search.found = search.look()
        assert search.here is not None
        assert words == sample.retrieved_contexts[0][search.here.start : search.here.end]
