"""Searching in the queue: the query as it is typed, what may come next in it, and facets to choose from."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.widgets import Input
from textual.widgets.input import Selection

from workbench.text.query import META, Completion, Mistake, apply, complete, parse, toggled, tokens, values_of
from workbench.tui.screens.menu import Choice, MenuScreen
from workbench.tui.screens.queue_view import ViewScreen
from workbench.tui.widgets.bars import Status
from workbench.tui.widgets.field import QueryField
from workbench.tui.widgets.queue_lines import Completions
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.stages.queue_values import Facets
    from workbench.tui.desk import Desk

SEARCH_DELAY = 0.12
"""Seconds of quiet before a search runs; typing faster than this runs one search, not one a letter."""

GROUPS = {
    "state": "State", "is": "Marks", "label": "Labels", "lang": "Languages", "group": "Groups",
    "by": "Reviewed by",
}  # fmt: skip
"""The fields that one can choose from, with their headings."""

NAMES = {"todo": "to do", "offplan": "picked by hand", "rematch": "to be matched again"}
MOST = 12
"""Values of a field offered in the menu; the others are typed."""


class SearchScreen(ViewScreen):
    """A query field over a view; the last view that could be read stays while one types."""

    def __init__(self) -> None:
        super().__init__()
        self._pending: Timer | None = None
        self._facets: Facets | None = None
        self._offered_for: tuple[str, int, bool] | None = None

    @property
    def field(self) -> QueryField:
        """The search field."""
        return self.query_one(QueryField)

    @property
    def hint(self) -> Completions:
        """The line below it."""
        return self.query_one(Completions)

    async def begin(self, desk: Desk) -> None:
        """Another dataset is not searched for what was typed before."""
        self.forget_facets()
        self.field.value = ""
        await super().begin(desk)

    # Typing.

    def action_search(self) -> None:
        """Type into the search field; what stands there is replaced by the first letter."""
        field = self.field
        self.set_focus(field)
        field.selection = Selection(0, len(field.value))

    def on_query_field_focused(self, event: QueryField.Focused) -> None:
        """Offer what may come next while one types."""
        event.stop()
        if event.here:
            self._offer()
            if self._facets is None and self.desk is not None:
                start(self, self._look, group="facets", failed=self._unread)
            return
        self._offered_for = None
        if not self.hint.complaint:
            self.hint.offer(())

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        if self._pending is not None:
            self._pending.stop()
        self._pending = self.set_timer(SEARCH_DELAY, self._search_now)
        self._offer()

    def action_submit(self) -> None:
        """Enter in the search field: take what was chosen, else on to the list."""
        self._offer()
        if self.hint.chosen is not None:
            self.take(self.hint.chosen)
        elif self._search_now(done=True):
            self.set_focus(None)

    def action_cancel(self) -> None:
        """Escape in the search field: all samples again."""
        self.action_everything()
        self.set_focus(None)

    def action_everything(self) -> None:
        """Empty the search field."""
        self.field.value = ""
        self._search_now(done=True)

    def _search_now(self, *, done: bool = False) -> bool:
        """Show what the query says; False while it has a mistake, which is said once it is `done`."""
        if self._pending is not None:
            self._pending.stop()
            self._pending = None
        query = parse(self.field.value)
        if isinstance(query, Mistake):
            if done or not self._offers():
                self.hint.complain(str(query))
            return False
        if done:
            self.hint.complain("")
        else:
            self._offer()
        if query != self.query_shown and self.desk is not None:
            self.query_shown = query
            self._view(self.samples.chosen, hold=done)
        return True

    # Completion.

    def _offers(self) -> list[Completion]:
        field = self.field
        known = self._facets.values if self._facets else {}
        return complete(field.value, field.cursor_position, known)

    def _offer(self) -> None:
        """Offer what may come next; a mistake is said only where nothing can.

        Once for a text, a cursor and facets: what was chosen since stays chosen.
        """
        here = self.field.value, self.field.cursor_position, self._facets is not None
        if self.focused is not self.field or here == self._offered_for:
            return
        self._offered_for = here
        offers = self._offers()
        mistake = parse(self.field.value)
        if not offers and isinstance(mistake, Mistake):
            self.hint.complain(str(mistake))
        else:
            self.hint.offer(offers, estimated=self._is_estimated())

    def _is_estimated(self) -> bool:
        if self._facets is None:
            return False
        at = self.field.cursor_position
        token = next((one for one in tokens(self.field.value) if one.start < at <= one.end), None)
        return token is not None and token.field in self._facets.estimated

    def action_complete(self) -> None:
        """Tab: take the chosen one, else the first, else what may have been meant."""
        self._offer()
        text = self.field.value
        offers, mistake = self._offers(), parse(text)
        if self.hint.chosen is not None:
            self.take(self.hint.chosen)
        elif offers:
            self.take(offers[0])
        elif isinstance(mistake, Mistake) and mistake.suggestion:
            self.take(Completion(mistake.start, mistake.end, mistake.suggestion, mistake.suggestion))

    def action_offer(self, step: int) -> None:
        """Down and up: choose one of what is offered."""
        self._offer()
        self.hint.move(int(step))

    def take(self, completion: Completion) -> None:
        """Put it into the query."""
        field = self.field
        field.value, field.cursor_position = apply(field.value, completion)
        self._offer()

    def on_completions_taken(self, event: Completions.Taken) -> None:
        """A click takes it, and one types on."""
        event.stop()
        self.set_focus(self.field)
        self.take(event.completion)

    # Facets.

    def forget_facets(self) -> None:
        """Look again the next time."""
        self._facets = None

    def returned(self, at: int | None, said: str) -> None:
        """Back from a review: counts have changed."""
        self.forget_facets()
        super().returned(at, said)

    async def _look(self) -> None:
        assert self.desk is not None
        self._facets = await self.desk.facets()
        self._offer()

    def action_facets(self) -> None:
        """List what there is to choose from; keys wait until it is counted."""
        self.bench.gate.close()
        start(self, self._open_facets, group="work", failed=self.not_opened)

    async def _open_facets(self) -> None:
        if self._facets is None:
            status = self.query_one(Status)
            slow = self.set_timer(0.3, partial(status.say, "counting …"))
            try:
                await self._look()
            finally:
                slow.stop()
            status.clear()
        await self.bench.ask(MenuScreen("View", self._choices()))

    def _choices(self) -> list[Choice]:
        facets = self._facets
        assert facets is not None
        query = self.field.value
        found = [Choice("all samples", on=not query.strip(), take=self.action_everything)]
        metas = {name: name for name in facets.values if name.startswith(META)}
        for field, heading in (GROUPS | metas).items():
            shown = [
                (value, number)
                for value, number in facets.values.get(field, ())
                if number != 0 or field == "state"
            ]
            if not shown or (len(shown) == 1 and field in metas):
                continue
            found += [Choice(""), Choice(heading)]
            for value, number in shown[:MOST]:
                near = "≈" if {field, f"{field}:{value}"} & facets.estimated else ""
                count = "" if number is None else f"{near}{number:,}"
                name = NAMES.get(value, value) if field in ("state", "is") else value
                choose = partial(self._toggle, field, value)
                found.append(Choice(name, count, _stands(query, field, value), choose))
        return found

    def _toggle(self, field: str, value: str) -> None:
        self.field.value = toggled(self.field.value, field, value)
        self._search_now(done=True)


def _stands(query: str, field: str, value: str) -> bool:
    return any(
        token.field == field and not token.negated and value in values_of(token.rest)
        for token in tokens(query)
    )
