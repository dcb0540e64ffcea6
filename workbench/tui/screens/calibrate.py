"""Calibrate: what the match threshold does to the whole dataset, and the one that gold chooses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.comparing.curve import move_to
from workbench.reports.calibrate import (
    NAMES,
    change_text,
    gain_text,
    how_sure,
    is_better,
    no_better,
    no_use,
    probability_lines,
    support_text,
    times,
    too_early,
)
from workbench.scoring.names import scorer_name
from workbench.text.figures import number, signed
from workbench.text.safe import flat
from workbench.tui.keys import bindings
from workbench.tui.screens.base import BaseScreen
from workbench.tui.screens.dialogs import ConfirmScreen, PromptScreen, ReadScreen
from workbench.tui.widgets.bars import DIM, Head, KeyBar, Part, Status, as_text
from workbench.tui.widgets.threshold_plot import HIGH, LOW, ThresholdPlot

if TYPE_CHECKING:
    from workbench.comparing.calibration import Calibrated
    from workbench.comparing.curve import MovedCurve
    from workbench.stages.calibrate import Look
    from workbench.stages.desk import Desk

BY_HAND = """\
You chose this threshold while looking at all verified samples, so nothing shows how good it is on others. \
Verified samples stay as they are.
"""


NEW_VERSION = """\
This makes a new version of the policy. No model is asked again, and what people verified stays. Samples \
reviewed under the version before come again at the end of the queue.
"""


class CalibrateScreen(BaseScreen):
    """Reads and fits beside the event loop; another threshold is a few array passes."""

    LEGEND = (
        ("┃ │", "the threshold shown, the one in use"),
        ("◆", "the one that fits verified samples; B goes there"),
        ("·· as judged", "the automatic units under people's verdicts, where there is one"),
    )
    WORDS = ("threshold", "calibration", "bias", "|Δ|", "F1", "TPR, TNR", "assisted", "cross-fitted")
    BINDINGS = bindings("calibrate")

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.look: Look | None = None
        self.objective = "bias"
        self.at = desk.info.threshold

    def compose(self) -> ComposeResult:
        """Compose the curve, its numbers next to it, and the sentences about the fit."""
        yield Head(id="head")
        yield Static(id="purpose")
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield ThresholdPlot(id="curve")
                yield Static(id="legend-line")
            yield Static(id="numbers")
        yield Static(id="finding")
        yield Static(id="empty")
        yield Status(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Read the dataset; keys wait for it, and the status line says how far it is."""
        self._title("")
        self._hide(shown=False)
        self.work(self._read)

    # Reading.

    def unread(self, error: Exception) -> None:
        """As everywhere; where there is nothing to show the reason takes its place."""
        if self.look is None:
            self._hide(shown=False)
            message = (
                f"How alike must two names be to match? This cannot be chosen yet.\n\n{flat(str(error))}"
            )
            self.query_one("#empty", Static).update(Content(message))
        super().unread(error)

    async def _read(self) -> None:
        from workbench.stages import calibrate
        from workbench.stages.recompute import save_counted

        known: set[int] = set()
        with self.telling("matching samples") as count:
            while chunk := await self.desk.store.read(calibrate.next_uncounted, self.desk.info.id):
                if known >= set(chunk.hashes):
                    break  # their text or policy changes under us; they stay uncounted for now
                known |= set(chunk.hashes)
                await self.desk.store.write(save_counted, chunk)
                count(len(known))
        with self.telling("reading verified samples") as count:
            look = await self.desk.store.read(
                calibrate.look, self.desk.info.id, self.objective, progress=count
            )
        if self.look is None or self.look.info.threshold != look.info.threshold:
            self.at = look.info.threshold
        self.look = look
        self._hide(shown=True)
        self._show()

    # Showing.

    def _title(self, what: str) -> None:
        desk = self.desk
        self.query_one(Head).place("Calibrate", desk.info.name, desk.annotator, said=what, most=30)

    def _hide(self, *, shown: bool) -> None:
        for name in ("#purpose", "#middle", "#finding"):
            self.query_one(name).display = shown
        self.query_one("#empty").display = not shown  # it keeps the last lines in their places

    def _show(self) -> None:
        """Everything anew: after reading, and when the objective or the fit changed."""
        look = self.look
        assert look is not None
        used = f" · {look.info.calibration}" if look.info.calibration else ""
        self._title(f"{scorer_name(look.gathered.scorer)} · {look.gathered.run.name}{used}")
        self.query_one(ThresholdPlot).show(look.moves, look.found, self.at)
        self.query_one("#legend-line", Static).update(
            Content.assemble(*legend(look, wide=self.has_class("-wide")))
        )
        self.query_one("#purpose", Static).update(what_next(look))
        self.query_one("#finding", Static).update(as_text(finding(look)))
        self._moved()
        self.refresh_bindings()
        self.query_one(KeyBar).refresh()

    def _moved(self) -> None:
        """The numbers at the threshold."""
        assert self.look is not None
        numbers = as_text(panel(self.look, move_to(self.look.moves, self.at)))
        self.query_one("#numbers", Static).update(numbers, layout=False)

    def to(self, threshold: int) -> None:
        """Score the dataset at a threshold and show it."""
        if self.look is None:
            return
        threshold = min(max(threshold, LOW), HIGH)
        if threshold != self.at:
            self.at = threshold
            with self.app.batch_update():
                self.query_one(ThresholdPlot).move(threshold)
                self._moved()
        self.query_one(Status).say("")

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a look there is only the way back; without a fit no probability, best one or saving."""
        look = self.look
        closed = {
            **dict.fromkeys(("move", "in_use", "use"), look is None),
            "take": look is None or look.change is None,
            **dict.fromkeys(("best", "objective", "probability"), look is None or look.found is None),
        }
        return None if closed.get(action, False) else True

    def refused(self, action: str) -> None:
        """Why a key does nothing now."""
        if self.look is not None and action in ("best", "objective", "probability"):
            self.say(self.look.why, sign="!", tone="warn")
        elif self.look is not None and action == "take":
            self.say("your reviews ask for no change of the policy")

    def action_move(self, step: int) -> None:
        """By 1 or by 5."""
        self.to(self.at + int(step))

    def action_best(self) -> None:
        """To the chosen threshold."""
        assert self.look is not None  # the key is closed without it
        assert self.look.found is not None
        self.to(self.look.found.threshold)

    def action_in_use(self) -> None:
        """To the threshold in use."""
        assert self.look is not None  # the key is closed without it
        self.to(self.look.moves.now)

    def action_objective(self) -> None:
        """Choose by the other objective."""
        self.objective = "f1" if self.objective == "bias" else "bias"
        self.work(self._refit)

    async def _refit(self) -> None:
        assert self.look is not None  # the key is closed without it
        assert self.look.found is not None
        look = self.look
        self.look = await self.desk.store.read(lambda _: look.fitted(self.objective))
        self._show()

    async def action_probability(self) -> None:
        """The probability of a match by similarity."""
        assert self.look is not None  # the key is closed without it
        assert self.look.found is not None
        text = "\n".join(probability_lines(self.look.found))
        await self.bench.ask(ReadScreen("Probability of a match", text))

    async def action_take(self) -> None:
        """Make the first change that reviews ask for the next version of the policy."""
        assert self.look is not None  # the key is closed without it
        change = self.look.change
        assert change is not None
        text = (
            f"{flat(f'{change.words}: {change_text(change)}')}\n{flat(support_text(change))}\n\n{NEW_VERSION}"
        )
        await self.bench.ask(ConfirmScreen("Change the policy?", text, partial(self.work, self._take)))

    async def _take(self) -> None:
        from workbench.stages import policy

        assert self.look is not None
        assert self.look.change is not None
        changed = self.look.change.policy
        report = await self.desk.store.write(policy.keep_policy, self.look.info, changed, self.desk.annotator)
        await self._read()
        self.say(f"policy version {report.version} is current", sign="✓", tone="good")

    async def action_use(self) -> None:
        """Use what is shown: the fit under a name, or a threshold by hand."""
        look = self.look
        assert look is not None  # the key is closed without it
        if look.found is not None and self.at == look.found.threshold:
            await self._ask_name()
        elif self.at == look.moves.now:
            self.say("this threshold is in use")
        else:
            title = f"Use {self.at} by hand?"
            await self.bench.ask(ConfirmScreen(title, BY_HAND, partial(self.work, self._by_hand)))

    async def _ask_name(self) -> None:
        assert self.look is not None  # the key is closed without it
        calibration = self.look.found
        assert calibration is not None
        note = f"threshold {calibration.threshold}, fitted on {calibration.samples:,} verified samples"

        def take(name: str) -> str | None:
            assert self.look is not None
            if not name:
                return "a name, please"
            if name in self.look.saved:
                return "there is one of that name, and it does not change"
            self.work(partial(self._save, name))
            return None

        await self.bench.ask(PromptScreen(f"Use it as ({note})", take, value=self.look.free_name))

    async def _save(self, name: str) -> None:
        from workbench.stages import calibrate

        assert self.look is not None
        await self.desk.store.write(calibrate.keep, self.look, name, self.desk.annotator)
        await self.desk.store.write(calibrate.use, self.look.info, name, self.desk.annotator)
        await self._read()
        self.say(f"{name} is in use for scores and for the order doubtful first", sign="✓", tone="good")

    async def _by_hand(self) -> None:
        from workbench.stages.recompute import keep_threshold

        assert self.look is not None
        at = self.at
        await self.desk.store.write(keep_threshold, self.look.info, at, self.desk.annotator)
        await self._read()
        self.say(f"match threshold {at} is in use, without a calibration", sign="✓", tone="good")

    def action_reread(self) -> None:
        """Read again: other windows review too."""
        self.query_one(Status).say("")
        self.work(self._read)


LABEL = 12

Line = list[Part]
"""One line of styled parts."""


def panel(look: Look, moved: MovedCurve) -> list[Line]:
    """The numbers of one threshold: all samples, the verified ones, what flips."""
    at, now = moved.threshold, look.moves.now
    lines: list[Line] = [
        [("match threshold ", DIM), (str(at), "bold $accent"), ("" if at != now else "  in use", DIM)],
        [("", "")],
        [(f"all {moved.defined:,} samples", "bold")],
        _row("automatic", number(moved.mean)),
    ]
    if look.found is not None:
        lines += [[("", "")], *_verified(look.found, at)]
    lines += [[("", "")]]
    if at == now:
        return [*lines, [("this threshold is in use", DIM)]]
    return [
        *lines,
        [(f"against {now}", "bold")],
        _row("units", f"{moved.flipped:,} flip"),
        _row("samples", f"{moved.risen:,} up, {moved.fallen:,} down"),
    ]


def what_next(look: Look) -> str:
    """What the threshold is for and what to do, in one line of 78 cells."""
    calibration, now = look.found, look.moves.now
    do = "Review more samples to find out."
    if calibration is not None and is_better(calibration):
        do = f"{calibration.threshold} may suit your reviews better: B."
    elif calibration is not None and calibration.threshold == now:
        do = f"{now} suits your reviews: keep it."
    elif calibration is not None:
        do = f"No threshold is clearly better than {now}."
    return f"How alike must two names be to match? {do}"


def finding(look: Look) -> list[Line]:
    """What the fit says, in three lines; without one what is missing."""
    calibration = look.found
    if calibration is None:
        return [[("! ", "$warning"), (look.why, "")], policy_line(look) or [("", "")], [("", "")]]
    best, now, gain = calibration.threshold, calibration.threshold_now, gain_text(calibration)
    if best == now:
        line: Line = [
            ("✓ ", "$success"),
            (f"{now} is the best for {NAMES[calibration.objective]}{no_use(calibration)}", ""),
        ]
    elif calibration.better is None:
        line = [("· ", ""), (f"{too_early(calibration)}: {gain}", "")]
    elif is_better(calibration):
        line = [("✓ ", "$success"), (f"{best} is better than {now}: {gain}", "")]
    else:
        line = [("= ", "$warning"), (f"{best} is {no_better(calibration)}: {gain}", "")]
    folds = sorted(set(calibration.folds))
    rest = (
        f"chosen without a fifth of the reviews: always {folds[0]}"
        if len(folds) == 1
        else f"chosen without a fifth of the reviews: {folds[0]} to {folds[-1]}"
    )
    if look.gathered.assisted:
        rest += f"; {look.gathered.assisted:,} with suggestions in view"
    if look.openings:
        rest += f"; holdout opened {times(look.openings)}"
    sure = f"for {NAMES[calibration.objective]}, {how_sure(calibration).removeprefix('95 %, ')}"
    last: Line = policy_line(look) or [("  ", ""), (rest, DIM)]
    return [line, [("  ", ""), (sure, DIM)], last]


def policy_line(look: Look) -> Line:
    """The change of the policy that reviews ask for, if there is one."""
    change = look.change
    if change is None:
        return []
    sign: Part = ("✓ ", "$success") if change.better else ("· ", "")
    return [sign, (f"V: {flat(change.words)}: error {number(change.before)} → {number(change.after)}", "")]


def legend(look: Look, *, wide: bool) -> Line:
    """What the lines of the picture are."""
    if look.found is None:
        return [("── ", "$accent"), ("automatic mean, all samples", DIM)]
    return [
        ("── ", "$accent"), ("automatic  ", DIM), ("┄┄ ", "$success"), ("verified  ", DIM),
        ("·· ", "$secondary"), ("as judged  ", DIM), ("◆ ", ""), ("best", DIM),
        ("  │ ", "") if wide else ("", ""), ("in use", DIM) if wide else ("", ""),
    ]  # fmt: skip


def _verified(calibration: Calibrated, at: int) -> list[Line]:
    point = calibration.curve[at]
    return [
        [(f"{calibration.samples:,} verified", "bold"), (f"  {calibration.groups:,} groups", DIM)],
        _row("automatic", number(point.automatic)),
        _row("verified", number(calibration.verified)),
        _row("bias", signed(point.bias).strip(), strong=True),
        _row("|Δ|", number(point.mae)),
        _row("right, F1", f"{number(point.accuracy)}, {number(point.f1)}"),
        _row("TPR, TNR", f"{number(point.tpr)}, {number(point.tnr)}"),
    ]


def _row(name: str, value: str, *, strong: bool = False) -> Line:
    return [(name.ljust(LABEL), DIM), (value, "bold" if strong else "")]
