"""What a plan is to be: lines with one value each, and the consequences before it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from workbench.tui.keys import key
from workbench.tui.screens.form import Hints, ValuesForm, form_keys
from workbench.tui.screens.menu import ConfirmScreen
from workbench.tui.screens.prompt import PromptScreen
from workbench.tui.widgets.bars import DIM, Bar

if TYPE_CHECKING:
    from workbench.stages.plan import Wish

SIZES = (20, 30, 60, 100, 200, 400)
SHARES = ("none", "10%", "20%", "30%")
AS_NEEDED = "as needed"
BLIND = (AS_NEEDED, "none", "10%", "25%", "50%", "100%")
HINTS: Hints = {
    "reviews": "m types another number",
    "design": {
        "simple": "every sample as likely",
        "stratified": "each stratum keeps its share",
    },
    "strata": "what the strata are made of",
    "holdout": "kept back by whole groups, reviewed without suggestions",
    "blind": {AS_NEEDED: "30 reviews from 60 planned ones on"},
}


def share_of(text: str) -> float:
    """`20%` as .2; none as 0."""
    return 0.0 if text == "none" else int(text.removesuffix("%")) / 100


class PlanForm(ValuesForm):
    """↑↓ choose the line, ←→ its value; Enter hands the wish over."""

    BINDINGS: ClassVar[list[BindingType]] = form_keys(
        "plan_form",
        "Plan",
        "Look at what it means",
        key("m", "number", "Type a number of reviews", "plan_form.number", "Plan", "number"),
    )
    HINTS: ClassVar[Hints] = HINTS
    ROOM = 18

    def __init__(self, population: int, fields: Sequence[str], take: Callable[[Wish], None]) -> None:
        sizes = [f"{size:,}" for size in SIZES if size <= population] or [f"{population:,}"]
        super().__init__(
            {
                "reviews": sizes,
                "design": ["simple", *(["stratified"] if fields else [])],
                "strata": list(fields),
                "holdout": list(SHARES),
                "blind": list(BLIND),
            }
        )
        self._take = take
        self._population = population
        if "60" in sizes:
            self.chosen["reviews"] = sizes.index("60")

    def opened(self) -> None:
        """The lines with their first values."""
        self.query_one("#title", Bar).show((("New plan", "bold"),), ((f"{self._population:,} samples", DIM),))
        self.draw()

    @property
    def names(self) -> list[str]:
        """The lines that mean something for the design."""
        return [name for name in self.values if name != "strata" or self.value("design") == "stratified"]

    async def action_number(self) -> None:
        """Type how many reviews it shall be."""
        await self.bench.ask(
            PromptScreen("How many reviews?", self._number, value=self.value("reviews"), select=True)
        )

    def _number(self, text: str) -> str | None:
        digits = text.replace(",", "").replace(" ", "")
        if not (digits.isascii() and digits.isdecimal() and 2 <= int(digits) <= self._population):
            return f"a number from 2 to {self._population:,}"
        self.choose("reviews", f"{int(digits):,}")
        return None

    def action_submit(self) -> None:
        """Close, then hand the wish over."""
        from workbench.stages.plan import Wish

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
