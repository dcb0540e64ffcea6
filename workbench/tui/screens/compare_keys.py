"""The keys of Compare, what its signs mean, and the menus that say what is compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.binding import BindingType

from workbench.scoring.names import scorer_name
from workbench.tui.cells import cut
from workbench.tui.keys import key
from workbench.tui.safe import flat
from workbench.tui.screens.dialogs import MenuChoice
from workbench.tui.widgets.compare_sections import SECTIONS

if TYPE_CHECKING:
    from workbench.comparing.figures import Figures
    from workbench.stages.runs import RunRow

SIGNS = (
    ("Δ", "automatic − verified: below 0 the automatic value is too low"),
    ("• ● ■", "1, 2, 5 samples at one place of the picture"),
    ("wheel, drag", "zoom and move the scatter picture; a click chooses"),
)

COMPARE_KEYS: list[BindingType] = [
    key("enter", "open", "The samples behind it; or why", "compare.open", "Compare", "samples"),
    *(
        key(str(number), f"section({number})", f"Show {one.NAME}", f"compare.section_{number}", "Compare",
            "show" if number == 1 else "")
        for number, one in enumerate(SECTIONS, 1)
    ),
    key("tab l right", "turn(1)", "The next part", "compare.next", "Compare"),
    key("shift+tab h left", "turn(-1)", "The part before", "compare.previous", "Compare"),
    key("s", "scorer", "Another scorer or imported column", "compare.scorer", "Compare", "scorer"),
    key("r", "run", "Another run", "compare.run", "Compare", "run"),
    key("c", "cut", "Causes: all units, by label, by language", "compare.cut", "Compare", "cut"),
    key("z", "zoom_out", "The whole scatter picture again", "compare.whole", "Compare"),
    key("p", "plan", "Plan: how many more reviews", "compare.plan", "Compare", "plan"),
    key("f5", "reread", "Read again", "compare.reread", "Compare"),
    key("j down", "move(1)", "Next line", "compare.down", "Moving"),
    key("k up", "move(-1)", "Previous line", "compare.up", "Moving"),
    key("pagedown space", "page(1)", "Page down", "compare.page_down", "Moving"),
    key("pageup", "page(-1)", "Page up", "compare.page_up", "Moving"),
    key("escape b C", "back", "Back to the queue", "compare.back", "Compare", "back"),
    key("q", "app.quit", "Quit", "compare.quit", "Compare"),
]  # fmt: skip


def scorer_choices(found: Figures, take: Callable[[str], None]) -> list[MenuChoice]:
    """The scorers and imported columns that there are figures of."""
    return [
        MenuChoice(
            f"{flat(scorer_name(one.scorer)):<22}",
            f"n {one.n:,}",
            on=one.scorer == found.scorer,
            take=partial(take, one.scorer),
        )
        for one in found.beside
    ]


def run_choices(runs: Sequence[RunRow], shown: str | None, take: Callable[[str], None]) -> list[MenuChoice]:
    """The runs of a dataset, `shown` the one whose figures are on the screen."""
    return [
        MenuChoice(
            cut(flat(one.name), 40),
            "current" if one.current else "",
            on=one.name == shown,
            take=partial(take, one.name),
        )
        for one in runs
    ]
