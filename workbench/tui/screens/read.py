"""Texts to read over the screen: the guidelines, the notes of a plan or a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog
from workbench.tui.widgets.bars import DIM, Bar
from workbench.tui.widgets.passage import Passage

if TYPE_CHECKING:
    from workbench.stages.policy import PolicyVersion


class ReadScreen(Dialog):
    """A title and a text of any length."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("escape g q w", "cancel", "Close", "read.close", "Reading"),
        key("j down", "scroll(1)", "Down", "read.down", "Reading"),
        key("k up", "scroll(-1)", "Up", "read.up", "Reading"),
        key("pagedown space", "page(1)", "Page down", "read.page_down", "Reading"),
        key("pageup", "page(-1)", "Page up", "read.page_up", "Reading"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = flat(title), text

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Passage(id="text")

    def opened(self) -> None:
        """The text."""
        self.query_one("#title", Bar).show(((self._title, "bold"),), (("esc closes", DIM),))
        self.query_one(Passage).show(self._text, nothing="no text")

    def action_scroll(self, lines: int) -> None:
        """Up and down."""
        self.query_one(Passage).scroll_relative(y=int(lines), animate=False)

    def action_page(self, step: int) -> None:
        """A page up and down."""
        self.query_one(Passage).page(int(step))


def guidelines_text(versions: Sequence[PolicyVersion], used: int) -> str:
    """The newest version's guidelines, labels and rules; then the versions, with the one this review used.

    `used` is 0 for a review that was not accepted yet.
    """
    policy = versions[-1].policy
    labels = "  ".join(f"{label.key} {label.name}" for label in policy.labels)
    counted = f"Only {', '.join(policy.counted_labels)} count.\n" if policy.counted_labels else ""
    blocks = [f"{policy.guidelines.rstrip()}\n\nLabels: {labels}\n{counted}".rstrip()]
    if used and used != policy.version:
        blocks.append(
            f"This sample was verified under version {used}; accepting it again verifies it under "
            f"version {policy.version}."
        )
    if len(versions) > 1:
        lines = ["Versions"]
        for one in reversed(versions):
            what = "; ".join(one.changes) or "the first"
            here = " · this review" if one.policy.version == used else ""
            lines.append(f"{one.policy.version}  {one.day}  {one.annotator}: {what}{here}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
