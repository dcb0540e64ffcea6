"""The menus of the queue: what it lists and in which order, saved views, what became of a disagreement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import ConflictError, InputError
from workbench.text.cells import short
from workbench.text.figures import told
from workbench.text.query import META, Query, toggled, tokens, values_of
from workbench.text.safe import flat
from workbench.tui.keys import shown
from workbench.tui.screens.base import TEXTS, BaseScreen
from workbench.tui.screens.dialogs import ConfirmScreen, MenuChoice, MenuScreen, PromptScreen
from workbench.tui.widgets.queue_lines import ProgressLine, QueryField
from workbench.tui.widgets.sample_list import Sorting

if TYPE_CHECKING:
    from workbench.comparing.disputes import State
    from workbench.stages.desk import Step
    from workbench.stages.disputes import Dispute

R = TypeVar("R")

ORDERS: dict[Sorting, tuple[str, str]] = {
    "u": ("random order", "stop at any time, it stays random"),
    "doubt": ("doubtful first", "where verdicts are likely wrong"),
    "delta": ("largest Δ first", "decided samples to look at again"),
    "file": ("file order", "as the samples came"),
    "disputes": ("disagreements", "largest effect on the mean first"),
}
PLANNED = ("plan's order", "your planned samples come first")
COMPLETE = ("plan's order", "complete; Plan says what is next")
TRAINING = ("training", "samples whose answers are known")

GROUPS = {
    "state": "State", "is": "Marks", "label": "Labels", "lang": "Languages", "group": "Groups",
    "by": "Reviewed by",
}  # fmt: skip
"""The fields that one can choose from, with their headings."""

NAMES = {
    "todo": "to do", "excluded": "not counted", "offplan": "picked by hand", "rematch": "to be matched again",
}  # fmt: skip
MOST = 12
"""Values of a field offered in the menu; the others are typed."""


class Views:
    """The order, and the menus that change it and the query in `field`; `show` reads the view anew."""

    def __init__(
        self, screen: BaseScreen, field: QueryField, show: Callable[[], None], line: ProgressLine
    ) -> None:
        self._screen, self._field, self._show, self._line = screen, field, show, line
        self.order: Sorting = "u"
        self._asked = False

    def reset(self) -> None:
        """Another dataset: its own order, and what leaving that means is asked again."""
        self.order, self._asked = "u", False

    @property
    def names(self) -> dict[Sorting, tuple[str, str]]:
        """The orders, each with what it is good for."""
        desk = self._screen.bench.desk
        trained = desk is not None and desk.info.training_of is not None
        planned = self._line.planned
        if self._line.progress is None:  # nobody knows yet whether there is a plan
            return ORDERS | {"u": (ORDERS["u"][0], "")}
        own = ORDERS["u"] if planned is None else COMPLETE if planned[0] >= planned[1] else PLANNED
        return ORDERS | {"u": TRAINING if trained else own}

    def search(self, text: str) -> None:
        """Search for a text, among all samples."""
        self._field.set_query(text)
        if self.order == "disputes":
            self.put("u")

    def put(self, order: Sorting, *, agreed: bool = False) -> None:
        """Show the view in another order; asked once, for what it means."""
        if order == self.order:
            return
        self._asked |= agreed
        if order not in ("u", "disputes") and not self._asked:
            own = "plan's" if self._line.planned else "random"
            title, go_on = (
                f"Leave the {own} order for: {ORDERS[order][0]}?",
                partial(self.put, order, agreed=True),
            )
            self._ask(ConfirmScreen(title, TEXTS["off plan"].format(own=own), go_on))
            return
        self.order = order
        self._show()

    def _ask(self, dialog: ConfirmScreen | PromptScreen) -> None:
        """Over the menu that closes: not in its turn."""
        self._screen.hold_keys(partial(self._screen.bench.ask, dialog))

    async def ask_order(self) -> None:
        """Choose an order."""
        choices = [
            MenuChoice(f"{name:<18}{hint}", on=order == self.order, take=partial(self.put, order))
            for order, (name, hint) in self.names.items()
        ]
        await self._screen.bench.ask(MenuScreen("Order", choices))

    async def count(self) -> None:
        """Read what there is to choose from, for the menu and for what the field offers."""
        desk = self._screen.bench.desk
        assert desk is not None  # a key is open only over a dataset
        self._field.facets = await desk.facets()
        self._field.offer()

    async def ask_view(self) -> None:
        """Choose what is listed: all, what disagrees, a saved view, a value of a field."""
        if self._field.facets is None:
            with self._screen.telling("counting"):
                await self.count()
        await self._screen.bench.ask(MenuScreen("View", self._choices()))

    def _choices(self) -> list[MenuChoice]:
        facets, query, disputes = self._field.facets, self._field.value, self.order == "disputes"
        assert facets is not None
        every = not (query.strip() or disputes)
        choices = [
            MenuChoice("all samples", on=every, take=partial(self.search, "")),
            MenuChoice("disagreements", "largest effect first", disputes, partial(self.put, "disputes")),
            *self._saved(),
        ]
        metas = {name: name for name in facets if name.startswith(META)}
        for field, heading in (GROUPS | metas).items():
            values = [
                (value, number) for value, number in facets.get(field, ()) if number != 0 or field == "state"
            ]
            if not values or (len(values) == 1 and field in metas):
                continue
            choices += [MenuChoice(""), MenuChoice(heading)]
            for value, number in values[:MOST]:
                count = "" if number is None else f"{number:,}"
                name = NAMES.get(value, value) if field in ("state", "is") else value
                take = partial(self._field.set_query, toggled(query, field, value))
                choices.append(MenuChoice(name, count, _stands(query, field, value), take))
        return choices

    def _saved(self) -> list[MenuChoice]:
        """The views that were saved under a name; saving this one, or forgetting it."""
        here, views = (self._field.value.strip(), self.order), self._screen.bench.views
        choices = [
            MenuChoice(
                name, query or ORDERS[order][0], (query, order) == here, partial(self._go_to, query, order)
            )
            for name, (query, order) in views.items()
            if order in ORDERS
        ]
        name = next((name for name, view in views.items() if view == here), "")
        if name:
            forget = partial(self._screen.bench.keep_view, name, None)
            choices.append(MenuChoice(f"forget “{name}”", take=forget))
        elif here != ("", "u"):
            choices.append(MenuChoice("save this view …", take=self._save))
        return [MenuChoice(""), MenuChoice("Saved views"), *choices] if choices else []

    def _go_to(self, query: str, order: Sorting) -> None:
        self._field.set_query(query)
        self.put(order)

    def _save(self) -> None:
        here, bench = (self._field.value.strip(), self.order), self._screen.bench

        def take(name: str) -> str | None:
            if name and name not in bench.views:
                bench.keep_view(name, here)
                self._screen.succeeded(f"saved: v lists {name}")
                return None
            return "there is a view of that name: type another one" if name else "a name, please"

        self._ask(PromptScreen("Name of this view", take))


def why_empty(query: Query, labels: Sequence[str]) -> str:
    """What to do about a view without samples; `labels` are those of the policy."""
    marks, known = query.marks, {name.lower() for name in labels}
    asked = (term.values for term in query.terms if term.field == "label" and not term.negated)
    unknown = [name for names in asked for name in names if name.strip().lower() not in known]
    facts = {
        f"There is no label {flat(', '.join(unknown))}; there is: {', '.join(labels)}.": unknown,
        "delta, auto, verified and cause: only reviewed samples have them.": query.by_value,
        "is:disputed: values differ by more than .10, people differ, or a flag.": "disputed" in marks,
        "lang: searches the language in a sample's meta.": any(t.field == "lang" for t in query.terms),
        "is: and flag: search your own reviews.": marks & {"stale", "offplan", "flagged", "fast"},
    }
    keys = f"{shown('escape')} shows all samples, / changes the search, v lists what there is."
    return "\n".join(["No sample fits this search.", *told(facts), "", keys])


def _stands(query: str, field: str, value: str) -> bool:
    return any(
        token.field == field and not token.negated and value in values_of(token.rest)
        for token in tokens(query)
    )


STATES: dict[State, str] = {
    "open": "nobody has looked into it yet",
    "explained": "both values stay; say why they differ",
    "fixed": "it leaves once the values agree",
}
"""What can become of a disagreement."""


class Settling:
    """Asks what became of a disagreement and writes it; `show` then reads the view again, at a sample.

    The state given last can be undone and redone on any screen, until a decision is written after it.
    """

    def __init__(self, screen: BaseScreen, show: Callable[[int], None]) -> None:
        self._screen, self._show = screen, show
        self.forget()

    def forget(self) -> None:
        """From now on undo and redo are about decisions."""
        self._steps: dict[Step, tuple[Dispute, Dispute]] = {}
        """What undo or redo changes: the disagreement now, and the one whose state it gets."""

    async def ask(self, dispute: Dispute) -> None:
        """A menu of the states."""
        choices = [
            MenuChoice(
                f"{state:<11}{(state == dispute.state and flat(dispute.note)) or what}",
                on=state == dispute.state,
                take=partial(self._settle, dispute, state),
            )
            for state, what in STATES.items()
        ]
        await self._screen.bench.ask(MenuScreen("What became of it?", choices))

    def _settle(self, dispute: Dispute, state: State) -> None:
        def take(note: str) -> str | None:
            if not note:
                return "what explains it?"
            self._start(dispute, state, note)
            return None

        if state == "explained":
            ask = PromptScreen("What explains it?", take, value=dispute.note)
            self._screen.work(partial(self._screen.bench.ask, ask))
        else:
            self._start(dispute, state, "")

    def _start(self, dispute: Dispute, state: State, note: str) -> None:
        """Keys wait until the view is read again: they are about what it shows then."""
        self._screen.hold_keys(partial(self._give, dispute, state, note), self._screen.unread)

    async def _give(self, dispute: Dispute, state: State, note: str) -> None:
        if state == dispute.state and note in ("", dispute.note):
            self._screen.say(f"{_standing(dispute)}: so it is already")
            self._screen.bench.open_gate()
            return
        disputes = await self._screen.bench.loaded("disputes")
        now: Dispute = await self._write(disputes.set_state, dispute, state, note)
        self._steps = {"undo": (now, dispute)}
        self._show(dispute.sample_id)
        self._screen.succeeded(_standing(now))

    async def step(self, step: Step) -> str:
        """Take the state back that was given last, or give it again; says what was done, "" for nothing."""
        if step not in self._steps:
            return ""
        disputes = await self._screen.bench.loaded("disputes")
        now, other = self._steps[step]
        await self._write(disputes.put_back, now, other)
        self._steps = {"redo" if step == "undo" else "undo": (other, now)}
        return f"{'undid' if step == 'undo' else 'redone'}: {_standing(other)} again"

    async def _write(self, write: Callable[..., R], dispute: Dispute, *args: object) -> R:
        """Write a state of a disagreement.

        Raises InputError when somebody else was first: there is nothing to try again, for the view is read
        anew and what this would have changed is gone.
        """
        desk = self._screen.bench.desk
        assert desk is not None  # a disagreement is of an open dataset
        try:
            return await desk.store.write(write, dispute, *args, desk.annotator)
        except ConflictError as error:
            self.forget()
            self._show(dispute.sample_id)
            raise InputError(str(error)) from error


def _standing(dispute: Dispute) -> str:
    return f"the disagreement on {short(dispute.id, 20, dispute.question)} is {dispute.stands}"
