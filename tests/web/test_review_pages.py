"""Reviewing on pages without any script: every act, two tabs, lost answers, hostile text."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import do
from tests.rows import naming, proposal, sample
from tests.web.conftest import HIDDEN, ROWS, Served, Visitor, fields_of, running, shown
from workbench.formats.policy import to_toml
from workbench.stages import editing, review, team, training
from workbench.stages.desk import open_desk
from workbench.stages.policy import change_policy
from workbench.web import forms

Serve = Callable[..., Served]


def opened(serve: Serve, rows: Any = ROWS, **options: Any) -> tuple[Any, Visitor]:
    """bo's first sample."""
    served = serve(rows, **options)
    bo = served.log_in("bo")
    assert 200 == bo.get("/next").status_code
    return served.bench, bo


def unit(bench: Any, bo: Visitor, text: str) -> Any:
    """A unit as it is stored."""
    found = bench.review(bo.key, "bo").state.entity.assessment.units
    return next(one for one in found if one.text == text)


def test_an_accept_is_stored_and_leads_to_the_next_sample(serve: Serve) -> None:
    bench, bo = opened(serve)
    first = bo.key
    bo.do("accept")
    assert "accepted: verified 1/2 .50, name matching 1/2 .50" in shown(bo.page.text)
    assert first != bo.key
    state = bench.review(first, "bo").state
    assert "verified" == state.entity.disposition
    assert not state.opened.off_plan
    assert state.entity.fast
    ((seconds, presses),) = bench.query("SELECT seconds, presses FROM review_event WHERE op = 'accept'")
    assert (True, 1) == (0 <= seconds < 60, presses)
    assert [first] == [key for key in ("s0", "s1", "s2", "s3") if bench.review(key, "bo")]
    desk = open_desk(bench.store, None, "bo")  # the terminal's
    assert bench.id(bo.key) == desk.find_next(bench.store)


def test_an_accept_after_the_clock_jumped_is_not_fast_and_no_day_of_work(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=1_800_000_000.0)
    monkeypatch.setattr("workbench.web.forms.time", SimpleNamespace(time=lambda: clock.now))
    bench, bo = opened(serve)
    for jump, fast, spent in (0, True, 0), (-3600, False, 0), (86400, False, 60):
        clock.now += jump
        bo.do("accept")
        accepts = "SELECT data, seconds FROM review_event WHERE op = 'accept' ORDER BY id"
        data, seconds = bench.query(accepts)[-1]
        assert (jump, fast, spent) == (jump, json.loads(data)["fast"], seconds)


def test_a_flag_without_words_takes_the_flag_away_and_a_remark_has_a_longest_length(serve: Serve) -> None:
    bench, bo = opened(serve)
    assert 422 == bo.do("flag").status_code
    bo.do("flag", text="odd")
    assert "odd" == bench.review(bo.key, "bo").state.flag
    bo.do("flag")
    assert not bench.review(bo.key, "bo").state.flag
    assert 422 == bo.do("comment", text="x" * (forms.LONGEST + 1)).status_code


def test_an_act_has_one_press_at_least_and_a_thousand_at_most(serve: Serve) -> None:
    told = {"12": 12, "5000": 1000, "0": 1, "-7": 1, "many": 1}
    bench, bo = opened(serve)
    for number, presses in enumerate(told):
        bo.do("comment", text=f"comment {number}", presses=presses)
    stored = bench.query("SELECT presses FROM review_event WHERE op = 'comment' ORDER BY id")
    assert told == {given: kept for given, (kept,) in zip(told, stored, strict=True)}


ACTS: dict[str, tuple[dict[str, str], Callable[[Any], object], object]] = {
    "missing::p1": ({}, lambda one: (one.match.verdict, one.match.reason), ("missing", "absent")),
    "unsure::p1": ({}, lambda one: one.match.verdict, "unsure"),
    "label::p1": ({"label-p1": "person"}, lambda one: one.label, "person"),
    "reject::p1": ({}, lambda one: one.rejected, True),
}


def test_every_button_of_a_unit_writes_what_it_says_once(serve: Serve) -> None:
    bench, bo = opened(serve)
    for written, (button, (more, told, expected)) in enumerate(ACTS.items(), 1):
        for again in False, True:
            assert (button, 200) == (button, bo.do(button, **more).status_code)
            assert (button, expected) == (button, told(unit(bench, bo, "Agra")))
            assert (button, again) == (button, "so it is already" in shown(bo.page.text))
            events = bench.query("SELECT op FROM review_event WHERE op <> 'open'")
            assert (button, written) == (button, len(events))


def test_reject_and_restore_missing_and_found_edges_and_merging(serve: Serve) -> None:
    bench, bo = opened(
        serve, [sample("a", "New Delhi and Agra.", "Delhi.", proposal=proposal(["Delhi", "Agra"], ["Delhi"]))]
    )
    assert "✗ Delhi rejected Restore Agra Found" in shown(
        bo.do("reject::p1").text
    )  # and not: found in context 1
    bo.do("restore::p1")
    assert not unit(bench, bo, "Delhi").rejected
    bo.do("missing::p1")
    bo.do("why::p1")
    assert "partial" == unit(bench, bo, "Delhi").match.reason
    bo.do("found::p1")
    assert "found" == unit(bench, bo, "Delhi").match.verdict
    bo.do("edge:left-out:p1")
    assert "New Delhi" == unit(bench, bo, "New Delhi").text
    bo.do("merge::p1")
    assert "New Delhi and Agra" == unit(bench, bo, "New Delhi and Agra").text
    bo.do("undo")
    bo.do("undo")
    assert "Delhi" == unit(bench, bo, "Delhi").text
    bo.do("redo")
    assert "New Delhi" == unit(bench, bo, "New Delhi").text
    assert "done again: moved an edge: New Delhi" in shown(bo.page.text)


def test_skip_exclude_flag_and_comment_need_what_they_need(serve: Serve) -> None:
    bench, bo = opened(serve)
    for what in ("flag", "exclude", "comment"):
        assert (what, 422) == (what, bo.do(what, text="  ").status_code)
        bo.get("/next")
    assert [] == bench.query("SELECT id FROM review")
    first = bo.key
    assert 422 == bo.do("comment", text="x" * 20_001).status_code  # and not cut without a word
    assert 20_001 == len(fields_of(bo.page.text, again=True)["text"])
    bo.get("/next")
    bo.do("flag", text="f" * 20_000)
    assert re.search('id="said"[^>]*>flagged: f{290}…<', bo.page.text)
    assert f"<summary>⚑ {'f' * 158}…</summary>⚑ {'f' * 20_000}<" in bo.page.text
    bo.do("flag", text="odd <b>")
    bo.do("comment", text="a ﷽ note")
    bo.do("skip")
    second = bo.key
    bo.do("exclude", reason="broken")
    state = bench.review(first, "bo").state
    assert ("odd <b>", ("a ﷽ note",), "skipped") == (state.flag, state.comments, state.entity.disposition)
    assert "⊘ not counted: broken" in shown(bo.get(f"/s/{bench.id(second)}").text)
    state = bench.review(second, "bo").state
    assert ("excluded", "broken") == (state.entity.disposition, state.entity.reason)


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


def test_an_accept_stops_once_at_a_doubt(serve: Serve) -> None:
    bench, bo = opened(serve)
    first = bo.key
    bo.do("unsure::p1")
    bo.do("accept")
    assert (first, "started") == (bo.key, bench.review(first, "bo").state.entity.disposition)
    assert "1 name is unsure" in shown(bo.page.text)
    assert "Accept anyway" in shown(bo.page.text)
    bo.do("accept")
    assert "verified" == bench.review(first, "bo").state.entity.disposition


def test_a_blind_sample_shows_no_suggestion_and_needs_a_word_that_it_has_no_units(serve: Serve) -> None:
    bench, bo = opened(serve, importing={"blind": 1.0})
    first = bo.key
    assert "without suggestions" in shown(bo.page.text)
    assert "chosen unit e No units here 0 Skip S" in shown(bo.page.text)
    assert '<li id="u-' not in bo.page.text
    assert "<mark" not in bo.page.text
    assert 422 == bo.do("accept").status_code
    bo.get("/next")
    bo.do("none")
    state = bench.review(first, "bo").state
    assert ("verified", "blind") == (state.entity.disposition, state.opened.shown)


def test_the_page_of_a_sample_without_a_run_and_without_contexts_says_so(serve: Serve) -> None:
    _, bo = opened(serve, [sample("a", "Rome.")])
    assert "Entities 0 Nothing is proposed yet: workbench propose" in shown(bo.page.text)
    assert "No context was retrieved: nothing can be found" in shown(bo.page.text)


def test_what_nobody_proposed_is_promised_no_automatic_value(serve: Serve) -> None:
    served = serve(ROWS[:1])
    info = served.bench.info()
    text = to_toml(replace(info.policy, kinds=("entity", "statement")))
    change_policy(served.bench.store, info, text, "ann")
    bo, promised = served.log_in("bo"), "The automatic value"
    for kind, there in ("entity", True), ("statement", False):
        page = shown(bo.get(f"/s/1?kind={kind}").text)
        assert (kind, there) == (kind, promised in page)
    assert "No statements were proposed." in page


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


def test_automatic_values_show_only_after_the_decision(serve: Serve) -> None:
    bench, bo = opened(serve)
    first = bench.id(bo.key)
    assert "The automatic value appears after you accept." in shown(bo.page.text)
    assert "No context was retrieved" not in shown(bo.page.text)
    assert "name matching" not in bo.do("reject::p2").text
    bo.do("accept")
    page, scores = shown(bo.get(f"/s/{first}").text), "name matching 1/2 .50 verified 1/1 1.00 Δ −.50"
    assert f"{scores} Why automatic and verified differ w name matching 1/2 .50 · verified 1/1 1.00 ·" in page
    assert "India ○ missing — invented unit −.50 extracted, but not in the verified list" in page


def test_the_column_of_a_file_is_called_the_score_in_the_file(serve: Serve) -> None:
    """Its name and day say nothing to who reviews in a browser."""
    bench, bo = opened(serve, [{**ROWS[0], "context_entity_recall": 0.25}])
    bo.do("accept")

    assert "yours (from the file) .25" in shown(bo.page.text)
    page = shown(bo.get(f"/s/{bench.id(ROWS[0]['id'])}").text)
    assert ("yours (from the file) .25" in page, "context_entity_recall" in page) == (True, False)


def test_a_sample_that_the_queue_did_not_give_is_picked_by_hand(serve: Serve) -> None:
    bench, bo = opened(serve)
    assert "picked by hand" not in shown(bo.get(bo.page.url.path).text)  # the address of what Next gives
    other = next(key for key in ("s0", "s1") if key != bo.key)
    for path in (f"/s/{bench.id(other)}", f"/s/{bench.id(other)}?queue=made-up"):
        assert "picked by hand" in shown(bo.get(path).text)
    bo.do("accept")
    assert bench.review(other, "bo").state.opened.off_plan


def test_a_sample_of_another_dataset_and_one_that_is_not_there_are_not_found(serve: Serve) -> None:
    served = serve()
    bo = served.log_in("bo")
    assert 404 == bo.get("/s/999999").status_code
    bo.get("/next")
    served.bench.load([naming("other", ["Rome"], [])], name="more.jsonl", dataset="more")
    name = "data"
    number = served.bench.id("other", "more")
    with running(served.bench, dataset=name) as again:
        bo = again.log_in("bo")
        assert 200 == bo.get("/next").status_code
        assert 404 == bo.get(f"/s/{number}").status_code
        assert "Rome" not in bo.page.text


@pytest.mark.databases
def test_two_tabs_lose_nothing(serve: Serve) -> None:
    bench, bo = opened(serve)
    key, path = bo.key, str(bo.page.url)
    first, second = bo, Visitor(bo.client)
    second.get(path)
    first.do("reject::p1")
    answer = second.do("label::p2", sure="1", **{"label-p2": "person"})
    assert 409 == answer.status_code
    words = shown(answer.text)
    assert "Your change is not saved: India is now person" in words
    assert "Agra Agra, place, found in context 1 rejected" in words
    assert "place" == unit(bench, second, "India").label
    again = fields_of(answer.text, again=True)
    assert "sure" not in again  # a newer page asks anew
    assert 200 == second.client.post("/act", data=again).status_code
    assert ("person", True) == (unit(bench, second, "India").label, unit(bench, second, "Agra").rejected)
    assert key == second.key
    typed = "first line\nلا <b>second</b> & \u200cthird"
    answer = first.do("comment", text=typed)
    assert 409 == answer.status_code
    again = fields_of(answer.text, again=True)
    assert typed == again["text"].replace("\r\n", "\n")
    second.client.post("/act", data=again)
    assert (typed,) == bench.review(key, "bo").state.comments


def test_the_terminal_and_a_tab_are_two_windows(serve: Serve) -> None:
    bench, bo = opened(serve)
    bench.act(bo.key, do("India", editing.reject), who="bo")
    assert 409 == bo.do("accept").status_code
    assert "This sample was changed meanwhile; the sample is shown as it is now" in shown(bo.page.text)
    assert "India" in shown(bo.page.text.split("</thead>")[1])


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


def test_what_changed_below_a_page_is_not_accepted_unseen(serve: Serve) -> None:
    served = serve()
    bo = served.log_in("bo")
    bo.get("/next")
    rows = [{**row, "reference": "Rome.", "proposal": proposal(["Rome"], [])} for row in ROWS]
    served.bench.load(rows, update=True)
    assert 409 == bo.do("accept").status_code
    assert "Rome" in shown(bo.page.text)
    assert "The text, the suggestions or the policy was changed meanwhile" in shown(bo.page.text)
    assert [] == served.bench.query("SELECT id FROM review WHERE annotator = 'bo'")
    info = served.bench.info()
    change_policy(served.bench.store, info, to_toml(replace(info.policy, guidelines="Anew.")), "ann")
    assert 409 == bo.do("accept").status_code


def test_what_was_verified_under_an_earlier_policy_or_on_other_contexts_says_so(serve: Serve) -> None:
    bench, bo = opened(serve, ROWS[:1])
    bo.do("accept")
    info = bench.info()
    change_policy(bench.store, info, to_toml(replace(info.policy, guidelines="Anew.")), "ann")
    assert "§ verified under policy 1" in shown(bo.get("/s/1").text)
    bench.load([{**ROWS[0], "retrieved_contexts": ["Elsewhere."]}], update=True)
    assert "↺ to be matched again" in shown(bo.get("/s/1").text)


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


def mark(text: str, part: str, start: int) -> dict[str, str]:
    """What the script sends of marked text."""
    return {"part": part, "start": str(start), "end": str(start + len(text)), "surface": text}


def test_marked_words_become_a_unit_and_evidence_at_their_place(serve: Serve) -> None:
    row = sample("e", "😀 Agra and 😀 Delhi,\nRome.", "😀 in Delhi, India", proposal=proposal(["Agra"], []))
    bench, bo = opened(serve, [row])
    bo.do("add", label="place", **mark("Delh", "r", row["reference"].index("Delh")))
    new = unit(bench, bo, "Delhi")
    assert new.id == bo.chosen
    assert ("place", "Delhi") == (new.label, row["reference"][new.spans[0].start : new.spans[0].end])
    lines = mark("Delhi,\nRome", "r", row["reference"].index("Delhi"))
    bo.do("add", label="place", **lines | {"surface": "Delhi,\r\nRome"})  # as browsers send it
    assert unit(bench, bo, "Delhi,\nRome").id == bo.chosen
    assert 422 == bo.do("evidence::p1", **mark("Agra", "r", row["reference"].index("Agra"))).status_code
    bo.do("missing::p1")
    fields = mark("India", "0", row["retrieved_contexts"][0].index("India"))
    assert 200 == bo.do("evidence::p1", **fields).status_code, shown(bo.page.text)
    place = unit(bench, bo, "Agra").match.evidence[0]
    assert "India" == row["retrieved_contexts"][place.context][place.start : place.end]


def test_a_place_that_does_not_hold_the_words_is_refused(serve: Serve) -> None:
    bench, bo = opened(serve, [sample("e", "In Agra.", "In Agra.", proposal=proposal(["Agra"], []))])
    page = bo.page
    for wrong in (
        {"surface": "Delhi"}, {"start": "1000"}, {"start": "x"}, {"start": "2"}, {"part": "9"}, {"end": "-1"},
        {"end": "1000"}, {"part": "0"},
    ):  # fmt: skip
        bo.page = page
        assert 422 == bo.do("add", **{**mark("In", "r", 0), **wrong}).status_code, wrong
        assert [] == bench.query("SELECT id FROM review"), wrong


def test_a_form_that_makes_no_sense_writes_nothing(serve: Serve) -> None:
    bench, bo = opened(serve)
    page = bo.page
    for what in (
        "", "nothing", "reject", "reject::zz", "label:not-a-label:p1", "edge:sideways:p1", "evidence::p1",
        "add", "merge::p2", "found::\x00", "exclude::p1",
    ):  # fmt: skip
        bo.page = page
        assert bo.do(what).status_code in (200, 422), what
        assert [] == bench.query("SELECT id FROM review"), do


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


def test_typed_words_are_found_as_whole_words_in_any_case(serve: Serve) -> None:
    row = sample("e", "Indian tea in Agra.", "tea", proposal=proposal(["Agra"], []))
    bench, bo = opened(serve, [row])
    bo.do("add", surface="IN")
    bo.do("add", surface="tea ")
    units = bench.review("e", "bo").state.entity.assessment.units
    assert ["tea", "in", "Agra"] == [one.text for one in units]
    assert 422 == bo.do("add", surface="coffee").status_code
    assert "“coffee” is not in the reference: mark the words there" in shown(bo.page.text)
    assert 422 == bo.do("add", surface="gra").status_code
    assert "“gra” is only a part of “Agra”: type whole words" in shown(bo.page.text)
    bo.get("/next")
    bo.do("add", surface="agra")
    assert "is in the list and counts once" in shown(bo.page.text)
    assert "N:" not in shown(bo.page.text)


@pytest.mark.databases
def test_with_assignments_each_person_holds_another_sample(serve: Serve) -> None:
    served = serve()
    team.assign(served.bench.store, served.bench.info(), "ann", 1, 1.0, None)
    people = [served.log_in(name) for name in ("ann", "bo", "cy")]
    assert ["/me", "/s", "/s"] == [
        one.page.url.path[:3].rstrip("/") for one in people
    ]  # an owner may only look
    for one in people:
        one.get("/next")
    assert 3 == len({one.key for one in people})
    for one in people:
        one.do("accept")
    assert "3 of 4 verified · 1 by you" in shown(people[0].get("/next").text)
    assert 4 == served.bench.query("SELECT count(*) FROM assignment WHERE annotator IS NOT NULL")[0][0]


def test_a_sample_that_somebody_holds_says_so_and_can_be_decided(serve: Serve) -> None:
    served = serve()
    team.assign(served.bench.store, served.bench.info(), "ann", 1, 1.0, None)
    ann, bo = served.log_in(), served.log_in("bo")
    ann.get("/next")
    assert "held by" not in shown(ann.page.text)
    bo.get(str(ann.page.url.path))
    assert "◷ held by ann until " in shown(bo.page.text)
    assert 200 == bo.do("accept").status_code
    ann.do("accept")
    states = served.bench.query("SELECT annotator, entity FROM review WHERE entity = 'verified' ORDER BY 1")
    assert [("ann", "verified"), ("bo", "verified")] == states


def trainee(serve: Serve, known: tuple[str, ...], mark: float, *rows: Any) -> tuple[Served, Visitor]:
    """bo, who is trained with samples that the owner accepted, at the first one."""
    served = serve(rows or ROWS)
    for key in known:
        served.bench.verify(key)
    training.begin(served.bench.store, served.bench.info(), "ann", "", mark)
    bo = served.log_in("bo")
    bo.get("/next")
    return served, bo


def test_a_known_answer_has_no_id_that_says_nothing(serve: Serve) -> None:
    key = "0123456789abcdef" * 2
    _, bo = trainee(serve, (key,), 0.8, naming(key, ["Agra"], ["Agra"], user_input="Where?"))
    first = bo.do("accept")
    assert "/lesson/" in str(first.url)
    assert (True, False) == ("Where?" in shown(first.text), key in shown(first.text))


def test_a_trainee_learns_the_known_answer_and_how_far_they_are(serve: Serve) -> None:
    served, bo = trainee(serve, ("s0", "s1"), 0.8)
    assert "Training: 0 of 2 samples decided. The pass mark is .80." in shown(bo.page.text)
    bo.do("reject::p2")
    first = bo.do("accept")
    words = shown(first.text)
    assert "/lesson/" in str(first.url)
    assert "accepted: verified 1/1" in words
    assert "− India: you have no such entity" in words
    assert "The pass mark is .80." in words
    assert "Training: 1 of 2 samples decided: units .67, verdicts 1.00 so far." in words
    for text in "question s", "Reference Agra , India .", "Context 1 of 1 Agra .":
        assert text in words
    marks = re.findall('class="(missing|found|mention)">(Agra|India)</mark>', first.text)
    assert [("found", "Agra"), ("missing", "India"), ("mention", "Agra")] == marks
    for name in "cy", "ann":
        assert 404 == served.log_in(name).get(first.url.path).status_code
    bo.get("/next")
    bo.do("accept")
    assert "You passed the training: units .86, verdicts 1.00." in shown(bo.page.text)
    assert 200 == bo.get(first.url.path).status_code  # also when they have passed
    bo.get("/next")
    assert served.bench.info().name in shown(bo.page.text)
    assert "Training" not in shown(bo.page.text)
    assert "You passed the training: units .86, verdicts 1.00." in shown(bo.get("/me").text)


def test_who_did_not_pass_is_told_so_at_the_end(serve: Serve) -> None:
    served, bo = trainee(serve, ("s0",), 0.9)
    bo.do("reject::p2")
    bo.do("accept")
    assert "Not passed: units" in shown(bo.get("/next").text)
    training.let_pass(served.bench.store, served.bench.info(), "ann", "bo")
    assert "An owner let you go on: units .67, verdicts 1.00." in shown(bo.get("/me").text)


def test_my_progress_and_the_end(serve: Serve) -> None:
    _, bo = opened(serve, ROWS[:1])
    bo.do("accept")
    assert "Every sample is decided" in shown(bo.page.text)
    assert "accepted: verified 1/2" in shown(bo.page.text)
    assert "verified by you 1 verified by others alone 0" in (page := shown(bo.get("/me").text))
    assert page.endswith(" s, 1 press Next sample")
