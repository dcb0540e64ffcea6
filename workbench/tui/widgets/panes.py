"""How the panes of a sample share the screen: each has the lines it needs, and their rules join."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Container
from textual.geometry import Offset, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.tallies import Tallies
from workbench.tui.widgets.unit_list import UnitList

COLUMNS, ROOMY = 100, 116
"""Cells from which the units stand to the right of the texts, and have room for whole labels there."""
THREE = 160
"""Cells from which the contexts have a column of their own."""
QUESTION = 2
"""Lines of a question at most."""
DETAIL = 12
"""Lines that what is known of a unit takes, as long as there is room."""
HIGH, SPARE = 30, 3
"""In a body of so many lines panes stay where they are until one lacks a line, or so many in what grows: a
sample that moves everything costs the eye, and 6 ms."""


class Need(NamedTuple):
    """A pane, the lines of its rule, and those that its text takes."""

    pane: Widget
    rule: int
    lines: int


class VerticalRule(Widget):
    """The line between two columns; it joins the rules of the panes on both sides."""

    DEFAULT_CSS = "VerticalRule { width: 1; color: $foreground 20%; }"

    left: reactive[Set[int]] = reactive(frozenset())
    right: reactive[Set[int]] = reactive(frozenset())
    """The lines where a pane begins, on each side."""

    def render_line(self, y: int) -> Strip:
        """One cell."""
        joint = "│├┤┼"[(y in self.right) + 2 * (y in self.left)]
        return Strip([Segment("┬" if not y else joint, self.rich_style)])


def shares(room: int, needs: Sequence[int]) -> list[int]:
    """Lines for each: what it needs, and where that is too much an equal part of what the others leave."""
    given = [0] * len(needs)
    for done, index in enumerate(sorted(range(len(needs)), key=needs.__getitem__)):
        given[index] = min(needs[index], max(0, room) // (len(needs) - done))
        room -= given[index]
    return given


def stacked(area: Region, needs: Sequence[Need], grows: Widget) -> dict[Widget, Region]:
    """Panes below each other; one of them has the lines that nobody needs."""
    room = area.height - sum(need.rule for need in needs)
    given = shares(room, [need.lines for need in needs])
    regions: dict[Widget, Region] = {}
    y = area.y
    for need, lines in zip(needs, given, strict=True):
        height = need.rule + lines + (room - sum(given) if need.pane is grows else 0)
        regions[need.pane] = Region(area.x, y, area.width, height)
        y += height
    return regions


class _ByNeed(Layout):
    name = "by-need"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        assert isinstance(parent, Body)
        placed = parent.settle(size)
        return [
            WidgetPlacement(placed[child], Offset(), Spacing(), child)
            for child in children
            if child in placed
        ]


class Body(Container):
    """Question, texts, units and what is known of them: stacked, in two columns, or in three."""

    def __init__(
        self,
        question: Passage,
        reference: Passage,
        units: UnitList,
        detail: Passage,
        tallies: Tallies,
        contexts: Passage,
    ) -> None:
        super().__init__(id="body")
        self._question, self._reference, self._contexts = question, reference, contexts
        self._units, self._detail, self._tallies = units, detail, tallies
        self._rules = VerticalRule(), VerticalRule()
        self.placed: dict[Widget, Region] = {}
        """Where the panes lie now."""
        self._placed_in = Size(0, 0)
        self._by_need = _ByNeed()

    @property
    def layout(self) -> Layout:
        """By need: the library's layouts know shares only."""
        return self._by_need

    def compose(self) -> ComposeResult:
        """In the order in which they are read."""
        yield from (self._question, self._reference, self._units, self._detail, self._tallies)
        yield from (self._contexts, *self._rules)

    def fit(self) -> None:
        """Another sample: lay the panes out anew if it needs other lines."""
        if self.size and self.placed != self.settled(self.size):
            self._question.refresh(layout=True)  # a child's wish also clears what was arranged before

    def settled(self, size: Size) -> dict[Widget, Region]:
        """Where the panes lie now, as long as each has about the lines that it would get anew."""
        anew = self.place(size)
        if size != self._placed_in or anew.keys() != self.placed.keys():
            return anew
        growing = SPARE if size.height >= HIGH else 0
        for pane, region in anew.items():
            lacks = region.height - self.placed[pane].height
            if lacks > (growing if pane in (self._contexts, self._detail) else 0):
                return anew
        return self.placed

    def settle(self, size: Size) -> dict[Widget, Region]:
        """Lay the panes out; the rules between columns join those of the panes."""
        self.placed, self._placed_in = self.settled(size), size
        for rule in self._rules:
            if at := self.placed.get(rule):
                placed = [region.translate((0, -at.y)) for region in self.placed.values()]
                rule.left = {region.y for region in placed if region.right == at.x}
                rule.right = {region.y for region in placed if region.x == at.right}
        return self.placed

    @property
    def list_region(self) -> Region:
        """Where the units lie on the screen, with what is known of them where that is below them."""
        region, detail = self._units.region, self._detail.region
        return region.union(detail) if detail and detail.x == region.x else region

    def place(self, size: Size) -> dict[Widget, Region]:
        """The region of every pane that is shown."""
        width, height = size
        head = self._question.lines_at(width - 2, QUESTION)
        area = Region(0, head, width, height - head)
        if width < COLUMNS:
            regions = self._in_one(area)
        else:
            regions = self._in_three(area) if width >= THREE else self._in_two(area)
        return {self._question: Region(0, 0, width, head), **regions}

    def _texts(self, area: Region) -> list[Need]:
        texts = self._reference, self._contexts
        return [Need(text, 1, text.lines_at(area.width - 2, area.height)) for text in texts]

    def _in_one(self, area: Region) -> dict[Widget, Region]:
        reference, contexts = self._texts(area)
        tallies = Need(self._tallies, 0, self._tallies.lines_at(area.width - 2))
        needs = [reference, self._listed, tallies, contexts]
        return stacked(area, needs, self._contexts)

    def _in_two(self, area: Region) -> dict[Widget, Region]:
        texts, side = self._split(area, area.width * 3 // 5 if area.width < ROOMY else area.width * 11 // 20)
        left = stacked(texts, self._texts(texts), self._contexts)
        right = stacked(side, [self._listed, Need(self._detail, 1, DETAIL), self._score], self._detail)
        return self._ruled(0, area, left, right)

    def _in_three(self, area: Region) -> dict[Widget, Region]:
        first, rest = self._split(area, area.width * 8 // 25)
        second, third = self._split(rest, area.width * 9 // 25)
        reference, _ = self._texts(first)
        left = stacked(first, [reference, Need(self._detail, 1, DETAIL)], self._detail)
        middle: dict[Widget, Region] = {self._contexts: second}
        right = stacked(third, [self._listed, self._score], self._units)
        return self._ruled(0, area, left, middle) | self._ruled(1, rest, middle, right)

    @property
    def _listed(self) -> Need:
        return Need(self._units, 1, max(2, self._units.lines))  # without units a message

    @property
    def _score(self) -> Need:
        return Need(self._tallies, 1, 3 if self._tallies.has_class("-causes") else 2)

    @staticmethod
    def _split(area: Region, at: int) -> tuple[Region, Region]:
        left = Region(area.x, area.y, at, area.height)
        return left, Region(area.x + at + 1, area.y, area.width - at - 1, area.height)

    def _ruled(
        self, number: int, area: Region, left: dict[Widget, Region], right: dict[Widget, Region]
    ) -> dict[Widget, Region]:
        at = next(iter(left.values())).right
        return left | right | {self._rules[number]: Region(at, area.y, 1, area.height)}
