"""What all screens of the app share: keys in order, a key bar, the app with its own type."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial, partialmethod
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen

from workbench.errors import WorkbenchError
from workbench.reports import suggested
from workbench.text.lists import sections
from workbench.text.safe import flat
from workbench.tui.bench import TINY, Bench, TooSmall, too_small
from workbench.tui.keys import KeyAct, bindings
from workbench.tui.widgets.bars import DIM, Bar, Head, KeyBar, SectionBar, Status, write
from workbench.tui.widgets.lines import Lines
from workbench.tui.work import Work, start

if TYPE_CHECKING:
    from workbench.stages.desk import Desk

TEXTS = sections(__name__)
"""What screens say of a choice, and where nothing is there."""

TICK = 0.25
"""Seconds after which it is mentioned that something is still being read, and between two looks at it."""


class Ordered(Screen[None]):
    """A screen whose keys run one after another, each on the state that the one before left."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012

    @property
    def bench(self) -> Bench:
        """The app, with its own type."""
        return cast("Bench", self.app)

    def on_resize(self, event: events.Resize) -> None:
        """Cover the screen while nothing of it could be shown honestly."""
        tiny = too_small(event.size)
        self.set_class(tiny, TINY)
        if tiny and not self.query(TooSmall):
            self.mount(TooSmall())
        self.call_after_refresh(self.resized)

    def resized(self) -> None:
        """Its widgets have the sizes that fit the terminal now."""

    def closed(self, _action: str) -> str | None:
        """The reason why an action is not possible now. None: it is possible; "": no message is shown."""
        return None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The library's question: None for a key that does nothing now and is still listed."""
        return True if self.closed(action) is None else None

    def refused(self, _action: str) -> None:
        """A key was pressed whose action is not possible now; a screen says why."""

    async def takes(self, _character: str) -> bool:
        """A character was typed that no key is bound to; True when the screen took it."""
        return False

    async def takes_text(self, _text: str) -> bool:
        """A paste came and no field is there; True when the screen took it."""
        return False

    def hold_keys(self, work: Work, failed: Callable[[Exception], None] | None = None) -> None:
        """Do it beside the event loop while keys wait; what it opens, or it, lets them run."""
        self.bench.gate.close()
        start(self, work, group="work", failed=failed)

    # A list to move in, for a screen that has one.

    def action_move(self, step: int) -> None:
        """To another line of the list."""
        self.query_one(Lines).move(step)

    def action_page(self, step: int) -> None:
        """A page of the list."""
        self.query_one(Lines).move_page(step)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """The cursor moved to a line; a click opens what is there."""
        event.stop()
        self.moved()
        if event.clicked:
            self.bench.in_turn(self.action_open)

    def moved(self) -> None:
        """The cursor of the list moved."""

    async def action_open(self) -> None:
        """Open what is under the cursor."""

    def action_back(self) -> Awaitable[None] | None:
        """Back to the screen below."""
        self.app.pop_screen()
        return None

    def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """A click on the key bar is the key."""
        event.stop()
        self.bench.perform(event.act)


class BaseScreen(Ordered):
    """A screen that fills the terminal, with a line that says what happened."""

    SHOWS_RUNS: ClassVar = False
    """Whether the screen says how a run ends."""

    def compose(self) -> ComposeResult:
        """The head, what the screen shows, what happened, the keys."""
        steps = self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS
        for cells, of_side in zip(self.app.size, steps, strict=True):  # else all is styled and laid out twice
            self.add_class(max(step for step in of_side if step[0] <= cells)[1])
        yield Head(id="head")
        yield from self.body()
        yield Status(id="status")
        yield KeyBar(self.key_word, id="keys")

    def body(self) -> ComposeResult:
        """What stands between the head and the status line."""
        yield from ()

    def empty(self, text: str) -> None:
        """Say why there is nothing to show; "" shows what there is. The style sheets hide the rest."""
        write(self, "#empty", "\n".join(map(flat, suggested(text).split("\n"))))
        self.set_class(bool(text), "-empty")

    def key_word(self, act: KeyAct) -> str:
        """The word of a key in the bar."""
        return act.footer

    def refused(self, action: str) -> None:
        """Say why a key does nothing now."""
        if why := self.closed(action):
            self.say(why)

    async def action_room(self, name: str) -> None:
        """The plan, the figures, agreement, the match threshold or the runs of this dataset."""
        await self.bench.open(name, self.bench.desk)

    def copy(self, text: str) -> None:
        """Copy what is selected with the mouse, else a text."""
        text = self.get_selected_text() or text
        self.app.copy_to_clipboard(text)
        self.say(f"copied: {text}")

    def say(self, text: str, *, sign: str = "", tone: str = "") -> None:
        """Put it on the status line."""
        if status := self.query_one_optional(Status):  # none when the app is leaving
            status.say(flat(suggested(text)), sign=sign, tone=tone)

    succeeded = partialmethod(say, sign="✓", tone="good")
    """Say what was done."""
    warn = partialmethod(say, tone="warn")
    """Say what is in the way."""

    @contextmanager
    def telling(self, what: str, unit: str = "") -> Iterator[Callable[[int], None]]:
        """Show `what` on the status line when it takes long, then what stood there before.

        You call the function with the number done.
        """
        done, said, before = 0, "", ("", "", "")

        def count(number: int) -> None:
            nonlocal done
            done = number

        def tell() -> None:
            nonlocal said, before
            for status in self.query(Status):
                before = before if status.text == said else status.said
            said = f"{what} … {done:,}{unit}" if done else f"{what} …"
            self.say(said)

        timer = self.set_interval(TICK, tell)
        try:
            yield count
        finally:
            timer.stop()
            for status in self.query(Status):
                if said and status.text == said:
                    text, sign, tone = before
                    status.say(text, sign=sign, tone=tone)

    def work(self, work: Work) -> None:
        """Do it beside the event loop while keys wait; what goes wrong is said."""
        self.hold_keys(partial(self.then_open, work), self.unread)

    async def then_open(self, work: Work) -> None:
        """Do it, then let keys run."""
        await work()
        self.bench.open_gate()

    def unread(self, error: Exception) -> None:
        """Say what could not be done, then let keys run."""
        self.say(str(error), sign="!", tone="warn" if isinstance(error, WorkbenchError) else "bad")
        self.bench.open_gate()


class Room(BaseScreen):
    """A screen over the queue, about its dataset: read next to the event loop while keys wait."""

    NAME: ClassVar = ""
    PARTS: ClassVar = 0
    """How many parts it has, one of which is shown."""
    UNREAD: ClassVar = ""
    """What stands before the reason why there is nothing to show."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.at = 1  # the part that is shown

    def on_mount(self) -> None:
        """Read it; the status line says how far that is."""
        self.entitle()
        self.work(self.read)

    def entitle(self) -> None:
        """Say in the head where one is."""
        self.query_one(Head).place(self.NAME, self.desk.info.name, self.desk.annotator)

    async def read(self) -> None:
        """Read what the screen shows, and show it."""

    def unread(self, error: Exception) -> None:
        """Say why it could not be read; an empty screen shows the reason where its content would be."""
        if self.has_class("-empty"):
            self.empty(f"{self.UNREAD}{error}")
        super().unread(error)

    def action_reread(self) -> None:
        """Read again: others review too."""
        self.say("")
        self.work(self.read)

    def action_section(self, number: int) -> None:
        """Show a part."""

    def action_turn(self, step: int) -> None:
        """The part next to this one, round the end."""
        self.action_section((self.at - 1 + step) % self.PARTS + 1)

    def on_section_bar_asked(self, event: SectionBar.Asked) -> None:
        """A part was clicked."""
        event.stop()
        self.action_section(event.number)


class Dialog(Ordered, ModalScreen[None]):
    """A small screen over another one, which stays visible; a `title` is its first line.

    Keys wait until it is there: what is typed right behind the key that opens it belongs to it.
    """

    BINDINGS = bindings("dialog")

    def __init__(self, title: str = "", hint: str = "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._titled = [Bar([(title, "bold")], [(hint, DIM)] if hint else (), id="title")] if title else []

    def compose(self) -> ComposeResult:
        """A box; the style sheets say where it lies."""
        with Vertical(id="box"):
            yield from self._titled
            yield from self.body()

    def body(self) -> ComposeResult:
        """What stands in the box."""
        yield from ()

    def on_mount(self) -> None:
        """Ready, a dialog's own mounting done: let the keys run."""
        self.bench.open_gate()

    def action_cancel(self) -> None:
        """Close without doing anything."""
        self.app.pop_screen()
