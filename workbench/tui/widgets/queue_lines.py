"""Around the queue's list: how far one is, the query, what may come next in it, the sample in full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Input
from textual.widgets.input import Selection

from workbench.model import PLURAL
from workbench.reports.plan import at_end
from workbench.reports.team import holds, team_line
from workbench.text.cells import STATE_NAME, cut, cut_words, width
from workbench.text.figures import many, told
from workbench.text.marks import Mark
from workbench.text.query import Completion, Facets, Mistake, Query, apply, complete, parse, tokens
from workbench.text.safe import flat, is_hash
from workbench.tui.keys import bindings
from workbench.tui.widgets.bars import DIM, Field, Line, OneLine
from workbench.tui.widgets.passage import Marked

if TYPE_CHECKING:
    from workbench.stages.queue import Pace, Progress, QueueRow
    from workbench.stages.review import Stored

SEARCH_DELAY = 0.12
"""Seconds of quiet before a search runs; typing faster than this runs one search, not one a letter."""


class ProgressLine(OneLine):
    """A bar of ten cells and the counts; the least important ones give way when space is short."""

    progress: reactive[Progress | None] = reactive(None)
    pace: reactive[Pace | None] = reactive(None)
    planned: reactive[tuple[int, int] | None] = reactive(None)
    """With a plan, how many of its samples are complete, and how many it has."""

    @property
    def text(self) -> str:
        """What the line says when it has room for everything."""
        return "".join(text for text, _ in progress_parts(self.progress, self.pace, 1_000, self.planned))

    def render(self) -> Content:
        """The line, whole counts only."""
        room = self.content_size.width
        return Content.assemble(*progress_parts(self.progress, self.pace, room, self.planned))


def progress_parts(
    progress: Progress | None, pace: Pace | None, room: int, planned: tuple[int, int] | None
) -> Line:
    """The bar and as many counts as there is room for; counts of zero are left out.

    With a plan the bar is of its samples.
    """
    if progress is None:
        return []
    done, goal = planned or (min(progress.verified + progress.excluded, progress.total), progress.total)
    kinds = " in both kinds" if progress.kinds else ""
    counts: list[tuple[int, str]] = [(0, f"{progress.verified:,} of {progress.total:,} verified{kinds}")]
    if planned is not None:
        counts = [(0, f"{done:,} of {goal:,} planned"), (1, counts[0][1])]
        if done >= goal:
            counts.insert(1, (3, at_end(goal)))
    if progress.kinds:
        each = (f"{PLURAL[kind]} {number:,}" for kind, number in progress.kinds.items())
        counts.append((2, ", ".join(each)))
    if progress.team is not None:
        done, goal = progress.own or (progress.team.complete, progress.team.samples)
        team = team_line(progress.team)
        counts = [(0, f"{progress.today:,} by you today"), (1, team)]
        if progress.own:
            today = [(7, f"{progress.today:,} today")] if progress.today else []
            counts = [(0, f"{done:,} of your {goal:,} done"), (1, f"all: {team}"), *today]
    for rank, number, word in (
        (2, progress.others, "held by others"),
        (4, progress.started, "started"),
        (4, progress.skipped, "skipped"),
        (3, progress.excluded, "not counted"),
        (3, progress.blank, "with a blank reference"),
        (3, progress.flagged, "flagged"),
        (2, progress.stale, "under an older policy"),
    ):
        if number:
            counts.append((rank, f"{number:,} {word}"))
    if pace is not None:
        if progress.team is None:  # its line tells today's; the others have a pace of their own
            counts += [(7, f"{pace.today:,} today")] if pace.today else []
            counts += [(5, _left((goal - done) * pace.seconds))] if goal > done and pace.foretells else []
        aside = f" without {many(pace.hurried, 'fast one')}" if pace.hurried else ""
        counts.append((8, f"{_seconds(pace.seconds)} a sample{aside}"))
    filled = round(10 * done / goal) if goal else 0
    filled = min(max(filled, 1 if done else 0), 10 if done == goal else 9)
    while len(counts) > 1 and 12 + sum(width(text) + 3 for _, text in counts) - 3 > room:
        counts.remove(max(counts))
    return [
        ("▰" * filled, "$success"),
        ("▱" * (10 - filled), "$foreground 35%"),
        ("  " + " · ".join(text for _, text in counts), "$foreground 75%"),
    ]


def _left(seconds: float) -> str:
    """How long the rest takes at the pace so far."""
    minutes = max(1, round(seconds / 60))
    return f"about {many(minutes, 'minute') if minutes < 100 else many(round(minutes / 60), 'hour')} left"


def _seconds(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


MOST_TEXTS, LONGEST_TEXT = 20, 4_000
"""Contexts, and letters of each text, that stand next to the list; a review has all of them."""


def in_full(row: QueueRow, stored: Stored, remarks: Sequence[str]) -> tuple[str, list[Mark]]:
    """A sample next to the list, with its headings marked: where it stands, `remarks`, then its texts."""
    facts = [] if is_hash(row.key) else [row.key]
    facts += [f"verified by {', '.join(row.annotators)}"] if row.annotators else []
    if row.disposition != "verified":
        facts.append(STATE_NAME[row.disposition])
    elif row.excluded and row.decided:
        facts.append("not counted: somebody else decided so")
    facts += [f"flagged: {row.flag}"] if row.flag else []
    done, of = row.places
    facts += [f"{done} of {of} people decided"] if of > 1 else []
    facts += [holds(row.held)] if row.held else []
    if row.differs:
        facts.append("people differ: J resolves" if row.settles else "people differ")
    marked = {
        "without suggestions": row.blind, "to be matched again": row.rematch,
        "verified under an older policy": row.stale, "picked by hand": row.off_plan,
    }  # fmt: skip
    facts += told(marked)
    contexts = stored.sample.retrieved_contexts
    texts = [("Reference", stored.sample.reference)]
    texts += [(f"Context {n} of {len(contexts):,}", text) for n, text in enumerate(contexts[:MOST_TEXTS], 1)]
    if not contexts:
        texts.append(("No contexts", ""))
    shown = Marked()
    shown.add(f"{stored.question[:LONGEST_TEXT]}\n", "like")
    shown.add("\n".join((" · ".join(facts), *remarks, "")))
    for heading, body in texts:
        shown.add("\n")
        shown.add(heading, "nothing")
        shown.add(f"\n{body[:LONGEST_TEXT]}{'…' if len(body) > LONGEST_TEXT else ''}\n")
    return shown.text, shown.marks


class Completions(OneLine):
    """One line of what may come next in the query, or of what is wrong; else of what the view is."""

    about = reactive("")
    """What the line says while nothing is typed."""
    complaint = reactive("", toggle_class="-bad")
    """What is wrong with the query."""
    _offered: reactive[Sequence[Completion]] = reactive(())

    def offer(self, completions: Sequence[Completion], complaint: str = "") -> None:
        """Show these, or say what is wrong in their place."""
        self._offered, self.complaint = completions, flat(complaint)

    def render(self) -> Content:
        """As many as fit; Tab takes the first."""
        room = self.content_size.width
        if self.complaint:
            return Content.assemble(("! ", "bold"), (cut_words(self.complaint, room - 2), ""))
        if not self._offered:
            return Content.assemble((cut_words(self.about, room), DIM))
        parts: Line = []
        for completion in self._offered:
            gap, shown = "   " if parts else "", cut(flat(completion.shown), 30)
            count = "" if completion.samples is None else f" {completion.samples:,}"
            room -= width(gap + shown + count)
            parts += [(gap, ""), (shown, "$accent"), (count, DIM)] if room >= 0 else []
        return Content.assemble(*parts)


class QueryField(Field):
    """The query as it is typed; the last view that could be read stays while one types.

    `search` shows what a query says, as long as one types without a word that may still become a field or
    one of its values; it is called with `done` when one is through with typing. `missing` is called when the
    counts of `facets` are wanted and not there.
    """

    BINDINGS = bindings("query")

    def __init__(
        self, search: Callable[[Query, bool], None], missing: Callable[[], None], below: Completions
    ) -> None:
        super().__init__(placeholder="search: words, state:todo, label:date, delta>.2", id="search")
        self.facets: Facets | None = None
        self._search, self._missing, self._below = search, missing, below
        self._pending: Timer | None = None
        self._offered_for: tuple[str, int, bool] | None = None

    def begin(self) -> None:
        """Type into the field; what stands there is replaced by the first letter."""
        self.screen.set_focus(self)
        self.selection = Selection(0, len(self.value))

    def on_focus(self) -> None:
        """Offer what may come next while one types."""
        self.offer()
        if self.facets is None:
            self._missing()

    def on_blur(self) -> None:
        """Typing is over."""
        self._offered_for = None
        if not self._below.complaint:
            self._below.offer(())

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        self._stop_waiting()
        self._pending = self.set_timer(SEARCH_DELAY, self.search_now)
        self.offer()

    def _stop_waiting(self) -> None:
        if self._pending is not None:
            self._pending.stop()
            self._pending = None

    async def action_submit(self) -> None:
        """On to the list."""
        if self.search_now(done=True):
            self.screen.set_focus(None)

    def action_cancel(self) -> None:
        """All samples again."""
        self.set_query("")
        self.screen.set_focus(None)

    def set_query(self, text: str) -> None:
        """Search for this."""
        self.value = text
        self.search_now(done=True)

    def search_now(self, *, done: bool = False) -> bool:
        """Show what the query says; False while it has a mistake, which is told once it is `done`."""
        self._stop_waiting()
        query = parse(self.value)
        if isinstance(query, Mistake):
            if done or not self._offers():
                self._below.offer((), str(query))
            return False
        if done:
            self._below.offer(())
        else:
            self.offer()
        rest = query if done or not self.has_focus else parse(self._finished())
        self._search(query if isinstance(rest, Mistake) else rest, done)
        return True

    def _finished(self) -> str:
        """The query without the word that is being typed, where that may become another one."""
        at, text, offers = self.cursor_position, self.value, self._offers()
        word = next((token for token in tokens(text) if token.start < at <= token.end), None)
        if word is None or not offers or any(text[o.start : o.end] == o.insert.strip() for o in offers):
            return text
        return text[: word.start] + text[word.end :]

    # Completion.

    def _offers(self) -> list[Completion]:
        return complete(self.value, self.cursor_position, self.facets or {})

    def offer(self) -> None:
        """Offer what may come next; a mistake is told only where nothing can.

        Once for a text, a cursor and facets.
        """
        here = self.value, self.cursor_position, self.facets is not None
        if self.screen.focused is not self or here == self._offered_for:
            return
        self._offered_for = here
        offers, mistake = self._offers(), parse(self.value)
        self._below.offer(offers, str(mistake) if not offers and isinstance(mistake, Mistake) else "")

    def action_complete(self) -> None:
        """Tab: take the first, else what may have been meant."""
        offers, mistake = self._offers(), parse(self.value)
        if offers:
            self.take(offers[0])
        elif isinstance(mistake, Mistake) and mistake.suggestion:
            self.take(Completion(mistake.start, mistake.end, mistake.suggestion, mistake.suggestion))

    def take(self, completion: Completion) -> None:
        """Put it into the query."""
        self.value, self.cursor_position = apply(self.value, completion)
        self.offer()
