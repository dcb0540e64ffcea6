"""New units: from a short list, by searching in the reference, by letters on it, or by the mouse.

And the label of a unit: by its number, or typed until it stands first in the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from workbench.errors import InputError
from workbench.model import Label, Span
from workbench.stages import editing, intents
from workbench.text.cells import cut, cut_middle, fit, width
from workbench.text.safe import flat
from workbench.text.tokens import Token, snap, tokens
from workbench.tui.keys import TO_LATIN, bindings
from workbench.tui.screens.base import Dialog
from workbench.tui.screens.finding import Chooser, OverUnits, TextPlace
from workbench.tui.screens.pick import PickScreen
from workbench.tui.widgets.bars import Bar, choice_parts
from workbench.tui.widgets.lines import Lines, Toned
from workbench.tui.widgets.sample_pane import SamplePane


class Adder(Chooser):
    """A stretch of the reference, then its label."""

    async def ask(self) -> None:
        """A new unit: from a short list of what may be a name, by typing, or by letters."""
        await self._words()
        offers = sorted(map(self._offer, self.pane.names), key=lambda offer: bool(offer.other))
        await self.screen.bench.ask(AddScreen(self, self.pane, offers))

    async def _words(self) -> list[Token]:
        """The tokens of the reference; what may be a name in it is known then, too."""
        words = tokens(self.pane.now.sample.reference)
        if not words:
            raise InputError("the reference is empty: there is nothing to add")
        await self.pane.know_names()
        return words

    def _offer(self, span: Span) -> Offer:
        now = self.pane.now
        surface = span.of(now.sample.reference)
        return Offer(span, surface, self.pane.label_of(span), editing.other_form(now, span))

    async def take(self, offer: Offer) -> None:
        """Add what was offered: at once where its label is known and it is no form of a unit."""
        if offer.label and not offer.other:
            self.want(intents.add_span(self.pane.now, self.pane.kind, offer.span, offer.label))
        else:
            await self.add(offer.span)

    async def by_letters(self) -> None:
        """A new unit, by letters on the reference."""
        pane, words = self.pane, await self._words()
        pick = PickScreen(
            f"new {pane.kind}", pane.reference, words, self.add, names=pane.names, look=pane.mark_new,
            other=self.by_search,
        )  # fmt: skip
        await self.screen.bench.ask(pick)

    async def by_search(self, typed: str = "") -> None:
        """A new unit, by what is typed of it."""
        await self.finder.ask(f"new {self.pane.kind}", "reference", self._add_place, typed)

    async def _add_place(self, hit: TextPlace) -> None:
        await self.add(Span(hit.start, hit.end))

    async def dragged(self) -> None:
        """The mouse was let go over a stretch of the reference: it is a new unit."""
        selected = self.pane.reference.selected
        if selected is not None:
            await self.add(snap(self.pane.now.sample.reference, *selected), sure=False)

    async def add(self, span: Span, *, sure: bool = True) -> None:
        """A stretch was chosen: add it with a label, or go to the unit that it is already.

        A statement has no label; when it is not `sure` that it is wanted, that is asked.
        """
        pane, now = self.pane, self.pane.now
        kind, reference = pane.kind, now.sample.reference
        try:
            editing.refuse_twice(now, kind, span.of(reference), hint=" (N: a longer one)")
        except InputError:
            same = next((unit for unit in pane.units if span in unit.spans), None)
            if same is not None:
                pane.choose(same.id)
            raise
        if kind == "statement" and sure:
            self.want(intents.add_span(now, kind, span, ""))
            return

        def add(label: str) -> None:
            self.screen.clear_selection()
            self.want(intents.add_span(now, kind, span, label))

        pane.mark_new((span,))
        title = f"new {kind} {cut(flat(span.of(reference)), 24)}"
        if other := editing.other_form(now, span) if kind == "entity" else "":
            title += f" · already there as {cut(flat(other), 24)}"
        labels = now.dataset.policy.labels if kind == "entity" else ()
        none = "no label" if kind == "entity" else "add it"
        at_end = partial(pane.mark_new, ())
        await self.screen.bench.ask(
            LabelScreen(title, labels, add, none=none, current=pane.label_of(span), at_end=at_end)
        )


class Offer(NamedTuple):
    """What may be a name: where it stands, its label as the rules see it, and the unit it is a form of."""

    span: Span
    surface: str
    label: str
    other: str


class OfferRows(Lines[Offer]):
    """What may be a name, the first nine with their digits."""

    AT_CURSOR: ClassVar = frozenset({"key"})

    def drawn(self, offer: Offer, size: int) -> Toned:
        """One of them."""
        number = self.rows.index(offer) + 1
        note = f"a form of {flat(offer.other)}" if offer.other else offer.label or "asks for its label"
        note = cut(note, size // 2)
        room = size - 6 - width(note)
        return [
            (f"{number if number < 10 else ' '} ", "key"),
            (f"{fit(cut_middle(flat(offer.surface), room), room)}  {note}", ""),
        ]


class AddScreen(OverUnits):
    """Over the list of units: what may be a name. A digit adds one, letters search in the reference."""

    BINDINGS = bindings("add")

    def __init__(self, adder: Adder, pane: SamplePane, offers: Sequence[Offer]) -> None:
        super().__init__(pane)
        self._adder, self._offers = adder, OfferRows(offers, id="offers")

    def body(self) -> ComposeResult:
        """The list, and below it the other ways."""
        count = self._offers.count
        take = [("1" if count == 1 else f"1–{min(9, count)}", "add")] if count else []
        yield Bar([(f"new {self._pane.kind}", "bold")], choice_parts([("esc", "cancel")]), id="title")
        self._offers.display = bool(count)
        yield self._offers
        yield Static(Content(self._nothing), id="nothing")
        yield Bar(choice_parts([*take, ("a–z", "type it"), ("tab", "letters")]), id="hint")

    @property
    def _nothing(self) -> str:
        if self._offers.count:
            return ""
        if self._pane.now.blind:
            return "Reviewed without suggestions: type the beginning, or use letters."
        what = "name or number" if self._pane.kind == "entity" else "statement"
        return f"No further {what} is suggested: type the beginning, or use letters."

    def moved(self) -> None:
        """Mark the one under the cursor in the reference."""
        offer = self._offers.chosen
        self._pane.mark_new((offer.span,) if offer else ())

    async def takes(self, character: str) -> bool:
        """A letter: search for what begins with it."""
        return character.isalnum() and await self.takes_text(character)

    async def takes_text(self, text: str) -> bool:
        """A name that is pasted, or typed very fast: search for it."""
        if len(text) > editing.LONGEST_NAME:
            return False
        self.action_cancel()
        await self._adder.by_search(text)
        return True

    async def action_take_number(self, number: int) -> None:
        """A digit; without that many it is the beginning of what is searched for."""
        self.action_cancel()
        if number <= self._offers.count:
            await self._adder.take(self._offers.rows[number - 1])
        else:
            await self._adder.by_search(str(number))

    async def action_open(self) -> None:
        """Enter."""
        if self._offers.count:
            await self.action_take_number(self._offers.cursor + 1)

    async def action_search(self) -> None:
        """Search, also for what begins with a digit."""
        self.action_cancel()
        await self._adder.by_search()

    async def action_letters(self) -> None:
        """Letters before the tokens."""
        self.action_cancel()
        await self._adder.by_letters()

    def action_cancel(self) -> None:
        """Escape."""
        self._pane.mark_new(())
        self.app.pop_screen()


class LabelRows(Lines[Label]):
    """Labels with their numbers."""

    AT_CURSOR: ClassVar = frozenset({"key"})

    def drawn(self, label: Label, size: int) -> Toned:
        """One label."""
        name = fit(flat(label.name), size - 4)
        return [(fit(flat(label.key), 2), "key"), (name, "")]


class LabelScreen(Dialog):
    """All labels at the bottom; a number takes one at once, letters leave those that have them, Enter takes.

    `done` gets the label's name. `none` is the first row, for no label (""); `current` is where the cursor
    starts. `at_end` is called however it ends.
    """

    BINDINGS = bindings("label")

    def __init__(
        self,
        title: str,
        labels: Sequence[Label],
        done: Callable[[str], None],
        *,
        none: str = "",
        current: str,
        at_end: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self._title = flat(title)
        self._labels = tuple(labels)
        self._done = done
        self._none = none
        self._current = current
        self._at_end = at_end
        self._filter = ""
        self._rows = LabelRows(id="labels")

    def body(self) -> ComposeResult:
        """The list lies over the bottom lines."""
        yield Bar(id="title")
        yield self._rows

    def on_mount(self) -> None:
        """All labels."""
        self._show()

    @property
    def fitting(self) -> list[Label]:
        """The labels that have what was typed, those that begin with it first."""
        wanted = self._filter.casefold()
        if not wanted:
            return [*([Label("", self._none)] if self._none else []), *self._labels]
        same_keys = wanted.translate(TO_LATIN)
        by_place = [
            (min(position for position in (name.find(wanted), name.find(same_keys)) if position >= 0), label)
            for label in self._labels
            if wanted in (name := label.name.casefold()) or same_keys in name
        ]
        return [label for _, label in sorted(by_place, key=lambda pair: pair[0] > 0)]

    def _show(self) -> None:
        rows = self.fitting
        names = [label.name for label in rows]
        at = names.index(self._current) if not self._filter and self._current in names else 0
        self._rows.put(rows, at)
        self._head()

    def _head(self, complaint: str = "") -> None:
        left, keys = [(self._title, "bold")], []
        if self._filter:
            left += [("  ", ""), (f"{flat(self._filter)}▏", "bold $accent")]
        if complaint:
            left += [("  ", ""), (flat(complaint), "$warning")]
        else:
            if self._labels and self.app.size.width >= 80:
                keys += [("1–9", "label"), ("a–z", "type it")]
            keys += [("enter", "take")]
        self.query_one("#title", Bar).show(left, choice_parts([*keys, ("esc", "cancel")]))

    async def takes(self, character: str) -> bool:
        """A number takes a label; anything else narrows the list."""
        if not self._filter:
            for label in self._labels:
                if label.key == character:
                    self._take(label.name)
                    return True
        if not self._labels or (character == " " and not self._filter):
            return False
        before, self._filter = self._filter, self._filter + character
        if self.fitting:
            self._show()
        else:
            complaint = f"no label has {self._filter}"
            self._filter = before
            self._head(complaint)
        return True

    def action_back(self) -> None:
        """Backspace."""
        self._filter = self._filter[:-1]
        self._show()

    async def action_open(self) -> None:
        """Enter."""
        label = self._rows.chosen
        self._take(label.name if label in self._labels else "")

    def _take(self, name: str) -> None:
        self.action_cancel()
        self._done(name)

    def action_cancel(self) -> None:
        """Escape."""
        self.app.pop_screen()
        if self._at_end is not None:
            self._at_end()
