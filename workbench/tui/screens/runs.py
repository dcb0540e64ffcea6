"""The runs of a dataset: what each cost, what it failed on, and a new one that is started and watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.widgets import Static

from workbench.model import PLURAL
from workbench.reports.claude import money, plan_text, progress_line, shortened
from workbench.stages import claude as runs
from workbench.stages.claude import (
    MAX_COST,
    Limits,
    ModelOptions,
    ModelPlan,
    RunCost,
    RunProgress,
    RunSummary,
    plan_run,
    propose_by_model,
)
from workbench.stages.desk import Desk
from workbench.stages.propose import propose
from workbench.store.datasets import count_samples
from workbench.text.cells import cut, cut_middle, fit, short, width
from workbench.text.figures import many
from workbench.text.safe import flat
from workbench.tui.keys import bindings
from workbench.tui.screens.base import TEXTS, TICK, Room
from workbench.tui.screens.dialogs import ConfirmScreen, FormScreen, MenuChoice, MenuScreen
from workbench.tui.widgets.bars import DIM, Bar, Line, write
from workbench.tui.widgets.lines import Lines, Toned
from workbench.tui.work import Ended, Going, start


def described(run: RunSummary, advice: Mapping[str, str]) -> list[Line]:
    """The run under the cursor, line by line."""
    first: Line = [(flat(run.name), "bold"), (f"  {flat(run.model or run.proposer)}", "")]
    if run.current:
        first.append(("  ✓ in use for reviews and scores", "$success"))
    counts = f"{many(run.n_proposals, 'sample')} proposed, {run.failed:,} failed"
    if run.left:
        counts += f", {run.left:,} left" + (" (n with the same set-up goes on)" if run.paid else "")
    lines: list[Line] = [first, [(counts, "")]]
    if run.paid is not None:
        lines.append([(_paid(run.paid, run.n_proposals), "")])
    for kind, number in run.failures.items():
        lines.append(
            [(f"○ {number:,} failed: {flat(kind)}", "bold $warning"), (f"  {advice.get(kind, '')}", DIM)]
        )
    return [*lines, *_set_up(run.parameters)]


def _set_up(parameters: Mapping[str, Any]) -> list[Line]:
    if "prompt_sha256" not in parameters:
        where = {"rules": "made on this machine, without a service", "recorded": "came with a file"}
        return [[(where.get(str(parameters.get("source")), ""), DIM)]]
    effort = parameters["effort"] or "none"
    most = f"{parameters['max_tokens']:,} tokens out"
    facts = f"prompt {parameters['prompt_sha256'][:12]}  effort {effort}  at most {most}"
    asked = " and ".join(PLURAL.get(kind, kind) for kind in parameters.get("kinds", ()))
    labels = ", ".join(parameters.get("labels", ()))
    return [[(facts, DIM)], [(flat(f"asked for {asked}  labels {labels}"), DIM)]]


def _paid(paid: RunCost, proposals: int) -> str:
    usage = paid.usage
    cached = f" ({shortened(usage.cache_read)} cached)" if usage.cache_read else ""
    each = f", {money(paid.cost / proposals)} a sample" if paid.cost is not None and proposals else ""
    tokens = f"{shortened(usage.prompt)} tokens in{cached}, {shortened(usage.output)} out"
    return f"{many(paid.calls, 'call')} · {tokens} · {money(paid.cost)}{each}"


def doing(going: Going) -> str:
    """How a run goes on."""
    progress = going.progress
    if going.stop.is_set():
        return "stopping: waiting for what is under way"
    if going.by_rules:
        return f"{going.done:,} of {many(going.total, 'sample')}"
    if progress is None:
        return "starting …"
    return flat(progress_line(progress, many(going.total, "request")))


class _StoppedError(Exception):
    """A run by rules was asked to stop."""


def by_rules(desk: Desk, going: Going) -> Ended:
    """Propose by rules, in the thread of the run."""

    def count(done: int) -> None:
        going.done = done
        if going.stop.is_set():
            raise _StoppedError

    try:
        report = propose(desk.store, desk.info, "rules", annotator=desk.annotator, progress=count)
    except _StoppedError:
        return Ended("stopped: what was proposed is kept, the next start goes on from there", "!", "warn")
    summary = f"{report.run}: {report.proposed:,} proposed, {report.already:,} before"
    return Ended(summary, "✓", "good", report.run)


def by_model(desk: Desk, options: ModelOptions, going: Going) -> Ended:
    """Propose by a model, in the thread of the run."""
    import anthropic.types  # noqa: F401  what the first call loads

    def keep(progress: RunProgress) -> None:
        going.progress = progress

    report = propose_by_model(
        desk.store, desk.info, options,
        annotator=desk.annotator, limits=Limits(max_cost=MAX_COST, gently=True),
        on_progress=keep, stop=going.stop,
    )  # fmt: skip
    text = f"{report.run}: {report.proposed:,} proposed"
    text += f", {report.failed:,} failed" if report.failed else ""
    text += f" · {money(report.progress.cost)}"
    text = flat(text + (f" · {report.left:,} left: {report.stopped or 'interrupted'}" if report.left else ""))
    if report.failed or report.left:
        return Ended(text, "!", "warn", report.run)
    return Ended(text, "✓", "good", report.run)


# The lists.

PROPOSED, FAILED, COST, MADE = 9, 7, 9, 16  # cells of the columns; numbers are right-aligned


class RunColumns(NamedTuple):
    """Cells for the name and the model, and for the day a run was made (0: left out)."""

    name: int
    model: int
    made: int


def run_columns(size: int, runs: Sequence[RunSummary]) -> RunColumns:
    """The columns of a row of `size` cells; the day gives way first, then name and model are cut."""
    made = MADE + 2 if size >= 100 else 0
    room = size - 4 - 2 - PROPOSED - FAILED - COST - made
    name = min(max((width(flat(run.name)) for run in runs), default=8), 30, max(4, room * 3 // 5))
    return RunColumns(name, max(4, room - name), made)


class RunList(Lines[RunSummary]):
    """Runs, the newest first; ✓ stands before the current one."""

    AT_CURSOR: ClassVar = frozenset({"dim", "good", "warn"})

    def show(self, rows: Sequence[RunSummary], at: str = "") -> None:
        """Show these runs the cursor on `at`, else on the run it was on, at first on the current one."""
        wanted = at or (self.chosen.name if self.chosen else "")
        current = next((index for index, run in enumerate(rows) if run.current), 0)
        self.put(rows, next((index for index, run in enumerate(rows) if run.name == wanted), current))

    def drawn(self, run: RunSummary, size: int) -> Toned:
        """One run."""
        columns = run_columns(size, self.rows)
        failed = f"{run.failed:,}" if run.failed else "·"
        cost = "·" if run.paid is None else "?" if run.paid.cost is None else money(run.paid.cost)
        made = f"  {run.created_at:%Y-%m-%d %H:%M}" if columns.made else ""
        return [
            ("✓ " if run.current else "  ", "good"),
            (fit(cut_middle(flat(run.name), columns.name), columns.name) + "  ", ""),
            (fit(cut_middle(flat(run.model or run.proposer), columns.model), columns.model), "dim"),
            (fit(f"{run.n_proposals:,}", PROPOSED, right=True), ""),
            (fit(failed, FAILED, right=True), "warn" if run.failed else "dim"),
            (fit(cost, COST, right=True) + made, "dim"),
        ]


def column_names(columns: RunColumns) -> str:
    """The line above the runs."""
    name, model, made = columns
    line = f"    {fit('run', name)}  {fit('model', model)}{'proposed':>{PROPOSED}}{'failed':>{FAILED}}"
    return f"{line}{'cost':>{COST}}" + ("  made (UTC)" if made else "")


RULES, CLAUDE = "rules", "claude"
VALUES = {
    "proposer": [CLAUDE, RULES],
    "model": [],
    "effort": ["low", "medium", "high", "none"],
    "longest": ["16,000", "32,000", "64,000"],
    "batch": ["no", "yes"],
}
"""What a new run is asked for."""

PURPOSE = "Each run suggests what to review: space uses another one, n starts a new one."


class RunsScreen(Room):
    """A run goes on in a thread of its own, also when the screen is left."""

    NAME = "Runs"
    SHOWS_RUNS = True
    CSS_PATH = "../styles/runs.tcss"
    BINDINGS = bindings("runs")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._advice: dict[str, str] = {}
        self._told = False
        self._watched: Going | None = None
        self._listed = RunList(id="runs")
        self.action_failures = partial(self.work, self._list_failures)

    def body(self) -> ComposeResult:
        """The runs, the one under the cursor in full, the one that goes on."""
        yield Static(PURPOSE, id="purpose")
        yield Static(id="columns")
        yield self._listed
        yield Static(id="empty")
        yield Static(id="detail")
        yield Bar(id="going")

    def on_mount(self) -> None:
        """Read the runs; while a run goes on, read its progress again and again."""
        self.set_interval(TICK, self.watch_going)
        self.watch_going()

    # Reading.

    async def read(self, at: str = "") -> None:
        """Read the runs; the cursor is on the one named `at`."""
        rows = await self.desk.store.read(runs.list_runs, self.desk.info)
        self._advice = {kind: runs.advice(kind) for run in rows for kind in run.failures}
        self._listed.show(rows, at)
        self.empty("" if rows else TEXTS["no run"])
        self.moved()

    def moved(self) -> None:
        """Another run is under the cursor."""
        run = self.run
        write(self, "#detail", described(run, self._advice) if run else "")
        columns = run_columns(self._listed.scrollable_content_region.width, self._listed.rows)
        write(self, "#columns", column_names(columns))
        self.refresh_bindings()

    resized = moved

    @property
    def run(self) -> RunSummary | None:
        """The run under the cursor."""
        return self._listed.chosen

    # The run that goes on.

    @property
    def going(self) -> Going | None:
        """The run that goes on, if there is one."""
        going = self.bench.proposing
        return going if going is not None and going.is_alive() else None

    def watch_going(self) -> None:
        """Say how the run goes on; at its end say how it ended, and read what it left."""
        going, watched = self.going, self._watched
        self._watched = going
        bar = self.query_one("#going", Bar)
        if going is None:
            bar.show()
            if watched is not None and watched.ended is not None:
                text, sign, tone, name = watched.ended
                self.say(text, sign=sign, tone=tone)
                start(self, partial(self.read, name), group="read", failed=self.unread)
            return
        bar.show([("↻ ", "$accent"), (doing(going), "")])
        if not self._told and going.progress is not None:
            self._told = True  # its run is there by now
            start(self, self.read, group="read", failed=self.unread)

    # Keys.

    def closed(self, action: str) -> str | None:
        """What needs a run, a failure or another run is closed without it."""
        run, going = self.run, self.going
        if action == "stop":
            if going is None:
                return "no run goes on"
            return "stopping: calls under way are waited for" if going.stop.is_set() else None
        if action in ("new", "retry") and going is not None:
            return "a run goes on; backspace stops it"
        if action not in ("retry", "failures", "current"):
            return None
        if run is None:
            return "there is no run yet; n starts one"
        if action == "current":
            return "this run is in use already" if run.current else None
        return None if run.failed else "this run has no failures"

    async def action_new(self) -> None:
        """Ask what run it shall be."""
        values = VALUES | {"model": runs.known_models()}
        await self.bench.ask(FormScreen("New run", values, _lines, self._wished))

    def action_retry(self) -> None:
        """Look at what asking the failed samples again would send."""
        assert self.run is not None  # the key is closed without it
        self.work(partial(self._plan_again, self.run.name))

    async def _plan_again(self, name: str) -> None:
        options = await self.desk.store.read(runs.options_again, self.desk.info, name)
        await self._plan(replace(options, retry=True))

    def _wished(self, chosen: Mapping[str, str]) -> None:
        options = None  # by rules, on this machine
        if chosen["proposer"] == CLAUDE:
            options = ModelOptions(
                model=chosen["model"],
                effort=None if chosen["effort"] == "none" else chosen["effort"],
                max_tokens=int(chosen["longest"].replace(",", "")),
                batch=chosen["batch"] == "yes",
            )
        self.work(partial(self._plan, options))

    async def _plan(self, options: ModelOptions | None) -> None:
        """Say what a run would send before it is sent."""
        with self.telling("counting what it would send"):
            self.desk = desk = await self.desk.fresh()  # its policy may have changed
            info = desk.info
            if options is None:
                total = await desk.store.read(count_samples, info.id)
                text = f"{many(total, 'sample')}, on this machine; nothing is sent"
                dialog = ConfirmScreen("Propose by rules?", text, partial(self._send, None, total))
            else:
                dialog = self._asking(options, await desk.store.read(plan_run, info, options))
        await self.bench.ask(dialog)

    def _asking(self, options: ModelOptions, plan: ModelPlan) -> ConfirmScreen:
        title = "Send it in batches?" if options.batch else "Send it?"
        if options.retry:
            title = "Ask the failed samples again?"
        text, send = plan_text(plan), partial(self._send, options, plan.requests)
        if not plan.samples:
            return ConfirmScreen("Nothing is left to send", text, None)
        if plan.external == "never":
            return ConfirmScreen(
                title, f"{text}\n\nThis dataset must not leave the machine: nothing is sent.", None
            )
        if plan.cost is not None:
            text += f"\n  stops before a call that would exceed {money(MAX_COST)}; start it again to go on"
        return ConfirmScreen(title, text, send, id="wide")

    def _send(self, options: ModelOptions | None, total: int) -> None:
        self._told = False
        self.say("")
        run = partial(by_rules, self.desk) if options is None else partial(by_model, self.desk, options)
        self.bench.propose(Going(run, total, by_rules=options is None))
        self.watch_going()
        self.moved()

    def action_stop(self) -> None:
        """Nothing new is asked; what is under way is waited for."""
        assert self.going is not None  # the key is closed without it
        self.going.stop.set()
        self.watch_going()
        self.moved()

    def action_current(self) -> None:
        """Let openings and scores go by this run."""
        assert self.run is not None  # the key is closed without it
        self.work(partial(self._make_current, self.run.name))

    async def _make_current(self, name: str) -> None:
        desk = self.desk
        info = await desk.store.write(runs.make_current, desk.info, name, desk.annotator)
        self.desk = replace(desk, info=info)
        await self.read(name)
        self.succeeded(f"{name} is in use now; verified samples stay as they are")

    async def _list_failures(self) -> None:
        """The samples that this run failed on; taking one opens it for review, as chosen by hand."""
        assert self.run is not None  # the key is closed without it
        choices = [
            MenuChoice(
                short(sample.id, 40, sample.question),
                cut(flat(sample.message.removesuffix(f": {sample.advice}")), 36),
                take=partial(self._review, sample.sample_id),
            )
            for sample in await self.desk.store.read(runs.failures, self.desk.info, self.run.name)
        ]
        title = f"{many(len(choices), 'sample')} failed"
        await self.bench.ask(MenuScreen(title, choices, "enter reviews  esc closes"))

    def _review(self, sample_id: int) -> None:
        self.hold_keys(partial(self.bench.review, self.desk, sample_id, picked=True))


def _lines(chosen: Mapping[str, str]) -> list[str]:
    return [*VALUES] if chosen["proposer"] == CLAUDE else ["proposer"]
