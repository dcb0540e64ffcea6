"""The plan of a dataset: how far it is, what is next, and making one before the first verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from workbench.reports import suggested
from workbench.reports.plan import draft_text, later_reviews, plan_lines
from workbench.stages import plan
from workbench.stages.desk import Desk
from workbench.stages.plan import Draft, PlanReport, Wish
from workbench.text.figures import many
from workbench.text.query import META
from workbench.text.safe import flat
from workbench.tui.keys import bindings
from workbench.tui.screens.base import Room
from workbench.tui.screens.dialogs import ConfirmScreen, FormScreen
from workbench.tui.widgets.bars import Line, write

MOST_STRATA = 30
"""Values above which a field is not offered for strata: each takes two reviews at least."""

FEW_STRATA, ROOMY = 5, 36
"""Strata that the consequences list in a terminal of fewer lines than this."""

MORE = 40

SIZES = (20, 30, 60, 100, 200, 400)
AS_NEEDED, BY_SCORE = "as needed", "by score"
ASK = "workbench plan --precision 0.05 says how many reviews make the mean ± .05."


class PlanScreen(Room):
    """What a plan is for, how far it is, and a form for a new one."""

    NAME = "Plan"
    CSS_PATH = "../styles/plan.tcss"
    BINDINGS = bindings("plan")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.report: PlanReport | None = None
        self._changed = False
        self.action_new = partial(self.work, self._ask_for_one)

    def body(self) -> ComposeResult:
        """The plan line by line."""
        with VerticalScroll(id="body", can_focus=False):
            yield Static(id="stand")

    async def read(self) -> None:
        """Read the plan and how far it is."""
        self.desk = await self.desk.fresh()  # a plan changes the blind arm
        self.report = await self.desk.store.read(plan.report, self.desk.info)
        write(self, "#stand", _stand_lines(self.report))
        self.refresh_bindings()

    # Keys.

    def closed(self, action: str) -> str | None:
        """A plan is made before the first verdict."""
        report = self.report
        if action != "new" or (report is not None and not report.decided):
            return None
        if report is None:
            return ""
        reviewed = f"people have reviewed {many(report.decided, 'sample')}"
        more = "workbench plan --more N adds to this one" if report.plan else "random order needs none"
        return f"{reviewed}, and a plan is made before the first review; {more}"

    def action_scroll(self, step: int) -> None:
        """Up and down."""
        self.query_one("#body").scroll_relative(y=step, animate=False)

    async def action_back(self, go_on: int = 0) -> None:
        """To the queue, which reads its order again; with `go_on` to the next sample to decide in it."""
        await self.app.pop_screen()
        self.bench.home.planned(changed=self._changed, go_on=bool(go_on))

    # A new plan.

    async def _ask_for_one(self) -> None:
        report = self.report
        assert report is not None  # the key is closed until it is read
        total = report.population + report.holdout + report.late
        fields = _strata_fields(await self.desk.facets())
        if total < 2:
            self.say("a plan needs 2 samples at least")
            return
        sizes = [f"{size:,}" for size in sorted({*SIZES, total}) if size <= total]
        values = {
            "reviews": sizes,
            "design": [BY_SCORE, "simple", *(["stratified"] if fields else [])],
            "strata": fields,
            "holdout": ["none", "10%", "20%", "30%"],
            "blind": [AS_NEEDED, "none", "10%", "25%", "50%", "100%"],
        }
        form = FormScreen("New plan", values, _lines, self._wished, about=f"{total:,} samples")
        if "60" in sizes:
            form.chosen["reviews"] = "60"
        await self.bench.ask(form)

    def _wished(self, chosen: Mapping[str, str]) -> None:
        wish = Wish(
            n=int(chosen["reviews"].replace(",", "")),
            design="" if chosen["design"] == BY_SCORE else chosen["design"],  # type: ignore[arg-type]
            by=chosen["strata"] if chosen["design"] == "stratified" else "",
            holdout=_share(chosen["holdout"]),
            blind=None if chosen["blind"] == AS_NEEDED else _share(chosen["blind"]),
        )
        self.work(partial(self._draft, wish))

    async def _draft(self, wish: Wish) -> None:
        desk = self.desk
        with self.telling("drawing"):
            drafted = await desk.store.read(plan.draft, desk.info, wish, desk.annotator)
        title = "Replace the plan?" if drafted.replaces else "Make this plan?"
        text = draft_text(drafted, FEW_STRATA if self.size.height < ROOMY else MOST_STRATA)
        make = partial(self.work, partial(self._make, drafted))
        await self.bench.ask(ConfirmScreen(title, text, make, id="wide"))

    async def _make(self, drafted: Draft) -> None:
        await self.desk.store.write(plan.make, self.desk.info, drafted)
        self._changed = True
        await self.read()
        self.succeeded("the queue follows this plan now")


def _strata_fields(values: Mapping[str, Sequence[object]]) -> list[str]:
    """The fields that strata can be made of: group and keys of meta with two to thirty values."""
    return [
        name
        for name, levels in values.items()
        if (name == "group" or name.startswith(META)) and 2 <= len(levels) <= MOST_STRATA
    ]


def _lines(chosen: Mapping[str, str]) -> list[str]:
    """The lines of the form that mean something for the design."""
    strata = ["strata"] if chosen["design"] == "stratified" else []
    return ["reviews", "design", *strata, "holdout", "blind"]


def _share(text: str) -> float:
    """`20%` as .2; none as 0."""
    return 0.0 if text == "none" else int(text.removesuffix("%")) / 100


def _stand_lines(report: PlanReport) -> list[Line]:
    """What a plan is for and what to do next, then the plan as it stands, then what holds now."""
    return [
        [(_what_next(report), "bold")],
        [],
        *([(flat(line), "")] for line in plan_lines(report)),
        [],
        *([("→ ", "$accent"), (suggested(step), "")] for step in _what_holds(report)),
    ]


def _what_next(report: PlanReport) -> str:
    """One sentence of at most 78 cells."""
    if report.complete:
        return "Your plan is complete: C in the queue shows the estimate."
    if report.planned_n is not None:
        left = many(report.planned_n - report.done, "review")
        return f"The plan says what to review and when to stop: space goes on, {left} left."
    if report.decided:
        return "You review in random order, without a plan: space goes on."
    return "A plan says what to review and when to stop: n makes one, space goes on."


def _what_holds(report: PlanReport) -> list[str]:
    """What to know, as long as the plan has no end; each fits into 78 cells."""
    if report.complete:
        drawn = report.plan is not None and report.plan.corpus
        planned, behind = report.planned_n or 0, later_reviews(report)
        left = 0 if drawn else report.population - planned
        more = min(report.n - planned + MORE, left)
        are = f"{behind} reviewed already, {more - behind} left"
        there = f" ({are})" if behind and (more == left or not report.beyond) else ""
        narrower = f"For a narrower interval: workbench plan --more {more}{there}."
        return [narrower, "Until these are reviewed, it is wider than now."] if left > behind else []
    if report.plan is None:
        steps = ["Stop whenever you like: what you reviewed in order is a random sample."]
        late = f"{many(report.decided, 'sample')} decided. Too late for a plan: reviewing has begun."
        return [*steps, late if report.decided else ASK]
    steps = [] if report.decided else ["Nothing is decided yet: n makes another plan.", ASK]
    return [*steps, "You may look at the estimate at any time."]
