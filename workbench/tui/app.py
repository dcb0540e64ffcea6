"""The app: bindings that hold everywhere, screen switching, and what happens at its edges."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import ge
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rich.text import Text
from textual import events
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.command import CommandPalette
from textual.css.query import NoMatches
from textual.filter import LineFilter
from textual.screen import Screen

from workbench.errors import AmbiguousError, NotFoundError, WorkbenchError
from workbench.tui import presses
from workbench.tui.commands import DatasetCommands, Palette, SampleCommands, may_leave, system_commands
from workbench.tui.effort import Meter
from workbench.tui.gate import Gate
from workbench.tui.keys import Act, acts, key
from workbench.tui.own import EVERY, OwnApp
from workbench.tui.safe import TerminalGuard, crash_text
from workbench.tui.screens.base import Again, Dialog, Ordered
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.tour import ROOM as TOUR_ROOM
from workbench.tui.screens.tour import TourScreen
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.model import Kind
    from workbench.stages.review import Moved
    from workbench.store.engine import Store
    from workbench.tui.desk import Desk
    from workbench.tui.proposing import Going

STYLES = Path(__file__).parent / "styles"
SHEETS = (
    "base", "queue", "review", "dialogs", "why", "pick", "tour", "runs",
    "plan", "calibrate", "compare",
)  # fmt: skip
QUIET = 0.4
"""Seconds after the queue is there until the rest is loaded, so that its rows are painted first."""


class WorkbenchApp(OwnApp):
    """The terminal app over one database.

    `connect` opens the store; it is called in a thread after the first frame is on the screen. `tour` shows
    the first steps once, `notice` what a person should know of the terminal. `begin_with` is opened right
    away: the next sample, or some that were picked to be audited. The rest is a person's own.
    """

    CSS_PATH: ClassVar = [STYLES / f"{name}.tcss" for name in SHEETS]
    COMMANDS = OwnApp.COMMANDS | {SampleCommands, DatasetCommands}
    ENABLE_COMMAND_PALETTE = True
    ESCAPE_TO_MINIMIZE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        key("question_mark f1", "help", "Keys of this screen", "app.help", EVERY, "help"),
    ]

    def __init__(
        self,
        connect: Callable[[], Store],
        dataset: str | None,
        annotator: str,
        *,
        theme: str = "",
        keymap: Mapping[str, str] | None = None,
        tour: bool = False,
        begin_with: Literal["next"] | tuple[int, ...] | None = None,
        remember: Callable[..., None] | None = None,
        notice: str = "",
    ) -> None:
        super().__init__(theme=theme, keymap=keymap, remember=remember)
        self._tour = tour
        self._begin_with = begin_with
        self._notice = notice
        self.title = "Workbench"
        self.gate = Gate()
        self.meter = Meter()
        self.pressed_at = 0.0
        self.store: Store | None = None
        self.annotator = annotator
        self.proposing: Going | None = None
        self._connect = connect
        self._dataset = dataset
        self._guard = TerminalGuard()
        self.last_paste = float("-inf")
        self._leave_with = 0

    # Start: a frame first, then the store.

    def get_default_screen(self) -> Screen[None]:
        """The queue, which says "opening …" until the store is there."""
        return QueueScreen()

    def on_mount(self) -> None:
        """Paint, then open the store; leave the terminal as it was when told to go."""
        self.gate.close()
        self.call_after_refresh(self.open_store)
        if self._notice:
            self.notify(self._notice, severity="warning", timeout=15, markup=False)
        if not self.is_headless:
            loop = asyncio.get_running_loop()
            for name in ("SIGTERM", "SIGHUP"):
                if hasattr(signal, name):  # Windows has no SIGHUP
                    number = getattr(signal, name)
                    loop.add_signal_handler(number, partial(self.exit, None, 128 + number))

    def refresh_css(self, animate: bool = True) -> None:
        """As everywhere; before the first screen the theme's colours are enough.

        The library would parse all styles here, 20 ms before the first frame, and then once more.
        """
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def open_store(self) -> None:
        """Open the store and the dataset beside the event loop, then show the queue; keys wait for it."""
        self.gate.close()
        start(self, self._open, group="open")

    async def _open(self) -> None:
        queue = self._queue()
        try:
            desk = await asyncio.to_thread(self._load)
            await queue.begin(desk)
            if self._begin_with is not None:
                start_with, self._begin_with = self._begin_with, None
                await queue.begin_with(() if start_with == "next" else start_with)
                return
            if self._tour and all(map(ge, self.size, TOUR_ROOM)):
                self._tour = False
                self.keep(tour_seen=True)
                await self.action_tour()
                return
        except AmbiguousError as error:
            await self.ask(queue.choice(error.choices))
            return
        except NotFoundError as error:
            queue.refuse(str(error), missing=True)
        except WorkbenchError as error:
            self._leave_with = 1
            queue.refuse(str(error))
        finally:
            if not self.is_headless:
                self.set_timer(
                    QUIET, partial(start, self, partial(asyncio.to_thread, _get_ready), group="ready")
                )
        self.open_gate()

    def _load(self) -> Desk:
        """Runs in a thread: everything heavy is imported here, while "opening …" is on the screen."""
        if self.store is None:
            self.store = self._connect()
        from workbench.tui.desk import open_desk

        return open_desk(self.store, self._dataset, self.annotator)

    def choose_dataset(self, name: str) -> None:
        """Open this one of several datasets."""
        self._dataset = name
        self.open_store()

    async def open_other_file(self) -> None:
        """Close the file that was open and open the one that its path leads to now."""
        await self.leave_for_queue()
        self.gate.close()
        store, self.store = self.store, None
        if store is not None:
            await asyncio.to_thread(store.close)
        self.open_store()

    def _queue(self) -> QueueScreen:
        queue = self.screen_stack[0]
        assert isinstance(queue, QueueScreen)
        return queue

    # Screens.

    async def review(
        self,
        desk: Desk,
        sample_id: int,
        arrival: tuple[str, Moved] | None = None,
        *,
        kind: Kind | None = None,
        picked: bool = False,
    ) -> None:
        """Open a sample for review; `arrival` is the undo or redo that leads there, and its word.

        `picked`: it was chosen by hand, so a new review is no part of a random sample.
        """
        from workbench.tui.screens.review import ReviewScreen

        self.gate.close()  # the review opens it again when the sample is painted
        screen = ReviewScreen(desk, sample_id, arrival[1].kind if arrival else kind, picked=picked)
        screen.arrival = arrival
        await self.push_screen(screen)

    async def ask(self, dialog: Dialog) -> None:
        """Put a dialog over the screen; keys wait until it can take them."""
        self.gate.close()
        await self.push_screen(dialog)

    async def back_to_queue(self, at: int | None, said: str = "") -> None:
        """Leave the review; the keys that waited go to the queue."""
        await self.pop_screen()
        self.meter.look_at(None, monotonic())
        self._queue().returned(at, said)
        self.open_gate()

    async def compare(self, at: int | None, again: Again) -> None:
        """Leave the review for the figures; keys wait until those are there. `again` opens the review."""
        await self.leave_for_queue()
        self._queue().returned(at, "")
        await self._queue().action_compare(again)

    async def show_runs(self) -> None:
        """To the runs from wherever one may leave."""
        if may_leave(self.screen):
            await self.leave_for_queue()
            await self._queue().action_runs()

    async def back_from_runs(self) -> None:
        """Leave the runs; the queue reads again what a run may have changed."""
        await self.pop_screen()
        self._queue().action_reread()

    async def back_from_plan(self, *, changed: bool = False, go_on: bool = False) -> None:
        """Leave the plan; the queue reads its order again, or goes on with the next sample of it."""
        await self.pop_screen()
        self._queue().planned(changed=changed, go_on=go_on)

    def propose(self, going: Going) -> None:
        """Watch a run that was started, on whatever screen one is."""
        from workbench.tui.proposing import watch

        self.proposing = going
        watch(self, going)

    @property
    def desk(self) -> Desk | None:
        """The open dataset, once it is open."""
        return self._queue().desk

    async def leave_for_queue(self) -> None:
        """Back to the queue from wherever one is; what was typed in a dialog is gone."""
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        self.meter.look_at(None, monotonic())

    async def action_tour(self) -> None:
        """Show the first steps, with the keys as they are now."""
        await self.ask(TourScreen(self.keymap))

    async def action_help(self) -> None:
        """Show the keys of where one is."""
        from workbench.tui.screens.help import HelpScreen

        if isinstance(self.screen, TourScreen):
            await self.pop_screen()
        if isinstance(self.screen, Ordered):
            await self.ask(HelpScreen(acts(self.screen.active_bindings), self.screen.LEGEND))

    async def action_quit(self) -> None:
        """Leave, while a run goes on only when asked to twice."""
        from workbench.tui.screens.runs_form import LeaveScreen

        running = self.proposing is not None and self.proposing.alive
        if running and not isinstance(self.screen, LeaveScreen):
            await self.ask(LeaveScreen(self.leave))
        else:
            self.leave()

    def leave(self) -> None:
        """Leave; the exit code says whether the store could be opened. A run is stopped after the screen."""
        self.exit(return_code=self._leave_with)

    # Keys, in order.

    async def on_event(self, event: events.Event) -> None:
        """Hand keys and pastes to our screens one by one; everything else goes the usual way."""
        await presses.take(self, event, super().on_event)

    def perform(self, act: Act) -> None:
        """Do what a key would do: after everything that was pressed before."""
        self.call_later(self.gate.enter, partial(presses.act, self, act))

    @staticmethod
    def clock() -> float:
        """Seconds of the clock that events are stamped with."""
        return events.Event().time

    def open_gate(self) -> None:
        """Let the keys that waited run, in the app's own turn."""
        self.gate.open()
        self.call_later(self.gate.drain)

    # The palette.

    def action_command_palette(self) -> None:
        """Show it, as the library does."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every action of the screen, then the theme and the first steps."""
        return system_commands(self, screen)

    # The edges.

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The last wall against text that steers the terminal."""
        return [*super().get_line_filters(), self._guard]

    def _handle_exception(self, error: Exception) -> None:
        """As everywhere; a screen that is opened while the app leaves is not filled, and does not matter."""
        if self.return_code is None or not isinstance(error, NoMatches):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """A crash says where it happened and nothing of the data (no message, no local values)."""
        if not self._exit_renderables:  # the first error; others are its echoes
            self._exit_renderables.append(Text(crash_text(self._exception)))
        self._close_messages_no_wait()


def _get_ready() -> None:
    """Load what the first review needs, then collect again, leaving out what is there by now.

    Without that a full collection walks 400,000 objects of the libraries and holds a key up for 80 ms.
    """
    import workbench.tui.screens.review  # noqa: F401

    gc.freeze()
    gc.enable()
