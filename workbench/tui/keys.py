"""Key bindings with their twins on a Russian keyboard, and the help made from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode
from textual.keys import REPLACED_KEYS, _character_to_key, key_to_character
from textual.widgets import Input

_LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>"
_CYRILLIC = "йцукенгшщзхъфывапролджэячсмитьбюЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ"
TWINS: dict[str, str] = dict(zip(_LATIN, _CYRILLIC, strict=True))
"""The letter that the same physical key types on the Russian (ЙЦУКЕН) layout."""

_LATIN_OF = {_character_to_key(twin): _character_to_key(latin) for latin, twin in TWINS.items()}
_LATIN_OF |= {"numero_sign": "number_sign", "f15": "shift+f3"}  # many terminals send F15 for shift+F3
TWIN_OF = {latin: twin for twin, latin in _LATIN_OF.items()}
"""The same by the names of the keys."""

GROUPS = ("Decide", "Units", "Queue", "Moving", "View")
"""The order of the groups in the help; others follow as they come."""

_DIGIT = re.compile(r"_\d$")
_FUNCTION = re.compile(r"f\d+$")
_NAMES = {",": "comma"}  # a comma separates keys in a binding
_SHOWN = {
    "space": "space",
    "escape": "esc",
    "pagedown": "page down",
    "pageup": "page up",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "shift+left": "shift+←",
    "shift+right": "shift+→",
    "shift+up": "shift+↑",
    "shift+down": "shift+↓",
}
_GIVEN = {written.lower(): name for name, written in _SHOWN.items()}


def key(keys: str, action: str, description: str, name: str, group: str, footer: str = "") -> Binding:
    """A binding of the keys (separated by spaces) and of their Russian twins.

    `description` is what the palette and the help say, `name` the action in a keymap; `footer` is the
    short form in the key bar, and only an action that has one is shown there.
    """
    with_twins = [one for given in keys.split() for one in (given, TWINS.get(given)) if one]
    return Binding(
        ",".join(_NAMES.get(one, one) for one in with_twins),
        action,
        description,
        show=bool(footer),
        tooltip=footer,
        id=name,
        group=Binding.Group(group),
    )


def shown(name: str) -> str:
    """How a key is written for a person."""
    return _SHOWN.get(name) or typed(name) or _FUNCTION.sub(lambda f: f[0].upper(), name)


def typed(name: str) -> str:
    """The character that a key types in a field; empty for keys that type none."""
    character = key_to_character(REPLACED_KEYS.get(name, name))
    return character if character is not None and character.isprintable() else ""


def unshown(written: str) -> str:
    """The name of a key that is written as `shown` writes it; any other text as it is."""
    return _GIVEN.get(written, written)


@cache
def declared(node: type[DOMNode]) -> tuple[Binding, ...]:
    """The bindings that we gave a class and its bases, one a key, in the order of the library's merging."""
    return tuple(_declared(node))


def _declared(node: type[DOMNode]) -> Iterator[Binding]:
    for base in reversed(node.__mro__):
        if base.__module__.startswith("workbench.") and issubclass(base, DOMNode):
            ours = [one for one in vars(base).get("BINDINGS", ()) if isinstance(one, Binding) and one.id]
            yield from Binding.make_bindings(ours)


@dataclass(frozen=True, slots=True)
class Act:
    """One thing a screen can do: its keys as written, and the action to run."""

    id: str
    keys: tuple[str, ...]
    description: str
    footer: str
    group: str
    binding: ActiveBinding


def acts(active: Mapping[str, ActiveBinding], *, digits_as_one: bool = True) -> list[Act]:
    """What can be done now, one entry an action, in the order of the bindings; twins are left out.

    `digits_as_one`: actions that differ in their digit (`review.label_1`, …) make one entry, `1–9`.
    While one types in a field, the keys that would be typed are left out.
    """
    typing = any(isinstance(entry.node, Input) for entry in active.values())
    by_id: dict[str, Act] = {}
    for name, entry in _in_order(active):
        binding = entry.binding
        if typing and typed(name):
            continue
        group = binding.group.description if binding.group else ""
        full = str(binding.id)
        latin = active.get(_LATIN_OF.get(name, ""))
        keys: tuple[str, ...] = () if latin is not None and latin.binding.id == full else (shown(name),)
        name_of_it = _DIGIT.sub("", full) if digits_as_one else full
        if (known := by_id.get(name_of_it)) is not None:
            keys = _span((*known.keys, *keys)) if name_of_it != full else (*known.keys, *keys)
            entry, group = known.binding, known.group
        description = known.description if known else binding.description
        footer = known.footer if known else entry.tooltip
        by_id[name_of_it] = Act(name_of_it, keys, description, footer, group, entry)
    return list(by_id.values())


def _in_order(active: Mapping[str, ActiveBinding]) -> list[tuple[str, ActiveBinding]]:
    """Our bindings in the order in which they are declared: a keymap puts those it changes at the end."""
    places = {
        (node, binding.id): (-len(node.ancestors_with_self), place)  # what has the focus before its screen
        for node in {entry.node for entry in active.values()}
        for place, binding in reversed(list(enumerate(declared(type(node)))))
    }
    ours = [
        (name, entry)
        for name, entry in active.items()
        if entry.binding.id and not entry.binding.system and entry.binding.description
    ]
    return sorted(ours, key=lambda one: places[one[1].node, one[1].binding.id])


def _span(keys: tuple[str, ...]) -> tuple[str, ...]:
    """`1–9` for the keys of actions that differ in their digit."""
    if not keys:
        return ()
    first, last = keys[0].partition("–")[0], keys[-1].rpartition("–")[2]
    return (first if first == last else f"{first}–{last}",)
