"""The keys a person chose: checked against every action and every screen, then given to the app."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import Keys, _character_to_key
from textual.screen import Screen
from textual.widgets import Input

import workbench.tui
from workbench.errors import UsageError
from workbench.settings import Settings, did_you_mean
from workbench.tui.app import WorkbenchApp
from workbench.tui.keys import TWIN_OF, declared, shown, typed, unshown
from workbench.tui.screens.base import Dialog

ALWAYS = {"ctrl+q": "app.quit", "f1": "app.help"}
"""Keys that no map may take away: the way out and the help, which also work while one is typing."""

_MODIFIERS = re.compile(r"(?:(?:ctrl|alt|shift|super|hyper|meta)\+)+")
_SHIFTED = re.compile(r"shift\+([a-z])")
_NAMED = {str(key.value) for key in Keys if not key.value.startswith("<")} | {
    _character_to_key(chr(code)) for code in range(0x21, 0x7F) if not chr(code).isalnum()
}


def nodes() -> list[type[DOMNode]]:
    """Every class of the app that has bindings of its own: the app, its screens, its fields."""
    found: dict[type[DOMNode], None] = {}
    for info in walk_packages(workbench.tui.__path__, "workbench.tui."):
        for one in vars(import_module(info.name)).values():
            if isinstance(one, type) and issubclass(one, DOMNode) and declared(one):
                found[one] = None
    return list(found)


def actions() -> dict[str, tuple[Binding, ...]]:
    """Every action of the app by its name: one binding a key, in the order of the classes."""
    found: dict[str, dict[str, Binding]] = {}
    for node in nodes():
        for binding in declared(node):
            found.setdefault(str(binding.id), {}).setdefault(binding.key, binding)
    return {name: tuple(by_key.values()) for name, by_key in found.items()}


def keymap(settings: Settings) -> dict[str, str]:
    """The keymap for the app, Russian twins included.

    Raises UsageError for an action or a key that does not exist, for two actions of one screen on one
    key, and for a map that takes away the way out or the help.
    """
    if not settings.keys:
        return {}
    lead = f"{settings.path}: keys: "
    known = actions()
    wanted: dict[str, tuple[str, ...]] = {}
    for name, keys in settings.keys.items():
        if name not in known:
            raise UsageError(f"{lead}there is no action {name!r}{did_you_mean(name, known)}")
        try:
            wanted[name] = tuple(dict.fromkeys(_with_twins(key_name(one) for one in keys)))
        except UsageError as error:
            raise UsageError(f"{lead}{name}: {error}") from error
    for key, owner in ALWAYS.items():
        if owner in wanted and key not in wanted[owner]:
            raise UsageError(f"{lead}{owner} keeps {shown(key)}: name it too")
        for name, keys in wanted.items():
            if key in keys and name != owner and all(key != binding.key for binding in known[name]):
                raise UsageError(f"{lead}{name}: {shown(key)} belongs to {owner}")
    does = {name: bindings[0].action.removeprefix("app.") for name, bindings in known.items()}
    for node in nodes():
        _refuse_clashes(lead, node, wanted, does)
    return {name: ",".join(keys) for name, keys in wanted.items()}


def key_name(given: str) -> str:
    """A key as the library names it. Raises UsageError for a key that no keyboard has."""
    name = unshown(given if len(given) == 1 else given.lower())
    if len(name) == 1 and name.isprintable():
        return _character_to_key(name)
    if upper := _SHIFTED.fullmatch(name):
        return upper[1].upper()
    base = _MODIFIERS.sub("", name, count=1)
    if base in _NAMED or (typed(base) and (base == name or len(base) == 1)):
        return name
    raise UsageError(f"there is no key {given!r}{did_you_mean(name, _NAMED)}")


def _with_twins(keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        yield key
        if twin := TWIN_OF.get(key):
            yield twin


def _refuse_clashes(
    lead: str, node: type[DOMNode], wanted: Mapping[str, tuple[str, ...]], does: Mapping[str, str]
) -> None:
    """Two actions of one screen on one key, one of them by the person's wish."""
    claims: dict[str, str] = {}
    for name, default in _keys_of(node).items():
        for key in wanted.get(name, default):
            other = claims.setdefault(key, name)
            if does[other] != does[name] and (name in wanted or other in wanted):
                raise UsageError(f"{lead}{other} and {name} are both on {shown(key)}")
            if name in wanted and issubclass(node, Input) and typed(key):
                raise UsageError(f"{lead}{name}: {shown(key)} is a character that one types there")


def _keys_of(node: type[DOMNode]) -> dict[str, list[str]]:
    """The keys of every action that can be done on a screen; a subclass takes over a key of its base."""
    owners = {binding.key: str(binding.id) for binding in declared(node)}
    if issubclass(node, Screen):
        for binding in declared(WorkbenchApp):
            if binding.priority or not issubclass(node, Dialog):
                owners.setdefault(binding.key, str(binding.id))
    found: dict[str, list[str]] = {}
    for key, name in owners.items():
        found.setdefault(name, []).append(key)
    return found
