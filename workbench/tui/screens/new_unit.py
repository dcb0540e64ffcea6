"""A new unit by its text: for references longer than the screen, and for who types faster than looks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual.binding import BindingType

from workbench.model import Kind, Span
from workbench.text.figures import many
from workbench.text.ground import ground
from workbench.text.tokens import Token, tokens
from workbench.tui.cells import cut
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.widgets.bars import DIM
from workbench.tui.widgets.field import Field


class NewUnitScreen(PromptScreen):
    """Type what stands in the reference. While typing, the place is marked and Tab completes.

    `done(text)` is called at the end; `look(spans)` whenever the text stands somewhere; `known(span)` says
    whether there is a unit already.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        key("tab", "complete", "Complete the word; once more: the next word too", "new.complete", "New unit"),
    ]

    def __init__(
        self,
        kind: Kind,
        reference: str,
        done: Callable[[str], Awaitable[None]],
        look: Callable[[tuple[Span, ...]], None],
        known: Callable[[Span], bool],
    ) -> None:
        super().__init__(f"new {kind}", self._grounded, placeholder="as it stands in the reference")
        self._reference = reference
        self._tokens = tokens(reference)
        self._done = done
        self._look = look
        self._known = known

    def hint(self) -> None:
        """Where the text stands, and what Tab would make of it."""
        typed = self.query_one(Field).value.strip()
        spans = ground(typed, self._reference) if typed else ()
        self._look(spans)
        longer = completion(self._reference, self._tokens, typed) if typed else ""
        times = many(len(spans), "place") if spans else ""
        parts = [(times, "$success"), ("  " if times and longer else "", "")]
        if longer:
            parts += [("tab", "$accent"), (f" {flat(cut(longer, 48))}", DIM)]
        if typed and not spans and not longer:
            parts = [("not in the reference", "$warning")]
        if not typed:
            parts = [
                ("type a name; ", DIM),
                ("tab", "$accent"),
                (" completes it", DIM),
            ]
        self.say(tuple(parts))

    def action_complete(self) -> None:
        """Tab."""
        field = self.query_one(Field)
        if longer := completion(self._reference, self._tokens, field.value.strip()):
            field.value = flat(longer)
            field.cursor_position = len(field.value)

    def _grounded(self, typed: str) -> str | None:
        if not typed:
            return "nothing typed yet"
        spans = ground(typed, self._reference)
        if not spans:
            return "this is not in the reference text; type it as it is written there"
        if self._known(spans[0]):
            return "this is a unit already"
        return None

    async def action_submit(self) -> None:  # type: ignore[override]  # the app awaits what can be awaited
        """Enter."""
        typed = self.typed
        if complaint := self._grounded(typed):
            self.complain(complaint)
            return
        self.action_cancel()
        await self._done(typed)

    def action_cancel(self) -> None:
        """Escape."""
        self._look(())
        super().action_cancel()


def completion(reference: str, all_tokens: list[Token], typed: str) -> str:
    """The reference's own wording from where `typed` begins to the end of the word after it.

    Empty when no word of the reference starts like it. Case does not matter for what is typed.
    """
    wanted = typed.casefold()
    size = len(typed)
    for index, token in enumerate(all_tokens):
        if reference[token.start : token.start + size].casefold() != wanted:
            continue
        end = token.start + size
        for later in all_tokens[index:]:
            if later.end > end:
                return reference[token.start : later.end]
    return ""
