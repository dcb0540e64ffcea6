"""The table of keys with their Russian twins, the keys a person chose, and letters for places of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import islice, product
from math import ceil, sqrt
from pathlib import Path
from pkgutil import walk_packages
from typing import NamedTuple

from textual.app import App
from textual.binding import ActiveBinding, Binding, BindingType
from textual.dom import DOMNode
from textual.keys import REPLACED_KEYS, Keys, _character_to_key, key_to_character
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

import workbench.tui
from workbench.errors import UsageError
from workbench.model import Span
from workbench.settings import Settings, did_you_mean

_LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>"
_CYRILLIC = "йцукенгшщзхъфывапролджэячсмитьбюЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ"
TWINS: dict[str, str] = dict(zip(_LATIN, _CYRILLIC, strict=True))
"""The letter that the same physical key types on the Russian (ЙЦУКЕН) layout."""

TO_LATIN = str.maketrans(_CYRILLIC, _LATIN)
"""For `translate`: the other way."""

_LATIN_OF = {_character_to_key(twin): _character_to_key(latin) for latin, twin in TWINS.items()}
_LATIN_OF |= {"numero_sign": "number_sign", "f15": "shift+f3"}  # many terminals send F15 for shift+F3
TWIN_OF = {latin: twin for twin, latin in _LATIN_OF.items()}
"""The same by the names of the keys."""

EVERY = "Everywhere"
GROUPS = ("Decide", "Units", "Queue", "Moving", "View")
"""The order of the groups in the help; others follow as they come."""

_DIGIT = re.compile(r"_\d$")
_FUNCTION = re.compile(r"f\d+$")
_NAMES = {",": "comma"}  # a comma separates keys in a binding
_ARROWS = {"left": "←", "right": "→", "up": "↑", "down": "↓"}
_SHOWN = {"space": "space", "escape": "esc", "pagedown": "page down", "pageup": "page up", **_ARROWS}
_SHOWN |= {f"shift+{key}": f"shift+{arrow}" for key, arrow in _ARROWS.items()}
_GIVEN = {written.lower(): name for name, written in _SHOWN.items()}


def bindings(*sections: str) -> list[BindingType]:
    """What some sections of the table bind, in their order."""
    return [binding for section in sections for binding in _table()[section]]


@cache
def _table() -> dict[str, list[Binding]]:
    return read_table(Path(__file__).with_suffix(".txt").read_text("utf-8"))


def read_table(text: str) -> dict[str, list[Binding]]:
    """The bindings of each section of a table. Raises ValueError with the number of a line that is wrong."""
    table: dict[str, list[Binding]] = {}
    section, taken = "", set[str]()
    for number, line in enumerate(text.splitlines(), 1):
        columns = re.split(r"\s{2,}", line.strip())
        if line.startswith("["):
            section, taken = line.strip("[]"), set()
            table[section] = []
        elif section and line:
            if len(columns) != 6:
                raise ValueError(f"keys.txt:{number}: six columns expected, got {len(columns)}")
            if twice := taken.intersection(columns[1].split()):
                raise ValueError(f"keys.txt:{number}: {min(twice)} stands in [{section}] already")
            taken.update(columns[1].split())
            table[section].append(_binding(section, *columns))
    return table


def _binding(section: str, name: str, keys: str, action: str, group: str, word: str, what: str) -> Binding:
    """A binding of the keys and of their Russian twins; only an action with a word is in the key bar."""
    with_twins = [stroke for given in keys.split() for stroke in (given, TWINS.get(given)) if stroke]
    footer = "" if word == "-" else word
    return Binding(
        ",".join(_NAMES.get(twin, twin) for twin in with_twins),
        action,
        what,
        show=bool(footer),
        tooltip=footer,
        id=name if "." in name else f"{section}.{name}",
        group=Binding.Group(group),
    )


def shown(name: str) -> str:
    """How a key is written for a person."""
    return _SHOWN.get(name) or typed(name) or _FUNCTION.sub(lambda f: f[0].upper(), name)


def typed(name: str) -> str:
    """The character that a key types in a field; empty for keys that type none."""
    character = key_to_character(REPLACED_KEYS.get(name, name))
    return character if character is not None and character.isprintable() else ""


@cache
def declared(node: type[DOMNode]) -> tuple[Binding, ...]:
    """The bindings that we gave a class and its bases, one a key, in the order of the library's merging."""
    ours = [
        binding
        for base in reversed(node.__mro__)
        if base.__module__.startswith("workbench.") and issubclass(base, DOMNode)
        for binding in vars(base).get("BINDINGS", ())
        if isinstance(binding, Binding) and binding.id
    ]
    return tuple(Binding.make_bindings(ours))


@dataclass(frozen=True)
class KeyAct:
    """One thing a screen can do: its keys as written, and the action to run."""

    id: str
    keys: tuple[str, ...]
    description: str
    footer: str
    group: str
    binding: ActiveBinding


def acts(active: Mapping[str, ActiveBinding], *, digits_as_one: bool = True) -> list[KeyAct]:
    """What can be done now, one entry an action, in the order of the bindings; twins are left out.

    `digits_as_one`: actions that differ in their digit (`review.label_1`, …) make one entry, `1–9`.
    While one types in a field, the keys that would be typed are left out.
    """
    typing = any(isinstance(entry.node, Input) for entry in active.values())
    by_id: dict[str, KeyAct] = {}
    for name, entry in _in_order(active):
        binding = entry.binding
        if typing and typed(name):
            continue
        full = str(binding.id)
        latin = active.get(_LATIN_OF.get(name, ""))
        keys: tuple[str, ...] = () if latin is not None and latin.binding.id == full else (shown(name),)
        name_of_it = _DIGIT.sub("", full) if digits_as_one else full
        if (known := by_id.get(name_of_it)) is None:
            group = binding.group.description if binding.group else ""
            by_id[name_of_it] = KeyAct(name_of_it, keys, binding.description, entry.tooltip, group, entry)
            continue
        keys = (*known.keys, *keys)
        keys = _span(keys) if name_of_it != full else keys
        description = known.description
        if description != binding.description:  # of several digits what they share
            description = description.partition(":")[0]
        by_id[name_of_it] = replace(known, keys=keys, description=description)
    return list(by_id.values())


def _in_order(active: Mapping[str, ActiveBinding]) -> list[tuple[str, ActiveBinding]]:
    """Our bindings in the order in which they are declared: a keymap puts those it changes at the end."""
    places = {
        (node, binding.id): (-len(node.ancestors_with_self), index)  # what has the focus before its screen
        for node in {entry.node for entry in active.values()}
        for index, binding in reversed(list(enumerate(declared(type(node)))))
    }
    ours = [
        (name, entry)
        for name, entry in active.items()
        if entry.binding.id and not entry.binding.system and entry.binding.description
    ]
    return sorted(ours, key=lambda pair: places[pair[1].node, pair[1].binding.id])


def _span(keys: tuple[str, ...]) -> tuple[str, ...]:
    """`1–9` for the keys of actions that differ in their digit."""
    if not keys:
        return ()
    first, last = keys[0].partition("–")[0], keys[-1].rpartition("–")[2]
    return (first if first == last else f"{first}–{last}",)


ALWAYS = {"ctrl+q": "app.quit", "f1": "app.help"}
"""Keys that no map may take away: the way out and the help, which also work while one is typing."""

_MODIFIERS = re.compile(r"(?:(?:ctrl|alt|shift|super|hyper|meta)\+)+")
_SHIFTED = re.compile(r"shift\+([a-z])")
_NAMED = {str(key.value) for key in Keys if not key.value.startswith("<")} | {
    _character_to_key(chr(code)) for code in range(0x21, 0x7F) if not chr(code).isalnum()
}


@cache
def nodes() -> tuple[type[DOMNode], ...]:
    """Every class of the app that has bindings of its own: the app, its screens, its fields."""
    classes: dict[type[DOMNode], None] = {}
    for info in walk_packages(workbench.tui.__path__, "workbench.tui."):
        for member in vars(import_module(info.name)).values():
            if isinstance(member, type) and issubclass(member, DOMNode) and declared(member):
                classes[member] = None
    return tuple(classes)


def actions() -> dict[str, tuple[Binding, ...]]:
    """Every action of the app by its name: one binding a key, in the order of the classes."""
    by_name: dict[str, dict[str, Binding]] = {}
    for node in nodes():
        for binding in declared(node):
            by_name.setdefault(str(binding.id), {}).setdefault(binding.key, binding)
    return {name: tuple(by_key.values()) for name, by_key in by_name.items()}


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
            named = map(key_name, keys)
            wanted[name] = tuple(dict.fromkeys(k for key in named for k in (key, TWIN_OF.get(key)) if k))
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
    name = given if len(given) == 1 else given.lower()
    name = _GIVEN.get(name, name)  # as `shown` writes it
    if len(name) == 1 and name.isprintable():
        return _character_to_key(name)
    if upper := _SHIFTED.fullmatch(name):
        return upper[1].upper()
    base = _MODIFIERS.sub("", name, count=1)
    if base in _NAMED or (typed(base) and (base == name or len(base) == 1)):
        return name
    raise UsageError(f"there is no key {given!r}{did_you_mean(name, _NAMED)}")


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
                raise UsageError(f"{lead}{name}: {shown(key)} is a character you type there")


def _keys_of(node: type[DOMNode]) -> dict[str, list[str]]:
    """The keys of every action that can be done on a screen; a subclass takes over a key of its base."""
    owners = {binding.key: str(binding.id) for binding in declared(node)}
    if issubclass(node, Screen):
        everywhere = [binding for app in nodes() if issubclass(app, App) for binding in declared(app)]
        for binding in everywhere:
            if binding.priority or not issubclass(node, ModalScreen):
                owners.setdefault(binding.key, str(binding.id))
    by_action: dict[str, list[str]] = {}
    for key, name in owners.items():
        by_action.setdefault(name, []).append(key)
    return by_action


LETTERS = "asdfghjklqwertyuiopzxcvbnm"
"""The letters of codes, the home row first."""

SURE = 6
"""One-letter codes that are kept however many places ask for two letters."""


class Hint(NamedTuple):
    """The code of a stretch of a text; its first `typed` letters have been typed already."""

    start: int
    end: int
    code: str
    typed: int = 0

    @property
    def left(self) -> str:
        """The letters that are still to be typed."""
        return self.code[self.typed :]


def codes(singles: int, doubles: int) -> tuple[list[str], list[str]]:
    """One-letter codes for the first of `singles` places, two-letter codes for the first of `doubles`.

    As few letters as can be are in use, so that most codes lie on the home row. 520 two-letter codes
    leave six letters for the others; places beyond get no code.
    """
    firsts = min(max(ceil(sqrt(doubles)), ceil(doubles / len(LETTERS))), len(LETTERS) - min(singles, SURE))
    single = LETTERS[: min(singles, len(LETTERS) - firsts)]
    begin = LETTERS[len(single) : len(single) + firsts]
    seconds = LETTERS[: ceil(doubles / firsts)] if firsts else ""
    return list(single), ["".join(pair) for pair in islice(product(begin, seconds), doubles)]


def hints(stretches: Sequence[Span], given: Sequence[str]) -> list[Hint]:
    """The stretches with their codes, as far as there are codes."""
    return [Hint(span.start, span.end, code) for span, code in zip(stretches, given, strict=False)]


def letter(character: str) -> str:
    """The Latin letter of a typed character, also on the Russian layout; empty for anything else."""
    latin = character.translate(TO_LATIN)
    return latin if latin.lower() in LETTERS and len(latin) == 1 else ""


def after(offered: Iterable[Hint], typed: str) -> list[Hint]:
    """The hints whose code begins with what was typed."""
    return [hint._replace(typed=len(typed)) for hint in offered if hint.code.startswith(typed)]
