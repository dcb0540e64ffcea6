"""Keys and pastes in order: each acts on the state that the one before left, and none acts unseen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from textual import events
from textual.widgets import Input

from workbench.tui.keys import Act
from workbench.tui.safe import flat
from workbench.tui.screens.base import TINY, Ordered
from workbench.tui.screens.tour import TourScreen
from workbench.tui.widgets.too_small import too_small

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

PASTE_TAIL = 0.05
"""Seconds after a paste in which key presses are taken for its tail: a paste may smuggle an escape
sequence that ends it early, and the rest would arrive as keys."""

IGNORED = "Ignored: a paste, or too many keys at once. Nothing was changed; press keys one by one."
"""The message about a paste where no field takes it."""

Usual = Callable[[events.Event], Awaitable[None]]
"""What the library does with an event."""


async def take(app: WorkbenchApp, event: events.Event, usual: Usual) -> None:
    """Hand keys and pastes to our screens one by one; everything else goes the usual way."""
    if unseen(app) and isinstance(event, (events.Key, events.Paste, events.MouseDown)):
        ordered = isinstance(app.screen, Ordered)
        if ordered and not (isinstance(event, events.Key) and event.key == "ctrl+q"):
            return  # here already: behind a gate that waits for painting it would act once there is room
    if isinstance(event, events.MouseDown):
        app.meter.press(monotonic())
    elif isinstance(event, events.MouseEvent):
        app.meter.alive(monotonic())
    if isinstance(event, events.Paste):
        app.last_paste = event.time
    ordered = any(isinstance(screen, Ordered) for screen in app.screen_stack[-1:])
    if ordered and event.is_forwarded and isinstance(event, events.Key):
        return  # it had its turn; the library would look it up anew, on whatever screen is there by now
    if not ordered or event.is_forwarded:
        await usual(event)
    elif isinstance(event, events.Key) and event.key != "ctrl+q":
        if event.time - app.last_paste < PASTE_TAIL:
            app.last_paste = event.time
            return
        await app.gate.enter(partial(_key, app, event, usual))
    elif isinstance(event, events.Paste):
        await app.gate.enter(partial(_paste, app, event))
    else:
        await usual(event)


def unseen(app: WorkbenchApp) -> bool:
    """Whether nobody sees what a key would do: the notice stands there, or is about to.

    The size is known at once, the screen hears of it 8 ms later and more.
    """
    return too_small(app.size) or bool(app.screen_stack and app.screen.has_class(TINY))


async def act(app: WorkbenchApp, act: Act) -> None:
    """Do what a key would do."""
    if not unseen(app):
        app.pressed_at = app.clock()
        await app.run_action(act.binding.binding.action, act.binding.node)


async def _key(app: WorkbenchApp, event: events.Key, usual: Usual) -> None:
    if unseen(app):
        return  # it was typed before the window shrank
    app.meter.press(monotonic())  # when its turn comes: a key typed ahead belongs to the next sample
    app.pressed_at = event.time
    focused = app.focused
    if isinstance(focused, Input) and event.is_printable and event.character:
        focused.replace(event.character, *sorted(focused.selection))
        return
    active = app.screen.active_bindings.get(event.key)
    if active is None and isinstance(app.screen, TourScreen):
        await app.pop_screen()
        active = app.screen.active_bindings.get(event.key)
    if active is None:
        screen = app.screen
        text = event.character if event.is_printable else None
        if not (text and isinstance(screen, Ordered) and await screen.takes(text)):
            await usual(event)
    elif active.enabled:
        if not await app.run_action(active.binding.action, active.node):
            await _next_one(app, event.key)  # a field has nothing to copy
    elif isinstance(app.screen, Ordered):
        app.screen.refused(active.binding.action)


async def _next_one(app: WorkbenchApp, key: str) -> None:
    """What else the key is bound to; here and not in the library's turn, when another screen may be there."""
    if not await app._check_bindings(key, priority=True):
        await app._check_bindings(key)


async def _paste(app: WorkbenchApp, event: events.Paste) -> None:
    focused = app.focused
    if unseen(app):
        return
    if isinstance(focused, Input):
        focused.replace(flat(event.text.strip()), *sorted(focused.selection))
    else:
        app.tell(IGNORED, "warn")
