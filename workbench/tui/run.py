"""Running the app in a terminal, and what has to be put right when it ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

from workbench.settings import Settings, read_state, remember, state_path
from workbench.tui.app import WorkbenchApp
from workbench.tui.keys import keymap
from workbench.tui.proposing import finish
from workbench.tui.safe import flat
from workbench.tui.theme import SIXTEEN, chosen_theme

if TYPE_CHECKING:
    from workbench.store.engine import Store


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
    that name a theme, an action or a key that does not exist.
    """
    path = state_path()
    state = read_state(path)
    theme = chosen_theme(settings, state)
    app = WorkbenchApp(
        connect,
        dataset,
        annotator,
        theme=theme,
        keymap=keymap(settings),
        tour=not state.tour_seen and start is None,
        begin_with=start,
        remember=partial(remember, path, settings),
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
    given = next((one for name in ("LC_ALL", "LC_CTYPE", "LANG") if (one := environment.get(name))), "")
    if os.name != "posix" or not given or "utf" in given.lower():
        return ""
    return (
        f"Your locale {flat(given)} is not UTF-8. If letters appear as ? or _, "
        "leave, set LC_ALL=C.UTF-8 and start again (tmux: start it with -u)."
    )
