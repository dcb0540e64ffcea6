"""Everything of a dataset that disagrees: one key to the evidence, one key back, and what became of it."""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType

from workbench.errors import ConflictError
from workbench.tui.disputes_text import SIGNS, SORT_WORDS
from workbench.tui.ids import told_of
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.disputes_view import DisputesView
from workbench.tui.screens.menu import Choice, ConfirmScreen, MenuScreen
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.screens.why import open_why
from workbench.tui.widgets.bars import Status
from workbench.tui.widgets.dispute_list import DisputeList
from workbench.tui.widgets.lines import Lines
from workbench.tui.work import Work, start

if TYPE_CHECKING:
    from workbench.stages.disputes import Dispute, Kept, Key, Report, State
    from workbench.tui.desk import Desk


WITHOUT_VALUES = ("flag", "annotators")
"""Disputes whose sample opens as it always does, without its automatic values."""

SHOWN = "Its automatic values show before you decide, and its review says so."
OFF_PLAN = """\
A sample that is opened from here is reviewed out of its turn: it is marked as picked by hand (◌), and no \
estimate for the whole dataset is made from it.
"""


class DisputesScreen(DisputesView):
    """A change of a state is on disk before the list shows it."""

    LEGEND = (
        *((sign, one.words) for sign, one in SIGNS.items()),
        ("·", "hidden until the sample is decided"),
        ("moves", "how much the mean moves when it is settled to the other side"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter", "look", "To the evidence", "disputes.look", "Disputes", "evidence"),
        key("e", "explained", "Explained, with a note", "disputes.explained", "Disputes", "explained"),
        key("f", "state('fixed')", "Fixed", "disputes.fixed", "Disputes", "fixed"),
        key("o", "state('open')", "Open again", "disputes.open", "Disputes", "open"),
        key("u", "undo", "Undo the last change of a state", "disputes.undo", "Disputes", "undo"),
        key("v", "view", "View: states, and who disagrees", "disputes.view", "Disputes", "view"),
        key("r f5", "reread", "Read again; try again what was not saved", "disputes.reread", "Disputes"),
        key("j down", "move(1)", "Next dispute", "disputes.down", "Moving"),
        key("k up", "move(-1)", "Previous dispute", "disputes.up", "Moving"),
        key("pagedown ctrl+f", "page(1)", "Page down", "disputes.page_down", "Moving"),
        key("pageup ctrl+b", "page(-1)", "Page up", "disputes.page_up", "Moving"),
        key("g home", "edge(0)", "First dispute", "disputes.first", "Moving"),
        key("G end", "edge(1)", "Last dispute", "disputes.last", "Moving"),
        key("escape b D", "back", "Back to the queue", "disputes.back", "Disputes", "back"),
        key("q", "app.quit", "Quit", "disputes.quit", "Disputes"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._changes: list[tuple[Dispute, Kept | None]] = []
        self._failed: dict[Key, tuple[str, Work]] = {}  # a later change of a dispute takes the place
        self._reviewing = False

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """The cursor moved; a click opens the evidence."""
        event.stop()
        self._explain()
        if event.clicked:
            self.app.call_later(self.bench.gate.enter, self.action_look)

    def on_screen_resume(self, _event: events.ScreenResume) -> None:
        """Back from a review: what was decided may have settled the dispute."""
        if self._reviewing:
            self._reviewing = False
            self.work(self._read)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What needs a dispute is closed without one, and a state that it has already."""
        one = self.chosen if self.is_mounted else None
        closed = {
            "look": one is None,
            "explained": one is None,
            "state": one is None or parameters[:1] == (one.state,),
            "undo": not self._changes,
            "view": self.report is None or not self.report.disputes,
        }
        return None if closed.get(action, False) else True

    def refused(self, action: str) -> None:
        """Why a key does nothing now."""
        if action == "undo":
            self.say("nothing to undo here")
        elif self.chosen is None:
            self.say("there is no dispute here")
        elif action.startswith("state"):
            self.say(f"it is {self.chosen.stands} already")

    def action_move(self, step: int) -> None:
        """To another dispute."""
        self.query_one(DisputeList).move(int(step))

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self.query_one(DisputeList).move_page(int(step))

    def action_edge(self, last: int) -> None:
        """The first or the last dispute."""
        listed = self.query_one(DisputeList)
        listed.move_to((listed.count - 1) * int(last))

    def action_reread(self) -> None:
        """Try again what was not saved, else read everything again."""
        self.query_one(Status).clear()
        if not self._failed:
            self.work(self._begin)
            return
        again, self._failed = self._failed, {}
        for changed, (what, work) in again.items():
            self._write(changed, what, work)

    async def action_back(self) -> None:
        """To the queue, which reads again what was decided from here."""
        await self.bench.back_from_runs()

    # The evidence.

    async def action_look(self) -> None:
        """Both sides of the dispute, or its sample opened to be audited; asked once, for what that means."""
        one = self.chosen
        assert one is not None  # the key is closed without it
        dataset = self.desk.info.id
        if one.explained_by or dataset in self.bench.audited:
            self._open(one)
            return
        title = "Open it out of its turn?" if one.sort in WITHOUT_VALUES else "Audit this sample?"
        text = OFF_PLAN if one.sort in WITHOUT_VALUES else f"{SHOWN} {OFF_PLAN}"
        await self.bench.ask(ConfirmScreen(title, text, partial(self._agreed, dataset, one)))

    def _agreed(self, dataset: int, one: Dispute) -> None:
        self.bench.audited.add(dataset)
        self._open(one)

    def _open(self, one: Dispute) -> None:
        self.bench.gate.close()  # the screen that comes opens it
        start(self, partial(self._look, one), group="work", failed=self._not_opened)

    def _not_opened(self, error: Exception) -> None:
        self._reviewing = False
        self.say(f"not opened: {error}", sign="!", tone="bad")
        self.bench.open_gate()

    async def _look(self, one: Dispute) -> None:
        from workbench.stages import disputes
        from workbench.tui.desk import View

        self.query_one(Status).clear()
        if one.explained_by:
            await open_why(self, self.desk, one.sample_id, one.kind, one.scorer)
            return
        if one.sort not in WITHOUT_VALUES:
            await self.desk.store.write(disputes.audit, one.sample_id, self.desk.annotator)
        self._reviewing = True
        view = View(array("q", [one.sample_id]), decided=False, off_plan=True)
        await self.bench.review(replace(self.desk, view=view), one.sample_id, picked=True)

    # States.

    async def action_explained(self) -> None:
        """Ask what explains it."""
        one = self.chosen
        assert one is not None  # the key is closed without it
        await self.bench.ask(
            PromptScreen(
                "What explains it?", partial(self._explained, one), value=one.note, placeholder="a note"
            )
        )

    def _explained(self, one: Dispute, note: str) -> str | None:
        if not note:
            return "say what explains it"
        self._set(one, "explained", note)
        return None

    def action_state(self, state: State) -> None:
        """Fixed, or open again; the note stays."""
        one = self.chosen
        assert one is not None  # the key is closed without it
        self._set(one, state, one.note)

    def _set(self, one: Dispute, state: State, note: str) -> None:
        self._write(one.key, self._told(one, state), partial(self._save, one, state, note))

    async def _save(self, one: Dispute, state: State, note: str) -> None:
        from workbench.stages import disputes

        now = await self.desk.store.write(disputes.set_state, one, state, note, self.desk.annotator)
        self._changes.append((now, one.kept))
        await self._put(now)
        self.say(self._told(one, now.stands), sign="✓", tone="good")

    def _told(self, one: Dispute, said: str) -> str:
        return told_of(one.id, f"{one.between}: {said}", self.query_one(Status).room)

    def action_undo(self) -> None:
        """Take the last change of a state back, and go there."""
        change = self._changes[-1]
        one, _ = change
        self._write(one.key, self._told(one, "undo"), partial(self._take_back, change))

    async def _take_back(self, change: tuple[Dispute, Kept | None]) -> None:
        from workbench.stages import disputes

        one, before = change
        now = await self.desk.store.write(disputes.put_back, one, before)
        self._changes.remove(change)
        await self._put(now, follow=True)
        self.say(self._told(one, f"{now.stands} again"), sign="✓", tone="good")

    async def _put(self, now: Dispute, *, follow: bool = False) -> None:
        """Show a dispute as it is now; `follow` puts the cursor on it."""
        from workbench.stages.disputes import with_one

        assert self.report is not None
        try:
            self.report = with_one(self.report, now)
        except LookupError:  # read again since it was changed, and its place is another
            await self._read()
        else:
            self._show_changed(now, now if follow else self.chosen)

    def _write(self, changed: Key, what: str, work: Work) -> None:
        """Write while keys wait; what was not saved is said and can be tried again."""
        self.bench.gate.close()
        start(self, partial(self._writing, changed, what, work), group="work")

    async def _conflict(self, changed: Key, what: str, error: ConflictError) -> None:
        """Somebody was first: show what they said; what was said here before is not there to be undone."""
        self._changes = [one for one in self._changes if one[0].key != changed]
        try:
            await self._read()
        except Exception as second:  # as below
            self.say(f"could not read: {second}; r tries again", sign="!", tone="bad")
        else:
            self.say(f"not saved: {what}: {error}", sign="!", tone="warn")

    async def _writing(self, changed: Key, what: str, work: Work) -> None:
        try:
            await work()
        except ConflictError as error:
            await self._conflict(changed, what, error)
        except Exception as error:  # a database can fail in many ways; whatever it was is shown
            self._failed[changed] = what, work
            many = f" ({len(self._failed)} changes)" if len(self._failed) > 1 else ""
            self.say(f"not saved: {what}: {error}; r tries again{many}", sign="!", tone="bad")
        self.bench.open_gate()

    # The view.

    async def action_view(self) -> None:
        """Choose a state, or who disagrees."""
        report = self.report
        assert report is not None  # the key is closed without it
        states = [*report.states.items(), ("all", len(report.disputes))]
        choices = [Choice("State")]
        choices += [
            Choice(name, f"{number:,}", on=name == self.state, take=partial(self._choose, name, self.between))
            for name, number in states
        ]
        choices.append(Choice("Who disagrees"))
        for name, words, number in _parties(report, self.state):
            take = partial(self._choose, self.state, name)
            choices.append(Choice(words, f"{number:,}", on=name == self.between, take=take))
        await self.bench.ask(MenuScreen("View", choices))

    def _choose(self, state: str, between: str) -> None:
        self.state, self.between = state, between
        self.query_one(Status).clear()
        self._show(self.chosen)


def _parties(report: Report, state: str) -> list[tuple[str, str, int]]:
    """All, then every sort there is and what is in it: name, words, how many in this state."""
    found = [("", "everybody", report.number(state))]
    for sort, words in SORT_WORDS.items():
        own = dict.fromkeys(name for _, of, name in report.counts if of == sort)
        if own:
            found.append((sort, words, report.number(state, sort)))
        if len(own) > 1:
            found += [(name, f"  {flat(name)}", report.number(state, name)) for name in own]
    return found
