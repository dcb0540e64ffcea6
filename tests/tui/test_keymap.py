"""Keys of one's own: what is refused, what they do, and that every place shows them."""

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.binding import Binding

from tests.lists import from_cases
from tests.tui.conftest import User
from workbench.errors import UsageError
from workbench.settings import Settings
from workbench.tui.keys import actions, acts, declared, key_name, keymap, nodes, shown
from workbench.tui.screens.help import STEPS
from workbench.tui.widgets.bars import KeyBar

FILE = Path("config.toml")
ROOT = Path(__file__).parents[2]


def keys(**by_name: str) -> Settings:
    """Settings with keys; `__` stands for the dot of a name."""
    return Settings(FILE, keys={name.replace("__", "."): tuple(k.split()) for name, k in by_name.items()})


def footer(bar: KeyBar) -> str:
    """The key bar as a person reads it."""
    return str(bar.render())


@from_cases
def test_a_letter_brings_its_russian_twin(given: dict[str, str], made: dict[str, str]) -> None:
    """The same physical key; a key that is no letter of both layouts stands alone.

    Two actions may swap their keys; the way out and the help may have more, and keep those that always work.
    """
    assert made == keymap(keys(**given))


@from_cases
def test_what_cannot_be_is_refused(wanted: dict[str, str], said: str) -> None:
    """Named by both actions and by the nearest name; the way out and the help are never lost."""
    with pytest.raises(UsageError) as refused:
        keymap(keys(**wanted))

    assert str(refused.value).startswith("config.toml: keys: ")
    assert said in str(refused.value)


def test_every_key_can_be_given_as_it_is_shown() -> None:
    """What the help or the page of keys says can be copied into the config file."""
    for bindings in actions().values():
        for binding in bindings:
            written = shown(binding.key)
            assert key_name(binding.key) == binding.key
            assert " " in written or key_name(written) == binding.key


@from_cases
def test_ways_to_write_a_key(given: str, name: str) -> None:
    """As it is typed, by its name in any case, or as the help writes it."""
    assert name == key_name(given)


def test_every_screen_is_looked_at() -> None:
    """A clash on a screen that nobody lists would be found by the person who cannot press a key."""
    names = {node.__name__ for node in nodes()}
    assert {"WorkbenchApp", "QueueScreen", "ReviewScreen", "PromptScreen", "HelpScreen", "Field"} <= names
    for node in nodes():
        assert all(isinstance(binding, Binding) and binding.id for binding in declared(node))


def test_the_defaults_do_not_clash_with_themselves() -> None:
    """Naming every action with the keys that it has changes nothing."""
    keys = {name: [binding.key for binding in bindings] for name, bindings in actions().items()}
    latin = {name: tuple(dict.fromkeys(own)) for name, own in keys.items()}
    assert set(keymap(Settings(FILE, keys=latin))) == set(latin)


def test_the_tour_names_keys_that_are_bound() -> None:
    """Its five keys are the first keys of their actions."""
    known = actions()
    assert [(key, name) for key, name, _ in STEPS] == [(known[name][0].key, name) for _, name, _ in STEPS]


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """What is in docs/make_keys.py."""
    return runpy.run_path(str(ROOT / "docs" / "make_keys.py"))


def test_a_letter_does_the_same_on_every_screen(made: dict[str, Any]) -> None:
    """But the one that opened a screen, which closes it too; and those that answer a question."""
    assert [] == [letter for letter, does in made["letters"]().items() if len(does) > 1]


def test_the_page_of_keys_is_current(made: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """docs/keys.md and docs/glossary.md are made from the program: python docs/make_keys.py."""
    monkeypatch.setattr(sys, "argv", ["make_keys.py", "--check"])
    assert (0, "") == (made["main"](), capsys.readouterr().out)


async def test_every_place_shows_the_chosen_keys(user: User) -> None:
    """Key bar, help and palette, each in the order they have without a map."""
    async with user.opens("tower", size=(120, 50)) as app:
        before = footer(app.screen.query_one(KeyBar))
        order = [act.id for act in acts(app.screen.active_bindings)]
    own = keymap(keys(review__accept="f6", review__label_1="f7", review__label_9="f8"))
    async with user.opens("tower", size=(120, 50), keymap=own) as app:
        assert before.replace("a accept", "F6 accept").replace("1–9 label", "F7–F8 label") == footer(
            app.screen.query_one(KeyBar)
        )
        assert order == [act.id for act in acts(app.screen.active_bindings)]
        said = {command.title: command.help for command in app.get_system_commands(app.screen)}
        assert said["Accept and go on"] == "Decide · F6"
        await user.press("question_mark")
        text = "\n".join(str(one.render()) for one in app.screen.query("HelpScreen Static"))
        assert any(line.split() == ["F6", "Accept", "and", "go", "on"] for line in text.splitlines())


async def test_actions_that_differ_in_their_digit_stand_once_with_what_they_share(user: User) -> None:
    """In the help; the palette lists each."""
    async with user.opens() as app:
        await user.press("C")
        active = app.screen.active_bindings

    assert "Show a part" == next(act.description for act in acts(active) if act.id == "compare.section")
    each = [act.description for act in acts(active, digits_as_one=False)]
    assert {"Show a part: overview", "Show a part: all figures"} <= set(each)
