"""Walks through the terminal app: text files say what is there, what is pressed and what is then seen.

# TITLE             a walk: the promise that it keeps
@ START             what is in the database, by a name of `STARTS`; behind it, if need be, a size (`80x24`),
                    who sits there (`as bob`) and the sample that is open (`at tower`). Without a name: the
                    window gets that size, that sample is opened from the queue; `@ again`: started anew.
                    `; tour` shows the first steps, `; review.accept=f6 f7, …` has keys of one's own
* WHO ID: EDITS     what is done elsewhere, as in sessions
% SQL               what another program does to the file; also `lock`, `let go`, `move away`, `put back`,
                    `copy`, `replace` by the copy, and
                    `import ID: A, B / A` of rows as in sessions; `service JSON` as there, `hold` one that
                    does not answer before `answer`
> KEYS              pressed at once: `a`, `down`, `backspace*3`, "what is typed", (a row to go to, by j and
                    k), {a word, by the letters that stand before it}, <a word to click>, <a line: its word>,
                    <first words → last words of what is dragged over>, or `←` backwards, «what is pasted»
TEXT                a line of the screen has this; `…` stands for anything, in an answer for something
- TEXT              no line of the screen has it
: TEXT              the status line says this and nothing more
= QUESTION: ANSWER  what is listed, or stored: `listed`, `sorted`, `state SAMPLE`, `unit SAMPLE NAME`,
                    `gold SAMPLE`, `clipboard`, `exit code`, `toasts`, `underlined` words of the reference,
                    `presses` that were stored since the last undo (`QUESTIONS`)
$ COMMAND           the app is left and this is typed; the lines that follow are printed, as in sessions

A row of blanks counts as one. A step waits until the screen is as it says; if it never is, the test shows
the step, what was wanted and the whole screen.
"""

import asyncio
import json
import os
import re
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste

from tests.proposing.claude.faults import Faults
from tests.rows import write_rows
from tests.sessions import pattern as printing, reviewed, rows_of, sessions, shown as printed_by, state_text
from tests.tui.conftest import User, said
from tests.tui.starts import STARTS, Ask
from tests.tui.test_hostile import on_screen
from workbench.model import Unit
from workbench.reports.units import unit_symbol
from workbench.settings import Settings, read_state, remember
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.datasets import find_dataset
from workbench.store.gold import load_gold
from workbench.store.samples import sample_ids
from workbench.text.cells import width
from workbench.tui.keys import keymap
from workbench.tui.screens.dialogs import MenuChoice
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.passage import Passage
from workbench.tui.widgets.sample_list import SampleList

WALKS = sessions(__file__)
STEPS = re.compile(r"(?m)^(?:([@*%>:=-])(?: (.*)|$)|\$ (.*(?:\n(?![@*%>:=$-](?: |$)).*)*)|(.+))")
TURNS = 3000  # of a fiftieth of a second and more: how long what is to be seen may take
KEYS = re.compile(r'"([^"]*)"|\(([^)]+)\)|\{([^}]+)\}|<([^>]+)>|«([^»]+)»|(\S+)')
OPENING = re.compile(
    r"(?P<start>.*?)(?: ?(?P<size>\d+x\d+))?(?: as (?P<who>\S+))?(?: ?at (?P<sample>\S+))?(?: ; (?P<own>.+))?"
)

# What is stored.


def unit(user: User, who: str, sample: str, text: str) -> str:
    """A unit as stored: sign, label, verdict with its reason, and what its evidence reads."""
    opened = user.stored(sample, who)
    units = [*opened.state.entity.assessment.units, *opened.state.statement.assessment.units]
    one = next((one for one in units if one.text == text), None)
    if one is None:
        return ""
    contexts = opened.sample.retrieved_contexts
    read = [f"“{contexts[at.context][at.start : at.end]}”" for at in one.match.evidence]
    return " ".join(filter(None, (unit_symbol(one), one.label, one.match.verdict, one.match.reason, *read)))


def listed(user: User) -> str:
    """The ids of the samples in the list, in order."""
    rows = user.pilot.app.home.samples
    return " ".join(rows.row(index).key for index in range(rows.count))


def gold(user: User, sample: str) -> str:
    """Whose the gold entities of a sample are, and their texts."""
    info = find_dataset(user.store, None)
    there = load_gold(user.store, info.id, "entity")[sample_ids(user.store, info.id)[sample]]
    texts = ", ".join(unit.text for unit in there.assessment.units) if there.assessment else ""
    return f"{there.origin} {texts}".strip()


def underlined(user: User) -> str:
    """The words of the reference that are."""
    reference = user.pilot.app.screen.query_one("#reference", Passage)
    parts = [part for y in range(reference.size.height) for part in reference.render_line(y)]
    return " ".join(part.text for part in parts if part.style and part.style.underline)


def presses(user: User) -> str:
    since = "(SELECT COALESCE(MAX(id), 0) FROM review_event WHERE op = 'undo')"
    return str(user.query(f"SELECT COALESCE(SUM(presses), 0) FROM review_event WHERE id > {since}")[0][0])


QUESTIONS: dict[str, Callable[[User, str, list[str]], str]] = {
    "listed": lambda user, who, words: listed(user),
    "sorted": lambda user, who, words: " ".join(sorted(listed(user).split())),
    "state": lambda user, who, words: state_text(user.stored(words[0], who)),
    "unit": lambda user, who, words: unit(user, who, words[0], " ".join(words[1:])),
    "gold": lambda user, who, words: gold(user, words[0]),
    "clipboard": lambda user, who, words: user.pilot.app.clipboard,
    "underlined": lambda user, who, words: underlined(user),
    "presses": lambda user, who, words: presses(user),
    "toasts": lambda user, who, words: " · ".join(one.message for one in user.pilot.app._notifications),
    "exit code": lambda user, who, words: str(user.pilot.app.return_code),
}


def name_of(row: Any) -> str:
    """By which a row is gone to."""
    if isinstance(row, Unit):
        return row.text
    if isinstance(row, MenuChoice):
        return row.name.split("  ")[0]
    return str(getattr(row, "key", "")) or name_of(row.verified or row.automatic)


class Walk:
    """The app on its way through a walk."""

    def __init__(self, user: User, ask: Ask, stack: AsyncExitStack) -> None:
        self.user, self.ask, self.stack = user, ask, stack
        self.database = Path()
        self.run = ask("run")
        self.own: dict[str, Any] = {}
        self.keys: dict[str, tuple[str, ...]] = {}
        self.service: Any = None
        self.hold = threading.Event()
        self.app: Any = None
        self.lines: list[str] = []  # of the screen, drawn once for all that is to be seen after a step

    async def start(self, told: str) -> None:
        found = OPENING.fullmatch(told)
        assert found is not None, told
        start, size, who, sample, own = found.groups()
        if start and start != "again":
            self.database = self.user._at = STARTS[start](self.ask)
        if start or who:
            await self.leave()
            self.own |= {"annotator": who or self.own.get("annotator", "ann")}
        for one in own.split(", ") if own else ():
            name, _, keys = one.partition("=")
            self.own |= {"tour": True} if name == "tour" else {}
            self.keys |= {name: tuple(keys.split())} if keys else {}
        if size:
            self.own["size"] = tuple(map(int, size.split("x")))
        if self.app is not None and size:
            await self.user.resize(*self.own["size"])
        self.sample = sample
        if self.app is not None and sample:
            await self.user.review(sample)

    async def leave(self) -> None:
        await self.stack.aclose()
        self.app, self.lines = None, []

    def elsewhere(self, told: str) -> None:
        """What another program does to the file."""
        aside = self.database.with_name("aside.db")
        if told == "lock":
            self.holds = self.stack.enter_context(
                closing(sqlite3.connect(self.database, isolation_level=None))
            )
            self.holds.execute("BEGIN IMMEDIATE")
        elif told == "let go":
            self.holds.rollback()
        elif told == "move away":
            self.database.rename(aside)
        elif told == "put back":
            assert not self.database.exists()
            aside.rename(self.database)
        elif told == "copy":
            shutil.copy(self.database, aside)
        elif told == "replace":
            aside.rename(self.database)
        elif told == "answer":
            self.hold.set()
        elif told == "hold":
            self.ask("service")(hold=self.hold)
            self.stack.callback(self.hold.set)
        elif told.startswith("service"):
            self.service = self.service or self.ask("service")()
            self.service.options.faults = Faults(**json.loads(told.removeprefix("service") or "{}"))
        elif told.startswith("import "):
            more = write_rows(self.database.with_name("more.jsonl"), rows_of(told.removeprefix("import ")))
            options = ImportOptions(dataset=find_dataset(self.user.store, None).name, blind=0.0)
            import_file(self.user.store, more, options, annotator="importer")
        else:
            with closing(sqlite3.connect(self.database)) as raw:
                raw.executescript(told)

    async def command(self, told: str) -> None:
        """Leave the app and type a command."""
        await self.leave()
        first, _, wanted = told.partition("\n")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("WORKBENCH_DB", str(self.database))
            printed = await asyncio.to_thread(printed_by, self.run, first)
        assert wanted == (wanted if re.fullmatch(printing(wanted), f"{printed}\n") else printed), first

    async def opened(self) -> None:
        """Start the app if it is not there."""
        if self.app is None:
            kept = self.database.with_name("state.json")
            keys = keymap(Settings(Path("config.toml"), keys=self.keys))
            seen = read_state(kept).views
            own = {**self.own, "keymap": keys, "remember": partial(remember, kept), "views": seen}
            opens = self.user.opens(self.sample, database=self.database, **own)
            self.app = await self.stack.enter_async_context(opens)
            await self.user.settle()

    async def press(self, told: str) -> None:
        """Press keys, all at once up to one that depends on what those before it did."""
        names: list[str] = []
        for typed, row, word, place, pasted, key in KEYS.findall(told):
            if row or word or place or pasted:
                await self.user.press(*names)
                names = [*(self.way(row) if row else self.code(word) if word else "")]
                await self.point(place)
                if pasted:
                    self.app.post_message(Paste(pasted))
            else:
                name, _, times = key.rpartition("*")
                names += os.path.expandvars(typed) or ([name] * int(times) if name else [key])
        await self.user.press(*names)

    async def point(self, place: str) -> None:
        """Click on words, or on a word of a line, or drag from words to others."""
        pilot = self.user.pilot
        if ends := re.fullmatch("(.+) ([→←]) (.+)", place):
            first, (x, y) = self.cell(ends[1]), self.cell(ends[3])
            last = x + width(ends[3][:-1]), y
            start, end = (first, last) if ends[2] == "→" else (last, first)
            await pilot.mouse_down(offset=start)
            await pilot.hover(offset=end)
            await pilot.mouse_up(offset=end)
        elif place:
            await pilot.click(offset=self.cell(*place.split(": ")))

    def cell(self, *words: str) -> tuple[int, int]:
        """Where words stand first on the screen, or a word that they begin with or that follows them."""
        for y, line in enumerate(on_screen(self.app).splitlines()):
            if words[0] in line:
                place = line.index(words[-1], line.index(words[0]))
                return width(line[:place]), y
        raise AssertionError(words)

    def way(self, row: str) -> list[str]:
        """The presses from the cursor to a row."""
        listed = next(one for one in self.app.screen.query(Lines) if one.size.height)
        if isinstance(listed, SampleList):
            rows: list[Any] = [listed.row(index) for index in range(listed.count)]
        else:
            rows = [one for one in listed.rows if getattr(one, "take", True)]
        names = [name_of(one) for one in rows]
        here = rows.index(listed.chosen) if not isinstance(listed, SampleList) else listed.cursor
        steps = names.index(row) - here
        return ["j" if steps > 0 else "k"] * abs(steps)

    def code(self, word: str) -> str:
        """The letters that stand before a word."""
        screen = self.app.screen
        at = screen._passage.text.rindex(word.removesuffix(" …"))
        code = str(next(hint.code for hint in screen._hints if hint.start == at))
        return code.upper() if word.endswith(" …") else code

    def says(self, sign: str, told: str) -> tuple[str, bool]:
        """What there is, and whether it is as a step says."""
        told = " ".join(told.split())
        pattern = re.compile(re.escape(told).replace("…", ".*"))
        if sign == ":":
            now = said(self.app)
            return now, pattern.fullmatch(" ".join(now.split())) is not None
        if sign == "=":
            question, _, answer = told.partition(":")
            known = next(one for one in QUESTIONS if f"{question} ".startswith(f"{one} "))
            words = question.removeprefix(known).split()
            now = QUESTIONS[known](self.user, self.own["annotator"], words)
            return now, re.fullmatch(re.escape(answer.strip()).replace("…", ".+"), now) is not None
        self.lines = self.lines or [" ".join(line.split()) for line in on_screen(self.app).splitlines()]
        seen = any(map(pattern.search, self.lines))
        return "", seen != (sign == "-")

    async def step(self, sign: str, told: str) -> None:
        if sign in tuple("@*%>"):
            self.lines = []
        if sign == "@":
            await self.start(told)
        elif sign == "*":
            reviewed(told, self.user.store)
        elif sign == "%":
            await self.opened()
            self.elsewhere(told)
        else:
            await self.opened()
            await (self.press(told) if sign == ">" else self.look(sign, told))

    async def look(self, sign: str, told: str) -> None:
        """Wait until it is as a step says."""
        for _ in range(TURNS):
            now, right = self.says(sign, told)
            if right:
                break
            self.lines = []
            await self.user.pilot.pause(0.02)
        there = re.sub(r"(?m)^\W*\n| +$", "", on_screen(self.app))  # many rows may hold nothing but a border
        assert right, f"wanted {sign} {told}\n   there: {now}\n{there}"


@pytest.mark.parametrize("title", WALKS)
async def test_a_walk_goes_as_it_is_told(user: User, request: pytest.FixtureRequest, title: str) -> None:
    if "\n% lock" in WALKS[title]:
        request.getfixturevalue("impatient")
    async with AsyncExitStack() as stack:
        walk = Walk(user, request.getfixturevalue, stack)
        for sign, told, typed, seen in STEPS.findall(WALKS[title]):
            await (walk.command(typed.rstrip()) if typed else walk.step(sign, told or seen))
