"""`a` stops at doubtful units; only a press of its own passes the stop, never the repeat of a held key."""

import pytest
from textual.events import Key

from tests.tui.conftest import User, said
from workbench.tui.bench import Bench
from workbench.tui.keys import acts
from workbench.tui.screens.accepting import LOOK, RELEASED

VERIFIED = "SELECT count(*) FROM review WHERE entity = 'verified'"

# seconds after the stop was shown at which further `a` arrive, and whether one of them accepts
PRESSES: list[tuple[str, list[float], bool]] = [
    ("a person looks and presses again", [1.2], True),
    ("typed ahead, before the stop was shown", [-0.02], False),
    ("a double press", [0.2], False),
    ("a double press, then a look", [0.2, 1.0], True),
    ("held, repeating at once", [0.03 * step for step in range(1, 100)], False),
    ("held, repeating after half a second", [0.5 + 0.033 * step for step in range(60)], False),
    ("held, repeating after two thirds of a second", [0.66 + 0.04 * step for step in range(60)], False),
    ("held slowly, ten a second", [0.1 * step for step in range(1, 40)], False),
    ("held, then let go, then pressed", [0.03 * step for step in range(1, 60)] + [2.6], True),
    ("pressed early and late", [0.7, 1.4], True),
]


async def test_what_passes_a_stop(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """The times of the key events decide, not those at which a busy program gets to them."""
    now = 1000.0
    monkeypatch.setattr("workbench.tui.screens.accepting.LOOK", LOOK)
    monkeypatch.setattr("workbench.tui.screens.accepting.RELEASED", RELEASED)
    monkeypatch.setattr(Bench, "clock", staticmethod(lambda: now))
    async with user.opens("schiller") as app:
        for name, after, accepted in PRESSES:
            await user.press("M")  # unsure: a reason to stop
            for moment in [0.0, *after]:
                key = Key("a", "a")
                key.time = now + moment
                app.post_message(key)
            await user.settle()
            assert accepted or "a: accept anyway" in said(app), name
            assert [(int(accepted),)] == user.query(VERIFIED), name
            if accepted:
                await user.press("u")
            await user.press("m")  # with another act the stop is over
            now += 1000.0


async def test_a_double_click_on_accept_takes_one_sample(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its second half was made before the next sample was there."""
    monkeypatch.setattr("workbench.tui.screens.accepting.RELEASED", RELEASED)
    async with user.opens("schiller") as app:
        accept = next(act for act in acts(app.screen.active_bindings) if act.keys[:1] == ("a",))
        app.perform(accept)
        app.perform(accept)
        await user.settle()

    assert [(1,)] == user.query(VERIFIED)
