"""Key bindings with their twins on a Russian keyboard, and the help made from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import ActiveBinding, Binding

_LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>"
_CYRILLIC = "йцукенгшщзхъфывапролджэячсмитьбюЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ"
TWINS: dict[str, str] = dict(zip(_LATIN, _CYRILLIC, strict=True))
"""The letter that the same physical key types on the Russian (ЙЦУКЕН) layout."""

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
    "up": "↑",
    "down": "↓",
    "shift+left": "shift+←",
    "shift+right": "shift+→",
    "shift+up": "shift+↑",
    "shift+down": "shift+↓",
    "f1": "F1",
}


def key(
    keys: Iterable[str],
    action: str,
    description: str,
    *,
    id: str,  # noqa: A002  (Textual's word for it)
    group: str,
    footer: str = "",
) -> Binding:
    """A binding of the keys and of their Russian twins.

    `description` is what the palette and the help say; `footer` the short form in the key bar, shown
    there only when given. `id` names the action in a keymap.
    """
    with_twins = [name for one in keys for name in (one, TWINS.get(one)) if name]
    return Binding(
        ",".join(_NAMES.get(name, name) for name in with_twins),
        action,
        description,
        show=bool(footer),
        tooltip=footer,
        id=id,
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


def acts(active: dict[str, ActiveBinding]) -> list[Act]:
    """What can be done now, one entry an action, in the order of the bindings; twins are left out."""
    by_id: dict[str, Act] = {}
    for name, entry in active.items():
        binding = entry.binding
        if binding.id is None or binding.system or not binding.description:
            continue
        group = binding.group.description if binding.group else ""
        keys = () if _is_twin(name) else (shown(name),)
        if (known := by_id.get(binding.id)) is not None:
            keys = (*known.keys, *keys)
        by_id[binding.id] = Act(binding.id, keys, binding.description, entry.tooltip, group, entry)
    return list(by_id.values())


def _is_twin(name: str) -> bool:
    return name.startswith("cyrillic_") or name in TWINS.values()
