"""What a plan is to be: lines with one value each, and the consequences before it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.tui.cells import cut, fit
from workbench.tui.keys import key
from workbench.tui.plan_text import DIM
from workbench.tui.safe import flat
from workbench.tui.screens.base import Dialog
from workbench.tui.screens.menu import ConfirmScreen
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.widgets.bars import Bar, KeyBar, Part

if TYPE_CHECKING:
    from workbench.stages.planning import Wish

SIZES = (20, 30, 60, 100, 200, 400)
SHARES = ("none", "10%", "20%", "30%")
AS_NEEDED = "as needed"
BLIND = (AS_NEEDED, "none", "10%", "25%", "50%", "100%")
HINTS: dict[str, str | dict[str, str]] = {
    "reviews": "m types another number",
    "design": {
        "simple": "every sample as likely",
        "stratified": "each stratum keeps its share",
        "disputed": "where verdicts may be wrong first",
    },
    "strata": "what the strata are made of",
    "holdout": "kept back by whole groups, reviewed blind",
    "blind": {AS_NEEDED: "30 blind reviews from 60 planned ones on"},
}


def share_of(text: str) -> float:
    """`20%` as .2; none as 0."""
    return 0.0 if text == "none" else int(text.removesuffix("%")) / 100


class PlanForm(Dialog):
    """↑↓ choose the line, ←→ its value; Enter hands the wish over."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("enter", "submit", "Look at what it means", "plan_form.go", "Plan", "go on"),
        key("right space", "turn(1)", "Next value", "plan_form.next", "Plan", "next value"),
        key("left", "turn(-1)", "Previous value", "plan_form.previous", "Plan"),
        key("m", "number", "Type a number of reviews", "plan_form.number", "Plan", "number"),
        key("j down tab", "move(1)", "Next line", "plan_form.down", "Plan"),
        key("k up shift+tab", "move(-1)", "Previous line", "plan_form.up", "Plan"),
        key("escape q", "cancel", "Close without doing anything", "plan_form.cancel", "Plan", "cancel"),
    ]

    def __init__(self, population: int, fields: Sequence[str], take: Callable[[Wish], None]) -> None:
        super().__init__()
        self._take = take
        self._population = population
        sizes = [f"{size:,}" for size in SIZES if size <= population] or [f"{population:,}"]
        self.values = {
            "reviews": sizes,
            "design": ["simple", "disputed", *(["stratified"] if fields else [])],
            "strata": list(fields),
            "holdout": list(SHARES),
            "blind": list(BLIND),
        }
        self.chosen = dict.fromkeys(self.values, 0)
        if "60" in sizes:
            self.chosen["reviews"] = sizes.index("60")
        self.line = 0

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="box"):
            yield Bar(id="title")
            yield Static(id="lines")
            yield KeyBar(id="answers")

    def opened(self) -> None:
        """The lines with their first values."""
        self.query_one("#title", Bar).show((("New plan", "bold"),), ((f"{self._population:,} samples", DIM),))
        self._draw()

    def value(self, name: str) -> str:
        """What a line says."""
        return self.values[name][self.chosen[name]]

    @property
    def names(self) -> list[str]:
        """The lines that mean something for the design."""
        return [name for name in self.values if name != "strata" or self.value("design") == "stratified"]

    def _draw(self) -> None:
        lines = []
        for name in self.values:
            if name not in self.names:
                lines.append(Content(""))  # the box keeps its height
                continue
            here = name == self.names[self.line]
            said = cut(flat(self.value(name)), 24)
            hint = HINTS[name]
            parts: list[Part] = [
                ("▸ " if here else "  ", "$accent"),
                (fit(name, 10), "bold" if here else DIM),
                (fit(f"‹ {said} ›" if here else f"  {said}", 18), "bold" if here else ""),
                (f"  {hint if isinstance(hint, str) else hint.get(self.value(name), '')}", DIM),
            ]
            lines.append(Content.assemble(*parts))
        self.query_one("#lines", Static).update(Content("\n").join(lines))

    def action_move(self, step: int) -> None:
        """To another line."""
        self.line = max(0, min(self.line + int(step), len(self.names) - 1))
        self._draw()

    def action_turn(self, step: int) -> None:
        """Another value of this line, round the end."""
        name = self.names[self.line]
        self.chosen[name] = (self.chosen[name] + int(step)) % len(self.values[name])
        self._draw()

    async def action_number(self) -> None:
        """Type how many reviews it shall be."""
        await self.bench.ask(
            PromptScreen("How many reviews?", self._number, value=self.value("reviews"), select=True)
        )

    def _number(self, text: str) -> str | None:
        digits = text.replace(",", "").replace(" ", "")
        if not (digits.isascii() and digits.isdecimal() and 2 <= int(digits) <= self._population):
            return f"a number from 2 to {self._population:,}"
        sizes = self.values["reviews"]
        said = f"{int(digits):,}"
        if said not in sizes:
            sizes.append(said)
        self.chosen["reviews"] = sizes.index(said)
        self._draw()
        return None

    def action_submit(self) -> None:
        """Close, then hand the wish over."""
        from workbench.stages.planning import Wish

        stratified = self.value("design") == "stratified"
        blind = self.value("blind")
        wish = Wish(
            n=int(self.value("reviews").replace(",", "")),
            design=self.value("design"),  # type: ignore[arg-type]
            by=self.value("strata") if stratified else "",
            holdout=share_of(self.value("holdout")),
            blind=None if blind == AS_NEEDED else share_of(blind),
        )
        self.app.pop_screen()
        self._take(wish)


class PlanConfirm(ConfirmScreen):
    """What a plan would mean; y makes it."""
