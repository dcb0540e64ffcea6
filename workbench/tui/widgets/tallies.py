"""The automatic and the verified tally of a sample, and their difference, once it is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from workbench.model import Kind, Tally, count
from workbench.tui.cells import cut
from workbench.tui.figures import delta, tally
from workbench.tui.safe import flat
from workbench.tui.widgets.bars import Part

if TYPE_CHECKING:
    from workbench.stages.review import AutoScore, Opened

PREFERRED = {"entity": "linked", "statement": "contextual_recall"}


class Tallies(Widget):
    """`linked 3/6 .50   verified 4/6 .67   Δ −.17`, on two lines where there are two.

    Nothing is counted before the decision: the units open as the machine matched them, so a running
    count would be the automatic score under another name.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._auto: AutoScore | None = None
        self._verified: Tally | None = None
        self._hidden = False
        self._nothing = False

    def show(self, opened: Opened, kind: Kind) -> None:
        """Show what may be seen of this sample."""
        state = opened.state.of(kind)
        of_kind = [one for one in opened.automatic if one.kind == kind]
        self._auto = next(
            (one for one in of_kind if one.scorer == PREFERRED[kind]), next(iter(of_kind), None)
        )
        self._verified = count(state.assessment.units) if state.disposition == "verified" else None
        self._nothing = opened.opening.proposal is None and not opened.blind
        self._hidden = state.disposition not in ("verified", "excluded")
        self.refresh()

    @property
    def text(self) -> str:
        """What is said, for tests."""
        return " ".join("".join(text for text, _ in line) for line in self._lines())

    def _lines(self) -> list[list[Part]]:
        first: list[Part] = []
        if self._auto is not None:
            first = [(flat(self._auto.scorer), ""), (f" {tally(self._auto.tally)}", "bold")]
        elif self._hidden and not self._nothing:
            first = [("automatic hidden until you accept (w)", "$foreground 68%")]
        elif self._nothing or self._verified is not None:
            first = [("no automatic score", "$foreground 68%")]
        second: list[Part] = []
        if self._verified is not None:
            second = [("verified", ""), (f" {tally(self._verified)}", "bold")]
            if self._auto is not None:
                auto, own = self._auto.tally.recall, self._verified.recall
                difference = None if auto is None or own is None else auto - own
                second += [("   Δ ", "$accent"), (delta(difference), "bold $accent")]
        return [first, second]

    def render(self) -> Content:
        """One line or two."""
        first, second = self._lines()
        size = self.content_size.width
        if self.content_size.height > 1:
            return Content("\n").join([_line(first, size), _line(second, size)])
        gap: list[Part] = [("   ", "")] if first and second else []
        return _line([*first, *gap, *second], size)


def _line(parts: list[Part], size: int) -> Content:
    kept: list[Part] = []
    for text, style in parts:
        kept.append((cut(text, max(0, size)), style))
        size -= len(text)
    return Content.assemble(*kept)
