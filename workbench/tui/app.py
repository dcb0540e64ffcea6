"""The app: bindings that hold everywhere, screen switching, and what happens at its edges."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widgets import Input

from workbench.errors import AmbiguousError, NotFoundError, WorkbenchError
from workbench.text.safe import clean
from workbench.tui.effort import Meter
from workbench.tui.gate import Gate
from workbench.tui.keys import Act, acts, key
from workbench.tui.safe import TerminalGuard, flat
from workbench.tui.screens.base import Dialog, Ordered
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.theme import DARK, LIGHT
from workbench.tui.work import start

if TYPE_CHECKING:
    from workbench.store.engine import Store
    from workbench.tui.desk import Desk

STYLES = Path(__file__).parent / "styles"
SHEETS = ("base", "queue", "review", "dialogs", "why", "pick", "tour")
PASTE_TAIL = 0.05
"""Seconds after a paste in which key presses are taken for its tail: a paste may smuggle an escape
sequence that ends it early, and the rest would arrive as keys."""


class WorkbenchApp(App[None]):
    """The terminal app over one database.

    `connect` opens the store; it is called in a thread after the first frame is on the screen.
    """

    CSS_PATH: ClassVar = [
        STYLES / f"{name}.tcss" for name in ("base", "queue", "review", "dialogs", "why", "pick", "tour")
    ]
    ENABLE_COMMAND_PALETTE = True
    ESCAPE_TO_MINIMIZE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        key("question_mark f1", "help", "Keys of this screen", "app.help", "Everywhere", "help"),
        key("ctrl+q", "quit", "Quit at once", "app.quit", "Everywhere"),
    ]

    def __init__(self, connect: Callable[[], Store], dataset: str | None, annotator: str) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        self.title = "Workbench"
        self.gate = Gate()
        self.meter = Meter()
        self.store: Store | None = None
        self.annotator = annotator
        self._connect = connect
        self._dataset = dataset
        self._guard = TerminalGuard()
        self._last_paste = float("-inf")
        self._leave_with = 0

    # Start: a frame first, then the store.

    def get_default_screen(self) -> Screen[None]:
        """The queue, which says "opening …" until the store is there."""
        return QueueScreen()

    def on_mount(self) -> None:
        """Paint, then open the store; leave the terminal as it was when told to go."""
        self.gate.close()
        self.call_after_refresh(self.open_store)
        if not self.is_headless:
            loop = asyncio.get_running_loop()
            for name in ("SIGTERM", "SIGHUP"):
                if hasattr(signal, name):  # Windows has no SIGHUP
                    number = getattr(signal, name)
                    loop.add_signal_handler(number, partial(self.exit, None, 128 + number))

    def open_store(self) -> None:
        """Open the store and the dataset beside the event loop, then show the queue; keys wait for it."""
        self.gate.close()
        start(self, self._open, group="open")

    async def _open(self) -> None:
        queue = self._queue()
        try:
            desk = await asyncio.to_thread(self._load)
            await queue.begin(desk)
        except AmbiguousError as error:
            await self.ask(queue.choice(error.choices))
            return
        except NotFoundError as error:
            queue.refuse(str(error), missing=True)
        except WorkbenchError as error:
            self._leave_with = 1
            queue.refuse(str(error))
        self.open_gate()

    def _load(self) -> Desk:
        """Runs in a thread: everything heavy is imported here, while "opening …" is on the screen."""
        if self.store is None:
            self.store = self._connect()
        import workbench.tui.screens.review  # noqa: F401
        from workbench.tui.desk import open_desk

        return open_desk(self.store, self._dataset, self.annotator)

    def choose_dataset(self, name: str) -> None:
        """Open this one of several datasets."""
        self._dataset = name
        self.open_store()

    def _queue(self) -> QueueScreen:
        queue = self.screen_stack[0]
        assert isinstance(queue, QueueScreen)
        return queue

    # Screens.

    async def review(self, desk: Desk, sample_id: int) -> None:
        """Open a sample for review."""
        from workbench.tui.screens.review import ReviewScreen

        self.gate.close()  # the review opens it again when the sample is painted
        await self.push_screen(ReviewScreen(desk, sample_id))

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

    async def action_help(self) -> None:
        """Show the keys of where one is."""
        from workbench.tui.screens.help import HelpScreen

        if isinstance(self.screen, Ordered):
            await self.ask(HelpScreen(acts(self.screen.active_bindings), self.screen.LEGEND))

    async def action_quit(self) -> None:
        """Leave; the exit code says whether the store could be opened."""
        self.exit(return_code=self._leave_with)

    # Keys, in order.

    async def on_event(self, event: events.Event) -> None:
        """Hand keys and pastes to our screens one by one; everything else goes the usual way."""
        if isinstance(event, events.MouseDown):
            self.meter.press(monotonic())
        elif isinstance(event, events.MouseEvent):
            self.meter.alive(monotonic())
        if isinstance(event, events.Paste):
            self._last_paste = event.time
        ordered = any(isinstance(screen, Ordered) for screen in self.screen_stack[-1:])
        if not ordered or event.is_forwarded:
            await super().on_event(event)
        elif isinstance(event, events.Key) and event.key != "ctrl+q":
            if event.time - self._last_paste < PASTE_TAIL:
                self._last_paste = event.time
                return
            await self.gate.enter(partial(self._key, event))
        elif isinstance(event, events.Paste):
            await self.gate.enter(partial(self._paste, event))
        else:
            await super().on_event(event)

    async def _key(self, event: events.Key) -> None:
        self.meter.press(monotonic())  # when its turn comes: a key typed ahead belongs to the next sample
        focused = self.focused
        if isinstance(focused, Input) and event.is_printable and event.character:
            focused.replace(event.character, *sorted(focused.selection))
            return
        active = self.screen.active_bindings.get(event.key)
        if active is None:
            await super().on_event(event)
        elif active.enabled:
            await self.run_action(active.binding.action, active.node)
        elif isinstance(self.screen, Ordered):
            self.screen.refused(active.binding.action)

    async def _paste(self, event: events.Paste) -> None:
        focused = self.focused
        if isinstance(focused, Input):
            focused.replace(flat(event.text.strip()), *sorted(focused.selection))

    def perform(self, act: Act) -> None:
        """Do what a key would do: after everything that was pressed before."""

        async def run() -> None:
            await self.run_action(act.binding.binding.action, act.binding.node)

        self.call_later(self.gate.enter, run)

    def open_gate(self) -> None:
        """Let the keys that waited run, in the app's own turn."""
        self.gate.open()
        self.call_later(self.gate.drain)

    # The palette.

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every action of the screen, then the theme and the way out."""
        for act in acts(screen.active_bindings, digits_as_one=False):
            keys = " ".join(act.keys)
            yield SystemCommand(act.description, f"{act.group} · {keys}", partial(self.perform, act))
        yield SystemCommand("Theme", "Light, dark and others", self.action_change_theme)

    # The edges.

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The last wall against text that steers the terminal."""
        return [*super().get_line_filters(), self._guard]

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by OSC 52; what leaves is as clean as what is shown."""
        super().copy_to_clipboard(clean(text))

    def _fatal_error(self) -> None:
        """A crash says where it happened and nothing of the data (no message, no local values)."""
        error = self._exception
        lines = ["Workbench stopped because of an error of its own. What was shown as saved is saved."]
        while error is not None:
            lines.append(f"{type(error).__module__}.{type(error).__qualname__} at")
            lines += [
                f"  {Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
                for frame, line in walk_tb(error.__traceback__)
            ][-12:]
            error = getattr(error, "error", None) or error.__cause__  # type: ignore[assignment]
        if not self._exit_renderables:  # the first error; others are its echoes
            self._exit_renderables.append(Text("\n".join(lines)))
        self._close_messages_no_wait()


def run(connect: Callable[[], Store], dataset: str | None, annotator: str) -> int:
    """Run the app until the person leaves; returns the exit code.

    `connect` opens the store, `dataset` None means the only one. The caller has checked that there is
    a terminal. Writes that are under way are finished before this returns.
    """
    app = WorkbenchApp(connect, dataset, annotator)
    try:
        app.run()
    finally:
        if app.store is not None:
            app.store.close()
    return app.return_code or 0
