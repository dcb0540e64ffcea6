"""Calibrate: what the match threshold does to the whole dataset, and the one that gold chooses."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from workbench.comparing.calibration import Calibrated
from workbench.comparing.curve import MovedCurve, move_to
from workbench.model import Policy
from workbench.reports import calibrate as texts
from workbench.scoring.names import scorer_name
from workbench.stages import calibrate, policy
from workbench.stages.calibrate import Look
from workbench.stages.desk import Desk
from workbench.stages.recompute import keep_threshold, save_counted
from workbench.text.figures import many, number, signed
from workbench.text.safe import flat
from workbench.tui.keys import bindings
from workbench.tui.screens.base import TEXTS, Room
from workbench.tui.screens.dialogs import ConfirmScreen, PromptScreen, ReadScreen
from workbench.tui.widgets.bars import DIM, Head, Line, Part, write
from workbench.tui.widgets.threshold_plot import HIGH, LOW, ThresholdPlot

OF_FIT = "best", "objective", "probability"
"""The actions that need a fit to verified samples."""

PURPOSE = "How alike must two names be to match?"


class CalibrateScreen(Room):
    """Another threshold is a few array passes; a fit is made next to the event loop."""

    CSS_PATH = "../styles/calibrate.tcss"
    BINDINGS = bindings("calibrate")
    DEFAULT_CLASSES = "-empty"
    UNREAD = f"{PURPOSE} This cannot be chosen yet.\n\n"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.look: Look | None = None
        self.objective = "bias"
        self.threshold = desk.info.threshold

    def body(self) -> ComposeResult:
        """The curve, its numbers next to it, and the sentences about the fit."""
        with Vertical(id="fit"):
            yield Static(id="purpose")
            with Horizontal(id="middle"):
                with Vertical(id="left"):
                    yield ThresholdPlot()
                    yield Static(id="legend-line")
                yield Static(id="numbers")
            yield Static(id="finding")
        yield Static(id="empty")

    # Reading.

    async def read(self) -> None:
        """Count what is not counted yet, then fit a threshold to what is verified."""
        store, dataset, known = self.desk.store, self.desk.info.id, set[int]()
        with self.telling("matching samples") as count:
            while chunk := await store.read(calibrate.next_uncounted, dataset):
                if known >= set(chunk.counted):
                    break  # their text or policy changes under us; they stay uncounted for now
                known |= set(chunk.counted)
                await store.write(save_counted, chunk)
                count(len(known))
        with self.telling("reading verified samples") as count:
            viewer = self.desk.annotator
            look = await store.read(calibrate.look, dataset, self.objective, viewer=viewer, progress=count)
        if self.look is None or self.look.info.threshold != look.info.threshold:
            self.threshold = look.info.threshold
        self._show(look)

    # Showing.

    @property
    def shown(self) -> Look:
        """What is shown; keys are closed without it."""
        assert self.look is not None
        return self.look

    @property
    def fit(self) -> Calibrated:
        """The fit to verified samples; keys that need it are closed without it."""
        assert self.shown.found is not None
        return self.shown.found

    def entitle(self) -> None:
        """The dataset, what is counted and the calibration in use."""
        what, look = "", self.look
        if look is not None:
            used = f" · {look.info.calibration}" if look.info.calibration else ""
            what = f"{scorer_name(look.gathered.scorer)} · {look.gathered.run.name}{used}"
        desk = self.desk
        self.query_one(Head).place("Calibrate", desk.info.name, desk.annotator, said=what)

    def _show(self, look: Look) -> None:
        """Everything anew: after reading, and when the objective or the fit changed."""
        self.look = look
        self.empty("")
        self.entitle()
        self.query_one(ThresholdPlot).show(look.moves, look.found, self.threshold)
        write(self, "#legend-line", legend(look, self.size.width))
        write(self, "#purpose", f"{PURPOSE} {texts.what_next(look)}")
        write(self, "#finding", finding(look))
        self._moved()
        self.refresh_bindings()

    def resized(self) -> None:
        """A legend of another size."""
        super().resized()
        if self.look is not None:
            write(self, "#legend-line", legend(self.look, self.size.width))

    def _moved(self) -> None:
        """The numbers at the threshold."""
        moved = move_to(self.shown.moves, self.threshold)
        write(self, "#numbers", panel(self.shown, moved), layout=False)

    def to(self, threshold: int) -> None:
        """Score the dataset at a threshold and show it."""
        if self.look is None:
            return
        threshold = min(max(threshold, LOW), HIGH)
        if threshold != self.threshold:
            self.threshold = threshold
            with self.app.batch_update():
                self.query_one(ThresholdPlot).move(threshold)
                self._moved()
        self.say("")

    # Keys.

    def closed(self, action: str) -> str | None:
        """Without a look there is only the way back; without a fit no probability, best one or saving."""
        look = self.look
        if look is None:
            return "" if action in ("move", "in_use", "use", "take", *OF_FIT) else None
        if action == "take" and look.change is None:
            return "your reviews ask for no change of the policy" if look.found else look.why
        return look.why if action in OF_FIT and look.found is None else None

    def action_move(self, step: int) -> None:
        """By 1 or by 5."""
        self.to(self.threshold + step)

    def action_best(self) -> None:
        """To the chosen threshold."""
        self.to(self.fit.threshold)

    def action_in_use(self) -> None:
        """To the threshold in use."""
        self.to(self.shown.moves.now)

    def action_objective(self) -> None:
        """Choose by the other objective."""
        self.objective = "f1" if self.objective == "bias" else "bias"
        self.work(self._refit)

    async def _refit(self) -> None:
        look = self.shown
        self._show(await self.desk.store.read(lambda _: look.fitted(self.objective)))

    def action_page(self, step: int) -> None:
        """A page of what has no room in a small window."""
        self.query_one("#fit").scroll_relative(y=step * 8, animate=False, force=True)

    async def action_probability(self) -> None:
        """The probability of a match by similarity."""
        text = "\n".join(texts.probability_lines(self.fit))
        await self.bench.ask(ReadScreen("Probability of a match", text))

    async def action_take(self) -> None:
        """Make the first change that reviews ask for the next version of the policy."""
        change = self.shown.change
        assert change is not None  # the key is closed without it
        facts = flat(f"{change.words}: {texts.change_text(change)}"), flat(texts.support_text(change))
        text = "\n".join((*facts, "", TEXTS["new version"]))
        take = partial(self.work, partial(self._take, change.policy))
        await self.bench.ask(ConfirmScreen("Change the policy?", text, take))

    async def _take(self, changed: Policy) -> None:
        report = await self.desk.store.write(
            policy.keep_policy, self.shown.info, changed, self.desk.annotator
        )
        await self.read()
        self.succeeded(f"policy version {report.version} is current")

    async def action_use(self) -> None:
        """Use what is shown: the fit under a name, or a threshold by hand."""
        look, at = self.shown, self.threshold
        if look.found is not None and at == look.found.threshold:
            await self._ask_name()
        elif at == look.moves.now:
            self.say("this threshold is in use")
        else:
            by_hand = partial(self.work, self._by_hand)
            await self.bench.ask(ConfirmScreen(f"Use {at} by hand?", TEXTS["by hand"], by_hand))

    async def _ask_name(self) -> None:
        fit = self.fit
        than = "" if texts.is_better(fit) else f", not clearly better than {fit.threshold_now}"
        note = f"threshold {fit.threshold}{than}, fitted on {fit.samples:,} verified samples"

        def take(name: str) -> str | None:
            if not name:
                return "a name, please"
            if name in self.shown.saved:
                return "there is one of that name, and it does not change"
            self.work(partial(self._save, name))
            return None

        await self.bench.ask(PromptScreen(f"Use it as ({note})", take, value=self.shown.free_name))

    async def _save(self, name: str) -> None:
        await self.desk.store.write(calibrate.keep, self.shown, name, self.desk.annotator)
        await self.desk.store.write(calibrate.use, self.shown.info, name, self.desk.annotator)
        await self.read()
        self.succeeded(f"{name} is in use for scores and for the order doubtful first")

    async def _by_hand(self) -> None:
        at = self.threshold
        await self.desk.store.write(keep_threshold, self.shown.info, at, self.desk.annotator)
        await self.read()
        self.succeeded(f"match threshold {at} is in use, without a calibration")


LABEL = 17


def panel(look: Look, moved: MovedCurve) -> list[Line]:
    """The numbers of one threshold: all samples, the verified ones, what flips."""
    at, now = moved.threshold, look.moves.now
    lines: list[Line] = [
        [("match threshold ", DIM), (str(at), "bold $accent"), ("" if at != now else "  in use", DIM)],
        [(f"all {many(moved.defined, 'sample')}", "bold")],
        _row("automatic", number(moved.mean)),
    ]
    if look.found is not None:
        beside = f"{look.found.groups:,} groups" if len(look.info.kinds) == 1 else "in entities"
        lines += _verified(look.found, at, beside)
    lines += [[("", "")]]
    if at == now:
        return [*lines, [("this threshold is in use", DIM)]]
    return [
        *lines,
        [(f"against {now}", "bold")],
        _row("units flipped", f"{moved.flipped:,}"),
        [("samples  ", DIM), (f"{moved.risen:,} up, {moved.fallen:,} down", "")],
    ]


def finding(look: Look) -> list[Line]:
    """What the fit says, in three lines; without one what is missing."""
    calibration = look.found
    if calibration is None:
        return [[("! ", "$warning"), (look.why, "")], policy_line(look) or [("", "")], [("", "")]]
    sign, text = texts.found_text(calibration, texts.gain_text(calibration))
    tone = {"✓": "$success", "=": "$warning"}.get(sign, "")
    rest = texts.without_folds(calibration)
    if look.gathered.assisted:
        rest += f"; {look.gathered.assisted:,} with suggestions in view"
    if look.gathered.older:
        rest += f"; {look.gathered.older:,} under an older policy"
    if look.openings:
        rest += f"; holdout opened {texts.times(look.openings)}"
    sure = f"for {texts.NAMES[calibration.objective]}, {texts.how_sure(calibration).removeprefix('95 %, ')}"
    if look.gathered.weighted:
        sure += ", weighted"
    last: Line = policy_line(look) or [("  ", ""), (rest, DIM)]
    return [[(f"{sign} ", tone), (text, "")], [("  ", ""), (sure, DIM)], last]


def policy_line(look: Look) -> Line:
    """The change of the policy that reviews ask for, if there is one."""
    change = look.change
    if change is None:
        return []
    sign: Part = ("✓ ", "$success") if change.better else ("· ", "")
    return [sign, (f"V: {flat(change.words)}: error {number(change.before)} → {number(change.after)}", "")]


def legend(look: Look, size: int) -> list[Line]:
    """What the lines of the picture are: in two lines where the screen has few cells."""
    if look.found is None:
        return [[("── ", "$accent"), ("automatic mean, all samples", DIM)]]
    lines: Line = [("── ", "$accent"), ("automatic  ", DIM), ("┄┄ ", "$success"), ("verified  ", DIM)]
    signs: Line = [("◆ ", ""), (texts.BEST[look.found.objective], DIM)]
    if size >= 100:
        signs += [("  │ ", ""), ("in use", DIM)]
    return [lines, signs] if size < 80 else [[*lines, *signs]]


def _verified(calibration: Calibrated, at: int, groups: str) -> list[Line]:
    point = calibration.curve[at]
    return [
        [(f"{calibration.samples:,} verified", "bold"), (f"  {groups}", DIM)],
        _row("automatic", number(point.automatic)),
        _row("verified", number(calibration.verified)),
        _row("bias", signed(point.bias).strip(), strong=True),
        _row("typical error", number(point.mae)),
        _row("right", number(point.accuracy)),
        _row("right if found", number(point.tpr)),
        _row("right if missing", number(point.tnr)),
        _row("F1", number(point.f1)),
    ]


def _row(name: str, value: str, *, strong: bool = False) -> Line:
    return [(name.ljust(LABEL), DIM), (value, "bold" if strong else "")]
