"""Picking a stretch of a text by letters that are drawn on it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence

from textual.app import ComposeResult
from textual.geometry import Size

from workbench.model import Span
from workbench.text.cells import cut
from workbench.text.safe import flat
from workbench.text.tokens import Token
from workbench.tui.keys import Hint, after, bindings, codes, hints, letter
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar, Line, choice_parts
from workbench.tui.widgets.passage import Passage
from workbench.tui.work import Work

NEAR = 9
"""Tokens that get one letter when the last one is picked: most names are short."""


class PickScreen(Dialog):
    """Letters before the tokens of a passage of the screen below, in two lines at the bottom.

    `targets` are the tokens of the passage's text. One letter takes one of the `names` whole. You pick a
    first and a last token, or with `to_last` False one token; `done` gets the stretch. With `names_first`
    only names have letters, and Enter gives letters to every token. `look` gets what is picked so far and
    marks it in the passage. Tab calls `other`, another way to pick.
    """

    BINDINGS = bindings("pick")

    _first: int | None = None
    _typed = ""
    _hints: Sequence[Hint] = ()
    _top = 0
    _size_offered = Size(0, 0)
    _view: tuple[int, int] | None = None
    """The stretch in sight before letters took room in it."""

    def __init__(
        self,
        title: str,
        passage: Passage,
        targets: Sequence[Span | Token],
        done: Callable[[Span], Awaitable[None]],
        *,
        names: Sequence[Span],
        to_last: bool = True,
        names_first: bool = False,
        look: Callable[[tuple[Span, ...]], None] | None = None,
        other: Work | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._passage = passage
        self._targets = [Span(target.start, target.end) for target in targets]
        self._starts = [target.start for target in targets]
        self._done = done
        self._names = tuple(names)
        self._to_last = to_last
        self._names_first = names_first
        self._look = look
        self._other = other

    def body(self) -> ComposeResult:
        """Two lines, as high as the lines that they cover."""
        yield Bar(id="title")
        yield Bar(id="hint")

    def on_mount(self) -> None:
        """Draw the letters."""
        self._top = self._passage.scroll_offset.y
        self._offer()

    def resized(self) -> None:
        """Other tokens are in sight."""
        # Not for the size it begins with: letters may have been typed before that is told.
        if self.app.size != self._size_offered:
            self._scrolled()

    # What is offered.

    def _offer(self) -> None:
        """Give the visible places their codes and draw them."""
        self._size_offered = self.app.size
        begin, end = self._view = self._view or self._passage.visible_span()
        if self._first is None:
            self._hints = self._offer_first(begin, end)
        else:
            self._hints = self._offer_last(max(begin, self._starts[self._first]), end)
        self._typed = ""
        self._draw()

    def _offer_first(self, begin: int, end: int) -> list[Hint]:
        names = [name for name in self._names if begin <= name.start < end]
        tokens = [] if self._names_first and names else self._visible(begin, end)
        names = names[: len(codes(len(names), len(tokens))[0])]
        starts = {self._token_at(name.start) for name in names}
        others = [index for index in tokens if index not in starts]  # a capital takes those
        first, second = codes(len(names), len(others))
        return hints(names, first) + hints([self._targets[index] for index in others], second)

    @property
    def _few(self) -> bool:
        """Whether only the names have letters."""
        few = self._names_first and self._first is None and bool(self._hints)
        return few and all(len(hint.code) == 1 for hint in self._hints)

    def _offer_last(self, begin: int, end: int) -> list[Hint]:
        tokens = self._visible(begin, end)
        near = len(tokens) if len(tokens) <= len(codes(len(tokens), 0)[0]) else NEAR
        first, second = codes(near, len(tokens) - near)
        return hints([self._targets[index] for index in tokens], [*first, *second])

    def _visible(self, begin: int, end: int) -> list[int]:
        first = bisect_right(self._starts, begin - 1)
        return list(range(first, bisect_right(self._starts, end - 1)))

    def _token_at(self, offset: int) -> int:
        return max(0, bisect_right(self._starts, offset) - 1)

    def _draw(self, complaint: str = "") -> None:
        self._passage.show_hints(after(self._hints, self._typed))
        ways = []
        if self._few or self._first is not None:
            ways.append(("enter", "every word" if self._few else "this one"))
        if self._other:
            ways.append(("tab", "search"))
        self.query_one("#title", Bar).show(self._heading(), choice_parts([*ways, ("esc", "cancel")]))
        left = (complaint, "$warning") if complaint else (self._how(), DIM)
        self.query_one("#hint", Bar).show([left], [(f"{self._typed}▏", "bold $accent")])

    complain = _draw
    """Say what a key does not do, in the line that says what letters do."""

    def _heading(self) -> Line:
        if self._first is None:
            return [(self._title, "bold")]
        first = self._targets[self._first]
        words = cut(flat(first.of(self._passage.text)), 24)
        return [(f"{self._title} ", "bold"), (f"“{words}” …", "")]

    def _how(self) -> str:
        if self._first is not None:
            return "letters of its last word"
        if not self._to_last:
            return "letters of the word"
        if self._few:
            return "letter: takes that passage · capital: starts one there"
        if any(len(hint.code) == 1 for hint in self._hints):
            return "letter: that name · capital: from there · two: first word"
        return "letters of its first word"

    # What is typed.

    async def takes(self, character: str) -> bool:
        """A letter, on the Latin or the Russian layout."""
        latin = letter(character)
        if not latin:
            return False
        wanted = self._typed + latin.lower()
        left = after(self._hints, wanted)
        if not left:
            stands = f": {self._typed} stands, go on from it or backspace" if self._typed else ""
            self._draw(f"no code begins with {wanted}{stands}")
        elif left[0].code == wanted:
            self.bench.picked_at = self.bench.pressed_at
            await self._take(left[0], start_there=latin.isupper())
        else:
            self._typed = wanted
            self._draw()
        return True

    async def _take(self, hint: Hint, *, start_there: bool) -> None:
        span = Span(hint.start, hint.end)
        if self._first is not None:
            await self._finish(Span(self._starts[self._first], hint.end))
        elif span in self._names and len(hint.code) == 1 and not (start_there and self._to_last):
            await self._finish(span)
        elif self._to_last:
            self._first = self._token_at(hint.start)
            self._tell((self._targets[self._first],))
            self._offer()
        else:
            await self._finish(span)

    async def action_alone(self) -> None:
        """Enter: the first token is the last one too; before it, letters for every word."""
        if self._few:
            self._names_first = False
            self._offer()
        elif self._first is None:
            self._draw("a letter first")
        else:
            await self._finish(self._targets[self._first])

    def action_back(self) -> None:
        """Take back the last letter, else the first token."""
        if not self._typed and self._first is not None:
            self._first = None
            self._tell(())
            self._offer()
            return
        self._typed = self._typed[:-1]
        self._draw()

    def action_page(self, step: int) -> None:
        """A page of the text."""
        self._passage.page(step)
        self._scrolled()

    def action_line(self, step: int) -> None:
        """A line of the text."""
        self._passage.line(step)
        self._scrolled()

    def _scrolled(self) -> None:
        self._view = None
        self._offer()

    # The end.

    async def _finish(self, span: Span) -> None:
        self.action_cancel()
        await self._done(span)

    async def action_other(self) -> None:
        """Another way to say it."""
        if self._other is not None:
            self.action_cancel()
            await self._other()

    def action_cancel(self) -> None:
        """Everything as it was."""
        self._passage.show_hints(())
        self._passage.scroll_to(y=self._top, animate=False, force=True)
        self._tell(())
        self.app.pop_screen()

    def _tell(self, spans: tuple[Span, ...]) -> None:
        if self._look is not None:
            self._look(spans)
