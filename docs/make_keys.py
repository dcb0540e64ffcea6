"""Write docs/keys.md and docs/glossary.md from the program; with --check say whether they are current."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from textual.binding import Binding

from workbench.tui.keys import TWIN_OF, actions, shown
from workbench.tui.screens.help import TERMS

FOLDER = Path(__file__).parent
GLOSSARY = """\
# Glossary

The words of the screens and reports. `?` on a screen explains those that you see there.

| word | what it means |
| --- | --- |
"""
LETTERS = """\
## Letters

A letter does the same on every screen that has it. The one that opened a screen closes it too.

| key | does | where |
| --- | --- | --- |
"""
MEANS = {
    "evidence.letters": "evidence",
    "same.leave_out": "reject",
    "review.scores": "why",
    "lesson.next": "back",
    **dict.fromkeys(("quit", "cancel", "close"), "Quit, or close what lies over a screen"),
}
"""Actions and their last names that are called otherwise here."""
ANSWERS = ("confirm", "read", "saving")
"""Questions and notices: their letters are their own."""
HEAD = """\
# Keys

Made from the program's own bindings by `python docs/make_keys.py`.

`?` shows the keys of the screen you are on, ctrl+p finds every action by its words. Every action below can
be given other keys in the [config file](configuration.md), by the name in the first column. On a Russian
keyboard the same physical keys work as they are.

On a screen without a text field a paste does nothing, and what you type counts as keys even if a slow line
brings it all at once. A terminal that does not say that it marks pastes may send them as keys: there more
than five characters at once (of one character, more than sixty) are ignored too. A text field takes them all,
and Enter behind them.
"""
SCREENS = {
    "app": "Everywhere",
    "queue": "Queue",
    "review": "Review",
    "resolve": "Resolve, on top of those of a review",
    "saving": "Review, when a decision could not be saved",
    "why": "Why",
    "evidence": "Evidence",
    "find": "Find",
    "field": "While typing",
    "new": "New unit",
    "read": "Texts to read",
    "lesson": "The known answer of a training sample",
    "same": "The same in the whole dataset",
    "runs": "Runs",
    "compare": "Compare",
    "agree": "Agree",
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
    return "\n".join([*parts[:1], _letters(), *parts[1:]])


def glossary() -> str:
    rows = (f"| {term.replace('|', '&#124;')} | {meaning} |\n" for term, meaning in TERMS.items())
    return GLOSSARY + "".join(rows)


def letters() -> dict[str, dict[str, tuple[str, list[str]]]]:
    """The letters of the screens: what each does, in words, and on which screens."""
    found: dict[str, dict[str, tuple[str, list[str]]]] = {}
    for name, bindings in actions().items():
        screen, _, last = name.partition(".")
        meaning = MEANS.get(name) or MEANS.get(last, last)
        words = MEANS.get(last, bindings[0].description)
        for one in bindings if screen not in ANSWERS else ():
            closes = meaning == "back" and one.key != "b"  # the letter that opened a screen closes it too
            if len(one.key) == 1 and one.key.isascii() and one.key.isalpha() and not closes:
                found.setdefault(one.key, {}).setdefault(meaning, (words, []))[1].append(screen)
    return found


def _letters() -> str:
    by_letter = sorted(letters().items(), key=lambda one: (one[0].lower(), one[0]))
    rows = (
        f"| `{letter}` | {what} | {', '.join(sorted(where))} |\n"
        for letter, does in by_letter
        for what, where in does.values()
    )
    return LETTERS + "".join(rows)


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
    stale = 0
    for name, text in (("keys.md", page()), ("glossary.md", glossary())):
        path = FOLDER / name
        if "--check" not in sys.argv:
            path.write_text(text, "utf-8")
        elif not path.exists() or path.read_text("utf-8") != text:
            print(f"docs/{name} is not what the program has: run python docs/make_keys.py")
            stale = 1
    return stale


if __name__ == "__main__":
    raise SystemExit(main())
