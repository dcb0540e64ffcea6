"""Any sequence of acts against an oracle that keeps snapshots, on a real database."""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.conftest import Bench, add_text
from workbench.errors import InputError
from workbench.model import KINDS, Kind, Match, Unit
from workbench.reviewing.documents import unit_document
from workbench.reviewing.edits import Accept, Comment, Dispose, Edit, Flag, Put
from workbench.reviewing.fold import ReviewState, gold_units
from workbench.stages import desk, editing, review
from workbench.store import journal
from workbench.store.datasets import DatasetInfo, find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.samples import sample_ids

ROWS = Path(__file__).with_name("oracle.jsonl").read_text("utf-8").splitlines()
KEYS = ("a", "b", "c")
PEOPLE = ("ann", "bo")


@dataclass
class Half:
    """One kind of one sample, for one person."""

    disposition: str
    units: list[Unit]


@dataclass
class Sheet:
    """One sample as one person left it."""

    halves: dict[str, Half]
    flag: str = ""
    comments: list[str] = field(default_factory=list)


@dataclass
class Oracle:
    """One person's work: what each sample looked like when it was first touched, and snapshots."""

    shown: dict[str, Sheet] = field(default_factory=dict)
    now: dict[str, Sheet] = field(default_factory=dict)
    past: list[dict[str, Sheet]] = field(default_factory=list)
    future: list[dict[str, Sheet]] = field(default_factory=list)

    def sheet(self, key: str) -> Sheet:
        return self.now.setdefault(key, deepcopy(self.shown[key]))

    def act(self, edits: dict[str, Sequence[Edit]]) -> None:
        self.past.append(deepcopy(self.now))
        self.future.clear()
        for key, some in edits.items():
            for edit in some:
                self.apply(self.sheet(key), edit)

    def undo(self) -> bool:
        if self.past:
            self.future.append(self.now)
            self.now = self.past.pop()
            return True
        return False

    def redo(self) -> bool:
        if self.future:
            self.past.append(self.now)
            self.now = self.future.pop()
            return True
        return False

    @staticmethod
    def apply(sheet: Sheet, edit: Edit) -> None:
        match edit:
            case Put():
                half = sheet.halves[edit.kind]
                for unit in edit.units:
                    places = [n for n, old in enumerate(half.units) if old.id == unit.id]
                    if places:
                        half.units[places[0]] = unit
                    else:  # before all that follow it in the text, from the first of them
                        starts = ((n, old.spans[0].start) for n, old in enumerate(half.units) if old.spans)
                        behind = (n for n, start in starts if unit.spans and start > unit.spans[0].start)
                        half.units.insert(next(behind, len(half.units)), unit)
                if half.disposition != "verified":
                    half.disposition = "started"
            case Accept():
                sheet.halves[edit.assessment.kind] = Half("verified", list(edit.assessment.units))
            case Dispose():
                for kind in edit.kinds:
                    sheet.halves[kind].disposition = edit.disposition
            case Flag():
                sheet.flag = edit.reason
            case Comment():
                sheet.comments.append(edit.text)


@dataclass
class Desk:
    """The database under test and an oracle for each person."""

    path: Path
    store: Store
    info: DatasetInfo
    ids: dict[str, int]
    oracles: dict[str, Oracle]

    def edits(self, opened: review.Opened, what: str, n: int) -> list[Edit]:
        kind: Kind = KINDS[n % 2] if what in ("accept", "toggle", "reject") else "entity"
        units = opened.state.of(kind).assessment.units
        unit = units[n % len(units)] if units else None
        match what:
            case "accept":
                return [editing.accept(opened, kind)]
            case "skip":
                return [editing.skip(opened)]
            case "exclude":
                return [editing.exclude(f"because {n}")]
            case "flag":
                return [Flag("" if n % 3 == 0 else f"odd {n}")]
            case "comment":
                return [Comment(f"note {n}")]
            case "both":
                return [editing.accept(opened, "entity"), Comment(f"with {n}")]
            case "add":
                words = opened.sample.reference.rstrip(".").split()
                return [add_text(opened, "entity", words[n % len(words)], "place")]
            case "reject" if unit:
                return [editing.reject(opened, unit)]
            case "relabel" if unit:
                return [editing.relabel(opened, unit, ("place", "person")[n % 2])]
            case "toggle" if unit:
                return [editing.toggle(opened, unit)]
            case "unsure" if unit:
                return [editing.unsure(opened, unit)]
            case "undecided" if unit:
                return [Put("match", kind, (replace(unit, match=Match()),))]
        return [Comment(f"no unit {n}")]

    def touch(self, who: str, key: str) -> review.Opened:
        """Open a sample; the first time, the oracle learns what was shown."""
        opened = review.open_sample(self.store, self.ids[key], who)
        if key not in self.oracles[who].shown:
            assert journal.load_reviews(self.store, {self.ids[key]: who}) == {}
            units = {kind: list(opened.state.of(kind).assessment.units) for kind in KINDS}
            self.oracles[who].shown[key] = Sheet({kind: Half("todo", own) for kind, own in units.items()})
        return opened

    def led(self, moved: journal.Moved | None, who: str) -> None:
        """Where an undo or redo leads is what opening it shows."""
        if moved is not None:
            fresh = review.open_sample(self.store, moved.sample_id, who)
            assert moved.state == fresh.state or fresh.reopening is not None

    def step(self, who: str, key: str, what: str, n: int) -> None:
        oracle = self.oracles[who]
        if what in ("undo", "redo"):
            move, expected = (desk.undo, oracle.undo) if what == "undo" else (desk.redo, oracle.redo)
            moved = move(self.store, self.info.id, who)
            assert (moved is not None) == expected()
            self.led(moved, who)
        elif what == "bulk":
            opened = {name: self.touch(who, name) for name in KEYS}
            how = "relabel" if n % 2 else "accept"
            edits = {name: self.edits(one, how, n) for name, one in opened.items()}
            acts = [review.act_on(one, *edits[name]) for name, one in opened.items()]
            journal.record(self.store, acts, who)
            oracle.act({**edits})
        else:
            known = key in oracle.shown
            one = self.touch(who, key)
            try:
                some = self.edits(one, what, n)
            except InputError:  # refused before anything is written: a unit twice, nothing left to skip
                if not known:
                    del oracle.shown[key]  # a look writes nothing; the next one may show something else
                return
            after = review.act(self.store, one, *some)
            oracle.act({key: some})
            self.same(who, key, after.state)
            stored = journal.load_reviews(self.store, {self.ids[key]: who})
            assert stored == {self.ids[key]: after.state}  # followed is what folding gives

    def same(self, who: str, key: str, state: ReviewState) -> None:
        expected = self.oracles[who].sheet(key)
        assert (state.flag, list(state.comments)) == (expected.flag, expected.comments)
        for kind in KINDS:
            half = state.of(kind)
            assert half.disposition == expected.halves[kind].disposition, (who, key, kind)
            assert list(half.assessment.units) == expected.halves[kind].units, (who, key, kind)

    def check(self) -> int:
        """The fold, the head row and gold_unit of each review say what the oracle says; their number."""
        compared = 0
        for who, oracle in self.oracles.items():
            for key in KEYS:
                state = journal.load_reviews(self.store, {self.ids[key]: who}).get(self.ids[key])
                if state is None:
                    assert key not in oracle.now or oracle.now[key] == oracle.shown[key]
                    continue
                self.same(who, key, state)
                self.projected(self.ids[key], who, state)
                compared += 1
        return compared

    def projected(self, sample_id: int, who: str, state: ReviewState) -> None:
        own = "SELECT id FROM review WHERE sample_id = ? AND annotator = ?"
        head = "SELECT seq, flag, entity, statement FROM review WHERE id = ?"
        columns = "position, text, verdict, label, document"
        gold = f"SELECT {columns} FROM gold_unit WHERE review_id = ? AND kind = ? ORDER BY position"
        with closing(sqlite3.connect(self.path)) as raw:
            (number,) = raw.execute(own, (sample_id, who)).fetchone()
            said = (state.seq, state.flag, state.entity.disposition, state.statement.disposition)
            assert raw.execute(head, (number,)).fetchall() == [said]
            for kind in KINDS:
                half = state.of(kind)
                units = gold_units(half.assessment.units) if half.disposition == "verified" else ()
                assert raw.execute(gold, (number, kind)).fetchall() == [
                    (place, unit.text, unit.match.verdict or "unsure", unit.label, as_stored(unit))
                    for place, unit in enumerate(units)
                ]


def as_stored(unit: Unit) -> str:
    return json.dumps(unit_document(unit), ensure_ascii=False, separators=(",", ":"))


def fill(bench: Bench) -> None:
    assert bench.load(ROWS, kinds=KINDS, seed=1).new == len(KEYS)


@pytest.fixture(scope="module")
def template(made_once: Any) -> Path:
    path: Path = made_once(fill) / "workbench.db"
    return path


ACTS = ("accept", "both", "toggle", "reject", "relabel", "unsure", "undecided", "add", "skip", "exclude",
        "flag", "comment", "bulk", "undo", "undo", "undo", "redo", "redo")  # fmt: skip
STEP = st.tuples(
    st.sampled_from(PEOPLE), st.sampled_from(KEYS), st.sampled_from([*ACTS, "reopen"]), st.integers(0, 7)
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, min_size=8, max_size=30))
def test_any_acts_of_two_people_fold_to_what_snapshots_say(template: Path, steps: Any) -> None:
    """Put, accept, skip, exclude, flag, comment, bulk, undo and redo, also after reopening the database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "w.db")
        shutil.copy(template, path)
        store = open_store(str(path))
        try:
            info = find_dataset(store, None)
            desk = Desk(path, store, info, sample_ids(store, info.id), {who: Oracle() for who in PEOPLE})
            for who, key, what, n in steps:
                if what == "reopen":
                    desk.store.close()
                    desk.store = open_store(str(path))
                else:
                    desk.step(who, key, what, n)
            compared = desk.check()
            desk.store.close()
            desk.store = open_store(str(path))
            assert compared == desk.check()
        finally:
            desk.store.close()
