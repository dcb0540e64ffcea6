"""Letters on a text: unique codes, nothing moves, everything can still be read and typed."""

from itertools import permutations

import pytest
from textual.app import App, ComposeResult

from workbench.model import Span, Unit
from workbench.stages.hints import NamePlaces, unmarked
from workbench.text.cells import steady
from workbench.text.tokens import tokens
from workbench.tui.keys import LETTERS, SURE, TWINS, Hint, after, codes, hints, letter
from workbench.tui.widgets.passage import Passage

TEXTS = {
    "Latin": "The Eiffel Tower (a tall one) stands on the Champ de Mars in Paris. It was built in 1887-89.",
    "Cyrillic": "Исаакиевский собор в Санкт-Петербурге построил Огюст Монферран; работы шли с 1818 года.",
    "Chinese": "根据国家文物局的数据，明长城全长8851.8公里，东起虎山，西至嘉峪关。",
    "Arabic": "يمر نهر النيل عبر مصر والسودان ويصب في البحر المتوسط.",
    "Thai": "ประเทศไทยอยู่ในเอเชีย",
    "emoji": "The family 👨‍👩‍👧 emoji joins Man 👨, Woman 👩🏽 and Girl 👧; Zoë wrote it in Genève 🇨🇭.",
}


class One(App[None]):
    """A passage alone."""

    def compose(self) -> ComposeResult:
        yield Passage()


async def lines_with(text: str, offered: list[Hint], size: int = 40) -> tuple[list[str], list[str]]:
    """The lines of a text as drawn, without and with hints."""
    app = One()
    async with app.run_test(size=(size, 12)):
        passage = app.query_one(Passage)
        passage.show(text)
        plain = [passage.render_line(y).text for y in range(passage.virtual_size.height)]
        passage.show_hints(offered)
        drawn = [passage.render_line(y).text for y in range(passage.virtual_size.height)]
        passage.show_hints(())
        assert [passage.render_line(y).text for y in range(passage.virtual_size.height)] == plain
    return plain, drawn


def offered(text: str) -> list[Hint]:
    """Two-letter codes on all tokens."""
    stretches = [Span(token.start, token.end) for token in tokens(text)]
    return hints(stretches, codes(0, len(stretches))[1])


@pytest.mark.parametrize(
    ("singles", "doubles"), [(0, 0), (5, 0), (0, 3), (3, 40), (26, 100), (9, 520), (4, 676), (0, 9999)]
)
def test_no_code_begins_another(singles: int, doubles: int) -> None:
    """A code is complete when its last letter is typed; all that fit get one."""
    one, two = codes(singles, doubles)
    assert len({*one, *two}) == len(one) + len(two)
    assert not any(a.startswith(b) for a, b in permutations([*one, *two], 2)) or doubles > 700
    assert {len(code) for code in one} <= {1}
    assert {len(code) for code in two} <= {2}
    assert len(one) >= min(singles, SURE)
    assert len(two) == min(doubles, 26 * (26 - min(singles, SURE)))


def test_few_places_stay_on_the_home_row() -> None:
    """60 tokens and no name need the keys under the fingers only."""
    assert {letter for code in codes(0, 60)[1] for letter in code} <= set(LETTERS[:9])


def test_letters_of_the_russian_layout() -> None:
    """The same physical key is the same letter, small and capital; anything else is none."""
    assert [letter(TWINS[latin]) for latin in LETTERS] == list(LETTERS)
    assert [letter(character) for character in "aAфФхё1 /é"] == ["a", "A", "a", "A", "", "", "", "", "", ""]


def test_typed_letters_leave_the_codes_that_begin_with_them() -> None:
    """And those know how much of them is left."""
    left = after([Hint(0, 1, "sa"), Hint(2, 3, "sd"), Hint(4, 5, "d")], "s")
    assert [(hint.code, hint.left) for hint in left] == [("sa", "a"), ("sd", "d")]


@pytest.mark.parametrize("script", TEXTS)
async def test_letters_stand_before_the_tokens_and_over_none(script: str) -> None:
    """All of the text is drawn, one letter before each token; without the letters it is as it was."""
    text = TEXTS[script]
    places = offered(text)
    plain, drawn = await lines_with(text, places, 200)
    before = {hint.start: hint.left[0] for hint in places}
    with_letters = "".join(before.get(n, "") + character for n, character in enumerate(text))
    assert steady(with_letters) == drawn[0].rstrip()
    assert steady(text) == plain[0].rstrip()


@pytest.mark.parametrize("script", TEXTS)
async def test_a_typed_letter_moves_nothing(script: str) -> None:
    """The second letters stand where the first ones stood; a token that is out keeps the room."""
    text = TEXTS[script]
    places = offered(text)
    app = One()
    async with app.run_test(size=(40, 12)):
        passage = app.query_one(Passage)
        passage.show(text)
        passage.show_hints(places)
        lines = [*passage._lines]
        for first in {hint.code[0] for hint in places}:
            left = after(places, first)
            passage.show_hints(left)
            assert lines == passage._lines


async def test_the_visible_stretch_follows_the_scrolling() -> None:
    """From the first visible line's start to the last one's end."""
    text = "\n".join(f"line {number}" for number in range(40))
    app = One()
    async with app.run_test(size=(20, 10)) as pilot:
        passage = app.query_one(Passage)
        passage.show(text)
        await pilot.pause()
        start, end = passage.visible_span()
        assert text[start:end].splitlines() == [f"line {number}" for number in range(10)]
        passage.page(1)
        start, end = passage.visible_span()
        assert text[start:end].splitlines() == [f"line {number}" for number in range(9, 19)]


def unit(number: int, text: str, *spans: tuple[int, int], rejected: bool = False) -> Unit:
    """An entity at these places."""
    return Unit(f"u{number}", "entity", text, spans=tuple(Span(*span) for span in spans), rejected=rejected)


def test_names_that_are_no_units() -> None:
    """Covered, overlapped, rejected and equally named places are none; the others are."""
    text = "Anna met Boris in Riga. Riga is in Latvia; ANNA likes Boris Petrov and Oslo."
    places = [(0, 4), (9, 14), (18, 22), (35, 41), (43, 47), (54, 66), (71, 75)]
    names = NamePlaces("en", tuple((Span(*place), text[slice(*place)].lower()) for place in places))
    gone = unit(2, "Riga. Riga", (18, 28), rejected=True)
    units = [unit(1, "Anna", (0, 4)), gone, unit(3, "Petrov", (60, 66))]
    free = unmarked(names, units)
    assert [text[span.start : span.end] for span in free] == ["Boris", "Latvia", "Oslo"]
    assert unmarked(names, []) == tuple(Span(*place) for place in places)
