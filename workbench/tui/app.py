"""The app: bindings that hold everywhere, keys and pastes in order, its edges, and running it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.color import Color
from textual.command import CommandPalette
from textual.css.query import NoMatches
from textual.filter import LineFilter
from textual.geometry import Offset
from textual.screen import Screen
from textual.widgets import Input

from workbench.settings import Settings, read_state, remember, state_path
from workbench.text.safe import flat
from workbench.tui.bench import Bench
from workbench.tui.commands import Actions, Palette, system_commands
from workbench.tui.keys import acts, bindings, keymap, letter
from workbench.tui.screens.base import BaseScreen, Ordered
from workbench.tui.screens.dialogs import ConfirmScreen, PromptScreen
from workbench.tui.screens.help import HelpScreen, TourScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.saver import Saver
from workbench.tui.themes import SIXTEEN, chosen_theme
from workbench.tui.widgets.bars import Status
from workbench.tui.work import LEAVING, Entered, finish

if TYPE_CHECKING:
    from workbench.store.engine import Store


STYLES = Path(__file__).parent / "styles"
SHEETS = ("base", "queue", "review", "dialogs", "pick", "tour")
"""Those that the app starts with; a room has its own, which the library reads when it is opened."""

PASTE_TAIL = 0.05
"""Seconds after a paste in which key presses are taken for its tail: a paste may smuggle an escape
sequence that ends it early, and the rest would arrive as keys."""

NO_KEY, IN_QUEUE = "does nothing here; ? shows the keys", "does nothing here; it works in the queue"
NOT_YET = "does nothing while this is open; esc closes it"
"""What you are told about a key that does nothing here; of the queue, and in a dialog."""

IGNORED = "Ignored: a paste, or too many keys at once. Nothing was changed; press keys one by one."
"""The message about a paste where no field takes it."""

WORD = 0.3
"""Seconds between two letters of one word: those typed right behind one that picked are no commands."""

TYPED_ON = "One letter picked it; the letters typed right behind it were ignored."
"""The message about the rest of a word."""


class TerminalGuard(LineFilter):
    """Strips from every drawn line what could steer the terminal.

    Widgets clean their text themselves; this catches what a widget of the library, a toast or a future
    screen forgets. A break or tab inside a line would tear the layout as well, so both become a space.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments, without control and bidirectional characters."""
        return [
            segment
            if segment.control or (text := flat(segment.text)) == segment.text
            else Segment(text, segment.style)
            for segment in segments
        ]


GUARD = TerminalGuard()
"""The one of the app: the library keeps a filtered line by its filter, and paints it from there."""


def crash_text(error: BaseException | None) -> str:
    """The error and its causes by their types and places; no message, no local values."""
    lines = ["Workbench stopped because of an error of its own. What was shown as saved is saved."]
    while error is not None:
        lines.append(f"{type(error).__module__}.{type(error).__qualname__} at")
        lines += [
            f"  {Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
            for frame, line in walk_tb(error.__traceback__)
        ][-12:]
        error = getattr(error, "error", None) or error.__cause__
    return "\n".join(lines)


class WorkbenchApp(Bench):
    """The terminal app over one database."""

    TITLE = "Workbench"

    CSS_PATH: ClassVar = [STYLES / f"{name}.tcss" for name in SHEETS]
    COMMANDS: ClassVar = {Actions}
    ENABLE_COMMAND_PALETTE = True
    ESCAPE_TO_MINIMIZE = False
    BINDINGS = bindings("app help")
    ROOMS: ClassVar = {
        "desk": "workbench.stages.desk:open_desk",
        "training": "workbench.stages.training:admitted",
        "values": "workbench.stages.queue_values",
        "disputes": "workbench.stages.disputes",
        "review": "workbench.tui.screens.review:ReviewScreen",
        "resolve": "workbench.tui.screens.resolve:ResolveScreen",
        "agree": "workbench.tui.screens.agree:AgreeScreen",
        "compare": "workbench.tui.screens.compare:CompareScreen",
        "calibrate": "workbench.tui.screens.calibrate:CalibrateScreen",
        "plan": "workbench.tui.screens.plan:PlanScreen",
        "runs": "workbench.tui.screens.runs:RunsScreen",
        "why": "workbench.tui.screens.why:open_why",
        "files": "workbench.tui.files",
        "tour": "workbench.tui.screens.help:TourScreen",
    }

    _last_paste = float("-inf")
    _click: tuple[Offset, Screen[Any] | None, float] = Offset(), None, 0.0

    def get_default_screen(self) -> Screen[None]:
        """The queue, which says "opening …" until the store is there."""
        return QueueScreen()

    def on_mount(self) -> None:
        """Paint, then open the store; leave the terminal as it was when told to go."""
        self.app_resume_signal.subscribe(
            self, lambda _app: self.refresh(layout=True)
        )  # not only what changed
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

    async def action_tour(self) -> None:
        """Show the first steps, with the keys as they are now."""
        await self.ask(TourScreen(self.keymap))

    async def action_help(self) -> None:
        """Show the keys of where one is."""
        if isinstance(self.screen, TourScreen):
            await self.pop_screen()
        if isinstance(self.screen, Ordered):
            await self.ask(HelpScreen(acts(self.screen.active_bindings), self.screen))

    async def action_quit(self) -> None:
        """Leave; while a run goes on, or over a line that is half typed, only when asked to twice."""
        if self.screen.id != "leave" and self.proposing is not None and self.proposing.is_alive():
            await self.ask(ConfirmScreen("Stop the run and leave?", LEAVING, self.leave, id="leave"))
        elif isinstance(self.screen, PromptScreen) and self.screen.begun:
            await self.ask(ConfirmScreen("Leave?", "What you typed is not saved.", self.leave, id="leave"))
        else:
            self.leave()

    def leave(self) -> None:
        """Leave; the exit code is 1 where the store could not be opened or something is not saved.

        A run is stopped after the screen.
        """
        savers = [saver for screen in self.screen_stack for saver in screen.query(Saver)]
        lost = [saver.failure.what for saver in savers if saver.failure is not None]
        message = Text(flat(f"You left with something not saved: {'; '.join(lost)}.")) if lost else None
        self.exit(return_code=1 if lost else self._leave_with, message=message)

    # Keys and pastes: each acts on the state that the one before left, and none acts unseen.

    async def on_event(self, event: events.Event) -> None:
        """Hand keys and pastes to our screens one by one; everything else goes the usual way."""
        ordered = any(isinstance(screen, Ordered) for screen in self.screen_stack[-1:])
        pressed = isinstance(event, events.Key)
        quits = isinstance(event, events.Key) and event.key == "ctrl+q"
        acts_here = pressed or isinstance(event, (events.Paste, events.MouseDown))
        if self.unseen() and ordered and acts_here and not quits:
            return  # here already: behind a gate that waits for painting it would act once there is room
        if isinstance(event, events.MouseDown):
            self.meter.press(monotonic())
            (at, on, time), self._click = self._click, (event.screen_offset, self.screen, event.time)
            soon = event.time - time < self.CLICK_CHAIN_TIME_THRESHOLD
            if soon and at == event.screen_offset and on is not self.screen:
                return  # the second half of a double click, whose first half opened or closed a screen
        elif isinstance(event, events.MouseEvent):
            self.meter.alive(monotonic())
            aside, down = event.screen_offset - self._click[0]
            if isinstance(event, events.MouseUp) and (down or abs(aside) > 1):  # one cell: a hand that shakes
                self._mouse_down_widget = None  # a drag, and where it ends nothing was clicked
        after_paste = event.time - self._last_paste
        if isinstance(event, events.Paste) or (pressed and ordered and after_paste < PASTE_TAIL):
            self._last_paste = event.time
        if ordered and event.is_forwarded and pressed:
            return  # it had its turn; the library would look it up anew, on whatever screen is there by now
        in_turn = ordered and not event.is_forwarded and not quits
        if in_turn and isinstance(event, events.Key):
            if after_paste >= PASTE_TAIL:
                await self.gate.enter(partial(self._key, event))
        elif in_turn and isinstance(event, events.Paste):
            await self.gate.enter(partial(self._paste, event))
        else:
            await super().on_event(event)

    async def _key(self, event: events.Key) -> None:
        if self.unseen():
            return  # it was typed before the window shrank
        typed = letter(event.character or "") and isinstance(self.screen, BaseScreen)
        if typed and event.time - self.picked_at < WORD:
            self.picked_at = event.time
            self.tell(TYPED_ON, "warn")
            return
        self.meter.press(monotonic())  # when its turn comes: a key typed ahead belongs to the next sample
        self.pressed_at = event.time
        focused = self.focused
        if isinstance(focused, Input) and event.is_printable and event.character:
            focused.replace(event.character, *sorted(focused.selection))
            return
        active = self.screen.active_bindings.get(event.key)
        if active is None and isinstance(self.screen, TourScreen):
            await self.pop_screen()
            active = self.screen.active_bindings.get(event.key)
        screen = self.screen
        if active is None:
            text = event.character if event.is_printable else None
            if not (text and isinstance(screen, Ordered) and await screen.takes(text)):
                await super().on_event(event)
                bars = [bar for one in self.screen_stack for bar in one.query(Status)]
                failed = any(bar.text and bar.said[-1] == "bad" for bar in bars)
                if text and isinstance(screen, Ordered) and not failed:
                    there = event.key in self.screen_stack[0].active_bindings
                    why = NOT_YET if screen.is_modal else IN_QUEUE if there else NO_KEY
                    self.tell(f"{flat(text)} {why}")
        elif active.enabled:
            done = await self.run_action(
                active.binding.action, active.node
            )  # a field may have nothing to copy
            # here and not in the library's turn, when another screen may be there
            if not done and not await self._check_bindings(event.key, priority=True):
                await self._check_bindings(event.key)
        elif isinstance(screen, Ordered):
            screen.refused(active.binding.action.partition("(")[0])

    async def _paste(self, event: events.Paste) -> None:
        if self.unseen():
            return
        text, screen = flat(event.text.strip()), self.screen
        if isinstance(self.focused, Input):
            self.focused.replace(text, *sorted(self.focused.selection))
            if isinstance(event, Entered):
                await self._key(events.Key("enter", "\r"))
        elif not (isinstance(screen, Ordered) and await screen.takes_text(text)):
            self.tell(IGNORED, "warn")

    # The palette.

    def action_command_palette(self) -> None:
        """Show it, as the library does."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))

    get_system_commands = system_commands

    # The edges.

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The last wall against text that steers the terminal."""
        return [*super().get_line_filters(), GUARD]

    def _handle_exception(self, error: Exception) -> None:
        """The library's; a screen that is opened while the app leaves is not filled, and does not matter."""
        if self.return_code is None or not isinstance(error, NoMatches):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """A crash says where it happened and nothing of the data (no message, no local values)."""
        if not self._exit_renderables:  # the first error; others are its echoes
            self._exit_renderables.append(Text(crash_text(self._exception)))
        self._close_messages_no_wait()


def run(
    connect: Callable[[], Store],
    dataset: str | None,
    annotator: str,
    settings: Settings,
    start: Literal["next"] | tuple[int, ...] | None = None,
) -> int:
    """Run the app until the person leaves; returns the exit code.

    `connect` opens the store; `dataset` None means the only one. `start`: begin with the next sample, or
    with some samples that were picked to be audited, not in the queue. The caller has checked that there is
    a terminal. Writes that are under way are finished before this returns. Raises UsageError for settings
    that name an action or a key that does not exist.
    """
    path = state_path()
    state = read_state(path)
    theme = chosen_theme(state)
    app = WorkbenchApp(
        connect,
        dataset,
        annotator,
        theme=theme,
        keymap=keymap(settings),
        tour=not state.tour_seen and start is None,
        begin_with=start,
        remember=partial(remember, path),
        notice=locale_notice(os.environ),
        views=state.views,
    )
    if not theme and app.console.color_system == "standard":
        app.theme = SIXTEEN
    try:
        app.run()
    finally:
        if app.proposing is not None:
            finish(app.proposing)
        if app.store is not None:
            app.store.close()
    return app.return_code or 0


def locale_notice(environment: Mapping[str, str]) -> str:
    """What to do where letters appear as ? or _: the locale names no UTF-8, and a terminal believes it."""
    given = next((locale for name in ("LC_ALL", "LC_CTYPE", "LANG") if (locale := environment.get(name))), "")
    if os.name != "posix" or not given or "utf" in given.lower():
        return ""
    return (
        f"Your locale {flat(given)} is not UTF-8. If letters appear as ? or _, "
        "leave, set LC_ALL=C.UTF-8 and start again (tmux: start it with -u)."
    )
