"""Settling what two people differ in, on pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.rows import naming
from tests.web.conftest import ROWS, Served, shown
from workbench.model import RESOLVED
from workbench.stages.people import Person, add_person


@pytest.fixture
def differing(serve: Callable[..., Served]) -> Any:
    """A sample in which bo and cy differ, and one in which they do not."""
    served = serve(ROWS[:2])
    assert "Resolve" not in shown(served.log_in("ann").get("/me").text)  # nobody else reviews here
    for name in ("bo", "cy"):
        one = served.log_in(name)
        one.get("/s/1")
        if name == "bo":
            one.do("reject::p2")
        one.do("accept")
    return served


def test_an_owner_settles_a_sample_and_an_annotator_may_not(differing: Any) -> None:
    served = differing
    bo, ann = served.log_in("bo"), served.log_in("ann")
    for path in ("/resolve", "/resolve/1"):
        assert 403 == bo.get(path).status_code
    assert 403 == bo.client.post("/resolve/act", data={"do": "accept"}).status_code
    assert 403 == bo.client.post("/resolve/undo", data={"do": "undo"}).status_code
    assert "Resolve" not in shown(bo.get("/me").text)
    assert "Resolve" in shown(ann.get("/me").text)
    ann.get("/resolve")
    words = shown(ann.page.text)
    assert "Settle" in words
    assert "0 settled by you · 1 left" in words
    assert ("✓ Agra" in words, "≠ India" in words) == (True, True)
    assert not {"bo", "cy"} & set(words.split())  # letters, no names
    key = ann.key
    assert 422 == ann.do("accept").status_code
    assert "1 unit is not settled yet: decide each, or E takes the rest" in shown(ann.page.text)
    assert "Do it again" not in shown(ann.page.text)  # nothing was typed
    ann.get("/resolve")
    unit = ann.page.text.split('value="take:-1:')[1].split('"')[0]
    assert 'data-key="W"' in ann.page.text
    assert not re.findall(r"\b(bo|cy)\b", ann.page.text)
    ann.do("names")
    assert re.search(r"A (bo|cy) · B (bo|cy)", shown(ann.page.text))
    # that the others' values were looked at, then that the names were
    assert [("open",)] * 2 == served.bench.query("SELECT op FROM review_event WHERE annotator = 'ann'")
    ann.do(f"take:-1:{unit}")
    ann.do("undo")
    ann.do("rest:0:")
    ann.do("accept")
    assert "Nothing is left to settle" in shown(ann.page.text)
    assert f"{key} settled" in shown(ann.page.text)
    assert "settled by you 1 left to settle 0" in shown(ann.get("/me").text)
    assert "1 settled by you · 0 left" in shown(ann.get(f"/resolve/{served.bench.id(key)}").text)
    ann.do("undo")
    assert "0 settled by you · 1 left" in shown(ann.page.text)
    ann.do("redo")
    page = shown(bo.get("/s/1").text)
    assert "✓ settled as cy has it: .50 · you had 1.00" in page
    assert "settled 1/2 .50 " in page
    assert "· settled 1/2 .50 ·" in page
    assert "Automatic Settled" in page
    assert [("adjudicated", "verified")] == served.bench.query(
        f"SELECT origin, entity FROM review WHERE annotator = '{RESOLVED}'"
    )
    assert "verified" == served.bench.review(key, RESOLVED).state.entity.disposition
    events = served.bench.query("SELECT DISTINCT annotator FROM review_event WHERE op = 'take'")
    assert [("ann",)] == events


def test_a_unit_that_is_settled_leads_to_the_next_open_one(serve: Callable[..., Served]) -> None:
    """Round the end."""
    served = serve([naming("s", ["Agra", "India", "Oslo"], ["Agra"])])
    for name in ("bo", "cy"):
        one = served.log_in(name)
        one.get("/s/1")
        for unit in ("p1", "p2", "p3") if name == "bo" else ():
            one.do(f"reject::{unit}")
        one.do("accept", sure="1")
    ann = served.log_in("ann")
    ann.get("/resolve")
    first, second, third = re.findall(r'value="take:-1:([^"]*)"', ann.page.text)
    ann.do(f"take:-1:{second}")
    assert third == ann.chosen
    ann.do(f"take:-1:{third}")
    assert first == ann.chosen


def test_undo_goes_to_what_it_took_back_whichever_page_it_was_pressed_on(differing: Any) -> None:
    ann = differing.log_in("ann")
    ann.get("/next")
    own = ann.page.url.path
    ann.do("flag", text="look")
    ann.get("/resolve")
    settling = ann.page.url.path
    ann.do("undo")
    assert (200, own) == (ann.page.status_code, ann.page.url.path)
    assert "undone: flagged: look" in shown(ann.page.text)
    ann.get(settling)
    ann.do("rest:0:")
    ann.get(own)
    ann.do("undo")
    assert (200, settling) == (ann.page.status_code, ann.page.url.path)
    ann.do("redo")
    add_person(differing.bench.store, "ann", Person("bo", "owner", adjudicator=False, disabled=False))
    bo = differing.log_in("bo")
    bo.get(settling)
    unit = bo.page.text.split('value="take:0:')[1].split('"')[0]
    for side in (0, 1):  # one of them is how it is already
        bo.get(settling)
        bo.do(f"take:{side}:{unit}")
    ann.get(settling)
    assert 409 == ann.do("undo").status_code
    assert "was changed by bo after that" in shown(ann.page.text)


def test_what_is_about_ones_own_review_is_refused_where_others_are_settled(differing: Any) -> None:
    ann = differing.log_in("ann")
    for what in "skip", "exclude", "flag":
        ann.get("/resolve")
        assert (what, 422) == (what, ann.do(what, text="private").status_code)
        assert "this is for your own review" in shown(ann.page.text).lower(), what
    acts = "SELECT op FROM review_event WHERE annotator = 'ann' AND op <> 'open'"  # that it was looked at
    assert [] == differing.bench.query(acts)


def test_who_settles_is_told_that_a_review_was_changed_meanwhile(differing: Any) -> None:
    """Not the text or the policy: what people differ in is what is shown there."""
    ann, bo = differing.log_in("ann"), differing.log_in("bo")
    ann.get("/resolve")
    bo.get(ann.page.url.path.replace("/resolve/", "/s/"))
    bo.do("missing::p1")
    assert 409 == ann.do("rest:0:").status_code
    assert "A review of this sample was changed meanwhile" in shown(ann.page.text)
