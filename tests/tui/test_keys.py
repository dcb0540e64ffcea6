"""The keys themselves: twins, names, no clashes, few in the key bar."""

from __future__ import annotations

from collections import Counter

import pytest
from textual.binding import Binding, BindingsMap
from textual.screen import Screen

from workbench.tui.app import WorkbenchApp
from workbench.tui.keys import TWINS, nodes
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import MenuScreen, PromptScreen, ReadScreen
from workbench.tui.screens.evidence import EvidenceScreen
from workbench.tui.screens.finding import FindScreen
from workbench.tui.screens.help import TERMS, HelpScreen
from workbench.tui.screens.labels import LabelScreen
from workbench.tui.screens.pick import PickScreen
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.review import ReviewScreen

SCREENS: list[type[Screen[None]]] = [
    QueueScreen, ReviewScreen, HelpScreen, ReadScreen, MenuScreen, PromptScreen,
    PickScreen, LabelScreen, EvidenceScreen, FindScreen,
]  # fmt: skip

TYPING = (PromptScreen, PickScreen, LabelScreen, FindScreen)
"""Screens in which letters are typed, and so are no keys."""


def own(screen: type[Screen[None]]) -> list[Binding]:
    """The bindings that we gave a screen, one a key."""
    ours = [
        base
        for base in screen.__mro__
        if base.__module__.startswith("workbench.") and "BINDINGS" in vars(base)
    ]
    return [binding for base in ours for binding in Binding.make_bindings(base.BINDINGS)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("screen", SCREENS)
def test_every_letter_has_its_russian_twin(screen: type[Screen[None]]) -> None:
    """The same physical key does the same on the Russian layout."""
    bound = {binding.key: binding.action for binding in own(screen)}
    letters = [key for key in bound if len(key) == 1 and key.isascii() and key.isalpha()]
    for key in letters:
        twin = next(iter(BindingsMap([Binding(TWINS[key], "x")]).key_to_bindings))
        assert bound.get(twin) == bound[key], key
    assert letters or screen in TYPING


@pytest.mark.parametrize("screen", SCREENS)
def test_no_key_is_bound_twice(screen: type[Screen[None]]) -> None:
    """Of two bindings of one key the second would be dropped in silence; a subclass may take over a key."""
    for base in screen.__mro__:
        if base.__module__.startswith("workbench.") and "BINDINGS" in vars(base):
            counted = Counter(binding.key for binding in Binding.make_bindings(base.BINDINGS))  # type: ignore[attr-defined]
            assert [key for key, times in counted.items() if times > 1] == []


@pytest.mark.parametrize("screen", [*SCREENS, WorkbenchApp])
def test_every_action_has_a_name_a_group_and_a_description(screen: type) -> None:
    """Keymaps, help and palette are made from them."""
    for binding in own(screen):
        assert binding.id
        assert binding.description
        assert binding.group
        assert binding.group.description


@pytest.mark.parametrize("screen", [QueueScreen, ReviewScreen])
def test_at_most_eight_keys_in_the_key_bar(screen: type[Screen[None]]) -> None:
    """Help and the seven keys that one presses most; those of a failure take their place when it is there."""
    shown = {
        b.id
        for b in own(screen)
        if b.show and not str(b.id).endswith("label_1") and not str(b.id).startswith("saving.")
    }
    labels = any(str(binding.id).endswith("label_1") for binding in own(screen))
    assert len(shown) + labels + 1 <= 8


def test_every_large_screen_explains_its_words() -> None:
    """Each is in the glossary."""
    words = {node.__name__: node.WORDS for node in nodes() if issubclass(node, BaseScreen)}

    assert [] == [name for name, own in words.items() if not own]
    assert set().union(*words.values()) <= TERMS.keys()


def test_every_action_exists() -> None:
    """A key whose action has no method would do nothing, in silence."""
    for screen in SCREENS:
        for binding in own(screen):
            name = binding.action.split("(")[0]
            target, action = (WorkbenchApp, name[4:]) if name.startswith("app.") else (screen, name)
            given = target.__init__.__code__.co_names  # a screen may give a key the method of a part
            assert f"action_{action}" in (*dir(target), *given), binding.action
