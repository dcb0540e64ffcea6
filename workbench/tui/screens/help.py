"""The keys of where one is, made from the bindings; the words of the screens; the first steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, groupby

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.text.cells import fit, width, wrap
from workbench.tui.keys import GROUPS, KeyAct, bindings, shown
from workbench.tui.screens.base import Dialog, title
from workbench.tui.widgets.bars import DIM, Part

TERMS: dict[str, str] = {
    "sample": "one question with its reference answer and the retrieved contexts",
    "reference": "the answer that is taken as right; recall asks how much of it the contexts contain",
    "context": "one retrieved text of a sample",
    "unit": "what recall counts: a name (entity) or a statement of the reference",
    "match": "whether the contexts contain a unit: found, missing or unsure",
    "evidence": "the words of a context that show that a unit is found",
    "alias": "two names of one thing, as a reviewer said (=); other samples match by it",
    "recall": "the found units divided by all units of a sample; undefined without units",
    "suggestion": "a unit or match that a program or model proposed; you accept or correct it",
    "run": "one pass of rules or a model over all samples; the one in use makes the suggestions",
    "automatic": "the value from the suggestions, before any person looked",
    "yours": "the score that your file came with",
    "verified": "the value after a person's review",
    "gold": "the verified units and matches of a sample",
    "Δ": "automatic minus verified; below 0 the automatic value is too low",
    "effect": "how much one sample changes the mean of all samples",
    "cause": "why two values differ: a missed or invented unit, a missed or false match, and others",
    "missed match": "a unit that is in the contexts but was counted as missing",
    "false match": "a unit that is not in the contexts but was counted as found",
    "invented unit": "a suggested unit that a person removed",
    "missed unit": "a unit that a person added",
    "duplicate": "one unit suggested twice",
    "granularity": "the suggestion joins or splits what a person counts as one unit",
    "untraced": "a difference without a known unit: the file has the score only",
    "scorer": "a way to count recall; the next three count names",
    "ragas": "exact names: a name counts as found if the same letters are a name of a context",
    "linked": "name matching: a name counts as found in any of its forms (plural, short form, typo)",
    "presence": "text search: a name counts as found where a context contains it",
    "disagreement": "two values of a sample that differ by more than .10, or a flagged sample",
    "not counted": "excluded with a reason, such as a broken reference; in no figure",
    "skipped": "put off; the sample comes again",
    "flagged": "marked for others to see, with a reason",
    "blind": "reviewed without suggestions, to measure how suggestions influence people",
    "assisted": "reviewed with suggestions in view",
    "policy": "the labels, guidelines and counting rules; every change makes a new version",
    "stale": "reviewed under an older policy; it comes again at the end",
    "picked by hand": "you chose the sample yourself, so no estimate for all samples uses it (is:offplan)",
    "to be matched again": "the units were reviewed with other contexts; only the matches are left to decide",
    "adjudicated": "two people differed, and a third decision settled it",
    "unresolved": "two people differ and nobody has settled it; such a sample has no gold",
    "κ, AC1": "how far people agree on found and missing beyond chance; where one of them is rare, read AC1",
    "held": "a sample that somebody reviews now; with assignments others are given another one",
    "plan": "how many samples to review and in which order, made before the first review",
    "in order": "reviewed without a gap from the start of the order (the prefix)",
    "estimate": "the mean of all samples that have a score, computed from the reviewed ones",
    "interval": "where the true mean lies in 95 of 100 such studies, shown as [low, high]",
    "stratum": "a part of the samples, such as one language, that keeps its share in a plan",
    "holdout": "samples kept back to check a calibration at the end",
    "threshold": "how alike two names must be to match, from 0 to 100; 85 unless you change it",
    "calibration": "a threshold chosen from your reviews, saved under a name",
    "bias": "the mean of Δ: how far the automatic mean is off",
    "|Δ|": "the mean size of Δ, whatever its sign: how far off a single sample is",
    "F1": "how right the matches are: 1 is perfect, 0 is useless",
    "TPR, TNR": "the shares of truly found and of truly missing units that are counted so",
    "cross-fitted": "each sample is scored at a threshold that was chosen without it",
}
"""Each term with what it means, in the order in which one meets them."""


TWO_COLUMNS = 100  # cells
GAP = 3  # cells between the columns
MOST_LEFT = 18  # cells of keys, signs and words
USUAL = ("Moving", "Everywhere")
NEXT = ("Decide", "View")
"""Groups whose keys stand one behind the other too where all fits on the screen by that alone."""
NOTE = "On a Russian keyboard the same keys work as they are."


class HelpScreen(Dialog):
    """A list of keys over the screen that they belong to; any of Esc, ?, F1 and q closes it."""

    BINDINGS = bindings("help")

    def __init__(
        self,
        listed: Sequence[KeyAct],
        legend: Sequence[tuple[str, str]] = (),
        words: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._acts, self._legend, self._words = listed, legend, words

    def compose(self) -> ComposeResult:
        """A title over two columns, of which the second is empty where there is no room for it."""
        with VerticalScroll(id="box", can_focus=False):
            yield title("Keys and words", "esc closes")
            with Horizontal(id="columns"):
                yield Static(id="first")
                yield Static(id="second")

    def resized(self) -> None:
        """Lay the blocks out anew for the width there is."""
        two = self.app.size.width >= TWO_COLUMNS
        room = self.query_one("#columns").size.width
        size = (room - GAP) // 2 if two else room
        laid = []
        for flowing in (USUAL, (*USUAL, *NEXT)):
            blocks = self._blocks(size, flowing)
            laid.append(_balanced(blocks) if two else (blocks, []))
        usual, tight = (max(map(_lines, columns)) for columns in laid)
        columns = laid[usual >= self.app.size.height > tight]  # a line is the title's
        for name, column in zip(("#first", "#second"), columns, strict=True):
            text = Content.assemble(*(part for block in column for part in block))
            static = self.query_one(name, Static)
            static.update(text.rstrip("\n"))
            static.styles.width = size
            static.display = bool(column)

    def _blocks(self, size: int, flowing: Collection[str]) -> list[list[Part]]:
        """One block a group, its lines wrapped to `size` cells."""
        order = (*(group for group in GROUPS if group not in USUAL), "", *USUAL)
        by_group = sorted(self._acts, key=lambda act: order.index(act.group if act.group in order else ""))
        blocks = []
        for group, members in groupby(by_group, key=lambda act: act.group):
            rows = [("  ".join(act.keys), act.description) for act in members]
            blocks.append((_flowing if group in flowing else _block)(group, rows, size))
        blocks += [_block("Signs", self._legend, size)] if self._legend else []
        blocks += (
            [_block("Words", [(word, TERMS[word]) for word in self._words], size)] if self._words else []
        )
        return [*blocks, [(f"\n{NOTE}\n", DIM)]]

    def action_scroll(self, lines: int) -> None:
        """Up and down."""
        self.query_one("#box", VerticalScroll).scroll_relative(y=lines, animate=False)


def _block(title: str, rows: Sequence[tuple[str, str]], size: int) -> list[Part]:
    """A title and its rows; what does not fit next to the keys goes on below itself."""
    parts: list[Part] = [(f"\n{title}\n", "bold $accent")]
    left = min(MOST_LEFT, max(width(keys) for keys, _ in rows))
    for keys, what in rows:
        for number, (start, end) in enumerate(wrap(what, size - left - 4)):
            parts += [(f"  {fit('' if number else keys, left)}  ", "bold"), (f"{what[start:end]}\n", "")]
    return parts


def _flowing(title: str, rows: Sequence[tuple[str, str]], size: int) -> list[Part]:
    """A title and its rows one behind the other: keys that do what they do in every program."""
    parts: list[Part] = [(f"\n{title}\n", "bold $accent")]
    used = 0
    for keys, what in rows:
        needed = width(keys) + width(what) + 3
        fits = 0 < used <= size - needed
        parts.append(("  " if fits or not used else "\n  ", ""))
        parts += [(keys, "bold"), (f" {what}", "")]
        used = used + needed if fits else needed
    return [*parts, ("\n", "")]


def _lines(column: list[list[Part]]) -> int:
    return sum(text.count("\n") for block in column for text, _ in block)


def _balanced(blocks: list[list[Part]]) -> tuple[list[list[Part]], list[list[Part]]]:
    """The blocks in two columns, each in order, so that the longer column is as short as can be."""
    lines = [_lines([block]) for block in blocks]
    places = range(len(blocks))

    def longer(left: tuple[int, ...]) -> int:
        inside = sum(lines[index] for index in left)
        return max(inside, sum(lines) - inside)

    choices = (left for size in places for left in combinations(places, size + 1) if left[0] == 0)
    first = min(choices, key=longer, default=())
    return [blocks[index] for index in first], [blocks[index] for index in places if index not in first]


TASK = (
    "You see a question, its reference answer and retrieved text.\n"
    "Is each name right? Does the retrieved text contain it?"
)
START = ("enter", "queue.open")
STEPS = (
    ("a", "review.accept", "accept: all of it is right; opens the next sample"),
    ("x", "review.reject", "drop a name that is wrong, or take it back"),
    ("m", "review.match", "change found ● to missing ○, or back"),
    ("n", "review.new", "add a name that is not in the list"),
    ("question_mark", "app.help", "show every key of the screen"),
)
"""The key, the action whose key it is, and what it does."""


class TourScreen(Dialog):
    """Esc closes it; any other key closes it and does what it does below: Enter opens the first sample."""

    BINDINGS = bindings("tour")

    def __init__(self, keymap: Mapping[str, str]) -> None:
        super().__init__()

        def chosen(key: str, name: str) -> str:
            return shown(keymap.get(name, key).split(",")[0])

        self._start = chosen(*START)
        self._keys = [chosen(key, name) for key, name, _ in STEPS]

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        size = max(map(width, self._keys))
        parts: list[Part] = []
        for its_key, (*_, what) in zip(self._keys, STEPS, strict=True):
            parts += [(fit(its_key, size), "bold $accent"), (f"  {what}\n", "")]
        with Vertical(id="box"):
            yield title("Five keys to begin with", f"{self._start} starts")
            yield Static(Content(TASK), id="task")
            yield Static(Content.assemble(*parts).rstrip("\n"), id="steps")
            yield Static(Content("Every decision is saved at once; undo takes it back."), id="note")
