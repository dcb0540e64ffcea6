"""The app as its screens know it: keys in order, what a sample costs, from screen to screen, the shell."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from operator import ge
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, cast

from textual.app import App
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.driver import Driver
from textual.events import Event
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from workbench import reports
from workbench.errors import AmbiguousError, AwayError, NotFoundError, WorkbenchError
from workbench.model import IDLE, Effort
from workbench.settings import View
from workbench.text.safe import clean, flat
from workbench.tui.keys import KeyAct, bindings
from workbench.tui.themes import DARK, LIGHT, Sheet
from workbench.tui.widgets.bars import Status
from workbench.tui.work import Entry, Gate, Going, on_stage, start

if TYPE_CHECKING:
    from workbench.stages.desk import Desk, Step
    from workbench.stages.review import Moved
    from workbench.store.engine import Store

PASTING: dict[str, type[Driver]] = {}
if sys.platform != "win32":  # where there is no such terminal
    from workbench.tui.driver import PasteDriver

    PASTING["LinuxDriver"] = PasteDriver

QUIET = 0.4
"""Seconds after the queue is there until the rest is loaded, so that its rows are painted first."""

TOUR_ROOM = (60, 16)
"""Columns and lines below which the tour would cover all there is: it waits for a larger window."""

LOOK = 0.2
"""Seconds between two looks whether a run has ended."""


class Meter:
    """What a sample costs a person: active seconds and presses while it is on the screen.

    What was not written with an act waits for the next act on that sample. Times are seconds of one
    monotonic clock.
    """

    def __init__(self) -> None:
        self._spent: dict[int, Effort] = {}
        self._sample: int | None = None
        self._last = 0.0

    def look_at(self, sample_id: int | None, now: float) -> None:
        """Another sample is on the screen from now on; None: none is."""
        self.alive(now)
        self._sample = sample_id

    def alive(self, now: float) -> None:
        """The person did something."""
        pause, self._last = now - self._last, now
        if self._sample is not None and pause > 0:
            self.give_back(self._sample, Effort(min(pause, IDLE), 0))

    def press(self, now: float) -> None:
        """A key or a click."""
        self.alive(now)
        if self._sample is not None:
            self.give_back(self._sample, Effort(0.0, 1))

    def take(self, sample_id: int) -> Effort:
        """What was spent on a sample since it was taken last."""
        return self._spent.pop(sample_id, Effort(0.0, 0))

    def give_back(self, sample_id: int, effort: Effort) -> None:
        """Effort that is not written: it waits for the next act."""
        now = self.take(sample_id)
        self._spent[sample_id] = Effort(now.seconds + effort.seconds, now.presses + effort.presses)


class StateSteps(Protocol):
    """Undoes and redoes the state of a disagreement that was given last, until a decision is written."""

    def forget(self) -> None:
        """From now on undo and redo are about decisions."""

    async def step(self, step: Step) -> str:
        """Take the state back or give it again; says what was done, "" for nothing."""


class Home(Protocol):
    """The screen below all others: the queue."""

    desk: Desk | None

    @property
    def settling(self) -> StateSteps:
        """The state of a disagreement that was given last."""

    async def begin(self, desk: Desk) -> None:
        """The dataset is open: show its samples."""

    async def begin_with(self, picks: tuple[int, ...]) -> None:
        """Open the next sample, or some that were picked by hand, one after the other."""

    async def choose(self, names: tuple[str, ...]) -> None:
        """There are several datasets: ask for one."""

    def refuse(self, why: str, *, missing: bool = False) -> None:
        """The dataset cannot be opened: say what to do."""

    def returned(self, at: int | None, message: str) -> None:
        """Back from a review of the sample `at`; `message` goes to the status line."""

    def planned(self, *, changed: bool, go_on: bool) -> None:
        """Back from the plan, which may have changed the order; `go_on` opens the next sample."""

    def action_reread(self) -> None:
        """Read everything again."""


class Bench(App[None]):
    """Opens screens by the names in `ROOMS`, so that no screen needs to know another one's class.

    `connect` opens the store; it is called in a thread after the first frame is on the screen. `tour` shows
    the first steps once, `notice` what a person should know of the terminal. `begin_with` is opened right
    away: the next sample, or some that were picked to be audited. `keymap` has been checked. `remember` keeps
    what it is given for the next start (OSError: it is not kept); without it nothing is kept.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        replace(binding, priority=True)  # over dialogs too, and while one types
        for binding in bindings("app")
        if isinstance(binding, Binding)
    ]

    ROOMS: ClassVar[Mapping[str, str]] = {}
    """What is loaded when it is asked for: the class of a screen or the function that opens it, as
    `module:name`, or a module."""

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
        views: Mapping[str, View] | None = None,
    ) -> None:
        # NO_COLOR: the terminal's own two colours and attributes, where the library would give greys.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = theme or DARK.name
        self.stylesheet = Sheet(variables=self.get_css_variables())
        self.keymap = keymap or {}
        self.set_keymap(self.keymap)
        self._remember = remember
        self.views = dict(views or {})
        self._connect = connect
        self._dataset = dataset
        self.annotator = annotator
        self._tour = tour
        self._begin_with = begin_with
        self._leave_with = 0
        self._notice = notice
        self.gate = Gate(lambda why: self.tell(flat(why), "warn"))
        self.in_turn: Callable[[Entry], object] = partial(self.call_later, self.gate.enter)
        """Does something after the keys that were pressed before, in the app's own turn."""
        self.meter = Meter()
        self.pressed_at = 0.0
        self.picked_at = float("-inf")
        """When a letter picked a place, or was typed right behind one that did."""
        self.store: Store | None = None
        self.proposing: Going | None = None

    @property
    def home(self) -> Home:
        """The queue."""
        return cast("Home", self.screen_stack[0])

    @property
    def desk(self) -> Desk | None:
        """The open dataset, once it is open."""
        return self.home.desk

    # The terminal and what is a person's own.

    def get_driver_class(self) -> type[Driver]:
        """The library's for this system; in a terminal of Unix one that knows a paste."""
        usual = super().get_driver_class()
        return PASTING.get(usual.__name__, usual)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The shell is offered where there is one to go to."""
        if action == "suspend_process":
            return not (sys.platform == "win32" or self.is_web or self.is_headless)
        return super().check_action(action, parameters)

    def action_interrupt(self) -> None:
        """Copy what is selected, in a field or with the mouse; else say how to leave."""
        focused = self.focused
        chosen = focused.selected_text if isinstance(focused, Input) else ""
        if chosen := chosen or self.screen.get_selected_text() or "":
            self.copy_to_clipboard(chosen)
        message = f"copied: {flat(chosen)}" if chosen else "ctrl+q quits; ctrl+c copies what is selected"
        self.tell(message)

    def tell(self, message: str, tone: str = "") -> None:
        """Put it on the status line, which a dialog leaves in sight, or over a screen that covers it."""
        bars = [bar for screen in self.screen_stack for bar in screen.query(Status)][-1:]
        boxes = [box.region for box in self.screen.query("#box")]  # one without a region is not laid out yet
        if bars and all(region and not region.overlaps(bars[0].region) for region in boxes):
            bars[0].say(message, tone=tone)
        elif complain := getattr(self.screen, "complain", None):
            complain(message)
        else:
            self.notify(message, severity="warning" if tone == "warn" else "information", markup=False)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by OSC 52; what leaves is as clean as what is shown."""
        super().copy_to_clipboard(clean(text))

    def watch_theme(self, name: str) -> None:
        """A theme chosen in the app is kept; the one it starts with is no choice."""
        if self.is_running:
            self.keep(theme=name)

    def keep(self, **what: Any) -> None:
        """Remember it for the next start, beside the event loop."""
        if self._remember is not None:
            work = partial(asyncio.to_thread, partial(self._remember, **what))
            start(self, work, group="remember", failed=self._not_kept)

    def _not_kept(self, error: Exception) -> None:
        self.notify(f"not kept for the next start: {flat(str(error))}", severity="warning", markup=False)

    # Keys, in order.

    @staticmethod
    def clock() -> float:
        """Seconds of the clock that events are stamped with."""
        return Event().time

    def open_gate(self) -> None:
        """Let the keys that waited run, in the app's own turn."""
        self.gate.open()
        self.call_later(self.gate.drain)

    def exit(self, result: None = None, return_code: int = 0, message: Any = None) -> None:
        """Leave; a key that comes now, or has waited, finds no screen any more and does nothing."""
        self.gate.end()
        super().exit(result, return_code, message)

    def unseen(self) -> bool:
        """Whether nobody sees what a key would do: the notice stands there, or is about to.

        The size is known at once, the screen hears of it 8 ms later and more.
        """
        return too_small(self.size) or bool(self.screen_stack and self.screen.has_class(TINY))

    def perform(self, act: KeyAct) -> None:
        """Do what a key would do: after what was pressed before, which may have left its screen."""
        clicked_at = self.clock()

        async def do() -> None:
            if not self.unseen() and on_stage(act.binding.node):
                self.pressed_at = clicked_at
                await self.run_action(act.binding.binding.action, act.binding.node)

        self.in_turn(do)

    # From screen to screen.

    async def open(self, room: str, *args: Any, **own: Any) -> None:
        """Open a screen of `ROOMS`; its module loads in a thread, and keys wait until it is filled."""
        self.gate.close()
        screen_class = await self.loaded(room)
        await self.push_screen(screen_class(*args, **own))

    async def loaded(self, room: str) -> Any:
        """What `ROOMS` has under a name; its module loads in a thread, once."""
        module, _, name = self.ROOMS[room].partition(":")
        if module not in sys.modules:
            await asyncio.to_thread(import_module, module)
        found = import_module(module)
        return getattr(found, name) if name else found

    async def ask(self, dialog: Screen[None]) -> None:
        """Put a dialog over the screen; keys wait until it can take them."""
        self.gate.close()
        await self.push_screen(dialog)

    async def review(
        self, desk: Desk, sample_id: int, arrival: Moved | None = None, *, picked: bool = False
    ) -> None:
        """Open a sample for review; `arrival` is the undo or redo that leads there.

        `picked`: it was chosen by hand, so a new review is no part of a random sample.
        """
        self.gate.close()  # the review opens it again when the sample is painted
        desk = replace(desk, resolves=arrival.resolves) if arrival else desk
        screen_class = await self.loaded("resolve" if desk.resolves else "review")
        screen = screen_class(desk, sample_id, arrival.kind if arrival else None, picked=picked)
        screen.arrival = arrival
        await self.push_screen(screen)

    async def review_instead(self, desk: Desk, arrival: Moved) -> None:
        """Leave a review for one of the other kind, to which an undo or redo leads."""
        await self.pop_screen()
        await self.review(desk, arrival.sample_id, arrival)

    async def back_to_queue(self, at: int | None, message: str) -> None:
        """Leave the review; the keys that waited go to the queue."""
        await self.pop_screen()
        self.meter.look_at(None, monotonic())
        if self.desk is not None and self.desk.info.training_of is not None:
            self.open_store()  # who has passed now gets the samples
            return
        self.home.returned(at, message)
        self.open_gate()

    async def leave_for_queue(self) -> None:
        """Back to the queue from wherever one is; what was typed in a dialog is gone."""
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        self.meter.look_at(None, monotonic())

    # The store.

    def open_store(self) -> None:
        """Open the store and the dataset beside the event loop, then show the queue; keys wait for it."""
        self.gate.close()
        start(self, self._open, group="open")

    async def _open(self) -> None:
        try:
            open_desk = await self.loaded("desk")  # everything heavy, while "opening …" is on the screen
            desk = await asyncio.to_thread(self._load, open_desk)
            if desk.info.training is not None:
                desk = await asyncio.to_thread(await self.loaded("training"), desk)
            self._leave_with = 0
            await self.home.begin(desk)
            if self._begin_with is not None:
                start_with, self._begin_with = self._begin_with, None
                await self.home.begin_with(() if start_with == "next" else start_with)
                return
            if self._tour and all(map(ge, self.size, TOUR_ROOM)):
                self._tour = False
                self.keep(tour_seen=True)
                await self.open("tour", self.keymap)
                return
        except AwayError:
            self._leave_with = 1
            raise  # it is tried again
        except AmbiguousError as error:
            await self.home.choose(error.choices)
            return
        except NotFoundError as error:
            self.home.refuse(str(error), missing=True)
        except WorkbenchError as error:
            self._leave_with = 1
            self.home.refuse(str(error))
        finally:
            if not self.is_headless:
                self.set_timer(QUIET, partial(start, self, self._get_ready, group="ready"))
        self.open_gate()

    def _load(self, open_desk: Callable[[Store, str | None, str], Desk]) -> Desk:
        """Runs in a thread."""
        if self.store is None:
            self.store = self._connect()
        return open_desk(self.store, self._dataset, self.annotator)

    async def _get_ready(self) -> None:
        """Load what the first review needs, then leave what is there by now out of the collections.

        Without that a full collection walks 400,000 objects of the libraries and holds a key up for 80 ms.
        """
        await self.loaded("review")
        gc.freeze()
        gc.set_threshold(700)  # small steps, so that no key waits for a large one

    def keep_view(self, name: str, view: View | None) -> None:
        """Save a view of the queue under a name; None forgets it."""
        self.views.pop(name, None)
        if view is not None:
            self.views[name] = view
        self.keep(view=(name, view))

    def choose_dataset(self, name: str) -> None:
        """Open this one of several datasets."""
        self._dataset = name
        reports.given = partial(dict, {**reports.given(), "--dataset": name})
        self.open_store()

    async def open_other_file(self) -> None:
        """Close the file that was open and open the one that its path leads to now."""
        await self.leave_for_queue()
        self.gate.close()
        store, self.store = self.store, None
        if store is not None:
            await asyncio.to_thread(store.close)
        self.open_store()

    # The run that works in the background.

    def propose(self, going: Going) -> None:
        """Watch a run that was started; a screen that does not show runs hears how it ended."""

        def look() -> None:
            if not going.is_alive():
                timer.stop()
                # an app that is closing has no screen any more
                told = not self.is_running or getattr(self.screen, "SHOWS_RUNS", False)
                if going.ended is not None and not told:
                    good = going.ended.tone == "good"
                    severity: Literal["information", "warning"] = "information" if good else "warning"
                    self.notify(going.ended.text, severity=severity, markup=False)

        self.proposing = going
        timer = self.set_interval(LOOK, look)


TINY = "-tiny"
"""The class of a screen while the terminal is too small for it; keys do nothing then."""

NEEDED = (60, 16)
"""Columns and lines that every screen can do with."""


def too_small(size: Size) -> bool:
    """Whether a window of this size shows the notice."""
    return size.width < NEEDED[0] or size.height < NEEDED[1]


class TooSmall(Widget):
    """Covers its screen, which keeps its state, its focus and what was typed below."""

    def render(self) -> Content:
        """What there is, and what is needed."""
        have = self.app.size
        lines = (
            f"This window has {have.width} × {have.height} characters.",
            f"Workbench needs {NEEDED[0]} × {NEEDED[1]}: make it larger.",
            "Nothing is lost. ctrl+q quits.",
        )
        return Content("\n".join(lines))
