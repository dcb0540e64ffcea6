"""The pages in a real browser: accessibility, what is in sight, what is typed and not sent, a held key."""

import hashlib
import os
import sqlite3
import subprocess
import threading
from contextlib import closing
from typing import Any

import pytest

from tests.rows import CITIES, naming, proposal, sample
from tests.web.chromium import IN_SIGHT, Tab
from tests.web.conftest import Serve, Served
from workbench.stages import people

TEN = [naming(f"s{number}", ["Agra", "India"], ["Agra"]) for number in range(10)]

AXE = "4.14.1"
AXE_SHA = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core as npm has it; it is not part of this repository, for it has a license of its own."""
    folder = tmp_path_factory.mktemp("axe")
    npm = {**os.environ, "npm_config_update_notifier": "false", "npm_config_fetch_retries": "5"}
    try:
        pack = ["npm", "pack", f"axe-core@{AXE}"]
        subprocess.run(pack, cwd=folder, env=npm, capture_output=True, timeout=300, check=True)
        subprocess.run(["tar", "xzf", f"axe-core-{AXE}.tgz"], cwd=folder, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"axe-core could not be fetched: {error}")
    script = (folder / "package" / "axe.min.js").read_bytes()
    assert AXE_SHA == hashlib.sha256(script).hexdigest()
    return script.decode()


def log_in(tab: Tab, served: Served, name: str = "bo") -> None:
    """Type name and token."""
    token = people.new_token(served.bench.store, "ann", name)
    tab.go(f"{served.url}/login")
    tab.click("[name=name]")
    tab.type(name)
    tab.click("[name=token]")
    tab.type(token)
    tab.press("Enter")
    tab.wait("location.pathname !== '/login'")
    tab.settled()


def sample_shown(tab: Tab) -> int:
    return int(tab.run("document.querySelector('[data-sample]').dataset.sample"))


def said(tab: Tab, wanted: str = "") -> str:
    """What the line says, once it says what is wanted."""
    tab.wait(f"document.getElementById('said').textContent.includes('{wanted}')")
    return str(tab.run("document.getElementById('said').textContent"))


def wait_for_another(tab: Tab, number: int) -> None:
    """Wait for a sample that is not this one."""
    tab.wait(f"document.querySelector('[data-sample]')?.dataset.sample !== '{number}'")


def key(tab: Tab, letter: str) -> None:
    """Press a key, and wait for its answer."""
    tab.press(letter)
    tab.settled()


def verified(bench: Any, name: str = "bo") -> int:
    return int(
        bench.query(f"SELECT count(*) FROM review WHERE annotator = '{name}' AND entity = 'verified'")[0][0]
    )


def test_what_is_typed_stays_when_it_cannot_be_sent(serve: Serve, tab: Tab) -> None:
    """It is too long, the session has ended, or the server is away."""
    served = serve(TEN)
    log_in(tab, served)
    stays = "What you typed is still here: try again."
    text = "document.querySelector('[data-key=c] textarea')"
    tab.run("document.querySelector('details[data-key=c]').open = true")
    tab.run(f"{text}.removeAttribute('maxlength'); {text}.value = 'жжжжжж '.repeat(27500)")
    tab.click("[value=comment]")
    assert f"not saved: the text is too long: write less. {stays}" == said(tab, "too long")
    tab.run(f"{text}.value = 'a long thought'")
    people.new_token(served.bench.store, "ann", "bo")
    tab.click("[value=comment]")
    ended = "your session has ended: log in again in another tab, or ask an owner for a token"
    assert f"not saved: {ended}. {stays}" == said(tab, "session")
    served.stop()
    tab.click("[value^='reject::']")
    assert f"not saved: the server cannot be reached. {stays}" == said(tab, "reached")
    assert "a long thought" == tab.run(f"{text}.value")


def test_a_locked_database_is_said_to_be(serve: Serve, bench: Any, tab: Tab, monkeypatch: Any) -> None:
    """That it is being saved is said after a second."""
    monkeypatch.setattr("workbench.store.database.BUSY_SECONDS", 0.1)
    bench.reopen()
    served = serve(TEN)
    log_in(tab, served)
    begin = threading.Event()
    bench.store.writer.submit(begin.wait, 600)
    with closing(sqlite3.connect(served.bench.db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        tab.run("""window.heard = []; new MutationObserver(() => heard.push(said().textContent)).observe(
            said(), {childList: true})""")
        tab.press("x")
        tab.wait("heard[0] === 'saving …'")
        begin.set()
        told = said(tab, "not saved")
    assert told.startswith("not saved: database is locked (another program is writing to it")


def test_a_held_key_and_a_key_for_the_page_before_decide_nothing(serve: Serve, tab: Tab) -> None:
    served = serve(TEN)
    log_in(tab, served)
    tab.run("""for (const repeat of [false, true, true, false]) document.body.dispatchEvent(
        new KeyboardEvent("keydown", {key: "a", code: "KeyA", bubbles: true, cancelable: true, repeat}))""")
    tab.settled()
    assert 1 == verified(served.bench)


def keeps_nobody_out(tab: Tab, axe: str, path: str) -> None:
    """Give the page, with all that it unfolds, the widths of a phone and of a desk, light and dark."""
    tab.run("for (const one of document.querySelectorAll('details')) one.open = true")
    for width in 390, 1280:
        for dark in False, True:
            tab.size(width, 844, dark=dark)
            assert [] == _serious(tab, axe), (path, width, dark)
            assert tab.run("document.documentElement.scrollWidth <= innerWidth"), (path, width, "hangs over")
            assert 70 > tab.run("document.querySelector('.bar')?.offsetHeight ?? 0"), (path, width, "rows")


def test_nothing_serious_keeps_people_out(serve: Serve, tab: Tab, axe: str) -> None:
    served = serve([*TEN[:2], sample("none", "Nothing.", "Nor here.", proposal=proposal([], []))])
    tab.go(f"{served.url}/login")
    keeps_nobody_out(tab, axe, "/login")
    log_in(tab, served)
    tab.go(f"{served.url}/s/{served.bench.id('s0')}")
    keeps_nobody_out(tab, axe, "/s")
    for width in 390, 1280:
        tab.size(width, 844)
        small = tab.run("""[...document.querySelectorAll("button, select, summary, input:not([type=hidden])")]
            .map((one) => [one.outerHTML, one.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.width < 44 || box.height < 44)).map(([html]) => html)""")
        assert (width, []) == (width, small)
        like_the_others = tab.run("""[...document.querySelectorAll("[value^='reject::']")].map((one) => {
            const line = (each) => getComputedStyle(each).borderTopColor, label = one.previousElementSibling;
            return line(one) === line(document.querySelector(".pair button"))
                && one.getBoundingClientRect().top === label.getBoundingClientRect().top;
        })""")
        assert (width, [True, True]) == (width, like_the_others), "next to the label"
    key(tab, "a")
    tab.wait("document.body.innerText.includes('accepted')")
    for path in f"/s/{served.bench.id('s0')}", f"/s/{served.bench.id('none')}", "/me":
        tab.go(f"{served.url}{path}")
        keeps_nobody_out(tab, axe, path)


def test_nothing_serious_keeps_people_out_of_resolve_and_of_paper(serve: Serve, tab: Tab, axe: str) -> None:
    served = serve(TEN[:2])
    pages = differing(served)
    log_in(tab, served, "ann")
    for path in ("/resolve", *pages, "/nowhere"):
        tab.go(f"{served.url}{path}")
        keeps_nobody_out(tab, axe, path)
        for dark in False, True:
            tab.size(720, 1000, dark=dark, media="print")
            assert [] == _serious(tab, axe), (path, dark, "on paper")
            ink = tab.run("getComputedStyle(document.querySelector('.card')).backgroundColor")
            assert ink in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")  # a dark page would cost all the ink


def test_the_chosen_unit_is_in_sight_when_a_sample_opens(serve: Serve, tab: Tab) -> None:
    """Also the last of many; the question stays, and the head says how far all are."""
    log_in(tab, serve([naming("many", [*CITIES, "Kathmandu"], [*CITIES, "Katmandu"])]))
    assert "Kathmandu" == tab.run("document.querySelector('li.unit[aria-current] strong').textContent")
    for within in ("li.unit[aria-current]", "h1"):
        assert tab.run(IN_SIGHT % within)
    assert "0 of 1 verified" in tab.run("document.querySelector('header').innerText")
    tab.run("say('accepted: verified 1/2 .50')")
    assert tab.run("document.documentElement.scrollHeight <= innerHeight"), "the page itself scrolls too"
    for _ in range(60):
        tab.press("Tab")
        assert not tab.run("""((at, bar) => at.top < bar.bottom && at.bottom > bar.top)(
            ...["main :focus", ".bar:not(:focus-within)"].map(
                (one) => document.querySelector(one)?.getBoundingClientRect() ?? {}))""")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_why_opens_at_its_beginning(serve: Serve, tab: Tab, width: int, height: int) -> None:
    """By the key after an accept and by its address: the values and the sum, then the causes."""
    tab.size(width, height)
    log_in(tab, serve([naming(one, [*CITIES, "Kathmandu"], [*CITIES, "Katmandu"]) for one in ("a", "b")]))
    tab.click("li.unit")
    key(tab, "x")
    key(tab, "a")
    tab.settled()
    key(tab, "w")
    for _ in range(2):
        tab.settled()
        assert tab.run("""((all, bar, head) => head.bottom <= all.top && all.bottom < bar.top)(
            ...["[data-key=w][open] p", ".bar", "header.top"].map(
                (one) => document.querySelector(one).getBoundingClientRect()))""")
        tab.reload()


def test_of_many_units_the_chosen_one_shows_its_buttons_and_tab_goes_on(serve: Serve, tab: Tab) -> None:
    names = [f"{one}{number}" for one in CITIES for number in range(4)]
    tab.size(390, 844)
    log_in(tab, serve([naming("many", names, names)]))
    buttons = (
        "[...document.querySelectorAll('[value^=\"reject::\"]')].filter((one) => one.offsetHeight).length"
    )
    assert 1 == tab.run(buttons)
    first = tab.run("document.querySelector('li.unit[aria-current]').id")
    for _ in range(12):
        tab.press("Tab")
    assert first != tab.run("document.querySelector('li.unit[aria-current]').id")
    assert 1 == tab.run(buttons)
    assert 100 > tab.run("document.querySelector('li.unit:not([aria-current])').offsetHeight")


BROKEN = """[...document.querySelectorAll("td bdi, th, kbd, button")].flatMap((one) => {
    const text = one.firstChild, range = document.createRange();
    if (text?.nodeType !== Node.TEXT_NODE || !one.offsetHeight) return [];
    return [...text.data.matchAll(one.matches("kbd, .bar button") ? /.+/g : /\\S+/g)].filter((word) => {
        range.setStart(text, word.index); range.setEnd(text, word.index + word[0].length);
        return range.getClientRects().length > 1;
    }).map((word) => word[0]);
})"""
"""Words of tables that stand on two lines, and keys and buttons of the bar that do."""


def test_a_word_breaks_only_where_it_is_longer_than_its_line(serve: Serve, tab: Tab) -> None:
    names = ["Bell Laboratories", "Automatic Laboratories", "أغرا"]
    served = serve([naming("a", names, names[::2], also=" Rain." * 400)])
    tab.size(390, 844)
    log_in(tab, served)
    key(tab, "x")
    key(tab, "a")
    key(tab, "w")
    tab.wait("document.querySelector('details[data-key=w][open]') !== null")
    tab.settled()
    assert tab.run(IN_SIGHT % "details[data-key=w] summary")
    tab.run("for (const one of document.querySelectorAll('details')) one.open = true")
    for width in 390, 768, 1280:
        tab.size(width, 844)
        assert [] == tab.run(BROKEN), width
    assert '“<q dir="auto">أغرا</q>”' in tab.run("document.querySelector('ol.units').innerHTML")


def test_on_a_phone_the_keys_and_a_refusal_come_into_sight(serve: Serve, tab: Tab) -> None:
    """The keys to decide are one row, and a second ? leads back; a key without a meaning says so."""
    tab.size(360, 640)
    tab.ask("Emulation.setEmulatedMedia", features=[{"name": "hover", "value": "none"}])
    log_in(tab, serve(TEN))
    assert 70 > tab.run("document.querySelector('.bar').offsetHeight")
    for within in (".keys", "li.unit[aria-current]"):
        key(tab, "?")
        assert tab.run(IN_SIGHT % within)
    for unused in "w", "9", "=":
        key(tab, unused)
        assert f"{unused} does nothing here; ? shows the keys" == said(tab)
    tab.run("document.querySelector('#new [name=surface]').value = 'Nonsense'")
    tab.click("#new [value=add]")
    tab.settled()
    for within in (".again h2", "#said"):
        assert tab.run(IN_SIGHT % within)
    assert 1 == tab.run("document.body.innerText.split('is not in the reference').length - 1")


def test_what_is_typed_and_not_sent_stays_and_is_asked_about_once(serve: Serve, tab: Tab) -> None:
    served = serve(TEN[:3])
    log_in(tab, served)
    first = sample_shown(tab)
    tab.press("c")
    tab.type("a long thought")
    tab.press("Escape")
    key(tab, "x")
    said(tab, "rejected")
    thought = "document.querySelector('details[data-key=c][open] textarea').value"
    assert "a long thought" == tab.run(thought)
    tab.press("Escape")
    for leaving in (
        "document.querySelector('[data-key=a]').click()",
        "document.querySelector('nav a').click()",
    ):
        tab.reload()
        tab.press("c")
        tab.type("a long thought")
        tab.press("Escape")
        tab.run(leaving)
        said(tab, "not sent")
        assert (first, "a long thought", 0) == (sample_shown(tab), tab.run(thought), verified(served.bench))
    assert 2 == tab.asked  # before each reload
    tab.click("details[data-key=c] button")
    said(tab, "comment added")
    key(tab, "a")
    wait_for_another(tab, first)
    assert 1 == verified(served.bench)


def _serious(tab: Tab, axe: str) -> list[str]:
    if not tab.run("Boolean(window.axe)"):  # once a page
        tab.run(axe)
    found = tab.run(
        "axe.run().then((all) => all.violations.map((one) => [one.impact, one.id, one.nodes[0].html]))"
    )
    return [f"{name}: {html[:120]}" for impact, name, html in found if impact in ("serious", "critical")]


def differing(served: Served) -> tuple[str, str]:
    """bo and cy differ in both units of a sample; its pages for ann."""
    number = served.bench.id("s0")
    for name, button in (("bo", "reject::p2"), ("cy", "missing::p1")):
        one = served.log_in(name)
        one.get(f"/s/{number}")
        one.do(button)
        one.do("accept")
    return f"/resolve/{number}", f"/s/{number}"
