"""What became of a disagreement, as somebody says in the queue, and taking that back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from workbench.text.safe import flat
from workbench.tui.cells import short
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import MenuChoice, MenuScreen, PromptScreen

if TYPE_CHECKING:
    from workbench.comparing.disputes import State
    from workbench.stages.disputes import Dispute

STATES: dict[State, str] = {
    "open": "nobody has looked into it yet",
    "explained": "both values stay; say why they differ",
    "fixed": "the cause is gone; it leaves once the values agree",
}
"""What can become of a disagreement."""


class Settling:
    """Asks what became of a disagreement and writes it; `show` then reads the view again, at a sample."""

    def __init__(self, screen: BaseScreen, show: Callable[[int], None]) -> None:
        self._screen, self._show = screen, show
        self.last: tuple[Dispute, Dispute] | None = None
        """What `u` takes back: before, and now; None once `u` is about decisions."""

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
        await self._screen.bench.ask(MenuScreen("What became of this disagreement?", choices))

    def _settle(self, dispute: Dispute, state: State) -> None:
        def take(note: str) -> str | None:
            if not note:
                return "what explains it?"
            self._screen.work(partial(self._keep, dispute, state, note))
            return None

        if state == "explained":
            ask = PromptScreen("What explains it?", take, value=dispute.note)
            self._screen.work(partial(self._screen.bench.ask, ask))
        else:
            self._screen.work(partial(self._keep, dispute, state, ""))

    def undo(self) -> bool:
        """Take the state back that was given last; False where there is none."""
        if self.last is None:
            return False
        before, now = self.last
        self._screen.work(partial(self._keep, now, before.state, before.note, undoes=True))
        return True

    async def _keep(self, dispute: Dispute, state: State, note: str, *, undoes: bool = False) -> None:
        from workbench.stages.disputes import set_state

        desk = self._screen.bench.desk
        assert desk is not None  # a disagreement is of an open dataset
        now = await desk.store.write(set_state, dispute, state, note, desk.annotator)
        self.last = None if undoes else (dispute, now)
        self._show(dispute.sample_id)
        name = short(dispute.id, 20, dispute.question)
        message = f"the disagreement on {name} is {now.stands}"
        self._screen.say(f"undid: {message} again" if undoes else message, sign="✓", tone="good")
