"""Visits to the pages of `workbench serve`: text files say what people press there, and what they read.

They are sessions (tests/sessions.py says how these are written), with a few signs more:

@ served OPTIONS           the rows of `data.jsonl`, else four of two cities, are imported with these options;
                           ann, an owner, bo and cy are named, and the pages are served
& WHO PATH                 somebody opens a page; `s0` in it is the number of the sample of that id
& WHO BUTTON FIELD=VALUE   somebody presses a button, after some fields were filled in; `{Rome}` stands for
                           the unit of that name, `\\r` and `\\n` for a break; `again`: the button that offers
                           what was not saved. `bo/2` is a second tab of bo's browser
TEXT                       the page has these whole words, or its source does; `…` stands for anything
- TEXT                     it does not
▸ NAME                     the unit under the cursor
= PATH                     its address
? CODE                     how it was answered, if not with 200
% WHO KEYS                 the same person in Chromium, one key after the other: `a`, `Escape`, "typed text",
                           <selector of what is clicked>, (text that is marked | its part), /a/page, `reload`,
                           `back`. What follows is waited for: TEXT, - TEXT, = PATH, and
: TEXT                     the line that tells what was done has this
? SELECTOR                 this is in sight
"""

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench, Run
from tests.rows import write_rows
from tests.sessions import on_each, replay, sessions
from tests.web.chromium import IN_SIGHT, Tab
from tests.web.conftest import ROWS, Served, Visitor, fields_of, name_people, running, shown
from workbench.store.engine import open_store

TOLD = sessions(__file__)
PRESSED = re.compile(r'"([^"]*)"|<(.+?)>(?= |$)|\(([^)]+)\)|(\S+)')
UNIT = re.compile(r'<li id="u-([^"]*)".*?<strong dir="auto">(.*?)</strong>', re.DOTALL)


class Visits:
    """A server, and the people who are at its pages."""

    def __init__(self, run: Run, stack: ExitStack) -> None:
        self._run, self._stack = run, stack
        self._served: Served | None = None
        self._visitors: dict[str, Visitor] = {}

    def serve(self, options: str) -> None:
        if not Path("data.jsonl").exists():
            write_rows("data.jsonl", ROWS)
        assert 0 == self._run("import", "data.jsonl", "--seed", "23", *shlex.split(options)).code
        store = self._stack.enter_context(closing(open_store(os.environ.get("WORKBENCH_DB", "workbench.db"))))
        bench = Bench(Path(), store)
        name_people(bench)
        self._served = self._stack.enter_context(running(bench, dataset="data"))

    def visitor(self, who: str) -> Visitor:
        """Somebody who is there already, or logs in now."""
        assert self._served is not None
        name, _, tab = who.partition("/")
        if who not in self._visitors:
            self._visitors[who] = Visitor(self.visitor(name).client) if tab else self._served.log_in(name)
        return self._visitors[who]

    def visit(self, who: str, what: str, *fields: str) -> Visitor:
        """Open a page or press a button."""
        one = self.visitor(who)
        if what.startswith("/"):
            assert self._served is not None
            bench = self._served.bench
            one.get(re.sub(r"(?<=/)[a-z]+\d+\b", lambda key: str(bench.id(key[0], "data")), what))
        elif what == "again":
            path = re.findall(r'<section class="again.*?action="([^"]*)"', one.page.text, re.DOTALL)
            one.page = one.client.post(path[0], data=fields_of(one.page.text, again=True))
        else:
            units = {text: number for number, text in UNIT.findall(one.page.text)}
            button, *filled = (re.sub("{(.*?)}", lambda one: units[one[1]], told) for told in (what, *fields))
            breaks = (field.replace(r"\r", "\r").replace(r"\n", "\n") for field in filled)
            one.do(button, **dict(field.split("=", 1) for field in breaks))
        return one

    def browse(self, tab: Tab, told: str) -> None:
        """Do it in Chromium, in the session that the person has without it."""
        first, *lines = told.strip().split("\n")
        who, _, keys = first[2:].partition(" ")
        session = self.visitor(who).client.cookies
        assert self._served is not None
        if tab.run("location.protocol") == "about:":
            tab.ask("Network.setCookie", name="workbench", value=session["workbench"], url=self._served.url)
            tab.go(self._served.url)
            tab.settled()
        for typed, clicked, marked, key in PRESSED.findall(keys):
            if typed:
                tab.type(typed)
            elif clicked:
                tab.click(clicked)
            elif marked:
                text, _, part = marked.partition(" | ")
                tab.drag(text, part)
                tab.wait(f"document.getElementById('new').marking?.part === '{part}'")
            elif key.startswith("/"):
                tab.go(f"{self._served.url}{key}")
            elif key in ("reload", "back"):
                tab.reload() if key == "reload" else tab.back()
            else:
                tab.press(key)
            tab.settled()
        for line in lines:
            sign, _, rest = line.partition(" ")
            text = json.dumps(rest if sign in tuple("-=:") else line)
            has = f".replace(/\\s+/g, ' ').includes({text})"
            looks = {
                "-": f"!document.body.innerText{has}",
                "=": f"new RegExp({text} + '$').test(location.pathname)",
                ":": f"document.getElementById('said').textContent{has}",
                "?": IN_SIGHT % rest,
            }
            tab.wait(looks.get(sign, f"document.body.innerText{has}"))

    def step(self, told: str) -> None:
        """One page, and what is on it."""
        first, *lines = told.strip().split("\n")
        one = self.visit(*shlex.split(first[2:]))
        page = one.page
        words = shown(page.text)
        code = next((int(line[2:]) for line in lines if line.startswith("? ")), 200)
        assert code == page.status_code, (first, words)
        for line in lines:
            sign, _, rest = line.partition(" ")
            text = rest if sign in tuple("-=▸") else line
            told_as = re.compile(rf"(?<!\w){re.escape(text).replace('…', '.*')}(?!\w)", re.DOTALL)
            if sign == "=":
                assert told_as.fullmatch(page.url.path), (first, line, page.url)
            elif sign == "▸":
                assert (one.chosen, text) in UNIT.findall(page.text), (first, line, words)
            elif sign != "?":
                there = any(told_as.search(where) for where in (words, page.text))
                assert there != (sign == "-"), (first, line, words)


@pytest.fixture
def visits(run: Run) -> Iterator[Visits]:
    with ExitStack() as stack:
        yield Visits(run, stack)


@pytest.mark.parametrize(("title", "on"), on_each(TOLD))
def test_a_visit_goes_as_it_is_told(run: Run, visits: Visits, request: Any, title: str) -> None:
    for step in re.split(r"(?m)^(?=[@>*$&%] )", TOLD[title])[1:]:
        if step.startswith("@ served"):
            visits.serve(step.removeprefix("@ served"))
        elif step.startswith("&"):
            visits.step(step)
        elif step.startswith("%"):
            visits.browse(request.getfixturevalue("tab"), step)
        else:
            replay(run, request.getfixturevalue, step)
