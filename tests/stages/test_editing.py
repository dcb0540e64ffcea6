"""What edits keep, whatever is edited: undo takes all of it back, and what nobody touched stays as it was."""

import shutil
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.conftest import Bench, do
from tests.quality.verdicts import changed
from tests.rows import naming, sample, units
from workbench.errors import InputError
from workbench.model import Evidence, Kind, Span
from workbench.reviewing.edits import Put
from workbench.stages import editing
from workbench.stages.review import Opened
from workbench.store.engine import open_store
from workbench.store.samples import sample_ids
from workbench.text.normalise import key

REFERENCE = (
    "New York City, founded by Sergey Brin and Larry Page, lies in the United States (US). "
    "The United Nations sit there; Y Combinator does not. Nothing else is known of America."
)
NAMES = ["New York", "City", "Sergey Brin and Larry Page", "United States", "US", "Atlantis", "America"]
PROPOSAL: dict[str, Any] = {
    "proposer": "p",
    "reference_entities": units([*NAMES, "United Nations", "Y Combinator"]),
    "statements": [
        {"text": "New York City lies in the US.", "verdict": "found", "start": 0, "end": 85},
        {"text": "The United Nations sit there.", "verdict": "missing", "start": 86, "end": 115},
        {"text": "Y Combinator does not.", "start": 116, "end": 138},
    ],
}
CONTEXTS = ("New York City is big.", "The US has Larry Page in it; Sergey Brin too.")
ROW = sample("a", REFERENCE, *CONTEXTS, proposal=PROPOSAL)


def edits(opened: Opened, what: str, n: int, m: int) -> list[Put]:
    """One act of that sort on some unit, nothing where it cannot be."""
    kind: Kind = "statement" if n % 4 == 0 else "entity"
    counted = [one for one in opened.units(kind) if one.counted]
    if not counted:
        return []
    one = counted[n % len(counted)]
    places = editing.split_tokens(opened, one)
    try:
        match what:
            case "merge":
                return [editing.merge(opened, one, counted[m % len(counted)])]
            case "split" if places:
                return [editing.split(opened, one, places[m % len(places)].start)]
            case "evidence":
                return [editing.set_evidence(opened, one, (Evidence(m % 2, n % 7, 8 + m % 7),))]
            case "reject":
                return [editing.reject(opened, one)]
    except InputError:
        pass
    return []


def fill(bench: Bench) -> None:
    bench.load([ROW], kinds=("entity", "statement"))


@pytest.fixture
def made(made_once: Any) -> Path:
    """A database with the sample, to be copied."""
    path: Path = made_once(fill) / "workbench.db"
    return path


PLACES = st.integers(0, 99)
ACTS = st.lists(
    st.tuples(st.sampled_from(["merge", "split", "evidence", "reject"]), PLACES, PLACES), max_size=7
)


def assessments(opened: Opened) -> list[Any]:
    return [(half.assessment, half.disposition) for half in (opened.state.entity, opened.state.statement)]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ACTS)
def test_undo_restores_the_exact_assessment(made: Path, acts: list[tuple[str, int, int]]) -> None:
    """All the way back and forth again; on the way every span quotes the text and names stay apart."""
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copy(made, Path(folder) / "wb.db")
        with closing(open_store(str(path))) as store:
            bench = Bench(Path(folder), store)
            seen = [assessments(bench.open("a"))]
            for what, n, m in acts:
                if edit := edits(bench.open("a"), what, n, m):
                    after = bench.act("a", *edit)
                    keys = [key(one.text, "en") for one in after.units("entity") if one.counted]
                    assert len(set(keys)) == len(keys)
                    assert after.state == bench.open("a").state
                    seen.append(assessments(after))
            for before in reversed(seen[:-1]):
                assert bench.undo() is not None
                assert before == assessments(bench.open("a"))
            for again in seen[1:]:
                assert bench.redo() is not None
                assert again == assessments(bench.open("a"))


def test_an_untouched_unit_keeps_its_verdict(demo: Any) -> None:
    """One matcher: matched again, or moved a token out and back, a unit is as the sample was opened."""
    found = changed(demo.open(key) for key in sample_ids(demo.store, demo.info().id))

    assert ([], []) == (found.matched, found.moved)
    assert found.units > 200


def test_an_edge_never_changes_a_verdict_of_imported_gold(bench: Bench) -> None:
    """Whatever decided it."""
    bench.load([naming("p", ["Leyes", "Oslo"], ["Leyes"])])
    opened = bench.open("p")
    leyes = replace(opened.units("entity")[0], origin="imported")

    assert leyes.match == editing.set_span(opened, leyes, Span(0, 11)).units[0].match


def test_a_name_that_is_there_in_another_form_is_known(bench: Any) -> None:
    """Inflected or shortened; not what does not count, another name, or one inside a longer name."""
    reference = "Большой театр в Москве. Труппа Большого театра велика. Москва рада."
    inside = "Сборная Москвы по шахматам"
    for name, text, names in (("ru", reference, ("Большой театр", "Москве")), ("in", inside, (inside,))):
        named = [{"text": one, "label": "organisation" if " " in one else "place"} for one in names]
        bench.load([sample(name, text, proposal={"proposer": "p", "reference_entities": named})])

    def other(name: str, at: Opened) -> str:
        start = at.sample.reference.index(name)
        return editing.other_form(at, Span(start, start + len(name)))

    opened = bench.open("ru")
    found = [other(name, opened) for name in ("Большого театра", "Москва", "Труппа")]
    assert ["Большой театр", "Москве", ""] == found
    assert "" == other("Москва", bench.act("ru", do("Москве", editing.reject)))
    assert "" == other("Москвы", bench.open("in"))
