"""Write docs/keys.md from the program's own bindings; with --check only say whether it is current."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from textual.binding import Binding

from workbench.tui.keys import TWIN_OF, actions, shown

PAGE = Path(__file__).with_name("keys.md")
HEAD = """\
# Keys

Made from the program's own bindings by `python docs/make_keys.py`.

`?` shows the keys of the screen you are on, ctrl+p finds every action by its words. Every action below can
be given other keys in the [config file](configuration.md), by the name in the first column. On a Russian
keyboard the same physical keys work as they are.

On a screen without a text field a paste does nothing. A terminal that does not mark pastes sends them as
keys: there a paste of more than five characters (of one character, more than sixty) is ignored too, and a
shorter one counts as keys.
"""
SCREENS = {
    "app": "Everywhere",
    "queue": "Queue",
    "review": "Review",
    "saving": "Review, when a decision could not be saved",
    "why": "Why",
    "evidence": "Evidence",
    "find": "Find",
    "field": "While typing",
    "new": "New unit",
    "read": "Texts to read",
    "same": "The same in the whole dataset",
    "runs": "Runs",
    "compare": "Compare",
    "plan": "Plan",
    "calibrate": "Calibrate",
    "form": "A new plan, a new run",
    "query": "Search",
}


def page() -> str:
    parts = [HEAD]
    known = actions()
    lead = {name: place for place, name in enumerate(SCREENS)}
    screens = sorted(known, key=lambda name: lead.get(_screen(name), len(lead)))
    for screen, names in groupby(screens, key=_screen):
        title = SCREENS.get(screen) or screen.capitalize()
        parts.append(f"## {title}\n\n| name | keys | does |\n| --- | --- | --- |")
        parts[-1] += "".join(_row(name, known[name]) for name in names) + "\n"
    return "\n".join(parts)


def _screen(name: str) -> str:
    return name.partition(".")[0]


def _row(name: str, bindings: tuple[Binding, ...]) -> str:
    twins = {TWIN_OF.get(binding.key) for binding in bindings}
    keys = [binding.key for binding in bindings if binding.key not in twins]
    written = " ".join(f"`{_as_given(key)}`".replace("|", "\\|") for key in keys)
    return f"\n| `{name}` | {written} | {bindings[0].description} |"


def _as_given(key: str) -> str:
    """A key as the config file takes it: keys are parted by spaces there, so none is within one."""
    return key if " " in shown(key) else shown(key)


def main() -> int:
    if "--check" not in sys.argv:
        PAGE.write_text(page(), "utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text("utf-8") == page():
        return 0
    print("docs/keys.md is not what the program binds: run python docs/make_keys.py")
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
