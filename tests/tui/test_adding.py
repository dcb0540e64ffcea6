"""New units without a mouse and with one: counted by presses, in every script."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from tests.tui.conftest import ROWS, Row, User
from tests.tui.starts import unnamed
from workbench.model import Sample, Span
from workbench.stages.hints import names_of
from workbench.text.cells import width
from workbench.text.tokens import tokens
from workbench.tui.keys import TWINS
from workbench.tui.screens.finding import NOWHERE, Search
from workbench.tui.widgets.bars import Bar
from workbench.tui.widgets.passage import Passage


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
    def bars(self) -> str:
        """What the dialog says."""
        return " ".join(bar.text for bar in self.app.screen.query(Bar))

    @property
    def screen(self) -> str:
        """The class of the screen on top."""
        return type(self.app.screen).__name__

    # The mouse.

    def at(self, offset: int) -> tuple[int, int]:
        """The cell of a code point, from the corner of the reference."""
        lines = self.reference._lines
        line = max(n for n, (start, _) in enumerate(lines) if start <= offset)
        return 1 + width(self.reference.text[lines[line][0] : offset]), 1 + line


Reviews = Callable[..., AbstractAsyncContextManager[Hand]]


@pytest.fixture
def reviews(user: User) -> Reviews:
    """A hand over the review of a sample."""

    @asynccontextmanager
    async def go(sample: str = "tower", **own: Any) -> AsyncIterator[Hand]:
        async with user.opens(sample, **{"size": (80, 24), **own}) as app:
            yield Hand(user, app)

    return go


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


def test_a_search_for_a_place_begins_at_the_whole_word_in_the_same_case() -> None:
    sample = Sample("s", "", "", ("San Carlos, ca. 1900, in Ca or CA",))
    for typed, words in {"CA": "CA", "Ca": "Ca", "cA": "ca", "carl": "Carlos"}.items():
        search = Search(typed, sample, "contexts", NOWHERE)
        search.found = search.look()
        assert search.here is not None
        assert words == sample.retrieved_contexts[0][search.here.start : search.here.end]
