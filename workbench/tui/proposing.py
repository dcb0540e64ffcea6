"""A run by rules or by a model in the background, whatever screen is shown; stopping waits for open calls."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.reports.claude import money
from workbench.tui.safe import flat

if TYPE_CHECKING:
    from workbench.stages.claude import ModelOptions, ModelReport
    from workbench.stages.propose import ProposeReport
    from workbench.stages.runs import RunProgress
    from workbench.tui.desk import Desk

LEAVE = 20.0
"""Seconds that leaving the app waits for calls under way. Killed later, a run loses no stored answer."""

LEAVING = f"""\
A run is going on. Leaving stops it softly: calls under way are waited for, at most {LEAVE:.0f} seconds. \
What was answered is kept, and the next start asks only for the rest.
"""


class _StoppedError(Exception):
    """A run by rules was asked to stop."""


class Going(threading.Thread):
    """One run in a thread of its own. Screens read its fields; only its thread writes them.

    The thread is a daemon and shares nothing with the event loop, so that a slow answer holds up neither
    a key nor leaving.
    """

    def __init__(self, desk: Desk, options: ModelOptions | None, total: int) -> None:
        super().__init__(name="run", daemon=True)
        self.options = options  # None: by rules, on this machine
        self.total = total  # requests as they were estimated; samples of a run by rules
        self.progress: RunProgress | None = None
        self.done = 0
        self.report: ModelReport | ProposeReport | None = None
        self.error = ""
        self.stop = threading.Event()
        self._desk = desk
        self.start()

    def leave(self, seconds: float = LEAVE) -> bool:
        """Stop softly and wait for the end, so many seconds at most; whether it ended."""
        self.stop.set()
        self.join(seconds)
        return not self.is_alive()

    def outcome(self) -> tuple[str, str, str]:
        """How it ended: the text, its sign and its tone."""
        report = self.report
        if report is None:
            return flat(self.error), "!", "warn" if self.stop.is_set() else "bad"
        if self.options is None:
            return f"{report.run}: {report.proposed:,} proposed, {report.already:,} before", "✓", "good"
        failed, left, stopped = report.failed, report.left, report.stopped  # type: ignore[union-attr]
        said = f"{report.run}: {report.proposed:,} proposed"
        said += f", {failed:,} failed" if failed else ""
        said += f", {left:,} left ({stopped or 'interrupted'})" if left else ""
        said += f" · {money(report.cost)}"  # type: ignore[union-attr]
        return flat(said), "!" if failed or left else "✓", "warn" if failed or left else "good"

    def run(self) -> None:
        """By rules or by a model; what ended it is kept."""
        try:
            self.report = self._by_rules() if self.options is None else self._by_model()
        except _StoppedError:
            self.error = "stopped: what was proposed is kept, the next start goes on from there"
        except WorkbenchError as error:
            self.error = str(error)
        except Exception as error:  # whatever ends the thread is shown, or the run would end without a word
            self.error = f"{type(error).__name__}: {error}"

    def _by_rules(self) -> ProposeReport:
        from workbench.stages.propose import propose

        def count(done: int) -> None:
            self.done = done
            if self.stop.is_set():
                raise _StoppedError

        desk = self._desk
        return propose(desk.store, desk.info, "rules", annotator=desk.annotator, progress=count)

    def _by_model(self) -> ModelReport:
        import anthropic.types  # noqa: F401  what the first call loads

        from workbench.stages.claude import MAX_COST, Limits, propose_by_model

        def keep(progress: RunProgress) -> None:
            self.progress = progress

        assert self.options is not None
        desk = self._desk
        return propose_by_model(
            desk.store, desk.info, self.options,
            annotator=desk.annotator, limits=Limits(max_cost=MAX_COST, gently=True),
            on_progress=keep, stop=self.stop,
        )  # fmt: skip


def finish(going: Going) -> None:
    """The app was left: stop the run and wait for what is under way, saying so when it takes a while."""
    if not going.leave(0.5):
        sys.stderr.write("stopping the run: waiting for the calls under way …\n")
        going.leave()
