"""Key bindings with their twins on a Russian keyboard, and the help made from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from textual.binding import ActiveBinding, Binding

_LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>"
_CYRILLIC = "йцукенгшщзхъфывапролджэячсмитьбюЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ"
TWINS: dict[str, str] = dict(zip(_LATIN, _CYRILLIC, strict=True))
"""The letter that the same physical key types on the Russian (ЙЦУКЕН) layout."""

GROUPS = ("Decide", "Units", "New unit", "Queue", "Moving", "View")
"""The order of the groups in the help; others follow as they come."""

_DIGIT = re.compile(r"_\d$")
_NAMES = {",": "comma"}  # a comma separates keys in a binding
_SHOWN = {
    "question_mark": "?",
    "comma": ",",
    "full_stop": ".",
    "slash": "/",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
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
    "f1": "F1",
}


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
    return _SHOWN.get(name, name)


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
    """
    by_id: dict[str, Act] = {}
    for name, entry in active.items():
        binding = entry.binding
        if binding.id is None or binding.system or not binding.description:
            continue
        group = binding.group.description if binding.group else ""
        keys = () if _is_twin(name) else (shown(name),)
        name_of_it = _DIGIT.sub("", binding.id) if digits_as_one else binding.id
        if (known := by_id.get(name_of_it)) is not None:
            keys = ("1–9",) if name_of_it != binding.id else (*known.keys, *keys)
            entry, group = known.binding, known.group
        description = known.description if known else binding.description
        footer = known.footer if known else entry.tooltip
        by_id[name_of_it] = Act(name_of_it, keys, description, footer, group, entry)
    return list(by_id.values())


def _is_twin(name: str) -> bool:
    return name.startswith("cyrillic_") or name in TWINS.values()
