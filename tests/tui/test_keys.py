"""The keys themselves: twins, names, no clashes, few in the key bar."""

import re
from pathlib import Path
from typing import Any

import pytest
from textual.binding import Binding, BindingsMap
from textual.screen import Screen

from tests.lists import from_cases
from workbench.tui.app import WorkbenchApp
from workbench.tui.keys import TWINS, declared, nodes, read_table
from workbench.tui.screens.agree import TABLES
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import PromptScreen
from workbench.tui.screens.finding import FindScreen
from workbench.tui.screens.help import TERMS, WORDS
from workbench.tui.screens.queue import QueueScreen
from workbench.tui.screens.review import ReviewScreen
from workbench.tui.widgets.compare_sections import SECTIONS

TABLE = read_table(Path("workbench/tui/keys.txt").read_text("utf-8"))

BY_NAME = pytest.mark.parametrize("node", nodes(), ids=lambda node: node.__name__)


@BY_NAME
def test_every_letter_has_its_russian_twin(node: Any) -> None:
    """The same physical key does the same on the Russian layout."""
    bound = {binding.key: binding.action for binding in declared(node)}
    for key in (key for key in bound if len(key) == 1 and key.isascii() and key.isalpha()):
        twin = next(iter(BindingsMap([Binding(TWINS[key], "x")]).key_to_bindings))
        assert bound.get(twin) == bound[key], key


@pytest.mark.parametrize("screen", [QueueScreen, ReviewScreen])
def test_at_most_eight_keys_in_the_key_bar(screen: type[Screen[None]]) -> None:
    """Help and the seven keys that one presses most; those of a failure take their place when it is there."""
    shown = {str(b.id) for b in declared(screen) if b.show}
    assert len([name for name in shown if not name.startswith("saving.")]) + 1 <= 8


def test_every_large_screen_explains_its_words() -> None:
    """Each is in the glossary."""
    words = {node.__name__: WORDS.get(node.__name__, []) for node in nodes() if issubclass(node, BaseScreen)}

    assert [] == [name for name, own in words.items() if not own]
    assert set().union(*words.values()) <= TERMS.keys()


@BY_NAME
def test_no_key_is_bound_twice(node: Any) -> None:
    """Of two bindings of one key, also by its Russian twin, the second would be dropped in silence."""
    keys = [key for binding in vars(node).get("BINDINGS", ()) for key in binding.key.split(",")]
    assert sorted({*keys}) == sorted(keys)


@BY_NAME
def test_every_action_exists(node: Any) -> None:
    """A key whose action has no method would do nothing, in silence."""
    for binding in declared(node):
        action = binding.action.split("(")[0].rpartition(".")[2]
        targets: tuple[Any, ...] = (
            (WorkbenchApp, FindScreen, PromptScreen) if "." in binding.action else (node,)
        )
        begun = [
            vars(base)["__init__"] for one in targets for base in one.__mro__ if "__init__" in vars(base)
        ]
        given = {name for target in targets for name in dir(target)}
        given |= {name for init in begun if hasattr(init, "__code__") for name in init.__code__.co_names}
        assert f"action_{action}" in given, binding  # a screen may give a key the method of a part


def test_every_section_of_the_table_is_of_a_screen() -> None:
    """And has its keys once, so that nothing in it is out of use."""
    bound = [(str(b.id), b.action) for node in nodes() for b in vars(node).get("BINDINGS", ())]
    assert sorted(bound) == sorted((str(b.id), b.action) for section in TABLE.values() for b in section)


@from_cases
def test_a_wrong_line_of_the_table_is_refused_with_its_number(line: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        read_table(f"What keys do.\n\n[queue]\nwhy  w enter  why  Queue  -  Why\n{line}\n")


def test_the_table_names_the_parts_of_a_screen_as_they_are() -> None:
    of_compare = [binding.description for binding in TABLE["compare"] if "section" in binding.action]
    assert [f"Show a part: {section.NAME}" for section in SECTIONS] == of_compare
    of_agree = [binding.description for binding in TABLE["agree"] if "section" in binding.action]
    assert [f"Show {name}" for name in TABLES.values()] == of_agree
