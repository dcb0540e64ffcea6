"""One-line parts of a screen: the head, what happened, the keys, the names of parts, a text field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input, Static

from workbench.text.cells import cut, cut_front, cut_words, width, wrap
from workbench.text.safe import flat
from workbench.tui.keys import KeyAct, acts, bindings

Part = tuple[str, str]
"""Text and its style; the text is drawn as it is, never read as markup."""

Line = list[Part]
"""The parts of a line."""

DIM = "$foreground 68%"
"""The style of what is beside the point."""

KEPT = 24
"""Cells that a long name on the right keeps: its end, where names differ."""


def as_text(lines: Sequence[Line]) -> Content:
    """Lines of parts as one text; nothing in them is read as markup."""
    return Content("\n").join(Content.assemble(*line) for line in lines)


def write(node: Widget, name: str, text: str | Sequence[Line], *, layout: bool = True) -> None:
    """Put a text, or lines of parts, into the Static of that name; nothing in it is read as markup.

    Without `layout` it stays as large as it is.
    """
    content = Content(text) if isinstance(text, str) else as_text(text)
    node.query_one(name, Static).update(content, layout=layout)


def choice_parts(choices: Iterable[tuple[str, str]]) -> Line:
    """`1 person  2 place  …` with the keys in the accent colour."""
    parts: Line = []
    for name, word in choices:
        parts += [("  " if parts else "", ""), (name, "$accent"), (f" {flat(word)}", DIM)]
    return parts


def named(dataset: str, size: int) -> str:
    """A dataset's name in the head of a window of `size` cells, which has more to say."""
    return cut(flat(dataset), max(16, size // 3 - 4))


class OneLine(Widget):
    """A part of a screen that takes a line of it."""

    DEFAULT_CSS = "OneLine { height: 1; width: 1fr; }"


class Bar(OneLine):
    """One line with parts on the left and on the right.

    When space is short the last part on the right keeps its last `KEPT` cells, then the left gives way.
    """

    _sides: reactive[tuple[Sequence[Part], Sequence[Part]]] = reactive(((), ()))

    def __init__(
        self,
        left: Sequence[Part] = (),
        right: Sequence[Part] = (),
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.show(left, right)

    def show(self, left: Sequence[Part] = (), right: Sequence[Part] = ()) -> None:
        """Put these parts on the line."""
        self._sides = left, right

    @property
    def text(self) -> str:
        """What the line says, for tests and for copying."""
        return "".join(text for side in self._sides for text, _ in side)

    def render(self) -> Content:
        """The line, cut and padded by cells."""
        return Content.assemble(*arranged(*self._sides, self.content_size.width))


def cells(parts: Iterable[Part]) -> int:
    """How many cells parts take."""
    return sum(width(text) for text, _ in parts)


def arranged(left: Sequence[Part], right: Sequence[Part], room: int) -> Line:
    """The parts of a line of `room` cells, with the gap between left and right."""
    if right:
        *before, (name, style) = right
        taken = cells((*left, *before)) + (1 if left else 0)
        right = (*before, (cut_front(name, min(room, max(room - taken, KEPT))), style))
    ends = shortened(right, room)
    room -= cells(ends)
    starts = shortened(left, room - (1 if ends else 0))
    gap = room - cells(starts)
    return [*starts, (" " * max(0, gap), ""), *ends]


def shortened(parts: Iterable[Part], room: int) -> Line:
    """As much of the parts as `room` cells hold; the last one is cut behind a word."""
    pieces: Line = []
    for text, style in parts:
        if room <= 0:
            break
        text = cut_words(text, room)
        pieces.append((text, style))
        room -= width(text)
    return pieces


class Head(Bar):
    """The first line of a screen: where one is."""

    def place(self, screen: str, dataset: str, annotator: str, *, said: str = "") -> None:
        """The name of the screen, of the dataset and of the person; `said` of the dataset."""
        left = [
            (screen, "bold"),
            (f"  {named(dataset, self.app.size.width) if said else flat(dataset)}", DIM),
        ]
        if said:
            left.append((f"  {flat(said)}", DIM))  # of its own: the last part is cut, not left out
        self.show(left, [(f"as {flat(annotator)}", DIM)])


class Status(Bar):
    """What just happened, or what is in the way; `said` with its sign and tone.

    A message that one line does not hold takes more of them, and the part of the screen above gives way. What
    went well takes one line: the screen stays as it is from key to key.
    """

    DEFAULT_CSS = """
    Status { height: auto; min-height: 1; max-height: 4; }
    Status.-good { height: 1; }
    """

    said = "", "", ""

    @property
    def room(self) -> int:
        """Cells for what is said, behind its sign."""
        return self.content_size.width - 2

    def say(self, text: str, *, sign: str = "", tone: str = "") -> None:
        """Say it: `tone` is "good", "warn", "bad" or "" (quiet)."""
        self.said = text, sign, tone
        for name in ("good", "warn", "bad"):
            self.set_class(name == tone, f"-{name}")
        self.show([(f"{sign} " if sign else "", ""), (text, "")])
        lines = 1 if tone == "good" else len(wrap(self.text, self.content_size.width))
        if self.size.width and lines != self.size.height:
            self.refresh(layout=True)

    def render(self) -> Content:
        """The message; wrapped where one line does not hold it."""
        fits = self.has_class("-good") or width(self.text) <= self.content_size.width
        return super().render() if fits else Content(self.text)


class KeyBar(OneLine):
    """The few keys a person needs here, clickable; made from the bindings."""

    MOST = 8
    _acts: Sequence[KeyAct] = ()

    @dataclass
    class Pressed(Message):
        """A key of the bar was clicked."""

        act: KeyAct

    def __init__(
        self,
        word: Callable[[KeyAct], str] = attrgetter("footer"),
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """`word`: what a key does, where that is not always the same."""
        super().__init__(id=id)
        self._word = word

    def on_mount(self) -> None:
        """Another focus has other keys."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _screen: self.refresh())

    def render(self) -> Content:
        """Keys and words as far as they fit, whole ones only."""
        asks = self.screen.is_modal or isinstance(self.screen.focused, Input)
        chosen = [
            replace(act, footer=self._word(act))
            for act in acts(self.screen.active_bindings)
            if act.footer and act.keys and act.binding.enabled and not (asks and act.id == "app.palette")
        ]
        self._acts = _fitting(chosen, self.content_size.width)
        return clickable([(act.keys[0], "$accent"), (f" {act.footer}", DIM)] for act in self._acts)

    def on_click(self, event: events.Click) -> None:
        """Run what was clicked. What lies between two keys is neither: a near miss decides nothing."""
        if (number := event.style.meta.get("number")) is not None:
            self.post_message(self.Pressed(self._acts[number]))


def clickable(pieces: Iterable[Sequence[Part]]) -> Content:
    """Pieces of a line, two cells apart; the style under a click has the `number` of its piece, from 0."""
    return Content("  ").join(
        Content.assemble(*parts).stylize(Style.from_meta({"number": number}))
        for number, parts in enumerate(pieces)
    )


RANK = {"neither": 1, "rest": 1} | dict.fromkeys("help undo back quit cancel take accept".split(), 2)
"""By the last word of an action's name: what Resolve is for, then the ways out and back; others give way."""


def _fitting(shown: list[KeyAct], room: int) -> list[KeyAct]:
    """The acts with whole words that fit: from the end they give way, those that are vital at last."""
    while len(shown) > KeyBar.MOST or sum(width(act.keys[0] + act.footer) + 3 for act in shown) - 2 > room:
        shown.remove(min(reversed(shown), key=lambda act: RANK.get(act.id.rpartition(".")[2], 0)))
    return shown


class SectionBar(OneLine):
    """`1 overview  2 scatter …`, the one shown in bold and underlined."""

    @dataclass
    class Asked(Message):
        """A part was clicked; they count from 1."""

        number: int

    at = reactive(1)
    """The one that is shown."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(id="sections")
        self._names = names

    def render(self) -> Content:
        """The line."""
        return clickable(
            [(f"{number} {name}", "bold underline $accent" if number == self.at else DIM)]
            for number, name in enumerate(self._names, 1)
        )

    def on_click(self, event: events.Click) -> None:
        """Show what was clicked."""
        if (number := event.style.meta.get("number")) is not None:
            self.post_message(self.Asked(number + 1))


class Field(Input):
    """An input without markup, history or blinking.

    Enter runs the screen's `submit`, Escape its `cancel`: at once and in the order of the keys, where the
    library's own message would arrive after keys typed behind it.
    """

    BINDINGS = bindings("field")

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(value, placeholder=placeholder, id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False
