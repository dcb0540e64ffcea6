"""Reviewing on pages without any script: every act, two tabs, lost answers, hostile text."""

import json
import re
import sqlite3
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest

from tests.rows import proposal, sample
from tests.web.conftest import HIDDEN, ROWS, Serve, Visitor, fields_of, running, shown
from workbench.stages import review
from workbench.web import forms


def opened(serve: Serve, rows: Any = ROWS, **options: Any) -> tuple[Any, Visitor]:
    """bo's first sample."""
    served = serve(rows, **options)
    bo = served.log_in("bo")
    assert 200 == bo.get("/next").status_code
    return served.bench, bo


def test_an_accept_after_a_clock_jump_is_not_fast_and_no_day_of_work(serve: Serve, monkeypatch: Any) -> None:
    clock = SimpleNamespace(now=1_800_000_000.0)
    monkeypatch.setattr("workbench.web.forms.time", SimpleNamespace(time=lambda: clock.now))
    bench, bo = opened(serve)
    for jump, fast, spent in (0, True, 0), (-3600, False, 0), (86400, False, 60):
        clock.now += jump
        bo.do("accept")
        accepts = "SELECT data, seconds FROM review_event WHERE op = 'accept' ORDER BY id"
        data, seconds = bench.query(accepts)[-1]
        assert (jump, fast, spent) == (jump, json.loads(data)["fast"], seconds)


def test_a_long_remark_is_shown_short_and_one_that_is_too_long_is_refused_whole(serve: Serve) -> None:
    _, bo = opened(serve)
    assert 422 == bo.do("comment", text="x" * (forms.LONGEST + 1)).status_code  # and not cut without a word
    assert forms.LONGEST + 1 == len(fields_of(bo.page.text, again=True)["text"])
    bo.get("/next")
    bo.do("flag", text="f" * 20_000)
    assert re.search('id="said"[^>]*>flagged: f{290}…<', bo.page.text)
    assert f"<summary>⚑ {'f' * 158}…</summary>⚑ {'f' * 20_000}<" in bo.page.text


@pytest.mark.databases
def test_a_character_that_no_database_holds_is_replaced_in_what_is_typed(serve: Serve) -> None:
    bench, bo = opened(serve)
    first = bo.key
    bo.do("flag", text="a\0b")
    bo.do("comment", text="c\0d")
    bo.do("exclude", text="e\0f")
    state = bench.review(first, "bo").state
    assert ("a\ufffdb", ("c\ufffdd",), "e\ufffdf") == (state.flag, state.comments, state.entity.reason)
    refused = bo.client.post("/login", data={"name": "a\0b", "token": "x\0y"})
    assert (401, True) == (refused.status_code, "do not fit together" in shown(refused.text))


def test_the_page_of_a_blind_sample_is_the_same_whatever_was_proposed(serve: Serve) -> None:
    served = serve(ROWS[:1], importing={"blind": 1.0})
    bench, pages = served.bench, []
    proposals = (proposal(["Agra"], ["Agra"]), proposal(["India"], []), None)
    for number, said in enumerate(proposals):
        row = {key: value for key, value in ROWS[0].items() if key != "proposal"}
        more = {"proposal": said, "context_entity_recall": 0.123} if said else {}
        bench.load([{**row, **more}], name=f"{number}.jsonl", dataset=f"d{number}", blind=1.0)
        with running(bench, dataset=f"d{number}") as again:
            page = again.log_in("bo").get("/next").text
        assert "without suggestions" in page
        assert "The automatic value, if there is one, appears after you accept." in page
        pages.append(re.sub(r'value="[^"]*"|/s/\d+[^"]*|data-sample="\d+"|d\d', "", page))
    assert {pages[0]} == {*pages}


def test_a_form_sent_twice_is_stored_once(serve: Serve) -> None:
    row = sample("e", "Agra in India.", "Agra", proposal=proposal(["Agra"], []))
    bench, bo = opened(serve, [row])
    for what in ("reject::p1", "add", "comment", "accept"):
        form = {**fields_of(bo.page.text), "do": what, "sure": "1", "surface": "in", "text": "x"}
        before = len(bench.query("SELECT id FROM review_event"))
        answers = [bo.client.post("/act", data={**form, "presses": n}).status_code for n in "12"]
        assert (what, [200, 200]) == (what, answers)
        grown = len(bench.query("SELECT id FROM review_event")) - before
        assert (what, 2 if what == "reject::p1" else 1) == (what, grown)
        bo.get(f"/s/{form['form'].split('.')[0]}")
    for what in ("undo", "accept"):  # an undo that is sent again takes nothing else back
        form = {**fields_of(bo.page.text), "do": what}
        before = len(bench.query("SELECT id FROM review_event"))
        for _ in range(2):
            bo.page = bo.client.post("/undo" if what == "undo" else "/act", data=form)
        assert (what, 1) == (what, len(bench.query("SELECT id FROM review_event")) - before)
    before = bench.tables("review_event")
    bo.get("/s/1")
    assert "Every sample is decided" in shown(bo.do("accept").text)  # it is verified as it is
    assert before == bench.tables("review_event")


def test_what_a_locked_database_refused_can_be_sent_again(serve: Serve, bench: Any, impatient: None) -> None:
    bench.reopen()
    _, bo = opened(serve)
    bo.do("comment", text="x")
    for path, more in (("/act", {"do": "comment", "text": "y"}), ("/undo", {"do": "undo"})):
        with closing(sqlite3.connect(bench.db, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answer = bo.client.post(path, data={**fields_of(bo.page.text), **more})
        assert (503, True) == (answer.status_code, "Not saved: database is locked" in shown(answer.text))
        assert f'<form method="post" action="{path}">' in answer.text
        bo.page = bo.client.post(path, data=dict(HIDDEN.findall(answer.text)))
    assert "undone: comment: y" in shown(bo.page.text)


HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)> {{ 7*7 }} [b]x[/b] &amp; ' \" `",
    "escapes": "a\x1b[31mred\x1b]0;title\x07\x08 b",
    "right to left": "\u202egnp.exe \u2066 \u200f عربي עברית",
    "a long word": "x" * 1_000_000,
}


def test_hostile_text_stays_text(serve: Serve) -> None:
    bench, bo = opened(serve, [
        sample(what, f"{text} Agra", text, user_input=text, proposal=proposal(["Agra"], []))
        for what, text in HOSTILE.items()
    ])  # fmt: skip
    for what, text in HOSTILE.items():
        page = bo.get(f"/s/{bench.id(what)}").text
        assert (what, 0, 0) == (what, page.count("<script>alert"), page.count("<img"))
        assert set() == {"\x1b", "\x07", "\x08", "\u202e", "\u2066", "\u200f"} & set(page), what
        assert what not in ("markup", "a long word") or 3 <= shown(page).count(text), what
        bo.do("comment", text=text[:20_000])
        there = text[:20_000].strip() == bench.review(what, "bo").state.comments[0]
        assert there, what  # as it was typed
        assert 0 == bo.page.text.count("<script>alert")
        bo.do("accept", sure="1")
        assert "verified" == bench.review(what, "bo").state.entity.disposition, what


def test_a_form_that_makes_no_sense_writes_nothing(serve: Serve) -> None:
    bench, bo = opened(serve)
    page = bo.page
    for what in (
        "", "nothing", "reject", "reject::zz", "label:not-a-label:p1", "edge:sideways:p1", "evidence::p1",
        "add", "merge::p2", "found::\x00", "exclude::p1",
    ):  # fmt: skip
        bo.page = page
        assert bo.do(what).status_code in (200, 422), what
        assert [] == bench.query("SELECT id FROM review"), what


def test_forms_that_were_changed_are_not_ours(serve: Serve) -> None:
    bench, bo = opened(serve)
    fields = fields_of(bo.page.text)
    cy = Visitor(bo.client)
    number, seq, rest = fields["form"].split(".", 2)
    for form in ("", "x", f"{int(number) + 1}.{seq}.{rest}", f"{number}.7.{rest}", fields["form"][:-1] + "é"):
        assert 403 == cy.client.post("/act", data={**fields, "do": "accept", "form": form}).status_code
        assert 403 == cy.client.post("/undo", data={**fields, "do": "undo", "form": form}).status_code
    found = re.search(r'/logout".*?name="form" value="([^"]*)"', bo.page.text, re.DOTALL)
    assert found  # a tag of this session, for another form
    for path in ("/act", "/undo"):
        data = {**fields, "do": "accept", "form": f"logout.{found.group(1)}"}
        assert 403 == cy.client.post(path, data=data).status_code
    assert [] == bench.query("SELECT id FROM review")


def test_a_form_of_a_session_that_ended_is_offered_again_in_the_next_one(serve: Serve) -> None:
    served = serve()
    bo = served.log_in("bo")
    bo.get("/next")
    form = {**fields_of(bo.page.text), "do": "comment", "text": "a <long> thought"}
    bo = served.log_in("bo")
    answer = bo.client.post("/act", data=form)
    assert 403 == answer.status_code
    assert "Your change is not saved" in shown(answer.text)
    assert [] == served.bench.query("SELECT id FROM review")
    bo.client.post("/act", data=fields_of(answer.text, again=True))
    number = int(form["form"].split(".")[0])
    assert [(number, False)] == [
        (sample_id, bool(review.open_sample(served.bench.store, sample_id, "bo").opening.off_plan))
        for (sample_id,) in served.bench.query("SELECT sample_id FROM review")
    ]
    form = {**form, "do": "undo"}
    answer = bo.client.post("/undo", data=form)
    assert (403, True) == (answer.status_code, "Your change is not saved" in shown(answer.text))
    answer = bo.client.post("/undo", data=fields_of(answer.text, again=True))
    assert "undone: comment: a <long> thought" in shown(answer.text)
