"""The accept key: it verifies at once, or stops where a person should look first; a lesson of a training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from workbench.model import Kind
from workbench.reports.team import lesson_text, trainee_line
from workbench.reviewing.edits import LONGEST
from workbench.stages import editing, intents
from workbench.stages.intents import Intent
from workbench.stages.people import Trainee
from workbench.stages.review import Stored
from workbench.stages.training import Lesson
from workbench.text.cells import short
from workbench.text.marks import marked_texts
from workbench.tui.keys import bindings
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import ReadScreen
from workbench.tui.widgets.passage import Marked
from workbench.tui.widgets.sample_pane import SamplePane

LOOK = 0.75
"""Seconds for which a stop has to be in sight before `a` passes it: longer than terminals wait until a
key that is held down repeats (0.25 to 0.66)."""

RELEASED = 0.35
"""Seconds without an `a` from which on the next one is a press of its own: a held key repeats faster."""


@dataclass
class Accepter:
    """Decides what an `a` does; `want` writes, `go_on` opens the next sample, `done` names the act."""

    screen: BaseScreen
    pane: SamplePane
    want: Callable[[Intent], None]
    go_on: Callable[[], None]
    done: str
    _pressed_at = float("-inf")
    _stopped_since = 0.0
    _stopped_at: tuple[int, Kind] | None = field(default=None, init=False)

    def forget(self) -> None:
        """Another sample is shown: a question about what was shown before is not answered by an `a` on it."""
        self._stopped_at = None

    def press(self) -> None:
        """Verify the kind shown and go on; stops where a person should look until `a` is pressed anew."""
        pane, warn = self.pane, self.screen.warn
        pressed, now, kind = self.screen.bench.pressed_at, pane.now, pane.kind
        quiet, self._pressed_at = pressed - self._pressed_at, pressed
        if pane.painted and pressed < pane.shown_at and quiet < RELEASED:
            return  # a held key's repeat from before this sample was there: no decision on it
        before = intents.before_accept(now, kind)
        if before == "decided":
            self.go_on()
        elif before == "empty":
            warn("no units yet: n makes one, 0 accepts none, S leaves it for later")
        elif before == "doubts" and not self._passes_stop(quiet):
            counted = any(unit.counted for unit in pane.units)
            shows = ", tab: show it" if counted else ""
            warn(f"{', '.join(editing.doubts(now, kind))}. a: accept anyway{shows}", sign="?")
            if counted and not editing.doubtful(pane.unit, pane.contexts):
                pane.to_next_doubt(1)
        else:
            self.accept()

    def accept(self) -> None:
        """Verify it, whatever is in doubt."""
        pane, bench = self.pane, self.screen.bench
        if not pane.painted:
            self.screen.warn("this sample has not been shown yet; make the window larger")
            return
        fast = bench.clock() - pane.shown_at < intents.FAST
        self.want(intents.accept(pane.now, pane.kind, fast=fast, done=self.done))

    def _passes_stop(self, quiet: float) -> bool:
        """Whether it stopped here before and the person saw it; `quiet`: seconds since the `a` before."""
        bench, here = self.screen.bench, (self.pane.now.sample_id, self.pane.kind)
        if self._stopped_at != here:
            self._stopped_at, self._stopped_since = here, bench.clock()
            return False
        return quiet >= RELEASED and bench.pressed_at - self._stopped_since >= LOOK


class LessonScreen(ReadScreen):
    """The known answer of a training sample: what differs, how far one is, the texts with its marks."""

    BINDINGS: ClassVar = bindings("lesson")

    def __init__(
        self, lessons: Sequence[Lesson], stored: Stored, trainee: Trainee | None, then: Callable[[], None]
    ) -> None:
        shown = Marked()
        known = [unit for lesson in lessons for unit in lesson.known]
        shown.line(lesson_text(lessons))
        if trainee is not None:
            shown.line(f"\n{trainee_line(trainee)}")
        for heading, text, marks in marked_texts(stored.sample, known):
            shown.line("\n")
            shown.add(heading, "heading")
            shown.line(text, marks)
        title = f"The known answer of {short(stored.sample.id, LONGEST, stored.question)}"
        super().__init__(title, shown.text, shown.marks, then)
        self._shown_at = float("inf")

    def on_mount(self) -> None:
        """From now on it is in sight."""
        self._shown_at = self.bench.clock()

    def action_next(self) -> None:
        """Go on; not by an `a` that was pressed before one could read: the same key accepted the sample."""
        if self.bench.pressed_at - self._shown_at >= LOOK:
            self.action_cancel()
