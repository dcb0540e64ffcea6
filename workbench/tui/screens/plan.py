"""The plan of a dataset: how far it is, what is next, and making one before the first verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from workbench.reports.plan import complete_line, draft_text, plan_lines, precision_text
from workbench.text.figures import many
from workbench.text.query import META
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import ConfirmScreen, FormScreen, Hints, TypedLine
from workbench.tui.screens.prompt import PromptScreen, ReadScreen
from workbench.tui.widgets.bars import Head, KeyBar, Part, Status, as_text

if TYPE_CHECKING:
    from workbench.stages.plan import Draft, PlanReport, Wish
    from workbench.tui.desk import Desk

MOST_STRATA = 30
"""Values above which a field is not offered for strata: each takes two reviews at least."""

FEW_STRATA, ROOMY = 5, 36
"""Strata that the consequences list in a terminal of fewer lines than this."""

SIZES = (20, 30, 60, 100, 200, 400)
AS_NEEDED = "as needed"
HINTS: Hints = {
    "reviews": "F2 types another number",
    "design": {
        "simple": "every sample as likely",
        "stratified": "each stratum keeps its share",
    },
    "strata": "what the strata are made of",
    "holdout": "whole groups, reviewed without suggestions",
    "blind": {AS_NEEDED: "30 reviews from 60 planned ones on"},
}

START_OVER = "To plan all the same: import the file again, under another name (--dataset)."
START_OVER_DEMO = "To plan all the same: delete workbench-demo.db, then workbench demo again."


class PlanScreen(BaseScreen):
    """Reads and draws outside the event loop; keys wait for it."""

    WORDS = ("plan", "in order", "estimate", "interval", "stratum", "holdout", "blind")
    BINDINGS: ClassVar[list[BindingType]] = [
        key(
            "space enter",
            "back(1)",
            "Go on with the next sample of the plan",
            "plan.continue",
            "Plan",
            "continue",
        ),
        key("n", "new", "Make a plan, or another one", "plan.new", "Plan", "new plan"),
        key("h", "precision", "How many reviews a precision takes", "plan.precision", "Plan", "precision"),
        key("r f5", "reread", "Read again", "plan.reread", "Plan"),
        key("j down", "scroll(1)", "Down", "plan.down", "Moving"),
        key("k up", "scroll(-1)", "Up", "plan.up", "Moving"),
        key("escape b P", "back", "Back to the queue", "plan.back", "Plan", "back"),
        key("q", "app.quit", "Quit", "plan.quit", "Plan"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.report: PlanReport | None = None
        self._changed = False

    def compose(self) -> ComposeResult:
        """The plan line by line."""
        yield Head(id="head")
        with VerticalScroll(id="body", can_focus=False):
            yield Static(id="stand")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Read the plan; keys wait for it."""
        self.query_one(Head).place("Plan", self.desk.info.name, self.desk.annotator)
        self.work(self._read)

    # Reading.

    async def _read(self) -> None:
        from workbench.stages import plan
        from workbench.store.datasets import dataset_info

        info = await self.desk.store.read(dataset_info, self.desk.info.id)  # a plan changes the blind arm
        self.desk = replace(self.desk, info=info)
        self.report = await self.desk.store.read(plan.report, info)
        self.query_one("#stand", Static).update(as_text(_stand_lines(self.report)))
        self.refresh_bindings()
        self.query_one(KeyBar).refresh()

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A plan is made before the first verdict."""
        report = self.report
        closed = {
            "new": report is None or report.decided > 0,
            "precision": report is None or not report.population,
        }
        return None if closed.get(action, False) else True

    def refused(self, action: str) -> None:
        """Why a key does nothing now."""
        report = self.report
        if report is not None and report.decided and action == "new":
            number = many(report.decided, "sample is", "samples are")
            self.say(f"{number} verified or not counted: a plan is drawn before the first verdict")

    def action_scroll(self, step: int) -> None:
        """Up and down."""
        self.query_one("#body").scroll_relative(y=int(step), animate=False)

    def action_reread(self) -> None:
        """Read the plan again."""
        self.query_one(Status).say("")
        self.work(self._read)

    async def action_back(self, go_on: int = 0) -> None:
        """To the queue, which reads its order again; with `go_on` to the next sample to decide in it."""
        await self.app.pop_screen()
        self.bench.home.planned(changed=self._changed, go_on=bool(go_on))

    # A new plan.

    def action_new(self) -> None:
        """Ask what it shall be."""
        self.work(self._ask_for_one)

    async def _ask_for_one(self) -> None:
        from workbench.store.datasets import count_samples

        total = await self.desk.store.read(count_samples, self.desk.info.id)
        fields = _strata_fields(await self.desk.facets())
        if total < 2:
            self.say("a plan needs 2 samples at least")
            return
        sizes = [f"{size:,}" for size in SIZES if size <= total] or [f"{total:,}"]
        values = {
            "reviews": sizes,
            "design": ["simple", *(["stratified"] if fields else [])],
            "strata": fields,
            "holdout": ["none", "10%", "20%", "30%"],
            "blind": [AS_NEEDED, "none", "10%", "25%", "50%", "100%"],
        }
        typed = (TypedLine("reviews", "How many reviews?", partial(_number, total)),)
        form = FormScreen("New plan", values, HINTS, typed, _lines, self._wished, about=f"{total:,} samples")
        if "60" in sizes:
            form.chosen["reviews"] = "60"
        await self.bench.ask(form)

    def _wished(self, chosen: Mapping[str, str]) -> None:
        from workbench.stages.plan import Wish

        wish = Wish(
            n=int(chosen["reviews"].replace(",", "")),
            design=chosen["design"],  # type: ignore[arg-type]
            by=chosen["strata"] if chosen["design"] == "stratified" else "",
            holdout=_share(chosen["holdout"]),
            blind=None if chosen["blind"] == AS_NEEDED else _share(chosen["blind"]),
        )
        self.work(partial(self._draft, wish))

    async def _draft(self, wish: Wish) -> None:
        from workbench.stages import plan

        desk = self.desk
        with self.telling("drawing"):
            drafted = await desk.store.read(plan.draft, desk.info, wish, desk.annotator)
        title = "Replace the plan?" if drafted.replaces else "Make this plan?"
        text = draft_text(drafted, FEW_STRATA if self.size.height < ROOMY else MOST_STRATA)
        make = partial(self.work, partial(self._make, drafted))
        await self.bench.ask(ConfirmScreen(title, text, make, id="wide"))

    async def _make(self, drafted: Draft) -> None:
        from workbench.stages import plan

        await self.desk.store.write(plan.make, self.desk.info, drafted)
        self._changed = True
        await self._read()
        self.say("the queue follows this plan now", sign="✓", tone="good")

    # Precision.

    async def action_precision(self) -> None:
        """Ask for a half-width."""
        await self.bench.ask(
            PromptScreen(
                "An interval of ± how much?", self._wanted, value="0.03", placeholder="0.03", select=True
            )
        )

    def _wanted(self, text: str) -> str | None:
        try:
            width = float(text.removeprefix("±").strip().replace(",", "."))
        except ValueError:
            width = 0.0
        if not 0 < width < 1:
            return "a number between 0 and 1, as 0.03"
        self.work(partial(self._precision, width))
        return None

    async def _precision(self, width: float) -> None:
        from workbench.stages.plan import precision

        found = await self.desk.store.read(precision, self.desk.info, width)
        await self.bench.ask(ReadScreen("How many reviews it takes", precision_text(found)))


def _strata_fields(values: Mapping[str, Sequence[object]]) -> list[str]:
    """The fields that strata can be made of: group and keys of meta with two to thirty values."""
    return [
        name
        for name, found in values.items()
        if (name == "group" or name.startswith(META)) and 2 <= len(found) <= MOST_STRATA
    ]


def _lines(chosen: Mapping[str, str]) -> list[str]:
    """The lines of the form that mean something for the design."""
    strata = ["strata"] if chosen["design"] == "stratified" else []
    return ["reviews", "design", *strata, "holdout", "blind"]


def _number(most: int, text: str) -> str:
    digits = text.replace(",", "").replace(" ", "")
    if not (digits.isascii() and digits.isdecimal() and 2 <= int(digits) <= most):
        raise ValueError(f"a number from 2 to {most:,}")
    return f"{int(digits):,}"


def _share(text: str) -> float:
    """`20%` as .2; none as 0."""
    return 0.0 if text == "none" else int(text.removesuffix("%")) / 100


def _stand_lines(report: PlanReport) -> list[list[Part]]:
    """What a plan is for and what to do next, then the plan as it stands, then what holds now."""
    return [
        [(_what_next(report), "bold")],
        [],
        *([(flat(line), "")] for line in plan_lines(report)),
        [],
        *([("→ ", "$accent"), (step, "")] for step in _what_holds(report)),
    ]


def _what_next(report: PlanReport) -> str:
    """One sentence of at most 78 cells."""
    if report.complete:
        return "Your plan is complete: C in the queue shows the estimate."
    if report.planned_n is not None:
        left = many(report.planned_n - report.prefix, "review")
        return f"The plan says what to review and when to stop: space goes on, {left} left."
    if report.decided:
        return "You review in random order, without a plan: space goes on with the next sample."
    return "A plan says what to review and when to stop: n makes one, space goes on without."


def _what_holds(report: PlanReport) -> list[str]:
    """What to know; each fits into 78 cells."""
    if report.plan is None:
        steps = ["Stop whenever you like: what you have reviewed is a random sample."]
        if report.decided:
            said = many(report.decided, "sample")
            steps.append(f"{said} decided. Too late for a plan: reviewing has begun.")
            steps.append(START_OVER_DEMO if report.dataset == "demo" else START_OVER)
        return steps
    steps = [] if report.decided else ["Nothing is decided yet: n makes another plan."]
    if report.complete:
        said = complete_line(report)
        return [*steps, f"{said[0].upper()}{said[1:]}."]
    return [*steps, "Until the planned end intervals are wider, so that you can look at any time."]
